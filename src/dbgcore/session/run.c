/*
 * The target's events, one by one: judged by control, made a stop that the user
 * sees, or let go; and what resumes the program. An event that nobody wants
 * costs one resumption of one thread. An error in judging never holds the
 * program: it is told, and the program goes on.
 */
#include "session/attach.h"
#include "session/session.h"
#include "session/siblings.h"
#include "session/ticks.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

/* ---- A timer by which dbg_dispatch() is called again and again ----------- */

void ticks_start(struct ticks *t, unsigned int ms)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGCHLD};
	const struct timespec each = {.tv_nsec = ms * 1000000L};
	struct itimerspec when = {.it_value = each, .it_interval = each};

	if (!t->on)
		t->on = !timer_create(CLOCK_MONOTONIC, &how, &t->timer);
	if (t->on)
		timer_settime(t->timer, 0, &when, NULL);
}

void ticks_stop(struct ticks *t)
{
	if (t->on)
		timer_delete(t->timer);
	t->on = false;
}

/* ---- What happens to the program's signals ------------------------------- */

/*
 * What happens to the program's signals. By default a signal stops the program
 * only if delivering it would end the program, and every signal is delivered;
 * the user's rule for a signal replaces that.
 */

// Signals that may end the program, and the terminal's Ctrl-C and Ctrl-Z.
static const int looked_at[] = {
    SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT,   SIGBUS,    SIGFPE,  SIGSEGV,
    SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,   SIGXCPU,   SIGXFSZ, SIGSYS,
    SIGTRAP, SIGIO,   SIGPWR,  SIGPROF, SIGVTALRM, SIGSTKFLT, SIGTSTP,
};

// The runtime turns these into exceptions: seen whatever the user's rule is.
static const int thrown_by[] = {SIGSEGV, SIGFPE, SIGABRT};

void session_watch_signals(struct dbg *dbg)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(looked_at) / sizeof(int); i++)
		sigaddset(&set, looked_at[i]);
	for (int i = 1; i < NSIG; i++) {
		const struct signal_rule *rule = &dbg->signals[i];

		if (!rule->set)
			continue;
		if (rule->print || !rule->pass)
			sigaddset(&set, i);
		else
			sigdelset(&set, i);
	}
	for (size_t i = 0; i < sizeof(thrown_by) / sizeof(int); i++)
		sigaddset(&set, thrown_by[i]);
	target_watch_signals(dbg->target, &set);
}

static const char *signal_name(struct arena *arena, int signal)
{
	const char *name = sigabbrev_np(signal);

	// gdb's names of the real-time signals
	return name ? arena_printf(arena, "SIG%s", name)
		    : arena_printf(arena, "SIG%d", signal);
}

/* Tell the user of a signal that does not stop the program. */
static void session_signal_passes(struct dbg *dbg, int signal)
{
	_cleanup_arena_ struct arena *arena = arena_create();

	session_message(dbg, "Program received signal %s, %s",
			signal_name(arena, signal), strsignal(signal));
}

void dbg_signal_list(struct dbg *dbg, struct arena *arena,
		     struct dbg_signal **ret, size_t *ret_n)
{
	size_t n = 0;
	struct dbg_signal *list = arena_calloc(arena, NSIG, sizeof(*list));

	for (int i = 1; i < NSIG; i++) {
		const struct signal_rule *rule = &dbg->signals[i];

		// the C library's own, which no program has
		if (!sigabbrev_np(i) && i < SIGRTMIN)
			continue;
		list[n++] = (struct dbg_signal){
		    .number = i,
		    .name = signal_name(arena, i),
		    .text = arena_strdup(arena, strsignal(i)),
		    .automatic = !rule->set,
		    .stop = rule->stop,
		    .print = !rule->set || rule->print,
		    .pass = !rule->set || rule->pass,
		};
	}
	*ret = list;
	*ret_n = n;
}

struct dbg_error *dbg_signal_set(struct dbg *dbg,
				 const struct dbg_signal *signal)
{
	int i = signal->number;

	if (i < 1 || i >= NSIG || i == SIGKILL || i == SIGSTOP)
		return dbg_err(DBG_E_ARGUMENT,
			       "signal %d is not seen by debuggers", i);
	for (size_t k = 0; k < dbg->siblings->n; k++) {
		struct dbg *s = dbg->siblings->v[k];

		s->signals[i] = (struct signal_rule){
		    .set = !signal->automatic,
		    .stop = signal->stop,
		    .print = signal->print || signal->stop,
		    .pass = signal->pass,
		};
		if (s->target)
			session_watch_signals(s);
	}
	return NULL;
}

