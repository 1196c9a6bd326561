/*
 * Catchpoints for modules: `catch load` and `catch unload`. The runtime tells
 * of each module that comes or goes, whether somebody asks or not.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include "base/pattern.h"

static bool is_wanted(struct control *c, const struct bp *bp, void *arg)
{
	(void)c;
	return !bp->pattern || pattern_matches(bp->pattern, arg);
}

struct dbg_error *load_catch(struct control *c, const struct load_event *ev,
			     struct dbg_stop *stop, bool *ret_stops)
{
	const struct code_module *m = ev->module;
	char *name =
	    arena_strdup(c->inspect->arena, m->path ? m->path : m->name);
	const struct bp_event event = {
	    .kind = ev->kind,
	    .tid = ev->tid,
	    .is_wanted = is_wanted,
	    .arg = name,
	};

	if (call_is_of(c, ev->tid))
		return NULL;
	stop->module = name;
	stop->reason =
	    ev->kind == DBG_BREAK_LOAD ? DBG_STOP_LOAD : DBG_STOP_UNLOAD;
	return bp_happened(c, &event, stop, ret_stops);
}
