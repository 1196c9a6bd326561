#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

void text_deinit(struct text *t)
{
	free(t->s);
	*t = (struct text){0};
}

void text_clear(struct text *t)
{
	t->len = 0;
	if (t->s)
		t->s[0] = 0;
}

void text_grow(struct text *t, size_t n)
{
	alloc_grow(&t->s, &t->cap, t->len + n + 1, 1);
}

void text_addn(struct text *t, const char *s, size_t n)
{
	if (n)
		text_end(t, mempcpy(text_room(t, n), s, n));
}

void text_add(struct text *t, const char *s)
{
	text_addn(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = alloc_vprintf(fmt, ap);
	va_end(ap);
	text_add(t, s);
	free(s);
}

const char *text_get(const struct text *t)
{
	return t->s ? t->s : "";
}

char *text_take(struct text *t)
{
	char *s = t->s ? t->s : alloc_str("");

	*t = (struct text){0};
	return s;
}
