/*
 * Natives: System.Type. The library asks the runtime for what a type is; here
 * the metadata answers, for types that the program has not loaded as well.
 */
#include "il/native/native_type.h"
#include "il/machine/native.h"
#include "il/machine/vm_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "dac/objectlayout.h"
#include "meta/assemblyname.h"

/* ---- Helpers shared by the tables of natives ----------------------------- */

/*
 * Fixed answers, strings as results, fields by name, constructors run by a
 * native, and type names as reflection writes them.
 */

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

/* ---- Text --------------------------------------------------------------- */

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

bool native_ascii(struct native *n, uint64_t string, char *ret, size_t size)
{
	uint32_t length;
	uint16_t unit;

	if (!vm_read(n->vm, string + STRING_LENGTH, &length, sizeof(length)) ||
	    length >= size)
		return false;
	for (uint32_t i = 0; i < length; i++) {
		if (!vm_read(n->vm, string + STRING_CHARS + 2 * (uint64_t)i,
			     &unit, sizeof(unit)) ||
		    !unit || unit > 0x7f)
			return false;
		ret[i] = (char)unit;
	}
	ret[length] = '\0';
	return true;
}

/* ---- Objects ------------------------------------------------------------ */

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

/* ---- Natives ------------------------------------------------------------- */

enum {
	CODE_OBJECT = 1,
	CODE_DECIMAL = 15,
	CODE_DATETIME = 16,
	CODE_STRING = 18,
	ARGS_MAX = 256,
};

static struct type *self(struct native *n)
{
	return vm_type_of_object(n->vm, native_ref(n, 0));
}

static struct type *second(struct native *n)
{
	uint64_t other = native_ref(n, 1);
	return other ? vm_type_of_object(n->vm, other) : NULL;
}

/* Is it a generic type definition? */
static bool is_definition(struct native *n, struct type *t)
{
	return t->n_args && type_generic(n->types, t) == t;
}

/* ---- Yes or no ----------------------------------------------------------- */

static bool is_true_prim(const struct type *t)
{
	return t->kind == TYPE_KIND_PRIM && t->elem != ELEM_VOID;
}

static bool is_by_ref_like(const struct type *t)
{
	return t->special == TYPE_SPECIAL_TYPEDBYREF ||
	       type_attribute(t,
			      "System.Runtime.CompilerServices."
			      "IsByRefLikeAttribute",
			      NULL);
}

/*
 * Answer a question about a type, named as the property or its method is
 * ("ValueType", "Enum").
 */
static bool type_answer(struct native *n, const char *what, struct type *t)
{
	if (!strcmp(what, "ValueType"))
		return t->is_value;
	if (!strcmp(what, "Enum"))
		return t->kind == TYPE_KIND_ENUM;
	if (!strcmp(what, "Primitive"))
		return is_true_prim(t);
	if (!strcmp(what, "Interface"))
		return t->kind == TYPE_KIND_INTERFACE;
	if (!strcmp(what, "Array"))
		return t->kind == TYPE_KIND_ARRAY;
	if (!strcmp(what, "SZArray"))
		return t->elem == ELEM_SZARRAY;
	if (!strcmp(what, "VariableBoundArray"))
		return t->elem == ELEM_ARRAY;
	if (!strcmp(what, "ByRef"))
		return t->kind == TYPE_KIND_BYREF;
	if (!strcmp(what, "Pointer"))
		return t->kind == TYPE_KIND_POINTER;
	if (!strcmp(what, "ByRefLike"))
		return is_by_ref_like(t);
	if (!strcmp(what, "Delegate"))
		return t->is_delegate;
	if (!strcmp(what, "GenericType"))
		return t->module && t->n_args;
	if (!strcmp(what, "GenericTypeDefinition"))
		return is_definition(n, t);
	if (!strcmp(what, "ConstructedGenericType"))
		return t->module && t->n_args && !is_definition(n, t);
	if (!strcmp(what, "NullableOfT"))
		return t->special == TYPE_SPECIAL_NULLABLE && !t->open;
	if (!strcmp(what, "GenericParameter"))
		return t->kind == TYPE_KIND_VAR || t->kind == TYPE_KIND_MVAR;
	return !strcmp(what, "TypeDefinition") && t->module &&
	       (!t->n_args || is_definition(n, t));
}

/*
 * Answer IsValueTypeImpl, get_IsEnum, get_IsActualEnum and the like, by the
 * word behind "Is" in the method's name.
 */
