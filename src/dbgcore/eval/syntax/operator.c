/*
 * Operators by precedence climbing (ECMA-334, 12.4.2), casts, assignments,
 * choices.
 */
#include "eval/syntax/parser_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The table ------------------------------------------------------- */

/* Higher binds tighter; 0: no binary operator. */
struct operator
{
	const char *text;
	enum punct punct; /* it begins with this */
	int binds;
};

enum {
	BINDS_COALESCE = 1,
	BINDS_ARRAY = 10,
	BINDS_SWITCH = 13
};

static struct dbg_error *parse_binary(struct parser *p, int min,
				      struct expr **ret);
static struct dbg_error *parse_switch(struct parser *p, struct expr **io);

static const struct operator operators[N_OPS] = {
    [OP_NONE] = {"", PUNCT_NONE, 0},
    [OP_COALESCE] = {"?\?", PUNCT_COALESCE, BINDS_COALESCE},
    [OP_OR_ELSE] = {"||", PUNCT_OR_OR, 2},
    [OP_AND_ALSO] = {"&&", PUNCT_AND_AND, 3},
    [OP_OR] = {"|", PUNCT_OR, 4},
    [OP_XOR] = {"^", PUNCT_XOR, 5},
    [OP_AND] = {"&", PUNCT_AND, 6},
    [OP_EQUAL] = {"==", PUNCT_EQUAL, 7},
    [OP_NOT_EQUAL] = {"!=", PUNCT_NOT_EQUAL, 7},
    [OP_LESS] = {"<", PUNCT_LESS, BINDS_RELATION},
    [OP_GREATER] = {">", PUNCT_GREATER, BINDS_RELATION},
    [OP_LESS_EQUAL] = {"<=", PUNCT_LESS_EQUAL, BINDS_RELATION},
    [OP_GREATER_EQUAL] = {">=", PUNCT_GREATER_EQUAL, BINDS_RELATION},
    [OP_SHIFT_LEFT] = {"<<", PUNCT_SHIFT_LEFT, BINDS_SHIFT},
    [OP_SHIFT_RIGHT] = {">>", PUNCT_NONE, BINDS_SHIFT},
    [OP_SHIFT_UNSIGNED] = {">>>", PUNCT_NONE, BINDS_SHIFT},
    [OP_ARRAY] = {"@", PUNCT_AT, BINDS_ARRAY},
    [OP_ADD] = {"+", PUNCT_ADD, 11},
    [OP_SUBTRACT] = {"-", PUNCT_SUBTRACT, 11},
    [OP_MULTIPLY] = {"*", PUNCT_MULTIPLY, 12},
    [OP_DIVIDE] = {"/", PUNCT_DIVIDE, 12},
    [OP_REMAINDER] = {"%", PUNCT_REMAINDER, 12},
    [OP_PLUS] = {"+", PUNCT_NONE, 0},
    [OP_MINUS] = {"-", PUNCT_NONE, 0},
    [OP_NOT] = {"!", PUNCT_NONE, 0},
    [OP_COMPLEMENT] = {"~", PUNCT_NONE, 0},
    [OP_DEREFERENCE] = {"*", PUNCT_NONE, 0},
    [OP_ADDRESS] = {"&", PUNCT_NONE, 0},
    [OP_INCREMENT] = {"++", PUNCT_NONE, 0},
    [OP_DECREMENT] = {"--", PUNCT_NONE, 0},
    [OP_FROM_END] = {"^", PUNCT_NONE, 0},
};

const char *op_text(enum op op)
{
	return operators[op].text;
}

/* `>`, `>>`, `>>>` side by side, and a `>=` behind them: how many. */
static size_t greater_run(const struct parser *p, bool *ret_assign)
{
	size_t n = 0;
	const struct token *t = parser_peek(p);
	while (n < 3 && parser_ahead(p, n, PUNCT_GREATER) &&
	       (n == 0 || t[n].start == t[n - 1].end))
		n++;
	*ret_assign = n && n < 3 && parser_ahead(p, n, PUNCT_GREATER_EQUAL) &&
		      t[n].start == t[n - 1].end;
	return n;
}

