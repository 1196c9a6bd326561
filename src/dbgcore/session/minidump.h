/* What a small core file has of the memory. */
#ifndef SESSION_MINIDUMP_H
#define SESSION_MINIDUMP_H

#include "dbg.h"

struct target_spans;

/*
 * Which memory shows what the stopped program shows: the stacks of all threads
 * with arguments and locals, and the exception of the stop.
 */
DBG_MUST struct dbg_error *minidump_collect(struct dbg *dbg,
					    struct target_spans *ret);

#endif
