/*
 * Threads, and thread groups: -thread-info, -thread-select,
 * -list-thread-groups. A group is an inferior, i1, i2 and so on.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "front/debuggees.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

// While the program runs nothing but its number is known.
static void put_running(struct str *t, const struct mi_thread *o)
{
	record_tuple(t, NULL);
	record_uint(t, "id", o->id);
	record_strf(t, "target-id", "Thread %" PRIu32, o->number);
	record_str(t, "state", "running");
	record_tuple_end(t);
}

static void put_thread(struct mi *m, struct str *t, const struct dbg_thread *o)
{
	record_tuple(t, NULL);
	record_uint(t, "id", groups_thread_id(m, o->number));
	if (m->dialect == MI_GDB)
		record_strf(t, "target-id", "Thread %d (%s)", (int)o->tid,
			    o->name);
	record_str(t, "name", o->name);
	if (m->dialect == MI_GDB)
		mi_frame_of(m, t, o->number, 0, FRAME_LEVEL | FRAME_ARGS);
	record_str(t, "state", "stopped");
	record_tuple_end(t);
}

// Put the threads of the present group: the one with the id @wanted, or (0)
// all.
static struct dbg_error *put_group_threads(struct mi *m, struct str *t,
					   uint32_t wanted)
{
	const struct mi_groups *g = &m->groups;
	enum dbg_state state = dbg_state(m->dbg);
	struct dbg_stopped at;
	struct dbg_thread *list;
	size_t n = 0;

	struct dbg_error *err = NULL;
	if (!dbg_err_drop(dbg_stopped(m->dbg, &at)))
		err = dbg_thread_list(at, &list, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (!wanted || groups_thread_id(m, list[i].number) == wanted)
			put_thread(m, t, &list[i]);
	for (size_t i = 0; state == DBG_RUNNING && i < g->n_threads; i++)
		if (g->threads[i].group == m->group &&
		    (!wanted || g->threads[i].id == wanted))
			put_running(t, &g->threads[i]);
	return err;
}

// threads=[...], of @one group or (NULL) all.
static struct dbg_error *put_threads(struct mi *m, struct str *t,
				     struct dbg *one, uint32_t wanted)
{
	struct dbg_error *err = NULL;

	record_list(t, "threads");
	for (size_t i = 0; !err && i < m->groups.n; i++) {
		struct dbg *dbg =
		    debuggees_find(m->first, m->groups.v[i].number);
		if (!dbg || (one && dbg != one))
			continue;
		groups_use(m, dbg);
		err = put_group_threads(m, t, wanted);
	}
	record_list_end(t);
	return err;
}

static struct dbg_error *info(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t wanted = 0;
	uint32_t current = groups_thread_id(m, m->thread);

	if (m->dialect == MI_NETCOREDBG && !debuggees_alive(m->first))
		return dbg_err(DBG_E_STATE, "The program is not being run.");
	if (call->args.n)
		err = mi_number(call->args.v[0], UINT32_MAX, &wanted);
	if (!err)
		err = put_threads(m, call->out, NULL, (uint32_t)wanted);
	if (!err && current && m->dialect == MI_GDB)
		record_uint(call->out, "current-thread-id", current);
	return err;
}

// Append the ids of the current group's threads. Returns how many there are.
static size_t put_ids(struct mi *m, struct str *t)
{
	const struct mi_groups *g = &m->groups;
	struct dbg_stopped at;
	uint32_t *list;
	size_t n = 0;

	if (!dbg_err_drop(dbg_stopped(m->dbg, &at))) {
		mi_warn(m, dbg_thread_numbers(at, &list, &n));
		for (size_t i = 0; i < n; i++)
			record_uint(t, "thread-id",
				    groups_thread_id(m, list[i]));
		return n;
	}
	for (size_t i = 0; i < g->n_threads; i++) {
		if (g->threads[i].group != m->group)
			continue;
		record_uint(t, "thread-id", g->threads[i].id);
		n++;
	}
	return n;
}

static struct dbg_error *list_ids(struct mi *m, struct mi_call *call)
{
	struct str *t = call->out;
	uint32_t current = groups_thread_id(m, m->thread);
	size_t n = 0;

	record_tuple(t, "thread-ids");
	for (size_t i = 0; i < m->groups.n; i++) {
		struct dbg *dbg =
		    debuggees_find(m->first, m->groups.v[i].number);
		if (!dbg)
			continue;
		groups_use(m, dbg);
		n += put_ids(m, t);
	}
	record_tuple_end(t);
	if (current)
		record_uint(t, "current-thread-id", current);
	record_uint(t, "number-of-threads", n);
	return NULL;
}

static struct dbg_error *select_thread(struct mi *m, struct dbg_stopped at,
				       struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg *dbg = m->dbg;
	struct dbg_frame f;
	uint64_t id;

	err = mi_number(call->args.v[0], UINT32_MAX, &id);
	if (err)
		return dbg_err(DBG_E_ARGUMENT, "Invalid thread ID: %s",
			       (dbg_error_destroy(err), call->args.v[0]));
	if (!groups_thread_find(m, (uint32_t)id, &dbg, &call->thread))
		call->thread = (uint32_t)id;
	groups_use(m, dbg);
	call->level = 0;
	err = mi_frame(at, call, &f);
	if (err)
		return err;
	m->selected = m->group;
	m->thread = call->thread;
	m->level = 0;
	record_uint(call->out, "new-thread-id", groups_thread_id(m, m->thread));
	record_tuple(call->out, "frame");
	mi_frame_put(m, at, call->out, &f, FRAME_LEVEL | FRAME_ARGS);
	record_tuple_end(call->out);
	return NULL;
}

/* ---- The group --------------------------------------------------------- */

