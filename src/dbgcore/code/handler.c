/*
 * The exception clauses of a method (ECMA-335 II.25.4.6) around a position:
 * what they catch, and where their handlers begin in the source. What the
 * compiler put around the body of an async method is no handler of the user's.
 */
#include "code/handler.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/il.h"

enum {
	CLAUSE_CATCH = 0,
	CLAUSE_FILTER = 1,
};

/*
 * The first visible sequence point of the handler, which for a filter is in its
 * condition; NULL: none.
 */
static const struct seq_point *first_point(const struct module_points *points,
					   const struct il_clause *clause)
{
	// a filter ends where its handler begins
	uint32_t start = clause->flags == CLAUSE_FILTER
			     ? clause->token_or_filter
			     : clause->handler_offset;
	uint32_t end = clause->handler_offset + clause->handler_length;

	for (size_t i = 0; i < points->n; i++) {
		const struct seq_point *p = &points->points[i];

		if (p->line && p->il_offset >= start && p->il_offset < end)
			return p;
	}
	return NULL;
}

/*
 * Is it the catch clause that the compiler puts around the body of an async
 * method to store the exception in the task? It contains no source line.
 */
static bool is_tasks(const struct code_pos *pos,
		     const struct module_points *points,
		     const struct il_body *body, size_t i)
{
	const struct code_module *m = pos->module;
	uint32_t rid = MD_TOKEN_RID(pos->token);

	if (points->n ? first_point(points, &body->clauses[i]) != NULL
		      : i + 1 != body->n_clauses)
		return false;
	return (m->pdb && pdb_kickoff_of(m->pdb, rid)) ||
	       csname_kickoff(&m->md, rid);
}

static const char *type_name(const struct md *md, uint32_t token,
			     struct arena *arena)
{
	_cleanup_str_ struct str name = {0};

	csname_type(md, token, NULL, &name);
	if (!strcmp(str_get(&name), "object") ||
	    !strcmp(str_get(&name), "System.Exception"))
		return NULL;
	return arena_strdup(arena, str_get(&name));
}

/*
 * The token of the type that a filter tests for. Filters that compilers
 * generate begin with such a test; 0: this one does not.
 */
static uint32_t filter_type(const struct il_body *body,
			    const struct il_clause *clause)
{
	struct il_insn insn;

	if (il_decode(body->code, clause->token_or_filter, &insn) && insn.op &&
	    insn.op->code == IL_OP_ISINST)
		return (uint32_t)insn.value;
	return 0;
}

/*
 * Does the handler throw what it has caught once more, and nothing else? Then
 * no instruction leaves it (III.3.46) or throws another exception.
 */
static bool passes_on(const struct il_body *body,
		      const struct il_clause *clause)
{
	uint32_t end = clause->handler_offset + clause->handler_length;
	bool again = false;
	struct il_insn insn;

	for (uint32_t at = clause->handler_offset; at < end; at += insn.size) {
		if (!il_decode(body->code, at, &insn) || !insn.op ||
		    insn.op->code == IL_OP_LEAVE ||
		    insn.op->code == IL_OP_LEAVE_S ||
		    insn.op->code == IL_OP_THROW)
			return false;
		again |= insn.op->code == IL_OP_RETHROW;
	}
	return again;
}

static void fill(struct code *c, const struct code_pos *pos,
		 const struct il_body *body, size_t i, struct arena *arena,
		 struct code_handler *ret)
{
	struct module *mod = module_of(pos->module);
	const struct module_points *points =
	    module_points_of(mod, pos->token, pos->version);
	const struct il_clause *clause = &body->clauses[i];
	const struct seq_point *point = first_point(points, clause);

	uint32_t token = clause->token_or_filter;

