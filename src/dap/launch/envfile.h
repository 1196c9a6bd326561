/*
 * Files beside launch.json that influence the program's start: files of
 * environment variables, and the profiles of launchSettings.json.
 */
#ifndef DAP_ENVFILE_H
#define DAP_ENVFILE_H

#include "dbg.h"
#include "front/cli/words.h"

struct setup;

/* Lines of a file of variables that are passed over, and the first one. */
struct envfile_odd {
	size_t n, first;
};

/*
 * Add the variables of a file of NAME=VALUE lines to @env. Blanks around
 * both, `export` before the name and quotes around the value are dropped, `\n`
 * within double ones is a new line, # begins a comment. Other lines are
 * counted in @odd, which is zero before.
 */
DBG_MUST struct dbg_error *envfile_read(const char *path, struct words *env,
					struct envfile_odd *odd);

/*
 * Take the profile of launchSettings.json: the one @s names, else the first
 * that runs the project. Its variables go below those that are set already;
 * its arguments count if there are none. No file is an error (DBG_E_FILE) only
 * if @s names one or a profile.
 */
DBG_MUST struct dbg_error *profile_take(struct setup *s);

#endif
