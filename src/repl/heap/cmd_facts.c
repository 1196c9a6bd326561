/* The heap as a whole: `heap strings`, `heap diff`, `heap verify`. */
#include <inttypes.h>

#include "base/err.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	TEXTS_SHOWN = 20,
};

/* ---- heap strings ---------------------------------------------------- */

static const struct sheet_column string_columns[] = {
    {"Count", "count", SHEET_NUMBER, 10},
    {"Wasted", "wasted", SHEET_NUMBER, 13},
    {"Length", "length", SHEET_NUMBER, 8},
    {"First", "object", SHEET_ADDRESS, 14},
    {"Text", "text", SHEET_TEXT, 0},
};

struct dbg_error *heap_strings_cmd(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_strings strings;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_heap_strings(at, &o.filter,
				       o.top ? o.top : TEXTS_SHOWN, &strings);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "strings", SHEET_COLUMNS(string_columns));
	for (size_t i = 0; i < strings.n; i++)
		sheet_row(&s,
			  (struct sheet_cell[]){{.number = strings.v[i].count},
						{.number = strings.v[i].wasted},
						{.number = strings.v[i].length},
						{.number = strings.v[i].object},
						{.text = strings.v[i].text}});
	sheet_rows_end(&s);
	sheet_number(&s, "duplicated", strings.n_all);
	sheet_number(&s, "count", strings.count);
	sheet_number(&s, "bytes", strings.bytes);
	sheet_number(&s, "wasted", strings.wasted);
	if (!o.json)
		out(r,
		    "Total %" PRIu64 " strings, %" PRIu64
		    " bytes, of which %" PRIu64 " are wasted by %" PRIu64
		    " texts that there is more than one of\n",
		    strings.count, strings.bytes, strings.wasted,
		    strings.n_all);
	err = heap_show_damages(&s, NULL);
	sheet_end(&s);
	return err;
}

/* ---- heap diff ------------------------------------------------------- */

static const struct sheet_column change_columns[] = {
    {"Objects", "growth", SHEET_TEXT, 11},
    {"Bytes", "byteGrowth", SHEET_TEXT, 13},
    {"Count", "count", SHEET_NUMBER, 10},
    {"Was", "oldCount", SHEET_NUMBER, 10},
    {NULL, "bytes", SHEET_NUMBER, 0},
    {NULL, "oldBytes", SHEET_NUMBER, 0},
    {"Type", "type", SHEET_TEXT, 0},
};

// "+12", "-3"; in JSON the numbers alone say it.
static const char *growth(const struct sheet *s, uint64_t from, uint64_t to,
			  char text[32])
{
	snprintf(text, 32, "%+" PRId64, (int64_t)(to - from));
	return s->json ? NULL : text;
}

static void show_change(struct sheet *s, const struct dbg_heap_change *c)
{
	char objects[32], bytes[32];

	sheet_row(s, (struct sheet_cell[]){
			 {.text = growth(s, c->old_count, c->count, objects)},
			 {.text = growth(s, c->old_bytes, c->bytes, bytes)},
			 {.number = c->count},
			 {.number = c->old_count},
			 {.number = c->bytes},
			 {.number = c->old_bytes},
			 {.text = c->type}});
}

static void show_all(struct sheet *s, const struct dbg_heap_diff *diff)
{
	const struct dbg_heap_change *all = &diff->all;

	sheet_number(s, "count", all->count);
	sheet_number(s, "oldCount", all->old_count);
	sheet_number(s, "bytes", all->bytes);
	sheet_number(s, "oldBytes", all->old_bytes);
	if (!s->json)
		out(s->r,
		    "Total %" PRIu64 " objects, %" PRIu64
		    " bytes; it was %" PRIu64 " objects, %" PRIu64 " bytes\n",
		    all->count, all->bytes, all->old_count, all->old_bytes);
	sheet_sentences(s, "damages", diff->damages, diff->n_damages);
}

struct dbg_error *heap_diff_cmd(struct repl *r, struct dbg_stopped at,
				const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_diff diff;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;

	if (!err && !o.n_args)
		err = dbg_err_arg("Since which core file? heap diff CORE");
	o.filter.free = true;
	if (!err)
		err = dbg_heap_diff(at, o.args[0], &o.filter, &diff);
	if (err)
		return err;
	size_t first = o.top && diff.n > o.top ? diff.n - o.top : 0;

	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "types", SHEET_COLUMNS(change_columns));
	for (size_t i = first; i < diff.n; i++)
		show_change(&s, &diff.v[i]);
	sheet_rows_end(&s);
	show_all(&s, &diff);
	sheet_end(&s);
	return NULL;
}

/* ---- heap verify ----------------------------------------------------- */

static const struct sheet_column fault_columns[] = {
    {NULL, "object", SHEET_ADDRESS, 0},
    {NULL, "slot", SHEET_ADDRESS, 0},
    {NULL, "value", SHEET_ADDRESS, 0},
    {"", "text", SHEET_TEXT, 0},
};

struct dbg_error *heap_verify_cmd(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_check check;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_heap_verify(at, &check);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "faults", SHEET_COLUMNS(fault_columns));
	s.narrow = true;
	for (size_t i = 0; i < check.n; i++) {
		const struct dbg_heap_fault *f = &check.v[i];

		sheet_row(&s, (struct sheet_cell[]){
				  {.number = f->object},
				  {.number = f->slot, .absent = !f->slot},
				  {.number = f->value, .absent = !f->slot},
				  {.text = f->text}});
	}
	sheet_rows_end(&s);
	sheet_number(&s, "count", check.n_all);
	sheet_number(&s, "objects", check.objects);
	sheet_number(&s, "references", check.references);
	if (!o.json && check.n < check.n_all)
		out(r, "(These are the first %zu of %" PRIu64 ".)\n", check.n,
		    check.n_all);
	if (!o.json)
		out(r, "%s: %" PRIu64 " objects with %" PRIu64 " references\n",
		    !check.n_all      ? "The heap is whole"
		    : dbg_lacking(at) ? "The heap is not whole in this core"
				      : "The heap is damaged",
		    check.objects, check.references);
	sheet_end(&s);
	return NULL;
}
