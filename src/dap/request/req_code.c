/*
 * `modules`, `loadedSources`, `source` and `disassemble`: what the program is
 * made of. Lists are made anew for each request.
 */
#include "dap/request/req_code.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Sources that no file on this machine has ---------------------------- */

/*
 * The client asks for their text by a number. Where nobody has it the text says
 * whose source it is and how to tell where it lies.
 */

void sources_deinit(struct sources *s)
{
	words_deinit(&s->missing);
	free(s->last);
	*s = (struct sources){0};
}

static uint32_t number_of(struct sources *s, const char *path)
{
	for (size_t i = 0; i < s->missing.n; i++)
		if (!strcmp(s->missing.v[i], path))
			return (uint32_t)i + 1;
	words_add(&s->missing, path, strlen(path));
	return (uint32_t)s->missing.n;
}

/*
 * Is a file that is not here the client's, who is on another machine: a rule
 * says so, or code of the user's is debugged over a pipe?
 */
static bool is_clients(const struct dap *d,
		       const struct dbg_source_origin *origin, bool user)
{
	return origin->away || (d->setup.piped && user && !origin->here);
}

/* @user: of code of the user's */
static struct source_text sources_find(struct dap *d, const char *path,
				       bool user)
{
	struct sources *s = &d->sources;
	struct dbg_source_origin origin = {0};

	// the frames of a stack are of few files
	if (s->last && s->last_user == user && !strcmp(s->last, path))
		return s->last_text;
	s->last_text = (struct source_text){.here = true};
	s->last_user = user;
	if (access(path, R_OK) < 0) {
		dbg_source_origin(d->dbg, path, &origin);
		if (!is_clients(d, &origin, user)) {
			s->last_text.number = number_of(s, path);
			s->last_text.here = origin.here;
		}
	}
	str_set(&s->last, path);
	return s->last_text;
}

/* The path of @number, owned by the caller. */
static struct dbg_error *sources_path(const struct sources *s, uint32_t number,
				      char **ret)
{
	if (!number || number > s->missing.n)
		return dbg_err(DBG_E_NOT_FOUND, "there is no source %u",
			       number);
	*ret = xstrdup(s->missing.v[number - 1]);
	return NULL;
}

/*
 * Make the text that is shown in place of @path, whose source is nowhere to be
 * found.
 */
static void sources_explain(struct dap *d, const char *path, struct str *ret)
{
	struct dbg_source_origin origin;
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash : strrchr(path, '\\');
	int n = last ? (int)(last - path) : 0;

	dbg_source_origin(d->dbg, path, &origin);
	str_addf(ret,
		 "// The source of this code is not on this machine:\n"
		 "//     %s\n",
		 path);
	if (origin.module)
		str_addf(ret,
			 "// The symbols of %s name that file, but do not "
			 "hold its text.\n",
			 origin.module);
	str_addf(ret,
		 "//\n"
		 "// If it lies elsewhere, say where in launch.json:\n"
		 "//     \"sourceFileMap\": { \"%.*s\": \"/its/folder/here\" "
		 "}\n"
		 "// or, for this session, in the debug console:\n"
		 "//     -exec set substitute-path %.*s /its/folder/here\n",
		 n, path, n, path);
}

/* ---- Parts of messages that several families send ------------------------ */

/*
 * Sources, modules, lines and columns as the client counts them, paths as the
 * client writes them.
 */

int64_t body_line(const struct dap *d, uint32_t line)
{
	return (int64_t)line - d->client.lines_from_0;
}

int64_t body_column(const struct dap *d, uint32_t column)
{
	return (int64_t)column - d->client.columns_from_0;
}

// file:///a%20b
static char *path_to_uri(const char *path)
{
	struct str t = {0};

	str_add(&t, "file://");
	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("/._-~", *path))
			str_addc(&t, *path);
		else
			str_addf(&t, "%%%02X", (unsigned char)*path);
	}
	return str_take(&t);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

struct dbg_error *body_path(const char *given, char **ret)
{
	struct str t = {0};

	if (strncmp(given, "file://", 7)) {
		*ret = xstrdup(given);
		return NULL;
	}
	for (const char *p = given + 7; *p; p++) {
		if (*p != '%') {
			str_addc(&t, *p);
			continue;
		}
		int high = hex_digit(p[1]);
		int low = high < 0 ? -1 : hex_digit(p[2]);
		if (low < 0 || !(high | low)) {
			str_deinit(&t);
			return dbg_err_arg("'%s' is no file's address", given);
		}
		str_addc(&t, (char)(high << 4 | low));
		p += 2;
	}
	*ret = str_take(&t);
	return NULL;
}

static void add_source(struct dap *d, struct str *t, const char *key,
		       const char *path, bool user)
{
	const char *slash = strrchr(path, '/');
	const char *back = strrchr(path, '\\');
	const char *last = slash ? slash : back;

	emit_object(t, key);
	emit_str(t, "name", last ? last + 1 : path);
	if (d->client.uris && *path == '/') {
		_cleanup_free_ char *uri = path_to_uri(path);
		emit_str(t, "path", uri);
	} else {
		emit_str(t, "path", path);
	}
	struct source_text text = sources_find(d, path, user);
	if (text.number) {
		emit_int(t, "sourceReference", text.number);
		emit_str(t, "origin",
			 text.here ? "in the symbols" : "not on this machine");
	}
	// clients show the next frame that has a source in its place
	if (!text.here && !user)
		emit_str(t, "presentationHint", "deemphasize");
	emit_object_end(t);
}

void body_source(struct dap *d, struct str *t, const char *key,
		 const char *path)
{
	add_source(d, t, key, path, true);
}

void body_frame_source(struct dap *d, struct str *t, const struct dbg_frame *f)
{
	add_source(d, t, "source", f->source.path, f->user);
}

static const char *const symbol_words[] = {
    [DBG_SYMBOLS_NONE] = "No symbols loaded.",
    [DBG_SYMBOLS_LOADED] = "Symbols loaded.",
    [DBG_SYMBOLS_MISMATCH] = "The symbols are of another build.",
    [DBG_SYMBOLS_WINDOWS] = "The symbols are in the Windows format.",
    [DBG_SYMBOLS_BROKEN] = "The symbols are broken.",
};

void body_module(struct str *t, const char *key, const struct dbg_module *m)
{
	emit_object(t, key);
	emit_str(t, "id", m->name);
	emit_str(t, "name", m->name);
	emit_str(t, "path", m->path);
	emit_str(t, "version", m->version);
	emit_bool(t, "isOptimized", m->optimized);
	emit_bool(t, "isUserCode", m->user);
	emit_str(t, "symbolStatus", symbol_words[m->symbols]);
	if (m->symbols == DBG_SYMBOLS_LOADED)
		emit_str(t, "symbolFilePath", m->symbols_note);
	emit_strf(t, "addressRange", "0x%lx-0x%lx", (unsigned long)m->base,
		  (unsigned long)(m->base + m->size));
	emit_object_end(t);
}

/* ---- Modules, sources, instructions -------------------------------------- */

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
