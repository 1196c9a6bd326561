/* Async calls and tasks that are not done: `dumpasync`, `tasks`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

static void show_cut(struct repl *r, bool cut, size_t n)
{
	if (cut)
		out(r, "(There are more: these are the first %zu.)\n", n);
}

/* ---- dumpasync ------------------------------------------------------- */

enum {
	VARIABLES_MAX = 1000, /* calls whose variables are shown */
};

struct calls_shown {
	struct sheet sheet;
	size_t n; /* calls that have variables to show */
};

static const struct sheet_column call_columns[] = {
    {"Address", "address", SHEET_ADDRESS, 14},
    {NULL, "methodTable", SHEET_ADDRESS, 0},
    {NULL, "type", SHEET_TEXT, 0},
    {NULL, "state", SHEET_TEXT, 0},
    {NULL, "async", SHEET_BOOL, 0},
    {NULL, "method", SHEET_TEXT, 0},
    {NULL, "parameters", SHEET_TEXT, 0},
    {NULL, "file", SHEET_TEXT, 0},
    {NULL, "line", SHEET_NUMBER, 0},
    {NULL, "what", SHEET_TEXT, 0},
    {NULL, "threadWaits", SHEET_BOOL, 0},
};

static void show_call_text(struct repl *r, const struct dbg_task *task)
{
	out(r, "  0x%012" PRIx64 "  ", task->addr);
	if (task->method)
		out(r, "%s", task->method);
	if (task->method && task->params)
		out(r, "(%s)", task->params);
	if (task->source.path)
		out(r, " at %s:%" PRIu32, task->source.path, task->source.line);
	if (task->what)
		out(r, "%s%s", task->method ? ", which " : "", task->what);
	if (!task->async && task->method)
		out(r, ", which is %s", dbg_task_state_name(task->state));
	if (task->waited)
		out(r, " (a thread waits for it)");
	out(r, "\n");
}

static const enum dbg_scope call_scopes[] = {DBG_SCOPE_ARGS, DBG_SCOPE_LOCALS};

// Arguments and locals of a suspended call.
static void show_variables_text(struct repl *r, struct dbg_stopped at,
				const struct dbg_task *task)
{
	for (size_t i = 0; i < 2; i++) {
		struct dbg_error *err = show_scope(
		    r, at, task->frame, call_scopes[i], NULL, "        ");

		if (!err)
			continue;
		out(r, "        <%s>\n", err->message);
		dbg_error_destroy(err);
		return;
	}
}

static const struct sheet_column variable_columns[] = {
    {NULL, "name", SHEET_TEXT, 0},
    {NULL, "type", SHEET_TEXT, 0},
    {NULL, "value", SHEET_TEXT, 0},
    {NULL, "argument", SHEET_BOOL, 0},
};

static void show_scope_rows(struct sheet *s, const struct dbg_task *task,
			    enum dbg_scope scope)
{
	struct dbg_value *v;
	size_t n;
	struct dbg_error *err =
	    dbg_scope_list(s->at, task->frame, scope, &v, &n);

	for (size_t i = 0; !err && i < n; i++)
		sheet_row(s, (struct sheet_cell[]){
				 {.text = v[i].name},
				 {.text = v[i].type},
				 {.text = v[i].text},
				 {.number = scope == DBG_SCOPE_ARGS}});
	dbg_error_destroy(err);
}

/*
 * Show the variables of a call, for as many calls as a user reads: each
 * variable may run code of the program in the interpreter.
 */
static void show_variables(struct calls_shown *shown,
			   const struct dbg_task *task)
{
	struct sheet *s = &shown->sheet;

	if (!task->frame || shown->n++ >= VARIABLES_MAX)
		return;
	if (!s->json) {
		show_variables_text(s->r, s->at, task);
		return;
	}
	sheet_rows(s, "variables", SHEET_COLUMNS(variable_columns));
	for (size_t i = 0; i < 2; i++)
		show_scope_rows(s, task, call_scopes[i]);
	sheet_rows_end(s);
}

