/*
 * `doctor`: all checks at once. A check looks for one kind of trouble, by the
 * lists that other commands show, and says what it has found, with the command
 * that shows more. What cannot be checked says so; the others are made.
 */
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/state/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Memory, descriptors, limits of the process -------------------------- */

/*
 * Checks of `doctor`: what the program uses outside of the collector's heap:
 * memory, descriptors, and what its cgroups, a container's, allow it. A core
 * does not tell of cgroups, descriptors and what was resident.
 */

#define NATIVE_MIN (128 * DOCTOR_MIB)

enum {
	PERIODS_FEW = 100, /* too few to say something of */
	FILES_MANY = 500,  /* regular files that are open */
	NATIVE_TIMES = 2,  /* as much as the collector's heap */
};

static void check_memory(struct doctor *d, const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};

	if (!l->memory || l->memory_used < l->memory / 10 * 9)
		return;
	str_addf(&text,
		 "The program's cgroup uses %" PRIu64 " of the %" PRIu64
		 " MiB that it may: the kernel ends who asks for more",
		 l->memory_used / DOCTOR_MIB, l->memory / DOCTOR_MIB);
	doctor_find(d, WEIGHT_SEVERE, "memory", str_get(&text));
}

static void check_throttled(struct doctor *d, const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};

	if (l->periods < PERIODS_FEW || l->throttled < l->periods / 4)
		return;
	str_addf(&text,
		 "The program's cgroup has %" PRIu64 ".%02" PRIu64
		 " processors, and was held back in %" PRIu64 " of %" PRIu64
		 " periods",
		 l->cpu / 1000, l->cpu % 1000 / 10, l->throttled, l->periods);
	doctor_find(d, WEIGHT_WARNING, "threadpool", str_get(&text));
}

// The runtime takes as many heaps as there are processors, or as it is told by
// GCHeapCount; each has a thread that collects.
static struct dbg_error *check_heaps(struct doctor *d,
				     const struct dbg_limits *l)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_heap_parts parts;
	struct dbg_error *err = NULL;
	uint64_t processors = (l->cpu + 999) / 1000;

	if (processors)
		err = dbg_heap_parts(d->at, &parts);
	if (err || !processors || !parts.server || parts.n_heaps <= processors)
		return err;
	str_addf(&text,
		 "Server GC has %" PRIu32
		 " heaps, each with its thread, and the program's cgroup has "
		 "%" PRIu64 ".%02" PRIu64
		 " processors: GCHeapCount, or workstation GC",
		 parts.n_heaps, l->cpu / 1000, l->cpu % 1000 / 10);
	doctor_find(d, WEIGHT_WARNING, "heap segments", str_get(&text));
	return NULL;
}

struct dbg_error *doctor_limits(struct doctor *d)
{
	struct dbg_inferior program;
	struct dbg_limits limits;

	if (!dbg_can_run(d->r->dbg)) {
		doctor_untold(d, "the limits of its cgroup");
		return NULL;
	}
	dbg_inferior_get(d->r->dbg, &program);
	dbg_limits_of(program.pid, &limits);
	check_memory(d, &limits);
	check_throttled(d, &limits);
	return check_heaps(d, &limits);
}

struct dbg_error *doctor_descriptors(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_inferior program;
	struct dbg_descriptors fds;

	if (!dbg_can_run(d->r->dbg)) {
		doctor_untold(d, "file descriptors");
		return NULL;
	}
	dbg_inferior_get(d->r->dbg, &program);
	dbg_descriptors_of(program.pid, &fds);
	bool full = fds.max && fds.n >= fds.max / 10 * 9;

	if (!full && !(fds.max && fds.n >= fds.max / 2) &&
	    fds.files < FILES_MANY)
		return NULL;
	str_addf(&text,
		 "%" PRIu64 " file descriptors are open, of %" PRIu64
		 " that may be: %" PRIu64 " files, %" PRIu64
		 " sockets, %" PRIu64 " others",
		 fds.n, fds.max, fds.files, fds.sockets,
		 fds.n - fds.files - fds.sockets);
	if (fds.n_most > 1)
		str_addf(&text, "; %" PRIu64 " of them are %s", fds.n_most,
			 fds.most);
	doctor_find(d, full ? WEIGHT_SEVERE : WEIGHT_WARNING,
		    fds.sockets > fds.files ? "heap paths SafeSocketHandle$"
					    : "heap paths SafeFileHandle$",
		    str_get(&text));
	return NULL;
}

