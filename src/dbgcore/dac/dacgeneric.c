/*
 * Instantiated types: their arguments, and the way from a definition and
 * arguments, or from one of the DAC's objects, to a MethodTable.
 */
#include "dac/dac_priv.h"

#include <malloc.h>
#include <string.h>

enum {
	ARGS_MAX = 256,
	DICTS_MAX = 256,
	INSTANCES_MAX = 1 << 16,
	// MethodTable::m_pPerInstInfo; 16-bit counts of dictionaries and of
	// arguments stand in front of what it points to (.NET 8, 9, 10).
	MT_PER_INST = 48,
	TYPEDESC_BIT = 2,
	INSTANCE_FIRST = 16, /* behind table, counts */
	INSTANCE_END = 64,
};

struct instance_entry {
	uint64_t module, mt;
	uint32_t token;
	uint32_t n_args;
	uint64_t *args;
};

uint64_t dac_type_of_token(struct dac *d, uint64_t module, uint32_t token)
{
	uint64_t mt = 0;

	// The same slot serves types and methods.
	int32_t hr =
	    DAC_CALL(d, d->sos, SOS_METHOD_FROM_TOKEN, module, token, &mt);
	return hr == COM_OK ? mt : 0;
}

// ---- Arguments -----------------------------------------------------------

// Arguments in the DAC's name: the commas at depth one of the last "[[...]]".
static size_t name_arity(const char *name)
{
	const char *p = strstr(name, "[[");
	size_t depth = 0, n = 0;

	for (; p && *p; p++) {
		if (*p == '[' && ++depth == 2)
			n++;
		else if (*p == ']' && depth && !--depth)
			break;
	}
	return n;
}

static struct dbg_error *implausible(uint64_t mt)
{
	return dbg_err(DBG_E_FORMAT,
		       "the generic arguments of the type at 0x%llx make no "
		       "sense",
		       (unsigned long long)mt);
}

struct dbg_error *dac_type_args(struct dac *d, uint64_t mt, struct arena *arena,
				uint64_t **ret, size_t *ret_n)
{
	struct dbg_error *err;
	const struct dac_type *type;
	const char *name;
	uint64_t info, dict;
	uint16_t counts[2];

	err = dac_type_get(d, mt, &type);
	if (!err)
		err = dac_type_name(d, mt, &name);
	if (err)
		return err;
	// An array of a generic type bears its element's name.
	size_t n = type->is_array ? 0 : name_arity(name);
	*ret = NULL;
	*ret_n = 0;
	if (!n)
		return NULL;
	err = target_read_u64(d->target, mt + MT_PER_INST, &info);
	if (!err)
		err = target_read(d->target, info - sizeof(counts), counts,
				  sizeof(counts));
	if (err)
		return err;
	if (n > ARGS_MAX || !counts[0] || counts[0] > DICTS_MAX ||
	    counts[1] != n)
		return implausible(mt);
	err = target_read_u64(d->target, info + 8 * (counts[0] - 1u), &dict);
	if (err)
		return err;
	uint64_t *args = arena_calloc(arena, n, sizeof(*args));
	err = target_read(d->target, dict, args, n * sizeof(*args));
	if (err)
		return err;
	*ret = args;
	*ret_n = n;
	return NULL;
}

// ---- Instances -----------------------------------------------------------

// Does the DAC name the MethodTable @mt as it does @instance?
static bool is_named(struct dac *d, uint64_t mt, void *instance)
{
	struct dbg_error *err;
	const char *name;
	uint32_t n = 0;

	err = dac_type_name(d, mt, &name);
	if (err) {
		dbg_error_destroy(err);
		return false;
	}
	d->scratch[0] = 0;
	if (DAC_CALL(d, instance, TYPEINST_NAME, (uint32_t)0,
		     (uint32_t)DAC_SCRATCH_UNITS, &n, d->scratch) < 0)
		return false;
	struct arena *arena = arena_create();
	bool ret = !strcmp(name, dac_scratch_text(d, DAC_SCRATCH_UNITS, arena));
	arena_destroy(arena);
	return ret;
}

static uint64_t word_at(void *object, size_t offset)
{
	uint64_t word;

	memcpy(&word, (char *)object + offset, sizeof(word));
	return word & TYPEDESC_BIT ? 0 : word;
}

/*
 * An IXCLRDataTypeInstance does not give its TypeHandle away, but holds it as
 * one of its few words. Which one is found once, by name, and then relied on.
 */
