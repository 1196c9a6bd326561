/*
 * Where fields are: as the program's runtime has placed them or, for types that
 * it has not loaded, where it would (MethodTableBuilder, the same in .NET 8, 9
 * and 10):
 *
 *   sequential  structs without references, and classes that ask for it:
 *               in order of declaration, each at its alignment
 *   explicit    where the metadata says
 *   auto        all others: behind the base class; references, then the rest
 *               from 8 bytes down to 1, structs last
 */
#include <string.h>

#include "base/err.h"
#include "types/types_priv.h"

enum {
	POINTER = 8,
	ARRAY_FIRST = 8, /* behind the MethodTable: the count, padded */
	STRING_FIRST = 4,
	SIZES = 4, /* of primitives: 1, 2, 4, 8 as powers of two */
	SIZE_MAX_BYTES = 1 << 24,
	CLASSLAYOUT_PACK = 0,
	CLASSLAYOUT_SIZE = 1,
	CLASSLAYOUT_PARENT = 2,
	FIELDLAYOUT_OFFSET = 0,
	FIELDLAYOUT_FIELD = 1,
};

struct placing {
	struct types *ts;
	struct type *type;
	struct type_field *const *fields; /* all of the type's */
	size_t n;
	struct type_layout *of; /* each field's own layout, by index */
	uint32_t pos;           /* end of what is placed */
	uint32_t align;
	bool refs;
	uint32_t pack, size; /* ClassLayout; 0: none */
	bool auto_field;     /* a field of a struct laid out automatically */
};

static const struct type_layout reference = {
    .size = POINTER, .align = POINTER, .has_refs = true};

static uint32_t align_up(uint32_t pos, uint32_t align)
{
	return align ? (pos + align - 1) / align * align : pos;
}

static bool is_instance(const struct type_field *f)
{
	return !f->is_static && !f->is_const;
}

/* ---- Sizes of places ------------------------------------------------- */

/* Structs that the runtime aligns as the processor's ABI does. */
static uint32_t special_align(struct types *ts, const struct type *type)
{
	static const struct {
		const char *space, *name;
		uint32_t align;
	} known[] = {
	    {"System", "Int128", 16},
	    {"System", "UInt128", 16},
	    {"System.Runtime.Intrinsics", "Vector64`1", 8},
	    {"System.Runtime.Intrinsics", "Vector128`1", 16},
	    {"System.Runtime.Intrinsics", "Vector256`1", 32},
	    {"System.Runtime.Intrinsics", "Vector512`1", 64},
	};
	if (type->module != types_core(ts))
		return 0;
	const char *name = type_simple_name(type);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(known[i].name, name) &&
		    !strcmp(known[i].space, type_namespace(type)))
			return known[i].align;
	}
	return 0;
}

static struct type_layout layout_plain(uint32_t size)
{
	return (struct type_layout){
	    .size = size, .align = size ? size : 1, .object = size};
}

/* ---- The three ways -------------------------------------------------- */

static void set_place(struct placing *p, size_t i, uint32_t offset)
{
	const struct type_layout *l = &p->of[i];
	p->fields[i]->offset = offset;
	if (offset + l->size > p->pos)
		p->pos = offset + l->size;
}

static uint32_t packed(const struct placing *p, size_t i)
{
	uint32_t align = p->of[i].align;
	return p->pack && p->pack < align ? p->pack : align;
}

static void place_sequential(struct placing *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!is_instance(p->fields[i]))
			continue;
		uint32_t align = packed(p, i);
		if (align > p->align)
			p->align = align;
		set_place(p, i, align_up(p->pos, align));
	}
}