/* ---- Memory outside of the heap --------------------------------------- */

struct native {
	uint64_t gc, malloc, large, n_large, other;
};

static void native_add(struct native *n, const struct dbg_region *r,
		       bool has_resident)
{
	uint64_t bytes = has_resident ? r->resident : r->end - r->start;

	if (r->kind == DBG_REGION_GC)
		n->gc += bytes;
	else if (r->kind == DBG_REGION_MALLOC)
		n->malloc += bytes;
	else if (r->kind == DBG_REGION_MALLOC_LARGE)
		n->large += bytes;
	else if (r->kind == DBG_REGION_OTHER && has_resident)
		n->other += bytes;
	n->n_large += r->kind == DBG_REGION_MALLOC_LARGE;
}

struct dbg_error *doctor_native(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct native n = {0};
	struct dbg_memory memory;
	struct dbg_error *err = dbg_memory_list(d->at, &memory);

	if (err)
		return err;
	for (size_t i = 0; i < memory.n; i++)
		native_add(&n, &memory.v[i], memory.has_resident);
	uint64_t all = n.malloc + n.large + n.other;

	if (!memory.has_resident)
		doctor_untold(d, "resident memory");

	if (memory.no_heap || all < NATIVE_MIN || all < NATIVE_TIMES * n.gc)
		return NULL;
	str_addf(&text,
		 "%" PRIu64
		 " MiB are native memory, outside of the collector's heap, "
		 "which has %" PRIu64 " MiB: malloc's %" PRIu64
		 " MiB, its large blocks %" PRIu64 " MiB (%" PRIu64
		 " blocks), other mappings %" PRIu64 " MiB",
		 all / DOCTOR_MIB, n.gc / DOCTOR_MIB, n.malloc / DOCTOR_MIB,
		 n.large / DOCTOR_MIB, n.n_large, n.other / DOCTOR_MIB);
	doctor_find(d, WEIGHT_WARNING, "memory", str_get(&text));
	return NULL;
}

/* ---- Shape and contents of the heap -------------------------------------- */

/* Checks of `doctor`: the heap's shape, what is on it, and handles. */

enum {
	EXCEPTIONS_MANY = 1000,
	PINNED_MANY = 1000,
	HANDLES_MANY = 100000,
	STRONG_MANY = 10000,
};

// Is it enough to be worth a finding: 8 MiB or more, and a tenth of the heap?
static bool is_tenth(uint64_t bytes, uint64_t heap_bytes)
{
	return bytes >= 8 * DOCTOR_MIB && bytes >= heap_bytes / 10;
}

// Would a tenth of the heap be free if each text was kept in one string?
static void check_strings(struct doctor *d, uint64_t heap_bytes)
{
	_cleanup_str_ struct str text = {0};

	if (!is_tenth(d->strings.wasted, heap_bytes))
		return;
	str_addf(&text,
		 "%" PRIu64 " of the heap's %" PRIu64
		 " MiB are strings whose text another string has",
		 d->strings.wasted / DOCTOR_MIB, heap_bytes / DOCTOR_MIB);
	doctor_find(d, WEIGHT_WARNING, "heap strings", str_get(&text));
}

/* Bytes by what they are, and how many exceptions there are. */
struct shape {
	uint64_t all, unused, large, large_unused, exceptions;
	uint64_t registrations;
};

