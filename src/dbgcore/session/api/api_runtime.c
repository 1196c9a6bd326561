/* Types and methods of the runtime by their addresses and names. */
#include "session/session.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "code/disasm.h"
#include "code/search.h"
#include "dac/assumption.h"
#include "dac/asyncmethod.h"
#include "dac/facts.h"

void dbg_runtimes(unsigned int *ret_first, unsigned int *ret_last)
{
	*ret_first = DAC_TESTED_MIN;
	*ret_last = DAC_TESTED_MAX;
}

static const char *file_of(struct dbg *dbg, uint64_t module)
{
	const struct code_module *m =
	    code_module_find(dbg->inspect.code, module);

	return m ? m->name : NULL;
}

static const char *kind_at(struct dbg *dbg, uint64_t entry)
{
	struct dac_code code;
	struct dbg_error *err = dac_code_at(dbg->inspect.dac, entry, &code);

	return dbg_err_drop(err) || !code.method
		   ? NULL
		   : code_kind(dbg->inspect.code, &code);
}

/* ---- Types ----------------------------------------------------------- */

// Get the type of a MethodTable or EEClass at @addr.
static struct dbg_error *type_at(struct dbg *dbg, uint64_t addr,
				 const struct dac_type **ret)
{
	struct dac *d = dbg->inspect.dac;
	struct dbg_error *err = dac_type_get(d, addr, ret);

	if (!err)
		return NULL;
	uint64_t mt = dac_type_of_class(d, addr);
	dbg_error_destroy(err);
	err = mt ? dac_type_get(d, mt, ret) : NULL;
	if (mt && !err)
		return NULL;
	dbg_error_destroy(err);
	return dbg_err(DBG_E_MEMORY, "no MethodTable and no EEClass at 0x%llx",
		       (unsigned long long)addr);
}

struct dbg_error *dbg_type_facts(struct dbg_stopped at, uint64_t addr,
				 struct dbg_type_facts *ret)
{
	struct dbg *dbg = at.dbg;
	const struct dac_type *type;
	struct dac_type_facts facts = {0};
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = type_at(dbg, addr, &type);
	if (err)
		return err;
	dac_type_facts(dbg->inspect.dac, type->addr, &facts);
	*ret = (struct dbg_type_facts){
	    .method_table = type->addr,
	    .eeclass = facts.eeclass,
	    .parent = type->parent,
	    .module = type->module,
	    .name = code_type_name(dbg->inspect.code, type->addr),
	    .parent_name = type->parent
			       ? code_type_name(dbg->inspect.code, type->parent)
			       : NULL,
	    .file = file_of(dbg, type->module),
	    .token = type->token,
	    .base_size = type->base_size,
	    .component_size = type->component_size,
	    .n_fields = type->n_fields,
	    .n_statics = type->n_statics,
	    .n_methods = facts.n_methods,
	    .n_virtuals = facts.n_virtuals,
	    .n_interfaces = facts.n_interfaces,
	    .collectible = facts.collectible,
	};
	return NULL;
}

struct dbg_error *dbg_type_slots(struct dbg_stopped at, uint64_t addr,
				 struct dbg_type_slot **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct arena *arena = dbg->inspect.arena;
	const struct dac_type *type;
	struct dac_slot *slots;
	size_t n = 0;
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = type_at(dbg, addr, &type);
	if (!err)
		err = dac_type_slots(dbg->inspect.dac, type->addr, arena,
				     &slots, &n);
	if (err)
		return err;
	struct dbg_type_slot *v = arena_calloc(arena, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		const struct dac_slot *from = &slots[i];

		v[i] = (struct dbg_type_slot){
		    .slot = from->slot,
		    .method = from->method,
		    .entry = from->entry,
		};
		if (!from->method)
			continue;
		v[i].name = code_method_name(dbg->inspect.code, from->method,
					     true, arena);
		v[i].kind = kind_at(
		    dbg, dac_method_code(dbg->inspect.dac, from->method));
	}
	*ret = v;
	*ret_n = n;
	return NULL;
}

/* ---- Methods --------------------------------------------------------- */

static void add_code(struct dbg *dbg, const struct dac_code *code,
		     struct dbg_method_facts *ret)
{
	ret->codes[ret->n_codes++] = (struct dbg_method_code){
	    .start = code->start,
	    .size = code->size,
	    .cold = code->cold,
	    .cold_size = code->cold_size,
	    .kind = code_kind(dbg->inspect.code, code),
	};
}

