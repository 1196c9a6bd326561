/*
 * Compiles IL to the interpreter's operations, in one pass from the first
 * instruction to the last: the stack behind an unconditional branch is known
 * from an earlier branch to there, or is empty (III.1.7.5). Each value on the
 * stack has its place in the frame, given by what is below it.
 *
 * IL that a .NET compiler would not emit (a stack that disagrees with itself,
 * branches into the middle of an instruction) is refused, so every operation
 * works on places inside the frame.
 */
#include "il/compile/compile_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

enum {
	STACK_MAX = 4096,
	FRAME_MAX = 1 << 20,
	CODE_MAX = 1 << 20,
	CLAUSES_MAX = 4096,
	LOCALS_MAX = 65535,
};

/* ---- Errors and types -------------------------------------------------- */

bool fail_err(struct compiler *c, struct dbg_error *err)
{
	if (c->err)
		dbg_error_destroy(err);
	else
		c->err = err;
	return false;
}

bool fail(struct compiler *c, const char *fmt, ...)
{
	char text[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail_err(c, dbg_err(DBG_E_UNSUPPORTED, "%s, at IL offset 0x%04x",
				   text, c->offset));
}

enum num num_of(enum kind kind)
{
	return kind == KIND_REF ? NUM_I8 : (enum num)kind;
}

static enum access access_of(enum elem elem)
{
	switch (elem) {
	case ELEM_I1:
		return ACCESS_I1;
	case ELEM_BOOLEAN:
	case ELEM_U1:
		return ACCESS_U1;
	case ELEM_I2:
		return ACCESS_I2;
	case ELEM_CHAR:
	case ELEM_U2:
		return ACCESS_U2;
	case ELEM_I4:
	case ELEM_U4:
	case ELEM_R4:
		return ACCESS_4;
	default:
		return ACCESS_8;
	}
}

static enum kind kind_of(enum access access, enum elem elem)
{
	if (elem == ELEM_R4)
		return KIND_R4;
	if (elem == ELEM_R8)
		return KIND_R8;
	return access == ACCESS_8 ? KIND_I8 : KIND_I4;
}

bool shape_of(struct compiler *c, struct type *type, struct shape *ret)
{
	const struct type_layout *layout;
	memset(ret, 0, sizeof(*ret));
	ret->type = type;
	if (type->open)
		return fail(c, "a generic argument is not known");
	if (type->kind == TYPE_KIND_PRIM && type->elem == ELEM_VOID)
		return true;
	struct dbg_error *err = type_layout(c->ts, type, &layout);
	if (err)
		return fail_err(c, err);
	if (layout->size > FRAME_MAX)
		return fail(c, "a value of %u bytes", layout->size);
	ret->size = layout->size;
	ret->place = layout->size ? (layout->size + 7) & ~7u : 8;
	if (type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM) {
		ret->access = access_of(type->elem);
		ret->kind = kind_of(ret->access, type->elem);
	} else if (type->kind == TYPE_KIND_STRUCT) {
		ret->kind = KIND_STRUCT;
		ret->access = layout->size == 8 ? ACCESS_8 : ACCESS_N;
	} else {
		ret->kind = type->is_reference ? KIND_REF : KIND_I8;
		ret->access = ACCESS_8;
	}
	return true;
}

bool token_type(struct compiler *c, uint32_t token, struct type **ret)
{
	if (c->made) {
		if (token >= c->made->n_pool ||
		    c->made->pool[token].kind != MADE_TYPE)
			return fail(c, "no type for token %u", token);
		*ret = c->made->pool[token].type;
		return true;
	}
	struct dbg_error *err = type_of_token(c->ts, &c->ctx, token, ret);
	return err ? fail_err(c, err) : true;
}

/* ---- Operations and the stack ------------------------------------------ */

struct op *emit(struct compiler *c, op_fn *fn, uint32_t d, uint32_t a,
		uint32_t b)
{
	mem_grow(&c->ops, &c->cap_ops, c->n_ops, sizeof(struct op));
	mem_grow(&c->il, &c->cap_il, c->n_ops, sizeof(uint32_t));
	c->il[c->n_ops] = c->offset;
	c->ops[c->n_ops] = (struct op){.fn = fn, .d = d, .a = a, .b = b};
	return &c->ops[c->n_ops++];
}

uint32_t push(struct compiler *c, const struct shape *shape)
{
	if (c->n_stack >= STACK_MAX || c->top > FRAME_MAX) {
		fail(c, "too much on the stack");
		return c->base;
	}
	mem_grow(&c->stack, &c->cap_stack, c->n_stack, sizeof(struct spot));
	struct spot *s = &c->stack[c->n_stack++];
	s->shape = *shape;
	s->at = c->top;
	c->top += shape->place;
	if (c->top > c->high)
		c->high = c->top;
	return s->at;
}

uint32_t push_kind(struct compiler *c, enum kind kind)
{
	static const enum access accesses[] = {
	    [KIND_I4] = ACCESS_4, [KIND_I8] = ACCESS_8,  [KIND_R4] = ACCESS_4,
	    [KIND_R8] = ACCESS_8, [KIND_REF] = ACCESS_8,
	};
	struct shape shape = {.kind = kind, .place = 8};
	shape.access = accesses[kind];
	shape.size = shape.access == ACCESS_4 ? 4 : 8;
	return push(c, &shape);
}

bool pop(struct compiler *c, struct spot *ret)
{
	if (!c->n_stack) {
		memset(ret, 0, sizeof(*ret));
		return fail(c, "nothing is on the stack");
	}
	*ret = c->stack[--c->n_stack];
	c->top = ret->at;
	return true;
}

bool coerce(struct compiler *c, struct spot *s, enum kind kind)
{
	enum kind from = s->shape.kind;
	if (from == kind || (num_of(from) == num_of(kind) &&
			     from != KIND_STRUCT && kind != KIND_STRUCT))
		return true;
	if (from == KIND_STRUCT || kind == KIND_STRUCT)
		return fail(c, "a struct where none is expected");
	if (from == KIND_I4 && num_of(kind) == NUM_I8)
		emit(c, op_conv(0, CONV_I8, NUM_I4), s->at, s->at, 0);
	else if (from == KIND_R4 && kind == KIND_R8)
		emit(c, op_conv(0, CONV_R8, NUM_R4), s->at, s->at, 0);
	else if (from == KIND_R8 && kind == KIND_R4)
		emit(c, op_conv(0, CONV_R4, NUM_R8), s->at, s->at, 0);
	else if (!(num_of(from) == NUM_I8 && kind == KIND_I4))
		return fail(c, "a number of another kind is expected");
	s->shape.kind = kind;
	return true;
}

/* ---- What the stack holds at a branch's target ------------------------- */

static bool state_set(struct compiler *c, uint32_t offset,
		      const struct spot *spots, size_t n)
{
	if (offset >= c->body.code.n)
		return fail(c, "a branch leads out of the method");
	if (c->states[offset])
		return true;
	struct stack_state *s = arena_alloc(c->arena, sizeof(*s));
	s->n = n;
	s->spots = arena_copy(c->arena, spots, n, sizeof(*spots));
	c->states[offset] = s;
	return true;
}

/* The values at hand become those that are expected at @offset. */
static bool agree(struct compiler *c, uint32_t offset, bool convert)
{
	if (!state_set(c, offset, c->stack, c->n_stack))
		return false;
	const struct stack_state *s = c->states[offset];
	if (s->n != c->n_stack)
		return fail(c, "the stack holds %zu values, not %zu",
			    c->n_stack, s->n);
	for (size_t k = 0; k < s->n; k++) {
		struct spot *have = &c->stack[k];
		const struct spot *want = &s->spots[k];
		if (have->at != want->at ||
		    have->shape.place != want->shape.place)
			return fail(c, "another value is on the stack");
		if (have->shape.kind == want->shape.kind)
			continue;
		if (!convert &&
		    num_of(have->shape.kind) != num_of(want->shape.kind))
			return fail(c, "a number of another kind");
		if (!coerce(c, have, want->shape.kind))
			return false;
	}
	return true;
}

static void fix_later(struct compiler *c, size_t op, uint32_t target)
{
	mem_grow(&c->fixups, &c->cap_fixups, c->n_fixups, sizeof(struct fixup));
	c->fixups[c->n_fixups++] = (struct fixup){op, target};
}

bool branch_to(struct compiler *c, uint32_t target)
{
	fix_later(c, c->n_ops - 1, target);
	return agree(c, target, false);
}

bool gen_jump(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	uint32_t target = (uint32_t)in->value;
	if (!agree(c, target, true))
		return false;
	emit(c, op_jump, 0, 0, 0);
	fix_later(c, c->n_ops - 1, target);
	c->reached = false;
	return true;
}

/* ---- The method -------------------------------------------------------- */

static bool place_all(struct compiler *c, struct spot **ret,
		      struct type *const *types, size_t n)
{
	*ret = arena_calloc(c->arena, n + 1, sizeof(**ret));
	for (size_t k = 0; k < n; k++) {
		struct spot *s = &(*ret)[k];
		if (!shape_of(c, types[k], &s->shape))
			return false;
		s->at = c->top;
		c->top += s->shape.place;
		if (c->top > FRAME_MAX)
			return fail(c, "its frame is too big");
	}
	return true;
}

static bool place_args(struct compiler *c)
{
	size_t first = c->sig->has_this ? 1 : 0, n = c->sig->n_params + first;
	struct type **types = arena_calloc(c->arena, n + 1, sizeof(types[0]));
	for (size_t k = 0; k < c->sig->n_params; k++)
		types[first + k] = c->sig->params[k];
	if (first) {
		struct type *owner = c->method->owner;
		types[0] = !owner            ? type_of_elem(c->ts, ELEM_OBJECT)
			   : owner->is_value ? type_byref(c->ts, owner)
					     : owner;
	}
	c->n_args = n;
	if (!place_all(c, &c->args, types, n))
		return false;
	c->args_size = c->top;
	return true;
}

static bool place_clauses(struct compiler *c)
{
	size_t n = c->body.n_clauses;
	if (n > CLAUSES_MAX)
		return fail(c, "too many exception handlers");
	c->clauses = arena_calloc(c->keep, n + 1, sizeof(c->clauses[0]));
	for (size_t k = 0; k < n; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		struct clause *to = &c->clauses[k];
		if (e->flags != CLAUSE_CATCH && e->flags != CLAUSE_FILTER &&
		    e->flags != CLAUSE_FINALLY && e->flags != CLAUSE_FAULT)
			return fail(c, "an exception handler of no kind");
		to->kind = (enum clause_kind)e->flags;
		to->caught = e->caught;
		to->slot = c->top;
		c->top += sizeof(struct clause_words);
	}
	return true;
}

static bool enter_handlers(struct compiler *c)
{
	struct spot exception = {
	    .shape = {
		.kind = KIND_REF, .access = ACCESS_8, .size = 8, .place = 8}};
	exception.at = c->base;
	c->high = c->base + 8;
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		size_t n = e->flags <= CLAUSE_FILTER ? 1 : 0;
		c->clauses[k].exception = c->base;
		if (!state_set(c, e->handler_start, &exception, n) ||
		    (e->flags == CLAUSE_FILTER &&
		     !state_set(c, e->filter, &exception, 1)))
			return false;
	}
	return true;
}

