/*
 * Locations as a user writes them: FILE:LINE[:COLUMN], a bare LINE,
 * [MODULE!]Type.Method[(parameters)], *ADDRESS. Only taken apart here; bind.c
 * looks for what they name.
 */
#include "control/breakpoint/location.h"

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	LOCATION_MAX = 4096
};

static char *trimmed(struct arena *arena, const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	return arena_strndup(arena, s, n);
}

static bool all_digits(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isdigit((unsigned char)*s))
			return false;
	return true;
}

static struct dbg_error *parse_line_number(const char *digits, uint32_t *ret)
{
	uint64_t value = 0;

	// not str_to_u64: a leading zero is no octal number here
	for (const char *s = digits; *s; s++) {
		value = value * 10 + (uint64_t)(*s - '0');
		if (value > 0xfffffff)
			return dbg_err(DBG_E_ARGUMENT,
				       "line number %s is too large", digits);
	}
	if (!value)
		return dbg_err(DBG_E_ARGUMENT, "lines are counted from 1");
	*ret = (uint32_t)value;
	return NULL;
}

static struct dbg_error *parse_function(const char *text, struct arena *arena,
					struct location *ret)
{
	const char *open = strchr(text, '(');
	size_t n = strlen(text);

	ret->kind = LOCATION_FUNCTION;
	if (!open) {
		ret->name = trimmed(arena, text, n);
	} else if (text[n - 1] != ')') {
		return dbg_err(DBG_E_ARGUMENT, "missing ')' in '%s'", text);
	} else {
		ret->name = trimmed(arena, text, (size_t)(open - text));
		ret->params = trimmed(arena, open + 1,
				      (size_t)(text + n - 1 - (open + 1)));
	}
	if (!*ret->name)
		return dbg_err(DBG_E_ARGUMENT, "no function named in '%s'",
			       text);
	return NULL;
}

static struct dbg_error *parse_address(const char *text, struct location *ret)
{
	ret->kind = LOCATION_ADDRESS;
	while (isspace((unsigned char)*text))
		text++;
	if (!str_to_u64(text, &ret->addr))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not an address", text);
	return NULL;
}

/* FILE:LINE:COLUMN: the colon before the line; @last that of the column. */
static const char *line_colon(const char *text, const char *last)
{
	const char *p = last;

	while (p > text && isdigit((unsigned char)p[-1]))
		p--;
	return p < last && p > text + 1 && p[-1] == ':' ? p - 1 : last;
}

static struct dbg_error *parse_plain(const char *text, const char *path,
				     struct arena *arena, struct location *ret)
{
	const char *colon = strrchr(text, ':');

	if (all_digits(text)) {
		if (!path)
			return dbg_err(DBG_E_ARGUMENT,
				       "no file for line %s: write FILE:LINE",
				       text);
		ret->kind = LOCATION_LINE;
		ret->file = arena_strdup(arena, path);
		return parse_line_number(text, &ret->line);
	}
	if (colon && colon > text && all_digits(colon + 1)) {
		const char *last = colon;

		ret->kind = LOCATION_LINE;
		colon = line_colon(text, colon);
		ret->file = trimmed(arena, text, (size_t)(colon - text));
		if (colon != last) {
			struct dbg_error *err =
			    parse_line_number(last + 1, &ret->column);

			if (err)
				return err;
		}
		if (!*ret->file)
			return dbg_err(DBG_E_ARGUMENT, "no file named in '%s'",
				       text);
		return parse_line_number(
		    arena_strndup(arena, colon + 1, strcspn(colon + 1, ":")),
		    &ret->line);
	}
	return parse_function(text, arena, ret);
}

struct dbg_error *location_parse(const char *text, const char *path,
				 struct arena *arena, struct location *ret)
{
	if (strlen(text) > LOCATION_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the location is too long");

	struct location loc = {0};
	const char *s = trimmed(arena, text, strlen(text));

	if (!*s)
		return dbg_err(DBG_E_ARGUMENT, "no location given");

	struct dbg_error *err;

	if (*s == '*') {
		err = parse_address(s + 1, &loc);
	} else {
		const char *bang = strchr(s, '!');

		if (bang && bang > s) {
			loc.module = trimmed(arena, s, (size_t)(bang - s));
			s = trimmed(arena, bang + 1, strlen(bang + 1));
		}
		err = parse_plain(s, path, arena, &loc);
	}
	if (err)
		return err;
	*ret = loc;
	return NULL;
}
