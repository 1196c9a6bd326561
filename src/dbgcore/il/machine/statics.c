/*
 * Statics: the program's where it has initialised the class, the machine's
 * own where it has not; then the class's static constructor is interpreted
 * before anything that needs it, once a stop.
 */
#include "il/machine/vm_priv.h"

#include <string.h>

#include "base/err.h"

/* A field that only the JIT knows to be true: nothing sets it (.NET 8). */
static bool is_known_true(const struct type_field *field)
{
	return !strcmp(field->name, "IsLittleEndian") &&
	       !strcmp(type_simple_name(field->owner), "BitConverter");
}

/* Zeros for its value; 0: vm ended, or there is no room. */
static uint64_t new_place(struct vm *vm, struct type_field *field,
			  uint32_t *ret_size)
{
	struct type *type;
	const struct type_layout *layout;
	struct dbg_error *err = type_field_type(vm->ts, field, &type);
	if (!err)
		err = type_layout(vm->ts, type, &layout);
	if (err) {
		vm_refuse(vm, NULL, err);
		return 0;
	}
	*ret_size = layout->size;
	return allocate(vm, layout->size);
}

/* Where a field that hot reload added is, of an object that has it nowhere; by
 * object, until a stop. */
struct vm_late {
	const struct type_field *field;
	uint64_t addr;
	struct vm_late *next; /* of the same object */
};

uint64_t vm_late(struct vm *vm, struct type_field *field, uint64_t object,
		 bool make)
{
	struct vm_late *first = map_find(&vm->lates, object), *l = first;
	uint64_t addr = 0;
	uint32_t size;
	struct dbg_error *err =
	    vm_owns(vm, object) ? NULL
				: type_late_place(vm->ts, field, object, &addr);
	if (err) {
		vm_refuse(vm, NULL, err);
		return 0;
	}
	while (!addr && l && l->field != field)
		l = l->next;
	if (addr || l || !make)
		return addr ? addr : l ? l->addr : 0;
	addr = new_place(vm, field, &size);
	if (!addr)
		return 0;
	l = arena_alloc(vm->dynamic, sizeof(*l));
	*l = (struct vm_late){field, addr, first};
	map_put(&vm->lates, object, l);
	return addr;
}

static uint64_t own_place(struct vm *vm, struct type_field *field)
{
	uintptr_t key = (uintptr_t)field;
	uint64_t *known = map_find(&vm->statics, key);
	uint32_t size;
	if (known)
		return *known;
	uint64_t addr = new_place(vm, field, &size);
	if (!addr)
		return 0;
	struct bytes data =
	    field->is_rva ? type_field_data(field) : (struct bytes){0};
	if (data.n >= size && size)
		vm_write(vm, addr, data.p, size);
	if (is_known_true(field))
		vm_write(vm, addr, "\1", 1);
	known = xmalloc(sizeof(*known));
	*known = addr;
	map_put(&vm->statics, key, known);
	return addr;
}

uint64_t static_place(struct vm *vm, struct type_field *field)
{
	uint64_t addr = 0;
	struct vm_class *c = vm_class_of(vm, field->owner);
	if (!field->is_rva && c->in_program && !is_known_true(field)) {
		struct dbg_error *err =
		    type_field_static(vm->ts, field, vm->thread, &addr);
		if (err) {
			vm_refuse(vm, NULL, err);
			return 0;
		}
	}
	return addr ? addr : own_place(vm, field);
}

static bool run_cctor(struct vm *vm, struct vm_class *c, struct type_method *m,
		      const struct op *i, const struct op **ret)
{
	struct site *site;
	struct dbg_error *err = site_of(vm, m, &site);
	if (!err && !site->code)
		err = code_get(vm, m, &site->code);
	if (err) {
		*ret = vm_refuse(vm, i, err);
		return false;
	}
	const struct frame *f = &vm->frames[vm->n_frames - 1];
	uint64_t base = f->base + f->code->size;
	*ret = frame_push(vm, site->code, base, base, i);
	if (*ret) {
		c->state = CLASS_RUNS;
		vm->frames[vm->n_frames - 1].cctor = c->type;
	}
	return false;
}

bool class_ready(struct vm *vm, struct type *type, const struct op *i,
		 const struct op **ret)
{
	struct vm_class *c = vm_class_of(vm, type);
	if (c->state == CLASS_READY || c->state == CLASS_RUNS)
		return true;
	if (c->state == CLASS_FAILED) {
		*ret = throw_failed(vm, i, c);
		return false;
	}
	c->in_program = type_is_initialized(vm->ts, type);
	struct type_method *cctor =
	    c->in_program ? NULL : type_method_cctor(vm->ts, type);
	if (!cctor) {
		c->state = CLASS_READY;
		return true;
	}
	return run_cctor(vm, c, cctor, i, ret);
}
