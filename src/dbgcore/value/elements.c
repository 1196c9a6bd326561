/*
 * Elements in a row: arrays of any rank, spans, Memory, fixed buffers, inline
 * arrays; and which method a delegate calls. All are the same to their users: a
 * type, an address, a stride, a count.
 */
#include "dac/objectlayout.h"
#include "value/value.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "target/target.h"
#include "value/value_priv.h"

enum {
	ARRAY_COUNT = 8,
	DELEGATE_METHOD_MIN = 1 << 16, // what is less is a list's length
};

/* NULL: only their name is known, if that. */
static struct type *elements_type(const struct type *type)
{
	bool is_named =
	    type->inner->label && type->inner->kind == TYPE_KIND_FUNCTION;
	return is_named ? NULL : type->inner;
}

static uint32_t component_size(struct values *ts, struct type *type)
{
	uint64_t mt = type->inner->is_reference ? 0 : value_type_mt(ts, type);
	const struct dac_type *dt;
	if (!mt)
		return type_size(type->inner);
	return dbg_err_drop(dac_type_get(ts->dac, mt, &dt))
		   ? 0
		   : dt->component_size;
}

/* Lengths, then lower bounds, then the elements. */
static bool read_bounds(struct values *ts, uint64_t ref, struct elements *e)
{
	if (e->rank == 0 || e->rank > ARRAY_RANK_MAX)
		return false;
	size_t n = e->rank * sizeof(uint32_t);
	uint64_t at = ref + ARRAY_DATA;
	if (!values_read(ts, at, e->lengths, n) ||
	    !values_read(ts, at + n, e->lower, n))
		return false;
	uint64_t product = 1;
	for (uint32_t i = 0; i < e->rank; i++) {
		if (e->lengths[i] > INT32_MAX)
			return false;
		product *= e->lengths[i];
		if (product > UINT32_MAX)
			return false;
	}
	e->addr = at + 2 * n;
	return product == e->n;
}

static bool array_elements(struct values *ts, const struct value *v,
			   struct elements *e)
{
	uint64_t ref;
	uint32_t n;
	if (!value_pointer(ts, v, &ref) || !ref)
		return false;
	if (!values_read(ts, ref + ARRAY_COUNT, &n, sizeof(n)) || n > INT32_MAX)
		return false;
	e->n = n;
	e->type = elements_type(v->type);
	e->size = component_size(ts, v->type);
	e->rank = v->type->rank;
	e->plain = v->type->elem == ELEM_SZARRAY;
	if (!e->size)
		return false;
	if (!e->plain)
		return read_bounds(ts, ref, e);
	e->addr = ref + ARRAY_DATA;
	e->lengths[0] = n;
	return true;
}

static bool span_elements(struct values *ts, const struct value *v,
			  struct elements *e)
{
	const struct field *ref = value_type_field(ts, v->type, "_reference");
	const struct field *len = value_type_field(ts, v->type, "_length");
	if (!ref || !len || ref->type->kind != TYPE_KIND_BYREF)
		return false;
	struct value at = value_field(ts, v, ref);
	struct value count = value_field(ts, v, len);
	uint64_t n;
	if (!value_integer(ts, &count, &n) || n > INT32_MAX ||
	    !value_pointer(ts, &at, &e->addr))
		return false;
	e->type = ref->type->inner;
	e->size = type_size(e->type);
	e->n = n;
	e->rank = 1;
	e->plain = true;
	e->lengths[0] = (uint32_t)n;
	return e->size != 0;
}

/*
 * A part of an array or string. One that a MemoryManager gives out has its
 * elements wherever that says, by a call.
 */
static bool memory_elements(struct values *ts, const struct value *v,
			    struct elements *e)
{
	enum {
		PINNED = 1u << 31 // in the index of arrays pinned for good
	};
	const struct field *object = value_type_field(ts, v->type, "_object");
	const struct field *index = value_type_field(ts, v->type, "_index");
	const struct field *length = value_type_field(ts, v->type, "_length");
	uint64_t first, n;
	uint32_t units;
	if (!object || !index || !length || v->type->n_args != 1)
		return false;
	struct value of = value_field(ts, v, object);
	struct value at = value_field(ts, v, index);
	struct value count = value_field(ts, v, length);
	of = value_dereference(ts, &of);
	if (!value_integer(ts, &at, &first) || !value_integer(ts, &count, &n) ||
	    of.where == VALUE_ABSENT)
		return false;
	first &= ~(uint32_t)PINNED;
	if (value_is_null(ts, &of)) {
		e->type = v->type->args[0];
		e->size = type_size(e->type);
	} else if (of.type->special == TYPE_SPECIAL_STRING &&
		   value_string_length(ts, &of, &units) &&
		   value_pointer(ts, &of, &e->addr)) {
		e->type = v->type->args[0];
		e->size = sizeof(uint16_t);
		e->addr += STRING_CHARS;
		e->n = units;
	} else if (of.type->kind != TYPE_KIND_ARRAY ||
		   !array_elements(ts, &of, e)) {
		return false;
	}
	if (!e->size || first > e->n || n > e->n - first)
		return false;
	e->addr += first * e->size;
	e->n = n;
	e->rank = 1;
	e->plain = true;
	e->lengths[0] = (uint32_t)n;
	return true;
}

