/*
 * A line of the client taken apart: token, command, options and parameters; C
 * escapes within quotes undone.
 */
#include "mi/mi_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "base/str.h"

static const char blanks[] = " \t\v\f";

static char *trimmed(const char *s)
{
	s += strspn(s, blanks);
	size_t n = strlen(s);
	while (n && strchr(blanks, s[n - 1]))
		n--;
	return xstrndup(s, n);
}

void mi_line_parse(const char *text, struct mi_line *ret)
{
	const char *p = text + strspn(text, blanks);
	size_t n = strspn(p, "0123456789");

	*ret = (struct mi_line){.cli = true};
	if (n <= MI_TOKEN_MAX) {
		memcpy(ret->token, p, n);
		p += n;
	}
	p += strspn(p, blanks);
	if (*p != '-') {
		ret->rest = trimmed(p);
		return;
	}
	n = strcspn(++p, blanks);
	ret->cli = false;
	ret->name = xstrndup(p, n);
	ret->rest = trimmed(p + n);
}

void mi_line_deinit(struct mi_line *line)
{
	free(line->name);
	free(line->rest);
}

// Up to three octal digits at *@p.
static char octal(const char **p)
{
	unsigned int c = 0;

	for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
		c = c * 8 + (unsigned int)(*(*p)++ - '0');
	return (char)c;
}

// Decode what follows a backslash.
static char escaped(const char **p)
{
	static const char names[] = "abtnvfre";
	static const char letters[] = "\a\b\t\n\v\f\r\033";
	const char *found = strchr(names, **p);

	if (**p >= '0' && **p <= '7')
		return octal(p);
	char c = *(*p)++;
	return found ? letters[found - names] : c;
}

static struct dbg_error *quoted(const char **p, char **ret)
{
	struct str t = {0};

	for ((*p)++; **p && **p != '"';) {
		char c = *(*p)++;
		if (c == '\\' && **p)
			c = escaped(p);
		// a string of C ends at a zero
		if (c)
			str_addc(&t, c);
	}
	if (!**p || (*++*p && !strchr(blanks, **p))) {
		str_deinit(&t);
		return dbg_err(DBG_E_ARGUMENT,
			       "Problem parsing arguments: a quote without "
			       "its end, or text right behind it");
	}
	*ret = str_take(&t);
	return NULL;
}

struct dbg_error *mi_line_argument(const char **p, char **ret)
{
	struct dbg_error *err;

	*ret = NULL;
	*p += strspn(*p, blanks);
	if (!**p)
		return NULL;
	if (**p == '"') {
		err = quoted(p, ret);
		if (err)
			return err;
	} else {
		size_t n = strcspn(*p, blanks);
		*ret = xstrndup(*p, n);
		*p += n;
	}
	*p += strspn(*p, blanks);
	return NULL;
}

struct dbg_error *mi_line_arguments(const char *text, struct words *ret)
{
	for (;;) {
		_cleanup_free_ char *word = NULL;
		struct dbg_error *err = mi_line_argument(&text, &word);
		if (err || !word)
			return err;
		words_add(ret, word, strlen(word));
	}
}
