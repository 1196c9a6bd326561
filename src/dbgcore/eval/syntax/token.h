/*
 * Tokens of C# expressions and statements (ECMA-334, 6.4), all of a text at
 * once. An interpolated string is several: INTERPOLATED, then STRING for text
 * and HOLE .. HOLE_END around the tokens of each hole, then
 * INTERPOLATED_END.
 *
 * A shift to the right is not a token: two '>' side by side are one shift or
 * the ends of two lists of type arguments, which the parser knows.
 */
#ifndef EVAL_TOKEN_H
#define EVAL_TOKEN_H

#include "dbg.h"
#include "eval/syntax/word.h"
#include "meta/sig.h"

struct arena;

enum {
	EXPR_TEXT_MAX = 16384,
	TOKEN_NEST_MAX = 16 /* interpolated strings within each other */
};

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,    /* identifier or keyword: text, word */
	TOKEN_INTEGER, /* integer, elem */
	TOKEN_REAL,    /* real, elem R4 or R8 */
	TOKEN_DECIMAL, /* text without suffix */
	TOKEN_CHAR,    /* integer */
	TOKEN_STRING,  /* units */
	TOKEN_UTF8,    /* units: "..."u8, a ReadOnlySpan<byte> */
	TOKEN_PUNCT,   /* punct */
	TOKEN_INTERPOLATED,
	TOKEN_HOLE,     /* '{' */
	TOKEN_FORMAT,   /* units: what stands behind the ':' of a hole */
	TOKEN_HOLE_END, /* '}' */
	TOKEN_INTERPOLATED_END,
};

struct token {
	enum token_kind kind;
	enum word word;
	enum punct punct;
	enum elem elem;
	bool verbatim;    /* NAME written @name: never a keyword */
	uint32_t start;   /* offsets in the text */
	uint32_t end;     /* behind it */
	const char *text; /* NAME without its @, digits of DECIMAL */
	uint64_t integer;
	double real;
	const uint16_t *units;
	size_t n_units;
};

/* Ends with END and two more behind it, for looking ahead. */
struct tokens {
	const char *text;
	struct token *items;
	size_t n; /* END included */
};

/* Take @text apart; what the tokens hold is in @arena. */
DBG_MUST struct dbg_error *tokens_make(const char *text, struct arena *arena,
				       struct tokens *ret);

/* "column 3" of an offset, in characters from 1. */
uint32_t token_column(const char *text, size_t offset);
/* Decode one code point of UTF-8; each broken byte stands for itself. */
uint32_t lex_utf8(const char *text, size_t *at);
const char *punct_text(enum punct punct);
bool word_is_reserved(enum word word);
/* Element type of a keyword type, VALUETYPE for decimal; END: none. */
enum elem word_elem(enum word word);

#endif
