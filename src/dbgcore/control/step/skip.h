/* The methods that a step in passes because of the user's `skip` rules. */
#ifndef CONTROL_SKIP_H
#define CONTROL_SKIP_H

#include "dbg.h"

struct code_module;
struct control;
struct skip_rule;

struct skips {
	char *text; /* as set; NULL: none */
	struct skip_rule *rules;
	size_t n, cap;
};

/* Does a rule name the method? */
bool skip_matches(struct control *c, struct code_module *m, uint32_t token);
/* Drop all rules. */
void skip_reset(struct control *c);

#endif
