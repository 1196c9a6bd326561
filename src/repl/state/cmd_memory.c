/* `memory`: what the address space is used for. */
#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

/* The GC's heap is told by generation. */
enum {
	N_ROWS = (int)DBG_N_REGIONS + (int)DBG_N_GENS
};

struct sum {
	uint64_t regions, bytes, resident;
};

static size_t row_of(const struct dbg_region *r)
{
	return r->kind == DBG_REGION_GC ? (size_t)r->generation
					: (size_t)DBG_N_GENS + (size_t)r->kind;
}

static void add_up(const struct dbg_memory *m, struct sum rows[N_ROWS],
		   struct sum *all)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct dbg_region *r = &m->v[i];
		struct sum *row = &rows[row_of(r)];

		row->regions++;
		row->bytes += r->end - r->start;
		row->resident += r->resident;
		if (r->kind == DBG_REGION_RESERVED)
			continue;
		all->regions++;
		all->bytes += r->end - r->start;
		all->resident += r->resident;
	}
}

static const struct sheet_column kind_columns[] = {
    {"Regions", "regions", SHEET_NUMBER, 8},
    {"Bytes", "bytes", SHEET_NUMBER, 14},
    {"Resident", "resident", SHEET_NUMBER, 12},
    {NULL, "kind", SHEET_TEXT, 0},
    {NULL, "generation", SHEET_TEXT, 0},
    {"Kind", NULL, SHEET_TEXT, 0},
};

static void show_sums(struct sheet *s, const struct dbg_memory *m)
{
	struct sum rows[N_ROWS] = {0}, all = {0};

	add_up(m, rows, &all);
	sheet_rows(s, "kinds", SHEET_COLUMNS(kind_columns));
	for (int i = 0; i < N_ROWS; i++) {
		bool gc = i < DBG_N_GENS;
		const char *kind = dbg_region_name(
		    gc ? DBG_REGION_GC
		       : (enum dbg_region_kind)(i - DBG_N_GENS));
		const char *gen =
		    gc ? heap_generation_name((enum dbg_generation)i) : NULL;
		_cleanup_free_ char *text =
		    gc ? xasprintf("%s, %s%s", kind, i < 3 ? "generation " : "",
				   gen)
		       : xstrdup(kind);

		if (!rows[i].regions)
			continue;
		sheet_row(
		    s, (struct sheet_cell[]){{.number = rows[i].regions},
					     {.number = rows[i].bytes},
					     {.number = rows[i].resident,
					      .absent = !m->has_resident},
					     {.text = kind},
					     {.text = gen},
					     {.text = s->json ? NULL : text}});
	}
	sheet_rows_end(s);
	sheet_number(s, "bytes", all.bytes);
	if (m->has_resident)
		sheet_number(s, "resident", all.resident);
	if (s->json)
		return;
	out(s->r, "Total %" PRIu64 " regions, %" PRIu64 " bytes", all.regions,
	    all.bytes);
	if (m->has_resident)
		out(s->r, ", %" PRIu64 " of them in memory", all.resident);
	out(s->r, "; without what is only reserved\n");
	if (m->no_heap)
		out(s->r, "The GC's heap is not known: %s\n", m->no_heap);
}

static const struct sheet_column region_columns[] = {
    {"Start", "start", SHEET_ADDRESS, 14},
    {"End", "end", SHEET_ADDRESS, 14},
    {"Bytes", "bytes", SHEET_NUMBER, 14},
    {"Resident", "resident", SHEET_NUMBER, 12},
    {"Access", "access", SHEET_TEXT, 6},
    {"Kind", "kind", SHEET_TEXT, 17},
    {NULL, "generation", SHEET_TEXT, 0},
    {NULL, "thread", SHEET_NUMBER, 0},
    {NULL, "name", SHEET_TEXT, 0},
    {"Name", NULL, SHEET_TEXT, 0},
};

static void show_region(struct sheet *s, const struct dbg_region *r,
			bool has_resident)
{
	const char access[] = {r->read ? 'r' : '-', r->write ? 'w' : '-',
			       r->exec ? 'x' : '-', '\0'};
	const char *gen = r->kind == DBG_REGION_GC
			      ? heap_generation_name(r->generation)
			      : NULL;
	_cleanup_free_ char *stack =
	    r->thread ? xasprintf("thread %" PRIu32 " %s", r->thread,
				  r->name ? r->name : "")
		      : NULL;

	sheet_row(s, (struct sheet_cell[]){
			 {.number = r->start},
			 {.number = r->end},
			 {.number = r->end - r->start},
			 {.number = r->resident, .absent = !has_resident},
			 {.text = access},
			 {.text = dbg_region_name(r->kind)},
			 {.text = gen},
			 {.number = r->thread, .absent = !r->thread},
			 {.text = r->name},
			 {.text = s->json ? NULL
				  : stack ? stack
				  : gen   ? gen
					  : r->name}});
}

static struct dbg_error *cmd_memory(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_memory memory;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_memory_list(at, &memory);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	if (o.all) {
		sheet_rows(&s, "all", SHEET_COLUMNS(region_columns));
		for (size_t i = 0; i < memory.n; i++)
			show_region(&s, &memory.v[i], memory.has_resident);
		sheet_rows_end(&s);
	}
	show_sums(&s, &memory);
	sheet_end(&s);
	return NULL;
}

static const struct repl_cmd cmds[] = {
    {
	.names = "memory maddress",
	.args = "[--all] [--json]",
	.help = "show what the address space is used for",
	.more = "The collector's heap by generation, compiled code, the "
		"loader's heaps, stacks,\nfiles, malloc and the rest. --all: "
		"each region by address.",
	.stopped = cmd_memory,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_memory = {"memory", "The address space",
					     cmds};