static enum native_end is(struct native *n)
{
	char what[64];
	struct type *t = self(n);
	const char *from = strstr(n->method->name, "Is");
	if (!t || !from)
		return NATIVE_IL;
	from += strlen("Is");
	from += str_starts(from, "Actual") ? strlen("Actual") : 0;
	size_t len = strlen(from);
	len -= str_ends(from, "Impl") ? strlen("Impl") : 0;
	if (len >= sizeof(what))
		return NATIVE_IL;
	memcpy(what, from, len);
	what[len] = 0;
	return native_ret_i4(n, type_answer(n, what, t));
}

/*
 * Is the type public, with all enclosing classes, element types and arguments?
 */
static bool is_visible(struct native *n, struct type *t, int depth)
{
	enum {
		VISIBILITY = 7,
		PUBLIC = 1,
		NESTED_PUBLIC = 2,
		DEPTH_MAX = 32,
	};
	while (t->inner)
		t = t->inner;
	if (depth > DEPTH_MAX || !t->module)
		return true;
	for (size_t k = 0; k < t->n_args; k++) {
		if (!is_visible(n, t->args[k], depth + 1))
			return false;
	}
	uint32_t visibility = t->flags & VISIBILITY;
	struct type *outer = type_enclosing(n->types, t);
	return outer ? visibility == NESTED_PUBLIC &&
			   is_visible(n, outer, depth + 1)
		     : visibility == PUBLIC;
}

static enum native_end get_visible(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, is_visible(n, t, 0)) : NATIVE_IL;
}

/* RuntimeTypeHandle.IsUnmanagedFunctionPointer: what is none is not. */
static enum native_end is_unmanaged(struct native *n)
{
	struct type *t = self(n);
	return t && t->kind != TYPE_KIND_FUNCTION ? native_ret_i4(n, 0)
						  : NATIVE_IL;
}

/* The load context tells; the core library has none. */
static enum native_end is_collectible(struct native *n)
{
	uint8_t collectible = 0;
	struct type *t = self(n);
	struct dac *d = types_dac(n->types);
	while (t && t->inner)
		t = t->inner;
	if (!t || !t->module || t->n_args || !d)
		return NATIVE_IL;
	uint64_t context = dac_module_context(d, t->module->addr);
	if (context &&
	    native_get_field(n, context, "_isCollectible", &collectible,
			     sizeof(collectible)) != NATIVE_DONE)
		return NATIVE_IL;
	return native_ret_i4(n, collectible != 0);
}

static enum native_end is_variable(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, type_answer(n, "GenericParameter", t))
		 : NATIVE_IL;
}

static enum native_end is_interface(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, t->kind == TYPE_KIND_INTERFACE) : NATIVE_IL;
}

static enum native_end contains_parameters(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, t->open) : NATIVE_IL;
}

static enum native_end has_element(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, t->inner != NULL) : NATIVE_IL;
}

static enum native_end assignable(struct native *n, struct type *from,
				  struct type *to)
{
	bool fits = false;
	if (!from || !to)
		return native_ret_i4(n, 0);
	// Reflection means places: a nullable one takes nothing else.
	if (to->special == TYPE_SPECIAL_NULLABLE)
		return native_ret_i4(n, from == to);
	struct dbg_error *err = type_assignable(n->types, from, to, &fits);
	return err ? native_fail(n, err) : native_ret_i4(n, fits);
}

static enum native_end is_assignable_from(struct native *n)
{
	return assignable(n, second(n), self(n));
}

static enum native_end is_assignable_to(struct native *n)
{
	return assignable(n, self(n), second(n));
}

static enum native_end is_instance(struct native *n)
{
	uint64_t object = native_ref(n, 1);
	return assignable(n, object ? native_type_of(n, object) : NULL,
			  self(n));
}

static enum native_end is_subclass(struct native *n)
{
	bool derives = false;
	struct type *t = self(n), *base = second(n);
	if (!t || !base || t == base)
		return native_ret_i4(n, 0);
	struct dbg_error *err = type_derives(n->types, t, base, &derives);
	return err ? native_fail(n, err) : native_ret_i4(n, derives);
}

/* ---- Numbers ------------------------------------------------------------ */

static enum native_end attributes(struct native *n)
{
	enum {
		OF_ARRAY = 0x2101, /* public, sealed, serializable */
		PUBLIC = 1,
	};
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	if (t->kind == TYPE_KIND_ARRAY)
		return native_ret_i4(n, OF_ARRAY);
	return native_ret_i4(n, t->module ? (int32_t)t->flags : PUBLIC);
}

