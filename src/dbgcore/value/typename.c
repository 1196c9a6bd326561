/*
 * Finding types by name: an index of the simple names of all modules, made
 * when it is first asked and extended as modules come.
 */
#include "value/value.h"

#include <string.h>

#include "base/str.h"
#include "meta/csname.h"
#include "value/value_priv.h"

enum {
	TYPEDEF_NAME = 1,
	TYPEDEF_NAMESPACE = 2,
	NESTING_MAX = 64
};

struct name_entry {
	struct code_module *module;
	uint32_t rid;
	struct name_entry *next;
};

void value_type_names_clear(struct values *ts)
{
	map_clear(&ts->names);
	map_clear(&ts->unloaded);
	ts->refers = NULL;
	ts->n_named = 0;
}

/* Length of a simple name without its `n. */
static size_t stem_length(const char *name)
{
	return strcspn(name, "`");
}

/* A TypeDef's own name; of a file-local type as it is written. */
static const char *own_name(const struct md *md, uint32_t rid)
{
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	return name + csname_file_prefix(name);
}

static void index_module(struct values *ts, struct code_module *m)
{
	uint32_t rows = md_rows(&m->md, MD_TYPEDEF);
	for (uint32_t rid = 1; rid <= rows; rid++) {
		const char *name = own_name(&m->md, rid);
		if (!name[0] || name[0] == '<')
			continue;
		struct name_entry *e = arena_alloc(ts->arena, sizeof(*e));
		e->module = m;
		e->rid = rid;
		uint64_t hash = str_hash(name, stem_length(name));
		e->next = map_find(&ts->names, hash);
		map_put(&ts->names, hash, e);
	}
}

static void index_all(struct values *ts)
{
	size_t n;
	struct code_module *const *modules = code_modules(ts->code, &n);
	for (; ts->n_named < n; ts->n_named++)
		index_module(ts, modules[ts->n_named]);
}

static void index_unloaded(void *arg, struct code_module *m)
{
	struct values *ts = arg;
	if (!map_find(&ts->unloaded, m->addr))
		index_module(ts, m);
	map_put(&ts->unloaded, m->addr, m);
}

/*
 * Add the unloaded modules that @near refers to to the index; false: that was
 * done already.
 */
static bool index_more(struct values *ts, const struct code_module *near)
{
	if (!near || (ts->refers == near && ts->refers_at == ts->n_named))
		return false;
	ts->refers = near;
	ts->refers_at = ts->n_named;
	code_each_unloaded(ts->code, near, index_unloaded, ts);
	return true;
}

/* Arity in a metadata name: 2 of "Dictionary`2". */
static size_t own_arity(const char *name)
{
	const char *tick = strchr(name, '`');
	size_t n = 0;
	for (tick = tick ? tick + 1 : ""; *tick >= '0' && *tick <= '9'; tick++)
		n = n * 10 + (size_t)(*tick - '0');
	return n;
}

/*
 * How many type parameters all segments of a name have: 3 in "Outer`1+Inner`2".
 */
static size_t written_arity(const char *name)
{
	size_t n = 0;
	for (const char *p = strchr(name, '`'); p; p = strchr(p + 1, '`'))
		n += own_arity(p);
	return n;
}

static size_t full_arity(const struct md *md, uint32_t rid)
{
	size_t n = 0;
	for (int i = 0; rid && i < NESTING_MAX; i++) {
		n +=
		    own_arity(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME));
		rid = md_enclosing(md, rid);
	}
	return n;
}

/* Is @part the end of name[0..*n), after a separator? Take it off. */
static bool take_tail(const char *name, size_t *n, const char *part,
		      size_t part_n)
{
	if (part_n > *n || memcmp(name + *n - part_n, part, part_n))
		return false;
	size_t left = *n - part_n;
	if (left > 0) {
		if (!strchr(".+/", name[left - 1]))
			return false;
		left--;
	}
	*n = left;
	return true;
}

/*
 * How well a TypeDef matches @name: 0 not at all, 1 by the tail of its name, 2
 * by its whole name.
 */
static int fit(const struct md *md, uint32_t rid, const char *name)
{
	size_t n = strlen(name);
	for (int i = 0; i < NESTING_MAX; i++) {
		const char *own = own_name(md, rid);
		if (n == 0)
			return 1;
		if (!take_tail(name, &n, own, strlen(own)) &&
		    !take_tail(name, &n, own, stem_length(own)))
			return 0;
		uint32_t outer = md_enclosing(md, rid);
		if (!outer)
			break;
		rid = outer;
	}
	const char *space =
	    md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAMESPACE);
	if (n == 0)
		return space[0] ? 1 : 2;
	return n == strlen(space) && !memcmp(name, space, n) ? 2 : 0;
}

struct search {
	const char *name;
	size_t n_args;
	struct code_module *near;
	int best;
	struct code_module *module;
	uint32_t token;
};

static void consider(struct search *s, const struct name_entry *e)
{
	const struct md *md = &e->module->md;
	int how = fit(md, e->rid, s->name);
	if (how == 0 || full_arity(md, e->rid) != s->n_args)
		return;
	// A bare name is meant of the user's own code; of the libraries it
	// could be anything.
	int score = how == 2 ? 10 : e->module->pdb ? 2 : 0;
	if (score && e->module == s->near)
		score++;
	if (score <= s->best)
		return;
	s->best = score;
	s->module = e->module;
	s->token = MD_TOKEN(MD_TYPEDEF, e->rid);
}

bool value_type_find_def(struct values *ts, struct code_module *near,
			 const char *name, size_t n_args,
			 struct code_module **ret_module, uint32_t *ret_token)
{
	size_t n = strlen(name);
	size_t start = n;
	while (start > 0 && !strchr(".+/", name[start - 1]))
		start--;
	size_t stem = stem_length(name + start);
	struct search s = {.name = name, .n_args = n_args, .near = near};
	if (strchr(name, '`'))
		s.n_args = written_arity(name);
	index_all(ts);
	do {
		for (struct name_entry *e =
			 map_find(&ts->names, str_hash(name + start, stem));
		     e; e = e->next)
			consider(&s, e);
	} while (!s.best && index_more(ts, near));
	if (!s.best)
		return false;
	*ret_module = s.module;
	*ret_token = s.token;
	return true;
}
