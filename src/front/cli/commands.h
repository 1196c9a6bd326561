/*
 * The commands of the prompt for another front end, which shows what they
 * print: `-exec COMMAND` in an editor's debug console, -interpreter-exec of
 * GDB/MI. The other front end owns the session, the loop and the launch
 * configuration; a command works on them. One that resumes the program does
 * not wait for a stop: events are taken by the front end that asks.
 */
#ifndef FRONT_COMMANDS_H
#define FRONT_COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

#include "dbg.h"
#include "front/cli/words.h"

struct command_host;
struct command_ops;
struct debuggee_event;
struct front_options;
struct launch_config;
struct loop;
struct str;

/* The thread and frame that the user has selected. */
struct command_place {
	uint32_t thread, level;
};

/* The state that a command leaves behind. */
struct command_result {
	struct command_place place; /* where the user looks now */
	bool quit;                  /* it was `quit` */
	bool resumed;               /* the program, which may have stopped */
};

/* Filled by the front end that wants commands to be carried out. */
struct commands {
	const struct command_ops *ops;     /* repl_commands, by way of main.c */
	const struct front_options *front; /* version, what `new-ui` opens */
	struct dbg *first; /* inferior 1; commands are about the current one */
	struct loop *loop;
	struct launch_config *launch; /* what `set args` and the like change */
	/*
	 * A sentence that refuses commands which start a program or attach to
	 * one; NULL: they may.
	 */
	const char *no_start;
	/*
	 * Have `new-ui` open interfaces whose events are those that
	 * commands_event is given. @quit: the user wants to leave at one of
	 * them; NULL: there can be none. @take: it wants the engine's events
	 * to be taken now.
	 */
	void (*quit)(void *arg);
	void (*take)(void *arg);
	void *ui_arg;
	/* Called with what a program is about to be started with, or NULL. */
	void (*on_launch)(void *arg, struct dbg_launch *launch);
	void *launch_arg;
	/* Evaluate with calls and wait for the end; NULL: it cannot wait. */
	struct dbg_error *(*evaluate)(void *arg,
				      const struct dbg_eval_request *req,
				      struct dbg_value *ret);
	void *evaluate_arg;
	/*
	 * Facts about the program's last seconds, for `doctor`: see
	 * monitor_doctor_watch(). NULL: there are none.
	 */
	const char *watched;
	struct command_host *host; /* made by the first command, NULL before */
};

/* Services of the prompt for other front ends. */
struct command_ops {
	struct command_host *(*create)(const struct commands *commands);
	void (*destroy)(struct command_host *host); /* NULL is allowed */
	/* Carry out one line; what it prints goes to @out. */
	DBG_MUST struct dbg_error *(*line)(struct command_host *host,
					   const char *line,
					   const struct command_place *place,
					   FILE *out);
	/* Lines that belong together: `commands`, its block, `end`. */
	DBG_MUST struct dbg_error *(*lines)(struct command_host *host,
					    const struct words *lines,
					    const struct command_place *place,
					    FILE *out);
	/*
	 * The program has stopped: what was asked for then, displays and the
	 * commands of the breakpoint; @show: print the stop first.
	 */
	void (*stopped)(struct command_host *host,
			const struct command_place *place, bool show,
			FILE *out);
	/* Print what the prompt prints of an event, without acting on it. */
	void (*tell)(struct command_host *host, const struct debuggee_event *e,
		     const struct command_place *place, FILE *out);
	/* Pass an event on to the interfaces that `new-ui` has opened. */
	void (*event)(struct command_host *host,
		      const struct debuggee_event *e);
	/* Breakpoints may have changed: those interfaces look. */
	void (*changed)(struct command_host *host);
	/* Get the state that the last command has left. */
	void (*after)(const struct command_host *host,
		      struct command_result *ret);
	/*
	 * Complete the last word of @line, which begins at byte *@start: sorted
	 * candidates, freed by the caller.
	 */
	void (*complete)(struct command_host *host, const char *line,
			 const struct command_place *place, struct words *ret,
			 size_t *start);
	/* Is @word an option whose value is the next word ("--top")? */
	bool (*has_value)(const char *word);
};

/*
 * Carry out one line and append what it prints to @ret, also if it fails;
 * what is beyond 4 MiB is cut off.
 */
DBG_MUST struct dbg_error *commands_run(struct commands *c, const char *line,
					const struct command_place *place,
					struct str *ret);

/* As commands_run, of command_ops.lines and .stopped. */
DBG_MUST struct dbg_error *commands_lines(struct commands *c,
					  const struct words *lines,
					  const struct command_place *place,
					  struct str *ret);
DBG_MUST struct dbg_error *commands_stopped(struct commands *c,
					    const struct command_place *place,
					    bool show, struct str *ret);
/* As command_ops.tell, .event and .changed; these do not fail. */
void commands_tell(struct commands *c, const struct debuggee_event *e,
		   const struct command_place *place, struct str *ret);
void commands_event(struct commands *c, const struct debuggee_event *e);
void commands_changed(struct commands *c);
/* Get the state that the last command has left. */
struct command_result commands_result(struct commands *c);

/* As command_ops.complete. */
void commands_complete(struct commands *c, const char *line,
		       const struct command_place *place, struct words *ret,
		       size_t *start);

/* Forget what the commands keep among themselves (displays, aliases, ...). */
void commands_deinit(struct commands *c);

#endif
