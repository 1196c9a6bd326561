/*
 * Suspended async calls: -task-list-chains, and -task-select, which makes a
 * call and those that await it a stack for the commands of stacks, variables
 * and expressions.
 */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

static void put_call(struct str *t, const struct dbg_task *task)
{
	record_tuple(t, "call");
	record_addr(t, "task", task->addr);
	record_str(t, "type", task->type);
	record_str(t, "state", dbg_task_state_name(task->state));
	record_str(t, "func", task->method);
	if (task->source.path) {
		record_str(t, "file", str_basename(task->source.path));
		record_str(t, "fullname", task->source.path);
		record_uint(t, "line", task->source.line);
	}
	record_str(t, "what", task->what);
	if (task->waited)
		record_str(t, "thread-waits", "1");
	record_tuple_end(t);
}

static void put_chain(struct str *t, const struct dbg_async_chain *chain)
{
	record_tuple(t, "chain");
	record_uint(t, "count", chain->count);
	if (chain->circle)
		record_str(t, "circle", "1");
	record_list(t, "calls");
	for (size_t i = 0; i < chain->n; i++)
		put_call(t, &chain->v[i]);
	record_list_end(t);
	record_tuple_end(t);
}

static struct dbg_error *list_chains(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	struct dbg_task_query query = {.type = NULL};
	struct str *t = call->out;
	struct dbg_async found;
	size_t i = 0;

	if (i < call->args.n && !strcmp(call->args.v[i], "--each")) {
		query.each = true;
		i++;
	}
	if (i < call->args.n)
		query.type = call->args.v[i++];
	if (i < call->args.n)
		return mi_usage(call);
	struct dbg_error *err = dbg_async_list(at, &query, &found);
	if (err)
		return err;
	record_list(t, "chains");
	for (i = 0; i < found.n_chains; i++)
		put_chain(t, &found.chains[i]);
	record_list_end(t);
	record_uint(t, "waiting", found.n_calls);
	record_uint(t, "running", found.n_running);
	if (found.cut)
		record_str(t, "cut", "1");
	for (i = 0; i < found.n_damages; i++)
		mi_log(m, found.damages[i]);
	return NULL;
}

// Answered as -thread-select is.
static struct dbg_error *select_call(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	struct str *t = call->out;

	(void)at;
	struct dbg_error *err = mi_cli_word(m, "task", call->args.v[0]);
	if (err)
		return err;
	m->selected = m->group;
	record_uint(t, "new-thread-id", groups_thread_id(m, m->thread));
	mi_frame_of(m, t, m->thread, m->level, FRAME_LEVEL | FRAME_ARGS);
	return NULL;
}

const struct mi_cmd mi_task_cmds[] = {
    {"task-list-chains", 0, "[--each] [REGEX]", 0, 2, .stopped = list_chains},
    {"task-select", 0, "TASK|REGEX", 1, 1, .stopped = select_call},
    {.name = NULL},
};
