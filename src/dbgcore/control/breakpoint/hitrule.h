/* Hit conditions: at which numbers of hits a breakpoint stops. */
#ifndef CONTROL_HITRULE_H
#define CONTROL_HITRULE_H

#include "dbg.h"

enum hit_rule_kind {
	HIT_RULE_NONE, /* all */
	HIT_RULE_EQUAL,
	HIT_RULE_AT_LEAST,
	HIT_RULE_MORE,
	HIT_RULE_AT_MOST,
	HIT_RULE_LESS,
	HIT_RULE_EVERY,
};

struct hit_rule {
	enum hit_rule_kind kind;
	uint64_t count;
};

#endif
