/*
 * Functions, types and static fields of one module by patterns, from its
 * metadata alone. Names are made one after the other into one buffer; what
 * belongs to a name (type, declaration, source) is made for those that match.
 */
#include "code/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/sig.h"

enum {
	SYMBOLS_MAX = 1 << 18,
	TYPE_ARGS_MAX = 32,
	NESTED_MAX = 32,
	// ECMA-335 II.22.15, .26, .37
	FIELD_FLAGS = 0,
	FIELD_NAME = 1,
	FIELD_SIGNATURE = 2,
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	METHOD_SIGNATURE = 4,
	TYPEDEF_FLAGS = 0,
	TYPEDEF_NAME = 1,
	TYPEDEF_EXTENDS = 3,
	// II.23.1.5, .10, .15
	STATIC_FLAG = 0x10,
	LITERAL_FLAG = 0x40,
	INTERFACE_FLAG = 0x20,
};

struct line {
	uint32_t document, line; // 0: none
};

struct finder {
	const struct code_search *search;
	struct code *code;
	struct module *mod;
	const struct md *md;
	struct arena *arena;
	struct line *lines; // by MethodDef rid
	struct {
		uint32_t type; // rid, 0: none yet
		struct str name;
	} metadata; // of the type that was asked for last
	struct dbg_symbol *list;
	size_t n, cap;
};

static bool matches(const struct pattern *p, const char *text)
{
	return !p || pattern_matches(p, text);
}

static bool goes_on(const struct finder *f)
{
	return f->n < SYMBOLS_MAX && !*f->search->interrupted;
}

// The first line that each method has code on.
static void read_lines(struct finder *f)
{
	struct pdb *pdb = f->mod->m.pdb;
	uint32_t rows = md_rows(f->md, MD_METHODDEF);
	size_t n = 0;
	const struct pdb_method_lines *index =
	    pdb ? pdb_method_index(pdb, &n) : NULL;

	f->lines = xcalloc((size_t)rows + 1, sizeof(*f->lines));
	for (size_t i = 0; i < n; i++) {
		uint32_t rid = index[i].method_rid;

		if (rid <= rows && !f->lines[rid].line)
			f->lines[rid] =
			    (struct line){index[i].document, index[i].min_line};
	}
}

// Is the type, or one around it, named by the compiler alone?
static bool is_made(const struct md *md, uint32_t type)
{
	for (int depth = 0; type && depth < NESTED_MAX; depth++) {
		if (*md_col_string(md, MD_TYPEDEF, type, TYPEDEF_NAME) == '<')
			return true;
		type = md_enclosing(md, type);
	}
	return false;
}

static void add_match(struct finder *f, const struct dbg_symbol *s,
		      const struct line *at)
{
	mem_grow(&f->list, &f->cap, f->n, sizeof(*f->list));
	f->list[f->n] = *s;
	if (at->line) {
		f->list[f->n].file =
		    module_document(f->code, f->mod, at->document);
		f->list[f->n].line = at->line;
	}
	f->n++;
}

// "Ns.Outer+Inner`1", for those who have names from reflection.
static const char *metadata_name(struct finder *f, uint32_t type)
{
	if (f->metadata.type != type) {
		str_clear(&f->metadata.name);
		csname_metadata_type(f->md, MD_TOKEN(MD_TYPEDEF, type),
				     &f->metadata.name);
		f->metadata.type = type;
	}
	return str_get(&f->metadata.name);
}

/* ---- Functions ------------------------------------------------------- */

static void add_params(const struct finder *f, const struct sig_method *sig,
		       uint32_t token, struct str *out)
{
	str_add(out, " (");
	for (uint32_t i = 0; i < sig->n_params; i++) {
		str_add(out, i ? ", " : "");
		csname_sig(f->md, sig->params[i], token, NULL, out);
	}
	str_addc(out, ')');
}

static const char *function_type(const struct finder *f, uint32_t token,
				 size_t *ret_n_return)
{
	_cleanup_str_ struct str type = {0};
	struct sig_method *sig;
	struct bytes blob = md_col_blob(f->md, MD_METHODDEF,
					MD_TOKEN_RID(token), METHOD_SIGNATURE);

	*ret_n_return = 0;
	if (dbg_err_drop(sig_parse_method(blob, f->arena, &sig)))
		return "?";
	csname_sig(f->md, sig->ret, token, NULL, &type);
	*ret_n_return = type.len;
	add_params(f, sig, token, &type);
	str_one_line(&type, 0);
	return arena_strdup(f->arena, str_get(&type));
}