static void show_call(struct calls_shown *shown, const struct dbg_task *task)
{
	struct sheet *s = &shown->sheet;
	const struct sheet_cell cells[] = {
	    {.number = task->addr},
	    {.number = task->method_table},
	    {.text = task->type},
	    {.text = dbg_task_state_name(task->state)},
	    {.number = task->async},
	    {.text = task->method},
	    {.text = task->params},
	    {.text = task->source.path},
	    {.number = task->source.line, .absent = !task->source.path},
	    {.text = task->what},
	    {.number = task->waited},
	};

	if (!s->json)
		show_call_text(s->r, task);
	sheet_object(s);
	sheet_cells(s, SHEET_COLUMNS(call_columns), cells);
	show_variables(shown, task);
	sheet_object_end(s);
}

static void show_chain(struct calls_shown *shown,
		       const struct dbg_async_chain *chain)
{
	struct sheet *s = &shown->sheet;

	if (!s->json)
		out(s->r, "%s%" PRIu64 " chain%s:\n",
		    chain->circle ? "Circle: " : "", chain->count,
		    chain->count == 1 ? "" : "s, the same but for objects");
	sheet_object(s);
	sheet_number(s, "count", chain->count);
	sheet_text(s, "kind", chain->circle ? "circle" : "chain");
	sheet_rows(s, "calls", NULL, 0);
	for (size_t i = 0; i < chain->n; i++)
		show_call(shown, &chain->v[i]);
	sheet_rows_end(s);
	sheet_object_end(s);
}

static void show_numbers(struct repl *r, const struct dbg_async *found)
{
	out(r, "%" PRIu64 " async call%s wait%s", found->n_calls,
	    found->n_calls == 1 ? "" : "s", found->n_calls == 1 ? "s" : "");
	if (found->n_running)
		out(r, ", %" PRIu64 " %s on the stack of a thread (pstacks)",
		    found->n_running, found->n_running == 1 ? "is" : "are");
	out(r, "\n");
}

static void show_cut_variables(struct calls_shown *shown)
{
	size_t left = shown->n > VARIABLES_MAX ? shown->n - VARIABLES_MAX : 0;

	sheet_number(&shown->sheet, "withoutVariables", left);
	if (left && !shown->sheet.json)
		out(shown->sheet.r,
		    "(The variables of %zu more calls are left out: name some "
		    "by --type, or select one with \"task\".)\n",
		    left);
}

static struct dbg_error *cmd_dumpasync(struct repl *r, struct dbg_stopped at,
				       const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_async found;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	const struct dbg_task_query query = {
	    .type = o.filter.type, .each = o.stacks, .frames = o.locals};
	struct calls_shown shown = {.n = 0};
	struct sheet *s = &shown.sheet;

	if (!err)
		err = dbg_async_list(at, &query, &found);
	if (err)
		return err;
	size_t n = o.top && o.top < found.n_chains ? o.top : found.n_chains;
	sheet_begin(s, r, at, o.json);
	sheet_number(s, "calls", found.n_calls);
	sheet_number(s, "running", found.n_running);
	sheet_rows(s, "chains", NULL, 0);
	for (size_t i = 0; i < n; i++)
		show_chain(&shown, &found.chains[i]);
	sheet_rows_end(s);
	if (!o.json) {
		show_cut(r, found.cut || n < found.n_chains, n);
		show_numbers(r, &found);
	}
	show_cut_variables(&shown);
	sheet_sentences(s, "damages", found.damages, found.n_damages);
	sheet_end(s);
	return NULL;
}

/* ---- tasks ----------------------------------------------------------- */

static const struct sheet_column group_columns[] = {
    {"Count", "count", SHEET_NUMBER, 8}, {"State", "state", SHEET_TEXT, 8},
    {NULL, "async", SHEET_BOOL, 0},      {NULL, "address", SHEET_ADDRESS, 0},
    {NULL, "type", SHEET_TEXT, 0},       {"Task", "task", SHEET_TEXT, 0},
    {NULL, "exception", SHEET_TEXT, 0},  {NULL, "message", SHEET_TEXT, 0},
    {NULL, "unobserved", SHEET_BOOL, 0},
};

