/* Objects that say themselves what their members are, where they are dynamic.
 */
#ifndef EVAL_BINDMETAOBJECT_H
#define EVAL_BINDMETAOBJECT_H

#include "eval/bind/bind_priv.h"

/*
 * Bind a member, operator or conversion of a dynamic value whose type has none,
 * by asking the object (DynamicObject). *ret NULL: it is no DynamicObject, or
 * does not handle this.
 */
DBG_MUST struct dbg_error *metaobject_member(struct binder *b, struct bound *of,
					     const struct expr *x,
					     struct bound **ret);
/* @of.name(arguments) of @c; without a name, @of(arguments). */
DBG_MUST struct dbg_error *metaobject_call(struct binder *b, struct bound *of,
					   const struct call *c,
					   struct bound **ret);
DBG_MUST struct dbg_error *metaobject_element(struct binder *b,
					      struct bound *of,
					      const struct call *c,
					      struct bound **ret);
/* @op of @l and @r; @r NULL: a unary one. */
DBG_MUST struct dbg_error *metaobject_operator(struct binder *b, enum op op,
					       struct bound *l, struct bound *r,
					       const struct expr *x,
					       struct bound **ret);
DBG_MUST struct dbg_error *metaobject_cast(struct binder *b, struct bound *v,
					   struct type *to,
					   const struct expr *x,
					   struct bound **ret);

#endif
