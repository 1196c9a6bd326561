/*
 * Operators (ECMA-334, 12.4.7 to 12.15): the predefined ones by a table of
 * types after promotion, those lifted to nullable types, user-defined ones by
 * overload resolution of op_ methods.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"

/* ---- Nodes ----------------------------------------------------------- */

struct bound *bound_choice(struct binder *b, struct bound *c, struct bound *x,
			   struct bound *y)
{
	struct bound *n = bound_make(b, BOUND_CHOICE, x->type, c->syntax);
	n->a = c;
	n->b = x;
	n->c = y;
	return n;
}

struct bound *bound_binary(struct binder *b, enum op op, struct bound *l,
			   struct bound *r, struct type *type)
{
	struct bound *n = bound_make(b, BOUND_BINARY, type, l->syntax);
	n->op = op;
	n->a = l;
	n->b = r;
	return n;
}

/* Checked where the expression is. */
static struct bound *make_binary(struct binder *b, enum op op, struct bound *l,
				 struct bound *r, struct type *type)
{
	struct bound *n = bound_binary(b, op, l, r, type);
	n->checked = b->checked;
	return n;
}

struct bound *bound_not(struct binder *b, struct bound *v)
{
	struct type *type = bind_prim(b, ELEM_BOOLEAN);
	return make_binary(b, OP_EQUAL, v,
			   bound_int(b, ELEM_BOOLEAN, 0, v->syntax), type);
}

static struct dbg_error *nullable_part(struct binder *b, struct bound *v,
				       const char *name, struct type *type,
				       struct bound **ret)
{
	struct type_method *m = type_method_named(b->ts, v->type, name, 0);
	struct bound *self =
	    bound_make(b, BOUND_ADDRESS, type_byref(b->ts, v->type), v->syntax);
	self->a = v;
	*ret = m ? bound_call(b, m, &self, 1, type, v->syntax) : NULL;
	return m ? NULL
		 : dbg_err(DBG_E_RUNTIME, "'%s' has no '%s'",
			   type_name(b->ts, v->type), name);
}

bool bound_is_nullable(const struct bound *v)
{
	return v->type && v->type->special == TYPE_SPECIAL_NULLABLE;
}

/* ---- Numbers --------------------------------------------------------- */

static bool is_unsigned(enum elem e)
{
	return e == ELEM_U4 || e == ELEM_U8 || e == ELEM_U;
}

/* Binary numeric promotion (12.4.7.3); END: there is none. */
enum elem numeric_promote(enum elem x, enum elem y)
{
	static const enum elem order[] = {ELEM_R8, ELEM_R4, ELEM_U8,
					  ELEM_I8, ELEM_U,  ELEM_I};
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (x != order[i] && y != order[i])
			continue;
		enum elem other = x == order[i] ? y : x;
		bool is_signed = other == ELEM_I1 || other == ELEM_I2 ||
				 other == ELEM_I4 || other == ELEM_I8 ||
				 other == ELEM_I;
		return is_unsigned(order[i]) && is_signed ? ELEM_END : order[i];
	}
	if (x != ELEM_U4 && y != ELEM_U4)
		return ELEM_I4;
	enum elem other = x == ELEM_U4 ? y : x;
	return other == ELEM_I1 || other == ELEM_I2 || other == ELEM_I4
		   ? ELEM_I8
		   : ELEM_U4;
}

