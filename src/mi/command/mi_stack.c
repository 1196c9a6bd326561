/*
 * -stack-list-frames, -stack-list-variables, -stack-list-arguments and their
 * relatives. Frames are asked for as far as the client wants them; values are
 * printed as --all-values, --simple-values or --no-values says.
 */
#include "mi/mi_priv.h"
#include "mi/record.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"

/* ---- Frames and variables ------------------------------------------------ */

enum {
	FRAMES_MAX = 100000, /* frames listed at once */
	VALUES_MAX = 4096,
};

/* ---- Values ------------------------------------------------------------ */

bool mi_print_values(const char *word, enum mi_print *ret)
{
	static const char *const names[] = {
	    "0", "--no-values", "1", "--all-values", "2", "--simple-values"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(word, names[i]))
			continue;
		*ret = (enum mi_print)(i / 2);
		return true;
	}
	return false;
}

bool mi_is_compound(const struct dbg_value *v)
{
	return v->kind == DBG_VALUE_OBJECT || v->kind == DBG_VALUE_ARRAY ||
	       v->kind == DBG_VALUE_GROUP;
}

static void put_value(struct str *t, const struct dbg_value *v,
		      enum mi_print print, bool is_arg)
{
	record_tuple(t, NULL);
	record_str(t, "name", v->name);
	if (is_arg)
		record_str(t, "arg", "1");
	if (print == PRINT_SIMPLE)
		record_str(t, "type", v->type);
	// also with PRINT_SIMPLE: nearly all variables are references, of which
	// front ends would show nothing; their texts are short
	if (print != PRINT_NONE)
		record_str(t, "value", v->text);
	record_tuple_end(t);
}

static struct dbg_error *put_scope(struct dbg_stopped at, struct str *t,
				   dbg_id frame, enum dbg_scope scope,
				   enum mi_print print)
{
	struct dbg_value *list;
	size_t n;

