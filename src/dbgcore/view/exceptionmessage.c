/* Messages of exceptions whose class makes them itself: see view.h. */
#include "view/view.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/literal.h"
#include "types/methods.h"
#include "view/interpret.h"
#include "view/view_priv.h"

/* The override of Exception.Message; NULL: it is Exception's own. */
static struct type_method *override_of_message(const struct view *w,
					       const struct value *seen)
{
	struct types *ts = vm_types(w->vm);
	struct type *type = value_type_exact(seen->type);
	struct type *base = type_core(ts, "System.Exception");
	struct type_method *found = NULL, *m = NULL;

	if (type && base)
		m = type_method_named(ts, base, "get_Message", 0);
	if (!m || dbg_err_drop(type_method_virtual(ts, m, type, &found)) ||
	    found == m)
		return NULL;
	return found;
}

/* The field that Exception.Message returns. */
static struct value message_field(const struct view *w,
				  const struct value *seen)
{
	const struct field *f =
	    value_type_field(w->values, seen->type, "_message");

	if (!f)
		return value_absent(NULL, WHY_NONE, 0);

	struct value v = value_field(w->values, seen, f);

	return value_dereference(w->values, &v);
}

/*
 * Make the Message of an F# exception, which F# computes by reflection; false:
 * it is none.
 */
static bool fsharp_message(const struct view *w, const struct value *seen,
			   struct value *ret)
{
	_cleanup_str_ struct str text = {0};

	if (!fsharp_exception_text(w, seen, &text))
		return false;
	uint16_t *units = arena_calloc(w->arena, text.len + 1, sizeof(*units));
	size_t n = literal_units(str_get(&text), units);

	*ret = value_text(w->values, units, n);
	return true;
}

struct value view_exception_message(const struct view *w,
				    const struct value *seen, bool *ret_own)
{
	struct type_method *m = w->vm ? override_of_message(w, seen) : NULL;
	struct value field = message_field(w, seen);
	struct value made;
	struct outcome o;

	*ret_own = m;
	if (!m)
		return field;
	if (fsharp_message(w, seen, &made))
		return made;
	interpret_call(w, m, seen, &o);
	if (!o.why && !o.thrown && o.value.where != VALUE_ABSENT &&
	    !vm_named_texts(w->vm))
		return value_dereference(w->values, &o.value);
	// what it would make of nothing is not known
	return field.where != VALUE_ABSENT && value_is_null(w->values, &field)
		   ? value_absent(NULL, WHY_NONE, 0)
		   : field;
}
