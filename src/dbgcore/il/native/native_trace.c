/*
 * Natives: where an exception was thrown, from what the object has recorded, in
 * the words of System.Diagnostics.StackTrace: definitions in place of generic
 * instances, the method that was written in place of its state machine.
 */
#include "il/machine/delegate.h"
#include "il/machine/native.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/thrown.h"
#include "meta/assemblyname.h"

/* ---- Natives ------------------------------------------------------------- */

/*
 * Delegates. A method is identified by its MethodDesc. The method of a delegate
 * that the interpreter has made, and a method compared with it, is identified
 * by an entry in a table of the interpreter (method_entry), so that equal
 * methods have equal numbers.
 */

/* ---- Making ------------------------------------------------------------ */

static uint64_t another(struct native *n, uint64_t delegate)
{
	struct type *type = native_type_of(n, delegate);
	return type ? vm_new(n->vm, type) : 0;
}

/* A new object of the class of the delegate given. */
static enum native_end allocate_like(struct native *n)
{
	uint64_t object = another(n, native_ref(n, 0));
	return object ? native_ret_ref(n, object)
		      : native_refuse(n, "too much memory is wanted");
}

/* .NET 9: (ObjectHandleOnStack), the object is replaced by the new one. */
static enum native_end allocate_like_handle(struct native *n)
{
	uint64_t place = native_ref(n, 0), old = 0;
	enum native_end end = native_get(n, place, &old, sizeof(old));
	if (end != NATIVE_DONE)
		return end;
	uint64_t object = another(n, old);
	return object ? native_put(n, place, &object, sizeof(object))
		      : native_refuse(n, "too much memory is wanted");
}

/*
 * The code of a multicast delegate, which op_invoke never asks for. It must not
 * be null: .NET 11 takes a delegate without _methodPtrAux for a closed one.
 */
static enum native_end multicast_code(struct native *n)
{
	return native_ret_i8(n, 1);
}

/* ---- Which method it calls --------------------------------------------- */

static struct type_method *method_called(struct native *n, uint64_t delegate)
{
	struct type_method *m = NULL;
	return dbg_err_drop(delegate_method(n->vm, delegate, &m)) ? NULL : m;
}

/*
 * A new RuntimeMethodInfoStub, what stands for a method until reflection has an
 * object of it: of a MethodDesc, or of an entry of the machine's.
 */
static enum native_end native_method_stub(struct native *n, uint64_t method,
					  uint64_t *ret)
{
	struct type *type = type_core(n->types, "System.RuntimeMethodInfoStub");
	*ret = type ? vm_new(n->vm, type) : 0;
	return *ret ? native_set_field(n, *ret, "m_value", &method,
				       sizeof(method))
		    : native_refuse(n, "too much memory is wanted");
}

/* The result, or by the last argument, an ObjectHandleOnStack. */
static enum native_end give_stub(struct native *n, uint64_t method, bool handle)
{
	uint64_t stub;
	enum native_end end = native_method_stub(n, method, &stub);
	if (end != NATIVE_DONE)
		return end;
	return handle ? native_put(n, native_ref(n, n->n_args - 1), &stub,
				   sizeof(stub))
		      : native_ret_ref(n, stub);
}

/* FindMethodHandle(), or (ObjectHandleOnStack, ObjectHandleOnStack) */
static enum native_end find_handle(struct native *n)
{
	struct values *types = n->vm->values;
	uint64_t object = native_ref(n, 0), method = 0;
	bool handle = n->n_args == 2;
	enum native_end end =
	    handle ? native_get(n, object, &object, sizeof(object))
		   : NATIVE_DONE;
	if (end != NATIVE_DONE)
		return end;
	if (!vm_owns(n->vm, object)) {
		struct value v = value_object(types, object);
		method = value_delegate_method(types, &v);
	}
	struct type_method *m = method ? NULL : method_called(n, object);
	if (m)
		method = method_entry(n->vm, m);
	return method ? give_stub(n, method, handle) : NATIVE_IL;
}

