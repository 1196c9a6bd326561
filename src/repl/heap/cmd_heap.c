/* `heap ...`: objects of the collector's heap, and the names SOS has for it. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

/* ---- Sizes ----------------------------------------------------------- */

/* `heap size`: how much objects keep alive. */

static struct dbg_error *heap_show_damages(struct sheet *s, bool *ret_any);

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

// Refuse options that would have no effect.
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

static struct dbg_error *heap_size_cmd(struct repl *r, struct dbg_stopped at,
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

/* ---- Paths ----------------------------------------------------------- */

/* `heap paths`: what keeps the objects of a type alive, merged by type. */

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

static struct dbg_error *heap_paths_cmd(struct repl *r, struct dbg_stopped at,
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

/* ---- Exceptions ------------------------------------------------------ */

/* `heap exceptions`: the exception objects of the heap. */

enum {
	INNER_MAX = 64, /* exceptions within each other */
};

// Show the recorded stack; in JSON, its frames without the indentation.
static void show_stack(struct sheet *s, const struct dbg_heap_exception *e)
{
	struct arena *arena = arena_create();
	size_t n = 0;
	const char *const *lines =
	    e->stack ? str_split(e->stack, '\n', arena, &n) : NULL;
	const char **frames = arena_calloc(arena, n + 1, sizeof(*frames));

	for (size_t i = 0; i < n; i++)
		frames[i] = lines[i] + (s->json ? strspn(lines[i], " ") : 0);
	sheet_sentences(s, "stack", frames, n);
	arena_destroy(arena);
}

static void show_exception(struct sheet *s, const struct dbg_heap_exception *e)
{
	sheet_object(s);
	sheet_number(s, "count", e->count);
	sheet_address(s, "object", e->object);
	sheet_text(s, "type", e->type);
	sheet_text(s, "message", e->message);
	sheet_address(s, "hresult", e->hresult);
	if (e->inner)
		sheet_address(s, "inner", e->inner);
	if (!s->json)
		out(s->r, "%10" PRIu64 "  0x%012" PRIx64 "  %s: %s\n", e->count,
		    e->object, e->type, e->message ? e->message : "");
	show_stack(s, e);
	sheet_object_end(s);
}

// Get the exception object at @addr: list the exceptions of its type and size,
// and take the one at @addr.
static struct dbg_error *exception_at(struct dbg_stopped at, uint64_t addr,
				      struct dbg_heap_exception *ret)
{
	struct dbg_heap_exceptions found;
	struct dbg_heap_detail detail;
	struct dbg_error *err = dbg_heap_object(at, addr, &detail);

	if (err)
		return err;
	const struct dbg_heap_filter same = {
	    .method_table = detail.object.method_table,
	    .gens = 1U << detail.object.generation,
	    .min = detail.object.size,
	    .max = detail.object.size,
	};

	err = dbg_heap_exception_list(at, &same, true, &found);
	for (size_t i = 0; !err && i < found.n; i++)
		if (found.v[i].object == addr) {
			*ret = found.v[i];
			return NULL;
		}
	return err ? err
		   : dbg_err_arg("the object at 0x%" PRIx64
				 " is no exception, but %s",
				 addr, detail.object.type);
}

// Show the exception whose address is given, and its inner exceptions.
static struct dbg_error *show_chain(struct repl *r, struct dbg_stopped at,
				    const struct heap_options *o)
{
	struct dbg_heap_exception v[INNER_MAX];
	struct sheet s;
	size_t n = 0;
	uint64_t addr;
	struct dbg_error *err = heap_address(o->args[0], &addr);

	while (!err && n < INNER_MAX && (!n || addr)) {
		err = exception_at(at, addr, &v[n]);
		addr = err ? 0 : v[n++].inner;
	}
	if (err)
		return err;
	sheet_begin(&s, r, at, o->json);
	sheet_rows(&s, "exceptions", NULL, 0);
	for (size_t i = 0; i < n; i++)
		show_exception(&s, &v[i]);
	sheet_rows_end(&s);
	sheet_end(&s);
	return NULL;
}

struct dbg_error *heap_exceptions_cmd(struct repl *r, struct dbg_stopped at,
				      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_exceptions found;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;

	if (!err && o.n_args)
		return show_chain(r, at, &o);
	if (!err)
		err = dbg_heap_exception_list(at, &o.filter, o.all, &found);
	if (err)
		return err;
	size_t shown = o.top && o.top < found.n ? (size_t)o.top : found.n;

	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "exceptions", NULL, 0);
	for (size_t i = 0; i < shown; i++)
		show_exception(&s, &found.v[i]);
	sheet_rows_end(&s);
	sheet_number(&s, "kinds", found.n);
	sheet_number(&s, "count", found.count);
	sheet_number(&s, "cut", found.cut);
	if (!o.json && shown < found.n)
		out(r, "(These are the first %zu of %zu.)\n", shown, found.n);
	if (!o.json && found.cut)
		out(r, "(%" PRIu64 " more were not looked at.)\n", found.cut);
	if (!o.json)
		out(r, "Total %" PRIu64 " exceptions\n", found.count);
	sheet_sentences(&s, "damages", found.damages, found.n_damages);
	sheet_end(&s);
	return NULL;
}

/* ---- Facts ----------------------------------------------------------- */

/* The heap as a whole: `heap strings`, `heap diff`, `heap verify`. */

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

static struct dbg_error *heap_strings_cmd(struct repl *r, struct dbg_stopped at,
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

// The difference as "+12" or "-3", in @text. NULL in JSON, which has only
// numbers.
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

static struct dbg_error *heap_diff_cmd(struct repl *r, struct dbg_stopped at,
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

static struct dbg_error *heap_verify_cmd(struct repl *r, struct dbg_stopped at,
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
		    !check.n_all && check.objects ? "The heap is whole"
		    : dbg_lacking(at) ? "The heap is not whole in this core"
				      : "The heap is damaged",
		    check.objects, check.references);
	sheet_end(&s);
	return NULL;
}

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

/*
 * Show what could not be read of the heap; *@ret_any, if not NULL: there is
 * something.
 */
static struct dbg_error *heap_show_damages(struct sheet *s, bool *ret_any)
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
