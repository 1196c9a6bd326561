/*
 * What a runtime's diagnostics socket sends: an answer, and a stream of events,
 * which comes in pieces. The first byte says how long these are.
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "eventpipe/ipc.h"
#include "eventpipe/nettrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
	struct dbg_gcs *gcs;
	struct arena *arena;
	uint64_t sum;
};

static void hear_single(struct heard *h, const struct dbg_trace_event *e)
{
	struct dbg_told_allocation allocation;
	struct dbg_told_counter counter;
	struct dbg_told_throw thrown;
	struct dbg_told_wait wait;
	struct dbg_told_catch caught;
	uint64_t ns;

	arena_reset(h->arena);
	if (dbg_told_allocation(e, h->arena, &allocation))
		h->sum += (uint64_t)*allocation.type + allocation.bytes;
	if (dbg_told_counter(e, h->arena, &counter))
		h->sum += (uint64_t)*counter.source + (uint64_t)*counter.tags;
	if (dbg_told_throw(e, h->arena, &thrown))
		h->sum += (uint64_t)*thrown.type + (uint64_t)*thrown.message;
	if (dbg_told_catch(e, h->arena, &caught))
		h->sum += (uint64_t)*caught.method + caught.handler;
	if (dbg_told_wait(e, &wait))
		h->sum += wait.lock + wait.object + wait.owner;
	if (dbg_told_wait_end(e, &ns))
		h->sum += ns;
}

static void hear(void *arg, const struct dbg_trace_event *e)
{
	struct heard *h = arg;

	for (size_t i = 0; i < e->n_payload; i++)
		h->sum += e->payload[i];
	for (size_t i = 0; i < e->kind->n_fields; i++)
		h->sum += e->kind->fields[i];
	for (size_t i = 0; i < e->n_stack; i++)
		h->sum += e->stack[i];
	dbg_gcs_event(h->gcs, e);
	hear_single(h, e);
}

static void hear_gc(void *arg, const struct dbg_gc *gc)
{
	struct heard *h = arg;

	h->sum += gc->paused + (gc->cause ? (uint64_t)*gc->cause : 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heard h = {0};
	bool failed;
	size_t n;

	if (size >= IPC_HEADER)
		h.sum += ipc_header(data, &failed, &n);
	h.sum += ipc_major_version((struct bytes){data, size});
	if (!size)
		return 0;
	size_t piece = (size_t)data[0] * 16 + 1;
	h.gcs = dbg_gcs_create(hear_gc, &h);
	h.arena = arena_create();
	struct nettrace *nt = nettrace_create(hear, NULL, &h);
	for (size_t at = 1; at < size; at += piece) {
		size_t left = size - at;

		if (dbg_err_drop(nettrace_feed(nt, data + at,
					       left < piece ? left : piece)))
			break;
	}
	nettrace_finish(nt);
	nettrace_destroy(nt);
	dbg_gcs_destroy(h.gcs);
	arena_destroy(h.arena);
	// The bytes are read: the sum is looked at.
	return h.sum == UINT64_MAX ? -1 : 0;
}
