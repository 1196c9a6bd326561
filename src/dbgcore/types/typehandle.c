/*
 * Types and the runtime's own records of them: from a MethodTable or TypeHandle
 * (by the DAC) to struct type and back, and their names in C#.
 */
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "types/types_priv.h"
#include "meta/csname.h"

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
