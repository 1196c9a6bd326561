/*
 * The cursor over the tokens: what is next, going on, going back to a saved
 * place, and errors that name the column. Trying a way costs steps, which are
 * limited, so that no text takes exponential time.
 */
#include "eval/syntax/parser_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	STEPS_MAX = 200000 // of trying what a bracket may begin
};

const struct token *parser_peek(const struct parser *p)
{
	return &p->tokens.items[p->at];
}

bool parser_at(const struct parser *p, enum punct punct)
{
	return parser_ahead(p, 0, punct);
}

bool parser_ahead(const struct parser *p, size_t n, enum punct punct)
{
	const struct token *t = parser_peek(p) + n;
	return p->at + n < p->tokens.n && t->kind == TOKEN_PUNCT &&
	       t->punct == punct;
}

bool parser_at_if_index(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return parser_at(p, PUNCT_QUESTION) &&
	       parser_ahead(p, 1, PUNCT_OPEN_INDEX) && t[0].end == t[1].start;
}

bool parser_at_word(const struct parser *p, enum word word)
{
	return parser_peek(p)->word == word;
}

bool parser_at_end(const struct parser *p)
{
	return parser_peek(p)->kind == TOKEN_END;
}

/* Words of queries are keywords in queries alone. */
static bool is_reserved(const struct parser *p, enum word word)
{
	static const enum word query[] = {
	    WORD_ASCENDING, WORD_BY,    WORD_DESCENDING, WORD_EQUALS,
	    WORD_FROM,      WORD_GROUP, WORD_INTO,       WORD_JOIN,
	    WORD_LET,       WORD_ON,    WORD_ORDERBY,    WORD_SELECT,
	    WORD_WHERE};
	bool found = word_is_reserved(word);
	for (size_t i = 0; p->in_query && i < sizeof(query) / sizeof(query[0]);
	     i++)
		found = found || word == query[i];
	return found;
}

bool parser_at_name(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return t->kind == TOKEN_NAME && !is_reserved(p, t->word);
}

bool parser_at_type_word(const struct parser *p)
{
	return word_elem(parser_peek(p)->word) != ELEM_END;
}

void parser_advance(struct parser *p)
{
	if (!parser_at_end(p))
		p->at++;
}

void parser_restore(struct parser *p, const struct parser *saved)
{
	unsigned int steps = p->steps;
	*p = *saved;
	p->steps = steps;
}

const struct token *parser_behind(const struct parser *p, size_t n)
{
	int depth = 0;
	for (size_t i = p->at + n; i + 1 < p->tokens.n; i++) {
		const struct token *t = &p->tokens.items[i];
		depth += t->punct == PUNCT_OPEN ||
			 t->punct == PUNCT_OPEN_INDEX ||
			 t->punct == PUNCT_OPEN_BRACE;
		depth -= t->punct == PUNCT_CLOSE ||
			 t->punct == PUNCT_CLOSE_INDEX ||
			 t->punct == PUNCT_CLOSE_BRACE;
		if (depth <= 0)
			return t + 1;
	}
	return NULL;
}

bool parser_accept(struct parser *p, enum punct punct)
{
	if (!parser_at(p, punct))
		return false;
	parser_advance(p);
	return true;
}

bool parser_accept_word(struct parser *p, enum word word)
{
	if (!parser_at_word(p, word))
		return false;
	parser_advance(p);
	return true;
}

struct dbg_error *parser_error(const struct parser *p, const char *message)
{
	return dbg_err(DBG_E_ARGUMENT, "%s at column %u", message,
		       token_column(p->tokens.text, parser_peek(p)->start));
}

struct dbg_error *parser_unexpected(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_END)
		return dbg_err_cs(
		    1525,
		    dbg_err(DBG_E_ARGUMENT, "the expression ends too early"));
	return dbg_err_cs(
	    1525, dbg_err(DBG_E_ARGUMENT, "unexpected '%.*s' at column %u",
			  (int)(t->end - t->start), p->tokens.text + t->start,
			  token_column(p->tokens.text, t->start)));
}

