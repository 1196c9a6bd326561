#include "dac/dac_priv.h"

enum {
	THREADS_MAX = 1 << 17,
	STATE_UNSTARTED = 0x400,
	STATE_DEAD = 0x800,
	THREAD_WORDS = 128, /* of struct Thread to look at */
	OBJECT_WORDS = 8,
};

// What a handle (the address of a reference) refers to; 0 if nothing.
static uint64_t handle_target(struct dac *d, uint64_t handle)
{
	uint64_t object;

	if (!handle || (handle & 7) ||
	    target_read_some(d->target, handle, &object, sizeof(object)) !=
		sizeof(object))
		return 0;
	return object;
}

// Is @object the System.Threading.Thread of the Thread at @addr? It holds the
// address among its first words, and its class derives from
// CriticalFinalizerObject.
static bool is_object_of(struct dac *d, uint64_t object, uint64_t addr)
{
	uint64_t words[OBJECT_WORDS];

	if (!object || (object & 7) ||
	    target_read_some(d->target, object, words, sizeof(words)) !=
		sizeof(words))
		return false;
	for (size_t i = 1; i < OBJECT_WORDS; i++)
		if (words[i] == addr)
			return dac_is_core_grandchild(d, words[0]);
	return false;
}

/*
 * The managed object of a Thread, 0 if it has none (yet). The handle's place
 * in Thread differs from version to version: it is found once.
 */
static uint64_t managed_object(struct dac *d, uint64_t addr)
{
	uint64_t words[THREAD_WORDS], object;

	size_t n = target_read_some(d->target, addr, words, sizeof(words)) / 8;
	if (d->exposed_word && d->exposed_word < n) {
		object = handle_target(d, words[d->exposed_word]);
		return is_object_of(d, object, addr) ? object : 0;
	}
	for (size_t i = 1; i < n; i++) {
		object = handle_target(d, words[i]);
		if (!is_object_of(d, object, addr))
			continue;
		d->exposed_word = i;
		return object;
	}
	return 0;
}

struct dbg_error *dac_threads(struct dac *d, struct arena *arena,
			      struct dac_thread **ret, size_t *ret_n)
{
	struct sos_thread_store store = {0};
	struct dac_thread *threads = NULL;
	size_t n = 0, cap = 0;

	int32_t hr = DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store);
	if (hr < 0)
		return dac_err(hr, "cannot read the runtime's threads");
	// The list may be cut or cyclic while a thread comes or goes.
	int32_t left = store.n_threads;
	if (left > THREADS_MAX)
		left = THREADS_MAX;
	for (uint64_t addr = store.first; addr && left > 0; left--) {
		struct sos_thread data = {0};
		if (DAC_CALL(d, d->sos, SOS_THREAD, addr, &data) < 0)
			break;
		if (data.tid && data.tid <= INT32_MAX &&
		    !(data.state & (STATE_UNSTARTED | STATE_DEAD))) {
			mem_grow(&threads, &cap, n, sizeof(*threads));
			threads[n++] = (struct dac_thread){
			    .addr = addr,
			    .tid =
				target_tid_outside(d->target, (pid_t)data.tid),
			    .managed_id = data.id,
			    .state = (uint32_t)data.state,
			    .cooperative = data.cooperative,
			    .exception =
				handle_target(d, data.last_thrown_handle),
			    .managed_object = managed_object(d, addr),
			};
		}
		addr = data.next;
	}
	*ret = arena_copy(arena, threads, n, sizeof(*threads));
	*ret_n = n;
	mem_free_ptr(&threads);
	return NULL;
}

// ---- Modes ---------------------------------------------------------------

static void modes_read(struct dac *d)
{
	struct sos_thread_store store = {0};

	if (DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) < 0)
		return;
	int32_t left = store.n_threads;
	if (left > THREADS_MAX)
		left = THREADS_MAX;
	for (uint64_t addr = store.first; addr && left > 0; left--) {
		struct sos_thread data = {0};
		if (DAC_CALL(d, d->sos, SOS_THREAD, addr, &data) < 0)
			break;
		if (data.cooperative)
			map_put(&d->cooperative,
				(uint64_t)target_tid_outside(d->target,
							     (pid_t)data.tid),
				d);
		addr = data.next;
	}
}

bool dac_is_cooperative(struct dac *d, pid_t tid)
{
	if (!d->modes_known) {
		modes_read(d);
		d->modes_known = true;
	}
	return map_find(&d->cooperative, (uint64_t)tid) != NULL;
}