static enum native_end rank(struct native *n)
{
	struct type *t = self(n);
	if (!t || t->kind != TYPE_KIND_ARRAY)
		return native_throw(n, "System.ArgumentException");
	return native_ret_i4(n, (int32_t)t->rank);
}

/* System.TypeCode. */
static int32_t type_code(struct native *n, const struct type *t)
{
	static const uint8_t codes[] = {
	    [ELEM_BOOLEAN] = 3, [ELEM_CHAR] = 4, [ELEM_I1] = 5,  [ELEM_U1] = 6,
	    [ELEM_I2] = 7,      [ELEM_U2] = 8,   [ELEM_I4] = 9,  [ELEM_U4] = 10,
	    [ELEM_I8] = 11,     [ELEM_U8] = 12,  [ELEM_R4] = 13, [ELEM_R8] = 14,
	};
	if (t->special == TYPE_SPECIAL_STRING)
		return CODE_STRING;
	if (t->special == TYPE_SPECIAL_DECIMAL)
		return CODE_DECIMAL;
	if (t == type_core(n->types, "System.DateTime"))
		return CODE_DATETIME;
	bool simple = t->kind == TYPE_KIND_PRIM || t->kind == TYPE_KIND_ENUM;
	if (simple && t->elem < sizeof(codes) && codes[t->elem])
		return codes[t->elem];
	return CODE_OBJECT;
}

static enum native_end get_type_code(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, type_code(n, t)) : NATIVE_IL;
}

/* A made type has the table of a definition, but no row. */
static enum native_end token(struct native *n)
{
	enum {
		NO_ROW = 0x02000000,
	};
	struct type *t = self(n);
	if (!t || t->kind == TYPE_KIND_VAR || t->kind == TYPE_KIND_MVAR)
		return NATIVE_IL;
	return native_ret_i4(n, t->token ? (int32_t)t->token : NO_ROW);
}

/* CorElementType of an enum is its integer's, of others what signatures say. */
static int32_t cor_element(const struct type *t)
{
	return t->kind == TYPE_KIND_INTERFACE ? ELEM_CLASS : (int32_t)t->elem;
}

static enum native_end element_type_code(struct native *n)
{
	struct type *t = self(n);
	return t ? native_ret_i4(n, cor_element(t)) : NATIVE_IL;
}

/* ---- Other types -------------------------------------------------------- */

static enum native_end give(struct native *n, struct type *t)
{
	uint64_t object = t ? vm_type_object(n->vm, t) : 0;
	if (t && !object)
		return native_refuse(n, "too much memory is wanted");
	return native_ret_ref(n, object);
}

static enum native_end element(struct native *n)
{
	struct type *t = self(n);
	return t ? give(n, t->inner) : NATIVE_IL;
}

static enum native_end base_type(struct native *n)
{
	struct type *t = self(n), *parent;
	if (!t)
		return NATIVE_IL;
	struct dbg_error *err = type_parent(n->types, t, &parent);
	return err ? native_fail(n, err) : give(n, parent);
}

static enum native_end declaring_type(struct native *n)
{
	struct type *t = self(n);
	return t ? give(n, type_enclosing(n->types, t)) : NATIVE_IL;
}

static enum native_end definition(struct native *n)
{
	struct type *t = self(n);
	if (!t || !t->module || !t->n_args)
		return native_throw(n, "System.InvalidOperationException");
	return give(n, type_generic(n->types, t));
}

static enum native_end give_list(struct native *n, struct type *const *types,
				 size_t n_types)
{
	struct type *of = type_core(n->types, "System.Type");
	uint64_t array =
	    of ? vm_new_array(n->vm, type_vector(n->types, of), n_types) : 0;
	if (!array)
		return native_refuse(n, "too much memory is wanted");
	for (size_t i = 0; i < n_types; i++) {
		uint64_t object = vm_type_object(n->vm, types[i]);
		if (!object || !vm_write(n->vm, array + 16 + 8 * i, &object, 8))
			return native_refuse(n, "too much memory is wanted");
	}
	return native_ret_ref(n, array);
}

static enum native_end type_arguments(struct native *n)
{
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	return give_list(n, t->args, t->module ? t->n_args : 0);
}

