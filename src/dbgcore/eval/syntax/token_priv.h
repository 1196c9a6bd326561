/* The lexer, shared by token.c and token.c. */
#ifndef EVAL_TOKEN_PRIV_H
#define EVAL_TOKEN_PRIV_H

#include "eval/syntax/token.h"

struct lexer {
	const char *text;
	size_t at;
	struct arena *arena;
	struct token *items; /* in the arena, doubled as they fill */
	size_t n, cap;
	unsigned int nested; /* interpolated strings around this place */
};

/* UTF-16 under construction. */
struct units {
	uint16_t *p;
	size_t n, cap;
};

bool lex_is_name_part(char c);
int lex_hex_digit(char c);
/* "@what '...' at column N" of the text from @start to the lexer's place. */
DBG_MUST struct dbg_error *lex_bad(const struct lexer *lx, const char *what,
				   size_t start);
void units_add(struct units *u, uint32_t c);
/* Move what was gathered into the arena and the token. */
void units_take(struct lexer *lx, struct units *u, struct token *ret);
/* Read an escape behind its backslash (6.4.5.5); false if it is none. */
bool lex_escape(struct lexer *lx, uint32_t *ret);

DBG_MUST struct dbg_error *lex_char(struct lexer *lx, struct token *ret);
/* A string without holes, if one begins here; else *ret stays as it is. */
DBG_MUST struct dbg_error *lex_string(struct lexer *lx, struct token *ret);

/* A raw string's fence: three quotes or more, and its common indentation. */
struct fence {
	size_t quotes;
	size_t end;         /* offset of the closing quotes */
	bool lines;         /* its text stands on lines of its own */
	const char *indent; /* what each line begins with, and is left out */
	size_t n_indent;
};

/* Read the opening quotes of a raw string literal, and move to its text. */
DBG_MUST struct dbg_error *lex_fence(struct lexer *lx, struct fence *ret);
/* Skip indentation at the beginning of a line of a raw string. */
DBG_MUST struct dbg_error *lex_indent(struct lexer *lx, const struct fence *f);
/* Quotes in a row at the lexer's place. */
size_t lex_run(const struct lexer *lx, char c);

#endif
