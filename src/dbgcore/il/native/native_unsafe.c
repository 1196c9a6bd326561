/*
 * System.Runtime.CompilerServices.Unsafe and what is like it: intrinsics of
 * the JIT, whose IL in the image says nothing.
 */
#include "il/native/native_help.h"

#include <string.h>

static struct il_type *type_arg(struct native *n, size_t i)
{
	return i < n->method->n_args ? n->method->args[i] : NULL;
}

static uint32_t size_arg(struct native *n, size_t i)
{
	struct il_type *type = type_arg(n, i);
	return type ? native_size(n, type) : 0;
}

/* The number that argument @i is: native, or 32 bits with or without sign. */
static int64_t number(struct native *n, size_t i)
{
	const struct il_sig *sig;
	struct dbg_error *err = il_method_sig(n->types, n->method, &sig);
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

static enum native_end same(struct native *n)
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
	return native_get(n, native_ref(n, 0), n->ret, size_arg(n, 0));
}

static enum native_end write(struct native *n)
{
	return native_put(n, native_ref(n, 0), n->args[1], size_arg(n, 0));
}

static enum native_end bit_cast(struct native *n)
{
	if (size_arg(n, 0) != size_arg(n, 1))
		return native_throw(n, "System.NotSupportedException");
	memcpy(n->ret, n->args[0], size_arg(n, 0));
	return NATIVE_DONE;
}

static enum native_end copy(struct native *n)
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
    {UNSAFE, "As", NULL, same},
    {UNSAFE, "AsRef", NULL, same},
    {UNSAFE, "AsPointer", NULL, same},
    {UNSAFE, "SizeOf", NULL, size_of},
    {UNSAFE, "SkipInit", NULL, native_nothing},
    {UNSAFE, "NullRef", NULL, native_nothing},
    {UNSAFE, "IsNullRef", NULL, is_null},
    {UNSAFE, "Add", NULL, add},
    {UNSAFE, "Subtract", NULL, subtract},
    {UNSAFE, "AddByteOffset", NULL, add_bytes},
    {UNSAFE, "SubtractByteOffset", NULL, subtract_bytes},
    {UNSAFE, "ByteOffset", NULL, byte_offset},
    {UNSAFE, "AreSame", NULL, are_same},
    {UNSAFE, "IsAddressGreaterThan", NULL, is_above},
    {UNSAFE, "IsAddressLessThan", NULL, is_below},
    {UNSAFE, "IsAddressGreaterThanOrEqualTo", NULL, is_not_below},
    {UNSAFE, "IsAddressLessThanOrEqualTo", NULL, is_not_above},
    {UNSAFE, "Unbox", NULL, unbox},
    {UNSAFE, "Read", NULL, read},
    {UNSAFE, "ReadUnaligned", NULL, read},
    {UNSAFE, "Write", NULL, write},
    {UNSAFE, "WriteUnaligned", NULL, write},
    {UNSAFE, "BitCast", NULL, bit_cast},
    {UNSAFE, "Copy", NULL, copy},
    {UNSAFE, "CopyBlock", NULL, copy_block},
    {UNSAFE, "CopyBlockUnaligned", NULL, copy_block},
    {UNSAFE, "InitBlock", NULL, init_block},
    {UNSAFE, "InitBlockUnaligned", NULL, init_block},
    {"System.Buffer", "Memmove", NULL, memmove_to},
    {"System.Buffer", "BulkMoveWithWriteBarrier", NULL, memmove_to},
    {"System.Buffer", "__BulkMoveWithWriteBarrier", NULL, memmove_to},
    {"System.Buffer", "__Memmove", NULL, memmove_to},
    {"System.Buffer", "_Memmove", NULL, memmove_to},
    {"System.Buffer", "__ZeroMemory", NULL, zero},
    {"System.Buffer", "_ZeroMemory", NULL, zero},
    {"System.SpanHelpers", "Memmove", NULL, memmove_to},
    {"System.SpanHelpers", "ClearWithoutReferences", NULL, zero},
    {"System.SpanHelpers", "ClearWithReferences", NULL, zero_words},
};

const struct native_table native_unsafe = {rows,
					   sizeof(rows) / sizeof(rows[0])};
