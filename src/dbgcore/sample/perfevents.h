/*
 * Samples of the threads that are on a processor, by perf_event_open(2), which
 * come through one ring for each processor. Nothing is stopped.
 *
 * Who may gets them by one event for each processor, whatever runs there, of
 * which those of other processes are skipped: then a switch costs the program
 * least. Else there is one event for each thread and processor; threads that
 * they make have the same. On many processors that is better, too.
 */
#ifndef SAMPLE_PERFEVENTS_H
#define SAMPLE_PERFEVENTS_H

#include "dbg.h"
#include "target/arch.h"

struct perf_events;

/* A thread as it was when the kernel's timer found it running. */
struct perf_sample {
	pid_t pid, tid;
	uint64_t time;              /* CLOCK_MONOTONIC, nanoseconds */
	bool kernel;                /* it was in the kernel */
	bool has_registers;         /* what follows is known */
	uint64_t pc, sp, fp;        /* in the program's own code */
	uint64_t saved[ARCH_SAVED]; /* callee-saved registers, if @at_once */
	size_t n_saved;
	const uint8_t *stack; /* from sp on */
	size_t n_stack;
	/* the call chain by frame pointers: the pc, then return addresses */
	const uint64_t *chain;
	size_t n_chain;
};

/* A thread has got a processor, or has left it. */
struct perf_switch {
	pid_t tid;
	uint64_t time;
	bool in;
	bool preempted; /* out: it would run on, if it might */
};

/* Called with the events that have come, in order for each processor. */
struct perf_readers {
	void (*sample)(void *arg, const struct perf_sample *s);
	void (*switched)(void *arg, const struct perf_switch *s);
	void *arg;
};

/*
 * Sample all threads of @pid, each so many times a second of its processor
 * time. @at_once: each sample is to be read soon, and has more registers.
 * DBG_E_TARGET: not permitted, with the reason and the remedy.
 */
DBG_MUST struct dbg_error *perf_events_open(pid_t pid, uint32_t hertz,
					    bool at_once,
					    struct perf_events **ret);
/* Have @epoll tell of each sample, of those that were opened with @at_once. */
void perf_events_watch(const struct perf_events *p, int epoll);
/* Let no more come, of any that this process has open. */
void perf_events_stop(void);
void perf_events_close(struct perf_events *p);
/* Tell what has come. */
void perf_events_read(struct perf_events *p, const struct perf_readers *to);
/* Did so many come that they are to be read sooner? */
bool perf_events_hurry(const struct perf_events *p);
/* Samples, or switches, that were dropped: by a full ring. */
uint64_t perf_events_lost(const struct perf_events *p);
/* Is time in the kernel sampled as well? That needs more rights. */
bool perf_events_kernel(const struct perf_events *p);

#endif
