/*
 * The parser: precedence climbing over C#'s expression grammar (ECMA-334,
 * 12.4), to a tree. All tokens are made first, so that looking ahead (is
 * this a cast? are these generic arguments?) is moving an index.
 */
#include "eval/expr.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct parser {
	const char *text;
	struct token *tokens;
	size_t n, at;
	struct arena *arena;
	unsigned int depth;
};

static struct dbg_error *parse_expr(struct parser *p, struct expr **ret);
static struct dbg_error *parse_unary(struct parser *p, struct expr **ret);
static struct dbg_error *parse_type(struct parser *p, struct expr_type **ret);

/* ---- Tokens ---------------------------------------------------------- */

static const struct token *peek(const struct parser *p)
{
	return &p->tokens[p->at];
}

static bool at_punct(const struct parser *p, const char *text)
{
	const struct token *t = peek(p);
	return t->kind == TOKEN_PUNCT && strcmp(t->text, text) == 0;
}

static bool at_word(const struct parser *p, const char *text)
{
	const struct token *t = peek(p);
	return t->kind == TOKEN_NAME && !t->verbatim &&
	       strcmp(t->text, text) == 0;
}

static void advance(struct parser *p)
{
	if (p->tokens[p->at].kind != TOKEN_END)
		p->at++;
}

static bool accept(struct parser *p, const char *text)
{
	if (!at_punct(p, text))
		return false;
	advance(p);
	return true;
}

static struct dbg_error *unexpected(const struct parser *p)
{
	const struct token *t = peek(p);
	if (t->kind == TOKEN_END)
		return dbg_err(DBG_E_ARGUMENT, "the expression ends too early");
	return dbg_err(DBG_E_ARGUMENT, "unexpected '%.*s'",
		       (int)(t->end - t->start), p->text + t->start);
}

static struct dbg_error *expect(struct parser *p, const char *text)
{
	if (accept(p, text))
		return NULL;
	if (peek(p)->kind == TOKEN_END)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is missing at the end",
			       text);
	return unexpected(p);
}

static struct dbg_error *enter(struct parser *p)
{
	if (++p->depth > EXPR_DEPTH_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "the expression is nested too deeply");
	return NULL;
}

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

struct list {
	void **items;
	size_t n, cap;
};

static void list_add(struct parser *p, struct list *l, void *item)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;
		void **more = arena_calloc(p->arena, cap, sizeof(*more));
		if (l->n)
			memcpy(more, l->items, l->n * sizeof(*more));
		l->items = more;
		l->cap = cap;
	}
	l->items[l->n++] = item;
}

/* ---- Types ----------------------------------------------------------- */

enum elem expr_keyword_elem(const char *name)
{
	static const struct {
		const char *name;
		enum elem elem;
	} all[] = {
	    {"bool", ELEM_BOOLEAN},  {"byte", ELEM_U1},
	    {"sbyte", ELEM_I1},      {"char", ELEM_CHAR},
	    {"short", ELEM_I2},      {"ushort", ELEM_U2},
	    {"int", ELEM_I4},        {"uint", ELEM_U4},
	    {"long", ELEM_I8},       {"ulong", ELEM_U8},
	    {"nint", ELEM_I},        {"nuint", ELEM_U},
	    {"float", ELEM_R4},      {"double", ELEM_R8},
	    {"void", ELEM_VOID},     {"string", ELEM_STRING},
	    {"object", ELEM_OBJECT}, {"dynamic", ELEM_OBJECT},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, name) == 0)
			return all[i].elem;
	}
	return ELEM_END;
}

static bool is_type_keyword(const struct token *t)
{
	return t->kind == TOKEN_NAME && !t->verbatim &&
	       (expr_keyword_elem(t->text) != ELEM_END ||
		strcmp(t->text, "decimal") == 0);
}

/* `<A, B>` behind a name; the caller goes back if this fails. */
static struct dbg_error *parse_args(struct parser *p, struct list *args)
{
	struct dbg_error *err = expect(p, "<");
	if (err)
		return err;
	do {
		struct expr_type *arg;
		err = parse_type(p, &arg);
		if (err)
			return err;
		list_add(p, args, arg);
	} while (accept(p, ","));
	return expect(p, ">");
}

