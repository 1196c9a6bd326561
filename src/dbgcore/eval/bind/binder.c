/*
 * The binder's centre: what each kind of syntax is bound by, and the nodes
 * that all of it makes. Types are the machine's (types/types.h); names of the
 * frame are found by lookup.c, as for expressions that run no code.
 */
#include "eval/bind/bind.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/assign/bindassign.h"
#include "eval/bind/bindchain.h"
#include "eval/bind/bindcollection.h"
#include "eval/bind/bindmade.h"
#include "eval/bind/bindmetaobject.h"
#include "eval/bind/bindop.h"
#include "eval/bind/bindrange.h"
#include "eval/bind/bindtuple.h"
#include "eval/literal.h"
#include "eval/lookup.h"
#include "eval/overload/conversion.h"
#include "eval/syntax/token.h"

/* ---- Element access -------------------------------------------------- */

/* Elements of arrays, and indexers. */

static struct dbg_error *array_element(struct binder *b, struct bound *of,
				       struct call *c, const struct expr *x,
				       struct bound **ret)
{
	struct bound *index[BIND_ARGS_MAX];
	if (c->n != of->type->rank)
		return dbg_err_cs(
		    22, dbg_err(DBG_E_ARGUMENT, "'%s' takes %u indexes",
				bind_source(b, of->syntax), of->type->rank));
	for (size_t i = 0; i < c->n; i++) {
		struct dbg_error *err =
		    convert(b, c->args[i], bind_prim(b, ELEM_I4), &index[i]);
		if (dbg_err_drop(err))
			err = convert(b, c->args[i], bind_prim(b, ELEM_I8),
				      &index[i]);
		else
			err = NULL;
		if (err)
			return err;
	}
	*ret = bound_make(b, BOUND_ELEMENT, of->type->inner, x);
	(*ret)->a = of;
	(*ret)->list = arena_copy(b->arena, index, c->n, sizeof(index[0]));
	(*ret)->n_list = c->n;
	return NULL;
}

/* Getters of the indexers of @type itself. */
static size_t indexers(struct binder *b, struct type *type,
		       struct type_method **ret, size_t max)
{
	const struct type_property *all;
	size_t n, found = 0;
	type_properties(b->ts, type, &all, &n);
	for (size_t i = 0; i < n && found < max; i++) {
		const struct type_sig *sig;
		// A dot: it implements an interface's, and has no name.
		if (!all[i].getter || strchr(all[i].name, '.') ||
		    dbg_err_drop(type_method_sig(b->ts, all[i].getter, &sig)) ||
		    !sig->n_params)
			continue;
		ret[found++] = all[i].getter;
	}
	return found;
}

static struct dbg_error *try_indexers(struct binder *b, struct call *c,
				      struct type *type, struct choice *best)
{
	struct type_method *all[32];
	return call_resolve(b, c, all, indexers(b, type, all, 32), best);
}

/* The best indexer of the type, its bases and interfaces, if one fits. */
static struct dbg_error *find_indexer(struct binder *b, struct type *type,
				      struct call *c, struct choice *best)
{
	struct type *const *all;
	size_t n = 0;
	struct dbg_error *err = NULL;
	for (struct type *t = type; !err && t && !best->method;) {
		err = try_indexers(b, c, t, best);
		if (!err)
			err = type_parent(b->ts, t, &t);
	}
	if (!err && type->kind == TYPE_KIND_INTERFACE)
		err = type_interfaces(b->ts, type, &all, &n);
	for (size_t i = 0; !err && !best->method && i < n; i++)
		err = try_indexers(b, c, all[i], best);
	return err;
}

static struct dbg_error *element_of(struct binder *b, struct bound *of,
				    struct call *c, const struct expr *x,
				    struct bound **ret)
{
	struct choice best = {0};
	*ret = NULL;
	if (of->type->kind == TYPE_KIND_ARRAY)
		return array_element(b, of, c, x, ret);
	struct dbg_error *err = find_indexer(b, of->type, c, &best);
	if (err)
		return err;
	if (best.method)
		return bind_getter(b, of, best.method, best.args,
				   best.sig->n_params, x, ret);
	err = bind_row_element(b, of, c, x, ret);
	if (err || *ret)
		return err;
	err = metaobject_element(b, of, c, ret);
	if (err || *ret)
		return err;
	struct bound *actual = bind_actual(b, of);
	if (actual)
		return element_of(b, actual, c, x, ret);
	return dbg_err_cs(1503, bind_error(b, x->n_list == 1 ? x->list[0] : x,
					   "'%s' has no indexer for this",
					   type_name(b->ts, of->type)));
}

