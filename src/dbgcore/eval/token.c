/* Tokens of C# expressions (ECMA-334, 6.4). */
#include "eval/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct lexer {
	const char *text;
	size_t at;
	struct arena *arena;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 beyond ASCII are taken as letters. */
static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_name_part(char c)
{
	return is_name_start(c) || is_digit(c);
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static struct dbg_error *bad(const char *what, const char *text, size_t start,
			     size_t end)
{
	return dbg_err(DBG_E_ARGUMENT, "%s '%.*s'", what, (int)(end - start),
		       text + start);
}

/* ---- Numbers --------------------------------------------------------- */

/* Type of an integer literal (6.4.5.3): the first that can hold it. */
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
		if (c == '_' && digits)
			continue;
		int d = hex_digit(c);
		if (d < 0 || d >= base)
			break;
		if (value > (UINT64_MAX - (uint64_t)d) / (uint64_t)base)
			return bad("too large a number", lx->text, start,
				   lx->at + 1);
		value = value * (uint64_t)base + (uint64_t)d;
		digits++;
	}
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
	if (!digits || is_name_part(lx->text[lx->at]))
		return bad("bad number", lx->text, start, lx->at + 1);
	ret->kind = TOKEN_INTEGER;
	ret->integer = value;
	ret->elem = integer_elem(value, is_unsigned, is_long);
	return NULL;
}

