/*
 * `dndbg run -- COMMAND...`: the command as if dndbg were not there, and a
 * report if it, or a program that it starts by whatever processes between,
 * is about to die of an exception that nobody catches or of a signal, or if
 * it hangs or does not end in time.
 *
 * Input, output, terminal, signals and the exit status are the command's own.
 * What goes wrong in dndbg is told on stderr and changes none of them.
 */
#include "report/report.h"

#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dbg.h"
#include "front/debuggees.h"
#include "front/loop.h"
#include "front/plain.h"

/* ---- A command's processes ----------------------------------------------- */

/*
 * A command's processes: walked by /proc/PID/task/TID/children, which has those
 * that the kernel would report to that task. What is no child of a living
 * member (a daemon) is not found.
 */

enum {
	DEPTH_MAX = 100, /* of processes below each other */
	STAT_SIZE = 4096,
};

typedef void member_fn(void *arg, pid_t pid);

/* A walk over a process and what it has started, children first. */
struct visit {
	member_fn *fn;
	void *arg;
};

static void visit_process(const struct visit *v, pid_t pid, unsigned int depth);

static void visit_children(const struct visit *v, const char *path,
			   unsigned int depth)
{
	FILE *file = fopen(path, "re");
	char *word = NULL;
	size_t cap = 0;

	while (file && getdelim(&word, &cap, ' ', file) > 0) {
		long child = strtol(word, NULL, 10);

		if (child > 0 && child <= INT32_MAX)
			visit_process(v, (pid_t)child, depth + 1);
	}
	free(word);
	if (file)
		fclose(file);
}

static void visit_process(const struct visit *v, pid_t pid, unsigned int depth)
{
	glob_t tasks;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/*/children", pid);
	if (depth < DEPTH_MAX && !glob(path, GLOB_NOSORT, NULL, &tasks)) {
		for (size_t i = 0; i < tasks.gl_pathc; i++)
			visit_children(v, tasks.gl_pathv[i], depth);
		globfree(&tasks);
	}
	v->fn(v->arg, pid);
}

// Text of a file of a folder; "" if there is none.
static void read_file(const char *folder, const char *name, char ret[STAT_SIZE])
{
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	if (file) {
		n = fread(ret, 1, STAT_SIZE - 1, file);
		fclose(file);
	}
	ret[n] = '\0';
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

// The sum of these is as good as different for each set of numbers.
static uint64_t mark_of(pid_t id)
{
	return (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t threads_of(const char *folder)
{
	_cleanup_free_ char *pattern = xasprintf("%s/task/[0-9]*", folder);
	uint64_t sum = 0;
	glob_t tasks;

	if (glob(pattern, GLOB_NOSORT, NULL, &tasks))
		return 0;
	for (size_t i = 0; i < tasks.gl_pathc; i++) {
		const char *name = strrchr(tasks.gl_pathv[i], '/') + 1;

		sum += mark_of((pid_t)strtol(name, NULL, 10));
	}
	globfree(&tasks);
	return sum;
}

static void add_work(void *arg, pid_t pid)
{
	struct tree_work *work = arg;
	char folder[32], text[STAT_SIZE];
	uint64_t user, system;

	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	read_file(folder, "stat", text);
	// The name, in parentheses, may have any characters.
	const char *rest = strrchr(text, ')');
	if (rest &&
	    sscanf(rest,
		   ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64
		   " %" SCNu64,
		   &user, &system) == 2)
		work->ticks += user + system;
	read_file(folder, "io", text);
	work->moved += number_behind(text, "wchar: ") +
		       number_behind(text, "\nread_bytes: ");
	work->members += mark_of(pid);
	work->threads += threads_of(folder);
}

void tree_work(pid_t pid, struct tree_work *ret)
{
	const struct visit v = {add_work, ret};

	*ret = (struct tree_work){0};
	visit_process(&v, pid, 0);
}

/* ---- Signals ---------------------------------------------------------- */

struct tree {
	struct pollfd *fds; /* readable when the process has ended */
	size_t n, cap;
};

static void process_hold(void *arg, pid_t pid)
{
	struct tree *tree = arg;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return;
	mem_grow(&tree->fds, &tree->cap, tree->n, sizeof(*tree->fds));
	tree->fds[tree->n++] = (struct pollfd){fd, POLLIN, 0};
}

struct tree *tree_hold(pid_t pid)
{
	struct tree *tree = xcalloc(1, sizeof(*tree));
	const struct visit v = {process_hold, tree};

	visit_process(&v, pid, 0);
	return tree;
}

void tree_destroy(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		close(tree->fds[i].fd);
	free(tree->fds);
	free(tree);
}

void tree_signal(const struct tree *tree, int signal)
{
	for (size_t i = 0; i < tree->n; i++)
		syscall(SYS_pidfd_send_signal, tree->fds[i].fd, signal, NULL,
			0);
}

bool tree_gone(const struct tree *tree)
{
	int n = poll(tree->fds, tree->n, 0);

	return n >= 0 && (size_t)n == tree->n;
}

/* ---- Capture ------------------------------------------------------------- */

/* ---- Warnings -------------------------------------------------------- */

/* Of the engine, kept until there is a report of their program. */

enum {
	WARNINGS_MAX = 100, /* that are kept at a time */
};

struct warnings {
	struct warning {
		const struct dbg *dbg;
		char *text;
		bool told;
	} v[WARNINGS_MAX];
	size_t n;
};

/* Keep a copy of @text, once. */
static void warnings_keep(struct warnings *w, const struct dbg *dbg,
			  const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].dbg == dbg && !strcmp(w->v[i].text, text))
			return;
	if (w->n < WARNINGS_MAX)
		w->v[w->n++] =
		    (struct warning){.dbg = dbg, .text = xstrdup(text)};
}

