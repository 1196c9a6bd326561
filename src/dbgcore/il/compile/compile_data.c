/*
 * Compiling variables, constants, numbers, branches and memory by address.
 * Operands are places of the frame, so loading a variable copies it: no
 * operation has a hidden stack.
 */
#include "il/compile/compile_priv.h"

#include "base/err.h"
#include "dac/assumption.h"

/* ---- Compiling switch, throw, return and the ends of handlers ------------ */

/*
 * A leave knows the finally blocks on its way from the table of clauses; they
 * run by the operation, innermost first.
 */

bool gen_switch(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	struct spot value;
	uint32_t end = in->offset + in->size;
	if (!pop(c, &value))
		return false;
	emit(c, op_switch, 0, value.at, 0)->n = in->n_cases;
	for (uint32_t k = 0; k < in->n_cases; k++) {
		uint32_t case_at = end + (uint32_t)get_i4(in->cases + 4 * k);
		emit(c, op_jump, 0, 0, 0);
		if (!branch_to(c, case_at))
			return false;
	}
	return true;
}

/* ---- Exceptions -------------------------------------------------------- */

static bool in_range(uint32_t at, uint32_t from, uint32_t to)
{
	return at >= from && at < to;
}

/* The innermost clause whose handler (or filter) holds the instruction. */
static bool enclosing(struct compiler *c, unsigned int kinds, bool of_filter,
		      uint32_t *ret)
{
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		uint32_t from = of_filter ? e->filter : e->handler_start;
		uint32_t to = of_filter ? e->handler_start : e->handler_end;
		if ((kinds >> e->flags & 1) && in_range(c->offset, from, to)) {
			*ret = (uint32_t)k;
			return true;
		}
	}
	return fail(c, "the end of a handler outside of one");
}

bool gen_leave(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	uint32_t target = (uint32_t)in->value;
	c->n_stack = 0;
	c->top = c->base;
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		if (e->flags == CLAUSE_FINALLY &&
		    in_range(c->offset, e->try_start, e->try_end) &&
		    !in_range(target, e->try_start, e->try_end))
			emit(c, op_leave_call, 0, 0, 0)->n = (uint32_t)k;
	}
	return gen_jump(c, in, arg);
}

bool gen_throw(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	(void)arg;
	struct spot object;
	if (!pop(c, &object))
		return false;
	emit(c, op_throw, 0, object.at, 0);
	c->reached = false;
	return true;
}

bool gen_rethrow(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_CATCH | 1u << CLAUSE_FILTER, false, &k))
		return false;
	emit(c, op_rethrow, 0, 0, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_end_finally(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_FINALLY | 1u << CLAUSE_FAULT, false, &k))
		return false;
	emit(c, op_end_finally, 0, 0, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_end_filter(struct compiler *c, const struct il_insn *in, int arg)
{
	uint32_t k = 0;
	struct spot value;
	(void)in;
	(void)arg;
	if (!enclosing(c, 1u << CLAUSE_FILTER, true, &k) || !pop(c, &value))
		return false;
	emit(c, op_end_filter, 0, value.at, 0)->n = k;
	c->reached = false;
	return true;
}

bool gen_return(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	struct spot value = {0};
	(void)in;
	(void)arg;
	if (!shape_of(c, c->sig->ret, &shape))
		return false;
	if (shape.place) {
		if (!pop(c, &value) || !coerce(c, &value, shape.kind))
			return false;
		if (value.shape.place != shape.place)
			return fail(c, "another value is returned");
		if (shape.access < ACCESS_4)
			emit(c, ops_move[shape.access], value.at, value.at, 0);
	}
	struct op *op = emit(c, op_return, 0, value.at, 0);
	op->n = shape.place;
	if (c->sig->ret->kind == TYPE_KIND_STRUCT ||
	    call_may_point(c->sig->ret))
		op->x.type = c->sig->ret;
	c->reached = false;
	return true;
}

/* ---- Nothing ----------------------------------------------------------- */

bool gen_nop(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)c;
	(void)in;
	(void)arg;
	return true;
}

