/*
 * Breakpoints as the client sets them: each request replaces all of its
 * group (a source file, the functions, ...). What is asked for again as it
 * was keeps its number and its count of hits.
 */
#ifndef DAP_BREAKS_H
#define DAP_BREAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbg.h"

struct dap;
struct str;

/* The client's request for one breakpoint. Strings are borrowed. */
struct break_spec {
	struct dbg_break_req req;
	const char *condition; /* NULL: none */
	const char *fault;     /* why a new one is refused, NULL: it is not */
	uint32_t line, column; /* as asked, 0: none */
};

struct brk {
	uint32_t number; /* of the engine, 0: refused */
	char *group;     /* "source PATH", "function", ... */
	char *key;       /* all of the spec as text */
	char *fault;     /* why it was refused */
	char *note;      /* what of it is not well-formed, NULL: nothing */
	char *path;      /* of the source, NULL: none */
	uint32_t line, column;
	char *told; /* as last described to the client */
	bool kept;  /* while a group is replaced */
};

struct breaks {
	struct brk *v;
	size_t n, cap;
	size_t n_old;    /* of the group replaced, not asked for again yet */
	size_t n_before; /* so many there were: what follows is new */
	size_t at;       /* where to look for the next of these */
};

void breaks_deinit(struct breaks *b);

/* Replacing a group: breaks_begin, breaks_put for each, breaks_end. */
void breaks_begin(struct breaks *b, const char *group);
/*
 * Set one breakpoint and describe it as an element of an array in @t. @path is
 * its source file. A refusal by the engine is part of the description.
 */
void breaks_put(struct dap *d, const char *group, const char *path,
		const struct break_spec *wanted, struct str *t);
/* Delete what was not asked for again. */
void breaks_end(struct dap *d, const char *group);

/*
 * A module was loaded: tell the client why breakpoints are not bound in it that
 * it should have.
 */
void breaks_loaded(struct dap *d);
/* The program has stopped: how often conditions have failed is told anew. */
void breaks_stopped(struct dap *d);
/* Breakpoint @number changed: tell the client if it sees a difference. */
void breaks_changed(struct dap *d, uint32_t number, bool gone);
/* Disable all breakpoints: the program is to end by itself. */
void breaks_disable(struct dap *d);
/* Members "source" and "line" of breakpoint @number, if it has them. */
void breaks_place(struct dap *d, struct str *t, uint32_t number);
/* The kind of breakpoint that stopped the program, for the event `stopped`. */
const char *breaks_reason(const struct breaks *b, uint32_t number);

#endif
