/*
 * Delegates, the program's and the machine's own: what one of them calls, and
 * the loop over the list of a multicast one.
 */
#include "il/machine/delegate.h"

#include <string.h>

#include "base/err.h"
#include "il/machine/dynamic.h"
#include "il/machine/ops.h"

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

/* Offset in objects of field @name of @type; 0: the type has none. */
static struct dbg_error *offset_of(struct vm *vm, struct type *type,
				   const char *name, uint32_t *ret)
{
	struct type_field *field = NULL;
	struct dbg_error *err =
	    type ? type_field_find(vm->ts, type, name, &field) : NULL;
	*ret = 0;
	if (!err && field) {
		err = type_field_offset(vm->ts, field, ret);
		*ret += 8;
	}
	return err;
}

/* A runtime has either a field @name or what stands for it, @newer. */
static struct dbg_error *offset_of_either(struct vm *vm, const char *owner,
					  const char *name, const char *newer,
					  uint32_t *ret)
{
	struct dbg_error *err =
	    offset_of(vm, type_core(vm->ts, owner), name, ret);
	if (!err && !*ret && newer)
		err = offset_of(vm, type_core(vm->ts, "System.Delegate"), newer,
				ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_NOT_FOUND, "%s has no field '%s'", owner,
			      name);
	return err;
}

/*
 * System.Delegate.CoreCLR.cs, System.MulticastDelegate.CoreCLR.cs. Since
 * .NET 11 one field, _helperObject, holds either what knows the method or the
 * list of a multicast delegate, and _extraData is the list's length.
 */
static struct dbg_error *learn(struct vm *vm)
{
	static const char one[] = "System.Delegate";
	static const char many[] = "System.MulticastDelegate";
	const struct {
		const char *owner, *name, *newer;
		uint32_t *offset;
	} fields[] = {
	    {one, "_methodPtr", NULL, &vm->of_method},
	    {one, "_methodPtrAux", NULL, &vm->of_aux},
	    {many, "_invocationList", "_helperObject", &vm->of_list},
	    {many, "_invocationCount", "_extraData", &vm->of_count},
	    {one, "_methodBase", "_helperObject", &vm->of_base},
	    {one, "_target", NULL, &vm->of_target},
	};
	struct dbg_error *err = NULL;
	size_t n = vm->of_target ? 0 : sizeof(fields) / sizeof(fields[0]);
	for (size_t i = 0; !err && i < n; i++)
		err = offset_of_either(vm, fields[i].owner, fields[i].name,
				       fields[i].newer, fields[i].offset);
	return err;
}

/* ---- Making ------------------------------------------------------------ */

/* a: the object and the method's address; the result. */
OP(op_new_delegate)
{
	struct dbg_error *err = learn(vm);
	struct type_method *method = NULL;
	const struct type_sig *sig;
	uint64_t target = get_u8(fp + i->a), code = get_u8(fp + i->a + 8);
	if (!err)
		err = method_at(vm, code, NULL, &method);
	if (!err)
		err = method_sig(vm, method, &sig);
	if (err)
		return vm_refuse(vm, i, err);
	if (!target && sig->has_this)
		return throw_new(vm, i, "System.ArgumentException");
	uint64_t object = vm_new(vm, i->x.site->method->owner);
	if (!object)
		return vm_spent(vm, i, "it wants too much memory");
	// as the runtime has it: one without a target is its own
	if (!target) {
		vm_write(vm, object + vm->of_aux, &code, sizeof(code));
		target = object;
	}
	vm_write(vm, object + vm->of_target, &target, sizeof(target));
	vm_write(vm, object + vm->of_method, &code, sizeof(code));
	put_u8(fp + i->a, object);
	return i + 1;
}

/* ---- Invoke ------------------------------------------------------------ */

struct delegate {
	uint64_t target, code, aux, list, count, base;
};

static bool delegate_read(struct vm *vm, uint64_t object, struct delegate *ret)
{
	return vm_read(vm, object + vm->of_target, &ret->target, 8) &&
	       vm_read(vm, object + vm->of_method, &ret->code, 8) &&
	       vm_read(vm, object + vm->of_aux, &ret->aux, 8) &&
	       vm_read(vm, object + vm->of_list, &ret->list, 8) &&
	       vm_read(vm, object + vm->of_count, &ret->count, 8) &&
	       vm_read(vm, object + vm->of_base, &ret->base, 8);
}

static struct dbg_error *method_of(struct vm *vm, uint64_t object,
				   const struct delegate *d,
				   struct type_method **ret)
{
	uint64_t code = d->aux ? d->aux : d->code;
	struct type *exact =
	    d->target == object ? NULL : object_type(vm, d->target);
	*ret = method_of_entry(vm, code);
	if (*ret || vm_owns(vm, object))
		return *ret ? NULL : method_at(vm, code, exact, ret);
	uint64_t dynamic = dynamic_object(vm, d->base);
	if (dynamic)
		return dynamic_method(vm, dynamic, ret);
	struct value v = value_object(vm->values, object);
	uint64_t desc = value_delegate_method(vm->values, &v);
	if (!desc)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the delegate's method is not known");
	return type_method_of_desc(vm->ts, desc, exact, ret);
}

struct dbg_error *delegate_method(struct vm *vm, uint64_t object,
				  struct type_method **ret)
{
	struct delegate d;
	struct dbg_error *err = learn(vm);
	if (!err && !delegate_read(vm, object, &d))
		err = dbg_err(DBG_E_MEMORY, "the delegate cannot be read");
	return err ? err : method_of(vm, object, &d, ret);
}

