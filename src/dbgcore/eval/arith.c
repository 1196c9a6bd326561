/*
 * Operators. Operands are promoted as C# does (ECMA-334, 12.4.7) to one of
 * int, uint, long, ulong, float, double, decimal; arithmetic is unchecked.
 */
#include "eval/arith.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/concat.h"
#include "eval/literal.h"

enum num_kind {
	NUM_NONE,
	NUM_INT,
	NUM_REAL,
	NUM_DECIMAL
};

struct num {
	enum num_kind kind;
	enum elem elem;   /* INT: I4 U4 I8 U8; REAL: R4 R8 */
	uint64_t integer; /* two's complement in 64 bits */
	double real;
	struct decimal decimal;
};

/* ---- Loading and promotion ------------------------------------------- */

static bool is_signed(enum elem elem)
{
	return elem == ELEM_I4 || elem == ELEM_I8;
}

/* int for all that is smaller. */
static enum elem promoted(enum elem elem)
{
	switch (elem) {
	case ELEM_U4:
		return ELEM_U4;
	case ELEM_I8:
	case ELEM_I:
		return ELEM_I8;
	case ELEM_U8:
	case ELEM_U:
		return ELEM_U8;
	default:
		return ELEM_I4;
	}
}

bool arith_is_number(const struct type *type)
{
	if (type->kind == TYPE_ENUM || type->special == SPECIAL_DECIMAL)
		return true;
	return type->kind == TYPE_PRIM && type->elem != ELEM_BOOLEAN;
}

static bool load_real(struct types *ts, const struct value *v, struct num *ret)
{
	ret->kind = NUM_REAL;
	ret->elem = v->type->elem;
	if (ret->elem == ELEM_R8)
		return value_read(ts, v, 0, &ret->real, sizeof(ret->real));
	float f;
	if (!value_read(ts, v, 0, &f, sizeof(f)))
		return false;
	ret->real = (double)f;
	return true;
}

static bool load(struct types *ts, const struct value *v, struct num *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!v->type || !arith_is_number(v->type))
		return false;
	if (v->type->special == SPECIAL_DECIMAL) {
		uint32_t words[4];
		ret->kind = NUM_DECIMAL;
		if (!value_read(ts, v, 0, words, sizeof(words)))
			return false;
		decimal_load(words, &ret->decimal);
		return true;
	}
	if (v->type->elem == ELEM_R4 || v->type->elem == ELEM_R8)
		return load_real(ts, v, ret);
	ret->kind = NUM_INT;
	ret->elem = promoted(v->type->elem);
	return value_integer(ts, v, &ret->integer);
}

static bool negative(const struct num *n)
{
	return is_signed(n->elem) && (int64_t)n->integer < 0;
}

static double as_real(const struct num *n)
{
	if (n->kind == NUM_REAL)
		return n->real;
	if (n->kind == NUM_DECIMAL)
		return decimal_to_double(&n->decimal);
	return is_signed(n->elem) ? (double)(int64_t)n->integer
				  : (double)n->integer;
}

static void as_decimal(const struct num *n, struct decimal *ret)
{
	if (n->kind == NUM_DECIMAL)
		*ret = n->decimal;
	else if (negative(n))
		decimal_of_integer(-n->integer, true, ret);
	else
		decimal_of_integer(n->integer, false, ret);
}

/* Type of the operation on two integers. */
static enum elem common(enum elem a, enum elem b)
{
	if (a == ELEM_U8 || b == ELEM_U8)
		return ELEM_U8;
	if (a == ELEM_I8 || b == ELEM_I8 || a != b)
		return ELEM_I8;
	return a;
}

/* ---- Results --------------------------------------------------------- */

static struct value make_integer(struct types *ts, enum elem elem, uint64_t v)
{
	return value_bytes(type_of_elem(ts, elem), &v, sizeof(v));
}

