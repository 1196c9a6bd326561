/*
 * Values on the screen. The engine makes the text of each value; here its
 * children are put between braces, as deep and as many as the settings say.
 */
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- What gdb adds to the expressions of a language ---------------------- */

/*
 * `a[i]@n` and `*p@n`, which are n elements in a row; and convenience variables
 * where nothing is stopped.
 */

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

/* Is @expr "ELEMENT@COUNT", as gdb has it? */
static bool repeat_is(const char *expr)
{
	return find_at(expr) != NULL;
}

/* Length of what stands in front of the '@', or of all of @expr. */
static size_t repeat_operand(const char *expr)
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

/* Print these elements, as print/LETTER does (0: as they are). */
static struct dbg_error *show_repeat(struct repl *r, struct dbg_stopped at,
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

/* Print a convenience variable, which is known without a stop. */
static struct dbg_error *show_variable(struct repl *r, const char *expr,
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

/* ---- Values on the screen ------------------------------------------------ */

enum {
	REPEATS_MIN = 10,  /* as gdb's "repeats" */
	TOTAL_MAX = 10000, /* values in one print */
	PAGE = 256,
};

struct shower {
	struct repl *r;
	struct dbg_stopped at;
	unsigned int left; /* of TOTAL_MAX */
	unsigned int depth;
	unsigned int max_depth;
	unsigned int indent; /* of the line that it begins on */
};

static void show(struct shower *s, const struct dbg_value *v);

// Are the children shown in place of the text? One that tells more than they
// do (an exception's, a delegate's, a tuple's) is complete in itself.
static bool is_compound(const struct dbg_value *v)
{
	return v->id && ((v->n_named && v->brief) ||
			 (v->n_indexed && (v->brief || v->titled)));
}

static void separate(struct shower *s, bool first)
{
	if (!s->r->set.pretty) {
		out(s->r, "%s", first ? "" : ", ");
		return;
	}
	out(s->r, "%s\n%*s", first ? "" : ",", (int)(s->indent + 2 * s->depth),
	    "");
}

void show_error(const struct repl *r, struct dbg_error *err)
{
	out(r, "<error: %s>", err->message);
	dbg_error_destroy(err);
}

static void show_member(struct shower *s, const struct dbg_value *v)
{
	if (v->kind == DBG_VALUE_GROUP)
		out(s->r, "<%s> = ", v->name);
	else {
		if (v->is_static)
			out(s->r, "static ");
		paint(s->r, PAINT_NAME, v->name);
		out(s->r, " = ");
	}
	show(s, v);
}

static bool show_named(struct shower *s, const struct dbg_value *v)
{
	struct dbg_error *err;
	struct dbg_value *children;
	bool first = true;
	size_t n;

	err =
	    dbg_children(s->at, v->id, DBG_CHILDREN_NAMED, 0, 0, &children, &n);
	if (err) {
		show_error(s->r, err);
		return false;
	}
	for (size_t i = 0; i < n && s->left; i++) {
		if (!s->r->set.statics && (children[i].is_static ||
					   children[i].kind == DBG_VALUE_GROUP))
			continue;
		separate(s, first);
		show_member(s, &children[i]);
		first = false;
	}
	if (!first && s->r->set.pretty)
		out(s->r, "\n%*s", (int)(s->indent + 2 * (s->depth - 1)), "");
	return !first;
}

// How many rows end between two elements of an array of several dimensions,
// named "[1, 2]" and "[2, 0]". Without an element @before: how many begin.
static unsigned int rows_between(const char *before, const char *name)
{
	unsigned int n = 0;
	size_t i = 0;

	while (before && name[i] && name[i] == before[i])
		i++;
	for (; name[i]; i++)
		n += name[i] == ',';
	return n;
}

static void put_braces(struct shower *s, char brace, unsigned int n)
{
	while (n--)
		out(s->r, "%c", brace);
}

static size_t repeats(const struct dbg_value *v, size_t n)
{
	size_t same = 1;

	while (same < n && !strcmp(v[same].text, v[0].text) &&
	       !is_compound(&v[same]) && !v[same].keyed &&
	       !rows_between(v[same - 1].name, v[same].name))
		same++;
	return same;
}

// Show elements of one page; *@before is the name of the last that was shown.
static void show_page(struct shower *s, const struct dbg_value *v, size_t n,
		      bool *first, const char **before)
{
	for (size_t i = 0; i < n && s->left;) {
		bool keyed = v[i].keyed;
		size_t same =
		    keyed || is_compound(&v[i]) ? 1 : repeats(v + i, n - i);
		unsigned int rows =
		    keyed ? 0 : rows_between(*before, v[i].name);
		put_braces(s, '}', *before ? rows : 0);
		out(s->r, "%s", *first ? "" : ", ");
		put_braces(s, '{', rows);
		*first = false;
		if (keyed) {
			paint(s->r, PAINT_NAME, v[i].name);
			out(s->r, " = ");
		}
		show(s, &v[i]);
		if (same >= REPEATS_MIN) {
			out(s->r, " <repeats %zu times>", same);
			i += same;
		} else {
			i++;
		}
		*before = keyed ? NULL : v[i - 1].name;
	}
}

static void show_indexed(struct shower *s, const struct dbg_value *v,
			 bool first)
{
	struct dbg_error *err;
	struct dbg_value *page;
	uint64_t limit = s->r->set.elements;
	uint64_t want = !limit || limit > v->n_indexed ? v->n_indexed : limit;
	uint64_t at = 0;
	const char *before = NULL;

	while (at < want && s->left && !loop_interrupted(s->r->loop)) {
		uint64_t left = want - at;
		size_t n;
		err = dbg_children(s->at, v->id, DBG_CHILDREN_INDEXED, at,
				   left < PAGE ? (uint32_t)left : PAGE, &page,
				   &n);
		if (err) {
			out(s->r, "%s", first ? "" : ", ");
			show_error(s->r, err);
			return;
		}
		if (!n)
			break;
		show_page(s, page, n, &first, &before);
		at += n;
	}
	if (at < v->n_indexed)
		out(s->r, "...");
	put_braces(s, '}', before ? rows_between(NULL, before) : 0);
}

static void show(struct shower *s, const struct dbg_value *v)
{
	if (s->left)
		s->left--;
	bool group = v->kind == DBG_VALUE_GROUP;
	if (!is_compound(v) || (s->depth >= s->max_depth && !group)) {
		out(s->r, "%s", v->text[0] ? v->text : "{...}");
		return;
	}
	// A base class is part of the object, not a step deeper.
	s->depth++;
	s->max_depth += group;
	if (v->declared)
		out(s->r, "(%s) ", v->type);
	// as gdb does: what it says of itself, then its elements
	if (v->titled)
		out(s->r, "%s = ", v->text);
	out(s->r, "{");
	bool any = v->n_named ? show_named(s, v) : false;
	if (v->n_indexed)
		show_indexed(s, v, !any);
	out(s->r, "}");
	s->max_depth -= group;
	s->depth--;
}

static void show_to_depth(struct repl *r, struct dbg_stopped at,
			  const struct dbg_value *v, uint64_t depth,
			  size_t indent)
{
	struct shower s = {
	    .r = r,
	    .at = at,
	    .left = TOTAL_MAX,
	    .max_depth = depth > 100 ? 100 : (unsigned int)depth,
	    .indent = (unsigned int)indent,
	};

	show(&s, v);
}

void show_value(struct repl *r, struct dbg_stopped at,
		const struct dbg_value *v)
{
	show_to_depth(r, at, v, r->set.depth, 0);
}

struct dbg_error *show_scope(struct repl *r, struct dbg_stopped at,
			     dbg_id frame, enum dbg_scope scope,
			     const char *none, const char *indent)
{
	struct dbg_error *err;
	struct dbg_value *values;
	size_t n;

	err = dbg_scope_list(at, frame, scope, &values, &n);
	if (err)
		return err;
	if (!n && none)
		out(r, "%s%s\n", indent, none);
	// A list is read line by line: less deep than a single value.
	uint64_t depth = r->set.depth ? r->set.depth - 1 : 0;
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		out(r, "%s", indent);
		paint(r, PAINT_NAME, values[i].name);
		out(r, " = ");
		show_to_depth(r, at, &values[i], depth, strlen(indent));
		out(r, "\n");
	}
	return NULL;
}

// The number of a value in the history, if it is to have one.
static void show_number(struct repl *r, struct dbg_stopped at,
			enum show_mode mode)
{
	if (mode == SHOW_PRINT)
		out(r, "$%" PRIu32 " = ", dbg_keep(at));
}

/* ---- $_siginfo -------------------------------------------------------- */

#define SIGINFO "$_siginfo"
#define SIGINFO_ADDR "._sifields._sigfault.si_addr"

// Append the member of the signal's record that @path begins with, returning
// what is behind it; NULL: there is none of this name.
static const char *add_signal_member(const struct dbg_stop *stop,
				     const char *path, struct str *out)
{
	const struct dbg_fault *f = stop->fault;
	const struct {
		const char *path;
		uint64_t value;
		bool known;
	} members[] = {
	    {".si_signo", (uint64_t)(f ? f->signal : stop->signal), true},
	    {".si_errno", 0, true},
	    {".si_code", f ? (uint64_t)(int64_t)f->code : 0, f},
	    {SIGINFO_ADDR, f ? f->addr : 0, f},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		size_t n = strlen(members[i].path);

		if (strncmp(path, members[i].path, n) || !members[i].known ||
		    isalnum((unsigned char)path[n]) || path[n] == '_')
			continue;
		if (!strcmp(members[i].path, SIGINFO_ADDR))
			str_addf(out, "0x%" PRIx64, members[i].value);
		else
			str_addf(out, "%" PRId64, (int64_t)members[i].value);
		return path + n;
	}
	return NULL;
}

// Copy @expr with numbers in place of the members of $_siginfo that it names.
static struct dbg_error *put_signal(struct dbg_stopped at, const char *expr,
				    struct str *out)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	const char *next;

	if (!stop->fault && !stop->signal)
		return dbg_err(DBG_E_NOT_FOUND,
			       "'" SIGINFO "' is void: the program does not "
			       "stand at a signal");
	for (const char *p = expr; *p; p = next) {
		next = *p == '"' || *p == '\'' ? skip_quoted(p) : p;
		next += *next != 0;
		if (strncmp(p, SIGINFO, strlen(SIGINFO))) {
			str_addn(out, p, (size_t)(next - p));
			continue;
		}
		next = add_signal_member(stop, p + strlen(SIGINFO), out);
		if (!next)
			return dbg_err_arg(
			    "'" SIGINFO "' has here .si_signo, .si_errno%s.",
			    stop->fault ? ", .si_code and " SIGINFO_ADDR : "");
	}
	return NULL;
}

