/*
 * From exec to a runtime that the DAC can read, in the phases of enum
 * start_phase (session.h): each arms one or two traps, waits for a thread to
 * hit them and arms the next. An attached program enters at the phase that it
 * has reached. A failure here costs only the debugging: the traps are lifted
 * and the program runs on.
 */
#include "session/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/assumption.h"
#include "target/unwind.h"

/* ---- A runtime inside of the program --------------------------------- */

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

static struct dbg_error *start_lift(struct dbg *dbg);

static struct dbg_error *start_arm(struct dbg *dbg, enum start_phase phase,
				   const uint64_t *addrs, size_t n);

static struct dbg_error *start_take_runtime(struct dbg *dbg);

/* Begin with a program that has the runtime inside: its image. */
static struct dbg_error *bundle_begin(struct dbg *dbg,
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

/* Handle a write to the watched word: the table is being filled. */
static struct dbg_error *bundle_written(struct dbg *dbg,
					const struct target_event *ev)
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

/* The table is filled: ask to be notified of modules. */
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

/* A C++ exception is thrown: is it the runtime's notification of a module? */
static struct dbg_error *start_notification(struct dbg *dbg,
					    const struct target_event *ev)
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

/* Handle a thread at a trap of the later phases. */
static struct dbg_error *bundle_trap(struct dbg *dbg,
				     const struct target_event *ev)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	return dbg->start.phase == START_FILLED ? filled(dbg)
						: start_notification(dbg, ev);
}

/* ---- Phases ---------------------------------------------------------- */

static struct dbg_error *start_lift(struct dbg *dbg)
{
	struct start *s = &dbg->start;
	size_t n = s->n_addrs;

	s->n_addrs = 0;
	return control_site_remove(dbg->control, SITE_START, s->addrs, n);
}

/* Lift the traps of the present phase, and arm those of @phase. */
static struct dbg_error *start_arm(struct dbg *dbg, enum start_phase phase,
				   const uint64_t *addrs, size_t n)
{
	struct start *s = &dbg->start;

	s->phase = phase;
	s->n_addrs = n;
	memcpy(s->addrs, addrs, n * sizeof(*addrs));
	return control_site_add(dbg->control, SITE_START, addrs, n);
}

void start_reset(struct dbg *dbg)
{
	free(dbg->start.runtime);
	free(dbg->start.bundled_dac);
	memset(&dbg->start, 0, sizeof(dbg->start));
}

/*
 * Look at the executable. NativeAOT programs are refused. A single-file program
 * has its runtime inside: *ret_bundled is set and it is prepared.
 */
static struct dbg_error *check_main_image(struct dbg *dbg, struct arena *arena,
					  bool *ret_bundled)
{
	struct dbg_error *err;
	struct target_image image;
	uint64_t aot, table;

	err = target_image_main(dbg->target, arena, &image);
	if (!err)
		err = target_symbol(dbg->target, &image,
				    "DotNetRuntimeDebugHeader", &aot);
	if (!err)
		err = target_symbol(dbg->target, &image, "g_dacTable", &table);
	if (err)
		return err;
	*ret_bundled = table;
	if (table)
		return bundle_begin(dbg, &image);
	if (aot)
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is a NativeAOT program without a .NET "
			       "runtime: debug it with gdb, or build it "
			       "without PublishAot",
			       image.path);
	return NULL;
}

struct dbg_error *start_begin(struct dbg *dbg)
{
	struct dbg_error *err;
	uint64_t entry;

	start_reset(dbg);
	if (!target_survives(dbg->target))
		ipc_files_note(&dbg->ipc_files, target_pid(dbg->target));
	err = target_entry(dbg->target, &entry);
	return err ? err : start_arm(dbg, START_ENTRY, &entry, 1);
}

/* ---- The phases ------------------------------------------------------ */

/* At the entry point the dynamic linker is ready: watch it load libraries. */
static struct dbg_error *at_entry(struct dbg *dbg)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	uint64_t r_brk = 0;
	bool bundled = false;

	err = start_lift(dbg);
	if (!err)
		err = check_main_image(dbg, arena, &bundled);
	if (!err && !bundled)
		err = target_r_brk(dbg->target, &r_brk);
	arena_destroy(arena);
	if (err || bundled)
		return err;
	dbg->start.phase = START_LIBRARY;
	return r_brk ? start_arm(dbg, START_LIBRARY, &r_brk, 1) : NULL;
}

/* In an attached program without a runtime: has its linker begun? */
static struct dbg_error *before_library(struct dbg *dbg)
{
	struct dbg_error *err;
	uint64_t r_brk = 0;

	err = target_r_brk(dbg->target, &r_brk);
	if (err)
		return err;
	return r_brk ? at_entry(dbg) : start_begin(dbg);
}

