/*
 * `dndbg run -- COMMAND...`: the command as if dndbg were not there, and a
 * report if it, or a program that it starts by whatever processes between,
 * is about to die of an exception that nobody catches or of a signal, or if
 * it hangs or does not end in time.
 *
 * Input, output, terminal, signals and the exit status are the command's own.
 * What goes wrong in dndbg is told on stderr and changes none of them.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "front/loop.h"
#include "front/plain.h"
#include "report/ended.h"
#include "report/passed.h"
#include "report/runoptions.h"
#include "report/tree.h"

enum {
	STATUS_TIMEOUT = 124, /* as timeout(1) */
	STATUS_CANNOT = 126,  /* as env(1): the command cannot be started */
	LOOKS = 10,           /* at what it does, in the time of a hang */
	LOOK_MAX_MS = 1000,
	SUSPEND_MS = 100,
	IDLE_PART = 100, /* it works for less than this part of the time */
};

/* Since when has the command done nothing? */
struct idle {
	uint64_t since; /* ms */
	uint64_t looked;
	struct tree_work work; /* then */
};

struct run {
	struct dbg *dbg; /* inferior 1: the command */
	struct loop *loop;
	struct passed *passed; /* signals */
	struct run_options options;
	struct publish out;
	struct idle idle;
	struct ended_memory memory; /* at the start */
	bool ending;                /* no reports of what we end ourselves */
	bool ended;
	int exit_code, exit_signal;
};

static void take_report(struct run *r, struct dbg *dbg, const char *kind,
			const char *cause)
{
	struct report report;

	if (r->out.n == PUBLISH_MAX)
		return;
	struct dbg_error *err = report_take(dbg, &report_death_limits, &report);
	if (err) {
		plain_error(dbg_err_prefix(err, "no report"));
		return;
	}
	if (kind)
		report.kind = kind;
	if (cause)
		report.cause = arena_strdup(report.arena, cause);
	publish_add(&r->out, &report);
}

static void go_on(struct dbg *dbg)
{
	struct dbg_error *err = dbg_continue(dbg, 0);

	// Somebody else may have killed it this moment.
	if (err && err->code == DBG_E_STATE) {
		dbg_error_destroy(err);
		return;
	}
	plain_error(err);
}

static bool is_asked_for(const struct run *r, int code)
{
	return r->options.on_exit && r->options.exit_codes[code & 255];
}

// Environment.Exit is called: its caller is still there.
static void on_exit_call(struct run *r, struct dbg *dbg)
{
	struct dbg_value code;

	if (r->ending || dbg_err_drop(dbg_eval(dbg, 0, "exitCode", &code)))
		return;
	int number = (int)(strtol(code.text, NULL, 10) & 255);
	if (!is_asked_for(r, number))
		return;
	_cleanup_free_ char *cause =
	    xasprintf("Exits with code %d by Environment.Exit", number);
	take_report(r, dbg, "exit", cause);
}

// Is there a report of the end of @pid already?
static bool is_reported(const struct run *r, pid_t pid)
{
	for (size_t i = 0; i < r->out.n; i++)
		if (r->out.reports[i].pid == pid && r->out.reports[i].kind &&
		    strcmp(r->out.reports[i].kind, "thrown"))
			return true;
	return false;
}

static void on_end(struct run *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;
	bool killed = event->exit_signal == SIGKILL;
	struct report report;

	if (r->ending || r->out.n == PUBLISH_MAX ||
	    is_reported(r, e->inferior.pid) ||
	    !(killed ||
	      (!event->exit_signal && is_asked_for(r, event->exit_code))))
		return;
	ended_report(&e->inferior, event, &r->memory, &report);
	publish_add(&r->out, &report);
}

static void on_stop(struct run *r, struct dbg *dbg, const struct dbg_stop *stop)
{
	bool dies = stop->reason == DBG_STOP_UNHANDLED ||
		    stop->reason == DBG_STOP_FAIL_FAST ||
		    (stop->reason == DBG_STOP_SIGNAL && stop->fatal);

	if (r->ending && stop->reason == DBG_STOP_PAUSE)
		return;
	if (dies && !r->ending)
		take_report(r, dbg, NULL, NULL);
	if (stop->reason == DBG_STOP_BREAKPOINT)
		on_exit_call(r, dbg);
	if (stop->reason == DBG_STOP_THROWN && !r->ending)
		take_report(r, dbg, "thrown", NULL);
	go_on(dbg);
}

