/*
 * Function locations to methods.
 *
 * The user's name is cut into segments; a method's own name is cut the same
 * way: namespace, enclosing types, then what the member is called in C#,
 * which for accessors, operators, constructors, local functions and explicit
 * implementations is not what metadata calls it. The two must agree from the
 * right. To keep a module of 50,000 methods cheap, the string heap is
 * searched first: only rows whose name ends in (or holds) the last segment
 * are cut.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/sig.h"

/* ---- Parameters ------------------------------------------------------ */

/*
 * Compare a parameter list that the user has written with a signature. Both are
 * read token by token: type names (dotted paths) and punctuation. A user's path
 * may be the tail of the full one, and a framework name may stand for its
 * keyword.
 */

enum {
	MAX_NAME = 512
};

struct token {
	const char *s; /* of a path: without the `n of its segments */
	size_t n;
	bool path;
};

struct cursor {
	const char *p, *end;
};

static bool is_path_char(char ch)
{
	return isalnum((unsigned char)ch) || strchr("_.+@`", ch) ||
	       (unsigned char)ch >= 0x80;
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && isspace((unsigned char)*c->p))
		c->p++;
}

// false at the end.
static bool next_token(struct cursor *c, struct token *ret)
{
	skip_blanks(c);
	if (c->p == c->end)
		return false;
	*ret = (struct token){.s = c->p};
	while (c->p < c->end && is_path_char(*c->p))
		c->p++;
	ret->path = c->p > ret->s;
	if (!ret->path)
		c->p++;
	ret->n = (size_t)(c->p - ret->s);
	return true;
}

static bool is_word(const struct token *t, const char *word)
{
	return t->n == strlen(word) && !memcmp(t->s, word, t->n);
}

// Drop the words in front of a type; true if one says "by reference".
static bool drop_modifiers(struct cursor *c)
{
	static const char *const words[] = {
	    "ref", "out", "in", "params", "this", "scoped", "readonly"};
	enum {
		N_BYREF = 3
	};
	bool byref = false;
	struct token t;

	for (;;) {
		struct cursor at = *c;
		size_t i = 0;

		if (!next_token(&at, &t))
			return byref;
		while (i < sizeof(words) / sizeof(*words) &&
		       !is_word(&t, words[i]))
			i++;
		if (i == sizeof(words) / sizeof(*words))
			return byref;
		byref |= i < N_BYREF;
		*c = at;
	}
}

// Reflection's spelling of a reference: a '&' at the end.
static bool drop_ampersand(struct cursor *c)
{
	while (c->end > c->p && isspace((unsigned char)c->end[-1]))
		c->end--;
	if (c->end == c->p || c->end[-1] != '&')
		return false;
	c->end--;
	return true;
}

// Drop all that is no type; true if it says "by reference".
static bool drop_byref(struct cursor *c)
{
	bool word = drop_modifiers(c);
	bool mark = drop_ampersand(c);

	return word || mark;
}

// A path with '.' between segments, without arity and '@', framework names
// of primitives as keywords.
static void canonical_path(const struct token *t, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n && n + 1 < size; i++) {
		char ch = t->s[i];

		if (ch == '`') {
			while (i + 1 < t->n &&
			       isdigit((unsigned char)t->s[i + 1]))
				i++;
			continue;
		}
		if (ch == '@')
			continue;
		buf[n++] = ch == '+' ? '.' : ch;
	}
	buf[n] = '\0';
	const char *keyword = csname_keyword(buf);
	if (!keyword && !strchr(buf, '.')) {
		_cleanup_free_ char *full = xasprintf("System.%s", buf);
		keyword = csname_keyword(full);
	}
	if (keyword)
		memcpy(buf, keyword, strlen(keyword) + 1);
}

static bool same_path(const struct token *user, const struct token *real)
{
	char a[MAX_NAME], b[MAX_NAME];

	canonical_path(user, a, sizeof(a));
	canonical_path(real, b, sizeof(b));
	return !strcmp(a, b) || (strlen(b) > strlen(a) && str_ends(b, a) &&
				 b[strlen(b) - strlen(a) - 1] == '.');
}

