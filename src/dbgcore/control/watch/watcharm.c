/*
 * Assigns the debug registers. Values come first, in the order of the
 * watchpoints' numbers; the links of their paths get what is left. While
 * anything is watched that the GC writes or moves, one register watches the
 * GC's counter.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "dac/assumption.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"

struct registers {
	struct target_watch v[TARGET_WATCHES];
	unsigned int n;
};

// The register for @part, as a bit; 0: none is free.
static unsigned int register_assign(struct registers *r,
				    const struct target_watch *part)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (r->v[i].addr == part->addr && r->v[i].size == part->size &&
		    r->v[i].reads == part->reads)
			return 1u << i;
	if (r->n == TARGET_WATCHES)
		return 0;
	r->v[r->n] = *part;
	return 1u << r->n++;
}

static bool is_wanted(const struct bp *bp)
{
	return bp->watch && bp->enabled && bp->watch->now.n_parts;
}

// Assign registers to what must be watched: the value, or all that it is
// computed from.
static bool place_own(struct registers *r, struct watch *w)
{
	struct registers before = *r;
	const struct watch_state *s = &w->now;
	size_t n = s->is_place ? s->n_own : s->n_parts;

	for (size_t i = 0; i < n; i++) {
		unsigned int bit = register_assign(r, &s->parts[i]);

		if (!bit) {
			*r = before;
			w->slots = 0;
			return false;
		}
		w->slots |= bit;
	}
	w->own = w->slots;
	return true;
}

static void place_links(struct registers *r, struct watch *w)
{
	const struct watch_state *s = &w->now;

	for (size_t i = s->n_own; i < s->n_parts && !w->located; i++) {
		unsigned int bit = register_assign(r, &s->parts[i]);

		w->slots |= bit;
		w->blind |= !bit;
	}
}

// Must the place be followed through collections? Also while the watchpoint is
// disabled, if it stays with its object (-location).
static bool is_followed(const struct bp *bp)
{
	const struct watch *w = bp->watch;

	return w && (bp->enabled || w->located) && w->now.n_parts &&
	       w->now.moves;
}

static void place_gc(struct control *c, struct registers *r)
{
	const struct target_watch count = {c->watches.gc_count, 4, false};
	struct dac_assumed known;
	bool moves = false;

	for (size_t i = 0; i < c->n_bps; i++)
		moves |= is_followed(c->bps[i]);
	if (moves && !count.addr)
		(void)dac_holds(c->dac, ASSUME_GC_COUNT, &known);
	c->watches.gc_slot =
	    moves && count.addr ? register_assign(r, &count) : 0;
}

static void place_all(struct control *c, struct registers *r)
{
	place_gc(c, r);
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];
		struct watch *w = bp->watch;

		if (!w)
			continue;
		w->slots = w->own = 0;
		w->blind = false;
		w->why = NULL;
		if (!is_wanted(bp))
			continue;
		if (w->now.moves && !c->watches.gc_slot)
			w->why = "the garbage collector of this runtime "
				 "cannot be watched";
		else if (!place_own(r, w))
			w->why = "no debug register is free for it";
	}
	for (size_t i = 0; i < c->n_bps; i++)
		if (is_wanted(c->bps[i]) && !c->bps[i]->watch->why)
			place_links(r, c->bps[i]->watch);
}

struct dbg_error *control_watch_word(struct control *c, uint64_t addr)
{
	const struct target_watch v[TARGET_WATCHES] = {{addr, addr ? 8 : 0, 0}};

	return target_watches_set(c->target, v);
}

struct dbg_error *watch_arm(struct control *c)
{
	struct registers r = {.n = 0};

	// Before there is a runtime the registers are the session's.
	if (!c->target || !c->dac)
		return NULL;
	place_all(c, &r);
	return target_watches_set(c->target, r.v);
}