/*
 * Print the warnings about the program of @dbg, each once, however many reports
 * are made.
 */
static void warnings_tell(struct warnings *w, const struct dbg *dbg)
{
	for (size_t i = 0; i < w->n; i++) {
		struct warning *one = &w->v[i];

		if (one->dbg == dbg && !one->told)
			plain_error(dbg_err(DBG_E_RUNTIME, "%s", one->text));
		one->told |= one->dbg == dbg;
	}
}

/* Forget the warnings about the program of @dbg, which has ended; NULL: all. */
static void warnings_drop(struct warnings *w, const struct dbg *dbg)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (!dbg || w->v[i].dbg == dbg)
			free(w->v[i].text);
		else
			w->v[n++] = w->v[i];
	}
	w->n = n;
}

/* ---- The end --------------------------------------------------------- */

/*
 * A program that was killed, or has ended with an exit code that was asked
 * about: there is nothing left of it but how it ended. Whether the kernel
 * killed it for want of memory is told by the counters of its cgroup, of either
 * version.
 */

/*
 * Memory facts that the kernel counts for the cgroup of dndbg and the command.
 */
struct ended_memory {
	uint64_t kills;       /* processes that it killed for want of memory */
	uint64_t limit, peak; /* bytes, 0: not known */
};

static void ended_memory(struct ended_memory *ret);

enum {
	LINE_SIZE = 512,
	MIB = 1 << 20,
};

/* The files of a version, and where it is mounted. */
struct version {
	const char *mark; /* in the line of /proc/self/cgroup */
	const char *mount;
	const char *events, *limit, *peak;
};

