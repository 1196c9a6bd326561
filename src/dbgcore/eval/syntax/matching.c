/*
 * Patterns (ECMA-334, 11.2, with the patterns of C# 9 to 11) and switch
 * expressions. `and`, `or` and `not` are keywords in patterns alone, so they
 * stay identifiers elsewhere.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

static struct dbg_error *parse_not(struct parser *p, struct expr **ret);

/* ---- Declarations ---------------------------------------------------- */

/* A name, or `(a, (b, c))`. */
static struct dbg_error *parse_designation(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_DECLARATION);
	*ret = e;
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	if (parser_accept(p, PUNCT_OPEN)) {
		err = parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_designation,
				  &list);
		if (err)
			return err;
		e->list = list.items;
		e->n_list = list.n;
	} else {
		err = parser_name(p, false, &e->name);
	}
	if (!err)
		p->depth--;
	parser_close(p, e);
	return err;
}

struct dbg_error *parse_declaration(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_DECLARATION), *names;
	struct dbg_error *err = NULL;
	bool var = parser_at_word(p, WORD_VAR);
	if (var) {
		e->type = parser_node(p, EXPR_VAR_TYPE);
		parser_advance(p);
	} else {
		err = parse_type(p, TYPE_ANYWHERE, &e->type);
	}
	if (!err && !(var && parser_at(p, PUNCT_OPEN)) && !parser_at_name(p))
		err = parser_unexpected(p);
	if (!err)
		err = parse_designation(p, &names);
	if (err)
		return err;
	e->name = names->name;
	e->list = names->list;
	e->n_list = names->n_list;
	parser_close(p, e);
	*ret = e;
	return NULL;
}

bool parser_try_declaration(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct dbg_error *err = parse_declaration(p, ret);
	bool good =
	    !err && (parser_at(p, PUNCT_COMMA) || parser_at(p, PUNCT_CLOSE) ||
		     parser_at(p, PUNCT_ASSIGN));
	dbg_error_destroy(err);
	if (!good)
		parser_restore(p, &saved);
	return good;
}

/* ---- Parts ----------------------------------------------------------- */

/* The name that a pattern gives what it matches. */
static bool at_designation(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return parser_at_name(p) && t->word != WORD_AND && t->word != WORD_OR &&
	       t->word != WORD_WHEN;
}

static struct dbg_error *take_designation(struct parser *p, struct expr *e)
{
	return at_designation(p) ? parser_name(p, false, &e->name) : NULL;
}

/* [name:] pattern, among parentheses. */
static struct dbg_error *positional(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_MEMBER);
	if (parser_at_name(p) && parser_ahead(p, 1, PUNCT_COLON)) {
		e->name = parser_peek(p)->text;
		p->at += 2;
	}
	struct dbg_error *err = parse_pattern(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* A.B: pattern, among braces. */
static struct dbg_error *property(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_MEMBER);
	struct dbg_error *err = parse_primary(p, &e->a);
	if (!err)
		err = parser_expect(p, PUNCT_COLON);
	if (!err)
		err = parse_pattern(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* Parse what follows the type of a SHAPE pattern: (..) {..} name */
static struct dbg_error *parse_shape(struct parser *p, struct expr *e)
{
	struct list list;
	struct dbg_error *err = NULL;
	if (parser_accept(p, PUNCT_OPEN)) {
		e->positional = true;
		err =
		    parser_list(p, PUNCT_CLOSE, LIST_EXACT, positional, &list);
		if (err)
			return err;
		e->list = list.items;
		e->n_list = list.n;
	}
	if (parser_accept(p, PUNCT_OPEN_BRACE)) {
		err = parser_list(p, PUNCT_CLOSE_BRACE, LIST_TRAILING_COMMA,
				  property, &list);
		if (err)
			return err;
		e->args = list.items;
		e->n_args = list.n;
	}
	err = take_designation(p, e);
	parser_close(p, e);
	return err;
}

static struct dbg_error *parse_list_pattern(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, PATTERN_LIST);
	parser_advance(p);
	struct dbg_error *err = parser_list(
	    p, PUNCT_CLOSE_INDEX, LIST_TRAILING_COMMA, parse_pattern, &list);
	if (err)
		return err;
	e->list = list.items;
	e->n_list = list.n;
	*ret = e;
	err = take_designation(p, e);
	parser_close(p, e);
	return err;
}

/* ---- Types and constants --------------------------------------------- */

static struct dbg_error *parse_constant(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_CONSTANT);
	struct dbg_error *err = parse_binary(p, BINDS_SHIFT, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* May @type be the name of a constant as well? */
static bool is_name(const struct expr *type)
{
	while (type->kind == EXPR_MEMBER && !type->n_args)
		type = type->a;
	return !type->n_args &&
	       (type->kind == EXPR_NAME || type->kind == EXPR_ALIAS ||
		type->kind == EXPR_KEYWORD);
}

/* A pattern that begins with a type, or else a constant. */
static struct dbg_error *type_or_constant(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, PATTERN_TYPE);
	bool word =
	    word_is_reserved(parser_peek(p)->word) && !parser_at_type_word(p);
	if ((parser_peek(p)->kind != TOKEN_NAME && !parser_at(p, PUNCT_OPEN)) ||
	    word || !parser_try_type(p, TYPE_OPERAND, &e->type))
		return parse_constant(p, ret);
	*ret = e;
	if (parser_at(p, PUNCT_OPEN) || parser_at(p, PUNCT_OPEN_BRACE)) {
		e->kind = PATTERN_SHAPE;
		return parse_shape(p, e);
	}
	bool named = at_designation(p);
	bool plain = e->type->kind == EXPR_KEYWORD && !parser_at(p, PUNCT_DOT);
	if (named || plain || !is_name(e->type)) {
		struct dbg_error *err = take_designation(p, e);
		parser_close(p, e);
		return err;
	}
	parser_restore(p, &saved);
	return parse_constant(p, ret);
}

/* Parentheses around a pattern, of a positional one, or of a constant. */
static struct dbg_error *parse_parens(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, PATTERN_SHAPE);
	struct dbg_error *err = parse_shape(p, e);
	const struct token *t = parser_peek(p);
	bool operand = (t->kind >= TOKEN_INTEGER && t->kind <= TOKEN_UTF8) ||
		       parser_at(p, PUNCT_OPEN);
	if (err || operand) {
		dbg_error_destroy(err);
		parser_restore(p, &saved);
		return type_or_constant(p, ret);
	}
	bool single =
	    e->n_list == 1 && !e->list[0]->name && !e->name && !e->n_args;
	*ret = single ? e->list[0]->b : e;
	return NULL;
}

