/*
 * dbg.h: what can be found out of the collector's heap as a whole. Arrays
 * and strings die with the stop.
 */
#ifndef DBG_HEAPFACTS_H
#define DBG_HEAPFACTS_H

#include "dbg/stopped.h"
#include "dbg/objects.h"

/* ---- Strings --------------------------------------------------------- */

struct dbg_heap_string {
	uint64_t object; /* the first of them */
	uint64_t count, length;
	uint64_t wasted; /* bytes of all but one */
	const char *text;
};

struct dbg_heap_strings {
	struct dbg_heap_string *v; /* by what is wasted, the most first */
	size_t n;
	uint64_t n_all; /* texts that there is more than one object of */
	uint64_t count, bytes, wasted; /* of all strings */
};

/* Strings with the same text; @max of the texts, 0: how many is not told. */
DBG_MUST struct dbg_error *
dbg_heap_strings(struct dbg_stopped at, const struct dbg_heap_filter *filter,
		 size_t max, struct dbg_heap_strings *ret);
/*
 * Survey the heap in one walk: all types, with free space, and the total of
 * strings with equal texts, none of which is listed.
 */
DBG_MUST struct dbg_error *dbg_heap_survey(struct dbg_stopped at,
					   struct dbg_heap_stat *ret,
					   struct dbg_heap_strings *strings);

/* ---- Exceptions ------------------------------------------------------ */

struct dbg_heap_exception {
	uint64_t object; /* the first of them */
	uint64_t count;
	uint64_t inner; /* exception within the first, 0: none */
	const char *type, *message;
	const char *stack; /* lines, NULL: it was not thrown */
	uint32_t hresult;
};

struct dbg_heap_exceptions {
	struct dbg_heap_exception *v; /* the most frequent first */
	size_t n;
	uint64_t count; /* of all */
	uint64_t cut;   /* of them are not looked at: there are too many */
	const char **damages; /* as of dbg_heap_stat */
	size_t n_damages;
};

/*
 * The exception objects of the heap, those that nothing refers to any more,
 * too. Of one type, with one message and one stack they are counted together,
 * unless @each.
 */
DBG_MUST struct dbg_error *
dbg_heap_exception_list(struct dbg_stopped at,
			const struct dbg_heap_filter *filter, bool each,
			struct dbg_heap_exceptions *ret);

/* ---- Growth ---------------------------------------------------------- */

struct dbg_heap_change {
	const char *type;
	uint64_t old_count, old_bytes, count, bytes;
};

struct dbg_heap_diff {
	struct dbg_heap_change *v; /* by growth in bytes, the most last */
	size_t n;                  /* of types that are not as they were */
	struct dbg_heap_change all;
	const char **damages; /* as of dbg_heap_stat, of both */
	size_t n_damages;
};

/*
 * Compare the heap with the core file @path, which may be of another process:
 * types are matched by their names.
 */
DBG_MUST struct dbg_error *dbg_heap_diff(struct dbg_stopped at,
					 const char *path,
					 const struct dbg_heap_filter *filter,
					 struct dbg_heap_diff *ret);

/* ---- Damage ---------------------------------------------------------- */

enum {
	DBG_HEAP_FAULTS_MAX = 100,
};

struct dbg_heap_fault {
	uint64_t object;      /* where it is */
	uint64_t slot, value; /* a reference, 0: the object itself */
	const char *text;     /* a sentence */
};

struct dbg_heap_check {
	uint64_t objects, references;
	struct dbg_heap_fault *v; /* the first of them */
	size_t n;
	uint64_t n_all;
};

/*
 * Check that objects follow each other without a hole in each part of the heap,
 * that each has a type that the runtime knows, and that each reference leads to
 * the beginning of an object.
 */
DBG_MUST struct dbg_error *dbg_heap_verify(struct dbg_stopped at,
					   struct dbg_heap_check *ret);

#endif