uint64_t dac_type_of_instance(struct dac *d, void *instance)
{
	struct dbg_error *err;
	const struct dac_type *type;

	if (d->instance_offset) {
		uint64_t mt = word_at(instance, d->instance_offset);
		err = dac_type_get(d, mt, &type);
		dbg_error_destroy(err);
		return err ? 0 : mt;
	}
	size_t end = malloc_usable_size(instance);
	for (size_t off = INSTANCE_FIRST; off + 8 <= end && off < INSTANCE_END;
	     off += 8) {
		uint64_t mt = word_at(instance, off);
		if (!is_named(d, mt, instance))
			continue;
		d->instance_offset = off;
		return mt;
	}
	return 0;
}

static bool args_match(struct dac *d, uint64_t mt, const uint64_t *args,
		       size_t n_args)
{
	struct dbg_error *err;
	uint64_t *have;
	size_t n;
	struct arena *arena = arena_create();

	err = dac_type_args(d, mt, arena, &have, &n);
	bool ret =
	    !err && n == n_args && !memcmp(have, args, n * sizeof(*args));
	dbg_error_destroy(err);
	arena_destroy(arena);
	return ret;
}

// The loaded instance of a type definition with these arguments, and its
// MethodTable; the caller releases it.
static void *instance_find(struct dac *d, void *def, const uint64_t *args,
			   size_t n_args, uint64_t *ret_mt)
{
	uint64_t handle = 0;
	void *ret = NULL;

	if (DAC_CALL(d, def, TYPEDEF_START_INSTANCES, NULL, &handle) != COM_OK)
		return NULL;
	for (int i = 0; i < INSTANCES_MAX && !ret; i++) {
		_cleanup_com_ void *instance = NULL;
		if (DAC_CALL(d, def, TYPEDEF_NEXT_INSTANCE, &handle,
			     &instance) != COM_OK ||
		    !instance)
			break;
		uint64_t mt = dac_type_of_instance(d, instance);
		if (!mt || !args_match(d, mt, args, n_args))
			continue;
		*ret_mt = mt;
		ret = instance;
		instance = NULL;
	}
	DAC_CALL(d, def, TYPEDEF_END_INSTANCES, handle);
	return ret;
}

void *dac_instance_object(struct dac *d, const struct dac_type *type)
{
	struct dbg_error *err;
	_cleanup_com_ void *module = NULL, *def = NULL;
	uint64_t *args, mt;
	size_t n;
	void *ret = NULL;

	module = dac_module_object(d, type->module);
	if (!module || DAC_CALL(d, module, MODULE_TYPE_BY_TOKEN, type->token,
				&def) != COM_OK)
		return NULL;
	struct arena *arena = arena_create();
	err = dac_type_args(d, type->addr, arena, &args, &n);
	if (!err)
		ret = instance_find(d, def, args, n, &mt);
	dbg_error_destroy(err);
	arena_destroy(arena);
	return ret;
}

static uint64_t instance_hash(uint64_t module, uint32_t token,
			      const uint64_t *args, size_t n_args)
{
	uint64_t hash = module * 31 + token;

	for (size_t i = 0; i < n_args; i++)
		hash = hash * UINT64_C(0x100000001b3) + args[i];
	return hash;
}

uint64_t dac_type_instance(struct dac *d, uint64_t module, uint32_t token,
			   const uint64_t *args, size_t n_args)
{
	uint64_t mt = 0;

	if (!n_args)
		return dac_type_of_token(d, module, token);
	uint64_t hash = instance_hash(module, token, args, n_args);
	const struct instance_entry *known = map_find(&d->instances, hash);
	if (known && known->module == module && known->token == token &&
	    known->n_args == n_args &&
	    !memcmp(known->args, args, n_args * sizeof(*args)))
		return known->mt;

	_cleanup_com_ void *object = dac_module_object(d, module);
	_cleanup_com_ void *def = NULL, *instance = NULL;
	if (!object ||
	    DAC_CALL(d, object, MODULE_TYPE_BY_TOKEN, token, &def) != COM_OK)
		return 0;
	instance = instance_find(d, def, args, n_args, &mt);
	if (!instance)
		return 0;
	struct instance_entry *e = arena_alloc(d->facts, sizeof(*e));
	e->module = module;
	e->mt = mt;
	e->token = token;
	e->n_args = (uint32_t)n_args;
	e->args = arena_copy(d->facts, args, n_args, sizeof(*args));
	map_put(&d->instances, hash, e);
	return mt;
}
