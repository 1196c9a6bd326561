/*
 * Which exceptions a catchpoint wants, and the facts about an exception, each
 * found when first asked for: type, message, the throwing module, and who will
 * catch it.
 */
#ifndef CONTROL_THROWTRAP_H
#define CONTROL_THROWTRAP_H

#include "control/exception/catcher.h"
#include "dbg.h"

struct arena;
struct bp;
struct control;

struct filter {
	bool exact, again;
	char *module;            /* NULL: any */
	char *message;           /* NULL: any */
	struct pattern *pattern; /* of it */
};

enum {
	THROWN_TYPES_MAX = 64
};

struct thrown {
	pid_t tid;
	uint64_t object;                     /* 0: not made yet */
	const char *types[THROWN_TYPES_MAX]; /* C# names, own first */
	size_t n_types;
	const char *message; /* NULL: none */
	struct arena *arena; /* of the stop */
	struct catcher catcher;
};

/* Take over what @req asks; the error says what is wrong with it. */
DBG_MUST struct dbg_error *filter_init(struct filter *f,
				       const struct dbg_catch *asked);
void filter_deinit(struct filter *f);
/* The object that @tid has thrown last, 0: none. (All stopped.) */
uint64_t thrown_last(struct control *c, pid_t tid);
/* Add the type with MethodTable @mt and its bases. (All stopped.) */
void thrown_add_types(struct control *c, uint64_t mt, struct thrown *t);
/* Does @bp stop for the exception @t? (All stopped.) */
bool filter_wants(struct control *c, const struct bp *bp, struct thrown *t);

#endif
