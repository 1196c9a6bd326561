/*
 * Updates of a module while the program runs (hot reload). A method's body has
 * a version: 0 is the module's image, N its N-th update. Native code belongs to
 * one version: code that a method had when an update replaced it is remembered
 * by its address, all other code is the newest. The metadata includes all
 * updates (meta/md_update.h), so tokens and names are read as in any module;
 * what was compiled from the text, IL and lines, is asked for by version.
 */
#include "code/code_priv.h"
#include "code/update/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/asyncmethod.h"
#include "meta/il.h"
#include "meta/md_update.h"

/* ---- Lines that an edit has moved (hot reload) --------------------------- */

/*
 * Lines that an edit has moved (hot reload). An update has lines of the methods
 * that it changes only. All others it leaves where they were, though there are
 * more lines or fewer above them now; their text is the same, so the two texts
 * of a file tell where each line went. The old text of a file that is about to
 * be edited is gone when the update comes: texts of a module that the runtime
 * lets change are kept when it is loaded, if they are what was compiled.
 */

enum {
	TEXTS_MAX = 64 << 20, /* bytes of a module's texts */
	STEPS_MAX = 2000,     /* lines that are taken out or put in */
};

/* ---- Two texts ------------------------------------------------------- */

struct lines lines_of(const char *text)
{
	struct lines ret = {.v = NULL};
	size_t cap = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		mem_grow(&ret.v, &cap, ret.n, sizeof(*ret.v));
		ret.v[ret.n++] =
		    (struct line){text, n && text[n - 1] == '\r' ? n - 1 : n};
		text += text[n] ? n + 1 : n;
	}
	return ret;
}

