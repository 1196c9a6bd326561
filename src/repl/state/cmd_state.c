/* The state of all threads: `pstacks`; who waits for whom: `deadlock`. */
#include <inttypes.h>
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
#include "report/report.h"

enum {
	FRAMES_LISTED = 500,
	FRAMES_OWN =
	    64, /* from the newest, in which the user's is looked for */
};

static struct dbg_error *cmd_pstacks(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_heap_options_ struct heap_options o;
	struct report report;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	const struct report_limits limits = {.frames = FRAMES_LISTED,
					     .all_threads = o.all};

	(void)at;
	if (err)
		return err;
	// the user's own, which a report sets
	const char *before = dbg_setting_get(r->dbg, "runtime-threads", arena);
	err = report_take(r->dbg, &limits, &report);
	struct dbg_error *back = dbg_set(r->dbg, "runtime-threads", before);
	if (!err) {
		(o.json ? report_parallel_json : report_parallel)(&report,
								  r->out);
		report_destroy(&report);
	}
	return dbg_err_first(err, back);
}

/* ---- deadlock -------------------------------------------------------- */

static const char *const kinds[] = {
    [DBG_BLOCKED_MONITOR] = "Monitor",
    [DBG_BLOCKED_LOCK] = "Lock",
    [DBG_BLOCKED_RWLOCK] = "ReaderWriterLockSlim",
    [DBG_BLOCKED_SEMAPHORE] = "SemaphoreSlim",
    [DBG_BLOCKED_TASK] = "Task",
    [DBG_BLOCKED_EVENT] = "Event",
    [DBG_BLOCKED_THREAD] = "Thread",
    [DBG_BLOCKED_HANDLE] = "WaitHandle",
    [DBG_BLOCKED_MUTEX] = "Mutex",
    [DBG_BLOCKED_LAZY] = "Lazy",
    [DBG_BLOCKED_BARRIER] = "Barrier",
    [DBG_BLOCKED_COUNTDOWN] = "CountdownEvent",
    [DBG_BLOCKED_COLLECTION] = "BlockingCollection",
    [DBG_BLOCKED_CLASS] = "Class constructor",
    [DBG_BLOCKED_PULSE] = "Monitor.Wait",
    [DBG_BLOCKED_CALLBACK] = "Cancellation callback",
    [DBG_BLOCKED_RWLOCK_OLD] = "ReaderWriterLock",
    [DBG_BLOCKED_PROCESS] = "Process",
    [DBG_BLOCKED_SPIN] = "Spinning",
};

static const struct sheet_column wait_columns[] = {
    {"Thread", "thread", SHEET_NUMBER, 6},
    {"For", "for", SHEET_TEXT, 20},
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Owner", "owner", SHEET_NUMBER, 6},
    {"Deadlock", "deadlock", SHEET_BOOL, 8},
    {"More", "more", SHEET_NUMBER, 4},
    {"Name", "name", SHEET_TEXT, 16},
    {"Type", "type", SHEET_TEXT, 24},
    {"In", "place", SHEET_TEXT, 0},
    {NULL, "what", SHEET_TEXT, 0},
    {NULL, "awaits", SHEET_TEXT, 0},
    {NULL, "ownerOutside", SHEET_NUMBER, 0},
    {NULL, "ownerProcess", SHEET_NUMBER, 0},
};

/* The waits, and who the threads are. */
struct waits {
	struct repl *r;
	struct dbg_stopped at;
	struct dbg_blocked *v;
	size_t n;
	const char **places; /* of each, see add_place */
	struct dbg_thread *threads;
	size_t n_threads;
};

static const char *name_of(const struct waits *w, uint32_t thread)
{
	for (size_t i = 0; i < w->n_threads; i++)
		if (w->threads[i].number == thread)
			return w->threads[i].name;
	return "";
}

