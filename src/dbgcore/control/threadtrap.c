/*
 * Thread-specific traps, in lists of a few. The trap at an address is set with
 * the first thread that is awaited there and lifted with the last.
 */
#include "control/threadtrap.h"

#include "control/control_priv.h"

struct dbg_error *thread_trap_add(struct control *c, struct thread_traps *list,
				  enum site_kind kind,
				  const struct thread_trap *at)
{
	mem_grow(&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n++] = *at;
	return control_site_add(c, kind, &at->addr, 1);
}

bool thread_trap_take(struct control *c, struct thread_traps *list,
		      enum site_kind kind, const struct thread_trap *at)
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

void thread_traps_forget(struct control *c, struct thread_traps *list,
			 enum site_kind kind, pid_t tid)
{
	for (size_t i = list->n; i-- > 0;) {
		const struct thread_trap at = list->v[i];

		if (!tid || at.tid == tid)
			thread_trap_take(c, list, kind, &at);
	}
}
