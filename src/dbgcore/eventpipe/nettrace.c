/* The format of EventPipe's streams: see nettrace.h. */
#include "eventpipe/nettrace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"

enum {
	TAG_END = 1,
	TAG_BEGIN = 5,
	TAG_OBJECT_END = 6,
	STREAM_HEADER = 32,     // "Nettrace", 20, "!FastSerialization.1"
	TRACE_SIZE = 48,        // the object "Trace"
	NAME_MAX_LEN = 64,      // of an object
	BLOCK_HEADER = 20,      // of events: size, flags, two times
	BLOCK_COMPRESSED = 1,   // flag
	BLOCK_MAX = 16 << 20,   // bytes; the runtime's own are 100 KB
	KINDS_MAX = 1 << 16,    // of events
	THREADS_MAX = 1 << 16,  // that were met
	STACKS_MAX = 64 << 20,  // bytes between two sequence points
	PENDING_MAX = 64 << 20, // bytes that are kept to be sorted
	FRAMES_MAX = 1024,
	ALIGNMENT = 4,
};

/* Flags in front of an event: which parts differ from the one before. */
enum {
	HAS_KIND = 1,
	HAS_SEQUENCE = 2, /* and the thread that wrote it, and the processor */
	HAS_THREAD = 4,
	HAS_STACK = 8,
	HAS_ACTIVITY = 0x10,
	HAS_RELATED = 0x20,
	IS_SORTED = 0x40,
	HAS_SIZE = 0x80,
	GUID_SIZE = 16,
};

struct nettrace_stack {
	size_t n;
	uint64_t ips[];
};

/* An event that is kept. */
struct pending_event {
	struct dbg_trace_event event;
	uint64_t order; /* of those at the same time the first comes first */
};

/* The numbers of the events that a thread has written. */
struct writer {
	uint32_t last;
};

struct nettrace {
	dbg_trace_fn *fn, *early;
	void *arg;
	struct str in;   /* bytes that are not read yet */
	uint64_t passed; /* ... and how many are: blocks are aligned */
	bool begun, ended;
	struct arena *arena; /* descriptions of events */
	struct map kinds;    /* struct dbg_trace_kind by number */
	struct map stacks;   /* struct nettrace_stack by number */
	size_t stack_bytes;
	struct map writers; /* struct writer by thread */
	uint64_t lost;
	struct pending_event *pending;
	size_t n_pending, cap_pending, pending_bytes;
	uint64_t order;
	struct arena *payloads; /* of those pending */
};

struct nettrace *nettrace_create(dbg_trace_fn *fn, dbg_trace_fn *early,
				 void *arg)
{
	struct nettrace *nt = xcalloc(1, sizeof(*nt));

	nt->fn = fn;
	nt->early = early;
	nt->arg = arg;
	nt->arena = arena_create();
	nt->payloads = arena_create();
	return nt;
}

void nettrace_destroy(struct nettrace *nt)
{
	if (!nt)
		return;
	str_deinit(&nt->in);
	arena_destroy(nt->arena);
	arena_destroy(nt->payloads);
	map_deinit(&nt->kinds);
	map_clear_free(&nt->stacks);
	map_deinit(&nt->stacks);
	map_clear_free(&nt->writers);
	map_deinit(&nt->writers);
	free(nt->pending);
	free(nt);
}

bool nettrace_ended(const struct nettrace *nt)
{
	return nt->ended;
}

uint64_t nettrace_lost(const struct nettrace *nt)
{
	return nt->lost;
}

static struct dbg_error *malformed(const char *what)
{
	return dbg_err(DBG_E_FORMAT,
		       "the runtime's events cannot be read: malformed %s",
		       what);
}