/* Refused when it is reached: most methods that hold one never are. */
bool gen_refuse(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	emit(c, op_refuse, 0, 0, 0)->x.p =
	    arena_printf(c->keep, "'%s' is not supported", in->op->name);
	c->reached = false;
	return true;
}

/* ---- Variables --------------------------------------------------------- */

static bool variable(struct compiler *c, struct spot *of, size_t n,
		     int64_t index, struct spot **ret)
{
	if (index < 0 || (uint64_t)index >= n)
		return fail(c, "there is no variable %lld", (long long)index);
	*ret = &of[index];
	return true;
}

static bool read_spot(struct compiler *c, struct spot *of, size_t n,
		      int64_t index)
{
	struct spot *s = NULL;
	if (!variable(c, of, n, index, &s))
		return false;
	uint32_t to = push(c, &s->shape);
	emit(c, ops_move[s->shape.access], to, s->at, 0)->n = s->shape.size;
	return true;
}

static bool write_spot(struct compiler *c, struct spot *of, size_t n,
		       int64_t index)
{
	struct spot *s = NULL, value;
	if (!variable(c, of, n, index, &s) || !pop(c, &value) ||
	    !coerce(c, &value, s->shape.kind))
		return false;
	if (value.shape.place != s->shape.place)
		return fail(c, "another value is stored");
	emit(c, ops_move[s->shape.access], s->at, value.at, 0)->n =
	    s->shape.size;
	return true;
}

static bool spot_address(struct compiler *c, struct spot *of, size_t n,
			 int64_t index)
{
	struct spot *s = NULL;
	if (!variable(c, of, n, index, &s))
		return false;
	emit(c, op_address, push_kind(c, KIND_I8), s->at, 0);
	return true;
}

bool gen_arg(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return read_spot(c, c->args, c->n_args, arg);
}

bool gen_arg_s(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return read_spot(c, c->args, c->n_args, in->value);
}

bool gen_arg_address(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return spot_address(c, c->args, c->n_args, in->value);
}

bool gen_set_arg(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return write_spot(c, c->args, c->n_args, in->value);
}

bool gen_local(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return read_spot(c, c->locals, c->body.n_locals, arg);
}

bool gen_local_s(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return read_spot(c, c->locals, c->body.n_locals, in->value);
}

bool gen_local_address(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return spot_address(c, c->locals, c->body.n_locals, in->value);
}

bool gen_set_local(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return write_spot(c, c->locals, c->body.n_locals, arg);
}

bool gen_set_local_s(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return write_spot(c, c->locals, c->body.n_locals, in->value);
}

/* ---- Constants --------------------------------------------------------- */

bool gen_const_i4(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	emit(c, op_const_i4, push_kind(c, KIND_I4), 0, 0)->x.i = arg;
	return true;
}

bool gen_const_i4_s(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	emit(c, op_const_i4, push_kind(c, KIND_I4), 0, 0)->x.i = in->value;
	return true;
}

bool gen_const_i8(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	emit(c, op_const_i8, push_kind(c, KIND_I8), 0, 0)->x.i = in->value;
	return true;
}

bool gen_const_r4(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	emit(c, op_const_r4, push_kind(c, KIND_R4), 0, 0)->x.r = in->real;
	return true;
}

bool gen_const_r8(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	emit(c, op_const_r8, push_kind(c, KIND_R8), 0, 0)->x.r = in->real;
	return true;
}

bool gen_null(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	(void)arg;
	emit(c, op_const_i8, push_kind(c, KIND_REF), 0, 0);
	return true;
}

bool gen_dup(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	(void)arg;
	if (!c->n_stack)
		return fail(c, "nothing is on the stack");
	struct spot from = c->stack[c->n_stack - 1];
	uint32_t to = push(c, &from.shape);
	emit(c, ops_move[ACCESS_N], to, from.at, 0)->n = from.shape.place;
	return true;
}

bool gen_pop(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot s;
	(void)in;
	(void)arg;
	return pop(c, &s);
}

/* ---- Numbers ----------------------------------------------------------- */

