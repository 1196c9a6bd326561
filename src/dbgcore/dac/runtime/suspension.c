/*
 * Has the runtime suspended all threads for a debugger of its own kind
 * (ICorDebug)? Its list of threads is read as it lies, while the program runs:
 * what changes meanwhile is read anew the next time.
 */
#include "dac/dac_priv.h"
#include "dac/facts.h"

enum {
	THREADS_MAX = 4096,
};

struct places {
	struct dac_assumed store, first, next, link, state, bit;
};

static bool list_get(struct dac *d, struct places *ret)
{
	return dac_holds(d, ASSUME_THREADS, &ret->store) &&
	       dac_holds(d, ASSUME_THREADS_FIRST, &ret->first) &&
	       dac_holds(d, ASSUME_THREAD_NEXT, &ret->next);
}

static uint64_t first_link(struct dac *d, const struct places *at)
{
	uint64_t store = dac_word(d, at->store.value);

	return store ? dac_word(d, store + at->first.value) : 0;
}

/* A link leads to the next thread, or to that one's link, as the DAC shows. */
bool thread_link_find(struct dac *d, uint64_t *ret)
{
	struct sos_thread_store store = {0};
	struct places at;

	if (!list_get(d, &at) ||
	    DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) < 0 || !store.first)
		return false;
	*ret = first_link(d, &at) - store.first;
	return !*ret || *ret == at.next.value;
}

/* Find the list of threads, and the offset of their states. */
static bool places_get(struct dac *d, struct places *ret)
{
	return list_get(d, ret) &&
	       dac_holds(d, ASSUME_THREAD_LINK, &ret->link) &&
	       dac_holds(d, ASSUME_THREAD_STATE, &ret->state);
}

/*
 * Counts, among the threads that have begun and not ended, those with a bit
 * set.
 */
struct states {
	uint32_t bit;
	uint32_t n, n_with;
};

static bool states_count(struct dac *d, const struct places *at,
			 struct states *ret)
{
	uint64_t link = first_link(d, at);
	uint32_t state;

	for (int i = 0; link && i < THREADS_MAX; i++) {
		uint64_t thread = link - at->link.value;

		if (target_read_some(d->target, thread + at->state.value,
				     &state, sizeof(state)) != sizeof(state))
			return false;
		link = dac_word(d, thread + at->next.value);
		if (state & (DAC_THREAD_UNSTARTED | DAC_THREAD_DEAD))
			continue;
		ret->n++;
		ret->n_with += (state & ret->bit) != 0;
	}
	return true;
}

/*
 * The bit cannot be read, nor seen before it counts. It holds if the states are
 * numbered as they were: as many threads are in the background as the runtime
 * has counted.
 */
bool suspended_holds(struct dac *d, uint64_t bit)
{
	struct sos_thread_store store = {0};
	struct states background = {.bit = DAC_THREAD_BACKGROUND};
	struct places at;

	(void)bit;
	return places_get(d, &at) &&
	       DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) >= 0 &&
	       states_count(d, &at, &background) &&
	       background.n_with == (uint32_t)store.n_background;
}

bool dac_tells_suspension(struct dac *d)
{
	struct places at;

	return places_get(d, &at) && dac_holds(d, ASSUME_SUSPENDED, &at.bit);
}

bool dac_is_suspended(struct dac *d)
{
	struct places at;

	if (!places_get(d, &at) || !dac_holds(d, ASSUME_SUSPENDED, &at.bit))
		return false;

	struct states suspended = {.bit = (uint32_t)at.bit.value};

	return states_count(d, &at, &suspended) && suspended.n &&
	       suspended.n_with == suspended.n;
}
