/*
 * Statements, as the bodies of lambdas have them (ECMA-334, 13). They are nodes
 * of the same tree as expressions.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

static struct dbg_error *parse_statement(struct parser *p, struct expr **ret);

/* ---- Parts ----------------------------------------------------------- */

/* ( expression ) */
static struct dbg_error *parse_condition(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_expect(p, PUNCT_OPEN);
	if (!err)
		err = parse_expr(p, ret);
	return err ? err : parser_expect(p, PUNCT_CLOSE);
}

static struct dbg_error *parse_variable(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_INITIALIZER);
	struct dbg_error *err = parser_name(p, false, &e->name);
	if (!err && parser_accept(p, PUNCT_ASSIGN))
		err = parser_at(p, PUNCT_OPEN_BRACE)
			  ? parse_initializer(p, &e->b)
			  : parse_expr(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* `T a = 1, b` without what ends it, if it is one. */
static bool try_local(struct parser *p, struct expr **ret,
		      struct dbg_error **ret_err)
{
	struct parser saved = *p;
	struct list list = {0};
	struct expr *e = parser_node(p, STMT_LOCAL), *variable;
	struct dbg_error *err = NULL;
	bool var = parser_at_word(p, WORD_VAR);
	if (var) {
		e->type = parser_node(p, EXPR_VAR_TYPE);
		parser_advance(p);
	} else if (!parser_try_type(p, TYPE_ANYWHERE, &e->type)) {
		return false;
	}
	if (!parser_at_name(p) || (!parser_ahead(p, 1, PUNCT_ASSIGN) &&
				   !parser_ahead(p, 1, PUNCT_COMMA) &&
				   !parser_ahead(p, 1, PUNCT_SEMICOLON))) {
		parser_restore(p, &saved);
		return false;
	}
	do {
		err = parse_variable(p, &variable);
		if (!err)
			list_add(p, &list, variable);
	} while (!err && parser_accept(p, PUNCT_COMMA));
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*ret = e;
	*ret_err = err;
	return true;
}

/* var (a, b) = t */
static bool try_deconstruction(struct parser *p, struct expr **ret,
			       struct dbg_error **ret_err)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, EXPR_ASSIGN);
	if (!parser_at_word(p, WORD_VAR) || !parser_ahead(p, 1, PUNCT_OPEN))
		return false;
	if (!parser_try_declaration(p, &e->a) ||
	    !parser_accept(p, PUNCT_ASSIGN)) {
		parser_restore(p, &saved);
		return false;
	}
	*ret_err = parse_expr(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return true;
}

