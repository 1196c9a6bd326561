/*
 * Declarations shared by the files of the terminal front end.
 *
 * The model: commands are carried out one after the other. One that resumes the
 * program waits in resume_wait() until the program stops or ends; only then is
 * the next line read. So the prompt is there only while the program stands
 * still, and its output and ours never mix. Signals and events that come while
 * a line is typed are handled inside the reading of the line.
 *
 * Lines come from the innermost struct input: the user, the start-up options, a
 * sourced file. The commands of a breakpoint are not an input: actions_run()
 * carries them out after the command that led to the stop.
 */
#ifndef REPL_REPL_PRIV_H
#define REPL_REPL_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "dbg.h"
#include "front/cli/options.h"
#include "front/cli/words.h"
#include "front/loop.h"
#include "repl/repl.h"
#include "repl/uis.h"

struct edit;
struct hook;
struct screen;
struct skip;
struct input;
struct user_command;

struct display {
	uint32_t number;
	bool enabled;
	char *format; /* as written behind the '/', "" for none */
	char *expr;
	/* the method whose variables it shows; NULL: none, or not known yet */
	char *method, *mvid;
	uint32_t token;
	uint32_t block; /* of it, see dbg_eval_needs */
};

/* The lines that `list` has shown last; 0: nothing yet. */
struct listing {
	char *file;
	uint64_t first, last;
	bool ended; /* the last line of the file was shown */
};

/* Where `x` continues. */
struct examine {
	uint64_t addr;
	char letter, size;
};

/* The line that tells of long work, see show/show_progress.c. */
struct repl_progress {
	int64_t began; /* the command, in milliseconds */
	int64_t last;  /* when the line was last printed */
	bool shown;
};

/* The user's name for a thread; NULL: it has the program's. */
struct thread_name {
	uint32_t thread;
	char *name;
};

/*
 * One prompt and its session. Large: it has what several families of commands
 * share, and the lists that the user makes.
 */
struct repl {
	struct dbg *first;         /* of inferior 1 */
	struct dbg *dbg;           /* of the inferior that is looked at */
	uint32_t stopped_inferior; /* of the last stop, or chosen since */
	struct loop *loop;
	const struct front_options *options;
	struct launch_config *launch; /* of the program to run */
	uint32_t settle;              /* see struct dbg_attach */
	struct repl_settings set;
	FILE *out, *err; /* what is printed, what went wrong */
	FILE *screen;    /* what out is at the prompt, NULL if hosted */
	struct screen *screen_state; /* NULL if hosted */
	bool hosted;          /* by another front end, whose the loop is */
	const char *no_start; /* see struct commands, as the next two */
	void (*ui_quit)(void *arg);
	void (*ui_take)(void *arg);
	void *ui_arg;
	/* evaluates with calls on behalf of a hosted prompt, or NULL */
	struct dbg_error *(*evaluate)(void *arg,
				      const struct dbg_eval_request *req,
				      struct dbg_value *ret);
	void *evaluate_arg;
	void (*on_launch)(void *arg, struct dbg_launch *launch); /* likewise */
	void *launch_arg;
	const char *watched;
	bool terminal; /* the user sits at stdin */
	struct repl_progress progress;
	bool colours;
	struct edit *edit; /* line editing, NULL: plain reading */
	struct input *input;
	unsigned int depth; /* of sourced files and actions, for '+' */

	/* the selected thread and frame, valid for one stop */
	uint32_t thread;
	uint32_t level;
	bool evaluated; /* what evaluate_wait waits for */
	bool has_frame; /* @frame is the frame of @thread and @level */
	bool no_levels; /* frames are printed without their numbers */
	struct dbg_frame frame;

	/* The way to the present stop. */
	bool stopped; /* an event said so and nothing resumed since */
	bool untold;  /* ... and nobody waited for that here */
	bool exited;
	bool killed;          /* by us: its end is not printed */
	bool instruction;     /* the step was one of instructions */
	uint32_t last_thread; /* looked at before, 0: none */
	uint32_t step_token;  /* of the frame stepped, 0: it was no step */
	uint64_t step_sp, step_bp;
	char *step_file; /* it stood in, or NULL */
	uint32_t action; /* breakpoint whose commands are due, 0: none */
	uint64_t resumes;
	bool interrupted; /* Ctrl-C came since the program was resumed */

	struct hook *hooks;
	size_t n_hooks, cap_hooks;
	struct thread_name *names;
	size_t n_names, cap_names;
	struct user_command *commands;
	size_t n_commands, cap_commands;
	unsigned int user_depth; /* of them */
	struct skip *skips;
	size_t n_skips, cap_skips;
	uint32_t last_skip;
	struct display *displays;
	size_t n_displays, cap_displays;
	uint32_t last_display, last_break;
	/* counters at the start of the present command and of the one before */
	struct dbg_counters counting, counted;
	struct listing listing;
	struct examine examine;

	struct ui_entry *uis; /* further interfaces */
	size_t n_uis, cap_uis;
	struct command_host *host; /* the prompt itself, for them */
	struct inert *inerts;      /* see inert.c */
	size_t n_inerts, cap_inerts;

	char *last_line; /* what an empty line repeats, NULL: nothing */
	bool bare;       /* ... without its arguments */
	bool quit;
	bool failed;         /* a command did */
	bool startup_failed; /* one that the command line gave did */
	int quit_status;
	int program_status; /* exit code, 128 + signal; -1: did not end */
};

/* ---- repl.c -------------------------------------------------------- */

/*
 * A command host for other front ends that uses @r itself. The caller frees it.
 */
struct command_host *host_of_prompt(struct repl *r);

/* Carry out a line and the actions that it leads to, echoing it if asked. */
DBG_MUST struct dbg_error *repl_line(struct repl *r, const char *line);
/* Print @err to r->err with @prefix, note the failure, destroy it. */
void repl_warn(struct repl *r, const char *prefix, struct dbg_error *err);
/*
 * Print a sentence. The engine's begin with a small letter and have no full
 * stop: both are added.
 */
void repl_say(FILE *out, const char *s);
/* End the prompt: SIGTERM or SIGHUP has come. */
void repl_end(struct repl *r);
/* Ask "@question (y or n) "; yes without a terminal or confirmation. */
bool repl_confirm(struct repl *r, const char *question);

#endif
