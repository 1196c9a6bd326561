/*
 * `dndbg run -- COMMAND...`: the command as if dndbg were not there, and a
 * report if it, or a program that it starts by whatever processes between,
 * is about to die of an exception that nobody catches or of a signal, or if
 * it does not end in time.
 *
 * Input, output, terminal, signals and the exit status are the command's own.
 * What goes wrong in dndbg is told on stderr and changes none of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/debuggees.h"
#include "front/loop.h"
#include "report/report.h"

enum {
	OPT_REPORT = 256,
	OPT_JSON,
	OPT_JSONL,
	OPT_JUNIT,
	OPT_SARIF,
	OPT_GITHUB,
	OPT_TIMEOUT,
	OPT_HELP,
	FRAMES_LISTED = 200,
	REPORTS_MAX = 100,    /* of one run */
	DEPTH_MAX = 100,      /* of processes below each other */
	STATUS_TIMEOUT = 124, /* as timeout(1) */
	STATUS_CANNOT = 126,  /* as env(1): the command cannot be started */
};

/* Files that reports are written to: option, path. */
enum form {
	FORM_TEXT,
	FORM_JSON,
	FORM_JSONL,
	FORM_JUNIT,
	FORM_SARIF,
	N_FORMS,
};

struct run {
	struct dbg *dbg; /* inferior 1: the command */
	struct loop *loop;
	const char *files[N_FORMS]; /* NULL: not asked for */
	bool github;
	uint64_t timeout_ms; /* 0: none */
	struct report *reports;
	size_t n_reports, cap_reports;
	bool timed_out;
	bool ended;
	int exit_code, exit_signal;
};

static const struct option options[] = {
    {"report", required_argument, NULL, OPT_REPORT},
    {"json", required_argument, NULL, OPT_JSON},
    {"jsonl", required_argument, NULL, OPT_JSONL},
    {"junit", required_argument, NULL, OPT_JUNIT},
    {"sarif", required_argument, NULL, OPT_SARIF},
    {"github", no_argument, NULL, OPT_GITHUB},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg run [options] [--] COMMAND [ARGS...]\n"
	    "Run a command, and report where and why it, or a .NET program "
	    "that it starts,\ndies: an exception that nobody catches, a fatal "
	    "signal, no end in time. Its input,\noutput and exit status are "
	    "as without dndbg.\n"
	    "\n"
	    "  --report FILE      the report as text [stderr]\n"
	    "  --json FILE        as a JSON array (docs/report.md)\n"
	    "  --jsonl FILE       appended to FILE, one line each\n"
	    "  --junit FILE       as a test suite in JUnit's XML\n"
	    "  --sarif FILE       as SARIF 2.1.0\n"
	    "  --github           as annotations of GitHub Actions on stdout\n"
	    "  --timeout SECONDS  report all stacks and kill it if it runs "
	    "longer;\n                     the exit status is 124 then\n",
	    out);
}

static void tell(const struct dbg_error *err)
{
	fprintf(stderr, "dndbg: %s\n", err->message);
}

static void tell_drop(struct dbg_error *err)
{
	if (err)
		tell(err);
	dbg_error_destroy(err);
}

static bool take_seconds(const char *text, uint64_t *ret_ms)
{
	uint64_t n;

	if (!str_to_u64(text, &n) || !n || n > INT32_MAX) {
		fprintf(stderr, "dndbg: '%s' is no number of seconds\n", text);
		return false;
	}
	*ret_ms = n * 1000;
	return true;
}

// Returns -1 to go on, else the exit status.
static int parse(struct run *r, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c >= OPT_REPORT && c <= OPT_SARIF)
			r->files[FORM_TEXT + c - OPT_REPORT] = optarg;
		else if (c == OPT_GITHUB)
			r->github = true;
		else if (c == OPT_TIMEOUT &&
			 take_seconds(optarg, &r->timeout_ms))
			continue;
		else if (c == OPT_TIMEOUT)
			return 2;
		else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return 2;
	}
	return -1;
}

/* ---- Reports ---------------------------------------------------------- */

static FILE *open_out(const char *path, const char *mode)
{
	FILE *out = fopen(path, mode);

	if (!out)
		fprintf(stderr,
			"dndbg: the report cannot be written to '%s': "
			"%s\n",
			path, strerror(errno));
	return out;
}

static void close_out(FILE *out, const char *path)
{
	bool bad = ferror(out);

	if (fclose(out) || bad)
		fprintf(stderr, "dndbg: the report in '%s' is not whole: %s\n",
			path, strerror(errno));
}