static void on_event(struct run *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;

	if (event->kind == DBG_EVENT_STOPPED) {
		on_stop(r, e->inferior.dbg, &event->stop);
	} else if (event->kind == DBG_EVENT_EXITED) {
		on_end(r, e);
	}
	if (event->kind == DBG_EVENT_EXITED && e->inferior.dbg == r->dbg) {
		r->ended = true;
		r->exit_code = event->exit_code;
		r->exit_signal = event->exit_signal;
	}
	plain_error(e->err);
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

// Wait for whatever comes next, until @deadline (0: none).
static void wait_for(struct run *r, uint64_t deadline)
{
	uint64_t now = now_ms();
	struct loop_wait w = {.timeout = -1};
	unsigned int what;

	if (deadline)
		w.timeout = deadline <= now ? 0
			    : deadline - now > INT32_MAX
				? INT32_MAX
				: (int)(deadline - now);
	plain_error(loop_wait_fds(r->loop, &w, &what));
}

// Ctrl-Z: let the command stop, or do before what it has to, then stop as well.
static void suspend(struct run *r)
{
	uint64_t deadline = now_ms() + SUSPEND_MS;

	for (; !r->ended && now_ms() < deadline; take_events(r))
		wait_for(r, deadline);
	if (!r->ended)
		passed_suspend(r->passed);
	r->idle.since = now_ms();
}

/* ---- Hangs ------------------------------------------------------------ */

static uint64_t look_every(const struct run *r)
{
	uint64_t every = r->options.hang_ms / LOOKS;

	return every < LOOK_MAX_MS ? every : LOOK_MAX_MS;
}

// Look whether it works; true: it has not for as long as is called a hang.
static bool hangs(struct run *r)
{
	struct idle *idle = &r->idle;
	struct tree_work work;
	uint64_t now = now_ms(), every = look_every(r);

	if (!r->options.hang_ms || now < idle->looked + every)
		return false;
	// Where no look was, it may have been stopped or waited as we did.
	if (now - idle->looked > 2 * every)
		idle->since += now - idle->looked - every;
	idle->looked = now;
	tree_work(dbg_pid(r->dbg), &work);
	uint64_t ms = (work.ticks - idle->work.ticks) * 1000 /
		      (uint64_t)sysconf(_SC_CLK_TCK);
	bool works = work.written != idle->work.written ||
		     work.members != idle->work.members ||
		     work.ticks < idle->work.ticks ||
		     ms > r->options.hang_ms / IDLE_PART;
	if (works) {
		idle->since = now;
		idle->work = work;
	}
	return now - idle->since >= r->options.hang_ms;
}

/* ---- The end ---------------------------------------------------------- */

// End it by the signal that was asked for, and by SIGKILL if that is in vain.
static void end_all(struct run *r)
{
	struct tree *tree = tree_hold(dbg_pid(r->dbg));
	uint64_t deadline = now_ms() + r->options.kill_after_ms;

	tree_signal(tree, r->options.signal);
	if (r->options.signal != SIGKILL) {
		struct dbg *any = debuggees_alive(r->dbg);

		if (any && dbg_state(any) == DBG_STOPPED)
			go_on(any);
		for (; !tree_gone(tree) && now_ms() < deadline; take_events(r))
			wait_for(r, now_ms() + LOOK_MAX_MS / LOOKS);
		tree_signal(tree, SIGKILL);
	}
	tree_destroy(tree);
}

// All stand still: report them, then end them.
static void give_up(struct run *r, const char *kind, const char *cause)
{
	const struct dbg_inferior *list;
	struct debuggee_event e;
	size_t n;

	r->ending = true;
	struct dbg *any = debuggees_alive(r->dbg);
	if (any && dbg_state(any) == DBG_RUNNING)
		plain_error(dbg_pause(any));
	while (any && dbg_state(any) == DBG_RUNNING)
		wait_for(r, 0);
	dbg_inferior_list(r->dbg, &list, &n);
	// Most often those that were started last are to blame.
	for (size_t i = n; i-- > 0;)
		if (list[i].state == DBG_STOPPED)
			take_report(r, list[i].dbg, kind, cause);
	end_all(r);
	while (debuggees_event_next(r->dbg, &e))
		dbg_error_destroy(e.err);
}

static void watch_over(struct run *r)
{
	uint64_t timeout = r->options.timeout_ms, hang = r->options.hang_ms;
	uint64_t end = timeout ? now_ms() + timeout : 0;

	r->idle.since = r->idle.looked = now_ms();
	for (take_events(r); !r->ended && !r->ending; take_events(r)) {
		uint64_t look = r->idle.looked + look_every(r);

		wait_for(r, hang && (!end || look < end) ? look : end);
		if (passed_suspends(r->passed))
			suspend(r);
		_cleanup_free_ char *cause = NULL;
		if (end && now_ms() >= end) {
			cause = xasprintf("No end within %" PRIu64 " s",
					  timeout / 1000);
			give_up(r, "timeout", cause);
		} else if (hangs(r)) {
			cause = xasprintf("Neither output nor work for %" PRIu64
					  " s",
					  hang / 1000);
			give_up(r, "hang", cause);
		}
	}
}

/* ---- The beginning ---------------------------------------------------- */

// What the command has started and left running goes on without us.
static void let_go(struct run *r)
{
	const struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->dbg, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].dbg != r->dbg && list[i].state != DBG_IDLE)
			plain_error(dbg_detach(list[i].dbg, false));
	debuggees_end_children(r->dbg);
}

