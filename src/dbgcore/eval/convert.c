/*
 * Implicit conversions of numbers (ECMA-334, 10.2): what `=` does without a
 * cast. C# lets a constant become a smaller integer type if its value fits; a
 * debugger knows every value, so that is asked of all.
 */
#include "eval/convert.h"

#include <inttypes.h>

#include "base/err.h"
#include "eval/arith.h"

/* Kinds of numbers, as bits. */
enum num_class {
	CLASS_BOOL = 1,
	CLASS_CHAR = 2,
	CLASS_INTEGER = 4,
	CLASS_FLOAT = 8,
	CLASS_DOUBLE = 16,
	CLASS_DECIMAL = 32,
};

static unsigned int class_of(const struct type *type)
{
	if (type->special == SPECIAL_DECIMAL)
		return CLASS_DECIMAL;
	if (type->kind == TYPE_ENUM)
		return CLASS_INTEGER;
	if (type->kind != TYPE_PRIM)
		return 0;
	switch (type->elem) {
	case ELEM_BOOLEAN:
		return CLASS_BOOL;
	case ELEM_CHAR:
		return CLASS_CHAR;
	case ELEM_R4:
		return CLASS_FLOAT;
	case ELEM_R8:
		return CLASS_DOUBLE;
	default:
		return CLASS_INTEGER;
	}
}

/* The classes that convert to @to without a cast. */
static unsigned int takes(unsigned int to)
{
	switch (to) {
	case CLASS_INTEGER:
		return CLASS_INTEGER | CLASS_CHAR;
	case CLASS_FLOAT:
		return CLASS_INTEGER | CLASS_CHAR | CLASS_FLOAT;
	case CLASS_DOUBLE:
		return CLASS_INTEGER | CLASS_CHAR | CLASS_FLOAT | CLASS_DOUBLE;
	case CLASS_DECIMAL:
		return CLASS_INTEGER | CLASS_CHAR | CLASS_DECIMAL;
	default:
		return to;
	}
}

struct dbg_error *convert_refuse(const struct type *from, const struct type *to)
{
	unsigned int a = class_of(from), b = class_of(to);
	bool cast = a && b && a != CLASS_BOOL && b != CLASS_BOOL;
	return dbg_err(DBG_E_ARGUMENT, "cannot convert '%s' to '%s'%s",
		       from->name, to->name, cast ? " without a cast" : "");
}

/* Is an integer of type @from within what @to holds? */
static struct dbg_error *check_range(uint64_t raw, const struct type *from,
				     const struct type *to)
{
	unsigned int bits = to->size * 8;
	bool negative = elem_is_signed(from->elem) && (int64_t)raw < 0;
	uint64_t max = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	int64_t min = 0;
	if (elem_is_signed(to->elem)) {
		max >>= 1;
		min = -(int64_t)max - 1;
	}
	if (negative ? (int64_t)raw >= min : raw <= max)
		return NULL;
	if (negative)
		return dbg_err(DBG_E_ARGUMENT,
			       "%" PRId64 " does not fit '%s' (%" PRId64
			       " to %" PRIu64 ")",
			       (int64_t)raw, to->name, min, max);
	return dbg_err(DBG_E_ARGUMENT,
		       "%" PRIu64 " does not fit '%s' (%" PRId64 " to %" PRIu64
		       ")",
		       raw, to->name, min, max);
}

struct dbg_error *convert_number(struct types *ts, const struct value *v,
				 struct type *to, struct value *ret)
{
	unsigned int from_class = class_of(v->type), to_class = class_of(to);
	uint64_t raw;
	if (type_same(ts, v->type, to)) {
		*ret = *v;
		return NULL;
	}
	if (!from_class || !(takes(to_class) & from_class) ||
	    v->type->kind == TYPE_ENUM)
		return convert_refuse(v->type, to);
	if (to_class == CLASS_INTEGER && value_integer(ts, v, &raw)) {
		struct dbg_error *err = check_range(raw, v->type, to);
		if (err)
			return err;
	}
	return arith_convert(ts, v, to, ret);
}
