/*
 * `modules`, `loadedSources`, `source` and `disassemble`: what the program is
 * made of. Lists are made anew for each request.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

enum {
	INSNS_MAX = 10000
};

static struct dbg_error *do_modules(struct dap *d, struct request *req)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct str *t = req->body;
	uint32_t first = 0, count = 0;
	struct dbg_module *list;
	size_t n;

	struct dbg_error *err = args_u32(req->args, "startModule", &first);
	if (!err)
		err = args_u32(req->args, "moduleCount", &count);
	if (!err)
		err = dbg_module_list(d->dbg, arena, &list, &n);
	if (err)
		return err;
	emit_array(t, "modules");
	for (size_t i = first; i < n && (!count || i - first < count); i++)
		body_module(t, NULL, &list[i]);
	emit_array_end(t);
	emit_int(t, "totalModules", (int64_t)n);
	return NULL;
}

static struct dbg_error *do_loaded_sources(struct dap *d, struct request *req)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct str *t = req->body;
	const char **list;
	size_t n;

	struct dbg_error *err = dbg_source_list(d->dbg, 0, arena, &list, &n);
	if (err)
		return err;
	emit_array(t, "sources");
	for (size_t i = 0; i < n; i++)
		body_source(d, t, NULL, list[i]);
	emit_array_end(t);
	return NULL;
}

// Get the source that a request is about: by the number that was given to it,
// or else by its path, which the caller frees.
static struct dbg_error *get_source(struct dap *d, const cJSON *args,
				    uint32_t *ret_number, char **ret)
{
	const cJSON *source = NULL;
	const char *path = NULL;

	struct dbg_error *err = args_u32(args, "sourceReference", ret_number);
	if (!err)
		err = args_object(args, "source", &source);
	if (!err && !*ret_number)
		err = args_u32(source, "sourceReference", ret_number);
	if (!err)
		err = args_str(source, "path", &path);
	if (err)
		return err;
	if (*ret_number)
		return sources_path(&d->sources, *ret_number, ret);
	return path ? body_path(path, ret)
		    : dbg_err_arg("'source' names no file");
}

static struct dbg_error *do_source(struct dap *d, struct request *req)
{
	_cleanup_free_ char *file = NULL;
	_cleanup_str_ struct str all = {0};
	const char *const *lines;
	const char *note, *type = "text/x-csharp";
	uint32_t number = 0;
	size_t n = 0;

	struct dbg_error *err = get_source(d, req->args, &number, &file);
	if (err)
		return err;
	err = dbg_source_lines(d->dbg, file, &lines, &n, &note);
	if (err && !number)
		return err;
	if (dbg_err_drop(err)) {
		sources_explain(d, file, &all);
		type = "text/plain";
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		str_add(&all, lines[i]);
		str_addc(&all, '\n');
	}
	emit_strn(req->body, "content", str_get(&all), all.len);
	emit_str(req->body, "mimeType", type);
	return NULL;
}

/* ---- locations ------------------------------------------------------- */

static struct dbg_error *do_locations(struct dap *d, struct dbg_stopped at,
				      struct request *req)
{
	struct str *t = req->body;
	struct handle h = {0};
	struct dbg_location place;
	uint32_t number = 0;

	struct dbg_error *err = args_need(req->args, "locationReference");
	if (!err)
		err = args_u32(req->args, "locationReference", &number);
	if (!err)
		err = handles_find(&d->values, number, "location", &h);
	if (!err && h.kind != HANDLE_CODE)
		err =
		    dbg_err(DBG_E_NOT_FOUND, "there is no location %u", number);
	if (!err)
		err = dbg_value_code(at, h.id, &place);
	if (err)
		return err;
	if (!place.file)
		return dbg_err(DBG_E_SYMBOLS, "there are no symbols for '%s'",
			       place.function);
	body_source(d, t, "source", place.file);
	emit_int(t, "line", body_line(d, place.line));
	return NULL;
}

/* ---- disassemble ----------------------------------------------------- */

struct code_window {
	uint64_t addr;  /* of the instruction that offset 0 means */
	int64_t offset; /* instructions before (negative) or behind it */
	uint32_t count;
};

