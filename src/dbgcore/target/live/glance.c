/*
 * One look at a running thread of a process that is not traced: it is seized,
 * stopped, read, and let go, which takes it some ten microseconds. If we die
 * meanwhile, the kernel lets it go.
 */
#include "target/live/live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum {
	STOP_LOOKS = 100, // of a millisecond
};

// Has the thread stopped? A thread that waits where nothing can stop it does so
// later.
static bool await_stop(pid_t tid, bool *seized, int *ret_status)
{
	for (int i = 0; i < STOP_LOOKS; i++) {
		pid_t got = waitpid(tid, ret_status, __WALL | WNOHANG);

		if (got == tid && WIFSTOPPED(*ret_status))
			return true;
		if (got && !(got < 0 && errno == EINTR)) {
			*seized = false; // it has ended
			return false;
		}
		poll(NULL, 0, i != 0);
	}
	return false;
}

bool target_glance(struct target *t, pid_t tid, bool *seized, struct regs *ret,
		   struct target_glance *stack)
{
	int status;

	if (!*seized) {
		if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
			return false;
		*seized = true;
		ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	}
	if (!await_stop(tid, seized, &status))
		return false;
	// A signal that was on its way goes on.
	int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	bool read = !ptrace(PTRACE_GETREGS, tid, NULL, ret);

	if (read)
		stack->n = target_read_some(t, regs_sp(ret), stack->bytes,
					    sizeof(stack->bytes));
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
	*seized = false;
	return read;
}
