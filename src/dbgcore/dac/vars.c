/*
 * Arguments and locals of a frame: where they are.
 *
 * The frame is made anew from its saved registers (dac_walk_open_at): the
 * DAC's own frame objects do not outlive a walk of another thread cheaply.
 * The DAC looks the slots up in the code version's debug information at the
 * frame's ip.
 */
#include "dac/compound.h"
#include "dac/dac_priv.h"

#include <string.h>

enum {
	VARS_MAX = 1 << 16,
	LOWEST_ADDR = 1 << 16, /* nothing is mapped below */
	NAME_UNITS = 512,
	HR_UNREADABLE = (int32_t)0x80131c49, /* memory that is not there */
};

// Correct an address that counts from the ambient stack pointer, which the JIT
// uses in code without frame pointer (optimised, .NET 10): it is the frame's,
// but 0 to the DAC.
static uint64_t ambient(const struct dac_frame *frame, uint64_t addr)
{
	return addr < LOWEST_ADDR ? frame->sp + addr : addr;
}

static void describe(struct dac *d, const struct dac_frame *frame,
		     const struct xclr_var *var, struct dac_var *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;

	uint32_t n_bytes =
	    var->n_bytes <= sizeof(ret->bytes) ? var->n_bytes : 0;

	ret->present = var->has_addr || n_bytes;
	ret->in_register = ret->present && !var->has_addr;
	if (ret->in_register) {
		memcpy(ret->bytes, var->bytes, sizeof(ret->bytes));
		ret->size = n_bytes;
	} else if (ret->present) {
		ret->addr = ambient(frame, var->addr);
		ret->size = var->size <= UINT32_MAX ? (uint32_t)var->size : 0;
	}
	if (!ret->type || !var->has_place)
		return;
	// The DAC says 8 for a structure on the stack, whatever its size, and
	// for anything in a register.
	err = dac_type_get(d, ret->type, &type);
	if (!err && type->value_size &&
	    (!ret->in_register || type->value_size < ret->size))
		ret->size = type->value_size;
	dbg_error_destroy(err);
}

// The frame object at the top of @walk; NULL if it has none.
static void *frame_object(struct dac *d, void *walk)
{
	void *ret = NULL;

	return DAC_CALL(d, walk, WALK_FRAME, &ret) == COM_OK ? ret : NULL;
}

struct var_list {
	const struct dac_frame *frame;
	void *object; /* the DAC's */
	bool args;
	bool one_byte; /* the frame's next instruction */
	struct arena *arena;
};

static void var_read(struct dac *d, const struct var_list *list, uint32_t i,
		     struct dac_var *ret)
{
	_cleanup_com_ void *type = NULL;
	struct xclr_var var = {0};

	d->scratch[0] = 0;
	ret->name = "";
	ret->is_arg = list->args;
	ret->index = i;
	int32_t hr = DAC_CALL(d, list->object, FRAME_VAR, (uint32_t)list->args,
			      i, &var, &type, (uint32_t)NAME_UNITS, d->scratch);
	if (list->args)
		ret->name = dac_scratch_text(d, NAME_UNITS, list->arena);
	ret->unread = hr == HR_UNREADABLE;
	if (hr < 0)
		return;
	if (type)
		ret->type = dac_type_of_words(d, type, &var.type);
	describe(d, list->frame, &var, ret);
}

/*
 * The frame with its ip moved one byte on. The DAC counts the end of a
 * variable's range as part of it and takes the first range that fits, so that
 * at the first instruction of the next range it would read the old place. One
 * byte further on it takes the right one. (For a return address it looks one
 * byte back itself.)
 */
static struct dac_frame inside_of(const struct dac_frame *frame)
{
	struct dac_frame ret = *frame;

	ret.ip += frame->leaf;
	return ret;
}

/*
 * Read a variable by the frame object @inside, which may be NULL; what has no
 * place there by list->object: where its range ends a register still holds it,
 * while the stack pointer by which it was found may have moved. What only
 * @inside has may begin behind an instruction of one byte.
 */
static void var_read_at(struct dac *d, const struct var_list *list,
			void *inside, uint32_t i, struct dac_var *ret)
{
	struct var_list at = *list;
	struct dac_var old = {0};

	var_read(d, list, i, &old);
	if (inside) {
		at.object = inside;
		var_read(d, &at, i, ret);
	}
	if (!inside || (!old.present && list->one_byte) ||
	    (!ret->present && old.in_register))
		*ret = old;
}

static bool is_one_byte(struct dac *d, uint64_t ip)
{
	struct insn insn;

	return !insn_at(d->target, ip, &insn) || insn.size == 1;
}

