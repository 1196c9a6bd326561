/*
 * References in the GC's heap.
 *
 * A reference stored into the heap has to be made known: the GC collects the
 * young objects alone and finds what old ones refer to by tables of cards,
 * of bundles of cards, and, while it marks in the background, of pages
 * written to. Which of these, how large and where is a matter of the kind of
 * GC (workstation, server, regions, segments) and of the moment.
 *
 * The runtime has one piece of code that knows, JIT_WriteBarrier: it is put
 * together anew whenever that changes, with the addresses of the tables as
 * constants. So it is found by the card table's address, which the DAC
 * tells, in executable memory, and run: a leaf of some twenty instructions.
 */
#include "dac/dac_priv.h"
#include "dac/gcslots.h"

#include <string.h>

enum {
	BARRIER_MAX = 256, // from its first instruction to the card table's
	BARRIER_ALIGN = 16,
	FOUND_MAX = 8,
	HEAPS_MAX = 1024, // one a processor
};

/*
 * The GC works while it holds all threads. One that is in cooperative mode
 * is not held yet, though the GC may be waiting for it.
 */
static struct dbg_error *heap_details(struct dac *d, pid_t tid,
				      struct sos_heap_details *ret)
{
	struct sos_thread_store threads = {0};
	struct sos_heap heap = {0};
	uint64_t heaps[HEAPS_MAX] = {0};
	uint32_t n = 0;

	int32_t hr = DAC_CALL(d, d->sos, SOS_THREAD_STORE, &threads);
	if (hr >= 0)
		hr = DAC_CALL(d, d->sos, SOS_HEAP, &heap);
	if (hr < 0)
		return dac_err(hr, "cannot inspect the heap");
	if (!heap.valid ||
	    (threads.suspender && !(tid && dac_is_cooperative(d, tid))))
		return dbg_err(DBG_E_STATE,
			       "the garbage collector is at work; continue "
			       "and stop again");
	memset(ret, 0, sizeof(*ret));
	if (!heap.server) {
		hr = DAC_CALL(d, d->sos, SOS_HEAP_STATIC, ret);
	} else {
		// The bounds and cards are the same for all heaps. .NET 8 wants
		// room for each.
		if (heap.n_heaps > HEAPS_MAX)
			return dbg_err(DBG_E_FORMAT, "%u heaps", heap.n_heaps);
		hr =
		    DAC_CALL(d, d->sos, SOS_HEAP_LIST, heap.n_heaps, heaps, &n);
		if (hr >= 0)
			hr = DAC_CALL(d, d->sos, SOS_HEAP_DETAILS, heaps[0],
				      ret);
	}
	return hr < 0 ? dac_err(hr, "cannot inspect the heap") : NULL;
}

struct dbg_error *dac_heap_holds(struct dac *d, pid_t tid, uint64_t addr,
				 bool *ret)
{
	struct sos_heap_details heap;
	struct dbg_error *err = heap_details(d, tid, &heap);

	if (!err)
		*ret = addr >= heap.lowest && addr < heap.highest;
	return err;
}

// The barrier begins with the store. 0: the load at @load is not in it.
static uint64_t barrier_start(struct dac *d, uint64_t load)
{
	const struct bytes store = code_store();
	uint8_t code[ARCH_INSN_MAX];

	uint64_t at = load & ~(uint64_t)(BARRIER_ALIGN - 1);
	for (; at && load - at < BARRIER_MAX; at -= BARRIER_ALIGN)
		if (target_read_some(d->target, at, code, store.n) == store.n &&
		    !memcmp(code, store.p, store.n))
			return at;
	return 0;
}

static struct dbg_error *barrier_find(struct dac *d, uint64_t card_table,
				      uint64_t *ret)
{
	struct dbg_error *err;
	uint8_t load[CODE_CONSTANT];
	uint64_t found[FOUND_MAX];
	size_t n;

	code_constant(card_table, load);
	err = target_find_code(d->target, load, sizeof(load), found, FOUND_MAX,
			       &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		*ret = barrier_start(d, found[i]);
		if (*ret)
			return NULL;
	}
	return dbg_err(DBG_E_RUNTIME,
		       "the runtime's write barrier is not found: no "
		       "reference can be written into objects");
}

struct dbg_error *dac_heap_store(struct dac *d, pid_t tid, uint64_t addr,
				 uint64_t ref)
{
	struct dbg_error *err;
	struct sos_heap_details heap;

	err = heap_details(d, tid, &heap);
	// Its place is for good, what is in it is not.
	if (!err && !d->learned.barrier)
		err = barrier_find(d, heap.card_table, &d->learned.barrier);
	return err ? err
		   : target_call_leaf(d->target, d->learned.barrier, addr, ref);
}
