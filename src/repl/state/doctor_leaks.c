/*
 * Check of `doctor`: who keeps memory. One object that retains half of the
 * heap, and what is kept by the thousand: handlers of an event, registrations
 * of a CancellationToken. Where it is kept is known from the root on, by
 * fields.
 */
#include "repl/state/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/heap/heapcommands.h"

enum {
	COMMON_MAX = 16,
	MANY = 1000,    /* handlers of one event, registrations of one token */
	LISTS_MAX = 16, /* of handlers */
	/* A node that is used has besides its list what is called, and with. */
	NODE_REFS = 4,
	HEAD_BYTES = 16, /* of an array */
};

#define MIB DOCTOR_MIB

/* ---- What objects refer to ------------------------------------------- */

// The object that the field @name of @object refers to; 0: none.
static uint64_t ref_of(const struct doctor *d, uint64_t object,
		       const char *name)
{
	struct dbg_heap_detail detail;

	if (!object || dbg_err_drop(dbg_heap_object(d->at, object, &detail)))
		return 0;
	for (size_t i = 0; i < detail.n_refs; i++)
		if (detail.refs[i].name && !strcmp(detail.refs[i].name, name))
			return detail.refs[i].object;
	return 0;
}

// The type of what a delegate calls a method of; else the object's own.
static const char *called_type(const struct doctor *d, uint64_t object)
{
	uint64_t target = ref_of(d, object, "_target");
	const char *type = target ? dbg_heap_object_type(d->at, target)
				  : dbg_heap_object_type(d->at, object);

	return type ? type : "?";
}

// The type that most of the first references lead to, and how many there are.
static const char *most_referred(const struct doctor *d, uint64_t object,
				 uint64_t *ret_all)
{
	struct dbg_heap_detail detail;
	const char *most = NULL;
	size_t n_most = 0;

	*ret_all = 0;
	if (dbg_err_drop(dbg_heap_object(d->at, object, &detail)))
		return NULL;
	*ret_all = detail.n_all;
	for (size_t i = 0; i < detail.n_refs; i++) {
		const char *type = detail.refs[i].type;
		size_t n = 0;

		for (size_t k = i; type && k < detail.n_refs; k++)
			n += detail.refs[k].type &&
			     !strcmp(type, detail.refs[k].type);
		if (n > n_most) {
			n_most = n;
			most = ref_of(d, detail.refs[i].object, "_target")
				   ? called_type(d, detail.refs[i].object)
				   : type;
		}
		// the rest cannot have more
		if (n_most >= detail.n_refs - i)
			break;
	}
	return most;
}

static void find_kept(struct doctor *d, uint64_t object, const struct str *text)
{
	_cleanup_free_ char *command =
	    xasprintf("heap roots 0x%" PRIx64, object);

	doctor_find(d, WEIGHT_WARNING, command, str_get(text));
}

/* ---- Half of the heap ------------------------------------------------ */

// Does the type tell what its objects are for? Types of the framework, arrays
// and delegates do not.
static bool is_telling(const char *type)
{
	return !str_starts(type, "System.") &&
	       !str_starts(type, "Microsoft.") && strcmp(type, "object[]") &&
	       !strchr(type, '[');
}

// Go down from what retains the most, as long as a single object keeps nine
// tenths of it. *ret_first: the last with a telling type, or else the first
// that is no array of statics.
static const struct dbg_heap_retainer *
narrow(const struct dbg_heap_retainer *v, size_t n,
       const struct dbg_heap_retainer **ret_first)
{
	const struct dbg_heap_retainer *at = v, *next = v;

	*ret_first = NULL;
	while (next) {
		at = next;
		next = NULL;
		if (is_telling(at->type) ||
		    (!*ret_first && strcmp(at->type, "object[]")))
			*ret_first = at;
		for (size_t i = 0; i < n && !next; i++)
			if (v[i].dominator == at->object &&
			    v[i].retained >= at->retained / 10 * 9)
				next = &v[i];
	}
	return at;
}

// Append the way from @object to the end of the path: ", by its Updated ->
// _invocationList".
static void add_inner(const struct dbg_heap_path *path, uint64_t object,
		      struct str *text)
{
	size_t i = 0;

