/*
 * All tokens of a text at once: which kind begins where, names, punctuation
 * (longest first); numbers and strings have files of their own.
 */
#include "eval/syntax/token.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/syntax/token_priv.h"

/* ---- Characters ------------------------------------------------------ */

bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of UTF-8 beyond ASCII are taken as letters. */
static bool lex_is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

bool lex_is_name_part(char c)
{
	return lex_is_name_start(c) || lex_is_digit(c);
}

int lex_hex_digit(char c)
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

struct dbg_error *lex_bad(const struct lexer *lx, const char *what,
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

void lex_add(struct lexer *lx, struct token token)
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

struct dbg_error *lex_until_end(struct lexer *lx, bool hole)
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
