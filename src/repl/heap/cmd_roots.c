/*
 * Commands about what keeps objects alive, and about their locks: `heap roots`,
 * `handles`, `finalizequeue`, `syncblk`.
 */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	PATHS_SHOWN = 10,
	WAY_ENDS = 4, /* steps at either end that are named in a line */
	ROW_LONG = 5, /* objects of one type that refer to each other */
};

static const char *const root_kinds[] = {
    [DBG_ROOT_STACK] = "stack",
    [DBG_ROOT_HANDLE] = "handle",
    [DBG_ROOT_STATIC] = "static",
    [DBG_ROOT_FINALIZER] = "finalizer",
};

/* ---- heap roots ------------------------------------------------------ */

static const struct sheet_column root_columns[] = {
    {"Kind", "kind", SHEET_TEXT, 9},
    {"Kept at", "address", SHEET_ADDRESS, 14},
    {"Object", "object", SHEET_ADDRESS, 14},
    {NULL, "handle", SHEET_TEXT, 0},
    {NULL, "thread", SHEET_NUMBER, 0},
    {NULL, "interior", SHEET_BOOL, 0},
    {NULL, "pinned", SHEET_BOOL, 0},
    {NULL, "uncertain", SHEET_BOOL, 0},
    {"Root", "root", SHEET_TEXT, 0},
};

static bool has_handle(const struct dbg_heap_root *root)
{
	return root->kind == DBG_ROOT_HANDLE ||
	       (root->kind == DBG_ROOT_STATIC && !root->thread);
}

static struct dbg_error *all_roots(struct repl *r, struct dbg_stopped at,
				   const struct heap_options *o)
{
	struct dbg_heap_root *roots;
	size_t n;
	struct sheet s;
	struct dbg_error *err = dbg_heap_root_list(at, &roots, &n);

	if (err)
		return err;
	size_t shown = o->top && o->top < n ? (size_t)o->top : n;

	sheet_begin(&s, r, at, o->json);
	sheet_rows(&s, "roots", SHEET_COLUMNS(root_columns));
	for (size_t i = 0; i < shown; i++) {
		const struct dbg_heap_root *root = &roots[i];

		sheet_row(&s,
			  (struct sheet_cell[]){
			      {.text = root_kinds[root->kind]},
			      {.number = root->addr, .absent = !root->addr},
			      {.number = root->object},
			      {.text = has_handle(root)
					   ? dbg_handle_name(root->handle)
					   : NULL},
			      {.number = root->thread, .absent = !root->thread},
			      {.number = root->interior},
			      {.number = root->pinned},
			      {.number = root->uncertain},
			      {.text = root->text}});
	}
	sheet_rows_end(&s);
	sheet_number(&s, "count", n);
	if (!o->json && shown < n)
		out(r, "(These are the first %zu of %zu.)\n", shown, n);
	sheet_end(&s);
	return NULL;
}

static const struct sheet_column step_columns[] = {
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Type", "type", SHEET_TEXT, 40},
    {"By", "by", SHEET_TEXT, 0},
};

static bool is_like(const struct dbg_heap_step *a,
		    const struct dbg_heap_step *b)
{
	return a->type && b->type && !strcmp(a->type, b->type);
}

// How many steps of the path from @i on are of one type: nodes of a linked
// list.
static size_t row_of(const struct dbg_heap_path *path, size_t i)
{
	size_t n = 1;

	while (i + n < path->n_steps &&
	       is_like(&path->steps[i], &path->steps[i + n]))
		n++;
	return n;
}

static void show_step(struct sheet *s, const struct dbg_heap_step *step)
{
	sheet_row(s, (struct sheet_cell[]){{.number = step->object},
					   {.text = step->type},
					   {.text = step->name}});
}

// Show the steps of a path. Of many equal steps in a row, the text for users
// has only the first and the last.
static void show_steps(struct sheet *s, const struct dbg_heap_path *path)
{
	sheet_rows(s, "path", SHEET_COLUMNS(step_columns));
	for (size_t i = 0, n; i < path->n_steps; i += n) {
		const struct dbg_heap_step *step = &path->steps[i];

		n = row_of(path, i);
		if (s->json || n < ROW_LONG) {
			for (size_t k = 0; k < n; k++)
				show_step(s, &step[k]);
			continue;
		}
		show_step(s, step);
		sheet_line(s, "  %14s  (%zu more of these, by %s)", "", n - 2,
			   step[1].name ? step[1].name : "?");
		show_step(s, &step[n - 1]);
	}
	sheet_rows_end(s);
}

