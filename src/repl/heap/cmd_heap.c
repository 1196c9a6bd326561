/* `heap ...`: objects of the collector's heap, and the names SOS has for it. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

/* ---- heap stat ------------------------------------------------------- */

static const struct sheet_column type_columns[] = {
    {"MethodTable", "methodTable", SHEET_ADDRESS, 14},
    {"Count", "count", SHEET_NUMBER, 10},
    {"Bytes", "bytes", SHEET_NUMBER, 13},
    {"Type", "type", SHEET_TEXT, 0},
};

static const struct sheet_column retained_columns[] = {
    {"MethodTable", "methodTable", SHEET_ADDRESS, 14},
    {"Count", "count", SHEET_NUMBER, 10},
    {"Bytes", "bytes", SHEET_NUMBER, 13},
    {"Retained", "retained", SHEET_NUMBER, 13},
    {"Type", "type", SHEET_TEXT, 0},
};

static const struct sheet_column gen_columns[] = {
    {"Generation", "generation", SHEET_TEXT, 10},
    {"MethodTable", "methodTable", SHEET_ADDRESS, 14},
    {"Count", "count", SHEET_NUMBER, 10},
    {"Bytes", "bytes", SHEET_NUMBER, 13},
    {"Type", "type", SHEET_TEXT, 0},
};

static void show_types(struct sheet *s, const struct dbg_heap_stat *stat,
		       size_t first)
{
	sheet_rows(s, "types", SHEET_COLUMNS(type_columns));
	for (size_t i = first; i < stat->n_types; i++) {
		const struct dbg_heap_type *t = &stat->types[i];

		sheet_row(s, (struct sheet_cell[]){{.number = t->method_table},
						   {.number = t->count},
						   {.number = t->bytes},
						   {.text = t->name}});
	}
	sheet_rows_end(s);
}

static void show_retained(struct sheet *s, const struct dbg_heap_stat *stat,
			  size_t first)
{
	sheet_rows(s, "types", SHEET_COLUMNS(retained_columns));
	for (size_t i = first; i < stat->n_types; i++) {
		const struct dbg_heap_type *t = &stat->types[i];

		sheet_row(s, (struct sheet_cell[]){{.number = t->method_table},
						   {.number = t->count},
						   {.number = t->bytes},
						   {.number = t->retained},
						   {.text = t->name}});
	}
	sheet_rows_end(s);
}

static void show_by_gen(struct sheet *s, const struct dbg_heap_stat *stat,
			size_t first)
{
	sheet_rows(s, "types", SHEET_COLUMNS(gen_columns));
	for (int gen = 0; gen < DBG_N_GENS; gen++) {
		for (size_t i = first; i < stat->n_types; i++) {
			const struct dbg_heap_type *t = &stat->types[i];

			if (!t->gen_count[gen])
				continue;
			sheet_row(s, (struct sheet_cell[]){
					 {.text = heap_generation_name(
					      (enum dbg_generation)gen)},
					 {.number = t->method_table},
					 {.number = t->gen_count[gen]},
					 {.number = t->gen_bytes[gen]},
					 {.text = t->name}});
		}
	}
	sheet_rows_end(s);
}

struct dbg_error *heap_show_damages(struct sheet *s, bool *ret_any)
{
	const char **damages;
	size_t n;
	struct dbg_error *err = dbg_heap_damages(s->at, &damages, &n);

	if (err)
		return err;
	sheet_sentences(s, "damages", damages, n);
	if (ret_any)
		*ret_any = n > 0;
	return NULL;
}

static void show_total(struct sheet *s, const struct dbg_heap_stat *stat)
{
	sheet_number(s, "count", stat->count);
	sheet_number(s, "bytes", stat->bytes);
	if (!s->json)
		out(s->r, "Total %" PRIu64 " objects, %" PRIu64 " bytes\n",
		    stat->count, stat->bytes);
	sheet_sentences(s, "damages", stat->damages, stat->n_damages);
}

static struct dbg_error *stat_run(struct repl *r, struct dbg_stopped at,
				  struct heap_options *o)
{
	struct dbg_heap_stat stat;
	struct sheet s;

	if (o->by_gen && o->filter.retained)
		return dbg_err_arg("What types retain is not divided by "
				   "generation: --by-gen or --retained.");
	struct dbg_error *err = dbg_heap_stat(at, &o->filter, &stat);
	if (err)
		return err;
	size_t first =
	    o->top && stat.n_types > o->top ? stat.n_types - o->top : 0;

	sheet_begin(&s, r, at, o->json);
	if (o->by_gen)
		show_by_gen(&s, &stat, first);
	else if (o->filter.retained)
		show_retained(&s, &stat, first);
	else
		show_types(&s, &stat, first);
	show_total(&s, &stat);
	sheet_end(&s);
	return NULL;
}

