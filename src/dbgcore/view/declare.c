/*
 * `ptype`: a type as its declaration in C#, from metadata: modifiers, base
 * class and interfaces, fields, properties, methods; what a compiler made is
 * left out.
 */
#include "view/look.h"
#include "view/view.h"
#include "view/view_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname.h"
#include "types/methodref.h"

/* ---- `ptype`: a type as its declaration in C#, from metadata ------------- */

enum {
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	METHOD_SIGNATURE = 4,
	ACCESS_MASK = 7,
	STATIC_FLAG = 0x10,
	INIT_ONLY_FLAG = 0x20,
};

/* Access of fields and methods has the same numbers (II.23.1.5, .10). */
static const char *access_of(uint32_t flags)
{
	static const char *const words[] = {
	    "private",  "private",   "private protected",
	    "internal", "protected", "protected internal",
	    "public",   "public"};
	return words[flags & ACCESS_MASK];
}

static const char *const *arg_names(const struct view *w,
				    const struct type *type)
{
	const char **names =
	    arena_calloc(w->arena, type->n_args + 1, sizeof(names[0]));
	for (size_t i = 0; i < type->n_args; i++)
		names[i] = value_type_name(type->args[i]);
	return names;
}

/* ---- Members --------------------------------------------------------- */

// End the line that begins at @from, whatever the names in it hold.
static void end_line(struct str *out, size_t from, const char *end)
{
	str_one_line(out, from);
	str_add(out, end);
}

static void add_constant(const struct view *w, const struct field *f,
			 struct str *out)
{
	struct value v = value_static(w->values, f, NULL);
	str_add(out, " = ");
	view_text(w, &v, out);
}

static void declare_field(const struct view *w, const struct field *f,
			  struct str *out)
{
	size_t from = out->len;
	// F#: "Name@" is what the property Name reads
	if (!f->source || f->property || strchr(f->name, '@'))
		return;
	str_addf(out, "    %s ", access_of(f->attributes));
	if (f->kind == FIELD_CONST)
		str_add(out, "const ");
	else if (f->kind != FIELD_INSTANCE)
		str_add(out, "static ");
	if (f->attributes & INIT_ONLY_FLAG)
		str_add(out, "readonly ");
	tuple_type_text(f->type, f->names, f->n_names, out);
	str_addf(out, " %s", f->source);
	if (f->kind == FIELD_CONST)
		add_constant(w, f, out);
	end_line(out, from, ";\n");
}

/* Accessor MethodDefs of a property: [0] get, [1] set. */
static void accessors(const struct md *md, uint32_t property, uint32_t ret[2])
{
	enum {
		SETTER = 1,
		GETTER = 2
	};
	uint32_t n, association = property << 1 | 1;
	uint32_t row = md_find(md, MD_METHODSEMANTICS, 2, association, &n);
	ret[0] = ret[1] = 0;
	for (; row && row <= md_rows(md, MD_METHODSEMANTICS); row++) {
		if (md_col(md, MD_METHODSEMANTICS, row, 2) != association)
			break;
		uint32_t what = md_col(md, MD_METHODSEMANTICS, row, 0);
		uint32_t method = md_col(md, MD_METHODSEMANTICS, row, 1);
		if (what & GETTER)
			ret[0] = method;
		if (what & SETTER)
			ret[1] = method;
	}
}

static void add_modifiers(uint32_t flags, struct str *out)
{
	str_addf(out, "    %s ", access_of(flags));
	if (flags & STATIC_FLAG)
		str_add(out, "static ");
	else if (flags & TYPE_METHOD_ABSTRACT)
		str_add(out, "abstract ");
	else if ((flags & TYPE_METHOD_VIRTUAL) && !(flags & TYPE_METHOD_FINAL))
		str_add(out, "virtual ");
}

