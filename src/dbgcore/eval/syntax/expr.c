/*
 * The entries of the syntax: a whole expression and a type. Each makes all
 * tokens, parses, and refuses what is left behind the tree.
 */
#include "eval/syntax/expr.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

static struct dbg_error *parse_begin(struct parser *p, const char *text,
				     struct arena *arena)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	struct dbg_error *err = tokens_make(text, arena, &p->tokens);
	if (!err && p->tokens.n == 1)
		err = dbg_err(DBG_E_ARGUMENT, "an expression is wanted");
	return err;
}

/* Expect the end of the text; semicolons before it are ignored. */
static struct dbg_error *parse_end(struct parser *p)
{
	while (parser_accept(p, PUNCT_SEMICOLON))
		;
	return parser_at_end(p) ? NULL : dbg_err_cs(1002, parser_unexpected(p));
}

typedef struct dbg_error *parse_fn(struct parser *p, struct expr **ret);

static struct dbg_error *parse_whole(const char *text, struct arena *arena,
				     parse_fn *parse, struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = parse_begin(&p, text, arena);
	if (!err)
		err = parse(&p, &e);
	if (!err)
		err = parse_end(&p);
	if (!err)
		*ret = e;
	return err;
}

static struct dbg_error *type_anywhere(struct parser *p, struct expr **ret)
{
	return parse_type(p, TYPE_ANYWHERE, ret);
}

struct dbg_error *expr_parse(const char *text, struct arena *arena,
			     struct expr **ret)
{
	return parse_whole(text, arena, parse_expr, ret);
}

struct dbg_error *expr_parse_statement(const char *text, struct arena *arena,
				       struct expr **ret)
{
	return parse_whole(text, arena, parse_local_or_expr, ret);
}

struct dbg_error *expr_parse_type(const char *text, struct arena *arena,
				  struct expr **ret)
{
	return parse_whole(text, arena, type_anywhere, ret);
}