static struct value make_real(struct types *ts, enum elem elem, double v)
{
	float f = (float)v;
	if (elem == ELEM_R4)
		return value_bytes(type_of_elem(ts, elem), &f, sizeof(f));
	return value_bytes(type_of_elem(ts, elem), &v, sizeof(v));
}

struct value arith_make_bool(struct types *ts, bool b)
{
	uint8_t byte = b;
	return value_bytes(type_of_elem(ts, ELEM_BOOLEAN), &byte, 1);
}

bool arith_bool(struct types *ts, const struct value *v, bool *ret)
{
	uint64_t raw;
	if (!v->type || v->type->kind != TYPE_PRIM ||
	    v->type->elem != ELEM_BOOLEAN || !value_integer(ts, v, &raw))
		return false;
	*ret = raw != 0;
	return true;
}

static struct dbg_error *no_operator(const char *op, const struct value *ab)
{
	return dbg_err(DBG_E_UNSUPPORTED, "no operator '%s' for '%s' and '%s'",
		       op, ab[0].type ? ab[0].type->name : "?",
		       ab[1].type ? ab[1].type->name : "?");
}

/* ---- Comparison ------------------------------------------------------ */

/* What a comparison operator says of an order -1, 0, 1; false: it is none. */
static bool order_result(const char *op, int order, bool *ret)
{
	if (!strcmp(op, "=="))
		*ret = order == 0;
	else if (!strcmp(op, "!="))
		*ret = order != 0;
	else if (!strcmp(op, "<"))
		*ret = order < 0;
	else if (!strcmp(op, "<="))
		*ret = order <= 0;
	else if (!strcmp(op, ">"))
		*ret = order > 0;
	else if (!strcmp(op, ">="))
		*ret = order >= 0;
	else
		return false;
	return true;
}

static int compare_numbers(const struct num *a, const struct num *b)
{
	if (a->kind == NUM_REAL || b->kind == NUM_REAL) {
		double x = as_real(a), y = as_real(b);
		return x < y ? -1 : x > y;
	}
	if (a->kind == NUM_DECIMAL || b->kind == NUM_DECIMAL) {
		struct decimal x, y;
		as_decimal(a, &x);
		as_decimal(b, &y);
		return decimal_compare(&x, &y);
	}
	if (negative(a) != negative(b))
		return negative(a) ? -1 : 1;
	// Two negative numbers are in the order of their representation.
	return a->integer < b->integer ? -1 : a->integer > b->integer;
}

static bool is_nan(const struct num *n)
{
	return n->kind == NUM_REAL && isnan(n->real);
}

/* ---- Arithmetic ------------------------------------------------------ */

static struct dbg_error *divide(char op, enum elem elem, uint64_t a, uint64_t b,
				uint64_t *ret)
{
	if (b == 0)
		return dbg_err(DBG_E_ARGUMENT, "division by zero");
	if (!is_signed(elem)) {
		*ret = op == '/' ? a / b : a % b;
		return NULL;
	}
	int64_t x = (int64_t)a, y = (int64_t)b;
	if (y == -1 && x == (elem == ELEM_I4 ? INT32_MIN : INT64_MIN))
		return dbg_err(DBG_E_ARGUMENT, "arithmetic overflow");
	*ret = (uint64_t)(op == '/' ? x / y : x % y);
	return NULL;
}

static struct dbg_error *integer_op(struct types *ts, char op,
				    const struct num *a, const struct num *b,
				    struct value *ret)
{
	enum elem elem = common(a->elem, b->elem);
	uint64_t x = a->integer, y = b->integer, v = 0;
	struct dbg_error *err = NULL;
	switch (op) {
	case '+':
		v = x + y;
		break;
	case '-':
		v = x - y;
		break;
	case '*':
		v = x * y;
		break;
	case '&':
		v = x & y;
		break;
	case '|':
		v = x | y;
		break;
	case '^':
		v = x ^ y;
		break;
	default:
		err = divide(op, elem, x, y, &v);
		break;
	}
	if (!err)
		*ret = make_integer(ts, elem, v);
	return err;
}

