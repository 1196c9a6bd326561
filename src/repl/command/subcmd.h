/*
 * Commands and what belongs to them that other files of commands use: most are
 * subcommands of `info`, `show`, `delete` and the like.
 */
#ifndef REPL_SUBCMD_H
#define REPL_SUBCMD_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"
#include "front/cli/words.h"

struct call;
struct repl;

/* A command that the user made. */
struct user_command {
	char *name;
	bool alias; /* lines are one, the beginning of a command */
	struct words lines;
	char *text; /* of `document`, NULL: none */
};

/* ---- cmd_break.c: also subcommands of delete, enable, disable ------ */

DBG_MUST struct dbg_error *display_delete(struct repl *r,
					  const struct call *call);
DBG_MUST struct dbg_error *display_enable(struct repl *r,
					  const struct call *call);
DBG_MUST struct dbg_error *display_disable(struct repl *r,
					   const struct call *call);
void displays_deinit(struct repl *r);

/* ---- cmd_stack.c, cmd_stack.c ---------------------------------------- */

/* `backtrace`. */
DBG_MUST struct dbg_error *stack_info(struct repl *r, struct dbg_stopped at,
				      const struct call *call);
/* Count the frames of the selected thread. */
DBG_MUST struct dbg_error *frame_count(struct repl *r, struct dbg_stopped at,
				       uint32_t *ret);
enum {
	FRAME_SILENT = 1, /* value of commands that do not show it */
};

/* ---- cmd_stack.c ---------------------------------------------------- */

/* `info frame [N]`, `info registers [NAME...]`. */
DBG_MUST struct dbg_error *frame_info(struct repl *r, struct dbg_stopped at,
				      const struct call *call);
DBG_MUST struct dbg_error *registers_info(struct repl *r, struct dbg_stopped at,
					  const struct call *call);

/* ---- cmd_skip.c ------------------------------------------------------ */

/* `info skip`. */
DBG_MUST struct dbg_error *skip_info(struct repl *r, const struct call *call);
void skips_deinit(struct repl *r);

/* ---- cmd_run.c ------------------------------------------------------- */

/* Tell the engine which program is going to be run: if it is not there. */
DBG_MUST struct dbg_error *program_name(const struct repl *r);

/* ---- cmd_thread.c ---------------------------------------------------- */

/* The name of a thread, as the user or the program has set it. */
const char *thread_name_get(const struct repl *r, const struct dbg_thread *t);
/* Forget what the user called them. */
void thread_names_clear(struct repl *r);

/* ---- cmd_user.c ------------------------------------------------------ */

/* The user-defined command whose name @line begins with; NULL: none. */
const struct user_command *user_command_find(struct repl *r, const char *line);
DBG_MUST struct dbg_error *user_command_run(struct repl *r,
					    const struct user_command *c,
					    const char *line);
void user_command_help(const struct repl *r, const struct user_command *c);
/* `show user [COMMAND]`. */
DBG_MUST struct dbg_error *user_commands_show(struct repl *r,
					      const struct call *call);
void user_commands_deinit(struct repl *r);

/* `help [CLASS | COMMAND]`. */
DBG_MUST struct dbg_error *help_run(struct repl *r, const struct call *call);
/* `apropos WORD`. */
DBG_MUST struct dbg_error *help_apropos(struct repl *r,
					const struct call *call);

/* ---- cmd_signal.c ---------------------------------------------------- */

/* `info signals [SIGNAL]`. */
DBG_MUST struct dbg_error *signal_info(struct repl *r, const struct call *call);

#endif