static void add_type(struct shape *s, const struct dbg_heap_type *t)
{
	size_t n = strlen(t->name);
	uint64_t large = t->gen_bytes[DBG_GEN_LARGE];

	if (!strcmp(t->name, "Free")) {
		s->unused = t->bytes;
		s->large_unused = large;
		return;
	}
	s->large += large;
	if (n > 9 && !strcmp(t->name + n - 9, "Exception"))
		s->exceptions += t->count;
	if (!strcmp(t->name, "System.Threading.CancellationTokenSource."
			     "CallbackNode"))
		s->registrations = t->count;
}

// Is @part at least @least, and at least half of @whole?
static bool is_half(uint64_t part, uint64_t whole, uint64_t least)
{
	return part >= least && part >= whole / 2;
}

static void find_shape(struct doctor *d, const struct shape *s)
{
	_cleanup_str_ struct str text = {0};
	uint64_t large = s->large + s->large_unused;

	// what the large object heap has is told of that
	if (is_half(s->unused, s->all, 64 * DOCTOR_MIB) &&
	    (!is_half(s->large_unused, large, 64 * DOCTOR_MIB) ||
	     is_half(s->unused - s->large_unused, s->all - large,
		     64 * DOCTOR_MIB))) {
		str_addf(&text,
			 "The heap is fragmented: %" PRIu64 " of %" PRIu64
			 " MiB are free space between objects",
			 s->unused / DOCTOR_MIB, s->all / DOCTOR_MIB);
		doctor_find(d, WEIGHT_WARNING,
			    "heap stat --type ^Free$ --by-gen", str_get(&text));
	}
	str_clear(&text);
	if (is_half(s->large_unused, large, 64 * DOCTOR_MIB)) {
		str_addf(&text,
			 "The large object heap is fragmented: %" PRIu64
			 " of its %" PRIu64
			 " MiB are free space between objects",
			 s->large_unused / DOCTOR_MIB, large / DOCTOR_MIB);
		doctor_find(d, WEIGHT_WARNING,
			    "heap stat --type ^Free$ --by-gen", str_get(&text));
	}
	str_clear(&text);
	if (is_half(s->large, s->all, 256 * DOCTOR_MIB)) {
		str_addf(&text,
			 "%" PRIu64 " of %" PRIu64
			 " MiB are on the large object heap",
			 s->large / DOCTOR_MIB, s->all / DOCTOR_MIB);
		doctor_find(d, WEIGHT_NOTE, "heap stat --gen large",
			    str_get(&text));
	}
}

// Report many exception objects that are kept alive. Garbage ones do not count:
// every program that throws leaves some.
static struct dbg_error *check_exceptions(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	const struct dbg_heap_filter live = {.live = true,
					     .type = "Exception$"};
	const struct dbg_heap_type *most = NULL;
	struct dbg_heap_stat stat;
	struct dbg_error *err = dbg_heap_stat(d->at, &live, &stat);

	if (err || stat.count < EXCEPTIONS_MANY)
		return err;
	for (size_t i = 0; i < stat.n_types; i++)
		if (!most || stat.types[i].count > most->count)
			most = &stat.types[i];
	str_addf(&text,
		 "%" PRIu64 " exceptions are kept alive, %" PRIu64
		 " of them %s",
		 stat.count, most->count, most->name);
	doctor_find(d, WEIGHT_WARNING, "heap exceptions --live",
		    str_get(&text));
	return NULL;
}

// How serious damages of the heap are. Objects that the core file lacks, or
// that the collector was moving, look damaged, too, and a sentence says so; but
// if the program died in the collector, the damages are real.
static enum weight damage_weight(struct doctor *d)
{
	const struct dbg_stop *stop = dbg_stop_reason(d->at);
	struct dbg_heap_parts parts;
	bool collecting =
	    !dbg_err_drop(dbg_heap_parts(d->at, &parts)) && parts.collecting;

	return dbg_lacking(d->at) && !(collecting && stop->fatal)
		   ? WEIGHT_NOTE
		   : WEIGHT_SEVERE;
}

/*
 * Look at the heap for all checks: the survey copies it into our memory, where
 * what keeps it is looked for as well.
 */
