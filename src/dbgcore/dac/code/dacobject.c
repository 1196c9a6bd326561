/*
 * The head of an object: its type, its size, and where the elements of an array
 * are. Read from the target's memory; the DAC is asked for the type only.
 */
#include "dac/dac_priv.h"
#include "dac/objectlayout.h"

enum {
	VECTOR_BASE = 24, /* base size of a vector */
	COMPONENTS_MAX = 0x7fffffff,
	GC_BITS = 7, /* of the type word, in use during a GC */
};

static void describe_array(const struct dac_type *type, struct dac_object *o)
{
	o->data = o->addr + ARRAY_DATA;
	if (type->base_size <= VECTOR_BASE)
		return;
	// Lengths, then lower bounds, stand in front of the elements.
	o->bounds = o->data;
	o->lower_bounds = o->bounds + 4 * (uint64_t)type->rank;
	o->data = o->lower_bounds + 4 * (uint64_t)type->rank;
}

struct dbg_error *dac_object_get(struct dac *d, uint64_t addr,
				 struct dac_object *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;
	struct dac_object o = {.addr = addr};
	uint32_t n;

	if (addr & 7)
		return dbg_err(DBG_E_MEMORY, "no object at 0x%llx",
			       (unsigned long long)addr);
	err = target_read_u64(d->target, addr, &o.type);
	if (err)
		return err;
	o.type &= ~(uint64_t)GC_BITS;
	err = dac_type_get(d, o.type, &type);
	if (err)
		return dbg_err_prefix(err, "no object at 0x%llx",
				      (unsigned long long)addr);
	o.size = type->base_size;
	if (type->component_size) {
		err = target_read_u32(d->target, addr + 8, &n);
		if (err)
			return err;
		if (n > COMPONENTS_MAX)
			return dbg_err(DBG_E_FORMAT,
				       "object at 0x%llx has %u elements",
				       (unsigned long long)addr, n);
		o.n_components = n;
		o.size += (uint64_t)n * type->component_size;
	}
	if (type->is_string)
		o.data = addr + STRING_CHARS;
	else if (type->is_array)
		describe_array(type, &o);
	*ret = o;
	return NULL;
}
