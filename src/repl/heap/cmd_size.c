/* `heap size`: how much objects keep alive. */
#include <inttypes.h>

#include "base/err.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	RETAINERS_SHOWN = 20,
};

static const struct sheet_column amount_columns[] = {
    {"Size", "size", SHEET_TEXT, 9},
    {"Count", "count", SHEET_NUMBER, 10},
    {"Bytes", "bytes", SHEET_NUMBER, 13},
    {"", "meaning", SHEET_TEXT, 0},
};

static void show_size(struct sheet *s, const struct dbg_heap_size *size)
{
	const struct {
		const char *name;
		const struct dbg_heap_amount *is;
		const char *meaning;
	} rows[] = {
	    {"own", &size->own, "themselves"},
	    {"live", &size->live, "those of them that are alive"},
	    {"inclusive", &size->inclusive, "with all that they lead to"},
	    {"retained", &size->retained, "with what only they keep alive"},
	};

	if (size->object) {
		sheet_address(s, "object", size->object);
		sheet_text(s, "type", size->type);
		if (!s->json)
			out(s->r, "%s at 0x%012" PRIx64 "\n", size->type,
			    size->object);
	}
	sheet_rows(s, "sizes", SHEET_COLUMNS(amount_columns));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		sheet_row(s, (struct sheet_cell[]){
				 {.text = rows[i].name},
				 {.number = rows[i].is->count},
				 {.number = rows[i].is->bytes},
				 {.text = s->json ? NULL : rows[i].meaning}});
	sheet_rows_end(s);
}

static const struct sheet_column retainer_columns[] = {
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Bytes", "bytes", SHEET_NUMBER, 10},
    {"Retained", "retained", SHEET_NUMBER, 13},
    {NULL, "dominator", SHEET_ADDRESS, 0},
    {"Type", "type", SHEET_TEXT, 0},
};

static struct dbg_error *top_run(struct repl *r, struct dbg_stopped at,
				 struct heap_options *o)
{
	struct dbg_heap_retainer *v;
	size_t n;
	struct dbg_error *err = dbg_heap_retainers(
	    at, &o->filter, o->top ? o->top : RETAINERS_SHOWN, &v, &n);
	struct sheet s;

	if (err)
		return err;
	sheet_begin(&s, r, at, o->json);
	sheet_rows(&s, "objects", SHEET_COLUMNS(retainer_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(&s, (struct sheet_cell[]){{.number = v[i].object},
						    {.number = v[i].size},
						    {.number = v[i].retained},
						    {.number = v[i].dominator,
						     .absent = !v[i].dominator},
						    {.text = v[i].type}});
	sheet_rows_end(&s);
	err = heap_show_damages(&s, NULL);
	sheet_end(&s);
	return err;
}

// What would have no effect is refused.
static struct dbg_error *check_options(const struct heap_options *o)
{
	if (o->n_args && (heap_options_choose(o) || o->together))
		return dbg_err_arg("An object is measured by itself: leave out "
				   "its address, or the options that choose "
				   "objects.");
	if (o->top && (o->n_args || o->together))
		return dbg_err_arg("There is no list that --top could cut.");
	return NULL;
}

struct dbg_error *heap_size_cmd(struct repl *r, struct dbg_stopped at,
				const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_size size;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;
	uint64_t addr = 0;

	if (!err)
		err = check_options(&o);
	if (err)
		return err;
	if (!o.n_args && !o.together)
		return top_run(r, at, &o);
	if (o.n_args)
		err = heap_address(o.args[0], &addr);
	if (!err && o.n_args && !addr)
		err = dbg_err_arg("no object at 0x0");
	if (!err)
		err = dbg_heap_size(at, &o.filter, addr, &size);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_size(&s, &size);
	err = heap_show_damages(&s, NULL);
	sheet_end(&s);
	return err;
}