// Show all of it; it is none of the values that are numbered.
static struct dbg_error *show_signal(struct repl *r, struct dbg_stopped at)
{
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err = put_signal(
	    at,
	    dbg_stop_reason(at)->fault
		? "{si_signo = " SIGINFO ".si_signo, si_errno = " SIGINFO
		  ".si_errno, si_code = " SIGINFO
		  ".si_code, _sifields = {_sigfault = {si_addr = " SIGINFO
		      SIGINFO_ADDR "}}}"
		: "{si_signo = " SIGINFO ".si_signo, si_errno = " SIGINFO
		  ".si_errno}",
	    &text);

	if (!err)
		out(r, "%s", str_get(&text));
	return err;
}

struct dbg_error *show_expr(struct repl *r, const char *expr,
			    const char *format, enum show_mode mode)
{
	_cleanup_str_ struct str put = {0};
	struct dbg_error *err;
	struct parse_format f;
	struct dbg_stopped at;
	struct dbg_value v;
	const char *text;

	err = parse_format(format, &f);
	if (err)
		return err;
	if (f.count != 1 || f.size || f.letter == 'i')
		return dbg_err_arg("A count, a size and /i are for \"x\".");
	if (dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return show_variable(r, expr, mode);
	if (!strcmp(expr, SIGINFO))
		return show_signal(r, at);
	if (strstr(expr, SIGINFO)) {
		err = put_signal(at, expr, &put);
		if (err)
			return err;
		expr = str_get(&put);
	}
	if (repeat_is(expr))
		return show_repeat(r, at, expr, f.letter);
	err = mode == SHOW_DISPLAY ? evaluate_shown(r, at, expr, &v)
				   : evaluate_typed(r, at, expr, &v);
	bool by_letter = f.letter && f.letter != 's';
	if (!err && by_letter)
		err = dbg_format_last(at, f.letter, &text);
	if (err)
		return err;
	show_number(r, at, mode);
	if (by_letter)
		out(r, "%s", text);
	else
		show_value(r, at, &v);
	return NULL;
}

struct dbg_error *show_returned(struct repl *r)
{
	struct dbg_error *err;
	struct dbg_stopped at;
	struct dbg_value v;
	bool any = false;

	err = dbg_stopped(r->dbg, &at);
	if (!err)
		err = dbg_returned(at, &v, &any);
	if (err || !any)
		return err;
	out(r, "Value returned is ");
	show_number(r, at, SHOW_PRINT);
	show_value(r, at, &v);
	out(r, "\n");
	return NULL;
}

/* ---- The expressions of `display`, shown at each stop -------------------- */

/*
 * The expressions of `display`, shown at each stop. As in gdb, an expression
 * with variables is shown in the block where it was made, and in the blocks,
 * lambdas and local functions inside; elsewhere its names mean something else,
 * or nothing.
 */

static bool is_memory(const char *format)
{
	struct parse_format f;
	struct dbg_error *err = parse_format(format, &f);

	return !dbg_err_drop(err) &&
	       (f.size || f.letter == 'i' || f.letter == 's' || f.count != 1);
}

static void show_display(struct repl *r, const struct display *d)
{
	struct dbg_error *err;
	struct dbg_stopped at;

	out(r, "%" PRIu32 ": ", d->number);
	if (is_memory(d->format)) {
		out(r, "x/%s %s\n", d->format, d->expr);
		err = dbg_stopped(r->dbg, &at);
		if (!err)
			err = show_memory(r, at, d->expr, d->format);
		if (err)
			show_error(r, err);
		else
			return;
	} else {
		out(r, "%s%s%s%s = ", *d->format ? "/" : "", d->format,
		    *d->format ? " " : "", d->expr);
		err = show_expr(r, d->expr, d->format, SHOW_DISPLAY);
		if (err)
			show_error(r, err);
	}
	out(r, "\n");
}

// Is @f a frame of the method that @d is of, or of one within it?
static bool is_within(const struct display *d, const struct dbg_frame *f)
{
	size_t n = strlen(d->method);

	if (!f->mvid || strcmp(f->mvid, d->mvid))
		return false;
	return f->token == d->token ||
	       (!strncmp(f->name, d->method, n) && f->name[n] == '.');
}

bool display_in_scope(struct repl *r, struct display *d)
{
	_cleanup_free_ char *expr = xstrndup(d->expr, repeat_operand(d->expr));
	enum dbg_needs needs;
	struct dbg_stopped at;
	struct dbg_frame f;
	uint32_t block;

	if (!r->stopped || dbg_err_drop(frame_get(r, &f)) ||
	    dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return true;
	if (d->method && !is_within(d, &f))
		return false;
	if (dbg_err_drop(dbg_eval_needs(at, f.id, expr, &needs, &block)))
		return true;
	if (needs == DBG_NEEDS_FRAME && !d->method && f.mvid) {
		d->method = xstrdup(f.name);
		d->mvid = xstrdup(f.mvid);
		d->token = f.token;
		d->block = block;
	}
	// the blocks of a lambda are its own
	if (needs == DBG_NEEDS_FRAME && d->method && f.token == d->token)
		return block == d->block;
	return needs != DBG_NEEDS_ANOTHER;
}

struct dbg_error *display_begin(struct repl *r, struct display *d)
{
	if (!r->stopped)
		return NULL;
	if (!display_in_scope(r, d))
		return show_expr(r, d->expr, "", SHOW_DISPLAY);
	show_display(r, d);
	return NULL;
}

void display_show(struct repl *r)
{
	for (size_t i = 0; r->stopped && i < r->n_displays; i++) {
		struct display *d = &r->displays[i];

		if (d->enabled && display_in_scope(r, d))
			show_display(r, d);
	}
}
