/*
 * Natives: System.Object, String, Array, RuntimeHelpers, MethodTable: what the
 * runtime does in C++ or the JIT by intrinsics.
 */
#include "il/native/native_type.h"

#include <string.h>

#include "base/err.h"
#include "dac/gcheap.h"
#include "dac/objectlayout.h"
#include "il/machine/literaltext.h"
#include "il/machine/vm_priv.h"

static struct type *type_arg(struct native *n, size_t i)
{
	return i < n->method->n_args ? n->method->args[i] : NULL;
}

static enum native_end no_memory(struct native *n)
{
	return native_refuse(n, "too much memory is wanted");
}

/* ---- Object ------------------------------------------------------------ */

static enum native_end get_type(struct native *n)
{
	struct type *type = native_type_of(n, native_ref(n, 0));
	if (!type)
		return native_throw(n, "System.NullReferenceException");
	uint64_t object = vm_type_object(n->vm, type);
	return object ? native_ret_ref(n, object) : no_memory(n);
}

static uint64_t object_size(struct native *n, uint64_t addr, struct type *type)
{
	const struct type_layout *layout;
	uint64_t data, count;
	uint32_t length;
	if (dbg_err_drop(type_layout(n->types, type, &layout)))
		return 0;
	if (type->special == TYPE_SPECIAL_STRING)
		return vm_read(n->vm, addr + STRING_LENGTH, &length, 4)
			   ? STRING_CHARS + 2 + 2 * (uint64_t)length
			   : 0;
	if (type->kind != TYPE_KIND_ARRAY)
		return 8 + layout->object;
	if (!array_data(n->vm, addr, &data, &count))
		return 0;
	return data - addr + count * native_size(n, type->inner);
}

static enum native_end memberwise_clone(struct native *n)
{
	uint64_t from = native_ref(n, 0), to = 0;
	struct type *type = native_type_of(n, from);
	uint64_t data, count, size = type ? object_size(n, from, type) : 0;
	if (!size)
		return native_throw(n, "System.NullReferenceException");
	if (type->kind == TYPE_KIND_ARRAY &&
	    array_data(n->vm, from, &data, &count))
		to = vm_new_array(n->vm, type, count);
	else if (type->kind != TYPE_KIND_ARRAY)
		to = vm_new(n->vm, type);
	if (!to)
		return no_memory(n);
	enum native_end end = native_move(n, to + 8, from + 8, size - 8);
	return end == NATIVE_DONE ? native_ret_ref(n, to) : end;
}

/*
 * The number that the runtime has given to the object, in its header or its
 * sync block; else one by its address, which it keeps while we look.
 */
