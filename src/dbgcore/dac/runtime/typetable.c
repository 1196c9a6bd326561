/*
 * The loaded instantiations of generic types.
 *
 * The DAC enumerates none. The runtime keeps them in a hash table of each
 * module (Module::m_pAvailableParamTypes, an EETypeHashTable), laid out alike
 * in .NET 8 to 11:
 *
 *   table    Module*, heap, buckets, number of entries (32 bits)
 *   buckets  length, next larger buckets (while growing), end mark, then
 *            length chains; a chain ends in a word with bit 0
 *   entry    TypeHandle, next, hash
 *
 * Where Module keeps it differs: found once, in System.Private.CoreLib, by
 * what it looks like.
 *
 * A program has tens of thousands of instances, and most that are asked for do
 * not exist. So all are read once, into an index by definition and arguments;
 * at later stops the tables whose number of entries has changed are read again.
 */
#include "dac/asyncmethod.h"
#include "dac/dac_priv.h"
#include "dac/facts.h"
#include "dac/typetable.h"

#include <string.h>

/* ---- The loaded instantiations of generic types -------------------------- */

enum {
	MODULE_WORDS = 256, /* of struct Module to look at */
	BUCKETS_MAX = 1 << 20,
	ENTRIES_MAX = 1 << 22,
	HEAD_WORDS = 3, /* of buckets */
	END_BIT = 1,
	GENERATIONS_MAX = 4,
	TRIES_MAX = 64,
	TABLE_SIZE = 24,
	SAME_KEY_MAX = 64, /* instances that one key may stand for */
	CHAINS_AT_ONCE = 64,
	// In MethodTable, a word with the rid of the definition: the upper 24
	// bits of m_dwFlags2, in .NET 8 the 16 of m_wToken, which are all set
	// where these are too few. (Of which module is told by the DAC only:
	// .NET 8 has the one that loaded it.)
	RID_SHIFT = 8,
	RID_SHIFT_SHORT = 16,
	RID_SHORT_MAX = 0xffff,
	RID_MASK = 0xffffff,
};

struct search {
	struct dac *dac;
	uint32_t left; /* entries still to be looked at */
};

typedef bool entry_fn(struct search *s, uint64_t mt);

static bool read_words(struct dac *d, uint64_t addr, uint64_t *ret, size_t n)
{
	return target_read_some(d->target, addr, ret, n * 8) == n * 8;
}

// Call @fn for the entries of one chain until it is true.
static bool chain_each(struct search *s, uint64_t entry, entry_fn *fn)
{
	uint64_t words[2];

	while (entry && !(entry & END_BIT) && s->left) {
		s->left--;
		if (!read_words(s->dac, entry, words, 2))
			return false;
		if (!(words[0] & 7) && fn(s, words[0]))
			return true;
		entry = words[1];
	}
	return false;
}

static bool chains_each(struct search *s, uint64_t addr, uint64_t n,
			entry_fn *fn)
{
	uint64_t chains[CHAINS_AT_ONCE];

	for (uint64_t i = 0; i < n; i++) {
		size_t at = i % CHAINS_AT_ONCE;
		uint64_t left = n - i;
		if (!at &&
		    !read_words(s->dac, addr + 8 * i, chains,
				left < CHAINS_AT_ONCE ? left : CHAINS_AT_ONCE))
			return false;
		if (chain_each(s, chains[at], fn))
			return true;
	}
	return false;
}

static bool table_each(struct search *s, uint64_t table, entry_fn *fn)
{
	uint64_t head[HEAD_WORDS], buckets;

	if (!read_words(s->dac, table + 16, &buckets, 1))
		return false;
	for (int i = 0; i < GENERATIONS_MAX && buckets; i++) {
		if (!read_words(s->dac, buckets, head, HEAD_WORDS) ||
		    head[0] > BUCKETS_MAX)
			return false;
		if (chains_each(s, buckets + 8 * HEAD_WORDS, head[0], fn))
			return true;
		buckets = head[1];
	}
	return false;
}

/* ---- Finding the table ----------------------------------------------- */

