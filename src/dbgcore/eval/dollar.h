/*
 * Names that begin with '$' and are no shown values: see dollar.c.
 *
 * Values that were shown, by number from 1: `$1`, `$` the last, `$$` the one
 * before, `$$3` the third before the last.
 *
 * Numbers, bools, characters and strings are kept as they were. Anything else
 * is a place in the program, and known in the stop it was seen in; behind a
 * call in that stop it is what the place held.
 *
 * Variables that the user declares (`int z = 1`, `out var n`): of a frame, in
 * which they are known like its own, as in an Immediate Window. What is kept
 * of their values is what the history keeps.
 */
#ifndef EVAL_DOLLAR_H
#define EVAL_DOLLAR_H

#include "eval/eval.h"
#include "eval/followed.h"
#include "value/value.h"

struct eval;

/* Is @name one of these? */
bool dollar_names(const char *name);
/* Read the value of a $name. */
DBG_MUST struct dbg_error *dollar_get(const struct eval *e, const char *name,
				      struct value *ret);
/* Give the convenience variable @name a value; others are refused. */
DBG_MUST struct dbg_error *dollar_set(const struct eval *e, const char *name,
				      const struct value *v);

struct history;

/* @followed is borrowed. */
struct history *history_create(struct followed *followed);
void history_destroy(struct history *h);
/*
 * Begin a new stop: forget the values of which there is no copy. @returns: the
 * program only ran for a call, and the followed ones stay.
 */
void history_stop(struct history *h, bool returns);
/* Append a value, returning its number. */
uint32_t history_add(struct history *h, struct values *ts,
		     const struct value *v);
/* The number of the last one, 0: there is none. */
uint32_t history_last(const struct history *h);
/* The value that @name, which begins with `$`, stands for. */
DBG_MUST struct dbg_error *history_get(const struct history *h,
				       struct values *ts, const char *name,
				       struct value *ret);
/* Does @name name a value of the history: $, $$, $N or $$N? */
bool history_names(const char *name);

/*
 * Convenience variables: values that the user keeps under names of his own,
 * given here without their '$'. What is kept lives as a shown value does.
 */
void history_set(struct history *h, struct values *ts, const char *name,
		 const struct value *v);
void history_set_number(struct history *h, const char *name, int64_t number);
/* Read a convenience variable. DBG_E_NOT_FOUND: no variable has this name. */
DBG_MUST struct dbg_error *history_variable(const struct history *h,
					    struct values *ts, const char *name,
					    struct value *ret);
/* Get the @i-th variable, its name borrowed; false: there are no more. */
bool history_variable_at(const struct history *h, size_t i,
			 struct dbg_variable *ret);

/* Is @name one of the scope's frame, and no variable of the program's? */
bool declared_names(const struct eval *e, const char *name);
/* Read a declared variable. DBG_E_STALE: its value was of an earlier stop. */
DBG_MUST struct dbg_error *declared_get(const struct eval *e, const char *name,
					struct value *ret);
/* Declare the variable, or give it another value. */
DBG_MUST struct dbg_error *declared_set(const struct eval *e, const char *name,
					const struct value *v);

#endif
