/* The stacks of all threads merged to a tree: what they have in common once. */
#ifndef REPORT_PARALLEL_H
#define REPORT_PARALLEL_H

#include "report/report.h"

/*
 * Write parallel stacks, as text or as JSON. Threads without frames are left
 * out.
 */
void report_parallel(const struct report *r, FILE *out);
void report_parallel_json(const struct report *r, FILE *out);

#endif
