/*
 * Messages of a byte stream, each behind a header that gives its length:
 *
 *     Content-Length: 119\r\n
 *     \r\n
 *     119 bytes
 *
 * Strict and capped: what is no header, or announces too much, breaks the
 * stream, since nobody can tell where the next message begins. A field that
 * no client sends (a Content-Type may be there) is of another protocol.
 */
#ifndef FRONT_FRAMING_H
#define FRONT_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct framing {
	struct str in;
	size_t at;         /* everything before was taken */
	const char *fault; /* why the stream is broken, NULL: it is not */
};

enum framing_state {
	FRAMING_MORE, /* no whole message yet */
	FRAMING_MESSAGE,
	FRAMING_BROKEN, /* @fault says why; it stays so */
};

void framing_deinit(struct framing *f);
/* Append what was read. */
void framing_feed(struct framing *f, const char *bytes, size_t n);
/*
 * Take the next message: *@ret_n bytes at *@ret_body, not terminated,
 * borrowed until the next call.
 */
enum framing_state framing_next(struct framing *f, const char **ret_body,
				size_t *ret_n);

/* Take the first message again; nothing was fed since it was taken. */
void framing_rewind(struct framing *f);

#endif
