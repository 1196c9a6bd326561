/*
 * The collector's heap of dbg.h: objects by type, in order, and one by one.
 * The heap room walks; here types get their names and what was asked for is
 * picked out.
 */
#include "session/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"

enum {
	BASES_MAX = 64, // classes above each other
};

void session_heap_drop(struct dbg *dbg)
{
	heap_destroy(dbg->heap.heap);
	dbg->heap.heap = NULL;
}

struct dbg_error *session_heap_get(struct dbg *dbg, struct heap **ret)
{
	struct dbg_error *err = session_need_runtime(dbg);
	struct inspect *in = &dbg->inspect;

	if (!err && (!dbg->heap.heap || dbg->heap.stop != in->stop_number)) {
		session_heap_drop(dbg);
		err = heap_create(in->target, in->dac, &in->interrupted,
				  &dbg->heap.heap);
		dbg->heap.stop = in->stop_number;
	}
	if (!err)
		*ret = dbg->heap.heap;
	return err;
}

const char *session_type_name(struct dbg *dbg, const struct heap_type *type)
{
	if (type->is_free)
		return "Free";
	const struct type *t = type_of_mt(dbg->inspect.types, type->mt);
	const char *name = NULL;

	if (t && t->name)
		return t->name;
	return dbg_err_drop(dac_type_name(dbg->inspect.dac, type->mt, &name))
		   ? "?"
		   : name;
}

const char *session_object_type(struct dbg *dbg, struct heap *h, uint64_t addr)
{
	uint64_t mt;

	if (!addr ||
	    target_read_some(dbg->target, addr, &mt, sizeof(mt)) != sizeof(mt))
		return NULL;
	const struct heap_type *type = heap_type_find(h, mt & ~(uint64_t)7);

	return type->is_none ? NULL : session_type_name(dbg, type);
}

/* ---- What is asked for ----------------------------------------------- */

/* Is a type one of those that are asked for? */
enum choice {
	CHOICE_OPEN,
	CHOICE_YES,
	CHOICE_NO,
};

struct query {
	struct dbg *dbg;
	struct heap *heap;
	const struct dbg_heap_filter *filter;
	struct pattern *pattern; /* NULL: any type */
	uint8_t *types;          /* enum choice, by number */
	size_t cap_types;
	dbg_heap_fn *fn; /* told of what is found */
	void *arg;
	uint64_t count, bytes;
	struct root_list roots; /* of what is live */
	struct heap_graph graph;
	uint64_t *refs; /* of the present object */
	size_t n_refs, cap_refs;
};

static void query_deinit(struct query *q)
{
	pattern_destroy(q->pattern);
	heap_graph_deinit(&q->graph);
	roots_deinit(&q->roots);
	free(q->types);
	free(q->refs);
}

static struct dbg_error *query_init(struct dbg *dbg,
				    const struct dbg_heap_filter *filter,
				    struct query *q)
{
	struct dbg_error *err;

	*q = (struct query){.dbg = dbg, .filter = filter};
	err = session_heap_get(dbg, &q->heap);
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

static bool choose_type(struct query *q, const struct heap_type *type)
{
	const struct dbg_heap_filter *f = q->filter;

	if (f->method_table && f->method_table != type->mt)
		return false;
	if (type->is_free && !f->free)
		return false;
	return !q->pattern ||
	       pattern_matches(q->pattern, session_type_name(q->dbg, type));
}

// The same, remembered.
static bool is_type_chosen(struct query *q, const struct heap_type *type)
{
	while (type->number >= q->cap_types) {
		size_t n = q->cap_types;

		mem_grow(&q->types, &q->cap_types, n, sizeof(*q->types));
		memset(q->types + n, 0, q->cap_types - n);
	}
	uint8_t *choice = &q->types[type->number];

	if (*choice == CHOICE_OPEN)
		*choice = choose_type(q, type) ? CHOICE_YES : CHOICE_NO;
	return *choice == CHOICE_YES;
}

// What is frozen is never collected.
static bool is_live(struct query *q, const struct heap_object *o)
{
	return o->part->is.generation == DBG_GEN_FROZEN ||
	       heap_graph_has(&q->graph, o->addr);
}

static bool is_chosen(struct query *q, const struct heap_object *o)
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
	       is_type_chosen(q, o->type);
}

static void take_damages(struct query *q, struct dbg_heap_stat *ret)
{
	struct arena *arena = q->dbg->inspect.arena;

	ret->n_damages = q->heap->n_damages;
	ret->damages =
	    arena_calloc(arena, ret->n_damages + 1, sizeof(*ret->damages));
	for (size_t i = 0; i < ret->n_damages; i++)
		ret->damages[i] = arena_strdup(arena, q->heap->damages[i]);
}

