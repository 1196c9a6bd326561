/*
 * Exception._stackTrace: an sbyte[] (since .NET 9 perhaps within an object[],
 * first): a header that begins with the number of elements, then these
 * (StackTraceArrayHeader and StackTraceElement of vm/object.h).
 */
#include "code/thrown.h"

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"
#include "code/object.h"
#include "dac/assumption.h"
#include "dac/objectlayout.h"
#include "target/target.h"

/* Layout of the array of stack trace elements. */
struct trace_layout {
	struct dac_assumed header, element, ip, method, flags;
};

enum {
	FRAMES_MAX = 500,
	TRACE_SIZE_MAX = 1024, /* of a header, or of an element */
	/* flag: STEF_LAST_FRAME_FROM_FOREIGN_STACK_TRACE */
	TRACE_LAST_OF_THROW = 1,
};

/* The array of trace elements in the object @trace; false if it is none. */
static bool trace_array(struct code *c, uint64_t trace, struct dac_object *ret)
{
	for (int depth = 0; trace && depth < 2; depth++) {
		const struct dac_type *type;
		struct dbg_error *err = dac_object_get(c->dac, trace, ret);

		if (!err)
			err = dac_type_get(c->dac, ret->type, &type);
		if (dbg_err_drop(err))
			return false;
		if (type->component_size == 1)
			return true;
		if (type->component_size != sizeof(uint64_t))
			return false;
		err = target_read_u64(c->target, trace + ARRAY_DATA, &trace);
		if (dbg_err_drop(err))
			return false;
	}
	return false;
}

static bool trace_layout_get(struct dac *d, struct trace_layout *ret)
{
	return dac_holds(d, ASSUME_TRACE_HEADER, &ret->header) &&
	       dac_holds(d, ASSUME_TRACE_ELEMENT, &ret->element) &&
	       dac_holds(d, ASSUME_TRACE_IP, &ret->ip) &&
	       dac_holds(d, ASSUME_TRACE_METHOD, &ret->method) &&
	       dac_holds(d, ASSUME_TRACE_FLAGS, &ret->flags) &&
	       ret->header.value <= TRACE_SIZE_MAX && ret->element.value &&
	       ret->element.value <= TRACE_SIZE_MAX;
}

static bool element_read(struct code *c, const struct trace_layout *at,
			 uint64_t addr, struct thrown_frame *ret)
{
	uint32_t flags;

	if (dbg_err_drop(
		target_read_u64(c->target, addr + at->ip.value, &ret->ip)) ||
	    dbg_err_drop(target_read_u64(c->target, addr + at->method.value,
					 &ret->method)) ||
	    dbg_err_drop(
		target_read_u32(c->target, addr + at->flags.value, &flags)))
		return false;
	ret->ends_throw = flags & TRACE_LAST_OF_THROW;
	return true;
}

size_t thrown_read(struct code *c, uint64_t addr, struct arena *arena,
		   struct thrown_frame **ret, bool *ret_cut)
{
	struct dac_object array;
	struct trace_layout at;
	uint32_t n = 0, i = 0;

	if (ret_cut)
		*ret_cut = false;
	if (!trace_array(c, object_ref(c, addr, "_stackTrace"), &array) ||
	    !trace_layout_get(c->dac, &at) ||
	    array.n_components < at.header.value ||
	    dbg_err_drop(
		target_read_u32(c->target, array.addr + ARRAY_DATA, &n)))
		return 0;
	uint64_t room =
	    (array.n_components - at.header.value) / at.element.value;
	if (n > room)
		n = (uint32_t)room;
	if (ret_cut)
		*ret_cut = n > FRAMES_MAX;
	if (n > FRAMES_MAX)
		n = FRAMES_MAX;
	*ret = arena_calloc(arena, n + 1, sizeof(**ret));
	uint64_t element = array.addr + ARRAY_DATA + at.header.value;
	for (; i < n && element_read(c, &at, element, &(*ret)[i]); i++)
		element += at.element.value;
	return i;
}