static bool flags_read(struct dac *d, uint64_t mt, uint32_t *ret)
{
	struct dac_assumed at;

	return dac_holds(d, ASSUME_TYPE_RID, &at) &&
	       target_read_some(d->target, mt + at.value, ret, sizeof(*ret)) ==
		   sizeof(*ret);
}

/* Verify the offset: is it the rid of the types of a string and an object? */
bool type_rid_holds(struct dac *d, uint64_t offset)
{
	const struct sos_globals *g = dac_globals(d);
	const uint64_t types[] = {g->string_type, g->object_type};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct dac_type *type;
		uint32_t flags, rid;

		if (dbg_err_drop(dac_type_get(d, types[i], &type)) ||
		    target_read_some(d->target, types[i] + offset, &flags,
				     sizeof(flags)) != sizeof(flags))
			return false;
		rid = type->token & RID_MASK;
		d->learned.short_rid = flags >> RID_SHIFT != rid;
		if (d->learned.short_rid && flags >> RID_SHIFT_SHORT != rid)
			return false;
	}
	return true;
}

static bool is_instance(struct search *s, uint64_t mt)
{
	const struct dac_type *type;
	struct dbg_error *err = dac_type_get(s->dac, mt, &type);

	if (err) {
		// What is no type ends the search: this is another table.
		s->left = 0;
		dbg_error_destroy(err);
		return false;
	}
	return dac_is_instance(s->dac, mt);
}

static bool is_param_table(struct dac *d, uint64_t module, uint64_t table)
{
	struct search s = {.dac = d, .left = TRIES_MAX};
	uint64_t words[3], head[HEAD_WORDS];

	return table && !(table & 7) && read_words(d, table, words, 3) &&
	       words[0] == module && !(words[2] & 7) &&
	       read_words(d, words[2], head, HEAD_WORDS) && head[0] &&
	       head[0] <= BUCKETS_MAX && (head[2] & END_BIT) &&
	       table_each(&s, table, is_instance);
}

/* The words of the core library's Module, and their number. */
static size_t module_read(struct dac *d, uint64_t words[MODULE_WORDS],
			  uint64_t *ret_module)
{
	const struct dac_type *object;
	struct dbg_error *err =
	    dac_type_get(d, dac_globals(d)->object_type, &object);

	if (dbg_err_drop(err))
		return 0;
	*ret_module = object->module;
	return target_read_some(d->target, object->module, words,
				MODULE_WORDS * sizeof(*words)) /
	       sizeof(*words);
}

bool instances_find(struct dac *d, uint64_t *ret)
{
	uint64_t words[MODULE_WORDS], module;
	size_t n = module_read(d, words, &module);

	for (size_t i = 0; i < n; i++) {
		if (!is_param_table(d, module, words[i]))
			continue;
		*ret = i * sizeof(*words);
		return true;
	}
	return false;
}

bool instances_hold(struct dac *d, uint64_t offset)
{
	uint64_t words[MODULE_WORDS], module;
	size_t n = module_read(d, words, &module);
	size_t i = offset / sizeof(*words);

	return i < n && is_param_table(d, module, words[i]);
}

/* ---- The index ------------------------------------------------------- */

static uint32_t rid_of_flags(const struct dac *d, uint32_t flags)
{
	return flags >> (d->learned.short_rid ? RID_SHIFT_SHORT : RID_SHIFT);
}

static uint32_t rid_of_token(const struct dac *d, uint32_t token)
{
	uint32_t rid = token & RID_MASK;

	return d->learned.short_rid && rid > RID_SHORT_MAX ? RID_SHORT_MAX
							   : rid;
}

static uint64_t key_of(uint32_t rid, const uint64_t *args, size_t n_args)
{
	uint64_t key = rid;

	for (size_t i = 0; i < n_args; i++)
		key = key * UINT64_C(0x100000001b3) + args[i];
	return key;
}

