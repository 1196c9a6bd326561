/*
 * The table of types: one for each kind, definition and parts. A type is
 * looked up by a prototype whose parts are canonical already, so that to
 * compare two is to compare pointers.
 */
#include "types/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "types/types_priv.h"

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

static void drop_modules(struct types *ts)
{
	for (size_t i = 0; i < ts->modules.cap; i++) {
		struct type_module *im = ts->modules.slots[i].value;
		if (!im)
			continue;
		map_deinit(&im->names);
		map_deinit(&im->exported);
	}
	map_clear(&ts->modules);
}

static void drop_impls(struct types *ts)
{
	for (size_t i = 0; i < ts->by_hash.cap; i++) {
		struct type *type = ts->by_hash.slots[i].value;
		for (; type; type = type->facts->next)
			map_deinit(&type->facts->impls);
	}
}

static void forget(struct types *ts)
{
	drop_impls(ts);
	drop_modules(ts);
	map_clear(&ts->by_hash);
	map_clear(&ts->by_mt);
	map_clear(&ts->by_handle);
	map_clear(&ts->methods);
	map_clear(&ts->extensions);
	memset(ts->prims, 0, sizeof(ts->prims));
	ts->core = NULL;
	ts->n_seen = 0;
}

void types_release(struct types *ts)
{
	while (ts->n_retired)
		arena_destroy(ts->retired[--ts->n_retired]);
}

