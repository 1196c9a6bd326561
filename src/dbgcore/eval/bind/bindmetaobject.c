/*
 * Dynamic objects. What is declared `dynamic` has the type of its value; what
 * that type does not have the object may say itself (System.Dynamic):
 *
 * - a DynamicObject by its Try methods, which are given a binder, an object
 * that names what is wanted, and the arguments;
 * - others have a meta object of their own (IDynamicMetaObjectProvider). What
 *   that does is expression trees; but those that are dictionaries of names,
 *   such as ExpandoObject, JObject or the rows of a micro ORM, mean the entry
 *   of the name.
 */
#include "eval/bind/bindmetaobject.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindmade.h"
#include "eval/overload/conversion.h"

#define SPACE "System.Dynamic"

static bool is_of_space(const struct type *type, const char *name)
{
	return !strcmp(type_simple_name(type), name) &&
	       !strcmp(type_namespace(type), SPACE);
}

/* ---- Dictionaries of names --------------------------------------------- */

static bool has_meta_object(struct binder *b, struct type *type)
{
	struct type *const *all;
	size_t n = 0;
	if (dbg_err_drop(type_interfaces(b->ts, type, &all, &n)))
		return false;
	while (n && !is_of_space(all[n - 1], "IDynamicMetaObjectProvider"))
		n--;
	return n;
}

/* The IDictionary<string, ...> that it is; NULL: it is none. */
static struct type *names_of(struct binder *b, struct type *type)
{
	struct type *def, *map = NULL;
	if (dbg_err_drop(bind_core(
		b, "System.Collections.Generic.IDictionary`2", &def)) ||
	    dbg_err_drop(type_as(b->ts, type, def, &map)) || !map ||
	    map->args[0]->special != TYPE_SPECIAL_STRING)
		return NULL;
	return map;
}

static struct dbg_error *entry(struct binder *b, struct bound *of,
			       const struct expr *x, struct bound **ret)
{
	struct bound *stores[2], *value;
	struct type *map = NULL;
	bool is_expando = is_of_space(of->type, "ExpandoObject");
	*ret = NULL;
	if (is_expando || (of->dynamic && has_meta_object(b, of->type)))
		map = names_of(b, of->type);
	if (x->n_args || !map)
		return NULL;
	struct dbg_error *err = convert(b, of, map, &of);
	if (err)
		return err;
	struct expr *name = made_keep(b, of, &stores[0]);
	struct expr *at = made_keep(b, bound_text(b, x->name, x), &stores[1]);
	err = bind_any(b, made_index(b, name, at), &value);
	if (err)
		return err;
	*ret = bound_after(b, stores, 2, value);
	(*ret)->dynamic = true;
	return NULL;
}

/* ---- DynamicObject ------------------------------------------------------ */

/*
 * The class DynamicObject, if the object derives from it; NULL: it does not, or
 * is not dynamic.
 */
static struct type *dynamic_base(struct binder *b, const struct bound *of)
{
	struct type *type =
	    of->kind != BOUND_TYPE && of->dynamic ? of->type : NULL;
	while (type && !is_of_space(type, "DynamicObject")) {
		if (dbg_err_drop(type_parent(b->ts, type, &type)))
			return NULL;
	}
	return type;
}

/* new @name(args), as if the class were not abstract; NULL: there is none. */
static struct bound *dynamic_new(struct binder *b, const struct type *base,
				 const char *name, struct bound *const *args,
				 size_t n, const struct expr *x)
{
	struct type *type = type_named(
	    b->ts, base->module, arena_printf(b->arena, SPACE ".%s", name));
	struct type_method *ctor =
	    type ? type_method_named(b->ts, type, ".ctor", n) : NULL;
	struct bound *made = bound_make(b, BOUND_NEW, type, x);
	made->method = ctor;
	made->list = arena_copy(b->arena, args, n, sizeof(*args));
	made->n_list = n;
	return ctor ? made : NULL;
}