/* Two operands of one kind, the wider of theirs (III.1.5). */
static bool pop_two(struct compiler *c, struct spot *a, struct spot *b)
{
	if (!pop(c, b) || !pop(c, a))
		return false;
	enum kind x = a->shape.kind, y = b->shape.kind;
	if (x == KIND_STRUCT || y == KIND_STRUCT)
		return fail(c, "a struct where a number is expected");
	if (x == KIND_R4 && y == KIND_R4)
		return true;
	bool real = x == KIND_R4 || x == KIND_R8;
	enum kind to = KIND_I4;
	if (real)
		to = KIND_R8;
	else if (num_of(x) == NUM_I8 || num_of(y) == NUM_I8)
		to = KIND_I8;
	return coerce(c, a, to) && coerce(c, b, to);
}

bool gen_binary(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a, b;
	if (!pop_two(c, &a, &b))
		return false;
	op_fn *fn = ops_bin[arg][num_of(a.shape.kind)];
	if (!fn)
		return fail(c, "'%s' of such numbers", in->op->name);
	enum kind kind = a.shape.kind == KIND_REF ? KIND_I8 : a.shape.kind;
	emit(c, fn, push_kind(c, kind), a.at, b.at);
	return true;
}

bool gen_shift(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a, b;
	if (!pop(c, &b) || !pop(c, &a))
		return false;
	op_fn *fn = a.shape.kind > KIND_I8 ? NULL : ops_bin[arg][a.shape.kind];
	if (!fn || b.shape.kind > KIND_I8)
		return fail(c, "'%s' of such numbers", in->op->name);
	emit(c, fn, push_kind(c, a.shape.kind), a.at, b.at);
	return true;
}

bool gen_neg(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a;
	(void)in;
	(void)arg;
	if (!pop(c, &a))
		return false;
	if (a.shape.kind > KIND_R8)
		return fail(c, "a number is expected");
	emit(c, ops_neg[a.shape.kind], push_kind(c, a.shape.kind), a.at, 0);
	return true;
}

bool gen_not(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a;
	(void)in;
	(void)arg;
	if (!pop(c, &a))
		return false;
	if (a.shape.kind > KIND_I8)
		return fail(c, "an integer is expected");
	emit(c, ops_not[a.shape.kind], push_kind(c, a.shape.kind), a.at, 0);
	return true;
}

/* Does the core library itself compare references, to save time? */
static bool is_shortcut(const struct compiler *c)
{
	return !c->made && c->ctx.module == types_core(c->ts) &&
	       strcmp(c->method->name, "ReferenceEquals");
}

static bool are_references(const struct spot *a, const struct spot *b)
{
	return a->shape.kind == KIND_REF && b->shape.kind == KIND_REF;
}

bool gen_compare(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a, b;
	(void)in;
	if (!pop_two(c, &a, &b))
		return false;
	if (arg == CMP_EQ && are_references(&a, &b)) {
		emit(c, op_same, push_kind(c, KIND_I4), a.at, b.at)->n =
		    !is_shortcut(c);
		return true;
	}
	emit(c, ops_set[arg][num_of(a.shape.kind)], push_kind(c, KIND_I4), a.at,
	     b.at);
	return true;
}

bool gen_branch(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a, b;
	if (!pop_two(c, &a, &b))
		return false;
	if ((arg == CMP_EQ || arg == CMP_NE_UN) && are_references(&a, &b)) {
		emit(c, arg == CMP_EQ ? op_if_same : op_if_other, 0, a.at, b.at)
		    ->n = !is_shortcut(c);
		return branch_to(c, (uint32_t)in->value);
	}
	emit(c, ops_branch[arg][num_of(a.shape.kind)], 0, a.at, b.at);
	return branch_to(c, (uint32_t)in->value);
}

bool gen_truth(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot a;
	if (!pop(c, &a))
		return false;
	if (a.shape.kind != KIND_I4 && num_of(a.shape.kind) != NUM_I8)
		return fail(c, "an integer is expected");
	bool wide = a.shape.kind != KIND_I4;
	op_fn *fn = arg ? (wide ? op_true : op_true_i4)
			: (wide ? op_false : op_false_i4);
	emit(c, fn, 0, a.at, 0);
	return branch_to(c, (uint32_t)in->value);
}