static struct dbg_error *cmd_stat(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);

	// free space is a line like any other, as in SOS
	o.filter.free = true;
	return err ? err : stat_run(r, at, &o);
}

/* ---- heap list ------------------------------------------------------- */

static const struct sheet_column object_columns[] = {
    {"Address", "address", SHEET_ADDRESS, 14},
    {"MethodTable", "methodTable", SHEET_ADDRESS, 14},
    {"Bytes", "bytes", SHEET_NUMBER, 10},
    {"Generation", "generation", SHEET_TEXT, 10},
    {NULL, "heap", SHEET_NUMBER, 0},
    {"Type", "type", SHEET_TEXT, 0},
    {NULL, "refs", SHEET_ADDRESSES, 0},
};

struct listing_of {
	struct sheet sheet;
	uint64_t left;
	bool cut;
};

static bool show_object(void *arg, const struct dbg_heap_object *o)
{
	struct listing_of *l = arg;

	if (!l->left) {
		l->cut = true;
		return false;
	}
	l->left--;
	sheet_row(
	    &l->sheet,
	    (struct sheet_cell[]){
		{.number = o->addr},
		{.number = o->method_table},
		{.number = o->size},
		{.text = heap_generation_name(o->generation)},
		{.number = o->heap},
		{.text = o->type},
		{.number = o->n_refs, .list = o->refs, .absent = !o->refs}});
	return !loop_interrupted(l->sheet.r->loop);
}

static struct dbg_error *list_run(struct repl *r, struct dbg_stopped at,
				  struct heap_options *o)
{
	struct listing_of l = {.left = o->top ? o->top : UINT64_MAX};
	struct dbg_heap_stat stat;

	if (o->filter.refs && !o->json)
		return dbg_err_arg("References are listed with --json alone.");
	sheet_begin(&l.sheet, r, at, o->json);
	sheet_rows(&l.sheet, "objects", SHEET_COLUMNS(object_columns));
	struct dbg_error *err =
	    dbg_heap_list(at, &o->filter, show_object, &l, &stat);
	sheet_rows_end(&l.sheet);
	if (err) {
		if (!o->json)
			sheet_end(&l.sheet);
		else
			str_deinit(&l.sheet.line);
		return err;
	}
	if (l.cut && !o->json)
		out(r, "(These are the first %" PRIu64 ".)\n", o->top);
	else if (!l.cut)
		show_total(&l.sheet, &stat);
	sheet_end(&l.sheet);
	return NULL;
}

static struct dbg_error *cmd_heap_list(struct repl *r, struct dbg_stopped at,
				       const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);

	return err ? err : list_run(r, at, &o);
}

static struct dbg_error *cmd_dumpheap(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_error *err = heap_options_parse(call, 0, &o);

	o.filter.free = true;
	if (err)
		return err;
	return o.stat ? stat_run(r, at, &o) : list_run(r, at, &o);
}

/* ---- heap object ----------------------------------------------------- */

static const struct sheet_column field_columns[] = {
    {"Offset", "offset", SHEET_NUMBER, 6},
    {"Field", "name", SHEET_TEXT, 24},
    {"Type", "type", SHEET_TEXT, 24},
    {"Value", "value", SHEET_TEXT, 0},
};

static const struct sheet_column ref_columns[] = {
    {"Offset", "offset", SHEET_NUMBER, 6},
    {"Reference", "name", SHEET_TEXT, 24},
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Type", "type", SHEET_TEXT, 0},
};

static void show_head(struct sheet *s, const struct dbg_heap_detail *d)
{
	const struct dbg_heap_object *o = &d->object;
	const char *gen = heap_generation_name(o->generation);

	sheet_address(s, "address", o->addr);
	sheet_text(s, "type", o->type);
	sheet_address(s, "methodTable", o->method_table);
	sheet_number(s, "bytes", o->size);
	sheet_text(s, "generation", gen);
	sheet_number(s, "heap", o->heap);
	if (d->has_length)
		sheet_number(s, "length", d->length);
	sheet_text(s, "value", d->text);
	sheet_number(s, "references", d->n_all);
	if (s->json)
		return;
	out(s->r, "%s at 0x%012" PRIx64 "\n", o->type, o->addr);
	out(s->r,
	    "MethodTable 0x%012" PRIx64 ", %" PRIu64
	    " bytes, generation %s, heap %u\n",
	    o->method_table, o->size, gen, o->heap);
	if (d->has_length)
		out(s->r, "Length %" PRIu64 "\n", d->length);
	out(s->r, "Value %s\n", d->text);
}

