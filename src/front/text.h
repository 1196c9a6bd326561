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
/* Have room for @n more; others call text_room. */
void text_grow(struct text *t, size_t n);

/* Room for @n more characters, to be written and given to text_end. */
static inline char *text_room(struct text *t, size_t n)
{
	if (t->cap - t->len <= n)
		text_grow(t, n);
	return t->s + t->len;
}

/* @end: behind the last character that was written. */
static inline void text_end(struct text *t, char *end)
{
	t->len = (size_t)(end - t->s);
	*end = 0;
}

static inline void text_addc(struct text *t, char c)
{
	char *p = text_room(t, 1);

	*p = c;
	text_end(t, p + 1);
}

void text_addf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Contents, "" while empty; borrowed until the next change. */
const char *text_get(const struct text *t);
/* Take the contents (never NULL), leaving @t empty; the caller frees. */
char *text_take(struct text *t);

#endif