static enum kind kind_of_conv(int conv)
{
	switch (conv) {
	case CONV_I8:
	case CONV_U8:
		return KIND_I8;
	case CONV_R4:
		return KIND_R4;
	case CONV_R8:
	case CONV_R_UN:
		return KIND_R8;
	default:
		return KIND_I4;
	}
}

/* The major version of the runtime; 0: there is none. */
static unsigned int runtime_of(const struct compiler *c)
{
	struct dac *d = types_dac(c->vm->ts);

	return d ? dac_runtime_major(d) : 0;
}

/* @row NULL: unchecked. */
static bool convert(struct compiler *c, op_fn *const *row, int to)
{
	struct spot a;
	if (!pop(c, &a))
		return false;
	if (a.shape.kind == KIND_STRUCT)
		return fail(c, "a struct where a number is expected");
	enum num from = num_of(a.shape.kind);
	op_fn *op =
	    row ? row[from] : op_conv(runtime_of(c), (enum conv)to, from);
	emit(c, op, push_kind(c, kind_of_conv(to)), a.at, 0);
	return true;
}

bool gen_convert(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return convert(c, NULL, arg);
}

bool gen_checked(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return convert(c, ops_checked[arg], arg);
}

bool gen_checked_un(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return convert(c, ops_checked_un[arg], arg);
}

bool gen_finite(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	(void)arg;
	if (!c->n_stack)
		return fail(c, "nothing is on the stack");
	const struct spot *a = &c->stack[c->n_stack - 1];
	bool narrow = a->shape.kind == KIND_R4;
	if (!narrow && a->shape.kind != KIND_R8)
		return fail(c, "a real number is expected");
	emit(c, narrow ? op_finite_r4 : op_finite_r8, 0, a->at, 0);
	return true;
}

/* ---- By address -------------------------------------------------------- */

void emit_load(struct compiler *c, const struct shape *shape, uint32_t base,
	       uint64_t offset)
{
	struct op *op =
	    emit(c, ops_load[shape->access], push(c, shape), base, 0);
	op->n = shape->size;
	op->x.i = (int64_t)offset;
}

static void shape_elem(struct compiler *c, enum elem elem, struct shape *ret)
{
	if (elem == ELEM_OBJECT || !type_of_elem(c->ts, elem) ||
	    !shape_of(c, type_of_elem(c->ts, elem), ret))
		*ret = (struct shape){.kind = KIND_REF,
				      .access = ACCESS_8,
				      .size = 8,
				      .place = 8};
}

static bool load_shape(struct compiler *c, const struct shape *shape)
{
	struct spot at;
	if (!pop(c, &at) || !coerce(c, &at, KIND_I8))
		return false;
	emit_load(c, shape, at.at, 0);
	return true;
}

static bool store_shape(struct compiler *c, const struct shape *shape)
{
	struct spot at, value;
	if (!pop(c, &value) || !pop(c, &at) || !coerce(c, &at, KIND_I8) ||
	    !coerce(c, &value, shape->kind))
		return false;
	if (value.shape.place != shape->place)
		return fail(c, "another value is stored");
	emit(c, ops_store[shape->access], 0, at.at, value.at)->n = shape->size;
	return true;
}

/* @arg: enum elem. */
bool gen_load(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)in;
	shape_elem(c, (enum elem)arg, &shape);
	return load_shape(c, &shape);
}

bool gen_store(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)in;
	shape_elem(c, (enum elem)arg, &shape);
	return store_shape(c, &shape);
}

static bool token_shape(struct compiler *c, const struct il_insn *in,
			struct shape *ret)
{
	struct type *type = NULL;
	return token_type(c, (uint32_t)in->value, &type) &&
	       shape_of(c, type, ret);
}

bool gen_load_object(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)arg;
	return token_shape(c, in, &shape) && load_shape(c, &shape);
}