struct dbg_error *dbg_signal_queue(struct dbg_stopped at, uint32_t thread,
				   int signal)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_live(at);

	if (err)
		return err;
	if (signal < 0 || signal >= NSIG)
		return dbg_err(DBG_E_ARGUMENT, "no signal number %d", signal);

	pid_t tid = stack_thread_tid(dbg->inspect.stack, thread);

	if (!tid)
		return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", thread);
	target_thread_signal(dbg->target, tid, signal);
	return NULL;
}

struct dbg_error *dbg_signal_send(struct dbg *dbg, int signal)
{
	if (dbg->state == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	if (signal < 1 || signal >= NSIG)
		return dbg_err(DBG_E_ARGUMENT, "no signal number %d", signal);
	if (kill(dbg_pid(dbg), signal) < 0)
		return dbg_err(DBG_E_TARGET,
			       "cannot send signal %d to process %d: %m",
			       signal, dbg_pid(dbg));
	sigaddset(&dbg->sent, signal);
	return NULL;
}

bool dbg_signal_from_program(struct dbg *dbg, pid_t pid)
{
	return dbg->target && target_has_process(dbg->target, pid);
}

/* Did the user ask for the signal of @ev? */
static bool session_signal_sent(const struct dbg *dbg,
				const struct target_event *ev)
{
	const siginfo_t *info = &ev->info;
	// In a container of the program's own our number is 0.
	bool ours = info->si_code == SI_USER &&
		    (!info->si_pid || info->si_pid == getpid());

	if (sigismember(&dbg->sent, ev->signal) != 1)
		return false;
	return ours || !dbg->signals[ev->signal].set;
}

/* ---- The target's events, one by one ------------------------------------- */

/* Let the thread of an event go on, and all if they were halted. */
static struct dbg_error *let_go(struct dbg *dbg, const struct target_event *ev)
{
	bool signal = ev->kind == TARGET_SIGNAL;

	if (!dbg->inspect.stopped)
		return target_thread_resume(dbg->target, ev->tid,
					    signal ? ev->signal : 0);
	if (signal)
		target_thread_signal(dbg->target, ev->tid, ev->signal);
	return session_go(dbg);
}

/* ---- Events ---------------------------------------------------------- */

/*
 * @err of handling an event, or NULL if the process is ending: then a thread
 * that hits finds no memory any more, and its exit will be reported.
 */
static struct dbg_error *unless_ending(const struct dbg *dbg,
				       struct dbg_error *err)
{
	if (!err || (dbg->target && !target_dying(dbg->target)))
		return err;
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *judged(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err;
	struct dbg_stop stop = {0};
	bool stops = false;

	err =
	    control_judge(dbg->control, ev, dbg->inspect.arena, &stop, &stops);
	if (!err && stops)
		session_stopped(dbg, &stop);
	return err;
}

static struct dbg_error *on_trap(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_error *err = NULL;

	if (control_site_kinds(dbg->control, ev->addr) & SITE_START)
		err = start_trap(dbg, ev);
	return err ? err : judged(dbg, ev);
}

/* Stop at a signal because the user's rule says so. */
static struct dbg_error *halt_at_signal(struct dbg *dbg,
					const struct target_event *ev,
					struct dbg_stop *stop)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	control_step_cancel(dbg->control);
	stop->reason = DBG_STOP_SIGNAL;
	stop->signal = ev->signal;
	stop->thread = stack_thread_number(dbg->inspect.stack, ev->tid);
	return NULL;
}

/*
 * Handle a signal that is due; ev->signal becomes 0 if it is not to be
 * delivered.
 */
static struct dbg_error *on_signal(struct dbg *dbg, struct target_event *ev)
{
	struct dbg_error *err;
	const struct signal_rule *rule = &dbg->signals[ev->signal];
	bool key = ev->signal == SIGINT || ev->signal == SIGTSTP;
	bool swallow = rule->set && !rule->pass;
	struct dbg_stop stop = {0};
	bool stops = false;