/* Fixed-size buffers of C# and [InlineArray] structs. */
static bool is_inline(struct values *ts, struct type *type)
{
	struct value_facts *facts = value_type_facts(ts, type);
	if (facts->inline_sought || !type->module)
		return facts->is_inline;
	facts->inline_sought = ts->stop;
	facts->is_inline = str_ends(type_simple_name(type), "e__FixedBuffer") ||
			   md_has_attribute(&type->module->md, type->token,
					    "System.Runtime.CompilerServices."
					    "InlineArrayAttribute",
					    NULL);
	return facts->is_inline;
}

static bool inline_elements(struct values *ts, const struct value *v,
			    struct elements *e)
{
	const struct field *fields;
	size_t n;
	if (v->where != VALUE_MEMORY || !is_inline(ts, v->type))
		return false;
	value_type_fields(ts, v->type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind != FIELD_INSTANCE)
			continue;
		e->type = fields[i].type;
		break;
	}
	if (!e->type || !type_size(e->type))
		return false;
	e->size = type_size(e->type);
	e->n = type_size(v->type) / e->size;
	e->addr = v->addr;
	e->rank = 1;
	e->plain = true;
	e->lengths[0] = (uint32_t)e->n;
	return true;
}

bool value_elements(struct values *ts, const struct value *v,
		    struct elements *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (v->where == VALUE_ABSENT || v->where == VALUE_TEXT)
		return false;
	if (v->type->kind == TYPE_KIND_ARRAY)
		return array_elements(ts, v, ret);
	if (v->type->kind != TYPE_KIND_STRUCT)
		return false;
	if (v->type->special == TYPE_SPECIAL_SPAN)
		return span_elements(ts, v, ret);
	if (v->type->special == TYPE_SPECIAL_MEMORY)
		return memory_elements(ts, v, ret);
	return inline_elements(ts, v, ret);
}

struct value element_get(const struct elements *e, uint64_t index)
{
	if (index >= e->n)
		return value_absent(e->type, WHY_UNLOADED, 0);
	// A small core need not have the type of its arrays' elements.
	if (!e->type)
		return value_absent(NULL, WHY_UNREADABLE,
				    e->addr + index * e->size);
	return value_memory(e->type, e->addr + index * e->size);
}

/* ---- Delegates ------------------------------------------------------- */

static uint64_t pointer_field(struct values *ts, const struct value *v,
			      const char *name)
{
	const struct field *f = value_type_field(ts, v->type, name);
	if (!f)
		return 0;
	struct value at = value_field(ts, v, f);
	uint64_t addr;
	return value_pointer(ts, &at, &addr) ? addr : 0;
}

/* A runtime has either @name or what .NET 11 has; see il/machine/delegate.c. */
static bool delegate_field(struct values *ts, const struct value *v,
			   const char *name, const char *newer,
			   struct value *ret)
{
	const struct field *f = value_type_field(ts, v->type, name);
	if (!f)
		f = value_type_field(ts, v->type, newer);
	if (f)
		*ret = value_field(ts, v, f);
	return f != NULL;
}

uint64_t value_function_method(struct values *ts, uint64_t code)
{
	uint64_t method = ts->dac ? dac_method_at(ts->dac, code) : 0;
	if (method || !ts->dac)
		return method;
	struct dac_stub stub;
	struct dac_method known;
	dac_stub_at(ts->target, code, &stub);
	if (!stub.method)
		return 0;
	struct dbg_error *err = dac_method_get(ts->dac, stub.method, &known);
	return dbg_err_drop(err) ? 0 : stub.method;
}

/* Open over a virtual method: the list's length is the MethodDesc instead. */
static uint64_t virtual_method(struct values *ts, const struct value *v)
{
	struct value at;
	struct dac_method known;
	uint64_t method;
	if (!ts->dac ||
	    !delegate_field(ts, v, "_invocationCount", "_extraData", &at) ||
	    !value_pointer(ts, &at, &method) || method < DELEGATE_METHOD_MIN)
		return 0;
	return dbg_err_drop(dac_method_get(ts->dac, method, &known)) ? 0
								     : method;
}

uint64_t value_delegate_method(struct values *ts, const struct value *v)
{
	// Open and static ones go through a shuffle thunk: _methodPtrAux is
	// the method then.
	uint64_t code = pointer_field(ts, v, "_methodPtrAux");
	if (!code)
		code = pointer_field(ts, v, "_methodPtr");
	uint64_t method = code ? value_function_method(ts, code) : 0;
	return method ? method : virtual_method(ts, v);
}

bool value_delegate_targets(struct values *ts, const struct value *v,
			    struct elements *ret)
{
	struct value list, count;
	uint64_t n;
	if (!delegate_field(ts, v, "_invocationList", "_helperObject", &list) ||
	    !delegate_field(ts, v, "_invocationCount", "_extraData", &count))
		return false;
	list = value_dereference(ts, &list);
	if (list.where == VALUE_ABSENT || !value_elements(ts, &list, ret) ||
	    !value_integer(ts, &count, &n) || !n || n > ret->n)
		return false;
	ret->n = (uint32_t)n;
	return true;
}

struct value value_delegate_target(struct values *ts, const struct elements *e,
				   uint64_t index)
{
	struct value item = element_get(e, index);
	const struct field *f = NULL;
	if (item.where != VALUE_ABSENT && item.type->kind == TYPE_KIND_STRUCT)
		f = value_type_field(ts, item.type, "Value");
	if (f)
		item = value_field(ts, &item, f);
	return value_dereference(ts, &item);
}
