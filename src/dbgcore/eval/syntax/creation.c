/*
 * Expressions that make something (ECMA-334, 12.8.16 and behind): `new` with
 * its initialisers, arrays, collections, interpolated strings.
 */
#include "eval/syntax/parser_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Types as they are written (ECMA-334, 8) ----------------------------- */

/*
 * Names with type arguments, tuples, ranks, `?` and `*`. Types are tried and
 * given back if they turn out to be none, since `a < b > (c)` and `A<B>(c)`
 * begin alike.
 */

static struct dbg_error *type_argument(struct parser *p, struct expr **ret)
{
	return parse_type(p, TYPE_ANYWHERE, ret);
}

/* The arguments of typeof(A<,>) are not named: KEYWORDs without a name. */
static bool open_arguments(struct parser *p, struct expr *e)
{
	size_t n = 1;
	struct list args = {0};
	while (parser_ahead(p, n, PUNCT_COMMA))
		n++;
	if (!parser_ahead(p, n, PUNCT_GREATER))
		return false;
	for (size_t i = 0; i < n; i++)
		list_add(p, &args, parser_node(p, EXPR_KEYWORD));
	p->at += n + 1;
	e->args = args.items;
	e->n_args = args.n;
	return true;
}

/* `<A, B>` of the name @e; the caller goes back if this fails. */
static struct dbg_error *parse_args(struct parser *p, struct expr *e)
{
	struct list args;
	if (open_arguments(p, e))
		return NULL;
	parser_advance(p);
	struct dbg_error *err =
	    parser_list(p, PUNCT_GREATER, LIST_EXACT, type_argument, &args);
	if (err)
		return err;
	e->args = args.items;
	e->n_args = args.n;
	return NULL;
}

/*
 * Are these type arguments or a comparison? C# looks at what follows the
 * closing bracket (6.2.5).
 */
void parser_try_args(struct parser *p, struct expr *e)
{
	static const enum punct follow[] = {
	    PUNCT_OPEN,       PUNCT_CLOSE,     PUNCT_CLOSE_INDEX,
	    PUNCT_COLON,      PUNCT_SEMICOLON, PUNCT_COMMA,
	    PUNCT_DOT,        PUNCT_QUESTION,  PUNCT_EQUAL,
	    PUNCT_NOT_EQUAL,  PUNCT_OR,        PUNCT_XOR,
	    PUNCT_AND_AND,    PUNCT_OR_OR,     PUNCT_AND,
	    PUNCT_OPEN_INDEX, PUNCT_IF_DOT,    PUNCT_CLOSE_BRACE};
	struct parser saved = *p;
	if (!parser_at(p, PUNCT_LESS))
		return;
	struct dbg_error *err = parse_args(p, e);
	const struct token *t = parser_peek(p);
	bool good =
	    !err && (t->kind == TOKEN_END || t->kind == TOKEN_HOLE_END ||
		     t->word == WORD_IS || t->word == WORD_AS);
	for (size_t i = 0; !err && i < sizeof(follow) / sizeof(follow[0]); i++)
		good = good || parser_at(p, follow[i]);
	dbg_error_destroy(err);
	if (!good) {
		parser_restore(p, &saved);
		e->args = NULL;
		e->n_args = 0;
	}
}

static struct dbg_error *tuple_element(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_PARAM);
	struct dbg_error *err = parse_type(p, TYPE_ANYWHERE, &e->type);
	if (!err && parser_at_name(p))
		err = parser_name(p, false, &e->name);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_tuple_type(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_TUPLE_TYPE);
	parser_advance(p);
	struct dbg_error *err =
	    parser_list(p, PUNCT_CLOSE, LIST_EXACT, tuple_element, &list);
	if (err)
		return err;
	if (list.n < 2)
		return parser_error(p, "a tuple has two elements or more");
	e->list = list.items;
	e->n_list = list.n;
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_keyword(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_KEYWORD);
	e->name = parser_peek(p)->text;
	e->elem = word_elem(parser_peek(p)->word);
	parser_advance(p);
	*ret = e;
	return NULL;
}

static struct dbg_error *type_args(struct parser *p, struct expr *e)
{
	return parser_at(p, PUNCT_LESS) ? parse_args(p, e) : NULL;
}

/* A.B<C>.D, a::B */
static struct dbg_error *parse_type_name(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_NAME);
	struct dbg_error *err = parser_name(p, false, &e->name);
	if (!err && parser_at(p, PUNCT_COLONS))
		e->kind = EXPR_ALIAS;
	else if (!err)
		err = type_args(p, e);
	while (!err &&
	       (parser_at(p, PUNCT_DOT) || parser_at(p, PUNCT_COLONS))) {
		parser_close(p, e);
		parser_advance(p);
		e = parser_node_from(p, EXPR_MEMBER, e);
		err = parser_name(p, true, &e->name);
		if (!err)
			err = type_args(p, e);
	}
	if (!err)
		parser_close(p, e);
	*ret = e;
	return err;
}

static bool at_rank(const struct parser *p, size_t n)
{
	return parser_ahead(p, n, PUNCT_OPEN_INDEX) &&
	       (parser_ahead(p, n + 1, PUNCT_CLOSE_INDEX) ||
		parser_ahead(p, n + 1, PUNCT_COMMA));
}

