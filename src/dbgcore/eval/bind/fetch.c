/*
 * Values of the typed tree as places of the program: a variable, a field of
 * it, an element are read where they lie, so that a result can be assigned
 * to, watched and looked at by its parts. All else is for the machine
 * (evaluate.c), whose results are values again.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind_priv.h"
#include "eval/bind/bindtuple.h"
#include "eval/member.h"

typedef struct dbg_error *fetch_fn(struct binder *b, struct bound *n,
				   struct value *ret);

static struct values *values(struct binder *b)
{
	return b->e->values;
}

struct dbg_error *fetch_missing(struct binder *b, const struct expr *x,
				const struct value *v)
{
	return dbg_err(DBG_E_MEMORY, "'%s' %s", bind_source(b, x),
		       v->where == VALUE_ABSENT && v->why == WHY_OPTIMIZED
			   ? "is optimized out"
			   : "cannot be read");
}

/*
 * Read the object that @n refers to, through by-refs and references. An absent
 * value stays absent.
 */
static struct dbg_error *fetch_object(struct binder *b, struct bound *n,
				      struct value *ret)
{
	struct dbg_error *err = fetch_value(b, n, ret);
	if (!err)
		*ret = value_dereference(values(b), ret);
	return err;
}

static struct value null_of(struct binder *b, struct type *type)
{
	struct type *t = type ? value_type_closed(type) : NULL;
	if (!t)
		t = value_type_of_elem(values(b), ELEM_OBJECT);
	return value_bytes(t, &(uint64_t){0}, sizeof(uint64_t));
}

/* ---- Leaves ---------------------------------------------------------- */

static struct dbg_error *fetch_const(struct binder *b, struct bound *n,
				     struct value *ret)
{
	struct type *type = value_type_closed(n->type);
	float f = (float)n->real;
	if (!type)
		return dbg_err(DBG_E_RUNTIME, "the type '%s' is not known",
			       type_name(b->ts, n->type));
	if (n->type->elem == ELEM_R4)
		*ret = value_bytes(type, &f, sizeof(f));
	else if (n->type->elem == ELEM_R8)
		*ret = value_bytes(type, &n->real, sizeof(n->real));
	else
		*ret = value_bytes(type, &n->integer, sizeof(n->integer));
	return NULL;
}

static struct dbg_error *fetch_text(struct binder *b, struct bound *n,
				    struct value *ret)
{
	*ret = value_text(values(b), n->units, n->n_units);
	return NULL;
}

static struct dbg_error *fetch_default(struct binder *b, struct bound *n,
				       struct value *ret)
{
	if (n->type->kind == TYPE_KIND_STRUCT)
		return machine_value(b, n, ret);
	*ret = null_of(b, n->type);
	return NULL;
}

static struct dbg_error *fetch_null(struct binder *b, struct bound *n,
				    struct value *ret)
{
	(void)n;
	*ret = null_of(b, NULL);
	return NULL;
}

static struct dbg_error *fetch_place(struct binder *b, struct bound *n,
				     struct value *ret)
{
	if (!n->value)
		return machine_value(b, n, ret);
	*ret = *n->value;
	return NULL;
}

static struct dbg_error *fetch_var(struct binder *b, struct bound *n,
				   struct value *ret)
{
	if (!n->var->value)
		return machine_value(b, n, ret);
	*ret = *n->var->value;
	return NULL;
}

/* ---- Fields ---------------------------------------------------------- */

static const struct field *field_of(struct binder *b,
				    const struct type_field *f)
{
	struct type *owner = value_type_closed(f->owner);
	const struct field *all;
	size_t n = 0;
	if (owner) {
		value_type_mt(values(b), owner);
		value_type_fields(values(b), owner, &all, &n);
	}
	for (size_t i = 0; i < n; i++) {
		if (all[i].token == f->token)
			return &all[i];
	}
	return NULL;
}

static struct dbg_error *null_object(struct binder *b, const struct bound *n)
{
	return dbg_err(DBG_E_ARGUMENT, "'%s' is null",
		       bind_source(b, n->syntax));
}

static struct value static_value(struct binder *b, const struct field *f)
{
	if (b->e->trace && f->kind == FIELD_THREAD)
		b->e->trace->of_thread = true;
	return value_static(values(b), f, b->e->scope->thread);
}

