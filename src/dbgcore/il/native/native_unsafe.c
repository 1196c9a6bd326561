/*
 * System.Runtime.CompilerServices.Unsafe and what is like it: intrinsics of
 * the JIT, whose IL in the image says nothing.
 */
#include "il/native/native_type.h"

#include <string.h>

static struct type *type_arg(struct native *n, size_t i)
{
	return i < n->method->n_args ? n->method->args[i] : NULL;
}

static uint32_t size_arg(struct native *n, size_t i)
{
	struct type *type = type_arg(n, i);
	return type ? native_size(n, type) : 0;
}

/* The number that argument @i is: native, or 32 bits with or without sign. */
static int64_t number(struct native *n, size_t i)
{
	const struct type_sig *sig;
	struct dbg_error *err = type_method_sig(n->types, n->method, &sig);
	if (err) {
		dbg_error_destroy(err);
		return 0;
	}
	switch (i < sig->n_params ? sig->params[i]->elem : ELEM_I) {
	case ELEM_I4:
		return native_i4(n, i);
	case ELEM_U4:
		return (uint32_t)native_i4(n, i);
	default:
		return native_i8(n, i);
	}
}

/* ---- Addresses --------------------------------------------------------- */

static enum native_end unsafe_same(struct native *n)
{
	return native_ret_ref(n, native_ref(n, 0));
}

static enum native_end add(struct native *n)
{
	uint64_t by = (uint64_t)number(n, 1) * size_arg(n, 0);
	return native_ret_ref(n, native_ref(n, 0) + by);
}

static enum native_end subtract(struct native *n)
{
	uint64_t by = (uint64_t)number(n, 1) * size_arg(n, 0);
	return native_ret_ref(n, native_ref(n, 0) - by);
}

static enum native_end add_bytes(struct native *n)
{
	return native_ret_ref(n, native_ref(n, 0) + (uint64_t)number(n, 1));
}

static enum native_end subtract_bytes(struct native *n)
{
	return native_ret_ref(n, native_ref(n, 0) - (uint64_t)number(n, 1));
}

static enum native_end byte_offset(struct native *n)
{
	return native_ret_ref(n, native_ref(n, 1) - native_ref(n, 0));
}

static enum native_end are_same(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) == native_ref(n, 1));
}

static enum native_end is_above(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) > native_ref(n, 1));
}

static enum native_end is_below(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) < native_ref(n, 1));
}

static enum native_end is_not_below(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) >= native_ref(n, 1));
}

static enum native_end is_not_above(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) <= native_ref(n, 1));
}

static enum native_end is_null(struct native *n)
{
	return native_ret_i4(n, native_ref(n, 0) == 0);
}

static enum native_end size_of(struct native *n)
{
	return native_ret_i4(n, (int32_t)size_arg(n, 0));
}

static enum native_end unbox(struct native *n)
{
	uint64_t box = native_ref(n, 0);
	if (!box)
		return native_throw(n, "System.NullReferenceException");
	if (native_type_of(n, box) != type_arg(n, 0))
		return native_throw(n, "System.InvalidCastException");
	return native_ret_ref(n, box + 8);
}

/* ---- Values ------------------------------------------------------------ */

static enum native_end read(struct native *n)
{
	return native_ret_get(n, native_ref(n, 0), size_arg(n, 0));
}

static enum native_end write(struct native *n)
{
	return native_put_arg(n, native_ref(n, 0), 1, size_arg(n, 0));
}

static enum native_end bit_cast(struct native *n)
{
	if (size_arg(n, 0) != size_arg(n, 1))
		return native_throw(n, "System.NotSupportedException");
	const void *from = native_arg(n, 0, size_arg(n, 0));
	return from ? native_ret(n, from, size_arg(n, 0))
		    : native_refuse(n, "other arguments");
}

static enum native_end unsafe_copy(struct native *n)
{
	return native_move(n, native_ref(n, 0), native_ref(n, 1),
			   size_arg(n, 0));
}

static enum native_end copy_block(struct native *n)
{
	return native_move(n, native_ref(n, 0), native_ref(n, 1),
			   (uint64_t)number(n, 2));
}

static enum native_end init_block(struct native *n)
{
	return native_fill(n, native_ref(n, 0), (uint8_t)native_i4(n, 1),
			   (uint64_t)number(n, 2));
}

