/*
 * Is the heap whole? The walk finds where objects do not follow each other, and
 * where references lead to, which has to be the beginning of an object.
 */
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

#define STARTS_MAX (UINT64_C(1) << 35) /* words, of a bit each */

struct checking {
	struct dbg *dbg;
	struct heap *heap;
	struct heap_starts starts;
	struct dbg_heap_check *ret;
	bool on;
};

static struct dbg_heap_fault *add_fault(struct checking *c)
{
	if (c->ret->n_all++ >= DBG_HEAP_FAULTS_MAX)
		return NULL;
	return &c->ret->v[c->ret->n++];
}

static void bad_reference(struct checking *c, const struct heap_object *o,
			  uint64_t offset, uint64_t value)
{
	struct arena *arena = c->dbg->inspect.arena;
	struct dbg_heap_fault *f = add_fault(c);

	if (!f)
		return;
	const char *name =
	    heap_ref_name(c->dbg->inspect.values, o, offset, arena);

	*f = (struct dbg_heap_fault){
	    .object = o->addr,
	    .slot = o->addr + offset,
	    .value = value,
	    .text = arena_printf(
		arena,
		"%s of the %s at 0x%" PRIx64 " leads to 0x%" PRIx64
		", where no object begins",
		name ? name : "a reference", session_type_name(c->dbg, o->type),
		o->addr, value),
	};
}

static bool check_object(void *arg, const struct heap_object *o)
{
	struct checking *c = arg;
	struct heap_refs refs;
	uint64_t offset, n;

	if (!o->type->n)
		return true;
	heap_refs_begin(&refs, o->type, o->size);
	while (heap_refs_next(&refs, &offset, &n)) {
		for (; n; n--, offset += HEAP_WORD) {
			uint64_t to = heap_ref_at(o, offset);

			if (to && !heap_starts_has(&c->starts, to))
				bad_reference(c, o, offset, to);
		}
	}
	return true;
}

static void take_lost(struct checking *c)
{
	struct heap *h = c->heap;

	for (size_t i = 0; i < h->n_damages; i++) {
		struct dbg_heap_fault *f = add_fault(c);

		if (f)
			*f = (struct dbg_heap_fault){
			    .object = h->lost[i].start,
			    .text = arena_strdup(c->dbg->inspect.arena,
						 h->damages[i]),
			};
	}
}

struct dbg_error *dbg_heap_verify(struct dbg_stopped at,
				  struct dbg_heap_check *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_check check = {0};
	struct checking c = {.dbg = dbg, .ret = &check};
	struct dbg_error *err = session_heap_get(at, &c.heap);

	if (err)
		return err;
	if (c.heap->n_words > STARTS_MAX)
		return dbg_err(DBG_E_STATE,
			       "the heap has more than 256 GiB: it is not "
			       "checked");
	check.v = arena_calloc(dbg->inspect.arena, DBG_HEAP_FAULTS_MAX,
			       sizeof(*check.v));
	heap_starts_init(&c.starts, c.heap);
	err = heap_starts_walk(&c.starts);
	check.objects = c.starts.objects;
	check.references = c.starts.references;
	if (!err) {
		take_lost(&c);
		heap_starts_lose(&c.starts);
		if (!heap_starts_suffice(&c.starts))
			err = heap_each(c.heap, true, check_object, &c);
	}
	heap_starts_deinit(&c.starts);
	if (!err)
		*ret = check;
	return err;
}