static bool prepare(struct compiler *c)
{
	size_t n = c->body.code.n;
	if (n > CODE_MAX || c->body.n_locals > LOCALS_MAX)
		return fail(c, "it is too long");
	if (!place_args(c) ||
	    !place_all(c, &c->locals, c->body.locals, c->body.n_locals) ||
	    !place_clauses(c))
		return false;
	c->base = c->high = c->top;
	c->states = arena_calloc(c->arena, n + 1, sizeof(c->states[0]));
	c->op_of = arena_calloc(c->arena, n + 1, sizeof(c->op_of[0]));
	return enter_handlers(c);
}

static bool insn_enter(struct compiler *c)
{
	const struct stack_state *s = c->states[c->offset];
	if (c->reached && s) {
		if (!agree(c, c->offset, true))
			return false;
	} else if (!c->reached) {
		c->n_stack = 0;
		c->top = c->base;
		for (size_t k = 0; s && k < s->n; k++)
			push(c, &s->spots[k].shape);
		// a branch back to here finds what was assumed
		if (!s && !state_set(c, c->offset, NULL, 0))
			return false;
	}
	c->op_of[c->offset] = (uint32_t)c->n_ops + 1;
	c->reached = true;
	return true;
}

/*
 * Emit an operation that ends the execution with the error, in place of an
 * instruction that cannot be compiled: most of these are never reached. The
 * code up to the next branch target is dead.
 */
