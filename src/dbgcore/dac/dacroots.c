/*
 * What refers to objects from outside of the heap: handles, the registers and
 * stacks of threads; and the locks of objects.
 */
#include "dac/gcheap.h"

#include <stdlib.h>

#include "dac/dac_priv.h"
#include "dac/gcslots.h"

enum {
	AT_ONCE = 256,
	HANDLES_MAX = 1 << 24,
	REFS_MAX = 1 << 20,
	REF_INTERIOR = 1,
	REF_PINNED = 2,
};

static void add_handle(struct dac *d, const struct sos_handle *h,
		       struct gc_handle *ret)
{
	*ret = (struct gc_handle){
	    .addr = h->handle,
	    .secondary = h->secondary,
	    .kind = (enum dbg_handle_kind)h->kind,
	    .strong = h->strong,
	    .count = h->count,
	};
	if (target_read_some(d->target, h->handle, &ret->object,
			     sizeof(ret->object)) != sizeof(ret->object))
		ret->object = 0;
}

struct dbg_error *dac_gc_handles(struct dac *d, struct arena *arena,
				 struct gc_handle **ret, size_t *ret_n)
{
	_cleanup_com_ void *list = NULL;
	struct sos_handle some[AT_ONCE];
	_cleanup_free_ struct gc_handle *all = NULL;
	size_t n = 0, cap = 0;
	uint32_t got = 0;

	int32_t hr = DAC_CALL(d, d->sos, SOS_HANDLES, &list);
	if (hr < 0 || !list)
		return dac_err(hr, "cannot list the handles");
	do {
		got = 0;
		hr =
		    DAC_CALL(d, list, ENUM_NEXT, (uint32_t)AT_ONCE, some, &got);
		for (uint32_t i = 0; hr >= 0 && i < got && i < AT_ONCE; i++) {
			mem_grow(&all, &cap, n, sizeof(*all));
			add_handle(d, &some[i], &all[n++]);
		}
	} while (hr >= 0 && got == AT_ONCE && n < HANDLES_MAX);
	*ret = arena_copy(arena, all, n, sizeof(*all));
	*ret_n = n;
	return NULL;
}

static void add_ref(const struct sos_stack_ref *r, struct gc_stack_ref *ret)
{
	*ret = (struct gc_stack_ref){
	    .object = r->object,
	    .addr = r->addr,
	    .sp = r->sp,
	    .reg = r->in_register ? r->reg : -1,
	    .offset = r->offset,
	    .interior = r->flags & REF_INTERIOR,
	    .pinned = r->flags & REF_PINNED,
	};
	*(r->by_frame ? &ret->frame : &ret->ip) = r->source;
}

struct dbg_error *dac_gc_stack(struct dac *d, pid_t tid, struct arena *arena,
			       struct gc_stack_ref **ret, size_t *ret_n)
{
	_cleanup_com_ void *list = NULL;
	struct sos_stack_ref some[AT_ONCE];
	_cleanup_free_ struct gc_stack_ref *all = NULL;
	size_t n = 0, cap = 0;
	uint32_t got = 0;

	*ret = NULL;
	*ret_n = 0;
	if (!dac_thread_find(d, tid))
		return NULL;
	uint32_t inside = (uint32_t)target_tid_inside(d->target, tid);
	int32_t hr = DAC_CALL(d, d->sos, SOS_STACK_REFERENCES, inside, &list);
	if (hr < 0 || !list)
		return dac_err(hr, "cannot list what thread %d refers to",
			       (int)tid);
	do {
		got = 0;
		hr =
		    DAC_CALL(d, list, ENUM_NEXT, (uint32_t)AT_ONCE, some, &got);
		for (uint32_t i = 0; hr >= 0 && i < got && i < AT_ONCE; i++) {
			mem_grow(&all, &cap, n, sizeof(*all));
			add_ref(&some[i], &all[n++]);
		}
	} while (hr >= 0 && got == AT_ONCE && n < REFS_MAX);
	if (hr < 0 && !n)
		return dac_err(hr, "cannot walk the stack of thread %d",
			       (int)tid);
	*ret = arena_copy(arena, all, n, sizeof(*all));
	*ret_n = n;
	return NULL;
}

/* ---- Locks ----------------------------------------------------------- */

uint64_t dac_gc_thin_owner(struct dac *d, uint32_t number)
{
	uint64_t thread = 0;

	return DAC_CALL(d, d->sos, SOS_THREAD_OF_THIN_LOCK, number, &thread) < 0
		   ? 0
		   : thread;
}
