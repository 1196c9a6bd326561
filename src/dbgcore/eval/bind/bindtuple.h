/* Tuples, their element names, and anonymous objects. */
#ifndef EVAL_BINDTUPLE_H
#define EVAL_BINDTUPLE_H

#include "eval/bind/bind_priv.h"

enum {
	TUPLE_MAX = 64
};

/* Names that some part of the expression gives to elements of a type. */
struct tuple_names {
	struct tuple_names *next;
	struct type *type;
	const char *const *names; /* NULL: that element has none */
	size_t n;
};

/*
 * Get the element types of a System.ValueTuple, including the elements of its
 * nested Rest tuples, and return how many they are. 0: @type is no tuple.
 */
size_t tuple_elements(const struct type *type, struct type **ret);
/* Element @i of a value of a tuple type. */
DBG_MUST struct dbg_error *tuple_item(struct binder *b, struct bound *of,
				      size_t i, const struct expr *x,
				      struct bound **ret);
/* .Item9 or a name; *ret NULL: it is neither. */
DBG_MUST struct dbg_error *tuple_member(struct binder *b, struct bound *of,
					const struct expr *x,
					struct bound **ret);
/* The variable @name that the transparent @var carries; *ret NULL: none. */
DBG_MUST struct dbg_error *tuple_carried(struct binder *b, struct bound *of,
					 const struct expr *x,
					 struct bound **ret);
/*
 * Note the names of tuple elements in @type, in the order in which compilers
 * list them: all names of a tuple, then the names in its element types.
 */
void tuple_note_tree(struct binder *b, struct type *type,
		     const char *const *names, size_t n);

/* Note the names of elements in the type @x as it is written: (int A, int). */
void tuple_note_written(struct binder *b, const struct expr *x);
/* Give @v, of type @type, the names that were noted for tuples in it. */
void tuple_name_value(struct binder *b, struct type *type, struct value *v);

DBG_MUST struct dbg_error *bind_tuple(struct binder *b, const struct expr *x,
				      struct bound **ret);
/* Does the literal @v, or a tuple of type @from, convert to @to? */
bool tuple_fits(struct binder *b, const struct bound *v, struct type *to);
bool tuple_types_fit(struct binder *b, struct type *from, struct type *to);
DBG_MUST struct dbg_error *tuple_convert(struct binder *b, struct bound *v,
					 struct type *to, struct bound **ret);
/* new ValueTuple<...>(...) of a BOUND_TUPLE. */
DBG_MUST struct dbg_error *tuple_new(struct binder *b, const struct bound *v,
				     struct bound **ret);
/* A new tuple of values without names. */
DBG_MUST struct dbg_error *tuple_of(struct binder *b, struct bound *const *list,
				    size_t n, const struct expr *x,
				    struct bound **ret);
/* == and != of tuples; *ret NULL: these are none. */
DBG_MUST struct dbg_error *tuple_equality(struct binder *b, enum op op,
					  struct bound *l, struct bound *r,
					  const struct expr *x,
					  struct bound **ret);

DBG_MUST struct dbg_error *
bind_anonymous(struct binder *b, const struct expr *x, struct bound **ret);

#endif
