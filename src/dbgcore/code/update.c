/*
 * Updates that the program was given of a module while it ran (hot reload). A
 * method's body is a version: 0 is that of the module's image, N that of its
 * N-th update. Native code belongs to one: what a method had when an update
 * replaced it is kept by its address, everything else is the newest. The
 * metadata is that of all updates together (meta/md_update.h), so tokens and
 * names are read as of any module; what was compiled from the text, IL and
 * lines, is asked for by version.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"
#include "dac/asyncmethod.h"
#include "meta/md_update.h"

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

uint32_t update_version_of_code(const struct code_module *m, uint32_t token,
				uint64_t start)
{
	const struct module_updates *u = updates_of(m);
	uintptr_t old = u ? (uintptr_t)map_find(&u->codes, start) : 0;

	return old ? (uint32_t)(old - 1) : code_method_version(m, token);
}

bool code_pos_is_replaced(const struct code_pos *pos)
{
	return pos->module &&
	       pos->version != code_method_version(pos->module, pos->token);
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

struct dbg_error *code_update_begin(struct code *c, struct code_module *m,
				    const struct code_update *update,
				    struct arena *arena,
				    struct md_delta_methods *ret)
{
	struct dbg_error *err;
	struct arena *temp;

	ret->n = 0;
	if (!m->pe.file.n)
		return dbg_err(DBG_E_SYMBOLS, "its image cannot be read");
	err = md_delta_read(update->md, arena, ret);
	if (err)
		return err;
	updates_open(module_of(m));
	temp = arena_create();
	for (size_t i = 0; i < ret->n; i++)
		code_note(c, module_of(m), MD_TOKEN(MD_METHODDEF, ret->rids[i]),
			  temp);
	arena_destroy(temp);
	return NULL;
}

/* Where the IL of each method is: the update's metadata takes the place of what
 * tells that now. */
static const uint32_t *rvas_of(const struct code_module *m,
			       const struct md_delta_methods *methods,
			       struct arena *arena)
{
	uint32_t *rvas = arena_calloc(arena, methods->n + 1, sizeof(*rvas));

	for (size_t i = 0; i < methods->n; i++)
		rvas[i] = md_col(&m->md, MD_METHODDEF, methods->rids[i],
				 METHODDEF_RVA);
	return rvas;
}

struct dbg_error *code_update_apply(struct code *c, struct code_module *m,
				    const struct code_update *update,
				    struct code_update_done *ret)
{
	struct module *mod = module_of(m);
	struct module_updates *u = updates_open(mod);
	struct arena *arena = arena_create();
	uint32_t had = md_rows(&m->md, MD_METHODDEF);
	struct md_delta_methods methods;
	struct md md;
	struct dbg_error *err = md_delta_read(update->md, arena, &methods);
	const uint32_t *rvas = rvas_of(m, &methods, arena);

	if (!err)
		err = md_updates_apply(u->md, update->md, update->il, &md);

	*ret = (struct code_update_done){.n_changed = 0};
	u->n++;
	for (size_t i = 0; !err && i < methods.n; i++) {
		uint32_t rid = methods.rids[i];

		bodies_add(u, rid, rvas[i], u->n,
			   md_col(&md, MD_METHODDEF, rid, METHODDEF_RVA));
		ret->n_changed += rid <= had;
		ret->n_added += rid > had;
	}
	if (err)
		m->unknown_update =
		    arena_printf(mod->arena, "%s", err->message);
	else
		m->md = md;
	if (m->pdb)
		ret->symbols = pdb_update(m->pdb, update->pdb);
	mod->paths = NULL;
	if (ret->symbols)
		texts_update(c, mod);
	source_forget(c);
	map_clear(&mod->points);
	map_clear(&mod->traits);
	code_module_changed(c);
	arena_destroy(arena);
	return err;
}
