/*
 * The collector's heap of dbg.h: objects by type, in order, and one by one.
 * The heap room walks; here types get their names and what was asked for is
 * picked out.
 */
#include "dac/objectlayout.h"
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "inspect/exception.h"
#include "meta/csname.h"

/* ---- The filter of commands about the heap ------------------------------- */

/* Which objects are asked for. */

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

/* ---- The collector's heap of dbg.h --------------------------------------- */

enum {
	BASES_MAX = 64, // classes above each other
	SAMPLES = 1024, // places of the heap that are looked at
	FEW = 1 << 20,  // objects
};

void session_heap_drop(struct dbg *dbg)
{
	session_tasks_drop(dbg);
	alive_drop(dbg);
	heap_destroy(dbg->heap.heap);
	dbg->heap.heap = NULL;
}

// Can the GC never finish: in a core, or where the program is dying in it?
static bool is_final(struct dbg *dbg)
{
	return !target_can(dbg->target, TARGET_RUN) || dbg->stop.fatal;
}

struct dbg_error *session_heap_get(struct dbg_stopped at, struct heap **ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);
	struct inspect *in = &dbg->inspect;

	// of an earlier command; what another follows is that one's
	if (!dbg->heap.watch.interrupted)
		dbg->heap.watch.interrupted = &in->interrupted;
	if (dbg->heap.watch.interrupted == &in->interrupted)
		in->interrupted = 0;
	if (!err && (!dbg->heap.heap || dbg->heap.stop != in->stop_number)) {
		session_heap_drop(dbg);
		err = heap_create(in->target, in->dac, &dbg->heap.watch,
				  is_final(dbg), &dbg->heap.heap);
		if (!err)
			dbg->heap.heap->died = dbg->stop.fatal;
		dbg->heap.stop = in->stop_number;
	}
	if (!err)
		*ret = dbg->heap.heap;
	return err;
}

// Has the part small objects? Those of large objects that nobody has written
// have no pages, even in a live process.
static bool is_small(const struct heap_part *part)
{
	return part->is.generation <= DBG_GEN_2;
}

// Bytes of the parts with small objects. A heap always has some: in a core that
// tells of none, what tells of them is missing.
static uint64_t small_bytes(const struct heap *h)
{
	uint64_t all = 0;

	for (size_t i = 0; i < h->n_parts; i++)
		if (is_small(&h->parts[i]))
			all += h->parts[i].is.end - h->parts[i].is.start;
	return all;
}

// Can some of many places all over the heap not be read?
static bool has_holes(const struct heap *h)
{
	uint64_t all = small_bytes(h), n = 0;
	uint64_t step = all / SAMPLES > 4096 ? all / SAMPLES : 4096;

	for (size_t i = 0; i < h->n_parts; i++) {
		const struct heap_part *part = &h->parts[i];
		uint8_t byte;

		for (uint64_t at = part->is.start;
		     is_small(part) && at < part->is.end && n < 2 * SAMPLES;
		     at += step, n++)
			if (!target_read_some(h->target, at, &byte, 1))
				return true;
	}
	return false;
}

static bool few(void *arg, const struct heap_object *o)
{
	uint32_t *n = arg;

	(void)o;
	return ++*n < FEW;
}

// Are there objects that cannot be read? A hole may also be within one.
static bool lacks_objects(struct heap *h)
{
	uint32_t n = 0;

	return !small_bytes(h) ||
	       (has_holes(h) && !dbg_err_drop(heap_each(h, false, few, &n)) &&
		h->n_damages);
}

const char *dbg_lacking(struct dbg_stopped at)
{
	struct dbg *dbg = at.dbg;
	struct heap *h;
	const char *sentence = NULL;

	if (dbg_err_drop(session_need_stop(at)) || !is_final(dbg))
		return NULL;
	struct dbg_error *err = session_heap_get(at, &h);

	if (!err && h->is.collecting)
		sentence = "the garbage collector was at work: what it was "
			   "moving reads as damaged";
	else if (!err && !target_can(dbg->target, TARGET_RUN) &&
		 lacks_objects(h))
		sentence = "objects are missing in this core: what they would "
			   "tell is left out (a core of the kind heap or full "
			   "has them)";
	else if (err && dbg->inspect.dac && err->code != DBG_E_STATE)
		sentence = "what tells of the heap is not in this core: what "
			   "objects would tell is left out (a core of the kind "
			   "full has it)";
	dbg_error_destroy(err);
	return sentence;
}

