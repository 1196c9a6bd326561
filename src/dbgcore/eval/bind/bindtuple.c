/*
 * Tuples. A type of the machine has no element names, so these are noted
 * beside it, for as long as one expression is bound: a name is looked for in
 * all that was noted for the type.
 */
#include "eval/bind/bindtuple.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bindmade.h"
#include "eval/overload/conversion.h"
#include "eval/lookup.h"

enum {
	OWN_MAX = 7, /* elements, before the rest */
	NESTING_MAX = 16,
	LISTED_MAX = 256, /* names in a type */
};

/* ---- Types ----------------------------------------------------------- */

static bool is_tuple(const struct type *type)
{
	return type && type->kind == TYPE_KIND_STRUCT && type->n_args &&
	       str_starts(type_simple_name(type), "ValueTuple`") &&
	       !strcmp(type_namespace(type), "System");
}

size_t tuple_elements(const struct type *type, struct type **ret)
{
	size_t n = 0;
	while (is_tuple(type)) {
		size_t own = type->n_args > OWN_MAX ? OWN_MAX : type->n_args;
		if (n + own > TUPLE_MAX)
			return 0;
		for (size_t i = 0; i < own; i++)
			ret[n++] = type->args[i];
		if (type->n_args <= OWN_MAX)
			return n;
		type = type->args[OWN_MAX];
	}
	return 0;
}

/* NULL: the core library lacks it. */
static struct type *tuple_type(struct binder *b, struct type *const *types,
			       size_t n)
{
	struct type *args[OWN_MAX + 1];
	size_t own = n > OWN_MAX ? OWN_MAX : n;
	memcpy(args, types, own * sizeof(*args));
	if (n > OWN_MAX)
		args[own++] = tuple_type(b, types + OWN_MAX, n - OWN_MAX);
	struct type *def = type_core(
	    b->ts, arena_printf(b->arena, "System.ValueTuple`%zu", own));
	return def && args[own - 1] ? type_instance(b->ts, def, args, own)
				    : NULL;
}

/* ---- Names ----------------------------------------------------------- */

static void note(struct binder *b, struct type *type, const char *const *names,
		 size_t n)
{
	for (const struct tuple_names *t = b->tuples; t; t = t->next) {
		size_t i = 0;
		while (t->type == type && i < n && t->n == n &&
		       (t->names[i] == names[i] ||
			(t->names[i] && names[i] &&
			 !strcmp(t->names[i], names[i]))))
			i++;
		if (i == n)
			return;
	}
	struct tuple_names *t = arena_alloc(b->arena, sizeof(*t));
	t->next = b->tuples;
	t->type = type;
	t->names = arena_copy(b->arena, names, n, sizeof(*names));
	t->n = n;
	b->tuples = t;
}

/* Returns how many names were used. */
static size_t note_tree(struct binder *b, struct type *type,
			const char *const *names, size_t n, int depth)
{
	struct type *elements[TUPLE_MAX];
	size_t used = tuple_elements(type, elements);
	if (depth > NESTING_MAX || used > n)
		return n;
	if (used)
		note(b, type, names, used);
	if (type->n_args > OWN_MAX)
		return n;
	if (type->kind == TYPE_KIND_ARRAY || type->kind == TYPE_KIND_BYREF)
		used += note_tree(b, type->inner, names, n, depth + 1);
	for (size_t i = 0; i < type->n_args && used < n; i++)
		used += note_tree(b, type->args[i], names + used, n - used,
				  depth + 1);
	return used;
}

void tuple_note_tree(struct binder *b, struct type *type,
		     const char *const *names, size_t n)
{
	if (n)
		note_tree(b, type, names, n, 0);
}

void tuple_note_written(struct binder *b, const struct expr *x)
{
	const char *names[TUPLE_MAX];
	struct type *type;
	bool is_tuple = x->kind == EXPR_TUPLE_TYPE, any = false;
	for (size_t i = 0; is_tuple && i < x->n_list; i++) {
		if (i < TUPLE_MAX)
			names[i] = x->list[i]->name;
		any |= x->list[i]->name != NULL;
		tuple_note_written(b, x->list[i]->type);
	}
	if (any && x->n_list <= TUPLE_MAX &&
	    !dbg_err_drop(lookup_type(b->e, x, &type)))
		note(b, type, names, x->n_list);
	for (size_t i = 0; i < x->n_args; i++)
		tuple_note_written(b, x->args[i]);
	if (x->a)
		tuple_note_written(b, x->a);
}

/*
 * The names of tuple elements as a compiler would list them for a type, made of
 * the names that were noted.
 */
struct listed {
	const char *names[LISTED_MAX];
	size_t n;
	bool any;
};

