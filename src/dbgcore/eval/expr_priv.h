/* Shared by expr.c and expr_type.c. */
#ifndef EVAL_EXPR_PRIV_H
#define EVAL_EXPR_PRIV_H

#include "eval/expr.h"

struct parser {
	const char *text;
	struct token *tokens; /* the last is END, with two more behind it */
	size_t n, at;
	struct arena *arena;
	unsigned int depth;
};

/* Pointers in the parser's arena. */
struct list {
	void **items;
	size_t n, cap;
};

void parser_list_add(struct parser *p, struct list *l, void *item);

const struct token *parser_peek(const struct parser *p);
bool parser_at(const struct parser *p, const char *punct);
/* At this word, not written with an @? */
bool parser_at_word(const struct parser *p, const char *text);
void parser_advance(struct parser *p);
/* Move over @punct if it is next. */
bool parser_accept(struct parser *p, const char *punct);
DBG_MUST struct dbg_error *parser_expect(struct parser *p, const char *punct);
/* The error of what is next, wherever something else was wanted. */
DBG_MUST struct dbg_error *parser_unexpected(const struct parser *p);
/* One level deeper; an error if that is too deep. Leave by p->depth--. */
DBG_MUST struct dbg_error *parser_enter(struct parser *p);

bool parser_is_keyword(const struct token *t);
DBG_MUST struct dbg_error *parser_type(struct parser *p,
				       struct expr_type **ret);
/* Try to parse a type; false leaves the parser where it was. */
bool parser_try_type(struct parser *p, struct expr_type **ret);
/* Generic arguments, if it is these that `<` begins here. */
bool parser_try_args(struct parser *p, struct list *args);

#endif
