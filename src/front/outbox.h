/*
 * Output that waits for a reader that may be slow. Nothing here blocks: what
 * cannot be written now stays in the box, and producers look at
 * outbox_pending() before they make more.
 */
#ifndef FRONT_OUTBOX_H
#define FRONT_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct outbox {
	int fd;       /* owned; -1: closed */
	bool gone;    /* the reader is */
	bool is_file; /* no socket */
	struct str bytes;
	size_t at; /* everything before was written */
};

/*
 * Write to what @fd names, without changing that descriptor's own state. From
 * now on SIGPIPE, if it would end us, does nothing.
 */
void outbox_init(struct outbox *o, int fd);
void outbox_deinit(struct outbox *o);
/* Bytes not written yet; 0 if the reader is gone. */
size_t outbox_pending(const struct outbox *o);
/*
 * Append output. A long text is written at once, as far as that does not block.
 */
void outbox_add(struct outbox *o, const char *bytes, size_t n);
/* Write what can be written now. */
void outbox_flush(struct outbox *o);
/* Write all of it, waiting for the reader as long as that reads at all. */
void outbox_finish(struct outbox *o);

#endif
