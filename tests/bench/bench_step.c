/*
 * Steps of each kind in the loop of HitLoop: its head is a line without a
 * call, its body a call. What is measured is the step and the description of
 * the frame it ends in, as `next` needs both.
 */
#include "bench.h"

enum {
	ROUNDS = 90
};

enum kind {
	OVER_PLAIN,
	OVER_CALL,
	IN,
	OVER_INSIDE,
	OUT,
	INSTRUCTION,
	N_KINDS,
};

struct steps {
	struct drive *d;
	struct samples times[N_KINDS];
	struct point work[N_KINDS]; /* sums */
};

static struct dbg_frame *timed(struct steps *s, enum kind kind,
			       enum dbg_step_kind how)
{
	struct point work = {0};
	enum dbg_step_unit unit =
	    kind == INSTRUCTION ? DBG_UNIT_INSTRUCTION : DBG_UNIT_LINE;

	drive_begin(s->d);

	struct dbg_frame *frame = drive_step(s->d, how, unit);

	samples_add(&s->times[kind], drive_end(s->d, 1, &work) * 1e3);
	s->work[kind].stops += work.stops;
	s->work[kind].syscalls += work.syscalls;
	s->work[kind].dac_calls += work.dac_calls;
	return frame;
}

static void expect(const struct drive *d, const struct dbg_frame *frame,
		   uint32_t line)
{
	if (frame->source.line != line)
		drive_fail(d, "a step came to line %u instead of %u",
			   frame->source.line, line);
}

/* From the call once around the loop, back to the call. */
static void round_over(struct steps *s, uint32_t call)
{
	timed(s, OVER_CALL, DBG_STEP_OVER);
	expect(s->d, timed(s, OVER_PLAIN, DBG_STEP_OVER), call);
}

/* The same through the method that is called. */
static void round_in(struct steps *s, uint32_t call, uint32_t hit)
{
	timed(s, IN, DBG_STEP_IN);
	timed(s, INSTRUCTION, DBG_STEP_OVER);
	// to the line itself, or to its end if the step in came to it
	if (timed(s, OVER_INSIDE, DBG_STEP_OVER)->source.line < hit)
		drive_fail(s->d, "a step left the method");
	timed(s, OUT, DBG_STEP_OUT);
	while (drive_step(s->d, DBG_STEP_OVER, DBG_UNIT_LINE)->source.line !=
	       call)
		;
}

static void steps(struct drive *d, struct point *ret)
{
	struct steps s = {.d = d};
	uint32_t call = drive_line(d, "call"), hit = drive_line(d, "hit");

	drive_open(d);

	uint32_t number = drive_break(d, "call");

	drive_launch(d);
	drive_wait_stop(d);
	drive_check(d, dbg_break_delete(d->dbg, number));
	for (int i = 0; i < ROUNDS; i++)
		round_over(&s, call);
	for (int i = 0; i < ROUNDS; i++)
		round_in(&s, call, hit);
	for (int i = 0; i < N_KINDS; i++) {
		double n = (double)s.times[i].n;

		ret[i].value = samples_median(&s.times[i]);
		ret[i].stops = s.work[i].stops / n;
		ret[i].syscalls = s.work[i].syscalls / n;
		ret[i].dac_calls = s.work[i].dac_calls / n;
		ret[i].counted = true;
	}
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/*
 * Over an await that waits for a thread of the pool to be free, which it is:
 * what the program does itself takes microseconds.
 */
static void awaits(struct drive *d, struct point *ret)
{
	struct steps s = {.d = d};
	uint32_t await = drive_line(d, "await"), after = drive_line(d, "after");

	drive_open(d);

	uint32_t number = drive_break(d, "await");

	drive_launch(d);
	drive_wait_stop(d);
	drive_check(d, dbg_break_delete(d->dbg, number));
	for (int i = 0; i < ROUNDS; i++) {
		expect(d, timed(&s, OVER_PLAIN, DBG_STEP_OVER), after);
		while (
		    drive_step(d, DBG_STEP_OVER, DBG_UNIT_LINE)->source.line !=
		    await)
			;
	}

	double n = (double)s.times[OVER_PLAIN].n;

	ret->value = samples_median(&s.times[OVER_PLAIN]);
	ret->stops = s.work[OVER_PLAIN].stops / n;
	ret->syscalls = s.work[OVER_PLAIN].syscalls / n;
	ret->dac_calls = s.work[OVER_PLAIN].dac_calls / n;
	ret->counted = true;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

const struct group_spec bench_step_groups[] = {
    {
	.name = "step",
	.fixture = "HitLoop",
	.shoot = steps,
	.figures =
	    {
		[OVER_PLAIN] = {"next_plain", "next over a plain line", "ms",
				BESIDE_NOTHING, GOAL_MAX, 0.4},
		[OVER_CALL] = {"next_call", "next over a line with a call",
			       "ms", BESIDE_NOTHING, GOAL_MAX, 0.4},
		[IN] = {"step_in", "step in", "ms", BESIDE_NOTHING, GOAL_NONE,
			0},
		[OVER_INSIDE] = {"next_inside", "next in the method called",
				 "ms", BESIDE_NOTHING, GOAL_MAX, 0.4},
		[OUT] = {"step_out", "step out", "ms", BESIDE_NOTHING,
			 GOAL_NONE, 0},
		[INSTRUCTION] = {"step_instruction", "one instruction", "ms",
				 BESIDE_NOTHING, GOAL_NONE, 0},
	    },
    },
    {
	.name = "await",
	.fixture = "AwaitLoop",
	.shoot = awaits,
	.figures =
	    {
		{"next_await", "next over an await", "ms", BESIDE_NOTHING,
		 GOAL_MAX, 3},
	    },
    },
    {0},
};
