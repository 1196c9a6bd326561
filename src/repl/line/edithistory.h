/*
 * The file that keeps the history of lines between sessions:
 * $XDG_STATE_HOME/dndbg/history, by default ~/.local/state/dndbg/history.
 *
 * Under sudo the directories may be another user's, so a history is read and
 * written only where file and directory are real ones of our own user.
 */
#ifndef REPL_EDITHISTORY_H
#define REPL_EDITHISTORY_H

#include <histedit.h>

#include "dbg.h"

/*
 * Load the history if there is one. *@ret is its path for edithistory_save,
 * which the caller frees; NULL if there is no place for one.
 */
DBG_MUST struct dbg_error *edithistory_load(History *lines, char **ret);
/* Replace the file as a whole: a full disk leaves the old one. */
DBG_MUST struct dbg_error *edithistory_save(History *lines, const char *path);

#endif