static void list_own(struct binder *b, const struct type *type, size_t n,
		     struct listed *l)
{
	const struct tuple_names *t = b->tuples;
	while (t && (t->type != type || t->n != n))
		t = t->next;
	for (size_t i = 0; i < n; i++) {
		l->names[l->n++] = t ? t->names[i] : NULL;
		l->any |= t && t->names[i];
	}
}

static void list_tree(struct binder *b, struct type *type, int depth,
		      struct listed *l)
{
	struct type *elements[TUPLE_MAX];
	size_t n = tuple_elements(type, elements);
	if (depth > NESTING_MAX || l->n + n > LISTED_MAX)
		return;
	list_own(b, type, n, l);
	if (type->kind == TYPE_KIND_ARRAY || type->kind == TYPE_KIND_BYREF)
		list_tree(b, type->inner, depth + 1, l);
	for (size_t i = 0; i < type->n_args; i++)
		list_tree(b, type->args[i], depth + 1, l);
}

void tuple_name_value(struct binder *b, struct type *type, struct value *v)
{
	struct listed l = {.n = 0};
	if (!b->tuples || !v->type || v->names ||
	    v->type != value_type_closed(type))
		return;
	list_tree(b, type, 0, &l);
	if (l.any)
		value_name(v,
			   arena_copy(b->arena, l.names, l.n, sizeof(*l.names)),
			   l.n);
}

/* The element of this name; -1: none, -2: more than one. */
static int named(const struct binder *b, const struct type *type,
		 const char *name)
{
	int found = -1;
	for (const struct tuple_names *t = b->tuples; t; t = t->next) {
		for (size_t i = 0; t->type == type && i < t->n; i++) {
			if (!t->names[i] || strcmp(t->names[i], name))
				continue;
			if (found >= 0 && found != (int)i)
				return -2;
			found = (int)i;
		}
	}
	return found;
}

/* ---- Elements -------------------------------------------------------- */

struct dbg_error *tuple_item(struct binder *b, struct bound *of, size_t i,
			     const struct expr *x, struct bound **ret)
{
	struct expr *member = made_node(b, EXPR_MEMBER, x);
	for (; i >= OWN_MAX; i -= OWN_MAX) {
		member->name = "Rest";
		struct dbg_error *err = bind_member_of(b, of, member, &of);
		if (err)
			return err;
		member = made_node(b, EXPR_MEMBER, x);
	}
	member->name = arena_printf(b->arena, "Item%zu", i + 1);
	return bind_member_of(b, of, member, ret);
}

struct dbg_error *tuple_member(struct binder *b, struct bound *of,
			       const struct expr *x, struct bound **ret)
{
	struct type *elements[TUPLE_MAX];
	size_t n = tuple_elements(of->type, elements);
	*ret = NULL;
	if (!n)
		return NULL;
	if (str_starts(x->name, "Item")) {
		unsigned long item = strtoul(x->name + 4, NULL, 10);
		if (item > OWN_MAX && item <= n)
			return tuple_item(b, of, item - 1, x, ret);
	}
	int i = named(b, of->type, x->name);
	if (i == -2)
		return bind_error(b, x, "'%s' names different elements of '%s'",
				  x->name, type_name(b->ts, of->type));
	return i < 0 ? NULL : tuple_item(b, of, (size_t)i, x, ret);
}

struct dbg_error *tuple_carried(struct binder *b, struct bound *of,
				const struct expr *x, struct bound **ret)
{
	*ret = NULL;
	while (is_tuple(of->type)) {
		struct dbg_error *err = tuple_member(b, of, x, ret);
		if (err || *ret)
			return err;
		// What was in sight before is in the first element.
		err = tuple_item(b, of, 0, x, &of);
		if (err)
			return err;
	}
	return NULL;
}

/* ---- Literals -------------------------------------------------------- */

/* The name that `(a.B, c)` gives its elements. */
static const char *implied_name(const struct expr *e)
{
	while (e->kind == EXPR_SUPPRESS)
		e = e->a;
	if (e->kind == EXPR_NAME)
		return e->name[0] == '$' ? NULL : e->name;
	return e->kind == EXPR_MEMBER ? e->name : NULL;
}

static struct dbg_error *make(struct binder *b, const struct expr *x,
			      struct bound *const *list,
			      const char *const *names, size_t n,
			      struct bound **ret)
{
	struct type *types[TUPLE_MAX];
	*ret = bound_make(b, BOUND_TUPLE, NULL, x);
	(*ret)->list = arena_copy(b->arena, list, n, sizeof(*list));
	(*ret)->n_list = n;
	for (size_t i = 0; i < n; i++) {
		types[i] = list[i]->type;
		if (!types[i] || types[i]->elem == ELEM_VOID) {
			(*ret)->kind = BOUND_UNTYPED;
			return NULL;
		}
	}
	(*ret)->type = tuple_type(b, types, n);
	if (!(*ret)->type)
		return dbg_err(DBG_E_NOT_FOUND,
			       "no type 'System.ValueTuple' in the program");
	note(b, (*ret)->type, names, n);
	return NULL;
}