static bool same_token(const struct token *user, const struct token *real)
{
	if (user->path != real->path)
		return false;
	return user->path ? same_path(user, real) : *user->s == *real->s;
}

static bool is_mark(const struct token *t, char mark)
{
	return !t->path && *t->s == mark;
}

// Is the rest of the user's text one word, which may be the parameter's name?
static bool is_name_only(struct cursor *c)
{
	struct token t;

	return !next_token(c, &t) || (t.path && !next_token(c, &t));
}

// Is it a keyword of a value type (int, bool, ...)? A '?' behind one makes
// another type, behind the name of a class it means nothing.
static bool is_value_keyword(const struct token *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!islower((unsigned char)t->s[i]))
			return false;
	return !is_word(t, "string") && !is_word(t, "object");
}

// Pass over a '?' behind the type @last that is not in the signature.
static void skip_nullable(struct cursor *user, const struct token *last)
{
	struct cursor at = *user;
	struct token t;

	if (last->path && is_value_keyword(last))
		return;
	if (next_token(&at, &t) && is_mark(&t, '?'))
		*user = at;
}

static bool same_type(struct cursor user, struct cursor real)
{
	bool user_ref = drop_byref(&user);
	bool real_ref = drop_byref(&real);
	struct token u, r = {.n = 0};

	if (user_ref != real_ref)
		return false;
	for (bool any = false;; any = true) {
		struct cursor at = real;
		bool more = next_token(&at, &u);

		if (any && !(more && is_mark(&u, '?')))
			skip_nullable(&user, &r);
		if (!next_token(&real, &r))
			break;
		if (!next_token(&user, &u) || !same_token(&u, &r))
			return false;
	}
	return is_name_only(&user);
}

// The end of the parameter that begins at @p: a ',' outside of brackets.
static const char *param_end(const char *p)
{
	int depth = 0;

	for (; *p && (*p != ',' || depth > 0); p++) {
		if (strchr("<[(", *p))
			depth++;
		if (strchr(">])", *p))
			depth--;
	}
	return p;
}

static bool match_all(const struct md *md, uint32_t rid,
		      const struct sig_method *sig, const char *text)
{
	const char *p = text + strspn(text, " \t");
	uint32_t i = 0;

	for (; i < sig->n_params && *p; i++) {
		_cleanup_str_ struct str real = {0};
		const char *end = param_end(p);

		csname_sig(md, sig->params[i], MD_TOKEN(MD_METHODDEF, rid),
			   NULL, &real);
		const char *s = str_get(&real);
		if (!same_type((struct cursor){p, end},
			       (struct cursor){s, s + strlen(s)}))
			return false;
		p = *end ? end + 1 : end;
	}
	return i == sig->n_params && !*p;
}

// A closed local function gets the closure by reference, behind its own
// parameters.
static bool is_closure(const struct md *md, const struct sig_type *t)
{
	if (t->elem != ELEM_BYREF || !t->inner ||
	    t->inner->elem != ELEM_VALUETYPE ||
	    MD_TOKEN_TABLE(t->inner->token) != MD_TYPEDEF)
		return false;
	return str_starts(
	    md_col_string(md, MD_TYPEDEF, MD_TOKEN_RID(t->inner->token), 1),
	    "<>c__DisplayClass");
}

/*
 * Does the parameter list @text, as a user writes it, name the parameters
 * of MethodDef @rid? Types by keyword, short or full name; blanks,
 * parameter modifiers other than by-reference ones ignored.
 */
static bool params_match(const struct md *md, uint32_t rid, const char *text)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct sig_method *sig;
	bool match = false;

	err = sig_parse_method(md_col_blob(md, MD_METHODDEF, rid, 4), arena,
			       &sig);
	if (!err) {
		while (sig->n_params &&
		       is_closure(md, sig->params[sig->n_params - 1]))
			sig->n_params--;
		match = match_all(md, rid, sig, text);
	}
	dbg_error_destroy(err);
	arena_destroy(arena);
	return match;
}

/* ---- Functions ------------------------------------------------------- */

enum {
	MAX_SEGMENTS = 32,
	MAX_BASES = 8,
	MAX_LENGTH = 1024, /* of a method's name in metadata */
	MAX_HITS = 4096,
};

struct span {
	const char *s;
	size_t n;
};

