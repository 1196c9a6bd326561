/*
 * The dominator tree: see dominators.h. What is alive and what is a join is
 * found first; then the search and the dominators of the joins; then joins are
 * put together by what dominates them.
 */
#include "heap/dominators.h"
#include "heap/dominators_priv.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The search ------------------------------------------------------ */

/*
 * The search that numbers joins: depth first, over all objects that lead to
 * others. What is found of a reference to a join, when the search meets it, is
 * the nearest common ancestor of the join and of the object that refers to it.
 */

/* ---- Semidominators -------------------------------------------------- */

/*
 * Dominators of joins, computed from what the search has found about each.
 *
 * The search makes a spanning tree: an object is below the one by whose
 * reference it was reached; "ancestor" means in this tree. The semidominator of
 * a join is the first (nearest to the root) of these ancestors:
 *
 *   the nearest common ancestors of the join and of each object that has a
 *   reference to it, which the search knows when it meets the reference, and
 *
 *   the semidominators of all joins that have a higher number than this one
 *   and are ancestors of such an object: by the edges that are kept.
 *
 * The dominator of any other object is the one object that refers to it.
 */

#define FINDING "finding dominators"

static void take_semi(struct heap_join *join, const struct heap_join *from)
{
	if (from->semi >= join->semi)
		return;
	join->semi = from->semi;
	join->semi_at = from->semi_at;
}

static uint32_t next_logged(const struct heap_log *log, size_t *at)
{
	uint32_t number = 0;

	for (unsigned int shift = 0; *at < log->n; shift += 7) {
		uint8_t byte = log->v[(*at)++];

		number |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return number;
}

/* ---- Semidominators -------------------------------------------------- */

// The joins above each in the search.
static uint32_t *make_parents(const struct heap_dominators *d)
{
	uint32_t *parents = xcalloc(d->n + (size_t)1, sizeof(*parents));
	size_t at = 0;

	for (uint32_t w = 1; w <= d->n; w++) {
		uint32_t parent = w - 1;

		for (uint32_t left = next_logged(&d->log, &at); left; left--)
			parent = parents[parent];
		next_logged(&d->log, &at);
		parents[w] = parent;
	}
	return parents;
}

// The join with the least semidominator on the way up from @number to what has
// not been linked, which are the numbers below @linked. Halves the way.
static inline uint32_t best_above(struct heap_join *v, uint32_t *parents,
				  uint32_t number, uint32_t linked)
{
	uint32_t at = number, best = v[at].label;

	while (parents[at] >= linked) {
		uint32_t up = parents[at];

		if (v[v[up].label].semi < v[v[at].label].semi)
			v[at].label = v[up].label;
		parents[at] = parents[up];
		if (v[v[at].label].semi < v[best].semi)
			best = v[at].label;
		if (parents[at] < linked)
			break;
		at = parents[at];
		if (v[v[at].label].semi < v[best].semi)
			best = v[at].label;
	}
	return best;
}

static struct dbg_error *find_semidominators(struct heap_dominators *d)
{
	uint32_t *parents = make_parents(d);
	struct heap_join *v = d->v;
	const struct heap_edge *edge;
	struct dbg_error *err = NULL;

	for (uint32_t w = d->n; w && !err; w--) {
		for (uint32_t e = v[w].label; e; e = edge->next) {
			edge = &d->edges[e - 1];
			take_semi(
			    &v[w],
			    &v[best_above(v, parents, edge->from, w + 1)]);
		}
		v[w].label = w;
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, d->n - w, d->n);
	}
	free(parents);
	free(d->edges);
	d->edges = NULL;
	return err;
}

/* ---- Dominators ------------------------------------------------------ */

struct link {
	uint32_t number, depth;
};

/*
 * The joins that dominate one, by depth, while the joins are gone through in
 * the order of the search. Those of the next one below it are the first of
 * these, then the one itself; when that is left, what it took the place of
 * comes back.
 */
