/*
 * The parser: precedence climbing over C#'s expression grammar (ECMA-334,
 * 12.4), to a tree. All tokens are made first, so that looking ahead (is
 * this a cast? are these generic arguments?) is moving an index.
 */
#include "eval/expr.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/expr_priv.h"

static struct dbg_error *parse_expr(struct parser *p, struct expr **ret);
static struct dbg_error *parse_unary(struct parser *p, struct expr **ret);

/* ---- Nodes ----------------------------------------------------------- */

static struct expr *node(struct parser *p, enum expr_kind kind, size_t start)
{
	struct expr *e = arena_alloc(p->arena, sizeof(*e));
	e->kind = kind;
	e->start = start;
	return e;
}

static size_t last_end(const struct parser *p)
{
	return p->at ? p->tokens[p->at - 1].end : 0;
}

/* ---- Primary expressions --------------------------------------------- */

static struct dbg_error *parse_list(struct parser *p, const char *close,
				    struct expr *e)
{
	struct list list = {0};
	struct dbg_error *err = NULL;
	bool more = !parser_at(p, close);
	while (!err && more) {
		struct expr *item;
		err = parse_expr(p, &item);
		if (!err)
			parser_list_add(p, &list, item);
		more = !err && parser_accept(p, ",");
	}
	if (!err)
		err = parser_expect(p, close);
	e->list = (struct expr **)list.items;
	e->n_list = list.n;
	return err;
}

static void set_args(struct parser *p, struct expr *e)
{
	struct list args = {0};
	if (!parser_at(p, "<") || !parser_try_args(p, &args))
		return;
	e->args = (struct expr_type **)args.items;
	e->n_args = args.n;
}

/*
 * Words that begin an expression which cannot be evaluated without running
 * code. (`stackalloc` and the like are nobody's question to a debugger.)
 */
static struct dbg_error *refuse_word(const struct parser *p)
{
	static const char *const words[] = {"new",    "typeof",  "await",
					    "throw",  "checked", "unchecked",
					    "nameof", "with",    "switch"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (parser_at_word(p, words[i]))
			return dbg_err(DBG_E_UNSUPPORTED,
				       "'%s' is not served in expressions yet",
				       words[i]);
	}
	return NULL;
}

static struct dbg_error *parse_with_type(struct parser *p, struct expr *e)
{
	parser_advance(p);
	if (e->kind == EXPR_DEFAULT && !parser_at(p, "("))
		return NULL;
	struct dbg_error *err = parser_expect(p, "(");
	if (!err)
		err = parser_type(p, &e->type);
	if (!err)
		err = parser_expect(p, ")");
	return err;
}

static struct dbg_error *parse_name(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	struct dbg_error *err = refuse_word(p);
	if (err)
		return err;
	struct expr *e = node(p, EXPR_NAME, t->start);
	*ret = e;
	e->name = t->text;
	if (parser_at_word(p, "null")) {
		e->kind = EXPR_NULL;
	} else if (parser_at_word(p, "true") || parser_at_word(p, "false")) {
		e->kind = EXPR_BOOL;
		e->token.integer = parser_at_word(p, "true");
	} else if (parser_at_word(p, "sizeof") ||
		   parser_at_word(p, "default")) {
		e->kind =
		    parser_at_word(p, "sizeof") ? EXPR_SIZEOF : EXPR_DEFAULT;
		return parse_with_type(p, e);
	} else if (parser_is_keyword(t)) {
		e->kind = EXPR_TYPE;
		e->type = arena_alloc(p->arena, sizeof(*e->type));
		e->type->name = t->text;
		e->type->suffix = "";
	}
	parser_advance(p);
	if (e->kind == EXPR_NAME && parser_accept(p, "::")) {
		if (parser_peek(p)->kind != TOKEN_NAME)
			return parser_unexpected(p);
		e->name = parser_peek(p)->text;
		parser_advance(p);
	}
	if (e->kind == EXPR_NAME)
		set_args(p, e);
	return NULL;
}

/*
 * `(T)x` or a parenthesised expression? A cast if the parentheses hold a
 * type and a keyword type, or what follows cannot continue an expression
 * (12.9.7).
 */
static bool try_cast(struct parser *p, struct expr_type **ret)
{
	struct parser saved = *p;
	bool keyword = parser_is_keyword(&p->tokens[p->at + 1]);
	parser_advance(p);
	if (parser_try_type(p, ret) && parser_accept(p, ")")) {
		const struct token *t = parser_peek(p);
		bool word = t->kind == TOKEN_NAME && !parser_at_word(p, "is") &&
			    !parser_at_word(p, "as");
		if (keyword && !parser_at(p, ".") && t->kind != TOKEN_END)
			return true;
		bool made = (*ret)->suffix[0] != '\0' &&
			    (*ret)->suffix[strlen((*ret)->suffix) - 1] != '*';
		bool literal =
		    t->kind >= TOKEN_INTEGER && t->kind <= TOKEN_STRING;
		if (word || literal || parser_at(p, "(") || parser_at(p, "!") ||
		    parser_at(p, "~") || (made && t->kind != TOKEN_END))
			return true;
		// (T*)&x and (T*)*x of pointers: no operator fits between.
		if ((*ret)->suffix[0] == '*' &&
		    (parser_at(p, "&") || parser_at(p, "*")))
			return true;
	}
	*p = saved;
	return false;
}