/* (A, B b): a ValueTuple, the names of its elements not kept. */
static struct dbg_error *parse_tuple(struct parser *p, struct str *name,
				     struct list *args)
{
	struct dbg_error *err = expect(p, "(");
	while (!err) {
		struct expr_type *arg;
		err = parse_type(p, &arg);
		if (err)
			return err;
		list_add(p, args, arg);
		if (peek(p)->kind == TOKEN_NAME)
			advance(p);
		if (!accept(p, ","))
			break;
	}
	if (!err && args->n < 2)
		return unexpected(p);
	str_add(name, "System.ValueTuple");
	return err ? err : expect(p, ")");
}

static struct dbg_error *parse_type_name(struct parser *p, struct str *name,
					 struct list *args)
{
	struct dbg_error *err;
	if (at_punct(p, "("))
		return parse_tuple(p, name, args);
	for (;;) {
		if (peek(p)->kind != TOKEN_NAME)
			return unexpected(p);
		str_add(name, peek(p)->text);
		advance(p);
		if (at_punct(p, "<")) {
			err = parse_args(p, args);
			if (err)
				return err;
		}
		if (at_punct(p, "::"))
			str_clear(name); // global:: and aliases
		else if (at_punct(p, "."))
			str_addc(name, '.');
		else
			return NULL;
		advance(p);
	}
}

static struct dbg_error *parse_rank(struct parser *p, struct str *suffix)
{
	str_addc(suffix, '[');
	advance(p);
	while (accept(p, ","))
		str_addc(suffix, ',');
	str_addc(suffix, ']');
	return expect(p, "]");
}

/* Does the `?` before it begin a choice rather than end a type? */
static bool begins_operand(const struct token *t)
{
	return (t->kind != TOKEN_END && t->kind != TOKEN_PUNCT) ||
	       (t->kind == TOKEN_PUNCT && strchr("(-!~", t->text[0]));
}

static struct dbg_error *parse_suffix(struct parser *p, struct str *suffix)
{
	struct dbg_error *err;
	for (;;) {
		const struct token *next = peek(p);
		bool empty = next[0].kind != TOKEN_END &&
			     next[1].kind == TOKEN_PUNCT &&
			     (strcmp(next[1].text, "]") == 0 ||
			      strcmp(next[1].text, ",") == 0);
		if (at_punct(p, "[") && empty) {
			err = parse_rank(p, suffix);
			if (err)
				return err;
		} else if (at_punct(p, "?[") && empty) {
			str_addc(suffix, '?');
			err = parse_rank(p, suffix);
			if (err)
				return err;
		} else if (at_punct(p, "*") ||
			   (at_punct(p, "?") && !begins_operand(&next[1]))) {
			str_add(suffix, next->text);
			advance(p);
		} else {
			return NULL;
		}
	}
}

static struct dbg_error *parse_type(struct parser *p, struct expr_type **ret)
{
	_cleanup_str_ struct str name = {0};
	_cleanup_str_ struct str suffix = {0};
	struct list args = {0};
	struct dbg_error *err = enter(p);
	if (!err)
		err = parse_type_name(p, &name, &args);
	if (!err)
		err = parse_suffix(p, &suffix);
	if (err)
		return err;
	p->depth--;
	struct expr_type *type = arena_alloc(p->arena, sizeof(*type));
	type->name = arena_strdup(p->arena, str_get(&name));
	type->args = (struct expr_type **)args.items;
	type->n_args = args.n;
	type->suffix = arena_strdup(p->arena, str_get(&suffix));
	*ret = type;
	return NULL;
}

/* Try to parse a type; false leaves the parser where it was. */
static bool try_type(struct parser *p, struct expr_type **ret)
{
	struct parser saved = *p;
	struct dbg_error *err = parse_type(p, ret);
	if (!err)
		return true;
	dbg_error_destroy(err);
	*p = saved;
	return false;
}

/*
 * Are these generic arguments or a comparison? C# looks at what follows the
 * closing bracket (12.8.4's note, 6.2.5).
 */
static bool try_args(struct parser *p, struct list *args)
{
	static const char *const follow[] = {"(", ")",  "]",  ":",  ",",  ".",
					     "?", "==", "!=", "?.", "?[", "["};
	struct parser saved = *p;
	struct dbg_error *err = parse_args(p, args);
	bool good = !err && peek(p)->kind == TOKEN_END;
	for (size_t i = 0; !err && i < sizeof(follow) / sizeof(follow[0]); i++)
		good = good || at_punct(p, follow[i]);
	dbg_error_destroy(err);
	if (!good) {
		*p = saved;
		memset(args, 0, sizeof(*args));
	}
	return good;
}

/* ---- Primary expressions --------------------------------------------- */

