/*
 * Conversions (III.3.27-29). What becomes of reals out of range is the JIT's:
 * .NET 8 does what the processor does, 9 and later saturate, integers below 32
 * bits by way of one of 32 until 10, at their own bounds since 11.
 */
#include "il/machine/ops.h"

#include <math.h>

#define HEAD(name, k)                                                          \
	static const struct op *name##_##k(struct vm *vm, const struct op *i,  \
					   uint8_t *fp)

static int32_t real_to_i4(double v)
{
	if (isnan(v))
		return 0;
	if (v >= 2147483648.0)
		return INT32_MAX;
	return v <= -2147483649.0 ? INT32_MIN : (int32_t)v;
}

static uint32_t real_to_u4(double v)
{
	if (isnan(v) || v <= -1.0)
		return 0;
	return v >= 4294967296.0 ? UINT32_MAX : (uint32_t)v;
}

static int64_t real_to_i8(double v)
{
	if (isnan(v))
		return 0;
	if (v >= 9223372036854775808.0)
		return INT64_MAX;
	return v < -9223372036854775808.0 ? INT64_MIN : (int64_t)v;
}

static uint64_t real_to_u8(double v)
{
	if (isnan(v) || v <= -1.0)
		return 0;
	return v >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)v;
}

#define CONV(name, from, to, expr)                                             \
	HEAD(name, from)                                                       \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##from(fp + i->a);                         \
		put_##to(fp + i->d, expr);                                     \
		return i + 1;                                                  \
	}
#define CONV_ALL(name, to, integer, real)                                      \
	CONV(name, i4, to, integer)                                            \
	CONV(name, i8, to, integer)                                            \
	CONV(name, r4, to, real)                                               \
	CONV(name, r8, to, real)

CONV_ALL(to_i1, i4, (int8_t)a, (int8_t)real_to_i4(a))
CONV_ALL(to_u1, i4, (uint8_t)a, (uint8_t)real_to_i4(a))
CONV_ALL(to_i2, i4, (int16_t)a, (int16_t)real_to_i4(a))
CONV_ALL(to_u2, i4, (uint16_t)a, (uint16_t)real_to_i4(a))
CONV_ALL(to_i4, i4, (int32_t)a, real_to_i4(a))
CONV_ALL(to_u4, u4, (uint32_t)a, real_to_u4(a))
CONV_ALL(to_i8, i8, a, real_to_i8(a))
CONV(to_u8, u4, u8, a)
CONV(to_u8, i8, u8, (uint64_t)a)
CONV(to_u8, r4, u8, real_to_u8(a))
CONV(to_u8, r8, u8, real_to_u8(a))
CONV_ALL(to_r4, r4, (float)a, (float)a)
CONV_ALL(to_r8, r8, (double)a, (double)a)
CONV(to_r_un, u4, r8, (double)a)
CONV(to_r_un, u8, r8, (double)a)

/* ---- Reals of .NET 8 ----------------------------------------------------- */

static int32_t real8_to_i4(double v)
{
	return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN;
}

static int64_t real8_to_i8(double v)
{
	return v >= -9223372036854775808.0 && v < 9223372036854775808.0
		   ? (int64_t)v
		   : INT64_MIN;
}

static uint64_t real8_to_u8(double v)
{
	const double half = 9223372036854775808.0;

	return v < half ? (uint64_t)real8_to_i8(v)
			: (uint64_t)real8_to_i8(v - half) + (UINT64_C(1) << 63);
}

#define CONV_REAL(name, to, real)                                              \
	CONV(name, r4, to, real)                                               \
	CONV(name, r8, to, real)

CONV_REAL(wrap_i1, i4, (int8_t)real8_to_i4(a))
CONV_REAL(wrap_u1, i4, (uint8_t)real8_to_i4(a))
CONV_REAL(wrap_i2, i4, (int16_t)real8_to_i4(a))
CONV_REAL(wrap_u2, i4, (uint16_t)real8_to_i4(a))
CONV_REAL(wrap_i4, i4, real8_to_i4(a))
CONV_REAL(wrap_u4, u4, (uint32_t)real8_to_i8(a))
CONV_REAL(wrap_i8, i8, real8_to_i8(a))
CONV_REAL(wrap_u8, u8, real8_to_u8(a))

/* ---- ... since .NET 11 --------------------------------------------------- */

static int32_t real_within(double v, int32_t low, int32_t high)
{
	int32_t n = real_to_i4(v);

	return n < low ? low : n > high ? high : n;
}

CONV_REAL(within_i1, i4, real_within(a, INT8_MIN, INT8_MAX))
CONV_REAL(within_u1, i4, real_within(a, 0, UINT8_MAX))
CONV_REAL(within_i2, i4, real_within(a, INT16_MIN, INT16_MAX))
CONV_REAL(within_u2, i4, real_within(a, 0, UINT16_MAX))

#define ROW(name)                                                              \
	{                                                                      \
		name##_i4, name##_i8, name##_r4, name##_r8                     \
	}
