/*
 * Values of F# as F# writes them: { Name = "Ann"; Age = 30 }, Box (3, 4),
 * Some 6, [1; 2; 3]. What a type is in F# is told by an attribute that its
 * compiler adds, CompilationMapping (FSharp.Core's SourceConstructFlags).
 */
#include "view/view_priv.h"

#include <string.h>

#include "base/str.h"

#define MAPPING_NAME "Microsoft.FSharp.Core.CompilationMappingAttribute"
#define TAG_NONE UINT64_MAX

enum {
	ASCII_SMALL = 0x20,
	MAPPING_UNION = 1,
	MAPPING_RECORD = 2,
	MAPPING_EXCEPTION = 5,
	MAPPING_MODULE = 7,
	MAPPING_KIND = 31,
	BLOB_FLAGS = 2, /* behind the prolog of the attribute's value */
	BLOB_CASE = 6,  /* of a property: the number of its case */
	BASES_MAX = 3,  /* a case derives from its union */
	ITEMS_MAX = 100,
	LINE_MAX = 1000,
};

static unsigned int mapping(const struct type *type)
{
	struct bytes blob;

	if (!type->module || !type->token ||
	    !md_has_attribute(&type->module->md, type->token, MAPPING_NAME,
			      &blob) ||
	    blob.n <= BLOB_FLAGS)
		return 0;
	return blob.p[BLOB_FLAGS] & MAPPING_KIND;
}

bool fsharp_is_module(const struct type *type)
{
	return mapping(type) == MAPPING_MODULE;
}

bool fsharp_is_option(const struct type *type)
{
	return str_starts(value_type_name(type),
			  "Microsoft.FSharp.Core.FSharpOption<");
}

bool fsharp_is_list(const struct type *type)
{
	return str_starts(value_type_name(type),
			  "Microsoft.FSharp.Collections.FSharpList<");
}

static bool field_value(const struct view *w, const struct value *v,
			const char *name, struct value *ret)
{
	const struct field *f = value_type_field(w->values, v->type, name);

	if (f && f->kind == FIELD_INSTANCE)
		*ret = value_field(w->values, v, f);
	return f && f->kind == FIELD_INSTANCE;
}

// [1; 2; 3]: cells with a head, up to one without a tail.
static void add_list(const struct view *w, const struct value *v, int depth,
		     struct str *out)
{
	struct value at = *v, head, tail;

	str_addc(out, '[');
	for (int i = 0; field_value(w, &at, "tail", &tail) &&
			!value_is_null(w->values, &tail);
	     i++) {
		str_add(out, i ? "; " : "");
		if (i == ITEMS_MAX || out->len > LINE_MAX) {
			str_add(out, "...");
			break;
		}
		if (field_value(w, &at, "head", &head))
			view_text_at(w, &head, depth + 1, out);
		at = value_dereference(w->values, &tail);
		if (at.where == VALUE_ABSENT)
			break;
	}
	str_addc(out, ']');
}

static void add_record(const struct view *w, const struct value *v, int depth,
		       struct str *out)
{
	const struct field *fields;
	size_t n, shown = 0;

	value_type_fields(w->values, v->type, &fields, &n);
	str_add(out, "{ ");
	for (size_t i = 0; i < n && out->len <= LINE_MAX; i++) {
		if (fields[i].kind != FIELD_INSTANCE || !fields[i].source)
			continue;
		struct value at = value_field(w->values, v, &fields[i]);
		str_addf(out, "%s%s = ", shown++ ? "; " : "", fields[i].source);
		view_text_at(w, &at, depth + 1, out);
	}
	str_add(out, " }");
}

// Append the one value of a union case behind the case's name, in parentheses
// if it has several words.
static void add_one(const struct view *w, const struct value *v, int depth,
		    struct str *out)
{
	_cleanup_str_ struct str text = {0};

	view_text_at(w, v, depth + 1, &text);
	bool words =
	    strchr(str_get(&text), ' ') && !strchr("([{\"'", *str_get(&text));
	str_addf(out, words ? " (%s)" : " %s", str_get(&text));
}

// A field is named after its property: _radius, item of Item.
static bool is_behind(const char *field, const char *property)
{
	field += *field == '_';
	return *field && *property &&
	       (*field | ASCII_SMALL) == (*property | ASCII_SMALL) &&
	       !strcmp(field + 1, property + 1);
}

