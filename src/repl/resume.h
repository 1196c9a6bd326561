/*
 * Running the program and what comes of it: the stop that ends the wait, the
 * commands of its breakpoint.
 */
#ifndef REPL_RESUME_H
#define REPL_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"
#include "front/cli/words.h"

struct call;
struct repl;
struct str;

/* Commands to carry out at a breakpoint's hit. */
struct hook {
	uint32_t breakpoint;
	struct words lines;
};

/* ---- resume.c: running and what comes of it -------------------------- */

enum resume_kind {
	RESUME_RUN,
	RESUME_STEP,
	RESUME_INSTRUCTION,
};

/* Call before the engine's resuming call. */
void resume_begin(struct repl *r, enum resume_kind kind);
/*
 * Call with that call's result: wait until the program stops or ends. The
 * exit is printed, a stop is not.
 */
DBG_MUST struct dbg_error *resume_wait(struct repl *r, struct dbg_error *err);
/* resume_wait, and print the stop and the displays. */
DBG_MUST struct dbg_error *resume_end(struct repl *r, struct dbg_error *err);
/*
 * As resume_end, and between the stop and the displays print the value that the
 * call which was stepped out of returned.
 */
DBG_MUST struct dbg_error *resume_finish(struct repl *r, struct dbg_error *err);
/*
 * Let the program go on while dndbg, started with the words of @line, watches
 * it; then stop it. A stop that comes before, or Ctrl-C, ends the watching
 * early. @printed takes what is printed, and the stop is not shown; NULL: both
 * are. (cmd_watching.c)
 */
DBG_MUST struct dbg_error *watching_resume(struct repl *r,
					   struct dbg_stopped at,
					   const char *line,
					   struct str *printed);
/*
 * Make the statement that @args names the next one; @run: and go on. Shows
 * the stop that follows. (cmd_run.c)
 */
DBG_MUST struct dbg_error *run_goto(struct repl *r, struct dbg_stopped at,
				    const char *args, bool run);
/*
 * The program, resumed by another front end, has stopped: print the stop (if
 * @show) and the displays, and carry out the breakpoint's commands.
 */
void resume_stopped(struct repl *r, bool show);
/*
 * At the prompt: print a stop of a program that another interface has resumed;
 * false: there was none.
 */
bool resume_told(struct repl *r);
/*
 * Ctrl-C at the prompt, `interrupt`: stop a running program that another
 * interface has resumed; false: none runs.
 */
bool resume_interrupt(struct repl *r);
/* Carry out commands of breakpoints until none are due. */
void actions_run(struct repl *r);

/*
 * Evaluate @expr in the selected frame, with its calls made in the program, and
 * wait for its value. A stop that comes in between is shown. (evaluate_wait.c)
 */
DBG_MUST struct dbg_error *evaluate_wait(struct repl *r, struct dbg_stopped at,
					 const char *expr, enum dbg_calls calls,
					 struct dbg_value *ret);
/* ... have an update applied. */
DBG_MUST struct dbg_error *evaluate_update(struct repl *r,
					   struct dbg_stopped at,
					   const struct dbg_update *update,
					   struct dbg_value *ret);

/*
 * Evaluate what the user has typed: interpreted, assigned, called, as the
 * setting "evaluation" says.
 */
DBG_MUST struct dbg_error *evaluate_typed(struct repl *r, struct dbg_stopped at,
					  const char *expr,
					  struct dbg_value *ret);

/* The same for an expression that is only shown: an assignment is refused. */
DBG_MUST struct dbg_error *evaluate_shown(struct repl *r, struct dbg_stopped at,
					  const char *expr,
					  struct dbg_value *ret);
/*
 * As evaluate_shown, with the value as text, in the format that a letter of
 * dbg_format names.
 */
DBG_MUST struct dbg_error *evaluate_format(struct repl *r,
					   struct dbg_stopped at,
					   const char *expr, char letter,
					   const char **ret);

/* ---- cmd_break.c: commands of breakpoints ------------------------------- */

/* The commands of a breakpoint; NULL if it has none. */
struct hook *hook_find(struct repl *r, uint32_t breakpoint);
void hook_delete(struct repl *r, uint32_t breakpoint);

#endif
