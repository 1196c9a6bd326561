/*
 * Declarations shared by the files that take the state of a program for a
 * report.
 */
#ifndef REPORT_TAKE_H
#define REPORT_TAKE_H

#include "report/report.h"

/* A copy of the report's own; NULL stays NULL. */
const char *report_copy(struct report *r, const char *s);
/* The text of a value, unless its name looks like a secret's. */
const char *report_value(struct report *r, const struct dbg_value *v);
/* Read the source lines around the line of @f, if the file exists here. */
void report_take_source(struct report *r, struct dbg *dbg,
			struct report_frame *f);

/* Arguments and locals of a frame, the first of them. */
void report_take_variables(struct report *r, struct dbg_stopped at,
			   dbg_id frame, struct report_frame *f);

/* ---- takestuck.c ------------------------------------------------------ */

/* Is it a module of a test framework, or of a test runner? */
bool report_runs_tests(const char *module);
/*
 * The tests that run, also as the engine lists them. If nothing has happened
 * the report is about the thread of the first.
 */
void report_take_tests(struct report *r, struct dbg_stopped at,
		       struct dbg_test **ret, size_t *ret_n);
/* A hash of the tests that run; it differs when others run. (Stopped only.) */
uint64_t report_tests_hash(struct dbg *dbg);
void report_take_waits(struct report *r, struct dbg_stopped at);
/* List async calls that wait, those that belong to @tests first. */
void report_take_async(struct report *r, struct dbg_stopped at,
		       const struct dbg_test *tests, size_t n);

#endif