/* ---- Order ------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct pending_event *x = a, *y = b;

	if (x->event.time != y->event.time)
		return x->event.time < y->event.time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

// Tell those that are older than @time.
static void pending_tell(struct nettrace *nt, uint64_t time)
{
	size_t n = 0;

	if (!nt->n_pending)
		return;
	qsort(nt->pending, nt->n_pending, sizeof(*nt->pending), by_time);
	for (; n < nt->n_pending && nt->pending[n].event.time < time; n++)
		nt->fn(nt->arg, &nt->pending[n].event);
	nt->n_pending -= n;
	memmove(nt->pending, nt->pending + n,
		nt->n_pending * sizeof(*nt->pending));
	if (!nt->n_pending) {
		arena_reset(nt->payloads);
		nt->pending_bytes = 0;
	}
}

void nettrace_finish(struct nettrace *nt)
{
	pending_tell(nt, UINT64_MAX);
}

static void pending_add(struct nettrace *nt, const struct dbg_trace_event *e)
{
	if (nt->pending_bytes > PENDING_MAX)
		nettrace_finish(nt);
	if (nt->early)
		nt->early(nt->arg, e);
	mem_grow(&nt->pending, &nt->cap_pending, nt->n_pending,
		 sizeof(*nt->pending));
	struct pending_event *k = &nt->pending[nt->n_pending++];
	*k = (struct pending_event){.event = *e, .order = nt->order++};
	k->event.payload =
	    arena_copy(nt->payloads, e->payload, e->n_payload, 1);
	nt->pending_bytes += sizeof(*k) + e->n_payload;
}

/* ---- Descriptions and stacks ------------------------------------------- */

const char *nettrace_text(struct reader *r, size_t max, struct arena *arena)
{
	_cleanup_str_ struct str text = {0};
	struct reader from = *r;
	size_t n = 0;

	while (reader_u16(r))
		n++;
	if (n > max)
		n = max;
	_cleanup_free_ uint16_t *units = xcalloc(n + 1, sizeof(*units));
	for (size_t i = 0; i < n; i++)
		units[i] = reader_u16(&from);
	str_add_utf16(&text, units, n);
	return arena_strdup(arena, str_get(&text));
}

static struct dbg_error *read_kind(struct nettrace *nt, struct bytes payload)
{
	struct dbg_trace_kind *k = arena_alloc(nt->arena, sizeof(*k));
	struct reader r;

	reader_init(&r, payload.p, payload.n);
	uint32_t number = reader_u32(&r);
	k->provider = nettrace_text(&r, SIZE_MAX, nt->arena);
	k->id = reader_u32(&r);
	k->name = nettrace_text(&r, SIZE_MAX, nt->arena);
	k->keywords = reader_u64(&r);
	k->version = reader_u32(&r);
	k->level = reader_u32(&r);
	if (r.bad)
		return malformed("description of an event");
	k->n_fields = reader_left(&r);
	k->fields = arena_copy(nt->arena, r.p, k->n_fields, 1);
	if (nt->kinds.n >= KINDS_MAX)
		return malformed("stream: too many kinds of events");
	map_put(&nt->kinds, number, k);
	return NULL;
}

static struct dbg_error *read_stacks(struct nettrace *nt, struct bytes block)
{
	struct reader r;

	reader_init(&r, block.p, block.n);
	uint32_t first = reader_u32(&r), count = reader_u32(&r);
	for (uint32_t i = 0; i < count && !r.bad; i++) {
		uint32_t size = reader_u32(&r);
		struct bytes ips = reader_bytes(&r, size);
		size_t n = ips.n / sizeof(uint64_t);

		if (r.bad)
			break;
		if (n > FRAMES_MAX)
			n = FRAMES_MAX;
		struct nettrace_stack *s =
		    xmalloc(sizeof(*s) + n * sizeof(*s->ips));
		s->n = n;
		for (size_t k = 0; k < n; k++)
			memcpy(&s->ips[k], ips.p + k * sizeof(*s->ips),
			       sizeof(*s->ips));
		uint64_t key = (uint64_t)first + i;
		struct nettrace_stack *old = map_take(&nt->stacks, key);

		if (old) // events that are kept may have it
			nettrace_finish(nt);
		free(old);
		map_put(&nt->stacks, key, s);
		nt->stack_bytes += sizeof(*s) + n * sizeof(*s->ips);
		if (nt->stack_bytes > STACKS_MAX)
			return malformed("stream: too many stacks");
	}
	return r.bad ? malformed("block of stacks") : NULL;
}

/* ---- Events ------------------------------------------------------------ */

