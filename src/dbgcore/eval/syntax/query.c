/*
 * Query expressions: what is parsed leaves as the calls that it means
 * (ECMA-334, 12.20.3). Where several range variables are in sight, one
 * anonymous object carries them: its lambda parameter is `transparent`, its
 * name begins with '*', and so does the member that holds the variables
 * before the last.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/syntax/parser_priv.h"

/* The query so far, up to the clause that is parsed next. */
struct query {
	struct parser *p;
	struct expr *source;
	struct expr *var; /* PARAM */
	bool bare;        /* nothing but `from` was seen */
};

bool parser_at_query(struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->word != WORD_FROM || t[1].kind != TOKEN_NAME ||
	    t[1].word == WORD_IS || t[1].word == WORD_AS ||
	    t[1].word == WORD_IN)
		return false;
	if (t[2].word == WORD_IN)
		return true;
	// from T x in
	struct parser saved = *p;
	struct expr *type;
	parser_advance(p);
	bool good = parser_try_type(p, TYPE_ANYWHERE, &type) &&
		    parser_peek(p)->kind == TOKEN_NAME &&
		    parser_peek(p)[1].word == WORD_IN;
	parser_restore(p, &saved);
	return good;
}

/* ---- Making nodes ---------------------------------------------------- */

/* Make a node that stands for the same source text as @at. */
static struct expr *query_node(struct parser *p, enum expr_kind kind,
			       const struct expr *at)
{
	struct expr *e = arena_alloc(p->arena, sizeof(*e));
	e->kind = kind;
	e->start = at->start;
	e->end = at->end;
	return e;
}

static void set_list(struct parser *p, struct expr *e, struct expr *a,
		     struct expr *b)
{
	struct list list = {0};
	list_add(p, &list, a);
	if (b)
		list_add(p, &list, b);
	e->list = list.items;
	e->n_list = list.n;
}

static struct expr *lambda(struct parser *p, struct expr *a, struct expr *b,
			   struct expr *body)
{
	struct expr *e = query_node(p, EXPR_LAMBDA, body);
	set_list(p, e, a, b);
	e->a = body;
	return e;
}

/* source.name(), to which arguments are added. */
static struct expr *call(struct query *q, const char *name)
{
	struct expr *member = query_node(q->p, EXPR_MEMBER, q->source);
	member->a = q->source;
	member->name = name;
	struct expr *e = query_node(q->p, EXPR_CALL, q->source);
	e->a = member;
	return e;
}

static void add_argument(struct query *q, struct expr *to, struct expr *value)
{
	struct list list = {
	    .items = to->list, .n = to->n_list, .cap = to->n_list};
	struct expr *e = query_node(q->p, EXPR_ARGUMENT, value);
	e->a = value;
	list_add(q->p, &list, e);
	to->list = list.items;
	to->n_list = list.n;
	to->end = value->end;
}

static struct expr *param(struct parser *p, const char *name,
			  const struct expr *at)
{
	struct expr *e = query_node(p, EXPR_PARAM, at);
	e->name = name;
	return e;
}

static struct expr *name_of(struct parser *p, const struct expr *var)
{
	struct expr *e = query_node(p, EXPR_NAME, var);
	e->name = var->name;
	return e;
}

static struct expr *initializer(struct parser *p, const char *name,
				struct expr *value)
{
	struct expr *e = query_node(p, EXPR_INITIALIZER, value);
	e->name = name;
	e->b = value;
	return e;
}

/* new { var, name = value } */
static struct expr *pair(struct query *q, const char *name, struct expr *value)
{
	struct expr *e = query_node(q->p, EXPR_ANONYMOUS, value);
	e->transparent = true;
	set_list(q->p, e,
		 initializer(q->p, q->var->name, name_of(q->p, q->var)),
		 initializer(q->p, name, value));
	return e;
}

/*
 * Let one object (a transparent identifier) carry all range variables from now
 * on.
 */
static void carry(struct query *q)
{
	q->var =
	    param(q->p, arena_printf(q->p->arena, "*%u", q->p->n_transparent++),
		  q->var);
	q->var->transparent = true;
}

