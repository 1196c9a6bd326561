/*
 * The commands of the prompt for another front end, which shows what they
 * print. One that resumes the program does not wait: events are taken by the
 * front end that asks.
 */
#ifndef FRONT_COMMANDS_H
#define FRONT_COMMANDS_H

#include <stdio.h>

#include "dbg.h"

struct loop;
struct words;
struct command_host;

/* Where the user looks. */
struct command_place {
	uint32_t thread, level;
};

struct command_ops {
	/* NULL only if @loop is. */
	struct command_host *(*create)(struct dbg *dbg, struct loop *loop);
	void (*destroy)(struct command_host *host);
	/* Carry out one line; what it prints goes to @out. */
	DBG_MUST struct dbg_error *(*line)(struct command_host *host,
					   const char *line,
					   const struct command_place *place,
					   FILE *out);
	/*
	 * What the last word of @line may become, sorted; it begins at
	 * byte @start. The caller frees the words.
	 */
	void (*complete)(struct command_host *host, const char *line,
			 const struct command_place *place, struct words *ret,
			 size_t *start);
};

#endif