// Header of an event. A field that is absent keeps the previous event's value.
struct event_header {
	uint8_t flags;
	uint32_t kind, sequence;
	uint64_t writer, thread;
	uint32_t stack;
	uint64_t time;
	uint32_t size;
};

// Times and numbers are differences modulo the size of their type: of events of
// several threads in one block the later one may be the older.
static void read_event_header(struct reader *r, struct event_header *h)
{
	h->flags = reader_u8(r);
	if (h->flags & HAS_KIND)
		h->kind = (uint32_t)reader_uleb(r);
	if (h->flags & HAS_SEQUENCE) {
		h->sequence += (uint32_t)reader_uleb(r);
		h->writer = reader_uleb(r);
		reader_uleb(r); // the processor
	}
	if (h->kind)
		h->sequence++;
	if (h->flags & HAS_THREAD)
		h->thread = reader_uleb(r);
	if (h->flags & HAS_STACK)
		h->stack = (uint32_t)reader_uleb(r);
	h->time += reader_uleb(r);
	if (h->flags & HAS_ACTIVITY)
		reader_skip(r, GUID_SIZE);
	if (h->flags & HAS_RELATED)
		reader_skip(r, GUID_SIZE);
	if (h->flags & HAS_SIZE)
		h->size = (uint32_t)reader_uleb(r);
}

static void count_lost(struct nettrace *nt, uint64_t thread, uint32_t sequence,
		       uint32_t next)
{
	struct writer *w = map_find(&nt->writers, thread);

	if (!w && nt->writers.n >= THREADS_MAX)
		return;
	if (!w) {
		w = xcalloc(1, sizeof(*w));
		map_put(&nt->writers, thread, w);
		w->last = sequence;
		return;
	}
	// What seems to run backwards is no loss.
	uint32_t gap = sequence - w->last - next;
	if (gap < UINT32_MAX / 2)
		nt->lost += gap;
	w->last = sequence;
}

static void tell_event(struct nettrace *nt, const struct event_header *h,
		       struct bytes payload)
{
	const struct dbg_trace_kind *kind = map_find(&nt->kinds, h->kind);
	const struct nettrace_stack *stack = map_find(&nt->stacks, h->stack);

	count_lost(nt, h->writer, h->sequence, 1);
	if (h->flags & IS_SORTED)
		pending_tell(nt, h->time);
	if (!kind)
		return;
	pending_add(nt, &(struct dbg_trace_event){
			    .kind = kind,
			    .tid = h->thread,
			    .time = h->time,
			    .payload = payload.p,
			    .n_payload = payload.n,
			    .stack = stack ? stack->ips : NULL,
			    .n_stack = stack ? stack->n : 0,
			});
}

static struct dbg_error *read_events(struct nettrace *nt, struct bytes block)
{
	struct event_header h = {0};
	struct reader r;

	reader_init(&r, block.p, block.n);
	uint16_t size = reader_u16(&r), flags = reader_u16(&r);
	if (size < BLOCK_HEADER || !(flags & BLOCK_COMPRESSED))
		return malformed("block of events");
	reader_skip(&r, size - 4);
	while (reader_left(&r) && !r.bad) {
		read_event_header(&r, &h);
		struct bytes payload = reader_bytes(&r, h.size);
		if (r.bad)
			break;
		if (h.kind) {
			tell_event(nt, &h, payload);
			continue;
		}
		struct dbg_error *err = read_kind(nt, payload);
		if (err)
			return err;
	}
	return r.bad ? malformed("event") : NULL;
}

// All events before a sequence point have come, and numbers of stacks begin
// anew.
static struct dbg_error *read_sequence_point(struct nettrace *nt,
					     struct bytes block)
{
	struct reader r;

	nettrace_finish(nt);
	map_clear_free(&nt->stacks);
	nt->stack_bytes = 0;
	reader_init(&r, block.p, block.n);
	reader_u64(&r); // its time
	uint32_t n = reader_u32(&r);
	for (uint32_t i = 0; i < n && !r.bad; i++) {
		uint64_t thread = reader_u64(&r);
		uint32_t sequence = reader_u32(&r);

		if (!r.bad && map_find(&nt->writers, thread))
			count_lost(nt, thread, sequence, 0);
	}
	return r.bad ? malformed("sequence point") : NULL;
}

