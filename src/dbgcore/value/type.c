/*
 * Types: interning, and the facts about one that the runtime knows by its
 * MethodTable. Types made of signatures are in type_sig.c.
 */
#include "value/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "target/target.h"
#include "value/value_priv.h"

enum {
	TYPEDEF_NAME = 1,
	ARGS_MAX = 256,
	// Object header, MethodTable, count: an array of one dimension from
	// 0 has nothing more in front of its elements.
	VECTOR_BASE_SIZE = 24,
	// Base classes: a broken chain may be a ring.
	DEPTH_MAX = 1000,
};

/* ---- The session's table --------------------------------------------- */

struct types *types_create(struct target *t, struct dac *d, struct code *c)
{
	struct types *ts = xcalloc(1, sizeof(*ts));
	ts->target = t;
	ts->dac = d;
	ts->code = c;
	ts->arena = arena_create();
	ts->stop = 1;
	return ts;
}

void types_destroy(struct types *ts)
{
	if (!ts)
		return;
	map_deinit(&ts->by_mt);
	map_deinit(&ts->by_key);
	map_deinit(&ts->names);
	map_deinit(&ts->unloaded);
	free(ts->seen);
	arena_destroy(ts->arena);
	free(ts);
}

/* Are the modules seen so far still there, at the front of the list? */
static bool modules_stand(struct types *ts, struct code_module *const *modules,
			  size_t n)
{
	if (n < ts->n_seen)
		return false;
	for (size_t i = 0; i < ts->n_seen; i++) {
		if (modules[i]->number != ts->seen[i])
			return false;
	}
	return true;
}

static void forget(struct types *ts)
{
	map_clear(&ts->by_mt);
	map_clear(&ts->by_key);
	type_names_clear(ts);
	memset(ts->prims, 0, sizeof(ts->prims));
	ts->core = NULL;
	ts->n_seen = 0;
	arena_reset(ts->arena);
}

void types_stop(struct types *ts)
{
	size_t n;
	struct code_module *const *modules = code_modules(ts->code, &n);
	ts->stop++;
	if (!modules_stand(ts, modules, n))
		forget(ts);
	for (; ts->n_seen < n; ts->n_seen++) {
		mem_grow(&ts->seen, &ts->cap_seen, ts->n_seen,
			 sizeof(ts->seen[0]));
		ts->seen[ts->n_seen] = modules[ts->n_seen]->number;
	}
}

void types_set_overlay(struct types *ts, const struct types_overlay *overlay)
{
	ts->overlay = overlay;
}

bool types_read(struct types *ts, uint64_t addr, void *buf, size_t n)
{
	if (types_beside(addr))
		return ts->overlay &&
		       ts->overlay->read(ts->overlay->arg, addr, buf, n);
	return !dbg_err_drop(target_read(ts->target, addr, buf, n));
}

struct target *types_target(struct types *ts)
{
	return ts->target;
}

struct dac *types_dac(struct types *ts)
{
	return ts->dac;
}

struct code *types_code(struct types *ts)
{
	return ts->code;
}

struct code_module *types_core(struct types *ts)
{
	if (!ts->core)
		ts->core =
		    code_module_named(ts->code, "System.Private.CoreLib");
	return ts->core;
}

struct type *type_alloc(struct types *ts)
{
	struct type *type = arena_alloc(ts->arena, sizeof(*type));
	type->facts = arena_alloc(ts->arena, sizeof(*type->facts));
	type->facts->simple = "";
	type->name = "";
	return type;
}

struct type *type_intern(struct types *ts, const char *key, bool *ret_new)
{
	uint64_t hash = str_hash(key, strlen(key));
	struct type *first = map_find(&ts->by_key, hash);
	for (struct type *t = first; t; t = t->facts->next) {
		if (!strcmp(t->facts->key, key)) {
			*ret_new = false;
			return t;
		}
	}
	struct type *type = type_alloc(ts);
	type->facts->key = arena_strdup(ts->arena, key);
	type->facts->next = first;
	map_put(&ts->by_key, hash, type);
	*ret_new = true;
	return type;
}

/* ---- Types by MethodTable -------------------------------------------- */

static void set_args(struct types *ts, struct type *type)
{
	uint64_t *mts;
	size_t n;
	struct dbg_error *err =
	    dac_type_args(ts->dac, type->mt, ts->arena, &mts, &n);
	if (dbg_err_drop(err))
		return;
	if (n == 0 || n > ARGS_MAX)
		return;
	type->args = arena_calloc(ts->arena, n, sizeof(type->args[0]));
	for (size_t i = 0; i < n; i++) {
		struct type *arg = type_of_mt(ts, mts[i]);
		type->args[i] = arg ? arg : type_of_elem(ts, ELEM_OBJECT);
	}
	type->n_args = n;
}

