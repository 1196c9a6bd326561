/*
 * dbg_symbol_search: functions, types and static fields by pattern, from the
 * metadata of all modules, a page at a time and interruptible.
 */
#include "session/session.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "code/search.h"

struct page {
	const struct dbg_symbol_req *req;
	struct arena *arena; /* of the result */
	size_t seen;
	struct dbg_symbol_page result;
};

static const char *symbol_text_copy(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

/* The part of @found, which follows what was seen, that is on the page. */
static void take_part(struct page *page, const struct dbg_symbol *found,
		      size_t n)
{
	const struct dbg_symbol_req *req = page->req;

	for (size_t i = 0; i < n; i++) {
		struct dbg_symbol s = found[i];

		if (page->seen++ < req->first)
			continue;
		if (page->result.n == req->max) {
			page->result.more = true;
			return;
		}
		s.name = symbol_text_copy(page->arena, s.name);
		s.type = symbol_text_copy(page->arena, s.type);
		s.text = symbol_text_copy(page->arena, s.text);
		s.file = symbol_text_copy(page->arena, s.file);
		s.module_name = symbol_text_copy(page->arena, s.module_name);
		page->result.symbols[page->result.n++] = s;
	}
}

static bool is_wanted(const struct dbg_symbol_req *req,
		      const struct code_module *m)
{
	return (!req->module || code_module_has_name(m, req->module)) &&
	       (!req->own || !m->framework) && (!req->debug || m->pdb);
}

static struct dbg_error *
search(struct dbg *dbg, const struct code_search *search, struct page *page)
{
	struct code *code = dbg->inspect.code;
	size_t n;
	struct code_module *const *modules = code_modules(code, &n);
	bool known = !page->req->module;

	for (size_t i = 0; i < n && !page->result.more; i++) {
		struct dbg_symbol *found;
		size_t n_found;

		known = known ||
			code_module_has_name(modules[i], page->req->module);
		if (!is_wanted(page->req, modules[i]))
			continue;

		struct arena *arena = arena_create();

		code_search(code, modules[i], search, arena, &found, &n_found);
		take_part(page, found, n_found);
		arena_destroy(arena);
		if (dbg->inspect.interrupted)
			return dbg_err(DBG_E_INTERRUPTED,
				       "interrupted in module '%s'",
				       modules[i]->name);
	}
	return known ? NULL
		     : dbg_err(DBG_E_NOT_FOUND, "no module '%s'",
			       page->req->module);
}

enum {
	PAGE_MAX = 1 << 18
};

struct dbg_error *dbg_symbol_search(struct dbg *dbg,
				    const struct dbg_symbol_req *req,
				    struct arena *arena,
				    struct dbg_symbol_page *ret)
{
	struct dbg_error *err = session_need_modules(dbg, false);
	struct pattern *name = NULL, *type = NULL;

	if (err)
		return err;
	if (req->max > PAGE_MAX)
		return dbg_err(DBG_E_ARGUMENT, "a page of more than %d symbols",
			       PAGE_MAX);
	dbg->inspect.interrupted = 0;
	if (req->name)
		err = pattern_create(req->name, &name);
	if (!err && req->type)
		err = pattern_create(req->type, &type);

	const struct code_search wanted = {
	    .kind = req->kind,
	    .name = name,
	    .type = type,
	    .interrupted = &dbg->inspect.interrupted,
	};
	struct page page = {
	    .req = req,
	    .arena = arena,
	    .result.symbols =
		arena_calloc(arena, req->max + 1, sizeof(struct dbg_symbol)),
	};

	if (!err)
		err = search(dbg, &wanted, &page);
	if (!err)
		*ret = page.result;
	pattern_destroy(name);
	pattern_destroy(type);
	return err;
}
