/*
 * Values of enums as text: the constant of that value, else, where the type has
 * [Flags], the constants whose bits make it up, largest first, else the number.
 */
#include "view/view_priv.h"

#include <inttypes.h>

#include "base/mem.h"

static void add_name(const struct view *w, const struct type *type,
		     const char *name, struct str *out)
{
	if (!w->editor && !w->display)
		str_addf(out, "%s.", type_simple_name(type));
	str_add(out, name);
}

/*
 * Names that together make @value: the largest first, as Enum.ToString()
 * does. False if something is left over.
 */
static bool add_flags(const struct view *w, const struct type *type,
		      const struct enumerator *all, size_t n_all,
		      uint64_t value, struct str *out)
{
	uint64_t left = value;
	const char **used = arena_calloc(w->arena, n_all + 1, sizeof(used[0]));
	size_t n = 0;
	for (size_t i = n_all; i-- > 0;) {
		if (!all[i].value || (left & all[i].value) != all[i].value)
			continue;
		left &= ~all[i].value;
		used[n++] = all[i].name;
	}
	if (left || !value)
		return false;
	while (n-- > 0) {
		add_name(w, type, used[n], out);
		if (n)
			str_add(out, " | ");
	}
	return true;
}

void enum_text(const struct view *w, const struct value *seen, struct str *out)
{
	struct type *type = seen->type;
	const struct enumerator *all;
	size_t n;
	bool flags;
	uint64_t value;
	if (!value_integer(w->values, seen, &value)) {
		str_addf(out, "<cannot read 0x%" PRIx64 ">", seen->addr);
		return;
	}
	value_type_enumerators(w->values, type, &all, &n, &flags);
	for (size_t i = 0; i < n; i++) {
		if (all[i].value == value) {
			add_name(w, type, all[i].name, out);
			return;
		}
	}
	struct str names = {0};
	if (flags && add_flags(w, type, all, n, value, &names))
		str_add(out, str_get(&names));
	else if (elem_is_signed(type->elem))
		str_addf(out, "%" PRId64, (int64_t)value);
	else
		str_addf(out, "%" PRIu64, value);
	str_deinit(&names);
}
