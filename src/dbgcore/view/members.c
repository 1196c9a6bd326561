/*
 * Lists the names of a type's members as C# has them, including inherited ones,
 * for completion behind a dot.
 */
#include "view/view.h"

#include <string.h>

#include "types/methods.h"
#include "view/look.h"
#include "view/view_priv.h"

enum {
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	ACCESS_MASK = 7,
	ACCESS_PUBLIC = 6,
	STATIC_FLAG = 0x10,
	BASES_MAX = 64,
};

struct walk {
	const struct view *w;
	bool is_static;
	bool all; /* else only public members of a library's types */
	view_member_fn *fn;
	void *arg;
};

// Report a member, unless its name cannot be written: compiler-made ones and
// explicit interface implementations.
static void member_report(const struct walk *k, const char *name,
			  enum dbg_name_kind kind, const char *detail)
{
	const struct view_member member = {name, kind, detail};

	if (!strpbrk(name, "<>.@"))
		k->fn(k->arg, &member);
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

	value_type_fields(k->w->values, type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		if ((fields[i].kind != FIELD_INSTANCE) == k->is_static &&
		    fields[i].source &&
		    is_offered(k, type, fields[i].attributes))
			member_report(k, fields[i].source,
				      fields[i].property ? DBG_NAME_PROPERTY
							 : DBG_NAME_FIELD,
				      value_type_name(fields[i].type));
}

static bool is_wanted(const struct walk *k, const struct md *md, uint32_t rid)
{
	uint32_t flags = md_col(md, MD_METHODDEF, rid, METHOD_FLAGS);

	return !(flags & STATIC_FLAG) == !k->is_static;
}

// Report a method with its signature, or a property's getter with its type.
static void take_method(const struct walk *k, struct type *type, uint32_t rid,
			const char *property)
{
	_cleanup_str_ struct str text = {0};

	view_signature(k->w, type, rid,
		       property ? VIEW_SIGNATURE_TYPE : VIEW_SIGNATURE_ALL,
		       &text);
	str_one_line(&text, 0);
	member_report(k,
		      property ? property
			       : md_col_string(&type->module->md, MD_METHODDEF,
					       rid, METHOD_NAME),
		      property ? DBG_NAME_PROPERTY : DBG_NAME_METHOD,
		      str_get(&text));
}

static void take_methods(const struct walk *k, struct type *type)
{
	const struct md *md = &type->module->md;
	uint32_t first, end;

	md_type_methods(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t m = md_member(md, MD_LIST_METHODS, i);

		uint32_t flags = md_col(md, MD_METHODDEF, m, METHOD_FLAGS);
		const char *name =
		    md_col_string(md, MD_METHODDEF, m, METHOD_NAME);
		bool getter = !strncmp(name, "get_", 4);

		if (!is_wanted(k, md, m) || !is_offered(k, type, flags))
			continue;
		// a property by its getter; an indexer has no name to write
		if (!(flags & TYPE_METHOD_SPECIAL_NAME))
			take_method(k, type, m, NULL);
		else if (getter && strcmp(name, "get_Item"))
			take_method(k, type, m, name + 4);
	}
}

void view_members(const struct view *w, struct type *type, bool is_static,
		  bool all, view_member_fn *fn, void *arg)
{
	const struct walk k = {w, is_static, all, fn, arg};

	for (int i = 0; type && i < BASES_MAX; i++) {
		value_type_mt(w->values, type);
		if (type->module) {
			take_fields(&k, type);
			take_methods(&k, type);
		}
		type = value_type_parent(w->values, type);
	}
}
