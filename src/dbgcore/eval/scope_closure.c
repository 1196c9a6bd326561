/*
 * Variables that the compiler has moved: into the state machine of an async
 * method or iterator (`this` of MoveNext), and into closures (`this` of a
 * lambda, locals and arguments of a class <>c__DisplayClass), which may refer
 * to the closures around them.
 */
#include "eval/scope_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum {
	TYPEDEF_NAME = 1, // II.22.37
};

/*
 * Number N of "<name>5__N", a variable, or "<>8__N", a closure; 0 if it is
 * none.
 */
static size_t hoisted_index(const char *name)
{
	const char *mark = strstr(name, ">5__");
	if (!mark)
		mark = strstr(name, ">8__");
	return mark ? strtoul(mark + 4, NULL, 10) : 0;
}

/* The block that a hoisted variable or closure belongs to; NULL: not known. */
static const struct il_range *hoisted_range(const struct gather *g,
					    const char *name)
{
	size_t n = hoisted_index(name);
	if (n == 0 || n > g->n_hoisted || !g->hoisted[n - 1].length)
		return NULL;
	return &g->hoisted[n - 1];
}

static bool hoisted_in_scope(const struct gather *g, const char *name)
{
	const struct il_range *r = hoisted_range(g, name);
	uint32_t il = g->frame->pos->il_offset;
	return !r || (il >= r->start && il - r->start < r->length);
}

bool scope_holds(const struct type *type)
{
	return value_type_is_closure(type) || value_type_is_state_machine(type);
}

static void replace(struct gather *g, struct var *var, const struct value *v)
{
	var->value = *v;
	var->origin = g->origin;
}

static void expand_this(struct gather *g, const struct value *v,
			unsigned int depth)
{
	struct value settled = value_dereference(g->ts, v);
	if (settled.type && value_type_is_closure(settled.type)) {
		scope_expand_outer(g, v);
		return;
	}
	if (settled.type && scope_holds(settled.type)) {
		scope_expand(g, v, depth + 1);
		return;
	}
	struct var *known = scope_find(g->scope, "this");
	if (known)
		replace(g, known, v);
	else
		scope_add(g, "this", VAR_THIS, *v);
}

static bool is_author_object(const struct field *f)
{
	return !strcmp(f->name, "<>4__this") || !strcmp(f->name, "$VB$Me");
}

static const char *type_def_name(const struct type *type)
{
	return type->module
		   ? md_col_string(&type->module->md, MD_TYPEDEF,
				   MD_TOKEN_RID(type->token), TYPEDEF_NAME)
		   : "";
}

// Is it a field of a closure or state machine that refers to another closure?
static bool holds_closure(const char *name)
{
	static const char *const starts[] = {
	    "CS$<>8__locals",
	    "<>8__",
	    "$VB$NonLocal_",
	    "$VB$ResumableLocal_$VB$Closure_",
	};
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (str_starts(name, starts[i]))
			return true;
	return false;
}

bool scope_is_range(const char *name)
{
	return str_starts(name, "<>h__TransparentIdentifier") ||
	       str_starts(name, "<<>h__TransparentIdentifier");
}

static void expand_range(struct gather *g, const struct value *v,
			 enum var_kind kind, unsigned int depth)
{
	struct value at = value_dereference(g->ts, v);
	const struct var_origin *holder = g->origin;
	const struct field *fields;
	size_t n;
	if (at.where == VALUE_ABSENT || value_is_null(g->ts, &at) ||
	    depth > CLOSURES_MAX)
		return;
	value_type_fields(g->ts, at.type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		const struct var_origin origin = {
		    .holder = holder, .field = f, .type = f->type};
		struct value value = value_field(g->ts, &at, f);
		if (f->kind != FIELD_INSTANCE)
			continue;
		if (holder)
			g->origin =
			    arena_copy(g->arena, &origin, 1, sizeof(origin));
		if (scope_is_range(f->name))
			expand_range(g, &value, kind, depth + 1);
		else if (f->source)
			scope_add(g, scope_spelled(f->source), kind, value);
		g->origin = holder;
	}
}

void scope_expand_range(struct gather *g, const struct value *v,
			enum var_kind kind)
{
	expand_range(g, v, kind, 0);
}

