/*
 * Paths of files that outlive a session: the history, crash reports, the user's
 * settings.
 */
#ifndef FRONT_STATEFILE_H
#define FRONT_STATEFILE_H

/*
 * The path of the file @name: $XDG_STATE_HOME/dndbg/NAME, by default
 * ~/.local/state/dndbg/NAME; the caller's. NULL: the user has no such place.
 */
char *state_file_path(const char *name);
/* The same in $XDG_CONFIG_HOME, by default in ~/.config. */
char *config_file_path(const char *name);

#endif