static struct dbg_error *parse_paren(struct parser *p, struct expr **ret)
{
	struct dbg_error *err;
	size_t start = parser_peek(p)->start;
	struct expr_type *type;
	if (try_cast(p, &type)) {
		struct expr *e = node(p, EXPR_CAST, start);
		e->type = type;
		err = parse_unary(p, &e->a);
		e->end = last_end(p);
		*ret = e;
		return err;
	}
	parser_advance(p);
	err = parse_expr(p, ret);
	if (!err)
		err = parser_expect(p, ")");
	return err;
}

static struct dbg_error *parse_atom(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_NAME)
		return parse_name(p, ret);
	if (parser_at(p, "("))
		return parse_paren(p, ret);
	if (t->kind == TOKEN_END || t->kind == TOKEN_PUNCT)
		return parser_unexpected(p);
	struct expr *e = node(p, EXPR_LITERAL, t->start);
	e->token = *t;
	parser_advance(p);
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_member(struct parser *p, struct expr *e)
{
	e->conditional = parser_at(p, "?.");
	e->arrow = parser_at(p, "->");
	parser_advance(p);
	if (parser_peek(p)->kind != TOKEN_NAME)
		return parser_unexpected(p);
	e->name = parser_peek(p)->text;
	parser_advance(p);
	set_args(p, e);
	return NULL;
}

static struct dbg_error *parse_tail(struct parser *p, struct expr **io)
{
	struct dbg_error *err = NULL;
	while (!err) {
		struct expr *e = node(p, EXPR_MEMBER, (*io)->start);
		e->a = *io;
		if (parser_at(p, ".") || parser_at(p, "?.") ||
		    parser_at(p, "->")) {
			err = parse_member(p, e);
		} else if (parser_at(p, "[") || parser_at(p, "?[")) {
			e->kind = EXPR_INDEX;
			e->conditional = parser_at(p, "?[");
			parser_advance(p);
			err = parse_list(p, "]", e);
		} else if (parser_accept(p, "(")) {
			e->kind = EXPR_CALL;
			err = parse_list(p, ")", e);
		} else if (parser_accept(p, "!")) {
			continue; // null-forgiving, without meaning here
		} else {
			return NULL;
		}
		e->end = last_end(p);
		*io = e;
	}
	return err;
}

static struct dbg_error *parse_unary(struct parser *p, struct expr **ret)
{
	static const char *const ops[] = {"-", "+", "!", "~", "*", "&"};
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	size_t start = parser_peek(p)->start;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!parser_accept(p, ops[i]))
			continue;
		struct expr *e = node(p, EXPR_UNARY, start);
		e->op = ops[i];
		err = parse_unary(p, &e->a);
		e->end = last_end(p);
		*ret = e;
		p->depth--;
		return err;
	}
	err = parse_atom(p, ret);
	if (err)
		return err;
	(*ret)->end = last_end(p);
	err = parse_tail(p, ret);
	p->depth--;
	return err;
}

/* ---- Operators ------------------------------------------------------- */

struct level {
	const char *op;
	int binds; /* higher binds tighter */
};

static const struct level levels[] = {
    {"??", 1}, {"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5},  {"&", 6},  {"==", 7},
    {"!=", 7}, {"<", 8},  {">", 8},  {"<=", 8}, {">=", 8}, {"<<", 9}, {">>", 9},
    {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11},
};

enum {
	BINDS_COALESCE = 1,
	BINDS_RELATION = 8
};

/* Two '>' with nothing between are a shift. */
static bool at_shift(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return parser_at(p, ">") && t[1].kind == TOKEN_PUNCT &&
	       !strcmp(t[1].text, ">") && t[1].start == t[0].end;
}

static const struct level *at_operator(const struct parser *p)
{
	if (parser_peek(p)->kind != TOKEN_PUNCT)
		return NULL;
	const char *op = at_shift(p) ? ">>" : parser_peek(p)->text;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!strcmp(levels[i].op, op))
			return &levels[i];
	}
	return NULL;
}

/* `is T`, `is null`, `is not null`, `as T` behind *@io. */
static struct dbg_error *parse_is(struct parser *p, struct expr **io)
{
	struct expr *e =
	    node(p, parser_at_word(p, "is") ? EXPR_IS : EXPR_AS, (*io)->start);
	struct dbg_error *err = NULL;
	parser_advance(p);
	e->a = *io;
	if (e->kind == EXPR_IS && parser_at_word(p, "not")) {
		e->negated = true;
		parser_advance(p);
	}
	if (e->kind == EXPR_IS && parser_at_word(p, "null"))
		parser_advance(p);
	else
		err = parser_type(p, &e->type);
	e->end = last_end(p);
	*io = e;
	return err;
}

