/*
 * Values on the screen. The engine makes the text of each value; here its
 * children are put between braces, as deep and as many as the settings say.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

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

struct dbg_error *show_expr(struct repl *r, const char *expr,
			    const char *format, enum show_mode mode)
{
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
