/* The operations that compiled methods are made of, by what they work on. */
#ifndef IL_OPS_H
#define IL_OPS_H

#include <string.h>

#include "il/machine/vm_priv.h"

/* Numbers on the stack: by-refs, pointers and references are I8 here. */
enum num {
	NUM_I4,
	NUM_I8,
	NUM_R4,
	NUM_R8,
	N_NUMS,
};

enum bin {
	BIN_ADD,
	BIN_SUB,
	BIN_MUL,
	BIN_DIV,
	BIN_REM,
	BIN_DIV_UN,
	BIN_REM_UN,
	BIN_AND,
	BIN_OR,
	BIN_XOR,
	BIN_SHL,
	BIN_SHR,
	BIN_SHR_UN,
	BIN_ADD_OVF,
	BIN_ADD_OVF_UN,
	BIN_SUB_OVF,
	BIN_SUB_OVF_UN,
	BIN_MUL_OVF,
	BIN_MUL_OVF_UN,
	N_BINS,
};

enum cmp {
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE,
	/* Unsigned, or true for what has no order. */
	CMP_NE_UN,
	CMP_LT_UN,
	CMP_LE_UN,
	CMP_GT_UN,
	CMP_GE_UN,
	N_CMPS,
};

enum conv {
	CONV_I1,
	CONV_U1,
	CONV_I2,
	CONV_U2,
	CONV_I4,
	CONV_U4,
	CONV_I8,
	CONV_U8,
	CONV_R4,
	CONV_R8,
	CONV_R_UN,
	N_CONVS,
};

/* How a value in memory is loaded to the stack and stored from it. */
enum access {
	ACCESS_I1,
	ACCESS_U1,
	ACCESS_I2,
	ACCESS_U2,
	ACCESS_4,
	ACCESS_8,
	ACCESS_N, /* op.n bytes */
	N_ACCESSES,
};

/* d = a op b. NULL: no such operation. */
extern op_fn *const ops_bin[N_BINS][N_NUMS];
extern op_fn *const ops_neg[N_NUMS];
extern op_fn *const ops_not[2];
/* d = a cmp b; or branch to x.to. */
extern op_fn *const ops_set[N_CMPS][N_NUMS];
extern op_fn *const ops_branch[N_CMPS][N_NUMS];
/*
 * d = (conv)a, as the JIT of a @runtime of that major version (0: unknown)
 * does it.
 */
op_fn *op_conv(unsigned int runtime, enum conv to, enum num from);
/* d = checked((conv)a) of a signed or an unsigned integer, or R8. */
extern op_fn *const ops_checked[8][N_NUMS];
extern op_fn *const ops_checked_un[8][N_NUMS];
op_fn op_finite_r4, op_finite_r8;

/* d = a, extended to the stack's. */
extern op_fn *const ops_move[N_ACCESSES];
/* d = *(a + x.i); *(a + x.i) = b. */
extern op_fn *const ops_load[N_ACCESSES];
extern op_fn *const ops_store[N_ACCESSES];
/* d = a[b], *(a[b]) of elements of n bytes; a[b] = d. */
extern op_fn *const ops_element[N_ACCESSES];
extern op_fn *const ops_set_element[N_ACCESSES];

op_fn op_const_i4, op_const_i8, op_const_r4, op_const_r8;
op_fn op_jump, op_switch, op_true, op_false, op_true_i4, op_false_i4;
/* d = the address of the place a; d = a + x.i if a is no null. */
op_fn op_address, op_field_address, op_late_field, op_check;
op_fn op_element_address, op_element_ref, op_set_element_ref, op_length;
op_fn op_copy_block, op_init_block, op_init_object, op_copy_object;
op_fn op_localloc;

/*
 * For references, as ops_set and ops_branch. With n, at least one operand must
 * be a known object.
 */
op_fn op_same, op_if_same, op_if_other;
op_fn op_string, op_new_array, op_box, op_box_nullable, op_unbox;
op_fn op_unbox_nullable, op_cast, op_type_token;
op_fn op_static, op_method_token, op_field_token;
op_fn op_function, op_virtual_function;
op_fn op_box_receiver;
op_fn op_array_new, op_array_set, op_array_address;

op_fn op_call, op_call_virtual, op_call_pointer, op_invoke, op_new_delegate;
op_fn op_new_call, op_new_string, op_return;
op_fn op_throw, op_rethrow, op_leave_call, op_end_finally, op_end_filter;
op_fn op_refuse;

#define OP_PLACE(name, type)                                                   \
	static inline type get_##name(const uint8_t *p)                        \
	{                                                                      \
		type v;                                                        \
		memcpy(&v, p, sizeof(v));                                      \
		return v;                                                      \
	}                                                                      \
	static inline void put_##name(uint8_t *p, type v)                      \
	{                                                                      \
		memcpy(p, &v, sizeof(v));                                      \
	}
OP_PLACE(i4, int32_t)
OP_PLACE(u4, uint32_t)
OP_PLACE(i8, int64_t)
OP_PLACE(u8, uint64_t)
OP_PLACE(r4, float)
OP_PLACE(r8, double)
OP_PLACE(i2, int16_t)
OP_PLACE(u2, uint16_t)
OP_PLACE(i1, int8_t)
OP_PLACE(u1, uint8_t)
#undef OP_PLACE

/* Can a value of @type be a number or pointer that leads to memory? */
static inline bool call_may_point(const struct type *type)
{
	return type_is_pointer(type) || type->elem == ELEM_I ||
	       type->elem == ELEM_U || type->elem == ELEM_I8 ||
	       type->elem == ELEM_U8;
}
/*
 * Would the expression, if @to is its code, be given such a number or pointer
 * by the result of @type at @bytes? It would mean nothing outside.
 */
bool call_gives_own(struct vm *vm, const struct frame *to, struct type *type,
		    const uint8_t *bytes);
const struct op *call_refuse_own(struct vm *vm, const struct op *i);

/*
 * Find the target of a virtual call of @site's method on an object whose type
 * has @handle.
 */
DBG_MUST struct dbg_error *site_target(struct vm *vm, struct site *site,
				       uint64_t handle, struct site **ret);

#endif
