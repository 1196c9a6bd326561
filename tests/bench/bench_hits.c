/*
 * Breakpoints that are hit and do not stop, and ones that do. The bare figure
 * is the calls by the program's whole run.
 */
#include "bench.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	HITS_CONDITION = 20000,
	HITS_CALL = 2000,
	HITS_STOP = 2000
};

/* To the top of Main; a breakpoint at @mark in the loop. */
static uint32_t prepare(struct drive *d, const char *mark)
{
	drive_open(d);
	drive_break(d, "main");
	drive_break(d, "print");
	drive_launch(d);
	drive_wait_stop(d);
	return drive_break(d, mark);
}

/* From the loop's end to the program's. */
static void finish(struct drive *d, double n, double took, struct point *ret)
{
	ret->value = n / took;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/* Run up to the end of the loop: how often was breakpoint @number hit? */
static double count(struct drive *d, uint32_t number, struct point *ret,
		    double *ret_took)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	double n = d->group->actions;
	struct dbg_breakpoint bp;

	drive_check(d, dbg_break_ignore(d->dbg, number, (uint64_t)n));
	drive_begin(d);
	drive_continue(d);
	drive_wait_stop(d);
	*ret_took = drive_end(d, n, ret);
	drive_check(d, dbg_break_get(d->dbg, number, arena, &bp));
	return (double)bp.hits;
}

static void ignored(struct drive *d, struct point *ret)
{
	double n = d->group->actions, took;
	double hits = count(d, prepare(d, "hit"), ret, &took);

	if (hits != n)
		drive_fail(d, "%.0f hits instead of %.0f", hits, n);
	finish(d, n, took, ret);
}

/* All threads hit it at the same time: none is lost. */
static void crowd(struct drive *d, struct point *ret)
{
	double n = d->group->actions, took;

	ret[1].value = n - count(d, prepare(d, "same-line"), ret, &took);
	finish(d, n, took, ret);
}

/* The breakpoint that the group's name tells, with a condition never true. */
static void condition(struct drive *d, struct point *ret)
{
	static const struct {
		const char *group, *mark, *text;
	} asked[] = {
	    {"condition local", "plain", "i == 100000"},
	    {"condition field", "field", "this.Id == 100000"},
	    {"condition text", "field", "Name == \"none\""},
	    {"condition call", "field", "Name.EndsWith(\"none\")"},
	};
	double n = d->group->actions;
	size_t i = 0;

	while (strcmp(asked[i].group, d->group->name))
		i++;

	uint32_t number = prepare(d, asked[i].mark);

	drive_check(d, dbg_break_condition(d->dbg, number, asked[i].text));
	drive_begin(d);
	drive_continue(d);
	drive_wait_stop(d);
	if (d->last.stop.breakpoint == number)
		drive_fail(d, "a condition that is false stopped");
	finish(d, n, drive_end(d, n, ret), ret);
}

static void stopping(struct drive *d, struct point *ret)
{
	double n = d->group->actions;
	uint32_t number = prepare(d, "hit");

	drive_begin(d);
	for (int i = 0; i < (int)n; i++) {
		drive_continue(d);
		drive_wait_stop(d);
		if (d->last.stop.breakpoint != number)
			drive_fail(d, "stop %d is not at the breakpoint", i);
		drive_frame(d);
	}

	double took = drive_end(d, n, ret);

	drive_continue(d);
	drive_wait_stop(d);
	finish(d, n, took, ret);
}

const struct group_spec bench_hit_groups[] = {
    {
	.name = "hits",
	.fixture = "HitLoop",
	.argument = "20000",
	.actions = 20000,
	.shoot = ignored,
	.figures = {{"hits_ignored", "hits that only count", "/s", BESIDE_RATE,
		     GOAL_MIN, 20000}},
    },
    {
	.name = "crowd",
	.fixture = "Threads",
	.argument = "same",
	.more = {"500", "10"},
	.actions = 5000,
	.shoot = crowd,
	.figures = {{"crowd", "hits by 500 threads", "/s", BESIDE_RATE,
		     GOAL_NONE, 0},
		    {"crowd_lost", "... hits lost", "", BESIDE_NOTHING,
		     GOAL_MAX, 0}},
    },
    {
	.name = "condition local",
	.fixture = "Conditions",
	.argument = "20000",
	.more = {"plain"},
	.actions = HITS_CONDITION,
	.shoot = condition,
	.figures = {{"hits_condition", "hits, a false condition of a local",
		     "/s", BESIDE_RATE, GOAL_MIN, 20000}},
    },
    {
	.name = "condition field",
	.fixture = "Conditions",
	.argument = "20000",
	.more = {"field"},
	.actions = HITS_CONDITION,
	.shoot = condition,
	.figures = {{"hits_condition_field", "... of a field", "/s",
		     BESIDE_RATE, GOAL_MIN, 20000}},
    },
    {
	.name = "condition text",
	.fixture = "Conditions",
	.argument = "20000",
	.more = {"field"},
	.actions = HITS_CONDITION,
	.shoot = condition,
	.figures = {{"hits_condition_text", "... of a string", "/s",
		     BESIDE_RATE, GOAL_MIN, 20000}},
    },
    {
	.name = "condition call",
	.fixture = "Conditions",
	.argument = "2000",
	.more = {"field"},
	.actions = HITS_CALL,
	.shoot = condition,
	.figures = {{"hits_condition_call", "... that calls a method", "/s",
		     BESIDE_RATE, GOAL_NONE, 0}},
    },
    {
	.name = "stops",
	.fixture = "HitLoop",
	.argument = "2000",
	.actions = HITS_STOP,
	.shoot = stopping,
	.figures = {{"hits_stop", "hits that stop, frame described", "/s",
		     BESIDE_RATE, GOAL_NONE, 0}},
    },
    {0},
};
