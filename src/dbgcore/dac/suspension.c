/*
 * Has the runtime suspended all threads for a debugger of its own kind
 * (ICorDebug)? Its list of threads is read as it lies, while the program runs:
 * what changes meanwhile is read anew the next time.
 */
#include "dac/dac_priv.h"

enum {
	THREADS_MAX = 4096,
	STATE_UNSTARTED = 0x400,
	STATE_DEAD = 0x800,
	FIRST_CONTRACT = 9, /* the release that tells where its threads are */
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

static bool places_get(struct dac *d, struct places *ret)
{
	return dac_runtime_major(d) >= FIRST_CONTRACT && list_get(d, ret) &&
	       dac_holds(d, ASSUME_THREAD_LINK, &ret->link) &&
	       dac_holds(d, ASSUME_THREAD_STATE, &ret->state) &&
	       dac_holds(d, ASSUME_SUSPENDED, &ret->bit);
}

bool dac_tells_suspension(struct dac *d)
{
	struct places at;

	return places_get(d, &at);
}

bool dac_is_suspended(struct dac *d)
{
	struct places at;
	uint32_t state, n = 0;

	if (!places_get(d, &at))
		return false;

	uint64_t link = first_link(d, &at);

	for (int i = 0; link && i < THREADS_MAX; i++) {
		uint64_t thread = link - at.link.value;

		if (target_read_some(d->target, thread + at.state.value, &state,
				     sizeof(state)) != sizeof(state))
			return false;
		link = dac_word(d, thread + at.next.value);
		if (state & (STATE_UNSTARTED | STATE_DEAD))
			continue;
		if (!(state & at.bit.value))
			return false;
		n++;
	}
	return n;
}
