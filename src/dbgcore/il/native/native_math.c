/* System.Math and MathF, where the runtime calls the C library. */
#include "il/machine/native.h"

#include <math.h>

#define OF_ONE(name)                                                           \
	static enum native_end math_##name(struct native *n)                   \
	{                                                                      \
		return native_ret_r8(n, name(native_r8(n, 0)));                \
	}                                                                      \
	static enum native_end mathf_##name(struct native *n)                  \
	{                                                                      \
		return native_ret_r4(n, name##f(native_r4(n, 0)));             \
	}
#define OF_TWO(name)                                                           \
	static enum native_end math_##name(struct native *n)                   \
	{                                                                      \
		return native_ret_r8(n,                                        \
				     name(native_r8(n, 0), native_r8(n, 1)));  \
	}                                                                      \
	static enum native_end mathf_##name(struct native *n)                  \
	{                                                                      \
		return native_ret_r4(                                          \
		    n, name##f(native_r4(n, 0), native_r4(n, 1)));             \
	}
OF_ONE(acos)
OF_ONE(acosh)
OF_ONE(asin)
OF_ONE(asinh)
OF_ONE(atan)
OF_ONE(atanh)
OF_ONE(cbrt)
OF_ONE(ceil)
OF_ONE(cos)
OF_ONE(cosh)
OF_ONE(exp)
OF_ONE(fabs)
OF_ONE(floor)
OF_ONE(log)
OF_ONE(log10)
OF_ONE(log2)
OF_ONE(sin)
OF_ONE(sinh)
OF_ONE(sqrt)
OF_ONE(tan)
OF_ONE(tanh)
OF_ONE(trunc)
OF_ONE(rint)
OF_TWO(atan2)
OF_TWO(pow)

/* (x, double *whole): the fraction. */
static enum native_end math_modf(struct native *n)
{
	double whole, part = modf(native_r8(n, 0), &whole);
	enum native_end end =
	    native_put(n, native_ref(n, 1), &whole, sizeof(whole));
	return end == NATIVE_DONE ? native_ret_r8(n, part) : end;
}

static enum native_end mathf_modf(struct native *n)
{
	float whole, part = modff(native_r4(n, 0), &whole);
	enum native_end end =
	    native_put(n, native_ref(n, 1), &whole, sizeof(whole));
	return end == NATIVE_DONE ? native_ret_r4(n, part) : end;
}

static enum native_end math_fma(struct native *n)
{
	return native_ret_r8(
	    n, fma(native_r8(n, 0), native_r8(n, 1), native_r8(n, 2)));
}

static enum native_end mathf_fma(struct native *n)
{
	return native_ret_r4(
	    n, fmaf(native_r4(n, 0), native_r4(n, 1), native_r4(n, 2)));
}

#define ROWS(method, name)                                                     \
	{"System.Math", method, "(d)d", math_##name},                          \
	{                                                                      \
		"System.MathF", method, "(f)f", mathf_##name                   \
	}
#define ROWS_TWO(method, name)                                                 \
	{"System.Math", method, "(dd)d", math_##name},                         \
	{                                                                      \
		"System.MathF", method, "(ff)f", mathf_##name                  \
	}

static const struct il_native rows[] = {
    ROWS("Acos", acos),
    ROWS("Acosh", acosh),
    ROWS("Asin", asin),
    ROWS("Asinh", asinh),
    ROWS("Atan", atan),
    ROWS("Atanh", atanh),
    ROWS("Cbrt", cbrt),
    ROWS("Ceiling", ceil),
    ROWS("Cos", cos),
    ROWS("Cosh", cosh),
    ROWS("Exp", exp),
    ROWS("Abs", fabs),
    ROWS("Floor", floor),
    ROWS("Log", log),
    ROWS("Log10", log10),
    ROWS("Log2", log2),
    ROWS("Sin", sin),
    ROWS("Sinh", sinh),
    ROWS("Sqrt", sqrt),
    ROWS("Tan", tan),
    ROWS("Tanh", tanh),
    ROWS("Truncate", trunc),
    ROWS("Round", rint),
    ROWS_TWO("Atan2", atan2),
    ROWS_TWO("Pow", pow),
    {"System.Math", "ModF", "(dp)d", math_modf},
    {"System.MathF", "ModF", "(fp)f", mathf_modf},
    {"System.Math", "FusedMultiplyAdd", "(ddd)d", math_fma},
    {"System.MathF", "FusedMultiplyAdd", "(fff)f", mathf_fma},
};

const struct native_table native_math = {rows, sizeof(rows) / sizeof(rows[0])};