static const struct sheet_column task_columns[] = {
    {"Address", "address", SHEET_ADDRESS, 14},
    {"State", "state", SHEET_TEXT, 8},
    {NULL, "async", SHEET_BOOL, 0},
    {"Id", "id", SHEET_NUMBER, 6},
    {NULL, "type", SHEET_TEXT, 0},
    {"Task", "task", SHEET_TEXT, 0},
    {NULL, "exception", SHEET_TEXT, 0},
    {NULL, "message", SHEET_TEXT, 0},
    {NULL, "unobserved", SHEET_BOOL, 0},
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare(const struct dbg_task *a, const struct dbg_task *b)
{
	if (a->state != b->state)
		return a->state < b->state ? -1 : 1;
	int by = compare_texts(a->method, b->method);

	by = by ? by : compare_texts(a->params, b->params);
	by = by ? by : compare_texts(a->what, b->what);
	by = by ? by : compare_texts(a->exception, b->exception);
	by = by ? by : compare_texts(a->message, b->message);
	by = by ? by : (int)a->unobserved - (int)b->unobserved;
	return by ? by : (int)a->source.line - (int)b->source.line;
}

static int by_kind(const void *a, const void *b)
{
	const struct dbg_task *x = *(const struct dbg_task *const *)a;
	const struct dbg_task *y = *(const struct dbg_task *const *)b;
	int by = compare(x, y);

	return by ? by : x->addr < y->addr ? -1 : x->addr > y->addr;
}

// Set @text to the description of a task: "Shop.Order.Load(int) at Order.cs:12,
// which awaits ...".
static void add_text(const struct dbg_task *task, bool json, struct str *text)
{
	const char *name = task->method ? task->method : task->what;

	str_clear(text);
	str_add(text, name ? name : task->type);
	if (task->method && task->params)
		str_addf(text, "(%s)", task->params);
	if (task->source.path)
		str_addf(text, " at %s:%" PRIu32, task->source.path,
			 task->source.line);
	if (task->method && task->what)
		str_addf(text, ", which %s", task->what);
	if (task->exception && !json)
		str_addf(text, ": %s: %s%s", task->exception,
			 task->message ? task->message : "",
			 task->unobserved ? " (nobody has looked)" : "");
}

static void show_group(struct sheet *s, const struct dbg_task *task, size_t n)
{
	_cleanup_str_ struct str text = {0};

	add_text(task, s->json, &text);
	sheet_row(s, (struct sheet_cell[]){
			 {.number = n},
			 {.text = dbg_task_state_name(task->state)},
			 {.number = task->async},
			 {.number = task->addr},
			 {.text = task->type},
			 {.text = str_get(&text)},
			 {.text = task->exception},
			 {.text = task->message},
			 {.number = task->unobserved,
			  .absent = task->state != DBG_TASK_FAULTED}});
}

static void show_groups(struct sheet *s, const struct dbg_tasks *tasks)
{
	const struct dbg_task **v = xcalloc(tasks->n + 1, sizeof(*v));

	for (size_t i = 0; i < tasks->n; i++)
		v[i] = &tasks->v[i];
	qsort(v, tasks->n, sizeof(*v), by_kind);
	sheet_rows(s, "groups", SHEET_COLUMNS(group_columns));
	for (size_t i = 0, n; i < tasks->n; i += n) {
		for (n = 1; i + n < tasks->n && !compare(v[i], v[i + n]);)
			n++;
		show_group(s, v[i], n);
	}
	sheet_rows_end(s);
	free(v);
}

static void show_each(struct sheet *s, const struct dbg_tasks *tasks)
{
	_cleanup_str_ struct str text = {0};

	sheet_rows(s, "tasks", SHEET_COLUMNS(task_columns));
	for (size_t i = 0; i < tasks->n; i++) {
		const struct dbg_task *task = &tasks->v[i];

		add_text(task, s->json, &text);
		sheet_row(s, (struct sheet_cell[]){
				 {.number = task->addr},
				 {.text = dbg_task_state_name(task->state)},
				 {.number = task->async},
				 {.number = task->id, .absent = !task->id},
				 {.text = task->type},
				 {.text = str_get(&text)},
				 {.text = task->exception},
				 {.text = task->message},
				 {.number = task->unobserved,
				  .absent = task->state != DBG_TASK_FAULTED}});
	}
	sheet_rows_end(s);
}

static void show_counts(struct sheet *s, const struct dbg_tasks *tasks)
{
	bool any = false;

	for (int i = 0; i < DBG_N_TASK_STATES; i++) {
		const char *name = dbg_task_state_name((enum dbg_task_state)i);

		sheet_number(s, name, tasks->counts[i]);
		if (s->json || !tasks->counts[i])
			continue;
		out(s->r, "%s%" PRIu64 " %s", any ? ", " : "", tasks->counts[i],
		    name);
		any = true;
	}
	if (!s->json)
		out(s->r, "%s\n", any ? "" : "No tasks");
}

static struct dbg_error *cmd_tasks(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_tasks tasks;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	const struct dbg_task_query query = {.type = o.filter.type,
					     .completed = o.completed};
	struct sheet s;

	if (!err)
		err = dbg_task_list(at, &query, &tasks);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	if (o.all)
		show_each(&s, &tasks);
	else
		show_groups(&s, &tasks);
	if (!o.json)
		show_cut(r, tasks.cut, tasks.n);
	show_counts(&s, &tasks);
	sheet_sentences(&s, "damages", tasks.damages, tasks.n_damages);
	sheet_end(&s);
	return NULL;
}

/* ---- task ------------------------------------------------------------ */

static struct dbg_error *select_call(struct repl *r, struct dbg_stopped at,
				     uint64_t addr)
{
	uint32_t thread;
	struct dbg_error *err = dbg_suspended_call(at, addr, &thread);

	if (!err)
		err = frame_select(r, thread, 0);
	if (err)
		return err;
	out(r, "[Switching to suspended call 0x%" PRIx64 "]\n", addr);
	return show_selected(r);
}

// Select the first suspended call of a method that matches @pattern.
static struct dbg_error *select_method(struct repl *r, struct dbg_stopped at,
				       const char *pattern)
{
	const struct dbg_task_query query = {.type = pattern};
	struct dbg_tasks tasks;
	const struct dbg_task *first = NULL;
	size_t n = 0;
	struct dbg_error *err = dbg_task_list(at, &query, &tasks);

	if (err)
		return err;
	for (size_t i = 0; i < tasks.n; i++) {
		const struct dbg_task *task = &tasks.v[i];

		if (!task->async || !task->source.path ||
		    task->state >= DBG_TASK_DONE)
			continue;
		first = n++ ? first : task;
	}
	if (!first)
		return dbg_err_arg("No call of a method \"%s\" is suspended.",
				   pattern);
	if (n > 1)
		out(r,
		    "This is the first of %zu; \"dumpasync --stacks --type "
		    "%s\" shows all.\n",
		    n, pattern);
	return select_call(r, at, first->addr);
}

static struct dbg_error *cmd_task(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	uint64_t addr;

	if (*call->args)
		return parse_u64(call->args, &addr)
			   ? select_call(r, at, addr)
			   : select_method(r, at, call->args);
	if (r->thread < DBG_THREAD_SUSPENDED)
		return dbg_err_arg("No suspended call is selected.");
	return show_selected(r);
}

/* ---- The table ------------------------------------------------------- */

static const struct repl_cmd cmds[] = {
    {
	.names = "dumpasync",
	.args = "[--type REGEX] [--stacks] [--coalesce] [--top N] [--locals] "
		"[--json]",
	.help = "show async calls that wait, as chains of who awaits whom",
	.more = "What nothing is done without stands first, the outermost "
		"call last. Chains that are\nthe same but for their objects "
		"are counted; --stacks shows each. --type: chains with\na "
		"method or type that matches. --locals: with the variables of "
		"each call. `task`\nselects one.",
	.flags = CMD_LONG,
	.stopped = cmd_dumpasync,
    },
    {
	.names = "tasks",
	.args = "[--type REGEX] [--all] [--completed] [--json]",
	.help = "count tasks by state and method, with their exceptions",
	.more = "--all lists each. --completed: those that are done or "
		"canceled, too.",
	.flags = CMD_LONG,
	.stopped = cmd_tasks,
    },
    {
	.names = "task",
	.args = "[ADDRESS|METHOD]",
	.help = "select a suspended async call and those that await it",
	.more = "By its address (`dumpasync`) or a regular expression for its "
		"method. `bt`, `frame`,\n`up`, `down`, `info locals` and "
		"`print` see its chain of calls then, as if it were\na "
		"stack; `thread N` goes back to a thread's.",
	.flags = CMD_LONG,
	.stopped = cmd_task,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_tasks = {"tasks", "Tasks and async calls",
					    cmds};