	if (!rule->set && key && ev->info.si_code == SI_KERNEL) {
		// Ctrl-C and Ctrl-Z at the program's terminal are meant for us
		int signal = ev->signal;
		bool answered = sigismember(&dbg->answered, signal) == 1;

		target_thread_signal(dbg->target, ev->tid, 0);
		ev->signal = 0;
		sigdelset(&dbg->answered, signal);
		return answered ? NULL : session_paused(dbg, ev->tid, signal);
	}
	if (session_signal_sent(dbg, ev))
		return NULL;
	swallow = swallow || control_is_user_break(dbg->control, ev);
	err =
	    control_judge(dbg->control, ev, dbg->inspect.arena, &stop, &stops);
	if (!err && rule->set && rule->stop && !stops) {
		err = halt_at_signal(dbg, ev, &stop);
		stops = !err;
	}
	if (rule->set && !rule->stop && stop.reason == DBG_STOP_SIGNAL)
		stops = false;
	if (rule->set && rule->print && !stops)
		session_signal_passes(dbg, ev->signal);
	if (swallow) {
		ev->signal = 0;
		stop.fatal = false;
	}
	if (err || !stops)
		return err;
	target_thread_signal(dbg->target, ev->tid, ev->signal);
	session_stopped(dbg, &stop);
	return NULL;
}

static void on_thread(struct dbg *dbg, const struct target_event *ev)
{
	struct dbg_event event = {.kind = DBG_EVENT_THREAD};

	event.number = stack_thread_number(dbg->inspect.stack, ev->tid);
	event.gone = ev->kind == TARGET_GONE;
	if (event.gone) {
		control_thread_gone(dbg->control, ev->tid);
		stack_thread_gone(dbg->inspect.stack, ev->tid);
	}
	session_event(dbg, &event);
}

static void on_exit(struct dbg *dbg, const struct target_event *ev)
{
	bool known = dbg->state != DBG_LENT;

	if (known && dbg->start.phase != START_DONE)
		session_message(dbg, "the program ended without loading a "
				     ".NET runtime");
	if (known)
		control_tell_unmatched(dbg->control);
	session_ended(dbg);
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_EXITED,
					       .lent = !known,
					       .unknown = ev->unknown,
					       .exit_code = ev->exit_code,
					       .exit_signal = ev->signal});
}

/* The program replaced itself: nothing known of the old image holds. */
static struct dbg_error *on_exec(struct dbg *dbg)
{
	evaluation_ended(dbg);
	target_run_only(dbg->target, 0); // its thread has another number now
	control_end_run(dbg->control);
	inspect_runtime_gone(&dbg->inspect);
	control_begin_run(dbg->control);
	session_inferior_runs(dbg, NULL);
	session_follow(dbg);
	return start_begin(dbg);
}

static struct dbg_error *dispatch(struct dbg *dbg, struct target_event *ev)
{
	switch (ev->kind) {
	case TARGET_TRAP:
		return on_trap(dbg, ev);
	case TARGET_WATCH:
		return dbg->start.phase == START_TABLE ? start_written(dbg, ev)
						       : judged(dbg, ev);
	case TARGET_SIGNAL:
		return on_signal(dbg, ev);
	case TARGET_INTERRUPTED:
		return dbg->pausing ? session_paused(dbg, ev->tid, 0) : NULL;
	case TARGET_EXEC:
		return on_exec(dbg);
	case TARGET_CHILD:
		return session_child(dbg, ev->tid);
	case TARGET_BACK:
		return session_back(dbg);
	case TARGET_STEPPED:
	case TARGET_BORN:
	case TARGET_GONE:
	case TARGET_EXITED:
		break;
	}
	return NULL;
}

/* Log the event and what was decided. */
static void log_event(struct dbg *dbg, const struct target_event *ev,
		      const struct dbg_error *err)
{
	static const char *const kinds[] = {
	    [TARGET_TRAP] = "trap",     [TARGET_STEPPED] = "stepped",
	    [TARGET_SIGNAL] = "signal", [TARGET_INTERRUPTED] = "interrupted",
	    [TARGET_EXEC] = "exec",     [TARGET_WATCH] = "watch",
	    [TARGET_CHILD] = "child",   [TARGET_BACK] = "back",
	};
	size_t n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	const char *kind =
	    ev->kind < n_kinds && kinds[ev->kind] ? kinds[ev->kind] : "event";

	if (!log_on(&dbg->log, LOG_SESSION))
		return;
	if (dbg->state == DBG_STOPPED)
		log_line(&dbg->log, LOG_SESSION,
			 "thread %d, %s at 0x%" PRIx64
			 ": stop, reason %d, breakpoint %" PRIu32 ", signal %d",
			 ev->tid, kind, ev->addr, (int)dbg->stop.reason,
			 dbg->stop.breakpoint, dbg->stop.signal);
	else
		log_line(&dbg->log, LOG_SESSION,
			 "thread %d, %s at 0x%" PRIx64
			 ", signal %d: goes on%s%s",
			 ev->tid, kind, ev->addr, ev->signal, err ? ": " : "",
			 err ? err->message : "");
}

