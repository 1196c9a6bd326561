/*
 * The table of commands. Each family of handlers stands in one file, cmd_*.c,
 * with its entries at the end; cmd.c lists the families. Help, completion and
 * the manual are made from the entries, and the dispatcher checks what they
 * ask for, so a handler begins with its work.
 */
#ifndef REPL_CMD_H
#define REPL_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"

struct repl;
struct repl_cmd;

/* One call of a command. */
struct call {
	const struct repl_cmd *cmd;
	const char *args;   /* without blanks around, never NULL */
	const char *format; /* what followed a '/', "" if nothing did */
};

typedef struct dbg_error *cmd_fn(struct repl *r, const struct call *call);
/* Handler of a command that needs a stopped program; @at: the present stop. */
typedef struct dbg_error *cmd_stop_fn(struct repl *r, struct dbg_stopped at,
				      const struct call *call);

enum cmd_flags {
	CMD_NEEDS_PROCESS = 1,
	CMD_NEEDS_ARGS = 4,
	CMD_FORMAT = 8,       /* takes /FMT behind its name */
	CMD_REPEAT = 16,      /* an empty line does it again */
	CMD_REPEAT_BARE = 32, /* an empty line does it without arguments */
	CMD_RUNS = 64,        /* needs a program that can run: no core */
	CMD_STARTS = 128,     /* makes a program ours: see struct commands */
	CMD_LONG = 256,       /* its progress is shown */
};

/* What Tab offers for the arguments; combined with enum dbg_names. */
enum cmd_complete {
	COMPLETE_PATHS = 0x100,
	COMPLETE_COMMANDS = 0x200,
	COMPLETE_SETTINGS = 0x400,
	COMPLETE_LOCATIONS =
	    DBG_NAMES_FILES | DBG_NAMES_TYPES | DBG_NAMES_METHODS,
	COMPLETE_EXPRESSIONS = DBG_NAMES_LOCALS | DBG_NAMES_TYPES,
};

struct repl_cmd {
	const char *names; /* "continue c": the first is the name */
	const char *args;  /* for help; NULL: takes none */
	const char *help;  /* one line */
	const char *more;  /* further lines of help, or NULL */
	unsigned int flags;
	unsigned int complete;
	unsigned int value; /* what tells entries of one run apart */
	/* one of the two handlers, for what sub does not handle; or none */
	cmd_fn *run;
	cmd_stop_fn *stopped;
	const struct repl_cmd *sub; /* ends with an entry without names */
};

struct cmd_family {
	const char *name; /* for "help NAME" */
	const char *title;
	const struct repl_cmd *cmds; /* ends with an entry without names */
};

extern const struct cmd_family cmd_family_running;
extern const struct cmd_family cmd_family_skips;
extern const struct cmd_family cmd_family_breakpoints;
extern const struct cmd_family cmd_family_watchpoints;
extern const struct cmd_family cmd_family_stack;
extern const struct cmd_family cmd_family_threads;
extern const struct cmd_family cmd_family_signals;
extern const struct cmd_family cmd_family_inferiors;
extern const struct cmd_family cmd_family_data;
extern const struct cmd_family cmd_family_displays;
extern const struct cmd_family cmd_family_heap;
extern const struct cmd_family cmd_family_roots;
extern const struct cmd_family cmd_family_state;
extern const struct cmd_family cmd_family_tasks;
extern const struct cmd_family cmd_family_pool;
extern const struct cmd_family cmd_family_types;
extern const struct cmd_family cmd_family_memory;
extern const struct cmd_family cmd_family_assemblies;
extern const struct cmd_family cmd_family_doctor;
extern const struct cmd_family cmd_family_watching;
extern const struct cmd_family cmd_family_code;
extern const struct cmd_family cmd_family_info;
extern const struct cmd_family cmd_family_dumps;
extern const struct cmd_family cmd_family_settings;
extern const struct cmd_family cmd_family_session;
extern const struct cmd_family cmd_family_user;
extern const struct cmd_family cmd_family_support;

/* Kinds of "catch" and "tcatch". */
extern const struct repl_cmd cmd_catch_subs[];
extern const struct repl_cmd cmd_tcatch_subs[];
/* Subcommands of "frame" and "select-frame". */
extern const struct repl_cmd cmd_frame_subs[];
extern const struct repl_cmd cmd_select_frame_subs[];

/* Tables of all families, in the order of the manual, ended by NULL. */
extern const struct cmd_family *const cmd_families[];

/* A line taken apart: NAME[/FORMAT] ARGS, borrowed from it. */
struct cmd_line {
	const char *name;
	size_t n_name; /* 0: an empty line or a comment */
	const char *format;
	size_t n_format;
	const char *args; /* without leading blanks */
};

/*
 * Take @line apart. The format stands right behind the name; for a command
 * that takes one, cmd_parse_format finds it behind blanks as well.
 */
void cmd_parse(const char *line, struct cmd_line *ret);
void cmd_parse_format(struct cmd_line *parts);

/*
 * Find the entry for the first @n bytes of @name: a whole name of one, else
 * the only one that begins so. @table NULL searches all families.
 */
DBG_MUST struct dbg_error *cmd_find(const struct repl_cmd *table,
				    const char *name, size_t n,
				    const struct repl_cmd **ret);

/* The entry that has @name whole; NULL: none. */
const struct repl_cmd *cmd_named(const char *name);

/* Step *@it to the next entry of all families; NULL begins and ends. */
struct cmd_iter {
	size_t family, cmd;
};
const struct repl_cmd *cmd_iterate(struct cmd_iter *it);

/*
 * Iterate over the names of an entry: true if there was one, then *@name and
 * *@n say which. Begin with *@name = cmd->names and *@n = 0.
 */
bool cmd_name_next(const char **name, size_t *n);

/* Length of an entry's first name. */
size_t cmd_name_len(const struct repl_cmd *cmd);

/* Carry out one line. What is unknown or not possible now is an error. */
DBG_MUST struct dbg_error *cmd_execute(struct repl *r, const char *line);

#endif