// Append the place of the thread's newest frame in user code, "P.Work at
// Program.cs:27"; nothing if there is none.
static void add_place(struct dbg_stopped at, uint32_t thread, struct str *text)
{
	struct dbg_frame *f;
	size_t n = 0;

	if (dbg_err_drop(dbg_frame_list(at, thread, 0, FRAMES_OWN, &f, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		if (f[i].framework || !f[i].source.path)
			continue;
		str_addf(text, "%s at %s:%" PRIu32, f[i].name,
			 str_basename(f[i].source.path), f[i].source.line);
		return;
	}
}

static void take_places(struct waits *w, struct arena *arena)
{
	w->places = arena_calloc(arena, w->n + 1, sizeof(*w->places));
	for (size_t i = 0; i < w->n; i++) {
		_cleanup_str_ struct str place = {0};

		add_place(w->at, w->v[i].thread, &place);
		w->places[i] = arena_strdup(arena, str_get(&place));
	}
}

static bool same_wait(const struct dbg_blocked *a, const struct dbg_blocked *b)
{
	return a->object && a->kind == b->kind && a->object == b->object &&
	       a->owner == b->owner && !a->deadlock && !b->deadlock;
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

// Do both waits look the same to a user? For tasks: the same method waits at
// the same place for the same.
static bool is_alike(const struct waits *w, const struct dbg_blocked *a,
		     const struct dbg_blocked *b)
{
	return same_wait(a, b) ||
	       (a->kind == DBG_BLOCKED_TASK && b->kind == a->kind && a->what &&
		is_same_text(a->what, b->what) &&
		is_same_text(a->awaits, b->awaits) && !a->owner && !b->owner &&
		!a->deadlock && !b->deadlock &&
		!strcmp(w->places[a - w->v], w->places[b - w->v]));
}

// How many waits behind @i look the same; *ret_told: one before it does.
static size_t more_like(const struct waits *w, size_t i, bool *ret_told)
{
	size_t more = 0;

	*ret_told = false;
	for (size_t k = 0; k < i; k++)
		*ret_told = *ret_told || is_alike(w, &w->v[k], &w->v[i]);
	for (size_t k = i + 1; k < w->n; k++)
		more += is_alike(w, &w->v[i], &w->v[k]);
	return more;
}

// Is it not known whether the wait leads to a deadlock?
static bool is_open(const struct dbg_blocked *b)
{
	return !b->deadlock && !b->async_circle && !b->outside && b->last &&
	       !b->holder;
}

static void show_wait(struct sheet *s, const struct waits *w, size_t i)
{
	const struct dbg_blocked *b = &w->v[i];
	bool told;
	size_t more = more_like(w, i, &told);

	// a person sees one line of all that wait for one lock
	if (!s->json && told)
		return;
	more = s->json ? 0 : more;
	sheet_row(s,
		  (struct sheet_cell[]){
		      {.number = b->thread},
		      {.text = kinds[b->kind]},
		      {.number = b->object, .absent = !b->object},
		      {.number = b->owner, .absent = !b->owner},
		      {.number = b->deadlock, .absent = !s->json && is_open(b)},
		      {.number = more, .absent = !more},
		      {.text = name_of(w, b->thread)},
		      {.text = s->json || !b->what ? b->type : b->what},
		      {.text = w->places[i]},
		      {.text = b->what},
		      {.text = b->awaits},
		      {.number = b->outside, .absent = !b->outside},
		      {.number = b->process, .absent = !b->process}});
}

static const struct dbg_blocked *wait_of(const struct waits *w, uint32_t thread)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].thread == thread)
			return &w->v[i];
	return NULL;
}

static bool is_same_end(const struct waits *w, const struct dbg_blocked *a,
			const struct dbg_blocked *b)
{
	bool unknown = !a->object && !b->object && !a->what && !b->what &&
		       a->kind == b->kind;

	return unknown || (a->object && a->object == b->object) ||
	       is_alike(w, a, b);
}

// Is it for a lock, which has a holder, and what tells of it was not read?
static bool lacks_holder(const struct waits *w, const struct dbg_blocked *b)
{
	return !b->owner && !b->outside && dbg_lacking(w->at) &&
	       (b->kind == DBG_BLOCKED_MONITOR || b->kind == DBG_BLOCKED_LOCK ||
		b->kind == DBG_BLOCKED_RWLOCK || b->kind == DBG_BLOCKED_LAZY);
}

