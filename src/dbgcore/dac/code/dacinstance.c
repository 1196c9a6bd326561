/*
 * The hidden generic argument of a frame: code that generic instances share
 * gets a MethodTable or MethodDesc as an argument. Code that needs it keeps it
 * in a slot of the frame that the method's GC information names
 * (dac/gcinfo.h). Of other code the JIT's debug information tells where it has
 * it, like any variable (dac/debuginfo.h): unoptimised code all the time. What
 * is read there counts only if the DAC knows it as such.
 */
#include "dac/dac_priv.h"

#include "dac/asyncmethod.h"
#include "dac/debuginfo.h"
#include "dac/gcinfo.h"

#include <string.h>

static bool head_read(struct dac *d, uint64_t ip, struct gcinfo *ret,
		      uint64_t *ret_start)
{
	struct sos_code data = {0};
	uint8_t head[GCINFO_HEAD_MAX];
	struct dac_assumed version;

	if (!dac_holds(d, ASSUME_GC_INFO, &version) ||
	    DAC_CALL(d, d->sos, SOS_CODE_HEADER, ip, &data) < 0 ||
	    !data.gc_info)
		return false;
	*ret_start = data.start;
	size_t n =
	    target_read_some(d->target, data.gc_info, head, sizeof(head));
	return gcinfo_parse((struct bytes){head, n}, data.size,
			    version.value < DAC_GC_INFO_NEW, ret);
}

// Verify the hidden argument: it is believed if the DAC knows it as a type, or
// as an instance of the method that runs.
static void context_check(struct dac *d, const struct dac_frame *frame,
			  enum gcinfo_context context, uint64_t value,
			  struct dac_instance *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;
	struct dac_method method, shared;

	if (context == GCINFO_TYPE) {
		err = dac_type_get(d, value, &type);
		if (!err)
			ret->type = value;
	} else {
		err = dac_method_get(d, frame->method, &shared);
		if (!err)
			err = dac_method_get(d, value, &method);
		if (!err && method.token == shared.token &&
		    method.module == shared.module)
			ret->method = value;
	}
	dbg_error_destroy(err);
}

// Does @frame have the register, and what is in it?
static bool register_read(struct dac *d, pid_t tid,
			  const struct dac_frame *frame, uint32_t reg,
			  uint64_t *ret)
{
	struct regs regs = {0};
	bool known = reg == ARCH_SP || reg == ARCH_FP;

	for (size_t i = 0; i < ARCH_SAVED; i++)
		known = known || arch_saved[i] == reg;
	if (frame->leaf) {
		if (dbg_err_drop(target_regs(d->target, tid, &regs)))
			return false;
		// not where a handler of a signal runs on top of it
		known = known || regs_pc(&regs) == frame->ip;
	}
	dac_frame_regs(frame, &regs);
	if (known)
		*ret = regs_get(&regs, reg);
	return known;
}

// Find where a variable is in @frame; false: nowhere.
static bool var_place(struct dac *d, pid_t tid, const struct dac_frame *frame,
		      int32_t number, struct dac_var *ret)
{
	const struct debug_var *v =
	    dac_debug_var(d, frame->leaf ? frame->ip : frame->ip - 1, number);
	uint64_t value;

	*ret = (struct dac_var){.name = ""};
	// REGNUM_AMBIENT_SP: the frame's
	if (!v || v->place == DEBUG_ELSEWHERE || v->reg > ARCH_GENERAL ||
	    !register_read(d, tid, frame,
			   v->reg == ARCH_GENERAL ? ARCH_SP : v->reg, &value))
		return false;
	ret->present = true;
	ret->size = sizeof(value);
	ret->in_register = v->place == DEBUG_IN_REGISTER;
	if (ret->in_register)
		memcpy(ret->bytes, &value, sizeof(value));
	else
		ret->addr = value + (uint64_t)(int64_t)v->offset;
	if (v->place == DEBUG_BY_REF)
		ret->addr = dac_word(d, ret->addr);
	return ret->in_register || ret->addr;
}

void dac_code_vars(struct dac *d, pid_t tid, const struct dac_frame *frame,
		   uint32_t n_args, bool args, struct arena *arena,
		   struct dac_var **ret, size_t *ret_n)
{
	uint32_t all =
	    dac_debug_n_vars(d, frame->leaf ? frame->ip : frame->ip - 1);
	uint32_t first = args ? 0 : n_args;
	uint32_t n = args ? n_args : all > n_args ? all - n_args : 0;

	*ret = arena_calloc(arena, (size_t)n + 1, sizeof(**ret));
	*ret_n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct dac_var *var = &(*ret)[i];

		var_place(d, tid, frame, (int32_t)(first + i), var);
		var->is_arg = args;
		var->index = i;
	}
}

// The hidden argument where the JIT says it is, as any variable; 0: nowhere.
static uint64_t context_variable(struct dac *d, pid_t tid,
				 const struct dac_frame *frame)
{
	struct dac_var var;

	if (!var_place(d, tid, frame, DEBUG_CONTEXT, &var))
		return 0;
	uint64_t value = var.addr ? dac_word(d, var.addr) : 0;
	if (var.in_register)
		memcpy(&value, var.bytes, sizeof(value));
	return value;
}

// Read a hidden argument that the code does not use, so that its kind is not
// recorded: try it as a MethodDesc first, which is never known as a type.
static void context_unused(struct dac *d, pid_t tid,
			   const struct dac_frame *frame,
			   struct dac_instance *ret)
{
	uint64_t value = context_variable(d, tid, frame);

	if (!value)
		return;
	context_check(d, frame, GCINFO_METHOD, value, ret);
	if (!ret->method)
		context_check(d, frame, GCINFO_TYPE, value, ret);
}

void dac_frame_instance(struct dac *d, pid_t tid, const struct dac_frame *frame,
			struct dac_instance *ret)
{
	struct gcinfo info;
	uint64_t value, start;

	*ret = (struct dac_instance){0};
	if (frame->kind != DAC_FRAME_MANAGED ||
	    !head_read(d, frame->leaf ? frame->ip : frame->ip - 1, &info,
		       &start))
		return;
	ret->by_this = info.context == GCINFO_THIS;
	if (info.context == GCINFO_NONE)
		context_unused(d, tid, frame, ret);
	if ((info.context != GCINFO_TYPE && info.context != GCINFO_METHOD) ||
	    (frame->leaf && frame->ip - start < info.prolog_size))
		return;
	// Such code always has a frame pointer.
	uint64_t slot = frame->bp + (uint64_t)(int64_t)info.slot;
	struct dbg_error *err = target_read_u64(d->target, slot, &value);
	if (!dbg_err_drop(err) && value)
		context_check(d, frame, info.context, value, ret);
}
