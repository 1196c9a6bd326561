/*
 * The options of the command line as a table, from which come what getopt is
 * told, --help, the manual and the completions of shells.
 */
#ifndef FRONT_CLI_H
#define FRONT_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

/* Identifiers of options; an option of one letter has the letter itself. */
enum cli_id {
	CLI_EX = 256,
	CLI_IEX,
	CLI_IX,
	CLI_BATCH,
	CLI_ARGS,
	CLI_CWD,
	CLI_ENV,
	CLI_TTY,
	CLI_WAIT,
	CLI_CORE,
	CLI_VERSION,
	CLI_BUILDINFO,
	CLI_HELP,
	CLI_MANUAL,
	CLI_COMPLETION,
	CLI_INTERPRETER,
	CLI_SERVER,
	CLI_LOG,
	CLI_TERMINAL,
	CLI_RUN,
	CLI_HOT_RELOAD,
	CLI_INTEROP, /* accepted with a word, without effect */
	CLI_NOTHING, /* what front ends give and that says nothing here */
	CLI_PLACE,   /* and those behind it: where files of a core are */
};

enum {
	CLI_OPTIONS_MAX = 64,
};

/* The short options, for getopt. */
extern const char cli_letters[];

/*
 * The long ones, ended by zeroes. @optional_log: --log has an argument only
 * behind '=', as netcoredbg's.
 */
void cli_options(bool optional_log, struct option ret[CLI_OPTIONS_MAX]);

/* Print --help, on one screen, or about @all options. */
void cli_usage(FILE *out, bool all);
/* The section OPTIONS of the manual, for man. */
void cli_manual(FILE *out);
/* A script for the shell @name; false: there is none. */
bool cli_completion(FILE *out, const char *name);

#endif
