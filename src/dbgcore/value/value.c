/*
 * Values: a type and a place (memory, a register, bytes of our own, or the
 * reason why there is none). Reading is done here and nowhere else: references
 * followed, boxes opened, fields, statics, constants, strings. What cannot be
 * read makes a value that says so, not an error.
 */
#include "value/value.h"
#include "dac/objectlayout.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "target/target.h"
#include "value/value_priv.h"

enum {
	// A reference points at the MethodTable pointer; fields follow.
	DEREFERENCE_MAX = 4,
	// The GC keeps marks in the low bits of a MethodTable pointer.
	MT_MARKS = 7,
};

/* ---- Making ---------------------------------------------------------- */

struct value value_absent(struct type *type, enum value_why why, uint64_t addr)
{
	struct value v = {.type = type, .where = VALUE_ABSENT};
	v.why = why;
	v.addr = addr;
	return v;
}

struct value value_memory(struct type *type, uint64_t addr)
{
	struct value v = {.type = type, .where = VALUE_MEMORY, .addr = addr};
	return v;
}

struct value value_bytes(struct type *type, const void *bytes, size_t n)
{
	struct value v = {.type = type, .where = VALUE_BYTES};
	memcpy(v.bytes, bytes, n < sizeof(v.bytes) ? n : sizeof(v.bytes));
	return v;
}

struct value value_text(struct values *ts, const uint16_t *units, size_t n)
{
	struct value v = {.where = VALUE_TEXT, .units = units, .n_units = n};
	v.type = value_type_of_elem(ts, ELEM_STRING);
	return v;
}

struct value value_object(struct values *ts, uint64_t addr)
{
	struct value v = value_bytes(value_type_of_elem(ts, ELEM_OBJECT), &addr,
				     sizeof(addr));
	return value_dereference(ts, &v);
}

/* ---- Reading --------------------------------------------------------- */

bool value_read(struct values *ts, const struct value *v, uint64_t offset,
		void *buf, size_t n)
{
	if (v->where == VALUE_BYTES) {
		if (offset > sizeof(v->bytes) || n > sizeof(v->bytes) - offset)
			return false;
		memcpy(buf, v->bytes + offset, n);
		return true;
	}
	if (v->where != VALUE_MEMORY || v->addr + offset < v->addr)
		return false;
	return values_read(ts, v->addr + offset, buf, n);
}

bool value_pointer(struct values *ts, const struct value *v, uint64_t *ret)
{
	return value_read(ts, v, 0, ret, sizeof(*ret));
}

static uint64_t extend(enum elem elem, uint64_t raw)
{
	switch (elem) {
	case ELEM_I1:
		return (uint64_t)(int64_t)(int8_t)raw;
	case ELEM_I2:
		return (uint64_t)(int64_t)(int16_t)raw;
	case ELEM_I4:
		return (uint64_t)(int64_t)(int32_t)raw;
	default:
		return raw;
	}
}

bool value_integer(struct values *ts, const struct value *v, uint64_t *ret)
{
	const struct type *type = v->type;
	uint64_t raw = 0;
	if (!type || !type->is_value || type->kind == TYPE_KIND_STRUCT ||
	    type->elem == ELEM_R4 || type->elem == ELEM_R8 ||
	    type->elem == ELEM_VOID ||
	    !value_read(ts, v, 0, &raw, type_size(type)))
		return false;
	*ret = extend(type->elem, raw);
	return true;
}

bool value_is_null(struct values *ts, const struct value *v)
{
	uint64_t ref;
	return v->type && v->type->is_reference && v->where != VALUE_TEXT &&
	       value_pointer(ts, v, &ref) && !ref;
}

/* ---- Settling -------------------------------------------------------- */

/*
 * Small cores have objects without their types: the MethodTable, or what it
 * points at, is not there.
 */
static bool is_left_out(struct values *ts, uint64_t mt)
{
	uint64_t words[8], first;
	if (!mt || target_can(ts->target, TARGET_RUN))
		return false;
	if (!values_read(ts, mt, words, sizeof(words)))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i] >> 16 && !(words[i] >> 47) &&
		    !values_read(ts, words[i], &first, sizeof(first)))
			return true;
	return false;
}

/* @v holds a reference: give it the object's type, or open the box. */
static struct value dereference_reference(struct values *ts,
					  const struct value *v)
{
	uint64_t ref, mt;
	if (!value_pointer(ts, v, &ref))
		return value_absent(v->type, WHY_UNREADABLE, v->addr);
	if (!ref)
		return *v;
	if (!values_read(ts, ref, &mt, sizeof(mt)))
		return value_absent(v->type, WHY_UNREADABLE, ref);
	mt &= ~(uint64_t)MT_MARKS;
	struct type *type = value_type_of_mt(ts, mt);
	if (!type && is_left_out(ts, mt))
		return value_absent(v->type, WHY_UNREADABLE, ref);
	if (!type)
		return value_absent(v->type, WHY_NOT_OBJECT, ref);
	struct value settled = *v;
	settled.type = type;
	if (!type->is_reference) {
		settled.where = VALUE_MEMORY;
		settled.addr = ref + OBJECT_FIELDS;
		settled.fixed = false;
	}
	return settled;
}