/*
 * Until the class is initialised, the interpreter runs its static constructor
 * to tell what the field will be.
 */
bool fetch_is_ready(struct binder *b, const struct type_field *f)
{
	return b->e->trace || f->is_const || f->is_rva ||
	       type_is_initialized(b->ts, f->owner);
}

static struct dbg_error *fetch_field(struct binder *b, struct bound *n,
				     struct value *ret)
{
	struct value of;
	const struct field *f = field_of(b, n->field);
	if (!f)
		return machine_value(b, n, ret);
	if (n->is_static && !fetch_is_ready(b, n->field))
		return machine_value(b, n, ret);
	if (n->is_static) {
		*ret = static_value(b, f);
		return NULL;
	}
	struct dbg_error *err = fetch_object(b, n->a, &of);
	if (err)
		return err;
	if (of.where == VALUE_TEXT)
		return machine_value(b, n, ret);
	if (of.where != VALUE_ABSENT && value_is_null(values(b), &of))
		return null_object(b, n->a);
	*ret = value_field(values(b), &of, f);
	return NULL;
}

/* ---- Elements -------------------------------------------------------- */

/* The indexes of a list; false: one of them is no integer. */
static struct dbg_error *fetch_indexes(struct binder *b,
				       struct bound *const *list, size_t n,
				       int64_t *ret, bool *ret_any)
{
	*ret_any = n > 0 && n <= ARRAY_RANK_MAX;
	for (size_t i = 0; *ret_any && i < n; i++) {
		struct value v;
		uint64_t raw;
		struct dbg_error *err = fetch_value(b, list[i], &v);
		if (err)
			return err;
		v = value_dereference(values(b), &v);
		*ret_any = v.where != VALUE_ABSENT && v.type &&
			   v.type->kind == TYPE_KIND_PRIM &&
			   v.type->elem != ELEM_BOOLEAN &&
			   value_integer(values(b), &v, &raw);
		ret[i] = *ret_any ? (int64_t)raw : 0;
	}
	return NULL;
}

/* Read an element of @of (dereferenced), if it has its elements in a row. */
static struct dbg_error *element_of(struct binder *b, const struct bound *n,
				    const struct value *of,
				    struct bound *const *list, size_t n_list,
				    struct value *ret, bool *ret_any)
{
	int64_t index[ARRAY_RANK_MAX];
	*ret_any = member_has_elements(b->e, of);
	if (!*ret_any)
		return NULL;
	struct dbg_error *err = fetch_indexes(b, list, n_list, index, ret_any);
	if (err || !*ret_any)
		return err;
	err = member_element(b->e, bind_source(b, n->syntax), of, index, n_list,
			     ret);
	// Where the caller wants the exception itself (e->thrown), an index out
	// of range is no error here: the indexer is run and throws it.
	if (err && err->code == DBG_E_ARGUMENT && b->e->thrown) {
		dbg_error_destroy(err);
		*ret_any = false;
		return NULL;
	}
	return err;
}

static struct dbg_error *fetch_element(struct binder *b, struct bound *n,
				       struct value *ret)
{
	struct value of;
	bool any;
	struct dbg_error *err = fetch_object(b, n->a, &of);
	if (!err)
		err = element_of(b, n->a, &of, n->list, n->n_list, ret, &any);
	if (err || any)
		return err;
	return machine_value(b, n, ret);
}

static struct dbg_error *fetch_length(struct binder *b, struct bound *n,
				      struct value *ret)
{
	struct elements els;
	struct value of;
	struct dbg_error *err = fetch_object(b, n->a, &of);
	if (err)
		return err;
	if (of.where == VALUE_ABSENT)
		return fetch_missing(b, n->a->syntax, &of);
	if (value_is_null(values(b), &of))
		return null_object(b, n->a);
	if (!value_elements(values(b), &of, &els))
		return machine_value(b, n, ret);
	*ret = value_bytes(value_type_closed(n->type), &els.n, sizeof(els.n));
	return NULL;
}

/* ---- Getters --------------------------------------------------------- */