static struct dbg_error *start(struct run *r, int argc, char **argv)
{
	static const int keys[] = {SIGINT, SIGTSTP};
	sigset_t blocked;
	const struct dbg_launch launch = {
	    .program = argv[0],
	    .args = (const char *const *)argv + 1,
	    .n_args = (size_t)argc - 1,
	    .unseen = true,
	    .our_group = true,
	    .blocked = &blocked,
	};
	const struct dbg_break_req thrown = {
	    .kind = DBG_BREAK_THROW,
	    .text = r->options.first_chance,
	};
	const struct dbg_break_req exits = {
	    .kind = DBG_BREAK_LOCATION,
	    .text = "System.Environment.Exit",
	};
	uint32_t number;
	struct dbg_error *err = dbg_set(r->dbg, "follow-exec", "on");

	ended_memory(&r->memory);
	if (!err && r->options.on_exit)
		err = dbg_break_add(r->dbg, &exits, &number);

	if (!err && thrown.text)
		err = dbg_break_add(r->dbg, &thrown, &number);
	for (size_t i = 0; !err && i < sizeof(keys) / sizeof(*keys); i++)
		err = dbg_signal_set(r->dbg, &(struct dbg_signal){
						 .number = keys[i],
						 .pass = true,
					     });
	passed_block(&blocked);
	// before the loop, whose handlers it would not have where we ignore
	if (!err)
		err = dbg_launch(r->dbg, &launch);
	if (!err)
		err = loop_create(r->dbg, &r->loop);
	return err ? err : passed_create(r->dbg, r->loop, &r->passed);
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
	int first;

	int status = run_options_parse(argc, argv, &r.options, &first);
	if (status >= 0)
		return status;
	memcpy(r.out.paths, r.options.paths, sizeof(r.out.paths));
	struct dbg_error *err = start(&r, argc - first, argv + first);
	if (err) {
		plain_error(err);
		passed_destroy(r.passed);
		loop_destroy(r.loop);
		return STATUS_CANNOT;
	}
	watch_over(&r);
	let_go(&r);
	publish_end(&r.out);
	passed_destroy(r.passed);
	loop_destroy(r.loop);
	return r.ending ? STATUS_TIMEOUT : end_as(r.exit_code, r.exit_signal);
}
