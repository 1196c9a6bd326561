/*
 * Objects that only the interpreter has, in arguments of a call that the
 * program makes: it is given copies. Each is made by a call of its own, empty
 * (session/evaluate/calling.c), and filled when all are there.
 */
#ifndef EVAL_GIVEN_H
#define EVAL_GIVEN_H

#include "eval/evalcall.h"

/*
 * Fill the copies of @g, or have the first that is missing made: e->calls->want
 * is set then.
 */
DBG_MUST struct dbg_error *given_make(const struct eval *e,
				      const struct vm_graph *g);
/* Write the @n bytes of a @type at @addr, which is the program's. */
DBG_MUST struct dbg_error *given_write(const struct eval *e, struct type *type,
				       uint64_t addr, const uint8_t *bytes,
				       uint32_t n);
/* The program's copy of the object at @addr; 0: it is none of @g. */
uint64_t given_copy(const struct eval *e, const struct vm_graph *g,
		    uint64_t addr);

#endif
