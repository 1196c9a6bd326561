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

/* A raw string's fence: three quotes or more, and its common indentation. */
struct fence {
	size_t quotes;
	size_t end;         /* offset of the closing quotes */
	bool lines;         /* its text stands on lines of its own */
	const char *indent; /* what each line begins with, and is left out */
	size_t n_indent;
};

#endif