/* Does the front end want to see the program before it runs managed code? */
static bool is_ready(const struct dbg *dbg, const struct target_event *ev)
{
	return dbg->hold && dbg->state == DBG_RUNNING &&
	       dbg->start.phase == START_DONE &&
	       (ev->kind == TARGET_TRAP || ev->kind == TARGET_WATCH);
}

/* Stop before managed code. @why: no runtime can be debugged; NULL: one can. */
static struct dbg_error *ready(struct dbg *dbg, pid_t tid,
			       struct dbg_error *why)
{
	struct dbg_error *err = target_stop_all(dbg->target);
	struct dbg_stop stop = {.reason = DBG_STOP_READY};

	dbg->hold = false;
	if (err) {
		dbg_error_destroy(why);
		return err;
	}
	inspect_stop(&dbg->inspect);
	if (why)
		stop.note = arena_strdup(dbg->inspect.arena, why->message);
	dbg_error_destroy(why);
	stop.thread = stack_thread_number(dbg->inspect.stack, tid);
	session_stopped(dbg, &stop);
	return NULL;
}

/*
 * Handle an event of the target. An error in judging must not keep the thread:
 * it is reported, and the thread goes on.
 */
static struct dbg_error *event_take(struct dbg *dbg, struct target_event *ev)
{
	struct dbg_error *err;

	if (ev->kind == TARGET_EXITED) {
		on_exit(dbg, ev);
		return NULL;
	}
	// of threads that it had when it was lent
	if (dbg->state == DBG_LENT && ev->kind != TARGET_CHILD &&
	    ev->kind != TARGET_BACK)
		return NULL;
	if (ev->kind == TARGET_BORN || ev->kind == TARGET_GONE) {
		bool held = control_runs_only(dbg->control, dbg->resumed);

		on_thread(dbg, ev);
		// the others were held for one that is gone
		held = held && ev->tid == dbg->resumed;
		if (held)
			dbg->resumed = 0;
		if (evaluation_called(dbg))
			return NULL;
		return dbg->inspect.stopped || held ? session_go(dbg) : NULL;
	}
	err = unless_ending(dbg, dispatch(dbg, ev));
	if (is_ready(dbg, ev))
		err = ready(dbg, ev->tid, err);
	log_event(dbg, ev, err);
	// a child that was killed while it was held is no news
	if (err && ev->kind == TARGET_CHILD && err->code == DBG_E_NOT_FOUND) {
		dbg_error_destroy(err);
		err = NULL;
	}
	if (err) {
		if (err->code == DBG_E_RUNTIME)
			session_warning(dbg, "%s", err->message);
		else
			session_message(dbg, "%s", err->message);
		dbg_error_destroy(err);
	}
	if (dbg->state != DBG_RUNNING || evaluation_called(dbg))
		return NULL;
	// no thread of the program's own
	if (ev->kind == TARGET_CHILD || ev->kind == TARGET_BACK)
		return dbg->inspect.stopped ? session_go(dbg) : NULL;
	return let_go(dbg, ev);
}

// Hits in a row, each at once after the program went on from the last one, are
// often followed by another: looking for it a few times more costs less than to
// sleep and be woken on a quiet machine. Where hits are rarer each look would
// be in vain, and it costs more the more threads there are. The caller's loop
// has to serve others as well: after so many events the rest is left for later.
enum {
	LOOKS_MAX = 100,
	AT_ONCE_NS = 200000,
	AT_ONCE_MIN = 4,
	EVENTS_MAX = 256,
};

static bool is_hit(const struct target_event *ev)
{
	return ev->kind == TARGET_TRAP || ev->kind == TARGET_WATCH;
}

static struct dbg_error *dispatch_one(struct dbg *dbg, bool *any, bool *hit)
{
	struct dbg_error *err;
	struct siblings *s = dbg->siblings;
	struct target_event ev;
	bool got;

	err = target_event_next(dbg->target, &ev, &got);
	if (err || !got)
		return err;
	*any = true;
	standstill_event(dbg);
	if (is_hit(&ev) && clock_ns() - s->went_on < AT_ONCE_NS)
		*hit = *hit || ++s->at_once >= AT_ONCE_MIN;
	else
		s->at_once = 0;
	err = unless_ending(dbg, event_take(dbg, &ev));
	start_prepare(dbg);
	if (is_hit(&ev))
		s->went_on = clock_ns();
	return err;
}