/* Type that the first part of a method's or property's signature returns. */
static void add_return(const struct view *w, struct type *type,
		       struct bytes blob, uint32_t method, struct str *out)
{
	struct sig_method *sig;
	struct dbg_error *err = sig_parse_method(blob, w->arena, &sig);
	if (err) {
		dbg_error_destroy(err);
		str_addc(out, '?');
		return;
	}
	struct csname_args args = {.type_args = arg_names(w, type),
				   .n_type_args = type->n_args};
	csname_sig(&type->module->md, sig->ret, method, &args, out);
}

static void declare_property(const struct view *w, struct type *type,
			     uint32_t rid, struct str *out)
{
	const struct md *md = &type->module->md;
	size_t from = out->len;
	uint32_t methods[2];
	accessors(md, rid, methods);
	uint32_t first = methods[0] ? methods[0] : methods[1];
	if (!first)
		return;
	add_modifiers(md_col(md, MD_METHODDEF, first, METHOD_FLAGS), out);
	// PropertySig (II.23.2.5) is laid out as a method's.
	add_return(w, type, md_col_blob(md, MD_PROPERTY, rid, 2), 0, out);
	str_addf(out, " %s { %s%s}", md_col_string(md, MD_PROPERTY, rid, 1),
		 methods[0] ? "get; " : "", methods[1] ? "set; " : "");
	end_line(out, from, "\n");
}

static void declare_properties(const struct view *w, struct type *type,
			       struct str *out)
{
	const struct md *md = &type->module->md;
	uint32_t first, end;
	md_type_properties(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = md_member(md, MD_LIST_PROPERTIES, i);

		declare_property(w, type, p, out);
	}
}

/* The part behind the type of "Ns.Type.Method(int)", whose list is at @list. */
static const char *own_part(const char *full, size_t list)
{
	size_t end = list;
	int depth = 0;
	while (end > 0) {
		char c = full[end - 1];
		if (c == '>')
			depth++;
		else if (c == '<')
			depth--;
		else if (c == '.' && depth == 0 && end > 1 &&
			 full[end - 2] != '.')
			break;
		end--;
	}
	return full + end;
}

/* F# does not mark the accessors of its properties as special. */
static bool is_accessor(const struct md *md, const struct type *type,
			const char *name)
{
	uint32_t first, end;
	if (strncmp(name, "get_", 4) && strncmp(name, "set_", 4))
		return false;
	md_type_properties(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = md_member(md, MD_LIST_PROPERTIES, i);

		if (!strcmp(md_col_string(md, MD_PROPERTY, p, 1), name + 4))
			return true;
	}
	return false;
}

/* Append "int Add(int, int)" of MethodDef @rid of @type, or a part of it. */
static void view_signature(const struct view *w, struct type *type,
			   uint32_t rid, enum view_signature_part part,
			   struct str *out)
{
	const struct md *md = &type->module->md;
	struct csname_args args = {.type_args = arg_names(w, type),
				   .n_type_args = type->n_args};
	uint32_t token = MD_TOKEN(MD_METHODDEF, rid);
	_cleanup_str_ struct str full = {0};

	if (part & VIEW_SIGNATURE_TYPE)
		add_return(w, type,
			   md_col_blob(md, MD_METHODDEF, rid, METHOD_SIGNATURE),
			   token, out);
	if (!(part & VIEW_SIGNATURE_NAME))
		return;
	size_t list = csname_method(md, token, true, &args, &full);
	if (part & VIEW_SIGNATURE_TYPE)
		str_addc(out, ' ');
	str_add(out, own_part(str_get(&full), list));
}

static void declare_method(const struct view *w, struct type *type,
			   uint32_t rid, struct str *out)
{
	const struct md *md = &type->module->md;
	uint32_t flags = md_col(md, MD_METHODDEF, rid, METHOD_FLAGS);
	const char *name = md_col_string(md, MD_METHODDEF, rid, METHOD_NAME);
	bool constructor = !strcmp(name, ".ctor");
	if (strchr(name, '<') || !strcmp(name, ".cctor") ||
	    ((flags & TYPE_METHOD_SPECIAL_NAME) && !constructor &&
	     strncmp(name, "op_", 3)) ||
	    is_accessor(md, type, name))
		return;
	size_t from = out->len;
	add_modifiers(flags, out);
	view_signature(w, type, rid,
		       constructor ? VIEW_SIGNATURE_NAME : VIEW_SIGNATURE_ALL,
		       out);
	end_line(out, from, ";\n");
}

