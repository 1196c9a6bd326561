/*
 * Source files that the client cannot read itself, since only the symbols have
 * their text, or nobody: they are given numbers, for the session.
 */
#ifndef DAP_REQ_CODE_H
#define DAP_REQ_CODE_H

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

#endif
