/*
 * A live process as a target: the table of its operations, its making and its
 * end.
 */
#include "target/live/family.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/guard/orphan.h"
#include "target/live/inject.h"
#include "target/live/live.h"
#include "target/live/thread.h"
#include "target/proc.h"

/* ---- A thread alone -------------------------------------------------- */

/*
 * Running one thread while all others stand still, up to given addresses. It
 * may need a lock that another holds: a thread that sleeps is reported, so that
 * the caller can let the others run.
 */

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

static struct dbg_error *live_thread_alone(struct target *t, pid_t tid,
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

/* ---- The target ------------------------------------------------------ */

static int live_fd(const struct target *t)
{
	return ((const struct live *)t)->family->signal_fd;
}

static void live_watch_signals(struct target *t, const sigset_t *set)
{
	live_of(t)->watched = *set;
}

static struct dbg_error *live_maps(struct target *t, struct proc_maps *ret)
{
	struct dbg_error *err = live_mappings(live_of(t), ret);

	if (!err)
		live_root_cut(&live_of(t)->root, ret);
	return err;
}

static struct dbg_error *live_auxv(struct target *t, uint64_t type,
				   uint64_t *ret)
{
	return proc_auxv(live_body(live_of(t)), type, ret);
}

static uint64_t live_thread_time(struct target *t, pid_t tid)
{
	return proc_time_of(t->pid, tid, NULL);
}

static const char *live_root(const struct target *t)
{
	return ((const struct live *)t)->root.path;
}

// Does the signal's default action end a process? All do but these: signal(7).
static bool ends_by_default(int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
	case SIGURG:
	case SIGWINCH:
		return false;
	}
	return true;
}

// Is @signal in the set @field of the process's status?
static bool has_signal(struct target *t, const char *field, int signal)
{
	uint64_t set = 0;

	proc_status(t->pid, field, 16, &set);
	return set >> (signal - 1) & 1;
}

static bool live_signal_is_fatal(struct target *t, int signal)
{
	if (signal < 1 || signal >= NSIG || !ends_by_default(signal))
		return false;
	if (signal == SIGKILL)
		return true;
	// The first process of a pid namespace is ended by a fault, and by
	// abort(), which begins with SIGABRT.
	if (proc_is_first(t->pid) && signal != SIGABRT &&
	    !signal_is_fault(signal))
		return false;
	// Most that come are the runtime's own, which it handles.
	return !has_signal(t, "SigCgt", signal) &&
	       !has_signal(t, "SigIgn", signal);
}

static bool live_survives(const struct target *t)
{
	return ((const struct live *)t)->survives;
}

static struct dbg_error *live_guard_renew(struct target *t, pid_t tid)
{
	enum {
		STOPS = 2, /* entering the system call, and leaving it */
	};
	struct live *l = live_of(t);
	struct thread *th;
	struct dbg_error *err = inject_event_stops(l);

	if (!err)
		err = live_stop_all(t);
	for (int i = 0; !err && i < STOPS && (th = thread_find(l, tid)); i++) {
		thread_mask(l, th);
		err = inject_advance(l, th);
	}
	return err ? err : orphan_put_first(l);
}

static void live_clear_behind(struct target *t, uint64_t addr)
{
	orphan_clear(live_of(t), addr);
}

static struct dbg_error *live_traps_arming(struct target *t, struct trap *v,
					   size_t n)
{
	struct dbg_error *err = NULL;
	struct live *l = live_of(t);

	if (l->survives && !l->orphan.addr)
		err = orphan_install(l);
	return err ? err : orphan_arm(l, v, n);
}

static void live_traps_lifted(struct target *t, const struct trap *v, size_t n)
{
	child_ghosts(live_of(t), v, n);
	orphan_lift(live_of(t), v, n);
}

static pid_t live_memory_of(struct target *t)
{
	return live_body(live_of(t));
}

