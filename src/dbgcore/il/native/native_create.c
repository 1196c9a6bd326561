/*
 * Natives that make objects: instances by type, default comparers, what Enum
 * knows of its names, texts of exceptions.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "il/machine/literaltext.h"
#include "il/machine/native.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"
#include "meta/resources.h"

enum {
	NAMES_MAX = 1 << 16,
	VECTOR_DATA = 16,
	STRUCT_MAX = 4096,
	KEY_MAX = 128,
};

static struct type *type_of_place(struct native *n, size_t i)
{
	uint64_t object = native_ref(n, i);
	return object ? vm_type_of_object(n->vm, object) : NULL;
}

static enum native_end no_memory(struct native *n)
{
	return native_refuse(n, "too much memory is wanted");
}

/* ---- Instances ----------------------------------------------------------- */

static enum native_end construct(struct native *n, struct type *type)
{
	struct type_method *ctor;
	if (type->flags & 0x80 || !type->module || type->open)
		return native_throw(n, "System.MissingMethodException");
	ctor = type_method_named(n->types, type, ".ctor", 0);
	if (!ctor && !type->is_value)
		return native_throw(n, "System.MissingMethodException");
	uint64_t object = vm_new(n->vm, type);
	if (!object)
		return no_memory(n);
	if (!ctor)
		return native_ret_ref(n, object);
	if (type->is_value)
		return native_refuse(n, "a struct with a constructor");
	return native_construct(n, object, ctor);
}

/* Activator.CreateInstance<T>(): of a struct, zeros. */
static enum native_end create_of(struct native *n)
{
	if (!n->method->n_args)
		return NATIVE_IL;
	struct type *type = n->method->args[0];
	if (!type->is_value)
		return construct(n, type);
	return type_method_named(n->types, type, ".ctor", 0)
		   ? native_refuse(n, "a struct with a constructor")
		   : NATIVE_DONE;
}

static enum native_end create_instance(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	return type ? construct(n, type) : NATIVE_IL;
}

static enum native_end uninitialized(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	uint64_t object = type ? vm_new(n->vm, type) : 0;
	return object ? native_ret_ref(n, object) : no_memory(n);
}

/* The generic type of the first, with the others as its arguments. */
static enum native_end create_another(struct native *n)
{
	struct type *args[2], *type = type_of_place(n, 0);
	size_t n_args = n->n_args - 1;
	if (!type || n_args > 2 || type->n_args != n_args)
		return NATIVE_IL;
	for (size_t i = 0; i < n_args; i++) {
		args[i] = type_of_place(n, i + 1);
		if (!args[i])
			return NATIVE_IL;
	}
	return construct(n, type_instance(n->types, type, args, n_args));
}

/* ---- Comparers ---------------------------------------------------------- */

static enum native_end comparer(struct native *n, const char *name,
				struct type *arg)
{
	_cleanup_str_ struct str full = {0};
	str_addf(&full, "System.Collections.Generic.%s`1", name);
	struct type *def = type_core(n->types, str_get(&full));
	struct type *type = def ? type_instance(n->types, def, &arg, 1) : NULL;
	uint64_t object = type ? vm_new(n->vm, type) : 0;
	// Their constructors do nothing.
	return object ? native_ret_ref(n, object) : no_memory(n);
}

/* Is @type an instance of the generic interface over itself? */
static bool is_of_itself(struct native *n, struct type *type, const char *name)
{
	bool fits = false;
	struct type *def = type_core(n->types, name);
	if (!def)
		return false;
	struct type *iface = type_instance(n->types, def, &type, 1);
	return !dbg_err_drop(type_assignable(n->types, type, iface, &fits)) &&
	       fits;
}

