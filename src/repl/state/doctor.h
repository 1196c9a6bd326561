/* Inside `doctor`: a check, and what it has found. */
#ifndef REPL_DOCTOR_H
#define REPL_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"

struct cJSON;
struct repl;
struct sheet;
struct str;

enum {
	DOCTOR_FINDINGS_MAX = 32,
	DOCTOR_LISTED_MAX = 20, /* things named in one sentence */
	DOCTOR_UNTOLD_MAX = 8,
};

#define DOCTOR_MIB UINT64_C(0x100000)
#define DOCTOR_RETAINED_MIN (16 * DOCTOR_MIB)

enum weight {
	WEIGHT_SEVERE,
	WEIGHT_WARNING,
	WEIGHT_NOTE,
	N_WEIGHTS,
};

struct finding {
	enum weight weight;
	const char *check;
	char *command, *text; /* command NULL: there is none */
};

struct doctor {
	struct repl *r;
	struct dbg_stopped at;
	const char *check; /* the present one */
	struct finding v[DOCTOR_FINDINGS_MAX];
	size_t n;
	const char *untold[DOCTOR_UNTOLD_MAX]; /* see doctor_untold */
	size_t n_untold;
	struct dbg_blocked *blocked; /* several checks look at it */
	size_t n_blocked;
	struct dbg_thread *threads;
	size_t n_threads;
	/*
	 * the heap by type, with free space; what retains half of it, if it is
	 * large; or the error why not, which the check that looks at it returns
	 */
	struct dbg_heap_stat heap;
	struct dbg_heap_strings strings;
	struct dbg_error *no_heap, *no_keepers;
	uint64_t heap_bytes; /* of all objects; 0: not known */
	struct dbg_heap_retainer *keepers;
	size_t n_keepers;
	uint64_t n_registrations; /* of CancellationTokens */
	struct cJSON *watched;    /* NULL: it was not watched */
};

/* Add a finding; @command, NULL: none, shows more. */
void doctor_find(struct doctor *d, enum weight weight, const char *command,
		 const char *text);

/*
 * Tell the user that the current check cannot be made, since the core file
 * lacks @what (a string constant): silence would look like "no finding".
 */
void doctor_untold(struct doctor *d, const char *what);

/*
 * The checks. Each adds what it finds; an error says why it could not look.
 */
typedef struct dbg_error *doctor_check(struct doctor *d);

/* ---- doctor_threads.c: the first takes down who waits, for the others - */

doctor_check doctor_deadlock, doctor_pool, doctor_finalizer, doctor_threads;
doctor_check doctor_processor, doctor_async, doctor_tasks, doctor_timers,
    doctor_contexts;

/*
 * How many threads wait, directly or indirectly, for something without a known
 * owner, and for a thread that does not wait, without any finding about them.
 */
void doctor_waits_untold(const struct doctor *d, size_t *ret_unknown,
			 size_t *ret_held);
/* Append who has the Mutex that a thread waits for, outside of the program. */
void doctor_outsider_add(const struct dbg_blocked *b, struct str *text);

/* ---- doctor_watched.c: what was seen while the program ran -------------- */

/*
 * Let the program go on for so long and see what it does, or take what was seen
 * before. *ret_look: there is a stop to be examined, which is d->at then; not,
 * if the program has ended meanwhile, or could not be watched, which is said.
 * @json: the stop is not shown.
 */
DBG_MUST struct dbg_error *doctor_watch(struct doctor *d,
					const char *for_seconds, bool json,
					bool *ret_look);
/* The checks of it; the list of threads is known. */
doctor_check doctor_watched;
/* Was the thread seen, and did it stand still all the time? */
bool doctor_stood(const struct doctor *d, uint32_t thread);
/* Append that the threads that a finding is about did so. */
void doctor_stood_add(const struct doctor *d, struct str *text);
/* Show for how long, and what was seen in all. */
void doctor_watched_show(struct sheet *s, const struct doctor *d);

/* ---- cmd_doctor.c --------------------------------------------------- */

doctor_check doctor_heap, doctor_handles, doctor_leaks;
doctor_check doctor_limits, doctor_descriptors, doctor_native;

#endif
