/*
 * The attributes of `launch` and `attach` in launch.json, by a table. One that
 * is not known or not served is named to the user; one with a wrong value is an
 * error.
 */
#ifndef DAP_SETUP_H
#define DAP_SETUP_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"
#include "dap/launch/console.h"
#include "dbg.h"
#include "front/cli/launchconfig.h"

struct dap;

enum setup_console {
	SETUP_CONSOLE_INTERNAL,
	SETUP_CONSOLE_INTEGRATED,
	SETUP_CONSOLE_EXTERNAL,
};

struct setup {
	bool attach;
	char *name; /* of the configuration */
	struct launch_config launch;
	bool stop_at_entry, no_debug;
	bool implicit_calls; /* what the client evaluates of its own accord */
	bool wake;           /* it was held for us: it is to run on */
	bool piped;          /* the client is on another machine */
	enum setup_console console;
	FILE *output_copy; /* of what the program prints, NULL: none */
	enum echo_mode debug_output;
	bool program_output, thread_exit, process_exit, module_load; /* log */
	uint32_t pid; /* to attach to, 0: by name */
	char *process_name;
	char *core; /* the file of a dump to look at instead, or NULL */
	char *settings_file, *profile; /* launchSettings.json */
	cJSON *for_children; /* attributes that hold for their sessions too */
};

void setup_deinit(struct setup *s);
/* Take the arguments of `launch` or `attach`. */
DBG_MUST struct dbg_error *setup_take(struct dap *d, const cJSON *args,
				      bool attach);
/* Write the attributes that also hold for a child's session. */
void setup_child(const struct setup *s, struct str *t);

#endif
