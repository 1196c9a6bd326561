/*
 * Instantiated types: their arguments, and the way from a definition and
 * arguments, or from one of the DAC's objects, to a MethodTable.
 */
#include "dac/compound.h"
#include "dac/dac_priv.h"

#include <string.h>

enum {
	DICTS_MAX = 256,
	// Of MethodTable::m_dwFlags, the same in .NET 8 to 11; without
	// a component size.
	MT_GENERICS = 0x30,
	MT_GENERIC_INST = 0x10,
	MT_SHARED_INST = 0x20,
	TYPEDESC_BIT = 2,
	MD_CLASS = 7, /* bits of MethodDesc.Flags */
	MD_INSTANTIATED = 5,
	// Word of an IXCLRDataTypeInstance of the DAC's; before it: table,
	// count, the DAC, and a number of 32 bits in a word whose other half
	// is never written (.NET 8, 9, 10).
	INSTANCE_FIRST = 4,
};

static const uint32_t MT_HAS_COMPONENT_SIZE = 0x80000000;

uint64_t dac_type_of_token(struct dac *d, uint64_t module, uint32_t token)
{
	uint64_t mt = 0;

	if (module >= DAC_UNLOADED_MODULES)
		return 0;
	// The same slot serves types and methods.
	int32_t hr =
	    DAC_CALL(d, d->sos, SOS_METHOD_FROM_TOKEN, module, token, &mt);
	return hr == COM_OK ? mt : 0;
}

/* ---- Arguments ------------------------------------------------------- */

// 16-bit counts of dictionaries and of arguments stand in front of what
// m_pPerInstInfo points to (.NET 8 to 11).

size_t dac_args_read(struct dac *d, uint64_t mt, uint64_t ret[DAC_ARGS_MAX])
{
	struct target *t = d->target;
	uint64_t info, dict;
	uint16_t counts[2];
	struct dac_assumed at;

	if (!dac_holds(d, ASSUME_TYPE_INSTANCE, &at) ||
	    target_read_some(t, mt + at.value, &info, 8) != 8 || (info & 7) ||
	    target_read_some(t, info - sizeof(counts), counts,
			     sizeof(counts)) != sizeof(counts) ||
	    !counts[0] || counts[0] > DICTS_MAX || counts[1] > DAC_ARGS_MAX ||
	    target_read_some(t, info + 8 * (counts[0] - 1u), &dict, 8) != 8)
		return 0;
	size_t size = counts[1] * sizeof(*ret);
	return target_read_some(t, dict, ret, size) == size ? counts[1] : 0;
}

// The same, by the type's arguments: a definition has TypeDescs as arguments.
static uint32_t generics_by_args(struct dac *d, uint64_t mt)
{
	const struct dac_type *type, *arg;
	uint64_t args[DAC_ARGS_MAX];

	if (dbg_err_drop(dac_type_get(d, mt, &type)) || type->component_size ||
	    !dac_args_read(d, mt, args))
		return 0;
	return dbg_err_drop(dac_type_get(d, args[0], &arg)) ? MT_GENERICS
							    : MT_GENERIC_INST;
}

// How generic @mt is: bits of MT_GENERICS, 0: not generic.
static uint32_t generics_of(struct dac *d, uint64_t mt)
{
	struct dac_assumed at;
	uint32_t flags;

	if (!dac_holds(d, ASSUME_TYPE_FLAGS, &at))
		return generics_by_args(d, mt);
	if (target_read_some(d->target, mt + at.value, &flags, sizeof(flags)) !=
		sizeof(flags) ||
	    (flags & MT_HAS_COMPONENT_SIZE))
		return 0;
	return flags & MT_GENERICS;
}

bool dac_is_instance(struct dac *d, uint64_t mt)
{
	uint32_t generics = generics_of(d, mt);

	return generics == MT_GENERIC_INST || generics == MT_SHARED_INST;
}

bool dac_is_generic(struct dac *d, uint64_t mt)
{
	return generics_of(d, mt);
}

struct dbg_error *dac_type_args(struct dac *d, uint64_t mt, struct arena *arena,
				uint64_t **ret, size_t *ret_n)
{
	struct dbg_error *err;
	const struct dac_type *type;
	uint64_t args[DAC_ARGS_MAX];
	size_t n;

	err = dac_type_get(d, mt, &type);
	if (err)
		return err;
	*ret = NULL;
	*ret_n = 0;
	if (!dac_is_instance(d, mt))
		return NULL;
	n = dac_args_read(d, mt, args);
	if (!n)
		return dbg_err(DBG_E_FORMAT,
			       "the generic arguments of the type at 0x%llx "
			       "make no sense",
			       (unsigned long long)mt);
	*ret = arena_copy(arena, args, n, sizeof(*args));
	*ret_n = n;
	return NULL;
}

// Is @md an InstantiatedMethodDesc, with @n arguments?
static bool has_method_args(struct dac *d, uint64_t md, size_t n)
{
	struct dac_assumed at_flags, at_count;
	uint16_t flags, count;

	return dac_holds(d, ASSUME_METHOD_FLAGS, &at_flags) &&
	       dac_holds(d, ASSUME_METHOD_COUNT, &at_count) &&
	       target_read_some(d->target, md + at_flags.value, &flags,
				sizeof(flags)) == sizeof(flags) &&
	       (flags & MD_CLASS) == MD_INSTANTIATED &&
	       target_read_some(d->target, md + at_count.value, &count,
				sizeof(count)) == sizeof(count) &&
	       count == n;
}