/* An open one over an instance's method: that of its first argument's type. */
static struct dbg_error *open_target(struct vm *vm, struct site *s,
				     uint64_t first, struct site **ret)
{
	const struct type_method *m = s->method;
	*ret = s;
	if (!s->sig->has_this || !m->owner || m->owner->is_value)
		return NULL;
	uint64_t handle = object_handle(vm, first);
	return handle ? site_target(vm, s, handle, ret) : NULL;
}

static const struct op *invoke(struct vm *vm, const struct op *i, uint64_t base,
			       uint64_t ret, const struct op *next);

/* Is it of another delegate, as new D(d) makes it? */
static bool is_invoke(const struct type_method *m)
{
	return m->owner && m->owner->is_delegate && !strcmp(m->name, "Invoke");
}

/*
 * Call what the delegate at @base, not a multicast one, calls: a closed one's
 * target takes its place, an open one's arguments begin behind it.
 */
static const struct op *invoke_one(struct vm *vm, const struct op *i,
				   uint64_t base, uint64_t ret,
				   const struct op *next)
{
	struct delegate d;
	struct type_method *method;
	struct site *s;
	uint64_t object = get_u8(vm->base + base);
	uint32_t given = i->x.site->args_size;
	if (object < NULL_PAGE || !delegate_read(vm, object, &d))
		return throw_bad(vm, i, object);
	struct dbg_error *err = method_of(vm, object, &d, &method);
	if (!err && is_invoke(method) && d.target != object) {
		put_u8(vm->base + base, d.target);
		return invoke(vm, i, base, ret, next);
	}
	if (!err)
		err = site_of(vm, method, &s);
	bool open = !err && s->args_size == given - 8;
	if (open)
		err = open_target(vm, s, get_u8(vm->base + base + 8), &s);
	if (err)
		return vm_refuse(vm, i, err);
	if (open) {
		base += 8;
	} else if (s->args_size == given) {
		bool boxed = s->sig->has_this && method->owner &&
			     method->owner->is_value;
		put_u8(vm->base + base, boxed ? d.target + 8 : d.target);
	} else {
		return vm_refuse(vm, i,
				 dbg_err(DBG_E_FORMAT,
					 "a delegate calls '%s' with other "
					 "arguments",
					 method_text(vm, method)));
	}
	if (s->ret_size != i->x.site->ret_size)
		ret = base;
	return call_site(vm, s, base, ret, next);
}

/* The frame of a multicast call: arguments, index, result, arguments again. */
static uint32_t index_at(const struct site *s)
{
	return s->args_size;
}

static uint32_t result_at(const struct site *s)
{
	return s->args_size + 8;
}

static uint32_t copy_at(const struct site *s)
{
	return s->args_size + 8 + s->ret_size;
}

static const struct op *op_multicast(struct vm *vm, const struct op *i,
				     uint8_t *fp)
{
	struct site *s = i->x.site;
	struct delegate d;
	uint64_t data, n, base = (uint64_t)(fp - vm->base);
	uint64_t at = get_u8(fp + index_at(s));
	uint64_t object = get_u8(fp);
	if (object < NULL_PAGE || !delegate_read(vm, object, &d) ||
	    !array_data(vm, d.list, &data, &n))
		return throw_bad(vm, i, object);
	if (at >= d.count || at >= n)
		return i + 1;
	put_u8(fp + index_at(s), at + 1);
	memcpy(fp + copy_at(s), fp, s->args_size);
	if (!vm_read(vm, data + at * 8, fp + copy_at(s), 8))
		return throw_bad(vm, i, data);
	return invoke_one(vm, i, base + copy_at(s), base + result_at(s), i);
}

static struct compiled *multicast_code(struct vm *vm, struct site *s)
{
	struct compiled *code = arena_alloc(vm->arena, sizeof(*code));
	code->ops = arena_calloc(vm->arena, 2, sizeof(code->ops[0]));
	code->n_ops = 2;
	code->method = s->method;
	code->args_size = s->args_size;
	code->clear = 8 + s->ret_size;
	code->size = copy_at(s) + s->args_size + 32;
	code->ops[0] = (struct op){.fn = op_multicast, .x.site = s};
	code->ops[1] =
	    (struct op){.fn = op_return, .a = result_at(s), .n = s->ret_size};
	return code;
}

/* Call what the delegate at @base calls, one or several. */
static const struct op *invoke(struct vm *vm, const struct op *i, uint64_t base,
			       uint64_t ret, const struct op *next)
{
	struct site *s = i->x.site;
	struct delegate d;
	uint64_t object = get_u8(vm->base + base);
	if (object < NULL_PAGE || !delegate_read(vm, object, &d))
		return throw_bad(vm, i, object);
	struct type *list = d.list ? object_type(vm, d.list) : NULL;
	if (!list || list->kind != TYPE_KIND_ARRAY || !d.count ||
	    d.count > INT32_MAX)
		return invoke_one(vm, i, base, ret, next);
	if (!s->multicast)
		s->multicast = multicast_code(vm, s);
	return frame_push(vm, s->multicast, base, ret, next);
}

/* a: the delegate and the arguments; the result. */
OP(op_invoke)
{
	struct dbg_error *err = learn(vm);
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	return err ? vm_refuse(vm, i, err) : invoke(vm, i, base, base, i + 1);
}
