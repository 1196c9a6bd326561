/*
 * Collection expressions (C# 12). Their node holds the elements, bound; of a
 * spread, the collection that is spread. A conversion to the target type makes
 * the array, the list or another collection of them.
 */
#include "eval/bind/bindcollection.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "eval/bind/bindmade.h"
#include "eval/statement/bindstatement.h"
#include "eval/overload/conversion.h"

/* ---- Types ----------------------------------------------------------- */

static bool is_named(const struct type *type, const char *space,
		     const char *name)
{
	return !strcmp(type_simple_name(type), name) &&
	       !strcmp(type_namespace(type), space);
}

bool collection_is_span(const struct type *type)
{
	return is_named(type, "System", "Span`1") ||
	       is_named(type, "System", "ReadOnlySpan`1");
}

static struct type *as_core(struct binder *b, struct type *type,
			    const char *name)
{
	struct type *def = type_core(b->ts, name), *as = NULL;
	if (!def || dbg_err_drop(type_as(b->ts, type, def, &as)))
		return NULL;
	return as;
}

/*
 * The type of the elements that `foreach` takes from @type; NULL: it cannot be
 * enumerated.
 */
static struct type *iteration_type(struct binder *b, struct type *type)
{
	if (type->kind == TYPE_KIND_ARRAY)
		return type->inner;
	if (collection_is_span(type))
		return type->args[0];
	struct type *as =
	    as_core(b, type, "System.Collections.Generic.IEnumerable`1");
	if (as)
		return as->args[0];
	return as_core(b, type, "System.Collections.IEnumerable")
		   ? bind_prim(b, ELEM_OBJECT)
		   : NULL;
}

/* Interfaces that an array, or a list, stands for. */
static bool is_interface(const struct type *to, bool *ret_list)
{
	static const struct {
		const char *name;
		bool list;
	} all[] = {
	    {"IEnumerable`1", false},         {"IReadOnlyList`1", false},
	    {"IReadOnlyCollection`1", false}, {"IList`1", true},
	    {"ICollection`1", true},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*ret_list = all[i].list;
		if (is_named(to, "System.Collections.Generic", all[i].name))
			return true;
	}
	return false;
}

struct type *collection_element(struct binder *b, struct type *to)
{
	bool list;
	struct type_method *add;
	if (to->special == TYPE_SPECIAL_STRING)
		return NULL;
	if (to->elem == ELEM_SZARRAY)
		return to->inner;
	if (collection_is_span(to))
		return to->args[0];
	if (to->kind == TYPE_KIND_INTERFACE)
		return is_interface(to, &list) ? to->args[0] : NULL;
	if (to->kind != TYPE_KIND_CLASS && to->kind != TYPE_KIND_STRUCT)
		return NULL;
	if (!methods_named(b, to, "Add", &add, 1) &&
	    !type_attribute(type_generic(b->ts, to),
			    "System.Runtime.CompilerServices."
			    "CollectionBuilderAttribute",
			    NULL))
		return NULL;
	return iteration_type(b, to);
}

bool collection_fits(struct binder *b, const struct bound *v, struct type *to)
{
	struct type *element = collection_element(b, to);
	for (size_t i = 0; element && i < v->n_list; i++) {
		const struct bound *part = v->list[i];
		if (v->syntax->list[i]->kind != EXPR_SPREAD) {
			if (!conversion_find(b, part, element))
				return false;
			continue;
		}
		const struct bound item = {.kind = BOUND_DEFAULT,
					   .type =
					       iteration_type(b, part->type)};
		if (!item.type || !conversion_find(b, &item, element))
			return false;
	}
	return element != NULL;
}