struct path {
	struct span seg[MAX_SEGMENTS];
	size_t n;
};

struct operator
{
	const char *name, *text;
};

static const struct operator operators[] = {
    {"op_Addition", "+"},
    {"op_UnaryPlus", "+"},
    {"op_Subtraction", "-"},
    {"op_UnaryNegation", "-"},
    {"op_Multiply", "*"},
    {"op_Division", "/"},
    {"op_Modulus", "%"},
    {"op_BitwiseAnd", "&"},
    {"op_BitwiseOr", "|"},
    {"op_ExclusiveOr", "^"},
    {"op_LeftShift", "<<"},
    {"op_RightShift", ">>"},
    {"op_UnsignedRightShift", ">>>"},
    {"op_Equality", "=="},
    {"op_Inequality", "!="},
    {"op_LessThan", "<"},
    {"op_GreaterThan", ">"},
    {"op_LessThanOrEqual", "<="},
    {"op_GreaterThanOrEqual", ">="},
    {"op_LogicalNot", "!"},
    {"op_OnesComplement", "~"},
    {"op_Increment", "++"},
    {"op_Decrement", "--"},
    {"op_True", "true"},
    {"op_False", "false"},
    {"op_Implicit", "implicit"},
    {"op_Explicit", "explicit"},
};

enum {
	N_OPERATORS = sizeof(operators) / sizeof(*operators)
};

static struct span span_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

static bool span_is(struct span a, const char *text)
{
	return a.n == strlen(text) && !memcmp(a.s, text, a.n);
}

static bool same(struct span a, struct span b)
{
	return a.n == b.n && !memcmp(a.s, b.s, a.n);
}

static void path_push(struct path *path, struct span seg)
{
	if (path->n < MAX_SEGMENTS)
		path->seg[path->n++] = seg;
}

// Cut off type arguments "<...>", arity "`n", index "[...]" and blanks around.
// A name that begins with '<' is the compiler's and stays whole.
static struct span bare(struct span s)
{
	while (s.n && isspace((unsigned char)*s.s)) {
		s.s++;
		s.n--;
	}
	for (size_t i = 1; i < s.n; i++)
		if (*s.s != '<' && strchr("<`[", s.s[i]))
			s.n = i;
	while (s.n && isspace((unsigned char)s.s[s.n - 1]))
		s.n--;
	return s;
}

// Cut a dotted name; dots inside brackets and in front of "ctor" do not cut.
static void path_split(struct span name, struct path *path)
{
	int depth = 0;
	size_t start = 0;

	for (size_t i = 0; i < name.n; i++) {
		char ch = name.s[i];

		if (strchr("<[(", ch))
			depth++;
		else if (strchr(">])", ch) && depth)
			depth--;
		if (depth || (ch != '.' && ch != '+') || i == start)
			continue;
		path_push(path, bare((struct span){name.s + start, i - start}));
		start = i + 1;
	}
	path_push(path, bare((struct span){name.s + start, name.n - start}));
}

/* ---- What the user wants --------------------------------------------- */

struct name_query {
	struct path path;
	char operator[16]; /* its text, "" : no operator */
	const char *params;
	const char *bases[MAX_BASES]; /* metadata names to look for */
	size_t n_bases;
};

static void add_base(struct name_query *w, const char *base)
{
	if (w->n_bases < MAX_BASES)
		w->bases[w->n_bases++] = base;
}

// The place of "operator", "implicit operator" or "explicit operator" in
// @name as a segment of its own, NULL if it has none.
static const char *find_operator(const char *name)
{
	static const char *const words[] = {"implicit operator",
					    "explicit operator", "operator"};

	for (size_t i = 0; i < 3; i++) {
		const char *s = strstr(name, words[i]);
		size_t n = strlen(words[i]);

		if (s && (s == name || s[-1] == '.') &&
		    !isalnum((unsigned char)s[n]) && s[n] != '_')
			return s;
	}
	return NULL;
}