// What is told at once, since the program may take long to die.
static void publish(struct run *r, const struct report *report)
{
	FILE *out = stderr;

	if (r->files[FORM_TEXT])
		out = open_out(r->files[FORM_TEXT],
			       r->n_reports > 1 ? "ae" : "we");
	if (out) {
		report_text(report, out, isatty(fileno(out)));
		fflush(out);
	}
	if (out && out != stderr)
		close_out(out, r->files[FORM_TEXT]);
	if (r->github) {
		report_github(report, stdout);
		fflush(stdout);
	}
	if (r->files[FORM_JSONL]) {
		out = open_out(r->files[FORM_JSONL], "ae");
		if (out) {
			report_json(report, out, false);
			close_out(out, r->files[FORM_JSONL]);
		}
	}
}

static void take_report(struct run *r, struct dbg *dbg, const char *kind,
			const char *cause)
{
	static const struct report_limits limits = {
	    .frames = FRAMES_LISTED,
	    .variables = true,
	};
	struct report report;

	if (r->n_reports == REPORTS_MAX)
		return;
	struct dbg_error *err = report_take(dbg, &limits, &report);
	if (err) {
		tell_drop(dbg_err_prefix(err, "no report"));
		return;
	}
	if (kind) {
		report.kind = kind;
		report.cause = arena_strdup(report.arena, cause);
	}
	mem_grow(&r->reports, &r->cap_reports, r->n_reports,
		 sizeof(*r->reports));
	r->reports[r->n_reports++] = report;
	publish(r, &report);
}

static void write_json(const struct run *r, FILE *out)
{
	fputs("[\n", out);
	for (size_t i = 0; i < r->n_reports; i++) {
		if (i)
			fputs(",\n", out);
		report_json(&r->reports[i], out, true);
	}
	fputs("]\n", out);
}

// The forms that have a beginning and an end; also without any report, so
// that what reads them finds a file.
static void publish_all(const struct run *r)
{
	_cleanup_free_ const struct report **list =
	    xcalloc(r->n_reports, sizeof(*list));

	for (size_t i = 0; i < r->n_reports; i++)
		list[i] = &r->reports[i];
	for (int form = 0; form < N_FORMS; form++) {
		const char *path = r->files[form];
		bool whole = form == FORM_JSON || form == FORM_JUNIT ||
			     form == FORM_SARIF;
		FILE *out = path && whole ? open_out(path, "we") : NULL;

		if (!out)
			continue;
		if (form == FORM_JSON)
			write_json(r, out);
		else if (form == FORM_JUNIT)
			report_junit(list, r->n_reports, out);
		else
			report_sarif(list, r->n_reports, out);
		close_out(out, path);
	}
}

/* ---- Running ---------------------------------------------------------- */

static void go_on(struct dbg *dbg)
{
	struct dbg_error *err = dbg_continue(dbg, 0);

	// Somebody else may have killed it this moment.
	if (err && err->code == DBG_E_STATE) {
		dbg_error_destroy(err);
		return;
	}
	tell_drop(err);
}

static void on_stop(struct run *r, struct dbg *dbg, const struct dbg_stop *stop)
{
	if (stop->reason == DBG_STOP_UNHANDLED ||
	    stop->reason == DBG_STOP_FAIL_FAST ||
	    (stop->reason == DBG_STOP_SIGNAL && stop->fatal))
		take_report(r, dbg, NULL, NULL);
	if (!r->timed_out)
		go_on(dbg);
}

static void on_event(struct run *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;

	if (event->kind == DBG_EVENT_STOPPED) {
		on_stop(r, e->inferior.dbg, &event->stop);
	} else if (event->kind == DBG_EVENT_EXITED &&
		   e->inferior.dbg == r->dbg) {
		r->ended = true;
		r->exit_code = event->exit_code;
		r->exit_signal = event->exit_signal;
	}
	tell_drop(e->err);
}