static void place_explicit(struct placing *p)
{
	const struct md *md = &p->type->module->md;
	uint32_t base = p->pos;
	for (size_t i = 0; i < p->n; i++) {
		uint32_t n, row;
		if (!is_instance(p->fields[i]))
			continue;
		row = md_find(md, MD_FIELDLAYOUT, FIELDLAYOUT_FIELD,
			      MD_TOKEN_RID(p->fields[i]->token), &n);
		uint32_t at =
		    row ? md_col(md, MD_FIELDLAYOUT, row, FIELDLAYOUT_OFFSET)
			: 0;
		uint32_t align = packed(p, i);
		if (align > p->align)
			p->align = align;
		if (at < SIZE_MAX_BYTES)
			set_place(p, i, base + at);
	}
}

/* Is the field a struct? The runtime places these after all others. */
static bool is_by_value(const struct type_field *f)
{
	return f->type->kind == TYPE_KIND_STRUCT;
}

static bool has_size(const struct placing *p, size_t i, uint32_t size)
{
	const struct type_field *f = p->fields[i];
	return is_instance(f) && !is_by_value(f) && p->of[i].size == size;
}

/* A smaller field to fill the gap behind the base class with. */
static bool fill_gap(struct placing *p, bool *placed)
{
	uint32_t gap = p->pos & -p->pos;
	bool bigger = false;
	for (size_t i = 0; i < p->n; i++) {
		if (is_instance(p->fields[i]) && !is_by_value(p->fields[i]) &&
		    p->of[i].size > gap)
			bigger = true;
	}
	for (uint32_t size = gap; bigger && size; size /= 2) {
		for (size_t i = 0; i < p->n; i++) {
			if (placed[i] || !has_size(p, i, size))
				continue;
			set_place(p, i, p->pos);
			placed[i] = true;
			return true;
		}
	}
	return false;
}

static void place_size(struct placing *p, uint32_t size, bool refs,
		       const bool *placed)
{
	for (size_t i = 0; i < p->n; i++) {
		if (placed[i] || !has_size(p, i, size) ||
		    p->of[i].has_refs != refs)
			continue;
		set_place(p, i, align_up(p->pos, size));
	}
}

static void place_structs(struct placing *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct type_layout *l = &p->of[i];
		if (!is_instance(p->fields[i]))
			continue;
		uint32_t align = POINTER;
		if (is_by_value(p->fields[i])) {
			align = l->has_refs ? POINTER : l->align;
			set_place(p, i, align_up(p->pos, align));
		}
		if (align > p->align)
			p->align = align;
	}
}

static void place_auto(struct placing *p)
{
	bool *placed = arena_calloc(p->ts->arena, p->n + 1, sizeof(*placed));
	while (p->pos % POINTER && fill_gap(p, placed))
		;
	for (uint32_t size = POINTER; size; size /= 2) {
		place_size(p, size, true, placed);
		place_size(p, size, false, placed);
	}
	place_structs(p);
	if (p->type->kind != TYPE_KIND_STRUCT)
		return;
	// Machine words are copied whole.
	uint32_t align = p->refs ? POINTER : p->align;
	if (p->pos <= POINTER)
		for (align = 1; align < p->pos; align *= 2)
			;
	p->align = align;
}

/* ---- A definition ---------------------------------------------------- */

static void read_pack(struct placing *p)
{
	const struct md *md = &p->type->module->md;
	uint32_t n, row = md_find(md, MD_CLASSLAYOUT, CLASSLAYOUT_PARENT,
				  MD_TOKEN_RID(p->type->token), &n);
	if (!row)
		return;
	p->pack = md_col(md, MD_CLASSLAYOUT, row, CLASSLAYOUT_PACK);
	p->size = md_col(md, MD_CLASSLAYOUT, row, CLASSLAYOUT_SIZE);
	if (p->size > SIZE_MAX_BYTES)
		p->size = 0;
}

