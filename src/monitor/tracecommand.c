/*
 * `dndbg trace PID|NAME METHOD...`: calls of methods as they happen, with
 * arguments, results and times. The methods have breakpoints at their first
 * statements, and each call that goes on one where it returns to. So the
 * program stands still for a moment at both, unlike with the other commands
 * here, and there is a limit on the calls a second that are shown: beyond it
 * the methods have no breakpoints until the second is over.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/oneshot.h"
#include "front/debuggees.h"
#include "front/loop.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"
#include "report/forms.h"

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_LIMIT,
	OPT_HELP,
	LIMIT = 100,      /* calls a second */
	METHODS_MAX = 64, /* named on the command line */
	CALLS_MAX = 1024, /* that go on at once */
	LET_GO_MS = 10000,
	LET_GO_NAP_NS = 100000000,
	VALUE_MAX = 120, /* bytes of a value that are shown */
	SECOND_MS = 1000,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

/* A call that goes on. */
struct traced_call {
	struct dbg_call_mark mark;
	uint32_t breakpoint; /* where it returns to */
	char *method;
	uint64_t began, stood; /* the time, and how long it stood still until
				  then */
	uint32_t depth;        /* calls of the thread that were shown before */
};

struct tracing {
	struct dbg *dbg;
	struct watch_options o;
	uint64_t limit;
	char **methods;
	size_t n_methods;
	uint32_t entries[METHODS_MAX]; /* their breakpoints */
	size_t n_places;               /* in code, of these */
	struct traced_call calls[CALLS_MAX];
	size_t n_calls;
	uint64_t origin, stopped, stood; /* ns: the last stop; all of them */
	uint64_t shown, in_second;
	int64_t second;  /* ms: when the present one ends */
	bool held;       /* the limit is reached: no entries until then */
	uint64_t n_held; /* such seconds */
	bool ended;      /* the program has */
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg trace [options] PID|NAME METHOD...\n"
	    "Calls of methods of a running program: arguments, results, times."
	    " It stands still\nfor a moment at each.\n"
	    "\n"
	    "  METHOD       Type.Method, Ns.Type.Method(int), FILE:LINE, or "
	    "/PATTERN/ for all that match\n"
	    "  --seconds N  for so long; else until Ctrl-C\n"
	    "  --limit N    show so many calls a second, and let the rest of "
	    "them pass [100]\n"
	    "  --json       a line of JSON for each call that is over\n",
	    out);
}

/* ---- What is printed ---------------------------------------------------- */

static double since(const struct tracing *t, uint64_t ns)
{
	return (double)(ns - t->origin) / 1e9;
}

static void value_add(struct str *text, const struct dbg_value *v)
{
	size_t n = strlen(v->text);

	if (n <= VALUE_MAX) {
		str_add(text, v->text);
		return;
	}
	n = VALUE_MAX;
	while (n && ((unsigned char)v->text[n] & 0xc0) == 0x80)
		n--; // within a character
	str_addn(text, v->text, n);
	str_add(text, "...");
}

// "(this = {Shop}, n = 5)"
static void arguments_add(struct dbg_stopped at, const struct dbg_frame *f,
			  struct str *text)
{
	struct dbg_value *v;
	size_t n = 0;

	if (dbg_err_drop(dbg_scope_list(at, f->id, DBG_SCOPE_ARGS, &v, &n)))
		n = 0;
	str_addc(text, '(');
	for (size_t i = 0; i < n; i++) {
		str_addf(text, "%s%s = ", i ? ", " : "", v[i].name);
		value_add(text, &v[i]);
	}
	str_addc(text, ')');
}

// "    1.234 s  [7]   ", deeper for each call around it.
static void print_where(const struct tracing *t, const struct traced_call *c,
			uint64_t ns)
{
	printf("%9.3f s  [%" PRIu32 "] %*s", since(t, ns), c->mark.thread,
	       (int)c->depth * 2, "");
}

