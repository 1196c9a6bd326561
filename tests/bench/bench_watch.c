/*
 * Watchpoints: programs whose watched data nobody touches, with and without
 * objects to follow, and changes that only count.
 */
#include "bench.h"
#include "base/mem.h"

#include <stdlib.h>

enum {
	CHANGES = 5000
};

static uint32_t watch(struct drive *d, const char *expr)
{
	const struct dbg_break_req req = {.kind = DBG_BREAK_WATCH,
					  .text = expr};
	uint32_t number = 0;

	drive_check(d, dbg_break_add(d->dbg, &req, &number));
	drive_check(d, dbg_break_ignore(d->dbg, number, UINT64_MAX));
	return number;
}

/* Whole run, watched from @mark on, the stop there included. */
static void run_watched(struct drive *d, const char *mark, const char *expr,
			struct point *ret)
{
	drive_open(d);

	uint32_t number = drive_break(d, mark);

	drive_begin(d);
	drive_launch(d);
	drive_wait_stop(d);
	drive_check(d, dbg_break_delete(d->dbg, number));
	watch(d, expr);
	drive_continue(d);
	// The frame of Main may be seen to be left.
	if (drive_wait(d)) {
		drive_continue(d);
		drive_wait_end(d);
	}
	ret->value = drive_end(d, 1, ret) * 1e3;
	drive_close(d);
}

static void still(struct drive *d, struct point *ret)
{
	run_watched(d, "main", "n", ret);
}

static void moving(struct drive *d, struct point *ret)
{
	run_watched(d, "join", "threads[3]", ret);
}

static void counted(struct drive *d, struct point *ret)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	double n = d->group->actions;
	struct dbg_breakpoint bp;

	drive_open(d);
	drive_break(d, "main");
	drive_break(d, "print");
	drive_launch(d);
	drive_wait_stop(d);

	uint32_t number = watch(d, "sum");

	drive_begin(d);
	drive_continue(d);
	drive_wait_stop(d);
	ret->value = n / drive_end(d, n, ret);
	drive_check(d, dbg_break_get(d->dbg, number, arena, &bp));
	// i = 0 adds nothing.
	if (bp.hits != (uint64_t)n - 1)
		drive_fail(d, "%llu changes instead of %.0f",
			   (unsigned long long)bp.hits, n - 1);
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

const struct group_spec bench_watch_groups[] = {
    {
	.name = "watch",
	.fixture = "HitLoop",
	.argument = "500000000",
	.shoot = still,
	.figures = {{"watch_still", "a variable watched, never changed", "ms",
		     BESIDE_TIME, GOAL_RATIO_MAX, 1.05}},
    },
    {
	.name = "watch-gc",
	.fixture = "GcHeavy",
	.argument = "1000",
	.shoot = moving,
	.figures = {{"watch_gc", "GcHeavy, an element watched", "ms",
		     BESIDE_TIME, GOAL_NONE, 0}},
    },
    {
	.name = "watch-changes",
	.fixture = "HitLoop",
	.argument = "5000",
	.actions = CHANGES,
	.shoot = counted,
	.figures = {{"watch_changes", "changes that only count", "/s",
		     BESIDE_RATE, GOAL_NONE, 0}},
    },
    {0},
};
