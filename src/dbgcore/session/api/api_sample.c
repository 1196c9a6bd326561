/*
 * dbg_sampler_*: the session looks at a program that runs, as it would at one
 * that stands, for names only.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/assumption.h"
#include "sample/sampler.h"
#include "session/attach.h"
#include "stack/stack.h"
#include "target/proc.h"
#include "target/target.h"

struct dbg_sampler {
	struct dbg *dbg;
	struct sampler *sampler;
	uint32_t runtime;
	struct async_ops async;
};

/* ---- Async calls ------------------------------------------------------- */

static enum async_part async_part(void *arg, uint64_t method)
{
	const struct dbg *dbg = arg;

	return stack_async_part(dbg->inspect.stack, method);
}

/* Whom to tell of a call that waits. */
struct awaiter_to {
	struct stack *stack;
	async_awaiter_fn *fn;
	void *arg;
};

static void awaiter_tell(void *arg, struct frame *f)
{
	const struct awaiter_to *to = arg;
	struct dbg_frame frame;

	stack_suspended_describe(to->stack, f, &frame);
	to->fn(to->arg, &(struct dbg_sample_frame){
			    .name = frame.function,
			    .module = frame.module ? frame.module : "",
			    .kind = DBG_SAMPLE_MANAGED,
			    .own = !frame.framework});
}

// What was read of the program's memory is older than the stack.
static bool async_awaiters(void *arg, const struct async_resumed *r,
			   async_awaiter_fn *fn, void *fn_arg)
{
	struct dbg *dbg = arg;
	struct awaiter_to to = {dbg->inspect.stack, fn, fn_arg};

	target_cache_drop(dbg->target);
	arena_reset(dbg->inspect.arena);
	stack_reset(dbg->inspect.stack, dbg->inspect.arena);
	return stack_resumed_waiters(dbg->inspect.stack, r, awaiter_tell, &to);
}

/* ---- The sampler ------------------------------------------------------- */

static struct dbg_error *check_runs(pid_t pid)
{
	char state = proc_lasting_state(pid);

	if (!state || state == 'Z')
		return dbg_err(DBG_E_NOT_FOUND,
			       "there is no process %d, or it has ended", pid);
	if (!proc_state_is_stopped(state))
		return NULL;
	return dbg_err(DBG_E_STATE,
		       "process %d is stopped, %s: there is nothing to sample",
		       pid,
		       state == 't' ? "by a debugger"
				    : "by a signal; SIGCONT lets it go on");
}

struct dbg_error *dbg_sampler_open(struct dbg *dbg, pid_t pid,
				   const struct dbg_sample_request *req,
				   struct dbg_sampler **ret)
{
	struct sampler *sampler = NULL;

	struct dbg_error *err = check_runs(pid);

	if (!err)
		err = sampler_create(pid, req, &sampler);
	if (!err)
		err = dbg_observe(dbg, pid);
	if (err) {
		sampler_destroy(sampler);
		return err;
	}
	struct dbg_sampler *s = xcalloc(1, sizeof(*s));
	bool async = req->async && dbg->inspect.values;

	*s = (struct dbg_sampler){
	    .dbg = dbg,
	    .sampler = sampler,
	    .async = {async_part, async_awaiters, dbg},
	};
	const struct sampled_program program = {dbg->target, dbg->inspect.dac,
						dbg->inspect.code,
						async ? &s->async : NULL};

	sampler_begin(sampler, &program);
	*ret = s;
	if (dbg->inspect.dac)
		s->runtime = (uint32_t)strtoul(
		    dac_runtime_version(dbg->inspect.dac), NULL, 10);
	return NULL;
}

int dbg_sampler_fd(const struct dbg_sampler *s)
{
	return sampler_fd(s->sampler);
}

void dbg_sampler_read(struct dbg_sampler *s, bool *ret_ended)
{
	sampler_tick(s->sampler, ret_ended);
}

uint64_t dbg_sampler_samples(const struct dbg_sampler *s)
{
	return sampler_samples(s->sampler);
}

uint32_t dbg_sampler_runtime(const struct dbg_sampler *s)
{
	return s->runtime;
}

const struct dbg_profile *dbg_sampler_stop(struct dbg_sampler *s)
{
	return sampler_stop(s->sampler);
}

void dbg_sampler_close(struct dbg_sampler *s)
{
	if (!s)
		return;
	sampler_destroy(s->sampler);
	session_ended(s->dbg);
	free(s);
}
