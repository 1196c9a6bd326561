/*
 * Objects, arrays and interpolated strings bound: constructors are chosen as
 * methods are; an interpolated string is a call of string.Format(), which means
 * the same as what the compiler would emit.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind_priv.h"

struct il_type *bind_common_type(struct binder *b, struct bound *const *list,
				 size_t n)
{
	struct il_type *best = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		if (!list[i]->type || list[i]->kind == BOUND_THROW)
			continue;
		while (k < n && (list[k]->kind == BOUND_THROW ||
				 conversion_find(b, list[k], list[i]->type)))
			k++;
		if (k == n)
			best = list[i]->type;
		// A constant adapts to what is not one.
		if (k == n && list[i]->kind != BOUND_CONST)
			break;
	}
	// `c ? 1 : null` has no type of its own in C#: int? is meant.
	for (size_t i = 0; !best && i < n; i++) {
		size_t k = 0;
		if (!list[i]->type || !list[i]->type->is_value ||
		    list[i]->type->special == IL_SPECIAL_NULLABLE)
			continue;
		struct il_type *type = il_type_nullable(b->ts, list[i]->type);
		while (k < n && conversion_find(b, list[k], type))
			k++;
		best = k == n ? type : NULL;
	}
	return best;
}

static struct dbg_error *construct(struct binder *b, const struct expr *x,
				   struct il_type *type, struct bound **ret)
{
	struct call c = {.x = x, .name = ".ctor"};
	struct choice best = {0};
	struct il_method *all[64];
	struct dbg_error *err = call_arguments(b, x->list, x->n_list, &c);
	if (err)
		return err;
	if (type->is_value && !c.n) {
		*ret = bound_make(b, BOUND_DEFAULT, type, x);
		return NULL;
	}
	size_t n = methods_named(b, type, ".ctor", all, 64);
	err = call_resolve(b, &c, all, n, &best);
	if (err)
		return err;
	if (!best.method)
		return bind_error(b, x, "no constructor of '%s' fits",
				  il_type_name(b->ts, type));
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
	struct il_method *all[32];
	bool several = x->kind == EXPR_COLLECTION_INITIALIZER;
	size_t n = several ? x->n_list : 1;
	struct dbg_error *err = NULL;
	for (; !err && c.n < n && c.n < BIND_ARGS_MAX; c.n++)
		err = bind_operand(b, several ? x->list[c.n] : x, &c.args[c.n]);
	for (struct il_type *t = object->type; !err && t && !best.method;) {
		n = methods_named(b, t, "Add", all, 32);
		err = call_resolve(b, &c, all, n, &best);
		if (!err)
			err = il_type_parent(b->ts, t, &t);
	}
	if (err)
		return err;
	if (!best.method)
		return bind_error(b, x, "no 'Add' of '%s' fits",
				  il_type_name(b->ts, object->type));
	struct bound *args[BIND_ARGS_MAX + 1] = {object};
	memcpy(args + 1, best.args, c.n * sizeof(args[0]));
	*ret = bound_call(b, best.method, args, c.n + 1, best.sig->ret, x);
	return NULL;
}

/* object.Name = value */
static struct dbg_error *set_member(struct binder *b, struct bound *object,
				    const struct expr *x, struct bound **ret)
{
	struct bound *place, *value;
	const struct expr name = {.kind = EXPR_MEMBER,
				  .name = x->name,
				  .start = x->start,
				  .end = x->end};
	if (!x->name || x->b->kind == EXPR_OBJECT_INITIALIZER ||
	    x->b->kind == EXPR_COLLECTION_INITIALIZER)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is not served in expressions yet",
			       bind_source(b, x));
	struct dbg_error *err = bind_member_of(
	    b, object, arena_copy(b->arena, &name, 1, sizeof(name)), &place);
	if (!err)
		err = bind_operand(b, x->b, &value);
	if (!err && !place->type)
		err = bind_error(b, x, "'%s' cannot be set", x->name);
	if (!err)
		err = convert(b, value, place->type, &value);
	if (err)
		return err;
	if (place->kind == BOUND_FIELD) {
		*ret = bound_make(b, BOUND_STORE, place->type, x);
		(*ret)->a = place;
		(*ret)->b = value;
		return NULL;
	}
	struct il_method *set = il_method_named(
	    b->ts, object->type, arena_printf(b->arena, "set_%s", x->name), 1);
	if (!set || !object->type->is_reference)
		return bind_error(b, x, "'%s' cannot be set", x->name);
	struct bound *args[2] = {object, value};
	*ret = bound_call(b, set, args, 2, bind_prim(b, ELEM_VOID), x);
	return NULL;
}