static op_fn *const convs[N_CONVS][N_NUMS] = {
    [CONV_I1] = ROW(to_i1),
    [CONV_U1] = ROW(to_u1),
    [CONV_I2] = ROW(to_i2),
    [CONV_U2] = ROW(to_u2),
    [CONV_I4] = ROW(to_i4),
    [CONV_U4] = ROW(to_u4),
    [CONV_I8] = ROW(to_i8),
    [CONV_U8] = {to_u8_u4, to_u8_i8, to_u8_r4, to_u8_r8},
    [CONV_R4] = ROW(to_r4),
    [CONV_R8] = ROW(to_r8),
    [CONV_R_UN] = {to_r_un_u4, to_r_un_u8, to_r8_r4, to_r8_r8},
};

#define ROW_REAL(name)                                                         \
	{                                                                      \
		[NUM_R4] = name##_r4, [NUM_R8] = name##_r8                     \
	}
static op_fn *const convs_8[N_CONVS][N_NUMS] = {
    [CONV_I1] = ROW_REAL(wrap_i1), [CONV_U1] = ROW_REAL(wrap_u1),
    [CONV_I2] = ROW_REAL(wrap_i2), [CONV_U2] = ROW_REAL(wrap_u2),
    [CONV_I4] = ROW_REAL(wrap_i4), [CONV_U4] = ROW_REAL(wrap_u4),
    [CONV_I8] = ROW_REAL(wrap_i8), [CONV_U8] = ROW_REAL(wrap_u8),
};
static op_fn *const convs_11[N_CONVS][N_NUMS] = {
    [CONV_I1] = ROW_REAL(within_i1),
    [CONV_U1] = ROW_REAL(within_u1),
    [CONV_I2] = ROW_REAL(within_i2),
    [CONV_U2] = ROW_REAL(within_u2),
};

op_fn *op_conv(unsigned int runtime, enum conv to, enum num from)
{
	op_fn *own = runtime && runtime <= 8 ? convs_8[to][from]
		     : runtime >= 11         ? convs_11[to][from]
					     : NULL;

	return own ? own : convs[to][from];
}

/* ---- Checked ----------------------------------------------------------- */

/*
 * Checked conversion to @type, whose stack place has the type @to: throws if
 * the value does not fit.
 */
#define CHECK(name, from, type, to)                                            \
	HEAD(name, from)                                                       \
	{                                                                      \
		type v;                                                        \
		if (__builtin_add_overflow(get_##from(fp + i->a), 0, &v))      \
			return throw_new(vm, i, "System.OverflowException");   \
		put_##to(fp + i->d, v);                                        \
		return i + 1;                                                  \
	}
/* The same from a floating-point value, truncated: the bounds are exact. */
#define CHECK_REAL(name, from, type, to, low, high)                            \
	HEAD(name, from)                                                       \
	{                                                                      \
		double v = trunc((double)get_##from(fp + i->a));               \
		if (!(v >= (low) && v < (high)))                               \
			return throw_new(vm, i, "System.OverflowException");   \
		put_##to(fp + i->d, (type)v);                                  \
		return i + 1;                                                  \
	}
#define CHECKS(name, type, to, low, high)                                      \
	CHECK(name, i4, type, to)                                              \
	CHECK(name, i8, type, to)                                              \
	CHECK(name, u4, type, to)                                              \
	CHECK(name, u8, type, to)                                              \
	CHECK_REAL(name, r4, type, to, low, high)                              \
	CHECK_REAL(name, r8, type, to, low, high)

CHECKS(check_i1, int8_t, i4, -128.0, 128.0)
CHECKS(check_u1, uint8_t, i4, 0.0, 256.0)
CHECKS(check_i2, int16_t, i4, -32768.0, 32768.0)
CHECKS(check_u2, uint16_t, i4, 0.0, 65536.0)
CHECKS(check_i4, int32_t, i4, -2147483648.0, 2147483648.0)
CHECKS(check_u4, uint32_t, u4, 0.0, 4294967296.0)
CHECKS(check_i8, int64_t, i8, -9223372036854775808.0, 9223372036854775808.0)
CHECKS(check_u8, uint64_t, u8, 0.0, 18446744073709551616.0)

#define ROW_UN(name)                                                           \
	{                                                                      \
		name##_u4, name##_u8, name##_r4, name##_r8                     \
	}
#define CHECKED(row)                                                           \
	{                                                                      \
		[CONV_I1] = row(check_i1), [CONV_U1] = row(check_u1),          \
		[CONV_I2] = row(check_i2), [CONV_U2] = row(check_u2),          \
		[CONV_I4] = row(check_i4), [CONV_U4] = row(check_u4),          \
		[CONV_I8] = row(check_i8), [CONV_U8] = row(check_u8),          \
	}
op_fn *const ops_checked[8][N_NUMS] = CHECKED(ROW);
op_fn *const ops_checked_un[8][N_NUMS] = CHECKED(ROW_UN);

#define FINITE(k)                                                              \
	const struct op *op_finite_##k(struct vm *vm, const struct op *i,      \
				       uint8_t *fp)                            \
	{                                                                      \
		if (!isfinite(get_##k(fp + i->a)))                             \
			return throw_new(vm, i, "System.ArithmeticException"); \
		return i + 1;                                                  \
	}
FINITE(r4)
FINITE(r8)
