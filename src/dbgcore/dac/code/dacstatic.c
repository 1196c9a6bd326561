/*
 * Finds the addresses of static fields.
 *
 * .NET 9 and 10 tell the bases of a type's statics. Otherwise, and for data of
 * the image (RVA statics), the DAC is asked by field.
 *
 * On .NET 8 a thread's references are found through its part of the module. The
 * DAC looks for the statics of an instantiation that shares its code
 * (Generic<string>) where those of the shared type would be; they are found in
 * the loader module's table of dynamic classes:
 *
 *   MethodTable ... FieldDesc* of its own statics, number of the class
 *   table of classes   {entry, flags} each
 *   entry   statics of the GC (for threads: a handle of an array), then the
 *           others; offsets of these count from the entry
 */
#include "dac/compound.h"
#include "dac/dac_priv.h"
#include "dac/objectlayout.h"

#include <string.h>

/* ---- Instantiated types -------------------------------------------------- */

/*
 * Their arguments, and the way from a definition and arguments, or from one of
 * the DAC's objects, to a MethodTable.
 */

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

/*
 * IXCLRDataTypeInstance of a type, NULL if there is no way to it; borrowed
 * until the next call or flush.
 */
static void *dac_instance_get(struct dac *d, uint64_t mt)
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

/* ---- Finds the addresses of static fields -------------------------------- */

enum {
	NULL_PAGE = 4096,
	MT_OPTIONAL = 64, /* behind the fixed part */
	OPTIONAL_WORDS = 512,
	CLASSES_MAX = 1 << 20,
	ADDRESS_MIN = 0x10000,
	RVA_MIN = 0x200,
	ELEM_VALUETYPE = 0x11,
	ELEM_CLASS = 0x12,
	BOX_DATA = 8,
	DYNAMIC_STATICS = 6, /* .NET 8, of the flags that begin a MethodTable */
};

// References and boxed structures lie among the GC's statics.
static bool is_gc_static(const struct dac_field *field)
{
	return field->elem == ELEM_CLASS || field->elem == ELEM_VALUETYPE;
}

// Statics of a structure are kept in a box, to which the place at @addr
// refers; 0 until there is one.
static uint64_t unbox(struct dac *d, const struct dac_field *field,
		      uint64_t addr)
{
	if (field->elem != ELEM_VALUETYPE || !addr)
		return addr;
	uint64_t box = dac_word(d, addr);
	return box ? box + BOX_DATA : 0;
}

static uint64_t by_bases(struct dac *d, const struct dac_type *type,
			 const struct dac_field *field, uint64_t thread)
{
	uint64_t gc = 0, plain = 0;
	int32_t hr;

	if (field->is_thread_static)
		hr = DAC_CALL(d, d->sos14, SOS14_THREAD_STATIC_BASE, type->addr,
			      thread, &plain, &gc);
	else
		hr = DAC_CALL(d, d->sos14, SOS14_STATIC_BASE, type->addr,
			      &plain, &gc);
	uint64_t base = is_gc_static(field) ? gc : plain;
	return hr == COM_OK && base ? unbox(d, field, base + field->offset) : 0;
}

// The offset of data of the image is its RVA, behind all headers; statics lie
// one behind the other, 8 bytes each at most (.NET 9 and 10).
static bool is_of_image(const struct dac_type *type,
			const struct dac_field *field)
{
	return !field->is_thread_static && field->offset >= RVA_MIN &&
	       field->offset / 8 >= type->n_statics;
}

// Ask the DAC; for a class without statics yet it returns an offset from 0.
static uint64_t ask_for_field(struct dac *d, uint64_t mt,
			      const struct dac_field *field, pid_t tid)
{
	_cleanup_com_ void *task = NULL, *value = NULL;
	uint64_t addr = 0;
	uint32_t n = 0;

	void *instance = dac_instance_get(d, mt);
	if (!instance)
		return 0;
	uint32_t inside = (uint32_t)target_tid_inside(d->target, tid);
	if (tid && DAC_CALL(d, d->process, PROCESS_TASK_BY_TID, inside,
			    &task) != COM_OK)
		return 0;
	int32_t hr =
	    DAC_CALL(d, instance, TYPEINST_STATIC_BY_TOKEN, NULL, field->token,
		     task, &value, (uint32_t)0, &n, NULL);
	if (hr != COM_OK || !value ||
	    DAC_CALL(d, value, VALUE_ADDRESS, &addr) != COM_OK)
		return 0;
	return addr;
}

