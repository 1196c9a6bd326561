/*
 * Natives: delegates. A method is identified by its MethodDesc. The method of a
 * delegate that the interpreter has made, and a method compared with it, is
 * identified by an entry in a table of the interpreter (method_entry), so that
 * equal methods have equal numbers.
 */
#include "base/err.h"
#include "il/machine/delegate.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_help.h"

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

enum native_end native_method_stub(struct native *n, uint64_t method,
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

static const struct il_native rows[] = {
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

const struct native_table native_delegate = {rows,
					     sizeof(rows) / sizeof(rows[0])};
