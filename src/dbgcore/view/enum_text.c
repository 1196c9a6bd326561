/* Enum values by their names. */
#include "view/view_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
	NAMES_MAX = 4096
};

struct named {
	uint64_t value;
	const char *name;
};

struct names {
	struct named *all;
	size_t n;
};

static void read_names(const struct view *w, struct type *type,
		       struct names *ret)
{
	const struct field *fields;
	size_t n;
	type_fields(w->types, type, &fields, &n);
	ret->all = arena_calloc(w->arena, n + 1, sizeof(ret->all[0]));
	for (size_t i = 0; i < n && ret->n < NAMES_MAX; i++) {
		if (fields[i].kind != FIELD_CONST)
			continue;
		struct value v = value_static(w->types, &fields[i], 0);
		struct named *to = &ret->all[ret->n];
		to->name = fields[i].name;
		if (value_integer(w->types, &v, &to->value))
			ret->n++;
	}
}

static void add_name(const struct type *type, const char *name, struct str *out)
{
	str_addf(out, "%s.%s", type_simple_name(type), name);
}

static int by_value(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

/*
 * Names that together make @value: the largest first, as Enum.ToString()
 * does. False if something is left over.
 */
static bool add_flags(const struct view *w, const struct type *type,
		      struct names *names, uint64_t value, struct str *out)
{
	uint64_t left = value;
	const char **used =
	    arena_calloc(w->arena, names->n + 1, sizeof(used[0]));
	size_t n = 0;
	qsort(names->all, names->n, sizeof(names->all[0]), by_value);
	for (size_t i = names->n; i-- > 0;) {
		uint64_t bits = names->all[i].value;
		if (!bits || (left & bits) != bits)
			continue;
		left &= ~bits;
		used[n++] = names->all[i].name;
	}
	if (left || !value)
		return false;
	while (n-- > 0) {
		add_name(type, used[n], out);
		if (n)
			str_add(out, " | ");
	}
	return true;
}

static bool is_signed(enum elem elem)
{
	return elem == ELEM_I1 || elem == ELEM_I2 || elem == ELEM_I4 ||
	       elem == ELEM_I8 || elem == ELEM_I;
}

void enum_text(const struct view *w, const struct value *seen, struct str *out)
{
	struct type *type = seen->type;
	struct names names = {0};
	uint64_t value;
	if (!value_integer(w->types, seen, &value)) {
		str_addf(out, "<cannot read 0x%" PRIx64 ">", seen->addr);
		return;
	}
	read_names(w, type, &names);
	for (size_t i = 0; i < names.n; i++) {
		if (names.all[i].value == value) {
			add_name(type, names.all[i].name, out);
			return;
		}
	}
	bool flags =
	    type->module && md_has_attribute(&type->module->md, type->token,
					     "System.FlagsAttribute", NULL);
	if (flags && add_flags(w, type, &names, value, out))
		return;
	if (is_signed(type->elem))
		str_addf(out, "%" PRId64, (int64_t)value);
	else
		str_addf(out, "%" PRIu64, value);
}
