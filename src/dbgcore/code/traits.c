/*
 * Traits of a method for steps and Just My Code: by its symbols, its name and
 * its author's attributes.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"

enum {
	KNOWN = 1 << 16,       /* makes a cached 0 differ from absence */
	SPECIAL_NAME = 0x0800, /* II.23.1.10 */
	NESTING_MAX = 16,
	METHOD_IMPL_FLAGS = 1,  /* column, II.22.26 */
	NO_OPTIMIZATION = 0x40, /* II.23.1.11 */
};

static const struct {
	const char *name;
	unsigned int traits;
} attributes[] = {
    {"System.Diagnostics.DebuggerNonUserCodeAttribute", CODE_NON_USER},
    {"System.Diagnostics.DebuggerStepThroughAttribute", CODE_STEP_THROUGH},
    {"System.Diagnostics.DebuggerHiddenAttribute",
     CODE_STEP_THROUGH | CODE_HIDDEN},
};

static unsigned int marks(const struct md *md, uint32_t token)
{
	unsigned int traits = 0;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (md_has_attribute(md, token, attributes[i].name, NULL))
			traits |= attributes[i].traits;
	return traits;
}

// Traits from attributes on a method's type and, if the compiler made that type
// for it (closure, state machine), on the types around it.
static unsigned int type_marks(const struct md *md, uint32_t rid)
{
	unsigned int traits = 0;
	uint32_t type = md_method_type(md, rid);

	for (int i = 0; type && i < NESTING_MAX; i++) {
		traits |= marks(md, MD_TOKEN(MD_TYPEDEF, type));
		if (*md_col_string(md, MD_TYPEDEF, type, 1) != '<')
			break;
		type = md_enclosing(md, type);
	}
	return traits;
}

// II.22.28: the property that an accessor belongs to, 0 if none.
static uint32_t property_of(const struct md *md, uint32_t rid)
{
	uint32_t n = md_rows(md, MD_METHODSEMANTICS);

	for (uint32_t row = 1; row <= n; row++) {
		uint32_t owner = md_col(md, MD_METHODSEMANTICS, row, 2);

		// HasSemantics: the low bit says Event 0, Property 1.
		if (md_col(md, MD_METHODSEMANTICS, row, 1) == rid)
			return owner & 1 ? owner >> 1 : 0;
	}
	return 0;
}

// Traits from special names, which all compilers give.
static unsigned int name_traits(const struct md *md, uint32_t rid)
{
	const char *name = md_col_string(md, MD_METHODDEF, rid, 3);
	const char *dot = strrchr(name, '.');
	const char *last = dot && dot != name ? dot + 1 : name;

	if (!(md_col(md, MD_METHODDEF, rid, 2) & SPECIAL_NAME))
		return 0;
	if (!strcmp(name, ".cctor"))
		return CODE_CCTOR;
	if (str_starts(last, "get_") || str_starts(last, "set_"))
		return CODE_ACCESSOR;
	return str_starts(last, "op_") ? CODE_OPERATOR : 0;
}

// The body of an async method bears what its author wrote; the method that
// starts it is marked DebuggerStepThrough by the compiler and says nothing.
static unsigned int traits_find(struct code *c, struct code_module *m,
				uint32_t rid)
{
	unsigned int traits = 0;
	uint32_t token = MD_TOKEN(MD_METHODDEF, rid);

	if (code_has_source(c, m, token))
		traits |= CODE_SOURCE;
	traits |= marks(&m->md, token) | type_marks(&m->md, rid);
	traits |= name_traits(&m->md, rid);
	if (traits & CODE_ACCESSOR) {
		uint32_t property = property_of(&m->md, rid);

		if (property)
			traits |=
			    marks(&m->md, MD_TOKEN(MD_PROPERTY, property));
	}
	return traits;
}

unsigned int code_traits(struct code *c, struct code_module *m, uint32_t token)
{
	struct module *mod = module_of(m);
	uint32_t rid = MD_TOKEN_RID(token);

	// code without symbols is never stepped in: nothing to know
	if (!m->pdb || MD_TOKEN_TABLE(token) != MD_METHODDEF || !rid)
		return 0;

	uintptr_t traits = (uintptr_t)map_find(&mod->traits, rid);

	if (!traits) {
		traits = traits_find(c, m, rid) | KNOWN;
		map_put(&mod->traits, rid, (void *)traits);
	}
	return (unsigned int)traits & ~(unsigned int)KNOWN;
}

// Is there a module with symbols that is, or is not, optimised?
static bool any_with_symbols(struct code *c, bool optimized)
{
	size_t n;
	struct code_module *const *modules = code_modules(c, &n);

	for (size_t i = 0; i < n; i++)
		if (modules[i]->pdb && modules[i]->optimized == optimized)
			return true;
	return false;
}

bool code_all_optimized(struct code *c)
{
	return !any_with_symbols(c, false) && any_with_symbols(c, true);
}

const char *code_kind(struct code *c, const struct dac_code *code)
{
	struct dac_method method;
	const char *ret = dac_code_kind(c->dac, code);

	if (ret || dbg_err_drop(dac_method_get(c->dac, code->method, &method)))
		return ret;
	const struct code_module *m = code_module_find(c, method.module);
	if (!m || !m->pe.n_sections || method.dynamic)
		return NULL;
	uint32_t flags = md_col(&m->md, MD_METHODDEF,
				MD_TOKEN_RID(method.token), METHOD_IMPL_FLAGS);
	return m->optimized && !(flags & NO_OPTIMIZATION) ? "optimized"
							  : "not optimized";
}

static bool any_is_here(struct code *c)
{
	size_t n;
	struct code_module *const *modules = code_modules(c, &n);

	for (size_t i = 0; i < n; i++)
		if (modules[i]->pdb && code_module_is_here(c, modules[i]))
			return true;
	return false;
}

bool code_module_is_user(struct code *c, struct code_module *m)
{
	if (!m->pdb)
		return false;
	return !m->optimized ||
	       (code_all_optimized(c) &&
		(code_module_is_here(c, m) || !any_is_here(c)));
}

bool code_is_user(struct code *c, struct code_module *m, uint32_t token,
		  const struct code_module *home)
{
	unsigned int traits = code_traits(c, m, token);

	if (!(traits & CODE_SOURCE) ||
	    traits & (CODE_STEP_THROUGH | CODE_NON_USER))
		return false;
	return m == home || code_module_is_user(c, m);
}