/* .NET 11: MethodDesc, GetMethodDesc() */
static enum native_end method_number(struct native *n)
{
	struct type_method *m = method_called(n, native_ref(n, 0));
	return m ? native_ret_ref(n, method_entry(n->vm, m)) : NATIVE_IL;
}

/*
 * .NET 11: CreateMethodInfo(MethodDesc *, ObjectHandleOnStack), of what
 * method_number has told. Reflection asks the MethodDesc for more, if there is
 * one.
 */
static enum native_end create_info(struct native *n)
{
	uint64_t number = native_ref(n, 0), desc = 0;
	struct type_method *m = method_of_entry(n->vm, number);
	if (m && m->module && !m->n_args && !m->owner->n_args)
		desc = dac_method_of_token(types_dac(n->types), m->module->addr,
					   m->token);
	return give_stub(n, desc ? desc : number, true);
}

/* InternalEqualMethodHandles(Delegate, Delegate), of .NET 8 to 10 */
static enum native_end equal_methods(struct native *n)
{
	struct type_method *a = method_called(n, native_ref(n, 0));
	struct type_method *b = method_called(n, native_ref(n, 1));
	return a && b ? native_ret_i4(n, a == b) : NATIVE_IL;
}

#define DELEGATE "System.Delegate"

static const struct il_native native_delegate_rows[] = {
    {DELEGATE, "InternalAllocLike", "(v1).", allocate_like_handle},
    {DELEGATE, "InternalAllocLike", "(o)o", allocate_like},
    {DELEGATE, "GetMulticastInvoke", "(p)p t()p", multicast_code},
    {DELEGATE, "GetInvokeMethod", "(p)p t()p", multicast_code},
    {DELEGATE, "FindMethodHandle", "(v1v1). t()o", find_handle},
    {DELEGATE, "get_MethodDesc", "t()p", method_number},
    {DELEGATE, "GetMethodDesc", "t()p", method_number},
    {DELEGATE, "CreateMethodInfo", "(pv1).", create_info},
    {DELEGATE, "InternalEqualMethodHandles", "(oo)i", equal_methods},
};

const struct native_table native_delegate = {
    native_delegate_rows,
    sizeof(native_delegate_rows) / sizeof(native_delegate_rows[0])};

/* ---- Natives ------------------------------------------------------------- */

#define SERVICES "System.Runtime.CompilerServices."

enum {
	AGGRESSIVE_INLINING = 0x100,
	BLOB_PROLOG = 2,
};

static struct code *code_of(struct native *n)
{
	return types_code(n->types);
}

/* The method as it was defined, of its class as that was. */
static struct type_method *definition(struct types *ts, struct type_method *m)
{
	struct type_method *const *all;
	size_t n_all;
	type_methods(ts, type_generic(ts, m->owner), &all, &n_all);
	for (size_t k = 0; k < n_all; k++) {
		if (all[k]->token == m->token)
			return all[k];
	}
	return m;
}

/* ---- State machines ---------------------------------------------------- */

/* Does an attribute's first argument, a type, have this name (below 128)? */
static bool names(struct bytes blob, const char *name)
{
	size_t len = strlen(name);
	return blob.n > BLOB_PROLOG + len && blob.p[BLOB_PROLOG] == len &&
	       !memcmp(blob.p + BLOB_PROLOG + 1, name, len);
}

/*
 * Is @machine the class of @m's state machine? *ret_iterator: @m is an
 * iterator.
 */
static bool has_machine(const struct type_method *m, const char *machine,
			bool *ret_iterator)
{
	static const struct {
		const char *name;
		bool iterator;
	} kinds[] = {
	    {SERVICES "AsyncStateMachineAttribute", false},
	    {SERVICES "IteratorStateMachineAttribute", true},
	    {SERVICES "AsyncIteratorStateMachineAttribute", true},
	};
	struct bytes blob;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		*ret_iterator = kinds[k].iterator;
		if (type_method_attribute(m, kinds[k].name, &blob) &&
		    names(blob, machine))
			return true;
	}
	*ret_iterator = false;
	return false;
}

