/* Characters in UTF-8, of which nothing is known to be well formed. */
#ifndef FRONT_UTF8_H
#define FRONT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/*
 * How many of the @n bytes at @s form the character that begins there; 0: they
 * are none. *@ret_cut: they are the beginning of one.
 */
size_t utf8_length(const char *s, size_t n, bool *ret_cut);

/* The character of these @n bytes, which utf8_length has counted. */
uint32_t utf8_code(const char *s, size_t n);

/*
 * Append the @n bytes at @s as UTF-8: U+FFFD stands for each byte that is no
 * part of a character.
 */
void utf8_add(struct str *t, const char *s, size_t n);

#endif
