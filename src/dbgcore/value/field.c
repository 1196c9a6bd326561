/*
 * Fields of types, the values of enums, and properties that only return a
 * field. Layouts are the runtime's, names and constants the metadata's; a
 * compiler's names are turned into the ones that its user wrote. A type's list
 * is made once.
 */
#include "value/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "types/methodref.h"
#include "value/value_priv.h"

enum {
	FIELD_SIGNATURE = 2,
	METHOD_RVA = 0,
	METHOD_NAME = 3,
	BASES_MAX = 1000,
	PARTS_DEPTH_MAX = 16, // of structures in structures
};

bool value_type_is_tuple_class(const struct type *type)
{
	return type->is_reference &&
	       str_starts(value_type_name(type), "System.Tuple<");
}

/* ---- Fields ---------------------------------------------------------- */

/* "<Id>i__Field" of anonymous types, "<seed>P" of primary constructors. */
static const char *other_source_name(struct arena *arena, const char *name)
{
	const char *close = strchr(name, '>');
	if (name[0] != '<' || !close || close == name + 1)
		return NULL;
	if (!strcmp(close, ">i__Field") || !strcmp(close, ">P"))
		return arena_strndup(arena, name + 1,
				     (size_t)(close - name - 1));
	return NULL;
}

// F#: "Name@" of a record, "counter@14" of a module; "init@14" is its own.
static const char *fsharp_source_name(struct arena *arena, const char *name,
				      const char *at)
{
	size_t n = (size_t)(at - name);
	if (n == 4 && str_starts(name, "init"))
		return NULL;
	return arena_strndup(arena, name, n);
}

static const char *source_name(struct values *ts, const struct type *type,
			       const char *name)
{
	// System.Tuple's properties are what its users know.
	if (!strncmp(name, "m_Item", 6) && value_type_is_tuple_class(type))
		return name + 2;
	if (str_starts(value_type_name(type),
		       "System.Collections.Generic.KeyValuePair<"))
		return strcmp(name, "key") ? "Value" : "Key";
	if (name[0] == '$' && !str_starts(name, "$VB$"))
		return str_starts(type_simple_name(type), "VB$AnonymousType")
			   ? name + 1
			   : NULL;
	const char *at = strchr(name, '@');
	if (at && at != name)
		return fsharp_source_name(ts->arena, name, at);
	if (name[0] != '<' && name[0] != '$')
		return name;
	const char *source = csname_source_name(ts->arena, name);
	return source ? source : other_source_name(ts->arena, name);
}

static const struct dac_field *raw_field(const struct dac_field *raw, size_t n,
					 uint32_t token)
{
	for (size_t i = 0; i < n; i++) {
		if (raw[i].token == token)
			return &raw[i];
	}
	return NULL;
}

/* A field of a type that leads nowhere has one all the same. */
static struct type *field_type(struct values *ts, const struct type *type,
			       struct type_field *f)
{
	const struct md *md = &type->module->md;
	struct type *il;
	struct sig_type *sig;
	struct dbg_error *err = type_field_type(ts->types, f, &il);
	if (!dbg_err_drop(err) && !il->open)
		return il;
	err = sig_parse_field(
	    md_col_blob(md, MD_FIELD, MD_TOKEN_RID(f->token), FIELD_SIGNATURE),
	    ts->arena, &sig);
	if (dbg_err_drop(err))
		return value_type_of_elem(ts, ELEM_OBJECT);
	struct type_context ctx = {.module = type->module,
				   .class_args = type->args,
				   .n_class_args = type->n_args};
	return value_type_of_sig(ts, sig, &ctx, 0);
}

/* PropertyMap: Parent, PropertyList. Property: Flags, Name, Type. */
static uint32_t find_property(const struct md *md, uint32_t type_rid,
			      const char *name)
{
	uint32_t first, end;
	md_type_properties(md, type_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = md_member(md, MD_LIST_PROPERTIES, i);

		const char *own = md_col_string(md, MD_PROPERTY, p, 1);
		if (!strcmp(own, name))
			return p;
	}
	return 0;
}

/*
 * The field `_Name` that Visual Basic's compiler has made for the property
 * Name.
 */
static bool is_vb_property(const struct md *md, const struct type *type,
			   const struct field *f)
{
	static const char made[] =
	    "System.Runtime.CompilerServices.CompilerGeneratedAttribute";
	return f->name[0] == '_' && f->name[1] &&
	       md_has_attribute(md, f->token, made, NULL) &&
	       find_property(md, MD_TOKEN_RID(type->token), f->name + 1);
}

