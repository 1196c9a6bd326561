/*
 * Watches by the processor's debug registers, which each thread has of its
 * own. A thread gets the present ones when it is let go: what is set while
 * it stands, or before it is born, holds from its next instruction on.
 *
 * The kernel keeps them with the thread: neither a new thread nor a forked
 * child inherits them, exec clears them, but they outlive a tracer that
 * lets the thread go. Whoever does that calls hwbreak_forget first.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

bool hwbreak_apply(struct live *l, struct thread *th)
{
	if (th->kind != THREAD_OWN || th->watch_stamp == l->watch_stamp)
		return true;
	th->watch_stamp = l->watch_stamp;
	return debugreg_set(l, th->tid, l->watches);
}

unsigned int hwbreak_hits(struct live *l, struct thread *th)
{
	return th->watch_stamp ? debugreg_hits(l, th->tid) : 0;
}

bool hwbreak_touches(const struct live *l, uint64_t addr, size_t n)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++) {
		const struct target_watch *w = &l->watches[i];

		if (w->size && addr < w->addr + w->size && w->addr < addr + n)
			return true;
	}
	return false;
}

bool hwbreak_any(const struct live *l)
{
	return hwbreak_touches(l, 0, SIZE_MAX);
}

void hwbreak_forget(struct live *l)
{
	if (!hwbreak_any(l))
		return;
	memset(l->watches, 0, sizeof(l->watches));
	l->watch_stamp++;
}

// Have the threads that stand now take them, to learn of a refusal.
static struct dbg_error *apply_all(struct live *l)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (th->stop == STOP_NONE || hwbreak_apply(l, th) ||
		    errno == ESRCH)
			continue;
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot set the debug registers of "
				     "thread %d",
				     th->tid);
	}
	return NULL;
}

static bool are_same(const struct target_watch *a, const struct target_watch *b)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (a[i].addr != b[i].addr || a[i].size != b[i].size ||
		    a[i].reads != b[i].reads)
			return false;
	return true;
}

struct dbg_error *live_watches_set(struct target *t,
				   const struct target_watch *v)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct target_watch old[TARGET_WATCHES];

	if (are_same(l->watches, v))
		return NULL;
	memcpy(old, l->watches, sizeof(old));
	memcpy(l->watches, v, sizeof(old));
	l->watch_stamp++;
	err = apply_all(l);
	if (!err)
		return NULL;
	memcpy(l->watches, old, sizeof(old));
	l->watch_stamp++;
	dbg_error_destroy(apply_all(l));
	return err;
}