/* ---- By type --------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	const struct dbg_heap_type *s = a, *t = b;

	if (s->bytes != t->bytes)
		return s->bytes < t->bytes ? -1 : 1;
	if (s->count != t->count)
		return s->count < t->count ? -1 : 1;
	int order = strcmp(s->name, t->name);
	return order ? order
		     : (s->method_table > t->method_table) -
			   (s->method_table < t->method_table);
}

static void add_type(struct query *q, const struct heap_type *type,
		     struct dbg_heap_stat *ret)
{
	struct dbg_heap_type t = {.method_table = type->mt};
	unsigned int gens = q->filter->gens;

	for (size_t i = 0; i < DBG_N_GENS; i++) {
		if (gens && !(gens & (1U << i)))
			continue;
		t.gen_count[i] = type->count[i];
		t.gen_bytes[i] = type->bytes[i];
		t.count += type->count[i];
		t.bytes += type->bytes[i];
	}
	if (!t.count || !is_type_chosen(q, type))
		return;
	t.name = session_type_name(q->dbg, type);
	ret->types[ret->n_types++] = t;
	ret->count += t.count;
	ret->bytes += t.bytes;
}

// Of objects that are picked one by one.
static bool count_object(void *arg, const struct heap_object *o)
{
	struct query *q = arg;

	if (!is_chosen(q, o))
		return true;
	o->type->count[o->part->is.generation]++;
	o->type->bytes[o->part->is.generation] += o->size;
	return true;
}

static struct dbg_error *count(struct query *q)
{
	const struct dbg_heap_filter *f = q->filter;

	if (!f->min && !f->max && !f->live && !f->dead)
		return heap_count(q->heap, f->by_heap ? (int64_t)f->heap : -1);
	heap_uncount(q->heap);
	return heap_each(q->heap, false, count_object, q);
}

struct dbg_error *dbg_heap_stat(struct dbg *dbg,
				const struct dbg_heap_filter *filter,
				struct dbg_heap_stat *ret)
{
	struct query q;
	struct dbg_error *err = query_init(dbg, filter, &q);

	if (!err)
		err = count(&q);
	if (!err) {
		const struct heap_type *type;
		size_t it = 0;

		memset(ret, 0, sizeof(*ret));
		ret->types =
		    arena_calloc(dbg->inspect.arena, q.heap->n_types + 1,
				 sizeof(*ret->types));
		while ((type = heap_type_next(q.heap, &it)))
			add_type(&q, type, ret);
		if (ret->n_types)
			qsort(ret->types, ret->n_types, sizeof(*ret->types),
			      by_bytes);
		take_damages(&q, ret);
	}
	query_deinit(&q);
	return err;
}

/* ---- One by one ------------------------------------------------------ */

static struct dbg_heap_object describe(struct dbg *dbg,
				       const struct heap_object *o)
{
	return (struct dbg_heap_object){
	    .addr = o->addr,
	    .size = o->size,
	    .method_table = o->type->mt,
	    .type = session_type_name(dbg, o->type),
	    .generation = o->part->is.generation,
	    .heap = o->part->is.heap,
	};
}

static void add_ref(struct query *q, uint64_t to)
{
	if (!to)
		return;
	mem_grow(&q->refs, &q->cap_refs, q->n_refs, sizeof(*q->refs));
	q->refs[q->n_refs++] = to;
}

static void add_refs(struct query *q, const struct heap_object *o)
{
	struct heap_refs refs;
	uint64_t offset, n, to;

	q->n_refs = 0;
	heap_refs_begin(&refs, o->type, o->size);
	while (o->type->n && heap_refs_next(&refs, &offset, &n)) {
		for (; n; n--, offset += HEAP_WORD) {
			memcpy(&to, o->bytes + offset, sizeof(to));
			add_ref(q, to);
		}
	}
	add_ref(q, o->type->allocator);
}

static bool list_object(void *arg, const struct heap_object *o)
{
	struct query *q = arg;

	if (!is_chosen(q, o))
		return true;
	struct dbg_heap_object found = describe(q->dbg, o);

	if (q->filter->refs) {
		add_refs(q, o);
		found.refs = q->refs;
		found.n_refs = q->n_refs;
	}
	q->count++;
	q->bytes += o->size;
	return q->fn(q->arg, &found);
}

struct dbg_error *dbg_heap_list(struct dbg *dbg,
				const struct dbg_heap_filter *filter,
				dbg_heap_fn *fn, void *arg,
				struct dbg_heap_stat *ret)
{
	struct query q;
	struct dbg_error *err = query_init(dbg, filter, &q);

	q.fn = fn;
	q.arg = arg;
	if (!err)
		err = heap_each(q.heap, filter->refs, list_object, &q);
	if (!err) {
		*ret =
		    (struct dbg_heap_stat){.count = q.count, .bytes = q.bytes};
		take_damages(&q, ret);
	}
	query_deinit(&q);
	return err;
}

struct dbg_error *dbg_heap_parts(struct dbg *dbg, struct dbg_heap_parts *ret)
{
	struct heap *h;
	struct dbg_error *err = session_heap_get(dbg, &h);