void types_destroy(struct types *ts)
{
	if (!ts)
		return;
	forget(ts);
	types_release(ts);
	free(ts->retired);
	map_deinit(&ts->by_hash);
	map_deinit(&ts->by_mt);
	map_deinit(&ts->by_handle);
	map_deinit(&ts->methods);
	map_deinit(&ts->modules);
	map_deinit(&ts->extensions);
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

void types_quiet(struct types *ts, bool on)
{
	ts->quiet = on;
}

void types_ask_runs(struct types *ts, bool (*runs)(void *arg, uint64_t mt),
		    void *arg)
{
	ts->runs = runs;
	ts->runs_arg = arg;
}

// Begin with new types after an assembly was loaded. The old ones are kept for
// whoever still uses them, such as a call under way.
static void arena_retire(struct types *ts)
{
	forget(ts);
	mem_grow(&ts->retired, &ts->cap_retired, ts->n_retired,
		 sizeof(ts->retired[0]));
	ts->retired[ts->n_retired++] = ts->arena;
	ts->arena = arena_create();
}

enum types_kept types_stop(struct types *ts)
{
	enum types_kept kept = TYPES_STAND;
	size_t n;
	struct code_module *const *modules = code_modules(ts->code, &n);
	uint32_t age = code_modules_age(ts->code);

	if (!modules_stand(ts, modules, n)) {
		kept = TYPES_GONE;
		forget(ts);
		types_release(ts);
		arena_reset(ts->arena);
	} else if (age != ts->modules_age) {
		kept = TYPES_ANEW;
		arena_retire(ts);
	}
	ts->stop++;
	ts->modules_age = age;
	for (; ts->n_seen < n; ts->n_seen++) {
		mem_grow(&ts->seen, &ts->cap_seen, ts->n_seen,
			 sizeof(ts->seen[0]));
		ts->seen[ts->n_seen] = modules[ts->n_seen]->number;
	}
	return kept;
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

uint64_t thread_ref_get(struct thread_ref *ref)
{
	if (!ref)
		return 0;
	if (!ref->found)
		ref->addr = ref->find(ref);
	ref->found = true;
	return ref->addr;
}

struct code_module *types_core(struct types *ts)
{
	if (!ts->core)
		ts->core =
		    code_module_named(ts->code, "System.Private.CoreLib");
	return ts->core;
}

/* ---- Interning ------------------------------------------------------- */

uint64_t type_hash(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15;
	return h ^ h >> 29;
}

static uint64_t hash_type(const struct type *t)
{
	uint64_t h = type_hash(0xcbf29ce484222325, t->kind);
	h = type_hash(h, (uint64_t)t->number << 32 | t->rank);
	h = type_hash(h, t->elem);
	h = type_hash(h, (uintptr_t)t->module);
	h = type_hash(h, t->token);
	h = type_hash(h, (uintptr_t)t->inner);
	if (t->label)
		h = type_hash(h, str_hash(t->label, strlen(t->label)));
	for (size_t i = 0; i < t->n_args; i++)
		h = type_hash(h, (uintptr_t)t->args[i]);
	return h;
}

static bool same_labels(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_parts(const struct type *a, const struct type *b)
{
	return a->kind == b->kind && a->elem == b->elem &&
	       a->number == b->number && a->rank == b->rank &&
	       a->module == b->module && a->token == b->token &&
	       a->inner == b->inner && a->n_args == b->n_args &&
	       same_labels(a->label, b->label) &&
	       (!a->n_args ||
		!memcmp(a->args, b->args, a->n_args * sizeof(a->args[0])));
}

static bool is_open(const struct type *type)
{
	if (type->kind == TYPE_KIND_VAR || type->kind == TYPE_KIND_MVAR)
		return true;
	if (type->inner && type->inner->open)
		return true;
	for (size_t i = 0; i < type->n_args; i++) {
		if (type->args[i]->open)
			return true;
	}
	return false;
}

static bool is_inexact(const struct type *type)
{
	if (type->label || (type->inner && type->inner->inexact))
		return true;
	for (size_t i = 0; i < type->n_args; i++) {
		if (type->args[i]->inexact)
			return true;
	}
	return false;
}

struct type *type_add(struct types *ts, const struct type *proto)
{
	uint64_t hash = hash_type(proto);
	struct type *type = arena_copy(ts->arena, proto, 1, sizeof(*proto));
	type->args = arena_copy(ts->arena, proto->args, proto->n_args,
				sizeof(proto->args[0]));
	if (proto->label)
		type->label = arena_strdup(ts->arena, proto->label);
	type->of = ts;
	type->open = is_open(type);
	type->inexact = is_inexact(type);
	type->facts = arena_alloc(ts->arena, sizeof(*type->facts));
	type->facts->next = map_find(&ts->by_hash, hash);
	map_put(&ts->by_hash, hash, type);
	return type;
}

struct type *type_intern(struct types *ts, const struct type *proto)
{
	struct type *type = map_find(&ts->by_hash, hash_type(proto));
	for (; type; type = type->facts->next) {
		if (same_parts(type, proto))
			return type;
	}
	return type_add(ts, proto);
}

/* ---- Made types ------------------------------------------------------ */

struct type *type_vector(struct types *ts, struct type *inner)
{
	struct type proto = {.kind = TYPE_KIND_ARRAY,
			     .elem = ELEM_SZARRAY,
			     .inner = inner,
			     .rank = 1,
			     .is_reference = true};
	if (!inner->facts->vector)
		inner->facts->vector = type_intern(ts, &proto);
	return inner->facts->vector;
}

struct type *type_array(struct types *ts, struct type *inner, uint32_t rank)
{
	struct type proto = {.kind = TYPE_KIND_ARRAY,
			     .elem = ELEM_ARRAY,
			     .inner = inner,
			     .rank = rank,
			     .is_reference = true};
	return type_intern(ts, &proto);
}

struct type *type_pointer(struct types *ts, struct type *inner)
{
	struct type proto = {
	    .kind = TYPE_KIND_POINTER, .elem = ELEM_PTR, .inner = inner};
	return type_intern(ts, &proto);
}

struct type *type_any_function(struct types *ts)
{
	struct type proto = {.kind = TYPE_KIND_FUNCTION, .elem = ELEM_FNPTR};
	return type_intern(ts, &proto);
}

struct type *type_byref(struct types *ts, struct type *inner)
{
	struct type proto = {
	    .kind = TYPE_KIND_BYREF, .elem = ELEM_BYREF, .inner = inner};
	if (!inner->facts->byref)
		inner->facts->byref = type_intern(ts, &proto);
	return inner->facts->byref;
}

struct type *type_param(struct types *ts, bool of_method, uint32_t number)
{
	struct type proto = {.kind = of_method ? TYPE_KIND_MVAR : TYPE_KIND_VAR,
			     .elem = of_method ? ELEM_MVAR : ELEM_VAR,
			     .number = number};
	return type_intern(ts, &proto);
}

struct type *type_nullable(struct types *ts, struct type *inner)
{
	struct type *def = type_core(ts, "System.Nullable`1");
	return def ? type_instance(ts, def, &inner, 1) : NULL;
}

/* ---- Substitution ---------------------------------------------------- */

static struct type *subst(struct types *ts, struct type *type,
			  const struct type_context *ctx, unsigned int depth);

static struct type *subst_args(struct types *ts, struct type *type,
			       const struct type_context *ctx,
			       unsigned int depth)
{
	struct type proto = *type;
	struct type *args[TYPE_ARGS_MAX];
	if (type->n_args > TYPE_ARGS_MAX)
		return type;
	for (size_t i = 0; i < type->n_args; i++)
		args[i] = subst(ts, type->args[i], ctx, depth);
	proto.args = args;
	if (type->kind != TYPE_KIND_FUNCTION)
		return type_intern(ts, &proto);
	struct type_sig *sig =
	    arena_copy(ts->arena, type->function, 1, sizeof(*sig));
	sig->ret = args[0];
	sig->params =
	    arena_copy(ts->arena, args + 1, type->n_args - 1, sizeof(args[0]));
	proto.function = sig;
	return type_intern(ts, &proto);
}

static struct type *subst(struct types *ts, struct type *type,
			  const struct type_context *ctx, unsigned int depth)
{
	if (!type->open || depth > TYPE_DEPTH_MAX)
		return type;
	switch (type->kind) {
	case TYPE_KIND_VAR:
		return type->number < ctx->n_class_args
			   ? ctx->class_args[type->number]
			   : type;
	case TYPE_KIND_MVAR:
		return type->number < ctx->n_method_args
			   ? ctx->method_args[type->number]
			   : type;
	case TYPE_KIND_ARRAY: {
		struct type proto = *type;
		proto.inner = subst(ts, type->inner, ctx, depth + 1);
		return type_intern(ts, &proto);
	}
	case TYPE_KIND_POINTER:
		return type_pointer(ts, subst(ts, type->inner, ctx, depth + 1));
	case TYPE_KIND_BYREF:
		return type_byref(ts, subst(ts, type->inner, ctx, depth + 1));
	default:
		return subst_args(ts, type, ctx, depth + 1);
	}
}

struct type *type_subst(struct types *ts, struct type *type,
			const struct type_context *ctx)
{
	return subst(ts, type, ctx, 0);
}

struct type_context type_context(const struct type *type)
{
	return (struct type_context){.module = type->module,
				     .class_args = type->args,
				     .n_class_args = type->n_args};
}
