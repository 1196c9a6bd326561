/*
 * Programs for the tests of the target room. They live in the test binary
 * itself: it is started again with the name of one, so that the addresses of
 * their functions are known.
 */
#ifndef TESTS_TARGETFIXTURE_H
#define TESTS_TARGETFIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "target/target.h"

/*
 * To be called first in main: does not return if the binary is a fixture. A
 * check that fails ends the process from then on, and its programs with it.
 */
void fixture_enter(int argc, char **argv);

/* Where traps are set. Each adds one to a counter of its own. */
void fixture_hit(void);
void fixture_other(void);
extern volatile uint64_t fixture_hits, fixture_others;
/* Known instructions between labels; returns a checksum of what they did. */
uint64_t fixture_insns(void);
extern char fixture_insn_labels[]; /* see targetfixture.c */
enum {
	FIXTURE_INSNS = 18,
};
extern const uint64_t fixture_insn_addrs[FIXTURE_INSNS];
extern char fixture_fault;     /* the instruction that faults */
extern char fixture_int3;      /* an int3 of the program's own */
extern char fixture_slow;      /* an instruction that is not emulated */
extern char fixture_syscall;   /* a getppid system call */
extern char fixture_read_call; /* a read system call */
extern volatile uint64_t fixture_handled; /* signals */
extern volatile uint64_t fixture_code;    /* address of double-mapped code */

/* ---- The tests' side ------------------------------------------------- */

struct run {
	struct target *t;
	uint64_t slide; /* of the fixture's addresses to ours */
	uint64_t born, gone, hits, execs, signals, steps, interrupts;
	uint64_t watched;
	bool exited;
	int exit_code, exit_signal;
	struct target_event last;
	/* What to do at a stop; NULL: resume, delivering the signal. */
	void (*on_stop)(struct run *run, const struct target_event *event);
	uint64_t count; /* the test's */
	uint64_t addr;
};

/* Fail the test with the error's message, if there is one. */
void must(struct dbg_error *err);
/* Fail the test if it is not an error of that code with @part in its text. */
void must_fail(struct dbg_error *err, enum dbg_code code, const char *part);

/* Start fixture @name @args (NULL-terminated pairs end early). */
void run_start(struct run *run, const char *name, const char *arg);
void run_start_with(struct run *run, const char *name, const char *arg,
		    const struct dbg_launch *launch);
uint64_t run_addr(const struct run *run, const volatile void *ours);
uint64_t run_u64(struct run *run, const volatile void *ours);
void run_arm(struct run *run, uint64_t addr);
void run_lift(struct run *run, uint64_t addr);
/* Wait for the next event. */
void run_next(struct run *run, struct target_event *ret);
/* Take events until one of @kind; others are handled as usual. */
void run_until(struct run *run, enum target_event_kind kind);
/* Resume what stopped with @event, delivering its signal. */
void run_resume(struct run *run, const struct target_event *event);
/* To the end of the program, which must exit with @code. */
void run_to_exit(struct run *run, int code);
void run_end(struct run *run);
/* Path of the test binary. */
const char *run_self(void);

#endif