static const struct version versions[] = {
    {":memory:", "/sys/fs/cgroup/memory", "memory.oom_control",
     "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
    {"0::", "/sys/fs/cgroup", "memory.events", "memory.max", "memory.peak"},
};

// The number behind @key, which begins a line ("": the first line); 0: none.
// False: there is no such file.
static bool read_number(const char *folder, const char *name, const char *key,
			uint64_t *ret)
{
	char path[PATH_MAX + LINE_SIZE], line[LINE_SIZE];
	uint64_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	while (file && !n && fgets(line, sizeof(line), file))
		if (str_starts(line, key))
			n = strtoull(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	*ret = n;
	return file != NULL;
}

// Read the limits of the cgroup @group. In a container the path is the host's,
// and the mount itself is the group. False: neither has a limit.
static bool read_group(const struct version *v, const char *group,
		       struct ended_memory *ret)
{
	char folder[PATH_MAX];
	bool found = false;

	for (int whole = 1; whole >= 0 && !found; whole--) {
		snprintf(folder, sizeof(folder), "%s%s", v->mount,
			 whole ? group : "");
		found = read_number(folder, v->limit, "", &ret->limit);
		read_number(folder, v->events, "oom_kill ", &ret->kills);
		read_number(folder, v->peak, "", &ret->peak);
	}
	// without a limit the first version has the largest number there is
	if (ret->limit > INT64_MAX / 2)
		ret->limit = 0;
	return found;
}

static void ended_memory(struct ended_memory *ret)
{
	char line[LINE_SIZE];
	bool done = false;

	*ret = (struct ended_memory){0};
	FILE *file = fopen("/proc/self/cgroup", "re");
	while (file && !done && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < sizeof(versions) / sizeof(*versions);
		     i++) {
			const char *found = strstr(line, versions[i].mark);

			if (found && !done)
				done = read_group(
				    &versions[i],
				    found + strlen(versions[i].mark), ret);
		}
	}
	if (file)
		fclose(file);
}

static const char *killed_text(struct report *r,
			       const struct ended_memory *before)
{
	struct ended_memory now;

	ended_memory(&now);
	if (now.kills <= before->kills)
		return NULL;
	if (!now.limit)
		return "Killed by the kernel: out of memory";
	return arena_printf(r->arena,
			    "Killed by the kernel: out of memory (limit of "
			    "the cgroup: %" PRIu64
			    " MiB, used at most: %" PRIu64 " MiB)",
			    now.limit / MIB, now.peak / MIB);
}

/* Did it crash while it was lent to createdump, where no stop is seen? */
static bool ended_by_crash(const struct dbg_event *event)
{
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS,
				      SIGILL,  SIGFPE,  SIGTRAP};

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (event->lent && event->exit_signal == crashes[i])
			return true;
	return false;
}

/*
 * A report of @ended without stacks, by its exit code or, if
 * @event->exit_signal is not 0, that; @before is of the time when it was
 * started.
 */
static void ended_report(const struct dbg_inferior *ended,
			 const struct dbg_event *event,
			 const struct ended_memory *before, struct report *ret)
{
	*ret = (struct report){.arena = arena_create()};
	ret->pid = ended->pid;
	ret->program = arena_strdup(ret->arena, ended->name);
	ret->time = (uint64_t)time(NULL);
	ret->runtime = "";
	ret->signal = event->exit_signal;
	if (!ret->signal) {
		ret->kind = "exit";
		ret->cause = arena_printf(ret->arena, "Exited with code %d",
					  event->exit_code);
		return;
	}
	ret->kind = "signal";
	ret->cause =
	    event->exit_signal == SIGKILL ? killed_text(ret, before) : NULL;
	if (!ret->cause)
		ret->cause = report_signal_text(ret, ret->signal);
}

/* ---- An idle program ------------------------------------------------- */

/*
 * Finds out whether a command is idle: the work of its processes is compared
 * with what it was when one of them was last seen to work.
 *
 * Threads that begin or end are no work: while a program hangs its runtime
 * makes some, to recompile hot code or because all pool threads wait. Nor are
 * the few bytes by which threads are named and started.
 */

/*
 * Since when a command has been idle. All times are clock_ms(), milliseconds.
 */
struct idle {
	uint64_t since;
	uint64_t looked;
	struct tree_work work; /* when it was last seen to work */
	struct tree_work last; /* at the last look */
};

enum {
	LOOKS = 10, /* in the time of a hang */
	LOOK_MAX_MS = 1000,
	IDLE_PART = 20,    /* they work for less than this part of the time */
	THREAD_BYTES = 64, /* are written for new threads between two looks */
};

static uint64_t look_every(uint64_t hang_ms)
{
	uint64_t every = hang_ms / LOOKS;

	return every < LOOK_MAX_MS ? every : LOOK_MAX_MS;
}

/* Assume that the command works now: it begins, or its work is not known. */
static void idle_restart(struct idle *idle, uint64_t now)
{
	idle->since = idle->looked = now;
}

/* When idle_look() has something to do again. */
static uint64_t idle_next(const struct idle *idle, uint64_t hang_ms)
{
	return idle->looked + look_every(hang_ms);
}

// Has anything come of it since the last look?
static bool has_moved(const struct idle *idle, const struct tree_work *now)
{
	uint64_t bytes = now->moved - idle->last.moved;

	return now->members != idle->last.members ||
	       (bytes &&
		(now->threads == idle->last.threads || bytes > THREAD_BYTES));
}