const char *session_type_name(struct dbg *dbg, const struct heap_type *type)
{
	if (type->is_free)
		return "Free";
	const struct type *t = value_type_of_mt(dbg->inspect.values, type->mt);
	const char *name = NULL;

	if (t && value_type_name(t))
		return value_type_name(t);
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

	return type->is_none ? NULL : session_object_name(dbg, addr, type);
}

/* Get the sentences about damage from the last walk, in the stop's arena. */
static void session_take_damages(const struct heap_query *q, const char ***ret,
				 size_t *ret_n)
{
	struct arena *arena = q->dbg->inspect.arena;
	size_t n = q->heap->n_damages;

	*ret_n = n;
	*ret = arena_calloc(arena, n + 1, sizeof(**ret));
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = arena_strdup(arena, q->heap->damages[i]);
}

struct dbg_error *dbg_heap_damages(struct dbg_stopped at, const char ***ret,
				   size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct heap_query q = {.dbg = dbg};
	struct dbg_error *err = session_heap_get(at, &q.heap);

	if (!err)
		session_take_damages(&q, ret, ret_n);
	return err;
}

/* ---- By type --------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	const struct dbg_heap_type *s = a, *t = b;

	if (s->retained != t->retained)
		return s->retained < t->retained ? -1 : 1;
	if (s->bytes != t->bytes)
		return s->bytes < t->bytes ? -1 : 1;
	if (s->count != t->count)
		return s->count < t->count ? -1 : 1;
	int order = strcmp(s->name, t->name);
	return order ? order
		     : (s->method_table > t->method_table) -
			   (s->method_table < t->method_table);
}

static void add_type(struct heap_query *q, const struct heap_type *type,
		     const struct heap_dominators *d, struct dbg_heap_stat *ret)
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
	if (!t.count || !heap_query_type(q, type))
		return;
	if (type->number < d->n_types)
		t.retained = d->retained[type->number];
	t.name = session_type_name(q->dbg, type);
	ret->types[ret->n_types++] = t;
	ret->count += t.count;
	ret->bytes += t.bytes;
}

// Count an object, if the query wants it.
static bool count_object(void *arg, const struct heap_object *o)
{
	struct heap_query *q = arg;

	if (!heap_query_has(q, o))
		return true;
	o->type->count[o->part->is.generation]++;
	o->type->bytes[o->part->is.generation] += o->size;
	return true;
}

static struct dbg_error *count(struct heap_query *q)
{
	const struct dbg_heap_filter *f = q->filter;

	if (!f->min && !f->max && !f->live && !f->dead)
		return heap_count(q->heap, f->by_heap ? (int64_t)f->heap : -1,
				  NULL, NULL);
	heap_uncount(q->heap);
	return heap_each(q->heap, false, count_object, q);
}

void session_take_stat(struct heap_query *q, const struct heap_dominators *d,
		       struct dbg_heap_stat *ret)
{
	const struct heap_type *type;
	size_t it = 0;

	memset(ret, 0, sizeof(*ret));
	ret->types = arena_calloc(q->dbg->inspect.arena, q->heap->n_types + 1,
				  sizeof(*ret->types));
	while ((type = heap_type_next(q->heap, &it)))
		add_type(q, type, d, ret);
	if (ret->n_types)
		qsort(ret->types, ret->n_types, sizeof(*ret->types), by_bytes);
	session_take_damages(q, &ret->damages, &ret->n_damages);
}

struct dbg_error *dbg_heap_stat(struct dbg_stopped at,
				const struct dbg_heap_filter *filter,
				struct dbg_heap_stat *ret)
{
	struct dbg *dbg = at.dbg;
	struct heap_query q;
	struct heap_dominators d = {0};
	struct dbg_error *err = heap_query_init(at, filter, &q);

	if (!err && filter->retained)
		err = session_retained(dbg, q.heap, &d, NULL, NULL);
	if (!err)
		err = count(&q);
	if (!err)
		session_take_stat(&q, &d, ret);
	heap_dominators_deinit(&d);
	heap_query_deinit(&q);
	return err;
}

/* ---- One by one ------------------------------------------------------ */

static struct dbg_heap_object heap_object_of(struct dbg *dbg,
					     const struct heap_object *o)
{
	return (struct dbg_heap_object){
	    .addr = o->addr,
	    .size = o->size,
	    .method_table = o->type->mt,
	    .type = session_object_name(dbg, o->addr, o->type),
	    .generation = o->part->is.generation,
	    .heap = o->part->is.heap,
	};
}

