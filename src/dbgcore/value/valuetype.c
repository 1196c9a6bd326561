/*
 * The types of values, made from what a stopped program tells: thin calls into
 * the type system (types/).
 */
#include "value/value.h"
#include "value/value_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "target/target.h"

/* ---- Finding types by name ----------------------------------------------- */

/*
 * An index of the simple names of all modules, made when it is first asked and
 * extended as modules come.
 */

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
	struct values *ts;
	const char *name;
	size_t n_args;
	struct code_module *near;
	int best;
	bool twice; /* copies of a module have it, and which is meant is open */
	struct code_module *module;
	uint32_t token;
};

/*
 * Is the module in the load context of the code that the name stands in? The
 * default context, 0, is that of a module none of whose types is used, too.
 */
static bool is_in_context(const struct search *s, const struct code_module *m,
			  uint32_t token)
{
	struct dac *d = s->ts->dac;
	uint64_t of = s->near ? dac_module_context(d, s->near->addr) : 0;

	return s->near && of == dac_module_context(d, m->addr) &&
	       (of || dac_type_of_token(d, m->addr, token));
}

/* Is the type of a copy of the module found meant instead? */
static bool is_meant(struct search *s, const struct name_entry *e)
{
	bool is = is_in_context(s, e->module, MD_TOKEN(MD_TYPEDEF, e->rid));

	s->twice = is == is_in_context(s, s->module, s->token);
	return is && !s->twice;
}

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
	if (score < s->best || !score)
		return;
	if (score == s->best &&
	    (e->module == s->module ||
	     strcmp(e->module->name, s->module->name) || !is_meant(s, e)))
		return;
	s->twice = false;
	s->best = score;
	s->module = e->module;
	s->token = MD_TOKEN(MD_TYPEDEF, e->rid);
}

static void search_defs(struct search *s)
{
	const char *name = s->name;
	size_t start = strlen(name);
	while (start > 0 && !strchr(".+/", name[start - 1]))
		start--;
	size_t stem = stem_length(name + start);
	if (strchr(name, '`'))
		s->n_args = written_arity(name);
	index_all(s->ts);
	do {
		for (struct name_entry *e =
			 map_find(&s->ts->names, str_hash(name + start, stem));
		     e; e = e->next)
			consider(s, e);
	} while (!s->best && index_more(s->ts, s->near));
}

bool value_type_find_def(struct values *ts, struct code_module *near,
			 const char *name, size_t n_args,
			 struct code_module **ret_module, uint32_t *ret_token)
{
	struct search s = {
	    .ts = ts, .name = name, .n_args = n_args, .near = near};
	search_defs(&s);
	if (!s.best || s.twice)
		return false;
	*ret_module = s.module;
	*ret_token = s.token;
	return true;
}

const char *value_type_in_copies(struct values *ts, struct code_module *near,
				 const char *name, size_t n_args)
{
	struct search s = {
	    .ts = ts, .name = name, .n_args = n_args, .near = near};
	search_defs(&s);
	return s.twice ? s.module->name : NULL;
}

/* ---- The types of values, made from what a stopped program tells --------- */

enum {
	ARGS_MAX = 256,
};

/* ---- The session's table --------------------------------------------- */

struct values *values_create(struct target *t, struct dac *d, struct code *c)
{
	struct values *ts = xcalloc(1, sizeof(*ts));
	ts->target = t;
	ts->dac = d;
	ts->code = c;
	ts->types = types_create(t, d, c);
	ts->arena = arena_create();
	ts->stop = 1;
	return ts;
}

void values_destroy(struct values *ts)
{
	if (!ts)
		return;
	types_destroy(ts->types);
	map_deinit(&ts->names);
	map_deinit(&ts->unloaded);
	arena_destroy(ts->arena);
	free(ts);
}

bool values_stop(struct values *ts)
{
	enum types_kept kept = types_stop(ts->types);

	ts->stop++;
	if (kept != TYPES_STAND)
		value_type_names_clear(ts);
	if (kept == TYPES_GONE)
		arena_reset(ts->arena);
	return kept != TYPES_STAND;
}

void values_set_beside(struct values *ts, values_read_fn *read,
		       values_late_fn *late, void *arg)
{
	ts->read_beside = read;
	ts->late_beside = late;
	ts->beside = arg;
}

bool values_read(struct values *ts, uint64_t addr, void *buf, size_t n)
{
	if (values_beside(addr))
		return ts->read_beside &&
		       ts->read_beside(ts->beside, addr, buf, n);
	return !dbg_err_drop(target_read(ts->target, addr, buf, n));
}

struct types *values_types(struct values *ts)
{
	return ts->types;
}

struct target *values_target(struct values *ts)
{
	return ts->target;
}

struct dac *values_dac(struct values *ts)
{
	return ts->dac;
}

struct code *values_code(struct values *ts)
{
	return ts->code;
}

