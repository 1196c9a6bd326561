/* What the parts have in common that take a program down. */
#ifndef REPORT_TAKE_H
#define REPORT_TAKE_H

#include "report/report.h"

/* A copy of the report's own; NULL stays NULL. */
const char *report_copy(struct report *r, const char *s);
/* Does the name look like one whose value is nobody's business? */
bool report_is_secret(const char *name);
/* Modules, runtime, and what /proc tells of the process. */
void report_take_surroundings(struct report *r, struct dbg *dbg);

#endif