/* The method whose state machine @m is of, else @m. */
static struct type_method *written(struct types *ts, struct type_method *m,
				   bool *ret_iterator)
{
	_cleanup_str_ struct str machine = {0};
	struct type_method *const *all;
	size_t n_all;
	struct type *outer = type_enclosing(ts, m->owner);
	*ret_iterator = false;
	if (!outer ||
	    !type_attribute(m->owner, SERVICES "CompilerGeneratedAttribute",
			    NULL))
		return m;
	native_full_name(ts, m->owner, &machine);
	type_methods(ts, outer, &all, &n_all);
	for (size_t k = 0; k < n_all; k++) {
		if (has_machine(all[k], str_get(&machine), ret_iterator))
			return all[k];
	}
	return m;
}

static bool is_async(struct types *ts, struct type *type)
{
	bool fits = false;
	struct type *to = type_core(ts, SERVICES "IAsyncStateMachine");
	return to && !dbg_err_drop(type_assignable(ts, type, to, &fits)) &&
	       fits;
}

/* ---- One line ---------------------------------------------------------- */

static bool is_hidden(const struct type_method *m)
{
	static const char hidden[] =
	    "System.Diagnostics.StackTraceHiddenAttribute";
	return (m->impl_flags & AGGRESSIVE_INLINING) ||
	       type_method_attribute(m, hidden, NULL) ||
	       type_attribute(m->owner, hidden, NULL);
}

/* Type.Name of what a definition's signature says. */
static void add_type(struct types *ts, const struct type_method *m,
		     struct type *type, struct str *out)
{
	struct type_generic_param gp;
	struct type *inner = type;
	while (inner->inner)
		inner = inner->inner;
	bool own = inner->kind == TYPE_KIND_MVAR;
	if (!own && inner->kind != TYPE_KIND_VAR) {
		native_simple_name(ts, type, out);
	} else if (!dbg_err_drop(type_generic_param(
		       ts, m->owner, own ? m : NULL, inner->number, &gp))) {
		str_add(out, gp.name);
		native_suffixes(type, out);
	}
}

static void add_arguments(struct types *ts, const struct type_method *m,
			  struct str *out)
{
	for (size_t k = 0; k < m->n_args; k++) {
		str_addc(out, k ? ',' : '[');
		add_type(ts, m, m->args[k], out);
		if (k + 1 == m->n_args)
			str_addc(out, ']');
	}
}

static void add_parameters(struct types *ts, struct type_method *m,
			   struct str *out)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(ts, m, &sig)))
		return;
	str_addc(out, '(');
	for (size_t k = 0; k < sig->n_params; k++) {
		struct type_param p;
		type_method_param(m, (uint32_t)k, &p);
		str_add(out, k ? ", " : "");
		add_type(ts, m, sig->params[k], out);
		str_addf(out, " %s", p.token ? p.name : "");
	}
	str_addc(out, ')');
}

static void add_method(struct types *ts, struct type_method *m, struct str *out)
{
	_cleanup_str_ struct str owner = {0};
	bool iterator;
	const char *name = m->name;
	m = written(ts, m, &iterator);
	native_full_name(ts, m->owner, &owner);
	for (const char *p = str_get(&owner); *p; p++)
		str_addc(out, *p == '+' ? '.' : *p);
	str_addf(out, ".%s", m->name);
	add_arguments(ts, m, out);
	add_parameters(ts, m, out);
	if (iterator)
		str_addf(out, "+%s()", name);
}

