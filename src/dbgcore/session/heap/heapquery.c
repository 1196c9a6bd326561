/* The filter of commands about the heap: which objects are asked for. */
#include "session/heap/sessionheap.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/pattern.h"
#include "meta/csname.h"

/* Is a type one of those that are asked for? In struct heap_kinds. */
enum choice {
	CHOICE_OPEN,
	CHOICE_YES,
	CHOICE_NO,
};

void heap_query_deinit(struct heap_query *q)
{
	pattern_destroy(q->pattern);
	heap_graph_deinit(&q->graph);
	roots_deinit(&q->roots);
	heap_kinds_deinit(&q->types);
}

struct dbg_error *heap_query_init(struct dbg_stopped at,
				  const struct dbg_heap_filter *filter,
				  struct heap_query *q)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;

	*q = (struct heap_query){.dbg = dbg, .filter = filter};
	err = session_heap_get(at, &q->heap);
	if (!err && filter->by_heap && filter->heap >= q->heap->is.n_heaps)
		err = dbg_err_arg("there is no heap %" PRIu32
				  ": they are numbered from 0 to %" PRIu32,
				  filter->heap, q->heap->is.n_heaps - 1);
	if (!err && filter->type)
		err = pattern_create(filter->type, &q->pattern);
	if (!err && (filter->live || filter->dead))
		err = roots_read(dbg, q->heap, &q->roots);
	if (!err && (filter->live || filter->dead))
		err = roots_mark(q->heap, &q->roots, 0, &q->graph);
	return err;
}

static bool choose_type(struct heap_query *q, const struct heap_type *type)
{
	const struct dbg_heap_filter *f = q->filter;

	if (f->method_table && f->method_table != type->mt)
		return false;
	if (type->is_free && !f->free)
		return false;
	return !q->pattern ||
	       csname_matches(q->pattern, session_type_name(q->dbg, type));
}

bool heap_query_type(struct heap_query *q, const struct heap_type *type)
{
	uint8_t *choice = heap_kind(&q->types, type);

	if (*choice == CHOICE_OPEN)
		*choice = choose_type(q, type) ? CHOICE_YES : CHOICE_NO;
	return *choice == CHOICE_YES;
}

bool session_derives(struct dbg *dbg, struct heap_kinds *known,
		     const struct heap_type *type, struct type *base)
{
	uint8_t *choice = heap_kind(known, type);

	if (*choice == CHOICE_OPEN) {
		struct values *ts = dbg->inspect.values;
		struct type *t = type->is_free || type->component_size
				     ? NULL
				     : value_type_of_mt(ts, type->mt);

		*choice = t && value_type_derives(ts, t, base) ? CHOICE_YES
							       : CHOICE_NO;
	}
	return *choice == CHOICE_YES;
}

// Is the object alive? Frozen ones are never collected.
static bool is_live(struct heap_query *q, const struct heap_object *o)
{
	return o->part->is.generation == DBG_GEN_FROZEN ||
	       heap_graph_has(&q->graph, o->addr);
}

bool heap_query_has(struct heap_query *q, const struct heap_object *o)
{
	const struct dbg_heap_filter *f = q->filter;
	const struct gc_part *part = &o->part->is;

	if (f->gens && !(f->gens & (1U << part->generation)))
		return false;
	if (f->by_heap && f->heap != part->heap)
		return false;
	if (f->live && !is_live(q, o))
		return false;
	if (f->dead && (o->type->is_free || is_live(q, o)))
		return false;
	return o->size >= f->min && (!f->max || o->size <= f->max) &&
	       heap_query_type(q, o->type);
}