static void fill_field(struct values *ts, struct type *type,
		       struct type_field *f, const struct dac_field *raw,
		       struct field *ret)
{
	const struct md *md = &type->module->md;
	ret->in_types = f;
	ret->token = f->token;
	ret->attributes = f->flags;
	ret->name = f->name;
	ret->source = source_name(ts, type, ret->name);
	ret->property = str_ends(ret->name, ">k__BackingField");
	if (is_vb_property(md, type, ret)) {
		ret->source = ret->name + 1;
		ret->property = true;
	}
	ret->owner = type;
	if (raw)
		ret->raw = *raw;
	ret->kind = FIELD_INSTANCE;
	if (f->is_const)
		ret->kind = FIELD_CONST;
	else if (f->is_static)
		ret->kind = f->is_thread ? FIELD_THREAD : FIELD_STATIC;
	ret->type = field_type(ts, type, f);
	if (tuple_is_in(ret->type))
		ret->names =
		    tuple_names(md, ret->token, ts->arena, &ret->n_names);
	enum elem elem;
	if (ret->kind != FIELD_CONST ||
	    ret->type->special != TYPE_SPECIAL_STRING)
		return;
	struct bytes text = type_field_constant(f, &elem);
	if (elem != ELEM_STRING)
		return;
	// In the metadata it may lie at an odd place.
	ret->units = arena_alloc(ts->arena, text.n + 2);
	ret->n_units = text.n / 2;
	if (text.n)
		memcpy((uint16_t *)ret->units, text.p, text.n);
}

/*
 * Find the offset of a field: by the runtime's record @raw if its type is
 * loaded, else as the runtime would place it. Nothing is to be found for a
 * static. False: unknown.
 */
static bool find_offset(struct values *ts, struct type_field *f, bool loaded,
			const struct dac_field *raw, uint32_t *ret)
{
	if (raw)
		*ret = raw->offset;
	return raw || f->is_static ||
	       (!loaded && !dbg_err_drop(type_field_offset(ts->types, f, ret)));
}

static void make_fields(struct values *ts, struct type *type)
{
	struct value_facts *facts = value_type_facts(ts, type);
	uint64_t mt = value_type_mt(ts, type);
	const struct dac_field *raw = NULL;
	struct type_field *const *all, *const *late;
	size_t n_raw = 0, n_all, n_late, n = 0;
	if (mt)
		dbg_error_destroy(dac_fields(ts->dac, mt, &raw, &n_raw));
	if (!mt && facts->fields)
		return;
	type_fields(ts->types, type, &all, &n_all);
	type_late_fields(ts->types, type, &late, &n_late);
	struct field *fields =
	    arena_calloc(ts->arena, n_all + n_late + 1, sizeof(fields[0]));
	for (size_t i = 0; i < n_all; i++) {
		const struct dac_field *known =
		    raw_field(raw, n_raw, all[i]->token);
		uint32_t offset = 0;
		if (!find_offset(ts, all[i], mt != 0, known, &offset))
			continue;
		fill_field(ts, type, all[i], known, &fields[n]);
		fields[n++].offset = offset;
	}
	for (size_t i = 0; i < n_late; i++)
		fill_field(ts, type, late[i], NULL, &fields[n++]);
	facts->fields = fields;
	facts->n_fields = n;
	// The runtime places statics when it loads the type: look again.
	facts->fields_sought = mt ? UINT32_MAX : ts->stop;
}

void value_type_fields(struct values *ts, struct type *type,
		       const struct field **ret, size_t *ret_n)
{
	struct value_facts *facts = value_type_facts(ts, type);
	if (facts->fields_sought != UINT32_MAX &&
	    facts->fields_sought != ts->stop) {
		// Set first: a field's type may lead back here.
		facts->fields_sought = ts->stop;
		make_fields(ts, type);
	}
	*ret = facts->fields;
	*ret_n = facts->n_fields;
}

/* A walk through the parts of a value. */
struct part_walk {
	struct values *ts;
	value_type_part_fn *fn;
	void *arg;
};

static bool walk_parts(const struct part_walk *w, struct type *type,
		       uint32_t at, unsigned int depth)
{
	const struct field *fields;
	size_t n, seen = 0;
	uint32_t last = 0;

	if (depth > PARTS_DEPTH_MAX || !w->fn(w->arg, type, at))
		return false;
	if (type->kind != TYPE_KIND_STRUCT)
		return true;
	value_type_fields(w->ts, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind != FIELD_INSTANCE)
			continue;
		seen++;
		if (fields[i].offset > type_size(type) ||
		    !walk_parts(w, fields[i].type, at + fields[i].offset,
				depth + 1))
			return false;
		last = type_size(fields[i].type);
	}
	// one field for many: an inline array or a fixed buffer; none: a byte
	return seen > 1 || (seen ? last : 1) == type_size(type);
}

bool value_type_each_part(struct values *ts, struct type *type,
			  value_type_part_fn *fn, void *arg)
{
	const struct part_walk w = {.ts = ts, .fn = fn, .arg = arg};

	return walk_parts(&w, type, 0, 0);
}

