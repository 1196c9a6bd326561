/*
 * Operations of arithmetic, comparison and branching (III.1.5, III.3), each
 * made once for every kind of number by a macro. Division by zero and overflow
 * throw the program's exceptions inside the execution.
 */
#include "il/machine/ops.h"

#include <math.h>

#define OVERFLOW "System.OverflowException"
#define BY_ZERO "System.DivideByZeroException"

#define HEAD(name, k)                                                          \
	static const struct op *name##_##k(struct vm *vm, const struct op *i,  \
					   uint8_t *fp)

/* ---- d = a name b, which cannot fail ------------------------------------- */

#define BIN(name, k, expr)                                                     \
	HEAD(name, k)                                                          \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		__auto_type b = get_##k(fp + i->b);                            \
		put_##k(fp + i->d, expr);                                      \
		return i + 1;                                                  \
	}
#define BIN_INT(name, expr) BIN(name, u4, expr) BIN(name, u8, expr)
#define BIN_REAL(name, expr) BIN(name, r4, expr) BIN(name, r8, expr)
#define BIN_ALL(name, expr) BIN_INT(name, expr) BIN_REAL(name, expr)

BIN_ALL(add, a + b)
BIN_ALL(sub, a - b)
BIN_ALL(mul, a *b)
BIN_REAL(div, a / b)
BIN(rem, r4, fmodf(a, b))
BIN(rem, r8, fmod(a, b))
BIN_INT(and, a &b)
BIN_INT(or, a | b)
BIN_INT(xor, a ^ b)

/* The number of bits to shift by is always 32 bits wide. */
#define SHIFT(name, k, bits, expr)                                             \
	HEAD(name, k)                                                          \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		uint32_t b = get_u4(fp + i->b) & (bits - 1);                   \
		put_##k(fp + i->d, expr);                                      \
		return i + 1;                                                  \
	}
SHIFT(shl, u4, 32, a << b)
SHIFT(shl, u8, 64, a << b)
SHIFT(shr, i4, 32, a >> b)
SHIFT(shr, i8, 64, a >> b)
SHIFT(shr_un, u4, 32, a >> b)
SHIFT(shr_un, u8, 64, a >> b)

/* ---- Division ---------------------------------------------------------- */

#define DIVIDE(name, k, least, oper)                                           \
	HEAD(name, k)                                                          \
	{                                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		__auto_type b = get_##k(fp + i->b);                            \
		if (b == 0)                                                    \
			return throw_new(vm, i, BY_ZERO);                      \
		if (least && a == least && b + 1 == 0)                         \
			return throw_new(vm, i, OVERFLOW);                     \
		put_##k(fp + i->d, a oper b);                                  \
		return i + 1;                                                  \
	}
DIVIDE(div, i4, INT32_MIN, /)
DIVIDE(div, i8, INT64_MIN, /)
DIVIDE(rem, i4, INT32_MIN, %)
DIVIDE(rem, i8, INT64_MIN, %)
DIVIDE(div_un, u4, 0, /)
DIVIDE(div_un, u8, 0, /)
DIVIDE(rem_un, u4, 0, %)
DIVIDE(rem_un, u8, 0, %)

/* ---- Checked ----------------------------------------------------------- */

#define CHECKED(name, k, builtin)                                              \
	HEAD(name##_ovf, k)                                                    \
	{                                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		__auto_type b = get_##k(fp + i->b);                            \
		if (builtin(a, b, &a))                                         \
			return throw_new(vm, i, OVERFLOW);                     \
		put_##k(fp + i->d, a);                                         \
		return i + 1;                                                  \
	}
#define CHECKED_ALL(name, builtin)                                             \
	CHECKED(name, i4, builtin)                                             \
	CHECKED(name, i8, builtin)                                             \
	CHECKED(name, u4, builtin) CHECKED(name, u8, builtin)
CHECKED_ALL(add, __builtin_add_overflow)
CHECKED_ALL(sub, __builtin_sub_overflow)
CHECKED_ALL(mul, __builtin_mul_overflow)

op_fn *const ops_bin[N_BINS][N_NUMS] = {
    [BIN_ADD] = {add_u4, add_u8, add_r4, add_r8},
    [BIN_SUB] = {sub_u4, sub_u8, sub_r4, sub_r8},
    [BIN_MUL] = {mul_u4, mul_u8, mul_r4, mul_r8},
    [BIN_DIV] = {div_i4, div_i8, div_r4, div_r8},
    [BIN_REM] = {rem_i4, rem_i8, rem_r4, rem_r8},
    [BIN_DIV_UN] = {div_un_u4, div_un_u8},
    [BIN_REM_UN] = {rem_un_u4, rem_un_u8},
    [BIN_AND] = {and_u4, and_u8},
    [BIN_OR] = {or_u4, or_u8},
    [BIN_XOR] = {xor_u4, xor_u8},
    [BIN_SHL] = {shl_u4, shl_u8},
    [BIN_SHR] = {shr_i4, shr_i8},
    [BIN_SHR_UN] = {shr_un_u4, shr_un_u8},
    [BIN_ADD_OVF] = {add_ovf_i4, add_ovf_i8},
    [BIN_ADD_OVF_UN] = {add_ovf_u4, add_ovf_u8},
    [BIN_SUB_OVF] = {sub_ovf_i4, sub_ovf_i8},
    [BIN_SUB_OVF_UN] = {sub_ovf_u4, sub_ovf_u8},
    [BIN_MUL_OVF] = {mul_ovf_i4, mul_ovf_i8},
    [BIN_MUL_OVF_UN] = {mul_ovf_u4, mul_ovf_u8},
};

/* ---- Of one ------------------------------------------------------------ */

#define UNARY(name, k, expr)                                                   \
	HEAD(name, k)                                                          \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		put_##k(fp + i->d, expr);                                      \
		return i + 1;                                                  \
	}