/* The method that runs on the object @of (dereferenced). */
static struct type_method *method_on(struct binder *b, const struct bound *n,
				     const struct value *of)
{
	struct type_method *m = n->method;
	struct type *type = of ? value_type_exact(of->type) : NULL;
	if (type && !n->nonvirtual && (m->flags & TYPE_METHOD_VIRTUAL) &&
	    dbg_err_drop(type_method_virtual(b->ts, m, type, &m)))
		return NULL;
	return m;
}

/* Read HasValue and Value of a Nullable by its fields. */
static struct dbg_error *nullable_getter(struct binder *b,
					 const struct bound *n,
					 const struct value *of,
					 struct value *ret, bool *ret_any)
{
	bool null;
	const char *name = n->method->name;
	*ret_any = !strcmp(name, "get_HasValue") || !strcmp(name, "get_Value");
	if (!*ret_any)
		return NULL;
	struct value inner = member_unwrap(values(b), of, &null);
	uint8_t has = !null;
	if (name[4] == 'H')
		*ret = value_bytes(value_type_of_elem(values(b), ELEM_BOOLEAN),
				   &has, 1);
	else if (null)
		return dbg_err(DBG_E_ARGUMENT, "the Nullable has no value");
	else
		*ret = inner;
	return NULL;
}

static bool has_elements(const struct type *type)
{
	static const char *const names[] = {"List`1", "String", "Span`1",
					    "ReadOnlySpan`1"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(type_simple_name(type), names[i]))
			return true;
	}
	return false;
}

/*
 * Read the getter @n of the object @of (dereferenced) without running it;
 * *ret_any false: that is not possible.
 */
static struct dbg_error *getter_on(struct binder *b, struct bound *n,
				   const struct value *of, struct value *ret,
				   bool *ret_any)
{
	struct value got;
	*ret_any = true;
	if (of->type->special == TYPE_SPECIAL_NULLABLE)
		return nullable_getter(b, n, of, ret, ret_any);
	if (n->n_list > 1) {
		*ret_any = has_elements(n->method->owner);
		return *ret_any ? element_of(b,
					     n->list[0]->kind == BOUND_ADDRESS
						 ? n->list[0]->a
						 : n->list[0],
					     of, n->list + 1, n->n_list - 1,
					     ret, ret_any)
				: NULL;
	}
	if (!strcmp(n->method->name, "get_Value") &&
	    value_type_is_thread_local(values(b), of->type)) {
		*ret = value_thread_local(values(b), of, b->e->scope->thread);
		return NULL;
	}
	if (member_length(b->e, of, n->method->name + 4, &got)) {
		*ret = got;
		return NULL;
	}
	struct type_method *m = method_on(b, n, of);
	struct type_field *f = m ? getter_field(b, m) : NULL;
	const struct field *field = f && !f->is_static ? field_of(b, f) : NULL;
	*ret_any = field != NULL;
	if (field)
		*ret = value_field(values(b), of, field);
	return NULL;
}

/* Read a getter's object once, here, whatever the getter does. */
static struct dbg_error *instance_getter(struct binder *b, struct bound *n,
					 struct value *ret)
{
	struct bound *first = n->list[0];
	bool by_ref = first->kind == BOUND_ADDRESS, any;
	struct bound *place = by_ref ? first->a : first;
	struct value raw, of;
	struct dbg_error *err = fetch_value(b, place, &raw);
	if (err)
		return err;
	of = value_dereference(values(b), &raw);
	if (of.where == VALUE_ABSENT) {
		*ret = of;
		return NULL;
	}
	if (value_is_null(values(b), &of) && place->type->is_reference)
		return null_object(b, place);
	err = getter_on(b, n, &of, ret, &any);
	if (err || any)
		return err;
	struct bound *call = arena_copy(b->arena, n, 1, sizeof(*n));
	struct bound *leaf = bound_value(b, &raw, place->type, place->syntax);
	call->list = arena_copy(b->arena, n->list, n->n_list, sizeof(*n->list));
	call->list[0] = leaf;
	if (by_ref) {
		call->list[0] = arena_copy(b->arena, first, 1, sizeof(*first));
		call->list[0]->a = leaf;
	}
	return machine_value(b, call, ret);
}