static enum native_end hash_code(struct native *n)
{
	const uint32_t bits = 0x03ffffff;
	struct dac *d = types_dac(n->types);
	uint64_t object = literal_twin(n->vm, native_ref(n, n->n_args - 1));
	uint32_t header = 0, hash = 0;
	enum gc_hash known = GC_HASH_NONE;
	if (!object)
		return native_ret_i4(n, 0);
	if (d && !vm_owns(n->vm, object) &&
	    vm_read(n->vm, object - 4, &header, sizeof(header)))
		known = dac_gc_hash(d, header, object, &hash);
	if (known == GC_HASH_UNKNOWN)
		return native_refuse(n, "the object's hash code is not known");
	if (known == GC_HASH_KNOWN)
		return native_ret_i4(n, (int32_t)hash);
	uint64_t h = (object >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	return native_ret_i4(n, (int32_t)(h >> 38 & bits) | 1);
}

/* ---- Strings ----------------------------------------------------------- */

static enum native_end allocate_string(struct native *n)
{
	// (length), or (MethodTable, length)
	int64_t length = n->n_args == 1 ? native_i4(n, 0) : native_i8(n, 1);
	if (length < 0 || length > 0x3fffffdf)
		return native_throw(n, "System.OutOfMemoryException");
	uint64_t object = vm_new_string(n->vm, NULL, (size_t)length);
	return object ? native_ret_ref(n, object) : no_memory(n);
}

static enum native_end get_chars(struct native *n)
{
	uint32_t length, index = (uint32_t)native_i4(n, 1);
	uint16_t c = 0;
	uint64_t object = native_ref(n, 0);
	enum native_end end =
	    native_get(n, object + STRING_LENGTH, &length, sizeof(length));
	if (end != NATIVE_DONE)
		return end;
	if (index >= length)
		return native_throw(n, "System.IndexOutOfRangeException");
	end = native_get(n, object + STRING_CHARS + 2 * (uint64_t)index, &c,
			 sizeof(c));
	return end == NATIVE_DONE ? native_ret_i4(n, c) : end;
}

/* ---- Arrays ------------------------------------------------------------ */

static enum native_end array_length(struct native *n)
{
	uint32_t length;
	enum native_end end =
	    native_get(n, native_ref(n, 0) + 8, &length, sizeof(length));
	return end == NATIVE_DONE ? native_ret_i8(n, length) : end;
}

static enum native_end array_rank(struct native *n)
{
	struct type *type = native_type_of(n, native_ref(n, 0));
	if (!type || type->kind != TYPE_KIND_ARRAY)
		return native_throw(n, "System.NullReferenceException");
	return native_ret_i4(n, (int32_t)type->rank);
}

/* Length or lower bound of one dimension. */
static enum native_end dimension(struct native *n, bool lower, int32_t *ret)
{
	uint64_t object = native_ref(n, 0);
	struct type *type = native_type_of(n, object);
	uint32_t k = (uint32_t)native_i4(n, 1);
	if (!type || type->kind != TYPE_KIND_ARRAY)
		return native_throw(n, "System.NullReferenceException");
	bool vector = type->elem == ELEM_SZARRAY;
	if (k >= (vector ? 1 : type->rank))
		return native_throw(n, "System.IndexOutOfRangeException");
	*ret = 0;
	if (vector && lower)
		return NATIVE_DONE;
	uint64_t at = vector ? 8 : 16 + 4 * ((lower ? type->rank : 0) + k);
	return native_get(n, object + at, ret, sizeof(*ret));
}

static enum native_end get_length(struct native *n)
{
	int32_t v;
	enum native_end end = dimension(n, false, &v);
	return end == NATIVE_DONE ? native_ret_i4(n, v) : end;
}

static enum native_end lower_bound(struct native *n)
{
	int32_t v;
	enum native_end end = dimension(n, true, &v);
	return end == NATIVE_DONE ? native_ret_i4(n, v) : end;
}

static enum native_end upper_bound(struct native *n)
{
	int32_t low, v;
	enum native_end end = dimension(n, true, &low);
	if (end == NATIVE_DONE)
		end = dimension(n, false, &v);
	return end == NATIVE_DONE ? native_ret_i4(n, low + v - 1) : end;
}

/* (from, first, to, first, count) or (from, to, count). */
static enum native_end array_copy(struct native *n)
{
	bool whole = n->n_args == 3;
	uint64_t from = native_ref(n, 0), to = native_ref(n, whole ? 1 : 2);
	int64_t a = whole ? 0 : native_i4(n, 1),
		b = whole ? 0 : native_i4(n, 3);
	int64_t count = native_i4(n, n->n_args - 1);
	uint64_t data_a, data_b, n_a, n_b;
	if (!from || !to)
		return native_throw(n, "System.ArgumentNullException");
	struct type *x = native_type_of(n, from), *y = native_type_of(n, to);
	if (!array_data(n->vm, from, &data_a, &n_a) ||
	    !array_data(n->vm, to, &data_b, &n_b))
		return native_refuse(n, "no array");
	if (a < 0 || b < 0 || count < 0 || (uint64_t)(a + count) > n_a ||
	    (uint64_t)(b + count) > n_b)
		return native_throw(n, "System.ArgumentException");
	uint32_t size = native_size(n, x->inner);
	// references convert by casts, and numbers by widening: by IL
	if (x != y && !(x->inner->is_reference && y->inner->is_reference) &&
	    native_size(n, y->inner) != size)
		return NATIVE_IL;
	if (x->inner->is_reference != y->inner->is_reference)
		return NATIVE_IL;
	return native_move(n, data_b + (uint64_t)b * size,
			   data_a + (uint64_t)a * size, (uint64_t)count * size);
}

static enum native_end array_clear(struct native *n)
{
	uint64_t array = native_ref(n, 0), data, count;
	struct type *type = native_type_of(n, array);
	if (!array)
		return native_throw(n, "System.ArgumentNullException");
	if (!array_data(n->vm, array, &data, &count))
		return native_refuse(n, "no array");
	int64_t first = n->n_args == 3 ? native_i4(n, 1) : 0;
	int64_t some = n->n_args == 3 ? native_i4(n, 2) : (int64_t)count;
	uint32_t size = native_size(n, type->inner);
	if (first < 0 || some < 0 || (uint64_t)(first + some) > count)
		return native_throw(n, "System.IndexOutOfRangeException");
	return native_fill(n, data + (uint64_t)first * size, 0,
			   (uint64_t)some * size);
}

/* MemoryMarshal.GetArrayDataReference. */
static enum native_end array_address(struct native *n)
{
	uint64_t array = native_ref(n, 0), data, count;
	if (!array)
		return native_throw(n, "System.NullReferenceException");
	if (!array_data(n->vm, array, &data, &count))
		return native_refuse(n, "no array");
	return native_ret_ref(n, data);
}

/* GC.AllocateUninitializedArray<T>(length, ...), AllocateArray<T>. */
static enum native_end allocate_array(struct native *n)
{
	struct type *type = type_arg(n, 0);
	int32_t length = native_i4(n, 0);
	if (length < 0)
		return native_throw(n, "System.OverflowException");
	uint64_t array = type ? vm_new_array(n->vm, type_vector(n->types, type),
					     (uint64_t)length)
			      : 0;
	return array ? native_ret_ref(n, array) : no_memory(n);
}

/* A pool's array may be longer than what is asked for. */
static enum native_end rent_array(struct native *n)
{
	struct type *owner = n->method->owner;
	int32_t wanted = native_i4(n, 1);
	uint64_t length = 16;
	if (wanted < 0 || owner->n_args != 1)
		return native_throw(n, "System.ArgumentOutOfRangeException");
	while (length < (uint32_t)wanted)
		length *= 2;
	uint64_t array = vm_new_array(
	    n->vm, type_vector(n->types, owner->args[0]), wanted ? length : 0);
	return array ? native_ret_ref(n, array) : no_memory(n);
}

/* ---- RuntimeHelpers ---------------------------------------------------- */

static enum native_end has_references(struct native *n)
{
	const struct type_layout *layout;
	struct type *type = type_arg(n, 0);
	struct dbg_error *err = type_layout(n->types, type, &layout);
	return err ? native_fail(n, err)
		   : native_ret_i4(n, type->is_reference || layout->has_refs);
}

static enum native_end is_bitwise(struct native *n)
{
	struct type *type = type_arg(n, 0);
	bool real = type->elem == ELEM_R4 || type->elem == ELEM_R8;
	return native_ret_i4(n, !real && (type->kind == TYPE_KIND_PRIM ||
					  type->kind == TYPE_KIND_ENUM));
}

/* (array, RuntimeFieldHandle): a blob of the image. */
static enum native_end initialize_array(struct native *n)
{
	uint64_t array = native_ref(n, 0), data, count;
	struct type *type = native_type_of(n, array);
	struct type_field *field = field_of_entry(n->vm, native_ref(n, 1));
	if (!array)
		return native_throw(n, "System.ArgumentNullException");
	if (!field || !array_data(n->vm, array, &data, &count))
		return native_refuse(n, "the field is not known");
	struct bytes blob = type_field_data(field);
	uint64_t size = count * native_size(n, type->inner);
	if (size > blob.n)
		return native_throw(n, "System.ArgumentException");
	return native_put(n, data, blob.p, size);
}

/* CreateSpan<T>(RuntimeFieldHandle): (reference, length). */
static enum native_end create_span(struct native *n)
{
	struct type_field *field = field_of_entry(n->vm, native_ref(n, 0));
	struct type *type = NULL;
	uint32_t size = native_size(n, type_arg(n, 0));
	if (!field || !size ||
	    dbg_err_drop(type_field_type(n->types, field, &type)))
		return native_refuse(n, "the field is not known");
	uint64_t addr = static_place(n->vm, field);
	uint32_t length = native_size(n, type) / size;
	if (!addr)
		return no_memory(n);
	const uint64_t span[] = {addr, length};
	return native_ret(n, span, sizeof(span));
}

static enum native_end reference_equals(struct native *n)
{
	uint64_t a = native_ref(n, 0), b = native_ref(n, 1);
	struct type *x = a ? native_type_of(n, a) : NULL;
	if (a == b || !x || x != native_type_of(n, b) || !x->is_value)
		return native_ret_i4(n, a == b);
	uint32_t size = native_size(n, x);
	uint8_t p[256], q[256];
	if (size > sizeof(p) || !vm_read(n->vm, a + 8, p, size) ||
	    !vm_read(n->vm, b + 8, q, size))
		return native_refuse(n, "boxes that cannot be read");
	return native_ret_i4(n, !memcmp(p, q, size));
}

static enum native_end method_table(struct native *n)
{
	uint64_t handle = object_handle(n->vm, native_ref(n, 0));
	return handle ? native_ret_ref(n, handle)
		      : native_throw(n, "System.NullReferenceException");
}

/* ---- Allocation -------------------------------------------------------- */

/* (MethodTable *). */
static enum native_end allocate_type(struct native *n)
{
	struct type *type = type_of_handle(n->types, native_ref(n, 0));
	uint64_t object = type ? vm_new(n->vm, type) : 0;
	return object ? native_ret_ref(n, object) : no_memory(n);
}

/* ValueType.Equals where all is in the bits. */
static enum native_end value_equals(struct native *n)
{
	uint64_t a = native_ref(n, 0), b = native_ref(n, 1);
	const struct type_layout *layout;
	struct type *type = native_type_of(n, a);
	uint8_t p[1024], q[1024];
	if (!type || !b || native_type_of(n, b) != type)
		return native_ret_i4(n, 0);
	struct dbg_error *err = type_layout(n->types, type, &layout);
	if (err)
		return native_fail(n, err);
	if (layout->size > sizeof(p) ||
	    !vm_read(n->vm, a + 8, p, layout->size) ||
	    !vm_read(n->vm, b + 8, q, layout->size))
		return native_refuse(n, "a struct that cannot be read");
	bool same = !memcmp(p, q, layout->size);
	if (!same && layout->has_refs)
		return NATIVE_IL;
	return native_ret_i4(n, same);
}

/* ---- Types ------------------------------------------------------------- */

static bool same_type(struct native *n)
{
	uint64_t a = native_ref(n, 0), b = native_ref(n, 1);
	if (a == b || !a || !b)
		return a == b;
	struct type *x = vm_type_of_object(n->vm, a);
	return x && x == vm_type_of_object(n->vm, b);
}

static enum native_end type_equals(struct native *n)
{
	return native_ret_i4(n, same_type(n));
}

static enum native_end type_differs(struct native *n)
{
	return native_ret_i4(n, !same_type(n));
}

/* ---- Locks and Interlocked --------------------------------------------- */

/* Nobody else runs: a lock that the program holds does not matter. */
static enum native_end take_lock(struct native *n)
{
	const uint8_t one = 1;
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)))
		return NATIVE_DONE;
	for (size_t k = 0; k < sig->n_params && k < n->n_args; k++) {
		if (sig->params[k]->kind == TYPE_KIND_BYREF)
			return native_put(n, native_ref(n, k), &one, 1);
	}
	return native_ret_i4(n, 1);
}

