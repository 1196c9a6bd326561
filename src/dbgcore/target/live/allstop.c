/*
 * Stops all threads by PTRACE_INTERRUPT and waits for them, lets them go again,
 * or steps one while the rest stand. A thread that goes on from a trap executes
 * the instruction beneath it first (ptrace.c).
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/err.h"

bool live_all_stopped(const struct target *t)
{
	return ((const struct live *)t)->n_running == 0;
}

// Bring everything that runs to a stop, marking it `paused`.
struct dbg_error *live_pause(struct live *l)
{
	struct dbg_error *err;
	bool outer = l->stopping;

	l->stopping = true;
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN || th->stop != STOP_NONE ||
		    th->zombie || th->stuck)
			continue;
		th->paused = true;
		// A new thread comes to a stop by itself.
		if (!th->fresh && !th->execed)
			thread_ask(l, th);
	}
	err = live_await_stops(l);
	l->stopping = outer;
	return err;
}

// The instruction beneath a trap that @th is to go on from; *ret_gone: the
// thread may be gone, and others may have come.
static struct dbg_error *displace(struct live *l, struct thread *th,
				  bool *ret_changed)
{
	struct dbg_error *err;
	size_t n = l->n_threads;
	uint64_t stops = l->target.counters.stops;
	bool done;

	err = thread_displace(l, th, &done);
	*ret_changed = n != l->n_threads || stops != l->target.counters.stops;
	return err;
}

static bool is_held(const struct live *l, const struct thread *th)
{
	const struct target *t = &l->target;

	return th->kind == THREAD_OWN &&
	       (t->only ? th->tid != t->only : th->tid == t->but);
}

// Let every thread go that has @select_paused, or all: first do what may need
// all of them stopped.
static struct dbg_error *go_all(struct live *l, bool only_paused)
{
	struct dbg_error *err = NULL;
	bool changed;

	for (size_t i = 0; i < l->n_threads && !err; i++) {
		struct thread *th = l->threads[i];

		if (th->stop == STOP_NONE || th->event_queued || !th->skip_pc ||
		    (only_paused ? !th->paused : is_held(l, th)))
			continue;
		err = displace(l, th, &changed);
		if (changed)
			i = (size_t)-1;
	}
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->stop == STOP_NONE || th->event_queued ||
		    (only_paused ? !th->paused : is_held(l, th)))
			continue;
		err = dbg_err_first(err, thread_go(l, th));
	}
	return err;
}

struct dbg_error *live_unpause(struct live *l)
{
	return go_all(l, true);
}

struct dbg_error *live_stop_all(struct target *t)
{
	struct dbg_error *err;
	struct live *l = live_of(t);

	err = live_pause(l);
	l->held = true;
	l->interrupt_wanted = false;
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->event_queued == TARGET_INTERRUPTED)
			th->event_queued = 0;
		th->paused = false;
		th->stepping = false;
	}
	if (!l->n_children && !l->family->n_strays)
		l->memory.n_ghosts = 0;
	live_kick(l);
	return err;
}

// Forget a hit that was not reported, of a trap that is gone.
static void forget_lifted(struct live *l, struct thread *th)
{
	if (th->event_queued == TARGET_TRAP && thread_load_regs(l, th) &&
	    !target_trap_armed(&l->target, regs_pc(&th->regs.now)))
		th->event_queued = 0;
}

struct dbg_error *live_resume_all(struct target *t)
{
	struct dbg_error *err;
	struct live *l = live_of(t);

	l->held = false;
	target_cache_drop(t);
	for (size_t i = 0; i < l->n_threads; i++)
		forget_lifted(l, l->threads[i]);
	err = go_all(l, false);
	live_kick(l);
	return err;
}

void live_thread_signal(struct target *t, pid_t tid, int signal)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (!th || th->stop == STOP_NONE)
		return;
	// A pending signal that was not reported yet is delivered too.
	if (th->due.signal && !th->due.reported) {
		th->due.extra = signal;
		return;
	}
	if (signal != th->due.signal && th->due.signal)
		th->due.here = false;
	th->due.signal = signal;
	th->due.reported = true;
}

struct dbg_error *live_thread_resume(struct target *t, pid_t tid, int signal)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th;
	bool done;

	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	l->held = false;
	forget_lifted(l, th);
	if (th->event_queued) {
		live_kick(l);
		return NULL;
	}
	live_thread_signal(t, tid, signal);
	if (is_held(l, th))
		return NULL;
	err = thread_displace(l, th, &done);
	if (thread_find(l, tid) == th && !th->event_queued)
		err = dbg_err_first(err, thread_go(l, th));
	live_kick(l);
	return err;
}

// Take the thread's event back out of the queue: it is answered here.
static bool take_step(struct live *l, pid_t tid)
{
	struct thread *th = thread_find(l, tid);

	if (!th || th->event_queued != TARGET_STEPPED)
		return false;
	th->event_queued = 0;
	th->skip_pc = thread_load_regs(l, th) ? regs_pc(&th->regs.now) : 0;
	return true;
}

static struct dbg_error *await_step(struct live *l, pid_t tid)
{
	struct dbg_error *err = NULL;
	struct thread *th = thread_find(l, tid);
	bool any;

	while (!err && th && th->stop == STOP_NONE && !th->zombie) {
		err = live_take(l, true, &any);
		th = thread_find(l, tid);
	}
	return err;
}

struct dbg_error *live_thread_step(struct target *t, pid_t tid, bool wait,
				   bool *ret_stepped)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th;
	bool done, stepped = false;

	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	forget_lifted(l, th);
	if (!th->event_queued) {
		if (thread_load_regs(l, th))
			th->skip_pc = regs_pc(&th->regs.now);
		err = thread_displace(l, th, &done);
		if (err)
			return err;
		th = thread_find(l, tid);
		if (done && th && !th->event_queued) {
			thread_keep(l, th, TARGET_STEPPED);
		} else if (th && !th->event_queued) {
			th->stepping = true;
			err = thread_go(l, th);
		}
	} else {
		l->held = false;
	}
	if (!err && wait)
		err = await_step(l, tid);
	if (wait)
		stepped = take_step(l, tid);
	live_kick(l);
	if (err)
		return err;
	*ret_stepped = stepped;
	return NULL;
}

// Find a thread that will stop when asked; NULL: none.
static struct thread *interruptible(struct live *l)
{
	bool several = l->n_threads > 1;

	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->kind != THREAD_OWN || th->stop != STOP_NONE ||
		    th->zombie || th->stuck || th->vfork.waits)
			continue;
		if (several && th->tid == l->target.pid) {
			char state = proc_state(th->tid, th->tid);

			if (state == 'Z' || state == 'X')
				continue;
		}
		return th;
	}
	return NULL;
}

struct dbg_error *live_interrupt(struct target *t)
{
	struct live *l = live_of(t);
	struct thread *th = interruptible(l);

	if (th) {
		l->interrupt_wanted = true;
		thread_ask(l, th);
		return NULL;
	}
	for (size_t i = 0; i < l->n_threads; i++) {
		th = l->threads[i];
		if (th->kind != THREAD_OWN || th->stop == STOP_NONE)
			continue;
		// It is told when that thread runs again: too late.
		if (th->event_queued && queue_waits(l, th, th->event_queued))
			continue;
		if (!th->event_queued)
			thread_keep(l, th, TARGET_INTERRUPTED);
		live_kick(l);
		return NULL;
	}
	// All wait for their vfork children: the first that returns.
	l->interrupt_wanted = true;
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->vfork.waits)
			thread_ask(l, l->threads[i]);
	return NULL;
}
