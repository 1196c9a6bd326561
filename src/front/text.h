/* A growing string of the front ends. */
#ifndef FRONT_TEXT_H
#define FRONT_TEXT_H

#include <stddef.h>

struct text {
	char *s; /* NULL while empty, else terminated */
	size_t len, cap;
};

void text_deinit(struct text *t);
#define _cleanup_text_ __attribute__((cleanup(text_deinit)))
void text_clear(struct text *t);
void text_add(struct text *t, const char *s);
void text_addn(struct text *t, const char *s, size_t n);
/* Room for @n more characters, to be written and given to text_end. */
char *text_room(struct text *t, size_t n);
/* @end: behind the last character that was written. */
void text_end(struct text *t, char *end);
void text_addc(struct text *t, char c);
void text_addf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Contents, "" while empty; borrowed until the next change. */
const char *text_get(const struct text *t);
/* Take the contents (never NULL), leaving @t empty; the caller frees. */
char *text_take(struct text *t);

#endif