static bool line_equals(const struct line *a, const struct line *b)
{
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* A part of both texts that differs: from @a to @a_end, @b to @b_end. */
struct difference {
	const struct lines *old, *new;
	size_t a, a_end, b, b_end;
	uint32_t *to; /* by old line - 1: the new line, 0: none */
};

/*
 * The shortest way from one part to the other by lines that are taken out or
 * put in (Myers, An O(ND) Difference Algorithm). @reach[n] has how many old
 * lines are behind one after n of these, by diagonals: old lines less new ones,
 * from -n to n.
 */
struct way {
	const struct difference *d;
	uint32_t *reach[STEPS_MAX + 1];
	int n;
};

/*
 * The diagonal from which step @n reaches the diagonal @k; *ret: the old line
 * at which the step ends there.
 */
static int way_from(const struct way *w, int n, int k, uint32_t *ret)
{
	const uint32_t *last = w->reach[n - 1] + n - 1;
	bool put_in = k == -n || (k != n && last[k - 1] < last[k + 1]);
	int from = put_in ? k + 1 : k - 1;

	*ret = last[from] + !put_in;
	return from;
}

/*
 * Try one more edit from this side; true: a shortest way through both parts is
 * found.
 */
static bool way_step(struct way *w)
{
	const struct difference *d = w->d;
	uint32_t n = (uint32_t)(d->a_end - d->a);
	uint32_t m = (uint32_t)(d->b_end - d->b);
	int step = w->n++;

	w->reach[step] = xcalloc(2 * (size_t)step + 1, sizeof(uint32_t));
	for (int k = -step; k <= step; k += 2) {
		uint32_t i = 0;

		if (step)
			way_from(w, step, k, &i);
		while (i < n && (int64_t)i - k < m &&
		       line_equals(&d->old->v[d->a + i],
				   &d->new->v[d->b + (size_t)((int64_t)i - k)]))
			i++;
		w->reach[step][k + step] = i;
		if (i >= n && k == (int64_t)n - m)
			return true;
	}
	return false;
}

/* Note the lines in common, from the end. */
static void way_back(const struct way *w)
{
	const struct difference *d = w->d;
	int64_t diagonal =
	    (int64_t)(d->a_end - d->a) - (int64_t)(d->b_end - d->b);
	int k = (int)diagonal;

	for (int step = w->n - 1; step >= 0; step--) {
		uint32_t i = w->reach[step][k + step], begin = 0;
		int from = step ? way_from(w, step, k, &begin) : 0;

		for (; i > begin; i--)
			d->to[d->a + i - 1] =
			    (uint32_t)(d->b + (size_t)((int64_t)i - k));
		k = from;
	}
}

/* The lines that both have; none if more differ than is looked for. */
static void difference_find(const struct difference *d)
{
	struct way *w = xcalloc(1, sizeof(*w));

	w->d = d;
	while (w->n <= STEPS_MAX) {
		if (!way_step(w))
			continue;
		way_back(w);
		break;
	}
	for (int i = 0; i < w->n; i++)
		free(w->reach[i]);
	free(w);
}

/*
 * Map the old lines that have no equal new one. If as many new lines are in
 * their place, they are mapped to these in order (say, a comment behind a
 * statement was edited); others are mapped to the nearest line before them: no
 * unchanged method has code on them.
 */
static void difference_fill(const struct difference *d)
{
	uint32_t last = 0;

	for (size_t i = 0; i < d->old->n; i++) {
		size_t end = i;

		while (end < d->old->n && !d->to[end])
			end++;
		uint32_t next =
		    end < d->old->n ? d->to[end] : (uint32_t)d->new->n + 1;
		bool same = next - last - 1 == end - i;
		for (; i < end; i++) {
			last += same || !last;
			d->to[i] = last;
		}
		if (end < d->old->n)
			last = d->to[end];
	}
}

/*
 * Find for each line of @old (index: line - 1) its line in @new; 0: it is gone.
 */
static uint32_t *lines_compare(const struct lines *old, const struct lines *new)
{
	uint32_t *to = xcalloc(old->n + 1, sizeof(*to));
	struct difference d = {
	    .old = old, .new = new, .a_end = old->n, .b_end = new->n, .to = to};

	while (d.a < d.a_end && d.b < d.b_end &&
	       line_equals(&old->v[d.a], &new->v[d.b]))
		to[d.a++] = (uint32_t)++d.b;
	while (d.a < d.a_end && d.b < d.b_end &&
	       line_equals(&old->v[d.a_end - 1], &new->v[d.b_end - 1]))
		to[--d.a_end] = (uint32_t)d.b_end--;
	difference_find(&d);
	difference_fill(&d);
	return to;
}

/* ---- Texts ----------------------------------------------------------- */

void texts_destroy(struct module_texts *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	free(t);
}

/*
 * Read a document's text, if its file is there and is what was compiled; freed
 * by the caller.
 */
static char *text_read(struct code *c, struct module *mod, uint32_t rid)
{
	struct file file;
	const char *path = module_document(c, mod, rid);
	char *text = NULL;

	if (!*path || dbg_err_drop(file_load(path, TEXTS_MAX, &file)))
		return NULL;
	if (source_is_compiled(mod, rid, file.bytes))
		text = xstrndup((const char *)file.bytes.p, file.bytes.n);
	file_unload(&file);
	return text;
}

bool code_text_is_edited(struct code *c, struct code_module *m,
			 uint32_t document)
{
	const struct module_texts *t = module_of(m)->texts;

	if (!t || !document || document > t->n || !t->v[document - 1])
		return false;
	char *text = text_read(c, module_of(m), document);
	free(text);
	return !text;
}

uint32_t code_line_moved(const struct code_module *m, uint32_t document,
			 uint32_t line)
{
	return m->pdb ? pdb_line_moved(m->pdb, document, line) : line;
}

void texts_keep(struct code *c, struct module *mod)
{
	uint32_t n = mod->m.pdb ? pdb_n_documents(mod->m.pdb) : 0;
	size_t all = 0;

	if (!n || mod->m.optimized)
		return;
	mod->texts = xcalloc(1, sizeof(*mod->texts));
	mod->texts->v = xcalloc(n, sizeof(char *));
	mod->texts->n = n;
	for (uint32_t rid = 1; rid <= n && all < TEXTS_MAX; rid++) {
		mod->texts->v[rid - 1] = text_read(c, mod, rid);
		if (mod->texts->v[rid - 1])
			all += strlen(mod->texts->v[rid - 1]);
	}
}

/* Find out which lines the last update has moved. */
static void texts_update(struct code *c, struct module *mod)
{
	struct module_texts *t = mod->texts;

	for (uint32_t rid = 1; t && rid <= t->n; rid++) {
		char *old = t->v[rid - 1];
		char *text = old ? text_read(c, mod, rid) : NULL;

		if (!text)
			continue;
		if (strcmp(old, text)) {
			struct lines a = lines_of(old), b = lines_of(text);

			uint32_t *to = lines_compare(&a, &b);

			pdb_move_lines(mod->m.pdb, rid, to, (uint32_t)a.n);
			free(to);
			free(a.v);
			free(b.v);
		}
		free(old);
		t->v[rid - 1] = text;
	}
}

/* ---- Updates of a module while the program runs (hot reload) ------------- */

enum {
	METHODDEF_RVA = 0,
};

/* The versions of one method that updates made, oldest first. */
struct bodies {
	uint32_t *versions, *rvas;
	size_t n, cap;
};

struct module_updates {
	struct md_updates *md;
	uint32_t n;
	uint32_t n_before; /* of them came before the module was seen here */
	struct map bodies; /* MethodDef rid: struct bodies */
	struct map codes;  /* replaced code by its start: version + 1 */
};

static struct module_updates *updates_of(const struct code_module *m)
{
	return ((const struct module *)(const void *)m)->updates;
}

static const struct bodies *bodies_of(const struct code_module *m,
				      uint32_t token)
{
	const struct module_updates *u = updates_of(m);

	return u && MD_TOKEN_TABLE(token) == MD_METHODDEF
		   ? map_find(&u->bodies, MD_TOKEN_RID(token))
		   : NULL;
}

/* ---- Questions ------------------------------------------------------- */

uint32_t code_updates(const struct code_module *m)
{
	const struct module_updates *u = updates_of(m);

	return u ? u->n : 0;
}

uint32_t code_method_version(const struct code_module *m, uint32_t token)
{
	const struct bodies *b = bodies_of(m, token);

	return b ? b->versions[b->n - 1] : 0;
}

bool code_pos_is_replaced(const struct code_pos *pos)
{
	return pos->module &&
	       pos->version != code_method_version(pos->module, pos->token);
}

bool code_pos_is_of_before(const struct code_pos *pos)
{
	return code_pos_is_replaced(pos) ||
	       (pos->module && pos->module->pdb &&
		pdb_method_is_lost(pos->module->pdb, code_pos_method(pos)));
}

struct bytes code_il(const struct code_module *m, uint32_t rva)
{
	const struct module_updates *u = updates_of(m);

	if (!(rva & MD_UPDATED_IL))
		return pe_at_rva(&m->pe, rva);
	return u ? md_updates_il(u->md, rva) : (struct bytes){NULL, 0};
}

struct bytes code_method_il(const struct code_module *m, uint32_t token,
			    uint32_t version)
{
	const struct bodies *b = bodies_of(m, token);
	uint32_t rva =
	    md_col(&m->md, MD_METHODDEF, MD_TOKEN_RID(token), METHODDEF_RVA);

	if (b && version != b->versions[b->n - 1]) {
		rva = b->rvas[0];
		for (size_t i = 0; i < b->n && b->versions[i] <= version; i++)
			rva = b->rvas[i];
	}
	return rva && m->pe.file.n ? code_il(m, rva) : (struct bytes){NULL, 0};
}

/* ---- Versions of code ------------------------------------------------ */

static bool is_insn_start(const struct il_body *body, uint32_t offset)
{
	struct il_insn insn;
	uint32_t at = 0;

	while (at < offset && il_decode(body->code, at, &insn))
		at += insn.size;
	return at == offset;
}

/* Can code with this map have been made of that version? */
static bool version_fits(const struct code_module *m, uint32_t token,
			 uint32_t version, const struct dac_il_map *map,
			 size_t n_map)
{
	struct arena *arena = arena_create();
	struct il_body body;
	struct bytes il = code_method_il(m, token, version);
	bool fits = il.p && !dbg_err_drop(il_body_parse(il, arena, &body));

	for (size_t i = 0; fits && i < n_map; i++)
		fits = map[i].il_offset >= DAC_IL_EPILOG ||
		       is_insn_start(&body, map[i].il_offset);
	arena_destroy(arena);
	return fits;
}

/* Code that was replaced before the module was seen here: the last version
 * whose IL it can have been made of. */
static uint32_t version_guess(struct code *c, const struct code_module *m,
			      const struct bodies *b, uint32_t token,
			      uint64_t start)
{
	const struct dac_il_map *map;
	size_t n_map;

	if (dbg_err_drop(dac_il_map(c->dac, start, &map, &n_map)))
		return b->versions[b->n - 1];
	for (size_t i = b->n - 1; i-- > 0;)
		if (version_fits(m, token, b->versions[i], map, n_map))
			return b->versions[i];
	return b->versions[b->n - 1];
}

uint32_t update_version_of_code(struct code *c, const struct code_module *m,
				uint32_t token, const struct dac_code *code)
{
	const struct module_updates *u = updates_of(m);
	const struct bodies *b = bodies_of(m, token);
	uintptr_t old = u ? (uintptr_t)map_find(&u->codes, code->start) : 0;

	if (old)
		return (uint32_t)(old - 1);
	if (b && u->n_before &&
	    dac_method_code(c->dac, code->method) != code->start)
		return version_guess(c, m, b, token, code->start);
	return code_method_version(m, token);
}

/* ---- Replacing ------------------------------------------------------- */

static void bodies_add(struct module_updates *u, uint32_t rid, uint32_t old_rva,
		       uint32_t version, uint32_t rva)
{
	struct bodies *b = map_find(&u->bodies, rid);

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		map_put(&u->bodies, rid, b);
	}
	b->versions = xrealloc(b->versions, (b->n + 2) * sizeof(*b->versions));
	b->rvas = xrealloc(b->rvas, (b->n + 2) * sizeof(*b->rvas));
	if (!b->n) {
		b->versions[0] = 0;
		b->rvas[b->n++] = old_rva;
	}
	b->versions[b->n] = version;
	b->rvas[b->n++] = rva;
}