static void entry_print(const struct tracing *t, const struct traced_call *c,
			const char *arguments)
{
	if (t->o.json)
		return;
	print_where(t, c, c->began);
	plain_printf(stdout, "> %s%s\n", c->method, arguments);
	fflush(stdout);
}

// @result NULL: an exception has left it, or it is not known.
static void exit_print(const struct tracing *t, const struct traced_call *c,
		       enum dbg_call_state state, const char *result)
{
	uint64_t now = t->stopped;
	uint64_t took = now - c->began - (t->stood - c->stood);
	char time[QUANTITY_MAX];

	if (t->o.json) {
		cJSON *o = cJSON_CreateObject();

		json_add_text(o, "method", c->method);
		cJSON_AddNumberToObject(o, "thread", c->mark.thread);
		cJSON_AddNumberToObject(o, "time", since(t, c->began));
		cJSON_AddNumberToObject(o, "tookMs", (double)took / 1e6);
		cJSON_AddBoolToObject(o, "returned",
				      state == DBG_CALL_RETURNED);
		json_add_text(o, "result", result);
		json_print(o, stdout, false);
	} else {
		bool left = state != DBG_CALL_RETURNED;

		print_where(t, c, now);
		plain_printf(stdout, "< %s: %s  %s\n", c->method,
			     result ? result
			     : left ? "left by an exception"
				    : "returned",
			     quantity_time(took, time));
	}
	fflush(stdout);
}

/* ---- Calls -------------------------------------------------------------- */

static void call_drop(struct tracing *t, size_t i)
{
	struct dbg_error *err =
	    dbg_break_delete(t->dbg, t->calls[i].breakpoint);

	dbg_err_drop(err);
	free(t->calls[i].method);
	memmove(&t->calls[i], &t->calls[i + 1],
		(--t->n_calls - i) * sizeof(*t->calls));
}

// The returned value as text, freed by the caller; NULL: not known.
static char *result_text(struct dbg_stopped at)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_value v;
	bool any = false;

	if (dbg_err_drop(dbg_returned(at, &v, &any)) || !any)
		return NULL;
	value_add(&text, &v);
	return str_take(&text);
}

// End the calls of the thread that are over: the newest ones.
static void calls_end(struct tracing *t, struct dbg_stopped at, uint32_t thread)
{
	for (size_t i = t->n_calls; i-- > 0;) {
		const struct traced_call *c = &t->calls[i];

		if (c->mark.thread != thread)
			continue;
		enum dbg_call_state state = dbg_call_state(at, &c->mark);

		if (state == DBG_CALL_GOES_ON)
			return;
		_cleanup_free_ char *result =
		    state == DBG_CALL_RETURNED ? result_text(at) : NULL;

		exit_print(t, c, state, result);
		call_drop(t, i);
	}
}

// An exception has left those that the caller of a new one has called before,
// or what that has called.
static void calls_abandon(struct tracing *t, uint32_t thread, uint64_t sp)
{
	for (size_t i = t->n_calls; i-- > 0;) {
		const struct traced_call *c = &t->calls[i];

		if (c->mark.thread != thread)
			continue;
		if (c->mark.sp > sp)
			return;
		exit_print(t, c, DBG_CALL_GONE, NULL);
		call_drop(t, i);
	}
}

// Wait for its return, if it is known where that is.
static bool call_await(struct tracing *t, struct traced_call *c)
{
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .place = {.kind = DBG_PLACE_ADDRESS, .addr = c->mark.address},
	    .thread = c->mark.thread};

	return t->n_calls < CALLS_MAX && c->mark.address &&
	       !dbg_err_drop(dbg_break_add(t->dbg, &req, &c->breakpoint));
}

