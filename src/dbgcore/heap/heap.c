/* The heap of a stop: its parts, and which one an address lies in. */
#include "heap/heap.h"
#include "heap/heap_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "target/target.h"

/* ---- Types of objects ---------------------------------------------------- */

/*
 * Types of objects: a hash table by MethodTable, and the GCDesc, which lies in
 * front of each MethodTable and tells where its objects have references.
 *
 *   MT - 8   the number of series; negative: of items, in arrays of structs
 *   MT - 16  offset of the first series; in front of it its length less the
 *            object's size; the next series in front of that
 *   MT - 24  items, each in front of the one before: 32 bits of pointers in a
 *            row, 32 of bytes to skip
 */

enum {
	SERIES_MAX = 1 << 14,
	TYPES_MIN = 1 << 10,
	TYPES_MAX = 1 << 22, /* then what is met is damage */
};

static void insert(struct heap *h, struct heap_type *type)
{
	size_t i = heap_type_slot(h, type->mt);

	while (h->types[i].type)
		i = (i + 1) & (h->cap_types - 1);
	h->types[i] = (struct heap_slot){type->mt, type};
}

static void grow(struct heap *h)
{
	struct heap_slot *old = h->types;
	size_t cap = h->cap_types;

	h->cap_types = cap ? cap * 2 : TYPES_MIN;
	h->types = xcalloc(h->cap_types, sizeof(*h->types));
	for (size_t i = 0; i < cap; i++)
		if (old[i].type)
			insert(h, old[i].type);
	mem_free_ptr(&old);
}

void heap_types_init(struct heap *h)
{
	h->none.is_none = true;
	grow(h);
}

static uint64_t word_before(const uint8_t *desc, size_t n, uint64_t back)
{
	return back <= n ? heap_word(desc + (n - back)) : 0;
}

static void read_items(struct heap *h, struct heap_type *type,
		       const uint8_t *desc, size_t n, uint32_t count)
{
	uint64_t bytes = 0;

	type->offset = word_before(desc, n, 16);
	if (type->offset < HEAP_WORD || type->offset % HEAP_WORD ||
	    type->offset > UINT32_MAX || !type->component_size)
		return;
	type->items = arena_calloc(h->arena, count, sizeof(*type->items));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t word = word_before(desc, n, 24 + 8 * (uint64_t)i);
		struct heap_item item = {(uint32_t)word,
					 (uint32_t)(word >> 32)};

		bytes += (uint64_t)item.pointers * HEAP_WORD + item.skip;
		if (item.skip % HEAP_WORD || bytes > type->component_size)
			return;
		type->items[i] = item;
	}
	// Each round takes an element; less would not come to an end.
	if (!bytes)
		return;
	type->n = count;
	type->period = bytes;
	type->repeats = type->has_refs = true;
}

static void read_series(struct heap *h, struct heap_type *type,
			const uint8_t *desc, size_t n, uint32_t count)
{
	type->series = arena_calloc(h->arena, count, sizeof(*type->series));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = 16 + 16 * (uint64_t)i;
		struct heap_series s = {
		    .offset = word_before(desc, n, at),
		    .extra = (int64_t)word_before(desc, n, at + 8),
		};

		if (s.offset < HEAP_WORD || s.offset % HEAP_WORD ||
		    s.offset > UINT32_MAX || s.extra > 0 ||
		    s.extra < -(int64_t)UINT32_MAX)
			continue;
		type->series[type->n++] = s;
	}
	type->has_refs = type->has_refs || type->n;
}

void heap_type_describe(struct heap *h, struct heap_type *type,
			const uint8_t *desc, size_t n)
{
	int64_t count = (int64_t)word_before(desc, n, 8);

	if (count > 0 && count <= SERIES_MAX && (uint64_t)count * 16 + 8 <= n)
		read_series(h, type, desc, n, (uint32_t)count);
	else if (count < 0 && count >= -SERIES_MAX &&
		 (uint64_t)-count * 8 + 16 <= n)
		read_items(h, type, desc, n, (uint32_t)-count);
}