/* ---- Objects ----------------------------------------------------------- */

static struct dbg_error *read_trace(struct nettrace *nt, struct bytes object)
{
	struct reader r;

	(void)nt;
	reader_init(&r, object.p, object.n);
	reader_skip(&r, 16 + 8); // when it began: date, and time of the clock
	uint64_t frequency = reader_u64(&r);
	uint32_t pointer = reader_u32(&r);
	if (frequency != 1000000000 || pointer != sizeof(uint64_t))
		return malformed("header: it is of another clock or processor");
	return NULL;
}

static const struct {
	const char *name;
	struct dbg_error *(*read)(struct nettrace *nt, struct bytes object);
} objects[] = {
    {"Trace", read_trace},
    {"MetadataBlock", read_events},
    {"EventBlock", read_events},
    {"StackBlock", read_stacks},
    {"SPBlock", read_sequence_point},
};

static struct dbg_error *read_object(struct nettrace *nt, struct bytes name,
				     struct bytes object)
{
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (strlen(objects[i].name) == name.n &&
		    !memcmp(objects[i].name, name.p, name.n))
			return objects[i].read(nt, object);
	return NULL; // of a later version
}

/*
 * Read the next object of the stream, *ret_used bytes; 0: it is not yet
 * complete. Behind its name are its contents: for a block its size, and that
 * many bytes from the next multiple of four bytes in the stream on.
 */
static struct dbg_error *next_object(struct nettrace *nt, struct bytes in,
				     size_t *ret_used)
{
	struct reader r;

	reader_init(&r, in.p, in.n);
	uint8_t tags[3] = {reader_u8(&r), reader_u8(&r), reader_u8(&r)};
	reader_skip(&r, 4 + 4); // its version, and the least that reads it
	uint32_t length = reader_u32(&r);
	if (r.bad)
		return NULL;
	if (tags[0] != TAG_BEGIN || tags[1] != TAG_BEGIN ||
	    tags[2] != TAG_END || length > NAME_MAX_LEN)
		return malformed("object");
	struct bytes name = reader_bytes(&r, length);
	uint8_t end = reader_u8(&r);
	if (r.bad)
		return NULL;
	uint32_t size = TRACE_SIZE;
	if (name.n != strlen("Trace") || memcmp(name.p, "Trace", name.n)) {
		size = reader_u32(&r);
		uint64_t at = nt->passed + (uint64_t)(r.p - in.p);
		reader_skip(&r, (size_t)(-at & (ALIGNMENT - 1)));
	}
	if (end != TAG_OBJECT_END || (!r.bad && size > BLOCK_MAX))
		return malformed("object");
	struct bytes object = reader_bytes(&r, size);
	end = reader_u8(&r);
	if (r.bad)
		return NULL;
	if (end != TAG_OBJECT_END)
		return malformed("object");
	*ret_used = (size_t)(r.p - in.p);
	return read_object(nt, name, object);
}

static struct dbg_error *read_stream_header(struct nettrace *nt)
{
	static const char header[] = "Nettrace\x14\0\0\0!FastSerialization.1";

	if (nt->in.len < STREAM_HEADER)
		return NULL;
	if (memcmp(nt->in.s, header, STREAM_HEADER))
		return malformed("stream");
	nt->begun = true;
	return NULL;
}

struct dbg_error *nettrace_feed(struct nettrace *nt, const void *p, size_t n)
{
	struct dbg_error *err = NULL;
	size_t at = STREAM_HEADER;

	str_addn(&nt->in, p, n);
	if (!nt->begun)
		err = read_stream_header(nt);
	else
		at = 0;
	if (err || !nt->begun)
		return err;
	nt->passed += at;
	while (!err && at < nt->in.len && !nt->ended) {
		size_t used = 0;

		nt->ended = nt->in.s[at] == TAG_END;
		if (nt->ended)
			break;
		err = next_object(
		    nt,
		    (struct bytes){(uint8_t *)nt->in.s + at, nt->in.len - at},
		    &used);
		if (!used)
			break;
		at += used;
		nt->passed += used;
	}
	nt->in.len -= at;
	memmove(nt->in.s, nt->in.s + at, nt->in.len);
	return err;
}