static void give_up(struct compiler *c)
{
	emit(c, op_refuse, 0, 0, 0)->x.p =
	    arena_strdup(c->keep, c->err->message);
	dbg_error_destroy(c->err);
	c->err = NULL;
	c->dead = (uint32_t)c->n_ops;
	c->reached = false;
}

static bool translate_one(struct compiler *c, const struct il_insn *in)
{
	const struct rule *rule = rule_of(in->op->code);
	if (!insn_enter(c))
		return false;
	if (!rule->fn)
		return fail(c, "'%s' is not supported", in->op->name);
	return rule->fn(c, in, rule->arg) && !c->err;
}

static bool translate(struct compiler *c)
{
	struct il_insn in;
	c->reached = true;
	for (; c->offset < c->body.code.n; c->offset += in.size) {
		if (!il_decode(c->body.code, c->offset, &in) || !in.op)
			return fail(c, "an unknown instruction");
		if (c->dead && !c->states[c->offset]) {
			c->op_of[c->offset] = c->dead;
			continue;
		}
		c->dead = 0;
		if (!translate_one(c, &in))
			give_up(c);
	}
	// what follows a throw may be left open: nothing gets there
	if (c->reached)
		emit(c, op_refuse, 0, 0, 0)->x.p =
		    "it does not end in a return";
	return true;
}

