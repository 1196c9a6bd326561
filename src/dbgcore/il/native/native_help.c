/*
 * Helpers shared by the tables of natives: fixed answers, strings as results,
 * fields by name, constructors run by a native, and type names as reflection
 * writes them.
 */
#include "il/native/native_help.h"

#include <string.h>

#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "meta/assemblyname.h"

enum {
	NAME_DEPTH_MAX = 32,
	TEXT_MAX = 1 << 16,
};

/* ---- Fixed answers --------------------------------------------------- */

enum native_end native_nothing(struct native *n)
{
	(void)n;
	return NATIVE_DONE;
}

enum native_end native_true(struct native *n)
{
	return native_ret_i4(n, 1);
}

enum native_end native_false(struct native *n)
{
	return native_ret_i4(n, 0);
}

enum native_end native_zero(struct native *n)
{
	return native_ret_i8(n, 0);
}

/* ---- Text -----------------------------------------------------------------
 */

/* Decode one code point of valid or broken UTF-8; never reads past the 0. */
static uint32_t next_point(const uint8_t **p)
{
	uint32_t c = *(*p)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
	if (!more)
		return c;
	c &= 0x3fu >> more;
	for (; more && (**p & 0xc0) == 0x80; more--)
		c = c << 6 | (*(*p)++ & 0x3f);
	return more ? 0xfffd : c;
}