// Have the processes used the processor for long enough since they were last
// seen to work?
static bool has_worked(const struct idle *idle, const struct tree_work *now,
		       uint64_t hang_ms)
{
	uint64_t ms = (now->ticks - idle->work.ticks) * 1000 /
		      (uint64_t)sysconf(_SC_CLK_TCK);

	// fewer where a process has ended
	return now->ticks < idle->work.ticks || ms > hang_ms / IDLE_PART;
}

/*
 * Look, if it is time to, at @pid and what it has started, of which it is
 * @hang_ms that count as a hang; true: it was idle again.
 */
static bool idle_look(struct idle *idle, pid_t pid, uint64_t hang_ms,
		      uint64_t now)
{
	uint64_t every = look_every(hang_ms);
	struct tree_work work;

	if (now < idle->looked + every)
		return false;
	// Where no look was, it may have been stopped or waited as we did.
	if (now - idle->looked > 2 * every)
		idle->since += now - idle->looked - every;
	idle->looked = now;
	tree_work(pid, &work);
	bool works = has_moved(idle, &work) || has_worked(idle, &work, hang_ms);
	idle->last = work;
	if (works) {
		idle->since = now;
		idle->work = work;
	}
	return !works;
}

/* ---- The capture ----------------------------------------------------- */

enum {
	STATUS_TIMEOUT = 124,  /* as timeout(1) */
	STATUS_CANNOT = 126,   /* as env(1): the command cannot be started */
	CLEANUP_LOOK_MS = 100, /* what is to end is looked at so often */
	RECALL_MS = 10000,     /* until a createdump that is killed has ended */
	SUSPEND_MS = 100,
};

struct run {
	struct dbg *dbg; /* inferior 1: the command */
	struct loop *loop;
	struct passed *passed; /* signals */
	struct run_options options;
	struct publish out;
	struct last_output *output; /* NULL: not kept */
	struct report kept; /* of what was dumped alive; without arena: none */
	struct idle idle;
	uint64_t end; /* of the time that it may take; 0: none */
	/* tests that run in the middle of the time of a hang; a hash */
	uint64_t running;
	bool running_known;
	struct ended_memory memory; /* at the start */
	struct warnings warnings;
	bool ending; /* no reports of what we end ourselves */
	bool ended;
	int exit_code, exit_signal;
};

static bool hurries(void *arg)
{
	const struct run *r = arg;

	return passed_hurries(r->passed);
}

static bool take(struct run *r, struct dbg *dbg, struct report *ret)
{
	struct report_limits limits = report_death_limits;

	limits.hurries = hurries;
	limits.arg = r;
	struct dbg_error *err = report_take(dbg, &limits, ret);
	if (err)
		plain_error(dbg_err_prefix(err, "no report"));
	return !err;
}

static void publish(struct run *r, struct report *report)
{
	last_output_add(r->output, report);
	publish_add(&r->out, report);
}

static void take_report(struct run *r, struct dbg *dbg, const char *kind,
			const char *cause)
{
	struct report report;

	if (r->out.n == PUBLISH_MAX || !take(r, dbg, &report))
		return;
	if (kind)
		report.kind = kind;
	if (cause)
		report.cause = arena_strdup(report.arena, cause);
	warnings_tell(&r->warnings, dbg);
	publish(r, &report);
}

// A program in that state, NULL: there is none.
static struct dbg *program_in_state(const struct run *r, enum dbg_state state)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state == state)
			return list[i].dbg;
	return NULL;
}

// Let all programs go on, which stand because one of them has stopped.
static void go_on(struct run *r)
{
	struct dbg *dbg = program_in_state(r, DBG_STOPPED);
	struct dbg_stopped at;

	if (!dbg || dbg_err_drop(dbg_stopped(dbg, &at)))
		return;
	// What waits for the program may end with it: it gets them before.
	passed_now(r->passed);
	struct dbg_error *err = dbg_continue(at, 0);

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
	struct dbg_stopped at;
	struct dbg_value code;

	if (r->ending || dbg_err_drop(dbg_stopped(dbg, &at)) ||
	    dbg_err_drop(dbg_eval(at, 0, "exitCode", &code)))
		return;
	int number = (int)(strtol(code.text, NULL, 10) & 255);
	if (!is_asked_for(r, number))
		return;
	_cleanup_free_ char *cause =
	    xasprintf("Exits with code %d by Environment.Exit", number);
	take_report(r, dbg, "exit", cause);
}

