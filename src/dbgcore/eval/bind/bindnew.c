/*
 * Objects, arrays and interpolated strings bound: constructors are chosen as
 * methods are; an interpolated string is a call of string.Format(), which means
 * the same as what the compiler would emit.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindtuple.h"
#include "eval/overload/conversion.h"
#include "eval/overload/overload.h"
#include "code/code.h"

enum {
	ELEMENTS_MAX = 4096 /* of an array of several dimensions */
};

struct type *bind_common_type(struct binder *b, struct bound *const *list,
			      size_t n)
{
	struct type *best = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		if (!list[i]->type || list[i]->kind == BOUND_THROW)
			continue;
		while (k < n && (list[k]->kind == BOUND_THROW ||
				 conversion_find(b, list[k], list[i]->type)))
			k++;
		// of a byte and the constant 1, which fits a byte, it is int
		if (k == n &&
		    (!best || (conversion_of_types(b, best, list[i]->type) &&
			       !conversion_of_types(b, list[i]->type, best))))
			best = list[i]->type;
	}
	// `c ? 1 : null` has no type of its own in C#: int? is meant.
	for (size_t i = 0; !best && i < n; i++) {
		size_t k = 0;
		if (!list[i]->type || !list[i]->type->is_value ||
		    list[i]->type->special == TYPE_SPECIAL_NULLABLE)
			continue;
		struct type *type = type_nullable(b->ts, list[i]->type);
		while (k < n && conversion_find(b, list[k], type))
			k++;
		best = k == n ? type : NULL;
	}
	return best;
}

/* An abstract class, a static one, or an interface. */
static bool is_abstract(const struct type *type)
{
	return (type->kind == TYPE_KIND_CLASS ||
		type->kind == TYPE_KIND_INTERFACE) &&
	       type->flags & TYPE_ABSTRACT;
}

/* new D(d), where d is a delegate, is one of d.Invoke (12.8.17.5). */
static struct dbg_error *new_delegate(struct binder *b, const struct expr *x,
				      struct bound *of, struct type *type,
				      struct bound **ret)
{
	struct dbg_error *err = NULL;
	if (of->type && of->type->is_delegate)
		err = bind_member_of(b, of,
				     made_member(b, x->list[0], "Invoke"), &of);
	return err ? err : convert(b, of, type, ret);
}

static struct dbg_error *construct(struct binder *b, const struct expr *x,
				   struct type *type, struct bound **ret)
{
	struct call c = {.x = x, .name = ".ctor"};
	struct choice best = {0};
	struct type_method *all[64];
	struct dbg_error *err = call_arguments(b, x->list, x->n_list, &c);
	if (!err && is_abstract(type))
		err = dbg_err_cs(
		    144,
		    bind_error(b, x, "'%s' is abstract: no object can be one",
			       type_name(b->ts, type)));
	if (err)
		return err;
	// a structure has one without parameters if it says so (C# 10)
	if (type->is_value && !c.n &&
	    !type_method_named(b->ts, type, ".ctor", 0)) {
		*ret = bound_make(b, BOUND_DEFAULT, type, x);
		return NULL;
	}
	if (type->is_delegate && c.n == 1)
		return new_delegate(b, x, c.args[0], type, ret);
	size_t n = methods_named(b, type, ".ctor", all, 64);
	err = call_resolve(b, &c, all, n, &best);
	if (err)
		return err;
	if (!best.method && n)
		return call_refused(b, &c, all, n);
	if (!best.method)
		return dbg_err_cs(1729,
				  bind_error(b, x, "'%s' has no constructor",
					     type_name(b->ts, type)));
	*ret = bound_make(b, BOUND_NEW, type, x);
	(*ret)->method = best.method;
	(*ret)->list = arena_copy(b->arena, best.args, best.sig->n_params,
				  sizeof(best.args[0]));
	(*ret)->n_list = best.sig->n_params;
	return NULL;
}