/* ---- Moving memory ----------------------------------------------------- */

/* (ref to, ref from, count): of bytes, or of elements if it is generic. */
static enum native_end memmove_to(struct native *n)
{
	uint64_t size = n->method->n_args ? size_arg(n, 0) : 1;
	uint64_t count = (uint64_t)number(n, 2);
	if (size && count > UINT32_MAX / size)
		return native_refuse(n, "too many bytes");
	return native_move(n, native_ref(n, 0), native_ref(n, 1), count * size);
}

static enum native_end zero(struct native *n)
{
	return native_fill(n, native_ref(n, 0), 0, (uint64_t)number(n, 1));
}

/* ClearWithReferences(ref IntPtr, words). */
static enum native_end zero_words(struct native *n)
{
	uint64_t count = (uint64_t)number(n, 1);
	if (count > UINT32_MAX / 8)
		return native_refuse(n, "too many bytes");
	return native_fill(n, native_ref(n, 0), 0, count * 8);
}

#define UNSAFE "System.Runtime.CompilerServices.Unsafe"

static const struct il_native rows[] = {
    {UNSAFE, "As", "(o)T (p)p", unsafe_same},
    {UNSAFE, "AsRef", "(p)p", unsafe_same},
    {UNSAFE, "AsPointer", "(p)p", unsafe_same},
    {UNSAFE, "SizeOf", "()i", size_of},
    {UNSAFE, "SkipInit", "(p).", native_nothing},
    {UNSAFE, "NullRef", "()p", native_nothing},
    {UNSAFE, "IsNullRef", "(p)i", is_null},
    {UNSAFE, "Add", "(pi)p (pp)p", add},
    {UNSAFE, "Subtract", "(pi)p (pp)p", subtract},
    {UNSAFE, "AddByteOffset", "(pp)p", add_bytes},
    {UNSAFE, "SubtractByteOffset", "(pp)p", subtract_bytes},
    {UNSAFE, "ByteOffset", "(pp)p", byte_offset},
    {UNSAFE, "AreSame", "(pp)i", are_same},
    {UNSAFE, "IsAddressGreaterThan", "(pp)i", is_above},
    {UNSAFE, "IsAddressLessThan", "(pp)i", is_below},
    {UNSAFE, "IsAddressGreaterThanOrEqualTo", "(pp)i", is_not_below},
    {UNSAFE, "IsAddressLessThanOrEqualTo", "(pp)i", is_not_above},
    {UNSAFE, "Unbox", "(o)p", unbox},
    {UNSAFE, "Read", "(p)T", read},
    {UNSAFE, "ReadUnaligned", "(p)T", read},
    {UNSAFE, "Write", "(pT).", write},
    {UNSAFE, "WriteUnaligned", "(pT).", write},
    {UNSAFE, "BitCast", "(T)T", bit_cast},
    {UNSAFE, "Copy", "(pp).", unsafe_copy},
    {UNSAFE, "CopyBlock", "(ppi).", copy_block},
    {UNSAFE, "CopyBlockUnaligned", "(ppi).", copy_block},
    {UNSAFE, "InitBlock", "(pii).", init_block},
    {UNSAFE, "InitBlockUnaligned", "(pii).", init_block},
    {"System.Buffer", "Memmove", "(ppp).", memmove_to},
    {"System.Buffer", "BulkMoveWithWriteBarrier", "(ppp).", memmove_to},
    {"System.Buffer", "__BulkMoveWithWriteBarrier", "(ppp).", memmove_to},
    {"System.Buffer", "__Memmove", "(ppp).", memmove_to},
    {"System.Buffer", "_Memmove", "(ppp).", memmove_to},
    {"System.Buffer", "__ZeroMemory", "(pp).", zero},
    {"System.Buffer", "_ZeroMemory", "(pp).", zero},
    {"System.SpanHelpers", "Memmove", "(ppp).", memmove_to},
    {"System.SpanHelpers", "ClearWithoutReferences", "(pp).", zero},
    {"System.SpanHelpers", "ClearWithReferences", "(pp).", zero_words},
};

const struct native_table native_unsafe = {rows,
					   sizeof(rows) / sizeof(rows[0])};
