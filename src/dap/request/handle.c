/*
 * Numbers that the client gets for frames, values and goto targets, and what
 * they stand for. They die with the stop; a number of an earlier stop is an
 * error.
 */
#include "dap/request/handle.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/err.h"

enum {
	HANDLES_MAX = 4 << 20,
	LOOK_BACK = 64,
};

void handles_deinit(struct handles *h)
{
	free(h->v);
	*h = (struct handles){0};
}

void handles_reset(struct handles *h)
{
	size_t n = h->n;

	h->n = 0;
	h->newest = 0;
	// after 2^31 numbers the oldest are used anew
	h->first =
	    h->first + n > INT32_MAX - HANDLES_MAX ? 0 : h->first + (uint32_t)n;
}

uint32_t handles_add(struct handles *h, const struct handle *handle)
{
	// clients ask for the same frames again and again; ids grow, so what
	// has a greater one than all others is new
	bool is_new = handle->id > h->newest;

	for (size_t i = h->n; !is_new && i && i + LOOK_BACK > h->n; i--) {
		const struct handle *old = &h->v[i - 1];
		if (old->kind == handle->kind && old->id == handle->id &&
		    old->aux == handle->aux && old->frame == handle->frame)
			return h->first + (uint32_t)i;
	}
	if (h->n == HANDLES_MAX)
		return 0;
	mem_grow(&h->v, &h->cap, h->n, sizeof(*h->v));
	h->v[h->n++] = *handle;
	h->newest = is_new ? handle->id : h->newest;
	return h->first + (uint32_t)h->n;
}

struct dbg_error *handles_find(const struct handles *h, uint32_t number,
			       const char *what, struct handle *ret)
{
	if (number && number <= h->first)
		return dbg_err(DBG_E_STALE,
			       "%s %u is of an earlier stop: ask again", what,
			       number);
	if (!number || number - h->first > h->n)
		return dbg_err(DBG_E_NOT_FOUND, "there is no %s %u", what,
			       number);
	*ret = h->v[number - h->first - 1];
	return NULL;
}
