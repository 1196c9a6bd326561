/* Numbers in source text (ECMA-334, 6.4.5.3 and 6.4.5.4). */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/token_priv.h"

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

struct dbg_error *lex_number(struct lexer *lx, struct token *ret)
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