static struct dbg_error *vector(struct binder *b, struct type *element,
				struct bound *const *v, size_t n,
				const struct expr *x, struct bound **ret)
{
	struct dbg_error *err = NULL;
	*ret = bound_make(b, BOUND_ARRAY, type_vector(b->ts, element), x);
	(*ret)->a = bound_int(b, ELEM_I4, (int64_t)n, x);
	(*ret)->list = arena_calloc(b->arena, n + 1, sizeof(*v));
	(*ret)->n_list = n;
	for (size_t i = 0; !err && i < n; i++)
		err = convert(b, v[i], element, &(*ret)->list[i]);
	return err;
}

/* new CallInfo(n), of arguments without names. */
static struct dbg_error *call_info(struct binder *b, const struct type *base,
				   size_t n, const struct expr *x,
				   struct bound **ret)
{
	struct bound *args[2] = {bound_int(b, ELEM_I4, (int64_t)n, x)};
	struct dbg_error *err =
	    vector(b, bind_prim(b, ELEM_STRING), NULL, 0, x, &args[1]);
	*ret = dynamic_new(b, base, "CallInfo", args, 2, x);
	return err;
}

/* throw new MissingMemberException(), as an object */
static struct dbg_error *no_member(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	struct type *type;
	struct dbg_error *err =
	    bind_core(b, "System.MissingMemberException", &type);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_THROW, bind_prim(b, ELEM_OBJECT), x);
	(*ret)->a = bound_make(b, BOUND_NEW, type, x);
	(*ret)->a->method = type_method_named(b->ts, type, ".ctor", 0);
	return NULL;
}

/*
 * A call of one of DynamicObject's Try methods: (binder, [given,] out object
 * result).
 */
struct attempt {
	struct type *base;
	const char *method;
	struct bound *binder; /* NULL: there is no such class */
	struct bound *given;  /* NULL: nothing is */
};

/*
 * Make the call: its value is the result, or it throws where the method returns
 * false.
 */
static struct dbg_error *attempt(struct binder *b, struct bound *of,
				 const struct attempt *t, const struct expr *x,
				 struct bound **ret)
{
	struct type *object = bind_prim(b, ELEM_OBJECT);
	struct bound *args[4] = {of, t->binder, t->given}, *none;
	size_t n = t->given ? 3 : 2;
	struct type_method *m = type_method_named(b->ts, t->base, t->method, n);
	*ret = NULL;
	if (!m || !t->binder)
		return NULL;
	struct dbg_error *err = no_member(b, x, &none);
	if (err)
		return err;
	b->of_machine = true;
	struct bound *out = bound_local(b, object, x);
	args[n] = bound_make(b, BOUND_ADDRESS, type_byref(b->ts, object), x);
	args[n]->a = out;
	struct bound *got =
	    bound_call(b, m, args, n + 1, bind_prim(b, ELEM_BOOLEAN), x);
	*ret = bound_choice(b, got, out, none);
	(*ret)->dynamic = true;
	return NULL;
}

struct dbg_error *metaobject_member(struct binder *b, struct bound *of,
				    const struct expr *x, struct bound **ret)
{
	struct bound *args[2] = {bound_text(b, x->name, x),
				 bound_int(b, ELEM_BOOLEAN, 0, x)};
	struct attempt t = {.base = dynamic_base(b, of),
			    .method = "TryGetMember"};
	*ret = NULL;
	if (of->kind == BOUND_TYPE || !of->type || x->n_args)
		return NULL;
	if (!t.base)
		return entry(b, of, x, ret);
	t.binder = dynamic_new(b, t.base, "GetMemberBinder", args, 2, x);
	return attempt(b, of, &t, x, ret);
}

/* Arguments that are named, or given by their address, nobody asks for so. */
static bool is_plain(const struct call *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->names[i] || c->modifiers[i] || !c->args[i]->type)
			return false;
	return true;
}

/* Make the array of the arguments of @c, for t->given, and their CallInfo. */
static struct dbg_error *arguments_give(struct binder *b, const struct call *c,
					struct attempt *t,
					struct bound **ret_info)
{
	struct dbg_error *err = call_info(b, t->base, c->n, c->x, ret_info);
	return err ? err
		   : vector(b, bind_prim(b, ELEM_OBJECT), c->args, c->n, c->x,
			    &t->given);
}

