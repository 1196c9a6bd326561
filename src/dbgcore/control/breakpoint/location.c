/*
 * Places in code: those that a user writes, FILE:LINE[:COLUMN], a bare LINE,
 * [MODULE!]Type.Method[(parameters)], *ADDRESS, are taken apart here, once;
 * bind.c looks for what they name.
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
					struct dbg_place *ret)
{
	const char *open = strchr(text, '(');
	size_t n = strlen(text);

	ret->kind = DBG_PLACE_FUNCTION;
	if (!open) {
		ret->function = trimmed(arena, text, n);
	} else if (text[n - 1] != ')') {
		return dbg_err(DBG_E_ARGUMENT, "missing ')' in '%s'", text);
	} else {
		ret->function = trimmed(arena, text, (size_t)(open - text));
		ret->params = trimmed(arena, open + 1,
				      (size_t)(text + n - 1 - (open + 1)));
	}
	if (!*ret->function)
		return dbg_err(DBG_E_ARGUMENT, "no function named in '%s'",
			       text);
	return NULL;
}

static struct dbg_error *parse_address(const char *text, struct dbg_place *ret)
{
	ret->kind = DBG_PLACE_ADDRESS;
	while (isspace((unsigned char)*text))
		text++;
	if (!str_to_u64(text, &ret->addr))
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not an address", text);
	return NULL;
}

/*
 * In FILE:LINE:COLUMN find the colon before LINE; @last is the one before
 * COLUMN, and is returned if there is no other.
 */
static const char *line_colon(const char *text, const char *last)
{
	const char *p = last;

	while (p > text && isdigit((unsigned char)p[-1]))
		p--;
	return p < last && p > text + 1 && p[-1] == ':' ? p - 1 : last;
}

static struct dbg_error *parse_plain(const char *text, const char *path,
				     struct arena *arena, struct dbg_place *ret)
{
	const char *colon = strrchr(text, ':');

	if (all_digits(text)) {
		if (!path)
			return dbg_err(DBG_E_ARGUMENT,
				       "no file for line %s: write FILE:LINE",
				       text);
		ret->kind = DBG_PLACE_LINE;
		ret->file = arena_strdup(arena, path);
		return parse_line_number(text, &ret->line);
	}
	if (colon && colon > text && all_digits(colon + 1)) {
		const char *last = colon;

		ret->kind = DBG_PLACE_LINE;
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

/* Parse "MODULE!" in front; a '!' beside a slash belongs to a path. */
static const char *parse_module(const char *s, struct arena *arena,
				struct dbg_place *ret)
{
	size_t n = strcspn(s, "!/\\");

	if (!n || s[n] != '!' || s[n + 1] == '/' || s[n + 1] == '\\')
		return s;
	ret->module = trimmed(arena, s, n);
	return trimmed(arena, s + n + 1, strlen(s + n + 1));
}

static struct dbg_error *parse_text(const char *text, const char *path,
				    struct arena *arena, struct dbg_place *ret)
{
	if (!text || !*text)
		return dbg_err(DBG_E_ARGUMENT, "no location given");
	if (strlen(text) > LOCATION_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the location is too long");

	const char *s = trimmed(arena, text, strlen(text));

	ret->text = arena_strdup(arena, text);
	if (!*s)
		return dbg_err(DBG_E_ARGUMENT, "no location given");
	if (*s == '*')
		return parse_address(s + 1, ret);
	if (all_digits(s) && path)
		ret->text = arena_printf(arena, "%s:%s", str_basename(path), s);
	return parse_plain(parse_module(s, arena, ret), path, arena, ret);
}

/* A place in words. */
static const char *place_text(const struct dbg_place *p, struct arena *arena)
{
	switch (p->kind) {
	case DBG_PLACE_TEXT:
		break;
	case DBG_PLACE_MAIN:
		return "Main";
	case DBG_PLACE_LINE:
		return p->column
			   ? arena_printf(arena, "%s:%u:%u", p->file, p->line,
					  p->column)
			   : arena_printf(arena, "%s:%u", p->file, p->line);
	case DBG_PLACE_FUNCTION:
		return p->params ? arena_printf(arena, "%s(%s)", p->function,
						p->params)
				 : p->function;
	case DBG_PLACE_ADDRESS:
		return arena_printf(arena, "*0x%lx", (unsigned long)p->addr);
	}
	return p->text;
}

static const char *copy_or_null(struct arena *arena, const char *s)
{
	return s ? arena_strdup(arena, s) : NULL;
}

static struct dbg_error *check_line(const struct dbg_place *p)
{
	if (!p->file || !*p->file)
		return dbg_err(DBG_E_ARGUMENT, "no file named for line %u",
			       p->line);
	return p->line ? NULL
		       : dbg_err(DBG_E_ARGUMENT, "lines are counted from 1");
}

struct dbg_error *location_take(const struct dbg_place *place, const char *path,
				struct arena *arena, struct dbg_place *ret)
{
	struct dbg_error *err = NULL;
	struct dbg_place p = *place;

	if (place->kind == DBG_PLACE_TEXT) {
		p = (struct dbg_place){0};
		err = parse_text(place->text, path, arena, &p);
	} else if (place->kind == DBG_PLACE_LINE) {
		err = check_line(place);
	} else if (place->kind == DBG_PLACE_FUNCTION && !place->function) {
		err = dbg_err(DBG_E_ARGUMENT, "no function named");
	}
	if (err)
		return err;
	p.file = copy_or_null(arena, p.file);
	p.module = copy_or_null(arena, p.module);
	p.function = copy_or_null(arena, p.function);
	p.params = copy_or_null(arena, p.params);
	p.text = p.text ? arena_strdup(arena, p.text) : place_text(&p, arena);
	*ret = p;
	return NULL;
}
