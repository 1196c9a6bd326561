/*
 * Calls into the DAC that outlive its faults.
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
 * The DAC of a core is in another process (remote.c).
 */
#include "dac/guard.h"

#include "base/file.h"
#include "base/mem.h"
#include "target/arch.h"

#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

enum {
	ALT_STACK = 65536,
};

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

enum {
	N_FAULTS = sizeof(faults) / sizeof(*faults),
};

// A signal handler gets no argument from us: these are the variables it needs.
static sigjmp_buf *guarded;
static struct sigaction before[N_FAULTS];

// Bounds of our own code, from the linker.
extern const char __executable_start[], etext[];

static bool is_ours(const ucontext_t *uc)
{
	uintptr_t ip = arch_signal_pc(uc);

	return ip >= (uintptr_t)__executable_start && ip < (uintptr_t)etext;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	bool sent = info->si_code <= 0;

	if (signal == SIGBUS && info->si_code == BUS_ADRERR &&
	    file_cut(info->si_addr))
		return;
	if (guarded && !sent && !is_ours(context))
		siglongjmp(*guarded, 1);
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

int32_t guard_call(com_fn *fn, void *self, const uint64_t a[DAC_MAX_ARGS])
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		guarded = NULL;
		return COM_E_FAULT;
	}
	guarded = &here;
	int32_t hr = fn(self, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
	guarded = NULL;
	return hr;
}

int32_t guard_call_method(enum dac_method_id method, void *object,
			  const uint64_t a[DAC_MAX_ARGS])
{
	const struct dac_method_info *m = &dac_methods[method];

	if (!m->fn)
		return guard_call(com_slot(object, m->slot), object, a);
	return m->fn(object, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}