// false if the text behind @s is no operator that C# has.
static bool parse_operator(struct name_query *w, const char *s)
{
	size_t n = 0;

	if (str_starts(s, "implicit") || str_starts(s, "explicit")) {
		memcpy(w->operator, s, 8);
	} else {
		for (s += strlen("operator"); *s; s++)
			if (!isspace((unsigned char)*s) &&
			    n + 1 < sizeof(w->operator))
				w->operator[n++] = * s;
	}
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (!strcmp(operators[i].text, w->operator))
			add_base(w, operators[i].name);
	return w->n_bases > 0;
}

static bool is_accessor(struct span s)
{
	return span_is(s, "get") || span_is(s, "set") || span_is(s, "add") ||
	       span_is(s, "remove");
}

static const char *copy(struct arena *arena, struct span s)
{
	return arena_strndup(arena, s.s, s.n);
}

// The metadata names that the last segment may stand for.
static void find_bases(struct name_query *w, struct arena *arena)
{
	const struct path *p = &w->path;
	struct span last = p->seg[p->n - 1];
	struct span before = p->n > 1 ? p->seg[p->n - 2] : (struct span){0};

	add_base(w, copy(arena, last));
	if (same(last, before))
		add_base(w, ".ctor");
	if (before.n && is_accessor(last)) {
		bool indexer = span_is(before, "this");
		add_base(w, indexer ? "Item" : copy(arena, before));
	}
	if (span_is(last, "this"))
		add_base(w, "Item");
	if (before.n && span_is(last, "lambda"))
		add_base(w, copy(arena, before));
	if (last.n && *last.s == '~')
		add_base(w, "Finalize");
}

static bool parse_query(struct name_query *w, const struct code_function *fn,
			struct arena *arena)
{
	const char *name = fn->name;
	const char *op = find_operator(name);

	*w = (struct name_query){.params = fn->params};
	if (str_starts(name, "global::"))
		name += 8;
	if (op) {
		if (op > name)
			path_split((struct span){name, (size_t)(op - name) - 1},
				   &w->path);
		return parse_operator(w, op);
	}
	path_split(span_of(name), &w->path);
	if (!w->path.seg[w->path.n - 1].n)
		return false;
	find_bases(w, arena);
	return true;
}

/* ---- What a method is called ----------------------------------------- */

// A TypeDef's own name, of a file-local type as it is written.
static const char *own_name(const struct md *md, uint32_t rid)
{
	const char *name = md_col_string(md, MD_TYPEDEF, rid, 1);

	return name + csname_file_prefix(name);
}

// Namespace and types around a method, outermost first; types that the
// compiler made (closures, state machines) are passed over. false: the
// method is such a type's own.
static bool type_path(const struct md *md, uint32_t rid, bool made,
		      struct path *path)
{
	uint32_t chain[MAX_SEGMENTS];
	size_t n = 0;

	for (uint32_t t = md_method_type(md, rid); t && n < MAX_SEGMENTS;
	     t = md_enclosing(md, t))
		chain[n++] = t;
	if (!n)
		return false;
	if (*own_name(md, chain[0]) == '<' && !made)
		return false;
	const char *ns = md_col_string(md, MD_TYPEDEF, chain[n - 1], 2);
	if (*ns)
		path_split(span_of(ns), path);
	while (n--) {
		const char *type = own_name(md, chain[n]);
		if (*type != '<')
			path_push(path, bare(span_of(type)));
	}
	return true;
}

// Do the user's segments agree with @types, @middle and @last from the right?
static bool agrees(const struct path *user, const struct path *types,
		   const struct path *middle, const struct path *last)
{
	const struct path *parts[] = {types, middle, last};
	size_t at = user->n;

	for (size_t i = 3; i-- && at;)
		for (size_t j = parts[i]->n; j-- && at;)
			if (!same(user->seg[--at], parts[i]->seg[j]))
				return false;
	return !at;
}

// Does the user's path match an explicit implementation, with its interface
// named in full, in part or not at all?
static bool agrees_with(const struct path *user, const struct path *types,
			const struct path *interface, const struct path *last)
{
	struct path part = *interface;

	for (;;) {
		if (agrees(user, types, &part, last))
			return true;
		if (!part.n)
			return false;
		part.n--;
		memmove(part.seg, part.seg + 1, part.n * sizeof(*part.seg));
	}
}

