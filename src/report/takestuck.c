/*
 * The parts of a report about a program that does not go on, as far as they are
 * asked for: tests that run, what threads wait for, and async calls that wait
 * in an await. The latter are on no stack; the heap is walked for them.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/report.h"

enum {
	ASYNC_MAX = 50, /* chains that are told */
	CALLS_MAX = 200,
	SOURCES_MAX = 10,   /* chains that show a line */
	VARIABLE_CALLS = 4, /* the user's of such a chain that show variables */
};

/*
 * Prefixes of modules that run tests; the first ones are those of frameworks.
 */
static const char *const runners[] = {
    "xunit.",
    "nunit.",
    "MSTest",
    "TUnit.",
    "Microsoft.VisualStudio.TestPlatform.",
    "Microsoft.TestPlatform.",
    "Microsoft.Testing.",
    "NUnit3.TestAdapter",
    "testhost",
};

enum {
	N_FRAMEWORKS = 5
};

/* ---- Tests ------------------------------------------------------------ */

static bool is_of(const char *module, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(module, runners[i]))
			return true;
	return false;
}

bool report_runs_tests(const char *module)
{
	return module && is_of(module, sizeof(runners) / sizeof(*runners));
}

static bool has_tests(struct dbg *dbg)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *v;
	size_t n;

	if (dbg_err_drop(dbg_module_list(dbg, arena, &v, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_of(v[i].name, N_FRAMEWORKS))
			return true;
	return false;
}

// "Sums.Adds(start: 42)": the values tell apart the cases of one method.
static const char *test_text(struct report *r, struct dbg_stopped at,
			     const struct dbg_test *test)
{
	struct str text = {0};
	struct dbg_value *args;
	size_t n = 0;

	str_add(&text, test->name);
	if (test->inside || dbg_err_drop(dbg_scope_list(
				at, test->frame, DBG_SCOPE_ARGS, &args, &n)))
		n = 0;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(args[i].name, "this"))
			continue;
		str_addf(&text, "%s%s: %s", any ? ", " : "(", args[i].name,
			 report_value(r, &args[i]));
		any = true;
	}
	str_add(&text, any ? ")" : "");
	const char *ret = report_copy(r, str_get(&text));
	str_deinit(&text);
	return ret;
}

// The only test of @v that runs the method of @v[at] itself, not a lambda of
// it; @n: there is none, or several.
static size_t whole_of(const struct dbg_test *v, size_t n, size_t at)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		if (v[i].inside || strcmp(v[i].name, v[at].name))
			continue;
		if (found < n)
			return n;
		found = i;
	}
	return found;
}

// Is the test covered by another entry: the test whose lambda a thread runs, or
// the lambda if the report is about that?
static bool is_told(const struct report *r, const struct dbg_test *v, size_t n,
		    size_t at)
{
	if (v[at].inside)
		return v[at].thread != r->thread && whole_of(v, n, at) < n;
	for (size_t i = 0; i < n; i++)
		if (v[i].inside && v[i].thread == r->thread &&
		    whole_of(v, n, i) == at)
			return true;
	return false;
}

static void add_test(struct report *r, struct dbg_stopped at,
		     const struct dbg_test *v, size_t n, size_t i)
{
	size_t whole = v[i].inside ? whole_of(v, n, i) : n;

	r->tests[r->n_tests++] = (struct report_test){
	    .thread = v[i].thread,
	    .framework = report_copy(r, v[i].framework),
	    .name = report_copy(r, v[i].name),
	    .text = test_text(r, at, &v[whole < n ? whole : i]),
	    .path = report_copy(r, v[i].path),
	    .line = v[i].line,
	};
}

void report_take_tests(struct report *r, struct dbg_stopped at,
		       struct dbg_test **ret, size_t *ret_n)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	bool goes_on = stop->reason == DBG_STOP_THROWN;
	bool waiting = r->stuck || (r->kind && !goes_on && has_tests(at.dbg));
	struct dbg_test *v = NULL;
	size_t n = 0;

	if (dbg_err_drop(dbg_test_list(at, waiting, &v, &n)))
		n = 0;
	*ret = v;
	*ret_n = n;
	// what stands still in a test is more likely to be to blame
	if (r->stuck && n && v[0].thread)
		r->thread = v[0].thread;
	r->tests = arena_calloc(r->arena, n, sizeof(*r->tests));
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < n; i++)
			if ((v[i].thread != r->thread) == others &&
			    !is_told(r, v, n, i))
				add_test(r, at, v, n, i);
}

uint64_t report_tests_hash(struct dbg *dbg)
{
	struct report r = {.arena = arena_create()};
	struct dbg_stopped at;
	struct dbg_test *v;
	uint64_t hash = 0;
	size_t n;

	if (dbg_err_drop(dbg_stopped(dbg, &at)) ||
	    dbg_err_drop(dbg_test_list(at, true, &v, &n)))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const char *text = test_text(&r, at, &v[i]);

		// in any order: where they are in the heap changes
		hash += str_hash(text, strlen(text)) + v[i].thread;
	}
	report_destroy(&r);
	return hash;
}

/* ---- Threads that wait ------------------------------------------------ */