	while (i < path->n_steps && path->steps[i].object != object)
		i++;
	for (size_t k = i + 1; k < path->n_steps; k++)
		str_addf(text, "%s%s", k == i + 1 ? ", by its " : " -> ",
			 path->steps[k].name ? path->steps[k].name : "?");
}

// Report objects of one type (timers, thread statics) that together retain half
// of the heap.
static struct dbg_error *find_retaining_type(struct doctor *d)
{
	_cleanup_str_ struct str text = {0}, way = {0};
	struct dbg_heap_crowd c;
	struct dbg_error *err = dbg_heap_crowd(d->at, &c);

	if (err || !c.type || c.bytes < DOCTOR_RETAINED_MIN ||
	    c.bytes < d->heap_bytes / 2)
		return err;
	heap_way_add(d->at, c.example, &way, NULL);
	str_addf(&text,
		 "%" PRIu64 " objects of %s retain %" PRIu64 " of the heap's "
		 "%" PRIu64 " MiB together, as by %s",
		 c.count, c.type, c.bytes / MIB, d->heap_bytes / MIB,
		 c.example_type ? c.example_type : "?");
	if (way.len)
		str_addf(&text, "; that is kept by %s", str_get(&way));
	str_add(&text, "; a leak if they grow in number");
	find_kept(d, c.example, &text);
	return NULL;
}

static struct dbg_error *check_half(struct doctor *d, uint64_t *ret)
{
	_cleanup_str_ struct str text = {0}, way = {0};
	const struct dbg_heap_retainer *first, *at;
	const struct dbg_heap_retainer *v = d->keepers;
	struct dbg_heap_path path;
	size_t n = d->n_keepers, top = 0;
	uint64_t refs;
	struct dbg_error *err = d->no_keepers;

	d->no_keepers = NULL;
	if (err)
		return err;
	// an array of statics has the statics of many classes: it explains
	// nothing
	while (top < n && !strcmp(v[top].type, "object[]") && !v[top].dominator)
		top++;
	if (top == n || v[top].retained < DOCTOR_RETAINED_MIN ||
	    v[top].retained < d->heap_bytes / 2)
		return find_retaining_type(d);
	at = narrow(&v[top], n - top, &first);
	first = first ? first : at;
	heap_way_add(d->at, at->object, &way, &path);
	const char *type = most_referred(d, at->object, &refs);

	*ret = at->object;
	str_addf(&text,
		 "One object retains %" PRIu64 " of the heap's %" PRIu64
		 " MiB: %s 0x%" PRIx64,
		 first->retained / MIB, d->heap_bytes / MIB, first->type,
		 first->object);
	add_inner(&path, first->object, &text);
	if (refs > 1 && type)
		str_addf(&text, ", with %" PRIu64 " references, as to %s", refs,
			 type);
	if (way.len)
		str_addf(&text, "; kept by %s", str_get(&way));
	str_add(&text, "; a leak if it grows");
	find_kept(d, at->object, &text);
	return NULL;
}

/* ---- Handlers of events ---------------------------------------------- */

struct lists {
	struct {
		uint64_t array, first;
		uint64_t n;
	} v[LISTS_MAX];
	size_t n;
};

static bool take_list(void *arg, const struct dbg_heap_object *o)
{
	struct lists *l = arg;

	if (o->n_refs < MANY)
		return true;
	l->v[l->n].array = o->addr;
	l->v[l->n].first = o->refs[0];
	l->v[l->n++].n = o->n_refs;
	return l->n < LISTS_MAX;
}

static struct dbg_error *check_handlers(struct doctor *d, uint64_t known)
{
	const struct dbg_heap_filter arrays = {
	    // .NET 11 has them in structures
	    .type = "^(object|System\\.Delegate\\.Wrapper)\\[\\]$",
	    .min = HEAD_BYTES + (uint64_t)MANY * 8,
	    .refs = true,
	};
	struct lists l = {.n = 0};
	struct dbg_heap_stat stat;
	struct dbg_error *err =
	    dbg_heap_list(d->at, &arrays, take_list, &l, &stat);

