/*
 * Assignments that only a call in the program can make: to properties and
 * indexers with setters, and of new strings.
 */
#ifndef EVAL_ASSIGNCALL_H
#define EVAL_ASSIGNCALL_H

#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

/* Is @n a property or an indexer, read by its getter? */
bool assigncall_gets(const struct bound *n);
/* Does an automatic property keep its value in @f, which may be NULL? */
bool assigncall_is_backing(const struct type_field *f);
/* Is @n set by a call: a property, but for those that are only a field? */
bool assigncall_sets(struct binder *b, const struct bound *n);
/* The value of @n as it is without a call in the program. */
DBG_MUST struct dbg_error *
assigncall_fetch_uncalled(struct binder *b, struct bound *n, struct value *ret);
/*
 * Does @v hold a reference to what only the debugger has? Its addresses are
 * none that a program may have.
 */
bool assigncall_is_imaginary(struct values *ts, const struct value *v);
/*
 * Set the property that is the target of @x, where calls can be made: ends as
 * any expression that wants a call. *ret is its value afterwards.
 */
DBG_MUST struct dbg_error *assigncall_run(const struct eval *e,
					  const struct bind_assignment *x,
					  struct value *ret);
/*
 * If the target of a compound @x has an instance operator for it (C# 14), call
 * that: *ret_done; *ret is the target afterwards.
 */
DBG_MUST struct dbg_error *assigncall_operator(const struct eval *e,
					       const struct bind_assignment *x,
					       struct value *ret,
					       bool *ret_done);
/* Get the string @v, which only the debugger has, as one of the program's. */
DBG_MUST struct dbg_error *assigncall_string(const struct eval *e,
					     const struct value *v,
					     struct value *ret);

/*
 * The same for an object that @v, or a structure in it, refers to, and for all
 * that the object refers to.
 */
DBG_MUST struct dbg_error *assigncall_object(const struct eval *e,
					     const struct value *v,
					     struct value *ret);

#endif