static struct dbg_error *real_op(struct types *ts, char op, const struct num *a,
				 const struct num *b, struct value *ret)
{
	double x = as_real(a), y = as_real(b), v;
	bool is_double = a->elem == ELEM_R8 || b->elem == ELEM_R8;
	switch (op) {
	case '+':
		v = x + y;
		break;
	case '-':
		v = x - y;
		break;
	case '*':
		v = x * y;
		break;
	case '/':
		v = x / y;
		break;
	case '%':
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%%' of floating point is not served yet");
	default:
		return dbg_err(DBG_E_ARGUMENT,
			       "no operator '%c' for floating point", op);
	}
	*ret = make_real(ts, is_double ? ELEM_R8 : ELEM_R4, v);
	return NULL;
}

static struct dbg_error *decimal_op(char op, struct type *type,
				    const struct num *a, const struct num *b,
				    struct value *ret)
{
	struct decimal x, y, v;
	as_decimal(a, &x);
	as_decimal(b, &y);
	bool fits;
	if (op == '-')
		y.negative = !y.negative;
	if (op == '+' || op == '-')
		fits = decimal_add(&x, &y, &v);
	else if (op == '*')
		fits = decimal_multiply(&x, &y, &v);
	else
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%c' of decimals is not served yet", op);
	if (!fits)
		return dbg_err(DBG_E_ARGUMENT, "arithmetic overflow");
	uint32_t words[4];
	decimal_store(&v, words);
	*ret = value_bytes(type, words, sizeof(words));
	return NULL;
}

static struct value shift(struct types *ts, const char *op, const struct num *a,
			  uint64_t count)
{
	bool wide = a->elem == ELEM_I8 || a->elem == ELEM_U8;
	count &= wide ? 63 : 31;
	uint64_t v = a->integer;
	bool is_unsigned = op[2] == '>' || !is_signed(a->elem);
	if (op[0] == '<')
		v <<= count;
	else if (!is_unsigned)
		v = (uint64_t)((int64_t)v >> count);
	else
		v = (wide ? v : (uint32_t)v) >> count;
	return make_integer(ts, a->elem, v);
}

/* E op E of enums is an E again, but for differences. */
static void keep_enum(struct types *ts, char op, const struct value *ab,
		      struct value *ret)
{
	bool a = ab[0].type->kind == TYPE_ENUM;
	bool b = ab[1].type->kind == TYPE_ENUM;
	if ((!a && !b) || (a && b && op == '-') || strchr("*/%", op))
		return;
	struct type *type = a ? ab[0].type : ab[1].type;
	uint64_t raw;
	if (value_integer(ts, ret, &raw))
		*ret = value_bytes(type, &raw, type->size);
}

static struct dbg_error *numeric(struct types *ts, const char *op,
				 const struct value *ab, struct num *n,
				 struct value *ret)
{
	bool result;
	if (order_result(op, 0, &result)) {
		if (is_nan(&n[0]) || is_nan(&n[1]))
			result = !strcmp(op, "!=");
		else
			order_result(op, compare_numbers(&n[0], &n[1]),
				     &result);
		*ret = arith_make_bool(ts, result);
		return NULL;
	}
	bool ints = n[0].kind == NUM_INT && n[1].kind == NUM_INT;
	if (op[1]) {
		if (!ints)
			return no_operator(op, ab);
		*ret = shift(ts, op, &n[0], n[1].integer);
		return NULL;
	}
	if (n[0].kind == NUM_DECIMAL || n[1].kind == NUM_DECIMAL) {
		if (n[0].kind == NUM_REAL || n[1].kind == NUM_REAL)
			return no_operator(op, ab);
		struct type *type = ab[n[0].kind != NUM_DECIMAL].type;
		return decimal_op(op[0], type, &n[0], &n[1], ret);
	}
	if (!ints)
		return real_op(ts, op[0], &n[0], &n[1], ret);
	struct dbg_error *err = integer_op(ts, op[0], &n[0], &n[1], ret);
	if (!err)
		keep_enum(ts, op[0], ab, ret);
	return err;
}

