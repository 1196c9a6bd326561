/* What is missing in all that is shown of a program; told with its reports. */
#ifndef REPORT_WARNINGS_H
#define REPORT_WARNINGS_H

#include "dbg.h"

enum {
	WARNINGS_MAX = 100, /* that are kept at a time */
};

struct warnings {
	struct warning {
		const struct dbg *dbg;
		char *text;
		bool told;
	} v[WARNINGS_MAX];
	size_t n;
};

/* Keep a copy of @text, once. */
void warnings_keep(struct warnings *w, const struct dbg *dbg, const char *text);
/* Tell those of the program, each once, however many reports there are. */
void warnings_tell(struct warnings *w, const struct dbg *dbg);
/* Forget those of the program of @dbg, which has ended; NULL: all. */
void warnings_drop(struct warnings *w, const struct dbg *dbg);

#endif
