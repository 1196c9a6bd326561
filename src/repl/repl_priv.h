/*
 * What the files of the terminal front end share.
 *
 * The model: commands are carried out one after the other. One that resumes
 * the program waits in resume_wait() until the program stops or ends; only
 * then is the next line read. So the prompt is there only while the program
 * stands still, and its output and ours never mix. Signals and events that
 * come while a line is typed are handled inside the reading of the line.
 *
 * Lines come from the innermost struct input: the user, the start-up
 * options, a sourced file. The commands of a breakpoint are not an input:
 * actions_run() carries them out after the command that led to the stop.
 */
#ifndef REPL_REPL_PRIV_H
#define REPL_REPL_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "dbg.h"
#include "loop.h"
#include "repl.h"
#include "text.h"
#include "words.h"

struct edit;
struct screen;
struct input;

struct repl_settings {
	bool confirm, trace, pretty, statics, full_names, style;
	bool frame_types; /* of the framework's parameters */
	bool pagination, log_enabled, log_overwrite, log_redirect;
	uint64_t height, width; /* 0: no end; SCREEN_AUTO */
	char *log_file;
	uint64_t elements, depth, list_size, history_size;
	char *prompt;
};

/* Commands to carry out at a breakpoint's hit. */
struct hook {
	uint32_t breakpoint;
	struct words lines;
};

struct display {
	uint32_t number;
	bool enabled;
	char *format; /* as written behind the '/', "" for none */
	char *expr;
};

/* What was listed last; line numbers, 0: nothing yet. */
struct listing {
	char *file;
	uint64_t first, last;
	bool ended; /* the last line of the file was shown */
};

/* Where `x` goes on. */
struct examine {
	uint64_t addr;
	char letter, size;
};

/* A command that the user made. */
struct user_command {
	char *name;
	bool alias; /* lines are one, the beginning of a command */
	struct words lines;
	char *text; /* of `document`, NULL: none */
};

/* What the user calls a thread, NULL: as the program does. */
struct thread_name {
	uint32_t thread;
	char *name;
};

/* A program that is debugged. */
struct inferior {
	uint32_t number;
	struct dbg *dbg;
	pid_t pid;     /* of the last run */
	char *program; /* NULL: that of `run` */
	bool gone;     /* to be taken out of the list */
};

struct repl {
	struct dbg *dbg; /* of the inferior that is looked at */
	struct inferior **inferiors;
	size_t n_inferiors, cap_inferiors;
	uint32_t last_inferior;
	uint32_t shown_inferior; /* of the last stop, or chosen since */
	struct loop *loop;
	const struct repl_options *options;
	struct repl_settings set;
	FILE *out, *err; /* what is printed, what went wrong */
	FILE *screen;    /* what out is at the prompt, NULL if hosted */
	struct screen *screen_state; /* NULL if hosted */
	bool hosted;   /* by another front end, whose the loop is */
	bool terminal; /* the user sits at stdin */
	bool colours;
	struct edit *edit; /* line editing, NULL: plain reading */
	struct input *input;
	unsigned int depth; /* of sourced files and actions, for '+' */

	/* The program to run. */
	char *program, *cwd, *tty;
	struct words args, env;
	char *stdio[3];

	/* Where the user looks, valid for one stop. */
	uint32_t thread;
	uint32_t level;
	bool has_frame; /* frame is that of thread and level */
	bool no_levels; /* frames are printed without their numbers */
	struct dbg_frame frame;

	/* The way to the present stop. */
	bool stopped; /* an event said so and nothing resumed since */
	bool exited;
	bool killed;          /* by us: its end is no news */
	bool instruction;     /* the step was one of instructions */
	uint32_t last_thread; /* looked at before, 0: none */
	uint32_t step_token;  /* of the frame stepped, 0: it was no step */
	uint64_t step_sp, step_bp;
	uint32_t action; /* breakpoint whose commands are due, 0: none */
	uint64_t resumes;

	struct hook *hooks;
	size_t n_hooks, cap_hooks;
	struct thread_name *names;
	size_t n_names, cap_names;
	struct user_command *commands;
	size_t n_commands, cap_commands;
	unsigned int user_depth; /* of them */
	struct display *displays;
	size_t n_displays, cap_displays;
	uint32_t last_display, last_break;
	/* At the start of the present command and of the one before. */
	struct dbg_counters counting, counted;
	struct listing listing;
	struct examine examine;

	char *last_line; /* what an empty line repeats, NULL: nothing */
	bool bare;       /* ... without its arguments */
	bool quit;
	bool failed; /* a command did */
	int quit_status;
	int program_status; /* exit code, 128 + signal; -1: did not end */
};

