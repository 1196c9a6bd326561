/*
 * Lines of a descriptor that is not a terminal with editing. Bytes are read
 * one by one, as a shell does, because the program under the debugger reads
 * the rest from the same descriptor.
 */
#ifndef FRONT_LINES_H
#define FRONT_LINES_H

#include <stdbool.h>

#include "base/str.h"

enum lines_state {
	LINES_MORE, /* no whole line yet, or the descriptor would block */
	LINES_LINE,
	LINES_END,
};

/*
 * Read once from @fd into @line (which the caller clears between lines);
 * LINES_LINE when the end of a line was read, which is not stored. A last
 * line without end counts as one. Lines beyond 1 MiB are cut.
 */
enum lines_state lines_read(int fd, struct str *line);

#endif
