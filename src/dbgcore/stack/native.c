/*
 * Native frames: unwound by .eh_frame (target/unwind.h) when somebody looks at
 * them, named by the symbols of their images.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "target/unwind.h"

enum {
	NATIVE_MAX = 4096 /* frames in a row that are believed */
};

static void to_frame(const struct regs *regs, bool leaf, struct dac_frame *ret)
{
	*ret = (struct dac_frame){.kind = DAC_FRAME_NATIVE, .leaf = leaf};
	dac_frame_from(regs, ret);
}

struct dbg_error *native_top(struct stack *s, pid_t tid, struct dac_frame *ret)
{
	struct dbg_error *err;
	struct regs regs;

	err = target_regs(s->target, tid, &regs);
	if (!err)
		to_frame(&regs, true, ret);
	return err;
}

void native_walk_init(struct native_walk *w, struct stack *s,
		      const struct stack_thread *t,
		      const struct dac_frame *start)
{
	memset(w, 0, sizeof(*w));
	w->stack = s;
	w->leaf = start->leaf;
	w->left = NATIVE_MAX;
	// Where the thread stands all of its registers are known.
	if (start->leaf) {
		struct dbg_error *err =
		    target_regs(s->target, t->tid, &w->regs);
		if (!dbg_err_drop(err) && regs_pc(&w->regs) == start->ip &&
		    regs_sp(&w->regs) == start->sp)
			return;
	}
	dac_frame_regs(start, &w->regs);
}

bool native_walk_next(struct native_walk *w, struct dac_frame *ret,
		      bool *ret_signal)
{
	struct target *t = w->stack->target;
	bool leaf = w->leaf;
	uint64_t pc = leaf ? regs_pc(&w->regs) : regs_pc(&w->regs) - 1;

	if (!w->left || !regs_pc(&w->regs) || !unwind_is_native(t, pc))
		return false;
	w->left--;
	to_frame(&w->regs, leaf, ret);
	if (!unwind_step(t, &w->regs, &w->leaf)) {
		w->left = 0;
		w->leaf = false;
	}
	// Only through such a frame the caller was interrupted.
	*ret_signal = w->leaf;
	return true;
}

bool native_caller(struct stack *s, const struct dac_frame *managed,
		   struct dac_frame *ret)
{
	uint64_t words[2]; /* saved frame pointer, return address */

	if (managed->bp < managed->sp ||
	    target_read_some(s->target, managed->bp, words, sizeof(words)) !=
		sizeof(words) ||
	    !unwind_is_native(s->target, words[1] - 1))
		return false;
	*ret = (struct dac_frame){
	    .kind = DAC_FRAME_NATIVE,
	    .ip = words[1],
	    .sp = managed->bp + sizeof(words),
	    .bp = words[0],
	};
	return true;
}

static void name_native(struct stack *s, const char *symbol, uint64_t offset,
			struct dbg_frame *ret)
{
	struct code_name name;
	const char *full =
	    symbol ? target_demangle(symbol, s->arena)
		   : arena_printf(s->arena, "%s+0x%llx", ret->module,
				  (unsigned long long)offset);

	code_name_split(full, symbol ? code_name_list(full) : strlen(full),
			s->arena, &name);
	stack_set_name(ret, &name);
}

void native_describe(struct stack *s, const struct frame *f,
		     struct dbg_frame *ret)
{
	struct dbg_error *err;
	struct target_image image;
	const char *symbol = NULL;
	uint64_t offset, pc = f->raw.leaf ? f->raw.ip : f->raw.ip - 1;
	bool found = false;

	ret->function = f->is_signal ? "<signal handler called>" : "??";
	ret->name = ret->function;
	err = target_image_at(s->target, pc, s->arena, &image, &symbol, &offset,
			      &found);
	if (!err && found) {
		ret->module = str_basename(image.path);
		if (!f->is_signal)
			name_native(s, symbol, offset + !f->raw.leaf, ret);
	}
	dbg_error_destroy(err);
}
