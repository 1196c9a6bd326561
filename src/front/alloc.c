#include "alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A program that was started dies with us, one that was attached to goes on:
// there is nothing to undo.
static void *check(void *p)
{
	if (!p) {
		fputs("dndbg: out of memory\n", stderr);
		_Exit(1);
	}
	return p;
}

void *alloc_zero(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

char *alloc_str(const char *s)
{
	return check(strdup(s));
}

char *alloc_strn(const char *s, size_t n)
{
	return check(strndup(s, n));
}

char *alloc_vprintf(const char *fmt, va_list ap)
{
	char *ret;

	return check(vasprintf(&ret, fmt, ap) < 0 ? NULL : ret);
}

char *alloc_printf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *ret = alloc_vprintf(fmt, ap);
	va_end(ap);
	return ret;
}

void alloc_grow(void *array, size_t *cap, size_t n, size_t size)
{
	if (n <= *cap)
		return;
	size_t want = *cap ? *cap * 2 : 16;
	if (want < n)
		want = n;
	if (want > SIZE_MAX / 2 / size)
		check(NULL);
	void *p;
	memcpy(&p, array, sizeof(p));
	p = check(realloc(p, want * size));
	memcpy(array, &p, sizeof(p));
	*cap = want;
}

void alloc_free_ptr(void *p)
{
	void *mem;

	memcpy(&mem, p, sizeof(mem));
	free(mem);
}

void alloc_replace(char **p, const char *s)
{
	char *copy = s ? alloc_str(s) : NULL;

	free(*p);
	*p = copy;
}
