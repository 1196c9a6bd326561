/* Expressions compiled for one address of code: see framecode.h. */
#include "eval/framecode.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bind.h"

enum {
	FRAME_MAX = 16 << 20, // a variable of a frame is nearer to its sp
	RED_ZONE = 128,       // below sp
};

/*
 * Where a parameter is. Distances from both the stack pointer and the frame
 * pointer are kept, since one frame does not tell which of them the place
 * really depends on. Where both disagree in a later frame, the code has no
 * answer until another frame has settled it.
 */
struct param_place {
	struct type *type;
	uint32_t size;
	bool in_register;
	unsigned int reg;
	bool by_fp, by_sp;
	uint64_t from_fp, from_sp;
};

struct frame_code {
	struct arena *arena; /* of the method */
	struct type_method *method;
	struct type *type; /* of its value */
	struct param_place places[BIND_PARAMS_MAX];
	size_t n;
};

/* ---- Compiling ------------------------------------------------------- */

/*
 * Are the frame's type arguments known? Nothing can be bound in generic code
 * without them.
 */
static bool is_known(const struct code_pos *pos, const struct type_context *c)
{
	return c->n_class_args || c->n_method_args ||
	       !code_is_generic(pos->module, pos->token);
}

/* Does the address tell all that the binding of the text depends on? */
static bool is_plain_frame(const struct scope *s, const struct regs *regs)
{
	const struct frame *f = s->frame;
	return f && f->kind == DBG_FRAME_MANAGED && f->level == 0 &&
	       f->raw.leaf && f->pos && f->pos->module && !s->partial &&
	       f->raw.ip == regs_pc(regs) && f->raw.sp == regs_sp(regs) &&
	       f->pos->vars_ip == f->raw.ip && is_known(f->pos, &s->context);
}

static struct dbg_error *not_there(void)
{
	return dbg_err(DBG_E_UNSUPPORTED,
		       "a variable has no place that the address tells");
}

static struct dbg_error *find_register(const struct eval *e,
				       const struct var_origin *o,
				       const struct regs *regs,
				       struct param_place *ret)
{
	struct dbg_error *err;
	uint64_t value;

	if (ret->size > sizeof(value) || value_has_floats(e->values, o->type))
		return not_there();
	err =
	    stack_var_register(e->values, e->scope->frame, o->place, &ret->reg);
	if (err)
		return err;
	ret->in_register = true;
	value = regs_get(regs, ret->reg);
	return memcmp(&value, o->place->bytes, ret->size) ? not_there() : NULL;
}

static struct dbg_error *find_place(const struct eval *e,
				    const struct var_origin *o,
				    const struct regs *regs,
				    struct param_place *ret)
{
	const struct type_layout *layout;
	uint64_t sp = regs_sp(regs);
	struct dbg_error *err =
	    type_layout(vm_types(e->vm), ret->type, &layout);

	if (err)
		return err;
	ret->size = layout->size;
	if (!o->place || !o->place->present)
		return not_there();
	if (o->place->in_register)
		return find_register(e, o, regs, ret);
	ret->from_sp = o->place->addr - sp;
	ret->from_fp = o->place->addr - regs_fp(regs);
	ret->by_sp = ret->by_fp = true;
	return ret->from_sp + RED_ZONE < FRAME_MAX ? NULL : not_there();
}

static struct dbg_error *compile(struct frame_code *c, const struct eval *e,
				 const char *text, bool truth,
				 const struct regs *regs)
{
	struct dbg_error *err;
	struct eval own = *e;
	_cleanup_arena_ struct arena *scratch = arena_create();
	struct bind_code code;
	struct expr *x;

	if (!is_plain_frame(e->scope, regs))
		return dbg_err(DBG_E_UNSUPPORTED, "the frame is not plain");
	own.arena = c->arena;
	own.scratch = scratch;
	err = expr_parse(text, scratch, &x);
	if (!err)
		err = bind_compile(&own, text, x, truth, &code);
	if (err)
		return err;
	c->method = code.method;
	c->type = value_type_closed(code.type);
	if (!c->type)
		return not_there();
	c->n = code.n;
	for (size_t i = 0; !err && i < c->n; i++) {
		c->places[i].type = code.types[i];
		err = find_place(e, code.origins[i], regs, &c->places[i]);
	}
	return err;
}

