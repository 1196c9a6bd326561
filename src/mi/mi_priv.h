/*
 * Declarations shared by the files of the GDB/MI front end.
 *
 * The model: one loop (mi.c) waits for the client, the engine and the program's
 * output. A line of the client is carried out at once and answered by one
 * result record; then come the asynchronous records that it led to. The
 * engine's events become records in mi_notify.c. All-stop: one thread's stop
 * stops all, and commands are read while the program runs.
 *
 * What the prompt already does is not done again: `run`, `attach`, `kill`,
 * settings and the commands of breakpoints are carried out by it (struct
 * commands).
 */
#ifndef MI_PRIV_H
#define MI_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"
#include "dbg.h"
#include "front/cli/commands.h"
#include "front/cli/launchconfig.h"
#include "front/cli/options.h"
#include "front/cli/words.h"
#include "front/loop.h"
#include "front/outbox.h"
#include "mi/mi.h"
#include "mi/mi_command.h"
#include "mi/mi_group.h"

struct debuggee_event;

/* How the program was last resumed, which decides the name of its stop. */
enum mi_way {
	MI_WAY_RUN,
	MI_WAY_STEP,
	MI_WAY_FINISH,
	MI_WAY_UNTIL,
};

/* A breakpoint that the client was told of. */
struct mi_known {
	uint32_t number;
	uint64_t mark; /* what it was, as a hash */
};

struct mi_list {
	struct mi_known *v;
	size_t n, cap;
};

struct var;

/* Commands of a breakpoint, as they were given. */
struct mi_script {
	uint32_t number;
	struct words lines;
};

/* The frame of a variable object, as it was found last. */
struct mi_found {
	uint64_t seen, frame;
	uint32_t group, thread, token;
	dbg_id id;
};

/*
 * One interpreter. Large: state that several files share, and the client's
 * lists.
 */
struct mi {
	struct dbg *first; /* of group i1 */
	struct dbg *dbg;   /* of the group that the command is about */
	uint32_t group;    /* its number */
	uint32_t selected; /* the group that it is about without a word */
	struct loop *loop;
	const struct front_options *front;
	const struct mi_options *options;
	struct launch_config *launch;
	struct launch_config own_launch; /* ... if no prompt has one */
	void (*take)(void *arg);         /* who takes events; NULL: we */
	void *take_arg;
	struct commands commands;

	/* The exchange. */
	int in_fd;
	struct str in, results;  /* from in_at on it is not carried out yet */
	size_t in_at;            /* 0, but while lines are taken */
	bool in_ended, in_waits; /* ... because the client does not read */
	bool in_skip;            /* the rest of a line that was too long */
	struct outbox out;
	enum mi_dialect dialect;
	bool async;         /* mi-async: no prompt behind *stopped */
	bool quit, watched; /* an interface beside us was served */
	int exit_code;

	/* The program. */
	struct mi_output output;
	struct mi_groups groups;
	bool resumed;            /* by the present command */
	bool running, evaluated; /* told; what mi_evaluate waits for */
	uint32_t thread, level;  /* selected */
	enum mi_way way;
	bool by_cli;          /* ... by a command of the prompt */
	struct dbg_step step; /* to be repeated @steps times */
	uint64_t steps;
	bool stepped; /* ... and was this moment: events wait, maybe */
	struct mi_list breaks;
	struct mi_script *scripts;
	size_t n_scripts, cap_scripts;

	struct var **vars;
	size_t n_vars, cap_vars;
	struct map var_names;
	uint32_t last_var;
	struct mi_found found;
	uint64_t values;     /* which ones are known: a stop, an assignment */
	uint64_t *registers; /* as listed last */
	size_t n_registers;
	bool registers_known;
	uint64_t stops; /* how many there were: what is kept of one */
};

/* ---- mi.c ------------------------------------------------------------ */

/* Send a record: @head, and behind a comma @results, unless NULL or empty. */
void mi_send(struct mi *m, const char *head, const struct str *results);
void mi_prompt(struct mi *m);
/* A stream record for each line of @s: ~ console, @ program, & log. */
void mi_stream(struct mi *m, char mark, const char *s, size_t n);
/* A sentence of the debugger's, as & record. */
void mi_log(struct mi *m, const char *s);
/* mi_log its words and destroy it; NULL is allowed. */
void mi_warn(struct mi *m, struct dbg_error *err);

/* ---- mi_file.c ------------------------------------------------------- */

/* Tell the engine which program is going to be run: if it is not there. */
DBG_MUST struct dbg_error *mi_program(struct mi *m);

/* ---- mi_notify.c ---------------------------------------------------- */

/* Carry out a line of the prompt; what it prints are ~ records. */
DBG_MUST struct dbg_error *mi_cli(struct mi *m, const char *line);
/* The same, with the output in @ret; NULL: it is dropped. */
DBG_MUST struct dbg_error *mi_cli_quiet(struct mi *m, const char *line,
					struct str *ret);
/* mi_cli_quiet of a command and a word, NULL: none. */
DBG_MUST struct dbg_error *mi_cli_word(struct mi *m, const char *command,
				       const char *word);
/* Carry out lines that belong together, such as `commands` and its block. */
DBG_MUST struct dbg_error *mi_cli_lines(struct mi *m,
					const struct words *lines);

/*
 * Take the engine's events and send the client's. Between two of several steps
 * the client is heard: what comes after the next one is left (m->stepped).
 */
void notify_take(struct mi *m);
/* Send what one event means. */
void notify_event(struct mi *m, const struct debuggee_event *e);
void notify_running(struct mi *m);
/* Compare the breakpoints with what was told; @tell: send the difference. */
void notify_breaks(struct mi *m, bool tell);
/* A library as members. */
void mi_module_put(struct mi *m, struct str *t, const struct dbg_module *o);
/*
 * Put the id of a module: @mvid in braces for netcoredbg's clients, else @name.
 */
void mi_module_id_put(const struct mi *m, struct str *t, const char *member,
		      const char *mvid, const char *name);

/* ---- mi_setting.c ---------------------------------------------------- */

/* Speak this dialect from now on; values are printed as its clients expect. */
void mi_dialect(struct mi *m, enum mi_dialect dialect);

/* Set "NAME VALUE" if that is a setting of this front end's own. */
bool mi_setting_own(struct mi *m, const char *text, struct dbg_error **ret);
/* A command of the prompt was "set TEXT": send =cmd-param-changed. */
void mi_setting_tell(struct mi *m, const char *text);

/* ---- mi_stack.c ------------------------------------------------------ */

enum {
	FRAME_LEVEL = 1, /* with its number */
	FRAME_ARGS = 2,  /* with its arguments */
};
/* frame={...} of a thread, nothing if it has none. */
void mi_frame_of(struct mi *m, struct str *t, uint32_t thread, uint32_t level,
		 unsigned int what);

enum mi_print {
	PRINT_NONE, /* of values */
	PRINT_ALL,
	PRINT_SIMPLE, /* not of what has members */
};

/* 0, 1, 2 or --no-values ...; false: it is none of them. */
bool mi_print_values(const char *word, enum mi_print *ret);
/* Is the value more than one thing: an object, an array or a group? */
bool mi_is_compound(const struct dbg_value *v);

/* ---- mi_break.c --------------------------------------------------- */

/* bkpt={...} */
void mi_break_put(struct mi *m, struct str *t, const struct dbg_breakpoint *b);

/* The commands of a breakpoint, NULL: none. */
const struct words *mi_break_script(const struct mi *m, uint32_t number);
void mi_breaks_deinit(struct mi *m);

#endif
