/*
 * The methods that a step in passes because of the user's `skip` rules.
 *
 * Which code is the user's own (Just My Code, step.c), and how a step sees it
 * entered: by the probe at the beginning of code compiled for debugging
 * (stepin.c).
 */
#ifndef CONTROL_STEP_H
#define CONTROL_STEP_H

#include "dbg.h"

struct code_module;
struct control;
struct skip_rule;

struct skips {
	char *text; /* as set; NULL: none */
	struct skip_rule *rules;
	size_t n, cap;
};
/* Drop all rules. */
void skip_reset(struct control *c);

/* The probes at the beginning of code compiled for debugging. */
struct probe {
	uint64_t offset; /* of the flag in a Module */
	uint64_t helper; /* what they call, 0: not known yet */
	bool armed;
	size_t strangers; /* hits of threads that are not stepped */
};

/* step.c */
/* Does a step end in this method? */
bool mycode_is_user(struct control *c, struct code_module *m, uint32_t token);
/* Does a step in pass it, by the setting for properties, or by `skip`? */
bool mycode_is_passed(struct control *c, struct code_module *m, uint32_t token);
/*
 * Do attributes keep breakpoints in this method from being hit? With Just My
 * Code DebuggerNonUserCode, DebuggerStepThrough and DebuggerHidden do, without
 * it DebuggerHidden alone.
 */
bool mycode_is_skipped(struct control *c, struct code_module *m,
		       uint32_t token);

/* stepin.c */
/* Watch entries of user code, as far as its code tells of them. */
struct dbg_error *probe_arm(struct control *c);
void probe_disarm(struct control *c);
/*
 * The probe in the @n bytes of a method's prolog, which is at @start: does it
 * test a flag in the Module at @module?
 */
bool probe_decode(const uint8_t *code, size_t n, uint64_t start,
		  uint64_t module, struct probe *ret);
/* Is the method of @m at @ip compiled for debugging? */
bool probe_has(struct control *c, const struct code_module *m, uint64_t ip);
/* The program is gone: forget the probes. */
void probe_reset(struct control *c);
/* Handle a thread at the helper of the probes. */
struct dbg_error *probe_trap(struct control *c, pid_t tid);

#endif
