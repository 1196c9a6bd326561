/*
 * Objects of the machine: the heap is a bump pointer in the region, behind
 * each object's header word. Nothing is collected; an execution has a budget,
 * and vm_stop frees everything.
 */
#include "dac/objectlayout.h"
#include "il/machine/space.h"
#include "il/machine/vm_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"

enum {
	MT_MARKS = 7,
	STRING_MAX = 0x3fffffdf,
	BIG = 1 << 20, // from here on pages are given back, not cleared
};

uint64_t allocate(struct vm *vm, uint64_t n)
{
	if (!vm->base && !space_create(vm))
		return 0;
	if (n > REGION_SIZE || REGION_SIZE - vm->heap_top < n + 16)
		return 0;
	if (vm->allocated + n > vm->budget.memory && vm->budget.memory)
		return 0;
	uint64_t addr = VM_FIRST + vm->heap_top;
	vm->heap_top += (n + 7) & ~UINT64_C(7);
	vm->allocated += n;
	return addr;
}

uint64_t vm_room(struct vm *vm, size_t n)
{
	return allocate(vm, n);
}

void allocate_clear(struct vm *vm)
{
	const uint64_t from = REGION_HEAP_BASE;
	uint64_t n = vm->heap_top - from;
	if (n > BIG) {
		uint64_t page =
		    (from + PAGE_SIZE_VM - 1) / PAGE_SIZE_VM * PAGE_SIZE_VM;
		madvise(vm->base + page, vm->heap_top - page, MADV_DONTNEED);
		n = page - from;
	}
	memset(vm->base + from, 0, n);
	vm->heap_top = from;
	vm->epoch++;
}

/* ---- Objects ----------------------------------------------------------- */

static uint64_t object_make(struct vm *vm, struct type *type, uint64_t n)
{
	uint64_t room = allocate(vm, OBJECT_HEADER + n);
	if (!room)
		return 0;
	uint64_t addr = room + OBJECT_HEADER;
	uint64_t handle = type_handle(vm->ts, type);
	memcpy(vm->base + (addr - VM_FIRST), &handle, sizeof(handle));
	return addr;
}

uint64_t vm_new(struct vm *vm, struct type *type)
{
	const struct type_layout *layout;
	if (dbg_err_drop(type_layout(vm->ts, type, &layout)))
		return 0;
	// the collector's least object
	uint64_t n = layout->object < 8 ? 8 : layout->object;
	return object_make(vm, type, 8 + n);
}

uint64_t vm_new_array(struct vm *vm, struct type *type, uint64_t n)
{
	const struct type_layout *layout, *element;
	if (!type->inner || n > INT32_MAX ||
	    dbg_err_drop(type_layout(vm->ts, type, &layout)) ||
	    dbg_err_drop(type_layout(vm->ts, type->inner, &element)))
		return 0;
	uint64_t addr =
	    object_make(vm, type, 8 + layout->object + n * element->size);
	if (addr)
		memcpy(vm->base + (addr - VM_FIRST) + ARRAY_LENGTH, &n, 8);
	return addr;
}

uint64_t vm_new_string(struct vm *vm, const uint16_t *units, size_t n)
{
	struct type *type = type_of_elem(vm->ts, ELEM_STRING);
	if (n > STRING_MAX || !type)
		return 0;
	uint64_t addr = object_make(vm, type, STRING_CHARS + n * 2 + 2);
	if (!addr)
		return 0;
	uint8_t *p = vm->base + (addr - VM_FIRST);
	uint32_t length = n;
	memcpy(p + STRING_LENGTH, &length, sizeof(length));
	if (units && n)
		memcpy(p + STRING_CHARS, units, n * 2);
	return addr;
}

uint64_t object_handle(struct vm *vm, uint64_t addr)
{
	const uint8_t *p = addr < NULL_PAGE ? NULL : space_at(vm, addr, 8);
	uint64_t handle;
	if (!p)
		return 0;
	memcpy(&handle, p, sizeof(handle));
	return handle & ~(uint64_t)MT_MARKS;
}

struct type *object_type(struct vm *vm, uint64_t addr)
{
	uint64_t handle = object_handle(vm, addr);
	return handle ? type_of_handle(vm->ts, handle) : NULL;
}

uint64_t object_box(struct vm *vm, struct type *type, const void *from)
{
	const struct type_layout *layout;
	if (dbg_err_drop(type_layout(vm->ts, type, &layout)))
		return 0;
	uint64_t addr = vm_new(vm, type);
	if (addr)
		memcpy(vm->base + (addr - VM_FIRST) + 8, from, layout->size);
	return addr;
}

