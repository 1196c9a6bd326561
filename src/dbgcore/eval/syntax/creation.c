/*
 * Expressions that make something (ECMA-334, 12.8.16 and behind): `new` with
 * its initialisers, arrays, collections, interpolated strings.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

static void take_list(struct expr *e, const struct list *list)
{
	e->list = list->items;
	e->n_list = list->n;
}

/* ---- Initialisers ---------------------------------------------------- */

static struct dbg_error *braced(struct parser *p, enum expr_kind kind,
				parse_item *item, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, kind);
	bool in_query = p->in_query;
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parser_expect(p, PUNCT_OPEN_BRACE);
	p->in_query = false;
	if (!err)
		err = parser_list(p, PUNCT_CLOSE_BRACE, LIST_TRAILING_COMMA,
				  item, &list);
	p->in_query = in_query;
	if (err)
		return err;
	p->depth--;
	take_list(e, &list);
	parser_close(p, e);
	*ret = e;
	return NULL;
}

/*
 * Parse what follows `name =` in an initialiser: a value, or an initialiser for
 * the members of the object that is there already.
 */
static struct dbg_error *initializer_value(struct parser *p, struct expr **ret)
{
	return parser_at(p, PUNCT_OPEN_BRACE) ? parse_initializer(p, ret)
					      : parse_expr(p, ret);
}

static struct dbg_error *member_initializer(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_INITIALIZER);
	struct dbg_error *err;
	struct list list;
	if (parser_accept(p, PUNCT_OPEN_INDEX)) {
		err = parser_list(p, PUNCT_CLOSE_INDEX, LIST_EXACT,
				  parse_argument, &list);
		if (!err)
			take_list(e, &list);
	} else {
		err = parser_name(p, false, &e->name);
	}
	if (!err)
		err = parser_expect(p, PUNCT_ASSIGN);
	if (!err)
		err = initializer_value(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* An element; `{a, b}` are the arguments of one Add. */
static struct dbg_error *element_initializer(struct parser *p,
					     struct expr **ret)
{
	return parser_at(p, PUNCT_OPEN_BRACE)
		   ? braced(p, EXPR_COLLECTION_INITIALIZER, parse_expr, ret)
		   : parse_expr(p, ret);
}

static struct dbg_error *nested_elements(struct parser *p, struct expr **ret)
{
	return parser_at(p, PUNCT_OPEN_BRACE)
		   ? braced(p, EXPR_COLLECTION_INITIALIZER, nested_elements,
			    ret)
		   : parse_expr(p, ret);
}

struct dbg_error *parse_object_initializer(struct parser *p, struct expr **ret)
{
	return braced(p, EXPR_OBJECT_INITIALIZER, member_initializer, ret);
}

struct dbg_error *parse_initializer(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	bool member =
	    (t[1].kind == TOKEN_NAME && parser_ahead(p, 2, PUNCT_ASSIGN)) ||
	    parser_ahead(p, 1, PUNCT_OPEN_INDEX) ||
	    parser_ahead(p, 1, PUNCT_CLOSE_BRACE);
	return member ? parse_object_initializer(p, ret)
		      : braced(p, EXPR_COLLECTION_INITIALIZER,
			       element_initializer, ret);
}

/* ---- new ------------------------------------------------------------- */

/* The name that `new { a.B }` gives its member. */
static const char *implied_name(const struct expr *e)
{
	while (e->kind == EXPR_SUPPRESS)
		e = e->a;
	return e->kind == EXPR_NAME || e->kind == EXPR_MEMBER ? e->name : NULL;
}

static struct dbg_error *anonymous_member(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_INITIALIZER);
	*ret = e;
	if (parser_at_name(p) && parser_ahead(p, 1, PUNCT_ASSIGN)) {
		e->name = parser_peek(p)->text;
		p->at += 2;
	}
	struct dbg_error *err = parse_expr(p, &e->b);
	if (!err && !e->name)
		e->name = implied_name(e->b);
	if (!err && !e->name)
		return dbg_err(DBG_E_ARGUMENT,
			       "a member of an anonymous type needs a name at "
			       "column %u",
			       token_column(p->tokens.text, e->start));
	parser_close(p, e);
	return err;
}

static struct dbg_error *array_initializer(struct parser *p, struct expr *e)
{
	return parser_at(p, PUNCT_OPEN_BRACE)
		   ? braced(p, EXPR_COLLECTION_INITIALIZER, nested_elements,
			    &e->b)
		   : NULL;
}

static void array_of(struct parser *p, struct expr **io, uint32_t rank)
{
	struct expr *e = parser_node_from(p, EXPR_ARRAY_TYPE, *io);
	e->rank = rank;
	parser_close(p, e);
	*io = e;
}

/* new T[a, b][] { }, new T[] { } behind the type. */
static struct dbg_error *parse_sizes(struct parser *p, struct expr *e)
{
	struct list list;
	struct dbg_error *err;
	e->kind = EXPR_NEW_ARRAY;
	if (parser_ahead(p, 1, PUNCT_CLOSE_INDEX) ||
	    parser_ahead(p, 1, PUNCT_COMMA)) {
		err = parse_ranks(p, &e->type);
		if (!err && !parser_at(p, PUNCT_OPEN_BRACE))
			return parser_error(p, "an array needs its size or "
					       "its elements");
		return err ? err : array_initializer(p, e);
	}
	parser_advance(p);
	err = parser_list(p, PUNCT_CLOSE_INDEX, LIST_EXACT, parse_expr, &list);
	if (!err)
		err = parse_ranks(p, &e->type);
	if (err)
		return err;
	take_list(e, &list);
	array_of(p, &e->type, (uint32_t)list.n);
	return array_initializer(p, e);
}

