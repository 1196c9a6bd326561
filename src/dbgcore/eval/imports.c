/*
 * What `using` directives bring into a method, from the PDB's ImportScope
 * rows (Portable PDB, Imports Blob), and what Visual Basic has in scope
 * without.
 */
#include "eval/scope_priv.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

enum {
	LOCALSCOPE_METHOD = 0,
	LOCALSCOPE_IMPORTS = 1,
	IMPORTSCOPE_PARENT = 0,
	IMPORTSCOPE_BLOB = 1,
	ASSEMBLYREF_NAME = 6,
	PARENTS_MAX = 64,
	IMPORTS_MAX = 1000,
};

/* Kinds of imports. */
enum {
	USING_NAMESPACE = 1,
	USING_ASSEMBLY_NAMESPACE = 2,
	USING_TYPE = 3,
	XML_NAMESPACE = 4,
	ASSEMBLY_ALIAS_USED = 5,
	ASSEMBLY_ALIAS = 6,
	ALIAS_NAMESPACE = 7,
	ALIAS_ASSEMBLY_NAMESPACE = 8,
	ALIAS_TYPE = 9,
};

struct collector {
	struct gather *g;
	const struct md *pdb;
	struct reader r;
	size_t cap;
};

/* A name is a blob of UTF-8. */
static const char *take_name(struct collector *c)
{
	struct bytes b = md_blob(c->pdb, reader_cuint(&c->r));

	return arena_strndup(c->g->arena, (const char *)b.p, b.n);
}

static struct type *take_type(struct collector *c)
{
	uint32_t token = md_typedef_or_ref(reader_cuint(&c->r));
	return value_type_of_token(c->g->ts, &c->g->scope->context, token);
}

static void take_import(struct collector *c, struct import *ret)
{
	uint32_t kind = reader_u8(&c->r);
	if (kind == XML_NAMESPACE || kind == ASSEMBLY_ALIAS_USED ||
	    kind == ASSEMBLY_ALIAS || kind >= ALIAS_NAMESPACE)
		ret->alias = take_name(c);
	if (kind == USING_ASSEMBLY_NAMESPACE || kind == ASSEMBLY_ALIAS ||
	    kind == ALIAS_ASSEMBLY_NAMESPACE)
		reader_cuint(&c->r);
	if (kind == USING_TYPE || kind == ALIAS_TYPE)
		ret->type = take_type(c);
	else if (kind == USING_NAMESPACE || kind == USING_ASSEMBLY_NAMESPACE ||
		 kind == ALIAS_NAMESPACE || kind == ALIAS_ASSEMBLY_NAMESPACE)
		ret->space = take_name(c);
	else if (kind == XML_NAMESPACE)
		reader_cuint(&c->r);
	else if (kind != ASSEMBLY_ALIAS_USED && kind != ASSEMBLY_ALIAS)
		c->r.bad = true; // its length is not known
}

static void add(struct collector *c, const struct import *import)
{
	struct scope *s = c->g->scope;
	if (s->n_imports == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 16;
		struct import *more =
		    arena_calloc(c->g->arena, cap, sizeof(more[0]));
		if (s->n_imports)
			memcpy(more, s->imports,
			       s->n_imports * sizeof(more[0]));
		s->imports = more;
		c->cap = cap;
	}
	s->imports[s->n_imports++] = *import;
}

/* Is there anything of Visual Basic's runtime library in it? */
static bool is_visual_basic(const struct md *md)
{
	for (uint32_t r = 1; r <= md_rows(md, MD_ASSEMBLYREF); r++) {
		if (str_starts(
			md_col_string(md, MD_ASSEMBLYREF, r, ASSEMBLYREF_NAME),
			"Microsoft.VisualBasic"))
			return true;
	}
	return false;
}

/* Visual Basic's Modules: their members are in scope as by `using static`. */
static void add_standard_modules(struct collector *c)
{
	static const char name[] = "Microsoft.VisualBasic.CompilerServices."
				   "StandardModuleAttribute";
	struct gather *g = c->g;
	const struct md *md = &g->frame->pos->module->md;
	if (!is_visual_basic(md))
		return;
	for (uint32_t r = 1;
	     r <= md_rows(md, MD_TYPEDEF) && g->scope->n_imports < IMPORTS_MAX;
	     r++) {
		uint32_t token = MD_TOKEN(MD_TYPEDEF, r);
		struct import import = {0};
		if (!md_has_attribute(md, token, name, NULL))
			continue;
		import.type =
		    value_type_of_token(g->ts, &g->scope->context, token);
		if (import.type)
			add(c, &import);
	}
}

void scope_add_imports(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct collector c = {.g = g};
	uint32_t n;
	add_standard_modules(&c);
	if (!pos->module->pdb)
		return;
	uint32_t method;
	c.pdb = pdb_method_md(pos->module->pdb, code_pos_method(pos), &method);
	if (!c.pdb)
		return;
	uint32_t row =
	    md_find(c.pdb, MD_LOCALSCOPE, LOCALSCOPE_METHOD, method, &n);
	uint32_t at =
	    row ? md_col(c.pdb, MD_LOCALSCOPE, row, LOCALSCOPE_IMPORTS) : 0;
	for (int i = 0; at && i < PARENTS_MAX; i++) {
		struct bytes blob =
		    md_col_blob(c.pdb, MD_IMPORTSCOPE, at, IMPORTSCOPE_BLOB);
		reader_init(&c.r, blob.p, blob.n);
		while (reader_left(&c.r) && g->scope->n_imports < IMPORTS_MAX) {
			struct import import = {0};
			take_import(&c, &import);
			if (c.r.bad)
				break;
			if (import.space || import.type)
				add(&c, &import);
		}
		at = md_col(c.pdb, MD_IMPORTSCOPE, at, IMPORTSCOPE_PARENT);
	}
}
