/*
 * Exception._stackTrace: an sbyte[] (since .NET 9 perhaps within an object[],
 * first): a header of 16 bytes that begins with the number of elements, then
 * these (StackTraceElement of vm/object.h).
 */
#include "code/thrown.h"

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"
#include "code/object.h"
#include "target/target.h"

struct trace_element {
	uint64_t ip, sp, method;
	uint64_t flags;
};

enum {
	FRAMES_MAX = 500,
	TRACE_HEADER = 16,
	/* flag: STEF_LAST_FRAME_FROM_FOREIGN_STACK_TRACE */
	TRACE_LAST_OF_THROW = 1,
	ARRAY_DATA = 16
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

static size_t read_elements(struct code *c, const struct dac_object *array,
			    struct trace_element *list, size_t n)
{
	return target_read_some(c->target,
				array->addr + ARRAY_DATA + TRACE_HEADER, list,
				n * sizeof(*list)) /
	       sizeof(*list);
}

size_t thrown_read(struct code *c, uint64_t addr, struct arena *arena,
		   struct thrown_frame **ret, bool *ret_cut)
{
	struct dac_object array;
	uint32_t n = 0;

	if (ret_cut)
		*ret_cut = false;
	if (!trace_array(c, object_ref(c, addr, "_stackTrace"), &array) ||
	    array.n_components < TRACE_HEADER ||
	    dbg_err_drop(
		target_read_u32(c->target, array.addr + ARRAY_DATA, &n)))
		return 0;
	uint64_t room =
	    (array.n_components - TRACE_HEADER) / sizeof(struct trace_element);
	if (n > room)
		n = (uint32_t)room;
	if (ret_cut)
		*ret_cut = n > FRAMES_MAX;
	if (n > FRAMES_MAX)
		n = FRAMES_MAX;
	_cleanup_free_ struct trace_element *list =
	    xcalloc(n + 1, sizeof(*list));
	size_t n_read = read_elements(c, &array, list, n);
	*ret = arena_calloc(arena, n_read + 1, sizeof(**ret));
	for (size_t i = 0; i < n_read; i++)
		(*ret)[i] = (struct thrown_frame){
		    .ip = list[i].ip,
		    .method = list[i].method,
		    .ends_throw = list[i].flags & TRACE_LAST_OF_THROW,
		};
	return n_read;
}