	for (size_t i = 0; i < l.n && !err; i++) {
		_cleanup_str_ struct str text = {0}, way = {0};
		const char *type = dbg_heap_object_type(d->at, l.v[i].first);

		if (l.v[i].array == known ||
		    !ref_of(d, l.v[i].first, "_target"))
			continue;
		heap_way_add(d->at, l.v[i].array, &way, NULL);
		if (!way.len)
			continue;
		str_addf(
		    &text,
		    "An event has %" PRIu64
		    " handlers, as of %s (%s), by %s: who subscribes lives "
		    "as long as the event, or until it unsubscribes",
		    l.v[i].n, called_type(d, l.v[i].first), type ? type : "?",
		    str_get(&way));
		find_kept(d, l.v[i].array, &text);
	}
	return err;
}

/* ---- Registrations of tokens ------------------------------------------ */

// What a node refers to: its list (Registrations), but also a method or a
// context that many nodes have in common.
struct nodes {
	struct map counts; /* object -> how many nodes refer to it */
	struct {
		uint64_t object, node; /* one of these */
	} many[COMMON_MAX];            /* objects of MANY nodes */
	size_t n_many;
};

static bool take_node(void *arg, const struct dbg_heap_object *o)
{
	struct nodes *n = arg;

	for (size_t i = 0; i < o->n_refs && o->n_refs >= NODE_REFS; i++) {
		uintptr_t k = (uintptr_t)map_find(&n->counts, o->refs[i]) + 1;

		map_put(&n->counts, o->refs[i], (void *)k);
		if (k != MANY || n->n_many == COMMON_MAX)
			continue;
		n->many[n->n_many].object = o->refs[i];
		n->many[n->n_many++].node = o->addr;
	}
	return true;
}

// The list of the most nodes and how many these are; 0: none has MANY.
static size_t longest_list(struct doctor *d, const struct nodes *n,
			   uint64_t *ret_source, uint64_t *ret_list,
			   uint64_t *ret_node)
{
	size_t most = 0;

	for (size_t i = 0; i < n->n_many; i++) {
		uint64_t source = ref_of(d, n->many[i].object, "Source");
		size_t k = (uintptr_t)map_find(&n->counts, n->many[i].object);

		if (!source || k <= most)
			continue;
		most = k;
		*ret_source = source;
		*ret_list = n->many[i].object;
		*ret_node = n->many[i].node;
	}
	return most;
}

static struct dbg_error *check_registrations(struct doctor *d, uint64_t known)
{
	const struct dbg_heap_filter of = {
	    .type = "^System\\.Threading\\.CancellationTokenSource\\."
		    "CallbackNode$",
	    .refs = true,
	};
	_cleanup_str_ struct str text = {0}, way = {0};
	struct nodes n = {.n_many = 0};
	struct dbg_heap_stat stat;
	struct dbg_error *err;
	uint64_t source = 0, list = 0, node = 0;

	if (d->n_registrations < MANY)
		return NULL;
	err = dbg_heap_list(d->at, &of, take_node, &n, &stat);
	size_t most = err ? 0 : longest_list(d, &n, &source, &list, &node);
	map_deinit(&n.counts);
	if (!most || list == known)
		return err;
	heap_way_add(d->at, source, &way, NULL);
	if (!way.len)
		return NULL;
	str_addf(&text,
		 "%zu registrations of one CancellationTokenSource, 0x%" PRIx64
		 ", by %s",
		 most, source, str_get(&way));
	uint64_t state = ref_of(d, node, "CallbackState");
	if (state)
		str_addf(&text, ", as of %s", called_type(d, state));
	str_add(&text, ": each is kept until it is disposed, or the source is");
	find_kept(d, source, &text);
	return NULL;
}

struct dbg_error *doctor_leaks(struct doctor *d)
{
	uint64_t known = 0;
	struct dbg_error *err = NULL;

	if (d->heap_bytes >= DOCTOR_RETAINED_MIN)
		err = check_half(d, &known);
	if (!err)
		err = check_handlers(d, known);
	return err ? err : check_registrations(d, known);
}