static void show_path(struct sheet *s, const struct dbg_heap_path *path)
{
	const struct dbg_heap_root *root = &path->root;

	if (!s->json)
		out(s->r, "%s: %s\n", root_kinds[root->kind], root->text);
	sheet_object(s);
	sheet_text(s, "kind", root_kinds[root->kind]);
	sheet_text(s, "root", root->text);
	if (root->addr)
		sheet_address(s, "address", root->addr);
	if (has_handle(root))
		sheet_text(s, "handle", dbg_handle_name(root->handle));
	if (root->thread)
		sheet_number(s, "thread", root->thread);
	show_steps(s, path);
	sheet_object_end(s);
}

static void show_paths(struct sheet *s, const struct dbg_heap_paths *paths)
{
	sheet_address(s, "object", paths->object);
	sheet_text(s, "type", paths->type);
	sheet_number(s, "count", paths->n_all);
	sheet_rows(s, "paths", NULL, 0);
	s->narrow = true;
	s->indent = 2;
	for (size_t i = 0; i < paths->n_paths; i++)
		show_path(s, &paths->paths[i]);
	sheet_rows_end(s);
	if (s->json)
		return;
	if (!paths->n_all)
		out(s->r,
		    "Nothing keeps the %s at 0x%012" PRIx64
		    " alive: it is garbage.\n",
		    paths->type, paths->object);
	else if (paths->n_all > paths->n_paths)
		out(s->r, "(These are the first %zu of %" PRIu64 ".)\n",
		    paths->n_paths, paths->n_all);
}

void heap_way_add(struct dbg_stopped at, uint64_t object, struct str *text,
		  struct dbg_heap_path *ret)
{
	struct dbg_heap_path found, *path = ret ? ret : &found;

	if (dbg_err_drop(dbg_heap_way_get(at, object, path))) {
		path->n_steps = 0;
		return;
	}
	if (!path->n_steps)
		return;
	str_add(text, path->root.text);
	for (size_t i = 1; i < path->n_steps; i++) {
		const char *name = path->steps[i].name;
		size_t left = path->n_steps - i;

		// what holds a static field is no step of the program's
		if (i == 1 && path->root.kind == DBG_ROOT_STATIC &&
		    !path->root.thread)
			continue;
		if (i > WAY_ENDS && left > WAY_ENDS) {
			str_addf(text, " -> (%zu more)", left - WAY_ENDS);
			i += left - WAY_ENDS - 1;
			continue;
		}
		str_addf(text, " -> %s", name ? name : "?");
	}
}

/*
 * If the object is a load context that only its own handle keeps alive, show
 * what keeps the context's LoaderAllocator alive: the handle exists as long as
 * that does.
 */
