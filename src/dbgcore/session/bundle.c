/*
 * Single-file programs: the runtime is inside the executable, which exports
 * its table for the DAC but none of the calls by which a host starts it.
 *
 *   TABLE    a debug register watches the first word of the table that is
 *            not filled; the runtime writes it early in its start
 *   FILLED   a trap where the function returns that fills the table: the DAC
 *            can be opened, and module notifications be asked for
 *   MODULES  a trap at __cxa_throw, by which they come. With the second, of
 *            what the program is to run, the runtime is up and no user code
 *            has run: control takes over
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/unwind.h"

struct dbg_error *bundle_begin(struct dbg *dbg,
			       const struct target_image *image)
{
	struct dbg_error *err;
	struct start *s = &dbg->start;
	struct arena *arena = arena_create();
	const char *dac;
	uint64_t hole = 0;
	const struct dac_runtime runtime = {.path = image->path,
					    .base = image->base,
					    .hint = dbg->dac_path,
					    .trust = dbg->trust_dac};

	err = dac_find_bundled(dbg->target, &runtime, arena, &dac);
	if (!err)
		err = dac_table_hole(dbg->target, image, &hole);
	if (!err) {
		s->runtime = xstrdup(image->path);
		s->base = image->base;
		s->bundled_dac = xstrdup(dac);
	}
	arena_destroy(arena);
	if (err)
		return err;
	// Attached to: it may be filled, or be up, already.
	if (!hole)
		return start_take_runtime(dbg);
	// In a core it stays so.
	if (!target_can(dbg->target, TARGET_RUN))
		return NULL;
	s->phase = START_TABLE;
	return control_watch_word(dbg->control, hole);
}

struct dbg_error *bundle_written(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err;
	struct regs regs;
	bool leaf = true;

	err = target_guard_renew(dbg->target, 0);
	if (!err)
		err = target_stop_all(dbg->target);
	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	err = control_watch_word(dbg->control, 0);
	if (!err)
		err = target_regs(dbg->target, ev->tid, &regs);
	if (err)
		return err;
	if (!unwind_step(dbg->target, &regs, &leaf))
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' cannot be debugged: its code has no "
			       "unwind information",
			       dbg->start.runtime);

	uint64_t addr = regs_pc(&regs);

	return start_arm(dbg, START_FILLED, &addr, 1);
}

/* The table is filled: ask to be told of modules. */
static struct dbg_error *filled(struct dbg *dbg)
{
	struct dbg_error *err;
	const struct start *s = &dbg->start;
	const struct dac_runtime runtime = {.path = s->runtime,
					    .base = s->base,
					    .dac = s->bundled_dac,
					    .trust = dbg->trust_dac};
	bool ready = false;
	uint64_t addr = 0;

	err = start_lift(dbg);
	if (!err)
		err =
		    dac_open(dbg->target, &runtime, &dbg->inspect.dac, &ready);
	if (!err && !ready)
		err = dbg_err(DBG_E_RUNTIME,
			      "the runtime inside '%s' does not start as "
			      "expected",
			      s->runtime);
	if (!err)
		err = dac_notify_modules(dbg->inspect.dac, true);
	if (!err)
		err = control_throw_addr(dbg->control, &addr);
	return err ? err : start_arm(dbg, START_MODULES, &addr, 1);
}

/* Something is thrown: a module that the runtime tells of? */
static struct dbg_error *thrown(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err;
	struct regs regs;
	struct dac_notification n;

	err = target_regs(dbg->target, ev->tid, &regs);
	if (err)
		return err;
	dac_notification_decode(dbg->target, &regs, &n);
	if (n.kind != DAC_NOTIFY_MODULE_LOAD || !dbg->start.modules++)
		return NULL;
	return start_take_runtime(dbg);
}

struct dbg_error *bundle_trap(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	return dbg->start.phase == START_FILLED ? filled(dbg) : thrown(dbg, ev);
}
