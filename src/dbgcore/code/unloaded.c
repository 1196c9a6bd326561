/*
 * Modules that the program has not loaded, for expressions that name more than
 * the program has used so far: metadata and IL are read from the files beside
 * the core library, or beside a module that refers to them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"

enum {
	UNLOADED_MAX = 256,
	MISSING_MAX = 1024,
	ASSEMBLYREF_NAME = 6, /* II.22.5 */
};

/* The file that @path is in the directory of @beside. */
static bool is_beside(const char *path, const char *beside)
{
	const char *a = strrchr(path, '/'), *b = strrchr(beside, '/');

	return a && b && a - path == b - beside &&
	       !memcmp(path, beside, (size_t)(a - path));
}

static struct module *open_file(struct code *c, const char *path,
				const char *name)
{
	const struct dac_module dm = {
	    .addr = DAC_UNLOADED_MODULES + c->n_unloaded,
	    .path = path,
	    .name = name,
	};

	return module_create(c, &dm, (struct bytes){NULL, 0});
}

/* Remember that @path was looked for in vain, in place of the oldest if full.
 */
static void miss(struct code *c, const char *path)
{
	size_t i = c->n_missed++ % MISSING_MAX;

	if (c->n_missed <= MISSING_MAX)
		mem_grow(&c->missing, &c->cap_missing, i, sizeof(*c->missing));
	else
		free(c->missing[i]);
	c->missing[i] = xstrdup(path);
}

static bool is_missing(const struct code *c, const char *path)
{
	for (size_t i = 0; i < c->n_missed && i < MISSING_MAX; i++)
		if (!strcmp(c->missing[i], path))
			return true;
	return false;
}

static struct code_module *find_beside(struct code *c, const struct module *by,
				       const char *name)
{
	const char *slash = by->m.path ? strrchr(by->m.path, '/') : NULL;

	if (!by->place || !slash || strchr(name, '/'))
		return NULL;
	for (size_t i = 0; i < c->n_unloaded; i++)
		if (code_module_has_name(&c->unloaded[i]->m, name))
			return &c->unloaded[i]->m;
	_cleanup_free_ char *path = xasprintf(
	    "%.*s/%s.dll", (int)(slash - by->m.path), by->m.path, name);
	if (c->n_unloaded == UNLOADED_MAX || is_missing(c, path))
		return NULL;
	struct module *mod = open_file(c, path, name);
	// The file of another installation is none of this framework.
	if (!md_rows(&mod->m.md, MD_TYPEDEF) ||
	    (mod->place && !is_beside(mod->place, by->place))) {
		module_destroy(mod);
		miss(c, path);
		return NULL;
	}
	mem_grow(&c->unloaded, &c->cap_unloaded, c->n_unloaded,
		 sizeof(*c->unloaded));
	c->unloaded[c->n_unloaded++] = mod;
	return &mod->m;
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

uint32_t code_modules_age(const struct code *c)
{
	return c->age;
}

void unloaded_deinit(struct code *c)
{
	for (size_t i = 0; i < c->n_unloaded; i++)
		module_destroy(c->unloaded[i]);
	free(c->unloaded);
	for (size_t i = 0; i < c->n_missed && i < MISSING_MAX; i++)
		free(c->missing[i]);
	free(c->missing);
}

void unloaded_loaded(struct code *c, const struct code_module *m)
{
	for (size_t i = 0; i < c->n_unloaded; i++)
		c->age += code_module_has_name(m, c->unloaded[i]->m.name);
}