static struct module_updates *updates_open(struct module *mod)
{
	if (!mod->updates) {
		mod->updates = xcalloc(1, sizeof(*mod->updates));
		mod->updates->md = md_updates_create(&mod->m.md);
	}
	return mod->updates;
}

void updates_destroy(struct module_updates *u)
{
	if (!u)
		return;
	md_updates_destroy(u->md);
	for (size_t i = 0; i < u->bodies.cap; i++) {
		struct bodies *b = u->bodies.slots[i].value;

		if (!b)
			continue;
		free(b->versions);
		free(b->rvas);
		free(b);
	}
	map_deinit(&u->bodies);
	map_deinit(&u->codes);
	free(u);
}

/*
 * The code that a method has now is of its present version, whatever becomes of
 * the update. The runtime tells the IL map of replaced code to nobody any more,
 * so it is read while it does.
 */
static void code_note(struct code *c, struct module *mod, uint32_t token,
		      struct arena *arena)
{
	struct module_updates *u = mod->updates;
	uint64_t *codes;
	size_t n, n_map;
	const struct dac_il_map *map;
	uintptr_t version = code_method_version(&mod->m, token);

	if (dbg_err_drop(dac_method_codes(c->dac, mod->m.addr, token, arena,
					  &codes, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		if (map_find(&u->codes, codes[i]))
			continue;
		map_put(&u->codes, codes[i], (void *)(version + 1));
		dbg_error_destroy(dac_il_map(c->dac, codes[i], &map, &n_map));
	}
}

static void update_parse(const struct code_module *m,
			 struct code_update *update)
{
	if (update->broken || md_rows(&update->delta, MD_MODULE))
		return;
	if (!m->pe.file.n)
		update->broken =
		    dbg_err(DBG_E_SYMBOLS, "its image cannot be read");
	else
		update->broken = md_parse(update->md, &update->delta);
	if (update->broken)
		memset(&update->delta, 0, sizeof(update->delta));
}

void code_update_deinit(struct code_update *update)
{
	free((void *)(uintptr_t)update->md.p);
	free((void *)(uintptr_t)update->il.p);
	free((void *)(uintptr_t)update->pdb.p);
	dbg_error_destroy(update->broken);
	*update = (struct code_update){.broken = NULL};
}

/* Are all bodies of the delta's methods whole? */
static struct dbg_error *bodies_check(const struct code_update *update)
{
	const struct md *delta = &update->delta;
	struct arena *arena = arena_create();
	struct dbg_error *err = NULL;
	uint32_t row = 0;

	for (uint32_t i = 1; !err && i <= md_rows(delta, MD_ENCMAP); i++) {
		struct il_body body;

		if (!md_delta_method(delta, i))
			continue;
		uint32_t rva =
		    md_col(delta, MD_METHODDEF, ++row, METHODDEF_RVA);
		if (rva && rva >= update->il.n)
			err = dbg_err(DBG_E_FORMAT,
				      "a method's body is not in its IL");
		else if (rva)
			err = il_body_parse(
			    bytes_slice(update->il, rva, update->il.n - rva),
			    arena, &body);
	}
	arena_destroy(arena);
	return err;
}

struct dbg_error *code_update_check(struct code_module *m,
				    struct code_update *update)
{
	struct dbg_error *err;

	update_parse(m, update);
	err = update->broken;
	update->broken = NULL;
	if (!err)
		err = md_updates_check(updates_open(module_of(m))->md,
				       &update->delta, update->il);
	return err ? err : bodies_check(update);
}

void code_update_begin(struct code *c, struct code_module *m,
		       struct code_update *update)
{
	struct arena *temp = arena_create();

	update_parse(m, update);
	updates_open(module_of(m));
	for (uint32_t i = 1; i <= md_rows(&update->delta, MD_ENCMAP); i++) {
		uint32_t rid = md_delta_method(&update->delta, i);

		if (rid)
			code_note(c, module_of(m), MD_TOKEN(MD_METHODDEF, rid),
				  temp);
	}
	arena_destroy(temp);
}

/*
 * Get the RVAs of the methods in a delta. Once the module's metadata includes
 * the update, nothing else tells them.
 */
static const uint32_t *rvas_of(const struct code_module *m,
			       const struct md *delta, struct arena *arena)
{
	uint32_t n = md_rows(delta, MD_ENCMAP);
	uint32_t *rvas = arena_calloc(arena, (size_t)n + 1, sizeof(*rvas));

	for (uint32_t i = 1; i <= n; i++)
		rvas[i] = md_col(&m->md, MD_METHODDEF,
				 md_delta_method(delta, i), METHODDEF_RVA);
	return rvas;
}

static struct dbg_error *md_apply(struct module *mod,
				  const struct code_update *update,
				  struct code_update_done *ret)
{
	struct module_updates *u = mod->updates;
	const struct md *delta = &update->delta;
	uint32_t had = md_rows(&mod->m.md, MD_METHODDEF);
	struct arena *arena = arena_create();
	const uint32_t *rvas = rvas_of(&mod->m, delta, arena);
	struct md md;
	struct dbg_error *err = md_updates_apply(u->md, delta, update->il, &md);

	for (uint32_t i = 1; !err && i <= md_rows(delta, MD_ENCMAP); i++) {
		uint32_t rid = md_delta_method(delta, i);

		if (!rid)
			continue;
		bodies_add(u, rid, rvas[i], u->n,
			   md_col(&md, MD_METHODDEF, rid, METHODDEF_RVA));
		ret->n_changed += rid <= had;
		ret->n_added += rid > had;
	}
	if (!err)
		mod->m.md = md;
	arena_destroy(arena);
	return err;
}

static void points_forget(struct module *mod)
{
	map_clear(&mod->points);
	if (mod->points_arena)
		arena_reset(mod->points_arena);
}

static void update_apply(struct module *mod, struct code_update *update,
			 struct code_update_done *ret)
{
	struct code_module *m = &mod->m;
	struct dbg_error *err = update->broken;

	update->broken = NULL;
	mod->updates->n++;
	if (!err)
		err = md_apply(mod, update, ret);
	if (err && !m->unknown_update)
		m->unknown_update =
		    arena_printf(mod->arena, "%s", err->message);
	dbg_error_destroy(err);
	ret->symbols = m->pdb && pdb_update(m->pdb, update->pdb);
}

/* Drop everything that was derived from the module before the update. */
static void update_end(struct code *c, struct module *mod)
{
	source_forget(c);
	points_forget(mod);
	map_clear(&mod->traits);
	code_module_changed(c);
}

void code_update_apply(struct code *c, struct code_module *m,
		       struct code_update *update, struct code_update_done *ret)
{
	struct module *mod = module_of(m);

	*ret = (struct code_update_done){.n_changed = 0};
	updates_open(mod);
	update_apply(mod, update, ret);
	if (ret->symbols)
		texts_update(c, mod);
	update_end(c, mod);
}

/* ---- Those from before ----------------------------------------------- */

static void count_methods(const struct module_updates *u, uint32_t had,
			  struct code_update_done *ret)
{
	ret->n_changed = ret->n_added = 0;
	for (size_t i = 0; i < u->bodies.cap; i++) {
		if (!u->bodies.slots[i].value)
			continue;
		ret->n_changed += u->bodies.slots[i].key <= had;
		ret->n_added += u->bodies.slots[i].key > had;
	}
}

void code_updates_recover(struct code *c, struct code_module *m,
			  struct code_update *updates, size_t n,
			  struct code_update_done *ret)
{
	struct module *mod = module_of(m);
	uint32_t had = md_rows(&m->md, MD_METHODDEF);

	*ret = (struct code_update_done){.n_before = m->n_missed};
	if (n == m->n_missed)
		m->unknown_update = NULL;
	updates_open(mod);
	bool symbols = true;
	for (size_t i = 0; i < n; i++) {
		update_parse(m, &updates[i]);
		update_apply(mod, &updates[i], ret);
		symbols = symbols && ret->symbols;
	}
	ret->symbols = symbols;
	mod->updates->n_before = mod->updates->n;
	count_methods(mod->updates, had, ret);
	// keep the texts that the last update was made from
	texts_destroy(mod->texts);
	mod->texts = NULL;
	texts_keep(c, mod);
	ret->n_lost = texts_recover(mod);
	update_end(c, mod);
}

/* ---- Words ----------------------------------------------------------- */

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

void code_update_say(const struct code_module *m,
		     const struct code_update_done *done, struct str *out)
{
	bool any = done->n_changed || done->n_added;

	str_addf(out, "Hot reload: %s: ", m->name);
	if (done->n_before && !m->unknown_update)
		str_addf(out, "%" PRIu32 " update%s before dndbg saw it: ",
			 done->n_before, plural(done->n_before));
	if (m->unknown_update)
		str_addf(out,
			 "an update is not known (%s): its methods are not "
			 "evaluated, and lines may be wrong",
			 m->unknown_update);
	else if (!any)
		str_add(out, "no method changed");
	if (any && m->unknown_update)
		str_add(out, "; ");
	if (done->n_changed)
		str_addf(out, "%" PRIu32 " method%s replaced", done->n_changed,
			 plural(done->n_changed));
	if (done->n_added)
		str_addf(out, "%s%" PRIu32 " added",
			 done->n_changed ? ", " : "", done->n_added);
	if (done->n_lost)
		str_addf(out,
			 "; %" PRIu32 " method%s may have moved: the text of "
			 "before is not known, and lines are those of then",
			 done->n_lost, plural(done->n_lost));
	if (any && !done->symbols)
		str_add(out, ", without lines: the update has no PDB that can "
			     "be read");
}