/* ---- The result -------------------------------------------------------- */

static uint32_t op_at(const struct compiler *c, uint32_t offset)
{
	for (; offset < c->body.code.n; offset++) {
		if (c->op_of[offset])
			return c->op_of[offset] - 1;
	}
	return (uint32_t)c->n_ops;
}

static bool finish(struct compiler *c, struct compiled *code)
{
	code->ops = arena_copy(c->keep, c->ops, c->n_ops, sizeof(c->ops[0]));
	code->il = arena_copy(c->keep, c->il, c->n_ops, sizeof(c->il[0]));
	code->n_ops = c->n_ops;
	for (size_t k = 0; k < c->n_fixups; k++) {
		const struct fixup *f = &c->fixups[k];
		if (f->target >= c->body.code.n || !c->op_of[f->target])
			return fail(c, "a branch into an instruction");
		code->ops[f->op].x.to = &code->ops[c->op_of[f->target] - 1];
	}
	for (size_t k = 0; k < c->body.n_clauses; k++) {
		const struct type_eh *e = &c->body.clauses[k];
		struct clause *to = &c->clauses[k];
		to->try_start = op_at(c, e->try_start);
		to->try_end = op_at(c, e->try_end);
		to->start = op_at(c, e->handler_start);
		to->end = op_at(c, e->handler_end);
		to->filter = op_at(c, e->filter);
		if (to->start >= c->n_ops || to->filter >= c->n_ops)
			return fail(c, "an exception handler without code");
	}
	code->clauses = c->clauses;
	code->n_clauses = c->body.n_clauses;
	code->method = c->method;
	code->args_size = c->args_size;
	code->clear = c->base - c->args_size;
	code->size = c->high + 32;
	return true;
}

static struct dbg_error *body_of(struct compiler *c)
{
	const struct type_method_body *body;
	c->made = made_code_of(c->method);
	if (c->made) {
		c->body = (struct type_method_body){
		    .code = c->made->code,
		    .locals = c->made->locals,
		    .n_locals = c->made->n_locals,
		    .clauses = c->made->clauses,
		    .n_clauses = c->made->n_clauses,
		};
		return NULL;
	}
	struct dbg_error *err = type_method_body(c->ts, c->method, &body);
	if (err)
		return err;
	c->body = *body;
	c->ctx = type_method_context(c->method);
	return NULL;
}

struct dbg_error *code_get(struct vm *vm, struct type_method *method,
			   struct compiled **ret)
{
	struct compiler c = {.vm = vm, .ts = vm->ts, .method = method};
	struct arena *made = made_arena_of(method);
	c.keep = made ? made : vm->arena;
	c.arena = arena_create();
	struct dbg_error *err = body_of(&c);
	if (!err)
		err = method_sig(vm, method, &c.sig);
	struct compiled *code = arena_alloc(c.keep, sizeof(*code));
	if (!err && prepare(&c) && translate(&c) && finish(&c, code))
		*ret = code;
	if (c.err)
		err = dbg_err_prefix(c.err, "'%s' cannot be interpreted",
				     method_text(vm, method));
	arena_destroy(c.arena);
	free(c.ops);
	free(c.il);
	free(c.stack);
	free(c.fixups);
	return err;
}
