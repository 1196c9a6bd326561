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

enum {
	FINDINGS_MAX = 32,
	LISTED_MAX = 20, /* threads named in one sentence */
	QUEUE_LONG = 1000,
	CALLS_MANY = 1000, /* stuck at one place */
	EXCEPTIONS_MANY = 1000,
	DUE_MANY = 1000,
	PINNED_MANY = 1000,
	HANDLES_MANY = 100000,
	ENDED_MANY = 100,
	TIMERS_MANY = 1000,
};

#define MIB UINT64_C(0x100000)

enum weight {
	WEIGHT_SEVERE,
	WEIGHT_WARNING,
	WEIGHT_NOTE,
	N_WEIGHTS,
};

static const char *const weights[] = {
    [WEIGHT_SEVERE] = "severe",
    [WEIGHT_WARNING] = "warning",
    [WEIGHT_NOTE] = "note",
};

struct finding {
	enum weight weight;
	const char *check, *command;
	char *text;
};

struct doctor {
	struct repl *r;
	const char *check; /* the present one */
	struct finding v[FINDINGS_MAX];
	size_t n;
	struct dbg_blocked *blocked; /* several checks look at it */
	size_t n_blocked;
	struct dbg_thread *threads;
	size_t n_threads;
};

static void find(struct doctor *d, enum weight weight, const char *command,
		 const char *text)
{
	if (d->n < FINDINGS_MAX)
		d->v[d->n++] = (struct finding){
		    .weight = weight,
		    .check = d->check,
		    .command = command,
		    .text = xstrdup(text),
		};
}

/* ---- Threads --------------------------------------------------------- */

// " 3, 4 and 5 more": the threads that @is_meant.
typedef bool blocked_fn(const struct doctor *d, const struct dbg_blocked *b);

static size_t add_threads(const struct doctor *d, blocked_fn *is_meant,
			  struct str *text)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_blocked; i++) {
		if (!is_meant(d, &d->blocked[i]))
			continue;
		if (n++ < LISTED_MAX)
			str_addf(text, "%s%" PRIu32, n > 1 ? ", " : " ",
				 d->blocked[i].thread);
	}
	if (n > LISTED_MAX)
		str_addf(text, " and %zu more", n - LISTED_MAX);
	return n;
}

static bool is_deadlock(const struct doctor *d, const struct dbg_blocked *b)
{
	(void)d;
	return b->deadlock;
}

static bool is_thread_named(const struct doctor *d, uint32_t number,
			    const char *name)
{
	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == number)
			return !strcmp(d->threads[i].name, name);
	return false;
}

// A worker of the pool that waits for an async call.
static bool is_sync_over_async(const struct doctor *d,
			       const struct dbg_blocked *b)
{
	return b->kind == DBG_BLOCKED_TASK &&
	       strstr(b->type, "AsyncStateMachineBox") &&
	       is_thread_named(d, b->thread, ".NET TP Worker");
}

static bool is_worker(const struct doctor *d, const struct dbg_blocked *b)
{
	return is_thread_named(d, b->thread, ".NET TP Worker");
}

static bool is_finalizer(const struct doctor *d, const struct dbg_blocked *b)
{
	return is_thread_named(d, b->thread, ".NET Finalizer");
}

static struct dbg_error *check_deadlock(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err =
	    dbg_blocked_list(d->r->dbg, true, &d->blocked, &d->n_blocked);

	if (!err)
		err = dbg_thread_list(d->r->dbg, &d->threads, &d->n_threads);

	if (err)
		return err;
	str_add(&text, "Threads that wait for each other:");
	if (add_threads(d, is_deadlock, &text))
		find(d, WEIGHT_SEVERE, "deadlock", str_get(&text));
	return NULL;
}

static struct dbg_error *check_pool(struct doctor *d)
{
	_cleanup_str_ struct str text = {0}, waiting = {0};
	struct dbg_pool pool;
	struct dbg_error *err = dbg_pool_get(d->r->dbg, true, &pool);
	uint64_t queued = 0;