static struct dbg_error *bind_element(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	struct call c = {.x = x, .name = "this[]"};
	struct bound *of;
	struct dbg_error *why, *err = x->a->kind == EXPR_BASE
					  ? bind_any(b, x->a, &of)
					  : bind_value(b, x->a, &of);
	if (err)
		return err;
	bool vector = of->type->elem == ELEM_SZARRAY;
	if (vector && x->n_list == 1) {
		err = bind_counted(b, of, x, ret);
		if (err || *ret)
			return err;
	}
	err = call_arguments(b, x->list, x->n_list, &c);
	if (err)
		return err;
	why = element_of(b, of, &c, x, ret);
	if (!why || vector || x->n_list != 1)
		return why;
	err = bind_counted(b, of, x, ret);
	if (!err && !*ret)
		return why;
	dbg_error_destroy(why);
	return err;
}

/* ---- Unary operators ------------------------------------------------- */

/* (ECMA-334, 12.9). */

static struct dbg_error *bind_unary(struct binder *b, const struct expr *x,
				    struct bound **ret);

static struct dbg_error *negative(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	if (v->kind == BOUND_CONST && v->constant) {
		*ret = arena_copy(b->arena, v, 1, sizeof(*v));
		(*ret)->integer = (int64_t)(0 - (uint64_t)v->integer);
		(*ret)->real = -v->real;
		(*ret)->syntax = x;
		return NULL;
	}
	if (b->checked && v->type->elem != ELEM_R4 &&
	    v->type->elem != ELEM_R8) {
		*ret =
		    bound_binary(b, OP_SUBTRACT,
				 bound_int(b, v->type->elem, 0, x), v, v->type);
		(*ret)->checked = true;
		return NULL;
	}
	*ret = bound_make(b, BOUND_UNARY, v->type, x);
	(*ret)->op = OP_MINUS;
	(*ret)->a = v;
	return NULL;
}

/* -2147483648 is an int, and the least long one a long (6.4.5.3). */
static struct bound *least_integer(struct binder *b, const struct expr *x)
{
	const struct token *t = x->a->token;
	if (x->op != OP_MINUS || x->a->kind != EXPR_LITERAL || x->a->parens ||
	    t->kind != TOKEN_INTEGER || b->text[t->start] == '0' ||
	    strpbrk(bind_source(b, x->a), "uU"))
		return NULL;
	if (t->elem == ELEM_U4 && t->integer == (uint64_t)INT32_MAX + 1)
		return bound_int(b, ELEM_I4, INT32_MIN, x);
	if (t->elem == ELEM_U8 && t->integer == (uint64_t)INT64_MAX + 1)
		return bound_int(b, ELEM_I8, INT64_MIN, x);
	return NULL;
}

/* A nullable operand: null if it is, else of its value. */
static struct dbg_error *lifted_unary(struct binder *b, struct bound *v,
				      const struct expr *x, struct bound **ret)
{
	struct bound *store, *test, *value;
	struct expr *copy = arena_copy(b->arena, x, 1, sizeof(*x));
	v = bound_keep(b, v, &store);
	struct dbg_error *err = bound_open(b, v, &test, &value);
	if (err)
		return err;
	struct bound *kept;
	copy->a = made_keep(b, value, &kept);
	err = bind_unary(b, copy, ret);
	if (err)
		return err;
	struct type *type = type_nullable(b->ts, (*ret)->type);
	*ret = bound_after(b, &kept, 1, *ret);
	err = convert(b, *ret, type, ret);
	if (!err)
		*ret = bound_after(
		    b, &store, 1,
		    bound_choice(b, test, *ret,
				 bound_make(b, BOUND_DEFAULT, type, x)));
	return err;
}

