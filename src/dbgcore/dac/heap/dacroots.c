/*
 * References to objects in the registers and on the stacks of threads; and
 * owners of thin locks.
 */
#include "dac/gcheap.h"

#include <stdlib.h>

#include "dac/dac_priv.h"
#include "dac/daclist.h"
#include "dac/gcslots.h"

enum {
	REFS_MAX = 1 << 20,
	REF_INTERIOR = 1,
	REF_PINNED = 2,
};

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

	*ret = NULL;
	*ret_n = 0;
	if (!dac_thread_find(d, tid))
		return NULL;
	uint32_t inside = (uint32_t)target_tid_inside(d->target, tid);
	int32_t hr = DAC_CALL(d, d->sos, SOS_STACK_REFERENCES, inside, &list);
	if (hr < 0 || !list)
		return dac_err(hr, "cannot list what thread %d refers to",
			       (int)tid);
	const struct sos_stack_ref *v;
	struct dac_elements all =
	    dac_list_read(d, list, STACK_REFS_NEXT, REFS_MAX);

	v = all.v;
	*ret = arena_calloc(arena, all.n + 1, sizeof(**ret));
	*ret_n = all.n;
	for (size_t i = 0; i < all.n; i++)
		add_ref(&v[i], &(*ret)[i]);
	free(all.v);
	return all.hr < 0 && !all.n
		   ? dac_err(all.hr, "cannot walk the stack of thread %d",
			     (int)tid)
		   : NULL;
}

/* ---- Locks ----------------------------------------------------------- */

uint64_t dac_gc_thin_owner(struct dac *d, uint32_t number)
{
	uint64_t thread = 0;

	return DAC_CALL(d, d->sos, SOS_THREAD_OF_THIN_LOCK, number, &thread) < 0
		   ? 0
		   : thread;
}