static void add_line(struct native *n, const struct thrown_frame *at, bool last,
		     struct str *out)
{
	struct type_method *m;
	const struct code_pos *pos;
	bool any = false;
	if (dbg_err_drop(type_method_of_desc(n->types, at->method, NULL, &m)))
		return;
	m = definition(n->types, m);
	if (is_hidden(m) && !last)
		return;
	str_add(out, out->len ? "\n   at " : "   at ");
	add_method(n->types, m, out);
	if (!dbg_err_drop(code_pos_at(code_of(n), at->ip, true, &pos, &any)) &&
	    any && pos->path && pos->point.line)
		str_addf(out, " in %s:line %u", pos->path, pos->point.line);
	if (at->ends_throw && !is_async(n->types, m->owner))
		str_add(out, "\n--- End of stack trace from previous location "
			     "---");
}

/* ---- Exceptions -------------------------------------------------------- */

/* Exception.GetStackTrace() */
static enum native_end stack_trace(struct native *n)
{
	_cleanup_str_ struct str text = {0};
	_cleanup_arena_ struct arena *arena = arena_create();
	struct thrown_frame *list;
	bool cut;
	size_t count =
	    thrown_read(code_of(n), native_ref(n, 0), arena, &list, &cut);
	if (!count)
		return native_refuse(n, "where it was thrown is not recorded");
	if (cut)
		return native_refuse(n, "more frames are recorded than are "
					"read here");
	for (size_t k = 0; k < count; k++)
		add_line(n, &list[k], k + 1 == count, &text);
	return native_ret_text(n, str_get(&text));
}

/* Exception.Source: what was set, or the assembly that has thrown it. */
static enum native_end source(struct native *n)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct thrown_frame *list;
	struct type_method *m;
	uint64_t set = 0;
	enum native_end end =
	    native_get_field(n, native_ref(n, 0), "_source", &set, sizeof(set));
	if (end != NATIVE_DONE || set)
		return end == NATIVE_DONE ? native_ret_ref(n, set) : end;
	if (!thrown_read(code_of(n), native_ref(n, 0), arena, &list, NULL))
		return native_ret_ref(n, 0);
	if (dbg_err_drop(
		type_method_of_desc(n->types, list[0].method, NULL, &m)) ||
	    !m->module)
		return NATIVE_IL;
	return native_ret_text(n, assembly_simple_name(&m->module->md));
}

/* ---- Methods as objects ------------------------------------------------ */

/* Exception.GetExceptionMethodFromStackTrace(): the method that has thrown it
 */
static enum native_end target_site(struct native *n)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct thrown_frame *list;
	uint64_t stub, place = vm_room(n->vm, sizeof(stub));
	struct type *type = type_core(n->types, "System.RuntimeType");
	struct type_method *base =
	    type ? type_method_named(n->types, type, "GetMethodBase", 1) : NULL;
	if (!base ||
	    !thrown_read(code_of(n), native_ref(n, 0), arena, &list, NULL))
		return NATIVE_IL;
	enum native_end end = native_method_stub(n, list[0].method, &stub);
	if (end == NATIVE_DONE)
		end = native_put(n, place, &stub, sizeof(stub));
	return end == NATIVE_DONE ? native_call(n, base, &place, 1) : end;
}

/* RuntimeMethodHandle.GetStubIfNeeded: of what is not generic it is the same */
static enum native_end stub_if_needed(struct native *n)
{
	struct type_method *m;
	uint64_t desc = native_ref(n, 0);
	if (dbg_err_drop(type_method_of_desc(n->types, desc, NULL, &m)) ||
	    m->n_args || m->owner->n_args)
		return NATIVE_IL;
	return native_ret_ref(n, desc);
}

static const struct il_native rows[] = {
    {"System.Exception", "GetStackTrace", "t()o", stack_trace},
    {"System.Exception", "get_Source", "t()o", source},
    {"System.Exception", "GetExceptionMethodFromStackTrace", "t()o",
     target_site},
    {"System.RuntimeMethodHandle", "GetStubIfNeeded", "(v1oo)v1",
     stub_if_needed},
    {"System.RuntimeMethodHandle", "GetStubIfNeededInternal", "(v1o)v1",
     stub_if_needed}, // .NET 11
};

const struct native_table native_trace = {rows, sizeof(rows) / sizeof(rows[0])};