static void read_desc(struct heap *h, struct heap_type *type)
{
	int64_t count;

	if (type->mt < 16 || target_read_some(h->target, type->mt - 8, &count,
					      sizeof(count)) != sizeof(count))
		return;
	if (!count || count > SERIES_MAX || count < -SERIES_MAX)
		return;
	size_t n = count > 0 ? (size_t)count * 16 + 8 : (size_t)-count * 8 + 16;
	_cleanup_free_ uint8_t *desc = xmalloc(n);

	if (type->mt > n &&
	    target_read_some(h->target, type->mt - n, desc, n) == n)
		heap_type_describe(h, type, desc, n);
}

struct heap_type *heap_type_find(struct heap *h, uint64_t mt)
{
	return heap_type_of(h, mt);
}

// A place in the table.
static struct heap_type *new_type(struct heap *h, uint64_t mt)
{
	if (h->n_types * 2 >= h->cap_types)
		grow(h);
	struct heap_type *type = arena_alloc(h->arena, sizeof(*type));

	type->mt = mt;
	type->number = (uint32_t)h->n_types++;
	insert(h, type);
	return type;
}

struct heap_type *heap_type_put(struct heap *h, uint64_t mt,
				const struct gc_type *is)
{
	struct heap_type *type = new_type(h, mt);

	type->base_size = is->base_size;
	type->component_size = is->component_size;
	type->is_free = is->is_free || mt == h->is.free_type;
	type->is_string = mt == h->is.string_type;
	type->allocator = is->allocator;
	type->has_refs = is->allocator;
	return type;
}

struct heap_type *heap_type_add(struct heap *h, uint64_t mt)
{
	struct gc_type is;

	if (h->n_types >= TYPES_MAX)
		return &h->none;
	if (!h->dac || !dac_gc_type(h->dac, mt, &is)) {
		struct heap_type *none = new_type(h, mt);

		// kept, so that the DAC is asked once
		none->is_none = true;
		return none;
	}
	struct heap_type *type = heap_type_put(h, mt, &is);

	if (is.references)
		read_desc(h, type);
	return type;
}

struct heap_type *heap_type_next(const struct heap *h, size_t *it)
{
	while (*it < h->cap_types) {
		struct heap_type *type = h->types[(*it)++].type;

		if (type && !type->is_none)
			return type;
	}
	return NULL;
}

void heap_kinds_deinit(struct heap_kinds *k)
{
	free(k->v);
}

void heap_kinds_grow(struct heap_kinds *k, const struct heap_type *type)
{
	while (type->number >= k->cap) {
		size_t n = k->cap;

		mem_grow(&k->v, &k->cap, n, sizeof(*k->v));
		memset(k->v + n, 0, k->cap - n);
	}
}

/* ---- The walk ------------------------------------------------------------ */

/*
 * The walk: from each object to the next by its size, over the gaps, in one
 * pass. This is the loop that costs something: per object two words are read,
 * its type is looked up, nothing is called.
 */

enum {
	WINDOW = 4 << 20,
	PACE = 16 << 20, // bytes between looks at what else there is to do
	HEAD = 16,       /* type and length */
	DAMAGES_MAX = 100,
	GIVEN_MAX = 128 << 10, // bytes, see is_given()
	AMID_MAX = 4 << 20,    // a region, see is_amid()
	PLACES_MAX = 1 << 14,  /* of one type */
	PLACES_ALL = 1 << 22,
	PLACES_PACE = 1 << 12, /* objects between looks at the rest */
};

#define WALKING "walking the heap"

/* How far the walk of a part has come. */
struct place {
	const struct heap_part *part;
	uint64_t addr, end;
	size_t gap;     /* the first that is not behind us */
	uint64_t paced; /* what lies before it is not needed any more */
	struct heap_window window;
};

/* ---- Memory ---------------------------------------------------------- */

void heap_window_deinit(struct heap_window *w)
{
	mem_free_ptr(&w->data);
}

static const uint8_t *window_fill(struct heap *h, struct heap_window *w,
				  const struct heap_part *part, uint64_t addr,
				  uint64_t n)
{
	uint64_t left = part->is.end - addr;
	uint64_t want = n > WINDOW ? n : WINDOW;

	if (want > left)
		want = left;
	if (want > w->cap) {
		w->data = xrealloc(w->data, want);
		w->cap = want;
	}
	w->part = part;
	w->start = addr;
	w->n = target_read_some(h->target, addr, w->data, want);
	return w->n >= n ? w->data : NULL;
}

