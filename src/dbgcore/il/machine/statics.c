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

static uint64_t own_place(struct vm *vm, struct type_field *field)
{
	uintptr_t key = (uintptr_t)field;
	uint64_t *known = map_find(&vm->statics, key);
	struct type *type;
	const struct type_layout *layout;
	if (known)
		return *known;
	struct dbg_error *err = type_field_type(vm->ts, field, &type);
	if (!err)
		err = type_layout(vm->ts, type, &layout);
	if (err) {
		vm_refuse(vm, NULL, err);
		return 0;
	}
	uint64_t addr = allocate(vm, layout->size);
	if (!addr)
		return 0;
	struct bytes data =
	    field->is_rva ? type_field_data(field) : (struct bytes){0};
	if (data.n >= layout->size && layout->size)
		vm_write(vm, addr, data.p, layout->size);
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