struct dbg_error *metaobject_call(struct binder *b, struct bound *of,
				  const struct call *c, struct bound **ret)
{
	struct attempt t = {.base = dynamic_base(b, of)};
	struct bound *info, *args[3];
	const struct expr *x = c->x;
	*ret = NULL;
	if (!t.base || !is_plain(c))
		return NULL;
	struct dbg_error *err = arguments_give(b, c, &t, &info);
	if (err || !info)
		return err;
	args[0] = c->name ? bound_text(b, c->name, x) : info;
	args[1] = bound_int(b, ELEM_BOOLEAN, 0, x);
	args[2] = info;
	t.method = c->name ? "TryInvokeMember" : "TryInvoke";
	t.binder = dynamic_new(b, t.base,
			       c->name ? "InvokeMemberBinder" : "InvokeBinder",
			       args, c->name ? 3 : 1, x);
	return attempt(b, of, &t, x, ret);
}

struct dbg_error *metaobject_element(struct binder *b, struct bound *of,
				     const struct call *c, struct bound **ret)
{
	struct attempt t = {.base = dynamic_base(b, of),
			    .method = "TryGetIndex"};
	struct bound *info;
	*ret = NULL;
	if (!t.base || !is_plain(c))
		return NULL;
	struct dbg_error *err = arguments_give(b, c, &t, &info);
	if (err || !info)
		return err;
	t.binder = dynamic_new(b, t.base, "GetIndexBinder", &info, 1, c->x);
	return attempt(b, of, &t, c->x, ret);
}

/*
 * The operator's number in System.Linq.Expressions.ExpressionType (Add is 0);
 * -1: it has none.
 */
static int expression_type(enum op op)
{
	static const int numbers[] = {
	    [OP_ADD] = 0,          [OP_SUBTRACT] = 42,
	    [OP_MULTIPLY] = 26,    [OP_DIVIDE] = 12,
	    [OP_REMAINDER] = 25,   [OP_SHIFT_LEFT] = 19,
	    [OP_SHIFT_RIGHT] = 41, [OP_AND] = 2,
	    [OP_OR] = 36,          [OP_XOR] = 14,
	    [OP_EQUAL] = 13,       [OP_NOT_EQUAL] = 35,
	    [OP_LESS] = 20,        [OP_GREATER] = 15,
	    [OP_LESS_EQUAL] = 21,  [OP_GREATER_EQUAL] = 16,
	    [OP_PLUS] = 29,        [OP_MINUS] = 28,
	    [OP_NOT] = 34,         [OP_COMPLEMENT] = 82};
	size_t n = sizeof(numbers) / sizeof(numbers[0]);
	int number = op < n ? numbers[op] : 0;
	return number || op == OP_ADD ? number : -1;
}

struct dbg_error *metaobject_operator(struct binder *b, enum op op,
				      struct bound *l, struct bound *r,
				      const struct expr *x, struct bound **ret)
{
	struct attempt t = {.base = dynamic_base(b, l)};
	int number = expression_type(op);
	*ret = NULL;
	if (!t.base || number < 0)
		return NULL;
	struct bound *name = bound_int(b, ELEM_I4, number, x);
	name->type = type_named(b->ts, t.base->module,
				"System.Linq.Expressions.ExpressionType");
	struct dbg_error *err =
	    r ? convert(b, r, bind_prim(b, ELEM_OBJECT), &t.given) : NULL;
	if (err || !name->type)
		return err;
	t.method = r ? "TryBinaryOperation" : "TryUnaryOperation";
	t.binder = dynamic_new(
	    b, t.base, r ? "BinaryOperationBinder" : "UnaryOperationBinder",
	    &name, 1, x);
	return attempt(b, l, &t, x, ret);
}

struct dbg_error *metaobject_cast(struct binder *b, struct bound *v,
				  struct type *to, const struct expr *x,
				  struct bound **ret)
{
	struct attempt t = {.base = dynamic_base(b, v), .method = "TryConvert"};
	struct bound *args[2];
	*ret = NULL;
	if (!t.base)
		return NULL;
	args[0] = bound_type_object(b, to, x);
	args[1] = bound_int(b, ELEM_BOOLEAN, 1, x);
	t.binder = dynamic_new(b, t.base, "ConvertBinder", args, 2, x);
	struct dbg_error *err = attempt(b, v, &t, x, ret);
	return err || !*ret ? err : convert_cast(b, *ret, to, ret);
}
