/*
 * Getters and indexers by interpretation. The first overload that
 * takes the arguments as they are is meant, numbers widened without loss.
 */
#include "eval/invoke.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "il/methods.h"

enum {
	ARGS_MAX = 8,
	BASES_MAX = 100,
	MESSAGE_MAX = 300,
};

/* ---- Arguments --------------------------------------------------------- */

static bool is_real(enum elem elem)
{
	return elem == ELEM_R4 || elem == ELEM_R8;
}

/* Does each number of @from exist in @to (C#'s implicit conversions)? */
static bool widens(enum elem from, enum elem to)
{
	static const struct {
		enum elem elem;
		int bits;
		bool is_signed;
	} rows[] = {
	    {ELEM_CHAR, 16, false}, {ELEM_I1, 8, true},   {ELEM_U1, 8, false},
	    {ELEM_I2, 16, true},    {ELEM_U2, 16, false}, {ELEM_I4, 32, true},
	    {ELEM_U4, 32, false},   {ELEM_I8, 64, true},  {ELEM_U8, 64, false},
	};
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	size_t a = n, b = n;
	for (size_t i = 0; i < n; i++) {
		if (rows[i].elem == from)
			a = i;
		if (rows[i].elem == to)
			b = i;
	}
	if (from == to)
		return true;
	if (a < n && is_real(to))
		return true;
	if (a == n || b == n || to == ELEM_CHAR)
		return false;
	if (rows[a].is_signed && !rows[b].is_signed)
		return false;
	return rows[a].bits < rows[b].bits ||
	       (rows[a].bits == rows[b].bits &&
		rows[a].is_signed == rows[b].is_signed);
}

static bool takes(struct vm *vm, struct il_type *to, const struct value *v)
{
	struct il_types *ts = vm_types(vm);
	bool fits = false;
	if (to->open || !v->type)
		return false;
	if (to->is_reference && value_is_null(il_types_values(ts), v))
		return true;
	if (v->where == VALUE_TEXT)
		return to->elem == ELEM_STRING || to->elem == ELEM_OBJECT;
	struct il_type *from = il_type_of_value(ts, v->type);
	if (!from)
		return false;
	if (from == to)
		return true;
	if (from->kind == IL_KIND_PRIM && to->kind == IL_KIND_PRIM)
		return widens(from->elem, to->elem);
	return from->is_reference && to->is_reference &&
	       !dbg_err_drop(il_type_assignable(ts, from, to, &fits)) && fits;
}

static uint64_t text_object(struct vm *vm, const struct value *v)
{
	return vm_new_string(vm, v->units, v->n_units);
}

static bool put_number(struct vm *vm, uint64_t at, enum elem to,
		       const struct value *v)
{
	struct types *ts = il_types_values(vm_types(vm));
	uint64_t bits = 0;
	double real;
	float narrow;
	if (is_real(v->type->elem) || v->type->elem == to)
		return value_read(ts, v, 0, &bits, v->type->size) &&
		       vm_write(vm, at, &bits, sizeof(bits));
	if (!value_integer(ts, v, &bits))
		return false;
	if (!is_real(to))
		return vm_write(vm, at, &bits, sizeof(bits));
	real = elem_is_signed(v->type->elem) ? (double)(int64_t)bits
					     : (double)bits;
	narrow = (float)real;
	return to == ELEM_R4 ? vm_write(vm, at, &narrow, sizeof(narrow))
			     : vm_write(vm, at, &real, sizeof(real));
}

/* The bytes of @v in the machine's memory, as a place of @to; 0: unreadable. */
static uint64_t put(struct vm *vm, struct il_type *to, const struct value *v)
{
	struct types *ts = il_types_values(vm_types(vm));
	const struct il_layout *layout;
	uint8_t bytes[1024];
	if (dbg_err_drop(il_type_layout(vm_types(vm), to, &layout)) ||
	    layout->size > sizeof(bytes))
		return 0;
	uint64_t at = vm_room(vm, layout->size + 8);
	if (!at)
		return 0;
	if (v->where == VALUE_TEXT) {
		uint64_t object = text_object(vm, v);
		return object && vm_write(vm, at, &object, 8) ? at : 0;
	}
	if (to->kind == IL_KIND_PRIM && v->type->kind == TYPE_PRIM)
		return put_number(vm, at, to->elem, v) ? at : 0;
	if (!value_read(ts, v, 0, bytes, layout->size))
		return 0;
	return vm_write(vm, at, bytes, layout->size) ? at : 0;
}

/* ---- Executing --------------------------------------------------------- */

/* Text of the string object in the field @name of @object; "" if none. */
static void field_text(struct vm *vm, uint64_t object, struct il_type *type,
		       const char *name, struct str *out)
{
	struct il_field *f = NULL;
	uint32_t offset, n;
	uint64_t text = 0;
	uint16_t units[MESSAGE_MAX];
	if (dbg_err_drop(il_field_find(vm_types(vm), type, name, &f)) || !f ||
	    dbg_err_drop(il_field_offset(vm_types(vm), f, &offset)) ||
	    !vm_read(vm, object + 8 + offset, &text, sizeof(text)) || !text ||
	    !vm_read(vm, text + 8, &n, sizeof(n)))
		return;
	n = n > MESSAGE_MAX ? MESSAGE_MAX : n;
	if (vm_read(vm, text + 12, units, n * 2))
		str_add_utf16(out, units, n);
	str_one_line(out, 0);
}