/* Find the runtime's image, if it is loaded: start.runtime and its base. */
static struct dbg_error *find_runtime(struct dbg *dbg)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct target_image image;
	bool found = false;

	err = target_image_find(dbg->target, "libcoreclr.so", arena, &image,
				&found);
	if (!err && found) {
		dbg->start.runtime = xstrdup(image.path);
		dbg->start.base = image.base;
	}
	arena_destroy(arena);
	return err;
}

/*
 * Find the function of the C library by which the runtime sets its signal
 * handlers while it starts; 0: none is known. It is watched for SIGTRAP in a
 * process that survives us: see target_guard_renew.
 */
static struct dbg_error *sigaction_find(struct dbg *dbg, uint64_t *ret)
{
	static const char *const libraries[] = {
	    "libpthread.so.0", // where it is apart from libc.so.6 it comes
			       // first
	    "libc.so.6", "ld-musl-x86_64.so.1",
	    "libc.so", // musl as Debian calls it
	};
	struct dbg_error *err = NULL;
	struct arena *arena = arena_create();
	size_t n = sizeof(libraries) / sizeof(libraries[0]);

	*ret = 0;
	for (size_t i = 0; !err && !*ret && i < n; i++) {
		struct target_image image;
		bool found = false;

		err = target_image_find(dbg->target, libraries[i], arena,
					&image, &found);
		if (!err && found)
			err = target_symbol(dbg->target, &image, "sigaction",
					    ret);
	}
	arena_destroy(arena);
	return err;
}

/* Wait for the host's call into a runtime that is not up yet. */
static struct dbg_error *await_runtime(struct dbg *dbg, bool guarded)
{
	static const char *const exports[] = {"coreclr_execute_assembly",
					      "coreclr_create_delegate"};
	struct dbg_error *err = NULL;
	struct target_image image = {.path = dbg->start.runtime,
				     .base = dbg->start.base};
	uint64_t addrs[3], addr;
	size_t n = 0;

	for (size_t i = 0; !err && i < 2; i++) {
		err = target_symbol(dbg->target, &image, exports[i], &addr);
		if (!err && addr)
			addrs[n++] = addr;
	}
	dbg->start.sigaction = 0;
	if (!err && !guarded && target_survives(dbg->target))
		err = sigaction_find(dbg, &dbg->start.sigaction);
	if (dbg->start.sigaction)
		addrs[n++] = dbg->start.sigaction;
	return err ? err : start_arm(dbg, START_RUNTIME, addrs, n);
}

/*
 * A signal handler is about to be set: is it SIGTRAP's? The traps are out until
 * our handler comes first again: a trap that was hit in between would go to the
 * other one.
 */
static struct dbg_error *at_sigaction(struct dbg *dbg, pid_t tid)
{
	struct dbg_error *err;
	struct regs regs;

	err = target_regs(dbg->target, tid, &regs);
	if (err || (int)regs_arg(&regs, 0) != SIGTRAP || !regs_arg(&regs, 1))
		return err;
	err = target_stop_all(dbg->target);
	if (!err)
		err = start_lift(dbg);
	if (!err)
		err = target_guard_renew(dbg->target, tid);
	return err ? err : await_runtime(dbg, true);
}

/* A library was loaded or unloaded: is it the runtime? */
static struct dbg_error *at_library(struct dbg *dbg)
{
	struct dbg_error *err = find_runtime(dbg);

	if (err || !dbg->start.runtime)
		return err;
	err = start_lift(dbg);
	return err ? err : await_runtime(dbg, false);
}

static struct dac_runtime runtime_of(const struct dbg *dbg)
{
	return (struct dac_runtime){.path = dbg->start.runtime,
				    .base = dbg->start.base,
				    .dac = dbg->start.bundled_dac,
				    .hint = dbg->dac_path,
				    .trust = dbg->trust_dac};
}

void start_prepare(struct dbg *dbg)
{
	struct start *s = &dbg->start;

	if (s->phase != START_RUNTIME || s->prepared || dbg->inspect.dac)
		return;
	s->prepared = true;

	const struct dac_runtime runtime = runtime_of(dbg);

	dac_prepare(dbg->target, &runtime);
}

static void dac_says(void *arg, const char *text)
{
	session_warning(arg, "%s", text);
}

/* Warn of a runtime that is newer than dndbg; once in a session. */
static void tell_new(struct dbg *dbg)
{
	if (dbg->told_new_runtime || !dac_runtime_is_new(dbg->inspect.dac))
		return;
	dbg->told_new_runtime = true;
	session_warning(dbg,
			".NET %s is newer than the releases that dndbg was "
			"tested with (8 to %d): what it does not know of it is "
			"switched off, and said",
			dac_runtime_version(dbg->inspect.dac), DAC_TESTED_MAX);
}

