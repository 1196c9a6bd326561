/*
 * What a blocked thread waits for, judged by its system call and by the methods
 * on its stack: see threadlook.h.
 */
#include "sample/threadlook.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/str.h"
#include "target/proc.h"
#include "target/target.h"

/* ---- By the methods ---------------------------------------------------- */

/* Methods whose names begin so. */
static const struct waiting_method {
	const char *prefix, *what;
	bool perhaps; /* unless what has called it tells more */
} methods[] = {
    {"System.Threading.Monitor.Enter", "[lock]", false},
    {"System.Threading.Monitor.TryEnter", "[lock]", false},
    {"System.Threading.Monitor.ReliableEnter", "[lock]", false},
    {"System.Threading.Lock.", "[lock]", false},
    {"System.Threading.ReaderWriterLock", "[lock]", false},
    {"System.Threading.Thread.Sleep", "[sleep]", false},
    {"System.Threading.Thread.Join", "[thread]", false},
    {"System.Threading.Tasks.Task.InternalWait", "[task]", false},
    {"System.Threading.Tasks.Task.SpinThenBlockingWait", "[task]", false},
    {"System.Threading.Tasks.Task.Wait", "[task]", false},
    {"System.Threading.LowLevelLifoSemaphore.", "[idle]", false},
    {"System.Threading.PortableThreadPool.", "[idle]", false},
    {"System.Threading.TimerQueue.", "[idle]", false},
    {"System.Net.Sockets.SocketAsyncEngine.", "[idle]", false},
    {"System.Threading.Monitor.Wait", "[event]", true},
    {"System.Threading.Monitor.ObjWait", "[event]", true},
    {"System.Threading.ManualResetEventSlim.", "[event]", true},
    {"System.Threading.SemaphoreSlim.", "[event]", true},
    {"System.Threading.Condition.", "[event]", true},
    {"System.Threading.WaitHandle.", "[event]", true},
};

static const struct waiting_method *method_find(const char *name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (str_starts(name, methods[i].prefix))
			return &methods[i];
	return NULL;
}

// Classify a thread that waits for another thread to wake it.
static const char *by_methods(const struct dbg_sample_frame *const *frames,
			      size_t n, bool by_call)
{
	const char *perhaps = NULL;
	bool managed = by_call;

	for (size_t i = 0; i < n; i++) {
		if (frames[i]->kind != DBG_SAMPLE_MANAGED)
			continue;
		// A lock that code enters by a helper of the runtime's.
		if (frames[i]->own)
			return perhaps   ? perhaps
			       : managed ? "[event]"
					 : "[lock]";
		managed = true;
		const struct waiting_method *m = method_find(frames[i]->name);

		if (m && !m->perhaps)
			return m->what;
		if (m)
			perhaps = m->what;
	}
	return perhaps ? perhaps : managed ? "[event]" : "[idle]";
}

// Does the stack consist of the runtime's own code, and the C library's?
static bool is_of_runtime(const struct dbg_sample_frame *const *frames,
			  size_t n)
{
	static const char *const modules[] = {
	    "libcoreclr.so", "libSystem.Native.so", "libc.so",
	    "libclrjit.so",  "libpthread",          "ld-"};

	for (size_t i = 0; i < n; i++) {
		bool known = false;

		for (size_t k = 0; k < sizeof(modules) / sizeof(*modules); k++)
			known |= str_starts(frames[i]->module, modules[k]);
		if (!known)
			return false;
	}
	return true;
}

/* ---- By the file ------------------------------------------------------- */

static const char *by_file(struct target *t, uint64_t fd)
{
	static const struct {
		const char *prefix, *what;
	} kinds[] = {
	    {"socket:", "[socket]"},          {"pipe:", "[pipe]"},
	    {"/dev/pts/", "[terminal]"},      {"/dev/tty", "[terminal]"},
	    {"anon_inode:[event", "[event]"}, {"/", "[file]"},
	};
	char name[32], text[PATH_MAX];

	snprintf(name, sizeof(name), "fd/%d", (int)fd);
	if (!proc_link(target_pid(t), name, text))
		return "[other]";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (str_starts(text, kinds[i].prefix))
			return kinds[i].what;
	return "[other]";
}

// Describe a wait in poll(), by the first of its files.
static const char *by_poll(struct target *t, const struct blocked_call *call)
{
	struct pollfd first;

	if (!call->args[1])
		return "[sleep]";
	if (target_read_now(t, call->args[0], &first, sizeof(first)) !=
	    sizeof(first))
		return "[other]";
	return by_file(t, (uint64_t)first.fd);
}

/* ---- By the system call ------------------------------------------------ */

enum call_kind {
	CALL_OTHER,
	CALL_WOKEN, /* by another thread */
	CALL_SLEEP,
	CALL_FILE, /* its first argument */
	CALL_POLL,
	CALL_EPOLL,
	CALL_PROCESS,
};

static const struct {
	long number;
	enum call_kind kind;
} calls[] = {
    {SYS_futex, CALL_WOKEN},
    {SYS_nanosleep, CALL_SLEEP},
    {SYS_clock_nanosleep, CALL_SLEEP},
    {SYS_read, CALL_FILE},
    {SYS_readv, CALL_FILE},
    {SYS_pread64, CALL_FILE},
    {SYS_preadv, CALL_FILE},
    {SYS_write, CALL_FILE},
    {SYS_writev, CALL_FILE},
    {SYS_pwrite64, CALL_FILE},
    {SYS_pwritev, CALL_FILE},
    {SYS_fsync, CALL_FILE},
    {SYS_fdatasync, CALL_FILE},
    {SYS_flock, CALL_FILE},
    {SYS_fcntl, CALL_FILE},
    {SYS_recvfrom, CALL_FILE},
    {SYS_recvmsg, CALL_FILE},
    {SYS_recvmmsg, CALL_FILE},
    {SYS_sendto, CALL_FILE},
    {SYS_sendmsg, CALL_FILE},
    {SYS_accept, CALL_FILE},
    {SYS_accept4, CALL_FILE},
    {SYS_connect, CALL_FILE},
    {SYS_ppoll, CALL_POLL},
    {SYS_epoll_pwait, CALL_EPOLL},
#ifdef SYS_poll
    {SYS_poll, CALL_POLL},
    {SYS_epoll_wait, CALL_EPOLL},
#endif
    {SYS_wait4, CALL_PROCESS},
    {SYS_waitid, CALL_PROCESS},
};

static enum call_kind call_kind(int64_t number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return calls[i].kind;
	return CALL_OTHER;
}

bool waiting_is_told(int64_t number)
{
	enum call_kind kind = call_kind(number);

	return kind == CALL_WOKEN || kind == CALL_SLEEP || kind == CALL_EPOLL ||
	       kind == CALL_PROCESS;
}

const char *waiting_for(struct target *t, const struct blocked_call *call,
			const struct dbg_sample_frame *const *frames,
			size_t n_frames, bool by_call)
{
	if (is_of_runtime(frames, n_frames))
		return "[idle]";
	if (call->number == CALL_STOPPED)
		return "[stopped]";
	if (call->number < 0)
		return "[disk]";
	switch (call_kind(call->number)) {
	case CALL_WOKEN:
	case CALL_EPOLL:
		return by_methods(frames, n_frames, by_call);
	case CALL_SLEEP:
		return "[sleep]";
	case CALL_FILE:
		return by_file(t, call->args[0]);
	case CALL_POLL:
		return by_poll(t, call);
	case CALL_PROCESS:
		return "[process]";
	case CALL_OTHER:
		break;
	}
	return "[other]";
}