/* Has C# the operator for numbers and enums of this type (12.9)? */
static bool is_predefined(enum op op, const struct bound *v)
{
	if (!v->type)
		return false;
	bool real = v->type->elem == ELEM_R4 || v->type->elem == ELEM_R8;
	if (op == OP_COMPLEMENT)
		return v->type->kind == TYPE_KIND_ENUM ||
		       (type_is_numeric(v->type) && !real);
	return type_is_numeric(v->type);
}

static struct dbg_error *no_operator(struct binder *b, const struct expr *x,
				     const struct bound *v)
{
	return dbg_err_cs(23,
			  bind_error(b, x, "no operator '%s' for '%s'",
				     op_text(x->op), bound_operand_name(b, v)));
}

/*
 * Try the operator of an extension block, where the type has none of its own.
 */
static struct dbg_error *extended(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct dbg_error *err =
	    bind_extension_operator(b, x->op, v, NULL, x, ret);
	return err || *ret ? err : no_operator(b, x, v);
}

static struct dbg_error *negation(struct binder *b, const struct expr *x,
				  struct bound *v, struct bound **ret)
{
	struct type *type = bind_prim(b, ELEM_BOOLEAN);
	if (!conversion_find(b, v, type))
		return extended(b, x, v, ret);
	struct dbg_error *err = convert(b, v, type, &v);
	if (!err)
		*ret = bound_not(b, v);
	return err;
}

static struct dbg_error *bind_unary(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct bound *v;
	if (x->op == OP_ADDRESS || x->op == OP_DEREFERENCE)
		return bind_pointer(b, x, ret);
	if (x->op == OP_INCREMENT || x->op == OP_DECREMENT)
		return bind_step(b, x, ret);
	if (x->op == OP_FROM_END)
		return bind_from_end(b, x, ret);
	*ret = least_integer(b, x);
	if (*ret)
		return NULL;
	struct dbg_error *err = bind_operand(b, x->a, &v);
	if (!err && bound_is_nullable(v))
		return lifted_unary(b, v, x, ret);
	if (!err)
		err = bind_user_operator(b, x->op, v, NULL, x, ret);
	if (err || *ret)
		return err;
	struct type *operand = operator_operand_type(b, x->op, v, NULL);
	if (operand) {
		err = convert(b, v, operand, &v);
		if (!err && bound_is_nullable(v))
			return lifted_unary(b, v, x, ret);
		if (!err)
			err = bind_user_operator(b, x->op, v, NULL, x, ret);
		if (err || *ret)
			return err;
	}
	err = metaobject_operator(b, x->op, v, NULL, x, ret);
	if (err || *ret)
		return err;
	if (x->op == OP_NOT)
		return negation(b, x, v, ret);
	if (!is_predefined(x->op, v))
		return extended(b, x, v, ret);
	bool bits = v->type->kind == TYPE_KIND_ENUM;
	// 12.4.7.2: what is smaller than int becomes int, no uint is negated
	enum elem elem = numeric_promote(v->type->elem, v->type->elem);
	if (x->op == OP_MINUS && v->type->elem == ELEM_U4)
		elem = ELEM_I8;
	err = numeric_check(b, v);
	if (!err && !bits)
		err = convert_cast(b, v, bind_prim(b, elem), &v);
	if (err || x->op == OP_PLUS) {
		*ret = v;
		return err;
	}
	if (x->op == OP_MINUS)
		return negative(b, x, v, ret);
	*ret = bound_make(b, BOUND_UNARY, v->type, x);
	(*ret)->op = OP_COMPLEMENT;
	(*ret)->a = v;
	return NULL;
}

/* ---- Nodes ----------------------------------------------------------- */

struct bound *bound_make(struct binder *b, enum bound_kind kind,
			 struct type *type, const struct expr *x)
{
	struct bound *n = arena_alloc(b->arena, sizeof(*n));
	n->kind = kind;
	n->type = type;
	n->syntax = x;
	return n;
}

struct type *bind_prim(struct binder *b, enum elem elem)
{
	return type_of_elem(b->ts, elem);
}

