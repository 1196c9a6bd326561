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
#include "dac/asyncmethod.h"

#include <string.h>

#include "dac/dac_priv.h"
#include "dac/facts.h"

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