static bool is_var(const struct expr *e, const struct expr *var)
{
	return e->kind == EXPR_NAME && !e->n_args &&
	       !strcmp(e->name, var->name);
}

/* ---- Clauses --------------------------------------------------------- */

/* [T] name in source; @ret_source is cast to T. */
static struct dbg_error *parse_range_var(struct query *q, struct expr **ret_var,
					 struct expr **ret_source)
{
	struct parser *p = q->p;
	struct expr *type = NULL;
	struct dbg_error *err = NULL;
	struct expr *var = parser_node(p, EXPR_PARAM);
	if (parser_peek(p)[1].word != WORD_IN)
		err = parse_type(p, TYPE_ANYWHERE, &type);
	if (!err)
		err = parser_name(p, false, &var->name);
	if (!err)
		err = parser_expect_word(p, WORD_IN);
	if (!err)
		err = parse_expr(p, ret_source);
	if (err)
		return err;
	*ret_var = var;
	if (!type)
		return NULL;
	struct query cast = {.p = p, .source = *ret_source};
	struct list args = {0};
	list_add(p, &args, type);
	*ret_source = call(&cast, "Cast");
	(*ret_source)->a->args = args.items;
	(*ret_source)->a->n_args = args.n;
	return NULL;
}

/*
 * Add the result selector of SelectMany or Join, (var, second) => value, to the
 * call @to. The value is the expression of a `select` that follows at once
 * (then *ret_done), or else a tuple of all range variables.
 */
static struct dbg_error *parse_result(struct query *q, struct expr *to,
				      struct expr *second, bool *ret_done)
{
	struct expr *value;
	struct expr *first = q->var;
	*ret_done = parser_accept_word(q->p, WORD_SELECT);
	if (*ret_done) {
		struct dbg_error *err = parse_expr(q->p, &value);
		if (err)
			return err;
	} else {
		value = pair(q, second->name, name_of(q->p, second));
		carry(q);
	}
	add_argument(q, to, lambda(q->p, first, second, value));
	q->source = to;
	return NULL;
}

static struct dbg_error *clause_from(struct query *q, bool *ret_done)
{
	struct expr *var, *source;
	struct dbg_error *err = parse_range_var(q, &var, &source);
	if (err)
		return err;
	struct expr *to = call(q, "SelectMany");
	add_argument(q, to, lambda(q->p, q->var, NULL, source));
	return parse_result(q, to, var, ret_done);
}

static struct dbg_error *clause_let(struct query *q, bool *ret_done)
{
	const char *name;
	struct expr *value;
	*ret_done = false;
	struct dbg_error *err = parser_name(q->p, false, &name);
	if (!err)
		err = parser_expect(q->p, PUNCT_ASSIGN);
	if (!err)
		err = parse_expr(q->p, &value);
	if (err)
		return err;
	struct expr *to = call(q, "Select");
	add_argument(q, to, lambda(q->p, q->var, NULL, pair(q, name, value)));
	q->source = to;
	carry(q);
	return NULL;
}

static struct dbg_error *clause_where(struct query *q, bool *ret_done)
{
	struct expr *value;
	*ret_done = false;
	struct dbg_error *err = parse_expr(q->p, &value);
	if (err)
		return err;
	struct expr *to = call(q, "Where");
	add_argument(q, to, lambda(q->p, q->var, NULL, value));
	q->source = to;
	return NULL;
}

static struct dbg_error *clause_join(struct query *q, bool *ret_done)
{
	struct expr *var, *source, *left, *right;
	struct dbg_error *err = parse_range_var(q, &var, &source);
	if (!err)
		err = parser_expect_word(q->p, WORD_ON);
	if (!err)
		err = parse_expr(q->p, &left);
	if (!err)
		err = parser_expect_word(q->p, WORD_EQUALS);
	if (!err)
		err = parse_expr(q->p, &right);
	if (err)
		return err;
	bool into = parser_accept_word(q->p, WORD_INTO);
	struct expr *to = call(q, into ? "GroupJoin" : "Join");
	add_argument(q, to, source);
	add_argument(q, to, lambda(q->p, q->var, NULL, left));
	add_argument(q, to, lambda(q->p, var, NULL, right));
	if (into) {
		var = parser_node(q->p, EXPR_PARAM);
		err = parser_name(q->p, false, &var->name);
		if (err)
			return err;
	}
	return parse_result(q, to, var, ret_done);
}

