/*
 * The machine, in gdb's form: the tables of -info-os, and what could be
 * attached to, -list-thread-groups --available. Of processes there are those
 * that dndbg can attach to: programs of .NET.
 */
#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

struct column {
	const char *name, *head;
};

static void begin_table(struct str *t, const struct column *columns, size_t n,
			size_t n_rows)
{
	record_tuple(t, "OSDataTable");
	record_uint(t, "nr_rows", n_rows);
	record_uint(t, "nr_cols", n);
	record_list(t, "hdr");
	for (size_t i = 0; i < n; i++) {
		record_tuple(t, NULL);
		record_str(t, "width", "10");
		record_str(t, "alignment", "-1");
		record_str(t, "col_name", columns[i].name);
		record_str(t, "colhdr", columns[i].head);
		record_tuple_end(t);
	}
	record_list_end(t);
	record_list(t, "body");
}

static void end_table(struct str *t)
{
	record_list_end(t);
	record_tuple_end(t);
}

static void put_types(struct str *t)
{
	static const struct column columns[] = {{"Type", "Type"},
						{"Description", "Description"},
						{"Title", "Title"}};

	begin_table(t, columns, 3, 1);
	record_tuple(t, NULL);
	record_str(t, "col0", "processes");
	record_str(t, "col1", "Listing of all .NET processes");
	record_str(t, "col2", "Processes");
	record_tuple_end(t);
	end_table(t);
}

struct rows {
	struct str *t;
	size_t n;
};

static void put_user(struct str *t, const char *name, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		record_str(t, name, user->pw_name);
	else
		record_uint(t, name, uid);
}

static void put_process(void *arg, const struct dbg_program_info *p)
{
	struct rows *rows = arg;

	rows->n++;
	record_tuple(rows->t, NULL);
	record_uint(rows->t, "col0", (uint64_t)p->pid);
	put_user(rows->t, "col1", p->uid);
	record_str(rows->t, "col2", p->command);
	record_tuple_end(rows->t);
}

static void put_processes(struct str *t)
{
	static const struct column columns[] = {
	    {"pid", "pid"}, {"user", "user"}, {"command", "command"}};
	_cleanup_str_ struct str body = {0};
	struct rows rows = {&body, 0};

	dbg_programs(put_process, &rows);
	begin_table(t, columns, 3, rows.n);
	str_addn(t, str_get(&body), body.len);
	end_table(t);
}

static void put_available(void *arg, const struct dbg_program_info *p)
{
	struct str *t = arg;

	record_tuple(t, NULL);
	record_uint(t, "id", (uint64_t)p->pid);
	record_str(t, "type", "process");
	record_str(t, "description", p->command);
	put_user(t, "user", p->uid);
	record_tuple_end(t);
}

void groups_put_available(struct str *t)
{
	record_list(t, "groups");
	dbg_programs(put_available, t);
	record_list_end(t);
}

static struct dbg_error *info_os(struct mi *m, struct mi_call *call)
{
	(void)m;
	if (!call->args.n)
		put_types(call->out);
	else if (!strcmp(call->args.v[0], "processes"))
		put_processes(call->out);
	else
		return dbg_err(DBG_E_ARGUMENT,
			       "Unrecognized argument: \"%s\"; there is "
			       "\"processes\".",
			       call->args.v[0]);
	return NULL;
}

const struct mi_cmd mi_os_cmds[] = {
    {"info-os", 0, "[processes]", 0, 1, .run = info_os},
    {.name = NULL},
};
