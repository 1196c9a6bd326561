/*
 * Parts of values that are no fields of their type: lengths, elements of
 * tuples and of Nullable, elements of arrays, strings, spans and List<T>.
 */
#include "eval/member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/csname.h"

enum {
	TUPLE_OWN = 7,
	TYPE_ARGS_MAX = 32,
};

/* ---- Nullable and tuples --------------------------------------------- */

struct value member_unwrap(struct values *ts, const struct value *v,
			   bool *ret_null)
{
	*ret_null = value_is_null(ts, v);
	if (!v->type || v->type->special != TYPE_SPECIAL_NULLABLE)
		return *v;
	const struct field *has = value_type_field(ts, v->type, "hasValue");
	const struct field *inner = value_type_field(ts, v->type, "value");
	if (!has || !inner)
		return value_absent(v->type, WHY_UNLOADED, 0);
	struct value flag = value_field(ts, v, has);
	uint64_t set;
	if (!value_integer(ts, &flag, &set))
		return value_absent(v->type, WHY_UNREADABLE, v->addr);
	*ret_null = !set;
	if (!set)
		return *v;
	struct value at = value_field(ts, v, inner);
	return value_dereference(ts, &at);
}

struct value member_tuple(struct values *ts, const struct value *v, size_t n)
{
	struct value at = *v;
	size_t index = n;
	for (; n >= TUPLE_OWN && at.type; n -= TUPLE_OWN) {
		const struct field *rest =
		    value_type_field(ts, at.type, "Rest");
		if (!rest)
			return value_absent(NULL, WHY_NONE, 0);
		at = value_field(ts, &at, rest);
	}
	char name[8] = "Item1";
	name[4] = (char)('1' + n);
	const struct field *f =
	    at.type ? value_type_field(ts, at.type, name) : NULL;
	if (!f)
		return value_absent(NULL, WHY_NONE, 0);
	struct value item = value_field(ts, &at, f);
	value_name_element(v, index, &item);
	return item;
}

bool member_tuple_name(struct values *ts, const struct value *v,
		       const char *name, struct value *ret)
{
	size_t count = tuple_count(v->type);
	size_t n = SIZE_MAX;
	if (str_starts(name, "Item"))
		n = strtoul(name + 4, NULL, 10) - 1;
	for (size_t i = 0; i < count; i++) {
		const char *own = value_element_name(v, i);
		if (own && !strcmp(own, name))
			n = i;
	}
	if (n >= count)
		return false;
	*ret = member_tuple(ts, v, n);
	return true;
}

/* ---- Fields and properties ------------------------------------------- */

const struct field *member_field(struct values *ts, struct type *declared,
				 struct type *actual, const char *name)
{
	const struct field *f = NULL;
	if (declared && declared != actual && declared->is_reference)
		f = value_type_field(ts, declared, name);
	if (f && !f->property)
		return f;
	const struct field *by_object = value_type_field(ts, actual, name);
	return by_object ? by_object : f;
}

bool member_same(const struct field *a, const struct field *b)
{
	return a && b && a->token == b->token &&
	       a->owner->module == b->owner->module;
}

bool member_length(const struct eval *e, const struct value *v,
		   const char *name, struct value *ret)
{
	struct elements els;
	uint32_t length;
	bool is_length = !strcmp(name, "Length") || !strcmp(name, "LongLength");
	enum elem elem = name[0] == 'L' && name[1] == 'o' ? ELEM_I8 : ELEM_I4;
	struct type *type = value_type_of_elem(e->values, elem);
	if (v->type->special == TYPE_SPECIAL_STRING && is_length &&
	    value_string_length(e->values, v, &length)) {
		uint64_t n = length;
		*ret = value_bytes(type, &n, sizeof(n));
		return true;
	}
	bool row = v->type->kind == TYPE_KIND_ARRAY ||
		   v->type->special == TYPE_SPECIAL_SPAN ||
		   v->type->special == TYPE_SPECIAL_MEMORY;
	if (!row || !value_elements(e->values, v, &els))
		return false;
	uint64_t rank = els.rank;
	if (is_length)
		*ret = value_bytes(type, &els.n, sizeof(els.n));
	else if (!strcmp(name, "Rank"))
		*ret = value_bytes(type, &rank, sizeof(rank));
	else
		return false;
	return true;
}

/* ---- Nested types ------------------------------------------------------ */

