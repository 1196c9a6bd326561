/*
 * Splits a text into all its tokens at once: names, punctuation (longest match
 * first) and what begins where; numbers and strings have files of their own.
 */
#include "eval/syntax/token.h"
#include "eval/syntax/parser_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Characters and strings ---------------------------------------------- */

/*
 * Characters and strings without holes (ECMA-334, 6.4.5.5 and 6.4.5.6): plain,
 * verbatim, raw and UTF-8. The text that a literal means is made here, as
 * UTF-16, and each mistake is told with its column.
 */

enum {
	RAW_QUOTES_MIN = 3
};

static bool lex_is_name_part(char c);
static int lex_hex_digit(char c);
static struct dbg_error *lex_bad(const struct lexer *lx, const char *what,
				 size_t start);

static void units_add(struct units *u, uint32_t c)
{
	if (c >= 0x10000) {
		units_add(u, 0xd800 + ((c - 0x10000) >> 10));
		units_add(u, 0xdc00 + ((c - 0x10000) & 0x3ff));
		return;
	}
	mem_grow(&u->p, &u->cap, u->n, sizeof(u->p[0]));
	u->p[u->n++] = (uint16_t)c;
}

/* Move what was gathered into the arena and the token. */
static void units_take(struct lexer *lx, struct units *u, struct token *ret)
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

/* Read an escape behind its backslash (6.4.5.5); false if it is none. */
static bool lex_escape(struct lexer *lx, uint32_t *ret)
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

static struct dbg_error *lex_char(struct lexer *lx, struct token *ret)
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

/* Quotes in a row at the lexer's place. */
static size_t lex_run(const struct lexer *lx, char c)
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

/* Read the opening quotes of a raw string literal, and move to its text. */
static struct dbg_error *lex_fence(struct lexer *lx, struct fence *ret)
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

/* Skip indentation at the beginning of a line of a raw string. */
static struct dbg_error *lex_indent(struct lexer *lx, const struct fence *f)
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

/* A string without holes, if one begins here; else *ret stays as it is. */
static struct dbg_error *lex_string(struct lexer *lx, struct token *ret)
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

/* ---- Numbers --------------------------------------------------------- */

/* Numbers in source text (ECMA-334, 6.4.5.3 and 6.4.5.4). */

static bool lex_is_digit(char c);

/* Type of an integer literal: the first that can hold it. */
static enum elem integer_elem(uint64_t value, bool is_unsigned, bool is_long)
{
	if (!is_unsigned && !is_long && value <= INT32_MAX)
		return ELEM_I4;
	if (!is_long && value <= UINT32_MAX)
		return ELEM_U4;
	if (!is_unsigned && value <= INT64_MAX)
		return ELEM_I8;
	return ELEM_U8;
}

static struct dbg_error *integer(struct lexer *lx, int base, size_t start,
				 struct token *ret)
{
	uint64_t value = 0;
	size_t digits = 0;
	for (;; lx->at++) {
		char c = lx->text[lx->at];
		if (c == '_' && (digits || base != 10))
			continue;
		int d = lex_hex_digit(c);
		if (d < 0 || d >= base)
			break;
		if (value > (UINT64_MAX - (uint64_t)d) / (uint64_t)base) {
			lx->at++;
			return lex_bad(lx, "too large a number", start);
		}
		value = value * (uint64_t)base + (uint64_t)d;
		digits++;
	}
	bool separator = lx->text[lx->at - 1] == '_';
	bool is_unsigned = false, is_long = false;
	for (;; lx->at++) {
		char c = lx->text[lx->at];
		if (!is_unsigned && (c == 'u' || c == 'U'))
			is_unsigned = true;
		else if (!is_long && (c == 'l' || c == 'L'))
			is_long = true;
		else
			break;
	}
	if (!digits || separator || lex_is_name_part(lx->text[lx->at])) {
		lx->at += lx->text[lx->at] != '\0';
		return lex_bad(lx, "bad number", start);
	}
	ret->kind = TOKEN_INTEGER;
	ret->integer = value;
	ret->elem = integer_elem(value, is_unsigned, is_long);
	return NULL;
}