/* ---- repl.c: lines carried out -------------------------------------- */

/* Make @r ready, whose dbg, options and quit_status are set; end it. */
DBG_MUST struct dbg_error *repl_init(struct repl *r);
void repl_deinit(struct repl *r);
/* Carry out a line and the actions that it leads to, echoing it if asked. */
DBG_MUST struct dbg_error *repl_line(struct repl *r, const char *line);
/* Print @err to r->err with @prefix, note the failure, destroy it. */
void repl_complain(struct repl *r, const char *prefix, struct dbg_error *err);
/* Print a sentence: the engine's begin small and have no full stop. */
void repl_say(FILE *out, const char *s);
/* A signal told us to end. */
void repl_end(struct repl *r);
/* Ask "@question (y or n) "; yes without a terminal or confirmation. */
bool repl_confirm(struct repl *r, const char *question);

/* ---- input.c: where lines come from --------------------------------- */

/* Read the next line of the innermost input; false at its end. */
bool input_line(struct repl *r, const char *prompt, struct text *ret);
/* Is the innermost input the user? */
bool input_is_user(const struct repl *r);
/* Carry out the lines of a file up to the first error. */
DBG_MUST struct dbg_error *input_source(struct repl *r, const char *path);
/* Carry out @lines up to the first error. */
DBG_MUST struct dbg_error *input_lines(struct repl *r,
				       const struct words *lines);
/* Read the lines of a block, @what, up to its "end". */
DBG_MUST struct dbg_error *input_block(struct repl *r, const char *what,
				       struct words *ret);
/* Carry out the start-up options. */
void input_startup(struct repl *r);
/* Read and carry out the user's lines. */
void input_user(struct repl *r);
/* Read one line from the user, whatever the input is; false at the end. */
bool input_ask(struct repl *r, const char *prompt, struct text *ret);

/* ---- edit.c: line editing on a terminal ----------------------------- */

/* NULL if the terminal cannot. */
struct edit *edit_create(struct repl *r);
void edit_destroy(struct edit *e);

enum edit_result {
	EDIT_LINE,
	EDIT_CANCEL, /* Ctrl-C */
	EDIT_END,
};

/* Read a line with editing; @remember puts it into the history. */
enum edit_result edit_line(struct edit *e, const char *prompt, bool remember,
			   struct text *ret);

/* ---- complete.c ------------------------------------------------------ */

struct completion {
	struct words words; /* what the last word may become, sorted */
	size_t start;       /* where in the line that word begins */
	bool whole;         /* a blank follows, not more of the word */
};

/* What the word at the end of @line may become; the caller frees the words. */
void complete_line(struct repl *r, const char *line, struct completion *ret);

/* ---- resume.c: running and what comes of it ------------------------- */

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
 * Make the statement that @args names the next one; @run: and go on. Shows
 * the stop that follows. (cmd_run.c)
 */
DBG_MUST struct dbg_error *run_goto(struct repl *r, const char *args, bool run);
/* Carry out commands of breakpoints until none are due. */
void actions_run(struct repl *r);

/* ---- show_frame.c ---------------------------------------------------- */

/* Look at a frame; the engine's words if it does not exist. */
DBG_MUST struct dbg_error *frame_select(struct repl *r, uint32_t thread,
					uint32_t level);
/* The frame the user looks at. */
DBG_MUST struct dbg_error *frame_get(struct repl *r, struct dbg_frame *ret);
/* Its id, 0 if there is none. */
dbg_id frame_id(struct repl *r);

/* "Type.Method (a=1) at F.cs:12", with "0x... in " if @with_addr. */
void show_frame(struct repl *r, const struct dbg_frame *f, bool with_addr);
/* "#0  " and show_frame and the end of the line. */
void show_frame_line(struct repl *r, const struct dbg_frame *f);
/* "12\tcode" of a line, or what is known of it. */
void show_source_line(struct repl *r, const char *path, uint32_t line);
/* show_source_line of the frame's line, if there is one. */
void show_frame_source(struct repl *r, const struct dbg_frame *f);
/* " at F.cs:12" */
void show_file_line(const struct repl *r, const char *path, uint32_t line);
/* show_frame_line and show_frame_source of the selected frame. */
DBG_MUST struct dbg_error *show_selected(struct repl *r);
/* Frame or, within one function, only its line, after a stop. */
DBG_MUST struct dbg_error *show_stop(struct repl *r);
/* `Thread 1234 "name"` for a thread number. */
void show_thread(struct repl *r, uint32_t number);
/* A method's name without its parameter types. */
void frame_add_name(const char *function, struct text *ret);
/* The last part of a path of either system; borrowed from it. */
const char *source_base(const char *path);
/* How a source file is called on the screen; borrowed from @path. */
const char *source_name(const struct repl *r, const char *path);