struct dbg_error *bind_collection(struct binder *b, const struct expr *x,
				  struct bound **ret)
{
	*ret = bound_make(b, BOUND_UNTYPED, NULL, x);
	(*ret)->list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*(*ret)->list));
	(*ret)->n_list = x->n_list;
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *item = x->list[i];
		bool spread = item->kind == EXPR_SPREAD;
		struct dbg_error *err =
		    spread ? bind_value(b, item->a, &(*ret)->list[i])
			   : bind_operand(b, item, &(*ret)->list[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* ---- Making ---------------------------------------------------------- */

/* new type(list of @args); @args may be NULL: nothing. */
static struct dbg_error *new_of(struct binder *b, struct type *type,
				const struct expr *args, const struct expr *x,
				struct bound **ret)
{
	struct expr *made = made_node(b, EXPR_NEW, args ? args : x);
	if (args) {
		made->list = args->list;
		made->n_list = args->n_list;
	}
	return bind_new(b, made, type, ret);
}

static bool has_spread(const struct expr *x)
{
	for (size_t i = 0; i < x->n_list; i++) {
		if (x->list[i]->kind == EXPR_SPREAD)
			return true;
	}
	return false;
}

/* foreach (var item in array) object.Add(item); */
static struct dbg_error *add_each(struct binder *b, const struct expr *object,
				  const struct expr *array, struct bound **ret)
{
	struct expr *each = made_node(b, STMT_FOREACH, array);
	const struct expr *item = made_name(b, "?item", array);
	each->type = made_node(b, EXPR_VAR_TYPE, array);
	each->name = item->name;
	each->a = (struct expr *)array;
	each->b = made_node(b, STMT_EXPR, array);
	each->b->a = made_call(b, object, "Add", &item, 1);
	return bind_foreach(b, each, ret);
}

/* Does a list take the elements of @part as they are, all at once? */
static bool is_range(struct binder *b, const struct bound *part,
		     struct type *element)
{
	struct type *from = iteration_type(b, part->type);
	return from &&
	       (from == element ||
		conversion_of_types(b, from, element) == CONVERSION_REFERENCE);
}

/* List<element>, new with the arguments @with, that every item is added to. */
static struct dbg_error *make_list(struct binder *b, struct bound *v,
				   struct type *element,
				   const struct expr *with, struct bound **ret)
{
	struct type *def, *type;
	const struct expr *x = v->syntax;
	struct bound **list =
	    arena_calloc(b->arena, v->n_list + 1, sizeof(*list));
	struct dbg_error *err =
	    bind_core(b, "System.Collections.Generic.List`1", &def);
	if (err)
		return err;
	type = type_instance(b->ts, def, &element, 1);
	err = new_of(b, type, with, x, ret);
	if (err)
		return err;
	const struct expr *name = made_keep(b, *ret, &list[0]);
	for (size_t i = 0; !err && i < v->n_list; i++) {
		bool spread = x->list[i]->kind == EXPR_SPREAD;
		struct bound *store, *part = v->list[i];
		if (!spread)
			err = convert(b, part, element, &part);
		if (err)
			return err;
		const struct expr *item = made_keep(b, part, &store);
		const char *add =
		    spread && is_range(b, part, element) ? "AddRange" : "Add";
		err = spread && !is_range(b, part, element)
			  ? add_each(b, name, item, &list[i + 1])
			  : bind_operand(b, made_call(b, name, add, &item, 1),
					 &list[i + 1]);
		if (!err)
			list[i + 1] = bound_after(b, &store, 1, list[i + 1]);
	}
	if (!err)
		*ret = bound_after(b, list, v->n_list + 1, list[0]->a);
	return err;
}

static struct dbg_error *make_array(struct binder *b, struct bound *v,
				    struct type *element, struct bound **ret)
{
	struct bound *list, *store;
	struct dbg_error *err;
	if (has_spread(v->syntax)) {
		err = make_list(b, v, element, NULL, &list);
		if (err)
			return err;
		struct expr *name = made_keep(b, list, &store);
		err =
		    bind_value(b, made_call(b, name, "ToArray", NULL, 0), ret);
		if (!err)
			*ret = bound_after(b, &store, 1, *ret);
		return err;
	}
	*ret =
	    bound_make(b, BOUND_ARRAY, type_vector(b->ts, element), v->syntax);
	(*ret)->list =
	    arena_calloc(b->arena, v->n_list + 1, sizeof(*(*ret)->list));
	(*ret)->n_list = v->n_list;
	(*ret)->a = bound_int(b, ELEM_I4, (int64_t)v->n_list, v->syntax);
	for (size_t i = 0; i < v->n_list; i++) {
		err = convert(b, v->list[i], element, &(*ret)->list[i]);
		if (err)
			return err;
	}
	return NULL;
}

/*
 * Make the call of a collection builder: the arguments of `with(...)`, then
 * @span.
 */
static struct expr *builder_call(struct binder *b, const char *name,
				 const struct expr *with,
				 const struct expr *span)
{
	struct expr *call = made_call(b, span, name, &span, 1);
	if (!with)
		return call;
	struct expr **list =
	    arena_calloc(b->arena, with->n_list + 1, sizeof(*list));
	if (with->n_list)
		memcpy(list, with->list, with->n_list * sizeof(*list));
	list[with->n_list] = call->list[0];
	call->list = list;
	call->n_list = with->n_list + 1;
	return call;
}

/* [CollectionBuilder(typeof(Builder), "Create")] of the type. */
static struct dbg_error *by_builder(struct binder *b, struct bytes blob,
				    struct type *to, const struct expr *with,
				    const struct expr *span, struct bound **ret)
{
	struct reader r;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	struct bytes type = reader_bytes(&r, reader_cuint(&r));
	struct bytes name = reader_bytes(&r, reader_cuint(&r));
	struct bound *of = bound_make(b, BOUND_TYPE, NULL, span), *group;
	if (r.bad)
		return dbg_err(DBG_E_FORMAT, "'%s' has no builder",
			       type_name(b->ts, to));
	// "Ns.Type" or with the assembly behind a comma
	const char *full =
	    arena_strndup(b->arena, (const char *)type.p, type.n);
	full = arena_strndup(b->arena, full, strcspn(full, ","));
	of->type = type_named(b->ts, to->module, full);
	if (!of->type)
		return dbg_err(DBG_E_NOT_FOUND, "no type '%s' in the program",
			       full);
	struct expr *call = builder_call(
	    b, arena_strndup(b->arena, (const char *)name.p, name.n), with,
	    span);
	struct dbg_error *err = bind_member_of(b, of, call->a, &group);
	return err ? err : bind_call_of(b, group, call, ret);
}

static struct dbg_error *from_array(struct binder *b, struct bound *array,
				    struct bytes builder, struct type *to,
				    const struct expr *with, struct bound **ret)
{
	struct bound *stores[2], *made;
	struct type *span;
	made_keep(b, array, &stores[0]);
	struct dbg_error *err = bind_core(b, "System.ReadOnlySpan`1", &span);
	if (err)
		return err;
	span = type_instance(b->ts, span, &array->type->inner, 1);
	err = convert(b, stores[0]->a, span, &made);
	if (err)
		return err;
	const struct expr *name = made_keep(b, made, &stores[1]);
	err = by_builder(b, builder, to, with, name, ret);
	if (!err)
		*ret = bound_after(b, stores, 2, *ret);
	return err;
}

/* new to(...), and Add of each. */
static struct dbg_error *by_add(struct binder *b, struct bound *v,
				struct type *to, struct bound **ret)
{
	const struct expr *x = v->syntax;
	struct bound *array, *list[3];
	if (!has_spread(x)) {
		struct expr *made = made_node(b, EXPR_NEW, x);
		made->b = made_list(b, EXPR_COLLECTION_INITIALIZER,
				    (const struct expr *const *)x->list,
				    v->n_list, x);
		if (x->b) {
			made->list = x->b->list;
			made->n_list = x->b->n_list;
		}
		return bind_new(b, made, to, ret);
	}
	struct dbg_error *err = new_of(b, to, x->b, x, ret);
	if (err)
		return err;
	const struct expr *object = made_keep(b, *ret, &list[0]);
	err = make_array(b, v, collection_element(b, to), &array);
	if (err)
		return err;
	err = add_each(b, object, made_keep(b, array, &list[1]), &list[2]);
	if (!err)
		*ret = bound_after(b, list, 3, list[0]->a);
	return err;
}

struct dbg_error *collection_convert(struct binder *b, struct bound *v,
				     struct type *to, struct bound **ret)
{
	struct type *element = collection_element(b, to);
	const struct expr *with = v->syntax->b;
	struct bytes builder = {0};
	struct bound *array;
	struct dbg_error *err;
	bool list = false;
	bool interface =
	    to->kind == TYPE_KIND_INTERFACE && is_interface(to, &list);
	if (!element)
		return bind_error(b, v->syntax, "'%s' is no collection",
				  type_name(b->ts, to));
	if (is_named(to, "System.Collections.Generic", "List`1") || list) {
		err = make_list(b, v, element, with, ret);
		return err || !list ? err : convert(b, *ret, to, ret);
	}
	bool vector = to->elem == ELEM_SZARRAY || collection_is_span(to);
	bool built = !vector && !interface &&
		     type_attribute(type_generic(b->ts, to),
				    "System.Runtime.CompilerServices."
				    "CollectionBuilderAttribute",
				    &builder);
	if (with && (vector || (interface && with->n_list)))
		return bind_error(b, with, "'%s' is made without arguments",
				  type_name(b->ts, to));
	if (!vector && !interface && !built)
		return by_add(b, v, to, ret);
	err = make_array(b, v, element, &array);
	if (err)
		return err;
	return built ? from_array(b, array, builder, to, with, ret)
		     : convert(b, array, to, ret);
}

struct dbg_error *collection_params(struct binder *b, struct bound *const *list,
				    size_t n, struct type *to,
				    const struct expr *x, struct bound **ret)
{
	const struct expr *parts[BIND_ARGS_MAX];
	struct bound *v = bound_make(b, BOUND_UNTYPED, NULL, x), *array;
	struct type *element =
	    to->elem == ELEM_SZARRAY ? to->inner : to->args[0];
	v->list = arena_copy(b->arena, list, n, sizeof(*list));
	v->n_list = n;
	for (size_t i = 0; i < n; i++)
		parts[i] = list[i]->syntax;
	// what [a, b] would be, but that errors are told of the call
	if (to->kind == TYPE_KIND_CLASS) {
		v->syntax = made_list(b, EXPR_COLLECTION, parts, n, x);
		return collection_convert(b, v, to, ret);
	}
	v->syntax = made_list(b, EXPR_CALL, parts, n, x);
	struct dbg_error *err = make_array(b, v, element, &array);
	array->syntax = x;
	return err ? err : convert(b, array, to, ret);
}