static bool match_accessor(const struct name_query *w, const struct path *types,
			   const struct path *interface, struct span name)
{
	const char *bar = memchr(name.s, '_', name.n);
	struct path last = {.n = 0};

	if (!bar)
		return false;
	struct span verb = {name.s, (size_t)(bar - name.s)};
	if (!is_accessor(verb))
		return false;
	path_push(&last, (struct span){bar + 1, name.n - verb.n - 1});
	path_push(&last, verb);
	for (int i = 0; i < 2; i++) {
		last.n = 2;
		if (agrees_with(&w->path, types, interface, &last))
			return true;
		last.n = 1;
		if (agrees_with(&w->path, types, interface, &last))
			return true;
		if (!span_is(last.seg[0], "Item"))
			return false;
		last.seg[0] = span_of("this");
	}
	return false;
}

// Does a name that the compiler made match? "<Outer>g__Local|0_1" is
// Outer.Local, "<Outer>b__0_1" Outer.lambda, "<Main>$" Main.
static bool match_made(const struct name_query *w, const struct path *types,
		       struct span name)
{
	static const struct path nothing;
	struct path last = {.n = 0};
	const char *close = memchr(name.s, '>', name.n);

	if (!close)
		return false;
	const char *end = name.s + name.n;
	path_split((struct span){name.s + 1, (size_t)(close - name.s) - 1},
		   &last);
	if (end - close > 4 && !memcmp(close, ">g__", 4)) {
		const char *bar = memchr(close, '|', (size_t)(end - close));
		struct span local = {close + 4, 0};
		local.n = (size_t)((bar ? bar : end) - local.s);
		path_push(&last, local);
	} else if (end - close > 4 && !memcmp(close, ">b__", 4)) {
		path_push(&last, span_of("lambda"));
	} else if (!(end - close == 2 && close[1] == '$')) {
		return false;
	}
	return agrees(&w->path, types, &nothing, &last);
}

static bool match_special(const struct name_query *w, const struct path *types,
			  struct span name)
{
	static const struct path nothing;
	struct path last = {.n = 0};
	struct span type = types->seg[types->n - 1];

	if (span_is(name, ".ctor")) {
		path_push(&last, type);
		return agrees(&w->path, types, &nothing, &last);
	}
	if (span_is(name, "Finalize")) {
		const struct span *user = &w->path.seg[w->path.n - 1];
		path_push(&last, *user);
		return *user->s == '~' &&
		       same((struct span){user->s + 1, user->n - 1}, type) &&
		       agrees(&w->path, types, &nothing, &last);
	}
	return false;
}

// Is metadata name @name of a method in @types what the user wants?
static bool match_name(const struct name_query *w, const struct path *types,
		       struct span name)
{
	static const struct path nothing;
	struct path last = {.n = 0}, interface = {.n = 0};

	if (w->operator[0]) {
		for (size_t i = 0; i < w->n_bases; i++)
			if (span_is(name, w->bases[i]))
				return agrees(&w->path, types, &nothing,
					      &nothing);
		return false;
	}
	path_push(&last, name);
	if (agrees(&w->path, types, &nothing, &last))
		return true;
	if (*name.s == '<')
		return match_made(w, types, name);
	if (match_special(w, types, name))
		return true;
	path_split(name, &interface);
	name = interface.seg[--interface.n];
	last.seg[0] = name;
	return agrees_with(&w->path, types, &interface, &last) ||
	       match_accessor(w, types, &interface, name);
}

static bool match_method(const struct name_query *w, const struct md *md,
			 uint32_t rid)
{
	struct span name = span_of(md_col_string(md, MD_METHODDEF, rid, 3));
	struct path types = {.n = 0};

	if (!name.n || name.n > MAX_LENGTH ||
	    !type_path(md, rid, *name.s == '<', &types) || !types.n)
		return false;
	return match_name(w, &types, name) &&
	       (!w->params || params_match(md, rid, w->params));
}

/* ---- Which rows to look at ------------------------------------------- */

struct hits {
	uint32_t *at; /* offsets in the string heap, rising */
	size_t n, cap;
};

