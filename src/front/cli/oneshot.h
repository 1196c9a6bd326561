/*
 * Commands of the prompt from the shell: `dndbg heap stat PID|NAME|CORE ...`
 * is "heap stat ..." about that program. One that runs stands still as long
 * as the command looks at it, and goes on.
 */
#ifndef FRONT_ONESHOT_H
#define FRONT_ONESHOT_H

#include "dbg.h"

struct command_ops;

/*
 * Attach to what @what names: a number a process, else a program. @how says the
 * rest: to a frozen copy of it, a look at its processor time before.
 */
DBG_MUST struct dbg_error *open_process(struct dbg *dbg, const char *what,
					const struct dbg_attach *how);
/* Open what @what names: a file a core, else as open_process. */
DBG_MUST struct dbg_error *open_program(struct dbg *dbg, const char *what,
					const struct dbg_attach *how);

/* Can the word be a command from the shell? */
bool oneshot_is(const char *word);
/*
 * Name of the command number @i, NULL: there are no more. *ret_program: the
 * program is the word behind it.
 */
const char *oneshot_name(size_t i, bool *ret_program);
/* Where oneshot_main() has commands, and what watches, from. */
struct oneshot_means {
	const struct command_ops *ops;
	/*
	 * Watch a program for @seconds before it is opened: *ret_facts, which
	 * the caller frees, is what a command is told by commands.watched.
	 */
	struct dbg_error *(*watch)(struct dbg *dbg, const char *what,
				   const char *seconds, pid_t *ret_pid,
				   char **ret_facts);
};

/*
 * Carry out the command @argv[0], with its subcommand in @argv[1] if it has
 * some, about the program that the next word names; returns the exit status.
 */
int oneshot_main(struct dbg *dbg, const struct oneshot_means *means, int argc,
		 char **argv);

#endif
