/*
 * Source paths and texts. The compiler's path is what symbols know; rules
 * turn it into where the file lies here. Texts are read once and kept, so
 * that lines handed out stay valid for the session.
 */
#include "code/source.h"

#include <ctype.h>
#include <sha1.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "target/hostfile.h"

enum {
	MAX_TEXT = 64 << 20
};

struct rule {
	char *from, *to;
};

struct source_rules {
	struct rule *rules;
	size_t n, cap;
	char *directories; /* NULL: none */
	unsigned int age;
};

struct source_rules *source_rules_create(void)
{
	return xcalloc(1, sizeof(struct source_rules));
}

void source_rules_destroy(struct source_rules *r)
{
	if (!r)
		return;
	source_rules_clear(r);
	free(r->rules);
	free(r->directories);
	free(r);
}

unsigned int source_rules_age(const struct source_rules *r)
{
	return r ? r->age : 0;
}

static bool is_slash(char ch)
{
	return ch == '/' || ch == '\\';
}

bool source_is_windows(const char *path)
{
	return (isalpha((unsigned char)path[0]) && path[1] == ':') ||
	       (strchr(path, '\\') && !strchr(path, '/'));
}

// Are two characters of paths equal? @windows: ignoring case.
static bool same_char(char a, char b, bool windows)
{
	return a == b || (is_slash(a) && is_slash(b)) ||
	       (windows &&
		tolower((unsigned char)a) == tolower((unsigned char)b));
}

// Copy a directory's path without the slashes at its end.
static char *copy_dir(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && is_slash(path[n - 1]))
		n--;
	return xstrndup(path, n);
}

// The part of @path behind the leading path @from, NULL if it does not lead.
// "/a/b" leads "/a/b" and "/a/b/c" but not "/a/bc".
static const char *behind(const char *path, const char *from)
{
	bool windows = source_is_windows(from);

	while (*from && same_char(*from, *path, windows)) {
		from++;
		path++;
	}
	if (*from)
		return NULL;
	return !*path || is_slash(*path) || is_slash(path[-1]) ? path : NULL;
}

void source_rules_add(struct source_rules *r, const char *from, const char *to)
{
	_cleanup_free_ char *dir = copy_dir(from);

	r->age++;
	if (!*dir)
		return;
	// As gdb does: a second rule for one FROM replaces the first.
	for (size_t i = 0; i < r->n; i++) {
		if (strcmp(r->rules[i].from, dir))
			continue;
		free(r->rules[i].to);
		r->rules[i].to = copy_dir(to);
		return;
	}
	mem_grow(&r->rules, &r->cap, r->n, sizeof(*r->rules));
	r->rules[r->n++] = (struct rule){xstrdup(dir), copy_dir(to)};
}

void source_rules_clear(struct source_rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->rules[i].from);
		free(r->rules[i].to);
	}
	r->n = 0;
	r->age++;
}

const char *source_rules_text(const struct source_rules *r, struct arena *arena)
{
	_cleanup_str_ struct str s = {0};

	for (size_t i = 0; i < r->n; i++)
		str_addf(&s, "%s%s -> %s", i ? "\n  " : "", r->rules[i].from,
			 r->rules[i].to);
	return arena_strdup(arena, str_get(&s));
}

void source_rules_set_directories(struct source_rules *r, const char *text)
{
	free(r->directories);
	r->directories = *text ? xstrdup(text) : NULL;
	r->age++;
}

const char *source_rules_directories(const struct source_rules *r)
{
	return r->directories ? r->directories : "";
}

// The longest end of @path that is a file in @dir, NULL if none is.
static const char *find_in(const char *dir, const char *path,
			   struct arena *arena)
{
	size_t n = strlen(dir);

	while (n && is_slash(dir[n - 1]))
		n--;
	for (const char *rest = path; *rest; rest++) {
		if (is_slash(*rest) || (rest != path && !is_slash(rest[-1])))
			continue;
		_cleanup_free_ char *file =
		    xasprintf("%.*s/%s", (int)n, dir, rest);
		for (char *s = file + n; *s; s++)
			if (*s == '\\')
				*s = '/';
		if (!access(file, R_OK))
			return arena_strdup(arena, file);
	}
	return NULL;
}