struct dbg_error *bind_tuple(struct binder *b, const struct expr *x,
			     struct bound **ret)
{
	struct bound *list[TUPLE_MAX];
	const char *names[TUPLE_MAX];
	if (x->n_list > TUPLE_MAX)
		return bind_error(b, x, "a tuple of %zu elements", x->n_list);
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *item = x->list[i];
		names[i] = item->name ? item->name : implied_name(item->a);
		if (names[i] && (names[i][0] == '?' || names[i][0] == '*'))
			names[i] = NULL;
		struct dbg_error *err = bind_operand(b, item->a, &list[i]);
		if (err)
			return err;
	}
	return make(b, x, list, names, x->n_list, ret);
}

struct dbg_error *tuple_new(struct binder *b, const struct bound *v,
			    struct bound **ret)
{
	struct bound rest = *v, *list[OWN_MAX + 1];
	size_t own = v->n_list > OWN_MAX ? OWN_MAX : v->n_list;
	struct type_method *ctor =
	    type_method_named(b->ts, v->type, ".ctor", (int)v->type->n_args);
	if (!ctor)
		return dbg_err(DBG_E_RUNTIME, "no constructor of '%s'",
			       type_name(b->ts, v->type));
	memcpy(list, v->list, own * sizeof(*list));
	if (v->n_list > OWN_MAX) {
		rest.type = v->type->args[OWN_MAX];
		rest.list = v->list + OWN_MAX;
		rest.n_list = v->n_list - OWN_MAX;
		struct dbg_error *err = tuple_new(b, &rest, &list[own++]);
		if (err)
			return err;
	}
	*ret = bound_make(b, BOUND_NEW, v->type, v->syntax);
	(*ret)->method = ctor;
	(*ret)->list = arena_copy(b->arena, list, own, sizeof(*list));
	(*ret)->n_list = own;
	return NULL;
}

struct dbg_error *tuple_of(struct binder *b, struct bound *const *list,
			   size_t n, const struct expr *x, struct bound **ret)
{
	const char *names[TUPLE_MAX] = {NULL};
	struct bound *v;
	struct dbg_error *err = make(b, x, list, names, n, &v);
	if (!err && !v->type)
		err = bind_error(b, x, "'%s' has no type here",
				 bind_source(b, x));
	return err ? err : tuple_new(b, v, ret);
}

/* ---- Conversions ----------------------------------------------------- */

bool tuple_fits(struct binder *b, const struct bound *v, struct type *to)
{
	struct type *types[TUPLE_MAX];
	size_t n;
	if (to->special == TYPE_SPECIAL_NULLABLE)
		to = to->args[0];
	n = tuple_elements(to, types);
	if (!n || n != v->n_list)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (conversion_find(b, v->list[i], types[i]) == CONVERSION_NONE)
			return false;
	}
	return true;
}

bool tuple_types_fit(struct binder *b, struct type *from, struct type *to)
{
	struct type *x[TUPLE_MAX], *y[TUPLE_MAX];
	size_t n = tuple_elements(from, x);
	if (!n || n != tuple_elements(to, y))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (conversion_of_types(b, x[i], y[i]) == CONVERSION_NONE)
			return false;
	}
	return true;
}

static bool is_literal(const struct bound *v)
{
	return v->kind == BOUND_TUPLE ||
	       (v->kind == BOUND_UNTYPED && v->syntax->kind == EXPR_TUPLE);
}

/* The elements of a literal, or of a value that is kept for it. */
static struct dbg_error *parts(struct binder *b, struct bound *v,
			       struct bound **ret, size_t *ret_n,
			       struct bound **ret_store)
{
	struct type *types[TUPLE_MAX];
	struct dbg_error *err = NULL;
	*ret_store = NULL;
	if (is_literal(v)) {
		*ret_n = v->n_list;
		memcpy(ret, v->list, v->n_list * sizeof(*ret));
		return NULL;
	}
	struct bound *local = bound_local(b, v->type, v->syntax);
	*ret_store = bound_store(b, local, v);
	*ret_n = tuple_elements(v->type, types);
	for (size_t i = 0; !err && i < *ret_n; i++)
		err = tuple_item(b, local, i, v->syntax, &ret[i]);
	return err;
}