/* ---- show_value.c ---------------------------------------------------- */

/* A value with its children, without name and end of line. */
void show_value(struct repl *r, const struct dbg_value *v);
/* A catchpoint as it was asked for: "throw -exact System.IO.IOException". */
void catch_add_text(const struct dbg_breakpoint *b, struct text *ret);
/* "name = value" lines of a scope; says @none if there are none. */
DBG_MUST struct dbg_error *show_scope(struct repl *r, dbg_id frame,
				      enum dbg_scope scope, const char *none,
				      const char *indent);
enum show_mode {
	SHOW_DISPLAY, /* nothing is assigned */
	SHOW_OUTPUT,
	SHOW_PRINT, /* with a number in the history */
};

/* The value of @expr as `print/FORMAT` shows it, or an error. */
DBG_MUST struct dbg_error *show_expr(struct repl *r, const char *expr,
				     const char *format, enum show_mode mode);
/* Print the displays that are enabled, or the one of @number. */
void display_show(struct repl *r, uint32_t number);
/* Is a value too much for one line of a frame? Print its text cut. */
void show_brief(const struct repl *r, const struct dbg_value *v);

/* ---- show_printf.c --------------------------------------------------- */

/* What `printf "FORMAT", EXPRESSION...` prints. */
DBG_MUST struct dbg_error *show_printf(struct repl *r, const char *args);

/* ---- show_break.c ---------------------------------------------------- */

/* What was made of a new breakpoint, in gdb's words. */
DBG_MUST struct dbg_error *show_break_new(struct repl *r, uint32_t number);
/* cmd_break.c: add a breakpoint, with @condition unless NULL; print it. */
DBG_MUST struct dbg_error *break_add(struct repl *r,
				     const struct dbg_break_req *req,
				     const char *condition);
/*
 * The table of `info breakpoints`, or one of it if @number is not 0; only
 * the watchpoints if @watches.
 */
DBG_MUST struct dbg_error *show_breaks(struct repl *r, uint32_t number,
				       bool watches);
/* "Hardware watchpoint 2: EXPR", a line. */
void show_watch_name(const struct repl *r, enum dbg_watch access,
		     bool temporary, uint32_t number, const char *expr);

/* ---- show_memory.c --------------------------------------------------- */

/* What `x/FMT EXPR` prints; an empty @expr goes on. */
DBG_MUST struct dbg_error *show_memory(struct repl *r, const char *expr,
				       const char *format);
/* The address that @expr means: number, $register, expression, +-number. */
DBG_MUST struct dbg_error *address_of(struct repl *r, const char *expr,
				      uint64_t *ret);

/* ---- out.c ----------------------------------------------------------- */

/*
 * Print to r->out as printf does, but what comes by %s and %c is foreign:
 * see plain.h. Nothing else prints.
 */
