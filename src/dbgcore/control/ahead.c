/*
 * Code that is there before the runtime tells of it: compiled ahead of time
 * (ReadyToRun), or by the JIT and about to be published. Its first instruction
 * has a trap: who comes there first shows that the runtime knows the code, and
 * nobody has been past the breakpoints in it.
 */
#include "control/control_priv.h"

#include <stdlib.h>

#include "base/err.h"

struct ahead {
	struct dac_method_ref ref;
	bool armed;
};

void ahead_add(struct control *c, const struct dac_method_ref *ref,
	       uint64_t addr)
{
	if (!addr || map_find(&c->ahead.codes, addr))
		return;

	struct ahead *a = xcalloc(1, sizeof(*a));

	a->ref = *ref;
	map_put(&c->ahead.codes, addr, a);
	c->ahead.n_fresh++;
}

void ahead_arm(struct control *c)
{
	struct map *codes = &c->ahead.codes;
	size_t n = 0;

	if (!c->ahead.n_fresh)
		return;
	_cleanup_free_ uint64_t *addrs =
	    xcalloc(c->ahead.n_fresh, sizeof(*addrs));
	for (size_t i = 0; i < codes->cap; i++) {
		struct ahead *a = codes->slots[i].value;

		if (!a || a->armed)
			continue;
		a->armed = true;
		addrs[n++] = codes->slots[i].key;
	}
	c->ahead.n_fresh = 0;
	control_complain(c, control_site_add(c, SITE_AHEAD, addrs, n));
}

void ahead_done(struct control *c, uint64_t addr)
{
	struct ahead *a = map_take(&c->ahead.codes, addr);

	if (!a)
		return;
	c->ahead.n_fresh -= !a->armed;
	if (a->armed && c->target)
		control_complain(c,
				 control_site_remove(c, SITE_AHEAD, &addr, 1));
	free(a);
}

void ahead_drop(struct control *c, const struct dac_method_ref *ref)
{
	struct map *codes = &c->ahead.codes;

	for (size_t i = 0; i < codes->cap; i++) {
		const struct ahead *a = codes->slots[i].value;

		if (!a || a->ref.module != ref->module ||
		    a->ref.token != ref->token)
			continue;
		ahead_done(c, codes->slots[i].key);
		// taking one may have moved others
		i = (size_t)-1;
	}
}

void ahead_trap(struct control *c, uint64_t addr)
{
	const struct ahead *a = map_find(&c->ahead.codes, addr);
	struct code_module *m =
	    a ? code_module_find(c->code, a->ref.module) : NULL;

	if (!m)
		return;
	struct dbg_error *err = control_halt(c);

	if (err)
		control_complain(c, err);
	else
		bind_code(c, m, a->ref.token, addr);
}

void ahead_reset(struct control *c)
{
	map_clear_free(&c->ahead.codes);
	c->ahead.n_fresh = 0;
}
