/*
 * Operations that load and store (III.3, III.4): places of the frame, memory by
 * address, elements of arrays with their checks, blocks. Stores into the
 * program's memory stay in the overlay of vm's space.
 */
#include "dac/objectlayout.h"
#include "il/machine/ops.h"
#include "il/machine/space.h"

#include "base/err.h"

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)
#define HEAD(name, k) static OP(name##_##k)

enum {
	VECTOR_DATA = 16,
	LOCALS_ALIGN = 16,
};

static inline bool load(struct vm *vm, uint64_t addr, void *buf, size_t n)
{
	const uint8_t *p = space_at(vm, addr, n);
	if (!p)
		return vm_read(vm, addr, buf, n);
	memcpy(buf, p, n);
	return true;
}

static inline bool store(struct vm *vm, uint64_t addr, const void *buf,
			 size_t n)
{
	uint8_t *p = space_for(vm, addr, n);
	if (!p)
		return vm_write(vm, addr, buf, n);
	memcpy(p, buf, n);
	return true;
}

/* ---- Places of the frame ----------------------------------------------- */

#define MOVE(k, to)                                                            \
	HEAD(move, k)                                                          \
	{                                                                      \
		(void)vm;                                                      \
		put_##to(fp + i->d, get_##k(fp + i->a));                       \
		return i + 1;                                                  \
	}
MOVE(i1, i4)
MOVE(u1, i4)
MOVE(i2, i4)
MOVE(u2, i4)
MOVE(u4, u4)
MOVE(u8, u8)

HEAD(move, n)
{
	(void)vm;
	memmove(fp + i->d, fp + i->a, i->n);
	return i + 1;
}

op_fn *const ops_move[N_ACCESSES] = {
    move_i1, move_u1, move_i2, move_u2, move_u4, move_u8, move_n,
};

OP(op_address)
{
	put_u8(fp + i->d, vm_addr(vm, fp + i->a));
	return i + 1;
}

/* ---- By address -------------------------------------------------------- */

#define LOAD(k, type, to)                                                      \
	HEAD(load, k)                                                          \
	{                                                                      \
		uint64_t base = get_u8(fp + i->a);                             \
		type v;                                                        \
		if (base < NULL_PAGE ||                                        \
		    !load(vm, base + (uint64_t)i->x.i, &v, sizeof(v)))         \
			return throw_bad(vm, i, base);                         \
		put_##to(fp + i->d, v);                                        \
		return i + 1;                                                  \
	}
LOAD(i1, int8_t, i4)
LOAD(u1, uint8_t, i4)
LOAD(i2, int16_t, i4)
LOAD(u2, uint16_t, i4)
LOAD(u4, uint32_t, u4)
LOAD(u8, uint64_t, u8)

HEAD(load, n)
{
	uint64_t base = get_u8(fp + i->a);
	uint64_t addr = base + (uint64_t)i->x.i;
	if (base < NULL_PAGE)
		return throw_bad(vm, i, base);
	// it may overlap its own place
	const uint8_t *p = space_at(vm, addr, i->n);
	if (p)
		memmove(fp + i->d, p, i->n);
	else if (!vm_read(vm, addr, fp + i->d, i->n))
		return throw_bad(vm, i, base);
	return i + 1;
}

op_fn *const ops_load[N_ACCESSES] = {
    load_i1, load_u1, load_i2, load_u2, load_u4, load_u8, load_n,
};

#define STORE(k, type)                                                         \
	HEAD(store, k)                                                         \
	{                                                                      \
		uint64_t base = get_u8(fp + i->a);                             \
		type v = get_##k(fp + i->b);                                   \
		if (base < NULL_PAGE ||                                        \
		    !store(vm, base + (uint64_t)i->x.i, &v, sizeof(v)))        \
			return throw_bad(vm, i, base);                         \
		return i + 1;                                                  \
	}
STORE(u1, uint8_t)
STORE(u2, uint16_t)
STORE(u4, uint32_t)
STORE(u8, uint64_t)