size_t dac_method_args(struct dac *d, uint64_t md, uint64_t *ret, size_t n)
{
	struct target *t = d->target;
	const struct dac_type *type;
	struct dac_assumed at;
	uint64_t args;

	if (!n || !has_method_args(d, md, n) ||
	    !dac_holds(d, ASSUME_METHOD_INSTANCE, &at) ||
	    target_read_some(t, md + at.value, &args, 8) != 8 ||
	    target_read_some(t, args, ret, n * sizeof(*ret)) !=
		n * sizeof(*ret))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (dbg_err_drop(dac_type_get(d, ret[i], &type)))
			return 0;
	return n;
}

uint64_t dac_type_auxiliary(struct dac *d, uint64_t mt)
{
	struct dac_assumed at;

	return dac_holds(d, ASSUME_TYPE_AUXILIARY, &at)
		   ? dac_word(d, mt + at.value)
		   : 0;
}

/* ---- Instances ------------------------------------------------------- */

// Does the DAC name the MethodTable @mt as it does @instance?
static bool is_named(struct dac *d, uint64_t mt, void *instance)
{
	struct dbg_error *err;
	const char *name;
	uint32_t n = 0;

	err = dac_type_name(d, mt, &name);
	if (dbg_err_drop(err))
		return false;
	d->scratch[0] = 0;
	if (DAC_CALL(d, instance, TYPEINST_NAME, (uint32_t)0,
		     (uint32_t)DAC_SCRATCH_UNITS, &n, d->scratch) < 0)
		return false;
	struct arena *arena = arena_create();
	bool ret = !strcmp(name, dac_scratch_text(d, DAC_SCRATCH_UNITS, arena));
	arena_destroy(arena);
	return ret;
}

static bool is_type(struct dac *d, uint64_t mt)
{
	const struct dac_type *type;

	if (mt & TYPEDESC_BIT)
		return false;
	struct dbg_error *err = dac_type_get(d, mt, &type);

	return !dbg_err_drop(err);
}

// Which word of the DAC's @instance is its MethodTable: the only word that is
// one, or, of several, the one whose type has the same name. 0: none.
static size_t find_handle(struct dac *d, void *instance,
			  const struct object_words *words)
{
	size_t found = 0, n = 0;

	for (size_t i = INSTANCE_FIRST; i < OBJECT_WORDS; i++) {
		if (!is_type(d, words->v[i]))
			continue;
		found = i;
		n++;
	}
	if (n <= 1)
		return found;
	// dear: the DAC copies all metadata of a module to name its types
	for (size_t i = INSTANCE_FIRST; i < OBJECT_WORDS; i++)
		if (is_named(d, words->v[i], instance))
			return i;
	return 0;
}

/*
 * An IXCLRDataTypeInstance does not give its TypeHandle away, but holds it as
 * one of its few words. Which one is found once and then relied on.
 */
uint64_t dac_type_of_words(struct dac *d, void *instance,
			   const struct object_words *words)
{
	if (!d->learned.instance_word)
		d->learned.instance_word = find_handle(d, instance, words);
	if (!d->learned.instance_word)
		return 0;
	uint64_t mt = words->v[d->learned.instance_word];
	return is_type(d, mt) ? mt : 0;
}

static uint64_t type_of_instance(struct dac *d, void *instance)
{
	struct object_words words = {{0}};

	return DAC_CALL(d, instance, TYPEINST_WORDS, &words) < 0
		   ? 0
		   : dac_type_of_words(d, instance, &words);
}

/*
 * Make an IXCLRDataTypeInstance that can be changed to stand for any type. The
 * DAC makes one only by a type's name: take System.Object's and note the word
 * with the MethodTable, which is replaced by the wanted type's. It dies with
 * the next flush.
 */
static void *template_find(struct dac *d)
{
	static const uint16_t name[] = u"System.Object";
	struct dbg_error *err;
	const struct dac_type *object;
	uint64_t handle = 0;
	void *instance = NULL;

	err = dac_type_get(d, dac_globals(d)->object_type, &object);
	if (dbg_err_drop(err))
		return NULL;
	_cleanup_com_ void *module = dac_module_object(d, object->module);
	if (!module || DAC_CALL(d, module, MODULE_START_INSTANCES_BY_NAME, name,
				(uint32_t)0, NULL, &handle) != COM_OK)
		return NULL;
	if (DAC_CALL(d, module, MODULE_NEXT_INSTANCE_BY_NAME, &handle,
		     &instance) != COM_OK)
		instance = NULL;
	DAC_CALL(d, module, MODULE_END_INSTANCES_BY_NAME, handle);
	if (instance && type_of_instance(d, instance) != object->addr)
		com_release(&instance);
	return instance;
}

void *dac_instance_get(struct dac *d, uint64_t mt)
{
	// Another one, if it is gone with the DAC's process.
	for (int i = 0; i < 2; i++) {
		if (!d->type_instance)
			d->type_instance = template_find(d);
		if (!d->type_instance ||
		    DAC_CALL(d, d->type_instance, TYPEINST_PUT_WORD,
			     (uint64_t)d->learned.instance_word, mt) >= 0)
			return d->type_instance;
		com_release(&d->type_instance);
	}
	return NULL;
}

uint64_t dac_type_instance(struct dac *d, uint64_t module, uint32_t token,
			   const uint64_t *args, size_t n_args)
{
	if (!n_args || module >= DAC_UNLOADED_MODULES)
		return dac_type_of_token(d, module, token);
	return dac_type_search(d, module, token, args, n_args);
}
