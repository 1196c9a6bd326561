/*
 * Exceptions that come out of an await. An exception that leaves an async
 * method is put into its task, and thrown once more in each method that awaits
 * that: nothing new has happened then. State machines do so by an awaiter's
 * GetResult, which ends in ExceptionDispatchInfo.Throw; the code that the JIT
 * makes for runtime async throws it where the method is resumed.
 *
 * The object tells that it was thrown before: one that a task was given by
 * hand (Task.FromException) is thrown for the first time by who awaits.
 */
#include "control/exception/filter.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/thrown.h"
#include "control/control_priv.h"
#include "control/step/stepasync.h"
#include "dac/asyncmethod.h"

static const struct frame *thrower(struct control *c, pid_t tid, uint32_t level)
{
	const struct frame *f = NULL;
	struct dbg_error *err = stack_frame(
	    c->stack, stack_thread_number(c->stack, tid), level, &f);

	return dbg_err_drop(err) || !f || f->kind != DBG_FRAME_MANAGED ? NULL
								       : f;
}

static bool is_named(struct control *c, const struct frame *f,
		     const char *const *prefixes, size_t n)
{
	bool is = false;
	struct arena *arena = arena_create();
	const char *name =
	    code_method_name(c->code, f->raw.method, false, arena);

	for (size_t i = 0; i < n; i++)
		is |= !strncmp(name, prefixes[i], strlen(prefixes[i]));
	arena_destroy(arena);
	return is && f->pos && f->pos->module && f->pos->module->framework;
}

/* An awaiter, or the code that waits for a task, throws what was kept. */
static bool by_awaiter(struct control *c, pid_t tid)
{
	static const char *const throws[] = {
	    "System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw"};
	static const char *const awaits[] = {"System.Runtime.CompilerServices.",
					     "System.Threading.Tasks."};
	const struct frame *f = thrower(c, tid, 0);
	const struct frame *caller = thrower(c, tid, 1);

	return f && caller && is_named(c, f, throws, 1) &&
	       is_named(c, caller, awaits, 2);
}

/* The code that resumes a method of runtime async throws it. */
static bool by_resumption(struct control *c, pid_t tid)
{
	const struct frame *f = thrower(c, tid, 0);

	return f && stepchain_runs(c, f) && dac_await_throws(c->dac, f->raw.ip);
}

bool rethrow_is_await(struct control *c, const struct thrown *t)
{
	struct thrown_frame *frames;
	bool cut;

	return t->object &&
	       thrown_read(c->code, t->object, t->arena, &frames, &cut) &&
	       (by_awaiter(c, t->tid) || by_resumption(c, t->tid));
}
