/* Locations as users write them. */
#ifndef CONTROL_LOCATION_H
#define CONTROL_LOCATION_H

#include "dbg.h"

struct arena;

enum location_kind {
	LOCATION_NONE, /* placed by the engine itself (entry.c) */
	LOCATION_LINE,
	LOCATION_FUNCTION,
	LOCATION_ADDRESS,
};

struct location {
	enum location_kind kind;
	const char *module; /* NULL: any */
	const char *file;   /* LINE */
	uint32_t line;
	uint32_t column;    /* 0: the whole line */
	const char *name;   /* FUNCTION, without parameter list */
	const char *params; /* NULL: any overload */
	uint64_t addr;
};

/*
 * Parse @text; strings are in @arena. @path is the file of a bare line
 * number, NULL if there is none.
 */
DBG_MUST struct dbg_error *location_parse(const char *text, const char *path,
					  struct arena *arena,
					  struct location *ret);

#endif
