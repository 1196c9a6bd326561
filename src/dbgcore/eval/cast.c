/*
 * Casts and type tests: `(T)x`, `x is T`, `x as T`, and whether a reference may
 * be assigned to a place of a type. Decided by the type that an object has at
 * run time; between numbers a cast is a conversion (arith.c).
 */
#include "eval/cast.h"

#include <string.h>

#include "base/err.h"
#include "eval/arith.h"

static struct dbg_error *no_cast(const struct value *v, const struct type *to)
{
	// A structure may have an operator for it, which is code.
	bool code = v->type->kind == TYPE_STRUCT || to->kind == TYPE_STRUCT;
	return dbg_err(code ? DBG_E_UNSUPPORTED : DBG_E_ARGUMENT,
		       "cannot convert '%s' to '%s'", v->type->name, to->name);
}

/* Is an object (or boxed value) of type @type a @to? */
static bool fits(struct types *ts, struct type *type, struct type *to)
{
	enum {
		INNER_MAX = 64
	};
	// Arrays of references fit each other by their elements.
	for (int i = 0; i < INNER_MAX && to->is_array && type->is_array &&
			to->inner && type->inner;
	     i++) {
		if (to->rank != type->rank)
			return false;
		to = to->inner;
		type = type->inner;
	}
	if (to->special == SPECIAL_OBJECT)
		return true;
	// The interfaces of arrays are made by the runtime: believed.
	if (type_is_interface(to))
		return type->is_array || type_implements(ts, type, to);
	return type_derives(ts, type, to);
}

/* Interfaces of arrays: those of System.Array, and some of their elements. */
static bool array_implements(struct types *ts, struct type *type,
			     struct type *iface)
{
	static const char *const of_elements[] = {
	    "IEnumerable`1", "ICollection`1", "IList`1",
	    "IReadOnlyCollection`1", "IReadOnlyList`1"};
	struct type *array = type_core(ts, "System.Array");
	if (array && type_implements(ts, array, iface))
		return true;
	if (!type->is_vector || !type->inner || iface->n_args != 1 ||
	    !type_same(ts, type->inner, iface->args[0]))
		return false;
	for (size_t i = 0; i < sizeof(of_elements) / sizeof(of_elements[0]);
	     i++) {
		if (!strcmp(type_simple_name(iface), of_elements[i]))
			return true;
	}
	return false;
}

bool cast_assignable(struct types *ts, struct type *type, struct type *to)
{
	if (type_is_interface(to))
		return type->is_array ? array_implements(ts, type, to)
				      : type_implements(ts, type, to);
	// Arrays of values fit each other in no case but the same type.
	if (to->is_array && type->is_array && to->inner && type->inner &&
	    to->inner->kind != TYPE_CLASS)
		return to->rank == type->rank &&
		       to->is_vector == type->is_vector &&
		       type_same(ts, to->inner, type->inner);
	if (to->is_array && type->is_array && to->inner && type->inner)
		return to->rank == type->rank &&
		       to->is_vector == type->is_vector &&
		       type->inner->kind == TYPE_CLASS &&
		       cast_assignable(ts, type->inner, to->inner);
	return to->special == SPECIAL_OBJECT || type_derives(ts, type, to);
}

static struct dbg_error *to_reference(struct types *ts, const struct value *v,
				      struct type *to, struct value *ret)
{
	if (!value_is_null(ts, v) && !fits(ts, v->type, to))
		return no_cast(v, to);
	*ret = *v;
	// A class changes what `.member` means; boxing does not.
	if (v->where != VALUE_TEXT && v->type->kind == TYPE_CLASS &&
	    !type_is_interface(to) && !to->is_array)
		ret->type = to;
	return NULL;
}

static struct dbg_error *to_pointer(struct types *ts, const struct value *v,
				    struct type *to, struct value *ret)
{
	uint64_t raw;
	bool good = v->type->kind == TYPE_POINTER ? value_pointer(ts, v, &raw)
						  : value_integer(ts, v, &raw);
	if (!good)
		return no_cast(v, to);
	*ret = value_bytes(to, &raw, sizeof(raw));
	return NULL;
}

struct dbg_error *cast_to(struct types *ts, const struct value *v,
			  struct type *to, struct value *ret)
{
	if (to->kind == TYPE_CLASS)
		return to_reference(ts, v, to, ret);
	if (to->kind == TYPE_POINTER)
		return to_pointer(ts, v, to, ret);
	bool nullable = to->special == SPECIAL_NULLABLE && to->n_args == 1;
	if (nullable && value_is_null(ts, v)) {
		*ret = *v;
		return NULL;
	}
	if (nullable)
		to = to->args[0];
	if (type_same(ts, v->type, to)) {
		*ret = *v;
		return NULL;
	}
	return arith_is_number(to) ? arith_convert(ts, v, to, ret)
				   : no_cast(v, to);
}

bool cast_fits(struct types *ts, const struct value *v, struct type *type)
{
	if (value_is_null(ts, v))
		return false;
	if (type->special == SPECIAL_NULLABLE && type->n_args == 1)
		type = type->args[0];
	return fits(ts, v->type, type);
}