// Show where chains of waits end that do not lead into a cycle, each end once.
static void show_end(const struct waits *w, size_t i)
{
	const struct dbg_blocked *b = &w->v[i], *end = wait_of(w, b->last);
	_cleanup_str_ struct str place = {0};
	bool many = false;
	size_t n = 0;

	if (!end)
		return;
	for (size_t k = 0; k < w->n; k++) {
		const struct dbg_blocked *other = wait_of(w, w->v[k].last);

		if (!other || (other != end && !is_same_end(w, other, end)) ||
		    w->v[k].holder != b->holder)
			continue;
		if (k < i)
			return;
		many = many || other->object != end->object;
		n++;
	}
	out(w->r, "%zu thread%s wait%s in the end for %s {%s}", n,
	    n == 1 ? "" : "s", n == 1 ? "s" : "", kinds[end->kind],
	    end->what ? end->what : end->type);
	if (many)
		out(w->r, ", not one for all");
	else if (end->object)
		out(w->r, " 0x%" PRIx64, end->object);
	if (end->async_circle) {
		out(w->r, ": async calls that await each other (dumpasync)\n");
		return;
	}
	if (end->awaits)
		out(w->r, ", which waits for %s", end->awaits);
	if (end->outside) {
		doctor_outsider_add(end, &place);
		out(w->r, ", which %s holds\n", str_get(&place));
		return;
	}
	if (!b->holder && lacks_holder(w, end)) {
		out(w->r, ", whose holder could not be read\n");
		return;
	}
	if (!b->holder) {
		out(w->r, ", of which is not known who holds or sets it\n");
		return;
	}
	add_place(w->at, b->holder, &place);
	out(w->r,
	    ": for thread %" PRIu32
	    " \"%s\", which is seen to wait for nothing",
	    b->holder, name_of(w, b->holder));
	out(w->r, "%s%s\n", place.len ? ", in " : "", str_get(&place));
}

static void show_verdict(const struct waits *w)
{
	struct repl *r = w->r;
	bool any = false, async = false, lacks = false;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		n += w->v[i].deadlock;
		lacks = lacks || lacks_holder(w, &w->v[i]);
	}
	for (size_t i = 0; i < w->n; i++) {
		async = async || w->v[i].async_circle;
		if (!w->v[i].deadlock)
			continue;
		out(r, "%s %" PRIu32,
		    any     ? ","
		    : n > 1 ? "Deadlock of threads"
			    : "Deadlock of thread",
		    w->v[i].thread);
		any = true;
	}
	if (any)
		out(r, "\n");
	else if (async)
		out(r, "Deadlock of async calls, which await each other.\n");
	else if (w->n && !lacks)
		out(r, "No circle among the owners that are known.\n");
	else if (!w->n)
		out(r, dbg_lacking(w->at)
			   ? "No wait is found in what this core has.\n"
			   : "No thread waits for a lock, a task, an event or "
			     "another thing that is known here.\n");
	if (lacks)
		out(r,
		    "It cannot be told whether %s threads wait for each "
		    "other: who holds the locks could not be read.\n",
		    any ? "more" : "these");
	for (size_t i = 0; i < w->n; i++)
		show_end(w, i);
}

static struct dbg_error *cmd_deadlock(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct waits w = {.r = r, .at = at};
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_blocked_list(at, true, &w.v, &w.n);
	if (!err)
		err = dbg_thread_list(at, &w.threads, &w.n_threads);
	if (err)
		return err;
	take_places(&w, arena);
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "waits", SHEET_COLUMNS(wait_columns));
	for (size_t i = 0; i < w.n; i++)
		show_wait(&s, &w, i);
	sheet_rows_end(&s);
	if (!o.json)
		show_verdict(&w);
	sheet_end(&s);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "pstacks parallelstacks",
	.args = "[--all] [--json]",
	.help = "print the stacks of all threads as a tree",
	.more = "Callers stand above what they call, with the number of "
		"threads that are in it.\n--all: threads of the runtime's own, "
		"too.",
	.stopped = cmd_pstacks,
    },
    {
	.names = "deadlock dlk",
	.args = "[--json]",
	.help = "show which threads wait for each other",
	.more =
	    "Threads that wait for a lock (lock, Monitor, Lock, "
	    "ReaderWriterLockSlim with its\nreaders), a semaphore, a task, "
	    "an event, a Mutex or another WaitHandle, a Barrier,\na "
	    "CountdownEvent, a BlockingCollection, a class constructor, the "
	    "value of a Lazy, a\npulse or the end of a thread, with the "
	    "thread that has it or runs it, and where\nthe ways end. Threads "
	    "that wait for the same are one line (More).",
	.stopped = cmd_deadlock,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_state = {"state", "The runtime's state",
					    cmds};
