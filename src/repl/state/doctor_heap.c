/* Checks of `doctor`: the heap's shape, what is on it, and handles. */
#include "repl/state/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "repl/repl_priv.h"

enum {
	EXCEPTIONS_MANY = 1000,
	PINNED_MANY = 1000,
	HANDLES_MANY = 100000,
	STRONG_MANY = 10000,
};

#define MIB DOCTOR_MIB

// Is it enough to be worth a finding: 8 MiB or more, and a tenth of the heap?
static bool is_tenth(uint64_t bytes, uint64_t heap_bytes)
{
	return bytes >= 8 * MIB && bytes >= heap_bytes / 10;
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
		 d->strings.wasted / MIB, heap_bytes / MIB);
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
	if (is_half(s->unused, s->all, 64 * MIB) &&
	    (!is_half(s->large_unused, large, 64 * MIB) ||
	     is_half(s->unused - s->large_unused, s->all - large, 64 * MIB))) {
		str_addf(&text,
			 "The heap is fragmented: %" PRIu64 " of %" PRIu64
			 " MiB are free space between objects",
			 s->unused / MIB, s->all / MIB);
		doctor_find(d, WEIGHT_WARNING,
			    "heap stat --type ^Free$ --by-gen", str_get(&text));
	}
	str_clear(&text);
	if (is_half(s->large_unused, large, 64 * MIB)) {
		str_addf(&text,
			 "The large object heap is fragmented: %" PRIu64
			 " of its %" PRIu64
			 " MiB are free space between objects",
			 s->large_unused / MIB, large / MIB);
		doctor_find(d, WEIGHT_WARNING,
			    "heap stat --type ^Free$ --by-gen", str_get(&text));
	}
	str_clear(&text);
	if (is_half(s->large, s->all, 256 * MIB)) {
		str_addf(&text,
			 "%" PRIu64 " of %" PRIu64
			 " MiB are on the large object heap",
			 s->large / MIB, s->all / MIB);
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

void doctor_look(struct doctor *d)
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
