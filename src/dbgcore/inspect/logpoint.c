/*
 * The text of a logpoint, as an interpolated string of C#: literal text with
 * expressions in braces, also "{e,5:D3}", `{{` or `\{` for a brace. An
 * expression that fails becomes its error in the text, since the program is not
 * stopped for it.
 */
#include "inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/form.h"

/*
 * End of the expression at @p: its closing brace, NULL if there is none.
 * Braces of the expression itself and those in its strings are not it.
 */
static const char *expr_end(const char *p)
{
	unsigned int depth = 0;
	char quote = 0;

	for (; *p; p++) {
		if (quote) {
			if (*p == '\\' && p[1])
				p++;
			else if (*p == quote)
				quote = 0;
		} else if (*p == '"' || *p == '\'') {
			quote = *p;
		} else if (*p == '{') {
			depth++;
		} else if (*p == '}' && !depth--) {
			return p;
		}
	}
	return NULL;
}

struct piece {
	const char *text; /* literal, or the expression */
	size_t n;
	bool expr, escaped;
};

/*
 * Take the next piece at *@p; false at the end. An open brace without its
 * end is text.
 */
static bool next_piece(const char **p, struct piece *ret)
{
	const char *s = *p;
	const char *end = NULL;

	if (!*s)
		return false;
	if (*s == '{' && s[1] != '{')
		end = expr_end(s + 1);
	if (end) {
		*ret =
		    (struct piece){s + 1, (size_t)(end - s - 1), .expr = true};
		*p = end + 1;
		return true;
	}
	if (*s == '\\' && (s[1] == '{' || s[1] == '}')) {
		*ret = (struct piece){s + 1, 1, .escaped = true};
		*p = s + 2;
		return true;
	}
	bool one = *s == '{' || *s == '}' || *s == '\\';
	bool brace = one && *s != '\\';
	size_t n = one ? 1 : strcspn(s, "{}\\");
	*ret = (struct piece){.text = s, .n = n};
	// {{ and }} stand for one
	*p = s + n + (brace && s[1] == *s);
	return true;
}

/*
 * The expression of a piece of the message, allocated. With an alignment or a
 * format, which C# has and the debugger's own specifiers have not, it is an
 * interpolated string that is shown without its quotes.
 */
static char *piece_expression(const struct piece *piece)
{
	struct form specifiers = {0};
	char *expr = xstrndup(piece->text, piece->n);
	_cleanup_free_ char *plain = xstrdup(expr);

	size_t n = form_parse(plain, &specifiers);
	const char *more = expr + n + (expr[n] == ',');
	bool aligned = *more && !more[strspn(more, " -0123456789")];
	plain[n] = 0;
	if (!aligned && !dbg_err_drop(eval_check(plain)))
		return expr;
	_cleanup_free_ char *hole = xasprintf("$\"{%s}\"", expr);
	if (dbg_err_drop(eval_check(hole)))
		return expr;
	free(expr);
	return xasprintf("%s,nq", hole);
}

void logpoint_each(const char *form,
		   void (*text)(void *arg, const char *expr, struct str *out),
		   void *arg, struct str *ret)
{
	struct piece piece;

	while (next_piece(&form, &piece)) {
		if (!piece.expr) {
			str_addn(ret, piece.text, piece.n);
			continue;
		}
		_cleanup_free_ char *expr = piece_expression(&piece);
		text(arg, expr, ret);
	}
}

struct place {
	struct inspect *in;
	const struct inspect_at *at;
};

static void log_evaluate(void *arg, const char *expr, struct str *out)
{
	const struct place *p = arg;
	const char *text = NULL;
	struct dbg_error *err = inspect_text(p->in, p->at, expr, &text);

	if (err)
		str_addf(out, "<%s>", err->message);
	else
		str_add(out, text);
	dbg_error_destroy(err);
}

void logpoint_text(struct inspect *in, const struct inspect_at *at,
		   const char *form, struct str *ret)
{
	struct place p = {in, at};

	logpoint_each(form, log_evaluate, &p, ret);
}

const char *const *logpoint_expressions(const char *form, struct arena *arena,
					size_t *ret_n)
{
	const char **v = arena_calloc(arena, strlen(form) + 1, sizeof(*v));
	struct piece piece;
	size_t n = 0;

	while (next_piece(&form, &piece)) {
		struct form specifiers = {0};

		if (!piece.expr)
			continue;
		_cleanup_free_ char *expr = piece_expression(&piece);
		v[n++] =
		    arena_strndup(arena, expr, form_parse(expr, &specifiers));
	}
	*ret_n = n;
	return v;
}

struct dbg_error *logpoint_check(const char *form)
{
	struct dbg_error *err = NULL;
	struct piece piece;

	while (!err && next_piece(&form, &piece)) {
		if (!piece.expr) {
			if (!piece.escaped && *piece.text == '{' &&
			    piece.text[1] != '{')
				return dbg_err(DBG_E_ARGUMENT, "missing '}'");
			continue;
		}
		_cleanup_free_ char *expr = piece_expression(&piece);
		struct form specifiers = {0};

		expr[form_parse(expr, &specifiers)] = 0;
		err = eval_check(expr);
	}
	return err;
}
