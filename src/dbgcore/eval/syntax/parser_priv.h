/* The parser: the cursor over tokens, and the parts of the grammar. */
#ifndef EVAL_PARSER_PRIV_H
#define EVAL_PARSER_PRIV_H

#include "eval/syntax/statement.h"
#include "eval/syntax/token.h"

struct parser {
	struct tokens tokens;
	size_t at;
	struct arena *arena;
	unsigned int depth;
	unsigned int steps;         /* taken, also on ways that were left */
	unsigned int n_transparent; /* names made for queries */
	bool in_query;              /* words of queries end an expression */
	bool in_is; /* a pattern's constants end at `&`, `==`: those behind `is`
		       that are not in brackets */
};

/* Nodes in the parser's arena. */
struct list {
	struct expr **items;
	size_t n, cap;
};

/* ---- The cursor ------------------------------------------------------ */

const struct token *parser_peek(const struct parser *p);
bool parser_at(const struct parser *p, enum punct punct);
/* @n tokens ahead? */
bool parser_ahead(const struct parser *p, size_t n, enum punct punct);
/* Is the next token this word, written without an @? */
bool parser_at_word(const struct parser *p, enum word word);
bool parser_at_end(const struct parser *p);
/* Is the next token a name that is not reserved here? */
bool parser_at_name(const struct parser *p);
void parser_advance(struct parser *p);
/* Go back to where @saved was copied from @p. */
void parser_restore(struct parser *p, const struct parser *saved);
/* Move over @punct or @word if it is next. */
bool parser_accept(struct parser *p, enum punct punct);
bool parser_accept_word(struct parser *p, enum word word);
DBG_MUST struct dbg_error *parser_expect(struct parser *p, enum punct punct);
DBG_MUST struct dbg_error *parser_expect_word(struct parser *p, enum word word);
/* `?[` with nothing between: of an index, or of an array type. */
bool parser_at_if_index(const struct parser *p);
/* A name, not reserved (@any: or reserved, where no keyword can stand). */
DBG_MUST struct dbg_error *parser_name(struct parser *p, bool any,
				       const char **ret);
/* The error of what is next, wherever something else was wanted. */
DBG_MUST struct dbg_error *parser_unexpected(const struct parser *p);
/* "@message at column N" of the next token. */
DBG_MUST struct dbg_error *parser_error(const struct parser *p,
					const char *message);
/* Go one level deeper; an error if that is too deep. Leave by p->depth--. */
DBG_MUST struct dbg_error *parser_enter(struct parser *p);

struct expr *parser_node(struct parser *p, enum expr_kind kind);
/* A node that begins where @first does. */
struct expr *parser_node_from(struct parser *p, enum expr_kind kind,
			      struct expr *first);
/* Let @e end with the token read last. */
void parser_close(const struct parser *p, struct expr *e);
void list_add(struct parser *p, struct list *l, struct expr *e);

/*
 * Items with commas between, up to @close, which is taken. @item parses one.
 */
typedef struct dbg_error *parse_item(struct parser *p, struct expr **ret);
enum list_end {
	LIST_EXACT,
	LIST_TRAILING_COMMA
};
DBG_MUST struct dbg_error *parser_list(struct parser *p, enum punct close,
				       enum list_end end, parse_item *item,
				       struct list *ret);

/* ---- The grammar ----------------------------------------------------- */

/* Any expression: assignment, lambda, query, choice. */
DBG_MUST struct dbg_error *parse_expr(struct parser *p, struct expr **ret);
enum {
	BINDS_RELATION = 8,
	BINDS_SHIFT = 9
};
/* A binary operator that may be written over another: what it is. */
enum op parser_operator(const struct parser *p, int *ret_binds,
			size_t *ret_tokens);
DBG_MUST struct dbg_error *parse_primary(struct parser *p, struct expr **ret);
DBG_MUST struct dbg_error *parse_argument(struct parser *p, struct expr **ret);
DBG_MUST struct dbg_error *parse_new(struct parser *p, struct expr **ret);
/* `{ ... }` of an object or a collection. */
DBG_MUST struct dbg_error *parse_initializer(struct parser *p,
					     struct expr **ret);
/* `{ A = 1 }` behind `with`. */
DBG_MUST struct dbg_error *parse_object_initializer(struct parser *p,
						    struct expr **ret);
DBG_MUST struct dbg_error *parse_collection(struct parser *p,
					    struct expr **ret);
DBG_MUST struct dbg_error *parse_interpolated(struct parser *p,
					      struct expr **ret);
DBG_MUST struct dbg_error *parse_pattern(struct parser *p, struct expr **ret);
/* Does a lambda begin here? */
bool parser_at_lambda(struct parser *p);
DBG_MUST struct dbg_error *parse_lambda(struct parser *p, struct expr **ret);
/* A local function, if one begins here; false leaves the parser there. */
bool parser_try_function(struct parser *p, struct expr **ret,
			 struct dbg_error **ret_err);
bool parser_at_query(struct parser *p);
DBG_MUST struct dbg_error *parse_query(struct parser *p, struct expr **ret);
DBG_MUST struct dbg_error *parse_declaration(struct parser *p,
					     struct expr **ret);
/* `T name` or `var (a, b)`, if that is what is next. */
bool parser_try_declaration(struct parser *p, struct expr **ret);

/*
 * Where a type stands: anywhere, or as an operand, where a `?` behind it may
 * begin a conditional expression.
 */
enum type_place {
	TYPE_ANYWHERE,
	TYPE_OPERAND
};
DBG_MUST struct dbg_error *parse_type(struct parser *p, enum type_place place,
				      struct expr **ret);
/* Try to parse a type; false leaves the parser where it was. */
bool parser_try_type(struct parser *p, enum type_place place,
		     struct expr **ret);
/* Type arguments of the name @e, if it is these that `<` begins here. */
void parser_try_args(struct parser *p, struct expr *e);
bool parser_at_type_word(const struct parser *p);

/* ---- The lexer ----------------------------------------------------------- */

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
