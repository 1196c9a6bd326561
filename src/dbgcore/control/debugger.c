/*
 * Calls of the program to its debugger: System.Diagnostics.Debugger.
 *
 * Without an ICorDebug debugger the runtime itself answers these calls: it says
 * that no debugger is attached, drops logged text, and Debugger.Break executes
 * an int3, which ends the program. Each of them ends in a function of the
 * runtime that has a trap at its first instruction, so a program that does not
 * call one pays nothing; IsAttached and Log have no trap where the program
 * shall not see the debugger. Break and IsAttached are answered in place of the
 * function, as if it had returned: no thread is ever inside of it, and all go
 * on without us whenever we leave. (A thread that was inside of Break when we
 * attached comes to its int3.)
 *
 * Break stops where it has returned to user code, which is then the newest
 * frame. FailFast stops before the runtime writes the reason and aborts; when
 * the program goes on, the signal of that is no second stop. Debug.WriteLine
 * and Trace.WriteLine write to the system's log (libSystem.Native) when nobody
 * listens.
 */
#include "control/control_priv.h"
#include "control/debugger.h"
#include "control/step/steps.h"
#include "dac/assumption.h"
#include "dac/objectlayout.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/exception.h"

#include "base/err.h"
#include "base/str.h"

enum {
	TEXT_MAX = 1 << 16, /* bytes of one text */
	LOG_DEBUG_PRIORITY = 7,
	OWN_FRAMES_MAX = 4, /* of class Debugger on a stack */
};

/* ---- Text ------------------------------------------------------------ */

static const char cut[] = "...\n"; /* the end of one that is longer */

static void say(struct control *c, struct str *text)
{
	if (str_get(text)[0])
		c->ops->output(c->arg, str_get(text));
}

/* Add the UTF-16 string at @addr, 0: none. */
static void add_units(struct control *c, uint64_t addr, struct str *text)
{
	_cleanup_free_ uint16_t *units = xcalloc(TEXT_MAX / 2, 2);
	size_t n = 0;

	if (!addr)
		return;
	size_t got = target_read_some(c->target, addr, units, TEXT_MAX) / 2;
	while (n < got && units[n])
		n++;
	str_add_utf16(text, units, n);
	if (n == TEXT_MAX / 2)
		str_add(text, cut);
}

/* Handler of Debugger.Log(level, category, message). */
static struct dbg_error *on_log(struct control *c, pid_t tid, struct regs *regs,
				struct dbg_stop *stop, bool *ret_stops)
{
	_cleanup_str_ struct str text = {0};
	uint64_t category = regs_arg(regs, 1);

	(void)tid;
	(void)stop;
	(void)ret_stops;
	add_units(c, category, &text);
	if (category)
		str_add(&text, ": ");
	add_units(c, regs_arg(regs, 2), &text);
	if (category)
		str_add(&text, "\n");
	say(c, &text);
	return NULL;
}

/* Handler of SystemNative_SysLog(priority, format, text). */
static struct dbg_error *on_syslog(struct control *c, pid_t tid,
				   struct regs *regs, struct dbg_stop *stop,
				   bool *ret_stops)
{
	_cleanup_free_ char *bytes = xcalloc(TEXT_MAX + 1, 1);
	_cleanup_str_ struct str text = {0};
	char format[sizeof("%s")] = "";

	(void)tid;
	(void)stop;
	(void)ret_stops;
	target_read_some(c->target, regs_arg(regs, 1), format, sizeof(format));
	if ((uint32_t)regs_arg(regs, 0) != LOG_DEBUG_PRIORITY ||
	    memcmp(format, "%s", sizeof(format)))
		return NULL;
	target_read_some(c->target, regs_arg(regs, 2), bytes, TEXT_MAX);
	str_add(&text, bytes);
	if (bytes[TEXT_MAX - 1])
		str_add(&text, cut);
	say(c, &text);
	return NULL;
}

/* ---- Answers --------------------------------------------------------- */