static struct dbg_error *fetch_call(struct binder *b, struct bound *n,
				    struct value *ret)
{
	const struct field *field = NULL;
	if (!strncmp(n->method->name, "get_", 4)) {
		if (!(n->method->flags & TYPE_METHOD_STATIC))
			return instance_getter(b, n, ret);
		struct type_field *f =
		    n->n_list ? NULL : getter_field(b, n->method);
		field = f && fetch_is_ready(b, f) ? field_of(b, f) : NULL;
	}
	if (!field)
		return machine_value(b, n, ret);
	*ret = static_value(b, field);
	return ret->where == VALUE_ABSENT ? machine_value(b, n, ret) : NULL;
}

/* ---- Pointers -------------------------------------------------------- */

static struct dbg_error *fetch_deref(struct binder *b, struct bound *n,
				     struct value *ret)
{
	struct value at;
	struct type *type = value_type_closed(n->type);
	// an indexer that returns by reference: a span's
	bool element = n->a->kind == BOUND_CALL && n->a->n_list > 1 &&
		       !strcmp(n->a->method->name, "get_Item");
	struct dbg_error *err =
	    element ? instance_getter(b, n->a, &at) : fetch_value(b, n->a, &at);
	if (err)
		return err;
	if (element && at.where != VALUE_ABSENT && at.type &&
	    at.type->kind != TYPE_KIND_BYREF) {
		*ret = at;
		return NULL;
	}
	uint64_t addr;
	if (!type || !value_pointer(values(b), &at, &addr))
		return fetch_missing(b, n->syntax, &at);
	bool by_ref = at.type && at.type->kind == TYPE_KIND_BYREF;
	*ret = addr ? value_memory(type, addr)
		    : value_absent(type, by_ref ? WHY_NONE : WHY_UNREADABLE, 0);
	return NULL;
}

static struct dbg_error *fetch_address(struct binder *b, struct bound *n,
				       struct value *ret)
{
	struct value v;
	struct dbg_error *err = fetch_value(b, n->a, &v);
	if (err)
		return err;
	if (v.type && v.type->kind == TYPE_KIND_BYREF)
		v = value_dereference(values(b), &v);
	if (v.where != VALUE_MEMORY)
		return dbg_err_cs(211,
				  dbg_err(DBG_E_ARGUMENT, "'%s' has no address",
					  bind_source(b, n->a->syntax)));
	*ret = value_bytes(value_type_pointer_to(values(b), v.type), &v.addr,
			   sizeof(v.addr));
	return NULL;
}

/* ---- Conversions ----------------------------------------------------- */

/* Is the settled object @of a @type? */
static bool is_a(struct binder *b, const struct value *of, struct type *type)
{
	struct type *actual = of->where == VALUE_TEXT
				  ? bind_prim(b, ELEM_STRING)
				  : value_type_exact(of->type);
	bool fits = false;
	return actual &&
	       !dbg_err_drop(type_assignable(b->ts, actual, type, &fits)) &&
	       fits;
}

static struct dbg_error *no_cast(struct binder *b, const struct value *of,
				 struct type *to)
{
	return dbg_err(DBG_E_ARGUMENT, "cannot convert '%s' to '%s'",
		       value_type_name(of->type), type_name(b->ts, to));
}

/* castclass, isinst, unboxing, and references seen as a base's. */
static struct dbg_error *fetch_cast(struct binder *b, struct bound *n,
				    struct value *ret)
{
	struct value raw, of;
	struct dbg_error *err = fetch_value(b, n->a, &raw);
	if (err)
		return err;
	of = value_dereference(values(b), &raw);
	*ret = raw;
	if (of.where == VALUE_ABSENT)
		return NULL;
	bool null = value_is_null(values(b), &of);
	if (n->kind == BOUND_UNBOX && n->type->special == TYPE_SPECIAL_NULLABLE)
		return machine_value(b, n, ret);
	if (n->kind == BOUND_UNBOX && null)
		return null_object(b, n->a);
	if (!null && !is_a(b, &of, n->type)) {
		if (n->kind != BOUND_AS)
			return no_cast(b, &of, n->type);
		null = true;
	}
	if (n->kind == BOUND_UNBOX)
		*ret = of;
	else if (null)
		*ret = null_of(b, n->type);
	else if (raw.where != VALUE_TEXT && raw.type->is_reference &&
		 n->type->kind == TYPE_KIND_CLASS)
		ret->type = value_type_closed(n->type);
	return ret->type ? NULL
			 : dbg_err(DBG_E_RUNTIME, "the type '%s' is not known",
				   type_name(b->ts, n->type));
}

