/* `heap exceptions`: the exception objects of the heap. */
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

enum {
	INNER_MAX = 64, /* exceptions within each other */
};

// In JSON the frames, without what they are indented by.
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

// The exception object at @addr, of which the heap is asked by its type.
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

// The one whose address is given, and those within it.
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
