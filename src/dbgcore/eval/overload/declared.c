/*
 * Parameters as C# reads them: by the declaration that is nearest to the
 * receiver's static type (ECMA-334, 12.6.2.2); overload.h says what is what.
 */
#include "eval/overload/conversion.h"
#include "eval/overload/overload.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

const struct type_method *parameters_of(struct binder *b, const struct call *c,
					struct type_method *m)
{
	struct type_method *nearest = m;
	if (!c->of || c->of->kind == TYPE_KIND_INTERFACE ||
	    !(m->flags & TYPE_METHOD_VIRTUAL) ||
	    m->flags & TYPE_METHOD_STATIC ||
	    dbg_err_drop(type_method_virtual(b->ts, m, c->of, &nearest)))
		return m;
	return nearest;
}

int parameter_named(const struct candidate *k, const char *name)
{
	for (uint32_t i = 0; i < k->sig->n_params; i++) {
		struct type_param p;
		type_method_param(k->declared, i, &p);
		if (!strcmp(p.name, name))
			return (int)i;
	}
	return -1;
}

bool parameter_is(const struct candidate *k, uint32_t i, uint16_t flag)
{
	struct type_param p;
	type_method_param(k->declared, i, &p);
	return p.flags & flag;
}

struct dbg_error *default_argument(struct binder *b, const struct call *c,
				   const struct candidate *k, uint32_t i,
				   struct bound **ret)
{
	struct type_param p;
	const struct expr *x = c->x;
	struct type *type = k->sig->params[i];
	type_method_param(k->declared, i, &p);
	struct bound *caller = caller_argument(b, c, k, &p);
	if (caller)
		return convert(b, caller, type, ret);
	struct bound *n = bound_make(b, BOUND_DEFAULT, type, x);
	uint32_t words[4];
	*ret = n;
	if (type->special == TYPE_SPECIAL_DECIMAL &&
	    value_decimal_attribute(k->declared->module, p.token, words)) {
		*ret = bound_words(b, type, words, x);
		return NULL;
	}
	if (p.constant == ELEM_STRING) {
		n->kind = BOUND_STRING;
		n->n_units = p.value.n / 2;
		n->units = arena_copy(b->arena, p.value.p, n->n_units,
				      sizeof(*n->units));
	} else if (p.constant != ELEM_END && p.constant != ELEM_CLASS &&
		   p.value.n <= 8 && !type->is_reference) {
		int64_t bits = 0;
		memcpy(&bits, p.value.p, p.value.n);
		n = bound_int(b, p.constant, bits, x);
		memcpy(&n->real, &bits, sizeof(n->real));
		if (p.constant == ELEM_R4) {
			float f;
			memcpy(&f, &bits, sizeof(f));
			n->real = (double)f;
		}
		if (type->kind == TYPE_KIND_ENUM)
			n->type = type;
		return convert(b, n, type, ret);
	}
	return NULL;
}
