/*
 * Messages with a header, as DAP and LSP have them: bytes come in as they are
 * read, whole bodies go out. A header that is not well formed or tells of more
 * than the cap breaks the stream for good, since nothing tells where the next
 * message begins.
 */
#include "front/framing.h"

#include <string.h>
#include <strings.h>

enum {
	HEADER_MAX_BYTES = 4096,
	BODY_MAX_BYTES = 32 << 20,
	KEPT_MAX_BYTES = 1 << 20, /* for the next message */
};

static const char length_name[] = "Content-Length:";
static const char type_name[] = "Content-Type:";

void framing_deinit(struct framing *f)
{
	str_deinit(&f->in);
}

void framing_feed(struct framing *f, const char *bytes, size_t n)
{
	// what was taken goes first, so that the buffer does not creep
	if (f->at) {
		memmove(f->in.s, f->in.s + f->at, f->in.len - f->at);
		f->in.len -= f->at;
		f->at = 0;
	}
	str_addn(&f->in, bytes, n);
}

static enum framing_state broken(struct framing *f, const char *why)
{
	f->fault = why;
	return FRAMING_BROKEN;
}

// Digits up to the end of the line; false if it is anything else.
static bool parse_length(const char *p, const char *end, size_t *ret)
{
	size_t n = 0;

	while (p < end && *p == ' ')
		p++;
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9' || n > BODY_MAX_BYTES)
			return false;
		n = n * 10 + (size_t)(*p - '0');
	}
	*ret = n;
	return true;
}

// The lines of a header from @p to @end; NULL if it is good.
static const char *parse_header(const char *p, const char *end, size_t *ret)
{
	bool has_length = false;

	while (p < end) {
		const char *eol = memmem(p, (size_t)(end - p), "\r\n", 2);
		if (!memchr(p, ':', (size_t)(eol - p)))
			return "a line of a message's header has no colon";
		if (!strncasecmp(p, length_name, sizeof(length_name) - 1)) {
			if (has_length ||
			    !parse_length(p + sizeof(length_name) - 1, eol,
					  ret))
				return "a message's Content-Length is wrong";
			has_length = true;
		} else if (strncasecmp(p, type_name, sizeof(type_name) - 1)) {
			return "a message's header has an unknown field";
		}
		p = eol + 2;
	}
	return has_length ? NULL : "a message has no Content-Length";
}

enum framing_state framing_next(struct framing *f, const char **ret_body,
				size_t *ret_n)
{
	const char *s = str_get(&f->in) + f->at;
	size_t have = f->in.len - f->at;
	size_t n = 0;

	if (f->fault)
		return FRAMING_BROKEN;
	if (!have && f->in.cap > KEPT_MAX_BYTES) {
		str_deinit(&f->in);
		f->at = 0;
		return FRAMING_MORE;
	}
	size_t look = have < HEADER_MAX_BYTES ? have : HEADER_MAX_BYTES;
	const char *end = memmem(s, look, "\r\n\r\n", 4);
	if (!end)
		return have < HEADER_MAX_BYTES
			   ? FRAMING_MORE
			   : broken(f, "a message's header has no end");
	const char *fault = parse_header(s, end + 2, &n);
	if (fault)
		return broken(f, fault);
	if (n > BODY_MAX_BYTES)
		return broken(f, "a message is larger than 32 MiB");
	size_t header = (size_t)(end + 4 - s);
	if (have - header < n)
		return FRAMING_MORE;
	*ret_body = s + header;
	*ret_n = n;
	f->at += header + n;
	return FRAMING_MESSAGE;
}

void framing_rewind(struct framing *f)
{
	f->at = 0;
}
