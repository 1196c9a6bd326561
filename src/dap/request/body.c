/*
 * Parts of messages that several families send: sources, modules, lines and
 * columns as the client counts them, paths as the client writes them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

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
