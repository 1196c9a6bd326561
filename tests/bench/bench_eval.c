/*
 * Interpreted expressions: how many IL instructions a second in a loop of
 * arithmetic, what a property costs whose getter computes, and a query over
 * many elements; what a call in the program costs; and the memory that a
 * thousand evaluations take.
 */
#include "bench.h"

#include <stdio.h>
#include <unistd.h>

enum {
	SPINS = 1000000,
	IL_OF_SPIN = 18, // of one turn, compiled for debugging
	PROPERTIES = 1000,
	CHILDREN = 1000,
	LISTINGS = 20,
	CALLS = 200,
	MIB = 1 << 20
};

static const char query[] =
    "Enumerable.Range(0, 10000).Where(n => n % 3 != 0)"
    ".OrderByDescending(n => n % 100).Select(n => n * 2).ToList()";

static void evaluate(struct drive *d, const char *expr)
{
	struct dbg_value v;

	drive_check(d, dbg_eval(drive_stop(d), 0, expr, &v));
}

static double each(struct drive *d, const char *expr, struct point *ret)
{
	evaluate(d, expr);
	drive_begin(d);
	for (int i = 0; i < PROPERTIES; i++)
		evaluate(d, expr);
	return drive_end(d, PROPERTIES, ret) / PROPERTIES * 1e6;
}

static void interpreted(struct drive *d, struct point *ret)
{
	char spin[32];

	snprintf(spin, sizeof(spin), "Spin(%d)", SPINS);
	drive_open(d);
	drive_break(d, "stop");
	drive_launch(d);
	drive_wait_stop(d);
	evaluate(d, "Spin(1)");
	drive_begin(d);
	evaluate(d, spin);
	ret[0].value =
	    SPINS * (double)IL_OF_SPIN / drive_end(d, 1, &ret[0]) / 1e6;
	ret[1].value = each(d, "order.Total", &ret[1]);
	ret[2].value = each(d, "map[\"bb\"]", &ret[2]);
	evaluate(d, query);
	drive_begin(d);
	evaluate(d, query);
	ret[3].value = drive_end(d, 1, &ret[3]) * 1e3;
	drive_call(d, "order.Times(3)");
	drive_begin(d);
	for (int i = 0; i < CALLS; i++)
		drive_call(d, "order.Times(3)");
	ret[4].value = drive_end(d, CALLS, &ret[4]) / CALLS * 1e3;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/* What is private to this process, its program and engine, behind them. */
static void memory(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_break(d, "stop");
	drive_launch(d);
	drive_wait_stop(d);
	for (int i = 0; i < PROPERTIES; i++)
		evaluate(d, i % 2 ? "order.Label" : "list.Sum(n => n + 1)");
	ret[0].value = proc_memory(getpid(), "Private_Dirty") / MIB;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/* The elements of a list, each as its [DebuggerDisplay] says. */
static void shown(struct drive *d, struct point *ret)
{
	struct dbg_value list, *all;
	size_t n = 0;

	drive_open(d);
	drive_break(d, "many");
	drive_launch(d);
	drive_wait_stop(d);
	drive_check(d, dbg_eval(drive_stop(d), 0, "many", &list));
	drive_begin(d);
	for (int i = 0; i < LISTINGS; i++)
		drive_check(d, dbg_children(drive_stop(d), list.id,
					    DBG_CHILDREN_INDEXED, 0, CHILDREN,
					    &all, &n));
	ret[0].value = drive_end(d, LISTINGS, &ret[0]) / LISTINGS * 1e3;
	if (n != CHILDREN)
		ret[0].value = 1e9;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

const struct group_spec bench_eval_groups[] = {
    {
	.name = "views",
	.fixture = "Displays",
	.shoot = shown,
	.figures =
	    {
		{.key = "children",
		 .title = "1,000 objects with a DebuggerDisplay",
		 .unit = "ms",
		 .goal = GOAL_MAX,
		 .bound = 50},
	    },
    },
    {
	.name = "eval",
	.fixture = "Getters",
	.shoot = interpreted,
	.figures =
	    {
		{.key = "il_rate",
		 .title = "interpreted IL instructions",
		 .unit = "M/s",
		 .goal = GOAL_MIN,
		 .bound = 20},
		{.key = "property",
		 .title = "a computed property",
		 .unit = "us",
		 .goal = GOAL_MAX,
		 .bound = 50},
		{.key = "indexer",
		 .title = "an element of a Dictionary",
		 .unit = "us",
		 .goal = GOAL_MAX,
		 .bound = 50},
		{.key = "linq",
		 .title = "a LINQ query over 10,000 elements",
		 .unit = "ms",
		 .goal = GOAL_MAX,
		 .bound = 1000},
		{.key = "call",
		 .title = "a call in the program",
		 .unit = "ms",
		 .goal = GOAL_MAX,
		 .bound = 1},
	    },
    },
    {
	.name = "evalmemory",
	.fixture = "Getters",
	.shoot = memory,
	.figures =
	    {
		{.key = "evaluated_dirty",
		 .title = "private memory after 1,000 evaluations",
		 .unit = "MiB",
		 .goal = GOAL_MAX,
		 .bound = 12},
	    },
    },
    {0},
};
