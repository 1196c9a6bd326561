/*
 * Code that is there before the runtime tells of it: compiled ahead of time
 * (ReadyToRun), or by the JIT and about to be published. Its first instruction
 * gets a trap. When a thread hits it the runtime knows the code, and no thread
 * has executed any of it, so breakpoints in it can be armed in time.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/jit/jit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

struct entry_trap {
	struct want *want;
	uint64_t addr;
	bool armed;
	struct entry_trap *next; /* of the same method */
};

void entry_trap_add(struct control *c, struct want *w, uint64_t addr)
{
	struct entry_traps *traps = &c->entry_traps;

	if (!addr || map_find(&traps->codes, addr))
		return;

	struct entry_trap *a = xcalloc(1, sizeof(*a));

	a->want = w;
	a->addr = addr;
	a->next = w->entry_traps;
	w->entry_traps = a;
	map_put(&traps->codes, addr, a);
	mem_grow(&traps->fresh, &traps->cap_fresh, traps->n_fresh,
		 sizeof(*traps->fresh));
	traps->fresh[traps->n_fresh++] = addr;
}

void entry_trap_arm(struct control *c)
{
	struct entry_traps *traps = &c->entry_traps;
	size_t n = 0;

	// some may have been dropped, or be armed since
	for (size_t i = 0; i < traps->n_fresh; i++) {
		struct entry_trap *a = map_find(&traps->codes, traps->fresh[i]);

		if (!a || a->armed)
			continue;
		a->armed = true;
		traps->fresh[n++] = a->addr;
	}
	traps->n_fresh = 0;
	if (n)
		control_warn(
		    c, control_site_add(c, SITE_ENTRY_TRAP, traps->fresh, n));
}

void entry_trap_done(struct control *c, uint64_t addr)
{
	struct entry_trap *a = map_take(&c->entry_traps.codes, addr);

	if (!a)
		return;

	struct entry_trap **at = &a->want->entry_traps;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	if (a->armed && c->target)
		control_warn(c,
			     control_site_remove(c, SITE_ENTRY_TRAP, &addr, 1));
	free(a);
}

void entry_trap_drop(struct control *c, struct want *w)
{
	while (w->entry_traps)
		entry_trap_done(c, w->entry_traps->addr);
}

void entry_trap_trap(struct control *c, uint64_t addr)
{
	const struct entry_trap *a = map_find(&c->entry_traps.codes, addr);
	struct code_module *m =
	    a ? code_module_find(c->code, a->want->ref.module) : NULL;

	if (!m)
		return;
	struct dbg_error *err = control_halt(c);

	if (err)
		control_warn(c, err);
	else
		bind_code(c, m, a->want->ref.token, addr);
}

void entry_trap_reset(struct control *c)
{
	map_clear_free(&c->entry_traps.codes);
	c->entry_traps.n_fresh = 0;
}