static void show_fields(struct sheet *s, const struct dbg_heap_detail *d)
{
	sheet_rows(s, "fields", SHEET_COLUMNS(field_columns));
	for (size_t i = 0; i < d->n_fields; i++) {
		const struct dbg_heap_field *f = &d->fields[i];

		sheet_row(s, (struct sheet_cell[]){{.number = f->offset},
						   {.text = f->name},
						   {.text = f->type},
						   {.text = f->text}});
	}
	sheet_rows_end(s);
}

static void show_refs(struct sheet *s, const struct dbg_heap_detail *d)
{
	sheet_rows(s, "refs", SHEET_COLUMNS(ref_columns));
	for (size_t i = 0; i < d->n_refs; i++) {
		const struct dbg_heap_ref *f = &d->refs[i];

		sheet_row(s, (struct sheet_cell[]){
				 {.number = f->offset,
				  .absent = f->offset == UINT32_MAX},
				 {.text = f->name},
				 {.number = f->object},
				 {.text = f->type}});
	}
	sheet_rows_end(s);
	if (!s->json && d->n_all > d->n_refs)
		out(s->r, "(These are the first %zu of %" PRIu64 ".)\n",
		    d->n_refs, d->n_all);
}

static struct dbg_error *cmd_object(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_detail d;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;
	uint64_t addr = 0;

	if (!err && !o.n_args)
		err = dbg_err_arg("Whose address? heap object ADDRESS");
	if (!err)
		err = heap_address(o.args[0], &addr);
	if (!err)
		err = dbg_heap_object(at, addr, &d);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_head(&s, &d);
	if (d.n_fields)
		show_fields(&s, &d);
	show_refs(&s, &d);
	sheet_end(&s);
	return NULL;
}

/* ---- heap segments --------------------------------------------------- */

static const struct sheet_column part_columns[] = {
    {"Heap", "heap", SHEET_NUMBER, 4},
    {"Generation", "generation", SHEET_TEXT, 10},
    {"Segment", "segment", SHEET_ADDRESS, 14},
    {"Begin", "begin", SHEET_ADDRESS, 14},
    {"Allocated", "allocated", SHEET_ADDRESS, 14},
    {"Committed", "committed", SHEET_ADDRESS, 14},
    {"Bytes", "bytes", SHEET_NUMBER, 12},
};

static struct dbg_error *cmd_segments(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_parts parts;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;
	uint64_t bytes = 0;

	if (!err)
		err = dbg_heap_parts(at, &parts);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_text(&s, "kind", parts.server ? "server" : "workstation");
	sheet_number(&s, "heaps", parts.n_heaps);
	if (!o.json)
		out(r, "%s GC, %u heap%s, %s\n",
		    parts.server ? "Server" : "Workstation", parts.n_heaps,
		    parts.n_heaps == 1 ? "" : "s",
		    parts.regions ? "regions" : "segments");
	sheet_rows(&s, "segments", SHEET_COLUMNS(part_columns));
	for (size_t i = 0; i < parts.n_parts; i++) {
		const struct dbg_heap_part *p = &parts.parts[i];

		bytes += p->end - p->start;
		sheet_row(&s,
			  (struct sheet_cell[]){
			      {.number = p->heap},
			      {.text = heap_generation_name(p->generation)},
			      {.number = p->segment},
			      {.number = p->start},
			      {.number = p->end},
			      {.number = p->committed, .absent = !p->committed},
			      {.number = p->end - p->start}});
	}
	sheet_rows_end(&s);
	sheet_number(&s, "bytes", bytes);
	if (!o.json)
		out(r, "Total %" PRIu64 " bytes\n", bytes);
	sheet_end(&s);
	return NULL;
}

/* ---- The table ------------------------------------------------------- */

#define FILTERS                                                                \
	"[--type REGEX] [--mt ADDRESS] [--min BYTES] [--max BYTES] "           \
	"[--gen GENERATION] [--heap N] [--live] [--dead] [--top N] [--json]"

