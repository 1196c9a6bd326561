/*
 * Operations on objects (III.4): string literals, allocation, boxes, casts,
 * tokens, statics and their initialization. Objects are made on the machine's
 * own heap, never in the program.
 */
#include "il/machine/literaltext.h"
#include "il/machine/ops.h"
#include "il/machine/space.h"

#include "base/err.h"

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

enum {
	CAST = 0,
	ISINST = 1,
	RANK_MAX = 32,
	ARRAY_BOUNDS = 16,
};

static const struct op *no_memory(struct vm *vm, const struct op *i)
{
	return vm_spent(vm, i, "it wants too much memory");
}

/* ---- Literals and allocation ------------------------------------------- */

OP(op_string)
{
	struct site *s = i->x.site;
	if (!s->object || s->epoch != vm->epoch) {
		s->object = literal_object(vm, s->text);
		if (!s->object)
			return no_memory(vm, i);
		s->epoch = vm->epoch;
	}
	put_u8(fp + i->d, s->object);
	return i + 1;
}

OP(op_new_array)
{
	// The length is signed also in its form of 32 bits.
	int64_t n = i->n == 8 ? get_i8(fp + i->a) : get_i4(fp + i->a);
	if (n < 0)
		return throw_new(vm, i, "System.OverflowException");
	uint64_t array = vm_new_array(vm, i->x.type, (uint64_t)n);
	if (!array)
		return no_memory(vm, i);
	put_u8(fp + i->d, array);
	return i + 1;
}

/* ---- Boxes ------------------------------------------------------------- */

OP(op_box)
{
	uint64_t box = object_box(vm, i->x.type, fp + i->a);
	if (!box)
		return no_memory(vm, i);
	put_u8(fp + i->d, box);
	return i + 1;
}

/* x.type is T of the Nullable<T> at a; its value is at n. */
OP(op_box_nullable)
{
	uint64_t box = 0;
	if (fp[i->a]) {
		box = object_box(vm, i->x.type, fp + i->a + i->n);
		if (!box)
			return no_memory(vm, i);
	}
	put_u8(fp + i->d, box);
	return i + 1;
}

/*
 * Box a struct whose address is `this`, to call a method of one of its base
 * classes.
 */
OP(op_box_receiver)
{
	uint64_t at = get_u8(fp + i->a);
	uint64_t box = at < NULL_PAGE ? 0 : vm_new(vm, i->x.type);
	if (at < NULL_PAGE)
		return throw_bad(vm, i, at);
	if (!box)
		return no_memory(vm, i);
	if (!space_move(vm, box + 8, at, i->n))
		return throw_bad(vm, i, at);
	put_u8(fp + i->a, box);
	return i + 1;
}

/* An enum's box is one of its underlying type, and the other way round. */
static bool unboxes(struct type *box, struct type *type)
{
	return box == type ||
	       (box && box->is_value && box->kind != TYPE_KIND_STRUCT &&
		type->kind != TYPE_KIND_STRUCT && box->elem == type->elem);
}

OP(op_unbox)
{
	uint64_t box = get_u8(fp + i->a);
	if (box < NULL_PAGE)
		return throw_bad(vm, i, box);
	if (!unboxes(object_type(vm, box), i->x.type))
		return throw_new(vm, i, "System.InvalidCastException");
	put_u8(fp + i->d, box + 8);
	return i + 1;
}

/* b: how large the Nullable is; n: where in it the value is. */
OP(op_unbox_nullable)
{
	uint64_t box = get_u8(fp + i->a);
	const struct type_layout *layout;
	struct dbg_error *err = type_layout(vm->ts, i->x.type, &layout);
	if (err)
		return vm_refuse(vm, i, err);
	memset(fp + i->d, 0, i->b);
	if (!box)
		return i + 1;
	if (!unboxes(object_type(vm, box), i->x.type))
		return throw_new(vm, i, "System.InvalidCastException");
	if (!vm_read(vm, box + 8, fp + i->d + i->n, layout->size))
		return throw_bad(vm, i, box);
	fp[i->d] = 1;
	return i + 1;
}

/* ---- Casts ------------------------------------------------------------- */

/* n: CAST or ISINST. */
OP(op_cast)
{
	struct site *s = i->x.site;
	uint64_t object = get_u8(fp + i->a);
	if (!object) {
		put_u8(fp + i->d, 0);
		return i + 1;
	}
	uint64_t handle = object_handle(vm, object);
	if (!handle)
		return throw_bad(vm, i, object);
	if (handle != s->handle) {
		struct type *type = type_of_handle(vm->ts, handle);
		if (!type)
			return throw_bad(vm, i, object);
		struct dbg_error *err =
		    type_assignable(vm->ts, type, s->type, &s->answer);
		if (err)
			return vm_refuse(vm, i, err);
		s->handle = handle;
	}
	if (!s->answer && i->n == CAST)
		return throw_new(vm, i, "System.InvalidCastException");
	put_u8(fp + i->d, s->answer ? object : 0);
	return i + 1;
}