struct value value_dereference(struct values *ts, const struct value *v)
{
	struct value at = *v;
	for (int i = 0; i < DEREFERENCE_MAX && at.where != VALUE_ABSENT; i++) {
		if (at.type->kind != TYPE_KIND_BYREF)
			break;
		uint64_t addr;
		if (!value_pointer(ts, &at, &addr))
			return value_absent(at.type, WHY_UNREADABLE, at.addr);
		if (!addr)
			return value_absent(at.type->inner, WHY_NONE, 0);
		at.type = at.type->inner;
		at.where = VALUE_MEMORY;
		at.addr = addr;
		at.fixed = false;
	}
	if (at.where == VALUE_ABSENT || at.where == VALUE_TEXT)
		return at;
	if (at.type->is_reference)
		return dereference_reference(ts, &at);
	if (at.where == VALUE_MEMORY && at.type->kind == TYPE_KIND_STRUCT &&
	    !type_size(at.type))
		return value_absent(at.type, WHY_UNLOADED, 0);
	return at;
}

/* ---- Members --------------------------------------------------------- */

static struct value part(struct values *ts, const struct value *v,
			 uint64_t offset, struct type *type)
{
	if (v->where == VALUE_MEMORY) {
		struct value at = value_memory(type, v->addr + offset);
		at.fixed = v->fixed;
		return at;
	}
	uint8_t bytes[16] = {0};
	size_t size = type_size(type);
	if (v->where != VALUE_BYTES || size > sizeof(bytes) ||
	    !value_read(ts, v, offset, bytes, size))
		return value_absent(type, WHY_OPTIMIZED, 0);
	return value_bytes(type, bytes, size);
}

/* Of an object a field that hot reload added: it has no place before it is used
 * there. */
static struct value late_field(struct values *ts, const struct field *f,
			       uint64_t object)
{
	static const uint8_t zeros[16];
	size_t size = type_size(f->type);
	uint64_t addr = 0;
	if (values_beside(object))
		addr = ts->late_beside
			   ? ts->late_beside(ts->beside, f->in_types, object)
			   : 0;
	else if (dbg_err_drop(
		     type_late_place(ts->types, f->in_types, object, &addr)))
		return value_absent(f->type, WHY_UNREADABLE, object);
	if (addr)
		return value_memory(f->type, addr);
	return size <= sizeof(zeros) ? value_bytes(f->type, zeros, size)
				     : value_absent(f->type, WHY_UNINIT, 0);
}

struct value value_field(struct values *ts, const struct value *v,
			 const struct field *f)
{
	if (v->where == VALUE_ABSENT)
		return value_absent(f->type, v->why, v->addr);
	struct value ret;
	if (v->type->is_reference) {
		uint64_t ref;
		if (!value_pointer(ts, v, &ref) || !ref)
			return value_absent(f->type, WHY_UNREADABLE, v->addr);
		ret = f->in_types->is_late
			  ? late_field(ts, f, ref)
			  : value_memory(f->type,
					 ref + OBJECT_FIELDS + f->offset);
	} else if (f->in_types->is_late) {
		// none is ever added to a structure
		return value_absent(f->type, WHY_NONE, 0);
	} else {
		ret = part(ts, v, f->offset, f->type);
	}
	if (f->names)
		value_name(&ret, f->names, f->n_names);
	value_inherit_names(v, &ret);
	return ret;
}

static struct value constant_field(struct values *ts, const struct field *f)
{
	enum elem elem;
	struct bytes blob = type_field_constant(f->in_types, &elem);
	if (elem == ELEM_END)
		return value_absent(f->type, WHY_NONE, 0);
	// A null of any class is four bytes of 0.
	if (elem == ELEM_CLASS)
		return value_bytes(f->type, &(uint64_t){0}, sizeof(uint64_t));
	if (f->units)
		return value_text(ts, f->units, f->n_units);
	return value_constant(ts, ts->arena, f->type, blob);
}

bool value_decimal_attribute(const struct code_module *m, uint32_t token,
			     uint32_t words[4])
{
	struct bytes blob;
	struct reader r;
	if (!m || !token ||
	    !md_has_attribute(&m->md, token,
			      "System.Runtime.CompilerServices."
			      "DecimalConstantAttribute",
			      &blob))
		return false;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	uint32_t scale = reader_u8(&r), sign = reader_u8(&r);
	uint32_t high = reader_u32(&r), mid = reader_u32(&r);
	words[0] = scale << 16 | (sign ? 1u << 31 : 0);
	words[1] = high;
	words[2] = reader_u32(&r);
	words[3] = mid;
	return !r.bad;
}

