/*
 * The table of commands. Each family of handlers stands in one file, with its
 * entries at the end; mi_command.c lists the families, and checks what an entry
 * needs.
 *
 * A line of the client taken apart:
 *
 *     [TOKEN] - NAME (BLANK ARGUMENT)*     a command of GDB/MI
 *     [TOKEN] TEXT                         a command of the prompt
 *
 * TOKEN is digits. An ARGUMENT is all up to the next blank, or a string in
 * quotes with the escapes of C.
 */
#ifndef MI_COMMAND_H
#define MI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "dbg.h"
#include "front/cli/words.h"

struct mi;
struct mi_call;

typedef struct dbg_error *mi_fn(struct mi *m, struct mi_call *call);
/*
 * Handler of a command that needs a stopped program or a core; @at: the stop.
 */
typedef struct dbg_error *mi_stop_fn(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call);

enum mi_flags {
	MI_RUNS = 1,   /* the program may run then */
	MI_BREAKS = 2, /* changes breakpoints: that is no news */
	MI_AGAIN = 4,  /* netcoredbg's clients may send it while the program
			  runs, too */
	MI_TEXT = 8,   /* ... and all behind the first word is one argument */
	MI_TAIL = 16,  /* options of all commands may also end the line */
};

/* A command. The families end with an entry without a name. */
struct mi_cmd {
	const char *name; /* without the '-' */
	unsigned int flags;
	const char *usage; /* for too many or too few arguments */
	size_t min, max;   /* arguments; max 0: none, MI_ANY: no limit */
	mi_fn *run;        /* or stopped */
	mi_stop_fn *stopped;
};

enum {
	MI_ANY = 1 << 16
};

extern const struct mi_cmd mi_exec_cmds[];
extern const struct mi_cmd mi_session_cmds[];
extern const struct mi_cmd mi_setting_cmds[];
extern const struct mi_cmd mi_file_cmds[];
extern const struct mi_cmd mi_break_cmds[];
extern const struct mi_cmd mi_catch_cmds[];
extern const struct mi_cmd mi_stack_cmds[];
extern const struct mi_cmd mi_thread_cmds[];
extern const struct mi_cmd mi_var_cmds[];
extern const struct mi_cmd mi_varinfo_cmds[];
extern const struct mi_cmd mi_data_cmds[];
extern const struct mi_cmd mi_disasm_cmds[];
extern const struct mi_cmd mi_symbol_cmds[];
extern const struct mi_cmd mi_os_cmds[];
extern const struct mi_cmd mi_task_cmds[];

/* One call of a command. */
struct mi_call {
	const struct mi_cmd *cmd;
	const char *rest;  /* behind the options of all commands */
	struct words args; /* of rest */
	struct str *out;   /* the results */
	const char *class; /* of the answer, NULL: done */
	bool chosen;       /* --thread or --frame was given */
	uint32_t thread, level;
};

/* Carry out a line of the client's and answer it. */
void mi_carry_out(struct mi *m, const char *text);
/* The entry of a name, NULL: none. */
const struct mi_cmd *mi_find(const char *name);
/* Wrong use. */
DBG_MUST struct dbg_error *mi_usage(const struct mi_call *call);
/* Parse a decimal number up to @max. */
DBG_MUST struct dbg_error *mi_number(const char *word, uint64_t max,
				     uint64_t *ret);
/* A number, 0x... too, or an expression whose value is one. */
DBG_MUST struct dbg_error *mi_address(struct dbg_stopped at,
				      const struct mi_call *call,
				      const char *text, uint64_t *ret);
/* The whole of the arguments as one expression, quoted or not. */
DBG_MUST struct dbg_error *mi_expression(const struct mi_call *call,
					 size_t from, char **ret);
/* The frame that the command is about. */
DBG_MUST struct dbg_error *mi_frame(struct dbg_stopped at,
				    const struct mi_call *call,
				    struct dbg_frame *ret);

enum {
	MI_LINE_MAX = 1 << 20, /* bytes of a line */
	MI_TOKEN_MAX = 64,     /* digits of a token; more are no token */
};

struct mi_line {
	char token[MI_TOKEN_MAX + 1]; /* "" if there is none */
	bool cli;                     /* @rest is a command of the prompt */
	char *name;                   /* without the '-'; NULL: cli */
	char *rest; /* behind the name, without blanks around */
};

/* Parse a line. Never fails; the caller calls mi_line_deinit. */
void mi_line_parse(const char *text, struct mi_line *ret);
void mi_line_deinit(struct mi_line *line);

/*
 * Take the argument at *@p, stepping to the next one: its text goes to *@ret,
 * which the caller frees; NULL: there are no more. A quote without an end, or
 * with something right behind it, is an error.
 */
DBG_MUST struct dbg_error *mi_line_argument(const char **p, char **ret);
/* Append all arguments of @text. */
DBG_MUST struct dbg_error *mi_line_arguments(const char *text,
					     struct words *ret);

#endif