HEAD(store, n)
{
	uint64_t base = get_u8(fp + i->a);
	if (base < NULL_PAGE || !space_move(vm, base + (uint64_t)i->x.i,
					    vm_addr(vm, fp + i->b), i->n))
		return throw_bad(vm, i, base);
	return i + 1;
}

op_fn *const ops_store[N_ACCESSES] = {
    store_u1, store_u1, store_u2, store_u2, store_u4, store_u8, store_n,
};

OP(op_field_address)
{
	uint64_t base = get_u8(fp + i->a);
	(void)vm;
	if (base < NULL_PAGE)
		return throw_bad(vm, i, base);
	put_u8(fp + i->d, base + (uint64_t)i->x.i);
	return i + 1;
}

OP(op_check)
{
	uint64_t base = get_u8(fp + i->a);
	return base < NULL_PAGE ? throw_bad(vm, i, base) : i + 1;
}

/* ---- Arrays ------------------------------------------------------------ */

/*
 * Address of the element at index @b, 4 or 8 bytes wide (x.i), of the array
 * at @a; 0: thrown, *ret is the next operation.
 */
static uint64_t element(struct vm *vm, const struct op *i, uint8_t *fp,
			const struct op **ret)
{
	uint64_t array = get_u8(fp + i->a);
	uint64_t index = i->x.i == 8 ? get_u8(fp + i->b)
				     : (uint64_t)(int64_t)get_i4(fp + i->b);
	uint32_t length;
	if (array < NULL_PAGE ||
	    !load(vm, array + ARRAY_LENGTH, &length, sizeof(length))) {
		*ret = throw_bad(vm, i, array);
		return 0;
	}
	if (index >= length) {
		*ret = throw_new(vm, i, "System.IndexOutOfRangeException");
		return 0;
	}
	return array + VECTOR_DATA + index * i->n;
}

#define ELEMENT(k, type, to)                                                   \
	HEAD(element, k)                                                       \
	{                                                                      \
		const struct op *next = NULL;                                  \
		uint64_t addr = element(vm, i, fp, &next);                     \
		type v;                                                        \
		if (!addr)                                                     \
			return next;                                           \
		if (!load(vm, addr, &v, sizeof(v)))                            \
			return throw_bad(vm, i, addr);                         \
		put_##to(fp + i->d, v);                                        \
		return i + 1;                                                  \
	}
ELEMENT(i1, int8_t, i4)
ELEMENT(u1, uint8_t, i4)
ELEMENT(i2, int16_t, i4)
ELEMENT(u2, uint16_t, i4)
ELEMENT(u4, uint32_t, u4)
ELEMENT(u8, uint64_t, u8)

HEAD(element, n)
{
	const struct op *next = NULL;
	uint64_t addr = element(vm, i, fp, &next);
	if (!addr)
		return next;
	if (!vm_read(vm, addr, fp + i->d, i->n))
		return throw_bad(vm, i, addr);
	return i + 1;
}

op_fn *const ops_element[N_ACCESSES] = {
    element_i1, element_u1, element_i2, element_u2,
    element_u4, element_u8, element_n,
};

#define SET_ELEMENT(k, type)                                                   \
	HEAD(set_element, k)                                                   \
	{                                                                      \
		const struct op *next = NULL;                                  \
		uint64_t addr = element(vm, i, fp, &next);                     \
		type v = get_##k(fp + i->d);                                   \
		if (!addr)                                                     \
			return next;                                           \
		if (!store(vm, addr, &v, sizeof(v)))                           \
			return throw_bad(vm, i, addr);                         \
		return i + 1;                                                  \
	}
SET_ELEMENT(u1, uint8_t)
SET_ELEMENT(u2, uint16_t)
SET_ELEMENT(u4, uint32_t)
SET_ELEMENT(u8, uint64_t)