static void call_begins(struct tracing *t, struct dbg_stopped at,
			uint32_t thread)
{
	struct traced_call c = {.began = t->stopped, .stood = t->stood};
	_cleanup_str_ struct str arguments = {0};
	struct dbg_frame *f;
	size_t n = 0;

	if (dbg_err_drop(dbg_frame_list(at, thread, 0, 1, &f, &n)) || !n)
		return;
	if (dbg_err_drop(dbg_call_mark(at, thread, &c.mark)))
		c.mark = (struct dbg_call_mark){.thread = thread};
	else
		calls_abandon(t, thread, c.mark.sp);
	for (size_t i = 0; i < t->n_calls; i++)
		c.depth += t->calls[i].mark.thread == thread;
	c.method = xstrdup(f->name);
	arguments_add(at, f, &arguments);
	entry_print(t, &c, str_get(&arguments));
	t->shown++;
	t->in_second++;
	if (call_await(t, &c))
		t->calls[t->n_calls++] = c;
	else
		free(c.method);
}

/* ---- The limit ---------------------------------------------------------- */

static void entries_enable(struct tracing *t, bool enabled)
{
	for (size_t i = 0; i < t->n_methods; i++)
		plain_error(dbg_break_enable(t->dbg, t->entries[i], enabled));
	t->held = !enabled;
}

static void limit_check(struct tracing *t)
{
	int64_t now = clock_ms();

	if (now >= t->second) {
		t->second = now + SECOND_MS;
		t->in_second = 0;
		if (t->held)
			entries_enable(t, true);
	} else if (t->in_second >= t->limit && !t->held) {
		t->n_held++;
		entries_enable(t, false);
	}
}

/* ---- Events ------------------------------------------------------------- */

static bool is_entry(const struct tracing *t, uint32_t breakpoint)
{
	for (size_t i = 0; i < t->n_methods; i++)
		if (breakpoint && t->entries[i] == breakpoint)
			return true;
	return false;
}

static struct dbg_error *stop_take(struct tracing *t,
				   const struct dbg_stop *stop)
{
	struct dbg_stopped at;

	t->stopped = clock_ns();
	struct dbg_error *err = dbg_stopped(t->dbg, &at);

	if (err)
		return err;
	calls_end(t, at, stop->thread);
	if (stop->reason == DBG_STOP_BREAKPOINT && !t->held &&
	    is_entry(t, stop->breakpoint))
		call_begins(t, at, stop->thread);
	limit_check(t);
	err = dbg_continue(at, 0);
	t->stood += clock_ns() - t->stopped;
	return err;
}

static struct dbg_error *events_take(struct tracing *t)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err = NULL;
	struct dbg_event e;

	while (!err && !t->ended && dbg_event_next(t->dbg, arena, &e)) {
		if (e.kind == DBG_EVENT_STOPPED)
			err = stop_take(t, &e.stop);
		else if (e.kind == DBG_EVENT_EXITED)
			t->ended = true;
		else if (e.kind == DBG_EVENT_MESSAGE)
			plain_printf(stderr, "dndbg: %s\n", e.text);
		arena_reset(arena);
	}
	return err;
}

static struct dbg_error *tracing_wait(struct tracing *t, struct loop *loop)
{
	int64_t end = t->o.ms == INT64_MAX ? INT64_MAX : clock_ms() + t->o.ms;
	unsigned int what = 0;

	struct dbg_error *err = events_take(t);

	while (!err && !t->ended && !(what & (LOOP_INTERRUPT | LOOP_END))) {
		int64_t now = clock_ms(), left = end - now;

		if (left <= 0)
			break;
		if (t->held && t->second - now < left)
			left = t->second > now ? t->second - now : 0;
		const struct loop_wait w = {
		    .timeout = left > SECOND_MS ? SECOND_MS : (int)left};

		err = loop_wait_fds(loop, &w, &what);
		if (!err)
			err = events_take(t);
		if (!err && !t->ended)
			limit_check(t);
	}
	return err;
}

/* ---- The command -------------------------------------------------------- */

static struct dbg_error *method_add(struct tracing *t, size_t i)
{
	const char *text = t->methods[i];
	size_t n = strlen(text);
	bool pattern = n > 2 && text[0] == '/' && text[n - 1] == '/';
	_cleanup_free_ char *inner =
	    pattern ? xasprintf("%.*s", (int)n - 2, text + 1) : NULL;
	const struct dbg_break_req req = {
	    .kind = pattern ? DBG_BREAK_REGEX : DBG_BREAK_LOCATION,
	    .place = {.kind = DBG_PLACE_TEXT, .text = text},
	    .text = inner};
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint b;

