/*
 * Threads, and thread groups: -thread-info, -thread-select,
 * -list-thread-groups. A group is an inferior, i1, i2 and so on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

// While the program runs nothing but its number is known.
static void put_running(struct mi *m, struct str *t, uint32_t wanted)
{
	for (size_t i = 0; i < m->threads.n; i++) {
		uint32_t number = m->threads.v[i].number;
		if (wanted && number != wanted)
			continue;
		record_tuple(t, NULL);
		record_uint(t, "id", number);
		record_strf(t, "target-id", "Thread %" PRIu32, number);
		record_str(t, "state", "running");
		record_tuple_end(t);
	}
}

static void put_thread(struct mi *m, struct str *t, const struct dbg_thread *o)
{
	record_tuple(t, NULL);
	record_uint(t, "id", o->number);
	if (m->dialect == MI_GDB)
		record_strf(t, "target-id", "Thread %d (%s)", (int)o->tid,
			    o->name);
	record_str(t, "name", o->name);
	if (m->dialect == MI_GDB)
		mi_frame_of(m, t, o->number, 0, FRAME_LEVEL | FRAME_ARGS);
	record_str(t, "state", "stopped");
	record_tuple_end(t);
}

// threads=[...], of one number or all.
static struct dbg_error *put_threads(struct mi *m, struct str *t,
				     uint32_t wanted)
{
	struct dbg_thread *list;
	size_t n = 0;

	if (dbg_state(m->dbg) == DBG_STOPPED) {
		struct dbg_error *err = dbg_thread_list(m->dbg, &list, &n);
		if (err)
			return err;
	}
	record_list(t, "threads");
	for (size_t i = 0; i < n; i++)
		if (!wanted || list[i].number == wanted)
			put_thread(m, t, &list[i]);
	if (dbg_state(m->dbg) == DBG_RUNNING)
		put_running(m, t, wanted);
	record_list_end(t);
	return NULL;
}

static struct dbg_error *info(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t wanted = 0;

	if (call->args.n)
		err = mi_number(call->args.v[0], UINT32_MAX, &wanted);
	if (!err)
		err = put_threads(m, call->out, (uint32_t)wanted);
	if (!err && m->thread && m->dialect == MI_GDB)
		record_uint(call->out, "current-thread-id", m->thread);
	return err;
}

static struct dbg_error *list_ids(struct mi *m, struct mi_call *call)
{
	struct str *t = call->out;
	struct dbg_thread *list = NULL;
	size_t n = m->threads.n;
	bool stopped = dbg_state(m->dbg) == DBG_STOPPED;

	if (stopped) {
		struct dbg_error *err = dbg_thread_list(m->dbg, &list, &n);
		if (err)
			return err;
	}
	record_tuple(t, "thread-ids");
	for (size_t i = 0; i < n; i++)
		record_uint(t, "thread-id",
			    stopped ? list[i].number : m->threads.v[i].number);
	record_tuple_end(t);
	if (m->thread)
		record_uint(t, "current-thread-id", m->thread);
	record_uint(t, "number-of-threads", n);
	return NULL;
}

static struct dbg_error *select_thread(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_frame f;
	uint64_t number;

	err = mi_number(call->args.v[0], UINT32_MAX, &number);
	if (err)
		return dbg_err(DBG_E_ARGUMENT, "Invalid thread ID: %s",
			       (dbg_error_destroy(err), call->args.v[0]));
	call->thread = (uint32_t)number;
	call->level = 0;
	err = mi_frame(m, call, &f);
	if (err)
		return err;
	m->thread = call->thread;
	m->level = 0;
	record_uint(call->out, "new-thread-id", m->thread);
	record_tuple(call->out, "frame");
	mi_frame_put(m, call->out, &f, FRAME_LEVEL | FRAME_ARGS);
	record_tuple_end(call->out);
	return NULL;
}

/* ---- The group --------------------------------------------------------- */

static void program_path(pid_t pid, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(buf, 1, size - 1, file) : 0;
	buf[n] = 0;
	if (file)
		fclose(file);
}

static void put_group(struct mi *m, struct str *t)
{
	char program[512];

	record_str(t, "id", "i1");
	record_str(t, "type", "process");
	if (!m->pid)
		return;
	program_path(m->pid, program, sizeof(program));
	record_uint(t, "pid", (uint64_t)m->pid);
	record_str(t, "executable", program);
}

static struct dbg_error *list_groups(struct mi *m, struct mi_call *call)
{
	bool recurse = false;
	bool one = false;

	for (size_t i = 0; i < call->args.n; i++) {
		const char *word = call->args.v[i];
		if (!strcmp(word, "--recurse") && i + 1 < call->args.n)
			recurse = strcmp(call->args.v[++i], "0");
		else if (!strcmp(word, "i1"))
			one = true;
		else if (!strcmp(word, "--available"))
			return dbg_err(DBG_E_UNSUPPORTED,
				       "Can not fetch data now.");
		else
			return dbg_err(DBG_E_ARGUMENT,
				       "Non-existent thread group id '%s'",
				       word);
	}
	if (one)
		return put_threads(m, call->out, 0);
	record_list(call->out, "groups");
	record_tuple(call->out, NULL);
	put_group(m, call->out);
	struct dbg_error *err = recurse ? put_threads(m, call->out, 0) : NULL;
	record_tuple_end(call->out);
	record_list_end(call->out);
	return err;
}

const struct mi_cmd mi_thread_cmds[] = {
    {"thread-info", info, 0, "[THREAD]", 0, 1},
    {"thread-list-ids", list_ids, 0, NULL, 0, 0},
    {"thread-select", select_thread, MI_NEEDS_STOP, "THREAD", 1, 1},
    {"list-thread-groups", list_groups, 0,
     "[--available] [--recurse 1] [GROUP...]", 0, MI_ANY},
    {.name = NULL},
};