static struct dbg_error *lay_fields_own(struct placing *p)
{
	struct types *ts = p->ts;
	p->of = arena_calloc(ts->arena, p->n + 1, sizeof(p->of[0]));
	for (size_t i = 0; i < p->n; i++) {
		const struct type_layout *l;
		struct type *type;
		if (!is_instance(p->fields[i]))
			continue;
		struct dbg_error *err =
		    type_field_type(ts, p->fields[i], &type);
		if (!err && type->is_reference)
			l = &reference;
		else if (!err)
			err = type_layout(ts, type, &l);
		if (err)
			return err;
		p->of[i] = *l;
		p->refs |= l->has_refs;
		// A by-ref is among the references, though no object's.
		if (type->kind == TYPE_KIND_BYREF)
			p->refs = p->of[i].has_refs = true;
		p->auto_field |= type->kind == TYPE_KIND_STRUCT &&
				 !(type->flags & TYPE_LAYOUT);
	}
	return NULL;
}

/* Begin where the fields of the base class end. */
static struct dbg_error *layout_begin(struct placing *p)
{
	struct type *parent;
	const struct type_layout *l;
	if (p->type->kind == TYPE_KIND_STRUCT)
		return NULL;
	struct dbg_error *err = type_parent(p->ts, p->type, &parent);
	if (err || !parent || parent->special == TYPE_SPECIAL_OBJECT)
		return err;
	err = type_layout(p->ts, parent, &l);
	if (err)
		return err;
	p->pos = l->object;
	p->refs |= l->has_refs;
	// Code compiled ahead does not depend on another module's sizes.
	if (parent->module != p->type->module && p->type->module->pe.native.n)
		p->pos = align_up(p->pos, POINTER);
	return NULL;
}

static uint32_t inline_length(const struct type *type)
{
	struct bytes blob;
	static const char name[] =
	    "System.Runtime.CompilerServices.InlineArrayAttribute";
	if (type->kind != TYPE_KIND_STRUCT ||
	    !type_attribute(type, name, &blob) || blob.n < 6)
		return 1;
	uint32_t n;
	memcpy(&n, blob.p + 2, sizeof(n));
	return n ? n : 1;
}

static struct dbg_error *finish(struct placing *p, bool is_auto,
				struct type_layout *ret)
{
	bool is_struct = p->type->kind == TYPE_KIND_STRUCT;
	uint32_t special = special_align(p->ts, p->type);
	if (special)
		p->align = special;
	if (!p->align)
		p->align = 1;
	if (!is_auto && p->size > p->pos)
		p->pos = p->size;
	else if (is_struct)
		p->pos = align_up(p->pos ? p->pos : 1, p->align);
	uint64_t size = (uint64_t)p->pos * inline_length(p->type);
	if (size > SIZE_MAX_BYTES)
		return dbg_err(DBG_E_FORMAT, "'%s' is too big",
			       type_name(p->ts, p->type));
	*ret =
	    (struct type_layout){.size = is_struct ? (uint32_t)size : POINTER,
				 .align = is_struct ? p->align : POINTER,
				 .object = (uint32_t)size,
				 .has_refs = is_struct ? p->refs : true};
	return NULL;
}

static struct placing placing_of(struct types *ts, struct type *type)
{
	struct placing p = {.ts = ts, .type = type};
	type_fields(ts, type, &p.fields, &p.n);
	return p;
}

static struct dbg_error *compute(struct placing *p, struct type_layout *ret)
{
	struct type *type = p->type;
	struct dbg_error *err = layout_begin(p);
	uint32_t how = type->flags & TYPE_LAYOUT;
	if (!err)
		err = lay_fields_own(p);
	if (err)
		return err;
	read_pack(p);
	if (how == TYPE_SEQUENTIAL && p->refs)
		how = 0;
	if (how == TYPE_EXPLICIT)
		place_explicit(p);
	else if (how == TYPE_SEQUENTIAL)
		place_sequential(p);
	else
		place_auto(p);
	return finish(p, how == 0, ret);
}

/* ---- As loaded ------------------------------------------------------- */