/*
 * Parse the ranks of an array type. The leftmost rank of C# is the outermost
 * one, so it is applied last.
 */
static struct dbg_error *parse_ranks(struct parser *p, struct expr **io)
{
	struct expr *outer;
	if (!at_rank(p, 0))
		return NULL;
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	uint32_t rank = 1;
	parser_advance(p);
	while (parser_accept(p, PUNCT_COMMA))
		rank++;
	err = parser_expect(p, PUNCT_CLOSE_INDEX);
	if (!err)
		err = parse_ranks(p, io);
	if (err)
		return err;
	p->depth--;
	outer = parser_node_from(p, EXPR_ARRAY_TYPE, *io);
	outer->rank = rank;
	parser_close(p, outer);
	*io = outer;
	return NULL;
}

/* Does the `?` before it begin a choice rather than end a type? */
static bool begins_operand(const struct token *t)
{
	static const enum punct puncts[] = {PUNCT_OPEN,       PUNCT_SUBTRACT,
					    PUNCT_NOT,        PUNCT_COMPLEMENT,
					    PUNCT_OPEN_INDEX, PUNCT_INCREMENT,
					    PUNCT_DECREMENT,  PUNCT_MULTIPLY};
	bool found = false;
	for (size_t i = 0; i < sizeof(puncts) / sizeof(puncts[0]); i++)
		found = found || t->punct == puncts[i];
	return found || (t->kind != TOKEN_END && t->kind != TOKEN_PUNCT &&
			 t->kind != TOKEN_HOLE_END && t->word != WORD_AND &&
			 t->word != WORD_OR);
}

static struct dbg_error *parse_suffix(struct parser *p, enum type_place place,
				      struct expr **io)
{
	struct dbg_error *err = NULL;
	while (!err) {
		const struct token *next = parser_peek(p);
		struct expr *e;
		if (parser_at(p, PUNCT_OPEN_INDEX)) {
			struct expr *before = *io;
			err = parse_ranks(p, io);
			if (before == *io)
				return err;
			continue;
		}
		// A `?` or `*` may be an operator.
		if (place == TYPE_OPERAND && begins_operand(next + 1) &&
		    !at_rank(p, 1))
			return NULL;
		if (parser_at(p, PUNCT_MULTIPLY))
			e = parser_node_from(p, EXPR_POINTER_TYPE, *io);
		else if (parser_at(p, PUNCT_QUESTION))
			e = parser_node_from(p, EXPR_NULLABLE_TYPE, *io);
		else
			return NULL;
		parser_advance(p);
		parser_close(p, e);
		*io = e;
	}
	return err;
}

static struct dbg_error *parse_plain_type(struct parser *p, struct expr **ret)
{
	if (parser_at(p, PUNCT_OPEN))
		return parse_tuple_type(p, ret);
	if (parser_at_type_word(p))
		return parse_keyword(p, ret);
	return parse_type_name(p, ret);
}

/* ... without the ranks of an array. */
static struct dbg_error *parse_element_type(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_plain_type(p, ret);
	if (!err)
		p->depth--;
	while (!err &&
	       (parser_at(p, PUNCT_QUESTION) || parser_at(p, PUNCT_MULTIPLY))) {
		*ret = parser_node_from(p,
					parser_at(p, PUNCT_QUESTION)
					    ? EXPR_NULLABLE_TYPE
					    : EXPR_POINTER_TYPE,
					*ret);
		parser_advance(p);
		parser_close(p, *ret);
	}
	return err;
}

struct dbg_error *parse_type(struct parser *p, enum type_place place,
			     struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_plain_type(p, ret);
	if (!err)
		err = parse_suffix(p, place, ret);
	if (!err)
		p->depth--;
	return err;
}

bool parser_try_type(struct parser *p, enum type_place place, struct expr **ret)
{
	struct parser saved = *p;
	struct dbg_error *err = parse_type(p, place, ret);
	if (!err)
		return true;
	dbg_error_destroy(err);
	parser_restore(p, &saved);
	return false;
}

/* ---- Expressions that make something (ECMA-334, 12.8.16 and behind) ------ */

static void adopt_list(struct expr *e, const struct list *list)
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
	adopt_list(e, &list);
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
			adopt_list(e, &list);
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
	adopt_list(e, &list);
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
			adopt_list(e, &list);
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
	adopt_list(e, &list);
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
	adopt_list(e, &list);
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
	adopt_list(e, &list);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* ---- Primary expressions (ECMA-334, 12.8) -------------------------------- */

/*
 * Primary expressions (ECMA-334, 12.8): literals, names, parentheses, member
 * access, calls, indexes, `new` and the keywords that look like calls. What
 * stands in front is read first, then what follows it, from left to right.
 */

/* ---- Lists ----------------------------------------------------------- */

static enum expr_modifier parse_modifier(struct parser *p)
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
	e->modifier = parse_modifier(p);
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

/* The `[]` behind a type, if any: int[], int[,][]. A failure consumes none. */
static void parse_array_suffixes(struct parser *p, struct expr **io)
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
		parse_array_suffixes(p, ret);
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