// Has the struct @type the field @f for its case @tag? The property tells.
static bool is_of_case(const struct type *type, const struct field *f,
		       uint64_t tag)
{
	const struct md *md = &type->module->md;
	struct bytes blob;
	uint32_t first, end;

	md_type_properties(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t r = md_member(md, MD_LIST_PROPERTIES, i);

		if (!is_behind(f->name, md_col_string(md, MD_PROPERTY, r, 1)))
			continue;
		return md_has_attribute(md, MD_TOKEN(MD_PROPERTY, r),
					MAPPING_NAME, &blob) &&
		       blob.n > BLOB_CASE && blob.p[BLOB_CASE] == tag;
	}
	return false;
}

static bool is_data(const struct value *v, const struct field *f, uint64_t tag)
{
	return f->kind == FIELD_INSTANCE && f->source &&
	       strcmp(f->name, "_tag") &&
	       (tag == TAG_NONE || is_of_case(v->type, f, tag));
}

// Append the data of a union case: nothing, one value, or several as a tuple. A
// struct union has the fields of all cases; those of the case @tag are its
// data.
static void add_case(const struct view *w, const struct value *v, uint64_t tag,
		     int depth, struct str *out)
{
	const struct field *fields;
	size_t n, n_data = 0, shown = 0;

	value_type_fields(w->values, v->type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		n_data += is_data(v, &fields[i], tag);
	str_add(out, n_data > 1 ? " (" : "");
	for (size_t i = 0; i < n; i++) {
		if (!is_data(v, &fields[i], tag))
			continue;
		struct value at = value_field(w->values, v, &fields[i]);
		if (n_data == 1) {
			add_one(w, &at, depth, out);
			return;
		}
		str_add(out, shown++ ? ", " : "");
		view_text_at(w, &at, depth + 1, out);
	}
	str_add(out, n_data > 1 ? ")" : "");
}

// The case by its number: a constant of the nested class Tags.
static const char *tag_name(const struct type *type, uint64_t tag)
{
	const struct md *md = &type->module->md;
	uint32_t rid = MD_TOKEN_RID(type->token);
	uint32_t first, end;
	uint64_t i = 0;

	for (uint32_t r = 1; r <= md_rows(md, MD_TYPEDEF); r++) {
		if (strcmp(md_col_string(md, MD_TYPEDEF, r, 1), "Tags") ||
		    md_enclosing(md, r) != rid)
			continue;
		md_type_fields(md, r, &first, &end);
		// in the order of their numbers
		for (uint32_t f = first; f < end; f++, i++)
			if (i == tag)
				return md_col_string(
				    md, MD_FIELD,
				    md_member(md, MD_LIST_FIELDS, f), 1);
	}
	return NULL;
}

static bool add_union(const struct view *w, const struct value *v,
		      struct type *base, int depth, struct str *out)
{
	struct value field;
	uint64_t tag;
	const char *name = type_simple_name(v->type);

	if (fsharp_is_option(v->type)) {
		str_add(out, "Some");
		add_case(w, v, TAG_NONE, depth, out);
		return true;
	}
	// a class of its own, or the only case, which is named as its union is
	if (base != v->type || !field_value(w, v, "_tag", &field)) {
		size_t n = strcspn(name + (*name == '_'), "`");
		str_addn(out, name + (*name == '_'), n);
		add_case(w, v, TAG_NONE, depth, out);
		return true;
	}
	if (!value_integer(w->values, &field, &tag))
		return false;
	name = tag_name(base, tag);
	if (!name)
		return false;
	str_add(out, name);
	add_case(w, v, tag, depth, out);
	return true;
}

bool fsharp_text(const struct view *w, const struct value *seen, int depth,
		 struct str *out)
{
	struct type *type = seen->type;

	if (fsharp_is_list(type)) {
		add_list(w, seen, depth, out);
		return true;
	}
	for (int i = 0; type && i < BASES_MAX; i++) {
		switch (mapping(type)) {
		case MAPPING_RECORD:
			add_record(w, seen, depth, out);
			return true;
		case MAPPING_UNION:
			return add_union(w, seen, type, depth, out);
		}
		type = type->is_reference ? value_type_parent(w->values, type)
					  : NULL;
	}
	return false;
}

bool fsharp_exception_text(const struct view *w, const struct value *seen,
			   struct str *out)
{
	if (mapping(seen->type) != MAPPING_EXCEPTION)
		return false;
	str_add(out, type_simple_name(seen->type));
	add_case(w, seen, TAG_NONE, 0, out);
	return true;
}
