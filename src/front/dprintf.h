/*
 * gdb's `dprintf`: a breakpoint that prints in C's format. The engine says the
 * text of a logpoint, with values for {EXPRESSION}.
 */
#ifndef FRONT_DPRINTF_H
#define FRONT_DPRINTF_H

#include <stddef.h>

#include "dbg.h"

struct str;

/*
 * The text of a logpoint for @format, whose escapes are resolved: each
 * conversion stands for one of @args, which may begin with a comma.
 */
DBG_MUST struct dbg_error *dprintf_log(const char *format, char *const *args,
				       size_t n_args, struct str *ret);
/* The reverse: "FORMAT",EXPRESSION,... for the text of a logpoint. */
void dprintf_text(const char *log, struct str *ret);

#endif
