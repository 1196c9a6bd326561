/*
 * The runtime's threads: the list, read on demand and kept for the stop, and
 * the managed Thread object of each.
 */
#include "dac/dac_priv.h"
#include "dac/facts.h"

enum {
	THREADS_MAX = 1 << 17,
	OBJECT_WORDS = 8,
};

uint64_t dac_handle_target(struct dac *d, uint64_t handle)
{
	uint64_t object;

	if (!handle || (handle & 7) ||
	    target_read_some(d->target, handle, &object, sizeof(object)) !=
		sizeof(object))
		return 0;
	return object;
}

// Does @object hold @addr among its first words?
static bool object_holds(struct dac *d, uint64_t object, uint64_t addr,
			 uint64_t *ret_type)
{
	uint64_t words[OBJECT_WORDS];

	if (!object || (object & 7) ||
	    target_read_some(d->target, object, words, sizeof(words)) !=
		sizeof(words))
		return false;
	*ret_type = words[0];
	for (size_t i = 1; i < OBJECT_WORDS; i++)
		if (words[i] == addr)
			return true;
	return false;
}

// Is @object the System.Threading.Thread of the Thread at @addr? It holds the
// address, and its class derives from CriticalFinalizerObject.
static bool is_object_of(struct dac *d, uint64_t object, uint64_t addr)
{
	uint64_t type;

	return object_holds(d, object, addr, &type) &&
	       dac_is_core_grandchild(d, type);
}

// A word that is no handle, or one of something else, is not looked at again:
// a thread that never asks for its object has an empty handle at each stop.
static uint64_t look_at_word(struct dac *d, const struct dac_thread *t,
			     size_t word, uint64_t handle)
{
	struct dac_learned *l = &d->learned;
	uint64_t object, type;

	if (l->not_exposed[word])
		return 0;
	l->not_exposed[word] =
	    !handle || (handle & 7) ||
	    target_read_some(d->target, handle, &object, sizeof(object)) !=
		sizeof(object);
	if (l->not_exposed[word] || !object)
		return 0;
	l->not_exposed[word] = !object_holds(d, object, t->addr, &type);
	if (l->not_exposed[word] || !dac_is_core_grandchild(d, type))
		return 0;
	l->exposed_word = word;
	return object;
}

// The handle's place in Thread differs from version to version: it is found
// once.
uint64_t dac_thread_object(struct dac *d, const struct dac_thread *t)
{
	uint64_t words[DAC_THREAD_WORDS], object = 0;

	size_t n =
	    target_read_some(d->target, t->addr, words, sizeof(words)) / 8;
	if (d->learned.exposed_word && d->learned.exposed_word < n) {
		object = dac_handle_target(d, words[d->learned.exposed_word]);
		return is_object_of(d, object, t->addr) ? object : 0;
	}
	for (size_t i = 1; i < n && !object; i++)
		object = look_at_word(d, t, i, words[i]);
	return object;
}

/* ---- The list -------------------------------------------------------- */

void dac_threads_reset(struct dac_threads *l)
{
	if (l->by_tid.n)
		arena_reset(l->arena);
	map_clear(&l->by_tid);
	l->begun = false;
}

static void thread_list_begin(struct dac *d)
{
	struct sos_thread_store store = {0};
	struct dac_threads *l = &d->threads;

	l->begun = true;
	l->left = 0;
	if (DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) < 0)
		return;
	// The list may be cut or cyclic while a thread comes or goes.
	l->left = store.n_threads < THREADS_MAX ? store.n_threads : THREADS_MAX;
	l->next = store.first;
	l->finalizer = store.finalizer;
}

// Read on by one; NULL: it has no thread, or that is at its end.
static const struct dac_thread *take_next(struct dac *d)
{
	struct dac_threads *l = &d->threads;
	struct sos_thread data = {0};
	uint64_t addr = l->next;

	l->left--;
	if (!addr || DAC_CALL(d, d->sos, SOS_THREAD, addr, &data) < 0) {
		l->left = 0;
		return NULL;
	}
	l->next = data.next;
	if (!l->left && l->next)
		dac_tell_circle(d);
	if (!data.tid || data.tid > INT32_MAX ||
	    (data.state & (DAC_THREAD_UNSTARTED | DAC_THREAD_DEAD)))
		return NULL;
	pid_t tid = target_tid_outside(d->target, (pid_t)data.tid);
	if (!tid)
		return NULL;
	struct dac_thread *t = arena_alloc(l->arena, sizeof(*t));
	*t = (struct dac_thread){
	    .addr = addr,
	    .tid = tid,
	    .managed_id = data.id,
	    .cooperative = data.cooperative,
	    .finalizer = addr == l->finalizer,
	    .exception = dac_handle_target(d, data.last_thrown_handle),
	    .alloc = data.alloc,
	    .alloc_limit = data.alloc_limit,
	};
	map_put(&l->by_tid, (uint64_t)t->tid, t);
	return t;
}

const struct dac_thread *dac_thread_find(struct dac *d, pid_t tid)
{
	struct dac_threads *l = &d->threads;
	const struct dac_thread *t = map_find(&l->by_tid, (uint64_t)tid);

	if (!l->begun)
		thread_list_begin(d);
	while (!t && l->left > 0) {
		t = take_next(d);
		if (t && t->tid != tid)
			t = NULL;
	}
	return t;
}

bool dac_is_cooperative(struct dac *d, pid_t tid)
{
	const struct dac_thread *t = dac_thread_find(d, tid);

	return t && t->cooperative;
}