struct chain {
	struct link *v; /* the first is in front of all roots */
	size_t n, cap;
	size_t n_used; /* what is behind @n may come back */
	struct undo {
		struct link was;
		uint32_t n;
	} * undo;
	size_t n_undo, cap_undo;
};

// The first of the chain that is deeper than that.
static size_t deeper(const struct chain *c, uint32_t depth)
{
	size_t low = 1, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->v[mid].depth <= depth)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void chain_leave(struct chain *c)
{
	const struct undo *undo = &c->undo[--c->n_undo];

	c->v[c->n - 1] = undo->was;
	c->n = undo->n;
}

// @link goes behind the first @n.
static void enter(struct chain *c, size_t n, struct link link)
{
	if (n == c->n_used) {
		mem_grow(&c->v, &c->cap, n, sizeof(*c->v));
		c->v[c->n_used++] = link;
	}
	mem_grow(&c->undo, &c->cap_undo, c->n_undo, sizeof(*c->undo));
	c->undo[c->n_undo++] = (struct undo){c->v[n], (uint32_t)c->n};
	c->v[n] = link;
	c->n = n + 1;
}

/*
 * The dominator is the first object, on the way up the tree from the one that
 * has the reference, that is not deeper than the semidominator: this one, or
 * the dominator of the last join on that way that is deeper.
 */
static void find_dominator(struct heap_dominators *d, struct chain *c,
			   uint32_t w, uint32_t depth)
{
	size_t n = deeper(c, d->v[w].semi);

	if (n < c->n)
		take_semi(&d->v[w], &d->v[c->v[n].number]);
	enter(c, n, (struct link){w, depth});
}

/* Find the dominator of each join: its semi and semi_at. */
static struct dbg_error *heap_dominators_find(struct heap_dominators *d)
{
	struct dbg_error *err = find_semidominators(d);
	struct chain c = {0};
	size_t at = 0;

	mem_grow(&c.v, &c.cap, 0, sizeof(*c.v));
	c.v[0] = (struct link){0};
	c.n = c.n_used = 1;
	for (uint32_t w = 1; w <= d->n && !err; w++) {
		for (uint32_t left = next_logged(&d->log, &at); left; left--)
			chain_leave(&c);
		// the last of the chain is the join above this one
		uint32_t depth = c.v[c.n - 1].depth;

		find_dominator(d, &c, w, depth + next_logged(&d->log, &at));
		if (w % HEAP_PACE == 0)
			err = heap_pace(d->heap, FINDING, w, d->n);
	}
	free(c.v);
	free(c.undo);
	return err;
}

/* ---- The search ------------------------------------------------------ */

/*
 * An object on the stack of the depth-first search. @key orders objects by when
 * the search came to them: twice its number for a join, for any other object
 * one more than the key of the join met last. So an object was met before a
 * join if its key is lower than the join's.
 */
struct frame {
	uint32_t position, key;
	uint32_t at; /* where it goes on, in words */
};

/* A join on the stack of the search. */
struct pass {
	uint32_t number, depth;
};

enum {
	BLOCK_WORDS = 7, /* of marks */
	MARKS = 32,      /* of a word */
	BLOCK_MARKS = BLOCK_WORDS * MARKS,
	NEAR = 4, /* frames below the last one, and words: see expect */
	FAR = 10,
	WORDS = 2,
};

/*
 * The marks of some positions in one line of the cache. Of each word the lower
 * half are joins; the upper half are others that lead to something, and the
 * joins that have a number.
 */
struct block {
	uint64_t words[BLOCK_WORDS];
	uint32_t rank;     /* joins in front of it */
	uint8_t before[4]; /* and in it, in front of each second word */
};

/*
 * The mark of one position as a join; its other mark (see struct block) is
 * MARKS bits higher in the same word.
 */
struct spot {
	struct block *block;
	unsigned int word;
	uint64_t bit;
};

struct search {
	struct heap_dominators *d;
	struct block *blocks;
	struct frame *v; /* the first is in front of all roots */
	size_t n, cap;
	struct pass *joins; /* likewise */
	size_t n_joins, cap_joins;
	uint32_t left;   /* joins that were left since one was entered */
	uint64_t pushed; /* objects */
	struct heap_leads leads;
};

