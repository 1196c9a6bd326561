/*
 * Calls into the DAC that outlive its faults and endless loops.
 *
 * The DAC is made for consistent memory. What it meets in a process that was
 * stopped at any instant need not be: the runtime may be in the midst of
 * changing a structure, and a pointer there is null that never is null at
 * rest. Most such reads end in a failure code, but some are made through the
 * null pointer in our own process (seen in the DACs of .NET 8 and 10 while
 * code tiers up and contexts are unloaded). The runtime's own debugger
 * survives it in no way.
 *
 * So every call is made from here, and SIGSEGV and its like inside of the DAC
 * end the call with COM_E_FAULT. The C++ frames of the DAC are left behind
 * without their destructors. What they held is memory, which is lost, and the
 * DAC's one lock, which is recursive and wanted by no other thread.
 *
 * A fault in our own code or outside of a call, and a signal that somebody
 * sends, is none of this: it goes the way it went before. But for one: a file
 * that we have mapped may be cut, as by a build while its program is debugged.
 *
 * The structures of a core are whatever its file says: a list there may lead
 * in a circle, and the DAC goes round it for ever, or until memory is used up.
 * So a timer of CPU time ticks in a call that is limited, and one that has had
 * its ticks or its memory ends with COM_E_TIMEOUT, likewise. It is left only
 * from the DAC's own code, or where it has come back to ours for memory: there
 * neither malloc nor another library is in the midst of something. Outside of
 * a call the timer ends with its next tick.
 */
#include "dac/guard.h"

#include "base/file.h"
#include "base/mem.h"
#include "target/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	ALT_STACK = 65536,
	GUARD_PAGES = (GUARD_MB << 20) / 4096,
	CODES_MAX = 16,
	STATM_SIZE = 128,
};

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

enum {
	N_FAULTS = sizeof(faults) / sizeof(*faults),
};

// A signal handler has no argument of ours: these are the variables it needs.
static sigjmp_buf *guarded;
static int32_t ended; /* why the call has ended without returning */
static struct sigaction before[N_FAULTS];

// Of the call that is made, if it is limited.
static struct {
	struct guard_limit *limit; /* NULL: it is not */
	uint64_t pages;            /* anonymous ones, at the first tick */
	volatile sig_atomic_t over;
} bounds;

static struct {
	timer_t id;
	int statm; /* /proc/self/statm */
	bool made;
	volatile sig_atomic_t ticking;
} timer;

// The DACs' own code.
static struct {
	uintptr_t start, end;
} codes[CODES_MAX];
static size_t n_codes;

// Bounds of our own code, from the linker.
extern const char __executable_start[], etext[];

static bool is_ours(const ucontext_t *uc)
{
	uintptr_t ip = arch_signal_pc(uc);

	return ip >= (uintptr_t)__executable_start && ip < (uintptr_t)etext;
}

// Leave the call that is made. The memory of a call is not given back.
static _Noreturn void end_call(int32_t why)
{
	ended = why;
	siglongjmp(*guarded, 1);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	bool sent = info->si_code <= 0;

	if (signal == SIGBUS && info->si_code == BUS_ADRERR &&
	    file_cut(info->si_addr))
		return;
	if (guarded && !sent && !is_ours(context))
		end_call(COM_E_FAULT);
	// Executed again, the instruction faults again, as if we were not.
	for (size_t i = 0; i < N_FAULTS; i++)
		if (faults[i] == signal)
			sigaction(signal, &before[i], NULL);
	if (sent)
		raise(signal);
}

void guard_install(void)
{
	struct sigaction action = {
	    .sa_sigaction = on_fault,
	    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	stack_t now, alt = {.ss_size = ALT_STACK};
	struct sigaction present;

	// By a second call `before` would become ourselves.
	if (sigaction(SIGSEGV, NULL, &present) ||
	    present.sa_sigaction == on_fault)
		return;
	// The DAC may recurse until there is no stack.
	if (!sigaltstack(NULL, &now) && (now.ss_flags & SS_DISABLE)) {
		alt.ss_sp = xcalloc(1, ALT_STACK);
		sigaltstack(&alt, NULL);
	}
	for (size_t i = 0; i < N_FAULTS; i++)
		sigaction(faults[i], &action, &before[i]);
}

/* ---- Limits ---------------------------------------------------------- */

void guard_code(uintptr_t start, uintptr_t end)
{
	// One too many has calls that end by themselves, or when it reads.
	if (n_codes == CODES_MAX)
		return;
	codes[n_codes].start = start;
	codes[n_codes++].end = end;
}

static bool is_dac(uintptr_t ip)
{
	for (size_t i = 0; i < n_codes; i++)
		if (ip >= codes[i].start && ip < codes[i].end)
			return true;
	return false;
}

// Pages that are nobody's but ours, 0: not known. Called in a signal handler.
static uint64_t own_pages(void)
{
	char text[STATM_SIZE];
	uint64_t values[3] = {0};
	size_t value = 0;

	ssize_t n = pread(timer.statm, text, sizeof(text), 0);
	for (ssize_t i = 0; i < n && value < 3; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			values[value] =
			    values[value] * 10 + (uint64_t)(text[i] - '0');
		else
			value++;
	}
	// Size, resident, and which of these are of files.
	return values[1] > values[2] ? values[1] - values[2] : 0;
}

static void timer_every(unsigned int ms)
{
	const struct timespec period = {.tv_nsec = (long)ms * 1000000};
	const struct itimerspec spec = {period, period};

	timer.ticking = ms && !timer_settime(timer.id, 0, &spec, NULL);
}

static bool is_over(void)
{
	struct guard_limit *l = bounds.limit;
	uint64_t pages = own_pages();

	if (!l->ticks++)
		bounds.pages = pages;
	l->big = pages > bounds.pages + GUARD_PAGES;
	return l->big || l->ticks >= l->ticks_max;
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	int was = errno;

	(void)signal;
	(void)info;
	if (!guarded || !bounds.limit) {
		timer_every(0);
	} else if (is_over()) {
		bounds.over = 1;
		if (is_dac(arch_signal_pc(context)))
			end_call(COM_E_TIMEOUT);
	}
	errno = was;
}

void guard_check(void)
{
	if (guarded && bounds.over)
		end_call(COM_E_TIMEOUT);
}

// False: there is no timer to be had, and no limit.
static bool timer_make(void)
{
	struct sigaction action = {
	    .sa_sigaction = on_tick,
	    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART,
	};
	struct sigevent event = {
	    .sigev_notify = SIGEV_THREAD_ID,
	    .sigev_signo = SIGVTALRM,
	};

	if (timer.made)
		return true;
	event._sigev_un._tid = gettid();
	timer.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	timer.made = !sigaction(SIGVTALRM, &action, NULL) &&
		     !timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer.id);
	return timer.made;
}

/* ---- Calls ----------------------------------------------------------- */

int32_t guard_call(com_fn *fn, void *self, const uint64_t a[DAC_MAX_ARGS],
		   struct guard_limit *limit)
{
	sigjmp_buf here;

	bounds.limit = limit && timer_make() ? limit : NULL;
	bounds.over = 0;
	if (sigsetjmp(here, 0)) {
		guarded = NULL;
		return ended;
	}
	guarded = &here;
	if (bounds.limit && !timer.ticking)
		timer_every(GUARD_TICK_MS);
	int32_t hr = fn(self, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
	guarded = NULL;
	return hr;
}