static bool is_relation(enum op op)
{
	return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

static bool is_shift(enum op op)
{
	return op >= OP_SHIFT_LEFT && op <= OP_SHIFT_UNSIGNED;
}

static enum elem bare_elem(const struct bound *v)
{
	return bound_is_nullable(v) ? v->type->args[0]->elem : v->type->elem;
}

/* A constant that is not negative takes the other operand's type. */
enum elem numeric_common(const struct bound *l, const struct bound *r)
{
	enum elem x = bare_elem(l), y = bare_elem(r);
	bool lc = l->kind == BOUND_CONST && l->constant && l->integer >= 0;
	bool rc = r->kind == BOUND_CONST && r->constant && r->integer >= 0;
	// Beside an unsigned type a non-negative constant takes that type, but
	// a constant `long` beside a type smaller than itself does not; beside
	// ulong it becomes ulong.
	if (is_unsigned(x) && rc &&
	    (y == ELEM_I4 || (y == ELEM_I8 && x != ELEM_U4)))
		return y == ELEM_I8 ? ELEM_U8 : x;
	if (is_unsigned(y) && lc &&
	    (x == ELEM_I4 || (x == ELEM_I8 && y != ELEM_U4)))
		return x == ELEM_I8 ? ELEM_U8 : y;
	return numeric_promote(x, y);
}

bool numeric_is_argument(struct binder *b, const struct type *type)
{
	const struct type_context *c = &b->e->scope->context;
	for (size_t i = 0; i < c->n_class_args; i++)
		if (c->class_args[i] == type)
			return true;
	for (size_t i = 0; i < c->n_method_args; i++)
		if (c->method_args[i] == type)
			return true;
	return false;
}

struct dbg_error *numeric_check(struct binder *b, const struct bound *v)
{
	struct type *type = v->type;
	if (type->kind != TYPE_KIND_PRIM ||
	    numeric_promote(type->elem, type->elem) == type->elem ||
	    !numeric_is_argument(b, type))
		return NULL;
	return bind_error(
	    b, v->syntax,
	    "whether '%s' is of a type parameter, whose operators "
	    "give '%s', or '%s' itself, whose give 'int', is not "
	    "known here: cast it to int",
	    bind_source(b, v->syntax), type_name(b->ts, type),
	    type_name(b->ts, type));
}

static struct dbg_error *numeric(struct binder *b, enum op op, struct bound *l,
				 struct bound *r, struct bound **ret)
{
	enum elem elem = is_shift(op)
			     ? numeric_promote(l->type->elem, l->type->elem)
			     : numeric_common(l, r);
	struct type *type;
	*ret = NULL;
	if (elem == ELEM_END)
		return NULL;
	type = bind_prim(b, elem);
	bool zero = r->kind == BOUND_CONST && !r->integer && elem != ELEM_R4 &&
		    elem != ELEM_R8;
	if (!is_relation(op) && (l->type == r->type || is_shift(op))) {
		struct dbg_error *unknown = numeric_check(b, l);
		if (unknown)
			return unknown;
	}
	if (zero && (op == OP_DIVIDE || op == OP_REMAINDER))
		return dbg_err_cs(
		    20, bind_error(b, r->syntax, "division by constant zero"));
	struct dbg_error *err = convert_cast(b, l, type, &l);
	if (!err)
		err = convert_cast(
		    b, r, is_shift(op) ? bind_prim(b, ELEM_I4) : type, &r);
	if (err)
		return err;
	*ret = make_binary(b, op, l, r,
			   is_relation(op) ? bind_prim(b, ELEM_BOOLEAN) : type);
	return NULL;
}

/* ---- Enums, bools, references ---------------------------------------- */

static struct dbg_error *enums(struct binder *b, enum op op, struct bound *l,
			       struct bound *r, struct bound **ret)
{
	struct type *type = l->type->kind == TYPE_KIND_ENUM ? l->type : r->type;
	bool both = l->type == r->type;
	struct type *result = type;
	bool order =
	    is_relation(op) || op == OP_AND || op == OP_OR || op == OP_XOR;
	bool sum = op == OP_ADD || op == OP_SUBTRACT;
	*ret = NULL;
	if ((!order && !sum) || (both && op == OP_ADD))
		return NULL;
	if (!both && order && conversion_find(b, l, type) == CONVERSION_NONE)
		return NULL;
	if (!both && order && conversion_find(b, r, type) == CONVERSION_NONE)
		return NULL;
	struct bound *other = l->type == type ? r : l;
	if (!both && sum &&
	    conversion_find(b, other, bind_prim(b, type->elem)) ==
		CONVERSION_NONE)
		return NULL;
	if (is_relation(op))
		result = bind_prim(b, ELEM_BOOLEAN);
	else if (both && op == OP_SUBTRACT)
		result = bind_prim(b, type->elem);
	struct dbg_error *err =
	    convert_cast(b, l, bind_prim(b, type->elem), &l);
	if (!err)
		err = convert_cast(b, r, bind_prim(b, type->elem), &r);
	if (!err)
		*ret = make_binary(b, op, l, r, result);
	return err;
}

static struct bound *bools(struct binder *b, enum op op, struct bound *l,
			   struct bound *r)
{
	bool good = op == OP_AND || op == OP_OR || op == OP_XOR ||
		    op == OP_EQUAL || op == OP_NOT_EQUAL;
	return good ? make_binary(b, op, l, r, bind_prim(b, ELEM_BOOLEAN))
		    : NULL;
}

static struct bound *references(struct binder *b, enum op op, struct bound *l,
				struct bound *r)
{
	if (op != OP_EQUAL && op != OP_NOT_EQUAL)
		return NULL;
	struct type *object = bind_prim(b, ELEM_OBJECT);
	if (l->kind == BOUND_NULL)
		l = bound_make(b, BOUND_DEFAULT, object, l->syntax);
	if (r->kind == BOUND_NULL)
		r = bound_make(b, BOUND_DEFAULT, object, r->syntax);
	if (!l->type || !r->type || !l->type->is_reference ||
	    !r->type->is_reference)
		return NULL;
	return make_binary(b, op, l, r, bind_prim(b, ELEM_BOOLEAN));
}

/* ---- Strings --------------------------------------------------------- */

static bool is_string(const struct bound *v)
{
	return v->type && v->type->special == TYPE_SPECIAL_STRING;
}

/* The text of a constant in a concatenation; false: it is none. */
static bool constant_text(const struct bound *v, uint16_t *room,
			  const uint16_t **units, size_t *n)
{
	*units = v->units;
	*n = v->kind == BOUND_STRING ? v->n_units : 0;
	if (v->kind == BOUND_CONST && v->constant &&
	    v->type->elem == ELEM_CHAR) {
		*room = (uint16_t)v->integer;
		*units = room;
		*n = 1;
	}
	return *n || v->kind == BOUND_STRING || v->kind == BOUND_NULL;
}

/* Concatenate two constants to a literal; NULL: one is no constant. */
static struct bound *concat_constants(struct binder *b, const struct bound *l,
				      const struct bound *r,
				      const struct expr *x)
{
	const uint16_t *first, *second;
	uint16_t rooms[2], *units;
	size_t n, m;
	if (!constant_text(l, &rooms[0], &first, &n) ||
	    !constant_text(r, &rooms[1], &second, &m))
		return NULL;
	struct bound *v =
	    bound_make(b, BOUND_STRING, bind_prim(b, ELEM_STRING), x);
	v->n_units = n + m;
	units = arena_calloc(b->arena, n + m + 1, sizeof(*units));
	if (n)
		memcpy(units, first, n * sizeof(*units));
	if (m)
		memcpy(units + n, second, m * sizeof(*units));
	v->units = units;
	return v;
}

static struct dbg_error *concat(struct binder *b, struct bound *l,
				struct bound *r, const struct expr *x,
				struct bound **ret)
{
	struct type *string = bind_prim(b, ELEM_STRING);
	struct bound *args[2] = {l, r};
	struct dbg_error *err = NULL;
	*ret = concat_constants(b, l, r, x);
	if (*ret)
		return NULL;
	for (int i = 0; !err && i < 2; i++) {
		if (!args[i]->type ||
		    conversion_find(b, args[i], string) == CONVERSION_USER)
			err = convert(b, args[i], string, &args[i]);
	}
	return err ? err : call_static(b, string, "Concat", args, 2, x, ret);
}

/* ---- Lifted ---------------------------------------------------------- */

/* Split a nullable value, see bindop.h. */
struct dbg_error *bound_open(struct binder *b, struct bound *v,
			     struct bound **ret_has, struct bound **ret_value)
{
	*ret_has = bound_int(b, ELEM_BOOLEAN, 1, v->syntax);
	*ret_value = v;
	if (!bound_is_nullable(v))
		return NULL;
	struct dbg_error *err = nullable_part(
	    b, v, "get_HasValue", bind_prim(b, ELEM_BOOLEAN), ret_has);
	return err ? err
		   : nullable_part(b, v, "GetValueOrDefault", v->type->args[0],
				   ret_value);
}

static struct dbg_error *lifted(struct binder *b, enum op op, struct bound *l,
				struct bound *r, const struct expr *x,
				struct bound **ret)
{
	struct bound *stores[2], *has[2], *value[2], *result, *none;
	struct type *boolean = bind_prim(b, ELEM_BOOLEAN);
	size_t n_stores = 0;
	// a constant has to stay one: it converts to what a value does not
	if (l->kind != BOUND_CONST)
		l = bound_keep(b, l, &stores[n_stores++]);
	if (r->kind != BOUND_CONST)
		r = bound_keep(b, r, &stores[n_stores++]);
	struct dbg_error *err = bound_open(b, l, &has[0], &value[0]);
	if (!err)
		err = bound_open(b, r, &has[1], &value[1]);
	if (!err)
		err = bind_operator(b, op, value[0], value[1], x, &result);
	if (err)
		return err;
	if (op == OP_EQUAL || op == OP_NOT_EQUAL) {
		none = make_binary(b, op, has[0], has[1], boolean);
	} else if (is_relation(op)) {
		none = bound_int(b, ELEM_BOOLEAN, 0, x);
	} else {
		struct type *type = type_nullable(b->ts, result->type);
		none = bound_make(b, BOUND_DEFAULT, type, x);
		err = convert(b, result, type, &result);
		if (err)
			return err;
	}
	struct bound *both = make_binary(b, OP_AND, has[0], has[1], boolean);
	if ((op == OP_AND || op == OP_OR) &&
	    value[0]->type->elem == ELEM_BOOLEAN &&
	    value[1]->type->elem == ELEM_BOOLEAN) {
		// One that decides is enough: false & null, true | null.
		bool decides = op == OP_OR;
		struct bound *fixed = bound_int(b, ELEM_BOOLEAN, decides, x);
		err = convert(b, fixed, none->type, &fixed);
		for (int i = 0; !err && i < 2; i++) {
			struct bound *is =
			    decides ? value[i] : bound_not(b, value[i]);
			none = bound_choice(
			    b, make_binary(b, OP_AND, has[i], is, boolean),
			    fixed, none);
		}
		if (err)
			return err;
	}
	*ret = bound_after(b, stores, n_stores,
			   bound_choice(b, both, result, none));
	return NULL;
}

/* x == null of a Nullable. */
static struct dbg_error *null_equality(struct binder *b, enum op op,
				       struct bound *v, struct bound **ret)
{
	struct dbg_error *err = nullable_part(b, v, "get_HasValue",
					      bind_prim(b, ELEM_BOOLEAN), ret);
	if (!err && op == OP_EQUAL)
		*ret = bound_not(b, *ret);
	return err;
}

/* ---- Binary operators ------------------------------------------------ */

const char *bound_operand_name(struct binder *b, const struct bound *v)
{
	return v->type ? type_name(b->ts, v->type) : bind_source(b, v->syntax);
}

/* a + b of delegates: Delegate.Combine, or Remove. */
static struct dbg_error *delegates(struct binder *b, enum op op,
				   struct bound *l, struct bound *r,
				   const struct expr *x, struct bound **ret)
{
	struct type *type;
	struct bound *args[2] = {l, r};
	struct dbg_error *err = bind_core(b, "System.Delegate", &type);
	if (err)
		return err;
	struct type_method *m = type_method_named(
	    b->ts, type, op == OP_ADD ? "Combine" : "Remove", 2);
	if (!m)
		return dbg_err(DBG_E_RUNTIME, "no Delegate.Combine");
	return convert_cast(b, bound_call(b, m, args, 2, type, x), l->type,
			    ret);
}

static struct dbg_error *predefined(struct binder *b, enum op op,
				    struct bound *l, struct bound *r,
				    struct bound **ret)
{
	struct dbg_error *err = bind_pointer_operator(b, op, l, r, ret);
	if (err || *ret)
		return err;
	if (!l->type || !r->type) {
		*ret = references(b, op, l, r);
		return NULL;
	}
	if (type_is_numeric(l->type) && type_is_numeric(r->type))
		return numeric(b, op, l, r, ret);
	if (l->type->kind == TYPE_KIND_ENUM || r->type->kind == TYPE_KIND_ENUM)
		return enums(b, op, l, r, ret);
	if (l->type->elem == ELEM_BOOLEAN && r->type->elem == ELEM_BOOLEAN)
		*ret = bools(b, op, l, r);
	else
		*ret = references(b, op, l, r);
	return NULL;
}

/* ---- Predefined ones behind user-defined conversions ----------------- */

/* Has the operator @op, unary if @r is NULL, operands of @type (12.4.7)? */
static bool is_candidate(enum op op, bool unary, const struct type *type)
{
	bool real = type->elem == ELEM_R4 || type->elem == ELEM_R8 ||
		    type->special == TYPE_SPECIAL_DECIMAL;
	bool equality = op == OP_EQUAL || op == OP_NOT_EQUAL;
	bool bits = op == OP_AND || op == OP_OR || op == OP_XOR;
	if (type->special == TYPE_SPECIAL_STRING)
		return !unary && (equality || op == OP_ADD);
	if (type->elem == ELEM_BOOLEAN)
		return unary ? op == OP_NOT : equality || bits;
	if (unary && op == OP_NOT)
		return false;
	if (unary && op == OP_MINUS)
		return type->elem != ELEM_U4 && type->elem != ELEM_U8;
	return !real || (!bits && !is_shift(op) && op != OP_COMPLEMENT);
}

static bool is_user_type(const struct bound *v)
{
	return v && v->type && !bound_is_nullable(v) &&
	       (v->type->kind == TYPE_KIND_CLASS ||
		v->type->kind == TYPE_KIND_STRUCT) &&
	       v->type->special != TYPE_SPECIAL_STRING &&
	       v->type->special != TYPE_SPECIAL_OBJECT &&
	       v->type->special != TYPE_SPECIAL_DECIMAL;
}

/*
 * The type of the right operand where the left one has @type: of a shift a
 * count, lifted with it.
 */
static struct type *right_type(struct binder *b, enum op op, struct type *type)
{
	if (!is_shift(op))
		return type;
	struct type *count = bind_prim(b, ELEM_I4);
	return type->special == TYPE_SPECIAL_NULLABLE
		   ? type_nullable(b->ts, count)
		   : count;
}

/* The first type of those that have the operator, lifted if @nullable. */
static struct type *operand_type(struct binder *b, enum op op,
				 const struct bound *l, const struct bound *r,
				 bool nullable)
{
	static const enum elem order[] = {ELEM_I4,     ELEM_U4,     ELEM_I8,
					  ELEM_U8,     ELEM_R4,     ELEM_R8,
					  ELEM_STRING, ELEM_BOOLEAN};
	struct type *decimal = type_core(b->ts, "System.Decimal");
	for (size_t i = 0; i <= sizeof(order) / sizeof(order[0]); i++) {
		struct type *type = i < sizeof(order) / sizeof(order[0])
					? bind_prim(b, order[i])
					: decimal;
		if (!type || !is_candidate(op, !r, type) ||
		    (nullable && !type->is_value))
			continue;
		if (nullable)
			type = type_nullable(b->ts, type);
		if (conversion_find(b, l, type) != CONVERSION_NONE &&
		    (!r || conversion_find(b, r, right_type(b, op, type)) !=
			       CONVERSION_NONE))
			return type;
	}
	return NULL;
}

struct type *operator_operand_type(struct binder *b, enum op op,
				   const struct bound *l, const struct bound *r)
{
	if (!is_user_type(l) && !is_user_type(r))
		return NULL;
	struct type *type = operand_type(b, op, l, r, false);
	return type ? type : operand_type(b, op, l, r, true);
}

/*
 * Apply a predefined operator after converting the operands: candidates where
 * no operator of the operands' own types fits (12.4.5).
 */
static struct dbg_error *converted(struct binder *b, enum op op,
				   struct bound *l, struct bound *r,
				   const struct expr *x, struct bound **ret)
{
	struct type *type = operator_operand_type(b, op, l, r);
	struct type *string = bind_prim(b, ELEM_STRING);
	if (!type && op == OP_ADD && is_user_type(l) &&
	    conversion_find(b, l, string) != CONVERSION_NONE) {
		struct dbg_error *failed = convert(b, l, string, &l);
		return failed ? failed : concat(b, l, r, x, ret);
	}
	if (!type)
		return NULL;
	struct dbg_error *err = convert(b, l, type, &l);
	// null stays what it is: == asks whether there is a value
	if (!err && r->kind != BOUND_NULL)
		err = convert(b, r, right_type(b, op, type), &r);
	return err ? err : bind_operator(b, op, l, r, x, ret);
}

/* @v as it is where it has a value, or as the other one is if it is null. */
static struct bound opened(const struct bound *v, const struct bound *other)
{
	struct type *type = v->kind == BOUND_NULL ? other->type : v->type;
	if (type && type->special == TYPE_SPECIAL_NULLABLE)
		type = type->args[0];
	return (struct bound){
	    .kind = BOUND_DEFAULT, .type = type, .syntax = v->syntax};
}

/*
 * Is a lifted predefined operator meant, behind a conversion of the user's to
 * a nullable type? Operators of their own, lifted ones too, go before it.
 */
static bool is_to_nullable(struct binder *b, enum op op, const struct bound *l,
			   const struct bound *r, const struct expr *x)
{
	struct type *type = operator_operand_type(b, op, l, r);
	struct bound a = opened(l, r), c = opened(r, l), *own;
	// an object is compared with null by reference
	if ((l->kind == BOUND_NULL || r->kind == BOUND_NULL) &&
	    (op == OP_EQUAL || op == OP_NOT_EQUAL) && a.type &&
	    a.type->is_reference)
		return false;
	return type && type->special == TYPE_SPECIAL_NULLABLE && a.type &&
	       c.type &&
	       !dbg_err_drop(bind_user_operator(b, op, &a, &c, x, &own)) &&
	       !own;
}

/* Is one null, and the other dynamic and a value now? */
static bool is_set_dynamic(const struct bound *l, const struct bound *r)
{
	const struct bound *v = l->kind == BOUND_NULL ? r : l;
	const struct bound *null = v == l ? r : l;
	return null->kind == BOUND_NULL && v->dynamic && v->type &&
	       v->type->is_value && !bound_is_nullable(v);
}

/* Apply the operator to operands of type object by their types at run time. */
static struct dbg_error *by_objects(struct binder *b, enum op op,
				    struct bound *l, struct bound *r,
				    const struct expr *x, struct bound **ret)
{
	struct bound *v[2] = {l, r};
	bool any = false;
	for (int i = 0; i < 2; i++) {
		bool object =
		    v[i]->type && v[i]->type->special == TYPE_SPECIAL_OBJECT;
		struct bound *actual = object ? bind_actual(b, v[i]) : NULL;
		any |= actual != NULL;
		v[i] = actual ? actual : v[i];
	}
	return any ? bind_operator(b, op, v[0], v[1], x, ret) : NULL;
}

/*
 * Is one null, the other of a type that compares with its like, and is never
 * null? Then they differ: the operator is lifted (12.12.10).
 */
static bool is_never_null(struct binder *b, struct bound *l, struct bound *r)
{
	struct bound *v = l->kind == BOUND_NULL ? r : l;
	struct bound *null = v == l ? r : l, *same;
	if (null->kind != BOUND_NULL || !v->type || !v->type->is_value ||
	    bound_is_nullable(v))
		return false;
	return type_is_numeric(v->type) ||
	       v->type->special == TYPE_SPECIAL_DECIMAL ||
	       v->type->kind == TYPE_KIND_ENUM ||
	       v->type->elem == ELEM_BOOLEAN ||
	       (!dbg_err_drop(
		    bind_user_operator(b, OP_EQUAL, v, v, v->syntax, &same)) &&
		same);
}

/* x == default: of the type of x (12.12.1). */
static struct dbg_error *defaulted(struct binder *b, const struct bound *other,
				   struct bound **io)
{
	return (*io)->kind == BOUND_UNTYPED && other->type &&
		       (*io)->syntax->kind == EXPR_DEFAULT
		   ? convert(b, *io, other->type, io)
		   : NULL;
}

/* x + null of a value: what is lifted, with null of its type (12.4.8). */
static struct dbg_error *with_null(struct binder *b, enum op op,
				   struct bound *l, struct bound *r,
				   const struct expr *x, struct bound **ret)
{
	struct bound **null = l->kind == BOUND_NULL ? &l : &r;
	const struct bound *v = null == &l ? r : l;
	if ((*null)->kind != BOUND_NULL || !v->type || !v->type->is_value)
		return NULL;
	struct type *type =
	    bound_is_nullable(v) ? v->type : type_nullable(b->ts, v->type);
	struct dbg_error *err = convert(b, *null, type, null);
	return err ? err : lifted(b, op, l, r, x, ret);
}

static struct dbg_error *no_operator(struct binder *b, enum op op,
				     const struct bound *l,
				     const struct bound *r,
				     const struct expr *x)
{
	return dbg_err_cs(19,
			  bind_error(b, x, "no operator '%s' for '%s' and '%s'",
				     op_text(op), bound_operand_name(b, l),
				     bound_operand_name(b, r)));
}

struct dbg_error *bind_operator(struct binder *b, enum op op, struct bound *l,
				struct bound *r, const struct expr *x,
				struct bound **ret)
{
	bool equality = op == OP_EQUAL || op == OP_NOT_EQUAL;
	*ret = NULL;
	if (equality) {
		struct dbg_error *err = defaulted(b, r, &l);
		if (!err)
			err = defaulted(b, l, &r);
		if (err)
			return err;
	}
	if (equality && (is_set_dynamic(l, r) || is_never_null(b, l, r))) {
		*ret = bound_int(b, ELEM_BOOLEAN, op == OP_NOT_EQUAL, x);
		return NULL;
	}
	if (equality && bound_is_nullable(l) && r->kind == BOUND_NULL)
		return null_equality(b, op, l, ret);
	if (equality && bound_is_nullable(r) && l->kind == BOUND_NULL)
		return null_equality(b, op, r, ret);
	if (equality) {
		struct dbg_error *err = tuple_equality(b, op, l, r, x, ret);
		if (err || *ret)
			return err;
	}
	if (op == OP_ADD && (is_string(l) || is_string(r))) {
		struct dbg_error *own =
		    is_user_type(l) || is_user_type(r)
			? bind_user_operator(b, op, l, r, x, ret)
			: NULL;
		return own || *ret ? own : concat(b, l, r, x, ret);
	}
	if (l->type && l->type == r->type && l->type->is_delegate &&
	    (op == OP_ADD || op == OP_SUBTRACT))
		return delegates(b, op, l, r, x, ret);
	struct dbg_error *err = bind_user_operator(b, op, l, r, x, ret);
	if (!err && !*ret && is_to_nullable(b, op, l, r, x))
		return converted(b, op, l, r, x, ret);
	if (!err && !*ret && l->kind != BOUND_NULL && r->kind != BOUND_NULL &&
	    (bound_is_nullable(l) || bound_is_nullable(r)))
		return lifted(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = predefined(b, op, l, r, ret);
	if (!err && !*ret)
		err = with_null(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = converted(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = bind_extension_operator(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = metaobject_operator(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = by_objects(b, op, l, r, x, ret);
	if (!err && !*ret)
		err = no_operator(b, op, l, r, x);
	return err;
}

static struct dbg_error *logical(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct bound *v[2];
	struct type *boolean = bind_prim(b, ELEM_BOOLEAN);
	bool and = x->op == OP_AND_ALSO;
	const struct expr *parts[2] = {x->a, x->b};
	for (int i = 0; i < 2; i++) {
		struct dbg_error *err = bind_operand(b, parts[i], &v[i]);
		if (err)
			return err;
	}
	if (bind_has_truth(b, v[0]))
		return bind_user_logical(b, x, v, ret);
	struct bound *is[2];
	for (int i = 0; i < 2; i++) {
		struct dbg_error *err = convert(b, v[i], boolean, &is[i]);
		if (err && (err->cs == 29 || err->cs == 266)) {
			dbg_error_destroy(err);
			err = no_operator(b, x->op, v[0], v[1], x);
		}
		if (err)
			return err;
	}
	struct bound *fixed = bound_int(b, ELEM_BOOLEAN, !and, x);
	*ret = and? bound_choice(b, is[0], is[1], fixed)
		  : bound_choice(b, is[0], fixed, is[1]);
	return NULL;
}

static struct dbg_error *coalesce(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	struct bound *l, *r, *store, *test, *value;
	struct dbg_error *err = bind_value(b, x->a, &l);
	if (!err)
		err = bind_operand(b, x->b, &r);
	if (err)
		return err;
	bool is_dynamic = l->dynamic;
	l = bound_keep(b, l, &store);
	value = l;
	struct type *type = l->type;
	if (bound_is_nullable(l)) {
		err = bound_open(b, l, &test, &value);
		// T? ?? T is T, T? ?? T? stays T?, int? ?? long? is long?
		if (!err && conversion_find(b, r, type->args[0]))
			type = type->args[0];
		else if (!err && !conversion_find(b, r, type) && r->type)
			type = r->type;
		else
			value = l;
	} else {
		struct bound null = {.kind = BOUND_NULL, .syntax = x};
		test = references(b, OP_NOT_EQUAL, l, &null);
		// what is dynamic is a value now
		if (!test && is_dynamic) {
			*ret = bound_after(b, &store, 1, l);
			return NULL;
		}
		if (!test)
			return bind_error(b, x, "'%s' cannot be null",
					  type_name(b->ts, type));
		if (!conversion_find(b, r, type) && r->type)
			type = r->type;
	}
	if (!err)
		err = convert(b, value, type, &value);
	if (!err)
		err = convert(b, r, type, &r);
	if (!err)
		*ret =
		    bound_after(b, &store, 1, bound_choice(b, test, value, r));
	return err;
}

struct dbg_error *bind_binary(struct binder *b, const struct expr *x,
			      struct bound **ret)
{
	struct bound *l, *r;
	if (x->op == OP_AND_ALSO || x->op == OP_OR_ELSE)
		return logical(b, x, ret);
	if (x->op == OP_COALESCE)
		return coalesce(b, x, ret);
	struct dbg_error *err = bind_operand(b, x->a, &l);
	if (!err)
		err = bind_operand(b, x->b, &r);
	if (!err)
		err = bind_operator(b, x->op, l, r, x, ret);
	if (!err && (*ret)->kind == BOUND_BINARY)
		(*ret)->syntax = x;
	return err;
}
