/*
 * Types and the runtime's own records of them: from a MethodTable or TypeHandle
 * (by the DAC) to struct il_type and back, to the engine's struct type, and
 * their names as reflection writes them.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "il/types/types_priv.h"
#include "meta/csname.h"

enum {
	VECTOR_BASE_SIZE = 24, /* object header, MethodTable, count */
	HANDLE_STEP = 16,
};

// No address of a program: not canonical.
static const uint64_t HANDLE_BASE = 0x4d54000000000000;

/* ---- From a MethodTable ---------------------------------------------- */

static struct il_type *of_array(struct il_types *ts, const struct dac_type *dt)
{
	struct il_type *inner = il_type_of_mt(ts, dt->element);
	if (!inner)
		return NULL;
	return dt->base_size == VECTOR_BASE_SIZE
		   ? il_type_vector(ts, inner)
		   : il_type_array(ts, inner, dt->rank ? dt->rank : 1);
}

/*
 * The definition's own record has its parameters as arguments, which are no
 * MethodTables.
 */
static struct il_type *of_instance(struct il_types *ts, struct il_type *def,
				   uint64_t mt)
{
	struct il_type *args[IL_ARGS_MAX];
	uint64_t *mts;
	size_t n;
	struct arena *arena = arena_create();
	struct dbg_error *err = dac_type_args(ts->dac, mt, arena, &mts, &n);
	bool good = !dbg_err_drop(err) && n == def->n_args;
	for (size_t i = 0; good && i < n; i++) {
		args[i] = il_type_of_mt(ts, mts[i]);
		good = args[i] != NULL;
	}
	arena_destroy(arena);
	return good ? il_type_instance(ts, def, args, n) : def;
}

struct il_type *il_type_of_mt(struct il_types *ts, uint64_t mt)
{
	const struct dac_type *dt;
	struct il_type *type = mt ? map_find(&ts->by_mt, mt) : NULL;
	if (type || !mt)
		return type;
	if (!ts->dac || ts->quiet ||
	    dbg_err_drop(dac_type_get(ts->dac, mt, &dt)) || dt->is_free)
		return NULL;
	if (dt->is_array) {
		type = of_array(ts, dt);
	} else {
		struct code_module *m = code_module_find(ts->code, dt->module);
		type = m ? il_type_def(ts, m, dt->token) : NULL;
		if (type && type->n_args)
			type = of_instance(ts, type, mt);
	}
	if (!type)
		return NULL;
	if (!type->open)
		type->facts->mt = mt;
	map_put(&ts->by_mt, mt, type);
	return type;
}

/* ---- To a MethodTable ------------------------------------------------ */

static uint64_t instance_mt(struct il_types *ts, struct il_type *type)
{
	uint64_t mts[IL_ARGS_MAX];
	for (size_t i = 0; i < type->n_args; i++) {
		mts[i] = il_type_mt(ts, type->args[i]);
		if (!mts[i])
			return 0;
	}
	return dac_type_instance(ts->dac, type->module->addr, type->token, mts,
				 type->n_args);
}

