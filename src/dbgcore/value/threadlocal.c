/*
 * ThreadLocal<T>. Each has a number; the values of a thread lie in an array
 * of the thread, ts_slotArray, at that number, each in a slot of its own that
 * refers back to the array. The same in .NET 8, 9 and 10.
 */
#include "value/value.h"

#include <string.h>

#include "value/value_priv.h"

static struct value member(struct values *ts, const struct value *v,
			   const char *name)
{
	const struct field *f = v->where == VALUE_ABSENT || !v->type
				    ? NULL
				    : value_type_field(ts, v->type, name);
	struct value at =
	    f ? value_field(ts, v, f) : value_absent(NULL, WHY_UNLOADED, 0);
	return value_dereference(ts, &at);
}

bool value_type_is_thread_local(struct values *ts, const struct type *type)
{
	return type->n_args == 1 && type->module == types_core(ts->types) &&
	       !strcmp(type_simple_name(type), "ThreadLocal`1");
}

struct value value_thread_local(struct values *ts, const struct value *v,
				struct thread_ref *thread)
{
	const struct field *f = value_type_field(ts, v->type, "ts_slotArray");
	struct value number = member(ts, v, "_idComplement");
	struct value none = value_absent(v->type->args[0], WHY_THREAD, 0);
	struct elements els;
	uint64_t id, back, own;
	if (!f || !value_integer(ts, &number, &id))
		return value_absent(v->type->args[0], WHY_UNLOADED, 0);
	struct value array = value_static(ts, f, thread);
	array = value_dereference(ts, &array);
	if (array.where == VALUE_ABSENT || value_is_null(ts, &array) ||
	    !value_elements(ts, &array, &els) || ~id >= els.n)
		return none;
	struct value slot = element_get(&els, ~id);
	slot = value_dereference(ts, &slot);
	slot = member(ts, &slot, "Value");
	if (slot.where == VALUE_ABSENT || value_is_null(ts, &slot))
		return none;
	struct value owner = member(ts, &slot, "_slotArray");
	if (!value_pointer(ts, &owner, &back) ||
	    !value_pointer(ts, &array, &own) || back != own)
		return none;
	f = value_type_field(ts, slot.type, "_value");
	return f ? value_field(ts, &slot, f) : none;
}
