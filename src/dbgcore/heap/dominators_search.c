/*
 * The search that numbers joins: depth first, over all objects that lead to
 * others. What is found of a reference to a join, when the search meets it, is
 * the nearest common ancestor of the join and of the object that refers to it.
 */
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/*
 * An object that the search is within. The key of a join is twice its number;
 * of others one more than that of the join that came last. So an object came
 * before a join did if its key is lower than the join's.
 */
struct frame {
	uint32_t position, key;
	uint32_t at; /* where it goes on, in words */
};

/* A join that the search is within. */
struct pass {
	uint32_t number, depth;
};

struct search {
	struct heap_dominators *d;
	struct frame *v; /* the first is in front of all roots */
	size_t n, cap;
	struct pass *joins; /* likewise */
	size_t n_joins, cap_joins;
	uint32_t left;   /* joins that were left since one was entered */
	uint64_t pushed; /* objects */
	struct heap_leads leads;
};

/* ---- Where the search is --------------------------------------------- */

static struct pass *last_join(const struct search *s)
{
	return &s->joins[s->n_joins - 1];
}

// The last frame with a key that is not higher.
static const struct frame *frame_of(const struct search *s, uint32_t key)
{
	size_t low = 0, high = s->n;

	while (low + 1 < high) {
		size_t mid = low + (high - low) / 2;

		if (s->v[mid].key <= key)
			low = mid;
		else
			high = mid;
	}
	return &s->v[low];
}

static bool is_on_stack(const struct search *s, uint32_t join)
{
	return frame_of(s, join * 2)->key == join * 2;
}

/* ---- References to joins --------------------------------------------- */

// What leads to @to has the join @from as its nearest. Of two of these where
// one is an ancestor of the other the lower one will do: it has the other's
// ancestors, too.
static void keep_edge(struct search *s, uint32_t from, struct heap_join *to)
{
	struct heap_dominators *d = s->d;
	struct heap_edge *last = to->label ? &d->edges[to->label - 1] : NULL;

	if (last && last->from >= from)
		return;
	if (last && is_on_stack(s, last->from)) {
		last->from = from;
		return;
	}
	if (d->n_edges == UINT32_MAX)
		return;
	mem_grow(&d->edges, &d->cap_edges, d->n_edges, sizeof(*d->edges));
	d->edges[d->n_edges++] = (struct heap_edge){from, to->label};
	to->label = (uint32_t)d->n_edges;
}

// One more reference leads to a join, from the last object on the stack.
static void fold(struct search *s, uint32_t number)
{
	struct heap_join *to = &s->d->v[number];
	const struct frame *both = &s->v[s->n - 1];

	if (both->key > number * 2)
		both = frame_of(s, number * 2);
	if (both->key < number * 2 && both - s->v < to->semi) {
		to->semi = (uint32_t)(both - s->v);
		to->semi_at = both->position;
	}
	if (last_join(s)->number > number)
		keep_edge(s, last_join(s)->number, to);
}

/* ---- From object to object ------------------------------------------- */

static void push(struct search *s, uint32_t position, uint32_t key)
{
	s->v[s->n - 1].at = heap_leads_place(s->d, &s->leads);
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct frame){position, key, 0};
	s->pushed++;
	heap_leads_begin(s->d, position, 0, &s->leads);
}

static void note(struct heap_log *log, uint32_t number)
{
	do {
		mem_grow(&log->v, &log->cap, log->n, sizeof(*log->v));
		log->v[log->n++] =
		    (uint8_t)(number & 0x7f) | (number > 0x7f ? 0x80 : 0);
		number >>= 7;
	} while (number);
}

static void push_join(struct search *s, uint32_t rank, uint32_t position)
{
	struct heap_dominators *d = s->d;
	const struct frame *top = &s->v[s->n - 1];
	uint32_t number = ++d->n, depth = (uint32_t)s->n;

	d->number[rank] = number;
	if (position % 2)
		heap_bit_set(d->odd, rank);
	d->v[number] = (struct heap_join){
	    .semi = depth - 1,
	    .semi_at = top->position,
	};
	note(&d->log, s->left);
	note(&d->log, depth - last_join(s)->depth);
	s->left = 0;
	mem_grow(&s->joins, &s->cap_joins, s->n_joins, sizeof(*s->joins));
	s->joins[s->n_joins++] = (struct pass){number, depth};
	push(s, position, number * 2);
}

// The last object on the stack leads to @to.
static inline void follow(struct search *s, uint64_t to)
{
	struct heap_dominators *d = s->d;
	uint64_t position;

	if (!heap_position_of(d->heap, to, &position))
		return;
	if (heap_marked(d->joins, position)) {
		uint32_t rank = heap_rank_of(d, d->joins, position);

		if (d->number[rank])
			fold(s, d->number[rank]);
		else
			push_join(s, rank, (uint32_t)position);
	} else if (heap_marked(d->inner, position)) {
		push(s, (uint32_t)position, d->n * 2 + 1);
	}
}

// Go back to the last object that leads to more.
static void pop(struct search *s)
{
	const struct frame *top;

	do {
		s->n--;
		if (last_join(s)->depth == s->n) {
			s->n_joins--;
			s->left++;
		}
		top = &s->v[s->n - 1];
	} while (top->at == HEAP_NOWHERE);
	if (s->n > 1)
		heap_leads_begin(s->d, top->position, top->at, &s->leads);
}

static struct dbg_error *search_from(struct search *s, uint64_t root)
{
	struct heap_dominators *d = s->d;
	struct dbg_error *err = NULL;
	uint64_t paced = s->pushed;
	uint64_t to;

	follow(s, root);
	s->v[0].at = 0;
	while (s->n > 1 && !err) {
		if (heap_leads_next(d, &s->leads, &to))
			follow(s, to);
		else
			pop(s);
		if (s->pushed - paced < HEAP_PACE)
			continue;
		paced = s->pushed;
		err = heap_pace(d->heap, "numbering objects", s->pushed,
				d->n_alive);
		if (!err && s->pushed > d->n_alive)
			err = heap_changes();
	}
	return err;
}

struct dbg_error *heap_dominators_search(struct heap_dominators *d,
					 const struct heap_roots *roots)
{
	struct search s = {.d = d};
	struct dbg_error *err = NULL;

	mem_grow(&s.v, &s.cap, 0, sizeof(*s.v));
	s.v[s.n++] = (struct frame){HEAP_NOWHERE, 0, 0};
	mem_grow(&s.joins, &s.cap_joins, 0, sizeof(*s.joins));
	s.joins[s.n_joins++] = (struct pass){0, 0};
	for (size_t i = 0; i < roots->n && !err; i++)
		if (roots->objects[i])
			err = search_from(&s, roots->objects[i]);
	free(s.v);
	free(s.joins);
	free(d->inner);
	free(d->ranks);
	d->inner = NULL;
	d->ranks = NULL;
	if (!err && d->n_edges == UINT32_MAX)
		err = dbg_err(DBG_E_STATE,
			      "the heap has more references than can be "
			      "numbered: retained sizes are not found");
	return err;
}