struct bound *bound_int(struct binder *b, enum elem elem, int64_t value,
			const struct expr *x)
{
	struct bound *n = bound_make(b, BOUND_CONST, bind_prim(b, elem), x);
	n->integer = value;
	n->constant = true;
	return n;
}

struct bound *bound_call(struct binder *b, struct type_method *m,
			 struct bound *const *args, size_t n, struct type *ret,
			 const struct expr *x)
{
	struct bound *call = bound_make(b, BOUND_CALL, ret, x);
	call->method = m;
	call->list = arena_copy(b->arena, args, n, sizeof(*args));
	call->n_list = n;
	return call;
}

struct bound *bound_local(struct binder *b, struct type *type,
			  const struct expr *x)
{
	struct bound *n = bound_make(b, BOUND_VAR, type, x);
	n->var = arena_alloc(b->arena, sizeof(*n->var));
	n->var->type = type;
	n->var->owner = b->lambda;
	if (b->n_locals == b->cap_locals) {
		size_t cap = b->cap_locals ? b->cap_locals * 2 : 8;
		struct bound_var **more =
		    arena_calloc(b->arena, cap, sizeof(*more));
		if (b->n_locals)
			memcpy(more, b->locals, b->n_locals * sizeof(*more));
		b->locals = more;
		b->cap_locals = cap;
	}
	b->locals[b->n_locals++] = n->var;
	return n;
}

const char *bind_source(const struct binder *b, const struct expr *x)
{
	return arena_strndup(b->arena, b->text + x->start, x->end - x->start);
}

/*
 * Where in the text an error about @x points to: for a member its name, for a
 * creation its type.
 */
static uint32_t error_offset(const struct expr *x)
{
	if (x->kind == EXPR_CALL && !x->parens)
		x = x->a;
	if (x->kind == EXPR_NEW && x->type && !x->parens)
		x = x->type;
	if (x->kind == EXPR_BINARY)
		return x->a->start;
	size_t n = x->name ? strlen(x->name) : 0;
	bool member = x->kind == EXPR_MEMBER && !x->n_args && !x->parens;
	return member && x->end - x->start > n ? x->end - (uint32_t)n
					       : x->start;
}

/* " at column 3"; nothing where it is the whole expression that is meant. */
static const char *error_place(const struct binder *b, const struct expr *x,
			       uint32_t at)
{
	if (!at && !b->text[x->end])
		return "";
	return arena_printf(b->arena, " at column %u",
			    token_column(b->text, at));
}

struct dbg_error *bind_error(const struct binder *b, const struct expr *x,
			     const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	_cleanup_free_ char *message = xvasprintf(fmt, ap);
	va_end(ap);
	return dbg_err(DBG_E_ARGUMENT, "%s%s", message,
		       error_place(b, x, error_offset(x)));
}

struct dbg_error *bind_core(struct binder *b, const char *name,
			    struct type **ret)
{
	*ret = type_core(b->ts, name);
	return *ret ? NULL
		    : dbg_err_cs(246,
				 dbg_err(DBG_E_NOT_FOUND,
					 "no type '%s' in the program", name));
}

/* A<,> too, which only typeof is given. */
static struct dbg_error *any_type(struct binder *b, const struct expr *x,
				  struct type **ret)
{
	struct type *type;
	struct dbg_error *err = lookup_type(b->e, x, &type);
	if (err)
		return dbg_err_suffix(err, "%s",
				      error_place(b, x, error_offset(x)));
	*ret = value_type_exact(type);
	return *ret ? NULL
		    : dbg_err_cs(246, dbg_err(DBG_E_NOT_FOUND,
					      "no type '%s' in the program",
					      value_type_name(type)));
}

/* Is it an unbound generic type, A<>, or one made of such a type? */
static bool is_unbound(const struct type *type)
{
	bool unbound = type->inner && is_unbound(type->inner);
	for (size_t i = 0; i < type->n_args && !unbound; i++)
		unbound = type->args[i]->elem == ELEM_VOID ||
			  is_unbound(type->args[i]);
	return unbound;
}

