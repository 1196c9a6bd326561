/* EventPipe's streams and the collections in them, of bytes made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eventpipe/ipc.h"
#include "eventpipe/nettrace.h"
#include "mdwriter.h"

enum {
	GC_KIND = 1,
	OTHER_KIND = 2,
	THREAD = 77,
};

/* ---- Writing ----------------------------------------------------------- */

static void put_object(struct str *s, const char *name, const struct str *block)
{
	str_addn(s, "\5\5\1\2\0\0\0\2\0\0\0", 11);
	put_le(s, strlen(name), 4);
	str_add(s, name);
	str_addc(s, 6);
	if (strcmp(name, "Trace")) {
		put_le(s, block->len, 4);
		while (s->len % 4)
			str_addc(s, 0);
	}
	str_addn(s, block->s, block->len);
	str_addc(s, 6);
}

static void put_stream(struct str *s)
{
	_cleanup_str_ struct str trace = {0};

	str_addn(s, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	for (int i = 0; i < 24; i++)
		str_addc(&trace, 0);
	put_le(&trace, 1000000000, 8);
	put_le(&trace, 8, 4);
	put_le(&trace, 4711, 4);
	put_le(&trace, 2, 4);
	put_le(&trace, 0, 4);
	put_object(s, "Trace", &trace);
}

static void put_uleb(struct str *s, uint64_t n)
{
	for (; n > 0x7f; n >>= 7)
		str_addc(s, (char)(n | 0x80));
	str_addc(s, (char)n);
}

static void block_begin(struct str *s)
{
	put_le(s, 20, 2);
	put_le(s, 1, 2);
	put_le(s, 0, 8);
	put_le(s, 0, 8);
}

static void put_utf16(struct str *s, const char *text)
{
	for (; *text; text++)
		put_le(s, (uint8_t)*text, 2);
	put_le(s, 0, 2);
}

// A description: event @id of @provider is @number in the stream.
static void put_kind(struct str *block, uint32_t number, const char *provider,
		     uint32_t id)
{
	_cleanup_str_ struct str payload = {0};

	put_le(&payload, number, 4);
	put_utf16(&payload, provider);
	put_le(&payload, id, 4);
	put_utf16(&payload, "");
	put_le(&payload, 1, 8);
	put_le(&payload, 2, 4);
	put_le(&payload, 4, 4);
	put_le(&payload, 0, 4);
	str_addc(block, (char)(1 | 0x80));
	put_uleb(block, 0);
	put_uleb(block, 0); // no later than the one before
	put_uleb(block, payload.len);
	str_addn(block, payload.s, payload.len);
}

struct written {
	uint32_t kind, sequence;
	uint64_t time;
	bool sorted;
	uint32_t stack;
	struct str payload;
};

// All parts of it are there but for GUIDs; @last is the one before.
static void put_event(struct str *block, const struct written *w,
		      const struct written *last)
{
	str_addc(block, (char)(0x8f | (w->sorted ? 0x40 : 0)));
	put_uleb(block, w->kind);
	put_uleb(block, (uint32_t)(w->sequence - last->sequence - 1));
	put_uleb(block, THREAD);
	put_uleb(block, 0);
	put_uleb(block, THREAD);
	put_uleb(block, w->stack);
	put_uleb(block, w->time - last->time);
	put_uleb(block, w->payload.len);
	str_addn(block, w->payload.s, w->payload.len);
}

/* ---- Reading ----------------------------------------------------------- */

struct heard {
	size_t n;
	uint64_t times[16];
	size_t frames;
	uint64_t frame, tid;
	struct dbg_gcs *gcs;
	struct dbg_gc last;
	size_t n_gcs;
};

static void hear(void *arg, const struct dbg_trace_event *e)
{
	struct heard *h = arg;

	if (h->n < 16)
		h->times[h->n] = e->time;
	h->n++;
	if (e->n_stack) {
		h->frames += e->n_stack;
		h->frame = e->stack[0];
	}
	h->tid = e->tid;
	if (h->gcs)
		dbg_gcs_event(h->gcs, e);
}

static void hear_gc(void *arg, const struct dbg_gc *gc)
{
	struct heard *h = arg;

	h->last = *gc;
	h->n_gcs++;
}

// In pieces of @piece bytes.
static void feed(struct nettrace *nt, const struct str *s, size_t piece)
{
	for (size_t at = 0; at < s->len; at += piece) {
		size_t n = s->len - at < piece ? s->len - at : piece;

		assert_null(nettrace_feed(nt, s->s + at, n));
	}
}

// Three of one thread, the second of which is the oldest; one is missing.
static void make_stream(struct str *s)
{
	_cleanup_str_ struct str kinds = {0}, stacks = {0}, events = {0};
	struct written v[] = {
	    {.kind = OTHER_KIND, .sequence = 1, .time = 1000, .sorted = true},
	    {.kind = OTHER_KIND, .sequence = 2, .time = 900, .stack = 3},
	    {.kind = OTHER_KIND, .sequence = 4, .time = 2000, .sorted = true},
	};
	struct written none = {0};

	put_stream(s);
	block_begin(&kinds);
	put_kind(&kinds, OTHER_KIND, "Some-Provider", 7);
	put_object(s, "MetadataBlock", &kinds);
	put_le(&stacks, 3, 4);
	put_le(&stacks, 1, 4);
	put_le(&stacks, 16, 4);
	put_le(&stacks, 0x1234, 8);
	put_le(&stacks, 0x5678, 8);
	put_object(s, "StackBlock", &stacks);
	block_begin(&events);
	for (size_t i = 0; i < 3; i++)
		put_event(&events, &v[i], i ? &v[i - 1] : &none);
	put_object(s, "EventBlock", &events);
	str_addc(s, 1);
}

/*
 * However it is cut into pieces: the events come in order, those that are older
 * than one that is sorted at once.
 */
static void test_order(void **state)
{
	static const size_t pieces[] = {1, 3, 64, 100000};
	_cleanup_str_ struct str s = {0};

	(void)state;
	make_stream(&s);
	for (size_t i = 0; i < 4; i++) {
		struct heard h = {0};
		struct nettrace *nt = nettrace_create(hear, NULL, &h);

		feed(nt, &s, pieces[i]);
		assert_true(nettrace_ended(nt));
		assert_int_equal(h.n, 2);
		nettrace_finish(nt);
		assert_int_equal(h.n, 3);
		assert_int_equal(h.times[0], 900);
		assert_int_equal(h.times[1], 1000);
		assert_int_equal(h.times[2], 2000);
		assert_int_equal(h.tid, THREAD);
		assert_int_equal(h.frames, 2);
		assert_int_equal(h.frame, 0x1234);
		assert_int_equal(nettrace_lost(nt), 1);
		nettrace_destroy(nt);
	}
}

/* One byte is another: an error or none, but nothing is read outside. */
static void test_damaged(void **state)
{
	_cleanup_str_ struct str s = {0};

	(void)state;
	make_stream(&s);
	for (size_t i = 0; i < s.len; i++) {
		_cleanup_str_ struct str bad = {0};
		struct heard h = {0};
		struct nettrace *nt = nettrace_create(hear, NULL, &h);

		str_addn(&bad, s.s, s.len);
		bad.s[i] = (char)(bad.s[i] ^ 0xff);
		dbg_err_drop(nettrace_feed(nt, bad.s, bad.len));
		nettrace_destroy(nt);
	}
}

static void put_words(struct str *s, uint32_t a, uint32_t b, size_t zeros)
{
	put_le(s, a, 4);
	put_le(s, b, 4);
	while (zeros--)
		str_addc(s, 0);
}

/* A blocking collection in its pause, with what the heap is afterwards. */
static void test_collection(void **state)
{
	static const struct {
		uint32_t id;
		uint64_t time;
	} made[] = {{9, 1000}, {8, 1100}, {1, 1200}, {2, 1900},
		    {4, 1950}, {7, 2000}, {3, 2100}};
	_cleanup_str_ struct str s = {0}, kinds = {0}, events = {0};
	struct written v[7] = {0}, none = {0};
	struct heard h = {0};

	(void)state;
	put_stream(&s);
	block_begin(&kinds);
	block_begin(&events);
	for (size_t i = 0; i < 7; i++) {
		put_kind(&kinds, made[i].id, DBG_RUNTIME_PROVIDER, made[i].id);
		v[i].kind = made[i].id;
		v[i].sequence = (uint32_t)i + 1;
		v[i].time = made[i].time;
	}
	put_words(&v[0].payload, 1, 41, 2); // for a collection
	put_words(&v[2].payload, 42, 1, 0);
	put_words(&v[2].payload, 1, 0, 10); // induced, blocking
	put_words(&v[3].payload, 42, 1, 2);
	for (size_t i = 0; i < 8; i++)
		put_le(&v[4].payload, 100 + i, 8);
	put_words(&v[4].payload, 0, 0, 8 + 8 + 6);
	put_le(&v[4].payload, 1000, 8);
	put_le(&v[4].payload, 2000, 8);
	for (size_t i = 0; i < 7; i++)
		put_event(&events, &v[i], i ? &v[i - 1] : &none);
	put_object(&s, "MetadataBlock", &kinds);
	put_object(&s, "EventBlock", &events);
	h.gcs = dbg_gcs_create(hear_gc, &h);
	struct nettrace *nt = nettrace_create(hear, NULL, &h);
	feed(nt, &s, s.len);
	assert_false(nettrace_ended(nt));
	nettrace_finish(nt);
	assert_int_equal(h.n_gcs, 1);
	assert_int_equal(h.last.number, 42);
	assert_int_equal(h.last.generation, 1);
	assert_int_equal(h.last.kind, DBG_GC_BLOCKING);
	assert_string_equal(h.last.cause, "induced");
	assert_int_equal(h.last.paused, 1100);
	assert_int_equal(h.last.heap, 100 + 102 + 104 + 106 + 1000);
	assert_int_equal(h.last.promoted, 101 + 103 + 105 + 107 + 2000);
	nettrace_destroy(nt);
	dbg_gcs_destroy(h.gcs);
	for (size_t i = 0; i < 7; i++)
		str_deinit(&v[i].payload);
}

struct told {
	struct dbg_gc gcs[4];
	size_t n;
};

static void tell(void *arg, const struct dbg_gc *gc)
{
	struct told *told = arg;

	assert_true(told->n < 4);
	told->gcs[told->n++] = *gc;
}

static void gcs_feed(struct dbg_gcs *gcs, uint32_t id, uint64_t tid,
		     uint64_t time, const uint32_t words[4])
{
	const struct dbg_trace_kind kind = {
	    .provider = DBG_RUNTIME_PROVIDER, .name = "", .id = id};
	_cleanup_str_ struct str payload = {0};

	for (int i = 0; i < 4; i++)
		put_le(&payload, words[i], 4);
	while (payload.len < 200)
		str_addc(&payload, 0);
	const struct dbg_trace_event e = {.kind = &kind,
					  .tid = tid,
					  .time = time,
					  .payload = (uint8_t *)payload.s,
					  .n_payload = payload.len};
	dbg_gcs_event(gcs, &e);
}

/*
 * The thread that collects in the background suspends while another has
 * suspended for a collection of its own: it waits for its turn, and what it
 * pauses is its collection's.
 */
static void test_nested_pauses(void **state)
{
	static const struct {
		uint32_t id;
		uint64_t tid, time;
		uint32_t words[4];
	} made[] = {
	    {9, 1, 100, {1}},           {8, 1, 110, {0}},
	    {1, 1, 120, {5, 2, 0, 1}},  {3, 2, 200, {0}},
	    {9, 1, 1000, {1}},          {8, 1, 1010, {0}},
	    {1, 1, 1020, {6, 0, 0, 2}}, {9, 2, 1050, {6}},
	    {2, 1, 1500, {6, 0}},       {4, 1, 1510, {0}},
	    {3, 1, 1600, {0}},          {8, 2, 1610, {0}},
	    {3, 2, 1900, {0}},          {2, 2, 2000, {5, 2}},
	    {4, 2, 2010, {0}},
	};
	struct told told = {0};
	struct dbg_gcs *gcs = dbg_gcs_create(tell, &told);
	uint64_t paused, pauses;

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++)
		gcs_feed(gcs, made[i].id, made[i].tid, made[i].time,
			 made[i].words);
	assert_int_equal(told.n, 2);
	assert_int_equal(told.gcs[0].number, 6);
	assert_int_equal(told.gcs[0].paused, 600);
	assert_int_equal(told.gcs[1].number, 5);
	assert_int_equal(told.gcs[1].pauses, 2);
	assert_int_equal(told.gcs[1].paused, 100 + 300);
	dbg_gcs_other(gcs, &paused, &pauses);
	assert_int_equal(pauses, 0);
	dbg_gcs_destroy(gcs);
}

