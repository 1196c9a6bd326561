/* Parts of values that are no fields, and elements by index. */
#ifndef EVAL_MEMBER_H
#define EVAL_MEMBER_H

#include "eval/eval.h"

/*
 * The field that `.name` means on a value of static type @declared and
 * run-time type @actual: C#'s choice, the static type's, but a field of the
 * run-time type where the static one has none, and for automatic properties
 * (which may be overridden). NULL if there is none.
 */
const struct field *member_field(struct values *ts, struct type *declared,
				 struct type *actual, const char *name);
/*
 * Are both the same field of the same definition, whatever the type arguments?
 */
bool member_same(const struct field *a, const struct field *b);

/*
 * The type @name nested in @type, over the same arguments and @args of its own;
 * NULL: none.
 */
struct type *member_nested(struct values *ts, struct type *type,
			   const char *name, struct type *const *args,
			   size_t n_args);
/* Has the settled value @v elements in memory, or nothing at all? */
bool member_has_elements(const struct eval *e, const struct value *v);
/*
 * Get element @index[0 .. n) of @v (dereferenced), which is called @name in
 * messages.
 */
DBG_MUST struct dbg_error *
member_element(const struct eval *e, const char *name, const struct value *v,
	       const int64_t *index, size_t n, struct value *ret);
/* Length, LongLength or Rank of the settled @v; false: it has none. */
bool member_length(const struct eval *e, const struct value *v,
		   const char *name, struct value *ret);
/*
 * The value of a Nullable<T>, the same value of any other; *ret_null if it
 * has none. @v is settled.
 */
struct value member_unwrap(struct values *ts, const struct value *v,
			   bool *ret_null);
/*
 * Get element @n (0-based) of a ValueTuple with more than seven, through its
 * Rest. @v is dereferenced.
 */
struct value member_tuple(struct values *ts, const struct value *v, size_t n);
/* ... the one that is called @name: ItemN, or as its author has named it. */
bool member_tuple_name(struct values *ts, const struct value *v,
		       const char *name, struct value *ret);

#endif