struct dbg_error *bind_type(struct binder *b, const struct expr *x,
			    struct type **ret)
{
	struct dbg_error *err = any_type(b, x, ret);
	if (!err)
		tuple_note_written(b, x);
	if (!err && is_unbound(*ret))
		err = dbg_err_cs(308,
				 bind_error(b, x, "'%s' has no type arguments",
					    type_name(b->ts, *ret)));
	return err;
}

/* ---- Leaves ---------------------------------------------------------- */

struct bound *bound_words(struct binder *b, struct type *type,
			  const uint32_t words[4], const struct expr *x)
{
	struct bound *n = bound_make(b, BOUND_PLACE, type, x);
	n->addr = vm_room(b->vm, 4 * sizeof(*words));
	vm_write(b->vm, n->addr, words, 4 * sizeof(*words));
	return n;
}

struct dbg_error *bound_decimal(struct binder *b, const char *text,
				const struct expr *x, struct bound **ret)
{
	struct type *type;
	struct decimal d;
	uint32_t words[4];
	struct dbg_error *err = bind_core(b, "System.Decimal", &type);
	if (err)
		return err;
	if (!decimal_parse(text, &d))
		return bind_error(b, x, "bad number '%sm'", text);
	decimal_store(&d, words);
	*ret = bound_words(b, type, words, x);
	return NULL;
}

/* "text"u8: a ReadOnlySpan<byte>. */
static struct dbg_error *bind_utf8(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	_cleanup_str_ struct str text = {0};
	struct type *byte = bind_prim(b, ELEM_U1), *span;
	struct bound *array =
	    bound_make(b, BOUND_ARRAY, type_vector(b->ts, byte), x);
	struct dbg_error *err = bind_core(b, "System.ReadOnlySpan`1", &span);
	if (err)
		return err;
	str_add_utf16(&text, x->token->units, x->token->n_units);
	array->list =
	    arena_calloc(b->arena, text.len + 1, sizeof(*array->list));
	array->n_list = text.len;
	for (size_t i = 0; i < text.len; i++)
		array->list[i] = bound_int(b, ELEM_U1, (uint8_t)text.s[i], x);
	array->a = bound_int(b, ELEM_I4, (int64_t)text.len, x);
	return convert(b, array, type_instance(b->ts, span, &byte, 1), ret);
}

static struct dbg_error *bind_literal(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	const struct token *t = x->token;
	struct bound *n;
	switch (t->kind) {
	case TOKEN_STRING:
		n = bound_make(b, BOUND_STRING, bind_prim(b, ELEM_STRING), x);
		n->units = t->units;
		n->n_units = t->n_units;
		break;
	case TOKEN_DECIMAL:
		return bound_decimal(b, t->text, x, ret);
	case TOKEN_REAL:
		n = bound_make(b, BOUND_CONST, bind_prim(b, t->elem), x);
		n->real = t->real;
		n->constant = true;
		break;
	case TOKEN_UTF8:
		return bind_utf8(b, x, ret);
	default:
		n = bound_int(b, t->elem, (int64_t)t->integer, x);
		break;
	}
	*ret = n;
	return NULL;
}

static struct dbg_error *bind_untyped(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	*ret = bound_make(b, BOUND_UNTYPED, NULL, x);
	return NULL;
}

static struct dbg_error *bind_null(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	*ret = bound_make(b, BOUND_NULL, NULL, x);
	return NULL;
}

static struct dbg_error *bind_bool(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	*ret = bound_int(b, ELEM_BOOLEAN, (int64_t)x->token->integer, x);
	return NULL;
}

/* The left of `name::`, a namespace. */
static struct dbg_error *bind_alias(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	*ret = bound_make(b, BOUND_SPACE, NULL, x);
	(*ret)->name = x->name;
	return NULL;
}

/* ---- Words ----------------------------------------------------------- */

static struct dbg_error *bind_type_node(struct binder *b, const struct expr *x,
					struct bound **ret)
{
	*ret = bound_make(b, BOUND_TYPE, NULL, x);
	return bind_type(b, x, &(*ret)->type);
}