struct dbg_error *debugger_answer(struct control *c, pid_t tid,
				  struct regs *regs, uint64_t value)
{
	struct dbg_error *err;
	uint64_t addr;

	err = regs_return_address(regs, c->target, &addr);
	if (err)
		return err;
	regs_set_result(regs, value);
	regs_return(regs, addr);
	return target_regs_set(c->target, tid, regs);
}

static struct dbg_error *on_is_attached(struct control *c, pid_t tid,
					struct regs *regs,
					struct dbg_stop *stop, bool *ret_stops)
{
	(void)stop;
	(void)ret_stops;
	return debugger_answer(c, tid, regs, true);
}

void control_set_unseen(struct control *c, bool on)
{
	c->unseen = on;
}

bool control_is_unseen(const struct control *c)
{
	return c->unseen;
}

/* ---- Break ----------------------------------------------------------- */

/* Does the frame run a method of class Debugger? */
static bool is_own(struct control *c, const struct frame *f,
		   struct arena *arena)
{
	return f->pos && f->pos->method &&
	       str_starts(
		   code_method_name(c->code, f->pos->method, false, arena),
		   "System.Diagnostics.Debugger.");
}

/* The frame whose code has called Break, and that the user is to see. */
static struct dbg_error *break_frame(struct control *c, uint32_t thread,
				     const struct frame **ret)
{
	struct dbg_error *err = NULL;
	struct arena *arena = arena_create();
	const struct frame *f = NULL;
	uint32_t level = 0;

	for (;; level++) {
		err = stack_frame(c->stack, thread, level, &f);
		if (err || !f || level == OWN_FRAMES_MAX)
			break;
		if (f->pos && !is_own(c, f, arena))
			break;
	}
	if (!err && f)
		err = step_user_frame(c, thread, level, ret);
	arena_destroy(arena);
	return err;
}

/*
 * Did the program stop on that line already, before it called Break? (Not by
 * an earlier Break: the line is executed again.)
 */
static bool stopped_there(struct control *c, const struct frame *f)
{
	struct debugger *d = &c->debugger;
	const struct code_pos *last = NULL;
	bool any = false;

	if (d->last.tid != f->tid || d->last.sp != f->raw.sp || !f->pos)
		return false;
	d->last.tid = 0;
	dbg_error_destroy(code_pos_at(c->code, d->last.pc, true, &last, &any));
	return any && last->method == f->pos->method && last->point.line &&
	       last->point.line == f->pos->point.line;
}

static void break_stops(struct control *c, pid_t tid, struct dbg_stop *stop,
			bool *ret_stops)
{
	stack_behind(c->stack, tid);
	stop->reason = DBG_STOP_USER_BREAK;
	*ret_stops = true;
}

/* Stop @tid, which called Break, where it returns to the user's code. */
static struct dbg_error *break_await(struct control *c, pid_t tid,
				     struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	const struct frame *f = NULL;

	err = control_halt(c);
	if (!err)
		err = break_frame(c, stack_thread_number(c->stack, tid), &f);
	if (err || !f || stopped_there(c, f))
		return err;
	if (!f->level) {
		break_stops(c, tid, stop, ret_stops);
		return NULL;
	}
	return thread_trap_add(c, &c->debugger.breaks, SITE_DEBUGGER,
			       &(struct thread_trap){tid, f->raw.ip});
}

static struct dbg_error *on_break(struct control *c, pid_t tid,
				  struct regs *regs, struct dbg_stop *stop,
				  bool *ret_stops)
{
	struct dbg_error *err = debugger_answer(c, tid, regs, 0);

	return err ? err : break_await(c, tid, stop, ret_stops);
}

bool control_is_user_break(struct control *c, const struct target_event *ev)
{
	struct regs regs;
	struct dbg_error *err;

	if (!c->dac || ev->signal != SIGTRAP || ev->info.si_code != SI_KERNEL)
		return false;
	err = target_regs(c->target, ev->tid, &regs);
	if (!err)
		return dac_runtime_has(c->dac, regs_pc(&regs) - 1);
	dbg_error_destroy(err);
	return false;
}

