/*
 * How a program is started, the same for every front end. The command line
 * fills it (main.c), `file`, `set args`, `set env` and the like change it at
 * the prompt, the attributes of launch.json in the debug adapter; each start
 * makes a dbg_launch of it. Settings of the engine (just my code, step filters,
 * ...) are set there by dbg_set and are not kept here.
 */
#ifndef FRONT_LAUNCHCONFIG_H
#define FRONT_LAUNCHCONFIG_H

#include "base/str.h"
#include "dbg.h"
#include "front/cli/words.h"

struct launch_config {
	char *program;     /* NULL: none yet */
	struct words args; /* without the program */
	char *cwd;         /* NULL: ours */
	struct words env;  /* "NAME=VALUE" sets, "NAME" removes; in order */
	char *stdio[3];    /* as in struct dbg_launch */
	char *tty;         /* its terminal, NULL: ours */
};

/* Free what @c holds; it is empty then. */
void launch_config_deinit(struct launch_config *c);

/* Replace what @to holds by a copy of @from. */
void launch_config_copy(struct launch_config *to,
			const struct launch_config *from);

/*
 * Take arguments as a shell has them: `a "b c" < FILE > FILE 2> FILE` replaces
 * the arguments and the redirections, an empty @line removes them. A line that
 * is not well formed changes nothing.
 */
DBG_MUST struct dbg_error *launch_config_args(struct launch_config *c,
					      const char *line);

/* Add to the changes of the environment; @value NULL removes the variable. */
void launch_config_env(struct launch_config *c, const char *name,
		       const char *value);

/* A request to start it; it borrows from @c. */
struct dbg_launch launch_config_request(const struct launch_config *c);
/*
 * Have the streams that are not redirected, and copies of such, go to @to,
 * which lasts as long as @launch.
 */
void launch_stdio(struct dbg_launch *launch, const char *const to[3]);

/* Append the program and its arguments, quoted as in a shell. */
void launch_config_line(const struct launch_config *c, struct str *ret);

#endif
