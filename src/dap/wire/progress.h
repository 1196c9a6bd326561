/*
 * Long work. What waits for something outside is told to a client that shows
 * such, from start to end. A request that may take long is carried out in
 * pieces; between them it is told, and the client is heard: it may cancel.
 */
#ifndef DAP_PROGRESS_H
#define DAP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

struct dap;
struct request;

enum {
	WORK_PIECE = 10000 /* frames, values */
};

/*
 * Waits that are shown to the client, which names one by its id to cancel it.
 */
enum progress_kind {
	PROGRESS_TERMINAL, /* of the client's, to start the program in */
	PROGRESS_END,      /* of the program, which was asked to */
	N_PROGRESS,
};

/* @request is the one that waits, 0: none. */
void progress_start(struct dap *d, enum progress_kind kind, int64_t request);
/* End a progress; nothing if it was not started. */
void progress_end(struct dap *d, enum progress_kind kind);
/* Is this progress under way, and is @id its id? */
bool progress_is(const struct dap *d, enum progress_kind kind, const char *id);

/* The work of a request. */
struct work {
	const char *title; /* "Reading the stack" */
	const char *unit;  /* "frames" */
	uint64_t done;
	bool told; /* the client was told of it */
};

/*
 * After a part of @req's work, with more to come: an error if the client has
 * cancelled the request or is gone.
 */
DBG_MUST struct dbg_error *work_piece(struct dap *d, const struct request *req,
				      struct work *w);
/* Call at the end of the work, complete or not. */
void work_end(struct dap *d, const struct request *req, const struct work *w);

#endif
