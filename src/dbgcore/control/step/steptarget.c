/*
 * Stepping into one chosen call of a line. A call is chosen by its IL offset.
 * Code compiled for debugging has each call's IL offset in its map, so only
 * the right one is looked at; in optimised code, whose map knows statements
 * at best, what is called must have the right name, and as many calls of that
 * name as stand before the chosen one are passed.
 */
#include "control/control_priv.h"
#include "control/step/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct dbg_error *control_calls(struct control *c, pid_t tid,
				struct arena *arena, struct dbg_call **ret,
				size_t *ret_n)
{
	struct dbg_error *err;
	struct regs regs;
	const struct code_pos *pos;
	struct code_calls calls = {.arena = arena};
	bool any = false;

	if (!c->code)
		return dbg_err(DBG_E_STATE, "the runtime is not loaded yet");
	err = target_regs(c->target, tid, &regs);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&regs), true, &pos, &any);
	if (err)
		return err;
	if (any)
		code_calls(pos, &calls);
	*ret = arena_calloc(arena, calls.n + 1, sizeof(**ret));
	*ret_n = calls.n;
	for (size_t i = 0; i < calls.n; i++)
		(*ret)[i] = (struct dbg_call){
		    .id = calls.calls[i].il_offset + 1,
		    .function = calls.calls[i].name.full,
		    .name = calls.calls[i].name.plain,
		};
	return NULL;
}

void target_forget(struct control *c)
{
	free(c->plan.target.name);
	memset(&c->plan.target, 0, sizeof(c->plan.target));
	c->plan.target.il_offset = UINT32_MAX;
}

/* Fill in the plan's target from the calls of the line. */
static bool find_target(struct control *c, const struct code_calls *calls)
{
	struct call_target *t = &c->plan.target;
	const struct code_call *found = NULL;

	for (size_t i = 0; i < calls->n; i++)
		if (calls->calls[i].il_offset + 1 == c->plan.step.target)
			found = &calls->calls[i];
	if (!found)
		return false;
	t->il_offset = found->il_offset;
	t->name = xstrdup(found->simple);
	if (!c->plan.home->optimized)
		return true;
	for (const struct code_call *call = calls->calls; call < found; call++)
		t->skip += !strcmp(call->simple, found->simple);
	return true;
}

struct dbg_error *target_take(struct control *c, const struct code_pos *pos)
{
	struct code_calls calls = {.arena = arena_create()};
	bool found;

	target_forget(c);
	code_calls(pos, &calls);
	found = !c->plan.step.target || find_target(c, &calls);
	arena_destroy(calls.arena);
	return found ? NULL
		     : dbg_err(DBG_E_ARGUMENT, "the line has no such call");
}

bool target_entry_holds(struct control *c, uint64_t addr, uint32_t from,
			uint32_t il)
{
	const struct dac_il_map *map;
	uint32_t next = DAC_IL_EPILOG;
	size_t n;

	if (dbg_err_drop(dac_il_map(c->dac, addr, &map, &n)))
		return from == il;
	for (size_t i = 0; i < n; i++)
		if (map[i].il_offset > from && map[i].il_offset < next)
			next = map[i].il_offset;
	return il >= from && il < next;
}

bool target_may_be(struct control *c, uint64_t addr)
{
	const struct call_target *t = &c->plan.target;
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err;

	if (!t->name || c->plan.home->optimized)
		return true;
	err = code_pos_at(c->code, addr, true, &pos, &any);
	return !dbg_err_drop(err) && any &&
	       target_entry_holds(c, addr, pos->il_offset, t->il_offset);
}

/*
 * Is it the call that the user has named? Invoke of a delegate may call
 * anything.
 */
static bool is_named(const struct call_target *t, const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strcmp(t->name, "Invoke") || !strcmp(t->name, name) ||
	       (dot && dot != name && !strcmp(t->name, dot + 1));
}

bool target_is(struct control *c, struct code_module *m, uint32_t token)
{
	struct call_target *t = &c->plan.target;

	if (!t->name)
		return true;
	if (!is_named(
		t, md_col_string(&m->md, MD_METHODDEF, MD_TOKEN_RID(token), 3)))
		return false;
	return !t->skip || t->skip-- == 0;
}
