/*
 * Natives: GC handles, which keep what they refer to where code can find it
 * again; random numbers; what the kernel tells of the process.
 *
 * A handle is the address of a reference. A handle that interpreted code makes
 * is a slot in the interpreter's own memory, with the dependent object behind
 * it. Dependent objects of the program's own handles are unknown here.
 */
#include <string.h>
#include <sys/random.h>

#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"
#include "target/target.h"

enum {
	RANDOM_MAX = 1 << 16,
	DEPENDENT = 8,
};

static enum native_end gc_handle_make(struct native *n, uint64_t object,
				      uint64_t extra)
{
	uint64_t both[] = {object, extra};
	uint64_t place = vm_room(n->vm, sizeof(both));
	if (!place || !vm_write(n->vm, place, both, sizeof(both)))
		return native_refuse(n, "too much memory is wanted");
	return native_ret_ref(n, place);
}

static enum native_end handle_make(struct native *n)
{
	return gc_handle_make(n, native_ref(n, 0), 0);
}

/* (QCallTypeHandle, GCHandleType): it refers to nothing yet. */
static enum native_end handle_of_type(struct native *n)
{
	return gc_handle_make(n, 0, 0);
}

static enum native_end handle_set(struct native *n)
{
	return native_put_arg(n, native_ref(n, 0), 1, 8);
}

/* (handle, object value, object if it is this) */
static enum native_end handle_exchange(struct native *n)
{
	uint64_t old = 0;
	enum native_end end = native_get(n, native_ref(n, 0), &old, 8);
	if (end == NATIVE_DONE && old == native_ref(n, 2))
		end = native_put_arg(n, native_ref(n, 0), 1, 8);
	return end == NATIVE_DONE ? native_ret_ref(n, old) : end;
}

/* ---- With a dependent object ------------------------------------------- */

static enum native_end pair_make(struct native *n)
{
	return gc_handle_make(n, native_ref(n, 0), native_ref(n, 1));
}

static enum native_end pair_target(struct native *n)
{
	return native_ret_get(n, native_ref(n, 0), 8);
}

static enum native_end foreign(struct native *n)
{
	return native_refuse(n, "it is a handle of the program's");
}

static enum native_end pair_dependent(struct native *n)
{
	uint64_t handle = native_ref(n, 0);
	return vm_owns(n->vm, handle) ? native_ret_get(n, handle + DEPENDENT, 8)
				      : foreign(n);
}

/* (handle, out object dependent): the target is what it returns */
static enum native_end pair_both(struct native *n)
{
	uint64_t handle = native_ref(n, 0), extra = 0, target = 0;
	enum native_end end = native_get(n, handle, &target, sizeof(target));
	if (end == NATIVE_DONE)
		end = native_ret_ref(n, target);
	if (end != NATIVE_DONE)
		return end;
	if (target && !vm_owns(n->vm, handle))
		return foreign(n);
	if (target)
		end = native_get(n, handle + DEPENDENT, &extra, 8);
	return end == NATIVE_DONE ? native_put(n, native_ref(n, 1), &extra, 8)
				  : end;
}

static enum native_end pair_set(struct native *n)
{
	uint64_t handle = native_ref(n, 0);
	return vm_owns(n->vm, handle)
		   ? native_put_arg(n, handle + DEPENDENT, 1, 8)
		   : foreign(n);
}

static enum native_end pair_clear(struct native *n)
{
	const uint64_t none = 0;
	return native_put(n, native_ref(n, 0), &none, sizeof(none));
}

/* The machine's own need not be freed. 1: of a BOOL, a byte or no result. */
static enum native_end handle_free(struct native *n)
{
	return vm_owns(n->vm, native_ref(n, 0)) ? native_ret_i4(n, 1)
						: foreign(n);
}

/* IntPtr as text, or a number that may be shown: an own one is nobody's. */
static enum native_end pointer_told(struct native *n)
{
	uint64_t value = 0;
	enum native_end end = native_get(n, native_ref(n, 0), &value, 8);
	if (end != NATIVE_DONE)
		return end;
	return vm_is_imaginary(n->vm->ts, value)
		   ? native_refuse(n, "the address is one of dndbg's own")
		   : NATIVE_IL;
}

/* ---- The process ------------------------------------------------------- */

/* (byte *, int) */
static enum native_end random_bytes(struct native *n)
{
	uint8_t bytes[RANDOM_MAX];
	int32_t count = native_i4(n, 1);
	if (count < 0 || count > RANDOM_MAX)
		return native_refuse(n, "too many bytes");
	if (getrandom(bytes, (size_t)count, GRND_NONBLOCK) != count)
		return native_refuse(n, "there are no random numbers");
	return native_put(n, native_ref(n, 0), bytes, (size_t)count);
}

static enum native_end pid(struct native *n)
{
	struct target *t = values_target(n->vm->values);
	return native_ret_i4(n, target_tid_inside(t, target_pid(t)));
}

/* The code of P/Invokes clears it; nothing is done that would set it. */
static enum native_end set_errno(struct native *n)
{
	return native_i4(n, 0) ? NATIVE_IL : NATIVE_DONE;
}

#define HANDLE "System.Runtime.InteropServices.GCHandle"
#define DEPENDENTS "System.Runtime.DependentHandle"
#define SYS "Interop+Sys"

static const struct il_native rows[] = {
    {HANDLE, "InternalAlloc", "(oi)p", handle_make},
    {HANDLE, "_InternalAlloc", "(oi)p", handle_make},
    {HANDLE, "InternalFree", "(p).", handle_free},
    {HANDLE, "_InternalFree", "(p)i", handle_free},
    {HANDLE, "InternalSet", "(po).", handle_set},
    {HANDLE, "InternalCompareExchange", "(poo)o", handle_exchange},
    {"System.IntPtr", "ToString", "t()o t(o)o t(oo)o", pointer_told},
    {"System.IntPtr", "TryFormat", "t(v2pv2o)i", pointer_told},
    {"System.IntPtr", "GetHashCode", "t()i", pointer_told},
    {"System.UIntPtr", "ToString", "t()o t(o)o t(oo)o", pointer_told},
    {"System.UIntPtr", "TryFormat", "t(v2pv2o)i", pointer_told},
    {"System.UIntPtr", "GetHashCode", "t()i", pointer_told},
    {"System.RuntimeTypeHandle", "GetGCHandle", "(v2i)p t(i)p", handle_of_type},
    {DEPENDENTS, "InternalInitialize", "(oo)p", pair_make},
    {DEPENDENTS, "InternalAlloc", "(oo)p", pair_make},
    {DEPENDENTS, "InternalGetTarget", "(p)o", pair_target},
    {DEPENDENTS, "InternalGetDependent", "(p)o", pair_dependent},
    {DEPENDENTS, "InternalGetTargetAndDependent", "(pp)o", pair_both},
    {DEPENDENTS, "InternalSetDependent", "(po).", pair_set},
    {DEPENDENTS, "InternalSetTargetToNull", "(p).", pair_clear},
    {DEPENDENTS, "InternalFree", "(p). (p)i", handle_free},
    {SYS, "GetNonCryptographicallySecureRandomBytes", "(pi).", random_bytes},
    {SYS, "GetCryptographicallySecureRandomBytes", "(pi)i", random_bytes},
    {SYS, "GetPid", "()i", pid},
    {SYS, "SetErrNo", "(i).", set_errno},
    {SYS, "GetErrNo", "()i", native_zero},
};

const struct native_table native_handle = {rows,
					   sizeof(rows) / sizeof(rows[0])};