// A constructor returns nothing, and C# does not say so.
static const char *function_text(const struct finder *f, uint32_t rid,
				 const char *full, const char *type,
				 size_t n_return)
{
	uint32_t flags = md_col(f->md, MD_METHODDEF, rid, METHOD_FLAGS);
	bool made =
	    *md_col_string(f->md, MD_METHODDEF, rid, METHOD_NAME) == '.';

	return arena_printf(
	    f->arena, "%s%.*s%s%s", flags & STATIC_FLAG ? "static " : "",
	    made ? 0 : (int)n_return, type, made || !n_return ? "" : " ", full);
}

static void add_function(struct finder *f, uint32_t rid, const char *full,
			 const char *plain, const struct line *at)
{
	uint32_t token = MD_TOKEN(MD_METHODDEF, rid);
	size_t n_return;
	const char *type = function_type(f, token, &n_return);

	if (!matches(f->search->type, type))
		return;
	struct dbg_symbol s = {
	    .name = arena_strdup(f->arena, plain),
	    .type = type,
	    .text = function_text(f, rid, full, type, n_return),
	    .token = token,
	};
	add_match(f, &s, at);
}

static bool is_made_method(const struct md *md, uint32_t rid)
{
	return *md_col_string(md, MD_METHODDEF, rid, METHOD_NAME) == '<' ||
	       is_made(md, md_method_type(md, rid));
}

// The name in the metadata: accessors and constructors have their own there.
static bool matches_metadata(struct finder *f, uint32_t rid)
{
	_cleanup_str_ struct str name = {0};

	str_addf(&name, "%s.%s", metadata_name(f, md_method_type(f->md, rid)),
		 md_col_string(f->md, MD_METHODDEF, rid, METHOD_NAME));
	return matches(f->search->name, str_get(&name));
}

static void find_functions(struct finder *f)
{
	const struct pdb *pdb = f->mod->m.pdb;
	uint32_t rows = md_rows(f->md, MD_METHODDEF);
	_cleanup_str_ struct str full = {0}, plain = {0};

	for (uint32_t rid = 1; rid <= rows && goes_on(f); rid++) {
		uint32_t body = pdb ? pdb_move_next_of(pdb, rid) : 0;
		struct line at = f->lines[body && body <= rows ? body : rid];

		// a state machine is found by the method it was made from
		if ((pdb && pdb_kickoff_of(pdb, rid)) ||
		    csname_kickoff(f->md, rid))
			continue;
		if (!at.line && is_made_method(f->md, rid))
			continue;
		str_clear(&full);
		str_clear(&plain);
		size_t list = csname_method(f->md, MD_TOKEN(MD_METHODDEF, rid),
					    true, NULL, &full);
		str_addn(&plain, str_get(&full), list);
		if (matches(f->search->name, str_get(&plain)) ||
		    matches(f->search->name, str_get(&full)) ||
		    matches_metadata(f, rid))
			add_function(f, rid, str_get(&full), str_get(&plain),
				     &at);
	}
}

/* ---- Types ----------------------------------------------------------- */

// The file that contains the type's code, if it has any; without a line.
static const char *type_file(struct finder *f, uint32_t type)
{
	uint32_t first, end;

	md_type_methods(f->md, type, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(f->md, MD_LIST_METHODS, i);

		if (f->lines[rid].line)
			return module_document(f->code, f->mod,
					       f->lines[rid].document);
	}
	return NULL;
}

static const char *type_kind(const struct md *md, uint32_t rid)
{
	static const char *const kinds[][2] = {
	    {"System.Enum", "enum"},
	    {"System.ValueType", "struct"},
	    {"System.MulticastDelegate", "delegate"},
	};
	uint32_t base =
	    md_typedef_or_ref(md_col(md, MD_TYPEDEF, rid, TYPEDEF_EXTENDS));
	_cleanup_str_ struct str name = {0};

	if (md_col(md, MD_TYPEDEF, rid, TYPEDEF_FLAGS) & INTERFACE_FLAG)
		return "interface";
	if (MD_TOKEN_RID(base))
		csname_type(md, base, NULL, &name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(str_get(&name), kinds[i][0]))
			return kinds[i][1];
	return "class";
}

static void find_types(struct finder *f)
{
	uint32_t rows = md_rows(f->md, MD_TYPEDEF);
	_cleanup_str_ struct str name = {0};

	for (uint32_t rid = 1; rid <= rows && goes_on(f); rid++) {
		uint32_t token = MD_TOKEN(MD_TYPEDEF, rid);
		const char *kind = type_kind(f->md, rid);

		if (is_made(f->md, rid))
			continue;
		str_clear(&name);
		csname_type(f->md, token, NULL, &name);
		if (!matches(f->search->type, kind) ||
		    (!matches(f->search->name, str_get(&name)) &&
		     !matches(f->search->name, metadata_name(f, rid))))
			continue;
		struct dbg_symbol s = {
		    .name = arena_strdup(f->arena, str_get(&name)),
		    .type = kind,
		    .text =
			arena_printf(f->arena, "%s %s", kind, str_get(&name)),
		    .file = type_file(f, rid),
		    .token = token,
		};
		add_match(f, &s, &(struct line){0});
	}
}