// .NET 8: is the class an instantiation, or can it be unloaded?
static bool is_dynamic(struct dac *d, uint64_t mt)
{
	return dac_word(d, mt) & DYNAMIC_STATICS;
}

// Does the place stay where it is, once it is there? (.NET 9 and 10: the image)
static bool is_fixed(struct dac *d, uint64_t mt, pid_t tid)
{
	return !tid && (d->sos14 || !is_dynamic(d, mt));
}

// Get the address by asking the DAC for the field, and cache it: asking makes
// the DAC copy the core library's metadata once in each stop (see
// dac_instance_get).
static uint64_t by_field(struct dac *d, uint64_t mt,
			 const struct dac_field *field, pid_t tid)
{
	bool fixed = is_fixed(d, mt, tid);
	uint64_t addr = 0;

	if (fixed)
		addr = (uintptr_t)map_find(&d->static_places, field->addr);
	if (!addr) {
		addr = ask_for_field(d, mt, field, tid);
		if (addr < ADDRESS_MIN)
			return 0;
		if (fixed)
			map_put(&d->static_places, field->addr,
				(void *)(uintptr_t)addr);
	}
	// The DAC opens the boxes of threads; the image has none (.NET 9, 10).
	return tid || d->sos14 ? addr : unbox(d, field, addr);
}

/* ---- .NET 8: what its modules tell ----------------------------------- */

// The number of @mt among its loader module's dynamic classes: it follows a
// pointer to fields that name @mt as their type.
static bool class_number(struct dac *d, uint64_t mt, uint64_t *ret)
{
	uint64_t words[OPTIONAL_WORDS];

	size_t n = target_read_some(d->target, mt + MT_OPTIONAL, words,
				    sizeof(words)) /
		   sizeof(*words);
	for (size_t i = 0; i + 1 < n; i++) {
		if (!words[i] || (words[i] & 7) || words[i + 1] > CLASSES_MAX ||
		    dac_word(d, words[i]) != mt)
			continue;
		*ret = words[i + 1];
		return true;
	}
	return false;
}

// .NET 8: the module that has the statics of @mt; 0: not known.
static uint64_t loader_module_of(struct dac *d, uint64_t mt)
{
	struct dac_assumed at;

	return dac_holds(d, ASSUME_LOADER_MODULE, &at)
		   ? dac_word(d, mt + at.value)
		   : 0;
}

/* Is Object's type of its own module, and not one of the dynamic classes? */
bool loader_module_holds(struct dac *d, uint64_t offset)
{
	const struct dac_type *type;
	uint64_t mt = dac_globals(d)->object_type;

	return !dbg_err_drop(dac_type_get(d, mt, &type)) &&
	       dac_word(d, mt + offset) == type->module && !is_dynamic(d, mt);
}

// Get the statics of @loader_module, or those of @thread if it is not 0; false:
// there are none yet.
static bool module_statics(struct dac *d, uint64_t loader_module,
			   uint64_t thread, struct sos_statics_module *ret)
{
	struct sos_module module = {0};

	if (!thread)
		return DAC_CALL(d, d->sos, SOS_DOMAIN_MODULE, loader_module,
				ret) >= 0;
	return DAC_CALL(d, d->sos, SOS_MODULE_DATA, loader_module, &module) >=
		   0 &&
	       DAC_CALL(d, d->sos, SOS_THREAD_MODULE, thread,
			(uint32_t)module.module_index, ret) >= 0;
}

// Get a thread static that holds a reference, of a class that is not dynamic.
// The DAC does not expect a module without any.
static uint64_t by_thread_module(struct dac *d, uint64_t mt,
				 const struct dac_field *field, uint64_t thread)
{
	struct sos_statics_module statics = {0};

	uint64_t module = loader_module_of(d, mt);
	if (!module || !module_statics(d, module, thread, &statics) ||
	    !statics.gc_statics)
		return 0;
	return unbox(d, field, statics.gc_statics + field->offset);
}

