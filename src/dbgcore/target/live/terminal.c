/*
 * Who has the foreground of the terminal, the debugger or the program: it is
 * given to the program when that runs, and taken back at a stop, with the
 * terminal modes of each. Also keys that the terminal turns into signals, when
 * these came to a program that has stopped meanwhile.
 */
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include "base/err.h"

void live_terminal_init(struct live *l, const struct dbg_launch *launch)
{
	struct family *f = l->family;

	f->own_pgrp = getpgrp();
	// A program with a terminal of its own leaves ours alone, as does one
	// that is in our group; and from the background nobody gives the
	// foreground away.
	f->shares_tty = !launch->tty && !launch->our_group &&
			isatty(STDIN_FILENO) &&
			tcgetpgrp(STDIN_FILENO) == f->own_pgrp;
}

// Set the terminal's foreground and modes. SIGTTOU is blocked, which tcsetpgrp
// and tcsetattr raise from the background.
static void set_terminal(pid_t pgrp, const struct termios *modes)
{
	sigset_t block, old;

	sigemptyset(&block);
	sigaddset(&block, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	// It may have hung up; then there is nothing to share.
	int rc = tcsetpgrp(STDIN_FILENO, pgrp);
	if (!rc && modes)
		rc = tcsetattr(STDIN_FILENO, TCSADRAIN, modes);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void target_terminal_give(struct target *t)
{
	struct live *l = live_of(t);

	if (!target_can(t, TARGET_RUN) || l->exited)
		return;
	struct family *f = l->family;
	if (!f->shares_tty || f->given)
		return;
	if (tcgetattr(STDIN_FILENO, &f->own_modes))
		return;
	f->given = true;
	set_terminal(f->its_pgrp, f->has_modes ? &f->its_modes : NULL);
}

void target_terminal_take(struct target *t)
{
	struct live *l = live_of(t);

	if (!target_can(t, TARGET_RUN) || !l->family->given)
		return;
	struct family *f = l->family;
	f->given = false;
	// It may have put a group of its own there, as a shell does.
	pid_t pgrp = tcgetpgrp(STDIN_FILENO);
	if (pgrp > 0 && !l->exited)
		f->its_pgrp = pgrp;
	f->has_modes = !tcgetattr(STDIN_FILENO, &f->its_modes);
	set_terminal(f->own_pgrp, &f->own_modes);
}

/* ---- Keys ------------------------------------------------------------ */

enum {
	PEEKED = 16,       /* signals at a time */
	PEEKED_MAX = 4096, /* all in all */
	TAKE_TRIES = 1000, /* of a millisecond */
};

bool live_is_key(const siginfo_t *info)
{
	return (info->si_signo == SIGINT || info->si_signo == SIGTSTP) &&
	       info->si_code == SI_KERNEL;
}

static bool stands(const struct thread *th)
{
	return th->kind == THREAD_OWN && th->stop != STOP_NONE && !th->zombie;
}

// Has the thread taken a key's signal from the kernel that the session was not
// told of?
static bool has_key(const struct thread *th)
{
	return stands(th) && th->event_queued == TARGET_SIGNAL &&
	       live_is_key(&th->due.info);
}

// Get the pending signals of the process, which any of its threads may take.
static void pending_signals(struct live *l, sigset_t *ret)
{
	struct __ptrace_peeksiginfo_args args = {
	    .flags = PTRACE_PEEKSIGINFO_SHARED,
	    .nr = PEEKED,
	};
	siginfo_t list[PEEKED];
	long n = PEEKED;
	size_t i = 0;

	while (i < l->n_threads && !stands(l->threads[i]))
		i++;
	if (i == l->n_threads)
		return;
	for (; n == PEEKED && args.off < PEEKED_MAX; args.off += PEEKED) {
		n = live_ptrace(l, PTRACE_PEEKSIGINFO, l->threads[i]->tid,
				(uintptr_t)&args, (uintptr_t)list);
		for (long k = 0; k < n; k++)
			if (live_is_key(&list[k]))
				sigaddset(ret, list[k].si_signo);
	}
}

void target_keys_pending(struct target *t, sigset_t *ret)
{
	struct live *l = live_of(t);

	sigemptyset(ret);
	if (!target_can(t, TARGET_RUN))
		return;
	for (size_t i = 0; i < l->n_threads; i++)
		if (has_key(l->threads[i]))
			sigaddset(ret, l->threads[i]->due.info.si_signo);
	pending_signals(l, ret);
}

// Find a thread that will take @signal as soon as it goes on, and has nothing
// else to deliver.
static struct thread *taker(struct live *l, int signal)
{
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];
		uint64_t mask;

		if (!stands(th) || th->stop == STOP_GROUP || th->event_queued ||
		    th->due.signal || th->due.extra)
			continue;
		if (!live_ptrace(l, PTRACE_GETSIGMASK, th->tid, sizeof(mask),
				 (uintptr_t)&mask) &&
		    !(mask >> (signal - 1) & 1))
			return th;
	}
	return NULL;
}

// Let the thread take the signal: it stops again there before it executes
// anything.
static struct dbg_error *take_key(struct live *l, struct thread *th)
{
	struct dbg_error *err;
	pid_t tid = th->tid;
	uint64_t skip_pc = th->skip_pc;
	bool any;

	l->stopping = true;
	err = thread_go(l, th);
	for (int i = 0; !err && l->n_running && i < TAKE_TRIES; i++)
		err = live_take_within(l, 1, &any);
	l->stopping = false;
	err = dbg_err_first(err, live_pause(l));
	th = thread_find(l, tid);
	if (th)
		th->skip_pc = skip_pc;
	return err;
}

struct dbg_error *target_keys_drop(struct target *t, const sigset_t *keys)
{
	struct dbg_error *err = NULL;
	struct live *l = live_of(t);
	sigset_t pending;

	if (!target_can(t, TARGET_RUN) || !l->family->shares_tty)
		return NULL;
	sigemptyset(&pending);
	pending_signals(l, &pending);
	for (int signal = 1; !err && signal < NSIG; signal++) {
		struct thread *th = NULL;

		if (sigismember(keys, signal) == 1 &&
		    sigismember(&pending, signal) == 1)
			th = taker(l, signal);
		if (th)
			err = take_key(l, th);
	}
	for (size_t i = 0; i < l->n_threads; i++) {
		struct thread *th = l->threads[i];

		if (!has_key(th) ||
		    sigismember(keys, th->due.info.si_signo) != 1)
			continue;
		th->event_queued = 0;
		th->due.signal = 0;
	}
	live_kick(l);
	return err;
}