/* Nothing can happen to a stopped program but its death: look for that. */
static void look_stopped(struct dbg *dbg)
{
	if (dbg->state == DBG_LENT)
		target_lent_look(dbg->target);
	if (dbg->state != DBG_STOPPED || !target_ended(dbg->target))
		return;
	dbg->state = DBG_RUNNING;
	inspect_go(&dbg->inspect);
}

struct dbg_error *dbg_dispatch(struct dbg *dbg)
{
	struct dbg_error *err = NULL;
	int looks = LOOKS_MAX;
	int events = 0;
	bool any = true, hit;

	for (size_t i = 0; i < dbg->siblings->n; i++)
		look_stopped(dbg->siblings->v[i]);
	while (!err && (any || looks < LOOKS_MAX)) {
		const struct siblings *s = dbg->siblings;

		any = hit = false;
		for (size_t i = 0; !err && i < s->n; i++)
			if (s->v[i]->state == DBG_RUNNING ||
			    s->v[i]->state == DBG_LENT)
				err = dispatch_one(s->v[i], &any, &hit);
		if (any)
			looks = hit ? 0 : LOOKS_MAX;
		else
			looks++;
		events += any;
		if (events == EVENTS_MAX && dbg->target) {
			target_rouse(dbg->target);
			break;
		}
	}
	for (size_t i = 0; i < dbg->siblings->n; i++) {
		evaluation_tick(dbg->siblings->v[i]);
		heldstep_tick(dbg->siblings->v[i]);
		standstill_tick(dbg->siblings->v[i]);
	}
	return err;
}

/* ---- Resuming -------------------------------------------------------- */

/* Resume the program; @alone: only the thread dbg->resumed. */
static struct dbg_error *resume(struct dbg *dbg, bool alone)
{
	struct step_rules *rules = control_step_rules(dbg->control);

	rules->alone = alone;
	rules->shares = false;
	holding_forget(dbg);
	dbg->state = DBG_RUNNING;
	memset(&dbg->stop, 0, sizeof(dbg->stop));
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_CONTINUED});
	target_keys_pending(dbg->target, &dbg->answered);
	target_terminal_give(dbg->target);
	siblings_thaw(dbg);
	heldstep_begin(dbg);
	return session_go(dbg);
}

static struct dbg_error *thread_tid(struct dbg_stopped at, uint32_t number,
				    pid_t *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_live(at);

	if (err)
		return err;
	if (!number)
		number = dbg->stop.thread;
	if (number >= DBG_THREAD_SUSPENDED)
		return dbg_err(DBG_E_STATE, "a suspended call is on no thread: "
					    "select one that is to run");
	*ret = stack_thread_tid(dbg->inspect.stack, number);
	if (!*ret)
		return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", number);
	dbg->resumed = *ret;
	return NULL;
}

/* Make the next stop of the same event, if two catchpoints want one each. */
static bool stop_again(struct dbg *dbg)
{
	struct dbg_stop stop;

	if (!control_stops_again(dbg->control))
		return false;
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_CONTINUED});
	holding_forget(dbg);
	inspect_go(&dbg->inspect);
	inspect_stop(&dbg->inspect);
	control_stop_again(dbg->control, dbg->inspect.arena, &stop);
	session_stopped(dbg, &stop);
	return true;
}

struct dbg_error *dbg_continue(struct dbg_stopped at, uint32_t only)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_live(at);
	pid_t tid = 0;

	if (!err && only)
		err = thread_tid(at, only, &tid);
	if (err)
		return err;
	if (stop_again(dbg))
		return NULL;
	if (!only)
		dbg->resumed =
		    stack_thread_tid(dbg->inspect.stack, dbg->stop.thread);
	return resume(dbg, only);
}

struct dbg_error *dbg_call_list(struct dbg_stopped at, uint32_t thread,
				struct dbg_call **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	pid_t tid = 0;

	err = thread_tid(at, thread, &tid);
	if (err)
		return err;
	return control_calls(dbg->control, tid, dbg->inspect.arena, ret, ret_n);
}

/*
 * Convert a level of displayed frames, as a step out counts them, to a level of
 * managed ones.
 */