enum op parser_operator(const struct parser *p, int *ret_binds,
			size_t *ret_tokens)
{
	bool assign;
	const struct token *t = parser_peek(p);
	size_t n = greater_run(p, &assign);
	enum op op = n == 3   ? OP_SHIFT_UNSIGNED
		     : n == 2 ? OP_SHIFT_RIGHT
			      : OP_NONE;
	if (assign)
		return OP_NONE;
	// `a@n`: the lexer has taken the operand for a name in its @ form.
	if (t->kind == TOKEN_NAME && t->verbatim)
		op = OP_ARRAY;
	for (int i = 1; !op && t->kind == TOKEN_PUNCT && i < N_OPS; i++) {
		if (operators[i].binds && operators[i].punct == t->punct)
			op = (enum op)i;
	}
	*ret_binds = operators[op].binds;
	*ret_tokens = op == OP_ARRAY && t->kind == TOKEN_NAME ? 0
		      : n > 1                                 ? n
							      : 1;
	return op;
}

/* ---- Casts and unary operators --------------------------------------- */

/* May the token begin the operand of a cast, and nothing else (12.9.7)? */
static bool follows_cast(const struct parser *p, const struct expr *type)
{
	const struct token *t = parser_peek(p);
	bool made =
	    type->kind == EXPR_ARRAY_TYPE || type->kind == EXPR_NULLABLE_TYPE;
	bool sign = parser_at(p, PUNCT_ADD) || parser_at(p, PUNCT_SUBTRACT);
	switch (t->kind) {
	case TOKEN_END:
	case TOKEN_FORMAT:
	case TOKEN_HOLE:
	case TOKEN_HOLE_END:
	case TOKEN_INTERPOLATED_END:
		return false;
	case TOKEN_NAME:
		return (parser_at_name(p) || word_is_reserved(t->word)) &&
		       t->word != WORD_IS && t->word != WORD_AS &&
		       t->word != WORD_SWITCH && t->word != WORD_WITH &&
		       t->word != WORD_AND && t->word != WORD_OR &&
		       t->word != WORD_WHEN && t->word != WORD_IN;
	case TOKEN_PUNCT:
		break;
	default:
		return true;
	}
	if (parser_at(p, PUNCT_OPEN) || parser_at(p, PUNCT_NOT) ||
	    parser_at(p, PUNCT_COMPLEMENT))
		return true;
	// Where an operand that began with the operator makes no sense.
	if (parser_at(p, PUNCT_AND) || parser_at(p, PUNCT_MULTIPLY))
		return type->kind == EXPR_POINTER_TYPE ||
		       type->kind == EXPR_KEYWORD || (made && !sign);
	if (parser_at(p, PUNCT_OPEN_INDEX))
		return made || type->n_args || type->kind == EXPR_KEYWORD;
	if (sign || parser_at(p, PUNCT_XOR) || parser_at(p, PUNCT_INCREMENT) ||
	    parser_at(p, PUNCT_DECREMENT) || parser_at(p, PUNCT_RANGE))
		return made || type->kind == EXPR_KEYWORD ||
		       type->kind == EXPR_POINTER_TYPE;
	return false;
}

static bool try_cast(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	parser_advance(p);
	if (parser_try_type(p, TYPE_ANYWHERE, ret) &&
	    parser_accept(p, PUNCT_CLOSE) && follows_cast(p, *ret))
		return true;
	parser_restore(p, &saved);
	return false;
}

static enum op unary_operator(const struct parser *p)
{
	static const struct {
		enum punct punct;
		enum op op;
	} all[] = {
	    {PUNCT_SUBTRACT, OP_MINUS},
	    {PUNCT_ADD, OP_PLUS},
	    {PUNCT_NOT, OP_NOT},
	    {PUNCT_COMPLEMENT, OP_COMPLEMENT},
	    {PUNCT_MULTIPLY, OP_DEREFERENCE},
	    {PUNCT_AND, OP_ADDRESS},
	    {PUNCT_INCREMENT, OP_INCREMENT},
	    {PUNCT_DECREMENT, OP_DECREMENT},
	    {PUNCT_XOR, OP_FROM_END},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (parser_at(p, all[i].punct))
			return all[i].op;
	}
	return OP_NONE;
}