/* ---- Other operands -------------------------------------------------- */

static struct dbg_error *bool_op(struct types *ts, const char *op,
				 const struct value *ab, struct value *ret)
{
	bool a, b, v;
	if (!arith_bool(ts, &ab[0], &a) || !arith_bool(ts, &ab[1], &b))
		return no_operator(op, ab);
	if (!strcmp(op, "&"))
		v = a && b;
	else if (!strcmp(op, "|"))
		v = a || b;
	else if (!strcmp(op, "^") || !strcmp(op, "!="))
		v = a != b;
	else if (!strcmp(op, "=="))
		v = a == b;
	else
		return no_operator(op, ab);
	*ret = arith_make_bool(ts, v);
	return NULL;
}

static bool holds_address(const struct value *v)
{
	return v->where != VALUE_TEXT &&
	       (v->type->kind == TYPE_POINTER || v->type->kind == TYPE_CLASS);
}

/* Pointers and references: equality, order, pointer plus integer. */
static struct dbg_error *address_op(struct types *ts, const char *op,
				    const struct value *ab, struct value *ret)
{
	uint64_t a, b;
	bool result;
	if (!value_pointer(ts, &ab[0], &a))
		return no_operator(op, ab);
	bool plus = !strcmp(op, "+"), minus = !strcmp(op, "-");
	if ((plus || minus) && ab[0].type->kind == TYPE_POINTER &&
	    ab[0].type->inner && value_integer(ts, &ab[1], &b)) {
		uint64_t step = b * ab[0].type->inner->size;
		a = plus ? a + step : a - step;
		*ret = value_bytes(ab[0].type, &a, sizeof(a));
		return NULL;
	}
	// gdb's `$pc == 0x1234`, which C# would have a cast for
	bool number =
	    ab[0].type->kind == TYPE_POINTER && value_integer(ts, &ab[1], &b);
	if ((!number &&
	     (!holds_address(&ab[1]) || !value_pointer(ts, &ab[1], &b))) ||
	    !order_result(op, a < b ? -1 : a > b, &result))
		return no_operator(op, ab);
	*ret = arith_make_bool(ts, result);
	return NULL;
}

static bool is_string(const struct value *v)
{
	return v->type && v->type->special == SPECIAL_STRING;
}

static struct dbg_error *string_op(struct types *ts, struct arena *arena,
				   const char *op, const struct value *ab,
				   struct value *ret)
{
	bool equal;
	if (!strcmp(op, "+"))
		return concat(ts, arena, ab, ret);
	if ((strcmp(op, "==") && strcmp(op, "!=")) ||
	    !concat_equal(ts, &ab[0], &ab[1], &equal))
		return no_operator(op, ab);
	*ret = arith_make_bool(ts, equal == (op[0] == '='));
	return NULL;
}

struct dbg_error *arith_binary(struct types *ts, struct arena *arena,
			       const char *op, const struct value *ab,
			       struct value *ret)
{
	struct num n[2];
	if (load(ts, &ab[0], &n[0]) && load(ts, &ab[1], &n[1]))
		return numeric(ts, op, ab, n, ret);
	if (!ab[0].type || !ab[1].type)
		return no_operator(op, ab);
	if (is_string(&ab[0]) || is_string(&ab[1]))
		return string_op(ts, arena, op, ab, ret);
	if (holds_address(&ab[0]))
		return address_op(ts, op, ab, ret);
	return bool_op(ts, op, ab, ret);
}

/* ---- Unary and conversions ------------------------------------------- */

static struct dbg_error *no_unary(const char *op, const struct value *v)
{
	return dbg_err(DBG_E_ARGUMENT, "no operator '%s' for '%s'", op,
		       v->type ? v->type->name : "?");
}

