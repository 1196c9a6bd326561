/*
 * Meetings: who is awaited where, in lists of a few. The trap of a place is put
 * there with the first and lifted with the last.
 */
#include "control/meeting.h"

#include "control/control_priv.h"

struct dbg_error *meeting_add(struct control *c, struct meetings *list,
			      enum site_kind kind, const struct meeting *at)
{
	mem_grow(&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n++] = *at;
	return control_site_add(c, kind, &at->addr, 1);
}

bool meeting_take(struct control *c, struct meetings *list, enum site_kind kind,
		  const struct meeting *at)
{
	bool found = false, more = false;

	for (size_t i = list->n; i-- > 0;) {
		if (list->v[i].addr != at->addr)
			continue;
		if (found || list->v[i].tid != at->tid) {
			more = true;
			continue;
		}
		list->v[i] = list->v[--list->n];
		found = true;
	}
	if (found && !more)
		control_warn(c, control_site_remove(c, kind, &at->addr, 1));
	return found;
}

void meetings_forget(struct control *c, struct meetings *list,
		     enum site_kind kind, pid_t tid)
{
	for (size_t i = list->n; i-- > 0;) {
		const struct meeting at = list->v[i];

		if (!tid || at.tid == tid)
			meeting_take(c, list, kind, &at);
	}
}