struct dbg_error *tuple_convert(struct binder *b, struct bound *v,
				struct type *to, struct bound **ret)
{
	struct type *inner =
	    to->special == TYPE_SPECIAL_NULLABLE ? to->args[0] : to;
	struct type *types[TUPLE_MAX];
	struct bound *list[TUPLE_MAX], *store;
	size_t n;
	struct dbg_error *err = parts(b, v, list, &n, &store);
	if (!err && tuple_elements(inner, types) != n)
		err = bind_error(b, v->syntax, "a tuple of %zu elements", n);
	for (size_t i = 0; !err && i < n; i++)
		err = convert(b, list[i], types[i], &list[i]);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_TUPLE, inner, v->syntax);
	(*ret)->list = arena_copy(b->arena, list, n, sizeof(*list));
	(*ret)->n_list = n;
	if (store)
		*ret = bound_after(b, &store, 1, *ret);
	return inner == to ? NULL : convert(b, *ret, to, ret);
}

/* ---- Equality -------------------------------------------------------- */

static bool is_operand(const struct bound *v)
{
	return is_literal(v) || is_tuple(v->type);
}

struct dbg_error *tuple_equality(struct binder *b, enum op op, struct bound *l,
				 struct bound *r, const struct expr *x,
				 struct bound **ret)
{
	struct bound *xs[TUPLE_MAX], *ys[TUPLE_MAX], *stores[2], *test;
	size_t n, m, n_stores = 0;
	*ret = NULL;
	if (!is_operand(l) || !is_operand(r))
		return NULL;
	struct dbg_error *err = parts(b, l, xs, &n, &stores[0]);
	if (!err)
		n_stores = stores[0] != NULL;
	if (!err)
		err = parts(b, r, ys, &m, &stores[n_stores]);
	if (err)
		return err;
	n_stores += stores[n_stores] != NULL;
	if (n != m)
		return bind_error(b, x, "tuples of %zu and %zu elements", n, m);
	*ret = bound_int(b, ELEM_BOOLEAN, op == OP_EQUAL, x);
	for (size_t i = n; i > 0; i--) {
		err = bind_operator(b, op, xs[i - 1], ys[i - 1], x, &test);
		if (!err)
			err =
			    convert(b, test, bind_prim(b, ELEM_BOOLEAN), &test);
		if (err)
			return err;
		*ret =
		    op == OP_EQUAL
			? bound_choice(b, test, *ret,
				       bound_int(b, ELEM_BOOLEAN, 0, x))
			: bound_choice(b, test,
				       bound_int(b, ELEM_BOOLEAN, 1, x), *ret);
	}
	*ret = bound_after(b, stores, n_stores, *ret);
	return NULL;
}

/* ---- Anonymous objects ----------------------------------------------- */

/* Has the definition these properties, in this order? */
static bool has_members(struct binder *b, struct type *def,
			const char *const *names, size_t n)
{
	const struct type_property *all;
	size_t count;
	type_properties(b->ts, def, &all, &count);
	if (count != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, names[i]))
			return false;
	}
	return true;
}

/* The compiler's type for these members, if the module has one. */
static struct type *find_anonymous(struct binder *b, const char *const *names,
				   size_t n)
{
	struct code_module *m = b->e->scope->module;
	for (uint32_t i = 1; m && i <= md_rows(&m->md, MD_TYPEDEF); i++) {
		if (!str_starts(md_col_string(&m->md, MD_TYPEDEF, i, 1),
				"<>f__AnonymousType"))
			continue;
		struct type *def = type_def(b->ts, m, MD_TOKEN(MD_TYPEDEF, i));
		if (def && def->n_args == n && has_members(b, def, names, n))
			return def;
	}
	return NULL;
}

/*
 * `new { A = x }` of the program's own type, which is shared by all of the
 * same members. If the program has none a tuple of the same names does.
 */
struct dbg_error *bind_anonymous(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct bound *list[TUPLE_MAX];
	const char *names[TUPLE_MAX];
	struct type *types[TUPLE_MAX], *def = NULL;
	size_t n = x->n_list;
	if (n > TUPLE_MAX || !n)
		return bind_error(b, x, "an object of %zu members", n);
	for (size_t i = 0; i < n; i++) {
		names[i] = x->list[i]->name;
		struct dbg_error *err = bind_value(b, x->list[i]->b, &list[i]);
		if (err)
			return err;
		types[i] = list[i]->type;
	}
	if (!x->transparent)
		def = find_anonymous(b, names, n);
	if (!def)
		return make(b, x, list, names, n, ret);
	*ret = bound_make(b, BOUND_NEW, type_instance(b->ts, def, types, n), x);
	(*ret)->method =
	    type_method_named(b->ts, (*ret)->type, ".ctor", (int)n);
	(*ret)->list = arena_copy(b->arena, list, n, sizeof(*list));
	(*ret)->n_list = n;
	return NULL;
}