// Find where @base ends a name in the string heap, or is the source name inside
// a compiler-made one.
static void find_hits(const struct md *md, const char *base, struct hits *hits)
{
	struct bytes heap = md->strings;
	size_t n = strlen(base);

	for (size_t at = 0; at < heap.n && hits->n < MAX_HITS; at++) {
		const uint8_t *p = memmem(heap.p + at, heap.n - at, base, n);
		if (!p)
			return;
		at = (size_t)(p - heap.p);
		if (at + n == heap.n)
			return;
		if (p[n] && p[n] != '|' && p[n] != '>')
			continue;
		mem_grow(&hits->at, &hits->cap, hits->n, sizeof(*hits->at));
		hits->at[hits->n++] = (uint32_t)at;
	}
}

// Does the name at @offset of the heap reach one of the hits?
static bool reaches(const struct md *md, const struct hits *hits,
		    uint32_t offset)
{
	size_t low = 0, high = hits->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (hits->at[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == hits->n || hits->at[low] - offset > MAX_LENGTH)
		return false;
	size_t n = hits->at[low] - offset;
	return !memchr(md->strings.p + offset, 0, n);
}

static void add_method(struct code *c, struct code_module *m, uint32_t rid,
		       struct place_list *list)
{
	uint32_t token = MD_TOKEN(MD_METHODDEF, rid);
	uint32_t body = code_move_next(c, m, token);
	struct code_place place;

	if (body)
		token = body;
	// Abstract and extern methods have no IL to stop in.
	if (!md_col(&m->md, MD_METHODDEF, MD_TOKEN_RID(token), 0))
		return;
	code_entry(c, m, token, &place);
	place_add(list, &place);
}

static void find_base(struct code *c, struct code_module *m,
		      const struct name_query *w, const char *base,
		      struct place_list *list)
{
	uint32_t n = md_rows(&m->md, MD_METHODDEF);
	struct hits hits = {0};

	find_hits(&m->md, base, &hits);
	for (uint32_t rid = 1; hits.n && rid <= n; rid++) {
		uint32_t name = md_col(&m->md, MD_METHODDEF, rid, 3);

		if (reaches(&m->md, &hits, name) &&
		    match_method(w, &m->md, rid))
			add_method(c, m, rid, list);
	}
	free(hits.at);
}

static bool holds(const struct place_list *list, size_t n,
		  const struct code_place *p)
{
	for (size_t i = 0; i < n; i++)
		if (list->places[i].token == p->token)
			return true;
	return false;
}

struct dbg_error *code_find_function(struct code *c, struct code_module *m,
				     const struct code_function *fn,
				     struct arena *arena,
				     struct code_place **ret, size_t *ret_n)
{
	struct place_list list = {.arena = arena};
	struct name_query w;

	if (parse_query(&w, fn, arena))
		for (size_t i = 0; i < w.n_bases; i++)
			find_base(c, m, &w, w.bases[i], &list);
	if (!m->pdb)
		file_rest(&module_of(m)->file);
	// One method may be found by two of its names.
	size_t n = 0;
	for (size_t i = 0; i < list.n; i++)
		if (!holds(&list, n, &list.places[i]))
			list.places[n++] = list.places[i];
	*ret = list.places;
	*ret_n = n;
	return NULL;
}

struct dbg_error *code_find_matching(struct code *c, struct code_module *m,
				     code_match_fn *match, void *arg,
				     struct arena *arena,
				     struct code_place **ret, size_t *ret_n)
{
	struct place_list list = {.arena = arena};
	uint32_t rows = md_rows(&m->md, MD_METHODDEF);
	_cleanup_str_ struct str name = {0};

	for (uint32_t rid = 1; rid <= rows; rid++) {
		struct code_place place;

		if (!md_col(&m->md, MD_METHODDEF, rid, 0))
			continue;
		code_entry(c, m, MD_TOKEN(MD_METHODDEF, rid), &place);
		// with symbols: what the compiler made has no line
		if (m->pdb && !place.line)
			continue;
		// "Method$" and "Method\\(int\\)" both find what they say
		for (int params = 0; params < 2; params++) {
			str_clear(&name);
			csname_method(&m->md, MD_TOKEN(MD_METHODDEF, rid),
				      params, NULL, &name);
			if (!match(arg, str_get(&name)))
				continue;
			place_add(&list, &place);
			break;
		}
	}
	*ret = list.places;
	*ret_n = list.n;
	return NULL;
}
