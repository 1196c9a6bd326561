/*
 * Functions, types and static fields by pattern: `-symbol-info-functions`,
 * `-types`, `-variables`. The matches are grouped by file as gdb prints them; a
 * function without a source stands below its module.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

enum {
	RESULTS_MAX = 10000
};

static struct dbg_error *symbol_options(const struct mi_call *call,
					struct dbg_symbol_req *req)
{
	req->max = RESULTS_MAX;
	req->own = true;
	for (size_t i = 0; i < call->args.n; i++) {
		const char *word = call->args.v[i];
		const char *value =
		    i + 1 < call->args.n ? call->args.v[i + 1] : NULL;
		uint64_t n;

		if (!strcmp(word, "--include-nondebug")) {
			req->own = false;
			continue;
		}
		if (!value)
			return mi_usage(call);
		i++;
		if (!strcmp(word, "--name")) {
			req->name = value;
		} else if (!strcmp(word, "--type")) {
			req->type = value;
		} else if (!strcmp(word, "--max-results")) {
			struct dbg_error *err =
			    mi_number(value, RESULTS_MAX, &n);
			if (err)
				return err;
			req->max = n;
		} else {
			return mi_usage(call);
		}
	}
	return NULL;
}

static int by_file(const void *a, const void *b)
{
	const struct dbg_symbol *x = a, *y = b;
	int order = strcmp(x->file ? x->file : "", y->file ? y->file : "");

	return order ? order : strcmp(x->name, y->name);
}

static void put_symbol(struct str *t, const struct dbg_symbol *s)
{
	record_tuple(t, NULL);
	if (s->line)
		record_uint(t, "line", s->line);
	record_str(t, "name", s->name);
	record_str(t, "type", s->type);
	record_strf(t, "description", "%s;", s->text);
	record_tuple_end(t);
}

// Put the symbols of each file in one tuple.
static void put_files(struct str *t, const struct dbg_symbol *list, size_t n)
{
	for (size_t i = 0; i < n;) {
		const char *file = list[i].file ? list[i].file : "";
		size_t k = i;
		record_tuple(t, NULL);
		record_str(t, "filename",
			   *file ? str_basename(file) : list[i].module_name);
		record_str(t, "fullname", file);
		record_list(t, "symbols");
		for (; k < n && !strcmp(list[k].file ? list[k].file : "", file);
		     k++)
			put_symbol(t, &list[k]);
		record_list_end(t);
		record_tuple_end(t);
		i = k;
	}
}

static struct dbg_error *symbol_search(struct mi *m, struct mi_call *call,
				       enum dbg_symbol_kind kind)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_symbol_req req = {.kind = kind};
	struct dbg_symbol_page page;

	struct dbg_error *err = symbol_options(call, &req);
	if (!err)
		err = dbg_symbol_search(m->dbg, &req, arena, &page);
	if (err)
		return err;
	struct dbg_symbol *sorted = xcalloc(page.n, sizeof(*sorted));
	for (size_t i = 0; i < page.n; i++)
		sorted[i] = page.symbols[i];
	qsort(sorted, page.n, sizeof(*sorted), by_file);
	record_tuple(call->out, "symbols");
	record_list(call->out, "debug");
	put_files(call->out, sorted, page.n);
	record_list_end(call->out);
	record_tuple_end(call->out);
	free(sorted);
	return NULL;
}

static struct dbg_error *functions(struct mi *m, struct mi_call *call)
{
	return symbol_search(m, call, DBG_SYMBOL_FUNCTION);
}

static struct dbg_error *types(struct mi *m, struct mi_call *call)
{
	return symbol_search(m, call, DBG_SYMBOL_TYPE);
}

static struct dbg_error *variables(struct mi *m, struct mi_call *call)
{
	return symbol_search(m, call, DBG_SYMBOL_VARIABLE);
}

static const char usage[] = "[--include-nondebug] [--type REGEXP] "
			    "[--name REGEXP] [--max-results N]";

const struct mi_cmd mi_symbol_cmds[] = {
    {"symbol-info-functions", 0, usage, 0, 7, .run = functions},
    {"symbol-info-types", 0, usage, 0, 7, .run = types},
    {"symbol-info-variables", 0, usage, 0, 7, .run = variables},
    {.name = NULL},
};
