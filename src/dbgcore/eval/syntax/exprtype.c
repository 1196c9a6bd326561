/*
 * Types as they are written (ECMA-334, 8): names with type arguments, tuples,
 * ranks, `?` and `*`. Types are tried and given back if they turn out to be
 * none, since `a < b > (c)` and `A<B>(c)` begin alike.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

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
struct dbg_error *parse_ranks(struct parser *p, struct expr **io)
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

struct dbg_error *parse_element_type(struct parser *p, struct expr **ret)
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