static size_t skip_digits(const char *text, size_t at)
{
	while (lex_is_digit(text[at]) ||
	       (text[at] == '_' && at && text[at - 1] != '.'))
		at++;
	return at;
}

/* End of digits, point and exponent; false if there is but an integer. */
static bool real_end(const char *text, size_t start, size_t *ret)
{
	size_t at = skip_digits(text, start);
	bool real = false;
	if (text[at] == '.' && lex_is_digit(text[at + 1])) {
		real = true;
		at = skip_digits(text, at + 1);
	}
	if (text[at] == 'e' || text[at] == 'E') {
		size_t e = at + 1;
		if (text[e] == '+' || text[e] == '-')
			e++;
		if (lex_is_digit(text[e])) {
			real = true;
			at = skip_digits(text, e);
		}
	}
	*ret = at;
	return real || (text[at] && strchr("fFdDmM", text[at]));
}

static struct dbg_error *real(struct lexer *lx, size_t end, struct token *ret)
{
	char *digits =
	    arena_strndup(lx->arena, lx->text + lx->at, end - lx->at);
	size_t n = 0;
	for (char *p = digits; *p; p++) {
		if (*p != '_')
			digits[n++] = *p;
	}
	digits[n] = '\0';
	size_t start = lx->at;
	lx->at = end;
	char suffix = lx->text[end] ? lx->text[end] : ' ';
	ret->kind = TOKEN_REAL;
	ret->elem = ELEM_R8;
	ret->text = digits;
	if (strchr("fFdDmM", suffix))
		lx->at++;
	if (lex_is_name_part(lx->text[lx->at])) {
		lx->at++;
		return lex_bad(lx, "bad number", start);
	}
	if (suffix == 'm' || suffix == 'M') {
		ret->kind = TOKEN_DECIMAL;
		return NULL;
	}
	if (suffix == 'f' || suffix == 'F') {
		ret->elem = ELEM_R4;
		ret->real = (double)strtof(digits, NULL);
	} else {
		ret->real = strtod(digits, NULL);
	}
	return NULL;
}

static struct dbg_error *lex_number(struct lexer *lx, struct token *ret)
{
	size_t start = lx->at, end;
	const char *p = lx->text + start;
	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		lx->at += 2;
		return integer(lx, 16, start, ret);
	}
	if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B')) {
		lx->at += 2;
		return integer(lx, 2, start, ret);
	}
	if (real_end(lx->text, start, &end))
		return real(lx, end, ret);
	return integer(lx, 10, start, ret);
}

/* ---- Interpolated strings -------------------------------------------- */

/*
 * (ECMA-334, 12.8.3, and the raw ones of C# 11): text with holes,
 * "{expression,alignment:format}". Each hole's tokens are made by the same
 * lexer, so a hole may hold any expression, strings too.
 */

static void lex_add(struct lexer *lx, struct token token);

static struct dbg_error *lex_until_end(struct lexer *lx, bool hole);

/* How a string literal is written. */
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

static bool lex_at_interpolated(const struct lexer *lx)
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

/*
 * Add the braces at this place that are text; *ret_hole: the rest open an
 * interpolation hole.
 */
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

/* An interpolated string: all its tokens are added. */
static struct dbg_error *lex_interpolated(struct lexer *lx)
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

/* ---- Characters ------------------------------------------------------ */

static bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 beyond ASCII are taken as letters. */
static bool lex_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool lex_is_name_part(char c)
{
	return lex_is_name_start(c) || lex_is_digit(c);
}

