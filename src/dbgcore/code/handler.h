/* The handlers that a method has for an exception. */
#ifndef CODE_HANDLER_H
#define CODE_HANDLER_H

#include "code/code.h"

enum code_handler_kind {
	CODE_HANDLER_CATCH,
	CODE_HANDLER_FILTER, /* code decides if the type fits: catch ... when */
	CODE_HANDLER_TASK,   /* an async method's own, for its task */
};

struct code_handler {
	enum code_handler_kind kind;
	const char *type; /* C# name; NULL: whatever is thrown */
	bool generic;     /* ... which depends on generic arguments */
	bool passes_on;   /* whatever it does, it ends in `throw;` */
	const char *path; /* where it begins in the source, NULL: unknown */
	uint32_t line;
	uint32_t il_offset; /* ... in its IL, if the line is known */
};

/*
 * The catch handlers around @pos in its method, in the order in which the
 * runtime asks them, in @arena. None if the IL is not to be had.
 */
void code_handlers(struct code *c, const struct code_pos *pos,
		   struct arena *arena, struct code_handler **ret,
		   size_t *ret_n);

/* Is @pos in a catch handler, or in a filter? */
bool code_is_in_catch(const struct code_pos *pos);

/*
 * Has any method of the module a filter (C#'s `when`)? All bodies are read,
 * once a module: about a millisecond per 5,000 methods.
 */
bool code_has_filters(struct code_module *m);

#endif