/* GenericParam rows: Number, Flags, Owner, Name. */
static bool is_generic(const struct code_module *m, uint32_t rid)
{
	uint32_t n;
	// TypeOrMethodDef (II.24.2.6): one bit of tag, 0 is TypeDef.
	return md_find(&m->md, MD_GENERICPARAM, 2, rid << 1, &n) != 0;
}

void type_set_def(struct types *ts, struct type *type, struct code_module *m,
		  uint32_t token)
{
	type->module = m;
	type->token = token;
	uint32_t rid = MD_TOKEN_RID(token);
	type->facts->simple =
	    md_col_string(&m->md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	if (m == types_core(ts))
		type->special = wellknown_special(&m->md, rid);
}

static enum elem enum_elem(struct types *ts, uint64_t mt)
{
	const struct dac_field *fields;
	size_t n;
	struct dbg_error *err = dac_fields(ts->dac, mt, &fields, &n);
	if (dbg_err_drop(err))
		return ELEM_I4;
	for (size_t i = 0; i < n; i++) {
		if (!fields[i].is_static && wellknown_elem_size(fields[i].elem))
			return fields[i].elem;
	}
	return ELEM_I4;
}

static void set_value_kind(struct types *ts, struct type *type,
			   const struct dac_type *dt)
{
	type->size = dt->value_size;
	type->kind = TYPE_STRUCT;
	if (dt->is_enum) {
		type->kind = TYPE_ENUM;
		type->elem = enum_elem(ts, type->mt);
		type->size = wellknown_elem_size(type->elem);
		return;
	}
	if (!type->module || type->module != types_core(ts))
		return;
	enum elem elem =
	    wellknown_elem(&type->module->md, MD_TOKEN_RID(type->token));
	if (elem == ELEM_VOID) {
		type->kind = TYPE_VOID;
	} else if (elem != ELEM_END) {
		type->kind = TYPE_PRIM;
		type->elem = elem;
		type->size = wellknown_elem_size(elem);
	}
}

static void fill_from_mt(struct types *ts, struct type *type,
			 const struct dac_type *dt)
{
	type->name =
	    arena_strdup(ts->arena, code_type_name(ts->code, dt->addr));
	struct code_module *m = code_module_find(ts->code, dt->module);
	if (m && MD_TOKEN_RID(dt->token) && !dt->is_array) {
		type_set_def(ts, type, m, dt->token);
		if (is_generic(m, MD_TOKEN_RID(dt->token)))
			set_args(ts, type);
	}
	type->kind = TYPE_CLASS;
	type->size = sizeof(uint64_t);
	if (dt->is_array) {
		type->is_array = true;
		type->is_vector = dt->base_size == VECTOR_BASE_SIZE;
		type->rank = dt->rank ? dt->rank : 1;
		type->inner = type_of_mt(ts, dt->element);
		if (type->inner && type->inner->is_array)
			type->name =
			    type_array_name(ts, type->inner->name, type->rank);
	} else if (dt->is_value_type) {
		set_value_kind(ts, type, dt);
	} else if (dt->is_string) {
		type->special = SPECIAL_STRING;
	}
}

struct type *type_of_mt(struct types *ts, uint64_t mt)
{
	if (!mt)
		return NULL;
	struct type *type = map_find(&ts->by_mt, mt);
	if (type)
		return type;
	if (types_beside(mt))
		return ts->overlay
			   ? ts->overlay->type_of_mt(ts->overlay->arg, mt)
			   : NULL;
	const struct dac_type *dt;
	struct dbg_error *err = dac_type_get(ts->dac, mt, &dt);
	if (dbg_err_drop(err))
		return NULL;
	if (dt->is_free)
		return NULL;
	type = type_alloc(ts);
	type->mt = mt;
	// In the map before its arguments: a type may mention itself.
	map_put(&ts->by_mt, mt, type);
	fill_from_mt(ts, type, dt);
	return type;
}

/* ---- Facts on demand ------------------------------------------------- */

static bool resolve_origin(struct types *ts, struct type *type)
{
	struct type_facts *facts = type->facts;
	if (type->module || !facts->origin)
		return type->module != NULL;
	struct code_module *m;
	uint32_t token;
	if (!type_resolve(ts, facts->origin, facts->origin_token, &m, &token))
		return false;
	type_set_def(ts, type, m, token);
	return true;
}

static uint64_t find_instance(struct types *ts, struct type *type)
{
	if (type->n_args > ARGS_MAX)
		return 0;
	uint64_t mts[ARGS_MAX];
	for (size_t i = 0; i < type->n_args; i++) {
		mts[i] = type_mt(ts, type->args[i]);
		if (!mts[i])
			return 0;
	}
	return dac_type_instance(ts->dac, type->module->addr, type->token, mts,
				 type->n_args);
}

uint64_t type_mt(struct types *ts, struct type *type)
{
	struct type_facts *facts = type->facts;
	if (type->mt || facts->mt_sought == ts->stop)
		return type->mt;
	facts->mt_sought = ts->stop;
	if (!resolve_origin(ts, type) || type->is_array || type->inner)
		return 0;
	if (type->n_args)
		type->mt = find_instance(ts, type);
	else
		type->mt =
		    dac_type_of_token(ts->dac, type->module->addr, type->token);
	return type->mt;
}

uint64_t type_layout(struct types *ts, struct type *type)
{
	uint64_t mt = type_mt(ts, type);
	if (!mt)
		mt = type->facts->layout;
	if (mt && type->kind == TYPE_STRUCT && !type->size) {
		struct type *loaded = type_of_mt(ts, mt);
		if (loaded)
			type->size = loaded->size;
	}
	if (!mt && type->kind == TYPE_STRUCT && !type->size && ts->overlay)
		type->size = ts->overlay->size(ts->overlay->arg, type);
	return mt;
}

struct type *type_parent(struct types *ts, struct type *type)
{
	struct type_facts *facts = type->facts;
	if (facts->parent || facts->parent_sought == ts->stop)
		return facts->parent;
	facts->parent_sought = ts->stop;
	uint64_t mt = type_layout(ts, type);
	const struct dac_type *dt;
	if (!mt)
		return NULL;
	struct dbg_error *err = dac_type_get(ts->dac, mt, &dt);
	if (dbg_err_drop(err))
		return NULL;
	facts->parent = type_of_mt(ts, dt->parent);
	return facts->parent;
}

/* Are they the same type, whatever their origin? */
static bool type_same(struct types *ts, struct type *a, struct type *b)
{
	enum {
		INNER_MAX = 64
	};
	for (int i = 0; a != b && i < INNER_MAX; i++) {
		if (a->kind != b->kind || a->is_array != b->is_array ||
		    a->rank != b->rank)
			return false;
		if (!a->inner || !b->inner)
			break;
		a = a->inner;
		b = b->inner;
	}
	if (a == b)
		return true;
	uint64_t mt = type_mt(ts, a);
	if (mt && type_mt(ts, b))
		return mt == b->mt;
	return !strcmp(a->name, b->name);
}

bool type_derives(struct types *ts, struct type *type, struct type *base)
{
	for (int i = 0; type && i < DEPTH_MAX; i++) {
		if (type_same(ts, type, base))
			return true;
		type = type_parent(ts, type);
	}
	return false;
}

/* Is a class of the core library of this name among its bases? */
static bool has_base(struct types *ts, struct type *type, const char *name)
{
	for (int i = 0; type && i < DEPTH_MAX; i++) {
		if (type->module && type->module == types_core(ts) &&
		    !strcmp(type->facts->simple, name))
			return true;
		type = type_parent(ts, type);
	}
	return false;
}

bool type_is_delegate(struct types *ts, struct type *type)
{
	struct type *parent = type_parent(ts, type);
	return parent && has_base(ts, parent, "MulticastDelegate");
}

bool type_is_exception(struct types *ts, struct type *type)
{
	return type->kind == TYPE_CLASS && has_base(ts, type, "Exception");
}

/* ---- Names ----------------------------------------------------------- */

const char *type_simple_name(const struct type *type)
{
	return type->facts->simple;
}

bool type_is_closure(const struct type *type)
{
	const char *name = type->facts->simple;
	// C#'s, VB's, F#'s ("add@40", which has no dot or bracket)
	return str_starts(name, "<>c") || str_starts(name, "_Closure$__") ||
	       strchr(name, '@');
}

bool type_is_state_machine(const struct type *type)
{
	return csname_is_machine(type->facts->simple);
}

bool type_is_compiler_made(const struct type *type)
{
	return type->facts->simple[0] == '<' || type_is_closure(type) ||
	       type_is_state_machine(type);
}
