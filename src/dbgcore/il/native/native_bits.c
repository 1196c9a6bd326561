/*
 * Natives: what the processor does for numbers: bits, conversions, and
 * vectors, which there are none of.
 */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "il/native/native_type.h"

static enum elem first_elem(struct native *n)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)) ||
	    !sig->n_params)
		return ELEM_VOID;
	return sig->params[0]->elem;
}

static enum native_end sin_cos(struct native *n)
{
	enum native_end end;
	if (n->n_args != 3)
		return NATIVE_IL;
	if (first_elem(n) == ELEM_R4) {
		float s = sinf(native_r4(n, 0)), c = cosf(native_r4(n, 0));
		end = native_put(n, native_ref(n, 1), &s, sizeof(s));
		return end == NATIVE_DONE
			   ? native_put(n, native_ref(n, 2), &c, sizeof(c))
			   : end;
	}
	double s = sin(native_r8(n, 0)), c = cos(native_r8(n, 0));
	end = native_put(n, native_ref(n, 1), &s, sizeof(s));
	return end == NATIVE_DONE
		   ? native_put(n, native_ref(n, 2), &c, sizeof(c))
		   : end;
}

/* ---- Conversions of the processor ---------------------------------------- */

static int64_t saturated(double v, double low, double high, int64_t min,
			 int64_t max)
{
	if (isnan(v))
		return 0;
	return v <= low ? min : v >= high ? max : (int64_t)v;
}

static uint64_t to_unsigned(double v)
{
	if (isnan(v) || v <= 0)
		return 0;
	return v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

/* double.ConvertToIntegerNative<int>(v): its IL calls itself. */
static enum native_end convert(struct native *n)
{
	double v = first_elem(n) == ELEM_R4 ? (double)native_r4(n, 0)
					    : native_r8(n, 0);
	switch (n->method->n_args ? n->method->args[0]->elem : ELEM_VOID) {
	case ELEM_I4:
		return native_ret_i4(n,
				     (int32_t)saturated(v, INT32_MIN, 0x1p31,
							INT32_MIN, INT32_MAX));
	case ELEM_U4:
		v = v < 0 ? 0 : v;
		return native_ret_i4(n, (int32_t)(uint32_t)saturated(
					    v, 0, 0x1p32, 0, UINT32_MAX));
	case ELEM_I8:
	case ELEM_I:
		return native_ret_i8(
		    n, saturated(v, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX));
	case ELEM_U8:
	case ELEM_U:
		return native_ret_i8(n, (int64_t)to_unsigned(v));
	default:
		return NATIVE_IL;
	}
}

/* ---- System.Numerics.BitOperations --------------------------------------- */

/*
 * Is the first argument a primitive integer? Overloads over UInt128, Half and
 * so on run as IL.
 */
static bool is_number(struct native *n)
{
	enum elem elem = first_elem(n);
	return elem == ELEM_I4 || elem == ELEM_U4 || elem == ELEM_U8 ||
	       elem == ELEM_I8 || elem == ELEM_U || elem == ELEM_I;
}

static bool is_64(struct native *n)
{
	enum elem elem = first_elem(n);
	return elem == ELEM_U8 || elem == ELEM_I8 || elem == ELEM_U ||
	       elem == ELEM_I;
}

static uint64_t operand_bits(struct native *n)
{
	return is_64(n) ? (uint64_t)native_i8(n, 0) : (uint32_t)native_i4(n, 0);
}

static enum native_end pop_count(struct native *n)
{
	if (!is_number(n))
		return NATIVE_IL;
	return native_ret_i4(n, __builtin_popcountll(operand_bits(n)));
}

static enum native_end leading_zeros(struct native *n)
{
	if (!is_number(n))
		return NATIVE_IL;
	uint64_t v = operand_bits(n);
	int width = is_64(n) ? 64 : 32;
	int at = v ? __builtin_clzll(v) - (64 - width) : width;
	return native_ret_i4(n, at);
}

static enum native_end trailing_zeros(struct native *n)
{
	if (!is_number(n))
		return NATIVE_IL;
	uint64_t v = operand_bits(n);
	return native_ret_i4(n, v ? __builtin_ctzll(v) : is_64(n) ? 64 : 32);
}

static enum native_end log2_bits(struct native *n)
{
	if (!is_number(n))
		return NATIVE_IL;
	return native_ret_i4(n, 63 - __builtin_clzll(operand_bits(n) | 1));
}

/* ---- Vectors ------------------------------------------------------------ */

/* Vector code is not supported: the library's scalar loops run instead. */
static enum native_end no_vectors(struct native *n)
{
	return native_refuse(n, "it needs the processor's vectors");
}

static const struct il_native rows[] = {
    {"System.Math", "SinCos", "(dpp).", sin_cos},
    {"System.MathF", "SinCos", "(fpp).", sin_cos},
    {"System.Double", "ConvertToIntegerNative", "(d)T", convert},
    {"System.Single", "ConvertToIntegerNative", "(f)T", convert},
    {"System.Numerics.BitOperations", "PopCount", "(i)i (l)i (p)i", pop_count},
    {"System.Numerics.BitOperations", "LeadingZeroCount",
     "(i)i (l)i (p)i (v2)i", leading_zeros},
    {"System.Numerics.BitOperations", "TrailingZeroCount", "(i)i (l)i (p)i",
     trailing_zeros},
    {"System.Numerics.BitOperations", "Log2", "(i)i (l)i (p)i", log2_bits},
    {"System.Numerics.Vector", "get_IsHardwareAccelerated", "()i",
     native_false},
    {"System.Runtime.Intrinsics.X86.*", "get_IsSupported", "()i", native_false},
    {"System.Runtime.Intrinsics.Arm.*", "get_IsSupported", "()i", native_false},
    {"System.Runtime.Intrinsics.Wasm.*", "get_IsSupported", "()i",
     native_false},
    {"System.Runtime.Intrinsics.*", "get_IsHardwareAccelerated", "()i",
     native_false},
    {"System.Runtime.Intrinsics.X86.*", "*", "*", no_vectors},
    {"System.Runtime.Intrinsics.Arm.*", "*", "*", no_vectors},
    {"System.Runtime.Intrinsics.Wasm.*", "*", "*", no_vectors},
};

const struct native_table native_bits = {rows, sizeof(rows) / sizeof(rows[0])};