static uint64_t by_class_table(struct dac *d, uint64_t mt,
			       const struct dac_field *field, uint64_t thread)
{
	struct sos_statics_module statics = {0};
	uint64_t number;

	uint64_t module = loader_module_of(d, mt);
	if (!module || !class_number(d, mt, &number) ||
	    !module_statics(d, module, thread, &statics))
		return 0;
	uint64_t table = statics.dynamic_table;
	uint64_t entry = table ? dac_word(d, table + 16 * number) : 0;
	if (!entry || !is_gc_static(field))
		return entry ? entry + field->offset : 0;
	uint64_t base = dac_word(d, entry);
	if (thread && base) {
		base = dac_word(d, base);
		base = base ? base + ARRAY_DATA : 0;
	}
	return base ? unbox(d, field, base + field->offset) : 0;
}

// @tid: of @thread, 0 for what is no thread static.
static uint64_t on_8(struct dac *d, uint64_t mt, const struct dac_field *field,
		     uint64_t thread, pid_t tid)
{
	uint64_t addr = 0;

	if (tid && !is_dynamic(d, mt) && is_gc_static(field))
		addr = by_thread_module(d, mt, field, thread);
	if (!addr)
		addr = by_field(d, mt, field, tid);
	return addr ? addr : by_class_table(d, mt, field, tid ? thread : 0);
}

static pid_t tid_of(struct dac *d, uint64_t thread)
{
	struct sos_thread data = {0};

	if (!thread || DAC_CALL(d, d->sos, SOS_THREAD, thread, &data) < 0 ||
	    data.tid > INT32_MAX)
		return 0;
	return target_tid_outside(d->target, (pid_t)data.tid);
}

/*
 * Read the flags of a class, which .NET 8 keeps in the loader module's statics:
 * a byte for each type of its metadata, a word in the table of dynamic classes
 * (instantiations).
 */
static bool class_flags(struct dac *d, uint64_t mt, uint32_t *ret)
{
	struct sos_statics_module statics = {0};
	const struct dac_type *type;
	uint64_t number;
	uint8_t flags;

	uint64_t module = loader_module_of(d, mt);
	if (!module || dbg_err_drop(dac_type_get(d, mt, &type)) ||
	    DAC_CALL(d, d->sos, SOS_DOMAIN_MODULE, module, &statics) < 0)
		return false;
	if (is_dynamic(d, mt))
		return class_number(d, mt, &number) && statics.dynamic_table &&
		       target_read_some(d->target,
					statics.dynamic_table + 16 * number + 8,
					ret, sizeof(*ret)) == sizeof(*ret);
	uint32_t rid = type->token & 0xffffff;
	if (!statics.class_data || !rid ||
	    target_read_some(d->target, statics.class_data + rid - 1, &flags,
			     1) != 1)
		return false;
	*ret = flags;
	return true;
}

// Flags of a class, the same in DacpMethodTable and in a module's table.
enum init_flag {
	INITIALIZED = 1,
	INIT_FAILED = 2,
};

// A class whose flags cannot be read counts as initialised.
static uint32_t init_flags(struct dac *d, uint64_t mt)
{
	uint32_t flags = 0;
	bool known = d->sos14 ? DAC_CALL(d, d->sos14, SOS14_INIT_FLAGS, mt,
					 &flags) == COM_OK
			      : class_flags(d, mt, &flags);

	return known ? flags : INITIALIZED;
}

bool dac_is_class_ready(struct dac *d, uint64_t mt)
{
	return init_flags(d, mt) & INITIALIZED;
}

bool dac_has_class_failed(struct dac *d, uint64_t mt)
{
	return init_flags(d, mt) & INIT_FAILED;
}

struct dbg_error *dac_static_addr(struct dac *d, uint64_t mt,
				  const struct dac_field *field,
				  uint64_t thread, uint64_t *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;

	err = dac_type_get(d, mt, &type);
	if (err)
		return err;
	if (!field->is_static)
		return dbg_err(DBG_E_ARGUMENT, "field 0x%08x is not static",
			       field->token);
	pid_t tid = 0;
	if (field->is_thread_static) {
		tid = tid_of(d, thread);
		if (!tid) {
			*ret = 0;
			return NULL;
		}
	}
	if (!d->sos14)
		*ret = on_8(d, mt, field, thread, tid);
	else if (is_of_image(type, field))
		*ret = by_field(d, mt, field, tid);
	else
		*ret = by_bases(d, type, field, thread);
	return NULL;
}