static const char *find_in_directories(const struct source_rules *r,
				       const char *path, struct arena *arena)
{
	const char *found = NULL;

	if (!r->directories || !access(path, R_OK))
		return path;
	for (const char *p = r->directories; *p && !found;) {
		size_t n = strcspn(p, ":");
		_cleanup_free_ char *dir = xstrndup(p, n);
		// gdb's names for those that are looked in anyway
		if (n && *dir != '$')
			found = find_in(dir, path, arena);
		p += n + (p[n] == ':');
	}
	return found ? found : path;
}

static const char *substitute(const struct source_rules *r, const char *path,
			      struct arena *arena)
{
	for (size_t i = 0; i < r->n; i++) {
		const char *rest = behind(path, r->rules[i].from);

		if (!rest)
			continue;
		while (is_slash(*rest))
			rest++;
		const char *to = r->rules[i].to;
		const char *slash = *rest && !str_ends(to, "/") ? "/" : "";
		char *moved = arena_printf(arena, "%s%s%s", to, slash, rest);
		// The rest may come from a build on Windows.
		for (char *s = moved + strlen(to); *s; s++)
			if (*s == '\\')
				*s = '/';
		return moved;
	}
	return arena_strdup(arena, path);
}

/*
 * Does a rule lead @path to a folder that is not on this machine? Then it is
 * the client's, who may be on another one.
 */
static bool source_rules_lead_away(const struct source_rules *r,
				   const char *path)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (behind(path, r->rules[i].from))
			return access(r->rules[i].to, F_OK) < 0;
	return false;
}

const char *source_rules_apply(const struct source_rules *r, const char *path,
			       struct arena *arena)
{
	return find_in_directories(r, substitute(r, path, arena), arena);
}

/* ---- Texts ----------------------------------------------------------- */

void source_forget(struct code *c)
{
	for (size_t i = 0; i < c->n_texts; i++) {
		free(c->texts[i].path);
		free(c->texts[i].data);
		free((void *)c->texts[i].lines);
	}
	free(c->texts);
	c->texts = NULL;
	c->n_texts = c->cap_texts = 0;
}

// The text of a file as UTF-8, terminated, without byte order mark.
static char *to_utf8(struct bytes b)
{
	struct str s = {0};

	if (b.n >= 2 && b.p[0] == 0xff && b.p[1] == 0xfe) {
		size_t n = b.n / 2 - 1;
		_cleanup_free_ uint16_t *units = xmalloc(n * 2);
		memcpy(units, b.p + 2, n * 2);
		str_add_utf16(&s, units, n);
		return str_take(&s);
	}
	if (b.n >= 3 && !memcmp(b.p, "\xef\xbb\xbf", 3)) {
		b.p += 3;
		b.n -= 3;
	}
	char *copy = xmalloc(b.n + 1);
	memcpy(copy, b.p, b.n);
	copy[b.n] = '\0';
	// A NUL in a source file must not end it.
	for (size_t i = 0; i < b.n; i++)
		if (!copy[i])
			copy[i] = ' ';
	return copy;
}

// Cut @text->data into lines at \n, \r\n or \r.
static void split(struct source_text *text)
{
	size_t cap = 0;
	char *s = text->data;

	while (*s) {
		mem_grow(&text->lines, &cap, text->n_lines,
			 sizeof(*text->lines));
		text->lines[text->n_lines++] = s;
		s += strcspn(s, "\r\n");
		char end = *s;
		if (end)
			*s++ = '\0';
		if (end == '\r' && *s == '\n')
			s++;
	}
}

// *ret_known: is there a checksum of a known kind?
static bool hash_equals(struct bytes b, const struct pdb *pdb, uint32_t rid,
			bool *ret_known)
{
	const char *algorithm = NULL;
	struct bytes want = pdb_document_hash(pdb, rid, &algorithm);
	uint8_t digest[SHA256_DIGEST_LENGTH];
	size_t n = 0;

	if (algorithm && !strcmp(algorithm, "SHA1")) {
		SHA1_CTX ctx;
		SHA1Init(&ctx);
		SHA1Update(&ctx, b.p, b.n);
		SHA1Final(digest, &ctx);
		n = SHA1_DIGEST_LENGTH;
	} else if (algorithm && !strcmp(algorithm, "SHA256")) {
		SHA2_CTX ctx;
		SHA256Init(&ctx);
		SHA256Update(&ctx, b.p, b.n);
		SHA256Final(digest, &ctx);
		n = SHA256_DIGEST_LENGTH;
	}
	*ret_known = n && want.n == n;
	return *ret_known && !memcmp(want.p, digest, n);
}

static bool hash_differs(struct bytes b, const struct pdb *pdb, uint32_t rid)
{
	bool known;

	return !hash_equals(b, pdb, rid, &known) && known;
}

