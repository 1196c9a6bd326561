/* Collection expressions: [a, ..b], which are what their place wants. */
#ifndef EVAL_BINDCOLLECTION_H
#define EVAL_BINDCOLLECTION_H

#include "eval/bind/bind_priv.h"

/* The element type of a collection type @to; NULL: it is no collection. */
struct type *collection_element(struct binder *b, struct type *to);
/* Span<T> or ReadOnlySpan<T>? */
bool collection_is_span(const struct type *type);
bool collection_fits(struct binder *b, const struct bound *v, struct type *to);
DBG_MUST struct dbg_error *
bind_collection(struct binder *b, const struct expr *x, struct bound **ret);
DBG_MUST struct dbg_error *collection_convert(struct binder *b, struct bound *v,
					      struct type *to,
					      struct bound **ret);
/* The arguments of a `params` parameter of type @to, for the call @x. */
DBG_MUST struct dbg_error *
collection_params(struct binder *b, struct bound *const *list, size_t n,
		  struct type *to, const struct expr *x, struct bound **ret);

#endif
