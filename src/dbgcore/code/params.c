/*
 * A parameter list as a user writes it against a signature. Both sides are
 * read token by token: type names (dotted paths) and punctuation. A user's
 * path may be the tail of the full one, and a framework name may stand for
 * its keyword.
 */
#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/sig.h"

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

// What is left of the user's text may be the parameter's name.
static bool is_name_only(struct cursor *c)
{
	struct token t;

	return !next_token(c, &t) || (t.path && !next_token(c, &t));
}

// int, bool, ...: their '?' is another type, that of a class says nothing.
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

bool params_match(const struct md *md, uint32_t rid, const char *text)
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