static void doctor_look(struct doctor *d)
{
	d->no_heap = dbg_heap_survey(d->at, &d->heap, &d->strings);
	if (d->no_heap)
		return;
	d->heap_bytes = d->heap.bytes;
	for (size_t i = 0; i < d->heap.n_types; i++)
		if (!strcmp(d->heap.types[i].name, "Free"))
			d->heap_bytes -= d->heap.types[i].bytes;
	if (d->heap_bytes >= DOCTOR_RETAINED_MIN)
		d->no_keepers =
		    dbg_heap_majority(d->at, &d->keepers, &d->n_keepers);
}

struct dbg_error *doctor_heap(struct doctor *d)
{
	struct shape s = {.all = d->heap.bytes};
	struct dbg_error *err = d->no_heap;

	d->no_heap = NULL;
	if (err)
		return err;
	for (size_t i = 0; i < d->heap.n_types; i++)
		add_type(&s, &d->heap.types[i]);
	find_shape(d, &s);
	d->n_registrations = s.registrations;
	if (s.exceptions >= EXCEPTIONS_MANY)
		err = check_exceptions(d);
	if (err)
		return err;
	if (d->heap.n_damages)
		doctor_find(d, damage_weight(d), "heap stat",
			    d->heap.damages[0]);
	check_strings(d, s.all);
	return NULL;
}

static int by_type(const void *a, const void *b)
{
	const struct dbg_handle *x = a, *y = b;

	return x->strong != y->strong
		   ? (x->strong ? -1 : 1)
		   : strcmp(x->type ? x->type : "", y->type ? y->type : "");
}

// Report many strong handles. The first @n of @v are the strong ones.
static void find_strong(struct doctor *d, const struct dbg_handle *v, size_t n)
{
	_cleanup_str_ struct str text = {0};
	size_t most = 0, n_most = 0;

	for (size_t i = 0, same = 1; i < n; i++, same++) {
		if (i && by_type(&v[i - 1], &v[i]))
			same = 1;
		if (same <= n_most)
			continue;
		n_most = same;
		most = i;
	}
	str_addf(&text, "%zu handles keep objects, most of them (%zu) %s", n,
		 n_most, v[most].type ? v[most].type : "?");
	doctor_find(d, WEIGHT_WARNING, "handles", str_get(&text));
}

struct dbg_error *doctor_handles(struct doctor *d)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_handle *v;
	size_t n = 0, pinned = 0, strong = 0;
	struct dbg_error *err = dbg_handle_list(d->at, &v, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		pinned += v[i].kind == DBG_HANDLE_PINNED;
		strong += v[i].strong;
	}
	if (pinned >= PINNED_MANY) {
		str_addf(&text, "%zu handles pin objects", pinned);
		doctor_find(d, WEIGHT_WARNING, "handles", str_get(&text));
	} else if (strong >= STRONG_MANY) {
		qsort(v, n, sizeof(*v), by_type);
		find_strong(d, v, strong);
	} else if (n >= HANDLES_MANY) {
		str_addf(&text, "There are %zu handles", n);
		doctor_find(d, WEIGHT_WARNING, "handles", str_get(&text));
	}
	return NULL;
}

/* ---- Check of `doctor`: who keeps memory --------------------------------- */

/*
 * One object that retains half of the heap, and what is kept by the thousand:
 * handlers of an event, registrations of a CancellationToken. Where it is kept
 * is known from the root on, by fields.
 */

enum {
	COMMON_MAX = 16,
	MANY = 1000,    /* handlers of one event, registrations of one token */
	LISTS_MAX = 16, /* of handlers */
	/* A node that is used has besides its list what is called, and with. */
	NODE_REFS = 4,
	HEAD_BYTES = 16, /* of an array */
};

#define DOCTOR_LEAKS_MIB DOCTOR_MIB

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

// The type of a delegate's target; of an object without one, its own type.
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
		 c.count, c.type, c.bytes / DOCTOR_LEAKS_MIB,
		 d->heap_bytes / DOCTOR_LEAKS_MIB,
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
		 first->retained / DOCTOR_LEAKS_MIB,
		 d->heap_bytes / DOCTOR_LEAKS_MIB, first->type, first->object);
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
	    .refs_max = 1,
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