bool source_is_compiled(const struct module *mod, uint32_t rid, struct bytes b)
{
	bool known;

	return hash_equals(b, mod->m.pdb, rid, &known);
}

static const struct source_text *text_keep(struct code *c, const char *path,
					   struct bytes b, const char *note)
{
	mem_grow(&c->texts, &c->cap_texts, c->n_texts, sizeof(*c->texts));
	struct source_text *text = &c->texts[c->n_texts++];
	*text = (struct source_text){
	    .path = xstrdup(path),
	    .data = to_utf8(b),
	    .note = note,
	};
	split(text);
	return text;
}

// The text of document @rid from the disk at @path, NULL if it is not there.
static const struct source_text *from_disk(struct code *c, const char *path,
					   const struct module *mod,
					   uint32_t rid)
{
	struct dbg_error *err;
	struct file file;

	err = file_load(path, MAX_TEXT, &file);
	if (dbg_err_drop(err))
		return NULL;
	const char *note = NULL;
	if (hash_differs(file.bytes, mod->m.pdb, rid))
		note = "the file is not the one that the program was built "
		       "from";
	const struct source_text *text = text_keep(c, path, file.bytes, note);
	file_unload(&file);
	return text;
}

static const struct source_text *text_find(struct code *c, const char *path)
{
	for (size_t i = 0; i < c->n_texts; i++)
		if (!strcmp(c->texts[i].path, path))
			return &c->texts[i];
	return NULL;
}

static const struct source_text *embedded(struct code *c, const char *path,
					  const struct module *mod,
					  uint32_t rid)
{
	struct arena *arena = arena_create();
	struct bytes b = pdb_document_source(mod->m.pdb, rid, arena);
	const struct source_text *text =
	    b.p ? text_keep(c, path, b, NULL) : NULL;

	arena_destroy(arena);
	return text;
}

static const struct source_text *document_text(struct code *c,
					       struct module *mod, uint32_t rid)
{
	const char *path = module_document(c, mod, rid);
	const struct source_text *text = text_find(c, path);

	if (!text)
		text = from_disk(c, path, mod, rid);
	// A program in a container may have its sources beside it.
	if (!text) {
		_cleanup_free_ char *inside = hostfile_path(c->target, path);
		text = text_find(c, inside);
		if (!text && strcmp(inside, path))
			text = from_disk(c, inside, mod, rid);
	}
	return text ? text : embedded(c, path, mod, rid);
}

// Can the text of document @rid be had, without reading it?
static bool has_text(struct code *c, struct module *mod, uint32_t rid)
{
	const char *path = module_document(c, mod, rid);

	if (!*path)
		return false;
	if (!access(path, R_OK) || pdb_document_is_embedded(mod->m.pdb, rid))
		return true;
	_cleanup_free_ char *inside = hostfile_path(c->target, path);
	return strcmp(inside, path) && !access(inside, R_OK);
}

bool code_module_is_here(struct code *c, struct code_module *m)
{
	struct module *mod = module_of(m);
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;
	unsigned int age = source_age(c);

	if (mod->here_known && mod->here_age == age)
		return mod->here;
	mod->here_known = true;
	mod->here_age = age;
	mod->here = false;
	for (uint32_t rid = 1; rid <= n && !mod->here; rid++)
		mod->here = has_text(c, mod, rid);
	return mod->here;
}

const struct code_module *source_owner(struct code *c, const char *path,
				       bool *ret_here, bool *ret_away)
{
	for (size_t i = 0; i < c->n_modules; i++) {
		struct module *mod = module_of(c->modules[i]);
		uint32_t n = mod->m.pdb ? pdb_n_documents(mod->m.pdb) : 0;

		for (uint32_t rid = 1; rid <= n; rid++) {
			if (strcmp(module_document(c, mod, rid), path))
				continue;
			*ret_here = has_text(c, mod, rid);
			*ret_away = source_rules_lead_away(
			    c->rules, pdb_document_path(mod->m.pdb, rid));
			return &mod->m;
		}
	}
	return NULL;
}

/* ---- By checksum ----------------------------------------------------- */

enum {
	SEEK_UP = 8,     /* directories above */
	SEEK_FAILS = 64, /* documents of a module that are nowhere */
};

unsigned int source_age(const struct code *c)
{
	return source_rules_age(c->rules) + source_rules_age(c->found);
}