static struct dbg_error *local_or_expr(struct parser *p, enum expr_kind kind,
				       struct expr **ret)
{
	struct dbg_error *err;
	if (parser_at_word(p, WORD_CONST) &&
	    parser_peek(p)[1].kind == TOKEN_NAME)
		parser_advance(p);
	if (try_local(p, ret, &err))
		return err;
	struct expr *e = parser_node(p, kind);
	if (!try_deconstruction(p, &e->a, &err))
		err = parse_expr(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

struct dbg_error *parse_local_or_expr(struct parser *p, struct expr **ret)
{
	struct expr *e;
	struct dbg_error *err = local_or_expr(p, STMT_EXPR, &e);
	if (!err)
		*ret = e->kind == STMT_EXPR ? e->a : e;
	return err;
}

struct dbg_error *parse_block(struct parser *p, struct expr **ret)
{
	struct list list = {0};
	struct expr *e = parser_node(p, STMT_BLOCK), *statement;
	bool in_query = p->in_query;
	struct dbg_error *err = parser_expect(p, PUNCT_OPEN_BRACE);
	p->in_query = false;
	while (!err && !parser_at(p, PUNCT_CLOSE_BRACE) && !parser_at_end(p)) {
		err = parse_statement(p, &statement);
		if (!err)
			list_add(p, &list, statement);
	}
	p->in_query = in_query;
	if (!err)
		err = parser_expect(p, PUNCT_CLOSE_BRACE);
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*ret = e;
	return err;
}

/* ---- Statements by their word ---------------------------------------- */

static struct dbg_error *parse_if(struct parser *p, struct expr *e)
{
	struct dbg_error *err = parse_condition(p, &e->a);
	if (!err)
		err = parse_statement(p, &e->b);
	if (!err && parser_accept_word(p, WORD_ELSE))
		err = parse_statement(p, &e->c);
	return err;
}

/* while, lock */
static struct dbg_error *parse_while(struct parser *p, struct expr *e)
{
	struct dbg_error *err = parse_condition(p, &e->a);
	return err ? err : parse_statement(p, &e->b);
}

static struct dbg_error *parse_do(struct parser *p, struct expr *e)
{
	struct dbg_error *err = parse_statement(p, &e->b);
	if (!err)
		err = parser_expect_word(p, WORD_WHILE);
	if (!err)
		err = parse_condition(p, &e->a);
	return err ? err : parser_expect(p, PUNCT_SEMICOLON);
}

static struct dbg_error *for_begin(struct parser *p, struct expr *e)
{
	struct list list = {0};
	struct expr *item;
	struct dbg_error *err;
	do {
		err = local_or_expr(p, STMT_EXPR, &item);
		if (err)
			return err;
		list_add(p, &list, item);
	} while (item->kind == STMT_EXPR && parser_accept(p, PUNCT_COMMA));
	e->list = list.items;
	e->n_list = list.n;
	return NULL;
}

static struct dbg_error *parse_for(struct parser *p, struct expr *e)
{
	struct list list = {0};
	struct dbg_error *err = parser_expect(p, PUNCT_OPEN);
	if (!err && !parser_at(p, PUNCT_SEMICOLON))
		err = for_begin(p, e);
	if (!err)
		err = parser_expect(p, PUNCT_SEMICOLON);
	if (!err && !parser_at(p, PUNCT_SEMICOLON))
		err = parse_expr(p, &e->a);
	if (!err)
		err = parser_expect(p, PUNCT_SEMICOLON);
	if (!err)
		err =
		    parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_expr, &list);
	e->args = list.items;
	e->n_args = list.n;
	return err ? err : parse_statement(p, &e->b);
}

static struct dbg_error *parse_foreach(struct parser *p, struct expr *e)
{
	struct dbg_error *err = parser_expect(p, PUNCT_OPEN);
	if (err)
		return err;
	if (parser_at_word(p, WORD_VAR) && parser_ahead(p, 1, PUNCT_OPEN)) {
		err = parse_declaration(p, &e->c);
	} else if (parser_at_word(p, WORD_VAR)) {
		e->type = parser_node(p, EXPR_VAR_TYPE);
		parser_advance(p);
	} else {
		err = parse_type(p, TYPE_ANYWHERE, &e->type);
	}
	if (!err && !e->c)
		err = parser_name(p, false, &e->name);
	if (!err)
		err = parser_expect_word(p, WORD_IN);
	if (!err)
		err = parse_expr(p, &e->a);
	if (!err)
		err = parser_expect(p, PUNCT_CLOSE);
	return err ? err : parse_statement(p, &e->b);
}

/* return, throw */
static struct dbg_error *parse_return(struct parser *p, struct expr *e)
{
	struct dbg_error *err = NULL;
	if (!parser_at(p, PUNCT_SEMICOLON))
		err = parse_expr(p, &e->a);
	return err ? err : parser_expect(p, PUNCT_SEMICOLON);
}

/* break, continue */
static struct dbg_error *parse_jump(struct parser *p, struct expr *e)
{
	(void)e;
	return parser_expect(p, PUNCT_SEMICOLON);
}

static struct dbg_error *parse_label(struct parser *p, struct list *labels)
{
	struct expr *e = parser_node(p, EXPR_ARM);
	struct dbg_error *err = NULL;
	if (parser_accept_word(p, WORD_CASE)) {
		err = parse_pattern(p, &e->a);
		if (!err && parser_accept_word(p, WORD_WHEN))
			err = parse_expr(p, &e->c);
	} else {
		err = parser_expect_word(p, WORD_DEFAULT);
	}
	if (!err)
		err = parser_expect(p, PUNCT_COLON);
	parser_close(p, e);
	list_add(p, labels, e);
	return err;
}

static bool at_label(const struct parser *p)
{
	return parser_at_word(p, WORD_CASE) ||
	       (parser_at_word(p, WORD_DEFAULT) &&
		parser_ahead(p, 1, PUNCT_COLON));
}

static struct dbg_error *parse_section(struct parser *p, struct expr **ret)
{
	struct list labels = {0}, list = {0};
	struct expr *e = parser_node(p, STMT_SECTION), *statement;
	struct dbg_error *err;
	do {
		err = parse_label(p, &labels);
	} while (!err && at_label(p));
	while (!err && !at_label(p) && !parser_at(p, PUNCT_CLOSE_BRACE) &&
	       !parser_at_end(p)) {
		err = parse_statement(p, &statement);
		if (!err)
			list_add(p, &list, statement);
	}
	e->args = labels.items;
	e->n_args = labels.n;
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_cases(struct parser *p, struct expr *e)
{
	struct list list = {0};
	struct expr *section;
	struct dbg_error *err = NULL;
	// (a, b) is a tuple, (a) the same in brackets
	if (!parser_at(p, PUNCT_OPEN))
		err = parser_expect(p, PUNCT_OPEN);
	if (!err)
		err = parse_expr(p, &e->a);
	if (!err)
		err = parser_expect(p, PUNCT_OPEN_BRACE);
	while (!err && !parser_at(p, PUNCT_CLOSE_BRACE) && !parser_at_end(p)) {
		err = parse_section(p, &section);
		if (!err)
			list_add(p, &list, section);
	}
	e->list = list.items;
	e->n_list = list.n;
	return err ? err : parser_expect(p, PUNCT_CLOSE_BRACE);
}

static struct dbg_error *parse_catch(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, STMT_CATCH);
	struct dbg_error *err = NULL;
	parser_advance(p);
	if (parser_accept(p, PUNCT_OPEN)) {
		err = parse_type(p, TYPE_ANYWHERE, &e->type);
		if (!err && parser_at_name(p))
			err = parser_name(p, false, &e->name);
		if (!err)
			err = parser_expect(p, PUNCT_CLOSE);
	}
	if (!err && parser_accept_word(p, WORD_WHEN))
		err = parse_condition(p, &e->a);
	if (!err)
		err = parse_block(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_try(struct parser *p, struct expr *e)
{
	struct list list = {0};
	struct expr *handler;
	struct dbg_error *err = parse_block(p, &e->a);
	while (!err && parser_at_word(p, WORD_CATCH)) {
		err = parse_catch(p, &handler);
		if (!err)
			list_add(p, &list, handler);
	}
	e->list = list.items;
	e->n_list = list.n;
	if (!err && (parser_at_word(p, WORD_FINALLY) || !list.n)) {
		err = parser_expect_word(p, WORD_FINALLY);
		if (!err)
			err = parse_block(p, &e->b);
	}
	return err;
}

static struct dbg_error *parse_using(struct parser *p, struct expr *e)
{
	bool parens = parser_accept(p, PUNCT_OPEN);
	struct dbg_error *err = local_or_expr(p, STMT_EXPR, &e->a);
	if (err)
		return err;
	if (!parens)
		return parser_expect(p, PUNCT_SEMICOLON);
	err = parser_expect(p, PUNCT_CLOSE);
	return err ? err : parse_statement(p, &e->b);
}

static struct dbg_error *parse_checked(struct parser *p, struct expr *e)
{
	return parse_block(p, &e->b);
}

/* ---- Dispatch -------------------------------------------------------- */

static const struct form {
	enum word word;
	enum expr_kind kind;
	bool unchecked;
	struct dbg_error *(*parse)(struct parser *p, struct expr *e);
} forms[] = {
    {WORD_IF, STMT_IF, false, parse_if},
    {WORD_WHILE, STMT_WHILE, false, parse_while},
    {WORD_DO, STMT_DO, false, parse_do},
    {WORD_FOR, STMT_FOR, false, parse_for},
    {WORD_FOREACH, STMT_FOREACH, false, parse_foreach},
    {WORD_RETURN, STMT_RETURN, false, parse_return},
    {WORD_THROW, STMT_THROW, false, parse_return},
    {WORD_BREAK, STMT_BREAK, false, parse_jump},
    {WORD_CONTINUE, STMT_CONTINUE, false, parse_jump},
    {WORD_SWITCH, STMT_SWITCH, false, parse_cases},
    {WORD_TRY, STMT_TRY, false, parse_try},
    {WORD_USING, STMT_USING, false, parse_using},
    {WORD_LOCK, STMT_LOCK, false, parse_while},
    {WORD_CHECKED, STMT_CHECKED, false, parse_checked},
    {WORD_UNCHECKED, STMT_CHECKED, true, parse_checked},
};

static const struct form *find_form(const struct parser *p)
{
	// checked(x) begins an expression.
	if ((parser_at_word(p, WORD_CHECKED) ||
	     parser_at_word(p, WORD_UNCHECKED)) &&
	    parser_ahead(p, 1, PUNCT_OPEN))
		return NULL;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (parser_at_word(p, forms[i].word))
			return &forms[i];
	}
	return NULL;
}

/*
 * Fail if the next statement is one that lambdas in an expression cannot have.
 */
static struct dbg_error *statement_refuse(const struct parser *p)
{
	const char *const text = parser_peek(p)->text;
	enum word next = parser_peek(p)[1].word;
	bool yield = parser_at_word(p, WORD_YIELD) &&
		     (next == WORD_RETURN || next == WORD_BREAK);
	if (!yield && !parser_at_word(p, WORD_GOTO) &&
	    !parser_at_word(p, WORD_FIXED) && !parser_at_word(p, WORD_UNSAFE))
		return NULL;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' cannot stand in a lambda of a debugger, at "
		       "column %u",
		       text,
		       token_column(p->tokens.text, parser_peek(p)->start));
}

static struct dbg_error *parse_any(struct parser *p, struct expr **ret)
{
	const struct form *form = find_form(p);
	struct dbg_error *err = statement_refuse(p);
	if (err)
		return err;
	if (parser_at(p, PUNCT_OPEN_BRACE))
		return parse_block(p, ret);
	if (!form && parser_try_function(p, ret, &err))
		return err;
	struct expr *e = parser_node(p, form ? form->kind : STMT_EMPTY);
	*ret = e;
	if (!form && parser_accept(p, PUNCT_SEMICOLON))
		return NULL;
	if (!form) {
		err = local_or_expr(p, STMT_EXPR, ret);
		if (!err)
			err = parser_expect(p, PUNCT_SEMICOLON);
		parser_close(p, *ret);
		return err;
	}
	e->unchecked = form->unchecked;
	parser_advance(p);
	err = form->parse(p, e);
	parser_close(p, e);
	return err;
}

static struct dbg_error *parse_statement(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_any(p, ret);
	if (!err)
		p->depth--;
	return err;
}