/* ---- Marks ----------------------------------------------------------- */

static size_t n_blocks(const struct heap_dominators *d)
{
	return heap_marks_size(d->heap) * 2 / BLOCK_WORDS + 1;
}

static uint32_t count_joins(uint64_t word)
{
	return (uint32_t)__builtin_popcount((uint32_t)word);
}

// Take the marks that were made into blocks.
static void make_blocks(struct search *s)
{
	struct heap_dominators *d = s->d;
	size_t n = heap_marks_size(d->heap) * 2;
	uint32_t rank = 0;

	s->blocks = xcalloc_lines(n_blocks(d), sizeof(*s->blocks));
	for (size_t i = 0; i < n; i++) {
		struct block *block = &s->blocks[i / BLOCK_WORDS];
		size_t word = i % BLOCK_WORDS, shift = i % 2 * MARKS;
		uint32_t joins = (uint32_t)(d->joins[i / 2] >> shift);
		uint64_t others = (uint32_t)(d->inner[i / 2] >> shift) & ~joins;

		if (!word)
			block->rank = rank;
		if (word % 2 == 0)
			block->before[word / 2] = (uint8_t)(rank - block->rank);
		block->words[word] = joins | others << MARKS;
		rank += count_joins(joins);
	}
	free(d->joins);
	free(d->inner);
	d->joins = d->inner = NULL;
}

static uint32_t joins_at(const struct search *s, size_t i)
{
	return (uint32_t)s->blocks[i / BLOCK_WORDS].words[i % BLOCK_WORDS];
}

// Leave the joins alone, in a part of the same memory.
static void free_blocks(struct search *s)
{
	struct heap_dominators *d = s->d;
	size_t n = heap_marks_size(d->heap);

	d->joins = (uint64_t *)s->blocks;
	for (size_t i = 0; i < n; i++)
		d->joins[i] = joins_at(s, i * 2) |
			      (uint64_t)joins_at(s, i * 2 + 1) << MARKS;
	d->joins = xrealloc(d->joins, n * sizeof(*d->joins));
	s->blocks = NULL;
}

static inline struct spot spot_of(const struct search *s, uint64_t position)
{
	uint64_t mark = position / 2;

	return (struct spot){&s->blocks[mark / BLOCK_MARKS],
			     (unsigned int)(mark % BLOCK_MARKS / MARKS),
			     (uint64_t)1 << mark % MARKS};
}

static inline uint32_t rank_of(const struct spot *at)
{
	const struct block *block = at->block;
	uint64_t joins = block->words[at->word] & (at->bit - 1);

	// the lower half of the word in front of it stands in the upper one
	if (at->word % 2)
		joins |= block->words[at->word - 1] << MARKS;
	return block->rank + block->before[at->word / 2] + 1 +
	       (uint32_t)__builtin_popcountll(joins);
}

/* ---- Where the search is --------------------------------------------- */

static struct pass *last_join(const struct search *s)
{
	return &s->joins[s->n_joins - 1];
}

// The last of the first @n frames with a key that is not higher.
static const struct frame *frame_of(const struct search *s, size_t n,
				    uint32_t key)
{
	size_t low = 0, high = n;

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
	return frame_of(s, s->n, join * 2)->key == join * 2;
}

/* ---- References to joins --------------------------------------------- */

// Record that @to is reached from an object whose nearest join is @from. Where
// one of two such joins is an ancestor of the other, only the lower one is
// kept: the other is among its ancestors.
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

// Note one more reference to the join @number, from the last object on the
// stack.
static void fold(struct search *s, uint32_t number)
{
	struct heap_join *to = &s->d->v[number];
	size_t n = to->semi < s->n ? to->semi : s->n;

	// what both have in common is mostly no nearer to the roots
	if (n == s->n || s->v[n].key > number * 2) {
		const struct frame *both = frame_of(s, n, number * 2);

		to->semi = (uint32_t)(both - s->v);
		to->semi_at = both->position;
	}
	if (last_join(s)->number > number)
		keep_edge(s, last_join(s)->number, to);
}