// Is @method the other one of @m's two methods that the runtime suspends (.NET
// 11)? Of an async method that one has the code.
static bool is_variant(struct dbg *dbg, const struct dac_method *m,
		       uint64_t method)
{
	struct code *code = dbg->inspect.code;
	struct arena *arena = dbg->inspect.arena;
	struct dac_method other;
	struct dac_async async;

	dac_async_get(dbg->inspect.dac, method, &async);
	return async.variant &&
	       !dbg_err_drop(
		   dac_method_get(dbg->inspect.dac, method, &other)) &&
	       other.type == m->type &&
	       !strcmp(code_method_name(code, method, true, arena),
		       code_method_name(code, m->addr, true, arena));
}

// Take all code of a method; instances of a generic one have code of their own.
static void take_codes(struct dbg *dbg, const struct dac_method *m,
		       struct dbg_method_facts *ret)
{
	struct arena *arena = dbg->inspect.arena;
	struct dac *d = dbg->inspect.dac;
	uint64_t now = dac_method_code(d, m->addr), *addrs = &now;
	size_t n = now ? 1 : 0;

	if (!m->dynamic)
		dbg_error_destroy(dac_method_codes(d, m->module, m->token,
						   arena, &addrs, &n));
	ret->codes = arena_calloc(arena, n + 1, sizeof(*ret->codes));
	for (size_t i = 0; i < n; i++) {
		struct dac_code code;
		struct dbg_error *err = dac_code_at(d, addrs[i], &code);

		if (!dbg_err_drop(err) &&
		    (code.method == m->addr || is_variant(dbg, m, code.method)))
			add_code(dbg, &code, ret);
	}
}

// @ret_module: NULL if it has none that is known.
static struct dbg_error *need_method(struct dbg_stopped at, uint64_t method,
				     struct dac_method *ret,
				     struct code_module **ret_module)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);

	*ret_module = NULL;
	if (err)
		return err;
	if (dbg_err_drop(dac_method_get(dbg->inspect.dac, method, ret)))
		return dbg_err(DBG_E_MEMORY, "no MethodDesc at 0x%llx",
			       (unsigned long long)method);
	*ret_module = code_module_find(dbg->inspect.code, ret->module);
	return NULL;
}

struct dbg_error *dbg_method_facts(struct dbg_stopped at, uint64_t method,
				   struct dbg_method_facts *ret)
{
	struct dbg *dbg = at.dbg;
	struct code_module *module;
	struct dac_method m;
	struct code_pos pos = {0};
	struct dbg_error *err = need_method(at, method, &m, &module);

	if (err)
		return err;
	if (module && !m.dynamic)
		code_pos_of(dbg->inspect.code, module, m.token, 0, &pos);
	*ret = (struct dbg_method_facts){
	    .method = method,
	    .method_table = m.type,
	    .module = m.module,
	    .name = code_method_name(dbg->inspect.code, method, true,
				     dbg->inspect.arena),
	    .file = module ? module->name : NULL,
	    .token = m.token,
	    .dynamic = m.dynamic,
	    .path = pos.path,
	    .line = pos.path ? pos.point.line : 0,
	    .il_offset = UINT32_MAX,
	};
	take_codes(dbg, &m, ret);
	return NULL;
}

struct dbg_error *dbg_method_at(struct dbg_stopped at, uint64_t ip,
				struct dbg_method_facts *ret)
{
	struct dbg *dbg = at.dbg;
	const struct code_pos *pos;
	struct dac_code code = {0};
	bool any = false;
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = dac_code_at(dbg->inspect.dac, ip, &code);
	if (!err && !code.method)
		return dbg_err(DBG_E_NOT_FOUND, "0x%llx is not in managed code",
			       (unsigned long long)ip);
	if (!err)
		err = dbg_method_facts(at, code.method, ret);
	if (err)
		return err;
	ret->at = code.start;
	if (!dbg_err_drop(
		code_pos_at(dbg->inspect.code, ip, true, &pos, &any)) &&
	    any) {
		ret->il_offset = pos->il_offset;
		ret->path = pos->path;
		ret->line = pos->path ? pos->point.line : 0;
	}
	return NULL;
}

