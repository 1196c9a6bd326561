/*
 * Text for a person's terminal.
 *
 * Whatever the program being debugged can choose (names, messages, sources,
 * paths) may hold control characters, which a terminal obeys: they move the
 * cursor, change what is shown already, or fake further lines. All text that
 * is not ours is printed through here. In it every control character but the
 * tabulator, every character that reorders or breaks lines, and every byte
 * that is not UTF-8 is shown as an escape sequence of C#: \n, \u001b, \x9b.
 */
#ifndef FRONT_PLAIN_H
#define FRONT_PLAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/str.h"
#include "dbg.h"

/* Append the @n bytes at @s, escaped. */
void plain_add(struct str *t, const char *s, size_t n);

/* Would plain_add change the string @s? */
bool plain_is(const char *s);

/*
 * Print as printf does, but each %s and %c escaped; the characters of @fmt,
 * which is ours, are printed as they are.
 */
void plain_vprintf(FILE *out, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));
void plain_printf(FILE *out, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Tell on stderr what dndbg failed in, and destroy @err, which may be NULL. */
void plain_error(struct dbg_error *err);

#endif
