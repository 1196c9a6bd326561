/*
 * Objects of the machine's that a call in the program is to be given: it can
 * have the like of them, if all that they lead to is known. Left out are
 * delegates, whose code is the machine's own, and classes of the core library
 * whose objects the runtime itself makes (threads, exceptions); of types it has
 * its own.
 */
#include "il/machine/ops.h"

#include <string.h>

#include "base/err.h"

enum {
	CONTENT = 8, // behind the MethodTable
};

static bool is_plain(struct vm *vm, const struct type *type)
{
	return type->is_value || type->module != types_core(vm->ts) ||
	       !strcmp(type_namespace(type), "System.Collections.Generic");
}

/*
 * Describe the object at @addr, which is the interpreter's own; false: the
 * program cannot be given one like it.
 */
static bool own_measure(struct vm *vm, uint64_t addr, struct vm_own *ret)
{
	const struct type_layout *layout, *element;
	struct type *type = object_type(vm, addr);
	uint64_t data;

	if (!type || type->is_delegate ||
	    dbg_err_drop(type_layout(vm->ts, type, &layout)))
		return false;
	*ret = (struct vm_own){.addr = addr, .type = type};
	ret->shown = vm_type_of_object(vm, addr);
	if (ret->shown)
		return true;
	if (type->special == TYPE_SPECIAL_STRING)
		return true;
	ret->size = layout->object;
	if (type->kind != TYPE_KIND_ARRAY)
		return type->module && is_plain(vm, type) &&
		       ret->size <= VM_OWN_BYTES;
	if (type->elem != ELEM_SZARRAY ||
	    !array_data(vm, addr, &data, &ret->n) ||
	    dbg_err_drop(type_layout(vm->ts, type->inner, &element)) ||
	    ret->n > VM_OWN_BYTES || ret->n * element->size > VM_OWN_BYTES)
		return false;
	ret->size += (uint32_t)ret->n * element->size;
	return true;
}

static bool graph_add(struct vm *vm, struct vm_graph *g, uint64_t addr)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].addr == addr)
			return true;
	return g->n < VM_OWN_MAX && own_measure(vm, addr, &g->v[g->n++]);
}

bool vm_graph_add(struct vm *vm, struct vm_graph *g, uint64_t addr)
{
	size_t next = g->n;

	if (!graph_add(vm, g, addr))
		return false;
	for (; next < g->n; next++) {
		const struct vm_own o = g->v[next];

		for (uint32_t at = 0; at + 8 <= o.size; at += 8) {
			uint64_t word;

			if (!vm_read(vm, o.addr + CONTENT + at, &word, 8))
				return false;
			if (vm_owns(vm, word) ? !graph_add(vm, g, word)
					      : call_is_own(vm, word))
				return false;
		}
	}
	return true;
}
