/*
 * Lambdas and anonymous methods (ECMA-334, 12.19). Whether a parenthesis opens
 * a lambda is known by what follows its end: the tokens are looked through
 * first.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

/* Words before the parameters. */
static size_t modifiers(const struct parser *p)
{
	size_t n = 0;
	const struct token *t = parser_peek(p);
	while (t[n].word == WORD_STATIC ||
	       (t[n].word == WORD_ASYNC &&
		(t[n + 1].kind == TOKEN_NAME || t[n + 1].punct == PUNCT_OPEN) &&
		t[n + 1].word != WORD_IS && t[n + 1].word != WORD_AS))
		n++;
	return n;
}

bool parser_at_lambda(struct parser *p)
{
	size_t n = modifiers(p);
	const struct token *t = parser_peek(p) + n;
	if (t->word == WORD_DELEGATE)
		return true;
	if (t->kind == TOKEN_NAME)
		return !word_is_reserved(t->word) &&
		       parser_ahead(p, n + 1, PUNCT_ARROW);
	if (!parser_ahead(p, n, PUNCT_OPEN))
		return false;
	t = parser_behind(p, n);
	return t && t->punct == PUNCT_ARROW;
}

static struct dbg_error *parse_param(struct parser *p, struct expr **ret)
{
	static const struct {
		enum word word;
		enum expr_modifier modifier;
	} all[] = {
	    {WORD_REF, MODIFIER_REF},
	    {WORD_OUT, MODIFIER_OUT},
	    {WORD_IN, MODIFIER_IN},
	};
	struct dbg_error *err = NULL;
	struct expr *e = parser_node(p, EXPR_PARAM);
	parser_accept_word(p, WORD_SCOPED);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (parser_accept_word(p, all[i].word))
			e->modifier = all[i].modifier;
	}
	bool typed = !parser_ahead(p, 1, PUNCT_COMMA) &&
		     !parser_ahead(p, 1, PUNCT_CLOSE) &&
		     !parser_ahead(p, 1, PUNCT_ASSIGN);
	if (typed)
		err = parse_type(p, TYPE_ANYWHERE, &e->type);
	if (!err)
		err = parser_name(p, false, &e->name);
	if (!err && parser_accept(p, PUNCT_ASSIGN))
		err = parse_expr(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_params(struct parser *p, struct expr *e)
{
	struct list list = {0};
	struct dbg_error *err = NULL;
	if (parser_accept(p, PUNCT_OPEN)) {
		err =
		    parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_param, &list);
	} else {
		struct expr *param = parser_node(p, EXPR_PARAM);
		err = parser_name(p, false, &param->name);
		list_add(p, &list, param);
	}
	e->list = list.items;
	e->n_list = list.n;
	return err;
}

/* `T name(`, behind its modifiers. */
static bool at_function(struct parser *p, struct expr *e)
{
	for (size_t n = modifiers(p); n; n--)
		parser_advance(p);
	if (!parser_try_type(p, TYPE_ANYWHERE, &e->type) || !parser_at_name(p))
		return false;
	e->start = parser_peek(p)->start;
	const struct token *t = NULL;
	if (parser_ahead(p, 1, PUNCT_OPEN))
		t = parser_behind(p, 1);
	bool body =
	    t && (t->punct == PUNCT_ARROW || t->punct == PUNCT_OPEN_BRACE);
	return body || parser_ahead(p, 1, PUNCT_LESS);
}

/* Refuse a local function that a delegate in a variable cannot stand for. */
static struct dbg_error *check_function(struct parser *p, const struct expr *l)
{
	for (size_t i = 0; i < l->n_list; i++) {
		const struct expr *param = l->list[i];
		if (!param->type || param->a ||
		    param->modifier != MODIFIER_NONE)
			return dbg_err(
			    DBG_E_UNSUPPORTED,
			    "a parameter of a local function of a debugger has "
			    "a type and no more at column %u",
			    token_column(p->tokens.text, param->start));
	}
	return NULL;
}

static struct dbg_error *parse_function_body(struct parser *p, struct expr *l)
{
	if (parser_at(p, PUNCT_OPEN_BRACE))
		return parse_block(p, &l->a);
	struct dbg_error *err = parser_expect(p, PUNCT_ARROW);
	if (!err)
		err = parse_expr(p, &l->a);
	return err ? err : parser_expect(p, PUNCT_SEMICOLON);
}

bool parser_try_function(struct parser *p, struct expr **ret,
			 struct dbg_error **ret_err)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, STMT_FUNCTION);
	bool async = parser_at_word(p, WORD_ASYNC);
	struct dbg_error *err = NULL;
	if (!at_function(p, e)) {
		parser_restore(p, &saved);
		return false;
	}
	if (async)
		err = parser_error(p, "an async function cannot be run by a "
				      "debugger");
	if (!err)
		err = parser_name(p, false, &e->name);
	if (!err && parser_at(p, PUNCT_LESS))
		err = parser_error(p, "a local function of a debugger is not "
				      "generic");
	struct expr *l = parser_node(p, EXPR_LAMBDA);
	e->a = l;
	if (!err)
		err = parse_params(p, l);
	if (!err)
		err = check_function(p, l);
	if (!err)
		err = parse_function_body(p, l);
	parser_close(p, l);
	parser_close(p, e);
	*ret = e;
	*ret_err = err;
	return true;
}

struct dbg_error *parse_lambda(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_LAMBDA);
	struct dbg_error *err = NULL;
	for (size_t n = modifiers(p); n; n--) {
		e->async |= parser_at_word(p, WORD_ASYNC);
		parser_advance(p);
	}
	*ret = e;
	if (parser_accept_word(p, WORD_DELEGATE)) {
		// without a list it fits any
		if (parser_at(p, PUNCT_OPEN))
			err = parse_params(p, e);
		if (!err)
			err = parse_block(p, &e->a);
		parser_close(p, e);
		return err;
	}
	err = parse_params(p, e);
	if (!err)
		err = parser_expect(p, PUNCT_ARROW);
	if (!err)
		err = parser_at(p, PUNCT_OPEN_BRACE) ? parse_block(p, &e->a)
						     : parse_expr(p, &e->a);
	parser_close(p, e);
	return err;
}