bool array_data(struct vm *vm, uint64_t addr, uint64_t *ret_data,
		uint64_t *ret_n)
{
	const struct type_layout *layout;
	struct type *type = object_type(vm, addr);
	uint32_t length;
	if (!type || type->kind != TYPE_KIND_ARRAY ||
	    dbg_err_drop(type_layout(vm->ts, type, &layout)) ||
	    !vm_read(vm, addr + ARRAY_LENGTH, &length, sizeof(length)))
		return false;
	*ret_n = length;
	*ret_data = addr + 8 + layout->object;
	return true;
}

/* ---- Type objects ------------------------------------------------------ */

struct vm_class *vm_class_of(struct vm *vm, struct type *type)
{
	struct vm_class *c = map_find(&vm->classes, (uintptr_t)type);
	if (c)
		return c;
	c = xcalloc(1, sizeof(*c));
	c->type = type;
	map_put(&vm->classes, (uintptr_t)type, c);
	return c;
}

/* The address of m_handle in a RuntimeType @object; 0: unknown. */
static uint64_t handle_place(struct vm *vm, struct type *of, uint64_t object)
{
	struct type_field *field = NULL;
	uint32_t offset = 0;
	if (dbg_err_drop(type_field_find(vm->ts, of, "m_handle", &field)) ||
	    !field || dbg_err_drop(type_field_offset(vm->ts, field, &offset)))
		return 0;
	return object + 8 + offset;
}

/* A RuntimeType of the machine: its m_handle says which it is. */
static uint64_t type_object_make(struct vm *vm, struct type *type)
{
	struct type *of = type_core(vm->ts, "System.RuntimeType");
	uint64_t handle = type_handle(vm->ts, type);
	uint64_t addr = of ? vm_new(vm, of) : 0;
	uint64_t place = addr ? handle_place(vm, of, addr) : 0;
	if (!place)
		return 0;
	vm_write(vm, place, &handle, sizeof(handle));
	return addr;
}

/*
 * Is @object a RuntimeType, @of, that says of itself that it is of @handle?
 * Else it may be anything: the DAC is not asked for its type.
 */
static bool stands_for(struct vm *vm, struct type *of, uint64_t object,
		       uint64_t handle)
{
	const uint64_t marks = 7; // of the collector, in the first word
	uint64_t mt = 0, own = 0;
	return object && object % 8 == 0 &&
	       vm_read(vm, object, &mt, sizeof(mt)) &&
	       (mt & ~marks) == type_record(vm->ts, of) &&
	       vm_read(vm, handle_place(vm, of, object), &own, sizeof(own)) &&
	       own == handle;
}

/*
 * The auxiliary data of the MethodTable leads to it: in .NET 8 by the second
 * word, with a mark in the lowest bit, in later ones by the third.
 */
uint64_t vm_program_type_object(struct vm *vm, struct type *type)
{
	enum {
		WORDS = 3,
	};
	struct dac *d = types_dac(vm->ts);
	struct type *of = type_core(vm->ts, "System.RuntimeType");
	uint64_t mt = type_record(vm->ts, type), words[WORDS];
	uint64_t data = d && of && mt ? dac_type_auxiliary(d, mt) : 0;
	if (!data || !vm_read(vm, data, words, sizeof(words)))
		return 0;
	for (int i = 1; i < WORDS; i++)
		if (stands_for(vm, of, words[i] & ~UINT64_C(1), mt))
			return words[i] & ~UINT64_C(1);
	return 0;
}

uint64_t vm_type_object(struct vm *vm, struct type *type)
{
	struct vm_class *c = vm_class_of(vm, type);
	if (!c->object) {
		c->object = vm_program_type_object(vm, type);
		if (!c->object)
			c->object = type_object_make(vm, type);
		if (c->object)
			map_put(&vm->objects, c->object, type);
	}
	return c->object;
}

struct type *vm_type_of_object(struct vm *vm, uint64_t addr)
{
	struct type *known = map_find(&vm->objects, addr);
	struct type *of = object_type(vm, addr);
	uint64_t handle;
	if (known || !of)
		return known;
	if (strcmp(type_simple_name(of), "RuntimeType") ||
	    !vm_read(vm, handle_place(vm, of, addr), &handle, sizeof(handle)))
		return NULL;
	return type_of_handle(vm->ts, handle);
}
