/*
 * The registry of modules. A module lives from the runtime's load of it to
 * its unload, or to the end of the run; everything derived from addresses
 * (positions, code versions, names) is cached beside it and dropped whole
 * when a module goes, since the runtime then reuses the addresses.
 */
#include "code/code.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "dac/assumption.h"

struct code *code_create(struct target *t, struct dac *d,
			 const struct source_rules *rules,
			 const struct symbol_rules *symbols)
{
	struct code *c = xcalloc(1, sizeof(*c));

	c->target = t;
	c->dac = d;
	c->rules = rules;
	c->symbols = symbols;
	c->cache = arena_create();
	c->path_age = source_age(c);
	return c;
}

void code_set_bundle(struct code *c, const char *program)
{
	free(c->bundle);
	c->bundle = xstrdup(program);
}

void code_destroy(struct code *c)
{
	if (!c)
		return;
	source_forget(c);
	for (size_t i = 0; i < c->n_modules; i++)
		module_destroy(module_of(c->modules[i]));
	free(c->modules);
	unloaded_deinit(c);
	free(c->bundle);
	source_rules_destroy(c->found);
	map_deinit(&c->by_addr);
	map_deinit(&c->positions);
	map_deinit(&c->versions);
	map_deinit(&c->methods);
	map_deinit(&c->types);
	arena_destroy(c->cache);
	free(c);
}

/*
 * Forget what was derived from code addresses, which the runtime reuses when
 * code is unloaded. code_module_remove does this as well; call it together with
 * dac_forget.
 */
static void code_forget(struct code *c)
{
	map_clear(&c->positions);
	map_clear(&c->versions);
	map_clear(&c->methods);
	map_clear(&c->types);
	arena_reset(c->cache);
}

void code_module_changed(struct code *c)
{
	code_forget(c);
	c->age++;
}

// "Foo.dll" and "Foo" both name Foo.dll; "System.Text" does not name
// System.dll.
static bool named(const char *module, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(module, name, n))
		return false;
	const char *rest = module + n;
	return !*rest || !strcasecmp(rest, ".dll") ||
	       !strcasecmp(rest, ".exe") || !strcasecmp(rest, ".netmodule");
}

static bool is_core_library(const struct code *c, const struct module *mod)
{
	return c->dac && named(mod->m.name, "System.Private.CoreLib");
}

static void tell_core_library(struct code *c, const struct module *mod)
{
	if (!is_core_library(c, mod))
		return;
	dac_core_library(c->dac, mod->m.addr, &mod->m.md);
	file_rest(&mod->file);
}

struct dbg_error *code_module_add(struct code *c, const struct dac_module *m,
				  struct code_module **ret)
{
	return code_module_add_image(c, m, (struct bytes){NULL, 0}, ret);
}

struct dbg_error *code_module_add_image(struct code *c,
					const struct dac_module *m,
					struct bytes bytes,
					struct code_module **ret)
{
	struct code_module *old = code_module_find(c, m->addr);

	if (old) {
		*ret = old;
		return NULL;
	}
	if (!m->addr)
		return dbg_err(DBG_E_ARGUMENT, "module without address");
	struct module *mod = module_create(c, m, bytes);
	mod->m.number = ++c->last_number;
	mem_grow(&c->modules, &c->cap_modules, c->n_modules,
		 sizeof(*c->modules));
	c->modules[c->n_modules++] = &mod->m;
	map_put(&c->by_addr, m->addr, mod);
	tell_core_library(c, mod);
	unloaded_loaded(c, &mod->m);
	*ret = &mod->m;
	return NULL;
}

struct dbg_error *code_modules_read(struct code *c)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct dac_module *modules;
	size_t n;

	err = dac_modules(c->dac, arena, &modules, &n);
	for (size_t i = 0; !err && i < n; i++) {
		struct code_module *m;

		err = code_module_add(c, &modules[i], &m);
	}
	arena_destroy(arena);
	return err;
}

void code_module_remove(struct code *c, uint64_t addr)
{
	struct module *mod = map_take(&c->by_addr, addr);

	if (!mod)
		return;
	size_t i = 0;
	while (c->modules[i] != &mod->m)
		i++;
	c->n_modules--;
	memmove(c->modules + i, c->modules + i + 1,
		(c->n_modules - i) * sizeof(*c->modules));
	code_forget(c);
	if (is_core_library(c, mod))
		dac_core_library(c->dac, 0, NULL);
	module_destroy(mod);
}

bool code_module_symbols(struct code *c, struct code_module *m)
{
	if (m->path || m->pdb || !module_take_symbols(c, module_of(m)))
		return false;
	code_forget(c);
	return true;
}

struct code_module *code_module_find(struct code *c, uint64_t addr)
{
	struct module *mod = map_find(&c->by_addr, addr);

	return mod ? &mod->m : NULL;
}

struct code_module *const *code_modules(struct code *c, size_t *ret_n)
{
	*ret_n = c->n_modules;
	return c->modules;
}

bool code_module_has_name(const struct code_module *m, const char *name)
{
	return named(m->name, name);
}

struct code_module *code_module_named(struct code *c, const char *name)
{
	for (size_t i = 0; i < c->n_modules; i++)
		if (named(c->modules[i]->name, name))
			return c->modules[i];
	return NULL;
}