struct dbg_error *debugger_int3(struct control *c, pid_t tid,
				struct dbg_stop *stop, bool *ret_stops)
{
	target_thread_signal(c->target, tid, 0);
	return break_await(c, tid, stop, ret_stops);
}

void debugger_stopped(struct control *c, pid_t tid, const struct dbg_stop *stop)
{
	struct debugger *d = &c->debugger;
	struct regs regs;
	struct dbg_error *err;

	d->last.tid = 0;
	if (stop->reason == DBG_STOP_USER_BREAK)
		return;
	err = target_regs(c->target, tid, &regs);
	if (!err)
		d->last = (struct debugger_place){tid, regs_pc(&regs),
						  regs_sp(&regs)};
	dbg_error_destroy(err);
}

/* ---- FailFast -------------------------------------------------------- */

// Stop for FailFast. @message: UTF-16; @exception: the object that was passed;
// 0: none.
static struct dbg_error *fail_fast(struct control *c, pid_t tid,
				   uint64_t message, uint64_t exception,
				   struct dbg_stop *stop)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err = control_halt(c);

	if (err)
		return err;
	c->debugger.failing = tid;
	add_units(c, message, &text);
	stop->reason = DBG_STOP_FAIL_FAST;
	stop->signal = SIGABRT;
	stop->fatal = true;
	stop->exception_type = "System.Environment.FailFast";
	stop->exception = exception;
	if (message)
		stop->exception_message =
		    arena_strdup(c->inspect->arena, str_get(&text));
	return NULL;
}

/*
 * Handler of Environment_FailFast(mark, message, exception, source), which
 * passes a handle on the stack.
 */
static struct dbg_error *on_fail_fast(struct control *c, pid_t tid,
				      struct regs *regs, struct dbg_stop *stop,
				      bool *ret_stops)
{
	uint64_t exception = 0;

	*ret_stops = true;
	dbg_err_drop(target_read_u64(c->target, regs_arg(regs, 2), &exception));
	return fail_fast(c, tid, regs_arg(regs, 1), exception, stop);
}

/*
 * .NET 8: handler of FailFast(message, exception, ...), which passes objects;
 * one overload has no exception.
 */
static struct dbg_error *on_fail_fast_object(struct control *c, pid_t tid,
					     struct regs *regs,
					     struct dbg_stop *stop,
					     bool *ret_stops)
{
	uint64_t message = regs_arg(regs, 0), given = regs_arg(regs, 1);
	struct dbg_error *err = control_halt(c);

	if (err)
		return err;
	*ret_stops = true;
	return fail_fast(c, tid, message ? message + STRING_CHARS : 0,
			 exception_is(c->inspect, given) ? given : 0, stop);
}

bool debugger_aborts(const struct control *c, pid_t tid)
{
	return c->debugger.failing && c->debugger.failing == tid;
}

/* ---- Calls ----------------------------------------------------------- */

typedef struct dbg_error *call_fn(struct control *c, pid_t tid,
				  struct regs *regs, struct dbg_stop *stop,
				  bool *ret_stops);

enum {
	WAYS = 2,
};

/*
 * Handlers of each call, indexed by the way of its assumption: later releases
 * first.
 */
static const struct debugger_call {
	enum dac_assumption what; /* ASSUME_N: in the framework's library */
	call_fn *fns[WAYS];
	bool unseen; /* its trap stays while control_set_unseen is in effect */
} calls[DEBUGGER_CALLS] = {
    {ASSUME_DEBUGGER_LOG, {on_log}, false},
    {ASSUME_DEBUGGER_BREAK, {on_break, on_break}, true},
    {ASSUME_DEBUGGER_ATTACHED, {on_is_attached, on_is_attached}, false},
    {ASSUME_FAIL_FAST, {on_fail_fast, on_fail_fast_object}, true},
    {ASSUME_APPLY_UPDATE, {hot_reload_begins}, true},
    {ASSUME_N, {on_syslog}, false},
};