UNARY(neg, u4, -a)
UNARY(neg, u8, -a)
UNARY(neg, r4, -a)
UNARY(neg, r8, -a)
UNARY(not, u4, ~a)
UNARY(not, u8, ~a)

op_fn *const ops_neg[N_NUMS] = {neg_u4, neg_u8, neg_r4, neg_r8};
op_fn *const ops_not[2] = {not_u4, not_u8};

/* ---- Comparisons ------------------------------------------------------- */

#define COMPARE(name, k, expr)                                                 \
	HEAD(set_##name, k)                                                    \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		__auto_type b = get_##k(fp + i->b);                            \
		put_i4(fp + i->d, expr);                                       \
		return i + 1;                                                  \
	}                                                                      \
	HEAD(if_##name, k)                                                     \
	{                                                                      \
		(void)vm;                                                      \
		__auto_type a = get_##k(fp + i->a);                            \
		__auto_type b = get_##k(fp + i->b);                            \
		return (expr) ? i->x.to : i + 1;                               \
	}
#define COMPARE_SIGNED(name, expr)                                             \
	COMPARE(name, i4, expr)                                                \
	COMPARE(name, i8, expr) COMPARE(name, r4, expr) COMPARE(name, r8, expr)
#define COMPARE_UN(name, expr, real)                                           \
	COMPARE(name, u4, expr)                                                \
	COMPARE(name, u8, expr) COMPARE(name, r4, real) COMPARE(name, r8, real)

COMPARE_SIGNED(eq, a == b)
COMPARE_SIGNED(ne, a != b)
COMPARE_SIGNED(lt, a < b)
COMPARE_SIGNED(le, a <= b)
COMPARE_SIGNED(gt, a > b)
COMPARE_SIGNED(ge, a >= b)
COMPARE_UN(lt_un, a < b, !(a >= b))
COMPARE_UN(le_un, a <= b, !(a > b))
COMPARE_UN(gt_un, a > b, !(a <= b))
COMPARE_UN(ge_un, a >= b, !(a < b))

#define ROW(prefix, name)                                                      \
	{                                                                      \
		prefix##_##name##_i4, prefix##_##name##_i8,                    \
		    prefix##_##name##_r4, prefix##_##name##_r8                 \
	}
#define ROW_UN(prefix, name)                                                   \
	{                                                                      \
		prefix##_##name##_u4, prefix##_##name##_u8,                    \
		    prefix##_##name##_r4, prefix##_##name##_r8                 \
	}
#define COMPARISONS(prefix)                                                    \
	{                                                                      \
		[CMP_EQ] = ROW(prefix, eq), [CMP_NE] = ROW(prefix, ne),        \
		[CMP_LT] = ROW(prefix, lt), [CMP_LE] = ROW(prefix, le),        \
		[CMP_GT] = ROW(prefix, gt), [CMP_GE] = ROW(prefix, ge),        \
		[CMP_NE_UN] = ROW(prefix, ne),                                 \
		[CMP_LT_UN] = ROW_UN(prefix, lt_un),                           \
		[CMP_LE_UN] = ROW_UN(prefix, le_un),                           \
		[CMP_GT_UN] = ROW_UN(prefix, gt_un),                           \
		[CMP_GE_UN] = ROW_UN(prefix, ge_un),                           \
	}
op_fn *const ops_set[N_CMPS][N_NUMS] = COMPARISONS(set);
op_fn *const ops_branch[N_CMPS][N_NUMS] = COMPARISONS(if);

/* ---- Constants and jumps ----------------------------------------------- */

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

OP(op_const_i4)
{
	(void)vm;
	put_i4(fp + i->d, (int32_t)i->x.i);
	return i + 1;
}

OP(op_const_i8)
{
	(void)vm;
	put_i8(fp + i->d, i->x.i);
	return i + 1;
}

OP(op_const_r4)
{
	(void)vm;
	put_r4(fp + i->d, (float)i->x.r);
	return i + 1;
}

OP(op_const_r8)
{
	(void)vm;
	put_r8(fp + i->d, i->x.r);
	return i + 1;
}

OP(op_jump)
{
	(void)vm;
	(void)fp;
	return i->x.to;
}

OP(op_true)
{
	(void)vm;
	return get_u8(fp + i->a) ? i->x.to : i + 1;
}

OP(op_false)
{
	(void)vm;
	return get_u8(fp + i->a) ? i + 1 : i->x.to;
}

OP(op_true_i4)
{
	(void)vm;
	return get_u4(fp + i->a) ? i->x.to : i + 1;
}

OP(op_false_i4)
{
	(void)vm;
	return get_u4(fp + i->a) ? i + 1 : i->x.to;
}

/* The n jumps behind it are the cases. */
OP(op_switch)
{
	(void)vm;
	uint32_t value = get_u4(fp + i->a);
	return value < i->n ? i + 1 + value : i + 1 + i->n;
}
