/*
 * Compiling variables, constants, numbers, branches and memory by address.
 * Operands are places of the frame, so loading a variable copies it: no
 * operation has a hidden stack.
 */
#include "il/compile/compile_priv.h"

#include "base/err.h"

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

static bool convert(struct compiler *c, op_fn *const *row, int to)
{
	struct spot a;
	if (!pop(c, &a))
		return false;
	if (a.shape.kind == KIND_STRUCT)
		return fail(c, "a struct where a number is expected");
	emit(c, row[num_of(a.shape.kind)], push_kind(c, kind_of_conv(to)), a.at,
	     0);
	return true;
}

bool gen_convert(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)in;
	return convert(c, ops_conv[arg], arg);
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
