/*
 * Results as GDB/MI writes them: NAME="TEXT", NAME={...} and NAME=[...] with
 * commas between. A member of a list has no name (NULL).
 */
#ifndef MI_RECORD_H
#define MI_RECORD_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Append @n bytes in quotes. Control characters and what is not UTF-8 are
 * escaped as in C, bytes as three octal digits.
 */
void record_quote(struct str *t, const char *s, size_t n);

/* A @value that is NULL is left out. */
void record_str(struct str *t, const char *name, const char *value);
void record_strf(struct str *t, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void record_uint(struct str *t, const char *name, uint64_t value);
/* 16 digits behind 0x. */
void record_addr(struct str *t, const char *name, uint64_t addr);

void record_tuple(struct str *t, const char *name);
void record_tuple_end(struct str *t);
void record_list(struct str *t, const char *name);
void record_list_end(struct str *t);

#endif
