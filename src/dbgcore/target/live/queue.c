/*
 * The queue of events: what is to be reported, in order. An event is handed out
 * only while its cause stands (a trap, a watch), and while its thread may run:
 * where one thread runs alone, stops of the others wait until they go on.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

struct target_event *queue_slot(struct live *l)
{
	if (l->queue.first && l->queue.first == l->queue.n)
		l->queue.first = l->queue.n = 0;
	mem_grow(&l->queue.events, &l->queue.cap, l->queue.n,
		 sizeof(*l->queue.events));
	struct queued *queued = &l->queue.events[l->queue.n++];
	memset(queued, 0, sizeof(*queued));
	queued->serial = ++l->queue.serial;
	return &queued->event;
}

void live_queue(struct live *l, enum target_event_kind kind, pid_t tid)
{
	struct target_event *event = queue_slot(l);

	event->kind = kind;
	event->tid = tid;
}

void thread_keep(struct live *l, struct thread *th, enum target_event_kind kind)
{
	struct target_event *event = queue_slot(l);

	event->kind = kind;
	event->tid = th->tid;
	th->event_queued = (int)kind;
	th->serial = l->queue.serial;
	if (kind == TARGET_WATCH) {
		l->queue.events[l->queue.n - 1].watch_stamp = th->watch_stamp;
		event->slots = th->hits;
		th->hits = 0;
	}
	if (kind == TARGET_TRAP || kind == TARGET_STEPPED ||
	    kind == TARGET_WATCH)
		event->addr =
		    thread_load_regs(l, th) ? regs_pc(&th->regs.now) : 0;
	if (kind == TARGET_SIGNAL) {
		event->signal = th->due.signal;
		event->info = th->due.info;
	}
}

static bool is_stop(enum target_event_kind kind)
{
	return kind == TARGET_TRAP || kind == TARGET_STEPPED ||
	       kind == TARGET_SIGNAL || kind == TARGET_INTERRUPTED ||
	       kind == TARGET_WATCH;
}

// Is it an event of a trap or watch that was removed since?
static bool is_void(const struct live *l, const struct target_event *event)
{
	if (event->kind == TARGET_WATCH)
		return !hwbreak_any(l);
	return event->kind == TARGET_TRAP &&
	       !target_trap_armed(&l->target, event->addr);
}

// Shall the event wait, since another thread runs alone? An interruption
// concerns no thread in particular and does not wait.
bool queue_waits(const struct live *l, const struct thread *th, int kind)
{
	pid_t only = l->target.only;

	return th->kept ||
	       (only && th->tid != only && kind != TARGET_INTERRUPTED);
}

// May this event be reported? *ret_drop: it is void.
static struct dbg_error *ripe(struct live *l, const struct queued *queued,
			      bool *ret_ripe, bool *ret_drop)
{
	const struct target_event *event = &queued->event;
	struct thread *th = thread_find(l, event->tid);

	*ret_ripe = true;
	*ret_drop = false;
	if (!is_stop(event->kind) && event->kind != TARGET_EXEC)
		return NULL;
	if (!th || !th->event_queued || th->serial != queued->serial) {
		*ret_drop = true;
		return NULL;
	}
	*ret_ripe = event->kind == TARGET_EXEC ||
		    (!l->held && !queue_waits(l, th, event->kind));
	if (!*ret_ripe)
		return NULL;
	th->event_queued = 0;
	if (is_void(l, event)) {
		*ret_drop = true;
		return thread_go(l, th);
	}
	if (event->kind == TARGET_TRAP || event->kind == TARGET_STEPPED)
		th->skip_pc = event->addr;
	return NULL;
}

struct dbg_error *queue_pop(struct live *l, struct target_event *ret,
			    bool *ret_any)
{
	struct dbg_error *err;
	size_t i = l->queue.first;

	*ret_any = false;
	while (i < l->queue.n && !*ret_any) {
		struct queued queued = l->queue.events[i];
		bool is_ripe, drop;

		err = ripe(l, &queued, &is_ripe, &drop);
		if (err)
			return err;
		if (!is_ripe && !drop) {
			i++;
			continue;
		}
		if (i == l->queue.first) {
			i = ++l->queue.first;
		} else {
			l->queue.n--;
			memmove(&l->queue.events[i], &l->queue.events[i + 1],
				(l->queue.n - i) * sizeof(queued));
		}
		*ret_any = !drop;
		if (drop)
			continue;
		*ret = queued.event;
		// The registers were set anew meanwhile: any of the slots may
		// be it.
		if (ret->slots && queued.watch_stamp != l->watch_stamp)
			ret->slots = (1u << TARGET_WATCHES) - 1;
	}
	return NULL;
}

/* ---- Hits that are told later ----------------------------------------- */

static void hit_keep(struct target *t, const struct target_event *event,
		     bool kept)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, event->tid);

	if (!th || th->stop == STOP_NONE || th->event_queued)
		return;
	*queue_slot(l) = *event;
	th->event_queued = (int)event->kind;
	th->serial = l->queue.serial;
	th->skip_pc = 0;
	th->kept = kept;
}

void live_hit_keep(struct target *t, const struct target_event *event)
{
	hit_keep(t, event, true);
}

void live_hit_again(struct target *t, const struct target_event *event)
{
	hit_keep(t, event, false);
	live_kick(live_of(t));
}

void live_hits_release(struct target *t)
{
	struct live *l = live_of(t);

	for (size_t i = 0; i < l->n_threads; i++)
		l->threads[i]->kept = false;
	live_kick(l);
}

/* ---- A thread that runs elsewhere for a while ------------------------ */

struct dbg_error *live_hit_take(struct target *t, pid_t tid,
				struct target_hit *ret)
{
	struct live *l = live_of(t);
	struct target_hit hit = {0};
	struct thread *th;
	struct dbg_error *err = thread_stopped(l, tid, &th);

	if (err)
		return err;
	if (th->event_queued == TARGET_SIGNAL)
		return dbg_err(DBG_E_STATE,
			       "thread %d has a signal to handle first", tid);
	hit.passed =
	    thread_load_regs(l, th) && regs_pc(&th->regs.now) == th->skip_pc;
	for (size_t i = l->queue.first; th->event_queued && i < l->queue.n; i++)
		if (l->queue.events[i].serial == th->serial) {
			hit.event = l->queue.events[i].event;
			hit.watch_stamp = l->queue.events[i].watch_stamp;
		}
	th->event_queued = 0;
	th->kept = false;
	*ret = hit;
	return NULL;
}

void live_hit_give(struct target *t, pid_t tid, const struct target_hit *hit)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (!th || th->stop == STOP_NONE || th->event_queued ||
	    !thread_load_regs(l, th))
		return;
	th->skip_pc = hit->passed ? regs_pc(&th->regs.now) : 0;
	if (!hit->event.kind)
		return;
	*queue_slot(l) = hit->event;
	l->queue.events[l->queue.n - 1].watch_stamp = hit->watch_stamp;
	th->event_queued = (int)hit->event.kind;
	th->serial = l->queue.serial;
}