/* object.Add(element) */
static struct dbg_error *add_element(struct binder *b, struct bound *object,
				     const struct expr *x, struct bound **ret)
{
	struct call c = {.x = x, .name = "Add"};
	struct choice best = {0};
	struct type_method *all[32];
	bool several = x->kind == EXPR_COLLECTION_INITIALIZER;
	size_t n = several ? x->n_list : 1;
	struct dbg_error *err = NULL;
	for (; !err && c.n < n && c.n < BIND_ARGS_MAX; c.n++)
		err = bind_operand(b, several ? x->list[c.n] : x, &c.args[c.n]);
	for (struct type *t = object->type; !err && t && !best.method;) {
		n = methods_named(b, t, "Add", all, 32);
		err = call_resolve(b, &c, all, n, &best);
		if (!err)
			err = type_parent(b->ts, t, &t);
	}
	if (err)
		return err;
	if (!best.method) {
		err = call_assignment_operator(b, object, &c, ret);
		return err || *ret ? err
				   : bind_error(b, x, "no 'Add' of '%s' fits",
						type_name(b->ts, object->type));
	}
	struct bound *args[BIND_ARGS_MAX + 1] = {object};
	memcpy(args + 1, best.args, c.n * sizeof(args[0]));
	*ret = bound_call(b, best.method, args, c.n + 1, best.sig->ret, x);
	return NULL;
}

static struct dbg_error *members(struct binder *b, struct bound *object,
				 const struct expr *init, struct bound **ret);

/* object.Name = value, object[index] = value, object.Name = { ... } */
static struct dbg_error *set_member(struct binder *b, struct bound *object,
				    const struct expr *x, struct bound **ret)
{
	struct bound *place, *value, *store;
	struct expr *member =
	    made_node(b, x->name ? EXPR_MEMBER : EXPR_INDEX, x);
	member->a = made_name(b, object->var->name, x);
	member->name = x->name;
	if (x->name)
		member->end = member->start + (uint32_t)strlen(x->name);
	member->list = x->list;
	member->n_list = x->n_list;
	struct dbg_error *err = bind_value(b, member, &place);
	if (err)
		return err;
	if (x->b->kind == EXPR_OBJECT_INITIALIZER ||
	    x->b->kind == EXPR_COLLECTION_INITIALIZER) {
		made_keep(b, place, &store);
		err = members(b, store->a, x->b, &value);
		if (!err)
			*ret = bound_after(b, &store, 1, value);
		return err;
	}
	err = bind_operand(b, x->b, &value);
	return err ? err : assign_to(b, place, value, ret);
}

static struct dbg_error *members(struct binder *b, struct bound *object,
				 const struct expr *init, struct bound **ret)
{
	struct bound **list =
	    arena_calloc(b->arena, init->n_list + 1, sizeof(*list));
	for (size_t i = 0; i < init->n_list; i++) {
		const struct expr *x = init->list[i];
		struct dbg_error *err =
		    init->kind == EXPR_OBJECT_INITIALIZER
			? set_member(b, object, x, &list[i])
			: add_element(b, object, x, &list[i]);
		if (err)
			return err;
	}
	*ret = bound_after(b, list, init->n_list, object);
	return NULL;
}

static struct dbg_error *initialize(struct binder *b, struct bound *object,
				    const struct expr *init, struct bound **ret)
{
	struct bound *store;
	made_keep(b, object, &store);
	struct dbg_error *err = members(b, store->a, init, ret);
	if (!err)
		*ret = bound_after(b, &store, 1, *ret);
	return err;
}

struct dbg_error *bind_new(struct binder *b, const struct expr *x,
			   struct type *type, struct bound **ret)
{
	struct dbg_error *err = construct(b, x, type, ret);
	return err || !x->b ? err : initialize(b, *ret, x->b, ret);
}

/* An object of an anonymous type again, with other values. */
static struct dbg_error *with_anonymous(struct binder *b, const struct expr *x,
					struct bound *of, struct bound **ret)
{
	const struct type_property *all;
	size_t n;
	struct bound *store, *list[BIND_ARGS_MAX];
	const struct expr *name = made_keep(b, of, &store);
	type_properties(b->ts, of->type, &all, &n);
	if (n > BIND_ARGS_MAX)
		return bind_error(b, x, "too many members");
	for (size_t i = 0; i < n; i++) {
		const struct expr *value = made_member(b, name, all[i].name);
		for (size_t k = 0; k < x->b->n_list; k++) {
			const struct expr *item = x->b->list[k];
			if (item->name && !strcmp(item->name, all[i].name))
				value = item->b;
		}
		struct type *type;
		struct dbg_error *err =
		    bind_value(b, made_member(b, name, all[i].name), &list[i]);
		if (err)
			return err;
		type = list[i]->type;
		err = bind_operand(b, value, &list[i]);
		if (!err)
			err = convert(b, list[i], type, &list[i]);
		if (err)
			return err;
	}
	struct bound *made = bound_make(b, BOUND_NEW, of->type, x);
	made->method = type_method_named(b->ts, of->type, ".ctor", (int)n);
	made->list = arena_copy(b->arena, list, n, sizeof(*list));
	made->n_list = n;
	*ret = bound_after(b, &store, 1, made);
	return NULL;
}

