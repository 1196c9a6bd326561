/* Options of the command line, for every front end: main.c fills them. */
#ifndef FRONT_OPTIONS_H
#define FRONT_OPTIONS_H

#include "front/cli/launchconfig.h"

struct command_ops;
struct ui_ops;

/*
 * A command of -ex or -x, or of -iex or -ix, which come before the program is
 * known.
 */
struct startup_command {
	bool file;  /* text names a file of commands, else it is a command */
	bool early; /* these come first */
	const char *text;
};

struct front_options {
	const char *version;
	struct launch_config launch; /* a front end works with a copy */
	const char *attach;          /* PID or name, NULL: none */
	bool wait;                   /* for one of that name to be started */
	bool snapshot;               /* of what is to be attached to */
	const char *core;            /* a core file, NULL: none */
	const struct startup_command *startup; /* in order */
	size_t n_startup;
	bool batch;                         /* end after these; ask nothing */
	bool netcoredbg;                    /* dndbg was started by that name */
	bool no_settings;                   /* the user's own are not read */
	bool quiet;                         /* no greeting */
	const char *log;                    /* file to record to, NULL: none */
	const struct command_ops *commands; /* the prompt's commands */
	const struct ui_ops *mi_ui;         /* what `new-ui mi` opens */
};

#endif