/* Read a box: the value in it. */
static struct dbg_error *fetch_box(struct binder *b, struct bound *n,
				   struct value *ret)
{
	bool null;
	struct dbg_error *err = fetch_value(b, n->a, ret);
	if (err || n->a->type->special != TYPE_SPECIAL_NULLABLE)
		return err;
	struct value v = value_dereference(values(b), ret);
	if (v.where != VALUE_ABSENT)
		*ret = member_unwrap(values(b), &v, &null);
	if (v.where != VALUE_ABSENT && null)
		*ret = null_of(b, NULL);
	return NULL;
}

/* ---- Order of evaluation --------------------------------------------- */

struct dbg_error *fetch_truth(struct binder *b, struct bound *n, bool *ret)
{
	struct value v;
	uint64_t raw;
	struct dbg_error *err = fetch_object(b, n, &v);
	if (err)
		return err;
	if (!v.type || v.where == VALUE_ABSENT ||
	    !value_integer(values(b), &v, &raw))
		return fetch_missing(b, n->syntax, &v);
	*ret = raw & 0xff;
	return NULL;
}

static struct dbg_error *fetch_choice(struct binder *b, struct bound *n,
				      struct value *ret)
{
	bool yes;
	if (b->of_machine)
		return machine_value(b, n, ret);
	struct dbg_error *err = fetch_truth(b, n->a, &yes);
	return err ? err : fetch_value(b, yes ? n->b : n->c, ret);
}

/* Is it a variable that only this method uses? */
static bool is_own(const struct bound *n)
{
	return n->kind == BOUND_VAR && !n->var->captured && !n->var->is_param &&
	       !n->var->owner;
}

static struct dbg_error *fetch_effect(struct binder *b, struct bound *n,
				      struct value *ret)
{
	// of a structure the stores into its fields are made by the machine
	if (n->type->kind == TYPE_KIND_STRUCT && n->a->kind == BOUND_EFFECT)
		return machine_value(b, n, ret);
	for (size_t i = 0; i < n->n_list; i++) {
		const struct bound *s = n->list[i];
		if (s->kind != BOUND_STORE || !is_own(s->a) || b->of_machine)
			return machine_value(b, n, ret);
	}
	for (size_t i = 0; i < n->n_list; i++) {
		const struct bound *s = n->list[i];
		struct value v;
		struct dbg_error *err = fetch_value(b, s->b, &v);
		if (err)
			return err;
		s->a->var->value = arena_copy(b->arena, &v, 1, sizeof(v));
	}
	if (n->n_list || n->a->kind == BOUND_BOX)
		return fetch_value(b, n->a, ret);
	// a reference as one to a base or an interface
	if (!n->type->is_reference)
		return fetch_value(b, n->a, ret);
	return fetch_cast(b, n, ret);
}

static fetch_fn *const by_kind[] = {
    [BOUND_CONST] = fetch_const,     [BOUND_STRING] = fetch_text,
    [BOUND_DEFAULT] = fetch_default, [BOUND_PLACE] = fetch_place,
    [BOUND_VAR] = fetch_var,         [BOUND_FIELD] = fetch_field,
    [BOUND_ELEMENT] = fetch_element, [BOUND_LENGTH] = fetch_length,
    [BOUND_DEREF] = fetch_deref,     [BOUND_ADDRESS] = fetch_address,
    [BOUND_CALL] = fetch_call,       [BOUND_CAST] = fetch_cast,
    [BOUND_AS] = fetch_cast,         [BOUND_UNBOX] = fetch_cast,
    [BOUND_BOX] = fetch_box,         [BOUND_CHOICE] = fetch_choice,
    [BOUND_EFFECT] = fetch_effect,   [BOUND_NULL] = fetch_null,
};

struct dbg_error *fetch_value(struct binder *b, struct bound *n,
			      struct value *ret)
{
	fetch_fn *fn = n->kind < sizeof(by_kind) / sizeof(by_kind[0])
			   ? by_kind[n->kind]
			   : NULL;
	struct dbg_error *err = fn ? fn(b, n, ret) : machine_value(b, n, ret);
	if (err)
		return err;
	eval_note(b->e, ret);
	tuple_name_value(b, n->type, ret);
	return NULL;
}
