/*
 * The process that runs a core's DAC.
 *
 * It is a fork of the debugger, so it has all of the core and all of our code.
 * Its first answer is the result of loading the DAC and making its
 * IXCLRDataProcess: an HRESULT and the object, or the text of an error. Each
 * other answer is the result of a call with numbers and with addresses in the
 * shared memory.
 *
 * A fault of the DAC ends the call, as it does in the debugger (guard.c): a
 * program that has died may have been in the midst of something. Anything else
 * ends the process: an abort, a corrupted heap, a call that has used up its
 * processor time or memory. A timer of processor time ticks while there are
 * calls. The process ends when the debugger does, and keeps none of its
 * descriptors: no pipe stays open for it, and no key is meant for it.
 */
#include "dac/remote/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "dac/guard.h"
#include "dac/remote.h"

enum {
	PAGES_MAX = (REMOTE_MB << 20) / 4096,
	STATM_SIZE = 128,
	STATM_DATA = 5,
	DATA_MORE = 1 << 30, /* to be had in all */
};

#ifdef __SANITIZE_ADDRESS__
enum {
	KEEPS_STDERR = 1 /* for what the sanitizer says */
};
#else
enum {
	KEEPS_STDERR = 0
};
#endif

// State for the signal handler, which gets no argument from us.
static struct {
	struct channel *channel;
	int statm; /* /proc/self/statm */
	unsigned int ticks;
	uint64_t pages; /* anonymous ones, at the first tick */
	volatile sig_atomic_t calling, ticking;
} call;

/* ---- Limits ---------------------------------------------------------- */

// Numbers of /proc/self/statm. Called in a signal handler.
static bool statm_read(uint64_t values[STATM_DATA + 1])
{
	char text[STATM_SIZE];
	size_t value = 0;

	memset(values, 0, (STATM_DATA + 1) * sizeof(*values));
	ssize_t n = pread(call.statm, text, sizeof(text), 0);
	for (ssize_t i = 0; i < n && value <= STATM_DATA; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			values[value] =
			    values[value] * 10 + (uint64_t)(text[i] - '0');
		else
			value++;
	}
	return value;
}

// Pages that are nobody's but ours: resident, and not of files.
static uint64_t own_pages(void)
{
	uint64_t v[STATM_DATA + 1];

	return statm_read(v) && v[1] > v[2] ? v[1] - v[2] : 0;
}

static void timer_every(unsigned int ms)
{
	const struct timeval period = {.tv_usec = (suseconds_t)ms * 1000};
	const struct itimerval spec = {period, period};

	call.ticking = ms && !setitimer(ITIMER_PROF, &spec, NULL);
	if (!ms)
		setitimer(ITIMER_PROF, &spec, NULL);
}

static _Noreturn void give_up(enum channel_over why)
{
	call.channel->over = why;
	_exit(0);
}

static void on_tick(int signal)
{
	int was = errno;

	(void)signal;
	if (!call.calling) {
		timer_every(0);
	} else {
		uint64_t pages = own_pages();

		if (!call.ticks++)
			call.pages = pages;
		if (pages > call.pages + PAGES_MAX)
			give_up(CHANNEL_OVER_MEMORY);
		if (call.ticks >= call.channel->ticks_max)
			give_up(CHANNEL_OVER_TIME);
	}
	errno = was;
}

static void call_begin(void)
{
	call.ticks = 0;
	call.calling = 1;
	if (!call.ticking)
		timer_every(REMOTE_TICK_MS);
}

static void call_end(void)
{
	call.calling = 0;
}

// Limit memory, which can grow faster than the ticks notice.
static void limit_memory(void)
{
	const struct rlimit none = {0};
	uint64_t v[STATM_DATA + 1];
	struct rlimit data;

	setrlimit(RLIMIT_CORE, &none);
	if (!statm_read(v))
		return;
	data.rlim_cur = data.rlim_max = v[STATM_DATA] * 4096 + DATA_MORE;
	setrlimit(RLIMIT_DATA, &data);
}

/* ---- The process ----------------------------------------------------- */

// Drop the parent's signal handlers, except those of faults, which also handle
// files that are cut.
static void reset_signals(void)
{
	static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	const struct sigaction tick = {.sa_handler = on_tick,
				       .sa_flags = SA_RESTART};
	const struct sigaction standard = {.sa_handler = SIG_DFL};
	struct sigaction before[sizeof(ours) / sizeof(*ours)];
	sigset_t none;

	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaction(ours[i], NULL, &before[i]);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, &standard, NULL);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		sigaction(ours[i], &before[i], NULL);
	sigaction(SIGPROF, &tick, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void serve_detach(const struct serve *s)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		_exit(0);
	prctl(PR_SET_NAME, "dndbg-dac");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	setsid();
	reset_signals();
	call.channel = s->end.channel;
	// Not where close_others puts /dev/null, as @s's socket is not.
	call.statm = fcntl(open("/proc/self/statm", O_RDONLY | O_CLOEXEC),
			   F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

// Close inherited descriptors, after the library was loaded: the loader
// recognises another descriptor of the parent's by its number.
static void close_others(const struct serve *s)
{
	unsigned int open_fds[] = {(unsigned int)s->end.socket,
				   (unsigned int)call.statm};
	unsigned int from = STDERR_FILENO + 1;
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		if (i != STDERR_FILENO || !KEEPS_STDERR)
			dup2(null, i);
	if (open_fds[0] > open_fds[1]) {
		open_fds[1] = open_fds[0];
		open_fds[0] = (unsigned int)call.statm;
	}
	for (size_t i = 0; i < sizeof(open_fds) / sizeof(*open_fds); i++) {
		if (open_fds[i] > from)
			close_range(from, open_fds[i] - 1, 0);
		from = open_fds[i] + 1;
	}
	if (from)
		close_range(from, ~0u, 0);
}

/* ---- Calls ----------------------------------------------------------- */

static int32_t serve_begin(struct serve *s)
{
	struct channel *c = s->end.channel;
	void *process = NULL;
	int32_t hr = COM_E_FAIL;

	struct dbg_error *err = s->load(s->dac, &process, &hr);
	c->has_error = err != NULL;
	if (err)
		snprintf((char *)c->data, CHANNEL_TEXT, "%s", err->message);
	c->object = (uintptr_t)process;
	return hr;
}

static int32_t serve_answer(struct serve *s)
{
	struct channel *c = s->end.channel;
	struct data_target *dt = &s->dac->data_target;
	void *object = (void *)(uintptr_t)c->object;

	dt->set = c->settings;
	dt->log = c->has_log ? &c->log : NULL;
	for (uint32_t i = 0; i < c->n_releases; i++) {
		void *released = (void *)(uintptr_t)c->releases[i];

		com_release(&released);
	}
	if (!object)
		return COM_OK;
	return guard_call_method((enum dac_method_id)c->method, object,
				 c->args);
}

_Noreturn void serve(struct serve *s)
{
	struct channel *c = s->end.channel;

	serve_detach(s);
	call_begin();
	c->hr = serve_begin(s);
	call_end();
	close_others(s);
	limit_memory();
	for (;;) {
		channel_give(&s->end);
		if (channel_await(&s->end, -1) != CHANNEL_TURN)
			_exit(0);
		call_begin();
		c->hr = serve_answer(s);
		call_end();
	}
}
