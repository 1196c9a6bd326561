/*
 * What files beside launch.json say of the program's start: files of
 * variables, and the profiles of launchSettings.json.
 */
#ifndef DAP_ENVFILE_H
#define DAP_ENVFILE_H

#include "dbg.h"
#include "front/words.h"

struct setup;

/*
 * Add the variables of a file of NAME=VALUE lines to @env. Blanks around
 * both and quotes around the value are dropped, `\n` within double ones is a
 * new line, # begins a comment.
 */
DBG_MUST struct dbg_error *envfile_read(const char *path, struct words *env);

/*
 * Take the profile of launchSettings.json: the one @s names, else the first
 * that runs the project. Its variables go below those that are set already;
 * its arguments count if there are none. No file is an error only if @s
 * names one or a profile.
 */
DBG_MUST struct dbg_error *profile_take(struct setup *s);

#endif