/* Open the DAC and hand over to control, if the runtime is up. */
static struct dbg_error *start_take_runtime(struct dbg *dbg)
{
	struct dbg_error *err = NULL;
	struct start *s = &dbg->start;
	const struct dac_runtime runtime = runtime_of(dbg);
	bool ready = true;

	if (!dbg->inspect.dac)
		err =
		    dac_open(dbg->target, &runtime, &dbg->inspect.dac, &ready);
	if (err || !ready)
		return err;
	dac_tell(dbg->inspect.dac, dac_says, dbg);
	tell_new(dbg);
	err = start_lift(dbg);
	s->phase = START_DONE;
	if (err)
		return err;
	err =
	    inspect_runtime(&dbg->inspect, s->bundled_dac ? s->runtime : NULL);
	if (!err)
		err = control_runtime(dbg->control);
	if (!err)
		standstill_begin(dbg);
	return err;
}

/* The host is about to run managed code: the runtime is up. */
static struct dbg_error *at_runtime(struct dbg *dbg)
{
	struct dbg_error *err = target_guard_renew(dbg->target, 0);

	if (!err)
		err = target_stop_all(dbg->target);
	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	return start_take_runtime(dbg);
}

/* Warn of modules of a core that are not in it, and whose files are nowhere. */
static void tell_lacking(struct dbg *dbg)
{
	const struct code_module *first = NULL;
	size_t n, n_more = 0;
	struct code_module *const *v = code_modules(dbg->inspect.code, &n);

	for (size_t i = 0; i < n; i++) {
		if (v[i]->mvid || !v[i]->path || !v[i]->symbols_note)
			continue;
		n_more += first != NULL;
		first = first ? first : v[i];
	}
	if (!first)
		return;
	_cleanup_free_ char *more =
	    n_more ? xasprintf(" (so with %zu more)", n_more) : xstrdup("");
	session_warning(dbg, "names of types and methods lack: %s%s",
			first->symbols_note, more);
}

/* In a core no phase will follow: take the runtime that is there. */
static struct dbg_error *take_standing(struct dbg *dbg, struct dbg_error *err)
{
	struct arena *arena = arena_create();
	bool bundled;

	if (!err && dbg->start.runtime)
		err = start_take_runtime(dbg);
	else if (!err)
		err = check_main_image(dbg, arena, &bundled);
	arena_destroy(arena);
	// Threads, native frames and memory can be had without it.
	dbg->runtime_unread = err;
	if (err)
		session_warning(dbg, "%s", err->message);
	else if (dbg->start.phase == START_DONE)
		tell_lacking(dbg);
	else
		session_message(dbg, dbg->start.runtime
					 ? "its .NET runtime was not up yet"
					 : "no .NET runtime is loaded in it");
	dbg_error_destroy(err);
	dbg->start.phase = START_DONE;
	return NULL;
}

struct dbg_error *start_attached(struct dbg *dbg)
{
	struct dbg_error *err;

	start_reset(dbg);
	err = find_runtime(dbg);
	/* A library that is being mapped counts as not loaded yet. */
	if (dbg->start.runtime &&
	    target_image_loading(dbg->target, dbg->start.base))
		start_reset(dbg);
	if (!target_can(dbg->target, TARGET_RUN))
		return take_standing(dbg, err);
	if (err)
		return err;
	if (!dbg->start.runtime)
		return before_library(dbg);
	err = start_take_runtime(dbg);
	if (!err && dbg->start.phase != START_DONE)
		err = await_runtime(dbg, false);
	return err;
}

void start_give_up(struct dbg *dbg)
{
	dbg_err_drop(start_lift(dbg));
	dbg_err_drop(control_watch_word(dbg->control, 0));
	dbg->start.phase = START_DONE;
}

struct dbg_error *start_trap(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err = NULL;

	switch (dbg->start.phase) {
	case START_ENTRY:
		err = at_entry(dbg);
		break;
	case START_LIBRARY:
		err = at_library(dbg);
		break;
	case START_RUNTIME:
		err = ev->addr == dbg->start.sigaction
			  ? at_sigaction(dbg, ev->tid)
			  : at_runtime(dbg);
		break;
	case START_FILLED:
	case START_MODULES:
		err = bundle_trap(dbg, ev);
		break;
	case START_TABLE:
	case START_NONE:
	case START_DONE:
		break;
	}
	if (err)
		start_give_up(dbg);
	return err;
}

struct dbg_error *start_written(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err = bundle_written(dbg, ev);

	if (err)
		start_give_up(dbg);
	return err;
}