static struct dbg_error *parse_binary(struct parser *p, int min,
				      struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_unary(p, ret);
	while (!err) {
		const struct level *op = at_operator(p);
		if (min <= BINDS_RELATION &&
		    (parser_at_word(p, "is") || parser_at_word(p, "as"))) {
			err = parse_is(p, ret);
			continue;
		}
		if (!op || op->binds < min)
			break;
		if (!strcmp(op->op, ">>"))
			parser_advance(p);
		parser_advance(p);
		struct expr *e = node(p, EXPR_BINARY, (*ret)->start);
		e->op = op->op;
		e->a = *ret;
		// Only ?? is right-associative.
		err = parse_binary(
		    p, op->binds == BINDS_COALESCE ? op->binds : op->binds + 1,
		    &e->b);
		e->end = last_end(p);
		*ret = e;
	}
	p->depth--;
	return err;
}

static struct dbg_error *parse_expr(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_binary(p, 0, ret);
	if (err)
		return err;
	if (parser_accept(p, "?")) {
		struct expr *e = node(p, EXPR_CHOICE, (*ret)->start);
		e->a = *ret;
		err = parse_expr(p, &e->b);
		if (!err)
			err = parser_expect(p, ":");
		if (!err)
			err = parse_expr(p, &e->c);
		e->end = last_end(p);
		*ret = e;
	}
	p->depth--;
	return err;
}

/* The operator of an assignment, without its '='; NULL: it is none. */
static const char *at_assignment(const struct parser *p)
{
	static const char *const ops[] = {"",  "+", "-", "*", "/",
					  "%", "&", "|", "^"};
	const struct token *t = parser_peek(p);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i]);
		if (t->kind == TOKEN_PUNCT && !strncmp(t->text, ops[i], n) &&
		    !strcmp(t->text + n, "="))
			return ops[i];
	}
	return NULL;
}

/* `= b` behind *@io, if it is next. */
static struct dbg_error *parse_assignment(struct parser *p, struct expr **io)
{
	const char *op = at_assignment(p);
	if (!op)
		return NULL;
	parser_advance(p);
	struct expr *e = node(p, EXPR_ASSIGN, (*io)->start);
	e->a = *io;
	e->op = op;
	struct dbg_error *err = parse_expr(p, &e->b);
	e->end = last_end(p);
	*io = e;
	return err;
}

/* ---- Entry ----------------------------------------------------------- */

static struct dbg_error *tokenize(struct parser *p, const char *text,
				  struct arena *arena)
{
	memset(p, 0, sizeof(*p));
	p->text = text;
	p->arena = arena;
	size_t length = strnlen(text, EXPR_TEXT_MAX + 1);
	if (length > EXPR_TEXT_MAX)
		return dbg_err(DBG_E_ARGUMENT, "the expression is too long");
	// A token has at least one character; two more for looking ahead.
	p->tokens = arena_calloc(arena, length + 3, sizeof(p->tokens[0]));
	size_t at = 0;
	do {
		struct dbg_error *err =
		    token_next(text, &at, arena, &p->tokens[p->n]);
		if (err)
			return err;
	} while (p->tokens[p->n++].kind != TOKEN_END);
	if (p->n == 1)
		return dbg_err(DBG_E_ARGUMENT, "an expression is wanted");
	return NULL;
}

static struct dbg_error *parse_whole(const char *text, struct arena *arena,
				     bool assignment, struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = tokenize(&p, text, arena);
	if (!err)
		err = parse_expr(&p, &e);
	if (!err && assignment)
		err = parse_assignment(&p, &e);
	if (err)
		return err;
	if (at_assignment(&p))
		return dbg_err(DBG_E_ARGUMENT,
			       "an assignment cannot stand here "
			       "('==' compares)");
	if (parser_peek(&p)->kind != TOKEN_END)
		return parser_unexpected(&p);
	*ret = e;
	return NULL;
}

struct dbg_error *expr_parse(const char *text, struct arena *arena,
			     struct expr **ret)
{
	return parse_whole(text, arena, false, ret);
}

struct dbg_error *expr_parse_assign(const char *text, struct arena *arena,
				    struct expr **ret)
{
	return parse_whole(text, arena, true, ret);
}

struct dbg_error *expr_parse_type(const char *text, struct arena *arena,
				  struct expr_type **ret)
{
	struct parser p;
	struct expr_type *type;
	struct dbg_error *err = tokenize(&p, text, arena);
	if (!err)
		err = parser_type(&p, &type);
	if (err)
		return err;
	if (parser_peek(&p)->kind != TOKEN_END)
		return parser_unexpected(&p);
	*ret = type;
	return NULL;
}