/* Answers of the diagnostics socket. */
static void test_ipc(void **state)
{
	_cleanup_str_ struct str s = {0}, reply = {0};
	bool failed;
	size_t n;

	(void)state;
	str_addn(&s, "DOTNET_IPC_V1", 14);
	put_le(&s, 28, 2);
	str_addn(&s, "\xff\0\0\0", 4);
	assert_true(ipc_header((uint8_t *)s.s, &failed, &n));
	assert_false(failed);
	assert_int_equal(n, 8);
	s.s[17] = '\xff';
	assert_true(ipc_header((uint8_t *)s.s, &failed, &n));
	assert_true(failed);
	s.s[14] = 19; // less than the header
	assert_false(ipc_header((uint8_t *)s.s, &failed, &n));
	for (int i = 0; i < 24; i++)
		str_addc(&reply, 'x');
	for (int i = 0; i < 4; i++) {
		put_le(&reply, 2, 4);
		put_utf16(&reply, "w");
	}
	put_le(&reply, 8, 4);
	put_utf16(&reply, "10.0.12");
	for (size_t cut = 0; cut <= reply.len; cut++)
		assert_int_equal(
		    ipc_major_version((struct bytes){(uint8_t *)reply.s, cut}),
		    cut < reply.len - 10 ? 0 : 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),
	    cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_collection),
	    cmocka_unit_test(test_nested_pauses),
	    cmocka_unit_test(test_ipc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
