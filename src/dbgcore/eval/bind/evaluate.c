/*
 * Carrying an expression out: bind, emit, execute, and make of the result
 * what the rest of the debugger knows as a value.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bind.h"
#include "eval/bind/bind_priv.h"

enum {
	STRING_MAX = 1 << 20 // units of a result
};

/* ---- Results --------------------------------------------------------- */

/* A string that only the machine has. */
static struct dbg_error *string_result(struct binder *b, uint64_t object,
				       struct value *ret)
{
	uint32_t n = 0;
	if (!vm_read(b->vm, object + 8, &n, sizeof(n)) || n > STRING_MAX)
		return dbg_err(DBG_E_MEMORY, "the string cannot be read");
	uint16_t *units = arena_calloc(b->arena, n + 1, sizeof(*units));
	if (!vm_read(b->vm, object + 12, units, n * sizeof(*units)))
		return dbg_err(DBG_E_MEMORY, "the string cannot be read");
	*ret = value_text(b->e->types, units, n);
	return NULL;
}

static struct dbg_error *make_result(struct binder *b, const struct vm_value *v,
				     struct value *ret)
{
	const struct il_layout *layout;
	uint8_t bytes[16] = {0};
	uint64_t object;
	struct type *type = il_type_to_value(b->ts, v->type);
	if (!type)
		return dbg_err(DBG_E_RUNTIME, "the type '%s' is not known",
			       il_type_name(b->ts, v->type));
	struct dbg_error *err = il_type_layout(b->ts, v->type, &layout);
	if (err)
		return err;
	if (layout->size > sizeof(bytes)) {
		*ret = value_memory(type, v->addr);
		return NULL;
	}
	if (!vm_read(b->vm, v->addr, bytes, layout->size))
		return dbg_err(DBG_E_MEMORY, "the result cannot be read");
	memcpy(&object, bytes, sizeof(object));
	if (v->type->is_reference && vm_owns(b->vm, object)) {
		struct il_type *actual = NULL;
		uint64_t handle = 0;
		if (vm_read(b->vm, object, &handle, sizeof(handle)))
			actual = il_type_of_handle(b->ts, handle);
		if (actual && actual->special == IL_SPECIAL_STRING)
			return string_result(b, object, ret);
	}
	*ret = value_bytes(type, bytes, layout->size);
	return NULL;
}

/* What was thrown, in a sentence. */
static struct dbg_error *thrown(struct binder *b, const char *text,
				const struct vm_value *v)
{
	uint64_t object = 0, handle = 0, message = 0;
	struct il_type *type = NULL;
	struct il_field *field = NULL;
	uint32_t offset;
	struct value string;
	_cleanup_str_ struct str out = {0};
	if (vm_read(b->vm, v->addr, &object, sizeof(object)) &&
	    vm_read(b->vm, object, &handle, sizeof(handle)))
		type = il_type_of_handle(b->ts, handle);
	if (!type)
		return dbg_err(DBG_E_STATE, "'%s' throws an exception", text);
	if (!dbg_err_drop(il_field_find(b->ts, type, "_message", &field)) &&
	    field && !dbg_err_drop(il_field_offset(b->ts, field, &offset)) &&
	    vm_read(b->vm, object + 8 + offset, &message, sizeof(message)) &&
	    message && !dbg_err_drop(string_result(b, message, &string)))
		str_add_utf16(&out, string.units, string.n_units);
	return dbg_err(DBG_E_STATE, "'%s' throws %s%s%s", text,
		       il_type_name(b->ts, type), out.len ? ": " : "",
		       str_get(&out));
}

static struct dbg_error *run(struct binder *b, const struct expr *x,
			     struct il_method *m, struct value *ret)
{
	struct vm_result r = {0};
	const char *text = bind_source(b, x);
	struct dbg_error *err = vm_begin(b->vm, m, NULL, 0, NULL);
	if (err)
		return err;
	vm_run(b->vm, 0, &r);
	switch (r.state) {
	case VM_DONE:
		return make_result(b, &r.value, ret);
	case VM_THROWN:
		return thrown(b, text, &r.value);
	default:
		return r.error ? r.error
			       : dbg_err(DBG_E_STATE, "'%s' has no end", text);
	}
}

bool bind_wanted(const struct expr *x)
{
	while (x && (x->kind == EXPR_MEMBER || x->kind == EXPR_INDEX ||
		     x->kind == EXPR_SUPPRESS))
		x = x->a;
	return x && (x->kind == EXPR_CALL || x->kind == EXPR_NEW ||
		     x->kind == EXPR_NEW_ARRAY || x->kind == EXPR_TYPEOF);
}

struct dbg_error *bind_evaluate(const struct eval *e, const char *text,
				const struct expr *x, struct value *ret)
{
	struct binder b = {.e = e,
			   .text = text,
			   .ts = vm_types(e->vm),
			   .vm = e->vm,
			   .arena = e->arena};
	struct bound *body;
	struct il_method *m;
	vm_set_thread(e->vm, e->scope->thread);
	struct dbg_error *err = bind_value(&b, x, &body);
	if (!err && body->type->elem == ELEM_VOID)
		err = dbg_err(DBG_E_UNSUPPORTED,
			      "'%s' returns nothing: what it would do is left "
			      "undone",
			      bind_source(&b, x));
	if (!err)
		err = ilgen_method(&b, body, &m);
	return err ? err : run(&b, x, m, ret);
}