static const struct report_wait_kind kinds[] = {
    [DBG_BLOCKED_MONITOR] = {"lock", "the lock of ", "holds", true},
    [DBG_BLOCKED_LOCK] = {"lock", "", "holds", true},
    [DBG_BLOCKED_RWLOCK] = {"rwlock", "", "holds", true},
    [DBG_BLOCKED_SEMAPHORE] = {"semaphore", "", "has", false},
    [DBG_BLOCKED_TASK] = {"task", "", "runs", false},
    [DBG_BLOCKED_EVENT] = {"event", "", "sets", false},
    [DBG_BLOCKED_THREAD] = {"thread", "the end of ", "is", false},
    [DBG_BLOCKED_HANDLE] = {"handle", "", "sets", false},
    [DBG_BLOCKED_MUTEX] = {"mutex", "", "holds", true},
    [DBG_BLOCKED_LAZY] = {"lazy", "the value of ", "makes", true},
    [DBG_BLOCKED_BARRIER] = {"barrier", "", "signals", false},
    [DBG_BLOCKED_COUNTDOWN] = {"countdown", "", "signals", false},
    [DBG_BLOCKED_COLLECTION] = {"collection", "", "fills", false},
    [DBG_BLOCKED_CLASS] = {"class", "the class constructor of ", "runs", true},
    [DBG_BLOCKED_PULSE] = {"pulse", "a pulse of ", "has locked", false},
    [DBG_BLOCKED_CALLBACK] = {"callback", "a callback of ", "runs", true},
    [DBG_BLOCKED_RWLOCK_OLD] = {"rwlock", "", "holds", true},
    [DBG_BLOCKED_PROCESS] = {"process", "the end of ", "is", false},
    [DBG_BLOCKED_SPIN] = {"spin", "", "has", false},
};

void report_take_waits(struct report *r, struct dbg_stopped at)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	struct dbg_blocked *v;
	size_t n = 0;

	if (!stop->signal && !stop->exception)
		r->lacking = report_copy(r, dbg_lacking(at));
	// walks the heap only if async calls are asked for (stuck)
	if (dbg_err_drop(dbg_blocked_list(at, r->stuck, &v, &n)))
		n = 0;
	r->waits = arena_calloc(r->arena, n, sizeof(*r->waits));
	for (size_t i = 0; i < n; i++)
		r->waits[r->n_waits++] = (struct report_wait){
		    .thread = v[i].thread,
		    .owner = v[i].owner,
		    .object = v[i].object,
		    .type = report_copy(r, v[i].type),
		    .kind = &kinds[v[i].kind],
		    .deadlock = v[i].deadlock,
		};
}

/* ---- Async calls ------------------------------------------------------ */

static bool is_users(const struct dbg_task *task)
{
	return task->source.path && !task->framework &&
	       !report_runs_tests(task->module);
}

static bool has_test(const struct dbg_async_chain *chain,
		     const struct dbg_test *tests, size_t n)
{
	for (size_t i = 0; i < chain->n; i++)
		for (size_t k = 0; k < n; k++)
			if (tests[k].call && tests[k].call == chain->v[i].addr)
				return true;
	return false;
}

static struct report_frame call_of(struct report *r,
				   const struct dbg_task *task)
{
	const char *name = task->method ? task->method : task->what;

	return (struct report_frame){
	    .kind = DBG_FRAME_ASYNC,
	    .name = report_copy(r, name ? name : task->type),
	    .params = report_copy(r, task->params),
	    .module = report_copy(r, task->module),
	    .path = report_copy(r, task->source.path),
	    .line = task->source.line,
	    .column = task->source.column,
	    .framework = task->framework || report_runs_tests(task->module),
	};
}

static void take_variables(struct report *r, struct dbg_stopped at,
			   const struct dbg_task *task, struct report_frame *f)
{
	struct dbg_frame *frames;
	uint32_t thread;
	size_t n = 0;
	struct dbg_error *err = dbg_suspended_call(at, task->addr, &thread);

	if (!err)
		err = dbg_frame_list(at, thread, 0, 1, &frames, &n);
	if (!dbg_err_drop(err) && n)
		report_take_variables(r, at, frames[0].id, f);
}

static void add_chain(struct report *r, struct dbg_stopped at,
		      const struct dbg_async_chain *chain)
{
	struct report_async *to = &r->asyncs[r->n_asyncs++];
	size_t n = chain->n < CALLS_MAX ? chain->n : CALLS_MAX;
	const struct report_frame *culprit = NULL;
	unsigned int with_variables =
	    r->n_asyncs > SOURCES_MAX ? 0 : VARIABLE_CALLS;

	*to = (struct report_async){
	    .count = chain->count,
	    .circle = chain->circle,
	    .what = report_copy(r, chain->v[0].what),
	    .frames = arena_calloc(r->arena, n, sizeof(*to->frames)),
	};
	for (size_t i = 0; i < n; i++) {
		const struct dbg_task *task = &chain->v[i];
		struct report_frame *f;

		// what is awaited by all, which is no call, is told above them
		if (!i && task->what && !task->method)
			continue;
		f = &to->frames[to->n_frames++];
		*f = call_of(r, task);
		if (is_users(task) && with_variables) {
			take_variables(r, at, task, f);
			with_variables--;
		}
		if (culprit || !is_users(task) || r->n_asyncs > SOURCES_MAX)
			continue;
		report_take_source(r, at.dbg, f);
		culprit = f;
	}
}

void report_take_async(struct report *r, struct dbg_stopped at,
		       const struct dbg_test *tests, size_t n)
{
	const struct dbg_task_query all = {0};
	struct dbg_async found;

	if (!r->stuck || dbg_err_drop(dbg_async_list(at, &all, &found)))
		return;
	r->asyncs = arena_calloc(r->arena, ASYNC_MAX, sizeof(*r->asyncs));
	for (int others = 0; others < 2; others++)
		for (size_t i = 0;
		     i < found.n_chains && r->n_asyncs < ASYNC_MAX; i++) {
			const struct dbg_async_chain *chain = &found.chains[i];
			bool own = chain->circle;

			for (size_t k = 0; k < chain->n && !own; k++)
				own = is_users(&chain->v[k]);
			if (own && has_test(chain, tests, n) == !others)
				add_chain(r, at, chain);
		}
}