/* await x, where await is not a name. */
static bool at_await(const struct parser *p)
{
	const struct token *next = parser_peek(p) + 1;
	return parser_at_word(p, WORD_AWAIT) &&
	       (next->kind == TOKEN_NAME || next->punct == PUNCT_OPEN) &&
	       next->word != WORD_IS && next->word != WORD_AS;
}

static struct dbg_error *parse_unary(struct parser *p, struct expr **ret);

static struct dbg_error *parse_operand(struct parser *p, struct expr **ret)
{
	struct expr *type, *e;
	enum op op = unary_operator(p);
	if (op || at_await(p)) {
		e = parser_node(p, op ? EXPR_UNARY : EXPR_AWAIT);
		e->op = op;
		parser_advance(p);
		*ret = e;
		return parse_unary(p, &e->a);
	}
	e = parser_node(p, EXPR_CAST);
	if (parser_at(p, PUNCT_OPEN) && try_cast(p, &type)) {
		e->type = type;
		*ret = e;
		return parse_unary(p, &e->a);
	}
	// an anonymous method behind a cast
	if (parser_at_word(p, WORD_DELEGATE))
		return parse_lambda(p, ret);
	return parse_primary(p, ret);
}

static struct dbg_error *parse_unary(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_operand(p, ret);
	if (err)
		return err;
	p->depth--;
	if ((*ret)->kind == EXPR_UNARY || (*ret)->kind == EXPR_CAST ||
	    (*ret)->kind == EXPR_AWAIT)
		parser_close(p, *ret);
	return NULL;
}

/* ---- Ranges, switch, with -------------------------------------------- */

/* Can what is next begin the end of a range? */
static bool at_operand(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_NAME)
		return t->word != WORD_IS && t->word != WORD_AS &&
		       t->word != WORD_SWITCH && t->word != WORD_WITH;
	if (t->kind == TOKEN_PUNCT)
		return t->punct == PUNCT_OPEN || unary_operator(p);
	return t->kind != TOKEN_END && t->kind != TOKEN_HOLE_END &&
	       t->kind != TOKEN_FORMAT;
}