static void put_executable(struct str *t, pid_t pid)
{
	char link[64], path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	record_str(t, "executable", path);
}

static struct dbg_error *put_group(struct mi *m, struct str *t,
				   const struct mi_group *group, bool recurse)
{
	struct dbg *dbg = debuggees_find(m->first, group->number);
	struct dbg_error *err = NULL;

	record_tuple(t, NULL);
	record_strf(t, "id", "i%" PRIu32, group->number);
	record_str(t, "type", "process");
	if (group->pid) {
		record_uint(t, "pid", (uint64_t)group->pid);
		put_executable(t, group->pid);
	}
	if (recurse && dbg)
		err = put_threads(m, t, dbg, 0);
	record_tuple_end(t);
	return err;
}

static struct dbg_error *list_groups(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	struct dbg *one = NULL;
	bool recurse = false, available = false;

	for (size_t i = 0; i < call->args.n; i++) {
		const char *word = call->args.v[i];
		if (!strcmp(word, "--recurse") && i + 1 < call->args.n)
			recurse = strcmp(call->args.v[++i], "0");
		else if (!strcmp(word, "--available"))
			available = true;
		else if (!(one = groups_find(m, word)))
			return dbg_err(DBG_E_ARGUMENT,
				       "Non-existent thread group id '%s'",
				       word);
	}
	if (available) {
		groups_put_available(call->out);
		return NULL;
	}
	if (one)
		return put_threads(m, call->out, one, 0);
	record_list(call->out, "groups");
	for (size_t i = 0; !err && i < m->groups.n; i++)
		err = put_group(m, call->out, &m->groups.v[i], recurse);
	record_list_end(call->out);
	return err;
}

const struct mi_cmd mi_thread_cmds[] = {
    {"thread-info", 0, "[THREAD]", 0, 1, .run = info},
    {"thread-list-ids", 0, NULL, 0, 0, .run = list_ids},
    {"thread-select", 0, "THREAD", 1, 1, .stopped = select_thread},
    {"list-thread-groups", 0, "[--available] [--recurse 1] [GROUP...]", 0,
     MI_ANY, .run = list_groups},
    {.name = NULL},
};