/* ---- Types ----------------------------------------------------------- */

static const char *keyword(const struct type *type)
{
	const uint32_t flags = type->flags;

	if (flags & TYPE_INTERFACE)
		return "interface";
	if (type->kind == TYPE_KIND_ENUM)
		return "enum";
	if (!type->is_reference)
		return "struct";
	if ((flags & TYPE_ABSTRACT) && (flags & TYPE_SEALED))
		return "static class";
	if (flags & TYPE_ABSTRACT)
		return "abstract class";
	return flags & TYPE_SEALED ? "sealed class" : "class";
}

/* Base class (but not object and the like), then interfaces. */
static void add_bases(const struct view *w, struct type *type, struct str *out)
{
	const char *before = " : ";
	const struct md *md = &type->module->md;
	struct type *parent = value_type_parent(w->values, type);
	if (type->is_reference && parent &&
	    parent->special != TYPE_SPECIAL_OBJECT) {
		str_addf(out, "%s%s", before, value_type_name(parent));
		before = ", ";
	}
	struct csname_args args = {.type_args = arg_names(w, type),
				   .n_type_args = type->n_args};
	uint32_t n, rid = MD_TOKEN_RID(type->token);
	uint32_t row = md_find(md, MD_INTERFACEIMPL, 0, rid, &n);
	for (; row && row <= md_rows(md, MD_INTERFACEIMPL); row++) {
		if (md_col(md, MD_INTERFACEIMPL, row, 0) != rid)
			break;
		uint32_t coded = md_col(md, MD_INTERFACEIMPL, row, 1);
		str_add(out, before);
		csname_type(md, md_typedef_or_ref(coded), &args, out);
		before = ", ";
	}
}

static void declare_enum(const struct view *w, struct type *type,
			 struct str *out)
{
	const struct field *fields;
	size_t n;
	struct type *under = value_type_of_elem(w->values, type->elem);
	str_addf(out, "enum %s : %s", value_type_name(type),
		 value_type_name(under));
	end_line(out, 0, "\n{\n");
	value_type_fields(w->values, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind != FIELD_CONST)
			continue;
		struct value v = value_static(w->values, &fields[i], NULL);
		v.type = under;
		size_t from = out->len;
		str_addf(out, "    %s = ", fields[i].name);
		view_text(w, &v, out);
		end_line(out, from, ",\n");
	}
	str_addc(out, '}');
}

static void declare_members(const struct view *w, struct type *type,
			    struct str *out)
{
	const struct field *fields;
	size_t n;
	value_type_fields(w->values, type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		declare_field(w, &fields[i], out);
	declare_properties(w, type, out);
	uint32_t first, end;
	md_type_methods(&type->module->md, MD_TOKEN_RID(type->token), &first,
			&end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t m = md_member(&type->module->md, MD_LIST_METHODS, i);

		declare_method(w, type, m, out);
	}
}

void view_declare(const struct view *w, struct type *type, struct str *out)
{
	value_type_mt(w->values, type);
	if (!type->module || type->kind == TYPE_KIND_PRIM) {
		str_add(out, value_type_name(type));
		return;
	}
	if (type->kind == TYPE_KIND_ENUM) {
		declare_enum(w, type, out);
		return;
	}
	str_addf(out, "%s %s", keyword(type), value_type_name(type));
	add_bases(w, type, out);
	end_line(out, 0, "\n{\n");
	declare_members(w, type, out);
	str_addc(out, '}');
}

/* ---- Names of members, for completion ------------------------------------ */

/*
 * Lists the names of a type's members as C# has them, including inherited ones,
 * for completion behind a dot.
 */

enum {
	ACCESS_PUBLIC = 6,
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
