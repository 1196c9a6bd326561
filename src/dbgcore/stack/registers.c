/*
 * The registers of a frame. The newest frame has all that the processor has;
 * a caller has those that the frames it called have saved for it. By name they
 * are the processor's, and pc, sp and fp, which mean the same on all of them.
 */
#include "stack/stack.h"

#include <string.h>

#include "base/err.h"
#include "target/target.h"
#include "target/unwind.h"

struct dbg_error *stack_registers(struct target *t, const struct frame *f,
				  struct regs_item ret[ARCH_LISTED],
				  size_t *ret_n)
{
	struct regs_item items[ARCH_LISTED];
	struct regs regs;

	if (f->kind == DBG_FRAME_ASYNC)
		return dbg_err(DBG_E_NOT_FOUND,
			       "an async caller has no registers");
	if (f->kind == DBG_FRAME_THROWN)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the frame is not on the stack any more and "
			       "has no registers");
	struct dbg_error *err = target_regs(t, f->tid, &regs);
	if (err)
		return err;
	bool newest =
	    f->raw.ip == regs_pc(&regs) && f->raw.sp == regs_sp(&regs);
	if (!newest)
		dac_frame_regs(&f->raw, &regs);
	regs_list(&regs, items);
	*ret_n = 0;
	for (size_t i = 0; i < ARCH_LISTED; i++)
		if (newest || items[i].number == ARCH_SP ||
		    unwind_saved(items[i].number) != N_SAVED_REGS)
			ret[(*ret_n)++] = items[i];
	return NULL;
}

static bool is_called(const struct regs_item *item, const char *name)
{
	static const struct {
		const char *name;
		unsigned int number;
	} common[] = {{"pc", ARCH_PC}, {"sp", ARCH_SP}, {"fp", ARCH_FP}};

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(common[i].name, name))
			return item->number == common[i].number;
	return !strcmp(item->name, name);
}

bool stack_register_named(const char *name)
{
	static const struct regs none;
	struct regs_item items[ARCH_LISTED];

	regs_list(&none, items);
	for (size_t i = 0; i < ARCH_LISTED; i++)
		if (is_called(&items[i], name))
			return true;
	return false;
}

struct dbg_error *stack_register(struct target *t, const struct frame *f,
				 const char *name, struct regs_item *ret)
{
	struct regs_item items[ARCH_LISTED];
	size_t n = 0;

	if (!stack_register_named(name))
		return dbg_err(DBG_E_NOT_FOUND, "there is no register '$%s'",
			       name);
	struct dbg_error *err = stack_registers(t, f, items, &n);
	for (size_t i = 0; i < n; i++)
		if (is_called(&items[i], name)) {
			*ret = items[i];
			return NULL;
		}
	return err ? err
		   : dbg_err(DBG_E_NOT_FOUND,
			     "what '$%s' was in this frame is not known: no "
			     "frame that it called has saved it",
			     name);
}