static struct dbg_error *bind_typeof(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct type *type, *of;
	struct dbg_error *err = bind_core(b, "System.Type", &type);
	if (!err)
		err = any_type(b, x->type, &of);
	if (err)
		return err;
	// typeof(A<,>): the arguments are not named.
	if (of->n_args && of->args[0]->elem == ELEM_VOID)
		of = type_def(b->ts, of->module, of->token);
	else if (is_unbound(of))
		return dbg_err_cs(308, bind_error(b, x->type,
						  "'%s' has no type arguments",
						  type_name(b->ts, of)));
	*ret = bound_type_object(b, of, x);
	(*ret)->type = type;
	return NULL;
}

static struct dbg_error *bind_nameof(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	const char *name = x->a->name;
	if (!name)
		return dbg_err_cs(8081,
				  bind_error(b, x->a, "'nameof' needs a name"));
	*ret = bound_text(b, name + (name[0] == '@'), x);
	return NULL;
}

static struct dbg_error *bind_sizeof(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct type *type;
	const struct type_layout *layout;
	struct dbg_error *err = bind_type(b, x->type, &type);
	if (!err && type->is_reference)
		err = dbg_err_cs(
		    208, bind_error(b, x,
				    "cannot take the size of the managed type "
				    "'%s'",
				    type_name(b->ts, type)));
	if (!err)
		err = type_layout(b->ts, type, &layout);
	if (!err)
		*ret = bound_int(b, ELEM_I4, layout->size, x);
	return err;
}

static struct dbg_error *bind_default(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	if (!x->type)
		return bind_untyped(b, x, ret);
	*ret = bound_make(b, BOUND_DEFAULT, NULL, x);
	return bind_type(b, x->type, &(*ret)->type);
}

static struct dbg_error *bind_checked(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	bool checked = b->checked;
	b->checked = !x->unchecked;
	struct dbg_error *err = bind_operand(b, x->a, ret);
	b->checked = checked;
	return err;
}

/*
 * Of the types of a name that copies of a module have, the one that the object
 * cast is of; NULL: there are no such copies, or it is of none.
 */
static struct type *type_in_copy(struct binder *b, const struct expr *x)
{
	struct dotted path;
	struct bound *v;

	if (!lookup_dotted(b->e, x->type, &path) ||
	    !dbg_err_drop(lookup_copies(b->e, path.name, path.n_args)) ||
	    dbg_err_drop(bind_operand(b, x->a, &v)))
		return NULL;
	v = bind_actual(b, v);
	for (struct type *t = v ? v->type : NULL; t;) {
		if (!strcmp(type_name(b->ts, t), path.name))
			return t;
		if (dbg_err_drop(type_parent(b->ts, t, &t)))
			return NULL;
	}
	return NULL;
}

static struct dbg_error *bind_cast(struct binder *b, const struct expr *x,
				   struct bound **ret)
{
	struct type *to;
	struct bound *v;
	struct dbg_error *err = bind_type(b, x->type, &to);
	struct type *copy = err ? type_in_copy(b, x) : NULL;
	if (copy) {
		dbg_error_destroy(err);
		err = NULL;
		to = copy;
	}
	if (!err)
		err = bind_operand(b, x->a, &v);
	if (err)
		return err;
	*ret = NULL;
	if (v->dynamic && !conversion_find(b, v, to))
		err = metaobject_cast(b, v, to, x, ret);
	if (err || *ret)
		return err;
	err = convert_cast(b, v, to, ret);
	if (!err && *ret != v)
		(*ret)->syntax = x;
	if (!err || !v->type)
		return err;
	dbg_error_destroy(err);
	return dbg_err_cs(30, bind_error(b, x, "cannot convert '%s' to '%s'",
					 type_name(b->ts, v->type),
					 type_name(b->ts, to)));
}

static struct dbg_error *bind_choice(struct binder *b, const struct expr *x,
				     struct bound **ret)
{
	struct bound *c, *v[2];
	struct dbg_error *err = bind_operand(b, x->a, &c);
	if (!err)
		err = bind_truth(b, c, x->a, &c);
	if (!err)
		err = bind_operand(b, x->b, &v[0]);
	if (!err)
		err = bind_operand(b, x->c, &v[1]);
	if (err)
		return err;
	struct type *type = bind_common_type(b, v, 2);
	if (!type) {
		*ret = bound_make(b, BOUND_UNTYPED, NULL, x);
		(*ret)->a = c;
		(*ret)->list = arena_copy(b->arena, v, 2, sizeof(*v));
		(*ret)->n_list = 2;
		return NULL;
	}
	for (int i = 0; !err && i < 2; i++)
		err = convert(b, v[i], type, &v[i]);
	if (!err)
		*ret = bound_choice(b, c, v[0], v[1]);
	return err;
}