/* GenericTypeArguments: of a definition none. */
static enum native_end given_arguments(struct native *n)
{
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	bool given = t->module && !is_definition(n, t);
	return give_list(n, t->args, given ? t->n_args : 0);
}

static enum native_end interfaces(struct native *n)
{
	struct type *const *all;
	struct type *t = self(n);
	size_t n_all;
	if (!t)
		return NATIVE_IL;
	struct dbg_error *err = type_interfaces(n->types, t, &all, &n_all);
	return err ? native_fail(n, err) : give_list(n, all, n_all);
}

static enum native_end make_generic(struct native *n)
{
	struct type *args[ARGS_MAX], *t = self(n);
	uint64_t array = native_ref(n, 1), object;
	uint32_t count;
	enum native_end end = native_get(n, array + 8, &count, sizeof(count));
	if (end != NATIVE_DONE)
		return end;
	if (!t || !is_definition(n, t) || count != t->n_args)
		return native_throw(n, "System.ArgumentException");
	for (uint32_t i = 0; i < count; i++) {
		end = native_get(n, array + 16 + 8 * i, &object, 8);
		if (end != NATIVE_DONE)
			return end;
		args[i] = vm_type_of_object(n->vm, object);
		if (!args[i])
			return native_throw(n, "System.ArgumentException");
	}
	return give(n, type_instance(n->types, t, args, count));
}

static enum native_end make_array(struct native *n)
{
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	return give(n, n->n_args == 1 ? type_vector(n->types, t)
				      : type_array(n->types, t,
						   (uint32_t)native_i4(n, 1)));
}

static enum native_end underlying(struct native *n)
{
	struct type *t = self(n);
	if (!t || t->kind != TYPE_KIND_ENUM)
		return native_throw(n, "System.ArgumentException");
	return give(n, type_of_elem(n->types, t->elem));
}

/* ---- Names
 * -------------------------------------------------------------------- */

static enum native_end name(struct native *n)
{
	_cleanup_str_ struct str text = {0};
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	native_simple_name(n->types, t, &text);
	return native_ret_text(n, str_get(&text));
}

static enum native_end full_name(struct native *n)
{
	_cleanup_str_ struct str text = {0};
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	if (t->open && !is_definition(n, t))
		return native_ret_ref(n, 0);
	// of a definition without its parameters
	if (is_definition(n, t))
		native_full_name(n->types, t, &text);
	else
		native_qualified_name(n->types, t, &text);
	return native_ret_text(n, str_get(&text));
}

static enum native_end assembly_qualified_name(struct native *n)
{
	_cleanup_str_ struct str text = {0};
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	if (t->open && !is_definition(n, t))
		return native_ret_ref(n, 0);
	if (is_definition(n, t))
		return NATIVE_IL;
	native_assembly_qualified_name(n->types, t, &text);
	return native_ret_text(n, str_get(&text));
}

static enum native_end name_space(struct native *n)
{
	struct type *t = self(n);
	while (t && t->inner)
		t = t->inner;
	if (!t)
		return NATIVE_IL;
	const char *space = type_namespace(t);
	return *space ? native_ret_text(n, space) : native_ret_ref(n, 0);
}

static enum native_end to_string(struct native *n)
{
	_cleanup_str_ struct str text = {0};
	struct type *t = self(n);
	if (!t)
		return NATIVE_IL;
	native_display_name(n->types, t, &text);
	return native_ret_text(n, str_get(&text));
}

/* RuntimeTypeCache(RuntimeType): whether it is <Module> a module is asked. */
static enum native_end make_cache(struct native *n)
{
	enum {
		GLOBAL = 0x02000001,
	};
	uint64_t object = native_ref(n, 1);
	struct type *t = vm_type_of_object(n->vm, object);
	if (!t)
		return NATIVE_IL;
	uint8_t global = !t->n_args && t->token == GLOBAL;
	enum native_end end = native_set_field(
	    n, native_ref(n, 0), "m_runtimeType", &object, sizeof(object));
	return end == NATIVE_DONE
		   ? native_set_field(n, native_ref(n, 0), "m_isGlobal",
				      &global, sizeof(global))
		   : end;
}

#define RUNTIME "System.RuntimeType"
#define TYPE "System.Type"
#define HANDLE "System.RuntimeTypeHandle"