/* ---- Static fields --------------------------------------------------- */

// The type's own parameters, by which the field's type is named.
static void read_params(const struct md *md, uint32_t type,
			const char *names[TYPE_ARGS_MAX],
			struct csname_args *ret)
{
	uint32_t n = 0;
	uint32_t rid = md_find(md, MD_GENERICPARAM, 2, type << 1, &n);

	for (uint32_t i = 0; rid && i < n && i < TYPE_ARGS_MAX; i++)
		names[ret->n_type_args++] =
		    md_col_string(md, MD_GENERICPARAM, rid + i, 3);
	ret->type_args = names;
}

static const char *field_type(const struct finder *f, uint32_t rid,
			      uint32_t type)
{
	const char *names[TYPE_ARGS_MAX];
	struct csname_args args = {0};
	struct sig_type *sig;
	_cleanup_str_ struct str text = {0};
	struct bytes blob = md_col_blob(f->md, MD_FIELD, rid, FIELD_SIGNATURE);

	if (dbg_err_drop(sig_parse_field(blob, f->arena, &sig)))
		return "?";
	read_params(f->md, type, names, &args);
	csname_sig(f->md, sig, 0, &args, &text);
	str_one_line(&text, 0);
	return arena_strdup(f->arena, str_get(&text));
}

static void add_variable(struct finder *f, uint32_t rid, uint32_t owner,
			 const char *name)
{
	const char *type = field_type(f, rid, owner);

	if (!matches(f->search->type, type))
		return;
	struct dbg_symbol s = {
	    .name = arena_strdup(f->arena, name),
	    .type = type,
	    .text = arena_printf(f->arena, "static %s %s", type, name),
	    .file = type_file(f, owner),
	    .token = MD_TOKEN(MD_FIELD, rid),
	};
	add_match(f, &s, &(struct line){0});
}

static void find_variables(struct finder *f)
{
	uint32_t rows = md_rows(f->md, MD_FIELD);
	_cleanup_str_ struct str name = {0};

	for (uint32_t rid = 1; rid <= rows && goes_on(f); rid++) {
		uint32_t flags = md_col(f->md, MD_FIELD, rid, FIELD_FLAGS);
		uint32_t owner = md_field_type(f->md, rid);

		if (!(flags & STATIC_FLAG) || flags & LITERAL_FLAG ||
		    is_made(f->md, owner))
			continue;
		const char *own = csname_source_name(
		    f->arena, md_col_string(f->md, MD_FIELD, rid, FIELD_NAME));
		if (!own)
			continue;
		str_clear(&name);
		csname_type(f->md, MD_TOKEN(MD_TYPEDEF, owner), NULL, &name);
		str_addf(&name, ".%s", own);
		if (matches(f->search->name, str_get(&name)))
			add_variable(f, rid, owner, str_get(&name));
	}
}

/* ---- All ------------------------------------------------------------- */

static int symbol_compare(const void *a, const void *b)
{
	const struct dbg_symbol *s = a, *t = b;
	int order = strcmp(s->name, t->name);

	return order ? order : strcmp(s->text, t->text);
}

void code_search(struct code *c, struct code_module *m,
		 const struct code_search *search, struct arena *arena,
		 struct dbg_symbol **ret, size_t *ret_n)
{
	static void (*const finders[])(struct finder *) = {
	    [DBG_SYMBOL_FUNCTION] = find_functions,
	    [DBG_SYMBOL_TYPE] = find_types,
	    [DBG_SYMBOL_VARIABLE] = find_variables,
	};
	struct finder f = {
	    .search = search,
	    .code = c,
	    .mod = module_of(m),
	    .md = &m->md,
	    .arena = arena,
	};

	read_lines(&f);
	finders[search->kind](&f);
	if (f.n)
		qsort(f.list, f.n, sizeof(*f.list), symbol_compare);
	for (size_t i = 0; i < f.n; i++) {
		f.list[i].module = m->number;
		f.list[i].module_name = m->name;
	}
	*ret = arena_copy(arena, f.list, f.n, sizeof(*f.list));
	*ret_n = f.n;
	free(f.list);
	free(f.lines);
	str_deinit(&f.metadata.name);
}
