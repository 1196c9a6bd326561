/*
 * Running one thread while all others stand still, up to given addresses. It
 * may need a lock that another holds: a thread that sleeps is reported, so that
 * the caller can let the others run.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include "base/err.h"

enum {
	LOOK_MS = 1,
	ASLEEP_LOOKS = 2, /* until it is believed */
	LOOKS_MAX = 2000,
};

static bool is_running(const struct thread *th)
{
	return th && th->stop == STOP_NONE && !th->zombie;
}

/*
 * Wait until the thread stops, or sleeps: nobody is there to wake it. A
 * thread that merely gets no processor is waited for.
 */
static struct dbg_error *await_stop(struct live *l, pid_t tid)
{
	struct dbg_error *err = NULL;
	int asleep = 0;

	for (int i = 0; i < LOOKS_MAX && asleep < ASLEEP_LOOKS; i++) {
		bool any;

		err = live_take_within(l, LOOK_MS, &any);
		if (err || !is_running(thread_find(l, tid)))
			break;
		if (!any)
			asleep = proc_state(l->target.pid, tid) == 'S'
				     ? asleep + 1
				     : 0;
	}
	return err;
}

/* Take back the event of a thread that stands at one of @addrs. */
static bool take_trap(struct live *l, pid_t tid, const uint64_t *addrs,
		      size_t n)
{
	struct thread *th = thread_find(l, tid);

	if (!th || th->event_queued != TARGET_TRAP || !thread_load_regs(l, th))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (regs_pc(&th->regs.now) != addrs[i])
			continue;
		th->event_queued = 0;
		th->skip_pc = addrs[i];
		return true;
	}
	return false;
}

struct dbg_error *live_thread_alone(struct target *t, pid_t tid,
				    const uint64_t *addrs, size_t n,
				    enum target_alone *ret)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	struct thread *th;
	bool done, slept = false;

	err = thread_stopped(l, tid, &th);
	if (err)
		return err;
	*ret = TARGET_ALONE_ENDED;
	if (th->event_queued)
		return NULL;
	err = thread_displace(l, th, &done);
	if (!err && thread_find(l, tid) == th && !th->event_queued)
		err = thread_go(l, th);
	if (!err)
		err = await_stop(l, tid);
	if (!err)
		slept = is_running(thread_find(l, tid));
	if (!err)
		err = live_stop_all(t);
	if (err)
		return err;
	if (take_trap(l, tid, addrs, n))
		*ret = TARGET_ALONE_THERE;
	else if (slept)
		*ret = TARGET_ALONE_ASLEEP;
	return NULL;
}