enum native_end native_text(struct native *n, const char *text, uint64_t *ret)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t len = strlen(text), n_units = 0;
	if (len > TEXT_MAX)
		return native_refuse(n, "the text is too long");
	_cleanup_free_ uint16_t *units = xcalloc(len + 1, sizeof(*units));
	while (*p) {
		uint32_t c = next_point(&p);
		if (c >= 0x10000) {
			units[n_units++] =
			    (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		units[n_units++] = (uint16_t)c;
	}
	*ret = vm_new_string(n->vm, units, n_units);
	return *ret ? NATIVE_DONE
		    : native_refuse(n, "too much memory is wanted");
}

enum native_end native_ret_text(struct native *n, const char *text)
{
	uint64_t object;
	enum native_end end = native_text(n, text, &object);
	return end == NATIVE_DONE ? native_ret_ref(n, object) : end;
}

/* ---- Objects ----------------------------------------------------------------
 */

static struct dbg_error *field_at(struct native *n, uint64_t addr,
				  const char *name, uint64_t *ret)
{
	struct type_field *f = NULL;
	uint32_t offset = 0;
	struct type *type = native_type_of(n, addr);
	struct dbg_error *err =
	    type ? type_field_find(n->types, type, name, &f) : NULL;
	if (!err && !f)
		err = dbg_err(DBG_E_NOT_FOUND, "there is no field '%s'", name);
	if (!err)
		err = type_field_offset(n->types, f, &offset);
	if (!err)
		*ret = addr + 8 + offset;
	return err;
}

enum native_end native_get_field(struct native *n, uint64_t addr,
				 const char *name, void *to, size_t size)
{
	uint64_t at;
	struct dbg_error *err = field_at(n, addr, name, &at);
	return err ? native_fail(n, err) : native_get(n, at, to, size);
}

enum native_end native_set_field(struct native *n, uint64_t addr,
				 const char *name, const void *from,
				 size_t size)
{
	uint64_t at;
	struct dbg_error *err = field_at(n, addr, name, &at);
	return err ? native_fail(n, err) : native_put(n, at, from, size);
}

enum native_end native_construct(struct native *n, uint64_t object,
				 struct type_method *ctor)
{
	uint64_t place = vm_room(n->vm, sizeof(object));
	if (!place || !vm_write(n->vm, place, &object, sizeof(object)))
		return native_refuse(n, "too much memory is wanted");
	// The constructor returns nothing, so the result stays what it is.
	if (!vm_write(n->vm, VM_FIRST + n->ret_at, &object, sizeof(object)))
		return native_refuse(n, "too much memory is wanted");
	return native_call(n, ctor, &place, 1);
}

static struct dac *dac_of(struct native *n)
{
	return types_dac(n->types);
}

static const struct dac_thread *thread_of(struct native *n)
{
	struct thread_ref *ref = n->vm->thread;
	return ref ? dac_thread_find(dac_of(n), ref->tid) : NULL;
}

uint64_t native_thread_object(struct native *n)
{
	const struct dac_thread *t = thread_of(n);
	return t ? dac_thread_object(dac_of(n), t) : 0;
}

uint32_t native_thread_id(struct native *n)
{
	const struct dac_thread *t = thread_of(n);
	return t ? t->managed_id : 0;
}

/* ---- Names
 * ------------------------------------------------------------------- */

static void add_suffix(const struct type *type, struct str *out)
{
	if (type->kind == TYPE_KIND_POINTER)
		str_addc(out, '*');
	else if (type->kind == TYPE_KIND_BYREF)
		str_addc(out, '&');
	else if (type->kind == TYPE_KIND_ARRAY) {
		str_addc(out, '[');
		for (uint32_t i = 1; i < type->rank; i++)
			str_addc(out, ',');
		str_addc(out, ']');
	}
}

void native_suffixes(const struct type *type, struct str *out)
{
	if (!type->inner)
		return;
	native_suffixes(type->inner, out);
	add_suffix(type, out);
}

void native_simple_name(struct types *ts, struct type *type, struct str *out)
{
	if (type->inner) {
		native_simple_name(ts, type->inner, out);
		add_suffix(type, out);
	} else if (type->module) {
		str_add(out, type_simple_name(type));
	} else {
		str_add(out, type_name(ts, type));
	}
}

/* How generic arguments are written. */
enum arguments {
	ARGUMENTS_NONE,
	ARGUMENTS_NAMED,
	ARGUMENTS_QUALIFIED, /* with their assemblies */
};

static void add_full(struct types *ts, struct type *type, struct str *out,
		     enum arguments args, unsigned int depth);

static void add_assembly(const struct type *type, struct str *out)
{
	while (type->inner)
		type = type->inner;
	if (!type->module)
		return;
	str_add(out, ", ");
	assembly_display_name(&type->module->md, out);
}

static void add_argument(struct types *ts, struct type *type, size_t i,
			 struct str *out, enum arguments args,
			 unsigned int depth)
{
	struct type_generic_param gp;
	struct type *arg = type->args[i];
	bool qualified = args == ARGUMENTS_QUALIFIED;
	str_add(out, qualified ? "[" : "");
	if (arg->kind == TYPE_KIND_VAR &&
	    !dbg_err_drop(type_generic_param(ts, type, NULL, (uint32_t)i, &gp)))
		str_add(out, gp.name);
	else
		add_full(ts, arg, out, args, depth + 1);
	if (qualified)
		add_assembly(arg, out);
	str_add(out, qualified ? "]" : "");
}

static void add_full(struct types *ts, struct type *type, struct str *out,
		     enum arguments args, unsigned int depth)
{
	if (depth > NAME_DEPTH_MAX)
		return;
	if (type->inner) {
		add_full(ts, type->inner, out, args, depth + 1);
		add_suffix(type, out);
		return;
	}
	struct type *outer = type_enclosing(ts, type);
	if (outer) {
		add_full(ts, outer, out, ARGUMENTS_NONE, depth + 1);
		str_addc(out, '+');
	} else if (*type_namespace(type)) {
		str_add(out, type_namespace(type));
		str_addc(out, '.');
	}
	native_simple_name(ts, type, out);
	for (size_t i = 0; args && type->module && i < type->n_args; i++) {
		str_addc(out, i ? ',' : '[');
		add_argument(ts, type, i, out, args, depth);
		if (i + 1 == type->n_args)
			str_addc(out, ']');
	}
}

void native_full_name(struct types *ts, struct type *type, struct str *out)
{
	add_full(ts, type, out, ARGUMENTS_NONE, 0);
}

void native_display_name(struct types *ts, struct type *type, struct str *out)
{
	add_full(ts, type, out, ARGUMENTS_NAMED, 0);
}

void native_qualified_name(struct types *ts, struct type *type, struct str *out)
{
	add_full(ts, type, out, ARGUMENTS_QUALIFIED, 0);
}

void native_assembly_qualified_name(struct types *ts, struct type *type,
				    struct str *out)
{
	native_qualified_name(ts, type, out);
	add_assembly(type, out);
}