static struct dbg_error *initialize(struct binder *b, struct bound *object,
				    const struct expr *init, struct bound **ret)
{
	struct bound *local = bound_local(b, object->type, object->syntax);
	struct bound **list =
	    arena_calloc(b->arena, init->n_list + 1, sizeof(*list));
	list[0] = bound_make(b, BOUND_STORE, object->type, object->syntax);
	list[0]->a = local;
	list[0]->b = object;
	for (size_t i = 0; i < init->n_list; i++) {
		const struct expr *x = init->list[i];
		struct dbg_error *err =
		    init->kind == EXPR_OBJECT_INITIALIZER
			? set_member(b, local, x, &list[i + 1])
			: add_element(b, local, x, &list[i + 1]);
		if (err)
			return err;
	}
	*ret = bound_make(b, BOUND_EFFECT, object->type, object->syntax);
	(*ret)->list = list;
	(*ret)->n_list = init->n_list + 1;
	(*ret)->a = local;
	return NULL;
}

struct dbg_error *bind_new(struct binder *b, const struct expr *x,
			   struct il_type *type, struct bound **ret)
{
	struct dbg_error *err = construct(b, x, type, ret);
	return err || !x->b ? err : initialize(b, *ret, x->b, ret);
}

/* ---- Arrays ---------------------------------------------------------- */

static struct dbg_error *elements(struct binder *b, const struct expr *init,
				  struct il_type *element, struct bound *array)
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
		return bind_error(b, init, "the elements have no common type");
	for (size_t i = 0; i < n; i++) {
		struct dbg_error *err = convert(b, list[i], element, &list[i]);
		if (err)
			return err;
	}
	array->type = il_type_vector(b->ts, element);
	array->list = list;
	array->n_list = n;
	return NULL;
}

struct dbg_error *bind_new_array(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct il_type *type = NULL;
	struct bound *size = NULL;
	struct dbg_error *err = NULL;
	if (x->type)
		err = bind_type(b, x->type, &type);
	if (err)
		return err;
	if (x->n_list > 1 || x->rank > 1 ||
	    (type && type->elem != ELEM_SZARRAY))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is not served in expressions yet",
			       bind_source(b, x));
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
		      const struct token *t, bool escape)
{
	uint16_t *more =
	    arena_calloc(b->arena, *n + 2 * t->n_units + 1, sizeof(*more));
	if (*n)
		memcpy(more, *units, *n * sizeof(*more));
	for (size_t i = 0; i < t->n_units; i++) {
		uint16_t c = t->units[i];
		if (escape && (c == '{' || c == '}'))
			more[(*n)++] = c;
		more[(*n)++] = c;
	}
	*units = more;
}

/* string.Format(format, object[]), which it means the same as. */
struct dbg_error *bind_interpolated(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct il_type *string = bind_prim(b, ELEM_STRING);
	struct il_type *object = bind_prim(b, ELEM_OBJECT);
	struct il_type *vector = il_type_vector(b->ts, object);
	struct bound *format = bound_make(b, BOUND_STRING, string, x);
	struct bound *array = bound_make(b, BOUND_ARRAY, vector, x);
	uint16_t *units = NULL;
	array->list =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*array->list));
	for (size_t i = 0; i < x->n_list; i++) {
		const struct expr *part = x->list[i];
		struct bound *v, *width;
		if (part->kind == EXPR_LITERAL) {
			add_units(b, &units, &format->n_units, part->token,
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
			add_units(b, &units, &format->n_units, part->token,
				  false);
		}
		add_ascii(b, &units, &format->n_units, "}");
	}
	format->units = units;
	array->a = bound_int(b, ELEM_I4, (int64_t)array->n_list, x);
	struct call c = {
	    .x = x, .name = "Format", .args = {format, array}, .n = 2};
	struct choice best = {0};
	struct il_method *all[32];
	size_t n = methods_named(b, string, "Format", all, 32);
	struct dbg_error *err = call_resolve(b, &c, all, n, &best);
	if (!err && !best.method)
		err = dbg_err(DBG_E_RUNTIME, "no string.Format");
	if (!err)
		*ret = bound_call(b, best.method, best.args, 2, string, x);
	return err;
}