static struct dbg_error *clause_orderby(struct query *q, bool *ret_done)
{
	struct dbg_error *err;
	struct expr *key;
	const char *name = "OrderBy", *falling = "OrderByDescending";
	*ret_done = false;
	do {
		err = parse_expr(q->p, &key);
		if (err)
			return err;
		bool down = parser_accept_word(q->p, WORD_DESCENDING);
		if (!down)
			parser_accept_word(q->p, WORD_ASCENDING);
		struct expr *to = call(q, down ? falling : name);
		add_argument(q, to, lambda(q->p, q->var, NULL, key));
		q->source = to;
		name = "ThenBy";
		falling = "ThenByDescending";
	} while (parser_accept(q->p, PUNCT_COMMA));
	return NULL;
}

static struct dbg_error *clause_select(struct query *q, bool *ret_done)
{
	struct expr *value;
	*ret_done = true;
	struct dbg_error *err = parse_expr(q->p, &value);
	if (err || (!q->bare && is_var(value, q->var)))
		return err;
	struct expr *to = call(q, "Select");
	add_argument(q, to, lambda(q->p, q->var, NULL, value));
	q->source = to;
	return NULL;
}

static struct dbg_error *clause_group(struct query *q, bool *ret_done)
{
	struct expr *value, *key;
	*ret_done = true;
	struct dbg_error *err = parse_expr(q->p, &value);
	if (!err)
		err = parser_expect_word(q->p, WORD_BY);
	if (!err)
		err = parse_expr(q->p, &key);
	if (err)
		return err;
	struct expr *to = call(q, "GroupBy");
	add_argument(q, to, lambda(q->p, q->var, NULL, key));
	if (!is_var(value, q->var))
		add_argument(q, to, lambda(q->p, q->var, NULL, value));
	q->source = to;
	return NULL;
}

/* ---- The whole ------------------------------------------------------- */

static const struct {
	enum word word;
	struct dbg_error *(*parse)(struct query *q, bool *ret_done);
} clauses[] = {
    {WORD_FROM, clause_from},       {WORD_LET, clause_let},
    {WORD_WHERE, clause_where},     {WORD_JOIN, clause_join},
    {WORD_ORDERBY, clause_orderby}, {WORD_SELECT, clause_select},
    {WORD_GROUP, clause_group},
};

static struct dbg_error *parse_clauses(struct query *q)
{
	bool done = false;
	while (!done) {
		size_t i = 0, n = sizeof(clauses) / sizeof(clauses[0]);
		while (i < n && !parser_at_word(q->p, clauses[i].word))
			i++;
		if (i == n)
			return parser_expect_word(q->p, WORD_SELECT);
		parser_advance(q->p);
		struct dbg_error *err = clauses[i].parse(q, &done);
		if (err)
			return err;
		q->bare = false;
	}
	return NULL;
}

struct dbg_error *parse_query(struct parser *p, struct expr **ret)
{
	struct query q = {.p = p};
	bool in_query = p->in_query;
	uint32_t start = parser_peek(p)->start;
	p->in_query = true;
	parser_advance(p);
	struct dbg_error *err = parse_range_var(&q, &q.var, &q.source);
	q.bare = true;
	if (!err)
		err = parse_clauses(&q);
	// `into x` begins a query over what was found.
	while (!err && parser_accept_word(p, WORD_INTO)) {
		q.var = parser_node(p, EXPR_PARAM);
		q.bare = true;
		err = parser_name(p, false, &q.var->name);
		if (!err)
			err = parse_clauses(&q);
	}
	p->in_query = in_query;
	if (err)
		return err;
	q.source->start = start;
	parser_close(p, q.source);
	*ret = q.source;
	return NULL;
}