/*
 * Take the offsets of the runtime's own FieldDescs, and what sizes follow from
 * them and from its MethodTable, if the type is loaded.
 */
static void as_loaded(const struct placing *p, struct type_layout *l)
{
	struct types *ts = p->ts;
	struct type *type = p->type;
	const struct dac_field *raw;
	const struct dac_type *dt;
	size_t n_raw;
	uint64_t mt = type_mt(ts, type);
	if (!mt || dbg_err_drop(dac_type_get(ts->dac, mt, &dt)) ||
	    dbg_err_drop(dac_fields(ts->dac, mt, &raw, &n_raw)))
		return;
	for (size_t i = 0; i < p->n; i++) {
		struct type_field *f = p->fields[i];
		if (!is_instance(f))
			continue;
		for (size_t r = 0; r < n_raw; r++) {
			if (raw[r].token == f->token)
				f->offset = raw[r].offset;
		}
		// The runtime may have left a gap that is not foreseen here.
		if (f->offset + p->of[i].size > l->object)
			l->object = f->offset + p->of[i].size;
	}
	if (type->kind == TYPE_KIND_STRUCT && dt->value_size)
		l->size = l->object = dt->value_size;
}

struct dbg_error *type_layout_compute(struct types *ts, struct type *type,
				      struct type_layout *ret)
{
	struct placing p = placing_of(ts, type);
	return compute(&p, ret);
}

/* Lay out a type that has no fields to be looked at; false: it has. */
static bool layout_simple(struct type *type, struct type_layout *ret)
{
	switch (type->kind) {
	case TYPE_KIND_PRIM:
	case TYPE_KIND_ENUM:
		*ret = layout_plain(wellknown_elem_size(type->elem));
		return true;
	case TYPE_KIND_POINTER:
	case TYPE_KIND_FUNCTION:
	case TYPE_KIND_BYREF:
		*ret = layout_plain(POINTER);
		return true;
	case TYPE_KIND_ARRAY:
		*ret = reference;
		ret->object = ARRAY_FIRST;
		if (type->elem == ELEM_ARRAY)
			ret->object += 8 * type->rank;
		return true;
	case TYPE_KIND_INTERFACE:
		*ret = reference;
		return true;
	default:
		return false;
	}
}

struct dbg_error *type_layout(struct types *ts, struct type *type,
			      const struct type_layout **ret)
{
	struct type_facts *facts = type->facts;
	if (facts->has_layout) {
		*ret = &facts->layout;
		return NULL;
	}
	if (type->kind == TYPE_KIND_VAR || type->kind == TYPE_KIND_MVAR)
		return dbg_err(DBG_E_STATE,
			       "generic parameter '%s' has no size",
			       type_name(ts, type));
	if (!layout_simple(type, &facts->layout)) {
		if (facts->laying_out)
			return dbg_err(DBG_E_FORMAT, "'%s' contains itself",
				       type_name(ts, type));
		facts->laying_out = true;
		struct placing p = placing_of(ts, type);
		struct dbg_error *err = compute(&p, &facts->layout);
		facts->laying_out = false;
		if (err)
			return err;
		as_loaded(&p, &facts->layout);
		if (type->special == TYPE_SPECIAL_STRING)
			facts->layout.object = STRING_FIRST;
	}
	facts->has_layout = true;
	*ret = &facts->layout;
	return NULL;
}

uint32_t type_size(const struct type *type)
{
	struct types *ts = type->of;
	struct type *own = (struct type *)type; // facts are no part of it
	const struct type_layout *layout;
	const struct dac_type *dt;
	if (type->is_reference)
		return POINTER;
	uint64_t mt = type->kind == TYPE_KIND_STRUCT ? type_mt(ts, own) : 0;
	if (mt && !dbg_err_drop(dac_type_get(ts->dac, mt, &dt)))
		return dt->value_size;
	return dbg_err_drop(type_layout(ts, own, &layout)) ? 0 : layout->size;
}