/* A copy (12.10 of C# 9's records; any struct), with members set. */
struct dbg_error *bind_with(struct binder *b, const struct expr *x,
			    struct bound **ret)
{
	struct bound *of;
	struct type_method *clone = NULL;
	struct dbg_error *err = bind_value(b, x->a, &of);
	if (err)
		return err;
	for (struct type *t = of->type; t && !clone && !t->is_value;) {
		clone = type_method_named(b->ts, t, "<Clone>$", 0);
		err = type_parent(b->ts, t, &t);
		if (err)
			return err;
	}
	if (!clone && strchr(type_simple_name(of->type), '<'))
		return with_anonymous(b, x, of, ret);
	if (!clone && !of->type->is_value)
		return bind_error(b, x, "'%s' is no record",
				  type_name(b->ts, of->type));
	if (clone) {
		struct type *type = of->type;
		of = bound_call(b, clone, &of, 1, clone->owner, x);
		err = convert_cast(b, of, type, &of);
	}
	return err ? err : initialize(b, of, x->b, ret);
}

/* ---- Arrays ---------------------------------------------------------- */

static struct dbg_error *elements(struct binder *b, const struct expr *init,
				  struct type *element, struct bound *array)
{
	size_t n = init->n_list;
	struct bound **list = arena_calloc(b->arena, n + 1, sizeof(*list));
	for (size_t i = 0; i < n; i++) {
		struct dbg_error *err =
		    bind_operand(b, init->list[i], &list[i]);
		if (err)
			return err;
	}
	if (!element)
		element = bind_common_type(b, list, n);
	if (!element)
		return dbg_err_cs(
		    826,
		    bind_error(b, init, "the elements have no common type"));
	for (size_t i = 0; i < n; i++) {
		struct dbg_error *err = convert(b, list[i], element, &list[i]);
		if (err)
			return err;
	}
	array->type = type_vector(b->ts, element);
	array->list = list;
	array->n_list = n;
	return NULL;
}

/* The elements of nested braces, row by row; *sizes as they are found. */
static struct dbg_error *flatten(struct binder *b, const struct expr *init,
				 uint32_t rank, size_t *sizes,
				 struct bound **list, size_t *n)
{
	if (init->kind != EXPR_COLLECTION_INITIALIZER)
		return bind_error(b, init, "elements in braces are wanted");
	if (*sizes != SIZE_MAX && *sizes != init->n_list)
		return bind_error(b, init, "%zu elements are wanted", *sizes);
	*sizes = init->n_list;
	for (size_t i = 0; i < init->n_list; i++) {
		const struct expr *x = init->list[i];
		if (rank == 1 && *n == ELEMENTS_MAX)
			return bind_error(b, x, "too many elements");
		struct dbg_error *err =
		    rank == 1 ? bind_operand(b, x, &list[(*n)++])
			      : flatten(b, x, rank - 1, sizes + 1, list, n);
		if (err)
			return err;
	}
	return NULL;
}

/* array.Set(indexes..., value) for every element. */
static struct dbg_error *set_all(struct binder *b, struct bound *array,
				 const size_t *sizes, struct bound **list,
				 size_t n, struct bound **ret)
{
	struct type *type = array->type;
	struct bound *args[ARRAY_RANK_MAX + 2], *store;
	struct bound **sets = arena_calloc(b->arena, n + 1, sizeof(*sets));
	struct type_method *set =
	    type_method_of_array(b->ts, type, TYPE_ARRAY_SET);
	made_keep(b, array, &store);
	sets[0] = store;
	args[0] = store->a;
	for (size_t i = 0; i < n; i++) {
		size_t rest = i;
		for (uint32_t k = type->rank; k > 0; k--) {
			args[k] = bound_int(b, ELEM_I4,
					    (int64_t)(rest % sizes[k - 1]),
					    array->syntax);
			rest /= sizes[k - 1];
		}
		struct dbg_error *err =
		    convert(b, list[i], type->inner, &args[type->rank + 1]);
		if (err)
			return err;
		sets[i + 1] =
		    bound_call(b, set, args, type->rank + 2,
			       bind_prim(b, ELEM_VOID), array->syntax);
	}
	*ret = bound_after(b, sets, n + 1, store->a);
	return NULL;
}

