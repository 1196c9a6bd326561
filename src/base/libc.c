/*
 * The functions of libc.h: signal names from a table, close_range as a system
 * call.
 */
#include "base/libc.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* <asm/signal.h> of x86-64. */
static const char *const names[] = {
    [SIGHUP] = "HUP",       [SIGINT] = "INT",       [SIGQUIT] = "QUIT",
    [SIGILL] = "ILL",       [SIGTRAP] = "TRAP",     [SIGABRT] = "ABRT",
    [SIGBUS] = "BUS",       [SIGFPE] = "FPE",       [SIGKILL] = "KILL",
    [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV",     [SIGUSR2] = "USR2",
    [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM",     [SIGTERM] = "TERM",
    [SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD",     [SIGCONT] = "CONT",
    [SIGSTOP] = "STOP",     [SIGTSTP] = "TSTP",     [SIGTTIN] = "TTIN",
    [SIGTTOU] = "TTOU",     [SIGURG] = "URG",       [SIGXCPU] = "XCPU",
    [SIGXFSZ] = "XFSZ",     [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
    [SIGWINCH] = "WINCH",   [SIGIO] = "POLL",       [SIGPWR] = "PWR",
    [SIGSYS] = "SYS",
};

const char *sigabbrev_np(int signal)
{
	size_t n = sizeof(names) / sizeof(names[0]);

	return signal > 0 && (size_t)signal < n ? names[signal] : NULL;
}

const char *sigdescr_np(int signal)
{
	return sigabbrev_np(signal) ? strsignal(signal) : NULL;
}

int close_range(unsigned int first, unsigned int last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}
