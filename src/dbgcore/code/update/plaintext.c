/*
 * The text of a C# file without what is no code: comments, directives, and what
 * strings say (see texts.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/update/texts.h"

enum {
	NESTING_MAX = 30, /* strings in holes of strings */
	ASTRAL = 0xf0,    /* a character that begins so has two units */
};

/* Make each unit of UTF-16 one character: a letter, if it is not ASCII. */
static char *units_of(const char *text)
{
	char *ret = xmalloc(strlen(text) + 1), *to = ret;

	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; *text; text++) {
		unsigned char ch = (unsigned char)*text;

		if (ch < 0x80) {
			*to++ = *text;
		} else if (ch >= 0xc0) {
			*to++ = 'a';
			if (ch >= ASTRAL)
				*to++ = 'a';
		}
	}
	*to = 0;
	return ret;
}

static size_t run_of(const char *s, char ch)
{
	size_t n = 0;

	while (s[n] == ch)
		n++;
	return n;
}

static const char *comment_end(const char *s)
{
	if (s[1] == '/')
		return s + strcspn(s, "\r\n");
	const char *end = strstr(s + 2, "*/");
	return end ? end + 2 : s + strlen(s);
}

static bool is_comment(const char *s)
{
	return s[0] == '/' && (s[1] == '/' || s[1] == '*');
}

/* How a string is written. */
struct quoting {
	size_t quotes;  /* that end it */
	size_t dollars; /* braces that begin a hole; 0: it has none */
	bool verbatim;
};

/* That of the string whose first quote is @s, in a text that begins at @text.
 */
static struct quoting quoting_of(const char *text, const char *s)
{
	struct quoting q = {.quotes = run_of(s, '"')};

	for (const char *p = s; p > text && strchr("$@", p[-1]); p--) {
		q.dollars += p[-1] == '$';
		q.verbatim |= p[-1] == '@';
	}
	if (q.quotes < 3 || q.verbatim)
		q.quotes = 1;
	return q;
}

static const char *string_end(const char *text, const char *s, int nesting);

/* A character's literal, if one begins at @s; else @s. */
static const char *character_end(const char *s)
{
	if (s[1] == '\\' && s[2]) {
		const char *end = strpbrk(s + 3, "'\r\n");
		return end && *end == '\'' ? end + 1 : s;
	}
	return s[1] && s[2] == '\'' ? s + 3 : s;
}

/* Where the hole ends that begins at @s, behind its brace. */
static const char *hole_end(const char *text, const char *s, int nesting)
{
	for (int depth = 0; *s; s++) {
		const char *end = s;

		if (is_comment(s))
			end = comment_end(s);
		else if (*s == '\'')
			end = character_end(s);
		else if (*s == '"')
			end = string_end(text, s, nesting + 1);
		if (end != s)
			s = end - 1;
		else if (*s == '{')
			depth++;
		else if (*s == '}' && !depth--)
			return s + 1;
	}
	return s;
}

/* Where the string ends whose first quote is @s. */
static const char *string_end(const char *text, const char *s, int nesting)
{
	struct quoting q = quoting_of(text, s);
	bool raw = q.quotes > 1;

	if (nesting > NESTING_MAX)
		return s + strlen(s);
	for (s += q.quotes; *s;) {
		size_t quotes = run_of(s, '"'), braces = run_of(s, '{');

		if (quotes >= q.quotes && !(q.verbatim && quotes > 1))
			return s + q.quotes;
		if (quotes)
			s += q.verbatim ? 2 : quotes;
		else if (braces && q.dollars && raw && braces >= q.dollars)
			s = hole_end(text, s + braces, nesting);
		else if (braces && q.dollars && !raw)
			s = braces % 2 ? hole_end(text, s + braces, nesting)
				       : s + braces;
		else if (*s == '\\' && !raw && !q.verbatim && s[1])
			s += 2;
		else if ((*s == '\n' || *s == '\r') && !raw && !q.verbatim)
			return s;
		else
			s++;
	}
	return s;
}

static char *fill(char *from, const char *end, char with)
{
	for (; from < end; from++)
		if (*from != '\n' && *from != '\r')
			*from = with;
	return from;
}

static bool is_conditional(const char *directive)
{
	directive += 1 + strspn(directive + 1, " \t");
	return !strncmp(directive, "if", 2) || !strncmp(directive, "el", 2) ||
	       !strncmp(directive, "endif", 5);
}

void plain_init(const char *text, struct plain *ret)
{
	char *s = units_of(text);
	bool begins = true; /* only blanks are before it in its line */

	*ret = (struct plain){.text = s};
	while (*s) {
		if (is_comment(s)) {
			s = fill(s, comment_end(s), ' ');
		} else if (*s == '#' && begins) {
			ret->conditional |= is_conditional(s);
			s = fill(s, s + strcspn(s, "\r\n"), ' ');
		} else if (*s == '\'' && character_end(s) != s) {
			s = fill(s, character_end(s), '"');
		} else if (*s == '"') {
			s = fill(s, string_end(ret->text, s, 0), '"');
		} else {
			begins = *s == '\n' ||
				 (begins && strchr(" \t\r", *s) != NULL);
			s++;
			continue;
		}
		begins = false;
	}
	ret->lines = lines_of(ret->text);
}

void plain_deinit(struct plain *p)
{
	free(p->text);
	free(p->lines.v);
	*p = (struct plain){.text = NULL};
}
