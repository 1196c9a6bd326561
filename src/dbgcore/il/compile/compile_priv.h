/* Shared by the files of the compiler from IL to operations. */
#ifndef IL_COMPILE_PRIV_H
#define IL_COMPILE_PRIV_H

#include "il/machine/ops.h"
#include "meta/il.h"

/* Kinds of values on the IL stack; the first four as in enum num. */
enum kind {
	KIND_I4,
	KIND_I8, /* also native integers, pointers, by-refs */
	KIND_R4,
	KIND_R8,
	KIND_REF,    /* an object */
	KIND_STRUCT, /* its bytes */
};

struct shape {
	enum kind kind;
	enum access access;
	uint32_t size;  /* of the value */
	uint32_t place; /* in the frame, a multiple of 8 */
	struct type *type;
};

/* A place of the frame. */
struct spot {
	struct shape shape;
	uint32_t at;
};

struct stack_state {
	struct spot *spots;
	size_t n;
};

struct fixup {
	size_t op;
	uint32_t target; /* IL offset */
};

/*
 * The compilation of one method. Large: what every instruction adds to.
 */
struct compiler {
	struct vm *vm;
	struct types *ts;
	struct type_method *method;
	const struct made_code *made; /* or NULL: */
	struct type_context ctx;
	const struct type_sig *sig;
	struct type_method_body body;
	struct arena *arena; /* of the compilation */
	struct arena *keep;  /* of the result */

	struct op *ops;
	uint32_t *il;
	size_t n_ops, cap_ops, cap_il;
	struct spot *args, *locals;
	size_t n_args;
	struct spot *stack;
	size_t n_stack, cap_stack;
	uint32_t args_size, base; /* base: where the stack begins */
	uint32_t top, high;
	struct clause *clauses;
	struct stack_state **states; /* by IL offset; NULL: not known */
	uint32_t *op_of;             /* by IL offset: index + 1; 0: none */
	struct fixup *fixups;
	size_t n_fixups, cap_fixups;

	uint32_t offset; /* of the instruction */
	bool reached;    /* does control come from the one before? */
	uint32_t dead;   /* index + 1 of the refusal that stands here; 0 */
	struct type *constrained;
	struct dbg_error *err;
};

typedef bool gen_fn(struct compiler *c, const struct il_insn *in, int arg);

/* How an opcode is compiled: the table's row for it. */
struct rule {
	gen_fn *fn;
	int arg;
};

/* No rule (NULL fn): not supported. compile_data.c */
const struct rule *rule_of(uint16_t code);
/* False, with a sentence. */
bool fail(struct compiler *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool fail_err(struct compiler *c, struct dbg_error *err);
bool shape_of(struct compiler *c, struct type *type, struct shape *ret);
/* Append an operation; valid until the next. */
struct op *emit(struct compiler *c, op_fn *fn, uint32_t d, uint32_t a,
		uint32_t b);
/* Push a value; its place. */
uint32_t push(struct compiler *c, const struct shape *shape);
uint32_t push_kind(struct compiler *c, enum kind kind);
/* Pop one; false if there is none. */
bool pop(struct compiler *c, struct spot *ret);
/* Make the value at @s one of @kind, as assignments may (III.1.6). */
bool coerce(struct compiler *c, struct spot *s, enum kind kind);
bool token_type(struct compiler *c, uint32_t token, struct type **ret);
bool token_method(struct compiler *c, uint32_t token, struct type_method **ret);
enum num num_of(enum kind kind);
/* A branch of the operation emitted last. */
bool branch_to(struct compiler *c, uint32_t target);
/* Load from the address at @base plus @offset to the stack. */
void emit_load(struct compiler *c, const struct shape *shape, uint32_t base,
	       uint64_t offset);

gen_fn gen_nop, gen_refuse, gen_arg, gen_arg_s, gen_arg_address, gen_set_arg;
gen_fn gen_local, gen_local_s, gen_local_address, gen_set_local;
gen_fn gen_set_local_s, gen_const_i4, gen_const_i4_s, gen_const_i8;
gen_fn gen_const_r4, gen_const_r8, gen_null, gen_dup, gen_pop;
gen_fn gen_binary, gen_shift, gen_neg, gen_not, gen_compare, gen_convert;
gen_fn gen_checked, gen_checked_un, gen_finite, gen_load, gen_store;
gen_fn gen_load_object, gen_store_object, gen_copy_object, gen_init_object;
gen_fn gen_block, gen_localloc, gen_sizeof;
gen_fn gen_jump, gen_truth, gen_branch, gen_switch, gen_leave, gen_throw;
gen_fn gen_rethrow, gen_end_finally, gen_end_filter, gen_return;
gen_fn gen_string, gen_cast, gen_box, gen_unbox, gen_unbox_any;
gen_fn gen_field, gen_field_address, gen_set_field, gen_static;
gen_fn gen_static_address, gen_set_static, gen_new_array, gen_length;
gen_fn gen_element, gen_element_type, gen_element_address, gen_set_element;
gen_fn gen_set_element_type, gen_token, gen_constrained;
gen_fn gen_call, gen_call_virtual, gen_calli, gen_new, gen_function;
gen_fn gen_virtual_function;

#endif