	struct dbg_error *err = dbg_break_add(t->dbg, &req, &t->entries[i]);

	if (!err)
		err = dbg_break_get(t->dbg, t->entries[i], arena, &b);
	if (!err)
		t->n_places += b.n_locations;
	if (!err && b.state == DBG_BREAK_PENDING && !b.n_locations)
		plain_printf(stderr, "dndbg: %s: %s; waited for\n", text,
			     b.reason ? b.reason : "no such method yet");
	return err;
}

// A thread that waits for a disk, or for its child of vfork, cannot be let go
// before it comes back.
static struct dbg_error *let_go(struct tracing *t)
{
	const struct timespec nap = {.tv_nsec = LET_GO_NAP_NS};
	int64_t deadline = clock_ms() + LET_GO_MS;
	struct dbg_error *err;

	while ((err = dbg_detach(t->dbg, false)) && err->code == DBG_E_STATE &&
	       clock_ms() < deadline) {
		dbg_error_destroy(err);
		nanosleep(&nap, NULL);
	}
	return err;
}

static struct dbg_error *tracing_run(struct tracing *t)
{
	const struct dbg_attach how = {.snapshot = false};
	struct loop *loop = NULL;

	struct dbg_error *err = loop_create(t->dbg, &loop);
	if (!err)
		err = open_process(t->dbg, t->o.what, &how);
	for (size_t i = 0; i < t->n_methods && !err; i++)
		err = method_add(t, i);
	t->origin = clock_ns();
	t->second = clock_ms() + SECOND_MS;
	if (!err) {
		fprintf(stderr,
			"Process %d: %zu places of %zu traced; Ctrl-C ends "
			"it\n",
			dbg_pid(t->dbg), t->n_places, t->n_methods);
		err = tracing_wait(t, loop);
	}
	if (!t->ended && dbg_can_run(t->dbg))
		err = dbg_err_first(err, let_go(t));
	loop_destroy(loop);
	return err;
}

static void result_print(const struct tracing *t)
{
	fprintf(stderr, "%" PRIu64 " calls in %.1f s%s", t->shown,
		since(t, clock_ns()), t->ended ? ", program ended" : "");
	if (t->n_held)
		fprintf(stderr,
			"; the limit of %" PRIu64
			" a second was reached %" PRIu64 " times",
			t->limit, t->n_held);
	if (t->n_calls)
		fprintf(stderr, "; %zu go on", t->n_calls);
	fputc('\n', stderr);
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct tracing *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->o.json = true;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->o.ms))
				return 2;
		} else if (c == OPT_LIMIT) {
			if (!str_to_u64(optarg, &ret->limit) || !ret->limit) {
				plain_printf(stderr,
					     "dndbg: '%s' is no number of "
					     "calls a second\n",
					     optarg);
				return 2;
			}
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (argc - optind < 2 || argc - optind > METHODS_MAX + 1) {
		usage(stderr);
		return 2;
	}
	ret->o.what = argv[optind];
	ret->methods = argv + optind + 1;
	ret->n_methods = (size_t)(argc - optind - 1);
	return -1;
}

int monitor_trace_main(struct dbg *dbg, int argc, char **argv)
{
	_cleanup_free_ struct tracing *t = xcalloc(1, sizeof(*t));

	*t = (struct tracing){.dbg = dbg, .o.ms = INT64_MAX, .limit = LIMIT};
	int status = parse(argc, argv, t);
	if (status >= 0)
		return status;
	struct dbg_error *err = tracing_run(t);

	debuggees_warn(dbg);
	if (!err)
		result_print(t);
	for (size_t i = 0; i < t->n_calls; i++)
		free(t->calls[i].method);
	plain_error(err);
	return err ? 1 : 0;
}
