#include "exprdump.h"

#include <stdlib.h>

static void add_list(struct expr *const *list, size_t n, const char *open,
		     const char *close, struct str *out)
{
	str_add(out, open);
	for (size_t i = 0; i < n; i++) {
		str_add(out, i ? "," : "");
		expr_dump(list[i], out);
	}
	str_add(out, close);
}

static void add_literal(const struct token *t, struct str *out)
{
	switch (t->kind) {
	case TOKEN_STRING:
	case TOKEN_FORMAT:
		str_add(out, "S");
		str_add_utf16(out, t->units, t->n_units);
		break;
	case TOKEN_UTF8:
		str_add(out, "U");
		str_add_utf16(out, t->units, t->n_units);
		break;
	case TOKEN_REAL:
		str_addf(out, "R%g", t->real);
		break;
	case TOKEN_DECIMAL:
		str_addf(out, "M%s", t->text);
		break;
	default:
		str_addu(out, t->integer);
		break;
	}
}

static void add_name(const struct expr *e, struct str *out)
{
	str_add(out, e->name ? e->name : "");
	if (e->n_args)
		add_list(e->args, e->n_args, "<", ">", out);
}

static void add_modifier(const struct expr *e, struct str *out)
{
	static const char *const texts[] = {"", "ref ", "out ", "in ",
					    "params "};
	str_add(out, texts[e->modifier]);
}

/*
 * How a kind is written: letters a, b, c, t (type) stand for the parts, l for
 * the list, g for args, n for the name, o for the operator; the rest is as
 * it is. A part in brackets is there or not: [ b].
 */
static const char *const forms[] = {
    [EXPR_NULL] = "'null'",
    [EXPR_ALIAS] = "n':'",
    [EXPR_NULLABLE_TYPE] = "a'?'",
    [EXPR_POINTER_TYPE] = "a'*'",
    [EXPR_TUPLE_TYPE] = "'('l')'",
    [EXPR_VAR_TYPE] = "'var'",
    [EXPR_SUPPRESS] = "a",
    [EXPR_POSTFIX] = "'('a' post'o')'",
    [EXPR_TYPEOF] = "'typeof('t')'",
    [EXPR_NAMEOF] = "'nameof('a')'",
    [EXPR_SIZEOF] = "'sizeof('t')'",
    [EXPR_DEFAULT] = "'default('[t]')'",
    [EXPR_TUPLE] = "'tuple('l')'",
    [EXPR_INTERPOLATED] = "'$('l')'",
    [EXPR_COLLECTION] = "'['l']'",
    [EXPR_SPREAD] = "'..'a",
    [EXPR_NEW] = "'new '[t]'('l')'[b]",
    [EXPR_NEW_ARRAY] = "'array '[t]'['l']'[b]",
    [EXPR_ANONYMOUS] = "'new{'l'}'",
    [EXPR_OBJECT_INITIALIZER] = "'{'l'}'",
    [EXPR_COLLECTION_INITIALIZER] = "'{'l'}'",
    [EXPR_WITH] = "'('a' with 'b')'",
    [EXPR_UNARY] = "'('oa')'",
    [EXPR_BINARY] = "'('a' 'o' 'b')'",
    [EXPR_RANGE] = "'('[a]'..'[b]')'",
    [EXPR_CAST] = "'cast('t' 'a')'",
    [EXPR_IS] = "'('a' is 'b')'",
    [EXPR_AS] = "'('a' as 't')'",
    [EXPR_CHOICE] = "'('a' ? 'b' : 'c')'",
    [EXPR_ASSIGN] = "a' 'o'= 'b",
    [EXPR_SWITCH] = "'('a' switch {'l'})'",
    [EXPR_THROW] = "'throw 'a",
    [EXPR_REF] = "'ref 'a",
    [EXPR_AWAIT] = "'(await 'a')'",
    [EXPR_LAMBDA] = "'(('l') => 'a')'",
    [PATTERN_CONSTANT] = "'='a",
    [PATTERN_TYPE] = "t[' 'n]",
    [PATTERN_VAR] = "'var '[n]l",
    [PATTERN_DISCARD] = "'_'",
    [PATTERN_RELATION] = "oa",
    [PATTERN_NOT] = "'(not 'a')'",
    [PATTERN_AND] = "'('a' and 'b')'",
    [PATTERN_OR] = "'('a' or 'b')'",
    [PATTERN_MEMBER] = "[a][n]': 'b",
    [PATTERN_LIST] = "'['l']'[' 'n]",
    [PATTERN_SLICE] = "'..'[a]",
    [STMT_BLOCK] = "'{'l'}'",
    [STMT_EXPR] = "a';'",
    [STMT_LOCAL] = "t' 'l';'",
    [STMT_FUNCTION] = "t' 'n' 'a';'",
    [STMT_IF] = "'if('a')'b[' else 'c]",
    [STMT_WHILE] = "'while('a')'b",
    [STMT_DO] = "'do 'b' while('a')'",
    [STMT_FOR] = "'for('l[a]';'g')'b",
    [STMT_FOREACH] = "'foreach('t' 'n' in 'a')'b",
    [STMT_RETURN] = "'return '[a]';'",
    [STMT_THROW] = "'throw '[a]';'",
    [STMT_BREAK] = "'break;'",
    [STMT_CONTINUE] = "'continue;'",
    [STMT_SWITCH] = "'switch('a'){'l'}'",
    [STMT_SECTION] = "g' 'l",
    [STMT_TRY] = "'try'al[' finally'b]",
    [STMT_CATCH] = "' catch('[t][' 'n][' when 'a]')'b",
    [STMT_USING] = "'using('a')'[b]",
    [STMT_LOCK] = "'lock('a')'b",
    [STMT_EMPTY] = "';'",
};