/* ---- The levels ------------------------------------------------------ */

static struct dbg_error *parse_relation(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_RELATION);
	int binds;
	size_t n;
	e->op = parser_operator(p, &binds, &n);
	if (binds != BINDS_RELATION)
		return parser_unexpected(p);
	p->at += n;
	struct dbg_error *err = parse_binary(p, BINDS_SHIFT, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_var(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_VAR), *names;
	parser_advance(p);
	struct dbg_error *err = parse_designation(p, &names);
	if (err)
		return err;
	e->name = names->name;
	e->list = names->list;
	e->n_list = names->n_list;
	parser_close(p, e);
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_slice(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_SLICE);
	struct dbg_error *err = NULL;
	parser_advance(p);
	if (!parser_at(p, PUNCT_COMMA) && !parser_at(p, PUNCT_CLOSE_INDEX))
		err = parse_not(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *primary_pattern(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	bool name = t[1].kind == TOKEN_NAME && t[1].word != WORD_AND &&
		    t[1].word != WORD_OR && t[1].word != WORD_IS &&
		    t[1].word != WORD_AS && t[1].word != WORD_WHEN;
	if (parser_at(p, PUNCT_OPEN))
		return parse_parens(p, ret);
	if (parser_at(p, PUNCT_OPEN_BRACE)) {
		*ret = parser_node(p, PATTERN_SHAPE);
		return parse_shape(p, *ret);
	}
	if (parser_at(p, PUNCT_OPEN_INDEX))
		return parse_list_pattern(p, ret);
	if (parser_at(p, PUNCT_RANGE))
		return parse_slice(p, ret);
	if (parser_at(p, PUNCT_LESS) || parser_at(p, PUNCT_GREATER) ||
	    parser_at(p, PUNCT_LESS_EQUAL) || parser_at(p, PUNCT_GREATER_EQUAL))
		return parse_relation(p, ret);
	if (t->word == WORD_VAR && (name || parser_ahead(p, 1, PUNCT_OPEN)))
		return parse_var(p, ret);
	if (t->kind == TOKEN_NAME && !strcmp(t->text, "_")) {
		*ret = parser_node(p, PATTERN_DISCARD);
		parser_advance(p);
		return NULL;
	}
	return type_or_constant(p, ret);
}

static struct dbg_error *parse_not(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	if (parser_at_word(p, WORD_NOT)) {
		struct expr *e = parser_node(p, PATTERN_NOT);
		parser_advance(p);
		err = parse_not(p, &e->a);
		parser_close(p, e);
		*ret = e;
	} else {
		err = primary_pattern(p, ret);
	}
	if (!err)
		p->depth--;
	return err;
}

static struct dbg_error *parse_and(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parse_not(p, ret);
	while (!err && parser_accept_word(p, WORD_AND)) {
		struct expr *e = parser_node_from(p, PATTERN_AND, *ret);
		err = parse_not(p, &e->b);
		parser_close(p, e);
		*ret = e;
	}
	return err;
}

struct dbg_error *parse_pattern(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parse_and(p, ret);
	while (!err && parser_accept_word(p, WORD_OR)) {
		struct expr *e = parser_node_from(p, PATTERN_OR, *ret);
		err = parse_and(p, &e->b);
		parser_close(p, e);
		*ret = e;
	}
	return err;
}

/* ---- switch expressions ---------------------------------------------- */

static struct dbg_error *parse_arm(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_ARM);
	struct dbg_error *err = parse_pattern(p, &e->a);
	// No lambda: its arrow is the arm's.
	if (!err && parser_accept_word(p, WORD_WHEN))
		err = parse_binary(p, 0, &e->c);
	if (!err)
		err = parser_expect(p, PUNCT_ARROW);
	if (!err)
		err = parse_expr(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

struct dbg_error *parse_switch(struct parser *p, struct expr **io)
{
	struct list list;
	struct expr *e = parser_node_from(p, EXPR_SWITCH, *io);
	bool in_query = p->in_query;
	p->in_query = false;
	p->at += 2;
	struct dbg_error *err = parser_list(
	    p, PUNCT_CLOSE_BRACE, LIST_TRAILING_COMMA, parse_arm, &list);
	p->in_query = in_query;
	if (err)
		return err;
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*io = e;
	return NULL;
}