static const struct target_ops live_ops = {
    .caps = TARGET_RUN | TARGET_WRITE,
    .destroy = live_destroy,
    .read = live_read,
    .read_pages = live_read_pages,
    .frozen = live_all_stopped,
    .maps = live_maps,
    .auxv = live_auxv,
    .root = live_root,
    .threads = live_threads,
    .thread_name = live_thread_name,
    .thread_time = live_thread_time,
    .tid_inside = live_tid_inside,
    .tid_outside = live_tid_outside,
    .memory_of = live_memory_of,
    .regs = live_regs,
    .fpregs = live_fpregs,
    .write = live_write,
    .write_code = live_write_code,
    .regs_set = live_regs_set,
    .fpregs_set = live_fpregs_set,
    .fd = live_fd,
    .event_next = live_event_next,
    .hit_take = live_hit_take,
    .hit_give = live_hit_give,
    .hit_keep = live_hit_keep,
    .hit_again = live_hit_again,
    .hits_release = live_hits_release,
    .watch_signals = live_watch_signals,
    .signal_is_fatal = live_signal_is_fatal,
    .stop_all = live_stop_all,
    .all_stopped = live_all_stopped,
    .resume_all = live_resume_all,
    .thread_resume = live_thread_resume,
    .thread_step = live_thread_step,
    .watches_set = live_watches_set,
    .thread_alone = live_thread_alone,
    .interrupt = live_interrupt,
    .rouse = live_rouse,
    .thread_signal = live_thread_signal,
    .kill = live_kill,
    .detach = live_detach,
    .survives = live_survives,
    .guard_renew = live_guard_renew,
    .clear_behind = live_clear_behind,
    .write_undone = journal_write,
    .undone_begin = journal_begin,
    .undone_keep = journal_keep,
    .ended = live_ended,
    .mmap = live_mmap,
    .call_leaf = live_call_leaf,
    .find_code = live_find_code,
    .traps_arming = live_traps_arming,
    .traps_lifted = live_traps_lifted,
    .trap_yield = live_trap_yield,
    .thread_spawns = live_thread_spawns,
    .follow = live_follow,
    .has_process = live_has_process,
    .child_pass = live_child_pass,
    .child_leave = live_child_leave,
    .child_adopt = live_child_adopt,
    .lend = live_lend,
    .reclaim = live_reclaim,
    .recall = live_recall,
    .lent_look = live_lent_look,
    .snapshot = live_snapshot,
};

void live_root_deinit(struct live_root *root)
{
	free(root->path);
	free(root->above);
}

// Cut the prefix that the kernel's paths have in front of the program's root:
// it tells paths from the root of the mount namespace; below a chroot the
// process and its /proc/PID/root know less of them.
void live_root_cut(const struct live_root *root, struct proc_maps *maps)
{
	size_t n = root->above ? strlen(root->above) : 0;

	for (size_t i = 0; n && i < maps->n; i++)
		if (!strncmp(maps->v[i].path, root->above, n) &&
		    maps->v[i].path[n] == '/')
			maps->v[i].path += n;
}

void live_root_init(struct live_root *root, pid_t pid)
{
	char ours[PATH_MAX], its[PATH_MAX];

	root->path = xstrdup("");
	root->above = NULL;
	root->other_pids = proc_link(0, "ns/pid", ours) &&
			   proc_link(pid, "ns/pid", its) && strcmp(ours, its);
	// Same mounts, same root: names mean the same there.
	bool same = proc_link(0, "ns/mnt", ours) &&
		    proc_link(pid, "ns/mnt", its) && !strcmp(ours, its);
	if (!proc_link(0, "root", ours) || !proc_link(pid, "root", its) ||
	    (same && !strcmp(ours, its)))
		return;
	free(root->path);
	root->path = xasprintf("/proc/%d/root", pid);
	if (its[1])
		root->above = xstrdup(its);
}

void live_set_root(struct live *l)
{
	live_root_deinit(&l->root);
	live_root_init(&l->root, live_body(l));
}

struct dbg_error *live_create(struct family *f, struct live **ret)
{
	struct live *l = xcalloc(1, sizeof(*l));
	target_init(&l->target, &live_ops, 0);
	struct dbg_error *err = family_join(f, l);
	if (err) {
		target_deinit(&l->target);
		free(l);
		return err;
	}
	sigemptyset(&l->watched);
	l->root.path = xstrdup("");
	live_memory_init(l);
	*ret = l;
	return NULL;
}

struct dbg_error *live_kill(struct target *t)
{
	struct live *l = live_of(t);

	if (l->exited)
		return NULL;
	t->counters.syscalls++;
	if (kill(t->pid, SIGKILL) && errno != ESRCH)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot kill process %d", t->pid);
	l->survives = false;
	l->killed = true;
	return NULL;
}

static struct dbg_error *live_end(struct live *l)
{
	struct dbg_error *err = live_kill(&l->target);
	bool any;

	while (!err && !l->exited)
		err = live_take(l, true, &any);
	return err;
}

void live_destroy(struct target *t)
{
	struct live *l = live_of(t);
	struct dbg_error *err = NULL;

	if (l->survives && !l->let_go)
		err = live_let_go(l, false);
	else if (t->pid && !l->let_go)
		err = live_end(l);
	dbg_error_destroy(err);
	child_release_all(l);
	tracer_forget(l);
	cleanup_process_end(&l->cleanup);
	orphan_forget(l);
	if (l->family->n_lives == 1)
		target_terminal_take(t);
	while (l->n_threads)
		thread_remove(l, l->threads[0]);
	live_memory_deinit(l);
	family_leave(l);
	map_deinit(&l->by_tid);
	free(l->threads);
	free(l->queue.events);
	free(l->memory.ghosts);
	live_root_deinit(&l->root);
	target_deinit(t);
	free(l);
}