static const struct repl_cmd subs[] = {
    {
	.names = "stat",
	.args = FILTERS " [--by-gen] [--retained]",
	.help = "count objects by type",
	.more = "Generations are 0, 1, 2, large, pinned and frozen; sizes may "
		"end in K, M or G.\n--retained adds what would be free without "
		"one of the objects of a type,\nfor all of them, and sorts by "
		"it.",
	.flags = CMD_LONG,
	.stopped = cmd_stat,
    },
    {
	.names = "list",
	.args = FILTERS " [--free] [--refs]",
	.help = "list objects by address",
	.more = "--refs adds what each refers to, in JSON.",
	.flags = CMD_LONG,
	.stopped = cmd_heap_list,
    },
    {
	.names = "object",
	.args = "ADDRESS [--json]",
	.help = "show an object: type, size, fields, references",
	.more = "ADDRESS may be inside of it, and is hexadecimal.",
	.flags = CMD_NEEDS_ARGS | CMD_LONG,
	.stopped = cmd_object,
    },
    {
	.names = "roots",
	.args = "[ADDRESS] [--top N] [--json]",
	.help = "show what keeps an object alive",
	.more = "For each object and each root that refers to it, the shortest "
		"path from a root: a\nvariable, a static field, a handle, the "
		"queue of due finalizers. Without an ADDRESS\nall roots are "
		"listed.",
	.flags = CMD_LONG,
	.stopped = heap_roots_cmd,
    },
    {
	.names = "size",
	.args = "[ADDRESS] " FILTERS " [--together]",
	.help = "show how much objects keep alive",
	.more = "Of the object at ADDRESS, or with --together of all that the "
		"filters choose: the\ninclusive size, with all that it leads "
		"to, and the retained size, with what only it\nkeeps alive. "
		"Otherwise the objects that retain the most are listed.",
	.flags = CMD_LONG,
	.stopped = heap_size_cmd,
    },
    {
	.names = "paths",
	.args = "[TYPE] [--type REGEX] [--mt ADDRESS] [--min BYTES] "
		"[--max BYTES] [--gen GENERATION] [--heap N] [--depth N] "
		"[--top N] [--json]",
	.help = "show what keeps objects of a type alive, merged by type",
	.more = "TYPE is a regular expression, as with --type. Below the "
		"objects stands what "
		"refers to them on a\nshortest path from a root, with how many "
		"of them it keeps, and the bytes that\nthese retain; at the "
		"ends are roots. --depth: longer paths are cut short; --top: "
		"at\nmost N branches below each.",
	.flags = CMD_NEEDS_ARGS | CMD_LONG,
	.stopped = heap_paths_cmd,
    },
    {
	.names = "strings",
	.args = FILTERS,
	.help = "show texts that there is more than one string of",
	.more = "Those that waste the most bytes are first.",
	.flags = CMD_LONG,
	.stopped = heap_strings_cmd,
    },
    {
	.names = "exceptions",
	.args = "[ADDRESS] " FILTERS " [--all]",
	.help = "show the exceptions of the heap, with their stacks",
	.more = "Those of one type, with one message and one stack, are "
		"counted together; --all lists\neach. Also those that nobody "
		"refers to any more: --live leaves them out. With an\nADDRESS "
		"that one, and those within it.",
	.flags = CMD_LONG,
	.stopped = heap_exceptions_cmd,
    },
    {
	.names = "diff",
	.args = "CORE " FILTERS,
	.help = "show what has changed since a core file, by type",
	.more = "From the shell the earlier one is first: dndbg heap diff "
		"OLD.core NEW.core",
	.flags = CMD_NEEDS_ARGS | CMD_LONG,
	.stopped = heap_diff_cmd,
    },
    {
	.names = "verify",
	.args = "[--json]",
	.help = "check that objects and references are whole",
	.flags = CMD_LONG,
	.stopped = heap_verify_cmd,
    },
    {
	.names = "segments",
	.args = "[--json]",
	.help = "list the stretches of memory that objects lie in",
	.flags = CMD_LONG,
	.stopped = cmd_segments,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "heap",
	.args =
	    "stat|list|object|roots|paths|size|strings|exceptions|diff|verify|"
	    "segments ...",
	.help = "look at the objects of the collector's heap",
	.sub = subs,
    },
    {
	.names = "dumpheap",
	.args = "[-stat] " FILTERS " [--refs]",
	.help = "as \"heap list\" or, with -stat, \"heap stat\"",
	.flags = CMD_LONG,
	.stopped = cmd_dumpheap,
    },
    {
	.names = "dumpobj dumparray",
	.args = "ADDRESS [--json]",
	.help = "as \"heap object\"",
	.flags = CMD_NEEDS_ARGS | CMD_LONG,
	.stopped = cmd_object,
    },
    {
	.names = "objsize",
	.args = "[ADDRESS] " FILTERS " [--together]",
	.help = "as \"heap size\"",
	.flags = CMD_LONG,
	.stopped = heap_size_cmd,
    },
    {
	.names = "exceptions dumpexceptions dae",
	.args = "[ADDRESS] " FILTERS " [--all]",
	.help = "as \"heap exceptions\"",
	.flags = CMD_LONG,
	.stopped = heap_exceptions_cmd,
    },
    {
	.names = "verifyheap",
	.args = "[--json]",
	.help = "as \"heap verify\"",
	.flags = CMD_LONG,
	.stopped = heap_verify_cmd,
    },
    {
	.names = "eeheap",
	.args = "[--json]",
	.help = "as \"heap segments\"",
	.flags = CMD_LONG,
	.stopped = cmd_segments,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_heap = {"heap", "The heap", cmds};
