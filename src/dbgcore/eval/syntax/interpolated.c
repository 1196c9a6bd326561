/*
 * Interpolated strings (ECMA-334, 12.8.3, and the raw ones of C# 11): text
 * with holes, "{expression,alignment:format}". Each hole's tokens are made by
 * the same lexer, so a hole may hold any expression, strings too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/token_priv.h"

enum {
	RAW_QUOTES_MIN = 3
};

/* How one string is written. */
struct style {
	bool verbatim;
	bool raw;
	size_t dollars; /* raw: braces that a hole begins with */
	size_t start;
	struct fence fence;
};

/* $", $@", @$", $$""": where its quotes are; 0: it is none. */
static size_t opening(const struct lexer *lx, size_t *ret_dollars,
		      bool *ret_verbatim)
{
	const char *p = lx->text + lx->at;
	size_t n = 0, dollars = 0;
	*ret_verbatim = false;
	for (; p[n] == '$' || p[n] == '@'; n++) {
		dollars += p[n] == '$';
		if (p[n] == '@' && *ret_verbatim)
			return 0;
		*ret_verbatim = *ret_verbatim || p[n] == '@';
	}
	*ret_dollars = dollars;
	return dollars && p[n] == '"' && !(*ret_verbatim && dollars > 1) ? n
									 : 0;
}

bool lex_at_interpolated(const struct lexer *lx)
{
	size_t dollars;
	bool verbatim;
	return opening(lx, &dollars, &verbatim) != 0;
}

static void add_mark(struct lexer *lx, enum token_kind kind, size_t n)
{
	struct token t = {.kind = kind, .start = (uint32_t)lx->at};
	lx->at += n;
	t.end = (uint32_t)lx->at;
	lex_add(lx, t);
}

static void add_text(struct lexer *lx, enum token_kind kind, size_t start,
		     struct units *u)
{
	struct token t = {.kind = kind, .start = (uint32_t)start};
	if (!u->n)
		return;
	units_take(lx, u, &t);
	t.end = (uint32_t)lx->at;
	lex_add(lx, t);
}

/* A format: text up to the '}', in which "{{" and "}}" are one brace. */
static struct dbg_error *format(struct lexer *lx, const struct style *s)
{
	struct units u = {0};
	size_t start = lx->at++;
	for (;;) {
		char c = lx->text[lx->at];
		uint32_t code;
		if (c == '}' && (s->raw || lx->text[lx->at + 1] != '}'))
			break;
		if (!c || c == '"' || c == '{') {
			free(u.p);
			return lex_bad(lx, "no end of the format", start);
		}
		if (c == '\\' && !s->verbatim && !s->raw) {
			size_t escape = lx->at++;
			if (!lex_escape(lx, &code)) {
				free(u.p);
				return lex_bad(lx, "unknown escape", escape);
			}
			units_add(&u, code);
			continue;
		}
		lx->at += c == '}';
		units_add(&u, lex_utf8(lx->text, &lx->at));
	}
	if (!u.n)
		return lex_bad(lx, "an empty format", start);
	add_text(lx, TOKEN_FORMAT, start, &u);
	return NULL;
}

static struct dbg_error *hole(struct lexer *lx, const struct style *s)
{
	size_t start = lx->at;
	add_mark(lx, TOKEN_HOLE, s->dollars);
	struct dbg_error *err = lex_until_end(lx, true);
	if (!err && lx->text[lx->at] == ':')
		err = format(lx, s);
	if (err)
		return err;
	if (lex_run(lx, '}') < s->dollars)
		return lex_bad(lx, "no end of the hole", start);
	add_mark(lx, TOKEN_HOLE_END, s->dollars);
	return NULL;
}

static bool at_close(const struct lexer *lx, const struct style *s)
{
	if (s->raw)
		return lx->at >= s->fence.end;
	return lx->text[lx->at] == '"' &&
	       !(s->verbatim && lx->text[lx->at + 1] == '"');
}