/*
 * Find the function of call @i, with its overloads, into calls[i].addrs (0
 * after the last). None if the linker has folded it with another function,
 * whose calls would be seen as well. A single-file program has the library's
 * functions among the runtime's.
 */
static void find_functions(struct control *c, size_t i)
{
	static const char syslog[] = "SystemNative_SysLog";
	struct debugger_at *at = &c->debugger.calls[i];
	struct dac_assumed found;

	*at = (struct debugger_at){.fn = 0};
	if (calls[i].what == ASSUME_N) {
		control_library_functions(c, "libSystem.Native.so", syslog,
					  at->addrs);
	} else if (dac_holds(c->dac, calls[i].what, &found)) {
		dac_native_functions(c->dac, found.member, at->addrs);
		at->fn = found.way;
	}
}

/* The addresses of all functions that are trapped. */
static size_t trapped(const struct debugger *d,
		      uint64_t ret[DEBUGGER_CALLS * TARGET_OVERLOADS])
{
	size_t n = 0;

	for (size_t i = 0; i < DEBUGGER_CALLS; i++)
		for (size_t k = 0; k < TARGET_OVERLOADS; k++)
			if (d->calls[i].addrs[k])
				ret[n++] = d->calls[i].addrs[k];
	return n;
}

struct dbg_error *debugger_runtime(struct control *c)
{
	uint64_t addrs[DEBUGGER_CALLS * TARGET_OVERLOADS];

	for (size_t i = 0; i < DEBUGGER_CALLS; i++)
		// Each async method asks for IsAttached when it suspends first.
		if (!c->unseen || calls[i].unseen)
			find_functions(c, i);
	return control_site_add(c, SITE_DEBUGGER, addrs,
				trapped(&c->debugger, addrs));
}

void control_lift_answers(struct control *c)
{
	uint64_t addrs[DEBUGGER_CALLS * TARGET_OVERLOADS];
	size_t n = trapped(&c->debugger, addrs);

	control_warn(c, control_site_remove(c, SITE_DEBUGGER, addrs, n));
	memset(c->debugger.calls, 0, sizeof(c->debugger.calls));
}

/* The handler of the call whose function begins at @addr; NULL: none. */
static call_fn *call_at(const struct debugger *d, uint64_t addr)
{
	for (size_t i = 0; i < DEBUGGER_CALLS; i++)
		for (size_t k = 0; k < TARGET_OVERLOADS; k++)
			if (d->calls[i].addrs[k] == addr)
				return calls[i].fns[d->calls[i].fn];
	return NULL;
}

/*
 * Was the function called by the runtime itself? The linker may fold it with
 * another that has the same code: in 11.0.0 IsManagedDebuggerAttached with
 * AppDomain::IsDebuggerAttached, and a runtime that is told "yes" there waits
 * for a debugger of ICorDebug for ever.
 */
static bool is_runtimes_own(struct control *c, const struct regs *regs)
{
	uint64_t caller = 0;

	dbg_error_destroy(regs_return_address(regs, c->target, &caller));
	return !caller || dac_runtime_has(c->dac, caller);
}

struct dbg_error *debugger_trap(struct control *c,
				const struct target_event *ev,
				struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	call_fn *call = call_at(&c->debugger, ev->addr);
	struct regs regs;

	if (call) {
		err = target_regs(c->target, ev->tid, &regs);
		if (err || is_runtimes_own(c, &regs))
			return err;
		return call(c, ev->tid, &regs, stop, ret_stops);
	}
	if (!thread_trap_take(c, &c->debugger.breaks, SITE_DEBUGGER,
			      &(struct thread_trap){ev->tid, ev->addr}))
		return NULL;
	err = control_halt(c);
	if (!err)
		break_stops(c, ev->tid, stop, ret_stops);
	return err;
}

void debugger_reset(struct control *c)
{
	free(c->debugger.breaks.v);
	memset(&c->debugger, 0, sizeof(c->debugger));
}