	if (err)
		return err;
	*ret = (struct dbg_heap_parts){
	    .server = h->is.server,
	    .regions = h->is.regions,
	    .n_heaps = h->is.n_heaps,
	    .parts = arena_calloc(dbg->inspect.arena, h->n_parts + 1,
				  sizeof(*ret->parts)),
	    .n_parts = h->n_parts,
	};
	for (size_t i = 0; i < h->n_parts; i++) {
		const struct gc_part *p = &h->parts[i].is;

		ret->parts[i] = (struct dbg_heap_part){
		    .start = p->start,
		    .end = p->end,
		    .committed = p->committed,
		    .segment = p->segment,
		    .generation = p->generation,
		    .heap = p->heap,
		};
	}
	return NULL;
}

/* ---- One object ------------------------------------------------------ */

static void take_refs(struct dbg *dbg, const struct heap_object *o,
		      struct dbg_heap_detail *ret)
{
	struct arena *arena = dbg->inspect.arena;
	struct heap_refs refs;
	uint64_t offset, n;

	ret->refs = arena_calloc(arena, DBG_HEAP_REFS_MAX, sizeof(*ret->refs));
	heap_refs_begin(&refs, o->type, o->size);
	while (o->type->n && heap_refs_next(&refs, &offset, &n)) {
		for (; n; n--, offset += HEAP_WORD) {
			uint64_t to;

			memcpy(&to, o->bytes + offset, sizeof(to));
			if (!to || ++ret->n_all > DBG_HEAP_REFS_MAX)
				continue;
			ret->refs[ret->n_refs++] = (struct dbg_heap_ref){
			    .name = heap_ref_name(dbg->inspect.types, o, offset,
						  arena),
			    .offset = (uint32_t)offset,
			    .object = to,
			};
		}
	}
	if (o->type->allocator && ret->n_refs < DBG_HEAP_REFS_MAX) {
		ret->n_all++;
		ret->refs[ret->n_refs++] = (struct dbg_heap_ref){
		    .name = "(its LoaderAllocator)",
		    .offset = UINT32_MAX,
		    .object = o->type->allocator,
		};
	}
}

static void name_refs(struct dbg *dbg, struct heap *h,
		      struct dbg_heap_detail *ret)
{
	for (size_t i = 0; i < ret->n_refs; i++)
		ret->refs[i].type =
		    session_object_type(dbg, h, ret->refs[i].object);
}

static void take_fields(struct dbg *dbg, const struct value *object,
			struct dbg_heap_detail *ret)
{
	struct inspect *in = &dbg->inspect;
	struct view w = inspect_view(in, NULL);
	struct type *chain[BASES_MAX];
	size_t n_chain = 0, total = 0;
	const struct field *fields;
	size_t n;

	for (struct type *t = object->type; t && n_chain < BASES_MAX;
	     t = type_parent(in->types, t)) {
		type_fields(in->types, t, &fields, &n);
		chain[n_chain++] = t;
		total += n;
	}
	ret->fields = arena_calloc(in->arena, total + 1, sizeof(*ret->fields));
	while (n_chain--) {
		type_fields(in->types, chain[n_chain], &fields, &n);
		for (size_t i = 0; i < n; i++) {
			struct dbg_value v;
			struct node node = {.kind = NODE_VALUE,
					    .name = fields[i].name};

			if (fields[i].kind != FIELD_INSTANCE)
				continue;
			node.value = value_field(in->types, object, &fields[i]);
			view_describe(&w, &node, &v);
			ret->fields[ret->n_fields++] = (struct dbg_heap_field){
			    .name = fields[i].source ? fields[i].source
						     : fields[i].name,
			    .type = fields[i].type->name,
			    .offset = HEAP_WORD + fields[i].offset,
			    .text = v.text,
			};
		}
	}
}

static void take_value(struct dbg *dbg, const struct heap_object *o,
		       struct dbg_heap_detail *ret)
{
	struct inspect *in = &dbg->inspect;
	_cleanup_str_ struct str text = {0};
	struct value v = value_object(in->types, o->addr);
	uint32_t length;

	inspect_object_text(in, o->addr, &text);
	ret->text = arena_strdup(in->arena, str_get(&text));
	if (o->type->component_size) {
		memcpy(&length, o->bytes + HEAP_WORD, sizeof(length));
		ret->has_length = true;
		ret->length = length;
	} else if (v.type && v.where != VALUE_ABSENT) {
		take_fields(dbg, &v, ret);
	}
}

struct dbg_error *dbg_heap_object(struct dbg *dbg, uint64_t addr,
				  struct dbg_heap_detail *ret)
{
	struct heap_object o;
	struct heap *h;
	struct dbg_error *err = session_heap_get(dbg, &h);

	if (err)
		return err;
	if (!heap_find(h, addr, &o))
		return dbg_err(DBG_E_MEMORY, "no object at 0x%" PRIx64, addr);
	memset(ret, 0, sizeof(*ret));
	ret->object = describe(dbg, &o);
	take_refs(dbg, &o, ret);
	take_value(dbg, &o, ret);
	name_refs(dbg, h, ret);
	return NULL;
}