static const uint8_t *window_get(struct heap *h, struct heap_window *w,
				 const struct heap_part *part, uint64_t addr,
				 uint64_t n)
{
	if (w->part == part && addr >= w->start && addr - w->start <= w->n &&
	    n <= w->n - (addr - w->start))
		return w->data + (addr - w->start);
	return window_fill(h, w, part, addr, n);
}

/*
 * [addr, addr + n) of @part, which has it; NULL: it cannot be read. Valid
 * until the next call.
 */
static inline const uint8_t *heap_window_get(struct heap *h,
					     struct heap_window *w,
					     const struct heap_part *part,
					     uint64_t addr, uint64_t n)
{
	if (n > part->is.end - addr)
		return NULL;
	if (part->data)
		return part->data + (addr - part->is.start);
	return window_get(h, w, part, addr, n);
}

/* ---- Damage ---------------------------------------------------------- */

// The walk of a part ends before its end.
static bool damaged(struct heap *h, const struct place *p, const char *is,
		    const char *why)
{
	if (h->n_damages == DAMAGES_MAX)
		return false;
	mem_grow(&h->damages, &h->cap_damages, h->n_damages,
		 sizeof(*h->damages));
	mem_grow(&h->lost, &h->cap_lost, h->n_damages, sizeof(*h->lost));
	h->lost[h->n_damages] = (struct gc_gap){p->addr, p->end};
	h->damages[h->n_damages++] =
	    arena_printf(h->arena,
			 "the heap %s at 0x%" PRIx64 "%s: %" PRIu64
			 " bytes up to 0x%" PRIx64 " are left out",
			 is, p->addr, why, p->end - p->addr, p->end);
	return false;
}

// A core may have an object, and not the memory of its MethodTable, which is at
// an address of user space (47 bits) at least, or of what that leads to.
static bool lacks_type(const struct heap *h, uint64_t mt)
{
	return mt && !(mt >> 47) && !target_can(h->target, TARGET_RUN) &&
	       h->dac && dac_gc_type_unread(h->dac, mt);
}

/*
 * Is the rest of the part zeros that nobody owns yet? The collector gives a
 * thread memory by moving the end of what is allocated, and then tells the
 * thread's allocation context; the program may be stopped between the two. It
 * is at most an object that is not a large one (85,000 bytes), or what a thread
 * gets at once (CLR_SIZE of the runtime's gc.cpp, 8 KiB).
 */
static bool is_given(struct heap *h, struct place *p)
{
	uint64_t n = p->end - p->addr;

	if (p->part->is.generation != DBG_GEN_0 || n > GIVEN_MAX)
		return false;
	// Read anew, since what could not be read is zeros in a copied heap.
	_cleanup_free_ uint8_t *copy = h->target ? xmalloc(n) : NULL;
	const uint8_t *rest = copy;

	if (!copy)
		rest = heap_window_get(h, &p->window, p->part, p->addr, n);
	else if (target_read_some(h->target, p->addr, copy, n) != n)
		return false;
	return rest && !rest[0] && !memcmp(rest, rest + 1, n - 1);
}

/*
 * Are these the youngest objects, and is a thread just at them? The memory that
 * it is given has what was there before a collection until it is cleared, and
 * an object's type is written when its place is taken already. A collection
 * that is about to begin, or is over but for the last of it, changes where they
 * end.
 */
static bool is_amid(const struct heap *h, const struct place *p)
{
	return p->part->is.generation == DBG_GEN_0 &&
	       p->end - p->addr <= AMID_MAX && !h->died && h->dac &&
	       dac_gc_waits(h->dac);
}

static bool is_wrong(struct heap *h, const struct place *p, const char *why)
{
	return is_amid(h, p) ? false : damaged(h, p, "is damaged", why);
}

// There is no object where one is expected: say why, unless none need be.
static bool none_here(struct heap *h, struct place *p)
{
	uint64_t word;

	if (is_given(h, p))
		return false;
	if (h->target && target_read_some(h->target, p->addr, &word,
					  sizeof(word)) != sizeof(word))
		return damaged(h, p, "cannot be read", "");
	if (h->target && lacks_type(h, word & ~(uint64_t)7))
		return damaged(h, p, "cannot be read",
			       ", where the core lacks the type");
	return is_wrong(h, p, ", where no object is");
}

