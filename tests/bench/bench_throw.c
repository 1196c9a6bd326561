/*
 * Exceptions that are thrown and caught while a catchpoint waits for a type
 * that never comes: what each costs more than without it.
 */
#include "bench.h"

enum {
	THROWS = 20000
};

/* Seconds for all throws, between the top of Main and its end. */
static double run(struct drive *d, const char *type, struct point *ret)
{
	const struct dbg_break_req req = {.kind = DBG_BREAK_THROW,
					  .text = type};
	uint32_t number;

	drive_open(d);
	drive_break(d, "main");
	drive_break(d, "print");
	drive_launch(d);
	drive_wait_stop(d);
	if (type)
		drive_check(d, dbg_break_add(d->dbg, &req, &number));
	drive_begin(d);
	drive_continue(d);
	drive_wait_stop(d);

	double took = drive_end(d, THROWS, ret);

	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
	return took;
}

static void throws(struct drive *d, struct point *ret)
{
	double plain = run(d, NULL, ret);
	double asked =
	    run(d, "System.Collections.Generic.KeyNotFoundException", ret);

	ret->value = (asked - plain) * 1e6 / THROWS;
}

const struct group_spec bench_throw_groups[] = {
    {
	.name = "throws",
	.fixture = "ThrowLoop",
	.argument = "20000",
	.shoot = throws,
	.figures = {{"throws_asked", "a throw more, another type asked for",
		     "us", BESIDE_NOTHING, GOAL_MAX, 60}},
    },
    {0},
};
