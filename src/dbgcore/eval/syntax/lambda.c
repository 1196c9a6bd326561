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

struct dbg_error *parse_lambda(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_LAMBDA);
	struct dbg_error *err = NULL;
	for (size_t n = modifiers(p); n; n--) {
		if (parser_at_word(p, WORD_ASYNC))
			return parser_error(p, "an async lambda cannot be run "
					       "by a debugger");
		parser_advance(p);
	}
	*ret = e;
	if (parser_accept_word(p, WORD_DELEGATE)) {
		// without a list it fits any
		e->negated = !parser_at(p, PUNCT_OPEN);
		if (!e->negated)
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
