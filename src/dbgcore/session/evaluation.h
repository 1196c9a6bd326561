/* Evaluations for which the program runs: evaluation.c. */
#ifndef SESSION_EVALUATION_H
#define SESSION_EVALUATION_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg/evaluate.h"

struct arena;
struct dbg_stop;
struct evaluation;

/* When threads other than the one that makes a call run. */
enum call_threads {
	CALL_THREADS_LATE, /* when the call takes longer than a moment */
	CALL_THREADS_ON,
	CALL_THREADS_OFF,
};

/* What the user's settings say of calls. */
struct evaluation_rules {
	enum dbg_calls calls; /* SETTING: as not set yet */
	enum call_threads threads;
	uint32_t ms; /* limit to one call; 0: not set */
	char text[12];
};

enum {
	HANDLES_MAX = 160
};

/* Handles of the program's that evaluations use: see holding.c. */
struct handles {
	uint64_t v[HANDLES_MAX];
	size_t n;
	bool is_late;  /* the call for one goes on that nobody waits for */
	uint64_t late; /* which is filled by it; 0: one that it makes */
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
/* What is meant by @calls. */
enum dbg_calls evaluation_calls(const struct dbg *dbg, enum dbg_calls calls);
uint32_t evaluation_ms(const struct dbg *dbg);

void evaluation_destroy(struct evaluation *v);
/*
 * Behind each event: true if a call ended with it. The evaluation has gone on
 * then, or is over; the thread is not to be resumed.
 */
bool evaluation_called(struct dbg *dbg);
/* Before the program runs on, or is let go: values are not followed further. */
void holding_forget(struct dbg *dbg);
/* The program stopped for the user: an evaluation is over. */
void evaluation_stopped(struct dbg *dbg, const struct dbg_stop *stop);
/* The program is gone. */
void evaluation_ended(struct dbg *dbg);
/* It stands, and is about to be let go: it keeps nothing of ours. */
void evaluation_let_go(struct dbg *dbg);
/* Number of the thread that makes a call, 0: none does. */
uint32_t evaluation_thread(const struct dbg *dbg);
/* Its time is over: the sentence about that, in @arena; NULL: it is not. */
const char *evaluation_late(const struct dbg *dbg, struct arena *arena);
/* Look at the clock. */
void evaluation_tick(struct dbg *dbg);

#endif
