/* Files that a command was asked to write. */
#ifndef MONITOR_OUTFILE_H
#define MONITOR_OUTFILE_H

#include "base/str.h"
#include "dbg.h"

/*
 * Write it. What is there stays what it is: a device, a pipe, a link. If that
 * fails, there is no half a regular file.
 */
DBG_MUST struct dbg_error *outfile_write(const char *path,
					 const struct str *text);

#endif
