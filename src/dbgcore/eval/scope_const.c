/*
 * Constants of a frame (`const` locals exist in the symbols only), the generic
 * arguments of its method, and Visual Basic's Static locals.
 */
#include "eval/scope_priv.h"

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
	return type_of_sig(g->ts, &sig, &g->scope->context, 0);
}

static struct value string_constant(struct gather *g, struct reader *r)
{
	struct type *type = type_of_elem(g->ts, ELEM_STRING);
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
	struct type *type = type_of_elem(g->ts, elem);
	struct bytes bytes = reader_bytes(r, type->size);
	if (r->bad)
		return value_absent(type, WHY_NONE, 0);
	if (reader_left(r)) {
		struct type *of = token_type(g, reader_cuint(r));
		if (of->kind == TYPE_ENUM && of->size == type->size)
			type = of;
	}
	return value_constant(g->ts, g->arena, type, bytes);
}

static struct value general_constant(struct gather *g, struct reader *r,
				     enum elem elem)
{
	if (elem == ELEM_OBJECT)
		return value_bytes(type_of_elem(g->ts, ELEM_OBJECT),
				   &(uint64_t){0}, sizeof(uint64_t));
	if (elem != ELEM_CLASS && elem != ELEM_VALUETYPE)
		return value_absent(type_of_elem(g->ts, ELEM_OBJECT), WHY_NONE,
				    0);
	struct type *type = token_type(g, reader_cuint(r));
	struct bytes bytes = reader_bytes(r, reader_left(r));
	if (type->kind == TYPE_CLASS)
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

/* Length of the argument list "[...]" that @s begins with; 0: broken. */
static size_t bracketed(const char *s)
{
	int depth = 0;
	for (size_t i = 0; s[i]; i++) {
		if (s[i] == '[')
			depth++;
		if (s[i] == ']' && --depth == 0)
			return i + 1;
	}
	return 0;
}

/* "System.Int32, System.Private.CoreLib" to its type; NULL: not exact. */
static struct type *named_type(struct gather *g, const char *s, size_t n)
{
	size_t stem = strcspn(s, ",[`]");
	if (stem > n || strchr("[`", s[stem]))
		return NULL;
	const char *name = arena_strndup(g->arena, s, stem);
	struct code_module *m;
	uint32_t token;
	if (!strcmp(name, "System.__Canon") ||
	    !type_find_def(g->ts, g->scope->module, name, 0, &m, &token))
		return NULL;
	return type_of_def(g->ts, m, token);
}

/* The list behind the method's name, in front of its parameters. */
static const char *method_list(const char *name)
{
	const char *list = NULL;
	for (const char *p = name; *p && *p != '('; p++) {
		if (*p != '[')
			continue;
		size_t n = bracketed(p);
		if (!n)
			return NULL;
		list = p[n] == '(' || !p[n] ? p : NULL;
		p += n - 1;
	}
	return list;
}

void scope_method_args(struct gather *g, uint64_t method)
{
	const char *name;
	struct dbg_error *err =
	    dac_method_name(types_dac(g->ts), method, g->arena, &name);
	if (dbg_err_drop(err))
		return;
	const char *list = method_list(name);
	if (!list)
		return;
	struct type **args =
	    arena_calloc(g->arena, METHOD_ARGS_MAX, sizeof(args[0]));
	size_t n = 0;
	for (const char *p = list + 1; *p == '[' && n < METHOD_ARGS_MAX;) {
		size_t length = bracketed(p);
		if (!length)
			break;
		args[n++] = named_type(g, p + 1, length - 2);
		p += length;
		if (*p == ',')
			p++;
	}
	g->scope->context.method_args = args;
	g->scope->context.n_method_args = n;
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
		type_fields(g->ts, g->scope->type, &fields, &n_fields);
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