struct dbg_error *dbg_method_il(struct dbg_stopped at, uint64_t method,
				struct dbg_il_insn **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct code_module *module;
	struct dac_method m;
	struct dbg_error *err = need_method(at, method, &m, &module);

	if (err)
		return err;
	if (!module || m.dynamic)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the IL of a method that was made at run time "
			       "is not kept");
	return disasm_il(dbg->inspect.code, module, m.token, dbg->inspect.arena,
			 ret, ret_n);
}

/* ---- Names ----------------------------------------------------------- */

/* Names that are found. */
struct naming {
	struct dbg *dbg;
	struct dbg_named *v;
	size_t n;
};

static void add_named(struct naming *s, const struct code_module *m,
		      uint32_t token, const char *name)
{
	struct dac *d = s->dbg->inspect.dac;
	bool is_method = MD_TOKEN_TABLE(token) == MD_METHODDEF;

	if (s->n == DBG_NAMED_MAX)
		return;
	s->v[s->n++] = (struct dbg_named){
	    .module = m->addr,
	    .file = m->name,
	    .name = arena_strdup(s->dbg->inspect.arena, name),
	    .token = token,
	    .is_method = is_method,
	    .method_table =
		is_method ? 0 : dac_type_of_token(d, m->addr, token),
	    .method = is_method ? dac_method_of_token(d, m->addr, token) : 0,
	};
}

/*
 * Make the pattern of types and functions that @name means: whole segments from
 * the right; nested types by '+' or '.'; "`2" stands for generic parameters,
 * which may also be left out.
 */
static char *pattern_text(const char *name)
{
	static const char params[] = "(<[^>]*>|`[0-9]+)";
	struct str text = {0};

	str_add(&text, "(^|[.+])");
	for (const char *p = name; *p; p++) {
		if (*p == '`') {
			str_add(&text, params);
			p += strspn(p + 1, "0123456789");
		} else if (*p == '+' || *p == '.') {
			str_addf(&text, "%s?[.+]", params);
		} else if (isalnum((unsigned char)*p) || *p == '_' ||
			   *p & 0x80) {
			str_addc(&text, *p);
		} else {
			str_addf(&text, "\\%c", *p);
		}
	}
	str_addf(&text, "%s?$", params);
	return text.s;
}

static void look_in(struct naming *s, struct code_module *m,
		    const struct code_search *search)
{
	struct arena *arena = arena_create();
	struct dbg_symbol *found;
	size_t n = 0;

	code_search(s->dbg->inspect.code, m, search, arena, &found, &n);
	for (size_t i = 0; i < n; i++)
		add_named(s, m, found[i].token,
			  MD_TOKEN_TABLE(found[i].token) == MD_METHODDEF
			      ? found[i].text
			      : found[i].name);
	arena_destroy(arena);
}

struct dbg_error *dbg_name_find(struct dbg_stopped at, const char *module,
				const char *name, struct dbg_named **ret,
				size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct naming s = {.dbg = dbg};
	struct pattern *pattern = NULL;
	bool known = !module;
	size_t n = 0;
	struct dbg_error *err = session_need_runtime(at);

	if (err)
		return err;
	_cleanup_free_ char *text = pattern_text(name);
	err = pattern_create(text, &pattern);
	if (err)
		return err;
	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);

	dbg->inspect.interrupted = 0;
	s.v = arena_calloc(dbg->inspect.arena, DBG_NAMED_MAX, sizeof(*s.v));
	for (size_t i = 0; i < n; i++) {
		struct code_search search = {
		    .kind = DBG_SYMBOL_TYPE,
		    .name = pattern,
		    .interrupted = &dbg->inspect.interrupted,
		};

		if (module && !code_module_has_name(modules[i], module))
			continue;
		known = true;
		look_in(&s, modules[i], &search);
		search.kind = DBG_SYMBOL_FUNCTION;
		look_in(&s, modules[i], &search);
	}
	pattern_destroy(pattern);
	if (dbg->inspect.interrupted)
		return dbg_err(DBG_E_INTERRUPTED, "interrupted");
	if (!known)
		return dbg_err(DBG_E_NOT_FOUND, "no module '%s'", module);
	*ret = s.v;
	*ret_n = s.n;
	return NULL;
}