/* The task's result, if it has one yet: a debugger cannot wait. */
static struct dbg_error *bind_await(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	return bind_operand(b,
			    made_call(b,
				      made_call(b, x->a, "GetAwaiter", NULL, 0),
				      "GetResult", NULL, 0),
			    ret);
}

static struct dbg_error *bind_suppress(struct binder *b, const struct expr *x,
				       struct bound **ret)
{
	return bind_any(b, x->a, ret);
}

static struct dbg_error *bind_throw(struct binder *b, const struct expr *x,
				    struct bound **ret)
{
	struct bound *v;
	struct dbg_error *err = bind_value(b, x->a, &v);
	if (err)
		return err;
	*ret = bound_make(b, BOUND_THROW, NULL, x);
	(*ret)->a = v;
	return NULL;
}

/* ---- Dispatch -------------------------------------------------------- */

typedef struct dbg_error *bind_fn(struct binder *b, const struct expr *x,
				  struct bound **ret);

static bind_fn *const by_kind[] = {
    [EXPR_LITERAL] = bind_literal,
    [EXPR_NULL] = bind_null,
    [EXPR_BOOL] = bind_bool,
    [EXPR_NAME] = bind_name,
    [EXPR_THIS] = bind_name,
    [EXPR_BASE] = bind_name,
    [EXPR_ALIAS] = bind_alias,
    [EXPR_KEYWORD] = bind_type_node,
    [EXPR_ARRAY_TYPE] = bind_type_node,
    [EXPR_NULLABLE_TYPE] = bind_type_node,
    [EXPR_TUPLE_TYPE] = bind_type_node,
    [EXPR_MEMBER] = bind_member,
    [EXPR_INDEX] = bind_element,
    [EXPR_CALL] = bind_call,
    [EXPR_SUPPRESS] = bind_suppress,
    [EXPR_TYPEOF] = bind_typeof,
    [EXPR_NAMEOF] = bind_nameof,
    [EXPR_SIZEOF] = bind_sizeof,
    [EXPR_DEFAULT] = bind_default,
    [EXPR_CHECKED] = bind_checked,
    [EXPR_INTERPOLATED] = bind_interpolated,
    [EXPR_NEW_ARRAY] = bind_new_array,
    [EXPR_UNARY] = bind_unary,
    [EXPR_BINARY] = bind_binary,
    [EXPR_CAST] = bind_cast,
    [EXPR_IS] = bind_is,
    [EXPR_AS] = bind_is,
    [EXPR_CHOICE] = bind_choice,
    [EXPR_SWITCH] = bind_switch,
    [EXPR_THROW] = bind_throw,
    [EXPR_POINTER_TYPE] = bind_type_node,
    [EXPR_LAMBDA] = bind_untyped,
    [EXPR_TUPLE] = bind_tuple,
    [EXPR_ANONYMOUS] = bind_anonymous,
    [EXPR_COLLECTION] = bind_collection,
    [EXPR_RANGE] = bind_range,
    [EXPR_WITH] = bind_with,
    [EXPR_ASSIGN] = bind_assignment,
    [EXPR_POSTFIX] = bind_step,
    [EXPR_AWAIT] = bind_await,
    [EXPR_DECLARATION] = bind_untyped,
};

static struct dbg_error *bind_created(struct binder *b, const struct expr *x,
				      struct bound **ret)
{
	struct type *type;
	if (!x->type)
		return bind_untyped(b, x, ret);
	struct dbg_error *err = bind_type(b, x->type, &type);
	return err ? err : bind_new(b, x, type, ret);
}