	struct dbg_error *err = dbg_scope_list(at, frame, scope, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (print == PRINT_NONE)
			record_str(t, "name", list[i].name);
		else
			put_value(t, &list[i], print, false);
	return NULL;
}

/* ---- Frames ------------------------------------------------------------ */

static void put_args(struct dbg_stopped at, struct str *t,
		     const struct dbg_frame *f)
{
	struct dbg_value *list;
	size_t n = 0;

	record_list(t, "args");
	struct dbg_error *err =
	    dbg_scope_list(at, f->id, DBG_SCOPE_ARGS, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		record_tuple(t, NULL);
		record_str(t, "name", list[i].name);
		record_str(t, "value",
			   mi_is_compound(&list[i]) ? "..." : list[i].text);
		record_tuple_end(t);
	}
	dbg_error_destroy(err);
	record_list_end(t);
}

// Put what only the runtime knows about a frame.
static void put_clr(const struct mi *m, struct str *t,
		    const struct dbg_frame *f)
{
	if (!f->token)
		return;
	record_tuple(t, "clr-addr");
	mi_module_id_put(m, t, "module-id", f->mvid, f->module);
	record_strf(t, "method-token", "0x%08" PRIx32, f->token);
	record_str(t, "method-version", "1");
	record_uint(t, "il-offset",
		    f->il_offset == UINT32_MAX ? 0 : f->il_offset);
	record_uint(t, "native-offset",
		    f->code && f->pc >= f->code ? f->pc - f->code : 0);
	record_tuple_end(t);
}

// As netcoredbg has it: metadata's name, no parameters.
static void put_function(struct str *t, const struct dbg_frame *f)
{
	_cleanup_free_ char *name =
	    xstrdup(f->generated ? f->generated : f->name);

	for (char *p = name; *p && f->generated; p++)
		if (*p == '+')
			*p = '.';
	record_strf(t, "func", f->token ? "%s()" : "%s", name);
}

static void put_plain(const struct mi *m, struct str *t,
		      const struct dbg_frame *f)
{
	const struct dbg_source_range *s = &f->source;

	if (s->path) {
		record_str(t, "file", str_basename(s->path));
		record_str(t, "fullname", s->path);
		record_uint(t, "line", s->line);
		record_uint(t, "col", s->column);
		record_uint(t, "end-line", s->end_line);
		record_uint(t, "end-col", s->end_column);
	}
	put_clr(m, t, f);
	put_function(t, f);
	record_addr(t, "addr", f->pc);
	record_str(t, "active-statement-flags",
		   f->level ? "NonLeafFrame" : "LeafFrame");
	if (f->replaced)
		record_str(t, "replaced", "y");
}

/* A frame's members. */
static void mi_frame_put(struct mi *m, struct dbg_stopped at, struct str *t,
			 const struct dbg_frame *f, unsigned int what)
{
	if (what & FRAME_LEVEL)
		record_uint(t, "level", f->level);
	if (m->dialect == MI_NETCOREDBG) {
		put_plain(m, t, f);
		return;
	}
	// Vim takes the last "addr=" and the last "line=" of a record.
	put_clr(m, t, f);
	record_addr(t, "addr", f->pc);
	record_str(t, "func", f->name);
	if (what & FRAME_ARGS)
		put_args(at, t, f);
	if (f->source.path) {
		record_str(t, "file", str_basename(f->source.path));
		record_str(t, "fullname", f->source.path);
		record_uint(t, "line", f->source.line);
	} else {
		record_str(t, "from", f->module);
	}
	if (f->replaced)
		record_str(t, "replaced", "y");
	record_str(t, "arch", "i386:x86-64");
}

void mi_frame_of(struct mi *m, struct str *t, uint32_t thread, uint32_t level,
		 unsigned int what)
{
	struct dbg_stopped at;
	struct dbg_frame *list;
	size_t n = 0;

	if (!thread)
		return;
	struct dbg_error *err = dbg_stopped(m->dbg, &at);
	if (!err)
		err = dbg_frame_list(at, thread, level, 1, &list, &n);
	if (!err && n) {
		record_tuple(t, "frame");
		mi_frame_put(m, at, t, &list[0], what);
		record_tuple_end(t);
	}
	dbg_error_destroy(err);
}

// LOW HIGH at the end of the arguments, both or none; HIGH -1: to the end.
static struct dbg_error *parse_range(const struct mi_call *call, size_t from,
				     uint32_t *first, uint32_t *count)
{
	struct dbg_error *err;
	uint64_t low, high;

	*first = 0;
	*count = FRAMES_MAX;
	if (call->args.n == from)
		return NULL;
	if (call->args.n != from + 2)
		return mi_usage(call);
	if (!strcmp(call->args.v[from], "-1") ||
	    !strcmp(call->args.v[from + 1], "-1"))
		return NULL;
	err = mi_number(call->args.v[from], UINT32_MAX, &low);
	if (!err)
		err = mi_number(call->args.v[from + 1], UINT32_MAX, &high);
	if (err)
		return err;
	*first = (uint32_t)low;
	uint64_t n = high < low ? 0 : high - low + 1;
	*count = n > FRAMES_MAX ? FRAMES_MAX : (uint32_t)n;
	return NULL;
}

// Options that say how frame filters are used: there are none.
static size_t skip_options(const struct mi_call *call)
{
	size_t i = 0;

	while (i < call->args.n &&
	       (!strcmp(call->args.v[i], "--no-frame-filters") ||
		!strcmp(call->args.v[i], "--skip-unavailable") ||
		!strcmp(call->args.v[i], "--hot-reload")))
		i++;
	return i;
}

static struct dbg_error *list_frames(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	struct dbg_error *err;
	uint32_t first, count;
	struct dbg_frame *list;
	size_t n = 0;

	err = parse_range(call, skip_options(call), &first, &count);
	if (!err && count)
		err = dbg_frame_list(at, call->thread, first, count, &list, &n);
	if (err)
		return err;
	if (first && !n)
		return dbg_err(DBG_E_ARGUMENT,
			       "-stack-list-frames: Not enough frames in "
			       "stack.");
	record_list(call->out, "stack");
	for (size_t i = 0; i < n; i++) {
		record_tuple(call->out, "frame");
		mi_frame_put(m, at, call->out, &list[i], FRAME_LEVEL);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return NULL;
}

static struct dbg_error *list_arguments(struct mi *m, struct dbg_stopped at,
					struct mi_call *call)
{
	struct dbg_error *err;
	size_t i = skip_options(call);
	uint32_t first, count;
	struct dbg_frame *list;
	enum mi_print print;
	size_t n = 0;

	(void)m;
	if (i >= call->args.n || !mi_print_values(call->args.v[i], &print))
		return mi_usage(call);
	err = parse_range(call, i + 1, &first, &count);
	if (!err && count)
		err = dbg_frame_list(at, call->thread, first, count, &list, &n);
	if (err)
		return err;
	record_list(call->out, "stack-args");
	for (size_t k = 0; !err && k < n; k++) {
		record_tuple(call->out, "frame");
		record_uint(call->out, "level", list[k].level);
		record_list(call->out, "args");
		err =
		    put_scope(at, call->out, list[k].id, DBG_SCOPE_ARGS, print);
		record_list_end(call->out);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return err;
}

static struct dbg_error *list_locals(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	struct dbg_error *err;
	size_t i = skip_options(call);
	struct dbg_frame f;
	enum mi_print print;

	(void)m;
	if (i + 1 != call->args.n || !mi_print_values(call->args.v[i], &print))
		return mi_usage(call);
	err = mi_frame(at, call, &f);
	if (err)
		return err;
	record_list(call->out, "locals");
	err = put_scope(at, call->out, f.id, DBG_SCOPE_LOCALS, print);
	record_list_end(call->out);
	return err;
}

// Put the exception that is being thrown or handled first, as netcoredbg's
// clients expect.
static void put_exception(struct mi *m, struct dbg_stopped at, struct str *t,
			  dbg_id frame)
{
	struct dbg_value v;

	if (m->dialect != MI_NETCOREDBG)
		return;
	struct dbg_error *err = dbg_eval(at, frame, "$exception", &v);
	if (!err) {
		v.name = "$exception";
		put_value(t, &v, PRINT_ALL, false);
	}
	dbg_error_destroy(err);
}

static struct dbg_error *put_variables(struct mi *m, struct dbg_stopped at,
				       struct str *t, dbg_id frame,
				       enum mi_print print)
{
	bool plain = m->dialect == MI_NETCOREDBG;
	struct dbg_value *list;
	size_t n;

	for (int i = 0; i < 2; i++) {
		enum dbg_scope scope = i ? DBG_SCOPE_LOCALS : DBG_SCOPE_ARGS;
		struct dbg_error *err =
		    dbg_scope_list(at, frame, scope, &list, &n);
		if (err)
			return err;
		for (size_t k = 0; k < n; k++)
			put_value(t, &list[k], plain ? PRINT_ALL : print,
				  !plain && !i);
	}
	return NULL;
}

static struct dbg_error *list_variables(struct mi *m, struct dbg_stopped at,
					struct mi_call *call)
{
	struct dbg_error *err;
	size_t i = skip_options(call);
	struct dbg_frame f;
	enum mi_print print = PRINT_ALL;

	bool given =
	    i < call->args.n && mi_print_values(call->args.v[i], &print);
	if (!given && m->dialect != MI_NETCOREDBG)
		return mi_usage(call);
	err = mi_frame(at, call, &f);
	if (err)
		return err;
	record_list(call->out, "variables");
	put_exception(m, at, call->out, f.id);
	err = put_variables(m, at, call->out, f.id, print);
	record_list_end(call->out);
	return err;
}

static struct dbg_error *info_frame(struct mi *m, struct dbg_stopped at,
				    struct mi_call *call)
{
	struct dbg_frame f;

	struct dbg_error *err = mi_frame(at, call, &f);
	if (err)
		return err;
	record_tuple(call->out, "frame");
	mi_frame_put(m, at, call->out, &f, FRAME_LEVEL);
	record_tuple_end(call->out);
	return NULL;
}

static struct dbg_error *info_depth(struct mi *m, struct dbg_stopped at,
				    struct mi_call *call)
{
	struct dbg_error *err = NULL;
	uint64_t max = FRAMES_MAX;
	struct dbg_frame *list;
	size_t n = 0;

	(void)m;
	if (call->args.n)
		err = mi_number(call->args.v[0], UINT32_MAX, &max);
	if (!err)
		err = dbg_frame_list(
		    at, call->thread, 0,
		    max > FRAMES_MAX ? FRAMES_MAX : (uint32_t)max, &list, &n);
	if (!err)
		record_uint(call->out, "depth", n);
	return err;
}

static struct dbg_error *select_frame(struct mi *m, struct dbg_stopped at,
				      struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_frame f;
	uint64_t level;

	err = mi_number(call->args.v[0], UINT32_MAX, &level);
	if (err)
		return err;
	call->level = (uint32_t)level;
	err = mi_frame(at, call, &f);
	if (err)
		return err;
	m->thread = call->thread;
	m->level = call->level;
	m->selected = m->group;
	return NULL;
}

static struct dbg_error *accept(struct mi *m, struct mi_call *call)
{
	(void)m;
	(void)call;
	return NULL;
}

const struct mi_cmd mi_stack_cmds[] = {
    {"stack-list-frames", MI_TAIL, "[--no-frame-filters] [LOW HIGH]", 0, 4,
     .stopped = list_frames},
    {"stack-list-arguments", MI_TAIL,
     "[--skip-unavailable] PRINT_VALUES [LOW HIGH]", 1, 5,
     .stopped = list_arguments},
    {"stack-list-locals", 0, "[--skip-unavailable] PRINT_VALUES", 1, 3,
     .stopped = list_locals},
    {"stack-list-variables", MI_TAIL, "[--skip-unavailable] PRINT_VALUES", 0,
     MI_ANY, .stopped = list_variables},
    {"stack-info-frame", 0, NULL, 0, 0, .stopped = info_frame},
    {"stack-info-depth", 0, "[MAX]", 0, 1, .stopped = info_depth},
    {"stack-select-frame", 0, "FRAME", 1, 1, .stopped = select_frame},
    {"enable-frame-filters", 0, NULL, 0, 0, .run = accept},
    {.name = NULL},
};

/* ---- Threads, and thread groups ------------------------------------------ */

/*
 * Threads, and thread groups: -thread-info, -thread-select,
 * -list-thread-groups. A group is an inferior, i1, i2 and so on.
 */

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
