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

/* A mark among those of joins; one of the others is MARKS bits further. */
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

static void push(struct search *s, uint32_t position, uint32_t key)
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
	push(s, position, number * 2);
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
			push(s, (uint32_t)position, d->n * 2 + 1);
	} else if (word & set) {
		fold(s, d->number[rank_of(&at)]);
	} else {
		at.block->words[at.word] |= set;
		push_join(s, rank_of(&at), (uint32_t)position);
	}
}

/* ---- What comes next ------------------------------------------------- */

// A word of an object, and how many there are from it on; NULL: none of its
// part (what a frame comes back to may be among the secondaries of dependent
// handles).
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

struct dbg_error *heap_dominators_search(struct heap_dominators *d,
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