struct dbg_error *frame_code_create(const struct eval *e, const char *text,
				    bool truth, const struct regs *regs,
				    struct frame_code **ret)
{
	struct frame_code *c = xcalloc(1, sizeof(*c));
	struct dbg_error *err;

	c->arena = arena_create();
	err = compile(c, e, text, truth, regs);
	if (err)
		frame_code_destroy(c);
	else
		*ret = c;
	return err;
}

void frame_code_destroy(struct frame_code *c)
{
	if (!c)
		return;
	arena_destroy(c->arena);
	free(c);
}

static bool place_merge(struct param_place *p, const struct param_place *old)
{
	if (p->type != old->type || p->in_register != old->in_register ||
	    p->reg != old->reg)
		return false;
	p->by_sp = p->by_sp && old->by_sp && p->from_sp == old->from_sp;
	p->by_fp = p->by_fp && old->by_fp && p->from_fp == old->from_fp;
	return p->in_register || p->by_sp || p->by_fp;
}

bool frame_code_merge(struct frame_code *c, const struct frame_code *old)
{
	bool same = c->n == old->n;

	for (size_t i = 0; same && i < c->n; i++)
		same = place_merge(&c->places[i], &old->places[i]);
	return same;
}

/* ---- Evaluating ------------------------------------------------------ */

/*
 * The address at which the interpreter finds the parameter (copied there if it
 * is in a register); 0: not known.
 */
static uint64_t place_addr(struct vm *vm, const struct param_place *p,
			   const struct regs *regs)
{
	uint64_t sp = regs_sp(regs) + p->from_sp, value;
	uint64_t fp = regs_fp(regs) + p->from_fp;

	if (!p->in_register) {
		bool differ = p->by_sp && p->by_fp && sp != fp;
		return differ ? 0 : p->by_sp ? sp : fp;
	}
	uint64_t addr = vm_room(vm, sizeof(value));

	value = regs_get(regs, p->reg);
	return addr && vm_write(vm, addr, &value, sizeof(value)) ? addr : 0;
}

/* Copy the result: strings of the interpreter end with its next execution. */
static bool result_take(struct frame_code *c, struct vm *vm, uint64_t addr,
			struct value *ret)
{
	uint64_t word = 0;
	bool is_ref = c->type->is_reference;
	size_t n = is_ref ? sizeof(word) : type_size(c->type);

	if (!n || n > sizeof(word) || !vm_read(vm, addr, &word, n) ||
	    (is_ref && vm_owns(vm, word)))
		return false;
	*ret = value_bytes(c->type, &word, n);
	return true;
}

bool frame_code_run(struct frame_code *c, struct vm *vm,
		    const struct regs *regs, struct value *ret)
{
	struct vm_value args[BIND_PARAMS_MAX + 1];
	struct vm_result r = {0};

	vm_set_thread(vm, NULL);
	args[0] = (struct vm_value){.addr = vm_room(vm, sizeof(uint64_t))};
	for (size_t i = 0; i < c->n; i++) {
		args[i + 1].type = c->places[i].type;
		args[i + 1].addr = place_addr(vm, &c->places[i], regs);
		if (!args[i + 1].addr)
			return false;
	}
	if (dbg_err_drop(vm_begin(vm, c->method, args, c->n + 1, NULL)))
		return false;
	vm_run(vm, 0, &r);
	dbg_error_destroy(r.error);
	return r.state == VM_DONE && result_take(c, vm, r.value.addr, ret);
}