static int lex_hex_digit(char c)
{
	if (lex_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

uint32_t lex_utf8(const char *text, size_t *at)
{
	const unsigned char *p = (const unsigned char *)text + *at;
	size_t n = p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc0 ? 1 : 0;
	uint32_t c = n == 3   ? p[0] & 0x07
		     : n == 2 ? p[0] & 0x0f
		     : n == 1 ? p[0] & 0x1f
			      : p[0];
	for (size_t i = 1; i <= n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*at += 1;
			return p[0];
		}
		c = c << 6 | (p[i] & 0x3f);
	}
	*at += n + 1;
	return c > 0x10ffff ? 0xfffd : c;
}

uint32_t token_column(const char *text, size_t offset)
{
	uint32_t column = 1;
	for (size_t i = 0; i < offset; i++)
		column += ((unsigned char)text[i] & 0xc0) != 0x80;
	return column;
}

/* "@what '...' at column N" of the text from @start to the lexer's place. */
static struct dbg_error *lex_bad(const struct lexer *lx, const char *what,
				 size_t start)
{
	return dbg_err(DBG_E_ARGUMENT, "%s '%.*s' at column %u", what,
		       (int)(lx->at - start), lx->text + start,
		       token_column(lx->text, start));
}

/* ---- Words and punctuation ------------------------------------------- */

static const struct {
	const char *text;
	enum elem elem;
} words[] = {
#define WORD(id, text) [WORD_##id] = {text, ELEM_END},
#define TYPE_WORD(id, text, elem) [WORD_##id] = {text, ELEM_##elem},
    RESERVED_WORDS(WORD) TYPE_WORDS(TYPE_WORD) CONTEXTUAL_WORDS(WORD)
#undef WORD
#undef TYPE_WORD
};

static const char *const puncts[] = {
#define PUNCT(id, text) [PUNCT_##id] = text,
    PUNCTUATION(PUNCT)
#undef PUNCT
};

enum {
	N_WORDS = sizeof(words) / sizeof(words[0]),
	N_PUNCTS = sizeof(puncts) / sizeof(puncts[0])
};

/* The word that @text of @n bytes is. */
static enum word word_find(const char *text, size_t n)
{
	for (size_t i = 1; i < N_WORDS; i++) {
		const char *word = words[i].text;
		if (word && word[0] == text[0] && strlen(word) == n &&
		    !memcmp(word, text, n))
			return (enum word)i;
	}
	return WORD_NONE;
}

bool word_is_reserved(enum word word)
{
	return word != WORD_NONE && word < WORD_LAST_TYPE;
}

enum elem word_elem(enum word word)
{
	return words[word].elem;
}

const char *punct_text(enum punct punct)
{
	return puncts[punct];
}

static void lex_name(struct lexer *lx, struct token *ret)
{
	size_t start = lx->at++;
	if (lx->text[start] == '$' && lx->text[lx->at] == '$')
		lx->at++;
	// $VB$Local_n has more of them.
	bool vb = str_starts(lx->text + start, "$VB$");
	while (lex_is_name_part(lx->text[lx->at]) ||
	       (vb && lx->text[lx->at] == '$'))
		lx->at++;
	ret->kind = TOKEN_NAME;
	ret->text = arena_strndup(lx->arena, lx->text + start, lx->at - start);
	if (!ret->verbatim)
		ret->word = word_find(ret->text, lx->at - start);
}

static struct dbg_error *lex_punct(struct lexer *lx, struct token *ret)
{
	const char *p = lx->text + lx->at;
	for (size_t i = 1; i < N_PUNCTS; i++) {
		if (!str_starts(p, puncts[i]))
			continue;
		// `a?.5:b` is a choice with a number.
		if (i == PUNCT_IF_DOT && lex_is_digit(p[2]))
			continue;
		ret->kind = TOKEN_PUNCT;
		ret->punct = (enum punct)i;
		lx->at += strlen(puncts[i]);
		return NULL;
	}
	size_t start = lx->at;
	lex_utf8(lx->text, &lx->at);
	return lex_bad(lx, "unexpected", start);
}

/* ---- Dispatch -------------------------------------------------------- */

static void lex_add(struct lexer *lx, struct token token)
{
	if (lx->n == lx->cap) {
		size_t cap = lx->cap ? lx->cap * 2 : 16;
		struct token *more =
		    arena_calloc(lx->arena, cap, sizeof(*more));
		if (lx->n)
			memcpy(more, lx->items, lx->n * sizeof(*more));
		lx->items = more;
		lx->cap = cap;
	}
	lx->items[lx->n++] = token;
}

/* Blanks and comments. */
static struct dbg_error *skip_space(struct lexer *lx)
{
	for (;;) {
		const char *p = lx->text + lx->at;
		if (*p && strchr(" \t\r\n\v\f", *p)) {
			lx->at++;
		} else if (str_starts(p, "//")) {
			lx->at += strcspn(p, "\n");
		} else if (str_starts(p, "/*")) {
			const char *end = strstr(p + 2, "*/");
			size_t start = lx->at;
			lx->at += end ? (size_t)(end + 2 - p) : strlen(p);
			if (!end)
				return lex_bad(lx, "no end of the comment",
					       start);
		} else {
			return NULL;
		}
	}
}

static struct dbg_error *dispatch(struct lexer *lx, struct token *ret)
{
	const char *p = lx->text + lx->at;
	struct dbg_error *err;
	if (!*p)
		return NULL;
	if (lex_is_digit(p[0]) || (p[0] == '.' && lex_is_digit(p[1])))
		return lex_number(lx, ret);
	if (p[0] == '\'')
		return lex_char(lx, ret);
	err = lex_string(lx, ret);
	if (err || ret->kind != TOKEN_END)
		return err;
	if (p[0] == '@' && lex_is_name_start(p[1])) {
		lx->at++;
		ret->verbatim = true;
		lex_name(lx, ret);
		return NULL;
	}
	if (lex_is_name_start(p[0]) || p[0] == '$') {
		lex_name(lx, ret);
		return NULL;
	}
	return lex_punct(lx, ret);
}

/* How a token changes the depth of brackets. */
static int nesting(const struct token *t)
{
	switch (t->punct) {
	case PUNCT_OPEN:
	case PUNCT_OPEN_INDEX:
	case PUNCT_OPEN_BRACE:
		return 1;
	case PUNCT_CLOSE:
	case PUNCT_CLOSE_INDEX:
	case PUNCT_CLOSE_BRACE:
		return -1;
	default:
		return 0;
	}
}

/*
 * Add tokens up to END (@hole: to the '}' or ':' that ends a hole, which is
 * not taken).
 */
static struct dbg_error *lex_until_end(struct lexer *lx, bool hole)
{
	int depth = 0;
	for (;;) {
		struct token token = {0};
		struct dbg_error *err = skip_space(lx);
		if (err)
			return err;
		char c = lx->text[lx->at];
		if (hole && depth == 0 &&
		    (c == '}' || (c == ':' && lx->text[lx->at + 1] != ':')))
			return NULL;
		token.start = (uint32_t)lx->at;
		if (lex_at_interpolated(lx)) {
			err = lex_interpolated(lx);
			if (err)
				return err;
			continue;
		}
		err = dispatch(lx, &token);
		if (err)
			return err;
		if (token.kind == TOKEN_END)
			return NULL;
		depth += nesting(&token);
		token.end = (uint32_t)lx->at;
		lex_add(lx, token);
	}
}

struct dbg_error *tokens_make(const char *text, struct arena *arena,
			      struct tokens *ret)
{
	struct lexer lx = {.text = text, .arena = arena};
	if (strnlen(text, EXPR_TEXT_MAX + 1) > EXPR_TEXT_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the expression is too long");
	struct dbg_error *err = lex_until_end(&lx, false);
	if (err)
		return err;
	struct token end = {.start = (uint32_t)lx.at, .end = (uint32_t)lx.at};
	for (int i = 0; i < 3; i++)
		lex_add(&lx, end);
	*ret = (struct tokens){.text = text, .items = lx.items, .n = lx.n - 2};
	return NULL;
}