	if (err)
		return err;
	for (int i = 0; i < DBG_N_WORK_QUEUES; i++)
		queued += pool.queued[i];
	size_t n = add_threads(d, is_worker, &waiting);
	if (queued && pool.workers && n >= pool.workers) {
		str_addf(&text,
			 "The thread pool starves: %" PRIu64
			 " work items are queued, and all %" PRIu32
			 " workers wait, threads%s",
			 queued, pool.workers, str_get(&waiting));
		find(d, WEIGHT_SEVERE, "threadpool", str_get(&text));
	} else if (queued >= QUEUE_LONG) {
		str_addf(&text,
			 "%" PRIu64 " work items are queued for %" PRIu32
			 " workers",
			 queued, pool.workers);
		find(d, WEIGHT_WARNING, "threadpool", str_get(&text));
	}
	str_clear(&text);
	str_add(&text, "Workers of the thread pool that wait for async calls "
		       "(Task.Wait, Result), threads");
	if (add_threads(d, is_sync_over_async, &text))
		find(d, WEIGHT_WARNING, "pstacks", str_get(&text));
	return NULL;
}

static struct dbg_error *check_finalizer(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_finalizable *v;
	size_t n = 0, due = 0;
	struct dbg_error *err = dbg_finalizable_list(d->r->dbg, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		due += v[i].ready;
	str_add(&text, "The finalizer waits for a lock or a task, thread");
	if (add_threads(d, is_finalizer, &text))
		find(d, WEIGHT_SEVERE, "deadlock", str_get(&text));
	if (due < DUE_MANY)
		return NULL;
	str_clear(&text);
	str_addf(&text, "%zu objects wait for their finalizers", due);
	find(d, WEIGHT_WARNING, "finalizequeue", str_get(&text));
	return NULL;
}

static struct dbg_error *check_threads(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_runtime_thread *v;
	size_t n = 0, ended = 0;
	struct dbg_error *err = dbg_runtime_thread_list(d->r->dbg, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		ended += v[i].dead;
	if (ended < ENDED_MANY)
		return NULL;
	str_addf(&text,
		 "%zu threads have ended, and their Thread objects are still "
		 "there",
		 ended);
	find(d, WEIGHT_WARNING, "clrthreads", str_get(&text));
	return NULL;
}

/* ---- Load contexts and timers ---------------------------------------- */

static struct dbg_error *check_contexts(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_load_context *first = NULL;
	struct dbg_load_context *v;
	size_t n = 0, found = 0;
	struct dbg_error *err = dbg_load_context_list(d->r->dbg, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (!v[i].unloading)
			continue;
		found++;
		first = first ? first : &v[i];
	}
	if (!first)
		return NULL;
	str_addf(&text,
		 "Load contexts that were told to unload and are still there: "
		 "%zu, as %s",
		 found, first->name ? first->name : first->type);
	find(d, WEIGHT_WARNING, "loadcontexts", str_get(&text));
	return NULL;
}

static int by_method(const void *a, const void *b)
{
	const struct dbg_timer *s = a, *t = b;

	return strcmp(s->method ? s->method : "", t->method ? t->method : "");
}

// The method that most timers call, and how many these are. NULL: it is not
// known.
static const char *most_called(struct dbg_timer *v, size_t n, size_t *ret)
{
	const char *most = NULL;

	*ret = 0;
	qsort(v, n, sizeof(*v), by_method);
	for (size_t i = 0, same = 1; i < n; i++, same++) {
		if (i && by_method(&v[i - 1], &v[i]))
			same = 1;
		if (same > *ret) {
			*ret = same;
			most = v[i].method;
		}
	}
	return most;
}

static struct dbg_error *check_timers(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_timer *v;
	size_t n = 0, same;
	struct dbg_error *err = dbg_timer_list(d->r->dbg, &v, &n);

	if (err || n < TIMERS_MANY)
		return err;
	const char *most = most_called(v, n, &same);

	str_addf(&text, "%zu timers are set", n);
	if (most)
		str_addf(&text, ", %zu of them call %s", same, most);
	find(d, WEIGHT_WARNING, "timers", str_get(&text));
	return NULL;
}

/* ---- Async calls and tasks ------------------------------------------- */

static struct dbg_error *check_async(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_task_query query = {0};
	struct dbg_async found;
	struct dbg_error *err = dbg_async_list(d->r->dbg, &query, &found);
	uint64_t circles = 0, most = 0;

	if (err)
		return err;
	for (size_t i = 0; i < found.n_chains; i++) {
		const struct dbg_async_chain *c = &found.chains[i];

		circles += c->circle ? c->count : 0;
		most = !c->circle && c->count > most ? c->count : most;
	}
	if (circles) {
		str_addf(&text,
			 "Async calls that await each other in a circle: "
			 "%" PRIu64,
			 circles);
		find(d, WEIGHT_SEVERE, "dumpasync", str_get(&text));
	}
	if (most < CALLS_MANY)
		return NULL;
	str_clear(&text);
	str_addf(&text, "%" PRIu64 " async calls wait at one place", most);
	find(d, WEIGHT_WARNING, "dumpasync --top 3", str_get(&text));
	return NULL;
}

static struct dbg_error *check_tasks(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_task_query query = {0};
	const struct dbg_task *first = NULL;
	struct dbg_tasks found;
	struct dbg_error *err = dbg_task_list(d->r->dbg, &query, &found);
	uint64_t n = 0;

	for (size_t i = 0; !err && i < found.n; i++) {
		if (!found.v[i].unobserved)
			continue;
		n++;
		first = first ? first : &found.v[i];
	}
	if (!first)
		return err;
	str_addf(&text,
		 "Tasks with an exception that nobody has looked at: %" PRIu64
		 ", as %s: %s",
		 n, first->exception, first->message ? first->message : "");
	find(d, WEIGHT_WARNING, "tasks", str_get(&text));
	return NULL;
}

/* ---- The heap -------------------------------------------------------- */

// Would a tenth of the heap be free if each text was kept in one string?
static struct dbg_error *check_strings(struct doctor *d, uint64_t heap_bytes)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_heap_filter all = {0};
	struct dbg_heap_strings found;
	struct dbg_error *err = dbg_heap_strings(d->r->dbg, &all, 1, &found);

	if (err)
		return err;
	if (found.wasted < 8 * MIB || found.wasted < heap_bytes / 10)
		return NULL;
	str_addf(&text,
		 "%" PRIu64 " of the heap's %" PRIu64
		 " MiB are strings whose text another string has",
		 found.wasted / MIB, heap_bytes / MIB);
	find(d, WEIGHT_WARNING, "heap strings", str_get(&text));
	return NULL;
}

static struct dbg_error *check_heap(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_heap_filter all = {.free = true};
	struct dbg_heap_stat stat;
	struct dbg_error *err = dbg_heap_stat(d->r->dbg, &all, &stat);
	uint64_t unused = 0, large = 0, exceptions = 0, strings = 0;

	if (err)
		return err;
	for (size_t i = 0; i < stat.n_types; i++) {
		const struct dbg_heap_type *t = &stat.types[i];
		size_t n = strlen(t->name);

		if (!strcmp(t->name, "Free")) {
			unused = t->bytes;
			continue;
		}
		large += t->gen_bytes[DBG_GEN_LARGE];
		if (!strcmp(t->name, "string"))
			strings += t->bytes;
		if (n > 9 && !strcmp(t->name + n - 9, "Exception"))
			exceptions += t->count;
	}
	if (unused >= 64 * MIB && unused >= stat.bytes / 2) {
		str_addf(&text,
			 "The heap is fragmented: %" PRIu64 " of %" PRIu64
			 " MiB are free space between objects",
			 unused / MIB, stat.bytes / MIB);
		find(d, WEIGHT_WARNING, "heap stat --type ^Free$ --by-gen",
		     str_get(&text));
	}
	str_clear(&text);
	if (large >= 256 * MIB && large >= stat.bytes / 2) {
		str_addf(&text,
			 "%" PRIu64 " of %" PRIu64
			 " MiB are on the large object heap",
			 large / MIB, stat.bytes / MIB);
		find(d, WEIGHT_NOTE, "heap stat --gen large", str_get(&text));
	}
	str_clear(&text);
	if (exceptions >= EXCEPTIONS_MANY) {
		str_addf(&text, "%" PRIu64 " exceptions are on the heap",
			 exceptions);
		find(d, WEIGHT_WARNING, "heap exceptions", str_get(&text));
	}
	if (stat.n_damages)
		find(d, WEIGHT_SEVERE, "heap stat", stat.damages[0]);
	// texts are compared only if there are enough of them to matter
	return strings >= 8 * MIB && strings >= stat.bytes / 10
		   ? check_strings(d, stat.bytes)
		   : NULL;
}

static struct dbg_error *check_handles(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_handle *v;
	size_t n = 0, pinned = 0;
	struct dbg_error *err = dbg_handle_list(d->r->dbg, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		pinned += v[i].kind == DBG_HANDLE_PINNED;
	if (pinned >= PINNED_MANY) {
		str_addf(&text, "%zu handles pin objects", pinned);
		find(d, WEIGHT_WARNING, "handles", str_get(&text));
	} else if (n >= HANDLES_MANY) {
		str_addf(&text, "There are %zu handles", n);
		find(d, WEIGHT_WARNING, "handles", str_get(&text));
	}
	return NULL;
}

static struct dbg_error *check_build(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_module *v;
	size_t n = 0, found = 0;
	struct dbg_error *err = dbg_module_list(d->r->dbg, &v, &n);

	if (err)
		return err;
	str_add(&text, "Built without optimization:");
	for (size_t i = 0; i < n; i++)
		if (!v[i].framework && !v[i].optimized &&
		    v[i].symbols == DBG_SYMBOLS_LOADED && found++ < LISTED_MAX)
			str_addf(&text, "%s %s", found > 1 ? "," : "",
				 v[i].name);
	if (found)
		find(d, WEIGHT_NOTE, "info sharedlibrary", str_get(&text));
	return NULL;
}

/* ---- All ------------------------------------------------------------- */

static const struct {
	const char *name;
	struct dbg_error *(*run)(struct doctor *d);
} checks[] = {
    // the first takes down who waits, which others look at
    {"deadlock", check_deadlock},   {"threadPool", check_pool},
    {"finalizer", check_finalizer}, {"threads", check_threads},
    {"async", check_async},         {"tasks", check_tasks},
    {"timers", check_timers},       {"loadContexts", check_contexts},
    {"heap", check_heap},           {"handles", check_handles},
    {"build", check_build},
};

static const struct sheet_column finding_columns[] = {
    {"Weight", "weight", SHEET_TEXT, 8},
    {NULL, "check", SHEET_TEXT, 0},
    {"Finding", "finding", SHEET_TEXT, 0},
    {NULL, "command", SHEET_TEXT, 0},
};

static void run_checks(struct doctor *d)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		_cleanup_str_ struct str text = {0};

		d->check = checks[i].name;
		struct dbg_error *err = checks[i].run(d);

		if (!err)
			continue;
		str_addf(&text, "Not checked: %s", err->message);
		find(d, WEIGHT_NOTE, NULL, str_get(&text));
		dbg_error_destroy(err);
	}
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
		    sizeof(checks) / sizeof(*checks));
}

static struct dbg_error *cmd_doctor(struct repl *r, const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct doctor *d;
	struct sheet s;

	if (err)
		return err;
	d = xcalloc(1, sizeof(*d));
	d->r = r;
	run_checks(d);
	sheet_begin(&s, r, o.json);
	show_findings(&s, d);
	sheet_end(&s);
	for (size_t i = 0; i < d->n; i++)
		free(d->v[i].text);
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
		"heap's shape, strings, handles; each finding with the\n"
		"command that shows more.",
	.flags = CMD_NEEDS_STOP,
	.run = cmd_doctor,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_doctor = {"doctor", "All checks at once",
					     cmds};