uint64_t il_type_mt(struct il_types *ts, struct il_type *type)
{
	struct il_type_facts *facts = type->facts;
	if (facts->mt || facts->mt_sought == ts->stop || ts->quiet)
		return facts->mt;
	facts->mt_sought = ts->stop;
	if (!type->module || type->open)
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

uint64_t il_type_record(struct il_types *ts, struct il_type *type)
{
	if (type->open && type->module &&
	    type == il_type_def(ts, type->module, type->token))
		return dac_type_of_token(ts->dac, type->module->addr,
					 type->token);
	return il_type_mt(ts, type);
}

uint64_t il_type_handle(struct il_types *ts, struct il_type *type)
{
	struct il_type_facts *facts = type->facts;
	if (facts->handle)
		return facts->handle;
	facts->handle = il_type_mt(ts, type);
	if (facts->handle)
		return facts->handle;
	facts->handle = HANDLE_BASE + HANDLE_STEP * ++ts->n_handles;
	map_put(&ts->by_handle, facts->handle, type);
	return facts->handle;
}

bool il_handle_is_made(const struct il_types *ts, uint64_t handle)
{
	return map_find(&ts->by_handle, handle) != NULL;
}

struct il_type *il_type_of_handle(struct il_types *ts, uint64_t handle)
{
	if (handle < HANDLE_BASE)
		return il_type_of_mt(ts, handle);
	return map_find(&ts->by_handle, handle);
}

/* ---- Types of value/ ------------------------------------------------- */

static struct il_type *of_made(struct il_types *ts, struct type *type)
{
	struct il_type *inner =
	    type->inner ? il_type_of_value(ts, type->inner) : NULL;
	if (!inner)
		return NULL;
	if (type->kind == TYPE_POINTER)
		return il_type_pointer(ts, inner);
	if (type->kind == TYPE_BYREF)
		return il_type_byref(ts, inner);
	return type->is_vector ? il_type_vector(ts, inner)
			       : il_type_array(ts, inner, type->rank);
}

struct il_type *il_type_of_value(struct il_types *ts, struct type *type)
{
	struct il_type *args[IL_ARGS_MAX];
	uint64_t mt = type_mt(ts->values, type);
	struct il_type *found = il_type_of_mt(ts, mt);
	if (found && !found->open)
		return found;
	if (type->inner)
		return of_made(ts, type);
	struct il_type *def =
	    type->module ? il_type_def(ts, type->module, type->token) : NULL;
	if (!def || def->n_args != type->n_args)
		return def;
	for (size_t i = 0; i < type->n_args; i++) {
		args[i] = il_type_of_value(ts, type->args[i]);
		if (!args[i])
			return NULL;
	}
	return il_type_instance(ts, def, args, type->n_args);
}

static struct type *instance_value(struct il_types *ts, struct il_type *type)
{
	struct type *args[IL_ARGS_MAX];
	if (type->open)
		return NULL;
	for (size_t i = 0; i < type->n_args; i++) {
		args[i] = il_type_to_value(ts, type->args[i]);
		if (!args[i])
			return NULL;
	}
	return type_instance(ts->values, type->module, type->token, args,
			     type->n_args);
}

static struct type *make_value(struct il_types *ts, struct il_type *type)
{
	uint64_t mt = il_type_mt(ts, type);
	if (mt)
		return type_of_mt(ts->values, mt);
	if (type->n_args && type->module)
		return instance_value(ts, type);
	if (type->module)
		return type_of_def(ts->values, type->module, type->token);
	struct type *inner =
	    type->inner ? il_type_to_value(ts, type->inner) : NULL;
	if (!inner)
		return NULL;
	if (type->kind == IL_KIND_POINTER)
		return type_pointer_to(ts->values, inner);
	if (type->kind == IL_KIND_BYREF)
		return type_byref_to(ts->values, inner);
	return type_array_of(ts->values, inner, type->rank);
}

struct type *il_type_to_value(struct il_types *ts, struct il_type *type)
{
	// value/ drops its types when a module is unloaded, as we do.
	if (!type->facts->value)
		type->facts->value = make_value(ts, type);
	return type->facts->value;
}

/* ---- Names ----------------------------------------------------------- */

static const char *name_of(struct il_types *ts, struct il_type *type)
{
	const char *names[IL_ARGS_MAX];
	_cleanup_str_ struct str name = {0};
	// The definition is named by its own parameters.
	size_t n = il_type_generic(ts, type) == type ? 0 : type->n_args;
	for (size_t i = 0; i < n; i++)
		names[i] = il_type_name(ts, type->args[i]);
	struct csname_args args = {.type_args = names, .n_type_args = n};
	csname_type(&type->module->md, type->token, &args, &name);
	return arena_strdup(ts->arena, str_get(&name));
}

static const char *function_name(struct il_types *ts, struct il_type *type)
{
	_cleanup_str_ struct str name = {0};
	if (!type->n_args)
		return "delegate*";
	str_add(&name, "delegate*<");
	for (size_t i = 1; i < type->n_args; i++) {
		str_add(&name, il_type_name(ts, type->args[i]));
		str_add(&name, ", ");
	}
	str_add(&name, il_type_name(ts, type->args[0]));
	str_addc(&name, '>');
	return arena_strdup(ts->arena, str_get(&name));
}

/*
 * An array of arrays: int[] of rank 2 is int[,][] to the runtime, int[][,] in
 * C#, where the outermost rank comes first.
 */
static const char *array_name(struct il_types *ts, struct il_type *type)
{
	_cleanup_str_ struct str ranks = {0};
	struct il_type *t = type;
	for (int i = 0; t->kind == IL_KIND_ARRAY && i < IL_DEPTH_MAX; i++) {
		str_addc(&ranks, '[');
		if (t->elem == ELEM_ARRAY && t->rank == 1)
			str_addc(&ranks, '*');
		for (uint32_t r = 1; r < t->rank; r++)
			str_addc(&ranks, ',');
		str_addc(&ranks, ']');
		t = t->inner;
	}
	return arena_printf(ts->arena, "%s%s", il_type_name(ts, t),
			    str_get(&ranks));
}

static const char *make_name(struct il_types *ts, struct il_type *type)
{
	switch (type->kind) {
	case IL_KIND_VAR:
		return arena_printf(ts->arena, "T%u", type->number);
	case IL_KIND_MVAR:
		return arena_printf(ts->arena, "M%u", type->number);
	case IL_KIND_POINTER:
		return arena_printf(ts->arena, "%s*",
				    il_type_name(ts, type->inner));
	case IL_KIND_BYREF:
		return arena_printf(ts->arena, "ref %s",
				    il_type_name(ts, type->inner));
	case IL_KIND_FUNCTION:
		return function_name(ts, type);
	case IL_KIND_ARRAY:
		return array_name(ts, type);
	default:
		return name_of(ts, type);
	}
}

const char *il_type_name(struct il_types *ts, struct il_type *type)
{
	if (!type->facts->name)
		type->facts->name = make_name(ts, type);
	return type->facts->name;
}
