/*
 * Stacks of 1,000 frames: cold (the first walk of the process), warm (of a
 * later stop: walked anew, names and lines known), and again in one stop.
 */
#include "bench.h"

enum {
	FRAMES = 1000,
	ROUNDS = 20
};

static double walk(struct drive *d, struct point *ret)
{
	struct dbg_frame *frames = NULL;
	size_t n = 0;

	drive_begin(d);
	drive_check(d,
		    dbg_frame_list(drive_stop(d), 0, 0, FRAMES, &frames, &n));

	double took = drive_end(d, 1, ret) * 1e3;

	if (n != FRAMES)
		drive_fail(d, "%zu frames instead of %d", n, FRAMES);
	for (size_t i = 0; i < n; i++)
		if (frames[i].kind != DBG_FRAME_MANAGED ||
		    !frames[i].source.line)
			drive_fail(d, "frame %zu has no source line", i);
	return took;
}

static void stacks(struct drive *d, struct point *ret)
{
	struct samples warm = {0}, again = {0}, few = {0};

	drive_open(d);
	drive_break(d, "bottom");
	drive_launch(d);
	drive_wait_stop(d);
	ret[0].value = walk(d, &ret[0]);
	for (int i = 0; i < ROUNDS; i++) {
		drive_step(d, DBG_STEP_OVER, DBG_UNIT_INSTRUCTION);
		samples_add(&warm, walk(d, &ret[1]));
		samples_add(&again, walk(d, &ret[2]));
	}
	for (int i = 0; i < ROUNDS; i++) {
		drive_begin(d);
		drive_step(d, DBG_STEP_OVER, DBG_UNIT_LINE);
		samples_add(&few, drive_end(d, 1, &ret[3]) * 1e3);
	}
	ret[1].value = samples_median(&warm);
	ret[2].value = samples_median(&again);
	ret[3].value = samples_median(&few);
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

const struct group_spec bench_stack_groups[] = {
    {
	.name = "stack",
	.fixture = "Deep",
	.argument = "1000",
	.shoot = stacks,
	.figures =
	    {
		{"bt_cold", "bt of 1,000 frames, cold", "ms", BESIDE_NOTHING,
		 GOAL_NONE, 0},
		{"bt_warm", "bt of 1,000 frames, warm", "ms", BESIDE_NOTHING,
		 GOAL_MAX, 5},
		{"bt_again", "bt of 1,000 frames, same stop", "ms",
		 BESIDE_NOTHING, GOAL_NONE, 0},
		{"next_deep", "next under 1,000 frames", "ms", BESIDE_NOTHING,
		 GOAL_MAX, 0.4},
	    },
    },
    {0},
};
