/*
 * Source files that the client cannot read itself, since only the symbols
 * have their text: they are given numbers, for the session.
 */
#ifndef DAP_SOURCES_H
#define DAP_SOURCES_H

#include <stdint.h>

#include "dbg.h"
#include "front/words.h"

struct dap;

struct sources {
	struct words embedded; /* paths; a number is the place, from 1 */
	char *last;            /* the path asked for last */
	uint32_t last_number;
};

void sources_deinit(struct sources *s);
/* The number of @path; 0: the client may read it, or nobody can. */
uint32_t sources_reference(struct dap *d, const char *path);
/* The path of @number, owned by the caller. */
DBG_MUST struct dbg_error *sources_find(const struct sources *s,
					uint32_t number, char **ret);

#endif
