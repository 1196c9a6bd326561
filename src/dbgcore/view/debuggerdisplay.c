/*
 * [DebuggerDisplay("Order {Id}: {Customer.Name,nq}")]: the line that a type's
 * author wants to be seen. Its expressions are evaluated on the object, by
 * interpretation: nothing runs in the program. An expression that cannot be
 * evaluated leaves the type's ordinary line.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "eval/eval.h"
#include "meta/md.h"
#include "view/view_priv.h"

enum {
	BASES_MAX = 100,
	FORMAT_MAX = 4096,
	DISPLAY_DEPTH = 2, // of a display in a display
	PROLOG = 1,        // of an attribute's value, ECMA-335 II.23.3
};

static const char attribute[] = "System.Diagnostics.DebuggerDisplayAttribute";

/* The attribute's text of @type or its nearest base; NULL: none. */
static const char *format_of(const struct view *w, struct type *type)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		struct bytes blob;
		// The libraries' own are shown by what they are.
		if (!type->module || type->is_array || type->module->framework)
			return NULL;
		if (md_has_attribute(&type->module->md, type->token, attribute,
				     &blob)) {
			struct reader r;
			reader_init(&r, blob.p, blob.n);
			if (reader_u16(&r) != PROLOG)
				return NULL;
			struct bytes text = reader_bytes(&r, reader_cuint(&r));
			if (r.bad || text.n > FORMAT_MAX)
				return NULL;
			return arena_strndup(w->arena, (const char *)text.p,
					     text.n);
		}
		type = type_parent(w->types, type);
	}
	return NULL;
}

/* Text of a string without its quotes (",nq"); false: it is none. */
static bool add_bare(const struct view *w, const struct value *v,
		     struct str *out)
{
	uint32_t n;
	struct value at = value_dereference(w->types, v);
	if (at.where == VALUE_TEXT) {
		str_add_utf16(out, at.units, at.n_units);
		return true;
	}
	if (at.where == VALUE_ABSENT || at.type->special != SPECIAL_STRING ||
	    value_is_null(w->types, &at) ||
	    !value_string_length(w->types, &at, &n) || n > FORMAT_MAX)
		return false;
	uint16_t *units = arena_calloc(w->arena, n + 1u, sizeof(*units));
	if (!value_string_read(w->types, &at, 0, units, n))
		return false;
	str_add_utf16(out, units, n);
	return true;
}

/* Where the specifiers of @expr begin: its first comma outside of brackets. */
static size_t specifiers(const char *expr)
{
	int depth = 0;
	bool quoted = false;
	for (size_t i = 0; expr[i]; i++) {
		if (expr[i] == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (strchr("([{", expr[i]))
			depth++;
		else if (strchr(")]}", expr[i]))
			depth--;
		else if (expr[i] == ',' && depth == 0)
			return i;
	}
	return strlen(expr);
}

static bool add_expression(const struct view *w, const struct value *v,
			   char *expr, struct str *out)
{
	struct var self = {
	    .name = "this", .kind = VAR_THIS, .value = *v, .end = UINT32_MAX};
	struct scope scope = {
	    .vars = &self,
	    .n_vars = 1,
	    .type = v->type,
	    .module = v->type->module,
	    .thread = w->thread,
	    .context = {.module = v->type->module,
			.type_args = v->type->args,
			.n_type_args = v->type->n_args},
	};
	struct eval e = {
	    .types = w->types, .vm = w->vm, .scope = &scope, .arena = w->arena};
	struct value value;
	size_t n = specifiers(expr);
	bool bare = expr[n] && strstr(expr + n, "nq");
	expr[n] = 0;
	if (dbg_err_drop(eval_value(&e, expr, &value)) ||
	    value.where == VALUE_ABSENT)
		return false;
	if (bare && add_bare(w, &value, out))
		return true;
	struct view inner = *w;
	inner.display++;
	view_text(&inner, &value, out);
	return true;
}

/* Append the line that @format makes of @v; false: it cannot be made. */
static bool fill(const struct view *w, const struct value *v,
		 const char *format, struct str *out)
{
	for (const char *p = format; *p; p++) {
		if (*p == '\\' && p[1]) {
			str_addc(out, *++p);
			continue;
		}
		if (*p != '{') {
			str_addc(out, *p);
			continue;
		}
		const char *close = strchr(p, '}');
		if (!close)
			return false;
		char *expr =
		    arena_strndup(w->arena, p + 1, (size_t)(close - p - 1));
		if (!add_expression(w, v, expr, out))
			return false;
		p = close;
	}
	return true;
}

bool display_text(const struct view *w, const struct value *v, struct str *out)
{
	_cleanup_str_ struct str line = {0};
	const char *format =
	    w->vm && w->display < DISPLAY_DEPTH ? format_of(w, v->type) : NULL;
	if (!format || !fill(w, v, format, &line))
		return false;
	str_one_line(&line, 0);
	str_add(out, str_get(&line));
	return true;
}
