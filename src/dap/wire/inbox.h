/*
 * Requests that the client has sent and that were not carried out yet. They
 * wait here only while others are carried out; one that a later `cancel` names
 * is dropped.
 */
#ifndef DAP_INBOX_H
#define DAP_INBOX_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "front/framing.h"

enum {
	INBOX_VALUES_MAX = 500000 /* of one message */
};

struct inbox {
	struct framing in;
	cJSON **v; /* parsed; NULL: it was no JSON, or too much */
	size_t first, n, cap;
	bool large; /* one of them was: there is memory to give back */
};

void inbox_deinit(struct inbox *b);
/*
 * Parse what has come whole. @record is called for each message. False if
 * nothing can be read from the stream any more; b->in.fault says why.
 */
typedef void inbox_record_fn(void *arg, const char *s, size_t n);
bool inbox_parse(struct inbox *b, inbox_record_fn *record, void *arg);
/*
 * Take the oldest message that @may be taken (NULL: any): *@ret is the
 * caller's, NULL if it was no JSON. False if there is none.
 */
typedef bool inbox_may_fn(void *arg, const cJSON *message);
bool inbox_next(struct inbox *b, inbox_may_fn *may, void *arg, cJSON **ret);
/* Does a message wait? */
bool inbox_waits(const struct inbox *b);
/* Does a message that waits cancel the request @seq? */
bool inbox_cancels(const struct inbox *b, int64_t seq);

#endif