bool gen_store_object(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)arg;
	return token_shape(c, in, &shape) && store_shape(c, &shape);
}

bool gen_copy_object(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	struct spot to, from;
	(void)arg;
	if (!token_shape(c, in, &shape) || !pop(c, &from) || !pop(c, &to))
		return false;
	emit(c, op_copy_object, 0, to.at, from.at)->n = shape.size;
	return true;
}

bool gen_init_object(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	struct spot to;
	(void)arg;
	if (!token_shape(c, in, &shape) || !pop(c, &to))
		return false;
	emit(c, op_init_object, 0, to.at, 0)->n = shape.size;
	return true;
}

/* @arg: 1 cpblk, 0 initblk. */
bool gen_block(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot to, from, n;
	(void)in;
	if (!pop(c, &n) || !pop(c, &from) || !pop(c, &to) ||
	    !coerce(c, &to, KIND_I8))
		return false;
	emit(c, arg ? op_copy_block : op_init_block, n.at, to.at, from.at);
	return true;
}

bool gen_localloc(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot n;
	(void)in;
	(void)arg;
	if (!pop(c, &n) || !coerce(c, &n, KIND_I8))
		return false;
	emit(c, op_localloc, push_kind(c, KIND_I8), n.at, 0);
	return true;
}

bool gen_sizeof(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)arg;
	if (!token_shape(c, in, &shape))
		return false;
	emit(c, op_const_i4, push_kind(c, KIND_I4), 0, 0)->x.i = shape.size;
	return true;
}

/* ---- The table of instructions ------------------------------------------- */

/*
 * Which function compiles an opcode, with which argument (opcodes:
 * meta/il_opcodes.h). An opcode without a rule is refused when it is reached.
 */

enum {
	TWO_BYTES = 0xfe00,
	N_CODES = 0x120,
};

