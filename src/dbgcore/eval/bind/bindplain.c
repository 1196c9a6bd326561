/*
 * Plain computations: what is evaluated while other threads run may read
 * memory and compute, but not ask the runtime for anything. Fields have their
 * offsets, statics their addresses, simple getters are fields, casts compare
 * MethodTables; a virtual call is not plain.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindparam.h"

enum {
	TYPE_SEALED = 0x100, // II.23.1.15
};

static bool plain_place(struct binder *b, struct bound *n)
{
	return !n->value && !vm_owns(b->vm, n->addr);
}

/* Statics keep their place, but for what lies in a box. */
static bool plain_static(struct binder *b, struct bound *n)
{
	struct value v;
	if (n->field->is_thread || n->field->is_rva ||
	    dbg_err_drop(fetch_value(b, n, &v)) || v.where != VALUE_MEMORY ||
	    !v.fixed)
		return false;
	n->kind = BOUND_PLACE;
	n->addr = v.addr;
	return true;
}

static bool plain_field(struct binder *b, struct bound *n)
{
	return n->is_static ? plain_static(b, n) : plain_make(b, n->a);
}

static bool plain_var(struct binder *b, struct bound *n)
{
	(void)b;
	return !n->var->captured;
}

static bool plain_parts(struct binder *b, struct bound *n)
{
	bool plain = (!n->a || plain_make(b, n->a)) &&
		     (!n->b || plain_make(b, n->b)) &&
		     (!n->c || plain_make(b, n->c));
	for (size_t i = 0; plain && i < n->n_list; i++)
		plain = plain_make(b, n->list[i]);
	return plain;
}

static bool plain_leaf(struct binder *b, struct bound *n)
{
	(void)b;
	(void)n;
	return true;
}

static bool plain_default(struct binder *b, struct bound *n)
{
	(void)b;
	return n->type->kind != TYPE_KIND_STRUCT;
}

/* Arrays of one dimension have their elements in a row. */
static bool plain_element(struct binder *b, struct bound *n)
{
	return n->a->type->elem == ELEM_SZARRAY && plain_parts(b, n);
}

static bool plain_store(struct binder *b, struct bound *n)
{
	return n->a->kind == BOUND_VAR && !n->a->var->is_param &&
	       plain_parts(b, n);
}

/* By the types that were met before; others have no answer. */
static bool plain_cast(struct binder *b, struct bound *n)
{
	return !n->type->open && plain_parts(b, n);
}

/* ---- Calls ----------------------------------------------------------- */

static bool is_string_method(const struct type_method *m)
{
	static const char *const names[] = {"op_Equality", "op_Inequality",
					    "get_Chars"};
	if (!m->owner || m->owner->special != TYPE_SPECIAL_STRING)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(m->name, names[i]))
			return true;
	}
	return false;
}

/* Is it this very method that runs, whatever the object? */
static bool is_exact(const struct bound *n)
{
	const struct type_method *m = n->method;
	return !(m->flags & TYPE_METHOD_VIRTUAL) || n->nonvirtual ||
	       (m->flags & TYPE_METHOD_FINAL) || m->owner->is_value ||
	       (m->owner->flags & TYPE_SEALED);
}

/* The field that a call of @m only returns; NULL: it does more. */
static struct type_field *returned_field(struct binder *b,
					 struct type_method *m)
{
	struct type_field *f = NULL;
	if (m->owner->special == TYPE_SPECIAL_STRING &&
	    !strcmp(m->name, "get_Length") &&
	    !dbg_err_drop(
		type_field_find(b->ts, m->owner, "_stringLength", &f)))
		return f;
	return getter_field(b, m);
}

static bool plain_call(struct binder *b, struct bound *n)
{
	struct type_method *m = n->method;
	bool is_static = m->flags & TYPE_METHOD_STATIC;
	if (!m->owner || !is_exact(n))
		return false;
	if (is_string_method(m))
		return plain_parts(b, n);
	struct type_field *f =
	    n->n_list == !is_static ? returned_field(b, m) : NULL;
	if (!f || f->is_static != is_static)
		return false;
	n->kind = BOUND_FIELD;
	n->field = f;
	n->is_static = is_static;
	n->a = is_static ? NULL : n->list[0];
	n->n_list = 0;
	if (n->a && n->a->kind == BOUND_ADDRESS)
		n->a = n->a->a;
	return plain_field(b, n);
}

/* ---- By kind --------------------------------------------------------- */

typedef bool plain_fn(struct binder *b, struct bound *n);

static plain_fn *const by_kind[] = {
    [BOUND_CONST] = plain_leaf,      [BOUND_STRING] = plain_leaf,
    [BOUND_DEFAULT] = plain_default, [BOUND_PLACE] = plain_place,
    [BOUND_VAR] = plain_var,         [BOUND_FIELD] = plain_field,
    [BOUND_ELEMENT] = plain_element, [BOUND_LENGTH] = plain_parts,
    [BOUND_DEREF] = plain_parts,     [BOUND_ADDRESS] = plain_parts,
    [BOUND_CALL] = plain_call,       [BOUND_NUMBER] = plain_parts,
    [BOUND_UNARY] = plain_parts,     [BOUND_BINARY] = plain_parts,
    [BOUND_CHOICE] = plain_parts,    [BOUND_STORE] = plain_store,
    [BOUND_EFFECT] = plain_parts,    [BOUND_AS] = plain_cast,
    [BOUND_CAST] = plain_cast,       [BOUND_UNBOX] = plain_cast,
};

bool plain_make(struct binder *b, struct bound *n)
{
	plain_fn *fn = n->kind < sizeof(by_kind) / sizeof(by_kind[0])
			   ? by_kind[n->kind]
			   : NULL;
	return fn && fn(b, n);
}
