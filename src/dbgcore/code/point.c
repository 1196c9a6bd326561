/*
 * Statements of a file by line and column: the ones in a range, for editors,
 * and the one that a column of a breakpoint means.
 */
#include "code/code_priv.h"

#include "base/mem.h"

static void each_of_method(struct module *mod, const struct pdb_method_lines *e,
			   const struct code_spot *spot, code_point_fn *fn,
			   void *arg, const char *path)
{
	uint32_t token = MD_TOKEN(MD_METHODDEF, e->method_rid);
	const struct module_points *p = module_points(mod, token);
	uint32_t last = spot->last_line ? spot->last_line : spot->line;

	for (size_t i = 0; i < p->n; i++) {
		const struct seq_point *sp = &p->points[i];

		if (sp->line && sp->document == e->document &&
		    sp->line >= spot->line && sp->line <= last)
			fn(arg, path, token, sp);
	}
}

void code_each_point(struct code *c, struct code_module *m,
		     const struct code_spot *spot, code_point_fn *fn, void *arg)
{
	struct module *mod = module_of(m);
	uint32_t last = spot->last_line ? spot->last_line : spot->line;
	size_t n = 0;
	const struct pdb_method_lines *index =
	    m->pdb ? pdb_method_index(m->pdb, &n) : NULL;
	uint32_t document = 0;
	bool meant = false;

	for (size_t i = 0; i < n; i++) {
		const struct pdb_method_lines *e = &index[i];

		// sorted by document
		if (e->document != document) {
			document = e->document;
			meant = place_takes(c, mod, document, spot->file);
		}
		if (meant && e->min_line <= last && e->max_line >= spot->line)
			each_of_method(mod, e, spot, fn, arg,
				       module_document(c, mod, document));
	}
}

struct choice {
	uint32_t column;
	uint32_t token; /* 0: none yet */
	struct seq_point best;
};

static uint32_t width(const struct seq_point *p)
{
	return p->end_line > p->line ? UINT32_MAX : p->end_column - p->column;
}

static void consider(void *arg, const char *path, uint32_t token,
		     const struct seq_point *p)
{
	struct choice *ch = arg;

	(void)path;
	if (p->column > ch->column ||
	    (p->end_line == p->line && p->end_column <= ch->column))
		return;
	if (ch->token && width(p) >= width(&ch->best))
		return;
	ch->token = token;
	ch->best = *p;
}

struct dbg_error *code_find_column(struct code *c, struct code_module *m,
				   const struct code_spot *spot,
				   struct arena *arena, struct code_place **ret,
				   size_t *ret_n)
{
	struct choice ch = {.column = spot->column};

	code_each_point(c, m, spot, consider, &ch);
	*ret_n = 0;
	if (!ch.token)
		return NULL;
	*ret = arena_calloc(arena, 1, sizeof(**ret));
	**ret = (struct code_place){
	    .module = m,
	    .token = ch.token,
	    .version = code_method_version(m, ch.token),
	    .il_offset = ch.best.il_offset,
	    .document = ch.best.document,
	    .line = ch.best.line,
	    .column = ch.best.column,
	};
	*ret_n = 1;
	return NULL;
}

void code_each_path(struct code *c, struct code_module *m, code_name_fn *fn,
		    void *arg)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		fn(arg, module_document(c, module_of(m), rid));
}
