/*
 * A program that is lent: a process of its own, createdump, traces it in our
 * place until that has ended.
 *
 *   traced -> live_lend -> lent -> the tracer ends -> live_reclaim -> traced
 *
 * The tracer is traced by us, aside. The kernel tells its parent, the program,
 * which waits for it, of its end when we have reaped it. Then, however it has
 * ended, it traces nothing any more, and we have seized all threads of the
 * program before: nothing that follows is missed. Back, threads run and have
 * statuses as ever, of which none is looked at before TARGET_BACK is.
 *
 * Should we die, the program is not ours, and the tracer goes on.
 */
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/guard/orphan.h"
#include "target/live/thread.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

void tracer_forget(struct live *l)
{
	if (l->tracer)
		l->family->n_lent--;
	l->tracer = 0;
}

struct dbg_error *live_lend(struct target *t, pid_t pid)
{
	struct live *l = live_of(t);
	struct dbg_error *err = live_leave_begin(l);

	if (!err)
		err = live_take_out(l);
	if (err)
		return err;
	struct thread *th = thread_find(l, pid);
	if (!th || !th->offered) {
		// It was killed: the threads stand still.
		live_queue(l, TARGET_BACK, t->pid);
		live_kick(l);
		return NULL;
	}
	l->tracer = pid;
	l->family->n_lent++;
	live_detach_own(l);
	th->offered = false;
	// Its children are not ours to trace.
	live_ptrace(l, PTRACE_SETOPTIONS, pid, 0, 0);
	live_ptrace(l, PTRACE_CONT, pid, 0, 0);
	return NULL;
}

void tracer_status(struct live *l, pid_t tid, int status)
{
	size_t n;

	if (tid != l->tracer || WIFSTOPPED(status))
		return;
	tracer_forget(l);
	live_lent_look(&l->target);
	if (l->exited)
		return;
	// Threads that it had only begun to attach to stop by its SIGSTOP.
	if (WIFSIGNALED(status))
		kill(l->target.pid, SIGCONT);
	// If it fails live_reclaim fails too, and says why.
	l->let_go = dbg_err_drop(live_seize_new(l, &n));
	live_queue(l, TARGET_BACK, l->target.pid);
	live_kick(l);
}

struct dbg_error *live_reclaim(struct target *t)
{
	struct live *l = live_of(t);

	live_image_forget(l);
	l->let_go = false;
	struct dbg_error *err = live_seize_all(l);
	if (!err)
		err = live_memory_open(l);
	if (!err) {
		live_set_root(l);
		return NULL;
	}
	dbg_err_drop(live_let_go(l, false));
	l->let_go = true;
	return err;
}

void live_recall(struct target *t)
{
	if (live_of(t)->tracer)
		kill(live_of(t)->tracer, SIGKILL);
}

bool tracer_program_status(struct family *f, pid_t tid, int status)
{
	for (size_t i = 0; i < f->n_lives; i++) {
		struct live *l = f->lives[i];

		if (l->target.pid != tid || l->exited)
			continue;
		if (WIFSTOPPED(status))
			return l->let_go;
		live_recall(&l->target);
		live_exit(l, status);
		live_kick(l);
		return true;
	}
	return false;
}

// The end of a lent process that is not our child is told to its parent alone:
// if that has been told already, the status is not known.
void live_lent_look(struct target *t)
{
	struct live *l = live_of(t);
	uint64_t parent = 0;
	int status;

	if (!l->let_go || l->exited || !proc_ended(t->pid))
		return;
	// while it is traced no parent is told
	live_recall(t);
	if (l->tracer || (proc_status(t->pid, "PPid", 10, &parent) &&
			  (pid_t)parent == getpid()))
		return;
	live_exit(l, proc_exit_status(t->pid, &status) ? status : -1);
	live_kick(l);
}