// Is there a report of the end of @pid already, or, with @crash, of its crash?
static bool is_reported(const struct run *r, pid_t pid, bool crash)
{
	for (size_t i = 0; i < r->out.n; i++) {
		const struct report *report = &r->out.reports[i];

		if (report->pid == pid && report->kind &&
		    strcmp(report->kind, "thrown") &&
		    !(crash && !strcmp(report->kind, "exit")))
			return true;
	}
	return false;
}

static void publish_kept(struct run *r, const char *kind, const char *cause)
{
	struct report *kept = &r->kept;

	kept->kind = kind;
	kept->cause = arena_printf(
	    kept->arena, "%s; the stacks are of the dump before it", cause);
	publish(r, kept);
	*kept = (struct report){0};
}

// Publish a report of an ended program. If it was dumped because it hangs, and
// killed for that, the report made at the dump is published instead.
static void add_ended(struct run *r, struct report *ended)
{
	struct report *kept = &r->kept;

	if (ended->signal != SIGKILL || !kept->arena ||
	    kept->pid != ended->pid) {
		publish(r, ended);
		return;
	}
	kept->signal = ended->signal;
	publish_kept(r, ended->kind, ended->cause);
	report_destroy(ended);
}

static void on_end(struct run *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;
	bool killed = event->exit_signal == SIGKILL || ended_by_crash(event);
	struct report report;

	if (r->ending || r->out.n == PUBLISH_MAX ||
	    is_reported(r, e->inferior.pid, false))
		return;
	if (event->unknown && r->kept.arena && r->kept.pid == e->inferior.pid)
		publish_kept(r, "signal", "Ended while it was being dumped");
	if (event->unknown || !(killed || (!event->exit_signal &&
					   is_asked_for(r, event->exit_code))))
		return;
	ended_report(&e->inferior, event, &r->memory, &report);
	add_ended(r, &report);
}

static void report_stop(struct run *r, struct dbg *dbg,
			const struct dbg_stop *stop)
{
	bool dies = stop->reason == DBG_STOP_UNHANDLED ||
		    stop->reason == DBG_STOP_FAIL_FAST ||
		    (stop->reason == DBG_STOP_SIGNAL && stop->fatal);

	// Since it was lent to createdump nothing is known of its end.
	if (dies && !r->ending && !is_reported(r, dbg_pid(dbg), true))
		take_report(r, dbg, NULL, NULL);
	if (stop->reason == DBG_STOP_BREAKPOINT)
		on_exit_call(r, dbg);
	if (stop->reason == DBG_STOP_THROWN && !r->ending)
		take_report(r, dbg, "thrown", NULL);
}

static void on_stop(struct run *r, struct dbg *dbg, const struct dbg_stop *stop)
{
	if (r->ending && stop->reason == DBG_STOP_PAUSE)
		return;
	passed_calm(r->passed);
	// It may be lent to createdump by now: reported before.
	if (dbg_state(dbg) == DBG_STOPPED)
		report_stop(r, dbg, stop);
	go_on(r);
}

/* ---- Waiting ---------------------------------------------------------- */

static uint64_t now_ms(void)
{
	return (uint64_t)clock_ms();
}

static int left_ms(uint64_t deadline)
{
	uint64_t now = now_ms();

	if (deadline <= now)
		return 0;
	return deadline - now > INT32_MAX ? INT32_MAX : (int)(deadline - now);
}

// Wait for whatever comes next, until @deadline (0: none).
static void wait_for(struct run *r, uint64_t deadline)
{
	struct loop_wait w = {.timeout = -1};
	unsigned int what;

	if (deadline)
		w.timeout = left_ms(deadline);
	plain_error(loop_wait_fds(r->loop, &w, &what));
}

// Stop all; they go on when the event of it is taken, unless we end them.
static void hold_all(struct run *r)
{
	struct dbg *any = program_in_state(r, DBG_RUNNING);

	if (any)
		plain_error(dbg_pause(any));
	while (any && dbg_state(any) == DBG_RUNNING)
		wait_for(r, 0);
}