static struct dbg_error *managed_level(struct dbg *dbg, pid_t tid,
				       uint32_t level, uint32_t *ret)
{
	struct dbg_error *err;
	const struct frame *f;
	uint32_t thread = stack_thread_number(dbg->inspect.stack, tid);

	*ret = level;
	err =
	    level ? stack_display(dbg->inspect.stack, thread, level, &f) : NULL;
	if (err || !level || !f)
		return err;
	if (f->kind != DBG_FRAME_MANAGED && f->kind != DBG_FRAME_RUNTIME)
		return dbg_err(
		    DBG_E_UNSUPPORTED, "frame %u is %s", level,
		    f->kind == DBG_FRAME_ASYNC
			? "not on the stack: it awaits the others"
		    : f->kind == DBG_FRAME_THROWN
			? "not on the stack any more: it led to the throw"
			: "not managed code");
	*ret = f->level;
	return NULL;
}

struct dbg_error *dbg_step(struct dbg_stopped at, const struct dbg_step *req)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	struct dbg_stop stop = {0};
	struct dbg_step step = *req;
	pid_t tid = 0;
	bool done = false;

	err = thread_tid(at, step.thread, &tid);
	if (!err && stop_again(dbg))
		return NULL;
	if (!err)
		err = managed_level(dbg, tid, step.frame, &step.frame);
	if (!err)
		err = control_step(dbg->control, tid, &step, &done);
	if (err)
		return err;
	if (!done)
		return resume(dbg, step.alone);

	// one instruction was executed already: this is a new stop
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_CONTINUED});
	holding_forget(dbg);
	inspect_go(&dbg->inspect);
	inspect_stop(&dbg->inspect);
	stop.reason = DBG_STOP_STEP;
	err = control_stepped(dbg->control, tid, &stop);
	stop.stepped = stop.reason == DBG_STOP_BREAKPOINT;
	stop.thread = stack_thread_number(dbg->inspect.stack, tid);
	session_stopped(dbg, &stop);
	return err;
}

struct dbg_error *dbg_run_to(struct dbg_stopped at, uint32_t thread,
			     const struct dbg_place *place)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	pid_t tid = 0;

	err = thread_tid(at, thread, &tid);
	if (!err && stop_again(dbg))
		return NULL;
	if (!err)
		err = control_run_to(dbg->control, tid, place,
				     session_frame_path(dbg, 0),
				     dbg->inspect.arena);
	return err ? err : resume(dbg, false);
}

static struct dbg_error *goto_begin(struct dbg_stopped at, uint32_t thread,
				    const struct dbg_place *place,
				    struct goto_req *req, pid_t *ret_tid)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = thread_tid(at, thread, ret_tid);

	*req = (struct goto_req){.place = place};
	if (!err)
		req->path = session_frame_path(dbg, 0);
	return err;
}

struct dbg_error *dbg_goto_list(struct dbg_stopped at, uint32_t thread,
				const struct dbg_place *place,
				struct arena *arena, struct dbg_location **ret,
				size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	struct goto_req req;
	pid_t tid = 0;

	err = goto_begin(at, thread, place, &req, &tid);
	if (err)
		return err;
	req.arena = arena;
	return control_goto_list(dbg->control, tid, &req, ret, ret_n);
}

struct dbg_error *dbg_goto(struct dbg_stopped at, uint32_t thread,
			   const struct dbg_place *place, bool run)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	struct dbg_stop stop = {.reason = DBG_STOP_GOTO};
	struct goto_req req;
	pid_t tid = 0;

	err = goto_begin(at, thread, place, &req, &tid);
	req.arena = dbg->inspect.arena;
	if (!err)
		err = control_goto(dbg->control, tid, &req);
	if (err)
		return err;
	inspect_go(&dbg->inspect);
	inspect_stop(&dbg->inspect);
	// a thread does not hit the trap that it is moved to
	if (run)
		err = control_stepped(dbg->control, tid, &stop);
	if (!err && run && stop.reason == DBG_STOP_GOTO)
		return resume(dbg, false);
	stop.thread = stack_thread_number(dbg->inspect.stack, tid);
	session_stopped(dbg, &stop);
	return err;
}

const struct dbg_stop *dbg_stop_reason(struct dbg_stopped at)
{
	static const struct dbg_stop over = {.reason = DBG_STOP_PAUSE};

	return dbg_err_drop(session_need_stop(at)) ? &over : &at.dbg->stop;
}

uint32_t dbg_stop_thread(struct dbg *dbg)
{
	return dbg->state == DBG_STOPPED ? dbg->stop.thread : 0;
}