struct listing {
	struct heap_query query;
	dbg_heap_fn *fn; /* told of what is found */
	void *arg;
	uint64_t count, bytes;
	uint64_t *refs; /* of the present object */
	size_t n_refs, cap_refs;
};

/* Count a reference, and keep it unless there are enough. */
static void add_ref(struct listing *l, uint64_t to)
{
	size_t max = l->query.filter->refs_max;

	if (!to)
		return;
	if (!max || l->n_refs < max) {
		mem_grow(&l->refs, &l->cap_refs, l->n_refs, sizeof(*l->refs));
		l->refs[l->n_refs] = to;
	}
	l->n_refs++;
}

static void add_refs(struct listing *l, const struct heap_object *o)
{
	struct heap_refs refs;
	uint64_t offset, n, to;

	l->n_refs = 0;
	heap_refs_begin(&refs, o->type, o->size);
	while (o->type->n && heap_refs_next(&refs, &offset, &n)) {
		for (; n; n--, offset += HEAP_WORD) {
			memcpy(&to, o->bytes + offset, sizeof(to));
			add_ref(l, to);
		}
	}
	add_ref(l, o->type->allocator);
}

static bool list_object(void *arg, const struct heap_object *o)
{
	struct listing *l = arg;

	if (!heap_query_has(&l->query, o))
		return true;
	struct dbg_heap_object found = heap_object_of(l->query.dbg, o);

	if (l->query.filter->refs) {
		add_refs(l, o);
		found.refs = l->refs;
		found.n_refs = l->n_refs;
	}
	l->count++;
	l->bytes += o->size;
	return l->fn(l->arg, &found);
}

static bool is_listed(void *arg, const struct heap_type *type)
{
	struct listing *l = arg;

	return heap_query_type(&l->query, type);
}

struct dbg_error *dbg_heap_list(struct dbg_stopped at,
				const struct dbg_heap_filter *filter,
				dbg_heap_fn *fn, void *arg,
				struct dbg_heap_stat *ret)
{
	struct listing l = {.fn = fn, .arg = arg};
	struct dbg_error *err = heap_query_init(at, filter, &l.query);

	if (!err)
		err = heap_each_of(l.query.heap, filter->refs, is_listed,
				   list_object, &l);
	if (!err) {
		*ret =
		    (struct dbg_heap_stat){.count = l.count, .bytes = l.bytes};
		session_take_damages(&l.query, &ret->damages, &ret->n_damages);
	}
	heap_query_deinit(&l.query);
	free(l.refs);
	return err;
}

struct dbg_error *dbg_heap_parts(struct dbg_stopped at,
				 struct dbg_heap_parts *ret)
{
	struct dbg *dbg = at.dbg;
	struct heap *h;
	struct dbg_error *err = session_heap_get(at, &h);