/* ---- `doctor`: all checks at once ---------------------------------------- */

static const char *const weights[] = {
    [WEIGHT_SEVERE] = "severe",
    [WEIGHT_WARNING] = "warning",
    [WEIGHT_NOTE] = "note",
};

void doctor_find(struct doctor *d, enum weight weight, const char *command,
		 const char *text)
{
	if (d->n < DOCTOR_FINDINGS_MAX)
		d->v[d->n++] = (struct finding){
		    .weight = weight,
		    .check = d->check,
		    .command = command ? xstrdup(command) : NULL,
		    .text = xstrdup(text),
		};
}

void doctor_untold(struct doctor *d, const char *what)
{
	if (d->n_untold < DOCTOR_UNTOLD_MAX)
		d->untold[d->n_untold++] = what;
}

// Is the module listed before? A library may also be in a load context; it is
// named once.
static bool is_built_alike(const struct dbg_module *v, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!v[k].optimized && !strcmp(v[k].name, v[i].name))
			return true;
	return false;
}

static struct dbg_error *check_build(struct doctor *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_str_ struct str text = {0};
	struct dbg_module *v;
	size_t n = 0, found = 0;
	struct dbg_error *err = dbg_module_list(d->r->dbg, arena, &v, &n);

	if (err)
		return err;
	str_add(&text, "Built without optimization:");
	for (size_t i = 0; i < n; i++)
		if (!v[i].framework && !v[i].optimized &&
		    v[i].symbols == DBG_SYMBOLS_LOADED &&
		    !is_built_alike(v, i) && found++ < DOCTOR_LISTED_MAX)
			str_addf(&text, "%s %s", found > 1 ? "," : "",
				 v[i].name);
	if (found)
		doctor_find(d, WEIGHT_NOTE, "info sharedlibrary",
			    str_get(&text));
	return NULL;
}

/* ---- All ------------------------------------------------------------- */

static const struct {
	const char *name;
	doctor_check *run;
} checks[] = {
    // the first notes the waits and the heap's check its size, which later
    // checks use
    {"deadlock", doctor_deadlock},
    {"threadPool", doctor_pool},
    {"finalizer", doctor_finalizer},
    {"threads", doctor_threads},
    {"processor", doctor_processor},
    {"async", doctor_async},
    {"tasks", doctor_tasks},
    {"timers", doctor_timers},
    {"loadContexts", doctor_contexts},
    {"heap", doctor_heap},
    {"leaks", doctor_leaks},
    {"handles", doctor_handles},
    {"native", doctor_native},
    {"limits", doctor_limits},
    {"descriptors", doctor_descriptors},
    {"build", check_build},
};

static const struct sheet_column finding_columns[] = {
    {"Weight", "weight", SHEET_TEXT, 8},
    {NULL, "check", SHEET_TEXT, 0},
    {"Finding", "finding", SHEET_TEXT, 0},
    {NULL, "command", SHEET_TEXT, 0},
};

// Tell the user that the checks @names were not made, and why; nothing if @why
// is NULL.
static void tell_unchecked(struct doctor *d, const char *names, const char *why)
{
	_cleanup_str_ struct str text = {0};

	if (!why)
		return;
	str_addf(&text, "Not checked (%s): %s", names, why);
	doctor_find(d, WEIGHT_NOTE, NULL, str_get(&text));
}

static void run_checks(struct doctor *d)
{
	_cleanup_str_ struct str names = {0};
	struct dbg_error *why = NULL;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		d->check = checks[i].name;
		struct dbg_error *err = checks[i].run(d);

		if (!err)
			continue;
		if (why && strcmp(why->message, err->message)) {
			tell_unchecked(d, str_get(&names), why->message);
			str_clear(&names);
		}
		str_addf(&names, "%s%s", names.len ? ", " : "", checks[i].name);
		dbg_error_destroy(why);
		why = err;
	}
	d->check = "doctor";
	tell_unchecked(d, str_get(&names), why ? why->message : NULL);
	dbg_error_destroy(why);
}

