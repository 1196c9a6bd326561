/*
 * The table of types: one for each kind, definition and parts. A type is
 * looked up by a prototype whose parts are canonical already, so that to
 * compare two is to compare pointers.
 */
#include "types/types.h"
#include "types/types_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"

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

/* A new type like @proto, which is no other's equal. */
static struct type *type_add(struct types *ts, const struct type *proto)
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

/* ---- Types and the runtime's own records of them ------------------------- */

/*
 * Types and the runtime's own records of them: from a MethodTable or TypeHandle
 * (by the DAC) to struct type and back, and their names in C#.
 */

enum {
	VECTOR_BASE_SIZE = 24, /* object header, MethodTable, count */
	HANDLE_STEP = 16,
	CONVENTION = 0xf, /* of a signature; 0: managed (II.23.2.1) */
};

// No address of a program: not canonical.
static const uint64_t HANDLE_BASE = 0x4d54000000000000;

/* ---- From a MethodTable ---------------------------------------------- */

/*
 * A stand-in for an element type that cannot be read: pointer types have no
 * MethodTable, and a small core may lack any type's. Only its name is known,
 * from the array's.
 */
static struct type *unknown_element(struct types *ts, uint64_t mt)
{
	const char *name = code_type_name(ts->code, mt);
	const char *brackets = strrchr(name, '[');
	size_t n = brackets ? (size_t)(brackets - name) : strlen(name);
	struct type proto = {.kind = TYPE_KIND_FUNCTION,
			     .elem = ELEM_FNPTR,
			     .label = arena_strndup(ts->arena, name, n)};
	return type_intern(ts, &proto);
}

static struct type *of_array(struct types *ts, const struct dac_type *dt)
{
	struct type *inner = type_of_record(ts, dt->element);
	if (!inner)
		inner = unknown_element(ts, dt->addr);
	return dt->base_size == VECTOR_BASE_SIZE
		   ? type_vector(ts, inner)
		   : type_array(ts, inner, dt->rank ? dt->rank : 1);
}

/*
 * A generic definition's MethodTable has its type parameters as arguments;
 * these have no MethodTables.
 */
static struct type *of_instance(struct types *ts, struct type *def, uint64_t mt)
{
	struct type *args[TYPE_ARGS_MAX];
	uint64_t *mts;
	size_t n;
	struct arena *arena = arena_create();
	struct dbg_error *err = dac_type_args(ts->dac, mt, arena, &mts, &n);
	bool good = !dbg_err_drop(err) && n == def->n_args;
	for (size_t i = 0; good && i < n; i++) {
		args[i] = type_of_record(ts, mts[i]);
		good = args[i] != NULL;
	}
	arena_destroy(arena);
	return good ? type_instance(ts, def, args, n) : def;
}

/* The type of the only instance field of an enum without metadata. */
static enum elem enum_elem(struct types *ts, uint64_t mt)
{
	const struct dac_field *fields;
	size_t n = 0;
	dbg_error_destroy(dac_fields(ts->dac, mt, &fields, &n));
	for (size_t i = 0; i < n; i++) {
		if (!fields[i].is_static && wellknown_elem_size(fields[i].elem))
			return fields[i].elem;
	}
	return ELEM_I4;
}

/*
 * A type that Reflection.Emit has made, or whose module is not known: its name,
 * its size and its base class are what the runtime's record says.
 */
static struct type *of_name(struct types *ts, const struct dac_type *dt)
{
	struct type proto = {.kind = TYPE_KIND_CLASS,
			     .elem = ELEM_CLASS,
			     .token = dt->token,
			     .label = code_type_name(ts->code, dt->addr)};
	if (dt->is_string)
		proto.special = TYPE_SPECIAL_STRING;
	if (dt->is_enum) {
		proto.kind = TYPE_KIND_ENUM;
		proto.elem = enum_elem(ts, dt->addr);
	} else if (dt->is_value_type) {
		proto.kind = TYPE_KIND_STRUCT;
		proto.elem = ELEM_VALUETYPE;
	}
	proto.is_value = proto.kind != TYPE_KIND_CLASS;
	proto.is_reference = !proto.is_value;
	struct type *parent = type_of_record(ts, dt->parent);
	proto.is_delegate =
	    parent && parent->special == TYPE_SPECIAL_DELEGATE &&
	    !strcmp(type_simple_name(parent), "MulticastDelegate");
	struct type *type = type_add(ts, &proto);
	type->facts->parent = parent;
	type->facts->has_parent = true;
	type->facts->has_layout = proto.kind == TYPE_KIND_STRUCT;
	type->facts->layout = (struct type_layout){.size = dt->value_size,
						   .align = sizeof(uint64_t),
						   .object = dt->value_size,
						   .has_refs = true};
	return type;
}

static struct type *of_record(struct types *ts, const struct dac_type *dt)
{
	if (dt->is_array)
		return of_array(ts, dt);
	struct code_module *m = code_module_find(ts->code, dt->module);
	struct type *type = m ? type_def(ts, m, dt->token) : NULL;
	if (!type)
		return of_name(ts, dt);
	return type->n_args ? of_instance(ts, type, dt->addr) : type;
}

struct type *type_of_record(struct types *ts, uint64_t mt)
{
	const struct dac_type *dt;
	struct type *type = mt ? map_find(&ts->by_mt, mt) : NULL;
	if (type || !mt)
		return type;
	if (!ts->dac || ts->quiet ||
	    dbg_err_drop(dac_type_get(ts->dac, mt, &dt)) || dt->is_free)
		return NULL;
	type = of_record(ts, dt);
	if (!type->open)
		type->facts->mt = mt;
	map_put(&ts->by_mt, mt, type);
	return type;
}