static struct dbg_error *missing(const struct parser *p, const char *what)
{
	const struct token *t = parser_peek(p);
	unsigned int number = strcmp(what, ")") ? 1003 : 1026;

	if (t->kind == TOKEN_END)
		return dbg_err_cs(number,
				  dbg_err(DBG_E_ARGUMENT,
					  "'%s' is missing at the end", what));
	return dbg_err_cs(
	    number, dbg_err(DBG_E_ARGUMENT,
			    "unexpected '%.*s' at column %u, '%s' is wanted",
			    (int)(t->end - t->start), p->tokens.text + t->start,
			    token_column(p->tokens.text, t->start), what));
}

struct dbg_error *parser_expect(struct parser *p, enum punct punct)
{
	return parser_accept(p, punct) ? NULL : missing(p, punct_text(punct));
}

struct dbg_error *parser_expect_word(struct parser *p, enum word word)
{
	static const char *const texts[] = {
#define WORD(id, text, ...) [WORD_##id] = text,
	    RESERVED_WORDS(WORD) TYPE_WORDS(WORD) CONTEXTUAL_WORDS(WORD)
#undef WORD
	};
	return parser_accept_word(p, word) ? NULL : missing(p, texts[word]);
}

struct dbg_error *parser_name(struct parser *p, bool any, const char **ret)
{
	const struct token *t = parser_peek(p);
	if (t->kind != TOKEN_NAME || (!any && is_reserved(p, t->word)))
		return parser_unexpected(p);
	*ret = t->text;
	// a variable that is not the object is spelled so in a scope
	if (!any && t->verbatim && !strcmp(t->text, "this"))
		*ret = "@this";
	else if (!any && t->verbatim && !strcmp(t->text, "base"))
		*ret = "@base";
	parser_advance(p);
	return NULL;
}

struct dbg_error *parser_enter(struct parser *p)
{
	if (++p->depth > EXPR_DEPTH_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "the expression is nested too deeply");
	if (++p->steps > STEPS_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the expression is too complex");
	return NULL;
}

/* ---- Nodes ----------------------------------------------------------- */

struct expr *parser_node(struct parser *p, enum expr_kind kind)
{
	struct expr *e = arena_alloc(p->arena, sizeof(*e));
	e->kind = kind;
	e->start = parser_peek(p)->start;
	e->end = parser_peek(p)->end;
	return e;
}

struct expr *parser_node_from(struct parser *p, enum expr_kind kind,
			      struct expr *first)
{
	struct expr *e = parser_node(p, kind);
	e->start = first->start;
	e->a = first;
	return e;
}

void parser_close(const struct parser *p, struct expr *e)
{
	if (p->at && p->tokens.items[p->at - 1].end >= e->start)
		e->end = p->tokens.items[p->at - 1].end;
}

void list_add(struct parser *p, struct list *l, struct expr *e)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;
		struct expr **more = arena_calloc(p->arena, cap, sizeof(*more));
		if (l->n)
			memcpy(more, l->items, l->n * sizeof(*more));
		l->items = more;
		l->cap = cap;
	}
	l->items[l->n++] = e;
}

struct dbg_error *parser_list(struct parser *p, enum punct close,
			      enum list_end end, parse_item *item,
			      struct list *ret)
{
	struct list list = {0};
	struct dbg_error *err = NULL;
	bool more = !parser_at(p, close);
	while (!err && more) {
		struct expr *e;
		err = item(p, &e);
		if (err)
			return err;
		list_add(p, &list, e);
		more = parser_accept(p, PUNCT_COMMA);
		if (more && end == LIST_TRAILING_COMMA && parser_at(p, close))
			more = false;
	}
	err = parser_expect(p, close);
	*ret = list;
	return err;
}