// Show how many waits have an unknown end. They may end, so they are no
// finding, but the user is not told that all is well.
static void show_unknown(struct sheet *s, const struct doctor *d)
{
	size_t unknown = 0, held = 0;

	doctor_waits_untold(d, &unknown, &held);
	sheet_number(s, "waitsOfUnknownEnd", unknown);
	sheet_number(s, "waitsForThreads", held);
	if (s->json)
		return;
	if (unknown)
		out(s->r,
		    "%zu thread%s for what nobody is known to hold or to set: "
		    "deadlock\n",
		    unknown, unknown == 1 ? " waits" : "s wait");
	if (held)
		out(s->r,
		    "%zu thread%s for another one, which waits for nothing "
		    "that is known here: deadlock\n",
		    held, held == 1 ? " waits" : "s wait");
}

static void show_untold(struct sheet *s, const struct doctor *d)
{
	_cleanup_str_ struct str text = {0};

	for (size_t i = 0; i < d->n_untold; i++)
		str_addf(&text, "%s%s", i ? ", " : "", d->untold[i]);
	if (!text.len)
		return;
	sheet_text(s, "untold", str_get(&text));
	if (!s->json)
		out(s->r, "A core or a snapshot does not tell of: %s\n",
		    str_get(&text));
}

static void show_findings(struct sheet *s, const struct doctor *d)
{
	sheet_rows(s, "findings", SHEET_COLUMNS(finding_columns));
	for (int weight = 0; weight < N_WEIGHTS; weight++) {
		for (size_t i = 0; i < d->n; i++) {
			const struct finding *f = &d->v[i];

			if (f->weight != (enum weight)weight)
				continue;
			sheet_row(
			    s, (struct sheet_cell[]){{.text = weights[weight]},
						     {.text = f->check},
						     {.text = f->text},
						     {.text = f->command}});
			if (f->command)
				sheet_line(s, "%10smore: %s", "", f->command);
		}
	}
	sheet_rows_end(s);
	if (!s->json && !d->n)
		out(s->r, "Nothing was found: %zu checks were made.\n",
		    sizeof(checks) / sizeof(*checks) - d->n_untold);
	if (d->watched)
		doctor_watched_show(s, d);
	show_untold(s, d);
	show_unknown(s, d);
}

static void examine(struct doctor *d, bool json)
{
	struct sheet s;

	doctor_look(d);
	run_checks(d);
	sheet_begin(&s, d->r, d->at, json);
	show_findings(&s, d);
	sheet_end(&s);
}

static void doctor_destroy(struct doctor *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].command);
		free(d->v[i].text);
	}
	cJSON_Delete(d->watched);
	free(d);
}

static struct dbg_error *cmd_doctor(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	bool look = true;
	struct doctor *d;

	if (err)
		return err;
	d = xcalloc(1, sizeof(*d));
	d->r = r;
	d->at = at;
	if (o.seconds)
		err = doctor_watch(d, o.seconds, o.json, &look);
	if (!err && look)
		examine(d, o.json);
	doctor_destroy(d);
	return err;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "doctor",
	.args = "[--seconds N] [--json]",
	.help = "look for all kinds of trouble at once",
	.more = "Deadlocks, a thread pool that starves, async calls that are "
		"stuck, exceptions\nnobody has looked at, the finalizer, "
		"threads and load contexts that do not go\naway, timers, the "
		"heap's shape, strings, what retains half of it, event "
		"handlers and\nregistrations by the thousand, handles, memory "
		"outside of the heap, file descriptors, the\nlimits of the "
		"program's cgroup; each finding with the command that shows "
		"more.\nWith --seconds N the program goes on for so long "
		"first, and is watched: threads that\nburn processors, "
		"waits for one, collections and their pauses, allocations, "
		"exceptions,\na pool that starves. Ctrl-C ends that early.",
	.stopped = cmd_doctor,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_doctor = {"doctor", "All checks at once",
					     cmds};
