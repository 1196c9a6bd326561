/*
 * Threads that call a method for the first time at once. One of them compiles
 * it; the runtime publishes the code, and only then tells of it. The others,
 * which wait in ThePreStub for the same code, would run it meanwhile, past
 * breakpoints that are not there yet.
 *
 * So while methods without code are waited for, and threads have been born
 * since the runtime came up, the entry of ThePreStub is trapped: r10 is the
 * MethodDesc of the method called. A thread that enters with one that is
 * wanted is met again at the exit, where its code is known, whoever made it
 * (wanted_prestub). That covers methods that are not generic, whose
 * MethodDesc is known before.
 */
#include "control/control_priv.h"

#include "base/err.h"

enum {
	RESOLVE_MAX = 256
}; /* descriptors looked for at one time */

static const char marker;

static void find_descriptors(struct control *c)
{
	struct wanted *w = &c->wanted;
	size_t left = RESOLVE_MAX;

	map_clear(&w->descs);
	for (size_t i = 0; i < w->methods.cap && left; i++) {
		const struct want *want = w->methods.slots[i].value;

		if (!want || want->compiled)
			continue;

		uint64_t desc = dac_method_of_token(c->dac, want->ref.module,
						    want->ref.token);

		left--;
		if (desc)
			map_put(&w->descs, desc, (void *)&marker);
	}
}

void rush_update(struct control *c)
{
	struct wanted *w = &c->wanted;
	uint64_t entry = dac_prestub(c->dac);

	if (!w->many_threads || !entry)
		return;
	find_descriptors(c);
	if (w->descs.n && !w->prestub_entry) {
		w->prestub_entry = entry;
		control_complain(c, control_site_add(c, SITE_ENTER, &entry, 1));
	} else if (!w->descs.n && w->prestub_entry) {
		w->prestub_entry = 0;
		control_complain(c,
				 control_site_remove(c, SITE_ENTER, &entry, 1));
	}
}

void rush_enter(struct control *c, pid_t tid)
{
	struct user_regs_struct regs;
	struct dbg_error *err = target_regs(c->target, tid, &regs);

	if (err)
		control_complain(c, err);
	else if (map_find(&c->wanted.descs, regs.r10))
		map_put(&c->wanted.inside, (uint64_t)tid, (void *)&marker);
}

bool rush_leave(struct control *c, pid_t tid)
{
	return map_take(&c->wanted.inside, (uint64_t)tid);
}

void rush_reset(struct control *c)
{
	struct wanted *w = &c->wanted;

	map_clear(&w->descs);
	map_clear(&w->inside);
	w->prestub_entry = 0;
	w->many_threads = false;
}

void control_thread_born(struct control *c)
{
	struct wanted *w = &c->wanted;
	struct dbg_error *err;

	if (!c->dac)
		return;
	w->many_threads = true;
	if (!w->n_bare)
		return;
	err = control_halt(c);
	if (err)
		control_complain(c, err);
	else
		wanted_commit(c);
}
