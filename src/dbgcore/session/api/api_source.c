/*
 * Source files: lines, places where a breakpoint is possible, the list of
 * files. Everything works while the program runs, since it is read from files
 * and from copies.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/placenames.h"

struct points {
	struct dbg_source_range *v;
	size_t n, cap;
};

enum {
	POINTS_MAX = 100000
};

static void add_point(void *arg, const char *path, uint32_t token,
		      const struct seq_point *p)
{
	struct points *list = arg;

	(void)path;
	(void)token;
	if (list->n == POINTS_MAX)
		return;
	mem_grow(&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n++] = (struct dbg_source_range){
	    .line = p->line,
	    .column = p->column,
	    .end_line = p->end_line,
	    .end_column = p->end_column,
	};
}

static int compare_points(const void *a, const void *b)
{
	const struct dbg_source_range *x = a;
	const struct dbg_source_range *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static size_t unique_points(struct dbg_source_range *v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof(*v), compare_points);
	for (size_t i = 0; i < n; i++)
		if (!kept || compare_points(&v[kept - 1], &v[i]))
			v[kept++] = v[i];
	return kept;
}

struct dbg_error *dbg_scope_names(struct dbg *dbg, dbg_id frame,
				  const struct dbg_place *place,
				  struct arena *arena,
				  struct dbg_scope_name **ret, size_t *ret_n)
{
	struct dbg_location *found;
	size_t n;
	struct dbg_error *err =
	    dbg_locate(dbg, frame, place, arena, &found, &n);

	if (err)
		return err;

	struct code_module *m =
	    found[0].module
		? code_module_named(dbg->inspect.code, found[0].module)
		: NULL;

	if (!m || !found[0].token)
		return dbg_err(DBG_E_NOT_FOUND, "no method there");
	code_place_names(m, found[0].token, found[0].il_offset, arena, ret,
			 ret_n);
	return NULL;
}

struct dbg_error *dbg_source_lines(struct dbg *dbg, const char *file,
				   const char *const **ret_lines, size_t *ret_n,
				   const char **ret_note)
{
	struct dbg_error *err = session_need_modules(dbg, false);

	return err ? err
		   : source_lines(dbg->inspect.code, file, ret_lines, ret_n,
				  ret_note);
}

void dbg_source_origin(struct dbg *dbg, const char *path,
		       struct dbg_source_origin *ret)
{
	const struct code_module *m = NULL;

	*ret = (struct dbg_source_origin){0};
	if (!dbg_err_drop(session_need_modules(dbg, false)))
		m = source_owner(dbg->inspect.code, path, &ret->here,
				 &ret->away);
	if (m)
		ret->module = m->name;
}

struct dbg_error *dbg_source_points(struct dbg *dbg, const char *file,
				    uint32_t first, uint32_t last,
				    struct arena *arena,
				    struct dbg_source_range **ret,
				    size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, false);
	struct code_spot spot = {
	    .file = file,
	    .line = first,
	    .last_line = last,
	};
	struct points list = {0};
	size_t n;

	if (err)
		return err;

	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);

	for (size_t i = 0; i < n; i++)
		code_each_point(dbg->inspect.code, modules[i], &spot, add_point,
				&list);
	*ret_n = list.n ? unique_points(list.v, list.n) : 0;
	*ret = arena_calloc(arena, *ret_n + 1, sizeof(**ret));
	if (*ret_n)
		memcpy(*ret, list.v, *ret_n * sizeof(**ret));
	free(list.v);
	return NULL;
}

struct paths {
	struct arena *arena;
	const char **v;
	size_t n, cap;
};

static void add_path(void *arg, const char *path)
{
	struct paths *list = arg;

	mem_grow(&list->v, &list->cap, list->n, sizeof(const char *));
	list->v[list->n++] = arena_strdup(list->arena, path);
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct dbg_error *dbg_source_list(struct dbg *dbg, uint32_t module,
				  struct arena *arena, const char ***ret,
				  size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, false);
	struct paths list = {.arena = arena};

	if (err)
		return err;

	size_t n;
	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);

	for (size_t i = 0; i < n; i++)
		if (!module || modules[i]->number == module)
			code_each_path(dbg->inspect.code, modules[i], add_path,
				       &list);
	*ret = arena_calloc(arena, list.n + 1, sizeof(**ret));
	*ret_n = 0;
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), compare_paths);
	for (size_t i = 0; i < list.n; i++)
		if (!i || strcmp(list.v[i - 1], list.v[i]))
			(*ret)[(*ret_n)++] = list.v[i];
	free(list.v);
	return NULL;
}