static struct dbg_error *negate(struct types *ts, const struct value *v,
				const struct num *n, struct value *ret)
{
	uint32_t words[4];
	struct decimal d = n->decimal;
	switch (n->kind) {
	case NUM_REAL:
		*ret = make_real(ts, n->elem, -n->real);
		return NULL;
	case NUM_DECIMAL:
		d.negative = !d.negative;
		decimal_store(&d, words);
		*ret = value_bytes(v->type, words, sizeof(words));
		return NULL;
	default:
		break;
	}
	// -2147483648 and -9223372036854775808 are int and long (6.4.5.3).
	enum elem elem = n->elem == ELEM_U4 ? ELEM_I8 : n->elem;
	if (n->elem == ELEM_U4 && n->integer == (uint64_t)INT32_MAX + 1)
		elem = ELEM_I4;
	if (n->elem == ELEM_U8 && n->integer == (uint64_t)INT64_MAX + 1)
		elem = ELEM_I8;
	if (elem == ELEM_U8)
		return no_unary("-", v);
	*ret = make_integer(ts, elem, -n->integer);
	return NULL;
}

struct dbg_error *arith_unary(struct types *ts, const char *op,
			      const struct value *v, struct value *ret)
{
	struct num n;
	bool b;
	if (op[0] == '!') {
		if (!arith_bool(ts, v, &b))
			return no_unary(op, v);
		*ret = arith_make_bool(ts, !b);
		return NULL;
	}
	if (!load(ts, v, &n))
		return no_unary(op, v);
	if (op[0] == '-')
		return negate(ts, v, &n, ret);
	if (op[0] == '~') {
		if (n.kind != NUM_INT)
			return no_unary(op, v);
		uint64_t flipped = ~n.integer;
		*ret = v->type->kind == TYPE_ENUM
			   ? value_bytes(v->type, &flipped, v->type->size)
			   : make_integer(ts, n.elem, flipped);
		return NULL;
	}
	*ret = *v;
	return NULL;
}

/* To an integer as C# does unchecked; out of range is unspecified there. */
static uint64_t truncate(double v)
{
	if (isnan(v))
		return 0;
	if (v >= 9223372036854775808.0)
		return v < 18446744073709551616.0 ? (uint64_t)v : UINT64_MAX;
	if (v <= -9223372036854775808.0)
		return (uint64_t)INT64_MIN;
	return (uint64_t)(int64_t)v;
}

static struct dbg_error *to_decimal(const struct num *n, struct type *to,
				    struct value *ret)
{
	struct decimal d;
	uint32_t words[4];
	if (n->kind == NUM_REAL)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "floating point to decimal is not served yet");
	as_decimal(n, &d);
	decimal_store(&d, words);
	*ret = value_bytes(to, words, sizeof(words));
	return NULL;
}

struct dbg_error *arith_convert(struct types *ts, const struct value *v,
				struct type *to, struct value *ret)
{
	struct num n;
	uint64_t raw;
	if (v->type->kind == TYPE_POINTER && value_pointer(ts, v, &raw)) {
		n = (struct num){.kind = NUM_INT, .elem = ELEM_U8};
		n.integer = raw;
	} else if (!load(ts, v, &n)) {
		bool code = v->type->kind == TYPE_STRUCT;
		return dbg_err(code ? DBG_E_UNSUPPORTED : DBG_E_ARGUMENT,
			       "cannot convert '%s' to '%s'", v->type->name,
			       to->name);
	}
	if (to->special == SPECIAL_DECIMAL)
		return to_decimal(&n, to, ret);
	if (to->elem == ELEM_R4 || to->elem == ELEM_R8) {
		*ret = make_real(ts, to->elem, as_real(&n));
		ret->type = to;
		return NULL;
	}
	raw = n.kind == NUM_INT ? n.integer : truncate(as_real(&n));
	*ret = value_bytes(to, &raw, to->size ? to->size : sizeof(raw));
	return NULL;
}
