/* `heap paths`: what keeps the objects of a type alive, merged by type. */
#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	WAYS_SHOWN = 10, // below one
};

static const char *const kinds[] = {
    [DBG_WAY_TYPE] = "type",
    [DBG_WAY_ROOT] = "root",
    [DBG_WAY_DEEP] = "deeper",
    [DBG_WAY_REST] = "rest",
};

static const struct sheet_column way_columns[] = {
    {NULL, "depth", SHEET_NUMBER, 0},
    {NULL, "kind", SHEET_TEXT, 0},
    {"Kept", "count", SHEET_NUMBER, 10},
    {"Retained", "retained", SHEET_NUMBER, 13},
    {"By", "objects", SHEET_NUMBER, 10},
    {NULL, "object", SHEET_ADDRESS, 0},
    {"Kept by", "text", SHEET_TEXT, 0},
};

static void show_way(struct sheet *s, const struct dbg_heap_way *way)
{
	int indent = s->json ? 0 : 2 * (int)way->depth;
	_cleanup_free_ char *text = xasprintf("%*s%s", indent, "", way->text);

	sheet_row(s, (struct sheet_cell[]){
			 {.number = way->depth},
			 {.text = kinds[way->kind]},
			 {.number = way->count},
			 {.number = way->bytes},
			 {.number = way->objects, .absent = !way->depth},
			 {.number = way->object, .absent = !way->object},
			 {.text = text}});
}

static struct dbg_error *show_ways(struct sheet *s,
				   const struct dbg_heap_ways *ways)
{
	bool any = false;

	sheet_rows(s, "ways", SHEET_COLUMNS(way_columns));
	for (size_t i = 0; i < ways->n; i++)
		show_way(s, &ways->v[i]);
	sheet_rows_end(s);
	sheet_number(s, "garbage", ways->garbage);
	struct dbg_error *err = heap_show_damages(s, &any);
	if (err || s->json)
		return err;
	if (ways->garbage)
		out(s->r, "Nothing %s %" PRIu64 " more alive%s.\n",
		    any ? "that can be read keeps" : "keeps", ways->garbage,
		    any ? "" : ": garbage");
	if (ways->cut)
		out(s->r, "There are more branches than are kept: some "
			  "counts are larger than those below them.\n");
	return NULL;
}

struct dbg_error *heap_paths_cmd(struct repl *r, struct dbg_stopped at,
				 const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_ways ways;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;

	if (o.n_args)
		o.filter.type = o.args[0];
	if (!err && !heap_options_choose(&o))
		err = dbg_err_arg("Of which type? heap paths TYPE");
	if (err)
		return err;
	const struct dbg_heap_way_limits limits = {
	    .depth = (uint32_t)o.depth,
	    .width = o.top    ? (size_t)o.top
		     : o.json ? 0
			      : WAYS_SHOWN,
	};

	err = dbg_heap_way_list(at, &o.filter, &limits, &ways);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	err = show_ways(&s, &ways);
	sheet_end(&s);
	return err;
}
