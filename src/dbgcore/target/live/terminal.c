/*
 * Who has the foreground of the terminal, the debugger or the program: given to
 * the program when it runs, taken back at a stop, with the modes of each.
 */
#include "target/live/family.h"
#include "target/live/live.h"

#include <signal.h>
#include <unistd.h>

void live_terminal_init(struct live *l, const struct dbg_launch *launch)
{
	struct family *f = l->family;

	f->own_pgrp = getpgrp();
	// A program with a terminal of its own leaves ours alone; and from the
	// background nobody gives the foreground away.
	f->shares_tty = !launch->tty && isatty(STDIN_FILENO) &&
			tcgetpgrp(STDIN_FILENO) == f->own_pgrp;
}

// tcsetpgrp and tcsetattr from the background raise SIGTTOU.
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