static uint32_t operand_size(struct native *n)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)) ||
	    !sig->n_params || !sig->params[0]->inner)
		return 0;
	return native_size(n, sig->params[0]->inner);
}

static enum native_end exchange(struct native *n)
{
	uint32_t size = operand_size(n);
	enum native_end end = native_ret_get(n, native_ref(n, 0), size);
	return end == NATIVE_DONE ? native_put_arg(n, native_ref(n, 0), 1, size)
				  : end;
}

static enum native_end compare_exchange(struct native *n)
{
	uint8_t old[8];
	uint32_t size = operand_size(n);
	const void *comparand = native_arg(n, 2, size);
	if (!comparand || size > sizeof(old))
		return native_refuse(n, "a wide value");
	enum native_end end = native_get(n, native_ref(n, 0), old, size);
	if (end == NATIVE_DONE)
		end = native_ret(n, old, size);
	if (end != NATIVE_DONE || memcmp(old, comparand, size))
		return end;
	return native_put_arg(n, native_ref(n, 0), 1, size);
}

/* ExchangeAdd returns what was there, Add what is there now. */
static enum native_end add_to(struct native *n, int64_t by, bool before)
{
	uint32_t size = operand_size(n);
	int64_t old = 0;
	if (size > sizeof(old))
		return native_refuse(n, "a wide number");
	enum native_end end = native_get(n, native_ref(n, 0), &old, size);
	int64_t now = (int64_t)((uint64_t)old + (uint64_t)by);
	if (end == NATIVE_DONE)
		end = native_ret(n, before ? &old : &now, size);
	return end == NATIVE_DONE ? native_put(n, native_ref(n, 0), &now, size)
				  : end;
}