static void expand_variable(struct gather *g, const struct value *v,
			    const struct field *f, unsigned int depth)
{
	struct value value = value_field(g->ts, v, f);
	if (is_author_object(f)) {
		expand_this(g, &value, depth);
		return;
	}
	if (holds_closure(f->name)) {
		if (hoisted_in_scope(g, f->name))
			scope_expand(g, &value, depth + 1);
		return;
	}
	if (scope_is_range(f->name)) {
		scope_expand_range(g, &value, VAR_LOCAL);
		return;
	}
	if (!f->source || str_starts(f->name, "<>") ||
	    str_starts(f->name, "CS$") || str_ends(f->name, "@"))
		return;
	if (v->type->module)
		scope_note_dynamic(g, v->type->module, f->token, &value);
	if (value_type_is_state_machine(v->type)) {
		bool local = f->name[0] == '<' ||
			     str_starts(f->name, "$VB$ResumableLocal_");
		if (!local || hoisted_in_scope(g, f->name))
			scope_add(g, f->source, local ? VAR_LOCAL : VAR_ARG,
				  value);
		return;
	}
	// A captured argument lives in the closure from the start on; its
	// own place is stale.
	// C#'s own `this` is in "<>4__this"
	bool csharp = str_starts(type_def_name(v->type), "<>c__");
	const char *name = csharp ? scope_spelled(f->source) : f->source;
	struct var *known = scope_find(g->scope, name);
	if (known && known->level == g->level)
		replace(g, known, &value);
	else
		scope_add(g, name, VAR_LOCAL, value);
}

static void expand_field(struct gather *g, const struct value *v,
			 const struct field *f, unsigned int depth)
{
	uint32_t end = g->end;
	const struct var_origin *holder = g->origin;
	const struct var_origin origin = {
	    .holder = holder, .field = f, .type = f->type};
	const struct il_range *r = value_type_is_state_machine(v->type)
				       ? hoisted_range(g, f->name)
				       : NULL;
	if (r)
		g->end = r->start + r->length;
	if (holder)
		g->origin = arena_copy(g->arena, &origin, 1, sizeof(origin));
	expand_variable(g, v, f, depth);
	g->origin = holder;
	g->end = end;
}

/*
 * The compiler numbers the closures of a method from the outside in, also
 * those of its lambdas and local functions: <>c__DisplayClass3_1.
 */
static unsigned int closure_level(const struct type *type)
{
	enum {
		MOST = 10000
	};
	const char *name = type_def_name(type);
	size_t n = strcspn(name, "`"), at = n;
	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	unsigned long ordinal = at < n ? strtoul(name + at, NULL, 10) : 0;
	return ordinal < MOST ? MOST - (unsigned int)ordinal : 1;
}

static bool is_outer(const struct gather *g, uint64_t addr)
{
	for (size_t i = 0; i < g->n_outer; i++) {
		if (g->outer[i] == addr)
			return true;
	}
	return false;
}

static void expand_fields(struct gather *g, const struct value *at,
			  unsigned int depth)
{
	const struct field *fields;
	size_t n;
	bool machine = value_type_is_state_machine(at->type);
	value_type_fields(g->ts, at->type, &fields, &n);
	// what a state machine was given is known before what it makes
	for (size_t i = 0; machine && i < n; i++) {
		if (is_author_object(&fields[i]))
			expand_field(g, at, &fields[i], depth);
	}
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind == FIELD_INSTANCE &&
		    (!machine || !is_author_object(&fields[i])))
			expand_field(g, at, &fields[i], depth);
	}
}

void scope_expand(struct gather *g, const struct value *v, unsigned int depth)
{
	unsigned int level = g->level;
	if (depth > CLOSURES_MAX)
		return;
	struct value at = value_dereference(g->ts, v);
	if (at.where == VALUE_ABSENT || value_is_null(g->ts, &at)) {
		g->scope->partial = true;
		return;
	}
	uint64_t addr = at.addr;
	if (at.type->is_reference && !value_pointer(g->ts, &at, &addr))
		return;
	if (is_outer(g, addr))
		return;
	if (level) {
		g->level = closure_level(at.type);
		if (g->n_outer < CLOSURES_MAX)
			g->outer[g->n_outer++] = addr;
	}
	expand_fields(g, &at, depth);
	g->level = level;
}

void scope_expand_outer(struct gather *g, const struct value *v)
{
	unsigned int level = g->level;
	g->level = 1;
	scope_expand(g, v, 0);
	g->level = level;
}
