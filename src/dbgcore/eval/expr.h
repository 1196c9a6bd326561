/*
 * Syntax of expressions: tokens (token.c) and the tree (expr.c). No meaning
 * here; it can be tested and fuzzed without a program.
 */
#ifndef EVAL_EXPR_H
#define EVAL_EXPR_H

#include "dbg.h"
#include "meta/sig.h"

struct arena;

enum {
	EXPR_TEXT_MAX = 4096,
	EXPR_DEPTH_MAX = 100
};

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,    /* identifier or keyword; text */
	TOKEN_INTEGER, /* integer, elem */
	TOKEN_REAL,    /* real, elem R4 or R8 */
	TOKEN_DECIMAL, /* text without suffix */
	TOKEN_CHAR,    /* integer */
	TOKEN_STRING,  /* units */
	TOKEN_PUNCT,   /* text: an operator or bracket */
};

struct token {
	enum token_kind kind;
	size_t start, end; /* offsets in the text */
	const char *text;  /* NAME without its @, PUNCT */
	bool verbatim;     /* NAME written @name: never a keyword */
	enum elem elem;
	uint64_t integer;
	double real;
	const uint16_t *units;
	size_t n_units;
};

/*
 * Take the token at *@at of @text and move on. Strings and names are in
 * @arena.
 */
DBG_MUST struct dbg_error *token_next(const char *text, size_t *at,
				      struct arena *arena, struct token *ret);

/* A type as written: A.B<C,D>[][,]*? */
struct expr_type {
	const char *name;        /* dotted, without arguments */
	struct expr_type **args; /* of all parts, from the left */
	size_t n_args;
	const char *suffix; /* of "?", "*", "[]", "[,]", in order */
};

enum expr_kind {
	EXPR_LITERAL, /* token */
	EXPR_NULL,
	EXPR_BOOL,   /* token.integer */
	EXPR_NAME,   /* name, args; "this" and "base" too */
	EXPR_TYPE,   /* type: keyword type, to be followed by a member */
	EXPR_MEMBER, /* a.name, args */
	EXPR_INDEX,  /* a[list] */
	EXPR_CALL,   /* a(list) */
	EXPR_CAST,   /* (type)a */
	EXPR_IS,     /* a is type; type NULL: is null */
	EXPR_AS,
	EXPR_UNARY,   /* op a: + - ! ~ * & */
	EXPR_BINARY,  /* a op b, && || ?? too */
	EXPR_CHOICE,  /* a ? b : c */
	EXPR_SIZEOF,  /* type */
	EXPR_DEFAULT, /* type; NULL: bare */
	EXPR_ASSIGN,  /* a = b; op "+": a += b; the root alone */
};

struct expr {
	enum expr_kind kind;
	size_t start, end; /* of the whole, in the text */
	struct token token;
	const char *name;
	const char *op;
	bool conditional; /* ?. and ?[ */
	bool arrow;       /* -> */
	bool negated;     /* is not */
	struct expr *a, *b, *c;
	struct expr **list;
	size_t n_list;
	struct expr_type *type;
	struct expr_type **args; /* generic arguments of name */
	size_t n_args;
};

/* Parse all of @text; the tree is in @arena. */
DBG_MUST struct dbg_error *expr_parse(const char *text, struct arena *arena,
				      struct expr **ret);
/* ... which may be an assignment. */
DBG_MUST struct dbg_error *
expr_parse_assign(const char *text, struct arena *arena, struct expr **ret);
/* Parse all of @text as a type. */
DBG_MUST struct dbg_error *
expr_parse_type(const char *text, struct arena *arena, struct expr_type **ret);
/* ELEM of a keyword type ("int", "string", "object", "nint"), else END. */
enum elem expr_keyword_elem(const char *name);

#endif