/* ---- Objects --------------------------------------------------------- */

static void place_begin(struct heap *h, const struct heap_part *part,
			struct place *p)
{
	size_t low = 0, high = h->is.n_gaps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->is.gaps[mid].start < part->is.start)
			low = mid + 1;
		else
			high = mid;
	}
	p->part = part;
	p->addr = part->is.start;
	p->end = part->is.end;
	p->gap = low;
	p->paced = part->is.start;
}

static void skip_gaps(const struct heap *h, struct place *p)
{
	const struct gc_gap *gaps = h->is.gaps;

	while (p->gap < h->is.n_gaps && gaps[p->gap].start <= p->addr) {
		if (gaps[p->gap].start == p->addr)
			p->addr = gaps[p->gap].end;
		p->gap++;
	}
}

// The object at p->addr; false: there are no more, or it is none.
static inline __attribute__((always_inline)) bool
next(struct heap *h, struct place *p, struct heap_object *o)
{
	if (p->gap < h->is.n_gaps && h->is.gaps[p->gap].start <= p->addr)
		skip_gaps(h, p);
	if (p->addr >= p->end)
		return false;
	o->addr = p->addr;
	o->bytes = heap_window_get(h, &p->window, p->part, p->addr, HEAD);
	if (!o->bytes)
		return damaged(h, p, "cannot be read", "");
	o->type = heap_type_of(h, heap_word(o->bytes) & ~(uint64_t)7);
	if (o->type->is_none)
		return none_here(h, p);
	o->size = heap_object_size(o->type, o->bytes);
	if (o->size < HEAP_OBJECT_MIN || o->size > p->end - p->addr)
		return is_wrong(h, p, ", an object of an impossible size");
	p->addr += o->size;
	return true;
}

// Does somebody look at more than the head?
static bool read_bytes(struct heap *h, struct place *p, struct heap_object *o)
{
	if (!o->type->has_refs && !o->type->is_string)
		return true;
	o->bytes = heap_window_get(h, &p->window, p->part, o->addr, o->size);
	if (o->bytes)
		return true;
	p->addr = o->addr;
	return damaged(h, p, "cannot be read", "");
}

static void begin_walk(struct heap *h)
{
	h->n_damages = 0;
}

// Give back what was walked, which is as much memory as the heap has.
static struct dbg_error *pace(const struct heap *h, struct place *p)
{
	const struct heap_part *part = p->part;
	uint64_t end = p->addr < p->end ? p->addr : p->end;

	if (part->data && !part->own)
		file_rest_part(part->data + (p->paced - part->is.start),
			       end - p->paced);
	p->paced = end;
	return heap_pace(h, WALKING,
			 part->first + (end - part->is.start) / HEAP_WORD,
			 h->n_words);
}

struct dbg_error *heap_each(struct heap *h, bool bytes, heap_fn *fn, void *arg)
{
	struct dbg_error *err = NULL;
	struct place p = {0};
	bool on = true;

	begin_walk(h);
	for (size_t i = 0; i < h->n_parts && on && !err; i++) {
		struct heap_object o = {.part = &h->parts[i]};

		if (h->only && !(h->only >> o.part->is.generation & 1))
			continue;
		place_begin(h, &h->parts[i], &p);
		while (on && !err && next(h, &p, &o)) {
			if (bytes && !read_bytes(h, &p, &o))
				break;
			on = fn(arg, &o);
			if (p.addr - p.paced >= PACE)
				err = pace(h, &p);
		}
		if (!err)
			err = pace(h, &p);
	}
	heap_window_deinit(&p.window);
	return err;
}

/* ---- Where objects are ------------------------------------------------ */

static void drop_places(struct heap *h, struct heap_type *type)
{
	h->n_placed -= type->n_places;
	mem_free_ptr(&type->places);
	type->n_places = type->cap_places = 0;
}

void heap_places_drop(struct heap *h)
{
	struct heap_type *type;
	size_t it = 0;

	while ((type = heap_type_next(h, &it))) {
		drop_places(h, type);
		type->is_common = false;
	}
	h->placed = false;
}