static struct dbg_error *thrown(const struct eval *e, const char *name,
				const struct vm_result *r)
{
	_cleanup_str_ struct str message = {0};
	struct il_type *type = r->value.type;
	uint64_t object;
	if (!type || !vm_read(e->vm, r->value.addr, &object, sizeof(object)))
		return dbg_err(DBG_E_ARGUMENT, "'%s' threw an exception", name);
	field_text(e->vm, object, type, "_message", &message);
	return dbg_err(DBG_E_ARGUMENT, "'%s' threw %s%s%s", name,
		       il_type_name(vm_types(e->vm), type),
		       message.len ? ": " : "", str_get(&message));
}

static struct dbg_error *run(const struct eval *e, struct il_method *m,
			     const struct vm_value *args, size_t n,
			     struct value *ret)
{
	struct vm_result r;
	struct dbg_error *err;
	vm_set_thread(e->vm, e->scope->thread);
	err = vm_begin(e->vm, m, args, n, NULL);
	if (err)
		return err;
	vm_run(e->vm, 0, &r);
	if (r.state == VM_THROWN)
		return thrown(e, m->name, &r);
	if (r.state != VM_DONE)
		return r.error;
	struct type *type = il_type_to_value(vm_types(e->vm), r.value.type);
	if (!type)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the type that '%s' returns is not loaded",
			       m->name);
	*ret = value_memory(type, r.value.addr);
	ret->fixed = true;
	return NULL;
}

/* @m of @v (NULL: static), whose arguments fit. */
static struct dbg_error *invoke(const struct eval *e, struct il_method *m,
				const struct value *v, const struct value *args,
				size_t n_args, struct value *ret)
{
	const struct il_sig *sig;
	struct il_types *ts = vm_types(e->vm);
	struct vm_value given[ARGS_MAX + 1];
	size_t n = 0;
	struct dbg_error *err = NULL;
	if (v) {
		struct il_type *type = il_type_of_value(ts, v->type);
		if (v->where == VALUE_TEXT)
			type = il_type_of_elem(ts, ELEM_STRING);
		if (type)
			err = il_method_virtual(ts, m, type, &m);
		if (err)
			return err;
		given[n].type = type;
		given[n].addr = type ? put(e->vm, type, v) : 0;
		if (!given[n++].addr)
			return dbg_err(DBG_E_MEMORY,
				       "the object of '%s' cannot be read",
				       m->name);
	}
	err = il_method_sig(ts, m, &sig);
	for (size_t i = 0; !err && i < n_args; i++) {
		given[n].type = sig->params[i];
		given[n].addr = put(e->vm, sig->params[i], &args[i]);
		if (!given[n++].addr)
			err = dbg_err(DBG_E_MEMORY,
				      "an argument of '%s' cannot be read",
				      m->name);
	}
	return err ? err : run(e, m, given, n, ret);
}

/* ---- Finding ----------------------------------------------------------- */

static bool fits(struct vm *vm, struct il_method *m, bool is_static,
		 const struct value *args, size_t n_args)
{
	const struct il_sig *sig;
	if (!(m->flags & IL_METHOD_STATIC) == is_static || n_args > ARGS_MAX ||
	    dbg_err_drop(il_method_sig(vm_types(vm), m, &sig)) ||
	    sig->n_params != n_args || sig->n_generic)
		return false;
	for (size_t i = 0; i < n_args; i++) {
		if (!takes(vm, sig->params[i], &args[i]))
			return false;
	}
	return true;
}

static struct il_type *start(const struct eval *e, struct type *type)
{
	return e->vm && !e->trace && type
		   ? il_type_of_value(vm_types(e->vm), type)
		   : NULL;
}

static struct il_type *next_base(struct vm *vm, struct il_type *type)
{
	struct il_type *parent = NULL;
	return dbg_err_drop(il_type_parent(vm_types(vm), type, &parent))
		   ? NULL
		   : parent;
}

static struct il_method *find_getter(const struct eval *e, struct type *of,
				     const char *name, bool is_static,
				     const struct value *args, size_t n_args)
{
	struct il_type *type = start(e, of);
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct il_property *all;
		size_t n;
		il_type_properties(vm_types(e->vm), type, &all, &n);
		for (size_t k = 0; k < n; k++) {
			if (all[k].getter && !strcmp(all[k].name, name) &&
			    fits(e->vm, all[k].getter, is_static, args, n_args))
				return all[k].getter;
		}
		type = next_base(e->vm, type);
	}
	return NULL;
}

struct dbg_error *invoke_property(const struct eval *e, const struct value *v,
				  const char *name, const struct value *args,
				  size_t n_args, struct value *ret,
				  bool *ret_any)
{
	struct il_method *m =
	    find_getter(e, v->type, name, false, args, n_args);
	*ret_any = m != NULL;
	return m ? invoke(e, m, v, args, n_args, ret) : NULL;
}

struct dbg_error *invoke_static_property(const struct eval *e,
					 struct type *type, const char *name,
					 struct value *ret, bool *ret_any)
{
	struct il_method *m = find_getter(e, type, name, true, NULL, 0);
	*ret_any = m != NULL;
	return m ? invoke(e, m, NULL, NULL, 0, ret) : NULL;
}
