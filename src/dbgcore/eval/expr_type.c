/* Parsing: the cursor over tokens, and types. */
#include "eval/expr_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Tokens ---------------------------------------------------------- */

const struct token *parser_peek(const struct parser *p)
{
	return &p->tokens[p->at];
}

bool parser_at(const struct parser *p, const char *text)
{
	const struct token *t = parser_peek(p);
	return t->kind == TOKEN_PUNCT && !strcmp(t->text, text);
}

bool parser_at_word(const struct parser *p, const char *text)
{
	const struct token *t = parser_peek(p);
	return t->kind == TOKEN_NAME && !t->verbatim && !strcmp(t->text, text);
}

void parser_advance(struct parser *p)
{
	if (p->tokens[p->at].kind != TOKEN_END)
		p->at++;
}

bool parser_accept(struct parser *p, const char *text)
{
	if (!parser_at(p, text))
		return false;
	parser_advance(p);
	return true;
}

struct dbg_error *parser_unexpected(const struct parser *p)
{
	const struct token *t = parser_peek(p);
	if (t->kind == TOKEN_END)
		return dbg_err(DBG_E_ARGUMENT, "the expression ends too early");
	return dbg_err(DBG_E_ARGUMENT, "unexpected '%.*s'",
		       (int)(t->end - t->start), p->text + t->start);
}

struct dbg_error *parser_expect(struct parser *p, const char *text)
{
	if (parser_accept(p, text))
		return NULL;
	if (parser_peek(p)->kind == TOKEN_END)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is missing at the end",
			       text);
	return parser_unexpected(p);
}

struct dbg_error *parser_enter(struct parser *p)
{
	if (++p->depth > EXPR_DEPTH_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "the expression is nested too deeply");
	return NULL;
}

void parser_list_add(struct parser *p, struct list *l, void *item)
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
		if (!strcmp(all[i].name, name))
			return all[i].elem;
	}
	return ELEM_END;
}

bool parser_is_keyword(const struct token *t)
{
	return t->kind == TOKEN_NAME && !t->verbatim &&
	       (expr_keyword_elem(t->text) != ELEM_END ||
		!strcmp(t->text, "decimal"));
}

/* `<A, B>` behind a name; the caller goes back if this fails. */
static struct dbg_error *parse_args(struct parser *p, struct list *args)
{
	struct dbg_error *err = parser_expect(p, "<");
	if (err)
		return err;
	do {
		struct expr_type *arg;
		err = parser_type(p, &arg);
		if (err)
			return err;
		parser_list_add(p, args, arg);
	} while (parser_accept(p, ","));
	return parser_expect(p, ">");
}

/* (A, B b): a ValueTuple, the names of its elements not kept. */
static struct dbg_error *parse_tuple(struct parser *p, struct str *name,
				     struct list *args)
{
	struct dbg_error *err = parser_expect(p, "(");
	while (!err) {
		struct expr_type *arg;
		err = parser_type(p, &arg);
		if (err)
			return err;
		parser_list_add(p, args, arg);
		if (parser_peek(p)->kind == TOKEN_NAME)
			parser_advance(p);
		if (!parser_accept(p, ","))
			break;
	}
	if (!err && args->n < 2)
		return parser_unexpected(p);
	str_add(name, "System.ValueTuple");
	return err ? err : parser_expect(p, ")");
}

static struct dbg_error *parse_type_name(struct parser *p, struct str *name,
					 struct list *args)
{
	struct dbg_error *err;
	if (parser_at(p, "("))
		return parse_tuple(p, name, args);
	for (;;) {
		if (parser_peek(p)->kind != TOKEN_NAME)
			return parser_unexpected(p);
		str_add(name, parser_peek(p)->text);
		parser_advance(p);
		if (parser_at(p, "<")) {
			err = parse_args(p, args);
			if (err)
				return err;
		}
		if (parser_at(p, "::"))
			str_clear(name); // global:: and aliases
		else if (parser_at(p, "."))
			str_addc(name, '.');
		else
			return NULL;
		parser_advance(p);
	}
}

static struct dbg_error *parse_rank(struct parser *p, struct str *suffix)
{
	str_addc(suffix, '[');
	parser_advance(p);
	while (parser_accept(p, ","))
		str_addc(suffix, ',');
	str_addc(suffix, ']');
	return parser_expect(p, "]");
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
		const struct token *next = parser_peek(p);
		bool empty =
		    next[0].kind != TOKEN_END && next[1].kind == TOKEN_PUNCT &&
		    (!strcmp(next[1].text, "]") || !strcmp(next[1].text, ","));
		if (parser_at(p, "[") && empty) {
			err = parse_rank(p, suffix);
			if (err)
				return err;
		} else if (parser_at(p, "?[") && empty) {
			str_addc(suffix, '?');
			err = parse_rank(p, suffix);
			if (err)
				return err;
		} else if (parser_at(p, "*") ||
			   (parser_at(p, "?") && !begins_operand(&next[1]))) {
			str_add(suffix, next->text);
			parser_advance(p);
		} else {
			return NULL;
		}
	}
}

struct dbg_error *parser_type(struct parser *p, struct expr_type **ret)
{
	_cleanup_str_ struct str name = {0};
	_cleanup_str_ struct str suffix = {0};
	struct list args = {0};
	struct dbg_error *err = parser_enter(p);
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
bool parser_try_type(struct parser *p, struct expr_type **ret)
{
	struct parser saved = *p;
	struct dbg_error *err = parser_type(p, ret);
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
bool parser_try_args(struct parser *p, struct list *args)
{
	static const char *const follow[] = {"(", ")",  "]",  ":",  ",",  ".",
					     "?", "==", "!=", "?.", "?[", "["};
	struct parser saved = *p;
	struct dbg_error *err = parse_args(p, args);
	bool good = !err && parser_peek(p)->kind == TOKEN_END;
	for (size_t i = 0; !err && i < sizeof(follow) / sizeof(follow[0]); i++)
		good = good || parser_at(p, follow[i]);
	dbg_error_destroy(err);
	if (!good) {
		*p = saved;
		memset(args, 0, sizeof(*args));
	}
	return good;
}