static void read_place(struct heap *h, const struct heap_object *o)
{
	struct heap_type *type = o->type;

	if (type->is_free || type->n_places == PLACES_MAX ||
	    h->n_placed == PLACES_ALL) {
		drop_places(h, type);
		type->is_common = true;
		return;
	}
	mem_grow(&type->places, &type->cap_places, type->n_places,
		 sizeof(*type->places));
	type->places[type->n_places++] = o->addr;
	h->n_placed++;
}

// Get the addresses of all objects of the types that @wants accepts, sorted;
// false: one of these types is common, so its places were not kept.
static bool places_of(struct heap *h, heap_wants_fn *wants, void *arg,
		      uint64_t **ret, size_t *ret_n)
{
	struct heap_type *type;
	size_t it = 0, n = 0;

	*ret = xcalloc(h->n_placed + 1, sizeof(**ret));
	while ((type = heap_type_next(h, &it))) {
		if ((!type->n_places && !type->is_common) || !wants(arg, type))
			continue;
		if (type->is_common)
			return false;
		memcpy(*ret + n, type->places,
		       type->n_places * sizeof(*type->places));
		n += type->n_places;
	}
	*ret_n = n;
	return true;
}

static int by_place(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

// Each object at the @n places.
static struct dbg_error *visit_places(struct heap *h, bool bytes,
				      const uint64_t *v, size_t n, heap_fn *fn,
				      void *arg)
{
	struct dbg_error *err = NULL;
	struct place p = {.gap = h->is.n_gaps};
	bool on = true;

	for (size_t i = 0; i < n && on && !err; i++) {
		struct heap_object o = {.part = heap_part_near(h, v[i])};

		p.part = o.part;
		p.addr = v[i];
		p.end = o.part->is.end;
		if (next(h, &p, &o) && (!bytes || read_bytes(h, &p, &o)))
			on = fn(arg, &o);
		if (i % PLACES_PACE == 0)
			err = heap_pace(h, WALKING, i, n);
	}
	heap_window_deinit(&p.window);
	return err;
}

struct dbg_error *heap_each_of(struct heap *h, bool bytes, heap_wants_fn *wants,
			       heap_fn *fn, void *arg)
{
	_cleanup_free_ uint64_t *v = NULL;
	size_t n;

	if (!h->placed || !places_of(h, wants, arg, &v, &n))
		return heap_each(h, bytes, fn, arg);
	if (n)
		qsort(v, n, sizeof(*v), by_place);
	begin_walk(h);
	return visit_places(h, bytes, v, n, fn, arg);
}

/* ---- Counting --------------------------------------------------------- */

struct counting {
	bool places; /* are taken down */
	heap_fn *fn;
	void *arg;
};

static void count_object(struct heap *h, const struct counting *c,
			 const struct heap_object *o)
{
	enum dbg_generation gen = o->part->is.generation;

	o->type->count[gen]++;
	o->type->bytes[gen] += o->size;
	if (c->places && !o->type->is_common)
		read_place(h, o);
}

static struct dbg_error *count_part(struct heap *h, struct place *p,
				    const struct counting *c)
{
	struct heap_object o = {.part = p->part};
	struct dbg_error *err = NULL;

	while (!err && next(h, p, &o)) {
		count_object(h, c, &o);
		if (c->fn && o.type->is_string) {
			if (!read_bytes(h, p, &o))
				break;
			c->fn(c->arg, &o);
		}
		if (p->addr - p->paced >= PACE)
			err = pace(h, p);
	}
	return err ? err : pace(h, p);
}

void heap_uncount(struct heap *h)
{
	struct heap_type *type;
	size_t it = 0;

	while ((type = heap_type_next(h, &it))) {
		memset(type->count, 0, sizeof(type->count));
		memset(type->bytes, 0, sizeof(type->bytes));
	}
}

struct dbg_error *heap_count(struct heap *h, int64_t heap, heap_fn *fn,
			     void *arg)
{
	struct dbg_error *err = NULL;
	struct place p = {0};
	const struct counting c = {heap < 0 && !h->placed, fn, arg};

	begin_walk(h);
	heap_uncount(h);
	if (c.places)
		heap_places_drop(h);
	for (size_t i = 0; i < h->n_parts && !err; i++) {
		if (heap >= 0 && h->parts[i].is.heap != heap)
			continue;
		place_begin(h, &h->parts[i], &p);
		err = count_part(h, &p, &c);
	}
	heap_window_deinit(&p.window);
	h->placed = h->placed || (c.places && !err && !h->n_damages);
	return err;
}

// As heap_position_of, for what refers to an object of its own part most often.
static inline bool position_from(const struct heap *h,
				 const struct heap_part *part, uint64_t object,
				 uint64_t *ret)
{
	uint64_t offset = object - part->is.start;

	if (offset >= part->is.end - part->is.start || object & 7)
		return heap_position_of(h, object, ret);
	*ret = part->first + offset / HEAP_WORD;
	return true;
}

// Note what the @n references at @refs, in an object of @part, lead to.
static inline void lead(struct heap_starts *s, const struct heap_part *part,
			const uint8_t *refs, uint64_t n)
{
	for (const uint8_t *end = refs + n * HEAP_WORD; refs < end;
	     refs += HEAP_WORD) {
		uint64_t to = heap_word(refs), position;

		if (!to)
			continue;
		s->references++;
		if (position_from(s->heap, part, to, &position))
			heap_bit_set(s->led_to, position);
		else
			s->astray = true;
	}
}

// Note the object, and where its references lead to.
static bool note_object(struct heap *h, struct place *p, struct heap_object *o,
			struct heap_starts *s)
{
	struct heap_refs refs;
	uint64_t offset, n;

	heap_bit_set(s->bits, o->part->first +
				  (o->addr - o->part->is.start) / HEAP_WORD);
	s->objects += !o->type->is_free;
	if (!o->type->n)
		return true;
	// in place all of it is there
	if (!o->part->data && !read_bytes(h, p, o))
		return false;
	heap_refs_begin(&refs, o->type, o->size);
	while (heap_refs_next(&refs, &offset, &n))
		lead(s, o->part, o->bytes + offset, n);
	return true;
}

struct dbg_error *heap_starts_walk(struct heap_starts *s)
{
	struct dbg_error *err = NULL;
	struct heap *h = s->heap;
	struct place p = {0};

	begin_walk(h);
	for (size_t i = 0; i < h->n_parts && !err; i++) {
		struct heap_object o = {.part = &h->parts[i]};

		place_begin(h, &h->parts[i], &p);
		while (!err && next(h, &p, &o) && note_object(h, &p, &o, s))
			if (p.addr - p.paced >= PACE)
				err = pace(h, &p);
		if (!err)
			err = pace(h, &p);
	}
	heap_window_deinit(&p.window);
	return err;
}

bool heap_find(struct heap *h, uint64_t addr, struct heap_object *ret)
{
	const struct heap_part *part = heap_part_of(h, addr);

	if (!part)
		return false;
	size_t n_damages = h->n_damages;
	struct place p = {.window = h->found};
	struct heap_object o = {.part = part};
	bool found = false;

	place_begin(h, part, &p);
	while (!found && p.addr <= addr && next(h, &p, &o))
		found = addr - o.addr < o.size;
	if (found) {
		o.bytes = heap_window_get(h, &p.window, part, o.addr, o.size);
		found = o.bytes && !o.type->is_free;
		*ret = o;
	}
	h->found = p.window;
	h->n_damages = n_damages;
	return found;
}

bool heap_object_at(struct heap *h, uint64_t addr, struct heap_object *ret)
{
	const struct heap_part *part = heap_part_near(h, addr);

	return part && part->data && !(addr & 7) &&
	       heap_look(h, part, addr, ret);
}

/* ---- The heap of a stop -------------------------------------------------- */

#define BYTES_MAX (UINT64_C(1) << 42)

// The memory of a part where it lies, if all of it does.
static const uint8_t *data_of(struct target *t, const struct gc_part *part)
{
	uint64_t n;
	const void *p = t ? target_span(t, part->start, &n) : NULL;

	return p && n >= part->end - part->start ? p : NULL;
}

static void read_parts(struct heap *h)
{
	h->n_parts = h->is.n_parts;
	h->parts = arena_calloc(h->arena, h->n_parts + 1, sizeof(*h->parts));
	for (size_t i = 0; i < h->n_parts; i++) {
		const struct gc_part *is = &h->is.parts[i];

		h->parts[i] = (struct heap_part){
		    .is = *is,
		    .first = h->n_words,
		    .data = data_of(h->target, is),
		};
		h->n_words += (is->end - is->start) / HEAP_WORD;
	}
}

// Tables from addresses and positions to parts.
static void make_tables(struct heap *h)
{
	uint64_t positions = (h->n_words >> HEAP_POSITIONS) + 1;

	if (!h->n_parts)
		return;
	h->first_chunk = h->parts[0].is.start >> HEAP_CHUNK;
	h->n_chunks = (h->parts[h->n_parts - 1].is.end >> HEAP_CHUNK) -
		      h->first_chunk + 1;
	if (h->n_chunks <= HEAP_CHUNKS_MAX) {
		h->by_addr = xcalloc(h->n_chunks, sizeof(*h->by_addr));
		for (uint64_t i = 0, part = 0; i < h->n_chunks; i++) {
			uint64_t start = (h->first_chunk + i) << HEAP_CHUNK;

			while (part < h->n_parts &&
			       h->parts[part].is.end <= start)
				part++;
			h->by_addr[i] = (uint32_t)part;
		}
	}
	h->by_position = xcalloc(positions, sizeof(*h->by_position));
	for (uint64_t i = 0, part = 0; i < positions; i++) {
		while (part + 1 < h->n_parts &&
		       h->parts[part + 1].first <= i << HEAP_POSITIONS)
			part++;
		h->by_position[i] = (uint32_t)part;
	}
}

uint64_t *heap_marks_make(const struct heap *h)
{
	return xcalloc(heap_marks_size(h), sizeof(uint64_t));
}

struct heap *heap_of(struct target *t, struct dac *d,
		     const struct heap_watch *watch)
{
	struct heap *h = xcalloc(1, sizeof(*h));

	h->target = t;
	h->dac = d;
	h->arena = arena_create();
	h->watch = watch;
	h->interrupted = watch->interrupted;
	heap_types_init(h);
	return h;
}

void heap_take_parts(struct heap *h)
{
	read_parts(h);
	make_tables(h);
}

// Refuse a heap whose segments cannot be that large: the runtime's record of
// them may be damaged, and our tables are as large as it says.
static struct dbg_error *check_size(const struct gc_heap *heap)
{
	uint64_t total = 0;

	for (size_t i = 0; i < heap->n_parts; i++) {
		uint64_t n = heap->parts[i].end - heap->parts[i].start;

		if (n > BYTES_MAX - total)
			return dbg_err(
			    DBG_E_FORMAT,
			    "the heap's segments are damaged: one at "
			    "0x%" PRIx64 " would have %" PRIu64 " bytes",
			    heap->parts[i].start, n);
		total += n;
	}
	return NULL;
}

struct dbg_error *heap_create(struct target *t, struct dac *d,
			      const struct heap_watch *watch, bool force,
			      struct heap **ret)
{
	struct heap *h = heap_of(t, d, watch);
	struct dbg_error *err = dac_gc_heap(d, h->arena, force, &h->is);

	if (!err)
		err = check_size(&h->is);
	if (err) {
		heap_destroy(h);
		return err;
	}
	heap_take_parts(h);
	*ret = h;
	return NULL;
}

void heap_destroy(struct heap *h)
{
	if (!h)
		return;
	heap_window_deinit(&h->found);
	heap_places_drop(h);
	for (size_t i = 0; i < h->n_parts; i++)
		if (h->parts[i].own)
			munmap((void *)(uintptr_t)h->parts[i].data,
			       h->parts[i].is.end - h->parts[i].is.start);
	free(h->by_addr);
	free(h->by_position);
	free(h->types);
	free(h->damages);
	free(h->lost);
	arena_destroy(h->arena);
	free(h);
}

struct dbg_error *heap_pace(const struct heap *h, const char *what,
			    uint64_t done, uint64_t total)
{
	const struct heap_watch *watch = h->watch;

	if (watch->progress)
		watch->progress(watch->arg, what, done, total);
	return *watch->interrupted
		   ? dbg_err(DBG_E_INTERRUPTED, "interrupted while %s", what)
		   : NULL;
}

const struct heap_part *heap_part_of(const struct heap *h, uint64_t addr)
{
	size_t low = 0, high = h->n_parts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (h->parts[mid].is.end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < h->n_parts && h->parts[low].is.start <= addr
		   ? &h->parts[low]
		   : NULL;
}