struct value value_static(struct values *ts, const struct field *f,
			  struct thread_ref *thread)
{
	uint32_t words[4];
	if (f->kind == FIELD_CONST)
		return constant_field(ts, f);
	if (f->type->special == TYPE_SPECIAL_DECIMAL &&
	    value_decimal_attribute(f->owner->module, f->token, words))
		return value_bytes(f->type, words, sizeof(words));
	uint64_t mt = value_type_mt(ts, f->owner);
	uint64_t addr = 0;
	uint64_t of = f->kind == FIELD_THREAD ? thread_ref_get(thread) : 0;
	if (mt && f->in_types->is_late) {
		dbg_error_destroy(
		    type_late_place(ts->types, f->in_types, 0, &addr));
		if (!addr && type_size(f->type) <= sizeof(words))
			return value_bytes(f->type, (uint32_t[4]){0},
					   type_size(f->type));
	} else if (mt) {
		struct dbg_error *err =
		    dac_static_addr(ts->dac, mt, &f->raw, of, &addr);
		dbg_error_destroy(err);
	}
	if (!addr && of)
		return value_absent(f->type, WHY_THREAD, 0);
	if (!addr)
		return value_absent(f->type, WHY_UNINIT, 0);
	struct value v = value_memory(f->type, addr);
	// A struct lies in a box, which is an object like others.
	v.fixed = f->kind == FIELD_STATIC &&
		  (f->in_types->is_late ? f->type->kind != TYPE_KIND_STRUCT
					: f->raw.elem != ELEM_VALUETYPE);
	value_name(&v, f->names, f->n_names);
	return v;
}

struct value value_target(struct values *ts, const struct value *v)
{
	uint64_t addr;
	struct type *inner = v->type ? v->type->inner : NULL;
	if (!inner || inner->elem == ELEM_VOID)
		return value_absent(inner, WHY_NONE, 0);
	if (!value_pointer(ts, v, &addr))
		return value_absent(inner, WHY_UNREADABLE, v->addr);
	if (!addr)
		return value_absent(inner, WHY_UNREADABLE, 0);
	return value_memory(inner, addr);
}

/* ---- Constants ------------------------------------------------------- */

/* PDB form of a decimal: sign and scale, then low, middle and high words. */
static struct value decimal_constant(struct type *type, struct bytes blob)
{
	struct reader r;
	reader_init(&r, blob.p, blob.n);
	uint8_t head = reader_u8(&r);
	uint32_t low = reader_u32(&r), mid = reader_u32(&r);
	uint32_t high = reader_u32(&r);
	if (r.bad)
		return value_absent(type, WHY_NONE, 0);
	// In memory: flags (scale in bits 16-23, sign in 31), high, low, mid.
	uint32_t words[4] = {(uint32_t)(head & 0x7f) << 16 |
				 (uint32_t)(head >> 7) << 31,
			     high, low, mid};
	return value_bytes(type, words, sizeof(words));
}

struct value value_constant(struct values *ts, struct arena *arena,
			    struct type *type, struct bytes blob)
{
	if (type->special == TYPE_SPECIAL_STRING) {
		uint16_t *units = arena_copy(arena, blob.p, blob.n / 2, 2);
		return value_text(ts, units, blob.n / 2);
	}
	if (type->special == TYPE_SPECIAL_DECIMAL)
		return decimal_constant(type, blob);
	size_t size =
	    type->special == TYPE_SPECIAL_DATETIME ? 8 : type_size(type);
	if (!size || blob.n < size || size > 16)
		return value_absent(type, WHY_NONE, 0);
	return value_bytes(type, blob.p, size);
}

/* ---- Strings --------------------------------------------------------- */

bool value_string_length(struct values *ts, const struct value *v,
			 uint32_t *ret)
{
	if (v->where == VALUE_TEXT) {
		*ret = (uint32_t)v->n_units;
		return true;
	}
	uint64_t ref;
	if (!value_pointer(ts, v, &ref) || !ref)
		return false;
	// String.MaxLength; anything above is no string.
	return values_read(ts, ref + STRING_LENGTH, ret, sizeof(*ret)) &&
	       *ret <= 0x3fffffdf;
}

bool value_string_read(struct values *ts, const struct value *v, uint32_t first,
		       uint16_t *buf, size_t n)
{
	if (v->where == VALUE_TEXT) {
		if (first > v->n_units || n > v->n_units - first)
			return false;
		if (n)
			memcpy(buf, v->units + first, n * 2);
		return true;
	}
	uint64_t ref;
	if (!value_pointer(ts, v, &ref) || !ref)
		return false;
	return values_read(ts, ref + STRING_CHARS + (uint64_t)first * 2, buf,
			   n * 2);
}
