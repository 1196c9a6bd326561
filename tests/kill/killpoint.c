/*
 * Loaded into dndbg (LD_PRELOAD), to kill it before one of its calls that
 * change something in the program, and to make the windows of its cleaning up
 * wide, which are too small to be hit otherwise. By environment:
 *
 * KILL_AT=N       the N-th such call of dndbg itself is not made: it is killed.
 * KILL_FROM=BYTES ... counted from its first write of that length.
 * KILL_CLEANUP=N  the same for the process that cleans up behind it, together
 *                 with the one that would make it try again.
 * KILL_LOG=PATH   a line for each of them: who, number, call, address, length.
 * WIDE_SEIZE=MS   each PTRACE_SEIZE of whoever attaches behind a dead one takes
 *                 that long,
 * WIDE_STOP=MS    and so does the first PTRACE_INTERRUPT.
 * WIDE_ALL=1      ... of dndbg itself, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static pid_t first; /* dndbg, 0: not loaded into it; the cleanup process is
		       its fork */
static long kill_at, kill_from, kill_cleanup, wide_seize, wide_stop, wide_all;
static const char *log_path;
static long n_calls[2];

static long setting(const char *name)
{
	const char *text = getenv(name);

	return text ? atol(text) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	// Something else on the way to it (setsid).
	if (strcmp(program_invocation_short_name, "dndbg"))
		return;
	first = getpid();
	kill_at = setting("KILL_AT");
	kill_from = setting("KILL_FROM");
	kill_cleanup = setting("KILL_CLEANUP");
	wide_seize = setting("WIDE_SEIZE");
	wide_stop = setting("WIDE_STOP");
	wide_all = setting("WIDE_ALL");
	log_path = getenv("KILL_LOG");
	// What it starts is none of ours.
	unsetenv("LD_PRELOAD");
}

static pid_t self(void)
{
	return (pid_t)syscall(SYS_getpid);
}

static int is_cleanup(void)
{
	char name[16] = "";

	if (!first || self() == first)
		return 0;
	prctl(PR_GET_NAME, name);
	return !strcmp(name, "dndbg-cleanup");
}

// The file is opened each time: the cleanup process closes all it has.
static void note(int cleanup, const char *call, unsigned long addr, size_t len)
{
	char line[128];

	if (!log_path)
		return;
	int n = snprintf(line, sizeof(line), "%s %ld %s %lx %zu\n",
			 cleanup ? "cleanup" : "dndbg", n_calls[cleanup], call,
			 addr, len);
	int fd =
	    open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd >= 0 && write(fd, line, (size_t)n) < 0)
		n = 0;
	if (fd >= 0)
		close(fd);
}

// A call that changes something is about to be made.
static void point(const char *call, unsigned long addr, size_t len)
{
	int cleanup = is_cleanup();

	if (!cleanup && self() != first)
		return;
	if (!cleanup && kill_from && len != (size_t)kill_from)
		return;
	if (!cleanup)
		kill_from = 0;
	n_calls[cleanup]++;
	note(cleanup, call, addr, len);
	if (n_calls[cleanup] != (cleanup ? kill_cleanup : kill_at))
		return;
	if (cleanup)
		kill(getppid(), SIGKILL);
	syscall(SYS_kill, self(), SIGKILL);
	for (;;)
		pause();
}

static void *next(void **real, const char *name)
{
	if (!*real)
		*real = dlsym(RTLD_NEXT, name);
	return *real;
}

static void nap(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static int only_looks(int request)
{
	switch (request) {
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA:
	case PTRACE_PEEKUSER:
	case PTRACE_GETREGS:
	case PTRACE_GETFPREGS:
	case PTRACE_GETREGSET:
	case PTRACE_GETSIGINFO:
	case PTRACE_GETSIGMASK:
	case PTRACE_GETEVENTMSG:
	case PTRACE_PEEKSIGINFO:
		return 1;
	}
	return 0;
}

long ptrace(enum __ptrace_request request, ...)
{
	static void *real;
	static int asked;
	va_list list;
	char name[32];

	va_start(list, request);
	pid_t pid = va_arg(list, pid_t);
	void *addr = va_arg(list, void *), *data = va_arg(list, void *);
	va_end(list);
	int wide = wide_all || is_cleanup();
	if (request == PTRACE_INTERRUPT && wide && !asked++)
		nap(wide_stop);
	if (!only_looks(request)) {
		snprintf(name, sizeof(name), "ptrace-%x", request);
		point(name, (unsigned long)pid, 0);
	}
	long (*call)(int, pid_t, void *, void *) = next(&real, "ptrace");
	long rc = call((int)request, pid, addr, data);
	int errnum = errno;
	if (request == PTRACE_SEIZE && wide)
		nap(wide_seize);
	errno = errnum;
	return rc;
}

ssize_t pwrite64(int fd, const void *buf, size_t n, off64_t at)
{
	static void *real;

	point("pwrite", (unsigned long)at, n);
	ssize_t (*call)(int, const void *, size_t, off64_t) =
	    next(&real, "pwrite64");
	return call(fd, buf, n, at);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return pwrite64(fd, buf, n, at);
}

ssize_t process_vm_writev(pid_t pid, const struct iovec *local,
			  unsigned long n_local, const struct iovec *remote,
			  unsigned long n_remote, unsigned long flags)
{
	static void *real;

	point("vmwrite", n_remote ? (unsigned long)remote[0].iov_base : 0,
	      n_remote ? remote[0].iov_len : 0);
	ssize_t (*call)(pid_t, const struct iovec *, unsigned long,
			const struct iovec *, unsigned long, unsigned long) =
	    next(&real, "process_vm_writev");
	return call(pid, local, n_local, remote, n_remote, flags);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	static void *real;

	point("reap", (unsigned long)pid, 0);
	pid_t (*call)(pid_t, int *, int) = next(&real, "waitpid");
	return call(pid, status, options);
}
