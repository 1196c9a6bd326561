/*
 * GDB/MI: the machine interface of gdb, for the front ends made for it.
 *
 * The program's output, through pipes, so that it never mixes with the records.
 * A program with a terminal of its own has no pipes.
 *
 * Expressions for which the program makes calls, and waiting for these.
 */
#ifndef MI_H
#define MI_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"

struct front_options;
struct listen_at;
struct ui_ops;

enum mi_dialect {
	MI_GDB,
	MI_NETCOREDBG, /* names, orders and words as netcoredbg has them */
};

struct mi_options {
	unsigned int version; /* 2, 3 or 4 */
	enum mi_dialect dialect;
	bool run; /* start the program at once */
};

/*
 * Serve a client until it leaves: the one that connects at @listen, or with
 * NULL that at stdin and stdout. Returns the exit status.
 */
int mi_main(struct dbg *dbg, const struct front_options *front,
	    const struct mi_options *options, const struct listen_at *listen);

/* The same on a second terminal: `new-ui mi TERMINAL`. */
extern const struct ui_ops mi_ui;

struct mi;

enum {
	MI_OUTPUT_FDS = 2
};

struct mi_output {
	bool keeps_input;          /* the program has ours */
	int fds[MI_OUTPUT_FDS];    /* stdout, stderr; -1: closed */
	int theirs[MI_OUTPUT_FDS]; /* the program's ends */
	char names[MI_OUTPUT_FDS][32];
};
/* The program has got its ends, or was not started: close our copies. */
void mi_output_started(struct mi_output *o);
void mi_output_poll(const struct mi_output *o, struct pollfd *fds, bool full);
void mi_output_serve(struct mi *m, const struct pollfd *fds);
/* Pass on what was printed up to now. */
void mi_output_drain(struct mi *m);

/* Evaluate or assign, with calls in the program; waits for the end. */
DBG_MUST struct dbg_error *mi_evaluate(struct mi *m,
				       const struct dbg_eval_request *req,
				       struct dbg_value *ret);

#endif