static void show_allocator(struct sheet *s, const struct dbg_heap_paths *paths)
{
	struct dbg_load_context *v;
	struct dbg_heap_paths of;
	size_t n = 0;

	if (paths->n_all > 1 || !paths->n_paths ||
	    paths->paths[0].root.kind != DBG_ROOT_HANDLE ||
	    dbg_err_drop(dbg_load_context_list(s->at, &v, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		if (v[i].object != paths->object || !v[i].allocator ||
		    dbg_err_drop(dbg_heap_roots(s->at, v[i].allocator,
						PATHS_SHOWN, &of)))
			continue;
		sheet_address(s, "loaderAllocator", v[i].allocator);
		if (!s->json)
			out(s->r,
			    "This is a load context, which lives as long as "
			    "its LoaderAllocator 0x%" PRIx64 ", which is kept "
			    "alive by:\n",
			    v[i].allocator);
		sheet_rows(s, "loaderAllocatorPaths", NULL, 0);
		for (size_t k = 0; k < of.n_paths; k++)
			show_path(s, &of.paths[k]);
		sheet_rows_end(s);
	}
}

struct dbg_error *heap_roots_cmd(struct repl *r, struct dbg_stopped at,
				 const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_paths paths;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;
	uint64_t addr = 0;

	if (!err && !o.n_args)
		return all_roots(r, at, &o);
	if (!err)
		err = heap_address(o.args[0], &addr);
	if (!err)
		err = dbg_heap_roots(at, addr, o.top ? o.top : PATHS_SHOWN,
				     &paths);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_paths(&s, &paths);
	show_allocator(&s, &paths);
	sheet_end(&s);
	return NULL;
}

/* ---- handles --------------------------------------------------------- */

static const struct sheet_column handle_columns[] = {
    {"Handle", "address", SHEET_ADDRESS, 14},
    {"Kind", "kind", SHEET_TEXT, 12},
    {NULL, "strong", SHEET_BOOL, 0},
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Keeps", "dependent", SHEET_ADDRESS, 14},
    {NULL, "count", SHEET_NUMBER, 0},
    {"Type", "type", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_handles(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_handle *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_handle_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "handles", SHEET_COLUMNS(handle_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(
		    &s,
		    (struct sheet_cell[]){
			{.number = v[i].addr},
			{.text = dbg_handle_name(v[i].kind)},
			{.number = v[i].strong},
			{.number = v[i].object, .absent = !v[i].object},
			{.number = v[i].dependent, .absent = !v[i].dependent},
			{.number = v[i].count,
			 .absent = v[i].kind != DBG_HANDLE_COUNTED},
			{.text = v[i].type}});
	sheet_rows_end(&s);
	if (!o.json)
		out(r, "Total %zu handles\n", n);
	sheet_end(&s);
	return NULL;
}

/* ---- finalizequeue --------------------------------------------------- */

static const struct sheet_column final_columns[] = {
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Heap", "heap", SHEET_NUMBER, 4},
    {"Due", "due", SHEET_BOOL, 3},
    {"Type", "type", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_finalizequeue(struct repl *r,
					   struct dbg_stopped at,
					   const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_finalizable *v;
	size_t n = 0, due = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_finalizable_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "objects", SHEET_COLUMNS(final_columns));
	for (size_t i = 0; i < n; i++) {
		due += v[i].ready;
		sheet_row(&s, (struct sheet_cell[]){{.number = v[i].object},
						    {.number = v[i].heap},
						    {.number = v[i].ready},
						    {.text = v[i].type}});
	}
	sheet_rows_end(&s);
	if (!o.json)
		out(r, "Total %zu objects with finalizers, %zu of them due\n",
		    n, due);
	sheet_end(&s);
	return NULL;
}

/* ---- syncblk --------------------------------------------------------- */

static const struct sheet_column lock_columns[] = {
    {"Index", "index", SHEET_NUMBER, 5},
    {NULL, "block", SHEET_ADDRESS, 0},
    {"Held", "held", SHEET_BOOL, 4},
    {"Thread", "thread", SHEET_NUMBER, 6},
    {NULL, "managedId", SHEET_NUMBER, 0},
    {"Depth", "depth", SHEET_NUMBER, 5},
    {"Waiting", "waiting", SHEET_NUMBER, 7},
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Type", "type", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_syncblk(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_lock *v;
	size_t n = 0;
	bool any = false;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_lock_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "locks", SHEET_COLUMNS(lock_columns));
	for (size_t i = 0; i < n; i++) {
		const struct dbg_lock *l = &v[i];

		if (!l->held && !l->waiting && !o.all)
			continue;
		any = true;
		sheet_row(&s,
			  (struct sheet_cell[]){
			      {.number = l->index, .absent = !l->index},
			      {.number = l->block, .absent = !l->block},
			      {.number = l->held},
			      {.number = l->owner, .absent = !l->owner},
			      {.number = l->owner_id, .absent = !l->owner_id},
			      {.number = l->depth, .absent = !l->held},
			      {.number = l->waiting},
			      {.number = l->object, .absent = !l->object},
			      {.text = l->type}});
	}
	sheet_rows_end(&s);
	sheet_end(&s);
	if (!o.json && !any)
		out(r, "%s\n",
		    o.all ? "There are no sync blocks."
			  : "No lock is held or waited for.");
	return NULL;
}

/* ---- The table ------------------------------------------------------- */

static const struct repl_cmd cmds[] = {
    {
	.names = "gcroot",
	.args = "[ADDRESS] [--top N] [--json]",
	.help = "as \"heap roots\"",
	.flags = CMD_LONG,
	.stopped = heap_roots_cmd,
    },
    {
	.names = "handles gchandles",
	.args = "[--json]",
	.help = "list the handles of the collector",
	.flags = CMD_LONG,
	.stopped = cmd_handles,
    },
    {
	.names = "finalizequeue",
	.args = "[--json]",
	.help = "list objects with finalizers",
	.flags = CMD_LONG,
	.stopped = cmd_finalizequeue,
    },
    {
	.names = "syncblk",
	.args = "[--all] [--json]",
	.help = "list locks that are held, with their owners",
	.more = "Locks are those of \"lock\" and Monitor; --all lists sync "
		"blocks that serve something\nelse, or that nobody holds, too.",
	.flags = CMD_LONG,
	.stopped = cmd_syncblk,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_roots = {"roots", "What keeps objects alive",
					    cmds};
