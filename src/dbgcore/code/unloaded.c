/*
 * Modules that the program has not loaded: their metadata and IL, from the
 * files beside that of the core library or of a module that refers to them, for
 * expressions that say more than the program has used so far.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"

enum {
	UNLOADED_MAX = 256,
	ASSEMBLYREF_NAME = 6, /* II.22.5 */
};

/* The file that @path is in the directory of @beside. */
static bool is_beside(const char *path, const char *beside)
{
	const char *a = strrchr(path, '/'), *b = strrchr(beside, '/');

	return a && b && a - path == b - beside &&
	       !memcmp(path, beside, (size_t)(a - path));
}

static struct module *open_file(struct code *c, const struct module *by,
				const char *name)
{
	const char *path = by->m.path;
	_cleanup_free_ char *file = xasprintf(
	    "%.*s/%s.dll", (int)(strrchr(path, '/') - path), path, name);
	const struct dac_module dm = {
	    .addr = DAC_UNLOADED_MODULES + c->n_unloaded,
	    .path = file,
	    .name = name,
	};

	return module_create(c, &dm, (struct bytes){NULL, 0});
}

/* Was it looked for beside @by and not found? */
static bool is_missing(const struct module *mod, const struct module *by)
{
	return !md_rows(&mod->m.md, MD_TYPEDEF) &&
	       is_beside(mod->m.path, by->m.path);
}

static struct code_module *find_beside(struct code *c, const struct module *by,
				       const char *name)
{
	struct module *mod;

	if (!by->place || !strchr(by->m.path, '/') || strchr(name, '/'))
		return NULL;
	for (size_t i = 0; i < c->n_unloaded; i++) {
		mod = c->unloaded[i];
		if (!code_module_has_name(&mod->m, name))
			continue;
		if (md_rows(&mod->m.md, MD_TYPEDEF))
			return &mod->m;
		if (is_missing(mod, by))
			return NULL;
	}
	if (c->n_unloaded == UNLOADED_MAX)
		return NULL;
	mod = open_file(c, by, name);
	// The file of another installation is none of this framework.
	if (mod->place && !is_beside(mod->place, by->place))
		memset(&mod->m.md, 0, sizeof(mod->m.md));
	mem_grow(&c->unloaded, &c->cap_unloaded, c->n_unloaded,
		 sizeof(*c->unloaded));
	c->unloaded[c->n_unloaded++] = mod;
	return md_rows(&mod->m.md, MD_TYPEDEF) ? &mod->m : NULL;
}

struct code_module *
code_module_unloaded(struct code *c, struct code_module *from, const char *name)
{
	struct code_module *core =
	    code_module_named(c, "System.Private.CoreLib");
	struct code_module *m =
	    core ? find_beside(c, module_of(core), name) : NULL;

	return m || !from ? m : find_beside(c, module_of(from), name);
}

static void each_named(struct code *c, const char *name, code_module_fn *fn,
		       void *arg)
{
	struct code_module *m = code_module_named(c, name)
				    ? NULL
				    : code_module_unloaded(c, NULL, name);

	if (m)
		fn(arg, m);
}

void code_each_unloaded(struct code *c, const struct code_module *m,
			code_module_fn *fn, void *arg)
{
	uint32_t n = m ? md_rows(&m->md, MD_ASSEMBLYREF) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		each_named(c,
			   md_col_string(&m->md, MD_ASSEMBLYREF, rid,
					 ASSEMBLYREF_NAME),
			   fn, arg);
	each_named(c, "System.Linq", fn, arg);
}

uint32_t code_unloaded_age(const struct code *c)
{
	return c->unloaded_age;
}

void unloaded_loaded(struct code *c, const struct code_module *m)
{
	for (size_t i = 0; i < c->n_unloaded; i++)
		c->unloaded_age +=
		    code_module_has_name(m, c->unloaded[i]->m.name);
}
