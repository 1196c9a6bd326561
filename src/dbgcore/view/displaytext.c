/*
 * The line that a type's author wants to be seen:
 * [DebuggerDisplay("Order {Id}: {Customer.Name,nq}")], or what ToString
 * returns where a class has one of its own. Both are interpreted on the
 * object: nothing runs in the program. What cannot be evaluated leaves the
 * type's ordinary line.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/eval.h"
#include "stack/stack.h"
#include "view/look.h"
#include "view/proxy.h"
#include "view/view_priv.h"

enum {
	BARE_MAX = 1000,   // units of a string without quotes
	DISPLAY_DEPTH = 2, // of a display in a display
};

/* Text of a string or char without its quotes (",nq"); false: it is none. */
bool display_bare(const struct view *w, const struct value *v, struct str *out)
{
	uint16_t units[BARE_MAX];
	uint32_t n;
	struct value at = value_dereference(w->values, v);
	if (at.where == VALUE_TEXT) {
		size_t shown = at.n_units < BARE_MAX ? at.n_units : BARE_MAX;
		str_add_utf16(out, at.units, shown);
		str_add(out, shown < at.n_units ? "..." : "");
		return true;
	}
	if (at.where != VALUE_ABSENT && at.type->kind == TYPE_KIND_PRIM &&
	    at.type->elem == ELEM_CHAR &&
	    value_read(w->values, &at, 0, units, 2)) {
		str_add_utf16(out, units, 1);
		return true;
	}
	if (at.where == VALUE_ABSENT ||
	    at.type->special != TYPE_SPECIAL_STRING ||
	    value_is_null(w->values, &at) ||
	    !value_string_length(w->values, &at, &n))
		return false;
	uint32_t shown = n < BARE_MAX ? n : BARE_MAX;
	if (!value_string_read(w->values, &at, 0, units, shown))
		return false;
	str_add_utf16(out, units, shown);
	str_add(out, shown < n ? "..." : "");
	return true;
}

/* Append @text as one line: ends of lines as a string literal has them. */
static void add_line(const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '\n')
			str_add(out, "\\n");
		else if (*text == '\r')
			str_add(out, "\\r");
		else
			str_addc(out, *text);
	}
}

/*
 * Is @text the name of @type as Type.ToString writes it, which object.ToString
 * returns?
 */
static bool is_type_name(const char *text, const struct type *type)
{
	const char *name = value_type_name(type);
	while (*name && *name != '<' &&
	       (*text == *name || (*text == '+' && *name == '.')))
		text++, name++;
	return *name == '<' ? *text == '`' : !*name && !*text;
}

/* ---- Expressions ----------------------------------------------------- */

static bool evaluate(const struct view *w, struct look *look,
		     const struct value *v, const char *expr, struct value *ret)
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
			.class_args = v->type->args,
			.n_class_args = v->type->n_args},
	};
	struct eval e = {.values = w->values,
			 .vm = w->vm,
			 .scope = &scope,
			 .arena = w->arena};
	struct dbg_error *err = eval_value(&e, expr, ret);
	// given up, or met what cannot be interpreted: so it will be again
	look->too_slow |= err && err->code == DBG_E_UNSUPPORTED;
	return !dbg_err_drop(err) && ret->where != VALUE_ABSENT;
}

static bool piece_value(const struct view *w, struct look *look,
			const struct value *v, const struct piece *piece,
			struct value *ret, bool *ret_thrown)
{
	struct outcome o;
	*ret_thrown = false;
	if (piece->field) {
		*ret = value_field(w->values, v, piece->field);
		return ret->where != VALUE_ABSENT;
	}
	if (!piece->getter)
		return evaluate(w, look, v, piece->text, ret);
	interpret_call(w, piece->getter, v, &o);
	look->too_slow |= o.spent;
	*ret = o.value;
	*ret_thrown = o.thrown;
	return !o.why && o.value.where != VALUE_ABSENT;
}