/* An array of several dimensions. */
static struct dbg_error *new_array_of_rank(struct binder *b,
					   const struct expr *x,
					   struct type *type,
					   struct bound **ret)
{
	size_t sizes[ARRAY_RANK_MAX], n = 0;
	uint32_t rank = type ? type->rank : x->rank;
	struct bound **list =
	    arena_calloc(b->arena, ELEMENTS_MAX, sizeof(*list));
	struct bound *args[ARRAY_RANK_MAX];
	struct dbg_error *err = NULL;
	if (rank > ARRAY_RANK_MAX || (x->n_list && x->n_list != rank))
		return bind_error(b, x, "an array of %u dimensions", rank);
	for (uint32_t i = 0; i < rank; i++)
		sizes[i] = SIZE_MAX;
	if (x->b)
		err = flatten(b, x->b, rank, sizes, list, &n);
	if (!err && !type) {
		struct type *element = bind_common_type(b, list, n);
		if (!element)
			return dbg_err_cs(
			    826, bind_error(
				     b, x, "the elements have no common type"));
		type = type_array(b->ts, element, rank);
	}
	for (uint32_t i = 0; !err && i < rank; i++) {
		args[i] = bound_int(b, ELEM_I4, (int64_t)sizes[i], x);
		if (x->n_list)
			err = bind_operand(b, x->list[i], &args[i]);
		if (!err)
			err = convert(b, args[i], bind_prim(b, ELEM_I4),
				      &args[i]);
	}
	if (err)
		return err;
	*ret = bound_make(b, BOUND_NEW, type, x);
	(*ret)->method = type_method_of_array(b->ts, type, TYPE_ARRAY_NEW);
	(*ret)->list = arena_copy(b->arena, args, rank, sizeof(*args));
	(*ret)->n_list = rank;
	return x->b ? set_all(b, *ret, sizes, list, n, ret) : NULL;
}

/* `stackalloc` is a span of an array that only the machine has. */
static struct dbg_error *span_of(struct binder *b, struct bound **io)
{
	struct type *span;
	struct dbg_error *err = bind_core(b, "System.Span`1", &span);
	return err ? err
		   : convert(b, *io,
			     type_instance(b->ts, span, &(*io)->type->inner, 1),
			     io);
}

static struct dbg_error *new_array(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	struct type *type = NULL;
	struct bound *size = NULL;
	struct dbg_error *err = NULL;
	if (x->type)
		err = bind_type(b, x->type, &type);
	if (err)
		return err;
	if (x->n_list > 1 || x->rank > 1 ||
	    (type && type->elem != ELEM_SZARRAY))
		return new_array_of_rank(b, x, type, ret);
	*ret = bound_make(b, BOUND_ARRAY, type, x);
	if (x->b)
		err = elements(b, x->b, type ? type->inner : NULL, *ret);
	size = bound_int(b, ELEM_I4, (int64_t)(*ret)->n_list, x);
	if (!err && x->n_list) {
		err = bind_operand(b, x->list[0], &size);
		if (!err)
			err = convert(b, size, bind_prim(b, ELEM_I4), &size);
	}
	(*ret)->a = size;
	return err;
}

struct dbg_error *bind_new_array(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct dbg_error *err = new_array(b, x, ret);
	if (err || !x->on_stack)
		return err;
	return (*ret)->type && (*ret)->type->elem == ELEM_SZARRAY
		   ? span_of(b, ret)
		   : bind_error(b, x,
				"no best type found for the elements of '%s'",
				bind_source(b, x));
}

/* ---- Interpolated strings -------------------------------------------- */

static void add_ascii(struct binder *b, uint16_t **units, size_t *n,
		      const char *text)
{
	size_t len = strlen(text);
	uint16_t *more = arena_calloc(b->arena, *n + len + 1, sizeof(*more));
	if (*n)
		memcpy(more, *units, *n * sizeof(*more));
	for (size_t i = 0; i < len; i++)
		more[(*n)++] = (unsigned char)text[i];
	*units = more;
}

static void add_units(struct binder *b, uint16_t **units, size_t *n,
		      const uint16_t *from, size_t n_from, bool escape)
{
	uint16_t *more =
	    arena_calloc(b->arena, *n + 2 * n_from + 1, sizeof(*more));
	if (*n)
		memcpy(more, *units, *n * sizeof(*more));
	for (size_t i = 0; i < n_from; i++) {
		uint16_t c = from[i];
		if (escape && (c == '{' || c == '}'))
			more[(*n)++] = c;
		more[(*n)++] = c;
	}
	*units = more;
}