static void take_events(struct run *r)
{
	struct debuggee_event e;

	while (debuggees_event_next(r->dbg, &e))
		on_event(r, &e);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

// Wait for whatever comes next, until @deadline (0: none); false: it is past.
static bool wait_for(struct run *r, uint64_t deadline)
{
	uint64_t now = now_ms();
	struct loop_wait w = {.timeout = -1};
	unsigned int what;

	if (deadline && deadline <= now)
		return false;
	if (deadline)
		w.timeout = deadline - now > INT32_MAX ? INT32_MAX
						       : (int)(deadline - now);
	tell_drop(loop_wait_fds(r->loop, &w, &what));
	// What was sent to us is meant for the command.
	if (what & (LOOP_INTERRUPT | LOOP_END))
		tell_drop(dbg_signal_send(
		    r->dbg, what & LOOP_INTERRUPT ? SIGINT : SIGTERM));
	return true;
}

static void kill_tree(pid_t pid, unsigned int depth);

// Kill what one task has started, by the list that the kernel keeps.
static void kill_children(const char *path, unsigned int depth)
{
	FILE *file = fopen(path, "re");
	char *word = NULL;
	size_t cap = 0;

	while (file && getdelim(&word, &cap, ' ', file) > 0) {
		long child = strtol(word, NULL, 10);

		if (child > 0 && child <= INT32_MAX)
			kill_tree((pid_t)child, depth + 1);
	}
	free(word);
	if (file)
		fclose(file);
}

// Kill process @pid and what it has started, by whatever processes between.
static void kill_tree(pid_t pid, unsigned int depth)
{
	glob_t tasks;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/*/children", pid);
	if (depth < DEPTH_MAX && !glob(path, GLOB_NOSORT, NULL, &tasks)) {
		for (size_t i = 0; i < tasks.gl_pathc; i++)
			kill_children(tasks.gl_pathv[i], depth);
		globfree(&tasks);
	}
	kill(pid, SIGKILL);
}

// All stand still: report them, then end them.
static void time_out(struct run *r)
{
	pid_t pid = dbg_pid(r->dbg);
	const struct dbg_inferior *list;
	struct debuggee_event e;
	size_t n;

	_cleanup_free_ char *cause =
	    xasprintf("No end within %" PRIu64 " s", r->timeout_ms / 1000);
	r->timed_out = true;
	struct dbg *any = debuggees_alive(r->dbg);
	if (any && dbg_state(any) == DBG_RUNNING)
		tell_drop(dbg_pause(any));
	while (any && dbg_state(any) == DBG_RUNNING && wait_for(r, 0))
		;
	dbg_inferior_list(r->dbg, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state == DBG_STOPPED)
			take_report(r, list[i].dbg, "timeout", cause);
	kill_tree(pid, 0);
	while (debuggees_event_next(r->dbg, &e))
		dbg_error_destroy(e.err);
}

// What the command has started and left running goes on without us.
static void let_go(struct run *r)
{
	const struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->dbg, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].dbg != r->dbg && list[i].state != DBG_IDLE)
			tell_drop(dbg_detach(list[i].dbg, false));
	debuggees_end_children(r->dbg);
}

static struct dbg_error *start(struct run *r, int argc, char **argv)
{
	const struct dbg_launch launch = {
	    .program = argv[0],
	    .args = (const char *const *)argv + 1,
	    .n_args = (size_t)argc - 1,
	    .unseen = true,
	};
	struct dbg_error *err = dbg_set(r->dbg, "follow-exec", "on");

	if (!err)
		err = loop_create(r->dbg, &r->loop);
	return err ? err : dbg_launch(r->dbg, &launch);
}

// End as the command did, so that who waits for us sees no difference.
static int end_as(int code, int signal_number)
{
	const struct rlimit none = {0};
	const struct sigaction fatal = {.sa_handler = SIG_DFL};
	sigset_t set;

	if (!signal_number)
		return code;
	fflush(stdout);
	setrlimit(RLIMIT_CORE, &none);
	sigaction(signal_number, &fatal, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
	return 128 + signal_number;
}

int report_run_main(struct dbg *dbg, int argc, char **argv)
{
	struct run r = {.dbg = dbg};

	int status = parse(&r, argc, argv);
	if (status >= 0)
		return status;
	struct dbg_error *err = start(&r, argc - optind, argv + optind);
	if (err) {
		tell_drop(err);
		loop_destroy(r.loop);
		return STATUS_CANNOT;
	}
	uint64_t deadline = r.timeout_ms ? now_ms() + r.timeout_ms : 0;
	for (take_events(&r); !r.ended && !r.timed_out; take_events(&r))
		if (!wait_for(&r, deadline))
			time_out(&r);
	let_go(&r);
	publish_all(&r);
	for (size_t i = 0; i < r.n_reports; i++)
		report_destroy(&r.reports[i]);
	free(r.reports);
	loop_destroy(r.loop);
	return r.timed_out ? STATUS_TIMEOUT
			   : end_as(r.exit_code, r.exit_signal);
}