struct value_facts *value_type_facts(struct values *ts, const struct type *type)
{
	struct value_facts **facts = type_value(type);
	if (!*facts)
		*facts = arena_alloc(ts->arena, sizeof(**facts));
	return *facts;
}

/* ---- From the type system -------------------------------------------- */

struct type *value_type_of_mt(struct values *ts, uint64_t mt)
{
	return values_beside(mt) ? type_of_handle(ts->types, mt)
				 : type_of_record(ts->types, mt);
}

struct type *value_type_of_elem(struct values *ts, enum elem elem)
{
	return type_shown_elem(ts->types, elem);
}

struct type *value_type_pointer_to(struct values *ts, struct type *inner)
{
	return type_pointer(ts->types, inner);
}

struct type *value_type_byref_to(struct values *ts, struct type *inner)
{
	return type_byref(ts->types, inner);
}

struct type *value_type_array_of(struct values *ts, struct type *inner,
				 uint32_t rank)
{
	return rank <= 1 || rank > ARRAY_RANK_MAX
		   ? type_vector(ts->types, inner)
		   : type_array(ts->types, inner, rank);
}

struct type *value_type_of_def(struct values *ts, struct code_module *m,
			       uint32_t token)
{
	return type_def(ts->types, m, token);
}

struct type *value_type_core(struct values *ts, const char *full_name)
{
	return type_core(ts->types, full_name);
}

struct type *value_type_instance(struct values *ts, struct code_module *module,
				 uint32_t token, struct type **args,
				 size_t n_args)
{
	struct type *def = type_def(ts->types, module, token);
	return def && n_args <= ARGS_MAX
		   ? type_instance(ts->types, def, args, n_args)
		   : value_type_of_elem(ts, ELEM_OBJECT);
}

/* ---- Signatures ------------------------------------------------------ */

/* Does @hinted say more than what was made of @sig? */
static bool is_better(const struct sig_type *sig, const struct type *made,
		      const struct type *hinted)
{
	switch (sig->elem) {
	case ELEM_VALUETYPE:
		return made->elem == ELEM_VOID;
	case ELEM_GENERICINST:
		return made->elem == ELEM_OBJECT;
	case ELEM_VAR:
	case ELEM_MVAR:
		return made->label && !hinted->is_reference;
	default:
		return false;
	}
}

struct type *value_type_of_sig(struct values *ts, const struct sig_type *sig,
			       const struct type_context *ctx, uint64_t hint)
{
	struct type *hinted = value_type_of_mt(ts, hint);
	if (!ctx->module || !sig)
		return hinted ? hinted : value_type_of_elem(ts, ELEM_OBJECT);
	bool is_byref = sig->elem == ELEM_BYREF && sig->inner;
	struct type *il = type_shown(ts->types, sig, ctx);
	struct type *made = is_byref ? il->inner : il;
	if (!hinted || !is_better(is_byref ? sig->inner : sig, made, hinted))
		return il;
	return is_byref ? value_type_byref_to(ts, hinted) : hinted;
}

struct type *value_type_of_token(struct values *ts,
				 const struct type_context *ctx, uint32_t token)
{
	struct type *il;
	if (!ctx->module)
		return NULL;
	return dbg_err_drop(type_of_token(ts->types, ctx, token, &il)) ? NULL
								       : il;
}

/* ---- Facts on demand ------------------------------------------------- */

uint64_t value_type_mt(struct values *ts, struct type *type)
{
	return type_record(ts->types, type);
}

struct type *value_type_parent(struct values *ts, struct type *type)
{
	struct type *parent;
	return dbg_err_drop(type_parent(ts->types, type, &parent)) ? NULL
								   : parent;
}

bool value_type_derives(struct values *ts, struct type *type, struct type *base)
{
	bool derives;
	return !dbg_err_drop(type_derives(ts->types, type, base, &derives)) &&
	       derives;
}

bool value_type_is_exception(struct values *ts, struct type *type)
{
	struct type *base = value_type_core(ts, "System.Exception");
	return type->is_reference && base && value_type_derives(ts, type, base);
}

/* ---- Names ----------------------------------------------------------- */

const char *value_type_name(const struct type *type)
{
	const struct type *of =
	    type->kind == TYPE_KIND_BYREF ? type->inner : type;
	return type_name(of->of, (struct type *)of);
}

bool value_type_is_closure(const struct type *type)
{
	const char *name = type_simple_name(type);
	// C#'s, VB's, F#'s ("add@40", which has no dot or bracket)
	return str_starts(name, "<>c") || str_starts(name, "_Closure$__") ||
	       strchr(name, '@');
}

bool value_type_is_state_machine(const struct type *type)
{
	return csname_is_machine(type_simple_name(type));
}

bool value_type_is_compiler_made(const struct type *type)
{
	return type_simple_name(type)[0] == '<' ||
	       value_type_is_closure(type) || value_type_is_state_machine(type);
}