// Add a type to the index. If its key is taken it is put at the next one.
static bool index_add(struct search *s, uint64_t mt)
{
	struct dac_instances *index = &s->dac->instances;
	uint64_t args[DAC_ARGS_MAX];
	uint32_t flags;

	if (map_find(&index->seen, mt))
		return false;
	map_put(&index->seen, mt, s->dac);
	size_t n = dac_args_read(s->dac, mt, args);
	if (!n || !flags_read(s->dac, mt, &flags))
		return false;
	uint64_t key = key_of(rid_of_flags(s->dac, flags), args, n);
	for (int i = 0; i < SAME_KEY_MAX; i++, key++) {
		if (!map_find(&index->by_key, key)) {
			map_put(&index->by_key, key, (void *)(uintptr_t)mt);
			break;
		}
	}
	return false;
}

// Read the table of a module, if it has grown since it was read.
static void module_update(struct search *s, uint64_t module, uint64_t offset)
{
	struct map *sizes = &s->dac->instances.sizes;
	uint64_t table;
	uint32_t size;

	if (!read_words(s->dac, module + offset, &table, 1) || !table ||
	    target_read_some(s->dac->target, table + TABLE_SIZE, &size,
			     sizeof(size)) != sizeof(size))
		return;
	// sizes has the number of entries and one, since NULL is none
	void *now = (void *)((uintptr_t)size + 1);
	if (map_find(sizes, table) == now)
		return;
	uint32_t before = s->left;
	(void)table_each(s, table, index_add);
	// one that was about to change is read again at the next stop
	if (!s->left || before - s->left >= size)
		map_put(sizes, table, now);
}

static void index_update(struct dac *d)
{
	struct search s = {.dac = d, .left = ENTRIES_MAX};
	struct dac_module *modules;
	struct dac_assumed at, rid;
	size_t n;

	d->instances.current = true;
	if (!dac_holds(d, ASSUME_INSTANCES, &at) ||
	    !dac_holds(d, ASSUME_TYPE_RID, &rid))
		return;
	struct arena *arena = arena_create();
	struct dbg_error *err = dac_modules(d, arena, &modules, &n);
	for (size_t i = 0; !err && i < n; i++)
		module_update(&s, modules[i].addr, at.value);
	dbg_error_destroy(err);
	arena_destroy(arena);
}

static bool has_args(struct dac *d, uint64_t mt, const uint64_t *args,
		     size_t n_args)
{
	uint64_t have[DAC_ARGS_MAX];

	return dac_args_read(d, mt, have) == n_args &&
	       !memcmp(have, args, n_args * sizeof(*args));
}

static bool is_of(struct dac *d, uint64_t mt, uint64_t module, uint32_t token)
{
	const struct dac_type *type;
	struct dbg_error *err = dac_type_get(d, mt, &type);

	return !dbg_err_drop(err) && type->module == module &&
	       type->token == token;
}

uint64_t dac_type_search(struct dac *d, uint64_t module, uint32_t token,
			 const uint64_t *args, size_t n_args)
{
	struct dac_instances *index = &d->instances;

	if (!index->current)
		index_update(d);
	uint64_t key = key_of(rid_of_token(d, token), args, n_args);
	for (int i = 0; i < SAME_KEY_MAX; i++) {
		uint64_t mt =
		    (uint64_t)(uintptr_t)map_find(&index->by_key, key + i);
		if (!mt)
			return 0;
		if (has_args(d, mt, args, n_args) &&
		    is_of(d, mt, module, token))
			return mt;
	}
	return 0;
}

/* Call @fn for every loaded instantiation of a generic type. */
static void dac_type_instances(struct dac *d, uint64_t module, uint32_t token,
			       void (*fn)(void *arg, uint64_t mt), void *arg)
{
	const struct map *seen = &d->instances.seen;
	const uint32_t rid = rid_of_token(d, token);
	uint32_t flags;

	if (!d->instances.current)
		index_update(d);
	for (size_t i = 0; i < seen->cap; i++) {
		uint64_t mt = seen->slots[i].value ? seen->slots[i].key : 0;
		if (mt && flags_read(d, mt, &flags) &&
		    rid_of_flags(d, flags) == rid &&
		    is_of(d, mt, module, token))
			fn(arg, mt);
	}
}

void dac_instances_clear(struct dac_instances *index)
{
	map_clear(&index->by_key);
	map_clear(&index->seen);
	map_clear(&index->sizes);
	index->current = false;
}

void dac_instances_deinit(struct dac_instances *index)
{
	map_deinit(&index->by_key);
	map_deinit(&index->seen);
	map_deinit(&index->sizes);
}

