/*
 * Primary expressions (ECMA-334, 12.8): literals, names, parentheses, member
 * access, calls, indexes, `new` and the keywords that look like calls. What
 * stands in front is read first, then what follows it, from left to right.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

/* ---- Lists ----------------------------------------------------------- */

static enum expr_modifier take_modifier(struct parser *p)
{
	if (parser_accept_word(p, WORD_REF))
		return MODIFIER_REF;
	if (parser_accept_word(p, WORD_OUT))
		return MODIFIER_OUT;
	return parser_accept_word(p, WORD_IN) ? MODIFIER_IN : MODIFIER_NONE;
}

struct dbg_error *parse_argument(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_ARGUMENT);
	if (parser_at_name(p) && parser_ahead(p, 1, PUNCT_COLON)) {
		e->name = parser_peek(p)->text;
		p->at += 2;
	}
	e->modifier = take_modifier(p);
	*ret = e;
	if (e->modifier == MODIFIER_OUT && parser_try_declaration(p, &e->a)) {
		parser_close(p, e);
		return NULL;
	}
	struct dbg_error *err = parse_expr(p, &e->a);
	parser_close(p, e);
	return err;
}

static struct dbg_error *parse_arguments(struct parser *p, enum punct close,
					 struct expr *e)
{
	struct list list;
	// Within brackets no word of a query can follow.
	bool in_query = p->in_query;
	p->in_query = false;
	struct dbg_error *err =
	    parser_list(p, close, LIST_EXACT, parse_argument, &list);
	p->in_query = in_query;
	if (err)
		return err;
	e->list = list.items;
	e->n_list = list.n;
	return NULL;
}

/* ---- Parentheses ----------------------------------------------------- */

/*
 * A part of `(int a, var b) = t`, or of a tuple. No part is a pointer: `(a *
 * b)` is a product.
 */
static struct dbg_error *tuple_item(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, EXPR_ARGUMENT);
	if (parser_try_declaration(p, &e->a) &&
	    e->a->type->kind != EXPR_POINTER_TYPE) {
		parser_close(p, e);
		*ret = e;
		return NULL;
	}
	parser_restore(p, &saved);
	return parse_argument(p, ret);
}

static struct dbg_error *parse_paren(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_TUPLE);
	bool in_query = p->in_query;
	p->in_query = false;
	parser_advance(p);
	struct dbg_error *err =
	    parser_list(p, PUNCT_CLOSE, LIST_EXACT, tuple_item, &list);
	p->in_query = in_query;
	if (err)
		return err;
	if (list.n == 0) {
		p->at--;
		return parser_unexpected(p);
	}
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*ret = e;
	if (list.n > 1)
		return NULL;
	if (list.items[0]->name || list.items[0]->modifier)
		return dbg_err(DBG_E_ARGUMENT,
			       "a tuple has two elements or more");
	*ret = list.items[0]->a;
	(*ret)->parens = true;
	(*ret)->start = e->start;
	(*ret)->end = e->end;
	return NULL;
}

/* ---- Words ----------------------------------------------------------- */

/* typeof(T), sizeof(T), default(T), nameof(x), checked(x) */
static struct dbg_error *parse_function(struct parser *p, struct expr **ret)
{
	static const struct {
		enum word word;
		enum expr_kind kind;
	} all[] = {
	    {WORD_TYPEOF, EXPR_TYPEOF},   {WORD_SIZEOF, EXPR_SIZEOF},
	    {WORD_DEFAULT, EXPR_DEFAULT}, {WORD_NAMEOF, EXPR_NAMEOF},
	    {WORD_CHECKED, EXPR_CHECKED}, {WORD_UNCHECKED, EXPR_CHECKED},
	};
	size_t i = 0;
	while (!parser_at_word(p, all[i].word))
		i++;
	struct expr *e = parser_node(p, all[i].kind);
	e->unchecked = all[i].word == WORD_UNCHECKED;
	parser_advance(p);
	*ret = e;
	if (e->kind == EXPR_DEFAULT && !parser_at(p, PUNCT_OPEN))
		return NULL;
	struct dbg_error *err = parser_expect(p, PUNCT_OPEN);
	if (!err)
		err = e->kind == EXPR_NAMEOF || e->kind == EXPR_CHECKED
			  ? parse_expr(p, &e->a)
			  : parse_type(p, TYPE_ANYWHERE, &e->type);
	if (!err)
		err = parser_expect(p, PUNCT_CLOSE);
	parser_close(p, e);
	return err;
}

