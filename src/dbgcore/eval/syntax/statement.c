/*
 * Statements, as the bodies of lambdas have them (ECMA-334, 13). They are nodes
 * of the same tree as expressions.
 */
#include "eval/syntax/statement.h"
#include "eval/syntax/parser_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The cursor over the tokens ------------------------------------------ */

/*
 * What is next, going on, going back to a saved place, and errors that name the
 * column. Trying a way costs steps, which are limited, so that no text takes
 * exponential time.
 */

enum {
	STEPS_MAX = 200000 // of trying what a bracket may begin
};

static struct dbg_error *parse_block(struct parser *p, struct expr **ret);

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

/* The token behind the bracket that the one at @n closes; NULL: none. */
static const struct token *parser_behind(const struct parser *p, size_t n)
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

/* ---- Lambdas and anonymous methods (ECMA-334, 12.19) --------------------- */

/*
 * Lambdas and anonymous methods (ECMA-334, 12.19). Whether a parenthesis opens
 * a lambda is known by what follows its end: the tokens are looked through
 * first.
 */

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

/* ---- Statements, as the bodies of lambdas have them (ECMA-334, 13) ------- */

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

/* `const T a = 1`, `var (a, b) = t`, or an expression, as a tree of its own. */
static struct dbg_error *parse_local_or_expr(struct parser *p,
					     struct expr **ret)
{
	struct expr *e;
	struct dbg_error *err = local_or_expr(p, STMT_EXPR, &e);
	if (!err)
		*ret = e->kind == STMT_EXPR ? e->a : e;
	return err;
}

static struct dbg_error *parse_block(struct parser *p, struct expr **ret)
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

/* ---- The entries of the syntax ------------------------------------------- */

/*
 * The entries of the syntax: a whole expression and a type. Each makes all
 * tokens, parses, and refuses what is left behind the tree.
 */

static struct dbg_error *parse_begin(struct parser *p, const char *text,
				     struct arena *arena)
{
	memset(p, 0, sizeof(*p));
	p->arena = arena;
	struct dbg_error *err = tokens_make(text, arena, &p->tokens);
	if (!err && p->tokens.n == 1)
		err = dbg_err(DBG_E_ARGUMENT, "an expression is wanted");
	return err;
}

/* Expect the end of the text; semicolons before it are ignored. */
static struct dbg_error *parse_end(struct parser *p)
{
	while (parser_accept(p, PUNCT_SEMICOLON))
		;
	return parser_at_end(p) ? NULL : dbg_err_cs(1002, parser_unexpected(p));
}

typedef struct dbg_error *parse_fn(struct parser *p, struct expr **ret);

static struct dbg_error *parse_whole(const char *text, struct arena *arena,
				     parse_fn *parse, struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = parse_begin(&p, text, arena);
	if (!err)
		err = parse(&p, &e);
	if (!err)
		err = parse_end(&p);
	if (!err)
		*ret = e;
	return err;
}

static struct dbg_error *type_anywhere(struct parser *p, struct expr **ret)
{
	return parse_type(p, TYPE_ANYWHERE, ret);
}

struct dbg_error *expr_parse(const char *text, struct arena *arena,
			     struct expr **ret)
{
	return parse_whole(text, arena, parse_expr, ret);
}

struct dbg_error *expr_parse_statement(const char *text, struct arena *arena,
				       struct expr **ret)
{
	return parse_whole(text, arena, parse_local_or_expr, ret);
}

struct dbg_error *expr_parse_type(const char *text, struct arena *arena,
				  struct expr **ret)
{
	return parse_whole(text, arena, type_anywhere, ret);
}
