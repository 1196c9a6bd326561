/*
 * Names of variables at a place without a program: parameters from metadata,
 * locals and their scopes from the PDB, what the compiler moved into the
 * fields of a closure or a state machine from those.
 */
#include "code/placenames.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/sig.h"

enum {
	FIELD_NAME = 1, // II.22.15
	FIELD_SIGNATURE = 2,
	METHOD_SIGNATURE = 4, // II.22.26
	TYPEDEF_NAME = 1,     // II.22.37
};

struct names {
	const struct code_module *m;
	uint32_t method; // MethodDef rid, for generic parameters
	struct arena *arena;
	struct dbg_scope_name *v;
	size_t n, cap;
};

static void place_name_add(struct names *l, const char *name,
			   const struct sig_type *type, bool argument)
{
	_cleanup_str_ struct str text = {0};

	if (type)
		csname_sig(&l->m->md, type, MD_TOKEN(MD_METHODDEF, l->method),
			   NULL, &text);
	str_one_line(&text, 0);
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = (struct dbg_scope_name){
	    .name = arena_strdup(l->arena, name),
	    .type = arena_strdup(l->arena, str_get(&text)),
	    .argument = argument,
	};
}

static void add_arguments(struct names *l)
{
	const struct md *md = &l->m->md;
	struct sig_method *sig;

	if (dbg_err_drop(sig_parse_method(
		md_col_blob(md, MD_METHODDEF, l->method, METHOD_SIGNATURE),
		l->arena, &sig)))
		return;
	for (uint32_t i = 0; i < sig->n_params; i++)
		place_name_add(l, md_param_name(md, l->method, i + 1),
			       sig->params[i], true);
}

static void add_locals(struct names *l, uint32_t body, uint32_t il_offset)
{
	const struct md *md = &l->m->md;
	struct il_body il;
	struct pdb_local *locals;
	struct sig_type **types = NULL;
	uint32_t n_types = 0;
	size_t n;

	const struct pdb_method method = {
	    body, code_method_version(l->m, MD_TOKEN(MD_METHODDEF, body))};
	if (!l->m->pdb || dbg_err_drop(pdb_locals(l->m->pdb, method, il_offset,
						  l->arena, &locals, &n)))
		return;
	module_body(l->m, MD_TOKEN(MD_METHODDEF, body), l->arena, &il);
	if (il.local_sig && dbg_err_drop(sig_parse_locals(
				md_col_blob(md, MD_STANDALONESIG,
					    MD_TOKEN_RID(il.local_sig), 0),
				l->arena, &types, &n_types)))
		n_types = 0;
	for (size_t i = 0; i < n; i++) {
		const char *name = csname_source_name(l->arena, locals[i].name);
		bool typed = locals[i].slot < n_types;

		// 1: DebuggerHidden, of the compiler's own
		if (name && !(locals[i].attributes & 1))
			place_name_add(l, name,
				       typed ? types[locals[i].slot] : NULL,
				       false);
	}
}

// Add the variables that were moved into fields of @type: in a state machine
// the fields "<x>5__1", in a closure those with ordinary names.
static void add_fields(struct names *l, uint32_t type, bool machine)
{
	const struct md *md = &l->m->md;
	uint32_t first, end;

	md_type_fields(md, type, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_FIELDS, i);
		const char *raw = md_col_string(md, MD_FIELD, rid, FIELD_NAME);
		const char *name = csname_source_name(l->arena, raw);
		struct sig_type *sig;

		if (!name || (*raw == '<') != machine || raw[1] == '>' ||
		    dbg_err_drop(sig_parse_field(
			md_col_blob(md, MD_FIELD, rid, FIELD_SIGNATURE),
			l->arena, &sig)))
			continue;
		place_name_add(l, name, sig, false);
	}
}

void code_place_names(struct code_module *m, uint32_t token, uint32_t il_offset,
		      struct arena *arena, struct dbg_scope_name **ret,
		      size_t *ret_n)
{
	const struct md *md = &m->md;
	uint32_t body = MD_TOKEN_RID(token);
	uint32_t kickoff = m->pdb ? pdb_kickoff_of(m->pdb, body) : 0;
	uint32_t type = md_method_type(md, body);
	const char *owner = md_col_string(md, MD_TYPEDEF, type, TYPEDEF_NAME);
	struct names l = {
	    .m = m,
	    .method = kickoff ? kickoff : body,
	    .arena = arena,
	};

	add_arguments(&l);
	add_locals(&l, body, il_offset);
	if (kickoff)
		add_fields(&l, type, true);
	else if (str_starts(owner, "<>c__DisplayClass"))
		add_fields(&l, type, false);
	*ret = arena_copy(arena, l.v, l.n, sizeof(*l.v));
	*ret_n = l.n;
	free(l.v);
}