/* ---- createdump ------------------------------------------------------- */

// Take the state of a program for a later report. It may have stopped already,
// which is reported. @alive: not in a crash, which is reported where the
// program dies.
static void keep_state(struct run *r, struct dbg *dbg, bool alive)
{
	if (alive)
		hold_all(r);
	struct dbg_stopped at;
	if (dbg_err_drop(dbg_stopped(dbg, &at)))
		return;
	report_stop(r, dbg, dbg_stop_reason(at));
	if (!alive)
		return;
	report_destroy(&r->kept);
	(void)take(r, dbg, &r->kept);
}

/*
 * createdump, which the program's runtime has started, cannot trace what we do.
 * All that were stopped go on at the event of that.
 */
static void on_dumper(struct run *r, const struct debuggee_event *e)
{
	struct dbg *dbg = e->inferior.dbg;
	struct dbg_error *err = NULL;

	if (!e->event.child) {
		plain_error(dbg_err(DBG_E_TARGET, "%s", e->event.text));
		return;
	}
	if (!r->ending)
		keep_state(r, dbg, !strstr(e->event.text, " --crashthread "));
	if (dbg_state(dbg) == DBG_IDLE)
		return;
	err = dbg_lend(dbg, e->event.child);
	if (err)
		plain_error(dbg_err_prefix(err, "createdump of process %d",
					   e->inferior.pid));
}

// createdump is ended where it has a program, for that to be reported.
static void recall_all(struct run *r)
{
	uint64_t deadline = now_ms() + RECALL_MS;
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state == DBG_LENT)
			plain_error(dbg_pause(list[i].dbg));
	while (program_in_state(r, DBG_LENT) && now_ms() < deadline)
		wait_for(r, deadline);
}

/* ---- Events ----------------------------------------------------------- */

static void on_event(struct run *r, const struct debuggee_event *e)
{
	const struct dbg_event *event = &e->event;

	if (event->kind == DBG_EVENT_STOPPED) {
		on_stop(r, e->inferior.dbg, &event->stop);
	} else if (event->kind == DBG_EVENT_DUMPER) {
		on_dumper(r, e);
	} else if (event->kind == DBG_EVENT_EXITED) {
		on_end(r, e);
		warnings_drop(&r->warnings, e->inferior.dbg);
	} else if (event->kind == DBG_EVENT_MESSAGE && event->warning) {
		warnings_keep(&r->warnings, e->inferior.dbg, event->text);
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
	_cleanup_arena_ struct arena *arena = arena_create();
	struct debuggee_event e;

	while (debuggees_event_next(r->dbg, arena, &e))
		on_event(r, &e);
}

// Ctrl-Z: let the command stop, or do before what it has to, then stop as well.
static void suspend(struct run *r)
{
	uint64_t deadline = now_ms() + SUSPEND_MS;

	for (; !r->ended && now_ms() < deadline; take_events(r))
		wait_for(r, deadline);
	if (!r->ended)
		passed_suspend(r->passed);
	idle_restart(&r->idle, now_ms());
}

/* ---- Hangs ------------------------------------------------------------ */

// A hash of the tests that run now.
static uint64_t running_tests(struct run *r)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	uint64_t hash = 0;
	size_t n;

	hold_all(r);
	dbg_inferior_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].state == DBG_STOPPED)
			hash = hash * 31 + report_tests_hash(list[i].dbg);
	return hash;
}

/*
 * Does the command hang? A test runner that waits for long tests may be idle
 * otherwise: it does not hang while other tests run than half the time before.
 */
static bool hangs(struct run *r)
{
	uint64_t hang = r->options.hang_ms;
	struct idle *idle = &r->idle;

	if (!hang || !idle_look(idle, dbg_pid(r->dbg), hang, now_ms()))
		return false;
	uint64_t time = idle->looked - idle->since;
	if (time < hang / 2) {
		r->running_known = false;
	} else if (!r->running_known) {
		r->running = running_tests(r);
		r->running_known = true;
	} else if (time >= hang && r->running != running_tests(r)) {
		r->running_known = false;
		idle_restart(idle, now_ms());
	}
	return r->running_known && time >= hang;
}