static void instance_found(void *arg, uint64_t mt)
{
	bool *found = arg;

	(void)mt;
	*found = true;
}

bool dac_type_has_instance(struct dac *d, uint64_t module, uint32_t token)
{
	struct dac_assumed at, rid;
	bool found = false;

	if (!dac_holds(d, ASSUME_INSTANCES, &at) ||
	    !dac_holds(d, ASSUME_TYPE_RID, &rid))
		return true;
	dac_type_instances(d, module, token, instance_found, &found);
	return found;
}

/* ---- Runtime async as the runtime stores it ------------------------------ */

/*
 * Runtime async as the runtime stores it: a bit of a MethodDesc says that data
 * follows behind it and its optional slots (AsyncMethodData); in front of a
 * method's code is a pointer to its RealCodeHeader, which begins with a pointer
 * to its debug information.
 *
 * The offsets are from .NET 11's contract. What is read is verified: the data's
 * flags and signature against each other (asyncdata_read), the debug
 * information against the DAC's own IL map (dac_il_map). Where they do not
 * agree nothing is told.
 */

enum {
	// MethodDesc.Flags
	MD_CLASS = 7,
	MD_IL = 0,
	MD_INSTANTIATED = 5,
	MD_NON_VTABLE_SLOT = 0x08,
	MD_METHOD_IMPL = 0x10,
	MD_NATIVE_CODE_SLOT = 0x20,
	MD_ASYNC = 0x40,
	WORD = 8,
	// AsyncMethodData.Flags
	ASYNC_CALL = 0x01,
	ASYNC_TASK = 0x02, // returns a Task or ValueTask
	ASYNC_VARIANT = 0x04,
	ASYNC_SYNTHETIC = 0x10, // no IL of its own in metadata
	ASYNC_DROPS = 0x20,     // the result of the method that it overrides
	ASYNC_FLAGS = 0xff,
};

struct async_data {
	uint32_t flags, pad;
	uint64_t signature;
};

bool async_data_holds(struct dac *d, uint64_t offset)
{
	(void)d;
	return offset == offsetof(struct async_data, signature);
}

// Offset of the async data of a method with these flags; 0: it has none.
static uint64_t asyncdata_offset(struct dac *d, uint16_t flags)
{
	struct dac_assumed size;

	if (!(flags & MD_ASYNC))
		return 0;
	switch (flags & MD_CLASS) {
	case MD_IL:
		if (!dac_holds(d, ASSUME_METHOD_SIZE, &size))
			return 0;
		break;
	case MD_INSTANTIATED:
		if (!dac_holds(d, ASSUME_INSTANCE_SIZE, &size))
			return 0;
		break;
	default:
		return 0;
	}

	uint64_t ret = size.value;

	if (flags & MD_NON_VTABLE_SLOT)
		ret += WORD;
	if (flags & MD_METHOD_IMPL)
		ret += 2 * WORD;
	if (flags & MD_NATIVE_CODE_SLOT)
		ret += WORD;
	return ret;
}

// A variant has a signature of its own, and only it.
static bool asyncdata_agrees(const struct async_data *a)
{
	bool variant = a->flags & ASYNC_VARIANT;

	return a->flags && !(a->flags & ~(uint32_t)ASYNC_FLAGS) &&
	       variant == (a->signature != 0) &&
	       !((a->flags & ASYNC_TASK) && variant);
}

static bool asyncdata_read(struct dac *d, uint64_t md, struct async_data *ret)
{
	struct dac_assumed data, at;
	uint16_t flags;
	uint64_t offset;

	// Earlier runtimes use the bit otherwise.
	if (!dac_holds(d, ASSUME_ASYNC_DATA, &data) ||
	    !dac_holds(d, ASSUME_METHOD_FLAGS, &at) ||
	    target_read_some(d->target, md + at.value, &flags, sizeof(flags)) !=
		sizeof(flags))
		return false;
	offset = asyncdata_offset(d, flags);
	return offset &&
	       target_read_some(d->target, md + offset, ret, sizeof(*ret)) ==
		   sizeof(*ret) &&
	       asyncdata_agrees(ret);
}

