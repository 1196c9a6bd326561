/*
 * Watches by the processor's debug registers, which each thread has of its
 * own. A thread gets the present ones when it is let go: what is set while
 * it stands, or before it is born, holds from its next instruction on.
 *
 * The kernel keeps them with the thread: neither a new thread nor a forked
 * child inherits them, exec clears them, but they outlive a tracer that
 * lets the thread go. Whoever does that calls hwbreak_forget first.
 */
#include "target/live.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "base/err.h"

enum {
	DR_STATUS = 6,
	DR_CONTROL = 7,
	DR_SLOTS = 0xf, /* of the status: which were hit */
};

static uint64_t dr_offset(unsigned int n)
{
	return offsetof(struct user, u_debugreg) + n * sizeof(uint64_t);
}

// Intel SDM vol. 3, 17.2.4: enable bits, then kind and length of each.
static uint64_t dr_control(const struct target_watch *v)
{
	static const uint8_t lengths[9] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
	uint64_t control = 0;

	for (unsigned int i = 0; i < TARGET_WATCHES; i++) {
		uint64_t kind = v[i].reads ? 3 : 1;

		if (!v[i].size)
			continue;
		control |= UINT64_C(1) << 2 * i;
		control |= (kind | (uint64_t)lengths[v[i].size] << 2)
			   << (16 + 4 * i);
	}
	return control;
}

// Off first: the kernel checks an address against the length it had.
static bool set_registers(struct live *l, pid_t tid)
{
	const struct target_watch *v = l->watches;
	uint64_t control = dr_control(v);

	if (live_ptrace(l, PTRACE_POKEUSER, tid, dr_offset(DR_CONTROL), 0))
		return false;
	for (unsigned int i = 0; i < TARGET_WATCHES; i++)
		if (v[i].size && live_ptrace(l, PTRACE_POKEUSER, tid,
					     dr_offset(i), v[i].addr))
			return false;
	return !control || !live_ptrace(l, PTRACE_POKEUSER, tid,
					dr_offset(DR_CONTROL), control);
}

bool hwbreak_apply(struct live *l, struct thread *th)
{
	if (th->kind != THREAD_OWN || th->watch_stamp == l->watch_stamp)
		return true;
	th->watch_stamp = l->watch_stamp;
	return set_registers(l, th->tid);
}

unsigned int hwbreak_hits(struct live *l, struct thread *th)
{
	uint64_t status;

	if (!th->watch_stamp)
		return 0;
	errno = 0;
	status = (uint64_t)live_ptrace(l, PTRACE_PEEKUSER, th->tid,
				       dr_offset(DR_STATUS), 0);
	if (errno || !(status & DR_SLOTS))
		return 0;
	live_ptrace(l, PTRACE_POKEUSER, th->tid, dr_offset(DR_STATUS), 0);
	return (unsigned int)status & DR_SLOTS;
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