/* The text with "{0,5:D}" in place of the holes, and their values. */
static struct dbg_error *format_of(struct binder *b, const struct expr *x,
				   struct bound *format, struct bound *array)
{
	struct type *object = bind_prim(b, ELEM_OBJECT);
	uint16_t *units = NULL;
	array->list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*array->list));
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *part = x->list[i];
		struct bound *v, *width;
		if (part->kind == EXPR_LITERAL) {
			add_units(b, &units, &format->n_units,
				  part->token->units, part->token->n_units,
				  true);
			continue;
		}
		struct dbg_error *err = bind_operand(b, part->a, &v);
		if (!err)
			err = convert(b, v, object, &v);
		if (err)
			return err;
		add_ascii(b, &units, &format->n_units,
			  arena_printf(b->arena, "{%zu", array->n_list));
		array->list[array->n_list++] = v;
		if (part->b) {
			err = bind_value(b, part->b, &width);
			if (err)
				return err;
			if (width->kind != BOUND_CONST)
				return bind_error(b, part->b,
						  "a constant is wanted");
			add_ascii(b, &units, &format->n_units,
				  arena_printf(b->arena, ",%lld",
					       (long long)width->integer));
		}
		if (part->token) {
			add_ascii(b, &units, &format->n_units, ":");
			add_units(b, &units, &format->n_units,
				  part->token->units, part->token->n_units,
				  false);
		}
		add_ascii(b, &units, &format->n_units, "}");
	}
	format->units = units;
	array->a = bound_int(b, ELEM_I4, (int64_t)array->n_list, x);
	return NULL;
}

/* @name(format, object[]) of @type, whose value the text @x means. */
static struct dbg_error *formatted(struct binder *b, const struct expr *x,
				   struct type *type, const char *name,
				   struct bound **ret)
{
	struct type *vector = type_vector(b->ts, bind_prim(b, ELEM_OBJECT));
	struct bound *format =
	    bound_make(b, BOUND_STRING, bind_prim(b, ELEM_STRING), x);
	struct bound *array = bound_make(b, BOUND_ARRAY, vector, x);
	struct dbg_error *err = format_of(b, x, format, array);
	struct bound *args[2] = {format, array};
	return err ? err : call_static(b, type, name, args, 2, x, ret);
}

/* Is the hole @part a constant text? Then it is part of the literal. */
static bool constant_hole(struct binder *b, const struct expr *part,
			  struct bound **ret)
{
	enum expr_kind kind =
	    part->b || part->token ? EXPR_INTERPOLATED : part->a->kind;
	return (kind == EXPR_NAME || kind == EXPR_MEMBER ||
		kind == EXPR_LITERAL) &&
	       !dbg_err_drop(bind_operand(b, part->a, ret)) &&
	       (*ret)->kind == BOUND_STRING;
}

/* The literal that it is if all of it is constant, else NULL. */
static struct bound *interpolated_constant(struct binder *b,
					   const struct expr *x)
{
	struct bound *text =
	    bound_make(b, BOUND_STRING, bind_prim(b, ELEM_STRING), x);
	struct bound *v;
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *part = x->list[i];
		uint16_t **units = (uint16_t **)&text->units;
		if (part->kind == EXPR_LITERAL) {
			add_units(b, units, &text->n_units, part->token->units,
				  part->token->n_units, false);
			continue;
		}
		if (!constant_hole(b, part, &v))
			return NULL;
		add_units(b, units, &text->n_units, v->units, v->n_units,
			  false);
	}
	return text;
}

/* string.Format, which it means the same as. */
struct dbg_error *bind_interpolated(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	*ret = interpolated_constant(b, x);
	if (*ret)
		return NULL;
	return formatted(b, x, bind_prim(b, ELEM_STRING), "Format", ret);
}

bool interpolated_fits(struct binder *b, const struct bound *v,
		       const struct type *to)
{
	return v->syntax && v->syntax->kind == EXPR_INTERPOLATED &&
	       (to == type_core(b->ts, "System.FormattableString") ||
		to == type_core(b->ts, "System.IFormattable"));
}

struct dbg_error *interpolated_convert(struct binder *b, struct bound *v,
				       struct type *to, struct bound **ret)
{
	struct type *factory;
	struct dbg_error *err = bind_core(
	    b, "System.Runtime.CompilerServices.FormattableStringFactory",
	    &factory);
	if (!err)
		err = formatted(b, v->syntax, factory, "Create", ret);
	return err ? err : convert(b, *ret, to, ret);
}
