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
struct expr *made_index(struct binder *b, const struct expr *of,
			const struct expr *index);
struct expr *made_binary(struct binder *b, enum op op, const struct expr *l,
			 const struct expr *r);
struct expr *made_list(struct binder *b, enum expr_kind kind,
		       const struct expr *const *list, size_t n,
		       const struct expr *at);

/* Make @var seen by what is bound from here on. */
void name_push(struct binder *b, struct bound_var *var);
/*
 * Keep @v in a variable: *ret_store does it, the name returned stands for it
 * in syntax.
 */
struct expr *made_keep(struct binder *b, struct bound *v,
		       struct bound **ret_store);

/* typeof(of); a name as a string. */
struct bound *bound_type_object(struct binder *b, struct type *of,
				const struct expr *x);
struct bound *bound_text(struct binder *b, const char *text,
			 const struct expr *x);

/* Compute @v once: what stands for it behind *ret_store. */
struct bound *bound_keep(struct binder *b, struct bound *v,
			 struct bound **ret_store);
struct bound *bound_store(struct binder *b, struct bound *to, struct bound *v);
/* @v behind @list, whose values are dropped. */
struct bound *bound_after(struct binder *b, struct bound *const *list, size_t n,
			  struct bound *v);
bool bound_is_pure(const struct bound *v);

#endif
