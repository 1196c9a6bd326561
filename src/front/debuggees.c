/*
 * Events of several sessions, one after the other: debuggees.h. Nothing is
 * kept here; the list and the current inferior are the engine's.
 */
#include "front/debuggees.h"

#include "base/mem.h"
#include "front/plain.h"

struct dbg *debuggees_alive(struct dbg *first)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state != DBG_IDLE)
			return list[i].dbg;
	return NULL;
}

struct dbg *debuggees_find(struct dbg *first, uint64_t number)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].number == number)
			return list[i].dbg;
	return NULL;
}

void debuggees_leave(struct dbg *first)
{
	if (dbg_state(dbg_inferior_current(first)) != DBG_IDLE)
		return;
	struct dbg *other = debuggees_alive(first);
	dbg_inferior_select(other ? other : first);
}

// End the first child whose session is of no more use, or any; false: none.
static bool end_child(struct dbg *first, bool any)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(first, arena, &list, &n);
	for (size_t i = 0; i < n; i++) {
		if (list[i].dbg == first || (!any && list[i].state != DBG_IDLE))
			continue;
		dbg_destroy(list[i].dbg);
		return true;
	}
	return false;
}

void debuggees_end_children(struct dbg *first)
{
	while (end_child(first, true))
		;
}

static void adopt(struct debuggee_event *e)
{
	struct dbg *parent = e->inferior.dbg;
	struct dbg *child;

	struct dbg_error *err = dbg_child_adopt(parent, e->event.child, &child);
	if (!err) {
		dbg_inferior_get(child, &e->child);
		// with follow-fork-mode child it has taken the parent's place
		dbg_inferior_get(parent, &e->inferior);
		return;
	}
	if (err->code == DBG_E_NOT_FOUND) {
		dbg_error_destroy(err);
		err = NULL;
	}
	e->err = err;
	dbg_error_destroy(dbg_child_leave(parent, e->event.child, false));
}

static bool event_take_any(struct dbg *first, struct arena *arena,
			   struct debuggee_event *ret)
{
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (dbg_event_next(list[i].dbg, arena, &ret->event)) {
			dbg_inferior_get(list[i].dbg, &ret->inferior);
			return true;
		}
	return false;
}

void debuggees_warn(struct dbg *first)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct debuggee_event e;

	while (event_take_any(first, arena, &e))
		if (e.event.kind == DBG_EVENT_MESSAGE && e.event.warning)
			plain_printf(stderr, "dndbg: %s\n", e.event.text);
}

bool debuggees_event_next(struct dbg *first, struct arena *arena,
			  struct debuggee_event *ret)
{
	*ret = (struct debuggee_event){0};
	if (!event_take_any(first, arena, ret)) {
		while (end_child(first, false))
			;
		return false;
	}
	if (ret->event.kind == DBG_EVENT_STOPPED)
		dbg_inferior_select(ret->inferior.dbg);
	if (ret->event.kind == DBG_EVENT_CHILD)
		adopt(ret);
	if (ret->event.kind == DBG_EVENT_CHILD ||
	    ret->event.kind == DBG_EVENT_EXITED)
		debuggees_leave(first);
	return true;
}
