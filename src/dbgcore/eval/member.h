/* Members of values and types by name, and elements by index. */
#ifndef EVAL_MEMBER_H
#define EVAL_MEMBER_H

#include "eval/eval.h"
#include "eval/syntax/expr.h"

/* What a part of an expression stands for. */
enum operand_kind {
	OPERAND_VALUE,
	OPERAND_TYPE,
	OPERAND_SPACE, /* leading part of a dotted name: name */
	OPERAND_SHORT, /* behind ?. of a null: all that follows is null */
};

struct operand {
	enum operand_kind kind;
	struct value value;
	struct type *type;
	const char *name; /* SPACE; VALUE: its source text, for messages */
	/* Of a property that only returns it, with a setter of its own kind. */
	const struct field *behind;
};

/*
 * The field that `.name` means on a value of static type @declared and
 * run-time type @actual: C#'s choice, the static type's, but a field of the
 * run-time type where the static one has none, and for automatic properties
 * (which may be overridden). NULL if there is none.
 */
const struct field *member_field(struct types *ts, struct type *declared,
				 struct type *actual, const char *name);
/* One field of one definition, whatever its type's arguments? */
bool member_same(const struct field *a, const struct field *b);

DBG_MUST struct dbg_error *member_get(const struct eval *e,
				      const struct operand *of,
				      const char *name, struct operand *ret);
/* Static member or nested type of a type. */
DBG_MUST struct dbg_error *member_static(const struct eval *e,
					 struct type *type, const char *name,
					 struct operand *ret);
/* The type @name nested in @type, over the same arguments; NULL: none. */
struct type *member_nested(struct types *ts, struct type *type,
			   const char *name);
/* Has the settled value @v elements in memory, or nothing at all? */
bool member_has_elements(const struct eval *e, const struct value *v);
/* Element @index[0 .. n) of a value. */
DBG_MUST struct dbg_error *member_element(const struct eval *e,
					  const struct operand *of,
					  const int64_t *index, size_t n,
					  struct value *ret);
/*
 * The value of a Nullable<T>, the same value of any other; *ret_null if it
 * has none. @v is settled.
 */
struct value member_unwrap(struct types *ts, const struct value *v,
			   bool *ret_null);
/*
 * Element @n (0-based) of a ValueTuple with more than seven, through its
 * Rest. @v is settled.
 */
struct value member_tuple(struct types *ts, const struct value *v, size_t n);
/* Number of elements of a ValueTuple type, Rest's included. */
size_t member_tuple_count(const struct type *type);

#endif