/* ---- From object to object ------------------------------------------- */

static void search_push(struct search *s, uint32_t position, uint32_t key)
{
	s->v[s->n - 1].at = heap_leads_place(s->d, &s->leads);
	if (s->n == s->cap)
		mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct frame){position, key, 0};
	s->pushed++;
	heap_leads_begin(s->d, position, 0, &s->leads);
}

static void note(struct heap_log *log, uint32_t number)
{
	do {
		if (log->n == log->cap)
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
	search_push(s, position, number * 2);
}

// The last object on the stack leads to @to.
static inline void follow(struct search *s, uint64_t to)
{
	struct heap_dominators *d = s->d;
	uint64_t position;

	if (!heap_position_of(d->heap, to, &position))
		return;
	struct spot at = spot_of(s, position);
	uint64_t word = at.block->words[at.word], set = at.bit << MARKS;

	if (!(word & at.bit)) {
		if (word & set)
			search_push(s, (uint32_t)position, d->n * 2 + 1);
	} else if (word & set) {
		fold(s, d->number[rank_of(&at)]);
	} else {
		at.block->words[at.word] |= set;
		push_join(s, rank_of(&at), (uint32_t)position);
	}
}

/* ---- What comes next ------------------------------------------------- */

// Get a pointer to a word of an object, and how many words of its part begin
// there; NULL: the word is outside of the part (a frame may go on among the
// secondaries of dependent handles instead of among an object's words).
static inline const uint8_t *word_at(const struct heap *h, uint32_t position,
				     uint32_t word, uint64_t *left)
{
	const struct heap_part *part = heap_part_at(h, position);
	uint64_t at = (position - part->first + word) * HEAP_WORD;
	uint64_t size = part->is.end - part->is.start;

	*left = at < size ? (size - at) / HEAP_WORD : 0;
	return at < size ? part->data + at : NULL;
}

/*
 * The search will soon be back at the objects of the last frames, most of which
 * it left long ago: have them in the cache by then, and what they lead to next.
 */
static inline void expect(const struct search *s)
{
	const struct heap *h = s->d->heap;
	const struct frame *frame;
	const uint8_t *refs;
	uint64_t left, some, position;

	if (s->n <= FAR)
		return;
	frame = &s->v[s->n - FAR];
	if (frame->at != HEAP_NOWHERE) {
		refs = word_at(h, frame->position, frame->at, &left);
		if (refs) {
			__builtin_prefetch(refs);
			__builtin_prefetch(refs -
					   frame->at * (size_t)HEAP_WORD);
		}
	}
	frame = &s->v[s->n - NEAR];
	if (frame->at == HEAP_NOWHERE)
		return;
	refs = word_at(h, frame->position, frame->at, &left);
	for (uint64_t i = 0; i < WORDS && i < left; i++, refs += HEAP_WORD) {
		if (!heap_position_of(h, heap_word(refs), &position))
			continue;
		__builtin_prefetch(spot_of(s, position).block);
		__builtin_prefetch(word_at(h, (uint32_t)position, 0, &some));
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
	expect(s);
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

/* Number the joins, and find what the edges to them have in common. */
static struct dbg_error *heap_dominators_search(struct heap_dominators *d,
						const struct heap_roots *roots)
{
	struct search s = {.d = d};
	struct dbg_error *err = NULL;

	make_blocks(&s);
	mem_grow(&s.v, &s.cap, 0, sizeof(*s.v));
	s.v[s.n++] = (struct frame){HEAP_NOWHERE, 0, 0};
	mem_grow(&s.joins, &s.cap_joins, 0, sizeof(*s.joins));
	s.joins[s.n_joins++] = (struct pass){0, 0};
	for (size_t i = 0; i < roots->n && !err; i++)
		if (roots->objects[i])
			err = search_from(&s, roots->objects[i]);
	free(s.v);
	free(s.joins);
	free_blocks(&s);
	if (!err && d->n_edges == UINT32_MAX)
		err = dbg_err(DBG_E_STATE,
			      "the heap has more references than can be "
			      "numbered: retained sizes are not found");
	return err;
}

/* ---- The tree -------------------------------------------------------- */

static void free_tables(struct heap_dominators *d)
{
	free(d->number);
	free(d->odd);
	free(d->v);
	free(d->log.v);
	free(d->edges);
	d->number = NULL;
	d->odd = NULL;
	d->v = NULL;
	d->log = (struct heap_log){0};
	d->edges = NULL;
}

void heap_dominators_deinit(struct heap_dominators *d)
{
	free_tables(d);
	free(d->joins);
	free(d->inner);
	free(d->ranks);
	free(d->pairs);
	free(d->leads);
	free(d->starts);
	free(d->below);
	free(d->retained);
}

/* ---- What is alive, and what is a join ------------------------------- */

// Count the marks in front of each block into d->ranks. Returns all of them.
static size_t make_ranks(struct heap_dominators *d, const uint64_t *marks)
{
	size_t n = 0, size = heap_marks_size(d->heap);

	d->ranks = xcalloc(size / (HEAP_BLOCK / 64) + 1, sizeof(*d->ranks));
	for (size_t i = 0; i < size; i++) {
		if (i % (HEAP_BLOCK / 64) == 0)
			d->ranks[i / (HEAP_BLOCK / 64)] = (uint32_t)n;
		n += (size_t)__builtin_popcountll(marks[i]);
	}
	return n;
}

static int by_from(const void *a, const void *b)
{
	const struct heap_pair *s = a, *t = b;

	return (s->from > t->from) - (s->from < t->from);
}

static size_t hash_of(const struct heap_dominators *d, uint64_t object)
{
	return (size_t)(object * 0x9e3779b97f4a7c15 >> 32) & (d->n_leads - 1);
}

static void take_pairs(struct heap_dominators *d,
		       const struct heap_roots *roots,
		       const struct heap_graph *g)
{
	uint64_t from, to;

	for (d->n_leads = 64; d->n_leads / 16 < roots->n_pairs;)
		d->n_leads *= 2;
	d->leads = xcalloc(d->n_leads / 64, sizeof(*d->leads));
	d->pairs = xcalloc(roots->n_pairs + 1, sizeof(*d->pairs));
	for (size_t i = 0; i < roots->n_pairs; i++) {
		const struct heap_pair *pair = &roots->pairs[i];

		if (!heap_graph_has(g, pair->from) ||
		    !heap_position_of(d->heap, pair->from, &from) ||
		    !heap_position_of(d->heap, pair->to, &to))
			continue;
		d->pairs[d->n_pairs++] = *pair;
		heap_bit_set(d->leads, hash_of(d, pair->from));
		heap_mark(d->inner, from);
		heap_mark(d->joins, to);
	}
	if (d->n_pairs)
		qsort(d->pairs, d->n_pairs, sizeof(*d->pairs), by_from);
}

bool heap_leads_pair(const struct heap_dominators *d, struct heap_leads *l,
		     uint64_t *to)
{
	uint64_t from = l->object.addr;
	size_t low = 0, high = d->n_pairs;

	if (!heap_bit(d->leads, hash_of(d, from)))
		return false;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->pairs[mid].from < from)
			low = mid + 1;
		else
			high = mid;
	}
	low += (l->at - l->object.size) / HEAP_WORD;
	if (low >= d->n_pairs || d->pairs[low].from != from)
		return false;
	l->at += HEAP_WORD;
	*to = d->pairs[low].to;
	return true;
}

uint32_t heap_leads_place(const struct heap_dominators *d,
			  const struct heap_leads *l)
{
	uint64_t at = l->at, size = l->object.size, n;

	if (at < l->end || (at < size && l->object.type->n &&
			    heap_refs_after(l->object.type, size, at, &at, &n)))
		return (uint32_t)(at / HEAP_WORD);
	if (!heap_bit(d->leads, hash_of(d, l->object.addr)))
		return HEAP_NOWHERE;
	return (uint32_t)((l->at > size ? l->at : size) / HEAP_WORD);
}

static struct dbg_error *mark_all(struct heap_dominators *d,
				  const struct heap_roots *roots)
{
	struct heap_graph g;
	struct dbg_error *err = heap_graph_init(&g, d->heap);

	if (!err) {
		g.marks_only = true;
		g.nodes.joins = heap_marks_make(d->heap);
		g.nodes.inner = heap_marks_make(d->heap);
		err = heap_graph_mark(&g, roots);
		d->n_alive = g.nodes.count;
		d->joins = g.nodes.joins;
		d->inner = g.nodes.inner;
		g.nodes.joins = g.nodes.inner = NULL;
	}
	if (!err)
		take_pairs(d, roots, &g);
	heap_graph_deinit(&g);
	return err;
}

static void make_tables(struct heap_dominators *d)
{
	for (size_t i = 0; i < heap_marks_size(d->heap); i++)
		d->n_joins += (size_t)__builtin_popcountll(d->joins[i]);
	d->number = xcalloc(d->n_joins + 1, sizeof(*d->number));
	d->odd = xcalloc(d->n_joins / 64 + 1, sizeof(*d->odd));
	d->v = xcalloc(d->n_joins + 1, sizeof(*d->v));
}

// A core's file that is written to meanwhile.
struct dbg_error *heap_changes(void)
{
	return dbg_err(DBG_E_STATE, "the heap changes while it is read");
}

/* ---- The tree -------------------------------------------------------- */

// Keep of each join, by rank, what dominates it, and set that in @inner.
// Returns how many objects that are.
static size_t mark_dominators(struct heap_dominators *d)
{
	uint32_t *dominator = d->number;

	d->inner = heap_marks_make(d->heap);
	for (size_t i = 1; i <= d->n_joins; i++) {
		dominator[i] = d->v[d->number[i]].semi_at;
		if (dominator[i] != HEAP_NOWHERE)
			heap_mark(d->inner, dominator[i]);
	}
	free(d->v);
	d->v = NULL;
	return make_ranks(d, d->inner);
}

// Put the joins together that one object dominates, by position.
static void make_tree(struct heap_dominators *d)
{
	size_t n, rank = d->n_joins;
	uint32_t *above = d->number, sum = 0;

	d->v[0].semi_at = HEAP_NOWHERE;
	n = mark_dominators(d) + 2;
	d->starts = xcalloc(n, sizeof(*d->starts));
	d->below = xcalloc(d->n_joins + 1, sizeof(*d->below));
	for (size_t i = 1; i <= d->n_joins; i++) {
		above[i] = above[i] == HEAP_NOWHERE
			       ? 0
			       : heap_rank_of(d, d->inner, above[i]);
		d->starts[above[i]]++;
	}
	for (size_t i = 0; i < n; i++)
		d->starts[i] = sum += d->starts[i];
	for (size_t i = heap_marks_size(d->heap); i--;)
		for (uint64_t marks = d->joins[i], bit; marks; marks &= ~bit) {
			unsigned int last =
			    63 - (unsigned int)__builtin_clzll(marks);
			uint64_t position =
			    (i * 64 + last) * 2 + heap_bit(d->odd, rank);

			bit = (uint64_t)1 << last;
			d->below[--d->starts[above[rank--]]] =
			    (uint32_t)position;
		}
	free_tables(d);
}

struct dbg_error *heap_dominators_init(struct heap_dominators *d,
				       struct heap *h,
				       const struct heap_roots *roots)
{
	struct dbg_error *err;

	*d = (struct heap_dominators){.heap = h};
	err = mark_all(d, roots);
	if (err)
		return err;
	make_tables(d);
	err = heap_dominators_search(d, roots);
	if (!err)
		err = heap_dominators_find(d);
	if (!err)
		make_tree(d);
	return err;
}

/* ---- What each object retains -------------------------------------------- */

/*
 * What each object retains: a depth-first walk over the dominator tree. The
 * children of an object in it are the joins that it dominates and the objects
 * that it alone refers to.
 */

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