struct dbg_error *dac_frame_vars(struct dac *d, pid_t tid,
				 const struct dac_frame *frame, bool args,
				 struct arena *arena, struct dac_var **ret,
				 size_t *ret_n)
{
	uint32_t n = 0;

	*ret = NULL;
	*ret_n = 0;
	if (frame->kind != DAC_FRAME_MANAGED)
		return NULL;
	const struct dac_frame next = inside_of(frame);
	_cleanup_com_ void *walk = dac_walk_open_at(d, tid, frame);
	_cleanup_com_ void *object = walk ? frame_object(d, walk) : NULL;
	_cleanup_com_ void *behind =
	    frame->leaf ? dac_walk_open_at(d, tid, &next) : NULL;
	_cleanup_com_ void *inside = behind ? frame_object(d, behind) : NULL;
	if (!object)
		return dbg_err(DBG_E_RUNTIME,
			       "the frame at 0x%llx cannot be inspected",
			       (unsigned long long)frame->sp);
	// A method without local variables fails here: there are none.
	if (DAC_CALL(d, object, args ? FRAME_N_ARGS : FRAME_N_LOCALS, &n) < 0)
		return NULL;
	if (n > VARS_MAX)
		return dbg_err(DBG_E_FORMAT, "frame with %u variables", n);
	struct dac_var *vars = arena_calloc(arena, n, sizeof(*vars));
	const struct var_list list = {frame, object, args,
				      is_one_byte(d, frame->ip), arena};
	for (uint32_t i = 0; i < n; i++)
		var_read_at(d, &list, inside, i, &vars[i]);
	*ret = vars;
	*ret_n = n;
	return NULL;
}

/* ---- Which register? ------------------------------------------------- */

// The byte that marks a register. The DAC says that a variable is in a
// register, but not in which, so it is asked again with a different mark in
// each.
static uint8_t mark(unsigned int reg)
{
	return (uint8_t)(0xa1 + reg);
}

static void mark_all(struct context *c)
{
	struct regs regs;
	uint64_t value;

	context_get_regs(c, &regs);
	// by sp and fp it finds the frame
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		if (i != ARCH_SP && i != ARCH_FP) {
			memset(&value, mark(i), sizeof(value));
			regs_set(&regs, i, value);
		}
	context_set_regs(c, &regs);
}

static void *open_marked(struct dac *d, pid_t tid,
			 const struct dac_frame *frame)
{
	struct context c;
	_cleanup_com_ void *walk = dac_walk_open(d, tid);
	struct dbg_error *err =
	    context_of_thread(d->target, tid, CONTEXT_FULL, &c);
	void *ret = NULL;

	if (dbg_err_drop(err) || !walk)
		return NULL;
	context_set_frame(&c, frame);
	mark_all(&c);
	if (DAC_CALL(d, walk, WALK_SET_CONTEXT2, (uint32_t)frame->leaf,
		     (uint32_t)sizeof(c), &c) >= 0) {
		ret = walk;
		walk = NULL;
	}
	return ret;
}

// The registers whose marks are in @bytes; 0: the bytes have something else as
// well.
static uint32_t marked_by(const uint8_t *bytes, size_t n)
{
	uint32_t ret = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned int reg = (unsigned int)bytes[i] - mark(0);

		if (reg >= ARCH_GENERAL)
			return 0;
		ret |= UINT32_C(1) << reg;
	}
	return ret;
}

uint32_t dac_var_registers(struct dac *d, pid_t tid,
			   const struct dac_frame *frame,
			   const struct dac_var *var)
{
	const struct dac_frame next = inside_of(frame);
	_cleanup_com_ void *walk = open_marked(d, tid, frame);
	_cleanup_com_ void *object = walk ? frame_object(d, walk) : NULL;
	_cleanup_com_ void *behind =
	    frame->leaf ? open_marked(d, tid, &next) : NULL;
	_cleanup_com_ void *inside = behind ? frame_object(d, behind) : NULL;
	struct arena *arena = arena_create();
	const struct var_list list = {frame, object, var->is_arg,
				      is_one_byte(d, frame->ip), arena};
	struct dac_var marked = {0};

	if (object)
		var_read_at(d, &list, inside, var->index, &marked);
	arena_destroy(arena);
	return marked.in_register ? marked_by(marked.bytes, marked.size) : 0;
}

struct dbg_error *dac_var_register(struct dac *d, pid_t tid,
				   const struct dac_frame *frame,
				   const struct dac_var *var, unsigned int *ret)
{
	uint32_t all = dac_var_registers(d, tid, frame, var);

	for (*ret = 0; *ret < ARCH_GENERAL; (*ret)++)
		if (all == UINT32_C(1) << *ret)
			return NULL;
	return dbg_err(DBG_E_STATE, "the runtime does not tell its register");
}
