/*
 * What each object retains: a depth-first walk over the dominator tree. The
 * children of an object in it are the joins that it dominates and the objects
 * that it alone refers to.
 */
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/* An object that the walk is within. */
struct level {
	uint32_t position;
	uint32_t at;    /* where its references go on, in words */
	uint32_t next;  /* of the joins below it: an index in d->below */
	uint32_t words; /* that it retains, as far as they are known */
	uint32_t type;
};

struct tour {
	struct heap_dominators *d;
	struct level *v; /* the first is in front of all roots */
	size_t n, cap;
	struct heap_leads leads; /* of the last of @v */
	bool more;               /* it may lead to more */
	uint32_t *within;        /* by type: how many are on the stack */
	uint64_t visited;
	heap_retained_fn *fn;
	void *arg;
};

// Objects that overlap, in a damaged heap, may add up to more than it has.
static uint32_t words_add_capped(uint32_t words, uint32_t more)
{
	return more > UINT32_MAX - words ? UINT32_MAX : words + more;
}

// The number of a type; damaged ones share the number after the last.
static uint32_t type_of(const struct heap_dominators *d,
			const struct heap_type *type)
{
	return type->is_none || type->number >= d->n_types
		   ? (uint32_t)d->n_types
		   : type->number;
}

static uint64_t object_at(const struct tour *t, const struct level *level)
{
	if (level == t->v)
		return 0;
	return heap_address_at(heap_part_at(t->d->heap, level->position),
			       level->position);
}

// Report @object, all of whose descendants are known, and add its size to
// @above, its dominator.
static void tour_report(struct tour *t, struct level *above, uint64_t object,
			uint32_t words)
{
	above->words = words_add_capped(above->words, words);
	if (!t->fn)
		return;
	t->fn(t->arg,
	      &(struct heap_retained){object, (uint64_t)words * HEAP_WORD,
				      object_at(t, above)});
}

static void tour_enter(struct tour *t, uint32_t position)
{
	const struct heap_object *o = &t->leads.object;
	struct level *above = &t->v[t->n - 1];

	above->at = t->more ? heap_leads_place(t->d, &t->leads) : HEAP_NOWHERE;
	heap_leads_begin(t->d, position, 0, &t->leads);
	t->more = true;
	struct level level = {
	    .position = position,
	    .type = type_of(t->d, o->type),
	    .words = o->type->is_none ? 0 : (uint32_t)(o->size / HEAP_WORD),
	};
	mem_grow(&t->v, &t->cap, t->n, sizeof(*t->v));
	t->v[t->n++] = level;
	t->within[level.type]++;
	t->visited++;
}

// Leave the innermost level. What the type retains is the sum over its
// outermost objects: one below another object of the same type adds nothing.
static void tour_leave(struct tour *t)
{
	const struct level *top = &t->v[--t->n];
	struct level *above = &t->v[t->n - 1];

	if (!--t->within[top->type])
		t->d->retained[top->type] += (uint64_t)top->words * HEAP_WORD;
	tour_report(t, above, object_at(t, top), top->words);
	t->more = above->at != HEAP_NOWHERE;
	if (t->more)
		heap_leads_begin(t->d, above->position, above->at, &t->leads);
}

// An object that has nothing below it.
static void tour_pass(struct tour *t, const struct heap_object *o)
{
	uint32_t type = type_of(t->d, o->type);

	if (!t->within[type])
		t->d->retained[type] += o->size;
	t->visited++;
	tour_report(t, &t->v[t->n - 1], o->addr,
		    (uint32_t)(o->size / HEAP_WORD));
}

// The object of a reference is below the one that has it if it is no join.
static void take_reference(struct tour *t, uint64_t to)
{
	struct heap_dominators *d = t->d;
	struct heap_object o;
	uint64_t position;

	if (!heap_position_of(d->heap, to, &position) ||
	    heap_marked(d->joins, position))
		return;
	const struct heap_part *part = heap_part_at(d->heap, position);

	if (!heap_marked(d->inner, position) &&
	    heap_look(d->heap, part, to, &o) && !o.type->has_refs)
		tour_pass(t, &o);
	else
		tour_enter(t, (uint32_t)position);
}

// The next join below the last object of the stack.
static bool next_join(struct tour *t, uint32_t *position)
{
	const struct heap_dominators *d = t->d;
	struct level *top = &t->v[t->n - 1];
	uint32_t rank = 0;

	if (t->n > 1) {
		if (!heap_marked(d->inner, top->position))
			return false;
		rank = heap_rank_of(d, d->inner, top->position);
	}
	if (d->starts[rank] + top->next >= d->starts[rank + 1])
		return false;
	*position = d->below[d->starts[rank] + top->next++];
	return true;
}

static struct dbg_error *tour_walk(struct tour *t)
{
	struct dbg_error *err = NULL;
	uint32_t position;
	uint64_t to, paced = 0;

	while (!err) {
		t->more = t->more && heap_leads_next(t->d, &t->leads, &to);
		if (t->more)
			take_reference(t, to);
		else if (next_join(t, &position))
			tour_enter(t, position);
		else if (t->n > 1)
			tour_leave(t);
		else
			break;
		if (t->visited - paced < HEAP_PACE)
			continue;
		paced = t->visited;
		err = heap_pace(t->d->heap, "adding up sizes", paced,
				t->d->n_alive);
		if (!err && t->visited > t->d->n_alive)
			err = heap_changes();
	}
	return err;
}

struct dbg_error *heap_retained_each(struct heap_dominators *d,
				     heap_retained_fn *fn, void *arg)
{
	struct tour t = {.d = d, .fn = fn, .arg = arg};
	struct dbg_error *err;

	d->n_types = d->heap->n_types;
	d->retained = xcalloc(d->n_types + 1, sizeof(*d->retained));
	t.within = xcalloc(d->n_types + 1, sizeof(*t.within));
	mem_grow(&t.v, &t.cap, 0, sizeof(*t.v));
	t.v[t.n++] = (struct level){.position = HEAP_NOWHERE,
				    .at = HEAP_NOWHERE,
				    .type = (uint32_t)d->n_types};
	err = tour_walk(&t);
	free(t.within);
	free(t.v);
	return err;
}