struct dbg_error *bind_any(struct binder *b, const struct expr *x,
			   struct bound **ret)
{
	if (++b->steps > BIND_STEPS_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the expression is too complex");
	if (x->kind == EXPR_NEW)
		return bind_created(b, x, ret);
	if (bind_is_conditional(x))
		return bind_conditional(b, x, ret);
	bind_fn *fn = x->kind < sizeof(by_kind) / sizeof(by_kind[0])
			  ? by_kind[x->kind]
			  : NULL;
	if (!fn)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is not served in expressions yet",
			       bind_source(b, x));
	return fn(b, x, ret);
}

enum {
	TYPEDEF_NAMESPACE = 2, // II.22.37
};

/* Has the program a type in the namespace of @n characters, or below? */
static bool is_namespace(const struct binder *b, const char *name, size_t n)
{
	size_t n_modules;
	struct code_module *const *all =
	    code_modules(values_code(b->e->values), &n_modules);
	for (size_t i = 0; i < n_modules; i++) {
		const struct md *md = &all[i]->md;
		for (uint32_t k = md_rows(md, MD_TYPEDEF); k; k--) {
			const char *space =
			    md_col_string(md, MD_TYPEDEF, k, TYPEDEF_NAMESPACE);
			if (!strncmp(space, name, n) &&
			    (!space[n] || space[n] == '.'))
				return true;
		}
	}
	return false;
}

/* The first part of a name that is no namespace is not known. */
static struct dbg_error *unknown_name(const struct binder *b,
				      const struct bound *n)
{
	size_t known = 0, end = strcspn(n->name, ".");
	while (n->name[end] && is_namespace(b, n->name, end)) {
		known = end;
		end += 1 + strcspn(n->name + end + 1, ".");
	}
	if (known)
		return dbg_err_cs(
		    234, dbg_err(DBG_E_NOT_FOUND,
				 "no '%.*s' in '%.*s'%s: no loaded "
				 "assembly has it",
				 (int)(end - known - 1), n->name + known + 1,
				 (int)known, n->name,
				 error_place(b, n->syntax, n->syntax->start)));
	eval_note_unknown(b->e);
	const struct frame *f = b->e->scope->frame;
	bool gone = f && f->kind == DBG_FRAME_THROWN;
	return dbg_err_cs(
	    103, dbg_err(DBG_E_NOT_FOUND, "no '%.*s' in this context%s%s",
			 (int)strcspn(n->name, "."), n->name,
			 error_place(b, n->syntax, n->syntax->start),
			 gone ? ": the frame is not on the stack any more, its "
				"variables are gone"
			      : ""));
}

/* Give a value of type dynamic the type of its object at run time. */
static struct dbg_error *bind_dynamic(struct binder *b, const struct expr *x,
				      struct bound **io)
{
	if (b->params)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is known by its value only",
			       bind_source(b, x));
	struct bound *actual = bind_actual(b, *io);
	if (!actual)
		return NULL;
	*io = actual;
	actual->dynamic = true;
	return NULL;
}

struct dbg_error *bind_operand(struct binder *b, const struct expr *x,
			       struct bound **ret)
{
	if (x->kind == EXPR_BASE)
		return bind_error(b, x,
				  "'base' stands before a member only, as in "
				  "'base.ToString()'");
	struct dbg_error *err = bind_any(b, x, ret);
	if (err)
		return err;
	if ((*ret)->kind == BOUND_TYPE)
		return dbg_err_cs(119, dbg_err(DBG_E_ARGUMENT,
					       "'%s' is a type, not a value",
					       bind_source(b, x)));
	if ((*ret)->kind == BOUND_SPACE)
		return unknown_name(b, *ret);
	return (*ret)->dynamic && x != b->target ? bind_dynamic(b, x, ret)
						 : NULL;
}

struct dbg_error *bind_value(struct binder *b, const struct expr *x,
			     struct bound **ret)
{
	struct dbg_error *err = bind_operand(b, x, ret);
	if (err)
		return err;
	if ((*ret)->kind == BOUND_GROUP)
		return dbg_err_cs(428,
				  dbg_err(DBG_E_ARGUMENT,
					  "'%s' is a method: '%s()' calls it",
					  (*ret)->name, bind_source(b, x)));
	return (*ret)->type ? NULL : lambda_natural(b, *ret, ret);
}