/* ---- Tokens and statics ------------------------------------------------ */

OP(op_type_token)
{
	uint64_t object = vm_type_object(vm, i->x.type);
	if (!object)
		return no_memory(vm, i);
	put_u8(fp + i->d, object);
	return i + 1;
}

OP(op_method_token)
{
	put_u8(fp + i->d, method_entry(vm, i->x.site->method));
	return i + 1;
}

OP(op_field_token)
{
	put_u8(fp + i->d, field_entry(vm, i->x.site->field));
	return i + 1;
}

OP(op_late_field)
{
	uint64_t object = get_u8(fp + i->a);
	if (!object)
		return throw_bad(vm, i, object);
	uint64_t at = vm_late(vm, i->x.site->field, object, true);
	if (!at)
		return vm->error ? NULL : no_memory(vm, i);
	put_u8(fp + i->d, at);
	return i + 1;
}

OP(op_static)
{
	struct site *s = i->x.site;
	if (!s->object || s->epoch != vm->epoch) {
		const struct op *next;
		if (s->init && !class_ready(vm, s->init, i, &next))
			return next;
		s->object = static_place(vm, s->field);
		if (!s->object)
			return vm->error ? NULL : no_memory(vm, i);
		s->epoch = vm->epoch;
	}
	put_u8(fp + i->d, s->object);
	return i + 1;
}

/* ---- Arrays of several dimensions -------------------------------------- */

/* Lengths (and lower bounds, in pairs) are 8 bytes apart from a on. */
OP(op_array_new)
{
	struct type *type = i->x.site->type;
	uint32_t rank = type->rank, n = i->n;
	int32_t bounds[2 * RANK_MAX] = {0};
	uint64_t total = 1;
	if (!rank || rank > RANK_MAX || (n != rank && n != 2 * rank))
		return vm_refuse(
		    vm, i,
		    dbg_err(DBG_E_FORMAT, "array of %u dimensions", rank));
	for (uint32_t k = 0; k < rank; k++) {
		uint32_t at = n == rank ? k : 2 * k + 1;
		bounds[k] = get_i4(fp + i->a + 8 * at);
		if (n != rank)
			bounds[rank + k] = get_i4(fp + i->a + 16 * k);
		if (bounds[k] < 0)
			return throw_new(vm, i, "System.OverflowException");
		if (__builtin_mul_overflow(total, bounds[k], &total))
			return no_memory(vm, i);
	}
	uint64_t array = vm_new_array(vm, type, total);
	if (!array)
		return no_memory(vm, i);
	if (type->elem == ELEM_ARRAY)
		vm_write(vm, array + ARRAY_BOUNDS, bounds,
			 sizeof(bounds[0]) * 2 * rank);
	put_u8(fp + i->d, array);
	return i + 1;
}

/* The element at the indexes behind the array at a; 0: *ret is next. */
static uint64_t array_element(struct vm *vm, const struct op *i, uint8_t *fp,
			      const struct op **ret)
{
	struct site *s = i->x.site;
	const struct type_layout *layout;
	uint64_t array = get_u8(fp + i->a), at = 0;
	uint32_t rank = s->type->rank;
	int32_t bounds[2 * RANK_MAX] = {0};
	struct dbg_error *err = type_layout(vm->ts, s->type, &layout);
	if (err) {
		*ret = vm_refuse(vm, i, err);
		return 0;
	}
	if (array < NULL_PAGE || !rank || rank > RANK_MAX ||
	    !vm_read(vm, array + ARRAY_BOUNDS, bounds,
		     sizeof(bounds[0]) * 2 * rank)) {
		*ret = throw_bad(vm, i, array);
		return 0;
	}
	for (uint32_t k = 0; k < rank; k++) {
		int64_t index =
		    (int64_t)get_i4(fp + i->a + 8 + 8 * k) - bounds[rank + k];
		if (index < 0 || index >= bounds[k]) {
			*ret =
			    throw_new(vm, i, "System.IndexOutOfRangeException");
			return 0;
		}
		at = at * (uint64_t)bounds[k] + (uint64_t)index;
	}
	return array + 8 + layout->object + at * i->n;
}

OP(op_array_address)
{
	const struct op *next = NULL;
	uint64_t addr = array_element(vm, i, fp, &next);
	if (!addr)
		return next;
	put_u8(fp + i->d, addr);
	return i + 1;
}

/* The value to be set is at b; the load follows by itself. */
OP(op_array_set)
{
	const struct op *next = NULL;
	uint64_t addr = array_element(vm, i, fp, &next);
	if (!addr)
		return next;
	if (!vm_write(vm, addr, fp + i->b, i->n))
		return throw_bad(vm, i, addr);
	return i + 1;
}
