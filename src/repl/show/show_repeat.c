/*
 * What gdb adds to the expressions of a language: `a[i]@n` and `*p@n`, which
 * are n elements in a row; and convenience variables where nothing is stopped.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

enum {
	REPEAT_MAX = 10000
};

static const char *skip_quoted(const char *p)
{
	char quote = *p++;

	while (*p && *p != quote)
		p += *p == '\\' && p[1] ? 2 : 1;
	return p;
}

// The '@' behind an operand, outside quotes and brackets; NULL: none. One in
// front of a name or a string is C#'s.
static const char *find_at(const char *expr)
{
	const char *found = NULL;
	char before = 0;
	int depth = 0;

	for (const char *p = expr; *p; p++) {
		if (*p == '"' || *p == '\'')
			p = skip_quoted(p);
		if (!*p)
			return NULL;
		depth += *p == '(' || *p == '[';
		depth -= *p == ')' || *p == ']';
		if (*p == '@' && !depth &&
		    (isalnum((unsigned char)before) || before == '_' ||
		     before == ']' || before == ')'))
			found = p;
		if (!isspace((unsigned char)*p))
			before = *p;
	}
	return found;
}

bool repeat_is(const char *expr)
{
	return find_at(expr) != NULL;
}

size_t repeat_operand(const char *expr)
{
	const char *sign = find_at(expr);
	size_t n = sign ? (size_t)(sign - expr) : strlen(expr);

	while (n && isspace((unsigned char)expr[n - 1]))
		n--;
	return n;
}

// The '[' of the index that @expr ends with; NULL: it does not.
static const char *find_index(const char *expr, size_t n)
{
	int depth = 0;

	for (size_t i = n; i-- > 0;) {
		depth += expr[i] == ']';
		depth -= expr[i] == '[';
		if (!depth)
			return expr[i] == '[' && i ? expr + i : NULL;
	}
	return NULL;
}

// The expression of the element @k behind the one of the first @n bytes.
static char *element(const char *expr, size_t n, uint64_t k)
{
	const char *index = find_index(expr, n);

	if (index)
		return xasprintf("%.*s[(%.*s) + %" PRIu64 "]",
				 (int)(index - expr), expr,
				 (int)(expr + n - 2 - index), index + 1, k);
	if (*expr == '*')
		return xasprintf("(%.*s)[%" PRIu64 "]", (int)n - 1, expr + 1,
				 k);
	return NULL;
}

static struct dbg_error *read_count(struct repl *r, struct dbg_stopped at,
				    const char *expr, uint64_t *ret)
{
	const char *text;
	struct dbg_error *err = evaluate_format(r, at, expr, 'd', &text);

	if (err)
		return err;
	if (!parse_u64(text, ret) || !*ret || *ret > REPEAT_MAX)
		return dbg_err_arg("Invalid number %s of repetitions.", text);
	return NULL;
}

static struct dbg_error *show_element(struct repl *r, struct dbg_stopped at,
				      const char *expr, char letter, bool first)
{
	struct dbg_value v;
	const char *text;
	struct dbg_error *err =
	    letter ? evaluate_format(r, at, expr, letter, &text)
		   : evaluate_shown(r, at, expr, &v);

	if (err)
		return err;
	out(r, "%s", first ? "{" : ", ");
	if (letter)
		out(r, "%s", text);
	else
		show_value(r, at, &v);
	return NULL;
}

struct dbg_error *show_repeat(struct repl *r, struct dbg_stopped at,
			      const char *expr, char letter)
{
	struct dbg_error *err;
	const char *sign = find_at(expr);
	size_t n = repeat_operand(expr);
	uint64_t count;

	err = read_count(r, at, sign + 1, &count);
	if (err)
		return err;
	for (uint64_t i = 0; i < count && !loop_interrupted(r->loop); i++) {
		_cleanup_free_ char *one = element(expr, n, i);

		if (!one)
			return dbg_err_arg("Only an element (a[i]@n) and what "
					   "a pointer points to (*p@n) can be "
					   "extended with '@'.");
		err = show_element(r, at, one, letter, !i);
		if (err && !i)
			return err;
		if (err) {
			out(r, ", <error: %s>", err->message);
			dbg_error_destroy(err);
			break;
		}
	}
	out(r, "}");
	return NULL;
}

struct dbg_error *show_variable(struct repl *r, const char *expr,
				enum show_mode mode)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_variable *list;
	size_t n = 0;

	if (*expr == '$')
		dbg_variable_list(r->dbg, arena, &list, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].name, expr + 1) || !list[i].number)
			continue;
		if (mode == SHOW_PRINT)
			out(r, "%s = ", expr);
		out(r, "%" PRId64, list[i].value);
		return NULL;
	}
	if (dbg_state(r->dbg) == DBG_RUNNING)
		return dbg_err(DBG_E_STATE, "The program is running.");
	return dbg_err(DBG_E_STATE, "The program is not being run.");
}