	if (err)
		return err;
	*ret = (struct dbg_heap_parts){
	    .server = h->is.server,
	    .regions = h->is.regions,
	    .collecting = h->is.collecting,
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
			    .name = session_ref_name(dbg, o, offset),
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
	     t = value_type_parent(in->values, t)) {
		value_type_fields(in->values, t, &fields, &n);
		chain[n_chain++] = t;
		total += n;
	}
	ret->fields = arena_calloc(in->arena, total + 1, sizeof(*ret->fields));
	while (n_chain--) {
		value_type_fields(in->values, chain[n_chain], &fields, &n);
		for (size_t i = 0; i < n; i++) {
			struct dbg_value v;
			struct node node = {.kind = NODE_VALUE,
					    .name = fields[i].name};

			if (fields[i].kind != FIELD_INSTANCE)
				continue;
			node.value =
			    value_field(in->values, object, &fields[i]);
			view_describe(&w, &node, &v);
			ret->fields[ret->n_fields++] = (struct dbg_heap_field){
			    .name = fields[i].source ? fields[i].source
						     : fields[i].name,
			    .type = value_type_name(fields[i].type),
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
	struct value v = value_object(in->values, o->addr);
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

const char *dbg_heap_object_type(struct dbg_stopped at, uint64_t addr)
{
	struct dbg *dbg = at.dbg;
	struct heap_object o;
	struct heap *h;

	return !dbg_err_drop(session_heap_get(at, &h)) && heap_find(h, addr, &o)
		   ? session_type_name(dbg, o.type)
		   : NULL;
}

struct dbg_error *dbg_heap_object(struct dbg_stopped at, uint64_t addr,
				  struct dbg_heap_detail *ret)
{
	struct dbg *dbg = at.dbg;
	struct heap_object o;
	struct heap *h;
	struct dbg_error *err = session_heap_get(at, &h);

	if (err)
		return err;
	if (!heap_find(h, addr, &o))
		return dbg_err(DBG_E_MEMORY, "no object at 0x%" PRIx64, addr);
	memset(ret, 0, sizeof(*ret));
	ret->object = heap_object_of(dbg, &o);
	take_refs(dbg, &o, ret);
	take_value(dbg, &o, ret);
	name_refs(dbg, h, ret);
	return NULL;
}

/* ---- The exception objects of the heap, of dbg.h ------------------------- */

enum {
	DESCRIBED_MAX = 100000,
};

struct group {
	struct dbg_heap_exception is;
	struct group *next; /* of the same hash */
};

struct gathering {
	struct heap_query query;
	struct type *base; /* System.Exception */
	struct heap_kinds kinds;
	uint64_t *objects;
	size_t n, cap;
	struct map groups; /* struct group, by hash */
	struct dbg_heap_exceptions *ret;
};

/* ---- Which objects are exceptions ------------------------------------ */

static bool exception_gather(void *arg, const struct heap_object *o)
{
	struct gathering *g = arg;

	if (!session_derives(g->query.dbg, &g->kinds, o->type, g->base) ||
	    !heap_query_has(&g->query, o) || g->ret->count++ >= DESCRIBED_MAX)
		return true;
	mem_grow(&g->objects, &g->cap, g->n, sizeof(*g->objects));
	g->objects[g->n++] = o->addr;
	return true;
}

/* ---- What they are --------------------------------------------------- */

static uint64_t hash_of(const struct dbg_exception *e)
{
	const char *const parts[] = {e->type, e->message, e->stack};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		hash = hash * 31 +
		       (parts[i] ? str_hash(parts[i], strlen(parts[i])) : 0);
	return hash;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

// Find the group of an exception; NULL: it is the first of its kind.
static struct group *group_of(struct gathering *g, uint64_t hash,
			      const struct dbg_exception *e)
{
	struct group *found = map_find(&g->groups, hash);

	while (found && (!same(found->is.type, e->type) ||
			 !same(found->is.message, e->message) ||
			 !same(found->is.stack, e->stack)))
		found = found->next;
	return found;
}

static struct group *add_group(struct gathering *g, uint64_t hash,
			       const struct dbg_exception *e, uint64_t object)
{
	struct arena *arena = g->query.dbg->inspect.arena;
	struct group *new = arena_alloc(arena, sizeof(*new));

	new->next = map_find(&g->groups, hash);
	new->is = (struct dbg_heap_exception){
	    .object = object,
	    .count = 1,
	    .type = arena_strdup(arena, e->type),
	    .message = e->message ? arena_strdup(arena, e->message) : NULL,
	    .stack = e->stack ? arena_strdup(arena, e->stack) : NULL,
	    .hresult = e->hresult,
	};
	map_put(&g->groups, hash, new);
	g->ret->n++;
	return new;
}

/*
 * Count the exception at @object in its group, which is made if it is the
 * first. @each: every exception is a group of its own.
 */
static void exception_count(struct gathering *g, uint64_t object, bool each,
			    struct arena *arena)
{
	struct exception_parts parts;
	struct dbg_exception e;

	if (!exception_get(&g->query.dbg->inspect, object, arena, &e, &parts))
		return;
	uint64_t hash = each ? object : hash_of(&e);
	struct group *found = each ? NULL : group_of(g, hash, &e);

	if (found) {
		found->is.count++;
		return;
	}
	found = add_group(g, hash, &e, object);
	found->is.inner = parts.n_inner ? parts.inner[0] : 0;
}

static struct dbg_error *describe_all(struct gathering *g, bool each)
{
	struct arena *arena = arena_create();
	struct dbg_error *err = NULL;

	for (size_t i = 0; i < g->n && !err; i++) {
		exception_count(g, g->objects[i], each, arena);
		arena_reset(arena);
		err = heap_pace(g->query.heap, "describing exceptions", i + 1,
				g->n);
	}
	arena_destroy(arena);
	return err;
}

/* ---- In order -------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	const struct dbg_heap_exception *s = a, *t = b;

	if (s->count != t->count)
		return s->count > t->count ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void take_groups(struct gathering *g)
{
	struct arena *arena = g->query.dbg->inspect.arena;
	struct dbg_heap_exceptions *ret = g->ret;
	size_t n = 0;

	ret->v = arena_calloc(arena, ret->n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < g->groups.cap; i++)
		for (struct group *p = g->groups.slots[i].value; p; p = p->next)
			ret->v[n++] = p->is;
	if (n)
		qsort(ret->v, n, sizeof(*ret->v), by_count);
	ret->cut = ret->count - g->n;
}

struct dbg_error *dbg_heap_exception_list(struct dbg_stopped at,
					  const struct dbg_heap_filter *filter,
					  bool each,
					  struct dbg_heap_exceptions *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_heap_exceptions found = {0};
	struct gathering g = {.ret = &found};
	struct dbg_error *err = heap_query_init(at, filter, &g.query);

	if (!err)
		g.base =
		    value_type_core(dbg->inspect.values, "System.Exception");
	if (!err && g.base)
		err = heap_each(g.query.heap, false, exception_gather, &g);
	if (!err) {
		session_take_damages(&g.query, &found.damages,
				     &found.n_damages);
		err = describe_all(&g, each);
	}
	if (!err) {
		take_groups(&g);
		*ret = found;
	}
	map_deinit(&g.groups);
	free(g.objects);
	heap_kinds_deinit(&g.kinds);
	heap_query_deinit(&g.query);
	return err;
}

/* ---- Strings of the heap with the same text, of dbg.h -------------------- */

enum {
	TABLE_MIN = 1 << 12,
	AHEAD = 16, // strings
	LARGE_SLOTS = 1 << 20,
	PAGE = 4096,
};

/* Strings of one text. */
struct text {
	uint64_t object, size; /* of the first */
	uint64_t count;
	uint32_t length;
};

/* A string that was met. */
struct met {
	uint64_t object, size, hash;
	uint32_t length;
};

struct texts {
	struct heap_query query;
	/*
	 * A hash table. Texts are told apart by 64 bits of hash alone, so that
	 * a string that is met costs one line of the cache.
	 */
	uint64_t *keys; /* 0: the slot is free */
	struct text *v; /* beside each key; NULL: nothing is listed */
	bool listed;
	size_t n, cap;
	/* The last ones, whose slots are on their way into the cache: a ring.
	 */
	struct met met[AHEAD];
	uint64_t count, bytes, wasted;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9fb21c651e98df25;
	return hash ^ hash >> 29;
}

static uint64_t api_heapstrings_hash_of(const uint8_t *p, size_t n)
{
	uint64_t hash = n, word;

	for (; n >= sizeof(word); p += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	memcpy(&word, p, n);
	hash = mix(mix(hash, word), n);
	return hash ? hash : 1;
}

static size_t slot_of(const struct texts *t, uint64_t hash)
{
	size_t i = (size_t)hash & (t->cap - 1);

	while (t->keys[i] && t->keys[i] != hash)
		i = (i + 1) & (t->cap - 1);
	return i;
}

// Free slots, on large pages if they are many: slots are met in any order.
static void *slots(size_t n, size_t size)
{
	uint8_t *p = xcalloc(n, size);
	size_t before = -(uintptr_t)p & (PAGE - 1);

	if (n >= LARGE_SLOTS)
		madvise(p + before, (n * size - before) / PAGE * PAGE,
			MADV_HUGEPAGE);
	return p;
}

static void grow(struct texts *t)
{
	uint64_t *keys = t->keys;
	struct text *v = t->v;
	size_t n = t->cap;

	t->cap = n ? n * 2 : TABLE_MIN;
	t->keys = slots(t->cap, sizeof(*t->keys));
	t->v = t->listed ? slots(t->cap, sizeof(*t->v)) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (!keys[i])
			continue;
		size_t slot = slot_of(t, keys[i]);

		t->keys[slot] = keys[i];
		if (v)
			t->v[slot] = v[i];
	}
	free(keys);
	free(v);
}

static void add_text(struct texts *t, const struct met *met)
{
	if (t->n * 4 >= t->cap * 3)
		grow(t);
	size_t slot = slot_of(t, met->hash);

	if (t->keys[slot])
		t->wasted += met->size;
	else
		t->n++;
	if (t->v && !t->keys[slot])
		t->v[slot] = (struct text){.object = met->object,
					   .size = met->size,
					   .length = met->length};
	if (t->v)
		t->v[slot].count++;
	t->keys[slot] = met->hash;
}

static bool add_string(void *arg, const struct heap_object *o)
{
	struct texts *t = arg;
	struct met *met = &t->met[t->count % AHEAD];
	uint32_t length;

	if (!o->type->is_string || !heap_query_has(&t->query, o))
		return true;
	memcpy(&length, o->bytes + HEAP_WORD, sizeof(length));
	uint64_t n = (uint64_t)length * 2;

	if (n + STRING_CHARS > o->size)
		return true;
	if (met->hash)
		add_text(t, met);
	*met = (struct met){o->addr, o->size,
			    api_heapstrings_hash_of(o->bytes + STRING_CHARS, n),
			    length};
	if (t->cap)
		__builtin_prefetch(&t->keys[met->hash & (t->cap - 1)], 1);
	t->count++;
	t->bytes += o->size;
	return true;
}

// Add the strings that are still in the ring, the oldest first.
static void add_last(struct texts *t)
{
	for (size_t i = 0; i < AHEAD; i++) {
		struct met *met = &t->met[(t->count + i) % AHEAD];

		if (met->hash)
			add_text(t, met);
	}
}

static uint64_t wasted_of(const struct text *t)
{
	return (t->count - 1) * t->size;
}

static int by_waste(const void *a, const void *b)
{
	const struct text *s = a, *t = b;

	if (wasted_of(s) != wasted_of(t))
		return wasted_of(s) > wasted_of(t) ? -1 : 1;
	return (s->object > t->object) - (s->object < t->object);
}

static void take_texts(struct texts *t, size_t max,
		       struct dbg_heap_strings *ret)
{
	struct dbg *dbg = t->query.dbg;
	struct arena *arena = dbg->inspect.arena;
	size_t n = 0;

	for (size_t i = 0; i < t->cap && t->v; i++)
		if (t->v[i].count > 1)
			t->v[n++] = t->v[i];
	if (n)
		qsort(t->v, n, sizeof(*t->v), by_waste);
	*ret = (struct dbg_heap_strings){
	    .n = n < max ? n : max,
	    .n_all = n,
	    .count = t->count,
	    .bytes = t->bytes,
	    .wasted = t->wasted,
	};
	ret->v = arena_calloc(arena, ret->n + 1, sizeof(*ret->v));
	for (size_t i = 0; i < ret->n; i++) {
		_cleanup_str_ struct str text = {0};

		inspect_object_text(&dbg->inspect, t->v[i].object, &text);
		ret->v[i] = (struct dbg_heap_string){
		    .object = t->v[i].object,
		    .count = t->v[i].count,
		    .length = t->v[i].length,
		    .wasted = wasted_of(&t->v[i]),
		    .text = arena_strdup(arena, str_get(&text)),
		};
	}
}

static void texts_deinit(struct texts *t)
{
	free(t->keys);
	free(t->v);
	heap_query_deinit(&t->query);
}

struct dbg_error *dbg_heap_strings(struct dbg_stopped at,
				   const struct dbg_heap_filter *filter,
				   size_t max, struct dbg_heap_strings *ret)
{
	struct texts t = {.listed = max};
	struct dbg_error *err = heap_query_init(at, filter, &t.query);

	if (!err)
		err = heap_each(t.query.heap, true, add_string, &t);
	add_last(&t);
	if (!err)
		take_texts(&t, max, ret);
	texts_deinit(&t);
	return err;
}

// Who looks next for what keeps the heap has it in memory: it is read once. A
// heap that is too large for that is read while it is walked.
static struct dbg_error *load_all(struct heap *h)
{
	struct dbg_error *err = heap_load(h);

	if (!err || err->code != DBG_E_STATE)
		return err;
	dbg_error_destroy(err);
	return NULL;
}

struct dbg_error *dbg_heap_survey(struct dbg_stopped at,
				  struct dbg_heap_stat *ret,
				  struct dbg_heap_strings *strings)
{
	const struct dbg_heap_filter all = {.free = true};
	const struct heap_dominators none = {0};
	struct texts t = {.listed = false};
	struct dbg_error *err = heap_query_init(at, &all, &t.query);

	if (!err)
		err = load_all(t.query.heap);
	if (!err)
		err = heap_count(t.query.heap, -1, add_string, &t);
	add_last(&t);
	if (!err) {
		session_take_stat(&t.query, &none, ret);
		take_texts(&t, 0, strings);
	}
	texts_deinit(&t);
	return err;
}