/* End of digits, point and exponent; false if there is but an integer. */
static bool real_end(const char *text, size_t start, size_t *ret)
{
	size_t at = start;
	bool real = false;
	while (is_digit(text[at]) || text[at] == '_')
		at++;
	if (text[at] == '.' && is_digit(text[at + 1])) {
		real = true;
		at++;
		while (is_digit(text[at]) || text[at] == '_')
			at++;
	}
	if (text[at] == 'e' || text[at] == 'E') {
		size_t e = at + 1;
		if (text[e] == '+' || text[e] == '-')
			e++;
		if (is_digit(text[e])) {
			real = true;
			while (is_digit(text[e]))
				e++;
			at = e;
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
	if (is_name_part(lx->text[lx->at]))
		return bad("bad number", lx->text, start, lx->at + 1);
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

static struct dbg_error *number(struct lexer *lx, struct token *ret)
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

/* ---- Characters and strings ------------------------------------------ */

struct units {
	uint16_t *p;
	size_t n, cap;
};

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

/* One code point of UTF-8 at *@at; broken bytes stand for themselves. */
static uint32_t take_utf8(const char *text, size_t *at)
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

static bool take_hex(struct lexer *lx, size_t min, size_t max, uint32_t *ret)
{
	uint32_t value = 0;
	size_t n = 0;
	for (; n < max && hex_digit(lx->text[lx->at]) >= 0; n++, lx->at++)
		value = value << 4 | (uint32_t)hex_digit(lx->text[lx->at]);
	*ret = value;
	return n >= min && value <= 0x10ffff;
}

/* Behind a backslash (6.4.5.5). */
static bool take_escape(struct lexer *lx, uint32_t *ret)
{
	static const char letters[] = "'\"\\0abfnrtv";
	static const char meant[] = "'\"\\\0\a\b\f\n\r\t\v";
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
			return bad("no closing quote for", lx->text, start,
				   lx->at);
		if (c == quote && verbatim && lx->text[lx->at + 1] == quote) {
			lx->at += 2;
			units_add(u, (uint32_t)quote);
		} else if (c == quote) {
			lx->at++;
			return NULL;
		} else if (c == '\\' && !verbatim) {
			size_t escape = lx->at++;
			if (!take_escape(lx, &code))
				return bad("unknown escape", lx->text, escape,
					   lx->at);
			units_add(u, code);
		} else {
			units_add(u, take_utf8(lx->text, &lx->at));
		}
	}
}

static struct dbg_error *string(struct lexer *lx, bool verbatim,
				struct token *ret)
{
	struct units u = {0};
	struct dbg_error *err = quoted(lx, '"', verbatim, &u);
	if (!err) {
		ret->kind = TOKEN_STRING;
		ret->units = arena_copy(lx->arena, u.p, u.n, sizeof(u.p[0]));
		ret->n_units = u.n;
	}
	free(u.p);
	return err;
}

static struct dbg_error *character(struct lexer *lx, struct token *ret)
{
	struct units u = {0};
	size_t start = lx->at;
	struct dbg_error *err = quoted(lx, '\'', false, &u);
	if (!err && u.n != 1)
		err = bad("not one character:", lx->text, start, lx->at);
	if (!err) {
		ret->kind = TOKEN_CHAR;
		ret->elem = ELEM_CHAR;
		ret->integer = u.p[0];
	}
	free(u.p);
	return err;
}

/* ---- Names and punctuation ------------------------------------------- */

static void name(struct lexer *lx, struct token *ret)
{
	size_t start = lx->at++;
	if (lx->text[start] == '$' && lx->text[lx->at] == '$')
		lx->at++;
	// $VB$Local_n has more of them.
	bool vb = str_starts(lx->text + start, "$VB$");
	while (is_name_part(lx->text[lx->at]) ||
	       (vb && lx->text[lx->at] == '$'))
		lx->at++;
	ret->kind = TOKEN_NAME;
	ret->text = arena_strndup(lx->arena, lx->text + start, lx->at - start);
}

static struct dbg_error *punct(struct lexer *lx, struct token *ret)
{
	// Longest first. `>>` is put together by the parser, since it also
	// closes two lists of generic arguments.
	static const char *const all[] = {
	    "&&", "||", "??", "?.", "?[", "==", "!=", "<=", ">=", "<<", "->",
	    "::", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "(",  ")",
	    "[",  "]",  ".",  ",",  "?",  ":",  "<",  ">",  "+",  "-",  "*",
	    "/",  "%",  "&",  "|",  "^",  "!",  "~",  "=",
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!str_starts(lx->text + lx->at, all[i]))
			continue;
		// `a?.5:b` is a choice with a number.
		if (!strcmp(all[i], "?.") && is_digit(lx->text[lx->at + 2]))
			continue;
		ret->kind = TOKEN_PUNCT;
		ret->text = all[i];
		lx->at += strlen(all[i]);
		return NULL;
	}
	size_t end = lx->at;
	take_utf8(lx->text, &end);
	return bad("unexpected", lx->text, lx->at, end);
}

static struct dbg_error *dispatch(struct lexer *lx, struct token *ret)
{
	const char *p = lx->text + lx->at;
	if (!*p) {
		ret->kind = TOKEN_END;
		return NULL;
	}
	if (is_digit(p[0]) || (p[0] == '.' && is_digit(p[1])))
		return number(lx, ret);
	if (p[0] == '"')
		return string(lx, false, ret);
	if (p[0] == '\'')
		return character(lx, ret);
	if (p[0] == '@' && p[1] == '"') {
		lx->at++;
		return string(lx, true, ret);
	}
	if (p[0] == '@' && is_name_start(p[1])) {
		lx->at++;
		ret->verbatim = true;
		name(lx, ret);
		return NULL;
	}
	if (is_name_start(p[0]) || p[0] == '$') {
		name(lx, ret);
		return NULL;
	}
	return punct(lx, ret);
}

struct dbg_error *token_next(const char *text, size_t *at, struct arena *arena,
			     struct token *ret)
{
	struct lexer lx = {.text = text, .at = *at, .arena = arena};
	struct token token = {0};
	while (text[lx.at] && strchr(" \t\r\n", text[lx.at]))
		lx.at++;
	token.start = lx.at;
	struct dbg_error *err = dispatch(&lx, &token);
	if (err)
		return err;
	token.end = lx.at;
	*at = lx.at;
	*ret = token;
	return NULL;
}