#define AT(id)                                                                 \
	[(int)IL_OP_##id >= TWO_BYTES ? 0x100 + ((int)IL_OP_##id - TWO_BYTES)  \
				      : (int)IL_OP_##id]
#define BRANCH(id, cmp)                                                        \
	AT(id) = {gen_branch, cmp}, AT(id##_S) = {gen_branch, cmp}

static const struct rule rules[N_CODES] = {
    AT(NOP) = {gen_nop, 0},
    AT(BREAK) = {gen_nop, 0},
    AT(LDARG_0) = {gen_arg, 0},
    AT(LDARG_1) = {gen_arg, 1},
    AT(LDARG_2) = {gen_arg, 2},
    AT(LDARG_3) = {gen_arg, 3},
    AT(LDARG_S) = {gen_arg_s, 0},
    AT(LDARG) = {gen_arg_s, 0},
    AT(LDARGA_S) = {gen_arg_address, 0},
    AT(LDARGA) = {gen_arg_address, 0},
    AT(STARG_S) = {gen_set_arg, 0},
    AT(STARG) = {gen_set_arg, 0},
    AT(LDLOC_0) = {gen_local, 0},
    AT(LDLOC_1) = {gen_local, 1},
    AT(LDLOC_2) = {gen_local, 2},
    AT(LDLOC_3) = {gen_local, 3},
    AT(LDLOC_S) = {gen_local_s, 0},
    AT(LDLOC) = {gen_local_s, 0},
    AT(LDLOCA_S) = {gen_local_address, 0},
    AT(LDLOCA) = {gen_local_address, 0},
    AT(STLOC_0) = {gen_set_local, 0},
    AT(STLOC_1) = {gen_set_local, 1},
    AT(STLOC_2) = {gen_set_local, 2},
    AT(STLOC_3) = {gen_set_local, 3},
    AT(STLOC_S) = {gen_set_local_s, 0},
    AT(STLOC) = {gen_set_local_s, 0},
    AT(LDNULL) = {gen_null, 0},
    AT(LDC_I4_M1) = {gen_const_i4, -1},
    AT(LDC_I4_0) = {gen_const_i4, 0},
    AT(LDC_I4_1) = {gen_const_i4, 1},
    AT(LDC_I4_2) = {gen_const_i4, 2},
    AT(LDC_I4_3) = {gen_const_i4, 3},
    AT(LDC_I4_4) = {gen_const_i4, 4},
    AT(LDC_I4_5) = {gen_const_i4, 5},
    AT(LDC_I4_6) = {gen_const_i4, 6},
    AT(LDC_I4_7) = {gen_const_i4, 7},
    AT(LDC_I4_8) = {gen_const_i4, 8},
    AT(LDC_I4_S) = {gen_const_i4_s, 0},
    AT(LDC_I4) = {gen_const_i4_s, 0},
    AT(LDC_I8) = {gen_const_i8, 0},
    AT(LDC_R4) = {gen_const_r4, 0},
    AT(LDC_R8) = {gen_const_r8, 0},
    AT(DUP) = {gen_dup, 0},
    AT(POP) = {gen_pop, 0},
    AT(JMP) = {gen_refuse, 0},
    AT(CALL) = {gen_call, 0},
    AT(CALLI) = {gen_calli, 0},
    AT(RET) = {gen_return, 0},
    AT(BR) = {gen_jump, 0},
    AT(BR_S) = {gen_jump, 0},
    AT(BRFALSE) = {gen_truth, 0},
    AT(BRFALSE_S) = {gen_truth, 0},
    AT(BRTRUE) = {gen_truth, 1},
    AT(BRTRUE_S) = {gen_truth, 1},
    BRANCH(BEQ, CMP_EQ),
    BRANCH(BGE, CMP_GE),
    BRANCH(BGT, CMP_GT),
    BRANCH(BLE, CMP_LE),
    BRANCH(BLT, CMP_LT),
    BRANCH(BNE_UN, CMP_NE_UN),
    BRANCH(BGE_UN, CMP_GE_UN),
    BRANCH(BGT_UN, CMP_GT_UN),
    BRANCH(BLE_UN, CMP_LE_UN),
    BRANCH(BLT_UN, CMP_LT_UN),
    AT(SWITCH) = {gen_switch, 0},
    AT(LDIND_I1) = {gen_load, ELEM_I1},
    AT(LDIND_U1) = {gen_load, ELEM_U1},
    AT(LDIND_I2) = {gen_load, ELEM_I2},
    AT(LDIND_U2) = {gen_load, ELEM_U2},
    AT(LDIND_I4) = {gen_load, ELEM_I4},
    AT(LDIND_U4) = {gen_load, ELEM_U4},
    AT(LDIND_I8) = {gen_load, ELEM_I8},
    AT(LDIND_I) = {gen_load, ELEM_I},
    AT(LDIND_R4) = {gen_load, ELEM_R4},
    AT(LDIND_R8) = {gen_load, ELEM_R8},
    AT(LDIND_REF) = {gen_load, ELEM_OBJECT},
    AT(STIND_REF) = {gen_store, ELEM_OBJECT},
    AT(STIND_I1) = {gen_store, ELEM_I1},
    AT(STIND_I2) = {gen_store, ELEM_I2},
    AT(STIND_I4) = {gen_store, ELEM_I4},
    AT(STIND_I8) = {gen_store, ELEM_I8},
    AT(STIND_R4) = {gen_store, ELEM_R4},
    AT(STIND_R8) = {gen_store, ELEM_R8},
    AT(STIND_I) = {gen_store, ELEM_I},
    AT(ADD) = {gen_binary, BIN_ADD},
    AT(SUB) = {gen_binary, BIN_SUB},
    AT(MUL) = {gen_binary, BIN_MUL},
    AT(DIV) = {gen_binary, BIN_DIV},
    AT(DIV_UN) = {gen_binary, BIN_DIV_UN},
    AT(REM) = {gen_binary, BIN_REM},
    AT(REM_UN) = {gen_binary, BIN_REM_UN},
    AT(AND) = {gen_binary, BIN_AND},
    AT(OR) = {gen_binary, BIN_OR},
    AT(XOR) = {gen_binary, BIN_XOR},
    AT(SHL) = {gen_shift, BIN_SHL},
    AT(SHR) = {gen_shift, BIN_SHR},
    AT(SHR_UN) = {gen_shift, BIN_SHR_UN},
    AT(ADD_OVF) = {gen_binary, BIN_ADD_OVF},
    AT(ADD_OVF_UN) = {gen_binary, BIN_ADD_OVF_UN},
    AT(SUB_OVF) = {gen_binary, BIN_SUB_OVF},
    AT(SUB_OVF_UN) = {gen_binary, BIN_SUB_OVF_UN},
    AT(MUL_OVF) = {gen_binary, BIN_MUL_OVF},
    AT(MUL_OVF_UN) = {gen_binary, BIN_MUL_OVF_UN},
    AT(NEG) = {gen_neg, 0},
    AT(NOT) = {gen_not, 0},
    AT(CONV_I1) = {gen_convert, CONV_I1},
    AT(CONV_U1) = {gen_convert, CONV_U1},
    AT(CONV_I2) = {gen_convert, CONV_I2},
    AT(CONV_U2) = {gen_convert, CONV_U2},
    AT(CONV_I4) = {gen_convert, CONV_I4},
    AT(CONV_U4) = {gen_convert, CONV_U4},
    AT(CONV_I8) = {gen_convert, CONV_I8},
    AT(CONV_U8) = {gen_convert, CONV_U8},
    AT(CONV_I) = {gen_convert, CONV_I8},
    AT(CONV_U) = {gen_convert, CONV_U8},
    AT(CONV_R4) = {gen_convert, CONV_R4},
    AT(CONV_R8) = {gen_convert, CONV_R8},
    AT(CONV_R_UN) = {gen_convert, CONV_R_UN},
    AT(CONV_OVF_I1) = {gen_checked, CONV_I1},
    AT(CONV_OVF_U1) = {gen_checked, CONV_U1},
    AT(CONV_OVF_I2) = {gen_checked, CONV_I2},
    AT(CONV_OVF_U2) = {gen_checked, CONV_U2},
    AT(CONV_OVF_I4) = {gen_checked, CONV_I4},
    AT(CONV_OVF_U4) = {gen_checked, CONV_U4},
    AT(CONV_OVF_I8) = {gen_checked, CONV_I8},
    AT(CONV_OVF_U8) = {gen_checked, CONV_U8},
    AT(CONV_OVF_I) = {gen_checked, CONV_I8},
    AT(CONV_OVF_U) = {gen_checked, CONV_U8},
    AT(CONV_OVF_I1_UN) = {gen_checked_un, CONV_I1},
    AT(CONV_OVF_U1_UN) = {gen_checked_un, CONV_U1},
    AT(CONV_OVF_I2_UN) = {gen_checked_un, CONV_I2},
    AT(CONV_OVF_U2_UN) = {gen_checked_un, CONV_U2},
    AT(CONV_OVF_I4_UN) = {gen_checked_un, CONV_I4},
    AT(CONV_OVF_U4_UN) = {gen_checked_un, CONV_U4},
    AT(CONV_OVF_I8_UN) = {gen_checked_un, CONV_I8},
    AT(CONV_OVF_U8_UN) = {gen_checked_un, CONV_U8},
    AT(CONV_OVF_I_UN) = {gen_checked_un, CONV_I8},
    AT(CONV_OVF_U_UN) = {gen_checked_un, CONV_U8},
    AT(CALLVIRT) = {gen_call_virtual, 0},
    AT(CPOBJ) = {gen_copy_object, 0},
    AT(LDOBJ) = {gen_load_object, 0},
    AT(LDSTR) = {gen_string, 0},
    AT(NEWOBJ) = {gen_new, 0},
    AT(CASTCLASS) = {gen_cast, 0},
    AT(ISINST) = {gen_cast, 1},
    AT(UNBOX) = {gen_unbox, 0},
    AT(THROW) = {gen_throw, 0},
    AT(LDFLD) = {gen_field, 0},
    AT(LDFLDA) = {gen_field_address, 0},
    AT(STFLD) = {gen_set_field, 0},
    AT(LDSFLD) = {gen_static, 0},
    AT(LDSFLDA) = {gen_static_address, 0},
    AT(STSFLD) = {gen_set_static, 0},
    AT(STOBJ) = {gen_store_object, 0},
    AT(BOX) = {gen_box, 0},
    AT(NEWARR) = {gen_new_array, 0},
    AT(LDLEN) = {gen_length, 0},
    AT(LDELEMA) = {gen_element_address, 0},
    AT(LDELEM_I1) = {gen_element, ELEM_I1},
    AT(LDELEM_U1) = {gen_element, ELEM_U1},
    AT(LDELEM_I2) = {gen_element, ELEM_I2},
    AT(LDELEM_U2) = {gen_element, ELEM_U2},
    AT(LDELEM_I4) = {gen_element, ELEM_I4},
    AT(LDELEM_U4) = {gen_element, ELEM_U4},
    AT(LDELEM_I8) = {gen_element, ELEM_I8},
    AT(LDELEM_I) = {gen_element, ELEM_I},
    AT(LDELEM_R4) = {gen_element, ELEM_R4},
    AT(LDELEM_R8) = {gen_element, ELEM_R8},
    AT(LDELEM_REF) = {gen_element, ELEM_OBJECT},
    AT(STELEM_I) = {gen_set_element, ELEM_I},
    AT(STELEM_I1) = {gen_set_element, ELEM_I1},
    AT(STELEM_I2) = {gen_set_element, ELEM_I2},
    AT(STELEM_I4) = {gen_set_element, ELEM_I4},
    AT(STELEM_I8) = {gen_set_element, ELEM_I8},
    AT(STELEM_R4) = {gen_set_element, ELEM_R4},
    AT(STELEM_R8) = {gen_set_element, ELEM_R8},
    AT(STELEM_REF) = {gen_set_element, ELEM_OBJECT},
    AT(LDELEM) = {gen_element_type, 0},
    AT(STELEM) = {gen_set_element_type, 0},
    AT(UNBOX_ANY) = {gen_unbox_any, 0},
    AT(CKFINITE) = {gen_finite, 0},
    AT(LDTOKEN) = {gen_token, 0},
    AT(ENDFINALLY) = {gen_end_finally, 0},
    AT(LEAVE) = {gen_leave, 0},
    AT(LEAVE_S) = {gen_leave, 0},
    AT(CEQ) = {gen_compare, CMP_EQ},
    AT(CGT) = {gen_compare, CMP_GT},
    AT(CGT_UN) = {gen_compare, CMP_GT_UN},
    AT(CLT) = {gen_compare, CMP_LT},
    AT(CLT_UN) = {gen_compare, CMP_LT_UN},
    AT(LDFTN) = {gen_function, 0},
    AT(LDVIRTFTN) = {gen_virtual_function, 0},
    AT(LOCALLOC) = {gen_localloc, 0},
    AT(ENDFILTER) = {gen_end_filter, 0},
    AT(UNALIGNED) = {gen_nop, 0},
    AT(VOLATILE) = {gen_nop, 0},
    AT(TAIL) = {gen_nop, 0},
    AT(INITOBJ) = {gen_init_object, 0},
    AT(CONSTRAINED) = {gen_constrained, 0},
    AT(CPBLK) = {gen_block, 1},
    AT(INITBLK) = {gen_block, 0},
    AT(NO) = {gen_nop, 0},
    AT(RETHROW) = {gen_rethrow, 0},
    AT(SIZEOF) = {gen_sizeof, 0},
    AT(READONLY) = {gen_nop, 0},
    AT(ARGLIST) = {gen_refuse, 0},
    AT(REFANYVAL) = {gen_refuse, 0},
    AT(MKREFANY) = {gen_refuse, 0},
    AT(REFANYTYPE) = {gen_refuse, 0},
};

const struct rule *rule_of(uint16_t code)
{
	static const struct rule none = {0};
	uint32_t index = code >= TWO_BYTES ? 0x100u + (code - TWO_BYTES) : code;
	return index < N_CODES ? &rules[index] : &none;
}
