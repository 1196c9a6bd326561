/* From spawn to Main, and whole runs that nobody stops. */
#include "bench.h"

/* Spawn to the first breakpoint, its frame described. */
static void to_main(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_break(d, "first");
	drive_begin(d);
	drive_launch(d);
	drive_wait_stop(d);
	drive_frame(d);
	ret->value = drive_end(d, 1, ret) * 1e3;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/* The same with a file that no module has: nothing ever stops. */
static void whole_run(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_begin(d);
	drive_launch(d);
	drive_wait_end(d);
	ret->value = drive_end(d, 1, ret) * 1e3;
	drive_close(d);
}

const struct group_spec bench_start_groups[] = {
    {
	.name = "start",
	.fixture = "Hello",
	.shoot = to_main,
	.figures = {{"spawn_to_main", "spawn to a breakpoint in Main", "ms",
		     BESIDE_TIME, GOAL_RATIO_MAX, 1.1}},
    },
    {
	.name = "run",
	.fixture = "Hello",
	.shoot = whole_run,
	.figures = {{"whole_run", "whole run, nothing asked for", "ms",
		     BESIDE_TIME, GOAL_NONE, 0}},
    },
    {
	.name = "gc",
	.fixture = "GcHeavy",
	.runs = 5,
	.shoot = whole_run,
	.figures = {{"gc_heavy", "GcHeavy without breakpoints", "ms",
		     BESIDE_TIME, GOAL_RATIO_MAX, 1.05}},
    },
    {
	.name = "throws_free",
	.fixture = "ThrowLoop",
	.argument = "100000",
	.runs = 5,
	.shoot = whole_run,
	.figures = {{"throws_free", "100,000 throws, none asked for", "ms",
		     BESIDE_TIME, GOAL_RATIO_MAX, 1.05}},
    },
    {0},
};
