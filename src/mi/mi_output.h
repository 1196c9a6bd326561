/*
 * The program's output, through pipes, so that it never mixes with the records.
 * A program with a terminal of its own has no pipes.
 */
#ifndef MI_OUTPUT_H
#define MI_OUTPUT_H

#include <poll.h>
#include <stdbool.h>

#include "dbg.h"

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

void mi_output_init(struct mi_output *o);
void mi_output_deinit(struct mi_output *o);
/* A program is about to be started: @arg is the struct mi_output. */
void mi_output_launch(void *arg, struct dbg_launch *launch);
/* The program has got its ends, or was not started: close our copies. */
void mi_output_started(struct mi_output *o);
void mi_output_poll(const struct mi_output *o, struct pollfd *fds, bool full);
void mi_output_serve(struct mi *m, const struct pollfd *fds);
/* Pass on what was printed up to now. */
void mi_output_drain(struct mi *m);

#endif