static enum native_end default_equality(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	if (!type)
		return NATIVE_IL;
	if (type->kind == TYPE_KIND_PRIM && type->elem == ELEM_U1) {
		struct type *bytes = type_core(
		    n->types,
		    "System.Collections.Generic.ByteEqualityComparer");
		uint64_t object = bytes ? vm_new(n->vm, bytes) : 0;
		if (object)
			return native_ret_ref(n, object);
	}
	if (type->special == TYPE_SPECIAL_NULLABLE)
		return comparer(n, "NullableEqualityComparer", type->args[0]);
	if (type->kind == TYPE_KIND_ENUM)
		return comparer(n, "EnumEqualityComparer", type);
	return comparer(n,
			is_of_itself(n, type, "System.IEquatable`1")
			    ? "GenericEqualityComparer"
			    : "ObjectEqualityComparer",
			type);
}

static enum native_end default_order(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	if (!type)
		return NATIVE_IL;
	if (type->special == TYPE_SPECIAL_NULLABLE)
		return comparer(n, "NullableComparer", type->args[0]);
	if (type->kind == TYPE_KIND_ENUM)
		return comparer(n, "EnumComparer", type);
	return comparer(n,
			is_of_itself(n, type, "System.IComparable`1")
			    ? "GenericComparer"
			    : "ObjectComparer",
			type);
}

/* ---- Enums -------------------------------------------------------------- */