static struct dbg_error *parse_list(struct parser *p, const char *close,
				    struct expr *e)
{
	struct list list = {0};
	struct dbg_error *err = NULL;
	bool more = !at_punct(p, close);
	while (!err && more) {
		struct expr *item;
		err = parse_expr(p, &item);
		if (!err)
			list_add(p, &list, item);
		more = !err && accept(p, ",");
	}
	if (!err)
		err = expect(p, close);
	e->list = (struct expr **)list.items;
	e->n_list = list.n;
	return err;
}

static void set_args(struct parser *p, struct expr *e)
{
	struct list args = {0};
	if (!at_punct(p, "<") || !try_args(p, &args))
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
		if (at_word(p, words[i]))
			return dbg_err(DBG_E_UNSUPPORTED,
				       "'%s' is not served in expressions yet",
				       words[i]);
	}
	return NULL;
}

static struct dbg_error *parse_with_type(struct parser *p, struct expr *e)
{
	advance(p);
	if (e->kind == EXPR_DEFAULT && !at_punct(p, "("))
		return NULL;
	struct dbg_error *err = expect(p, "(");
	if (!err)
		err = parse_type(p, &e->type);
	if (!err)
		err = expect(p, ")");
	return err;
}

static struct dbg_error *parse_name(struct parser *p, struct expr **ret)
{
	const struct token *t = peek(p);
	struct dbg_error *err = refuse_word(p);
	if (err)
		return err;
	struct expr *e = node(p, EXPR_NAME, t->start);
	*ret = e;
	e->name = t->text;
	if (at_word(p, "null")) {
		e->kind = EXPR_NULL;
	} else if (at_word(p, "true") || at_word(p, "false")) {
		e->kind = EXPR_BOOL;
		e->token.integer = at_word(p, "true");
	} else if (at_word(p, "sizeof") || at_word(p, "default")) {
		e->kind = at_word(p, "sizeof") ? EXPR_SIZEOF : EXPR_DEFAULT;
		return parse_with_type(p, e);
	} else if (is_type_keyword(t)) {
		e->kind = EXPR_TYPE;
		e->type = arena_alloc(p->arena, sizeof(*e->type));
		e->type->name = t->text;
		e->type->suffix = "";
	}
	advance(p);
	if (e->kind == EXPR_NAME && accept(p, "::")) {
		if (peek(p)->kind != TOKEN_NAME)
			return unexpected(p);
		e->name = peek(p)->text;
		advance(p);
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
	bool keyword = is_type_keyword(&p->tokens[p->at + 1]);
	advance(p);
	if (try_type(p, ret) && accept(p, ")")) {
		const struct token *t = peek(p);
		bool word = t->kind == TOKEN_NAME && !at_word(p, "is") &&
			    !at_word(p, "as");
		if (keyword && !at_punct(p, ".") && t->kind != TOKEN_END)
			return true;
		bool made = (*ret)->suffix[0] != '\0' &&
			    (*ret)->suffix[strlen((*ret)->suffix) - 1] != '*';
		bool literal =
		    t->kind >= TOKEN_INTEGER && t->kind <= TOKEN_STRING;
		if (word || literal || at_punct(p, "(") || at_punct(p, "!") ||
		    at_punct(p, "~") || (made && t->kind != TOKEN_END))
			return true;
		// (T*)&x and (T*)*x of pointers: no operator fits between.
		if ((*ret)->suffix[0] == '*' &&
		    (at_punct(p, "&") || at_punct(p, "*")))
			return true;
	}
	*p = saved;
	return false;
}

static struct dbg_error *parse_paren(struct parser *p, struct expr **ret)
{
	struct dbg_error *err;
	size_t start = peek(p)->start;
	struct expr_type *type;
	if (try_cast(p, &type)) {
		struct expr *e = node(p, EXPR_CAST, start);
		e->type = type;
		err = parse_unary(p, &e->a);
		e->end = last_end(p);
		*ret = e;
		return err;
	}
	advance(p);
	err = parse_expr(p, ret);
	if (!err)
		err = expect(p, ")");
	return err;
}

static struct dbg_error *parse_atom(struct parser *p, struct expr **ret)
{
	const struct token *t = peek(p);
	if (t->kind == TOKEN_NAME)
		return parse_name(p, ret);
	if (at_punct(p, "("))
		return parse_paren(p, ret);
	if (t->kind == TOKEN_END || t->kind == TOKEN_PUNCT)
		return unexpected(p);
	struct expr *e = node(p, EXPR_LITERAL, t->start);
	e->token = *t;
	advance(p);
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_member(struct parser *p, struct expr *e)
{
	e->conditional = at_punct(p, "?.");
	e->arrow = at_punct(p, "->");
	advance(p);
	if (peek(p)->kind != TOKEN_NAME)
		return unexpected(p);
	e->name = peek(p)->text;
	advance(p);
	set_args(p, e);
	return NULL;
}

static struct dbg_error *parse_tail(struct parser *p, struct expr **io)
{
	struct dbg_error *err = NULL;
	while (!err) {
		struct expr *e = node(p, EXPR_MEMBER, (*io)->start);
		e->a = *io;
		if (at_punct(p, ".") || at_punct(p, "?.") ||
		    at_punct(p, "->")) {
			err = parse_member(p, e);
		} else if (at_punct(p, "[") || at_punct(p, "?[")) {
			e->kind = EXPR_INDEX;
			e->conditional = at_punct(p, "?[");
			advance(p);
			err = parse_list(p, "]", e);
		} else if (accept(p, "(")) {
			e->kind = EXPR_CALL;
			err = parse_list(p, ")", e);
		} else if (accept(p, "!")) {
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
	struct dbg_error *err = enter(p);
	if (err)
		return err;
	size_t start = peek(p)->start;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!accept(p, ops[i]))
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
	const struct token *t = peek(p);
	return at_punct(p, ">") && t[1].kind == TOKEN_PUNCT &&
	       strcmp(t[1].text, ">") == 0 && t[1].start == t[0].end;
}

static const struct level *at_operator(const struct parser *p)
{
	if (peek(p)->kind != TOKEN_PUNCT)
		return NULL;
	const char *op = at_shift(p) ? ">>" : peek(p)->text;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(levels[i].op, op) == 0)
			return &levels[i];
	}
	return NULL;
}

/* `is T`, `is null`, `is not null`, `as T` behind *@io. */
static struct dbg_error *parse_is(struct parser *p, struct expr **io)
{
	struct expr *e =
	    node(p, at_word(p, "is") ? EXPR_IS : EXPR_AS, (*io)->start);
	struct dbg_error *err = NULL;
	advance(p);
	e->a = *io;
	if (e->kind == EXPR_IS && at_word(p, "not")) {
		e->negated = true;
		advance(p);
	}
	if (e->kind == EXPR_IS && at_word(p, "null"))
		advance(p);
	else
		err = parse_type(p, &e->type);
	e->end = last_end(p);
	*io = e;
	return err;
}

static struct dbg_error *parse_binary(struct parser *p, int min,
				      struct expr **ret)
{
	struct dbg_error *err = enter(p);
	if (!err)
		err = parse_unary(p, ret);
	while (!err) {
		const struct level *op = at_operator(p);
		if (min <= BINDS_RELATION &&
		    (at_word(p, "is") || at_word(p, "as"))) {
			err = parse_is(p, ret);
			continue;
		}
		if (!op || op->binds < min)
			break;
		if (strcmp(op->op, ">>") == 0)
			advance(p);
		advance(p);
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
	struct dbg_error *err = enter(p);
	if (!err)
		err = parse_binary(p, 0, ret);
	if (err)
		return err;
	if (accept(p, "?")) {
		struct expr *e = node(p, EXPR_CHOICE, (*ret)->start);
		e->a = *ret;
		err = parse_expr(p, &e->b);
		if (!err)
			err = expect(p, ":");
		if (!err)
			err = parse_expr(p, &e->c);
		e->end = last_end(p);
		*ret = e;
	}
	p->depth--;
	if (!err && at_punct(p, "="))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "assignment is not served in expressions yet "
			       "('==' compares)");
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

struct dbg_error *expr_parse(const char *text, struct arena *arena,
			     struct expr **ret)
{
	struct parser p;
	struct expr *e;
	struct dbg_error *err = tokenize(&p, text, arena);
	if (!err)
		err = parse_expr(&p, &e);
	if (err)
		return err;
	if (peek(&p)->kind != TOKEN_END)
		return unexpected(&p);
	*ret = e;
	return NULL;
}

struct dbg_error *expr_parse_type(const char *text, struct arena *arena,
				  struct expr_type **ret)
{
	struct parser p;
	struct expr_type *type;
	struct dbg_error *err = tokenize(&p, text, arena);
	if (!err)
		err = parse_type(&p, &type);
	if (err)
		return err;
	if (peek(&p)->kind != TOKEN_END)
		return unexpected(&p);
	*ret = type;
	return NULL;
}
