/*
 * The ways into the syntax: a whole expression, a type, an expression with
 * format specifiers, and what stands before a cursor. Each makes all tokens,
 * parses, and refuses what is left behind the tree.
 */
#include "eval/syntax/expr.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

static struct dbg_error *begin(struct parser *p, const char *text,
			       struct arena *arena)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	struct dbg_error *err = tokens_make(text, false, arena, &p->tokens);
	if (!err && p->tokens.n == 1)
		err = dbg_err(DBG_E_ARGUMENT, "an expression is wanted");
	return err;
}

static struct dbg_error *end(const struct parser *p)
{
	return parser_at_end(p) ? NULL : parser_unexpected(p);
}

struct dbg_error *expr_parse(const char *text, struct arena *arena,
			     struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = begin(&p, text, arena);
	if (!err)
		err = parse_expr(&p, &e);
	if (!err)
		err = end(&p);
	if (!err)
		*ret = e;
	return err;
}

struct dbg_error *expr_parse_type(const char *text, struct arena *arena,
				  struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = begin(&p, text, arena);
	if (!err)
		err = parse_type(&p, TYPE_ANYWHERE, &e);
	if (!err)
		err = end(&p);
	if (!err)
		*ret = e;
	return err;
}

static struct dbg_error *parse_specifier(struct parser *p,
					 struct expr_specifiers *specs)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_NAME && t->kind != TOKEN_INTEGER)
		return parser_unexpected(p);
	if (specs->n == EXPR_SPECIFIERS_MAX)
		return parser_error(p, "too many format specifiers");
	specs->names[specs->n++] = arena_strndup(
	    p->arena, p->tokens.text + t->start, t->end - t->start);
	parser_advance(p);
	return NULL;
}

struct dbg_error *expr_parse_watch(const char *text, struct arena *arena,
				   struct expr **ret,
				   struct expr_specifiers *ret_specs)
{
	struct parser p;
	struct expr *e;
	struct expr_specifiers specs = {0};
	struct dbg_error *err = begin(&p, text, arena);
	if (!err)
		err = parse_expr(&p, &e);
	while (!err && parser_accept(&p, PUNCT_COMMA))
		err = parse_specifier(&p, &specs);
	if (!err)
		err = end(&p);
	if (err)
		return err;
	*ret = e;
	*ret_specs = specs;
	return NULL;
}

struct dbg_error *expr_parse_hole(const char *text, size_t cursor,
				  struct arena *arena, struct expr **ret,
				  struct expr **ret_hole)
{
	struct parser p = {.arena = arena, .completing = true};
	struct expr *e;
	const char *before = arena_strndup(arena, text, cursor);
	struct dbg_error *err = tokens_make(before, true, arena, &p.tokens);
	if (!err)
		err = parse_expr(&p, &e);
	if (!err)
		err = end(&p);
	if (err)
		return err;
	*ret = e;
	*ret_hole = p.hole;
	return NULL;
}