static const struct il_native rows[] = {
    {RUNTIME, "IsValueTypeImpl", "t()i", is},
    {RUNTIME, "get_IsActualValueType", "t()i", is},
    {RUNTIME, "get_IsEnum", "t()i", is},
    {RUNTIME, "get_IsActualEnum", "t()i", is},
    {RUNTIME, "get_IsInterface", "t()i", is},
    {RUNTIME, "get_IsActualInterface", "t()i", is},
    {RUNTIME, "IsPrimitiveImpl", "t()i", is},
    {RUNTIME, "IsArrayImpl", "t()i", is},
    {RUNTIME, "IsByRefImpl", "t()i", is},
    {RUNTIME, "IsPointerImpl", "t()i", is},
    {RUNTIME, "get_IsSZArray", "t()i", is},
    {RUNTIME, "get_IsByRefLike", "t()i", is},
    {RUNTIME, "IsDelegate", "t()i", is},
    {RUNTIME, "get_IsGenericType", "t()i", is},
    {RUNTIME, "get_IsGenericTypeDefinition", "t()i", is},
    {RUNTIME, "get_IsConstructedGenericType", "t()i", is},
    {RUNTIME, "get_IsNullableOfT", "t()i", is},
    {RUNTIME, "get_IsGenericParameter", "t()i", is},
    {RUNTIME, "get_IsTypeDefinition", "t()i", is},
    {TYPE, "get_IsInterface", "t()i", is},
    {HANDLE, "IsInterface", "(o)i", is_interface},
    {TYPE, "get_IsVisible", "t()i", get_visible},
    {RUNTIME, "get_IsCollectible", "t()i", is_collectible},
    {HANDLE, "IsUnmanagedFunctionPointer", "(o)i", is_unmanaged},
    {RUNTIME, "get_ContainsGenericParameters", "t()i", contains_parameters},
    {RUNTIME, "HasElementTypeImpl", "t()i", has_element},
    {RUNTIME, "IsAssignableFrom", "t(o)i", is_assignable_from},
    {TYPE, "IsAssignableTo", "t(o)i", is_assignable_to},
    {RUNTIME, "IsInstanceOfType", "t(o)i", is_instance},
    {RUNTIME, "IsSubclassOf", "t(o)i", is_subclass},
    {RUNTIME, "GetAttributeFlagsImpl", "t()i", attributes},
    {HANDLE, "GetToken", "(o)i: System.RuntimeType", token},
    {RUNTIME, "GetArrayRank", "t()i", rank},
    {RUNTIME, "GetTypeCodeImpl", "t()i", get_type_code},
    {RUNTIME, "GetCorElementType", "t()i", element_type_code},
    {RUNTIME, "GetUnderlyingCorElementType", "t()i", element_type_code},
    {HANDLE, "IsGenericVariable", "(o)i", is_variable},
    {HANDLE, "GetCorElementType", "(o)i", element_type_code},
    {"System.Enum", "InternalGetCorElementType", "(o)i: System.RuntimeType",
     element_type_code},
    {"System.Enum", "InternalGetUnderlyingType", "(o)o", underlying},
    {RUNTIME, "GetEnumUnderlyingType", "t()o", underlying},
    {RUNTIME, "GetElementType", "t()o", element},
    {RUNTIME, "get_BaseType", "t()o", base_type},
    {RUNTIME, "GetBaseType", "t()o", base_type},
    {RUNTIME, "get_DeclaringType", "t()o", declaring_type},
    {RUNTIME, "GetGenericTypeDefinition", "t()o", definition},
    {RUNTIME, "GetGenericArguments", "t()o", type_arguments},
    {RUNTIME, "GetGenericArgumentsInternal", "t()o", given_arguments},
    {TYPE, "get_GenericTypeArguments", "t()o", given_arguments},
    {RUNTIME, "GetInterfaces", "t()o", interfaces},
    {RUNTIME, "MakeGenericType", "t(o)o", make_generic},
    {RUNTIME, "MakeArrayType", "t()o t(i)o", make_array},
    {RUNTIME, "get_Name", "t()o", name},
    {RUNTIME, "get_FullName", "t()o", full_name},
    {RUNTIME, "get_AssemblyQualifiedName", "t()o", assembly_qualified_name},
    {RUNTIME, "get_Namespace", "t()o", name_space},
    {RUNTIME, "ToString", "t()o", to_string},
    {RUNTIME "+RuntimeTypeCache", ".ctor", "t(o).: System.RuntimeType",
     make_cache},
};

const struct native_table native_type = {rows, sizeof(rows) / sizeof(rows[0])};