static void add_part(const struct expr *e, char c, struct str *out)
{
	switch (c) {
	case 'a':
		expr_dump(e->a, out);
		break;
	case 'b':
		expr_dump(e->b, out);
		break;
	case 'c':
		expr_dump(e->c, out);
		break;
	case 't':
		expr_dump(e->type, out);
		break;
	case 'l':
		add_list(e->list, e->n_list, "", "", out);
		break;
	case 'g':
		add_list(e->args, e->n_args, "", "", out);
		break;
	case 'n':
		add_name(e, out);
		break;
	case 'o':
		str_add(out, op_text(e->op));
		break;
	default:
		abort();
	}
}

static bool has_part(const struct expr *e, char c)
{
	return (c == 'a' && e->a) || (c == 'b' && e->b) || (c == 'c' && e->c) ||
	       (c == 't' && e->type) || (c == 'n' && e->name);
}

/* The bracket that ends the optional part at @p, and its letter. */
static const char *optional_end(const char *p, char *ret_part)
{
	bool quoted = false;
	for (; *p != ']' || quoted; p++) {
		quoted ^= *p == '\'';
		if (!quoted && *p >= 'a' && *p <= 'z')
			*ret_part = *p;
	}
	return p;
}

static void add_form(const struct expr *e, const char *form, struct str *out)
{
	bool quoted = false;
	char part = '\0';
	for (const char *p = form; *p; p++) {
		if (*p == '\'') {
			quoted = !quoted;
		} else if (quoted) {
			str_addc(out, *p);
		} else if (*p == '[') {
			const char *end = optional_end(p, &part);
			p = has_part(e, part) ? p : end;
		} else if (*p != ']') {
			add_part(e, *p, out);
		}
	}
}

static void add_access(const struct expr *e, struct str *out)
{
	expr_dump(e->a, out);
	str_add(out, e->conditional ? "?" : "");
	if (e->kind == EXPR_MEMBER) {
		str_add(out, e->arrow ? "->" : ".");
		add_name(e, out);
	} else {
		bool call = e->kind == EXPR_CALL;
		add_list(e->list, e->n_list, call ? "(" : "[", call ? ")" : "]",
			 out);
	}
}

/* [name:] [ref] [type] a [= b] */
static void add_labelled(const struct expr *e, struct str *out)
{
	bool argument = e->kind == EXPR_ARGUMENT;
	if (argument && e->name)
		str_addf(out, "%s:", e->name);
	add_modifier(e, out);
	if (e->type) {
		expr_dump(e->type, out);
		str_add(out, e->name ? " " : "");
	}
	if (!argument && e->name)
		str_add(out, e->name);
	if (!e->name && e->n_list)
		add_list(e->list, e->n_list, argument ? "" : "(",
			 argument ? "" : ")", out);
	if (argument)
		expr_dump(e->a, out);
	else if (e->kind == EXPR_PARAM && e->a) {
		str_addc(out, '=');
		expr_dump(e->a, out);
	}
	if (e->b) {
		str_addc(out, '=');
		expr_dump(e->b, out);
	}
}

static void add_shape(const struct expr *e, struct str *out)
{
	if (e->type)
		expr_dump(e->type, out);
	if (e->positional)
		add_list(e->list, e->n_list, "(", ")", out);
	if (e->n_args || !e->positional)
		add_list(e->args, e->n_args, "{", "}", out);
	if (e->name)
		str_addf(out, " %s", e->name);
}

static void add_arm(const struct expr *e, struct str *out)
{
	if (e->a)
		expr_dump(e->a, out);
	else
		str_add(out, "default");
	if (e->c) {
		str_add(out, " when ");
		expr_dump(e->c, out);
	}
	str_add(out, e->b ? " => " : ":");
	if (e->b)
		expr_dump(e->b, out);
}

static void add_hole(const struct expr *e, struct str *out)
{
	str_addc(out, '{');
	expr_dump(e->a, out);
	if (e->b) {
		str_addc(out, ',');
		expr_dump(e->b, out);
	}
	if (e->token) {
		str_addc(out, ':');
		add_literal(e->token, out);
	}
	str_addc(out, '}');
}

void expr_dump(const struct expr *e, struct str *out)
{
	switch (e->kind) {
	case EXPR_LITERAL:
		add_literal(e->token, out);
		break;
	case EXPR_BOOL:
		str_add(out, e->token->integer ? "true" : "false");
		break;
	case EXPR_NAME:
	case EXPR_THIS:
	case EXPR_BASE:
	case EXPR_KEYWORD:
		add_name(e, out);
		break;
	case EXPR_ARRAY_TYPE:
		expr_dump(e->a, out);
		str_addc(out, '[');
		for (uint32_t i = 1; i < e->rank; i++)
			str_addc(out, ',');
		str_addc(out, ']');
		break;
	case EXPR_MEMBER:
	case EXPR_INDEX:
	case EXPR_CALL:
		add_access(e, out);
		break;
	case EXPR_ARGUMENT:
	case EXPR_DECLARATION:
	case EXPR_INITIALIZER:
	case EXPR_PARAM:
		add_labelled(e, out);
		break;
	case EXPR_CHECKED:
	case STMT_CHECKED:
		str_add(out, e->unchecked ? "unchecked(" : "checked(");
		expr_dump(e->a ? e->a : e->b, out);
		str_addc(out, ')');
		break;
	case EXPR_HOLE:
		add_hole(e, out);
		break;
	case EXPR_ARM:
		add_arm(e, out);
		break;
	case PATTERN_SHAPE:
		add_shape(e, out);
		break;
	default:
		add_form(e, forms[e->kind], out);
		break;
	}
}
