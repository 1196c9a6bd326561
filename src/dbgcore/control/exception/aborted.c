/*
 * Finds why a program with a runtime aborts: an exception that nobody catches,
 * a fault in managed code, or Environment.FailFast. Each ends in the same
 * SIGABRT, and in a core nothing else tells them apart.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/exception/exceptions.h"

#include <signal.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "code/object.h"
#include "dac/assumption.h"
#include "dac/objectlayout.h"
#include "inspect/exception.h"
#include "inspect/fault.h"
#include "inspect/framerefs.h"
#include "target/unwind.h"

#define ACCESS_VIOLATION "System.AccessViolationException"

enum {
	NATIVE_FRAMES = 64,
	FUNCTION_MAX = 4096,  /* bytes of a function of the runtime's */
	FRAME_WORDS = 8,      /* of the runtime's Frame of a call */
	FAIL_FAST_FRAMES = 4, /* its overloads call each other */
};

static const char *type_of_object(struct control *c, uint64_t object)
{
	uint64_t mt;

	if (!object || dbg_err_drop(target_read_u64(c->target, object, &mt)))
		return "";
	const char *name = code_type_name(c->code, mt & ~(uint64_t)7);
	return name ? name : "";
}

/*
 * The program stops in any case: count the hits of catchpoints, and name one.
 */
static void count_unhandled(struct control *c, struct thrown *t,
			    struct dbg_stop *stop)
{
	struct bp *winner = NULL;
	uint64_t mt = 0;

	dbg_error_destroy(target_read_u64(c->target, t->object, &mt));
	thrown_add_types(c, mt & ~(uint64_t)7, t);
	t->message = stop->exception_message;
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!bp->enabled || bp->kind != DBG_BREAK_UNHANDLED ||
		    !filter_wants(c, bp, t))
			continue;
		bp->hits++;
		if (!winner)
			winner = bp;
	}
	if (winner)
		bp_spent(c, winner, stop);
}

/* ---- Faults ----------------------------------------------------------- */

/*
 * Describe an access violation in managed code: it becomes an exception since
 * .NET 11, before that a fatal error without an exception object.
 */
static void add_violation(struct control *c, pid_t tid,
			  const struct fault_signal *signal,
			  struct dbg_stop *stop)
{
	stop->fault = fault_find(c->inspect, tid, signal);
	if (!stop->fault || stop->exception)
		return;
	stop->reason = DBG_STOP_UNHANDLED;
	stop->exception_type = ACCESS_VIOLATION;
	stop->exception_message =
	    "Attempted to read or write protected memory. This is often an "
	    "indication that other memory is corrupt.";
}

/* ---- FailFast --------------------------------------------------------- */

// Is the frame at @level FailFast's own? *ret: the frame, NULL: there is none.
static bool fail_fast_at(struct control *c, uint32_t thread, uint32_t level,
			 const struct frame **ret)
{
	*ret = NULL;
	return !dbg_err_drop(stack_frame(c->stack, thread, level, ret)) &&
	       *ret &&
	       str_starts(frame_method(c->inspect, *ret),
			  "System.Environment.FailFast");
}

// The function of the runtime that managed code has called; 0: none.
static uint64_t called_at(struct control *c, pid_t tid)
{
	struct regs regs;
	bool leaf = true;
	uint64_t pc = 0;

	if (dbg_err_drop(target_regs(c->target, tid, &regs)))
		return 0;
	for (int i = 0; i < NATIVE_FRAMES &&
			unwind_is_native(c->target, regs_pc(&regs) - !leaf);
	     i++) {
		pc = regs_pc(&regs);
		if (!unwind_step(c->target, &regs, &leaf))
			return 0;
	}
	return pc;
}

static bool has_any(const uint64_t *words, size_t n,
		    const uint64_t addrs[TARGET_OVERLOADS])
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < TARGET_OVERLOADS && addrs[k]; k++)
			if (words[i] == addrs[k])
				return true;
	return false;
}

// Has managed code called one of the functions at @addrs by the runtime's own
// Frame, which names it? So it is told where native code cannot be unwound
// (musl's).
static bool frame_names(struct control *c, pid_t tid,
			const uint64_t addrs[TARGET_OVERLOADS])
{
	uint64_t words[FRAME_WORDS];
	struct dac_walk *walk = NULL;
	struct dac_frame f;
	bool any = false, found = false;

	if (dbg_err_drop(dac_walk_create(c->dac, tid, &walk)) || !walk)
		return false;
	while (!found && !dbg_err_drop(dac_walk_next(walk, &f, &any)) && any &&
	       f.kind != DAC_FRAME_MANAGED) {
		if (f.kind != DAC_FRAME_EXPLICIT)
			continue;
		size_t n = target_read_some(c->target, f.frame_addr, words,
					    sizeof(words));
		found = has_any(words, n / sizeof(*words), addrs);
	}
	dac_walk_destroy(walk);
	return found;
}