struct type *type_of_mt(struct types *ts, uint64_t mt)
{
	struct type *type = type_of_record(ts, mt);
	if (!type || !type->inexact)
		return type;
	return type->module ? type_def(ts, type->module, type->token) : NULL;
}

/* ---- To a MethodTable ------------------------------------------------ */

static uint64_t instance_mt(struct types *ts, struct type *type)
{
	uint64_t mts[TYPE_ARGS_MAX];
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
	if (facts->mt || facts->mt_sought == ts->stop || ts->quiet)
		return facts->mt;
	facts->mt_sought = ts->stop;
	if (!type->module || type->open || !ts->dac)
		return 0;
	if (type->n_args)
		facts->mt = instance_mt(ts, type);
	else
		facts->mt =
		    dac_type_of_token(ts->dac, type->module->addr, type->token);
	if (facts->mt)
		map_put(&ts->by_mt, facts->mt, type);
	return facts->mt;
}

uint64_t type_record(struct types *ts, struct type *type)
{
	if (type->open && type->module && ts->dac &&
	    type == type_def(ts, type->module, type->token))
		return dac_type_of_token(ts->dac, type->module->addr,
					 type->token);
	return type_mt(ts, type);
}

uint64_t type_handle(struct types *ts, struct type *type)
{
	struct type_facts *facts = type->facts;
	if (facts->handle)
		return facts->handle;
	facts->handle = type_mt(ts, type);
	if (facts->handle)
		return facts->handle;
	facts->handle = HANDLE_BASE + HANDLE_STEP * ++ts->n_handles;
	map_put(&ts->by_handle, facts->handle, type);
	return facts->handle;
}

bool type_handle_is_made(const struct types *ts, uint64_t handle)
{
	return map_find(&ts->by_handle, handle) != NULL;
}

struct type *type_of_handle(struct types *ts, uint64_t handle)
{
	if (handle < HANDLE_BASE)
		return type_of_mt(ts, handle);
	return map_find(&ts->by_handle, handle);
}

struct value_facts **type_value(const struct type *type)
{
	return &type->facts->value;
}

/* ---- Names ----------------------------------------------------------- */

static bool is_canon(const struct type *type)
{
	return type->kind == TYPE_KIND_CLASS &&
	       !strcmp(type_simple_name(type), "__Canon");
}

bool type_is_argument(const struct type *arg)
{
	return arg && arg->kind != TYPE_KIND_VAR &&
	       arg->kind != TYPE_KIND_MVAR && !is_canon(arg);
}

static const char *name_of(struct types *ts, struct type *type)
{
	const char *names[TYPE_ARGS_MAX];
	_cleanup_str_ struct str name = {0};
	// The definition is named by its own parameters.
	size_t n = type_generic(ts, type) == type ? 0 : type->n_args;
	// a shared one stands for the parameter
	for (size_t i = 0; i < n; i++) {
		names[i] = is_canon(type->args[i])
			       ? csname_generic(&type->module->md, type->token,
						(uint32_t)i)
			       : type_name(ts, type->args[i]);
		names[i] = names[i] ? names[i] : "?";
	}
	struct csname_args args = {.type_args = names, .n_type_args = n};
	csname_type(&type->module->md, type->token, &args, &name);
	return arena_strdup(ts->arena, str_get(&name));
}

static const char *function_name(struct types *ts, struct type *type)
{
	_cleanup_str_ struct str name = {0};
	if (!type->n_args)
		return "delegate*";
	str_add(&name, type->number & CONVENTION ? "delegate* unmanaged<"
						 : "delegate*<");
	for (size_t i = 1; i < type->n_args; i++) {
		str_add(&name, type_name(ts, type->args[i]));
		str_add(&name, ", ");
	}
	str_add(&name, type_name(ts, type->args[0]));
	str_addc(&name, '>');
	return arena_strdup(ts->arena, str_get(&name));
}

/*
 * An array of arrays: int[] of rank 2 is int[,][] to the runtime, int[][,] in
 * C#, where the outermost rank comes first.
 */
static const char *array_name(struct types *ts, struct type *type)
{
	_cleanup_str_ struct str ranks = {0};
	struct type *t = type;
	for (int i = 0; t->kind == TYPE_KIND_ARRAY && i < TYPE_DEPTH_MAX; i++) {
		str_addc(&ranks, '[');
		for (uint32_t r = 1; r < t->rank; r++)
			str_addc(&ranks, ',');
		str_addc(&ranks, ']');
		t = t->inner;
	}
	return arena_printf(ts->arena, "%s%s", type_name(ts, t),
			    str_get(&ranks));
}

static const char *make_name(struct types *ts, struct type *type)
{
	if (type->label)
		return type->label;
	switch (type->kind) {
	case TYPE_KIND_VAR:
		return arena_printf(ts->arena, "T%u", type->number);
	case TYPE_KIND_MVAR:
		return arena_printf(ts->arena, "M%u", type->number);
	case TYPE_KIND_POINTER:
		return arena_printf(ts->arena, "%s*",
				    type_name(ts, type->inner));
	case TYPE_KIND_BYREF:
		return arena_printf(ts->arena, "ref %s",
				    type_name(ts, type->inner));
	case TYPE_KIND_FUNCTION:
		return function_name(ts, type);
	case TYPE_KIND_ARRAY:
		return array_name(ts, type);
	default:
		return name_of(ts, type);
	}
}

const char *type_name(struct types *ts, struct type *type)
{
	if (!type->facts->name)
		type->facts->name = make_name(ts, type);
	return type->facts->name;
}