static struct dbg_error *parse_range(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = NULL;
	struct expr *e = parser_node(p, EXPR_RANGE);
	if (!parser_at(p, PUNCT_RANGE))
		err = parse_unary(p, &e->a);
	if (err || !parser_at(p, PUNCT_RANGE)) {
		*ret = e->a;
		return err;
	}
	parser_advance(p);
	if (at_operand(p))
		err = parse_unary(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* `x switch { }` and `x with { }` bind tighter than `*`. */
static struct dbg_error *parse_behind(struct parser *p, struct expr **io)
{
	struct dbg_error *err = NULL;
	while (!err && parser_ahead(p, 1, PUNCT_OPEN_BRACE)) {
		if (parser_at_word(p, WORD_SWITCH)) {
			err = parse_switch(p, io);
		} else if (parser_at_word(p, WORD_WITH)) {
			struct expr *e = parser_node_from(p, EXPR_WITH, *io);
			parser_advance(p);
			err = parse_object_initializer(p, &e->b);
			parser_close(p, e);
			*io = e;
		} else {
			break;
		}
	}
	return err;
}

/* ---- Binary operators ------------------------------------------------ */

/* Set whether a pattern stands behind `is`, see struct parser; the old. */
static bool set_in_is(struct parser *p, bool is)
{
	bool old = p->in_is;

	p->in_is = is;
	return old;
}

/* `is pattern`, `as T` behind *@io. */
static struct dbg_error *parse_is(struct parser *p, struct expr **io)
{
	struct expr *e = parser_node_from(
	    p, parser_at_word(p, WORD_IS) ? EXPR_IS : EXPR_AS, *io);
	parser_advance(p);
	bool outer = set_in_is(p, true);
	struct dbg_error *err = e->kind == EXPR_IS
				    ? parse_pattern(p, &e->b)
				    : parse_type(p, TYPE_OPERAND, &e->type);
	p->in_is = outer;
	parser_close(p, e);
	*io = e;
	return err;
}

static struct dbg_error *parse_right(struct parser *p, enum op op, int binds,
				     struct expr **ret)
{
	// Only ?? is right-associative; a throw may end it.
	if (op != OP_COALESCE)
		return parse_binary(p, binds + 1, ret);
	if (parser_at_word(p, WORD_THROW))
		return parse_expr(p, ret);
	return parse_binary(p, binds, ret);
}

/* ... operators of @min and tighter. */
static struct dbg_error *parse_binary(struct parser *p, int min,
				      struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (!err)
		err = parse_range(p, ret);
	if (!err)
		err = parse_behind(p, ret);
	while (!err) {
		int binds;
		size_t n_tokens;
		if (min <= BINDS_RELATION && (parser_at_word(p, WORD_IS) ||
					      parser_at_word(p, WORD_AS))) {
			err = parse_is(p, ret);
			continue;
		}
		enum op op = parser_operator(p, &binds, &n_tokens);
		if (!op || binds < min)
			break;
		if (!n_tokens) {
			// the operand's own name, without its @
			struct token *t = &p->tokens.items[p->at];
			t->verbatim = false;
			t->start++;
		}
		p->at += n_tokens;
		struct expr *e = parser_node_from(p, EXPR_BINARY, *ret);
		e->op = op;
		err = parse_right(p, op, binds, &e->b);
		parser_close(p, e);
		*ret = e;
	}
	p->depth--;
	return err;
}

/* ---- Choices and assignments ----------------------------------------- */

static struct dbg_error *parse_choice(struct parser *p, struct expr **io)
{
	struct expr *e = parser_node_from(p, EXPR_CHOICE, *io);
	parser_advance(p);
	struct dbg_error *err = parse_expr(p, &e->b);
	if (!err)
		err = parser_expect(p, PUNCT_COLON);
	if (!err)
		err = parse_expr(p, &e->c);
	parser_close(p, e);
	*io = e;
	return err;
}

/* The assignment that is next: its operator, how many tokens; 0: none. */
static size_t at_assignment(const struct parser *p, enum op *ret)
{
	static const struct {
		enum punct punct;
		enum op op;
	} all[] = {
	    {PUNCT_ASSIGN, OP_NONE},
	    {PUNCT_ADD_ASSIGN, OP_ADD},
	    {PUNCT_SUBTRACT_ASSIGN, OP_SUBTRACT},
	    {PUNCT_MULTIPLY_ASSIGN, OP_MULTIPLY},
	    {PUNCT_DIVIDE_ASSIGN, OP_DIVIDE},
	    {PUNCT_REMAINDER_ASSIGN, OP_REMAINDER},
	    {PUNCT_AND_ASSIGN, OP_AND},
	    {PUNCT_OR_ASSIGN, OP_OR},
	    {PUNCT_XOR_ASSIGN, OP_XOR},
	    {PUNCT_SHIFT_LEFT_ASSIGN, OP_SHIFT_LEFT},
	    {PUNCT_COALESCE_ASSIGN, OP_COALESCE},
	};
	bool assign;
	size_t n = greater_run(p, &assign);
	if (assign) {
		*ret = n == 1 ? OP_SHIFT_RIGHT : OP_SHIFT_UNSIGNED;
		return n + 1;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!parser_at(p, all[i].punct))
			continue;
		*ret = all[i].op;
		return 1;
	}
	return 0;
}

static struct dbg_error *parse_prefixed(struct parser *p, enum expr_kind kind,
					struct expr **ret)
{
	struct expr *e = parser_node(p, kind);
	parser_advance(p);
	struct dbg_error *err = parse_expr(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_operators(struct parser *p, struct expr **ret)
{
	enum op op;
	struct dbg_error *err = parse_binary(p, 0, ret);
	if (!err && parser_at(p, PUNCT_QUESTION))
		return parse_choice(p, ret);
	size_t n = err ? 0 : at_assignment(p, &op);
	if (!n)
		return err;
	struct expr *e = parser_node_from(p, EXPR_ASSIGN, *ret);
	p->at += n;
	e->op = op;
	err = parse_expr(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

struct dbg_error *parse_expr(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	if (parser_at_word(p, WORD_THROW))
		err = parse_prefixed(p, EXPR_THROW, ret);
	else if (parser_at_word(p, WORD_REF))
		err = parse_prefixed(p, EXPR_REF, ret);
	else if (parser_at_lambda(p))
		err = parse_lambda(p, ret);
	else if (parser_at_query(p))
		err = parse_query(p, ret);
	else
		err = parse_operators(p, ret);
	if (!err)
		p->depth--;
	return err;
}

/* ---- Patterns and switch expressions ------------------------------------- */

/*
 * Patterns (ECMA-334, 11.2, with the patterns of C# 9 to 11) and switch
 * expressions. `and`, `or` and `not` are keywords in patterns alone, so they
 * stay identifiers elsewhere.
 */

static struct dbg_error *parse_not(struct parser *p, struct expr **ret);

/* ---- Declarations ---------------------------------------------------- */

/* A name, or `(a, (b, c))`. */
static struct dbg_error *parse_designation(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, EXPR_DECLARATION);
	*ret = e;
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	if (parser_accept(p, PUNCT_OPEN)) {
		err = parser_list(p, PUNCT_CLOSE, LIST_EXACT, parse_designation,
				  &list);
		if (err)
			return err;
		e->list = list.items;
		e->n_list = list.n;
	} else {
		err = parser_name(p, false, &e->name);
	}
	if (!err)
		p->depth--;
	parser_close(p, e);
	return err;
}

struct dbg_error *parse_declaration(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_DECLARATION), *names;
	struct dbg_error *err = NULL;
	bool var = parser_at_word(p, WORD_VAR);
	if (var) {
		e->type = parser_node(p, EXPR_VAR_TYPE);
		parser_advance(p);
	} else {
		err = parse_type(p, TYPE_ANYWHERE, &e->type);
	}
	if (!err && !(var && parser_at(p, PUNCT_OPEN)) && !parser_at_name(p))
		err = parser_unexpected(p);
	if (!err)
		err = parse_designation(p, &names);
	if (err)
		return err;
	e->name = names->name;
	e->list = names->list;
	e->n_list = names->n_list;
	parser_close(p, e);
	*ret = e;
	return NULL;
}

bool parser_try_declaration(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct dbg_error *err = parse_declaration(p, ret);
	bool good =
	    !err && (parser_at(p, PUNCT_COMMA) || parser_at(p, PUNCT_CLOSE) ||
		     parser_at(p, PUNCT_ASSIGN));
	dbg_error_destroy(err);
	if (!good)
		parser_restore(p, &saved);
	return good;
}

/* ---- Parts ----------------------------------------------------------- */

/* The name that a pattern gives what it matches. */
static bool at_designation(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	return parser_at_name(p) && t->word != WORD_AND && t->word != WORD_OR &&
	       t->word != WORD_WHEN;
}

static struct dbg_error *parse_optional_name(struct parser *p, struct expr *e)
{
	return at_designation(p) ? parser_name(p, false, &e->name) : NULL;
}

/* [name:] pattern, among parentheses. */
static struct dbg_error *positional(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_MEMBER);
	if (parser_at_name(p) && parser_ahead(p, 1, PUNCT_COLON)) {
		e->name = parser_peek(p)->text;
		p->at += 2;
	}
	struct dbg_error *err = parse_pattern(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* A.B: pattern, among braces. */
static struct dbg_error *property(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_MEMBER);
	struct dbg_error *err = parse_primary(p, &e->a);
	if (!err)
		err = parser_expect(p, PUNCT_COLON);
	if (!err)
		err = parse_pattern(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* Parse what follows the type of a SHAPE pattern: (..) {..} name */
static struct dbg_error *parse_shape(struct parser *p, struct expr *e)
{
	struct list list;
	struct dbg_error *err = NULL;
	bool outer = set_in_is(p, false);
	if (parser_accept(p, PUNCT_OPEN)) {
		e->positional = true;
		err =
		    parser_list(p, PUNCT_CLOSE, LIST_EXACT, positional, &list);
		if (err)
			return err;
		e->list = list.items;
		e->n_list = list.n;
	}
	if (parser_accept(p, PUNCT_OPEN_BRACE)) {
		err = parser_list(p, PUNCT_CLOSE_BRACE, LIST_TRAILING_COMMA,
				  property, &list);
		if (err)
			return err;
		e->args = list.items;
		e->n_args = list.n;
	}
	p->in_is = outer;
	err = parse_optional_name(p, e);
	parser_close(p, e);
	return err;
}

static struct dbg_error *parse_list_pattern(struct parser *p, struct expr **ret)
{
	struct list list;
	struct expr *e = parser_node(p, PATTERN_LIST);
	parser_advance(p);
	bool outer = set_in_is(p, false);
	struct dbg_error *err = parser_list(
	    p, PUNCT_CLOSE_INDEX, LIST_TRAILING_COMMA, parse_pattern, &list);
	p->in_is = outer;
	if (err)
		return err;
	e->list = list.items;
	e->n_list = list.n;
	*ret = e;
	err = parse_optional_name(p, e);
	parser_close(p, e);
	return err;
}

/* ---- Types and constants --------------------------------------------- */

static struct dbg_error *parse_constant(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_CONSTANT);
	struct dbg_error *err =
	    parse_binary(p, p->in_is ? BINDS_SHIFT : BINDS_COALESCE, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* May @type be the name of a constant as well? */
static bool is_name(const struct expr *type)
{
	while (type->kind == EXPR_MEMBER && !type->n_args)
		type = type->a;
	return !type->n_args &&
	       (type->kind == EXPR_NAME || type->kind == EXPR_ALIAS ||
		type->kind == EXPR_KEYWORD);
}

/* A pattern that begins with a type, or else a constant. */
static struct dbg_error *type_or_constant(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, PATTERN_TYPE);
	bool word =
	    word_is_reserved(parser_peek(p)->word) && !parser_at_type_word(p);
	if ((parser_peek(p)->kind != TOKEN_NAME && !parser_at(p, PUNCT_OPEN)) ||
	    word || !parser_try_type(p, TYPE_OPERAND, &e->type))
		return parse_constant(p, ret);
	*ret = e;
	if (parser_at(p, PUNCT_OPEN) || parser_at(p, PUNCT_OPEN_BRACE)) {
		e->kind = PATTERN_SHAPE;
		return parse_shape(p, e);
	}
	bool named = at_designation(p);
	bool plain = e->type->kind == EXPR_KEYWORD && !parser_at(p, PUNCT_DOT);
	if (named || plain || !is_name(e->type)) {
		struct dbg_error *err = parse_optional_name(p, e);
		parser_close(p, e);
		return err;
	}
	parser_restore(p, &saved);
	return parse_constant(p, ret);
}

/* Parentheses around a pattern, of a positional one, or of a constant. */
static struct dbg_error *parse_parens(struct parser *p, struct expr **ret)
{
	struct parser saved = *p;
	struct expr *e = parser_node(p, PATTERN_SHAPE);
	struct dbg_error *err = parse_shape(p, e);
	const struct token *t = parser_peek(p);
	bool operand = (t->kind >= TOKEN_INTEGER && t->kind <= TOKEN_UTF8) ||
		       parser_at(p, PUNCT_OPEN);
	if (err || operand) {
		dbg_error_destroy(err);
		parser_restore(p, &saved);
		return type_or_constant(p, ret);
	}
	bool single =
	    e->n_list == 1 && !e->list[0]->name && !e->name && !e->n_args;
	*ret = single ? e->list[0]->b : e;
	return NULL;
}

/* ---- The levels ------------------------------------------------------ */

static struct dbg_error *parse_relation(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_RELATION);
	int binds;
	size_t n;
	e->op = parser_operator(p, &binds, &n);
	if (binds != BINDS_RELATION)
		return parser_unexpected(p);
	p->at += n;
	struct dbg_error *err = parse_binary(p, BINDS_SHIFT, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *parse_var(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_VAR), *names;
	parser_advance(p);
	struct dbg_error *err = parse_designation(p, &names);
	if (err)
		return err;
	e->name = names->name;
	e->list = names->list;
	e->n_list = names->n_list;
	parser_close(p, e);
	*ret = e;
	return NULL;
}

static struct dbg_error *parse_slice(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, PATTERN_SLICE);
	struct dbg_error *err = NULL;
	parser_advance(p);
	if (!parser_at(p, PUNCT_COMMA) && !parser_at(p, PUNCT_CLOSE_INDEX))
		err = parse_not(p, &e->a);
	parser_close(p, e);
	*ret = e;
	return err;
}

static struct dbg_error *primary_pattern(struct parser *p, struct expr **ret)
{
	const struct token *t = parser_peek(p);
	bool name = t[1].kind == TOKEN_NAME && t[1].word != WORD_AND &&
		    t[1].word != WORD_OR && t[1].word != WORD_IS &&
		    t[1].word != WORD_AS && t[1].word != WORD_WHEN;
	if (parser_at(p, PUNCT_OPEN))
		return parse_parens(p, ret);
	if (parser_at(p, PUNCT_OPEN_BRACE)) {
		*ret = parser_node(p, PATTERN_SHAPE);
		return parse_shape(p, *ret);
	}
	if (parser_at(p, PUNCT_OPEN_INDEX))
		return parse_list_pattern(p, ret);
	if (parser_at(p, PUNCT_RANGE))
		return parse_slice(p, ret);
	if (parser_at(p, PUNCT_LESS) || parser_at(p, PUNCT_GREATER) ||
	    parser_at(p, PUNCT_LESS_EQUAL) || parser_at(p, PUNCT_GREATER_EQUAL))
		return parse_relation(p, ret);
	if (t->word == WORD_VAR && (name || parser_ahead(p, 1, PUNCT_OPEN)))
		return parse_var(p, ret);
	if (t->kind == TOKEN_NAME && !strcmp(t->text, "_")) {
		*ret = parser_node(p, PATTERN_DISCARD);
		parser_advance(p);
		return NULL;
	}
	return type_or_constant(p, ret);
}

static struct dbg_error *parse_not(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parser_enter(p);
	if (err)
		return err;
	if (parser_at_word(p, WORD_NOT)) {
		struct expr *e = parser_node(p, PATTERN_NOT);
		parser_advance(p);
		err = parse_not(p, &e->a);
		parser_close(p, e);
		*ret = e;
	} else {
		err = primary_pattern(p, ret);
	}
	if (!err)
		p->depth--;
	return err;
}

static struct dbg_error *parse_and(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parse_not(p, ret);
	while (!err && parser_accept_word(p, WORD_AND)) {
		struct expr *e = parser_node_from(p, PATTERN_AND, *ret);
		err = parse_not(p, &e->b);
		parser_close(p, e);
		*ret = e;
	}
	return err;
}

struct dbg_error *parse_pattern(struct parser *p, struct expr **ret)
{
	struct dbg_error *err = parse_and(p, ret);
	while (!err && parser_accept_word(p, WORD_OR)) {
		struct expr *e = parser_node_from(p, PATTERN_OR, *ret);
		err = parse_and(p, &e->b);
		parser_close(p, e);
		*ret = e;
	}
	return err;
}

/* ---- switch expressions ---------------------------------------------- */

static struct dbg_error *parse_arm(struct parser *p, struct expr **ret)
{
	struct expr *e = parser_node(p, EXPR_ARM);
	struct dbg_error *err = parse_pattern(p, &e->a);
	// No lambda: its arrow is the arm's.
	if (!err && parser_accept_word(p, WORD_WHEN))
		err = parse_binary(p, 0, &e->c);
	if (!err)
		err = parser_expect(p, PUNCT_ARROW);
	if (!err)
		err = parse_expr(p, &e->b);
	parser_close(p, e);
	*ret = e;
	return err;
}

/* `switch { arms }` behind @io. */
static struct dbg_error *parse_switch(struct parser *p, struct expr **io)
{
	struct list list;
	struct expr *e = parser_node_from(p, EXPR_SWITCH, *io);
	bool in_query = p->in_query;
	p->in_query = false;
	p->at += 2;
	struct dbg_error *err = parser_list(
	    p, PUNCT_CLOSE_BRACE, LIST_TRAILING_COMMA, parse_arm, &list);
	p->in_query = in_query;
	if (err)
		return err;
	e->list = list.items;
	e->n_list = list.n;
	parser_close(p, e);
	*io = e;
	return NULL;
}