// Is the abort a call of FailFast? On .NET 8 it has no frame of its own, but a
// function of the runtime has. *ret_entered: the thread stands at that
// function's first instruction.
static bool calls_fail_fast(struct control *c, pid_t tid, bool *ret_entered)
{
	uint64_t addrs[TARGET_OVERLOADS] = {0}, pc;
	struct dac_assumed found;

	if (!dac_holds(c->dac, ASSUME_FAIL_FAST, &found))
		return false;
	dac_native_functions(c->dac, found.member, addrs);
	pc = called_at(c, tid);
	bool called = false;

	// the overloads' functions lie behind each other
	for (size_t i = 0; i < TARGET_OVERLOADS && addrs[i]; i++) {
		called =
		    called || (pc >= addrs[i] && pc - addrs[i] < FUNCTION_MAX);
		*ret_entered = *ret_entered || pc == addrs[i];
	}
	return called || frame_names(c, tid, addrs);
}

static bool is_string(struct control *c, uint64_t addr)
{
	return !strcmp(type_of_object(c, addr), "string");
}

// The string that a reference points to, or into whose characters it points; 0:
// none.
static uint64_t string_of(struct control *c, const struct gc_stack_ref *ref)
{
	uint64_t addr = ref->object - (ref->interior ? STRING_CHARS : 0);

	return ref->object > STRING_CHARS && is_string(c, addr) ? addr : 0;
}

/*
 * Get the arguments of FailFast: the first string and the first exception among
 * the references that the thread keeps below @sp; on .NET 8 in a Frame of the
 * runtime's.
 */
static void take_given(struct control *c, pid_t tid, uint64_t sp,
		       struct dbg_stop *stop)
{
	struct arena *arena = c->inspect->arena;
	struct gc_stack_ref *v;
	size_t n;

	if (dbg_err_drop(dac_gc_stack(c->dac, tid, arena, &v, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		bool is_its =
		    v[i].frame ? v[i].addr && v[i].addr < sp : v[i].sp < sp;
		uint64_t text = is_its ? string_of(c, &v[i]) : 0;

		if (text && !stop->exception_message)
			stop->exception_message =
			    object_string(c->code, text, arena);
		if (is_its && !stop->exception && !v[i].interior &&
		    exception_is(c->inspect, v[i].object))
			stop->exception = v[i].object;
	}
}

// The same at the first instruction of .NET 8's function, whose arguments are
// objects.
static void take_arguments(struct control *c, pid_t tid, struct dbg_stop *stop)
{
	struct regs regs;

	if (dbg_err_drop(target_regs(c->target, tid, &regs)))
		return;
	if (is_string(c, regs_arg(&regs, 0)))
		stop->exception_message = object_string(
		    c->code, regs_arg(&regs, 0), c->inspect->arena);
	if (exception_is(c->inspect, regs_arg(&regs, 1)))
		stop->exception = regs_arg(&regs, 1);
}

/*
 * FailFast aborts too, whatever was thrown and caught before. What it was given
 * is within @fatal, the exception of fatal errors (0: there is none).
 */
static bool add_fail_fast(struct control *c, pid_t tid, uint64_t fatal,
			  struct dbg_stop *stop)
{
	uint32_t level = 0, thread = stack_thread_number(c->stack, tid);
	const struct frame *caller;
	bool entered = false;

	while (level < FAIL_FAST_FRAMES &&
	       fail_fast_at(c, thread, level, &caller))
		level++;
	if (!caller || (!level && !calls_fail_fast(c, tid, &entered)))
		return false;
	stop->reason = DBG_STOP_FAIL_FAST;
	stop->exception_type = "System.Environment.FailFast";
	if (fatal)
		stop->exception = object_ref(c->code, fatal, "_innerException");
	if (entered)
		take_arguments(c, tid, stop);
	else
		take_given(c, tid, caller->raw.sp, stop);
	return true;
}

void aborted_judge(struct control *c, pid_t tid,
		   const struct fault_signal *signal, struct dbg_stop *stop)
{
	struct arena *arena = c->inspect->arena;
	struct thrown t = {
	    .tid = tid,
	    .arena = arena,
	    .object = thrown_last(c, tid),
	};
	const char *type = type_of_object(c, t.object);
	bool fatal = !strcmp(type, "System.ExecutionEngineException");

	if (add_fail_fast(c, tid, fatal ? t.object : 0, stop))
		return;
	if (!*type || fatal) {
		add_violation(c, tid, signal, stop);
		return;
	}
	stop->reason = DBG_STOP_UNHANDLED;
	exception_describe(c->inspect, t.object, arena, stop);
	if (!strcmp(type, ACCESS_VIOLATION))
		add_violation(c, tid, signal, stop);
	count_unhandled(c, &t, stop);
}
