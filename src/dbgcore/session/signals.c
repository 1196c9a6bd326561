/*
 * What happens to the program's signals. By default a signal stops the program
 * only if delivering it would end the program, and every signal is delivered;
 * the user's rule for a signal replaces that.
 */
#include "session/session.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

// Signals that may end the program, and the terminal's Ctrl-C and Ctrl-Z.
static const int looked_at[] = {
    SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGABRT,   SIGBUS,    SIGFPE,  SIGSEGV,
    SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2,   SIGXCPU,   SIGXFSZ, SIGSYS,
    SIGTRAP, SIGIO,   SIGPWR,  SIGPROF, SIGVTALRM, SIGSTKFLT, SIGTSTP,
};

// The runtime turns these into exceptions: seen whatever the user's rule is.
static const int thrown_by[] = {SIGSEGV, SIGFPE, SIGABRT};

void session_watch_signals(struct dbg *dbg)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(looked_at) / sizeof(int); i++)
		sigaddset(&set, looked_at[i]);
	for (int i = 1; i < NSIG; i++) {
		const struct signal_rule *rule = &dbg->signals[i];

		if (!rule->set)
			continue;
		if (rule->print || !rule->pass)
			sigaddset(&set, i);
		else
			sigdelset(&set, i);
	}
	for (size_t i = 0; i < sizeof(thrown_by) / sizeof(int); i++)
		sigaddset(&set, thrown_by[i]);
	target_watch_signals(dbg->target, &set);
}

static const char *signal_name(struct arena *arena, int signal)
{
	const char *name = sigabbrev_np(signal);

	// gdb's names of the real-time signals
	return name ? arena_printf(arena, "SIG%s", name)
		    : arena_printf(arena, "SIG%d", signal);
}

void session_signal_passes(struct dbg *dbg, int signal)
{
	_cleanup_arena_ struct arena *arena = arena_create();

	session_message(dbg, "Program received signal %s, %s",
			signal_name(arena, signal), strsignal(signal));
}

void dbg_signal_list(struct dbg *dbg, struct arena *arena,
		     struct dbg_signal **ret, size_t *ret_n)
{
	size_t n = 0;
	struct dbg_signal *list = arena_calloc(arena, NSIG, sizeof(*list));

	for (int i = 1; i < NSIG; i++) {
		const struct signal_rule *rule = &dbg->signals[i];

		// the C library's own, which no program has
		if (!sigabbrev_np(i) && i < SIGRTMIN)
			continue;
		list[n++] = (struct dbg_signal){
		    .number = i,
		    .name = signal_name(arena, i),
		    .text = arena_strdup(arena, strsignal(i)),
		    .automatic = !rule->set,
		    .stop = rule->stop,
		    .print = !rule->set || rule->print,
		    .pass = !rule->set || rule->pass,
		};
	}
	*ret = list;
	*ret_n = n;
}

struct dbg_error *dbg_signal_set(struct dbg *dbg,
				 const struct dbg_signal *signal)
{
	int i = signal->number;

	if (i < 1 || i >= NSIG || i == SIGKILL || i == SIGSTOP)
		return dbg_err(DBG_E_ARGUMENT,
			       "signal %d is not seen by debuggers", i);
	for (size_t k = 0; k < dbg->siblings->n; k++) {
		struct dbg *s = dbg->siblings->v[k];

		s->signals[i] = (struct signal_rule){
		    .set = !signal->automatic,
		    .stop = signal->stop,
		    .print = signal->print || signal->stop,
		    .pass = signal->pass,
		};
		if (s->target)
			session_watch_signals(s);
	}
	return NULL;
}

struct dbg_error *dbg_signal_queue(struct dbg_stopped at, uint32_t thread,
				   int signal)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_live(at);

	if (err)
		return err;
	if (signal < 0 || signal >= NSIG)
		return dbg_err(DBG_E_ARGUMENT, "no signal number %d", signal);

	pid_t tid = stack_thread_tid(dbg->inspect.stack, thread);

	if (!tid)
		return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", thread);
	target_thread_signal(dbg->target, tid, signal);
	return NULL;
}

struct dbg_error *dbg_signal_send(struct dbg *dbg, int signal)
{
	if (dbg->state == DBG_IDLE)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	if (signal < 1 || signal >= NSIG)
		return dbg_err(DBG_E_ARGUMENT, "no signal number %d", signal);
	if (kill(dbg_pid(dbg), signal) < 0)
		return dbg_err(DBG_E_TARGET,
			       "cannot send signal %d to process %d: %m",
			       signal, dbg_pid(dbg));
	sigaddset(&dbg->sent, signal);
	return NULL;
}

bool dbg_signal_from_program(struct dbg *dbg, pid_t pid)
{
	return dbg->target && target_has_process(dbg->target, pid);
}

bool session_signal_sent(const struct dbg *dbg, const struct target_event *ev)
{
	const siginfo_t *info = &ev->info;
	// In a container of the program's own our number is 0.
	bool ours = info->si_code == SI_USER &&
		    (!info->si_pid || info->si_pid == getpid());

	if (sigismember(&dbg->sent, ev->signal) != 1)
		return false;
	return ours || !dbg->signals[ev->signal].set;
}