struct enum_name {
	uint64_t value;
	const char *name;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct enum_name *x = a, *y = b;
	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The enumerators of @type, in @arena, by value as unsigned. */
static struct enum_name *enum_names(struct native *n, struct type *type,
				    struct arena *arena, size_t *ret_n)
{
	struct type_field *const *fields;
	size_t n_fields;
	type_fields(n->types, type, &fields, &n_fields);
	struct enum_name *names =
	    arena_calloc(arena, n_fields + 1, sizeof(*names));
	*ret_n = 0;
	for (size_t i = 0; i < n_fields && i < NAMES_MAX; i++) {
		enum elem elem;
		if (!fields[i]->is_const)
			continue;
		struct bytes b = type_field_constant(fields[i], &elem);
		struct enum_name *e = &names[(*ret_n)++];
		e->name = fields[i]->name;
		e->index = i;
		memcpy(&e->value, b.p, b.n < 8 ? b.n : 8);
	}
	qsort(names, *ret_n, sizeof(*names), by_value);
	return names;
}

static enum native_end set_names(struct native *n, uint64_t info,
				 const struct enum_name *names, size_t count)
{
	struct type *text = type_of_elem(n->types, ELEM_STRING);
	uint64_t array =
	    vm_new_array(n->vm, type_vector(n->types, text), count);
	if (!array)
		return no_memory(n);
	for (size_t i = 0; i < count; i++) {
		uint64_t object;
		enum native_end end = native_text(n, names[i].name, &object);
		if (end != NATIVE_DONE)
			return end;
		if (!vm_write(n->vm, array + VECTOR_DATA + 8 * i, &object, 8))
			return no_memory(n);
	}
	return native_set_field(n, info, "Names", &array, sizeof(array));
}

static enum native_end set_values(struct native *n, uint64_t info,
				  const struct enum_name *names, size_t count)
{
	struct type *storage = n->method->args[0];
	uint32_t size = native_size(n, storage);
	uint64_t array =
	    vm_new_array(n->vm, type_vector(n->types, storage), count);
	bool sequential = true;
	if (!array || size > 8)
		return no_memory(n);
	for (size_t i = 0; i < count; i++) {
		sequential &= names[i].value == i;
		if (!vm_write(n->vm, array + VECTOR_DATA + size * i,
			      &names[i].value, size))
			return no_memory(n);
	}
	enum native_end end =
	    native_set_field(n, info, "Values", &array, sizeof(array));
	return end == NATIVE_DONE
		   ? native_set_field(n, info, "ValuesAreSequentialFromZero",
				      &sequential, 1)
		   : end;
}

/* Enum.GetEnumInfo<TStorage>(RuntimeType, bool): what it would cache. */
static enum native_end enum_info(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	struct type *def = type_core(n->types, "System.Enum+EnumInfo`1");
	if (!type || !def || n->method->n_args != 1)
		return NATIVE_IL;
	struct type *of = type_instance(n->types, def, n->method->args, 1);
	uint64_t info = vm_new(n->vm, of);
	if (!info)
		return no_memory(n);
	struct arena *arena = arena_create();
	size_t count;
	struct enum_name *names = enum_names(n, type, arena, &count);
	bool flags = type_attribute(type, "System.FlagsAttribute", NULL);
	enum native_end end =
	    native_set_field(n, info, "HasFlagsAttribute", &flags, 1);
	if (end == NATIVE_DONE)
		end = set_values(n, info, names, count);
	if (end == NATIVE_DONE)
		end = set_names(n, info, names, count);
	arena_destroy(arena);
	return end == NATIVE_DONE ? native_ret_ref(n, info) : end;
}

/* InternalGetCorElementType of the enum itself. */
static enum native_end enum_elem(struct native *n)
{
	struct type *type = native_type_of(n, native_ref(n, 0));
	return type ? native_ret_i4(n, (int32_t)type->elem) : NATIVE_IL;
}

/* Box(MethodTable *, ref byte) */
static enum native_end box_of(struct native *n)
{
	struct type *type = type_of_handle(n->types, native_ref(n, 0));
	if (!type || !type->is_value)
		return NATIVE_IL;
	uint64_t object = vm_new(n->vm, type);
	uint8_t bytes[256];
	uint32_t size = native_size(n, type);
	if (!object)
		return no_memory(n);
	if (size > sizeof(bytes) ||
	    !vm_read(n->vm, native_ref(n, 1), bytes, size))
		return NATIVE_IL;
	vm_write(n->vm, object + 8, bytes, size);
	return native_ret_ref(n, object);
}

static enum native_end box_enum(struct native *n)
{
	struct type *type = type_of_place(n, 0);
	uint64_t object = type ? vm_new(n->vm, type) : 0;
	if (!object)
		return no_memory(n);
	enum native_end end =
	    native_put_arg(n, object + 8, 1, native_size(n, type));
	return end == NATIVE_DONE ? native_ret_ref(n, object) : end;
}

/* ---- Structs ------------------------------------------------------------ */

/* Are two of them equal just when their bytes are? */
static bool is_plain(struct native *n, struct type *type, uint32_t *ret)
{
	struct type_field *const *fields;
	size_t n_fields;
	uint32_t sum = 0, part;
	if (type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM) {
		*ret = native_size(n, type);
		return type->elem != ELEM_R4 && type->elem != ELEM_R8;
	}
	if (type->kind != TYPE_KIND_STRUCT ||
	    type_method_named(n->types, type, "Equals", 1))
		return false;
	type_fields(n->types, type, &fields, &n_fields);
	for (size_t i = 0; i < n_fields; i++) {
		struct type *of;
		if (fields[i]->is_static || fields[i]->is_const)
			continue;
		if (dbg_err_drop(type_field_type(n->types, fields[i], &of)) ||
		    !is_plain(n, of, &part))
			return false;
		sum += part;
	}
	*ret = native_size(n, type);
	return sum == *ret;
}

static enum native_end struct_equals(struct native *n)
{
	uint8_t a[STRUCT_MAX], b[STRUCT_MAX];
	uint64_t x = native_ref(n, 0), y = native_ref(n, 1);
	struct type *type = native_type_of(n, x);
	uint32_t size = 0;
	if (!type)
		return native_throw(n, "System.NullReferenceException");
	if (!y || native_type_of(n, y) != type)
		return native_ret_i4(n, 0);
	if (!is_plain(n, type, &size) || size > sizeof(a))
		return native_refuse(n, "fields are compared by reflection");
	enum native_end end = native_get(n, x + 8, a, size);
	if (end == NATIVE_DONE)
		end = native_get(n, y + 8, b, size);
	return end == NATIVE_DONE ? native_ret_i4(n, !memcmp(a, b, size)) : end;
}

static enum native_end struct_hash(struct native *n)
{
	return native_refuse(n, "the runtime hashes it by a secret number");
}

/* ---- Texts ----------------------------------------------------------- */

/* The string for literals of the same text; @add: the text itself, if none. */
static enum native_end interned(struct native *n, bool add)
{
	uint64_t text = native_ref(n, 0), is;
	if (!text)
		return native_throw(n, "System.ArgumentNullException");
	switch (literal_interned(n->vm, text, &is)) {
	case INTERNED_AT:
		return native_ret_ref(n, is);
	case INTERNED_NONE:
		if (add)
			literal_adopt(n->vm, text);
		return native_ret_ref(n, add ? text : 0);
	default:
		return native_refuse(n, "which texts are interned is in a "
					"table of the runtime's");
	}
}

static enum native_end intern(struct native *n)
{
	return interned(n, true);
}

static enum native_end is_interned(struct native *n)
{
	return interned(n, false);
}

/* ---- Texts of exceptions ------------------------------------------------ */

/* The resources with texts of the library that the method is of. */
static struct bytes texts_of(const struct native *n)
{
	const struct code_module *m = n->method->module;

