/*
 * Syntax that stands for nothing in the text: what C# defines by other C#
 * (foreach, ranges, `with`) is rewritten and bound. Values that are bound
 * already take part by name.
 */
#ifndef EVAL_BINDMADE_H
#define EVAL_BINDMADE_H

#include "eval/bind/bind_priv.h"

struct expr *made_node(struct binder *b, enum expr_kind kind,
		       const struct expr *at);
struct expr *made_name(struct binder *b, const char *name,
		       const struct expr *at);
struct expr *made_int(struct binder *b, int64_t value, const struct expr *at);
struct expr *made_member(struct binder *b, const struct expr *of,
			 const char *name);
/* of.name(args), or of(args) without a name. */
struct expr *made_call(struct binder *b, const struct expr *of,
		       const char *name, const struct expr *const *args,
		       size_t n);
/* of[index]. */
struct expr *made_index(struct binder *b, const struct expr *of,
			const struct expr *index);
struct expr *made_binary(struct binder *b, enum op op, const struct expr *l,
			 const struct expr *r);
struct expr *made_list(struct binder *b, enum expr_kind kind,
		       const struct expr *const *list, size_t n,
		       const struct expr *at);

/* Make the variable @var visible to expressions that are bound from now on. */
void name_push(struct binder *b, struct bound_var *var);
/*
 * Keep @v in a variable. *ret_store stores it there; the name returned stands
 * for the variable in syntax.
 */
struct expr *made_keep(struct binder *b, struct bound *v,
		       struct bound **ret_store);

/* The value of typeof(@of); a string literal of @text. */
struct bound *bound_type_object(struct binder *b, struct type *of,
				const struct expr *x);
struct bound *bound_text(struct binder *b, const char *text,
			 const struct expr *x);

/*
 * Compute @v once: *ret_store computes and stores it; the node returned is its
 * value after that.
 */
struct bound *bound_keep(struct binder *b, struct bound *v,
			 struct bound **ret_store);
/* The assignment of @v to @to. */
struct bound *bound_store(struct binder *b, struct bound *to, struct bound *v);
/*
 * Compute the @n nodes of @list, whose values are dropped, then @v, whose value
 * is the result.
 */
struct bound *bound_after(struct binder *b, struct bound *const *list, size_t n,
			  struct bound *v);
bool bound_is_pure(const struct bound *v);

#endif
