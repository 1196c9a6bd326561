/*
 * Code that is there before the runtime tells of it: compiled ahead of time
 * (ReadyToRun), or by the JIT and about to be published. Its first instruction
 * has a trap: who comes there first shows that the runtime knows the code, and
 * nobody has been past the breakpoints in it.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/jit/jit.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

struct ahead {
	struct want *want;
	uint64_t addr;
	bool armed;
	struct ahead *next; /* of the same method */
};

void ahead_add(struct control *c, struct want *w, uint64_t addr)
{
	struct aheads *aheads = &c->ahead;

	if (!addr || map_find(&aheads->codes, addr))
		return;

	struct ahead *a = xcalloc(1, sizeof(*a));

	a->want = w;
	a->addr = addr;
	a->next = w->aheads;
	w->aheads = a;
	map_put(&aheads->codes, addr, a);
	mem_grow(&aheads->fresh, &aheads->cap_fresh, aheads->n_fresh,
		 sizeof(*aheads->fresh));
	aheads->fresh[aheads->n_fresh++] = addr;
}

void ahead_arm(struct control *c)
{
	struct aheads *aheads = &c->ahead;
	size_t n = 0;

	// some may have been dropped, or be armed since
	for (size_t i = 0; i < aheads->n_fresh; i++) {
		struct ahead *a = map_find(&aheads->codes, aheads->fresh[i]);

		if (!a || a->armed)
			continue;
		a->armed = true;
		aheads->fresh[n++] = a->addr;
	}
	aheads->n_fresh = 0;
	if (n)
		control_complain(
		    c, control_site_add(c, SITE_AHEAD, aheads->fresh, n));
}

void ahead_done(struct control *c, uint64_t addr)
{
	struct ahead *a = map_take(&c->ahead.codes, addr);

	if (!a)
		return;

	struct ahead **at = &a->want->aheads;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	if (a->armed && c->target)
		control_complain(c,
				 control_site_remove(c, SITE_AHEAD, &addr, 1));
	free(a);
}

void ahead_drop(struct control *c, struct want *w)
{
	while (w->aheads)
		ahead_done(c, w->aheads->addr);
}

void ahead_trap(struct control *c, uint64_t addr)
{
	const struct ahead *a = map_find(&c->ahead.codes, addr);
	struct code_module *m =
	    a ? code_module_find(c->code, a->want->ref.module) : NULL;

	if (!m)
		return;
	struct dbg_error *err = control_halt(c);

	if (err)
		control_complain(c, err);
	else
		bind_code(c, m, a->want->ref.token, addr);
}

void ahead_reset(struct control *c)
{
	map_clear_free(&c->ahead.codes);
	c->ahead.n_fresh = 0;
}
