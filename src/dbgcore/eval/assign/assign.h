/*
 * Assignments that only a call in the program can make: to properties and
 * indexers with setters, and of new strings.
 */
#ifndef EVAL_ASSIGN_H
#define EVAL_ASSIGN_H

#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

/* Is @n set by a call: a property, but for those that are only a field? */
bool assigncall_sets(struct binder *b, const struct bound *n);
/*
 * Does @v hold a reference to what only the debugger has? Its addresses are
 * none that a program may have.
 */
bool assigncall_is_imaginary(struct values *ts, const struct value *v);

#endif
