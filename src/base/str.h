/* Growing strings, UTF-16, small string helpers. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* A growing string, always terminated once something was appended. */
struct str {
	char *s; /* NULL while empty */
	size_t len, cap;
};

void str_deinit(struct str *s);
#define _cleanup_str_ __attribute__((cleanup(str_deinit)))
void str_clear(struct str *s);
void str_add(struct str *s, const char *text);
/* @text may be NULL if @n is 0: bytes that are not there. */
void str_addn(struct str *s, const char *text, size_t n);
/* The digits of @n. */
void str_addu(struct str *s, uint64_t n);
void str_addf(struct str *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Make room for @n more characters; others call str_room. */
void str_grow(struct str *s, size_t n);

/* Room for @n more characters, to be written and given to str_end. */
static inline char *str_room(struct str *s, size_t n)
{
	if (s->cap - s->len <= n)
		str_grow(s, n);
	return s->s + s->len;
}

/* @end: behind the last character that was written. */
static inline void str_end(struct str *s, char *end)
{
	s->len = (size_t)(end - s->s);
	*end = '\0';
}

static inline void str_addc(struct str *s, char c)
{
	char *p = str_room(s, 1);

	*p = c;
	str_end(s, p + 1);
}

/* Contents, "" while empty; borrowed. */
const char *str_get(const struct str *s);
/* Take the contents (never NULL), leaving @s empty; caller frees. */
char *str_take(struct str *s);

/* Replace the string *@p by a copy of @s (which may be NULL). */
void str_set(char **p, const char *s);

/* Append @n UTF-16 units as UTF-8; a lone surrogate becomes U+FFFD. */
void str_add_utf16(struct str *s, const uint16_t *units, size_t n);
/* Append one code point as UTF-8. */
void str_add_utf8(struct str *s, uint32_t c);

/* Names in a line may hold line ends: from @from on each becomes a '?'. */
void str_one_line(struct str *s, size_t from);

/* NULL, or nothing but blanks and line ends? */
bool str_is_blank(const char *s);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* The parts of @list between @sep, but for empty ones, in @arena. */
const char *const *str_split(const char *list, char sep, struct arena *arena,
			     size_t *ret_n);
/* The part behind the last '/' (or '\\'), the whole if there is none. */
const char *str_basename(const char *path);
/* Parse all of @s as unsigned, base 0 (0x.., decimal); false if it is none. */
bool str_to_u64(const char *s, uint64_t *ret);
/* A hash (FNV-1a) of @n bytes. */
uint64_t str_hash(const char *s, size_t n);

#endif