	struct bytes texts = resources_find(&m->pe, &m->md, ".SR.resources");

	return texts.p
		   ? texts
		   : resources_find(&m->pe, &m->md,
				    "System.Private.CoreLib.Strings.resources");
}

/* Where they were removed (trimming), the names of the texts must do. */
static enum native_end uses_keys(struct native *n)
{
	bool keys = !texts_of(n).n;

	n->vm->named_texts |= keys;
	return native_ret_i4(n, keys);
}

/* SR.GetResourceString(key): no reader of resources has to be made for it. */
static enum native_end resource_text(struct native *n)
{
	uint64_t object = native_ref(n, 0);
	char key[KEY_MAX];

	if (!object || !native_ascii(n, object, key, sizeof(key)))
		return NATIVE_IL;
	struct bytes text = resources_string(texts_of(n), key);
	if (!text.p) {
		n->vm->named_texts = true;
		return native_ret_ref(n, object);
	}
	_cleanup_free_ char *copy = xstrndup((const char *)text.p, text.n);

	return native_ret_text(n, copy);
}

#define HANDLE "System.RuntimeTypeHandle"

static const struct il_native rows[] = {
    {"System.Activator", "CreateInstance", "()T", create_of},
    {"System.RuntimeType", "CreateInstanceDefaultCtor", "t(ii)o",
     create_instance},
    {"System.RuntimeType", "CreateInstanceOfT", "t()o", create_instance},
    {"System.RuntimeType", "GetUninitializedObject", "t()o", uninitialized},
    {"System.Runtime.CompilerServices.RuntimeHelpers", "GetUninitializedObject",
     "(o)o: System.Type", uninitialized},
    {HANDLE, "CreateInstanceForAnotherGenericParameter",
     "(oo)o: System.RuntimeType, System.RuntimeType", create_another},
    {HANDLE, "CreateInstanceForAnotherGenericParameter",
     "(ooo)o: System.RuntimeType, System.RuntimeType, System.RuntimeType",
     create_another},
    {"System.Collections.Generic.ComparerHelpers",
     "CreateDefaultEqualityComparer", "(o)o", default_equality},
    {"System.Collections.Generic.ComparerHelpers", "CreateDefaultComparer",
     "(o)o", default_order},
    {"System.Enum", "GetEnumInfo", "(oi)o", enum_info},
    {"System.Enum", "InternalGetCorElementType", "t()i", enum_elem},
    {"System.Enum", "InternalBoxEnum", "(ol)o (v1l)o", box_enum},
    {"System.Runtime.CompilerServices.RuntimeHelpers", "Box", "(pp)o (pv1)o",
     box_of},
    {"System.ValueType", "Equals", "t(o)i", struct_equals},
    {"System.ValueType", "GetHashCode", "t()i", struct_hash},
    {"System.SR", "UsingResourceKeys", "()i", uses_keys},
    {"System.SR", "GetResourceString", "(o)o", resource_text},
    {"System.String", "Intern", "(o)o", intern},
    {"System.String", "IsInterned", "(o)o", is_interned},
};

const struct native_table native_create = {rows,
					   sizeof(rows) / sizeof(rows[0])};