/*
 * The variant of a method that returns a task and is not async: the JIT
 * compiles the method's own IL for it, and awaits what that returns (.NET 11,
 * importer.cpp, "async version").
 */
static bool asyncdata_is_version(const struct async_data *a)
{
	const uint32_t version = ASYNC_CALL | ASYNC_VARIANT | ASYNC_SYNTHETIC;

	return (a->flags & (version | ASYNC_DROPS)) == version;
}

void dac_async_get(struct dac *d, uint64_t md, struct dac_async *ret)
{
	struct async_data data;

	*ret = (struct dac_async){0};
	if (!md || !asyncdata_read(d, md, &data))
		return;
	*ret = (struct dac_async){
	    .suspends = data.flags & ASYNC_CALL,
	    .thunk =
		data.flags & ASYNC_SYNTHETIC && !asyncdata_is_version(&data),
	    .variant = data.flags & ASYNC_VARIANT,
	    .version = asyncdata_is_version(&data),
	};
}

bool dac_async_is_thunk(struct dac *d, uint64_t ip)
{
	struct dac_async kind;

	dac_async_get(d, dac_method_at(d, ip), &kind);
	return kind.thunk;
}

bool dac_async_has_more(struct dac *d, uint64_t ip)
{
	struct async_data data;
	struct dac_async base;
	struct dac_method method;
	uint64_t md = dac_method_at(d, ip);

	if (!md || !asyncdata_read(d, md, &data))
		return false;
	if (!(data.flags & ASYNC_VARIANT) || data.flags & ASYNC_SYNTHETIC ||
	    dbg_err_drop(dac_method_get(d, md, &method)))
		return true;
	md = dac_method_of_token(d, method.module, method.token);
	dac_async_get(d, md, &base);
	return !base.thunk;
}

// The async variant, among a type's methods, of the method with that token; 0:
// none.
static uint64_t variant_find(struct dac *d, uint64_t type, uint64_t module,
			     uint32_t token)
{
	struct dac_method method;
	struct async_data data;
	struct dac_slot *slots = NULL;
	size_t n = 0;
	uint64_t ret = 0;
	struct arena *arena = arena_create();

	dbg_error_destroy(dac_type_slots(d, type, arena, &slots, &n));
	for (size_t i = 0; !ret && i < n; i++) {
		uint64_t md = slots[i].method;
		if (!md || !asyncdata_read(d, md, &data) ||
		    !(data.flags & ASYNC_VARIANT) ||
		    dbg_err_drop(dac_method_get(d, md, &method)))
			continue;
		if (method.token == token && method.module == module)
			ret = md;
	}
	arena_destroy(arena);
	return ret;
}

struct variants {
	struct dac *dac;
	const struct dac_method *of;
	void (*fn)(void *arg, uint64_t variant);
	void *arg;
};

static void variant_of_type(void *arg, uint64_t mt)
{
	const struct variants *v = arg;
	uint64_t md = variant_find(v->dac, mt, v->of->module, v->of->token);

	if (md)
		v->fn(v->arg, md);
}

void dac_async_variants(struct dac *d, uint64_t md,
			void (*fn)(void *arg, uint64_t variant), void *arg)
{
	struct async_data data;
	struct dac_method method;
	const struct dac_type *type;
	struct variants v = {d, &method, fn, arg};

	if (!asyncdata_read(d, md, &data) ||
	    dbg_err_drop(dac_method_get(d, md, &method)) ||
	    dbg_err_drop(dac_type_get(d, method.type, &type)))
		return;
	variant_of_type(&v, method.type);
	if (dac_is_generic(d, method.type))
		dac_type_instances(d, method.module, type->token,
				   variant_of_type, &v);
}

const struct debug_await *dac_await_at(struct dac *d, uint64_t ip)
{
	struct dac_code code;
	const struct debug_info *info = dac_debug_info(d, ip);

	if (!info || dbg_err_drop(dac_code_at(d, ip, &code)))
		return NULL;
	for (size_t i = 0; i < info->n_awaits; i++)
		if (code.start + info->awaits[i].native == ip)
			return &info->awaits[i];
	return NULL;
}