static struct dbg_error *parse_leaf(struct parser *p, enum expr_kind kind,
				    struct expr **ret)
{
	struct expr *e = parser_node(p, kind);
	struct token *t = &p->tokens.items[p->at];
	e->token = t;
	e->name = t->text;
	e->elem = word_elem(t->word);
	if (kind == EXPR_BOOL)
		t->integer = t->word == WORD_TRUE;
	parser_advance(p);
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_word(struct parser *p, struct expr **ret)
{
	switch (parser_peek(p)->word) {
	case WORD_NULL:
		return parse_leaf(p, EXPR_NULL, ret);
	case WORD_TRUE:
	case WORD_FALSE:
		return parse_leaf(p, EXPR_BOOL, ret);
	case WORD_THIS:
		return parse_leaf(p, EXPR_THIS, ret);
	case WORD_BASE:
		return parse_leaf(p, EXPR_BASE, ret);
	case WORD_TYPEOF:
	case WORD_SIZEOF:
	case WORD_DEFAULT:
	case WORD_CHECKED:
	case WORD_UNCHECKED:
		return parse_function(p, ret);
	case WORD_NEW:
	case WORD_STACKALLOC:
		return parse_new(p, ret);
	default:
		if (parser_at_type_word(p))
			return parse_leaf(p, EXPR_KEYWORD, ret);
		return parser_unexpected(p);
	}
}

static struct dbg_error *parse_name(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_NAME);
	*ret = e;
	struct dbg_error *err = parser_name(p, false, &e->name);
	if (err)
		return err;
	parser_close(p, e);
	if (parser_at(p, PUNCT_COLONS))
		e->kind = EXPR_ALIAS;
	else
		parser_try_args(p, e);
	parser_close(p, e);
	return NULL;
}

/* A type that a member, or nothing, follows: int.MaxValue, int[]. */
static void take_ranks(struct parser *p, struct expr **io)
{
	struct parser saved = *p;
	struct expr *e = *io;
	struct dbg_error *err = parse_ranks(p, io);
	if (!dbg_err_drop(err))
		return;
	parser_restore(p, &saved);
	*io = e;
}

static struct dbg_error *parse_atom(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	switch (t->kind) {
	case TOKEN_NAME:
		if (t->word == WORD_NAMEOF && parser_ahead(p, 1, PUNCT_OPEN))
			return parse_function(p, ret);
		return word_is_reserved(t->word) ? parse_word(p, ret)
						 : parse_name(p, ret);
	case TOKEN_INTEGER:
	case TOKEN_REAL:
	case TOKEN_DECIMAL:
	case TOKEN_CHAR:
	case TOKEN_STRING:
	case TOKEN_UTF8:
		return parse_leaf(p, EXPR_LITERAL, ret);
	case TOKEN_INTERPOLATED:
		return parse_interpolated(p, ret);
	default:
		if (parser_at(p, PUNCT_OPEN))
			return parse_paren(p, ret);
		if (parser_at(p, PUNCT_OPEN_INDEX))
			return parse_collection(p, ret);
		return parser_unexpected(p);
	}
}

/* ---- What follows ---------------------------------------------------- */

static struct dbg_error *parse_member(struct parser *p, struct expr *e)
{
	e->conditional = parser_at(p, PUNCT_IF_DOT);
	e->arrow = parser_at(p, PUNCT_POINTS_TO);
	parser_advance(p);
	struct dbg_error *err = parser_name(p, true, &e->name);
	if (err)
		return err;
	parser_try_args(p, e);
	return NULL;
}

/* `x!` is no operator where an operand follows: `x != y` is one token. */
static bool at_suppress(const struct parser *p)
{
	return parser_at(p, PUNCT_NOT);
}

static struct dbg_error *parse_one(struct parser *p, struct expr *e,
				   bool *ret_more)
{
	*ret_more = true;
	if (parser_at(p, PUNCT_DOT) || parser_at(p, PUNCT_IF_DOT) ||
	    parser_at(p, PUNCT_POINTS_TO) || parser_at(p, PUNCT_COLONS))
		return parse_member(p, e);
	if (parser_at(p, PUNCT_OPEN_INDEX) || parser_at_if_index(p)) {
		e->kind = EXPR_INDEX;
		e->conditional = parser_accept(p, PUNCT_QUESTION);
		parser_advance(p);
		return parse_arguments(p, PUNCT_CLOSE_INDEX, e);
	}
	if (parser_accept(p, PUNCT_OPEN)) {
		e->kind = EXPR_CALL;
		return parse_arguments(p, PUNCT_CLOSE, e);
	}
	if (parser_at(p, PUNCT_INCREMENT) || parser_at(p, PUNCT_DECREMENT)) {
		e->kind = EXPR_POSTFIX;
		e->op =
		    parser_at(p, PUNCT_INCREMENT) ? OP_INCREMENT : OP_DECREMENT;
		parser_advance(p);
		return NULL;
	}
	*ret_more = at_suppress(p);
	e->kind = EXPR_SUPPRESS;
	if (*ret_more)
		parser_advance(p);
	return NULL;
}

struct dbg_error *parse_primary(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parse_atom(p, ret);
	bool more = true;
	if (!err)
		take_ranks(p, ret);
	while (!err) {
		struct expr *e = parser_node_from(p, EXPR_MEMBER, *ret);
		err = parse_one(p, e, &more);
		if (!more)
			break;
		parser_close(p, e);
		*ret = e;
	}
	return err;
}
