/* Evaluations for which the program runs: evaluation.c. */
#ifndef SESSION_EVALUATION_H
#define SESSION_EVALUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg/evaluate.h"

struct arena;
struct dbg_stop;
struct evaluation;

/* When other threads than the calling one run. */
enum call_threads {
	CALL_THREADS_LATE, /* when the call takes longer than a moment */
	CALL_THREADS_ON,
	CALL_THREADS_OFF,
};

/* The user's settings for calls. */
struct evaluation_rules {
	enum dbg_calls calls; /* SETTING: as not set yet */
	enum call_threads threads;
	uint32_t ms; /* limit to one call; 0: not set */
	char text[12];
};

enum {
	HANDLES_MAX = 160
};

/* Handles of the program's that evaluations use: see evaluation.c. */
struct handles {
	uint64_t v[HANDLES_MAX];
	size_t n;
	bool is_late; /* a call that makes or fills a handle goes on, but nobody
			 waits for it */
	uint64_t late;   /* the handle that the call fills; 0: it makes one */
	uint64_t memory; /* of the program's, for arguments; 0: none */
};

/* The settings "evaluation", "call-threads", "call-timeout". */
DBG_MUST struct dbg_error *evaluation_set_calls(struct dbg *dbg,
						const char *value);
const char *evaluation_get_calls(struct dbg *dbg);
DBG_MUST struct dbg_error *evaluation_set_threads(struct dbg *dbg,
						  const char *value);
const char *evaluation_get_threads(struct dbg *dbg);
DBG_MUST struct dbg_error *evaluation_set_timeout(struct dbg *dbg,
						  const char *value);
const char *evaluation_get_timeout(struct dbg *dbg);

void evaluation_destroy(struct evaluation *v);
/*
 * After each event: handle it if it ends a call that an evaluation makes. True:
 * it did; the evaluation has then gone on or is over, and the thread must not
 * be resumed.
 */
bool evaluation_called(struct dbg *dbg);
/*
 * Before the program runs on or is let go: values are not followed further,
 * their handles are emptied.
 */
void holding_forget(struct dbg *dbg);
/* The program stopped for the user: end an evaluation under way. */
void evaluation_stopped(struct dbg *dbg, const struct dbg_stop *stop);
/* The program has ended: an evaluation under way fails. */
void evaluation_ended(struct dbg *dbg);
/*
 * Before a stopped program is let go: take out of it what evaluations have put
 * there.
 */
void evaluation_let_go(struct dbg *dbg);
/* Number of the thread that makes a call, 0: none does. */
uint32_t evaluation_thread(const struct dbg *dbg);
/*
 * The sentence that the evaluation under way has exceeded its time limit, in
 * @arena; NULL: it has not.
 */
const char *evaluation_late(const struct dbg *dbg, struct arena *arena);
/*
 * Check an evaluation that runs against the clock: let the other threads run if
 * the call has been alone for long, and pause the program when the time limit
 * has passed.
 */
void evaluation_tick(struct dbg *dbg);

#endif
