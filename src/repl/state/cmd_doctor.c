/*
 * `doctor`: all checks at once. A check looks for one kind of trouble, by the
 * lists that other commands show, and says what it has found, with the command
 * that shows more. What cannot be checked says so; the others are made.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/state/doctor.h"

static const char *const weights[] = {
    [WEIGHT_SEVERE] = "severe",
    [WEIGHT_WARNING] = "warning",
    [WEIGHT_NOTE] = "note",
};

void doctor_find(struct doctor *d, enum weight weight, const char *command,
		 const char *text)
{
	if (d->n < DOCTOR_FINDINGS_MAX)
		d->v[d->n++] = (struct finding){
		    .weight = weight,
		    .check = d->check,
		    .command = command ? xstrdup(command) : NULL,
		    .text = xstrdup(text),
		};
}

void doctor_untold(struct doctor *d, const char *what)
{
	if (d->n_untold < DOCTOR_UNTOLD_MAX)
		d->untold[d->n_untold++] = what;
}

// Is the module listed before? A library may also be in a load context; it is
// named once.
static bool is_built_alike(const struct dbg_module *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!v[k].optimized && !strcmp(v[k].name, v[i].name))
			return true;
	return false;
}

static struct dbg_error *check_build(struct doctor *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_str_ struct str text = {0};
	struct dbg_module *v;
	size_t n = 0, found = 0;
	struct dbg_error *err = dbg_module_list(d->r->dbg, arena, &v, &n);

	if (err)
		return err;
	str_add(&text, "Built without optimization:");
	for (size_t i = 0; i < n; i++)
		if (!v[i].framework && !v[i].optimized &&
		    v[i].symbols == DBG_SYMBOLS_LOADED &&
		    !is_built_alike(v, i) && found++ < DOCTOR_LISTED_MAX)
			str_addf(&text, "%s %s", found > 1 ? "," : "",
				 v[i].name);
	if (found)
		doctor_find(d, WEIGHT_NOTE, "info sharedlibrary",
			    str_get(&text));
	return NULL;
}

/* ---- All ------------------------------------------------------------- */

static const struct {
	const char *name;
	doctor_check *run;
} checks[] = {
    // the first notes the waits and the heap's check its size, which later
    // checks use
    {"deadlock", doctor_deadlock},
    {"threadPool", doctor_pool},
    {"finalizer", doctor_finalizer},
    {"threads", doctor_threads},
    {"processor", doctor_processor},
    {"async", doctor_async},
    {"tasks", doctor_tasks},
    {"timers", doctor_timers},
    {"loadContexts", doctor_contexts},
    {"heap", doctor_heap},
    {"leaks", doctor_leaks},
    {"handles", doctor_handles},
    {"native", doctor_native},
    {"limits", doctor_limits},
    {"descriptors", doctor_descriptors},
    {"build", check_build},
};

static const struct sheet_column finding_columns[] = {
    {"Weight", "weight", SHEET_TEXT, 8},
    {NULL, "check", SHEET_TEXT, 0},
    {"Finding", "finding", SHEET_TEXT, 0},
    {NULL, "command", SHEET_TEXT, 0},
};

// Tell the user that the checks @names were not made, and why; nothing if @why
// is NULL.
static void tell_unchecked(struct doctor *d, const char *names, const char *why)
{
	_cleanup_str_ struct str text = {0};

	if (!why)
		return;
	str_addf(&text, "Not checked (%s): %s", names, why);
	doctor_find(d, WEIGHT_NOTE, NULL, str_get(&text));
}

static void run_checks(struct doctor *d)
{
	_cleanup_str_ struct str names = {0};
	struct dbg_error *why = NULL;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		d->check = checks[i].name;
		struct dbg_error *err = checks[i].run(d);

		if (!err)
			continue;
		if (why && strcmp(why->message, err->message)) {
			tell_unchecked(d, str_get(&names), why->message);
			str_clear(&names);
		}
		str_addf(&names, "%s%s", names.len ? ", " : "", checks[i].name);
		dbg_error_destroy(why);
		why = err;
	}
	d->check = "doctor";
	tell_unchecked(d, str_get(&names), why ? why->message : NULL);
	dbg_error_destroy(why);
}

// Show how many waits have an unknown end. They may end, so they are no
// finding, but the user is not told that all is well.
static void show_unknown(struct sheet *s, const struct doctor *d)
{
	size_t unknown = 0, held = 0;

	doctor_waits_untold(d, &unknown, &held);
	sheet_number(s, "waitsOfUnknownEnd", unknown);
	sheet_number(s, "waitsForThreads", held);
	if (s->json)
		return;
	if (unknown)
		out(s->r,
		    "%zu thread%s for what nobody is known to hold or to set: "
		    "deadlock\n",
		    unknown, unknown == 1 ? " waits" : "s wait");
	if (held)
		out(s->r,
		    "%zu thread%s for another one, which waits for nothing "
		    "that is known here: deadlock\n",
		    held, held == 1 ? " waits" : "s wait");
}

static void show_untold(struct sheet *s, const struct doctor *d)
{
	_cleanup_str_ struct str text = {0};

	for (size_t i = 0; i < d->n_untold; i++)
		str_addf(&text, "%s%s", i ? ", " : "", d->untold[i]);
	if (!text.len)
		return;
	sheet_text(s, "untold", str_get(&text));
	if (!s->json)
		out(s->r, "A core or a snapshot does not tell of: %s\n",
		    str_get(&text));
}

static void show_findings(struct sheet *s, const struct doctor *d)
{
	sheet_rows(s, "findings", SHEET_COLUMNS(finding_columns));
	for (int weight = 0; weight < N_WEIGHTS; weight++) {
		for (size_t i = 0; i < d->n; i++) {
			const struct finding *f = &d->v[i];

			if (f->weight != (enum weight)weight)
				continue;
			sheet_row(
			    s, (struct sheet_cell[]){{.text = weights[weight]},
						     {.text = f->check},
						     {.text = f->text},
						     {.text = f->command}});
			if (!s->json && f->command)
				out(s->r, "%10smore: %s\n", "", f->command);
		}
	}
	sheet_rows_end(s);
	if (!s->json && !d->n)
		out(s->r, "Nothing was found: %zu checks were made.\n",
		    sizeof(checks) / sizeof(*checks) - d->n_untold);
	show_untold(s, d);
	show_unknown(s, d);
}

static struct dbg_error *cmd_doctor(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct doctor *d;
	struct sheet s;

	if (err)
		return err;
	d = xcalloc(1, sizeof(*d));
	d->r = r;
	d->at = at;
	doctor_look(d);
	run_checks(d);
	sheet_begin(&s, r, at, o.json);
	show_findings(&s, d);
	sheet_end(&s);
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].command);
		free(d->v[i].text);
	}
	free(d);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "doctor",
	.args = "[--json]",
	.help = "look for all kinds of trouble at once",
	.more = "Deadlocks, a thread pool that starves, async calls that are "
		"stuck, exceptions\nnobody has looked at, the finalizer, "
		"threads and load contexts that do not go\naway, timers, the "
		"heap's shape, strings, what retains half of it, event "
		"handlers and\nregistrations by the thousand, handles, memory "
		"outside of the heap, file descriptors, the\nlimits of the "
		"program's cgroup; each finding with the command that shows "
		"more.",
	.stopped = cmd_doctor,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_doctor = {"doctor", "All checks at once",
					     cmds};
