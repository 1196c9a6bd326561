/*
 * The last lines of a command's output, for its reports: a process of dndbg's,
 * the copier, stands between the command and where its output goes.
 */
#ifndef REPORT_LASTOUTPUT_H
#define REPORT_LASTOUTPUT_H

#include <stddef.h>

#include "dbg.h"

struct arena;
struct report;
struct last_output;

/*
 * Have the last @lines of output kept, and let @launch lead there what does not
 * go to a terminal. *ret is NULL if nothing of it is kept: @lines is 0, or all
 * goes to a terminal. Behind the launch: last_output_launched().
 */
DBG_MUST struct dbg_error *last_output_create(unsigned int lines,
					      struct dbg_launch *launch,
					      struct last_output **ret);
void last_output_launched(struct last_output *o);

/*
 * Add what was written last to a report. If it arrives where it goes within a
 * second, what we print comes behind it. @o may be NULL.
 */
void last_output_add(struct last_output *o, struct report *report);

/*
 * No reports any more. Output that comes still, of what the command has left
 * running, arrives without us. @o may be NULL.
 */
void last_output_destroy(struct last_output *o);

/*
 * The last @max lines of the @n bytes at @text in @arena, as a terminal leaves
 * them: without colours, and what follows a carriage return in the place of
 * what was there. Those longer than OUTPUT_LINE_MAX bytes are cut.
 */
enum {
	OUTPUT_LINE_MAX = 1000
};
const char **output_lines(const char *text, size_t n, unsigned int max,
			  struct arena *arena, size_t *ret_n);

#endif