static int64_t second(struct native *n)
{
	return operand_size(n) == 8 ? native_i8(n, 1) : native_i4(n, 1);
}

static enum native_end exchange_add(struct native *n)
{
	return add_to(n, second(n), true);
}

static enum native_end interlocked_add(struct native *n)
{
	return add_to(n, second(n), false);
}

static enum native_end increment(struct native *n)
{
	return add_to(n, 1, false);
}

static enum native_end decrement(struct native *n)
{
	return add_to(n, -1, false);
}

static enum native_end thread_id(struct native *n)
{
	uint32_t id = native_thread_id(n);
	return native_ret_i4(n, id ? (int32_t)id : 1);
}

#define HELPERS "System.Runtime.CompilerServices.RuntimeHelpers"
#define MARSHAL "System.Runtime.InteropServices.MemoryMarshal"
#define INTERLOCKED "System.Threading.Interlocked"
#define MONITOR "System.Threading.Monitor"

static const struct il_native rows[] = {
    {"System.Object", "GetType", "t()o", get_type},
    {"System.Object", "MemberwiseClone", "t()o", memberwise_clone},
    {"System.ValueType", "Equals", "t(o)i", value_equals},
    {"System.Buffers.SharedArrayPool`1", "Rent", "t(i)o", rent_array},
    {"System.Buffers.SharedArrayPool`1", "Return", "t(oi).", native_nothing},
    {"System.RuntimeTypeHandle", "InternalAllocNoChecks_FastPath", "(p)o",
     allocate_type},
    {"System.String", "FastAllocateString", "(i)o (p)o (pp)o", allocate_string},
    {"System.String", "get_Chars", "t(i)i", get_chars},
    {"System.Array", "get_Length", "t()i", array_length},
    {"System.Array", "get_LongLength", "t()l", array_length},
    {"System.Array", "get_NativeLength", "t()p", array_length},
    {"System.Array", "get_Rank", "t()i", array_rank},
    {"System.Array", "GetLength", "t(i)i", get_length},
    {"System.Array", "GetLowerBound", "t(i)i", lower_bound},
    {"System.Array", "GetUpperBound", "t(i)i", upper_bound},
    {"System.Array", "Copy", "(ooi).: System.Array, System.Array, int",
     array_copy},
    {"System.Array", "Copy",
     "(oioii).: System.Array, int, System.Array, int, int", array_copy},
    {"System.Array", "Clear", "(o). (oii).", array_clear},
    {"System.GC", "AllocateUninitializedArray", "(ii)o", allocate_array},
    {"System.GC", "AllocateArray", "(ii)o", allocate_array},
    {"System.GC", "KeepAlive", "(o).", native_nothing},
    {"System.GC", "SuppressFinalize", "(o).", native_nothing},
    {"System.GC", "ReRegisterForFinalize", "(o). (v1).", native_nothing},
    {"System.Environment", "get_CurrentManagedThreadId", "()i", thread_id},
    {HELPERS, "GetHashCode", "(o)i", hash_code},
    {HELPERS, "TryGetHashCode", "(o)i", hash_code},
    {HELPERS, "Equals", "(oo)i", reference_equals},
    {HELPERS, "IsReferenceOrContainsReferences", "()i", has_references},
    {HELPERS, "IsBitwiseEquatable", "()i", is_bitwise},
    {HELPERS, "IsKnownConstant", "(T)i (i)i (o)i", native_false},
    {HELPERS, "InitializeArray", "(ov1).", initialize_array},
    {HELPERS, "CreateSpan", "(v1)v2", create_span},
    {HELPERS, "GetMethodTable", "(o)p", method_table},
    {HELPERS, "EnsureSufficientExecutionStack", "().", native_nothing},
    {HELPERS, "TryEnsureSufficientExecutionStack", "()i", native_true},
    {HELPERS, "RunClassConstructor", "(v1). (v2).", native_nothing},
    {MARSHAL, "GetArrayDataReference", "(o)p", array_address},
    {"System.Type", "op_Equality", "(oo)i", type_equals},
    {"System.Type", "op_Inequality", "(oo)i", type_differs},
    {MONITOR, "Enter", "(o). (op).", take_lock},
    {MONITOR, "TryEnter", "(o)i (oi)i (oip). (op). (ov1)i (ov1p).", take_lock},
    {MONITOR, "ReliableEnter", "(op).", take_lock},
    {MONITOR, "Exit", "(o).", native_nothing},
    {MONITOR, "ExitIfLockTaken", "(op).", native_nothing},
    {MONITOR, "Pulse", "(o). (v1).", native_nothing},
    {MONITOR, "PulseAll", "(o). (v1).", native_nothing},
    {INTERLOCKED, "Exchange", "(pT)T (pd)d (pf)f (pi)i (pl)l (po)o (pp)p",
     exchange},
    {INTERLOCKED, "CompareExchange",
     "(pTT)T (pdd)d (pff)f (pii)i (pll)l (poo)o (ppp)p", compare_exchange},
    {INTERLOCKED, "ExchangeAdd", "(pi)i (pl)l", exchange_add},
    {INTERLOCKED, "Add", "(pi)i (pl)l", interlocked_add},
    {INTERLOCKED, "Increment", "(p)i (p)l", increment},
    {INTERLOCKED, "Decrement", "(p)i (p)l", decrement},
    {INTERLOCKED, "MemoryBarrier", "().", native_nothing},
    {"System.Threading.Thread", "MemoryBarrier", "().", native_nothing},
};

const struct native_table native_core = {rows, sizeof(rows) / sizeof(rows[0])};
