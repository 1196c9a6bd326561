/*
 * Constants of a frame (`const` locals exist in the symbols only), the generic
 * arguments of its method, and Visual Basic's Static locals.
 */
#include "eval/scope/scope_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	METHOD_ARGS_MAX = 64
};

/* ---- Constants (Portable PDB, LocalConstant signature) --------------- */

static struct type *token_type(struct gather *g, uint32_t coded)
{
	struct sig_type sig = {.elem = ELEM_VALUETYPE};
	sig.token = md_typedef_or_ref(coded);
	return value_type_of_sig(g->ts, &sig, &g->scope->context, 0);
}

static struct value string_constant(struct gather *g, struct reader *r)
{
	struct type *type = value_type_of_elem(g->ts, ELEM_STRING);
	size_t n = reader_left(r);
	struct bytes units = reader_bytes(r, n);
	// A lone 0xff is null; text has an even length.
	if (n == 1 && units.p[0] == 0xff)
		return value_bytes(type, &(uint64_t){0}, sizeof(uint64_t));
	return value_constant(g->ts, g->arena, type, units);
}

/* A primitive's value, then perhaps the enum that it belongs to. */
static struct value primitive_constant(struct gather *g, struct reader *r,
				       enum elem elem)
{
	struct type *type = value_type_of_elem(g->ts, elem);
	struct bytes bytes = reader_bytes(r, type_size(type));
	if (r->bad)
		return value_absent(type, WHY_NONE, 0);
	if (reader_left(r)) {
		struct type *of = token_type(g, reader_cuint(r));
		if (of->kind == TYPE_KIND_ENUM &&
		    type_size(of) == type_size(type))
			type = of;
	}
	return value_constant(g->ts, g->arena, type, bytes);
}

static struct value general_constant(struct gather *g, struct reader *r,
				     enum elem elem)
{
	if (elem == ELEM_OBJECT)
		return value_bytes(value_type_of_elem(g->ts, ELEM_OBJECT),
				   &(uint64_t){0}, sizeof(uint64_t));
	if (elem != ELEM_CLASS && elem != ELEM_VALUETYPE)
		return value_absent(value_type_of_elem(g->ts, ELEM_OBJECT),
				    WHY_NONE, 0);
	struct type *type = token_type(g, reader_cuint(r));
	struct bytes bytes = reader_bytes(r, reader_left(r));
	if (type->is_reference)
		return value_bytes(type, &(uint64_t){0}, sizeof(uint64_t));
	return value_constant(g->ts, g->arena, type, bytes);
}

void scope_add_constant(struct gather *g, const struct pdb_local *local)
{
	struct reader r;
	reader_init(&r, local->constant.p, local->constant.n);
	enum elem elem = reader_u8(&r);
	while (elem == ELEM_CMOD_OPT || elem == ELEM_CMOD_REQD) {
		reader_cuint(&r);
		elem = reader_u8(&r);
	}
	struct value v;
	if (elem == ELEM_STRING)
		v = string_constant(g, &r);
	else if (elem >= ELEM_BOOLEAN && elem <= ELEM_R8)
		v = primitive_constant(g, &r, elem);
	else
		v = general_constant(g, &r, elem);
	if (!r.bad)
		scope_add(g, local->name, VAR_CONST, v);
}

/* ---- Generic arguments ----------------------------------------------- */

void scope_method_args(struct gather *g, uint64_t method)
{
	struct type_context *c = &g->scope->context;
	const struct md *md = &c->module->md;
	uint64_t mts[METHOD_ARGS_MAX];
	uint32_t n;
	// GenericParam: Owner is column 2, a method's tag is 1.
	if (!md_find(md, MD_GENERICPARAM, 2, MD_TOKEN_RID(c->method) << 1 | 1,
		     &n) ||
	    n > METHOD_ARGS_MAX ||
	    dac_method_args(values_dac(g->ts), method, mts, n) != n)
		return;
	struct type **args = arena_calloc(g->arena, n, sizeof(*args));
	for (uint32_t i = 0; i < n; i++)
		args[i] = value_type_of_mt(g->ts, mts[i]);
	c->method_args = args;
	c->n_method_args = n;
}

/*
 * Visual Basic keeps a Static local in a field of the method's class,
 * "$STATIC$Count$20188$calls": method, its signature, variable.
 */
void scope_add_statics(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	const struct var *self = scope_var(g->scope, "this");
	const char *method = code_method_def_name(pos->module, pos->token);
	const struct field *fields;
	size_t n_fields = 0, n = strlen(method);
	if (g->scope->type)
		value_type_fields(g->ts, g->scope->type, &fields, &n_fields);
	for (size_t i = 0; i < n_fields; i++) {
		const struct field *f = &fields[i];
		if (!str_starts(f->name, "$STATIC$") ||
		    strncmp(f->name + 8, method, n) || f->name[8 + n] != '$')
			continue;
		const char *name = strchr(f->name + 8 + n + 1, '$');
		if (!name || strchr(name + 1, '$'))
			continue;
		struct value v;
		if (f->kind != FIELD_INSTANCE) {
			v = value_static(g->ts, f, g->scope->thread);
		} else if (self) {
			struct value at =
			    value_dereference(g->ts, &self->value);
			v = value_field(g->ts, &at, f);
		} else {
			continue;
		}
		scope_add(g, name + 1, VAR_LOCAL, v);
	}
}
