/* Pending work: `threadpool`, `timers`. */
#include <inttypes.h>

#include "base/err.h"
#include "repl/cmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

static const char *const queues[] = {
    [DBG_WORK_HIGH] = "high priority",
    [DBG_WORK_GLOBAL] = "global",
    [DBG_WORK_LOW] = "low priority",
    [DBG_WORK_LOCAL] = "local",
};

static void add_method(struct str *text, const char *method, const char *params)
{
	str_add(text, method ? method : "");
	if (method && params)
		str_addf(text, "(%s)", params);
}

/* ---- threadpool ------------------------------------------------------ */

static const struct sheet_column work_columns[] = {
    {"Count", "count", SHEET_NUMBER, 8},   {"Queue", "queue", SHEET_TEXT, 13},
    {"First", "first", SHEET_ADDRESS, 14}, {NULL, "type", SHEET_TEXT, 0},
    {NULL, "method", SHEET_TEXT, 0},       {NULL, "parameters", SHEET_TEXT, 0},
    {"Work", NULL, SHEET_TEXT, 0},
};

static void show_work(struct sheet *s, const struct dbg_pool *pool)
{
	_cleanup_str_ struct str text = {0};

	sheet_rows(s, "work", SHEET_COLUMNS(work_columns));
	for (size_t i = 0; i < pool->n_work; i++) {
		const struct dbg_work *w = &pool->work[i];

		str_clear(&text);
		add_method(&text, w->method ? w->method : w->type,
			   w->method ? w->params : NULL);
		sheet_row(s, (struct sheet_cell[]){
				 {.number = w->count},
				 {.text = queues[w->queue]},
				 {.number = w->first},
				 {.text = w->type},
				 {.text = w->method},
				 {.text = w->params},
				 {.text = s->json ? NULL : str_get(&text)}});
	}
	sheet_rows_end(s);
}

static void show_workers(struct sheet *s, const struct dbg_pool *pool)
{
	sheet_number(s, "workers", pool->workers);
	sheet_number(s, "working", pool->working);
	sheet_number(s, "blocked", pool->blocked);
	sheet_number(s, "goal", pool->goal);
	sheet_number(s, "min", pool->min);
	sheet_number(s, "max", pool->max);
	sheet_number(s, "cpu", pool->cpu);
	sheet_number(s, "highPriority", pool->queued[DBG_WORK_HIGH]);
	sheet_number(s, "global", pool->queued[DBG_WORK_GLOBAL]);
	sheet_number(s, "lowPriority", pool->queued[DBG_WORK_LOW]);
	sheet_number(s, "local", pool->queued[DBG_WORK_LOCAL]);
	if (s->json)
		return;
	if (!pool->started)
		out(s->r, "The thread pool was not used yet.\n");
	else
		out(s->r,
		    "Workers: %" PRIu32 ", at work %" PRIu32
		    ", blocked %" PRIu32 "; %" PRIu32 " wanted, from %" PRIu32
		    " to %" PRIu32 "\n"
		    "Processor: %" PRIu32 " %%\n",
		    pool->workers, pool->working, pool->blocked, pool->goal,
		    pool->min, pool->max, pool->cpu);
	out(s->r,
	    "Queued: %" PRIu64 " global, %" PRIu64 " of workers' own, %" PRIu64
	    " of high and %" PRIu64 " of low priority\n",
	    pool->queued[DBG_WORK_GLOBAL], pool->queued[DBG_WORK_LOCAL],
	    pool->queued[DBG_WORK_HIGH], pool->queued[DBG_WORK_LOW]);
}

static struct dbg_error *cmd_threadpool(struct repl *r, struct dbg_stopped at,
					const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_pool pool;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_pool_get(at, true, &pool);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_workers(&s, &pool);
	if (pool.n_work || o.json)
		show_work(&s, &pool);
	sheet_end(&s);
	return NULL;
}

/* ---- timers ---------------------------------------------------------- */

static const struct sheet_column timer_columns[] = {
    {"Address", "address", SHEET_ADDRESS, 14},
    {"Due in ms", "due", SHEET_NUMBER, 10},
    {"Period", "period", SHEET_NUMBER, 10},
    {NULL, "started", SHEET_NUMBER, 0},
    {NULL, "state", SHEET_TEXT, 0},
    {NULL, "parameters", SHEET_TEXT, 0},
    {NULL, "method", SHEET_TEXT, 0},
    {"Callback", NULL, SHEET_TEXT, 0},
};

static void show_timer(struct sheet *s, const struct dbg_timer *timer)
{
	_cleanup_str_ struct str text = {0};

	add_method(&text, timer->method, timer->params);
	sheet_row(s, (struct sheet_cell[]){
			 {.number = timer->addr},
			 {.number = timer->due},
			 {.number = timer->period,
			  .absent = timer->period == UINT32_MAX},
			 {.number = timer->started},
			 {.text = timer->state},
			 {.text = timer->params},
			 {.text = timer->method},
			 {.text = s->json ? NULL : str_get(&text)}});
}

static struct dbg_error *cmd_timers(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_timer *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_timer_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "timers", SHEET_COLUMNS(timer_columns));
	for (size_t i = 0; i < n; i++)
		show_timer(&s, &v[i]);
	sheet_rows_end(&s);
	if (!o.json)
		out(r, "%zu timer%s\n", n, n == 1 ? "" : "s");
	sheet_end(&s);
	return NULL;
}

/* ---- The table ------------------------------------------------------- */

static const struct repl_cmd cmds[] = {
    {
	.names = "threadpool",
	.args = "[--json]",
	.help = "show the thread pool's workers and what is queued",
	.more = "What is queued is counted by what it calls.",
	.stopped = cmd_threadpool,
    },
    {
	.names = "timers timerinfo",
	.args = "[--json]",
	.help = "list timers that are set",
	.more = "Due: from when it was set. A Task.Delay is a timer, too.",
	.stopped = cmd_timers,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_pool = {"pool", "The thread pool and timers",
					   cmds};