/* new[] { }, new[,] { } */
static struct dbg_error *parse_implied_array(struct parser *p, struct expr *e)
{
	e->kind = EXPR_NEW_ARRAY;
	e->rank = 1;
	parser_advance(p);
	while (parser_accept(p, PUNCT_COMMA))
		e->rank++;
	struct dbg_error *err = parser_expect(p, PUNCT_CLOSE_INDEX);
	if (!err && !parser_at(p, PUNCT_OPEN_BRACE))
		err = parser_unexpected(p);
	return err ? err : array_initializer(p, e);
}

static struct dbg_error *parse_object(struct parser *p, struct expr *e)
{
	struct list list;
	struct dbg_error *err = NULL;
	if (parser_accept(p, PUNCT_OPEN)) {
		err = parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_argument,
				  &list);
		if (!err)
			take_list(e, &list);
	} else if (!parser_at(p, PUNCT_OPEN_BRACE)) {
		return parser_expect(p, PUNCT_OPEN);
	}
	if (!err && parser_at(p, PUNCT_OPEN_BRACE))
		err = parse_initializer(p, &e->b);
	return err;
}

static struct dbg_error *parse_created(struct parser *p, struct expr *e)
{
	if (parser_at(p, PUNCT_OPEN_INDEX))
		return parse_implied_array(p, e);
	if (parser_at(p, PUNCT_OPEN))
		return parse_object(p, e);
	struct dbg_error *err = parse_element_type(p, &e->type);
	if (err)
		return err;
	return parser_at(p, PUNCT_OPEN_INDEX) ? parse_sizes(p, e)
					      : parse_object(p, e);
}

struct dbg_error *parse_new(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_NEW), *members;
	struct dbg_error *err;
	bool in_query = p->in_query;
	bool on_stack = parser_at_word(p, WORD_STACKALLOC);
	p->in_query = false;
	parser_advance(p);
	if (!on_stack && parser_at(p, PUNCT_OPEN_BRACE)) {
		err = braced(p, EXPR_ANONYMOUS, anonymous_member, &members);
		if (!err) {
			members->start = e->start;
			e = members;
		}
	} else {
		err = parse_created(p, e);
		if (!err && on_stack && e->kind != EXPR_NEW_ARRAY)
			err = parser_unexpected(p);
	}
	e->on_stack = on_stack;
	p->in_query = in_query;
	parser_close(p, e);
	*ret = e;
	return err;
}

/* ---- Collection expressions ------------------------------------------ */

static struct dbg_error *collection_item(struct parser *p, struct expr **ret)
{
	if (!parser_at(p, PUNCT_RANGE))
		return parse_expr(p, ret);
	struct expr *e = parser_node(p, EXPR_SPREAD);
	parser_advance(p);
	struct dbg_error *err = parse_expr(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* `with(...)`, what the collection is made with (C# 15), and its comma. */
static struct dbg_error *collection_arguments(struct parser *p,
					      struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_CALL);
	e->a = parser_node(p, EXPR_NAME);
	e->a->name = parser_peek(p)->text;
	p->at += 2;
	struct dbg_error *err =
	    parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_argument, &list);
	if (err)
		return err;
	take_list(e, &list);
	parser_close(p, e);
	*ret = e;
	return parser_at(p, PUNCT_CLOSE_INDEX) ? NULL
					       : parser_expect(p, PUNCT_COMMA);
}

struct dbg_error *parse_collection(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_COLLECTION);
	struct dbg_error *err = NULL;
	bool in_query = p->in_query;
	p->in_query = false;
	parser_advance(p);
	if (parser_peek(p)->word == WORD_WITH && parser_ahead(p, 1, PUNCT_OPEN))
		err = collection_arguments(p, &e->b);
	if (!err)
		err = parser_list(p, PUNCT_CLOSE_INDEX, LIST_TRAILING_COMMA,
				  collection_item, &list);
	p->in_query = in_query;
	if (err)
		return err;
	take_list(e, &list);
	parser_close(p, e);
	*ret = e;
	return NULL;
}

/* ---- Interpolated strings -------------------------------------------- */

static struct dbg_error *parse_hole(struct parser *p, struct expr *e)
{
	parser_advance(p);
	struct dbg_error *err = parse_expr(p, &e->a);
	if (!err && parser_accept(p, PUNCT_COMMA))
		err = parse_expr(p, &e->b);
	if (err)
		return err;
	if (parser_peek(p)->kind == TOKEN_FORMAT) {
		e->token = parser_peek(p);
		parser_advance(p);
	}
	if (parser_peek(p)->kind != TOKEN_HOLE_END)
		return parser_unexpected(p);
	parser_advance(p);
	return NULL;
}

struct dbg_error *parse_interpolated(struct parser *p, struct expr **ret)
{
	struct list list = {0};
	struct dbg_error *err = NULL;
	struct expr *e = parser_node(p, EXPR_INTERPOLATED);
	bool in_query = p->in_query;
	p->in_query = false;
	parser_advance(p);
	while (!err && parser_peek(p)->kind != TOKEN_INTERPOLATED_END &&
	       !parser_at_end(p)) {
		bool hole = parser_peek(p)->kind == TOKEN_HOLE;
		struct expr *part =
		    parser_node(p, hole ? EXPR_HOLE : EXPR_LITERAL);
		part->token = parser_peek(p);
		if (hole) {
			part->token = NULL;
			err = parse_hole(p, part);
		} else {
			parser_advance(p);
		}
		parser_close(p, part);
		list_add(p, &list, part);
	}
	p->in_query = in_query;
	parser_advance(p);
	take_list(e, &list);
	parser_close(p, e);
	*ret = e;
	return err;
}
