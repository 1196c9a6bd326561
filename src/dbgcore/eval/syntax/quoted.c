/*
 * Characters and strings without holes (ECMA-334, 6.4.5.5 and 6.4.5.6): plain,
 * verbatim, raw and UTF-8. The text that a literal means is made here, as
 * UTF-16, and each mistake is told with its column.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/syntax/token_priv.h"

enum {
	RAW_QUOTES_MIN = 3
};

void units_add(struct units *u, uint32_t c)
{
	if (c >= 0x10000) {
		units_add(u, 0xd800 + ((c - 0x10000) >> 10));
		units_add(u, 0xdc00 + ((c - 0x10000) & 0x3ff));
		return;
	}
	mem_grow(&u->p, &u->cap, u->n, sizeof(u->p[0]));
	u->p[u->n++] = (uint16_t)c;
}

void units_take(struct lexer *lx, struct units *u, struct token *ret)
{
	ret->units = arena_copy(lx->arena, u->p, u->n, sizeof(u->p[0]));
	ret->n_units = u->n;
	free(u->p);
	*u = (struct units){0};
}

static bool take_hex(struct lexer *lx, size_t min, size_t max, uint32_t *ret)
{
	uint32_t value = 0;
	size_t n = 0;
	for (; n < max && lex_hex_digit(lx->text[lx->at]) >= 0; n++, lx->at++)
		value = value << 4 | (uint32_t)lex_hex_digit(lx->text[lx->at]);
	*ret = value;
	return n >= min && value <= 0x10ffff;
}

bool lex_escape(struct lexer *lx, uint32_t *ret)
{
	static const char letters[] = "'\"\\0abfnrtve";
	static const char meant[] = "'\"\\\0\a\b\f\n\r\t\v\x1b";
	char c = lx->text[lx->at];
	if (!c)
		return false;
	lx->at++;
	if (c == 'u')
		return take_hex(lx, 4, 4, ret);
	if (c == 'U')
		return take_hex(lx, 8, 8, ret);
	if (c == 'x')
		return take_hex(lx, 1, 4, ret);
	const char *found = strchr(letters, c);
	if (!found)
		return false;
	*ret = (unsigned char)meant[found - letters];
	return true;
}

static struct dbg_error *quoted(struct lexer *lx, char quote, bool verbatim,
				struct units *u)
{
	size_t start = lx->at++;
	for (;;) {
		char c = lx->text[lx->at];
		uint32_t code;
		if (!c)
			return lex_bad(lx, "no closing quote for", start);
		if (c == quote && verbatim && lx->text[lx->at + 1] == quote) {
			lx->at += 2;
			units_add(u, (uint32_t)quote);
		} else if (c == quote) {
			lx->at++;
			return NULL;
		} else if (c == '\\' && !verbatim) {
			size_t escape = lx->at++;
			if (!lex_escape(lx, &code))
				return lex_bad(lx, "unknown escape", escape);
			units_add(u, code);
		} else {
			units_add(u, lex_utf8(lx->text, &lx->at));
		}
	}
}

struct dbg_error *lex_char(struct lexer *lx, struct token *ret)
{
	struct units u = {0};
	size_t start = lx->at;
	struct dbg_error *err = quoted(lx, '\'', false, &u);
	if (!err && u.n != 1)
		err = lex_bad(lx, "not one character:", start);
	if (!err) {
		ret->kind = TOKEN_CHAR;
		ret->elem = ELEM_CHAR;
		ret->integer = u.p[0];
	}
	free(u.p);
	return err;
}

/* ---- Raw strings ----------------------------------------------------- */

size_t lex_run(const struct lexer *lx, char c)
{
	size_t n = 0;
	while (lx->text[lx->at + n] == c)
		n++;
	return n;
}

/* A raw string on several lines: what its last line holds is cut off. */
static bool take_indent(struct lexer *lx, size_t first, struct fence *f)
{
	const char *text = lx->text;
	size_t line = f->end;
	while (line > first &&
	       (text[line - 1] == ' ' || text[line - 1] == '\t'))
		line--;
	if (line <= first || text[line - 1] != '\n')
		return false;
	f->indent = text + line;
	f->n_indent = f->end - line;
	f->end = line - 1;
	f->end -= f->end > first && text[f->end - 1] == '\r';
	return true;
}

struct dbg_error *lex_fence(struct lexer *lx, struct fence *ret)
{
	struct fence f = {.quotes = lex_run(lx, '"')};
	size_t start = lx->at, at = lx->at + f.quotes, run = 0;
	for (f.end = at; lx->text[f.end] && run < f.quotes; f.end++)
		run = lx->text[f.end] == '"' ? run + 1 : 0;
	if (run < f.quotes) {
		lx->at = f.end;
		return lex_bad(lx, "no closing quotes for", start);
	}
	f.end -= f.quotes;
	// Quotes more than the fence has belong to the text.
	while (lx->text[f.end + f.quotes] == '"')
		f.end++;
	size_t first = at + strspn(lx->text + at, " \t\r");
	lx->at = at;
	if (lx->text[first] == '\n' && first < f.end) {
		f.lines = true;
		if (!take_indent(lx, first, &f)) {
			lx->at = f.end + f.quotes;
			return lex_bad(lx,
				       "the closing quotes must stand on a "
				       "line of their own:",
				       start);
		}
		lx->at = f.end > first ? first + 1 : f.end;
	}
	*ret = f;
	return NULL;
}

struct dbg_error *lex_indent(struct lexer *lx, const struct fence *f)
{
	const char *line = lx->text + lx->at;
	size_t blank = strspn(line, " \t");
	if (!f->lines || !f->n_indent)
		return NULL;
	if (!strncmp(line, f->indent, f->n_indent)) {
		lx->at += f->n_indent;
		return NULL;
	}
	// A blank line may be shorter.
	if (line[blank] == '\n' || line[blank] == '\r') {
		lx->at += blank;
		return NULL;
	}
	size_t start = lx->at;
	lx->at += strcspn(line, "\r\n");
	return lex_bad(lx, "not indented as the closing quotes are:", start);
}

static struct dbg_error *raw(struct lexer *lx, struct units *u)
{
	struct fence f;
	struct dbg_error *err = lex_fence(lx, &f);
	size_t close = err ? 0 : f.end;
	if (!err && lx->at < close)
		err = lex_indent(lx, &f);
	while (!err && lx->at < close) {
		char c = lx->text[lx->at];
		units_add(u, lex_utf8(lx->text, &lx->at));
		if (c == '\n' && lx->at < close)
			err = lex_indent(lx, &f);
	}
	if (!err)
		lx->at = close + strcspn(lx->text + close, "\"") + f.quotes;
	return err;
}

/* ---- Strings --------------------------------------------------------- */

struct dbg_error *lex_string(struct lexer *lx, struct token *ret)
{
	struct units u = {0};
	struct dbg_error *err;
	bool verbatim = str_starts(lx->text + lx->at, "@\"");
	if (!verbatim && lx->text[lx->at] != '"')
		return NULL;
	lx->at += verbatim;
	if (!verbatim && lex_run(lx, '"') >= RAW_QUOTES_MIN)
		err = raw(lx, &u);
	else
		err = quoted(lx, '"', verbatim, &u);
	if (err) {
		free(u.p);
		return err;
	}
	ret->kind = TOKEN_STRING;
	units_take(lx, &u, ret);
	const char *p = lx->text + lx->at;
	if ((p[0] == 'u' || p[0] == 'U') && p[1] == '8' &&
	    !lex_is_name_part(p[2])) {
		ret->kind = TOKEN_UTF8;
		lx->at += 2;
	}
	return NULL;
}
