/*
 * Breakpoints shared by several programs: a child that is debugged gets its
 * parent's with their numbers, and their hits are added up when it ends.
 */
#include "base/err.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

// Is it a breakpoint that means nothing in another program: on an address, an
// object or a thread?
static bool is_of_one_program(const struct bp *bp)
{
	return bp->kind == DBG_BREAK_WATCH || bp->thread ||
	       (bp->kind == DBG_BREAK_LOCATION &&
		bp->place.kind == DBG_PLACE_ADDRESS);
}

static struct dbg_error *copy(struct control *c, const struct bp *bp)
{
	struct dbg_error *err;
	struct bp *made;
	uint32_t number;
	const struct dbg_break_req req = {
	    .kind = bp->kind,
	    .place = bp->place,
	    .text = bp->text,
	    .temporary = bp->temporary,
	    .number = bp->number,
	    .catches = {.exact = bp->filter.exact,
			.module = bp->filter.module,
			.message = bp->filter.message},
	    .hits = bp->hit_text,
	    .log = bp->log,
	};

	err = control_break_add(c, &req, NULL, &number);
	if (c->last_number < bp->number)
		c->last_number = bp->number;
	if (err)
		return err;
	made = bp_find(c, bp->number);
	made->ignore = bp->ignore;
	made->stops = bp->stops;
	err = control_break_condition(c, bp->number, bp->condition);
	return err ? err : control_break_enable(c, bp->number, bp->enabled);
}

struct dbg_error *control_break_copy(struct control *c, struct control *from,
				     uint32_t number)
{
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < from->n_bps; i++) {
		const struct bp *bp = from->bps[i];

		if (bp_is_users(bp) && !is_of_one_program(bp) &&
		    (!number || bp->number == number))
			err = copy(c, bp);
	}
	if (from->last_number > c->last_number)
		c->last_number = from->last_number;
	return err;
}

uint64_t control_break_hits(struct control *c, uint32_t number)
{
	const struct bp *bp = bp_find(c, number);

	return bp ? bp->hits : 0;
}

void control_break_merge(struct control *c, struct control *from)
{
	for (size_t i = 0; i < c->n_bps; i++)
		if (bp_is_users(c->bps[i]))
			c->bps[i]->hits +=
			    control_break_hits(from, c->bps[i]->number);
}