/* How many braces at this place are text; all but a hole's. */
static struct dbg_error *braces(struct lexer *lx, const struct style *s,
				struct units *u, bool *ret_hole)
{
	char c = lx->text[lx->at];
	size_t n = lex_run(lx, c), start = lx->at;
	*ret_hole = false;
	if (s->raw) {
		*ret_hole = c == '{' && n >= s->dollars;
		if (n >= 2 * s->dollars || (c == '}' && n >= s->dollars)) {
			lx->at += n;
			return lex_bad(lx, "too many braces:", start);
		}
		n = *ret_hole ? n - s->dollars : n;
	} else {
		*ret_hole = c == '{' && n % 2;
		if (c == '}' && n % 2) {
			lx->at += n;
			return lex_bad(lx,
				       "a brace alone, '}}' is meant:", start);
		}
	}
	size_t shown = s->raw ? n : n / 2;
	for (size_t i = 0; i < shown; i++)
		units_add(u, (uint32_t)c);
	lx->at += s->raw ? n : n / 2 * 2;
	return NULL;
}

static struct dbg_error *character(struct lexer *lx, const struct style *s,
				   struct units *u)
{
	char c = lx->text[lx->at];
	uint32_t code;
	if (c == '\\' && !s->verbatim && !s->raw) {
		size_t escape = lx->at++;
		if (!lex_escape(lx, &code))
			return lex_bad(lx, "unknown escape", escape);
		units_add(u, code);
		return NULL;
	}
	lx->at += c == '"' && s->verbatim;
	units_add(u, lex_utf8(lx->text, &lx->at));
	if (c == '\n' && s->raw && lx->at < s->fence.end)
		return lex_indent(lx, &s->fence);
	return NULL;
}

static struct dbg_error *pieces(struct lexer *lx, const struct style *s)
{
	struct units u = {0};
	size_t start = lx->at;
	struct dbg_error *err = NULL;
	while (!err && !at_close(lx, s)) {
		char c = lx->text[lx->at];
		bool is_hole = false;
		if (!c)
			err = lex_bad(lx, "no closing quote for", s->start);
		else if (c == '{' || c == '}')
			err = braces(lx, s, &u, &is_hole);
		else
			err = character(lx, s, &u);
		if (err || !is_hole)
			continue;
		add_text(lx, TOKEN_STRING, start, &u);
		err = hole(lx, s);
		start = lx->at;
	}
	if (!err)
		add_text(lx, TOKEN_STRING, start, &u);
	free(u.p);
	return err;
}

static struct dbg_error *whole(struct lexer *lx, struct style *s)
{
	struct dbg_error *err = NULL;
	size_t quotes = 1;
	if (s->raw) {
		err = lex_fence(lx, &s->fence);
		quotes = s->fence.quotes;
		if (!err && lx->at < s->fence.end)
			err = lex_indent(lx, &s->fence);
	} else {
		lx->at++;
	}
	if (!err)
		err = pieces(lx, s);
	if (err)
		return err;
	// a raw string's last line and its indentation
	lx->at += strcspn(lx->text + lx->at, "\"");
	if (lex_run(lx, '"') < quotes)
		return lex_bad(lx, "no closing quote for", s->start);
	add_mark(lx, TOKEN_INTERPOLATED_END, quotes);
	return NULL;
}

struct dbg_error *lex_interpolated(struct lexer *lx)
{
	struct style s = {.start = lx->at};
	size_t n = opening(lx, &s.dollars, &s.verbatim);
	if (lx->nested == TOKEN_NEST_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "the expression is nested too deeply");
	add_mark(lx, TOKEN_INTERPOLATED, n);
	s.raw = !s.verbatim && lex_run(lx, '"') >= RAW_QUOTES_MIN;
	if (!s.raw && s.dollars > 1)
		return lex_bad(lx, "three quotes are wanted behind", s.start);
	lx->nested++;
	struct dbg_error *err = whole(lx, &s);
	lx->nested--;
	return err;
}
