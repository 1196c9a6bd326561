/*
 * Source files that the client cannot read itself, since only the symbols have
 * their text, or nobody: they are given numbers, for the session.
 */
#ifndef DAP_SOURCES_H
#define DAP_SOURCES_H

#include <stdint.h>

#include "dbg.h"
#include "front/cli/words.h"

struct dap;
struct str;

/* How a client gets the text of a source file. */
struct source_text {
	uint32_t number; /* by `source` with it; 0: the client reads the file */
	bool here;       /* there is text, and no mere explanation */
};

struct sources {
	struct words missing; /* paths; a number is the place, from 1 */
	char *last;           /* the path asked for last, and ... */
	bool last_user;
	struct source_text last_text;
};

void sources_deinit(struct sources *s);
/* @user: of code of the user's */
struct source_text sources_find(struct dap *d, const char *path, bool user);
/* The path of @number, owned by the caller. */
DBG_MUST struct dbg_error *sources_path(const struct sources *s,
					uint32_t number, char **ret);
/*
 * Make the text that is shown in place of @path, whose source is nowhere to be
 * found.
 */
void sources_explain(struct dap *d, const char *path, struct str *ret);

#endif