/* ---- The end ---------------------------------------------------------- */

// End it by the signal that was asked for, and by SIGKILL if that is in vain.
static void end_all(struct run *r)
{
	struct tree *tree = tree_hold(dbg_pid(r->dbg));
	uint64_t deadline = now_ms() + r->options.kill_after_ms;

	tree_signal(tree, r->options.signal);
	if (r->options.signal != SIGKILL) {
		go_on(r);
		for (; !tree_gone(tree) && now_ms() < deadline; take_events(r))
			wait_for(r, now_ms() + CLEANUP_LOOK_MS);
		tree_signal(tree, SIGKILL);
	}
	tree_destroy(tree);
}

// Stop all programs, report them, then end them.
static void give_up(struct run *r, const char *kind, const char *cause)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	struct debuggee_event e;
	size_t n;

	r->ending = true;
	passed_calm(r->passed);
	recall_all(r);
	hold_all(r);
	dbg_inferior_list(r->dbg, arena, &list, &n);
	// Most often those that were started last are to blame.
	for (size_t i = n; i-- > 0;)
		if (list[i].state == DBG_STOPPED)
			take_report(r, list[i].dbg, kind, cause);
	end_all(r);
	while (debuggees_event_next(r->dbg, arena, &e))
		dbg_error_destroy(e.err);
}

static void watch_over(struct run *r)
{
	uint64_t timeout = r->options.timeout_ms, hang = r->options.hang_ms;

	r->end = timeout ? now_ms() + timeout : 0;

	idle_restart(&r->idle, now_ms());
	for (take_events(r); !r->ended && !r->ending; take_events(r)) {
		// the key may have come while something else was awaited
		if (passed_suspends(r->passed)) {
			suspend(r);
			continue;
		}
		uint64_t look = idle_next(&r->idle, hang);

		wait_for(r, hang && (!r->end || look < r->end) ? look : r->end);
		_cleanup_free_ char *cause = NULL;
		if (r->end && now_ms() >= r->end) {
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

static struct dbg_error *command_start(struct run *r, int argc, char **argv)
{
	static const int keys[] = {SIGINT, SIGTSTP};
	sigset_t blocked;
	struct dbg_launch launch = {
	    .program = argv[0],
	    .args = (const char *const *)argv + 1,
	    .n_args = (size_t)argc - 1,
	    .unseen = true,
	    .lends = true,
	    .our_group = true,
	    .blocked = &blocked,
	};
	const struct dbg_break_req thrown = {
	    .kind = DBG_BREAK_THROW,
	    .text = r->options.first_chance,
	};
	const struct dbg_break_req exits = {
	    .kind = DBG_BREAK_LOCATION,
	    .place = {.kind = DBG_PLACE_FUNCTION,
		      .function = "System.Environment.Exit"},
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
	plain_error(
	    last_output_create(r->options.output_lines, &launch, &r->output));
	passed_block(&blocked);
	// before the loop, whose handlers it would not have where we ignore
	if (!err)
		err = dbg_launch(r->dbg, &launch);
	last_output_launched(r->output);
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

// Let go of what the command has started and left running.
static void let_go(struct run *r)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].dbg != r->dbg && list[i].state != DBG_IDLE)
			plain_error(dbg_detach(list[i].dbg, false));
	debuggees_end_children(r->dbg);
}

int report_run_main(struct dbg *dbg, int argc, char **argv)
{
	struct run r = {.dbg = dbg};
	int first;

	int status = run_options_parse(argc, argv, &r.options, &first);
	if (status >= 0)
		return status;
	memcpy(r.out.paths, r.options.paths, sizeof(r.out.paths));
	struct dbg_error *err = command_start(&r, argc - first, argv + first);
	if (err) {
		plain_error(err);
		last_output_destroy(r.output);
		passed_destroy(r.passed);
		loop_destroy(r.loop);
		return STATUS_CANNOT;
	}
	watch_over(&r);
	let_go(&r);
	last_output_destroy(r.output);
	publish_end(&r.out);
	report_destroy(&r.kept);
	warnings_drop(&r.warnings, NULL);
	passed_destroy(r.passed);
	loop_destroy(r.loop);
	return r.ending ? STATUS_TIMEOUT : end_as(r.exit_code, r.exit_signal);
}