	ret->kind = CODE_HANDLER_CATCH;
	if (clause->flags == CLAUSE_FILTER) {
		ret->kind = CODE_HANDLER_FILTER;
		token = filter_type(body, clause);
	}
	if (token)
		ret->type = type_name(&pos->module->md, token, arena);
	ret->generic = MD_TOKEN_TABLE(token) == MD_TYPESPEC;
	ret->passes_on = passes_on(body, clause);
	if (!ret->type && clause->flags == CLAUSE_CATCH &&
	    is_tasks(pos, points, body, i))
		ret->kind = CODE_HANDLER_TASK;
	if (point) {
		ret->line = point->line;
		ret->il_offset = point->il_offset;
		ret->path = module_document(c, mod, point->document);
	}
}

static bool filters_find(const struct code_module *m)
{
	struct arena *arena = arena_create();
	uint32_t n = md_rows(&m->md, MD_METHODDEF);
	bool found = false;

	for (uint32_t rid = 1; !found && rid <= n; rid++) {
		struct il_body body;

		module_body(m, MD_TOKEN(MD_METHODDEF, rid), arena, &body);
		for (size_t i = 0; i < body.n_clauses; i++)
			found |= body.clauses[i].flags == CLAUSE_FILTER;
		arena_reset(arena);
	}
	arena_destroy(arena);
	return found;
}

bool code_has_filters(struct code_module *m)
{
	struct module *mod = module_of(m);

	if (!mod->filters_known)
		mod->filters = filters_find(m);
	mod->filters_known = true;
	return mod->filters;
}

bool code_is_in_catch(const struct code_pos *pos)
{
	struct il_body body;
	bool found = false;

	if (!pos->module || pos->region == CODE_REGION_BODY ||
	    pos->il_offset == UINT32_MAX)
		return false;
	struct arena *arena = arena_create();
	module_body_at(pos, arena, &body);
	for (size_t i = 0; i < body.n_clauses; i++) {
		const struct il_clause *clause = &body.clauses[i];
		// a filter ends where its handler begins
		uint32_t start = clause->flags == CLAUSE_FILTER
				     ? clause->token_or_filter
				     : clause->handler_offset;
		uint32_t end = clause->handler_offset + clause->handler_length;

		found |= clause->flags <= CLAUSE_FILTER &&
			 pos->il_offset >= start && pos->il_offset < end;
	}
	arena_destroy(arena);
	return found;
}

void code_handlers(struct code *c, const struct code_pos *pos,
		   struct arena *arena, struct code_handler **ret,
		   size_t *ret_n)
{
	struct il_body body;

	*ret = NULL;
	*ret_n = 0;
	if (!pos->module || pos->il_offset == UINT32_MAX)
		return;
	module_body_at(pos, arena, &body);
	*ret = arena_calloc(arena, body.n_clauses + 1, sizeof(**ret));
	// II.19: the inner ones come first
	for (size_t i = 0; i < body.n_clauses; i++) {
		const struct il_clause *clause = &body.clauses[i];

		if (clause->flags <= CLAUSE_FILTER &&
		    pos->il_offset - clause->try_offset < clause->try_length)
			fill(c, pos, &body, i, arena, &(*ret)[(*ret_n)++]);
	}
}

/* Take [start, end) if it holds @il and is smaller than what was found. */
static void narrow(uint32_t il, uint32_t start, uint32_t end, uint32_t *size,
		   uint32_t *ret)
{
	if (il < start || il >= end || end - start >= *size)
		return;
	*size = end - start;
	*ret = start;
}

uint32_t code_handler_at(struct code_module *m, uint32_t token,
			 uint32_t il_offset)
{
	struct arena *arena = arena_create();
	uint32_t found = UINT32_MAX, size = UINT32_MAX;
	struct il_body body;

	module_body(m, token, arena, &body);
	for (size_t i = 0; i < body.n_clauses; i++) {
		const struct il_clause *c = &body.clauses[i];

		narrow(il_offset, c->handler_offset,
		       c->handler_offset + c->handler_length, &size, &found);
		// a filter ends where its handler begins
		if (c->flags == CLAUSE_FILTER)
			narrow(il_offset, c->token_or_filter, c->handler_offset,
			       &size, &found);
	}
	arena_destroy(arena);
	return found;
}
