/*
 * A further user interface on a terminal of its own, beside the front end that
 * the process was started for: gdb's `new-ui`. That front end owns the
 * session and takes the engine's events; it passes each on, and the other
 * serves its terminal by watching it in the loop.
 */
#ifndef FRONT_UI_H
#define FRONT_UI_H

#include "dbg.h"
#include "front/outbox.h"

struct commands;
struct debuggee_event;
struct front_options;
struct loop;
struct ui;

struct ui_config {
	struct dbg *dbg;
	struct loop *loop;
	const struct front_options *options;
	const struct commands *commands; /* copied */
	/* Take the engine's events now, and pass them on. */
	void (*take)(void *arg);
	/* The user wants to leave. */
	void (*quit)(void *arg);
	void *arg;
};

/* Open the terminal @path to read, and to write by @out. */
DBG_MUST struct dbg_error *ui_terminal(const char *path, int *ret,
				       struct outbox *out);

struct ui_ops {
	/* Serve the terminal @path from now on. */
	DBG_MUST struct dbg_error *(*open)(const struct ui_config *config,
					   const char *path, struct ui **ret);
	void (*close)(struct ui *ui);
	void (*event)(struct ui *ui, const struct debuggee_event *event);
	/* A command may have changed breakpoints, or started a program. */
	void (*changed)(struct ui *ui);
};

#endif