static const struct field *own_field(struct values *ts, struct type *type,
				     const char *name, uint32_t token)
{
	const struct field *fields;
	size_t n;
	value_type_fields(ts, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (token ? fields[i].token == token
			  : !strcmp(fields[i].name, name) ||
				(fields[i].source &&
				 !strcmp(fields[i].source, name)))
			return &fields[i];
	}
	return NULL;
}

const struct field *value_type_field(struct values *ts, struct type *type,
				     const char *name)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct field *f = own_field(ts, type, name, 0);
		if (f)
			return f;
		type = value_type_parent(ts, type);
	}
	return NULL;
}

bool value_member(struct values *ts, const struct value *v, const char *name,
		  struct value *ret)
{
	if (v->where == VALUE_ABSENT || !v->type)
		return false;
	const struct field *f = value_type_field(ts, v->type, name);
	if (!f || f->kind != FIELD_INSTANCE)
		return false;
	struct value at = value_field(ts, v, f);
	if (at.where == VALUE_ABSENT || value_is_null(ts, &at))
		return false;
	*ret = value_dereference(ts, &at);
	return ret->where != VALUE_ABSENT;
}

/* ---- Enums ----------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const struct enumerator *x = a, *y = b;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void make_enumerators(struct values *ts, struct type *type)
{
	struct value_facts *facts = value_type_facts(ts, type);
	const struct field *fields;
	size_t n;
	value_type_fields(ts, type, &fields, &n);
	facts->enumerators =
	    arena_calloc(ts->arena, n + 1, sizeof(facts->enumerators[0]));
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind != FIELD_CONST)
			continue;
		struct value v = value_static(ts, &fields[i], NULL);
		struct enumerator *e =
		    &facts->enumerators[facts->n_enumerators];
		e->name = fields[i].name;
		if (value_integer(ts, &v, &e->value))
			facts->n_enumerators++;
	}
	// Equal values stay in the order of their declaration.
	struct enumerator *all = facts->enumerators;
	bool sorted = true;
	for (size_t i = 1; i < facts->n_enumerators; i++)
		sorted = sorted && by_value(&all[i - 1], &all[i]) <= 0;
	if (!sorted)
		qsort(all, facts->n_enumerators, sizeof(all[0]), by_value);
	facts->is_flags =
	    type->module && md_has_attribute(&type->module->md, type->token,
					     "System.FlagsAttribute", NULL);
}

void value_type_enumerators(struct values *ts, struct type *type,
			    const struct enumerator **ret, size_t *ret_n,
			    bool *ret_flags)
{
	struct value_facts *facts = value_type_facts(ts, type);
	if (!facts->enumerators)
		make_enumerators(ts, type);
	*ret = facts->enumerators;
	*ret_n = facts->n_enumerators;
	*ret_flags = facts->is_flags;
}

/* ---- Properties ------------------------------------------------------ */

/* MethodSemantics: Semantics, Method, Association (1: of a Property). */
static uint32_t getter_of(const struct md *md, uint32_t property)
{
	enum {
		GETTER = 2
	};
	uint32_t n;
	uint32_t association = property << 1 | 1;
	uint32_t row = md_find(md, MD_METHODSEMANTICS, 2, association, &n);
	for (; row && row <= md_rows(md, MD_METHODSEMANTICS); row++) {
		if (md_col(md, MD_METHODSEMANTICS, row, 2) != association)
			break;
		if (md_col(md, MD_METHODSEMANTICS, row, 0) & GETTER)
			return md_col(md, MD_METHODSEMANTICS, row, 1);
	}
	return 0;
}

/*
 * The field that the getter MethodDef @rid of @type returns, or NULL; it may be
 * of another class: F# keeps the values of a module in a class of their own.
 */
static const struct field *getter_field(struct values *ts, struct type *type,
					uint32_t rid)
{
	struct type_method *m = type_method_get(
	    ts->types, type, MD_TOKEN(MD_METHODDEF, rid), NULL, 0);
	struct type_field *f = m && !type->module->unknown_update
				   ? type_method_field(ts->types, m)
				   : NULL;
	return f ? own_field(ts, f->owner, NULL, f->token) : NULL;
}

/* The nearest class with a property of this name, and its row. */
static struct type *declares(struct values *ts, struct type *type,
			     const char *name, uint32_t *ret)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		value_type_mt(ts, type);
		*ret = type->module
			   ? find_property(&type->module->md,
					   MD_TOKEN_RID(type->token), name)
			   : 0;
		if (*ret)
			return type;
		type = value_type_parent(ts, type);
	}
	return NULL;
}

const struct field *value_type_property(struct values *ts, struct type *type,
					const char *name, bool *ret_found)
{
	uint32_t property;
	struct type *owner = declares(ts, type, name, &property);
	*ret_found = owner != NULL;
	uint32_t rid = owner ? getter_of(&owner->module->md, property) : 0;
	return rid ? getter_field(ts, owner, rid) : NULL;
}