/*
 * Task.DebuggerDisplayMethodDescription makes a MethodInfo of the task's
 * delegate, which cannot be interpreted: show the delegate's method as it
 * would. With runtime async the delegate says nothing; show the outermost call
 * of the task.
 */
static bool task_method(const struct view *w, const struct value *task,
			const struct piece *piece, struct str *out)
{
	struct continuation call;
	struct code_name name;
	struct value action;
	uint64_t method;

	if (strcmp(piece->text, "DebuggerDisplayMethodDescription") ||
	    !value_member(w->values, task, "m_action", &action))
		return false;
	if (!continuation_is_task(w->values, task->type))
		method = value_delegate_method(w->values, &action);
	else
		method = continuation_outermost(w->values, task, &call)
			     ? call.method
			     : 0;
	if (!method) {
		str_add(out, "\"{null}\"");
		return true;
	}
	code_method_names(values_code(w->values), method, w->arena, &name);
	str_addf(out, "\"%s(%s)\"", name.plain, name.params ? name.params : "");
	return true;
}

static bool add_piece(const struct view *w, struct look *look,
		      const struct value *v, const struct piece *piece,
		      struct str *out)
{
	struct value value;
	struct view inner = *w;
	bool thrown;
	inner.display++;
	if (task_method(w, v, piece, out))
		return true;
	if (!piece_value(w, look, v, piece, &value, &thrown))
		return false;
	if (thrown) {
		struct value object = value_dereference(w->values, &value);
		str_addf(out, "<%s throws %s>", piece->text,
			 object.type ? value_type_name(object.type)
				     : "an exception");
		return true;
	}
	if (piece->bare && display_bare(w, &value, out))
		return true;
	if (piece->letter &&
	    !dbg_err_drop(view_format(w, &value, piece->letter, out)))
		return true;
	view_text(&inner, &value, out);
	return true;
}

static bool display_format(const struct view *w, struct look *look,
			   const struct format *format, const struct value *v,
			   struct str *out)
{
	_cleanup_str_ struct str line = {0};
	if (!format->given || look->too_slow || w->display >= DISPLAY_DEPTH)
		return false;
	for (size_t i = 0; i < format->n; i++) {
		const struct piece *piece = &format->pieces[i];
		if (!piece->is_expr)
			str_add(&line, piece->text);
		else if (!add_piece(w, look, v, piece, &line))
			return false;
	}
	add_line(str_get(&line), out);
	return true;
}

/* ---- The room's functions -------------------------------------------- */

static bool string_text(const struct view *w, struct look *look,
			const struct value *v, struct str *out)
{
	struct outcome o;
	_cleanup_str_ struct str line = {0};
	if (!look->to_string || look->too_slow || w->display >= DISPLAY_DEPTH)
		return false;
	interpret_call(w, look->to_string, v, &o);
	look->too_slow |= o.spent;
	if (o.why || o.thrown || !display_bare(w, &o.value, &line) ||
	    is_type_name(str_get(&line), v->type))
		return false;
	str_addc(out, '{');
	add_line(str_get(&line), out);
	str_addc(out, '}');
	return true;
}

bool display_own(const struct view *w, const struct value *v, struct str *out)
{
	struct look *look = look_get(w, v->type);
	return look && display_format(w, look, &look->value, v, out);
}

bool display_text(const struct view *w, const struct value *v, struct str *out)
{
	struct look *look = look_get(w, v->type);
	return look && (display_format(w, look, &look->value, v, out) ||
			string_text(w, look, v, out));
}

bool display_name(const struct view *w, const struct value *v, struct str *out)
{
	struct look *look = look_get(w, v->type);
	return look && display_format(w, look, &look->name, v, out);
}

bool display_type(const struct view *w, const struct value *v, struct str *out)
{
	struct look *look = look_get(w, v->type);
	return look && display_format(w, look, &look->kind, v, out);
}