static struct dbg_error *get_code_window(const cJSON *args,
					 struct code_window *w)
{
	const char *ref = NULL;
	int64_t bytes = 0;

	struct dbg_error *err = args_need(args, "memoryReference");
	if (!err)
		err = args_str(args, "memoryReference", &ref);
	if (!err)
		err = args_i64(args, "offset", &bytes);
	if (!err)
		err = args_i64(args, "instructionOffset", &w->offset);
	if (!err)
		err = args_need(args, "instructionCount");
	if (!err)
		err = args_u32(args, "instructionCount", &w->count);
	if (err)
		return err;
	if (!args_parse_addr(ref, &w->addr))
		return dbg_err_arg("'%s' is not an address", ref);
	w->addr += (uint64_t)bytes;
	if (w->count > INSNS_MAX || w->offset > INSNS_MAX ||
	    w->offset < -INSNS_MAX)
		return dbg_err_arg("more than %d instructions are asked for",
				   INSNS_MAX);
	return NULL;
}

static void add_insn(struct dap *d, struct str *t, const struct dbg_insn *i)
{
	_cleanup_str_ struct str bytes = {0};
	_cleanup_str_ struct str words = {0};

	for (uint32_t k = 0; k < i->size && k < sizeof(i->bytes); k++)
		str_addf(&bytes, "%s%02x", k ? " " : "", i->bytes[k]);
	str_add(&words, i->text);
	if (i->symbol)
		str_addf(&words, " <%s>", i->symbol);
	emit_object(t, NULL);
	emit_addr(t, "address", i->addr);
	emit_str(t, "instructionBytes", str_get(&bytes));
	emit_str(t, "instruction", str_get(&words));
	if (i->path && i->line) {
		body_source(d, t, "location", i->path);
		emit_int(t, "line", body_line(d, i->line));
	}
	emit_object_end(t);
}

// The client wants exactly so many: what is not there is said to be so.
static void add_gap(struct str *t, uint64_t addr)
{
	emit_object(t, NULL);
	emit_addr(t, "address", addr);
	emit_str(t, "instruction", "??");
	emit_str(t, "presentationHint", "invalid");
	emit_object_end(t);
}

static void add_window(struct dap *d, struct str *t,
		       const struct code_window *w, const struct dbg_insn *list,
		       size_t n)
{
	size_t at = 0;

	while (at < n && list[at].addr < w->addr)
		at++;
	for (uint32_t i = 0; i < w->count; i++) {
		int64_t k = (int64_t)at + w->offset + i;
		if (k >= 0 && (size_t)k < n)
			add_insn(d, t, &list[k]);
		else if (k < 0)
			add_gap(t, n ? list[0].addr - (uint64_t)-k : w->addr);
		else
			add_gap(t, n ? list[n - 1].addr + list[n - 1].size +
					   (uint64_t)k - n
				     : w->addr + (uint64_t)k);
	}
}

static struct dbg_error *do_disassemble(struct dap *d, struct dbg_stopped at,
					struct request *req)
{
	struct str *t = req->body;
	struct code_window w = {0};
	struct dbg_insn *list = NULL;
	size_t n = 0;

	struct dbg_error *err = get_code_window(req->args, &w);
	if (err)
		return err;
	// the whole method, in which instructions before the address are known
	err = dbg_disassemble(at, w.addr, 0, &list, &n);
	if (err) {
		dbg_error_destroy(err);
		int64_t last = w.offset + w.count;
		err = dbg_disassemble(at, w.addr, last > 0 ? (uint32_t)last : 1,
				      &list, &n);
		dbg_error_destroy(err);
	}
	emit_array(t, "instructions");
	add_window(d, t, &w, list, n);
	emit_array_end(t);
	return NULL;
}

const struct dap_request req_code[] = {
    {"modules", "supportsModulesRequest", REQ_NEEDS_PROCESS, .run = do_modules},
    {"loadedSources", "supportsLoadedSourcesRequest", REQ_NEEDS_PROCESS,
     .run = do_loaded_sources},
    {"source", NULL, REQ_NEEDS_PROCESS, .run = do_source},
    {"locations", NULL, 0, .stopped = do_locations},
    {"disassemble", "supportsDisassembleRequest", 0, .stopped = do_disassemble},
    {0},
};