struct type *member_nested(struct values *ts, struct type *type,
			   const char *name, struct type *const *args,
			   size_t n_args)
{
	struct type *all[TYPE_ARGS_MAX];
	if (!type->module || type->n_args + n_args > TYPE_ARGS_MAX)
		return NULL;
	_cleanup_str_ struct str full = {0};
	csname_metadata_type(&type->module->md, type->token, &full);
	str_addf(&full, "+%s", name);
	if (n_args)
		str_addf(&full, "`%zu", n_args);
	struct code_module *m;
	uint32_t token, n;
	if (!value_type_find_def(ts, type->module, str_get(&full), n_args, &m,
				 &token))
		return NULL;
	// A nested type has the parameters of those around it as its own
	// first ones (II.10.3.1). GenericParam: Owner, a TypeDef's tag is 0.
	for (size_t i = 0; i < type->n_args; i++)
		all[i] = type->args[i];
	for (size_t i = 0; i < n_args; i++)
		all[type->n_args + i] = args[i];
	if (md_find(&m->md, MD_GENERICPARAM, 2, MD_TOKEN_RID(token) << 1, &n) &&
	    n == type->n_args + n_args)
		return value_type_instance(ts, m, token, all, n);
	return n_args ? NULL : value_type_of_def(ts, m, token);
}

/* ---- Elements -------------------------------------------------------- */

static struct dbg_error *index_outside(const char *name, int64_t index,
				       int64_t lower, uint64_t n)
{
	if (lower)
		return dbg_err(DBG_E_ARGUMENT,
			       "index %" PRId64 " is outside '%s' (%" PRId64
			       " to %" PRId64 ")",
			       index, name, lower, lower + (int64_t)n - 1);
	return dbg_err(DBG_E_ARGUMENT,
		       "index %" PRId64 " is outside '%s' (length %" PRIu64 ")",
		       index, name, n);
}

static struct dbg_error *array_element(const char *name,
				       const struct elements *els,
				       const int64_t *index, size_t n,
				       struct value *ret)
{
	if (n != els->rank)
		return dbg_err_cs(22, dbg_err(DBG_E_ARGUMENT,
					      "'%s' takes %u indexes", name,
					      els->rank));
	uint64_t flat = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (uint64_t)index[i] - (uint64_t)els->lower[i];
		if (at >= els->lengths[i])
			return index_outside(name, index[i], els->lower[i],
					     els->lengths[i]);
		flat = flat * els->lengths[i] + at;
	}
	*ret = element_get(els, flat);
	return NULL;
}

static struct dbg_error *string_element(const struct eval *e, const char *name,
					const struct value *v, int64_t index,
					struct value *ret)
{
	uint32_t length;
	uint16_t unit;
	if (!value_string_length(e->values, v, &length))
		return dbg_err(DBG_E_MEMORY, "cannot read the string");
	if (index < 0 || index >= (int64_t)length)
		return index_outside(name, index, 0, length);
	if (!value_string_read(e->values, v, (uint32_t)index, &unit, 1))
		return dbg_err(DBG_E_MEMORY, "cannot read the string");
	*ret = value_bytes(value_type_of_elem(e->values, ELEM_CHAR), &unit,
			   sizeof(unit));
	return NULL;
}

/* List<T> keeps its elements in _items, _size of them. */
static bool list_elements(const struct eval *e, const struct value *v,
			  struct elements *ret)
{
	const struct field *items =
	    value_type_field(e->values, v->type, "_items");
	const struct field *size =
	    value_type_field(e->values, v->type, "_size");
	if (!items || !size || strcmp(type_simple_name(items->owner), "List`1"))
		return false;
	struct value array = value_field(e->values, v, items);
	struct value count = value_field(e->values, v, size);
	uint64_t n;
	eval_note(e, &array);
	array = value_dereference(e->values, &array);
	if (!value_integer(e->values, &count, &n) ||
	    !value_elements(e->values, &array, ret) || n > ret->n)
		return false;
	ret->n = n;
	ret->lengths[0] = (uint32_t)n;
	return true;
}

bool member_has_elements(const struct eval *e, const struct value *v)
{
	struct elements els;
	return v->where == VALUE_ABSENT || value_is_null(e->values, v) ||
	       v->type->special == TYPE_SPECIAL_STRING ||
	       value_elements(e->values, v, &els) || list_elements(e, v, &els);
}

struct dbg_error *member_element(const struct eval *e, const char *name,
				 const struct value *v, const int64_t *index,
				 size_t n, struct value *ret)
{
	struct elements els;
	if (v->where == VALUE_ABSENT) {
		*ret = *v;
		return NULL;
	}
	if (value_is_null(e->values, v))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is null", name);
	if (value_elements(e->values, v, &els) || list_elements(e, v, &els))
		return array_element(name, &els, index, n, ret);
	if (n == 1 && v->type->special == TYPE_SPECIAL_STRING)
		return string_element(e, name, v, index[0], ret);
	return dbg_err_cs(21, dbg_err(DBG_E_ARGUMENT, "'%s' cannot be indexed",
				      value_type_name(v->type)));
}
