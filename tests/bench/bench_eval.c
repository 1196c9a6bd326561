/*
 * Interpreted expressions: how many IL instructions a second in a loop of
 * arithmetic, and what a property costs whose getter computes.
 */
#include "bench.h"

#include <stdio.h>

enum {
	SPINS = 1000000,
	IL_OF_SPIN = 18, // of one turn, compiled for debugging
	PROPERTIES = 1000,
	CHILDREN = 1000,
	LISTINGS = 20,
};

static void evaluate(struct drive *d, const char *expr)
{
	struct dbg_value v;

	drive_check(d, dbg_eval(d->dbg, 0, expr, &v));
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
	drive_check(d, dbg_eval(d->dbg, 0, "many", &list));
	drive_begin(d);
	for (int i = 0; i < LISTINGS; i++)
		drive_check(d,
			    dbg_children(d->dbg, list.id, DBG_CHILDREN_INDEXED,
					 0, CHILDREN, &all, &n));
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
	    },
    },
    {0},
};
