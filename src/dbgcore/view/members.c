/*
 * The names of a type's members as C# has them, its own and those of its base
 * classes, for completion behind a dot.
 */
#include "view/view.h"

#include <string.h>

#include "view/look.h"

enum {
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	ACCESS_MASK = 7,
	ACCESS_PUBLIC = 6,
	STATIC_FLAG = 0x10,
	SPECIAL_FLAG = 0x800,
	BASES_MAX = 64,
};

struct walk {
	const struct view *w;
	bool is_static;
	bool all; /* or those of a library that are public alone */
	void (*fn)(void *arg, const char *name);
	void *arg;
};

// What a compiler made, and what implements an interface by its full name,
// cannot be written.
static void take(const struct walk *k, const char *name)
{
	if (!strpbrk(name, "<>.@"))
		k->fn(k->arg, name);
}

static bool is_offered(const struct walk *k, const struct type *type,
		       uint32_t flags)
{
	return k->all || (flags & ACCESS_MASK) == ACCESS_PUBLIC ||
	       look_is_users(k->w, type);
}

static void take_fields(const struct walk *k, struct type *type)
{
	const struct field *fields;
	size_t n;

	type_fields(k->w->types, type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		if ((fields[i].kind != FIELD_INSTANCE) == k->is_static &&
		    fields[i].source &&
		    is_offered(k, type, fields[i].attributes))
			take(k, fields[i].source);
}

static bool is_wanted(const struct walk *k, const struct md *md, uint32_t rid)
{
	uint32_t flags = md_col(md, MD_METHODDEF, rid, METHOD_FLAGS);

	return !(flags & STATIC_FLAG) == !k->is_static;
}

static void take_methods(const struct walk *k, const struct type *type)
{
	const struct md *md = &type->module->md;
	uint32_t first, end;

	md_type_methods(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t m = first; m < end; m++) {
		uint32_t flags = md_col(md, MD_METHODDEF, m, METHOD_FLAGS);
		const char *name =
		    md_col_string(md, MD_METHODDEF, m, METHOD_NAME);
		bool getter = !strncmp(name, "get_", 4);

		if (!is_wanted(k, md, m) || !is_offered(k, type, flags))
			continue;
		// a property by its getter; an indexer has no name to write
		if (!(flags & SPECIAL_FLAG))
			take(k, name);
		else if (getter && strcmp(name, "get_Item"))
			take(k, name + 4);
	}
}

void view_members(const struct view *w, struct type *type, bool is_static,
		  bool all, void (*fn)(void *arg, const char *name), void *arg)
{
	const struct walk k = {w, is_static, all, fn, arg};

	for (int i = 0; type && i < BASES_MAX; i++) {
		type_mt(w->types, type);
		if (type->module) {
			take_fields(&k, type);
			take_methods(&k, type);
		}
		type = type_parent(w->types, type);
	}
}