static bool has_checksum(const struct module *mod, uint32_t rid,
			 const char *path)
{
	struct file file;

	if (!file_exists(path) ||
	    dbg_err_drop(file_load(path, MAX_TEXT, &file)))
		return false;
	bool same = source_is_compiled(mod, rid, file.bytes);
	file_unload(&file);
	return same;
}

// Learn where source files lie, from a document that was found at @path. Both
// paths end alike; the beginning of the document's path is replaced by that of
// @path in other documents.
static void source_learn(struct code *c, const char *document, const char *path)
{
	size_t n = strlen(document), n_path = strlen(path), cut = 0;
	bool windows = source_is_windows(document);

	for (size_t i = 1; i <= n && i <= n_path; i++) {
		char a = document[n - i], b = path[n_path - i];
		if (!same_char(a, b, windows))
			break;
		if (is_slash(a))
			cut = i;
	}
	if (!cut || cut == n)
		return;
	_cleanup_free_ char *from = xstrndup(document, n - cut);
	_cleanup_free_ char *to = xstrndup(path, n_path - cut);
	if (!c->found)
		c->found = source_rules_create();
	// the first one holds: it does not change with each file
	for (size_t i = 0; i < c->found->n; i++)
		if (!strcmp(c->found->rules[i].from, from))
			return;
	source_rules_add(c->found, from, *to ? to : "/");
}

bool source_is_text(struct code *c, struct module *mod, uint32_t rid,
		    const char *path)
{
	if (!has_checksum(mod, rid, path))
		return false;
	source_learn(c, pdb_document_path(mod->m.pdb, rid), path);
	return true;
}

// Search for document @rid below @dir, then below the directories above it;
// NULL: not found.
static const char *seek_up(struct module *mod, uint32_t rid, const char *dir)
{
	_cleanup_free_ char *at = xstrdup(dir);
	const char *path = pdb_document_path(mod->m.pdb, rid);

	for (int i = 0; i < SEEK_UP && *at; i++) {
		const char *found = find_in(at, path, mod->arena);
		if (found && has_checksum(mod, rid, found))
			return found;
		char *slash = strrchr(at, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return NULL;
}

const char *source_seek(struct code *c, struct module *mod, uint32_t rid,
			const char *path)
{
	const char *document = pdb_document_path(mod->m.pdb, rid);
	const char *found = NULL;
	_cleanup_free_ char *here = NULL;

	if (!access(path, R_OK) || source_rules_lead_away(c->rules, document))
		return path;
	if (c->found) {
		const char *moved = substitute(c->found, document, mod->arena);
		if (!access(moved, R_OK))
			return moved;
	}
	if (mod->m.framework || mod->n_sought == SEEK_FAILS)
		return path;
	if (mod->m.path && *mod->m.path == '/')
		found = seek_up(mod, rid, mod->m.path);
	here = found ? NULL : getcwd(NULL, 0);
	if (here)
		found = seek_up(mod, rid, here);
	if (!found) {
		mod->n_sought++;
		return path;
	}
	source_learn(c, document, found);
	return found;
}

const char *source_note(struct code *c, struct module *mod, uint32_t rid)
{
	const struct source_text *text = document_text(c, mod, rid);

	return text ? text->note : NULL;
}

// Find the text of the document that @file names; NULL: none. *ret_path: the
// path of such a document if its text was not found.
static const struct source_text *find_text(struct code *c, struct module *mod,
					   const char *file,
					   const char **ret_path)
{
	uint32_t n = mod->m.pdb ? pdb_n_documents(mod->m.pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++) {
		if (!place_is_document(c, mod, rid, file))
			continue;
		const struct source_text *text = document_text(c, mod, rid);
		if (text)
			return text;
		*ret_path = module_document(c, mod, rid);
	}
	return NULL;
}

struct dbg_error *source_lines(struct code *c, const char *file,
			       const char *const **ret_lines, size_t *ret_n,
			       const char **ret_note)
{
	const char *path = NULL;

	for (size_t i = 0; i < c->n_modules; i++) {
		const struct source_text *text =
		    find_text(c, module_of(c->modules[i]), file, &path);

		if (!text)
			continue;
		*ret_lines = text->lines;
		*ret_n = text->n_lines;
		*ret_note = text->note;
		return NULL;
	}
	if (path)
		return dbg_err(DBG_E_FILE,
			       "the source file '%s' is not here; use 'set "
			       "substitute-path' if it was moved",
			       path);
	return dbg_err(DBG_E_NOT_FOUND, "no source file named '%s'", file);
}