void out(const struct repl *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Print text of ours, which may have several lines. */
void out_ours(const struct repl *r, const char *text);
/* Print each line of foreign text behind @indent blanks and @label. */
void out_lines(const struct repl *r, const char *text, int indent,
	       const char *label);

/* ---- shell.c --------------------------------------------------------- */

/*
 * Carry out a command of the shell, "" the user's shell itself. It reads
 * @input unless NULL, and prints to where we do.
 */
DBG_MUST struct dbg_error *shell_run(struct repl *r, const char *command,
				     const struct text *input);

/* ---- paint.c --------------------------------------------------------- */

enum paint {
	PAINT_FUNCTION,
	PAINT_FILE,
	PAINT_ADDRESS,
	PAINT_NAME,
	PAINT_PROMPT,
	PAINT_ERROR,
};

/* Print @s, which is foreign, in a colour if there are colours. */
void paint(const struct repl *r, enum paint what, const char *s);
/* Print an address as 0x and 16 digits. */
void paint_addr(const struct repl *r, uint64_t addr);
/* Escape sequence to begin @what, "" without colours; NULL-safe end. */
const char *paint_begin(const struct repl *r, enum paint what);
const char *paint_end(const struct repl *r);

/* ---- hook.c: commands of breakpoints --------------------------------- */

/* NULL if @breakpoint has none. */
struct hook *hook_find(struct repl *r, uint32_t breakpoint);
void hook_delete(struct repl *r, uint32_t breakpoint);
/* `commands [N]`. */
struct call;
DBG_MUST struct dbg_error *hook_commands(struct repl *r,
					 const struct call *call);

/* ---- cmd_display.c: also subcommands of delete, enable, disable ------ */

DBG_MUST struct dbg_error *display_delete(struct repl *r,
					  const struct call *call);
DBG_MUST struct dbg_error *display_enable(struct repl *r,
					  const struct call *call);
DBG_MUST struct dbg_error *display_disable(struct repl *r,
					   const struct call *call);

/* ---- cmd_stack.c, cmd_frame.c ---------------------------------------- */

/* How many frames the selected thread has. */
DBG_MUST struct dbg_error *frame_count(struct repl *r, uint32_t *ret);
/* `frame N`. */
DBG_MUST struct dbg_error *frame_level(struct repl *r, const struct call *call);

/* ---- info_frame.c ---------------------------------------------------- */

/* `info frame`, `info registers [NAME...]`. */
DBG_MUST struct dbg_error *frame_info(struct repl *r, const struct call *call);
DBG_MUST struct dbg_error *registers_info(struct repl *r,
					  const struct call *call);

/* ---- cmd_thread.c ---------------------------------------------------- */

/* What a thread is called. */
const char *thread_name_get(const struct repl *r, const struct dbg_thread *t);
/* Forget what the user called them. */
void thread_names_clear(struct repl *r);

/* ---- cmd_user.c ------------------------------------------------------ */

/* The user's command that @line begins with, NULL: none. */
const struct user_command *user_command_find(struct repl *r, const char *line);
DBG_MUST struct dbg_error *user_command_run(struct repl *r,
					    const struct user_command *c,
					    const char *line);
void user_command_help(const struct repl *r, const struct user_command *c);
/* A line for each. */
void user_commands_list(const struct repl *r);
/* `show user [COMMAND]`. */
DBG_MUST struct dbg_error *user_commands_show(struct repl *r,
					      const struct call *call);
void user_commands_deinit(struct repl *r);

/* ---- inferior.c ------------------------------------------------------ */

void inferiors_init(struct repl *r);
/* Ends all but the first. */
void inferiors_deinit(struct repl *r);
/* Take the engine's events; prints those that are news of their own. */
void repl_events(struct repl *r);
struct inferior *inferior_current(struct repl *r);
/* NULL: there is none of this number. */
struct inferior *inferior_find(struct repl *r, uint64_t number);
/* Look at it. */
void inferior_select(struct repl *r, struct inferior *inf);
/* Is any program there? */
bool inferiors_alive(struct repl *r);
/* One ended or was let go: if it was looked at, look at another. */
void inferior_left(struct repl *r);
DBG_MUST struct dbg_error *inferior_kill(struct repl *r, struct inferior *inf);
DBG_MUST struct dbg_error *inferior_detach(struct repl *r,
					   struct inferior *inf);
/* Kill all of them. */
DBG_MUST struct dbg_error *inferiors_kill(struct repl *r);

/* ---- cmd_inferior.c -------------------------------------------------- */

/* `info inferiors`; `kill inferiors N`, `detach inferiors N`. */
DBG_MUST struct dbg_error *inferior_info(struct repl *r,
					 const struct call *call);
DBG_MUST struct dbg_error *inferior_kill_cmd(struct repl *r,
					     const struct call *call);
DBG_MUST struct dbg_error *inferior_detach_cmd(struct repl *r,
					       const struct call *call);

/* ---- cmd_signal.c ---------------------------------------------------- */

/* `info signals [SIGNAL]`. */
DBG_MUST struct dbg_error *signal_info(struct repl *r, const struct call *call);

/* ---- help.c ---------------------------------------------------------- */

/* `help [CLASS | COMMAND]`. */
DBG_MUST struct dbg_error *help_run(struct repl *r, const struct call *call);
/* `apropos WORD`. */
DBG_MUST struct dbg_error *help_apropos(struct repl *r,
					const struct call *call);

/* ---- setting.c ------------------------------------------------------- */

void settings_init(struct repl *r);
void settings_deinit(struct repl *r);
/* Make the setting that @text names, a name and a value. */
DBG_MUST struct dbg_error *setting_set(struct repl *r, const char *text);
/* Print settings whose name begins with @prefix; how many were there? */
size_t settings_show(struct repl *r, const char *prefix);
/* List the settings whose help mentions @word. */
void settings_apropos(struct repl *r, const char *word);
/* Names of all settings that begin with @prefix. */
void settings_complete(struct repl *r, const char *prefix, struct words *ret);

#endif
