/* Declarations shared by the files about operators. */
#ifndef EVAL_BINDOP_H
#define EVAL_BINDOP_H

#include "eval/bind/bind_priv.h"

bool bound_is_nullable(const struct bound *v);
/*
 * Split a nullable value into its HasValue and its value. Of any other type
 * they are `true` and @v itself.
 */
DBG_MUST struct dbg_error *bound_open(struct binder *b, struct bound *v,
				      struct bound **ret_has,
				      struct bound **ret_value);
/* Binary numeric promotion (12.4.7.3); END: there is none. */
enum elem numeric_promote(enum elem x, enum elem y);
/* ... of operands, whose constants fit other types; nullable ones too. */
enum elem numeric_common(const struct bound *l, const struct bound *r);
/*
 * How error messages name an operand: by its type, or by its text if it has no
 * type.
 */
const char *bound_operand_name(struct binder *b, const struct bound *v);

/*
 * The operator of the types of @l and @r (NULL: unary); *ret NULL: they have
 * none that fits.
 */
DBG_MUST struct dbg_error *bind_user_operator(struct binder *b, enum op op,
					      struct bound *l, struct bound *r,
					      const struct expr *x,
					      struct bound **ret);
/*
 * ... of an extension block (C# 14), which counts where neither the types nor
 * the language have one.
 */
DBG_MUST struct dbg_error *bind_extension_operator(struct binder *b, enum op op,
						   struct bound *l,
						   struct bound *r,
						   const struct expr *x,
						   struct bound **ret);
/* Has the type of @v a user-defined operator true? */
bool bind_has_truth(struct binder *b, struct bound *v);
/* x && y of a type with operators: false(x) ? x : x & y (12.14.3). */
DBG_MUST struct dbg_error *bind_user_logical(struct binder *b,
					     const struct expr *x,
					     struct bound *const *v,
					     struct bound **ret);
/* Is it a pointer, or a pointer to a function? */
bool type_is_address(const struct type *type);

/*
 * The type to whose operator @op operands of classes and structures convert,
 * which have none of their own; @r NULL: a unary one. NULL: there is none.
 */
struct type *operator_operand_type(struct binder *b, enum op op,
				   const struct bound *l,
				   const struct bound *r);

/* Do generic code's own arguments include @type? */
bool numeric_is_argument(struct binder *b, const struct type *type);
/*
 * Refuse @v if its type may be a type parameter that stands for a small integer
 * type (byte, short): operators of such a value return that type, those of the
 * small type itself return int, and which of the two @v is cannot be told here.
 */
DBG_MUST struct dbg_error *numeric_check(struct binder *b,
					 const struct bound *v);

/*
 * The instance operator (C# 14) that does `@to op= @v`, or with @v NULL
 * `++@to`: a call that returns nothing and changes what @to is; *ret NULL: it
 * has none.
 */
DBG_MUST struct dbg_error *
bind_user_assignment(struct binder *b, enum op op, struct bound *to,
		     struct bound *v, const struct expr *x, struct bound **ret);

#endif