HEAD(set_element, n)
{
	const struct op *next = NULL;
	uint64_t addr = element(vm, i, fp, &next);
	if (!addr)
		return next;
	if (!vm_write(vm, addr, fp + i->d, i->n))
		return throw_bad(vm, i, addr);
	return i + 1;
}

op_fn *const ops_set_element[N_ACCESSES] = {
    set_element_u1, set_element_u1, set_element_u2, set_element_u2,
    set_element_u4, set_element_u8, set_element_n,
};

OP(op_element_address)
{
	const struct op *next = NULL;
	uint64_t addr = element(vm, i, fp, &next);
	if (!addr)
		return next;
	put_u8(fp + i->d, addr);
	return i + 1;
}

/* An object array takes what its own element type can be had as. */
OP(op_set_element_ref)
{
	uint64_t array = get_u8(fp + i->a), value = get_u8(fp + i->d);
	struct type *of = array < NULL_PAGE ? NULL : object_type(vm, array);
	bool fits = true;
	if (value && of && of->inner) {
		struct type *type = object_type(vm, value);
		struct dbg_error *err =
		    type && type != of->inner
			? type_assignable(vm->ts, type, of->inner, &fits)
			: NULL;
		if (err)
			return vm_refuse(vm, i, err);
	}
	const struct op *next = NULL;
	uint64_t addr = element(vm, i, fp, &next);
	if (!addr)
		return next;
	if (!fits)
		return throw_new(vm, i, "System.ArrayTypeMismatchException");
	if (!store(vm, addr, &value, sizeof(value)))
		return throw_bad(vm, i, addr);
	return i + 1;
}

OP(op_length)
{
	uint64_t array = get_u8(fp + i->a);
	uint32_t length;
	if (array < NULL_PAGE ||
	    !load(vm, array + ARRAY_LENGTH, &length, sizeof(length)))
		return throw_bad(vm, i, array);
	put_u8(fp + i->d, length);
	return i + 1;
}

/* ---- Blocks ------------------------------------------------------------ */

OP(op_init_object)
{
	uint64_t to = get_u8(fp + i->a);
	if (to < NULL_PAGE || !space_fill(vm, to, 0, i->n))
		return throw_bad(vm, i, to);
	return i + 1;
}

OP(op_copy_object)
{
	uint64_t to = get_u8(fp + i->a), from = get_u8(fp + i->b);
	if (to < NULL_PAGE || from < NULL_PAGE ||
	    !space_move(vm, to, from, i->n))
		return throw_bad(vm, i, to < NULL_PAGE ? to : from);
	return i + 1;
}

/* a: destination, b: source, d: how many bytes, 32 bits. */
OP(op_copy_block)
{
	uint64_t to = get_u8(fp + i->a), from = get_u8(fp + i->b);
	uint32_t n = get_u4(fp + i->d);
	vm_charge(vm, n);
	if (n > REGION_SIZE || (n && !space_move(vm, to, from, n)))
		return throw_bad(vm, i, to < NULL_PAGE ? to : from);
	return i + 1;
}

OP(op_init_block)
{
	uint64_t to = get_u8(fp + i->a);
	uint32_t n = get_u4(fp + i->d);
	vm_charge(vm, n);
	if (n > REGION_SIZE ||
	    (n && !space_fill(vm, to, (uint8_t)get_u4(fp + i->b), n)))
		return throw_bad(vm, i, to);
	return i + 1;
}

OP(op_localloc)
{
	uint64_t n = get_u8(fp + i->a);
	uint64_t end = REGION_HEAP_BASE;
	if (n > end - vm->local_top || end - vm->local_top - n < LOCALS_ALIGN)
		return throw_new(vm, i,
				 "System.InsufficientExecutionStackException");
	uint64_t at = vm->local_top;
	vm_charge(vm, n);
	memset(vm->base + at, 0, n);
	vm->local_top =
	    (at + n + LOCALS_ALIGN - 1) / LOCALS_ALIGN * LOCALS_ALIGN;
	put_u8(fp + i->d, n ? VM_FIRST + at : 0);
	return i + 1;
}
