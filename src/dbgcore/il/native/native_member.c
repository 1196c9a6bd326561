/*
 * Natives: methods and fields as reflection has them. What stands for one is
 * the runtime's record of it (MethodDesc, FieldDesc) or an entry of the
 * machine's; the metadata tell what it is.
 */
#include <string.h>

#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

enum {
	NAME_MAX_BYTES = 1024,
	/* System.Reflection.CallingConventions */
	CALLING_STANDARD = 1,
	CALLING_HAS_THIS = 0x20,
};

/* ---- Which one ---------------------------------------------------------- */

/* Code that the program or an expression made has no metadata: NULL. */
static struct type_method *method_of(struct native *n, uint64_t handle,
				     struct type *exact)
{
	struct type_method *m = method_of_entry(n->vm, handle);
	if (!m &&
	    dbg_err_drop(type_method_of_desc(n->types, handle, exact, &m)))
		return NULL;
	return m && m->owner ? m : NULL;
}

static struct type_method *method_arg(struct native *n)
{
	return method_of(n, native_ref(n, 0), NULL);
}

static struct type_field *field_of(struct native *n, uint64_t handle)
{
	struct dac *d = types_dac(n->types);
	struct dac_field field;
	struct type_field *const *all;
	size_t n_all;
	struct type_field *f = field_of_entry(n->vm, handle);
	if (f || !d || !dac_field_at(d, handle, &field))
		return f;
	struct type *owner = type_of_mt(n->types, field.enclosing);
	if (!owner)
		return NULL;
	type_fields(n->types, owner, &all, &n_all);
	for (size_t k = 0; k < n_all; k++) {
		if (all[k]->token == field.token)
			return all[k];
	}
	return NULL;
}

static struct type_field *field_arg(struct native *n)
{
	return field_of(n, native_ref(n, 0));
}

/* ---- Names -------------------------------------------------------------- */

static enum native_end give_name(struct native *n, const char *name)
{
	size_t size = strlen(name) + 1;
	uint64_t place = size > NAME_MAX_BYTES ? 0 : vm_room(n->vm, size);
	if (!place || !vm_write(n->vm, place, name, size))
		return native_refuse(n, "too much memory is wanted");
	return native_ret_ref(n, place);
}

static enum native_end method_utf8(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? give_name(n, m->name) : NATIVE_IL;
}

static enum native_end method_name(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_text(n, m->name) : NATIVE_IL;
}

static enum native_end field_utf8(struct native *n)
{
	struct type_field *f = field_arg(n);
	return f ? give_name(n, f->name) : NATIVE_IL;
}

static enum native_end field_name(struct native *n)
{
	uint64_t handle = 0;
	if (native_get_field(n, native_ref(n, 0), "m_fieldHandle", &handle,
			     sizeof(handle)) != NATIVE_DONE)
		return NATIVE_IL;
	struct type_field *f = field_of(n, handle);
	return f ? native_ret_text(n, f->name) : NATIVE_IL;
}

/* RuntimeParameterInfo.get_Name, of a parameter that has a row of its own */
static enum native_end parameter_name(struct native *n)
{
	struct type_param p;
	uint64_t member = 0, handle = 0;
	int32_t position = 0;
	uint64_t object = native_ref(n, 0);
	if (native_get_field(n, object, "MemberImpl", &member, 8) !=
		NATIVE_DONE ||
	    native_get_field(n, object, "PositionImpl", &position, 4) !=
		NATIVE_DONE ||
	    native_get_field(n, member, "m_handle", &handle, 8) != NATIVE_DONE)
		return NATIVE_IL;
	struct type_method *m = method_of(n, handle, NULL);
	if (!m || position < 0)
		return NATIVE_IL;
	type_method_param(m, (uint32_t)position, &p);
	return p.token ? native_ret_text(n, p.name) : NATIVE_IL;
}

/* ---- Facts -------------------------------------------------------------- */

static enum native_end attributes(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, m->flags) : NATIVE_IL;
}

static enum native_end field_attributes(struct native *n)
{
	struct type_field *f = field_arg(n);
	return f ? native_ret_i4(n, f->flags) : NATIVE_IL;
}

static enum native_end has_arguments(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, m->n_args != 0) : NATIVE_IL;
}

static enum native_end is_definition(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, m->n_args &&
					m->args[0]->kind == TYPE_KIND_MVAR)
		 : NATIVE_IL;
}

/* (handle, ObjectHandleOnStack, BOOL): the arguments of a generic method */
static enum native_end arguments(struct native *n)
{
	struct type_method *m = method_arg(n);
	struct type *of = type_core(
	    n->types, native_i4(n, 2) ? "System.RuntimeType" : "System.Type");
	struct type *shared = type_core(n->types, "System.__Canon");
	uint64_t array =
	    m && of ? vm_new_array(n->vm, type_vector(n->types, of), m->n_args)
		    : 0;
	if (!array)
		return NATIVE_IL;
	for (size_t k = 0; k < m->n_args; k++) {
		uint64_t object = m->args[k]->open || m->args[k] == shared
				      ? 0
				      : vm_type_object(n->vm, m->args[k]);
		if (!object || !vm_write(n->vm, array + 16 + 8 * k, &object, 8))
			return NATIVE_IL;
	}
	return native_put(n, native_ref(n, 1), &array, sizeof(array));
}

/*
 * A search for attributes by CustomAttribute.IsDefined or GetCustomAttributes.
 */
struct search {
	struct type *attribute; /* or what derives from it */
	struct type *found;     /* the class of the last one that has it */
	size_t n_own, n_bases;  /* on the member, on what it inherits from */
};

/*
 * Attributes of types and members that the compiler makes flags of (II.21.2.1,
 * as CoreLib's PseudoCustomAttribute knows them), and their bases.
 */
static bool is_pseudo(struct native *n, struct type *attribute)
{
	static const char *const all[] = {
	    "System.Object",
	    "System.Attribute",
	    "System.SerializableAttribute",
	    "System.Runtime.InteropServices.ComImportAttribute",
	    "System.Runtime.InteropServices.DllImportAttribute",
	    "System.Runtime.InteropServices.PreserveSigAttribute",
	    "System.Runtime.InteropServices.MarshalAsAttribute",
	    "System.Runtime.InteropServices.FieldOffsetAttribute",
	    "System.NonSerializedAttribute",
	};
	_cleanup_str_ struct str name = {0};
	native_full_name(n->types, attribute, &name);
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (!strcmp(str_get(&name), all[k]))
			return true;
	}
	return false;
}

/*
 * Count the attributes on the definition @token. False: the class of one is
 * unknown.
 */
static bool attribute_count(struct native *n, struct search *s,
			    struct code_module *module, uint32_t token,
			    size_t *ret)
{
	const struct type_context context = {.module = module};
	uint32_t class = 0, rid = 0;
	struct type *type;
	bool derives;
	while ((rid = md_attribute_after(&module->md, token, rid, &class))) {
		if (dbg_err_drop(
			type_of_token(n->types, &context, class, &type)) ||
		    dbg_err_drop(
			type_derives(n->types, type, s->attribute, &derives)))
			return false;
		if (derives) {
			s->found = type;
			++*ret;
		}
	}
	return true;
}

/*
 * Count the attributes on @type, and if it @inherits on its base classes. An
 * array has none.
 */
static bool search_type(struct native *n, struct search *s, struct type *type,
			bool inherits)
{
	size_t *at = &s->n_own;
	if (type->inner)
		return true;
	while (type) {
		if (!type->token ||
		    !attribute_count(n, s, type->module, type->token, at))
			return false;
		if (!inherits)
			break;
		at = &s->n_bases;
		if (dbg_err_drop(type_parent(n->types, type, &type)))
			return false;
	}
	return true;
}

/*
 * RtFieldInfo, and MdFieldInfo and RuntimePropertyInfo, which know their rows:
 * none has attributes of a base.
 */
static bool search_member(struct native *n, struct search *s)
{
	uint64_t handle = 0, object = native_ref(n, 0);
	uint32_t row = 0;
	struct type *kind = native_type_of(n, object);
	const char *name = kind ? type_simple_name(kind) : "";
	if (!strcmp(name, "RtFieldInfo")) {
		struct type_field *f =
		    native_get_field(n, object, "m_fieldHandle", &handle, 8) ==
			    NATIVE_DONE
			? field_of(n, handle)
			: NULL;
		return f && f->token &&
		       attribute_count(n, s, f->owner->module, f->token,
				       &s->n_own);
	}
	bool literal = !strcmp(name, "MdFieldInfo");
	if ((!literal && strcmp(name, "RuntimePropertyInfo")) ||
	    native_get_field(n, object, "m_declaringType", &handle, 8) !=
		NATIVE_DONE ||
	    native_get_field(n, object, literal ? "m_tkField" : "m_token", &row,
			     4) != NATIVE_DONE)
		return false;
	struct type *owner = vm_type_of_object(n->vm, handle);
	return owner && owner->module &&
	       attribute_count(n, s, owner->module, row, &s->n_own);
}

static bool search_method(struct native *n, struct search *s)
{
	uint64_t handle = 0;
	bool inherits = native_i4(n, 2) != 0;
	if (native_get_field(n, native_ref(n, 0), "m_handle", &handle, 8) !=
	    NATIVE_DONE)
		return false;
	struct type_method *m = method_of(n, handle, NULL);
	if (!m || !m->token ||
	    ((m->flags & TYPE_METHOD_VIRTUAL) &&
	     !(m->flags & TYPE_METHOD_NEWSLOT) && inherits))
		return false;
	return attribute_count(n, s, m->module, m->token, &s->n_own);
}

/*
 * Search for the attribute whose type is argument 1 on the member or type that
 * is argument 0. False: not known here, as what a method that overrides
 * another may inherit by argument 2.
 */
static bool attribute_search(struct native *n, struct search *s)
{
	uint64_t object = native_ref(n, 0);
	struct type *type = vm_type_of_object(n->vm, object);
	struct type *kind = native_type_of(n, object);
	s->attribute = vm_type_of_object(n->vm, native_ref(n, 1));
	if (!s->attribute || s->attribute->open ||
	    (s->attribute->flags & TYPE_INTERFACE) ||
	    is_pseudo(n, s->attribute))
		return false;
	if (type)
		return search_type(n, s, type, native_i4(n, 2) != 0);
	if (kind && !strcmp(type_simple_name(kind), "RuntimeMethodInfo"))
		return search_method(n, s);
	return search_member(n, s);
}

/*
 * CustomAttribute.IsDefined(member, RuntimeType, bool inherit). Whether one of
 * a base is inherited its AttributeUsage tells, which is not read here.
 */
static enum native_end is_defined(struct native *n)
{
	struct search s = {0};
	if (!attribute_search(n, &s) || (!s.n_own && s.n_bases))
		return NATIVE_IL;
	return native_ret_i4(n, s.n_own != 0);
}

/* GetCustomAttributes, the same: none, or one that has no fields. */
static enum native_end attribute_list(struct native *n)
{
	struct search s = {0};
	const struct type_layout *layout;
	if (!attribute_search(n, &s) || s.n_bases || s.n_own > 1)
		return NATIVE_IL;
	if (s.found && (dbg_err_drop(type_layout(n->types, s.found, &layout)) ||
			layout->object))
		return NATIVE_IL;
	uint64_t array =
	    vm_new_array(n->vm, type_vector(n->types, s.attribute), s.n_own);
	uint64_t object = array && s.found ? vm_new(n->vm, s.found) : 0;
	if (!array || (s.found && !object))
		return native_refuse(n, "too much memory is wanted");
	enum native_end end =
	    s.found ? native_put(n, array + 16, &object, sizeof(object))
		    : NATIVE_DONE;
	return end == NATIVE_DONE ? native_ret_ref(n, array) : end;
}

static enum native_end is_constructor(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, !strcmp(m->name, ".ctor") ||
					!strcmp(m->name, ".cctor"))
		 : NATIVE_IL;
}

static enum native_end is_dynamic(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, 0) : NATIVE_IL;
}

static enum native_end token(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_i4(n, (int32_t)m->token) : NATIVE_IL;
}

static enum native_end declaring_type(struct native *n)
{
	struct type_method *m = method_arg(n);
	uint64_t object = m ? vm_type_object(n->vm, m->owner) : 0;
	return object ? native_ret_ref(n, object) : NATIVE_IL;
}

static enum native_end declaring_table(struct native *n)
{
	struct type_method *m = method_arg(n);
	return m ? native_ret_ref(n, type_handle(n->types, m->owner))
		 : NATIVE_IL;
}

static enum native_end field_owner(struct native *n)
{
	struct type_field *f = field_arg(n);
	uint64_t object = f ? vm_type_object(n->vm, f->owner) : 0;
	return object ? native_ret_ref(n, object) : NATIVE_IL;
}

static enum native_end field_table(struct native *n)
{
	struct type_field *f = field_arg(n);
	return f ? native_ret_ref(n, type_handle(n->types, f->owner))
		 : NATIVE_IL;
}

/* ---- Signatures --------------------------------------------------------- */

/* Set a field of the Signature: "_name", before .NET 10 "m_name". */
static enum native_end set(struct native *n, const char *name, const void *v,
			   size_t size)
{
	_cleanup_str_ struct str old = {0};
	struct type *type = native_type_of(n, native_ref(n, 0));
	struct type_field *f = NULL;
	str_addf(&old, "m%s", name);
	if (!type || dbg_err_drop(type_field_find(n->types, type, name, &f)))
		return NATIVE_IL;
	return native_set_field(n, native_ref(n, 0), f ? name : str_get(&old),
				v, size);
}

static enum native_end set_type(struct native *n, const char *name,
				struct type *type)
{
	uint64_t object = type->open ? 0 : vm_type_object(n->vm, type);
	return object ? set(n, name, &object, sizeof(object)) : NATIVE_IL;
}

static enum native_end set_parameters(struct native *n,
				      const struct type_sig *sig)
{
	struct type *of = type_core(n->types, "System.RuntimeType");
	uint64_t array =
	    of ? vm_new_array(n->vm, type_vector(n->types, of), sig->n_params)
	       : 0;
	if (!array)
		return NATIVE_IL;
	for (size_t k = 0; k < sig->n_params; k++) {
		uint64_t object = sig->params[k]->open
				      ? 0
				      : vm_type_object(n->vm, sig->params[k]);
		if (!object || !vm_write(n->vm, array + 16 + 8 * k, &object, 8))
			return NATIVE_IL;
	}
	return set(n, "_arguments", &array, sizeof(array));
}

/* Signature(IRuntimeMethodInfo, RuntimeType) */
static enum native_end method_signature(struct native *n)
{
	uint64_t handle = 0, declaring = native_ref(n, 2);
	const struct type_sig *sig;
	if (native_get_field(n, native_ref(n, 1), "m_handle", &handle,
			     sizeof(handle)) != NATIVE_DONE)
		return NATIVE_IL;
	struct type_method *m = method_of(
	    n, handle, declaring ? vm_type_of_object(n->vm, declaring) : NULL);
	if (!m || dbg_err_drop(type_method_sig(n->types, m, &sig)))
		return NATIVE_IL;
	int32_t convention =
	    CALLING_STANDARD | (sig->has_this ? CALLING_HAS_THIS : 0);
	enum native_end end = set_type(n, "_returnTypeORfieldType", sig->ret);
	if (end == NATIVE_DONE)
		end = set_parameters(n, sig);
	if (end == NATIVE_DONE)
		end = set(n, "_declaringType", &declaring, sizeof(declaring));
	if (end == NATIVE_DONE)
		end = set(n, "_pMethod", &handle, sizeof(handle));
	return end == NATIVE_DONE
		   ? set(n, "_managedCallingConventionAndArgIteratorFlags",
			 &convention, sizeof(convention))
		   : end;
}

/* Signature(IRuntimeFieldInfo, RuntimeType) */
static enum native_end field_signature(struct native *n)
{
	uint64_t handle = 0, declaring = native_ref(n, 2);
	struct type *type;
	if (native_get_field(n, native_ref(n, 1), "m_fieldHandle", &handle,
			     sizeof(handle)) != NATIVE_DONE)
		return NATIVE_IL;
	struct type_field *f = field_of(n, handle);
	if (!f || dbg_err_drop(type_field_type(n->types, f, &type)))
		return NATIVE_IL;
	enum native_end end = set_type(n, "_returnTypeORfieldType", type);
	return end == NATIVE_DONE
		   ? set(n, "_declaringType", &declaring, sizeof(declaring))
		   : end;
}

/* ---- Parameters --------------------------------------------------------- */

static enum native_end parameter_make(struct native *n, struct type_method *m,
				      int32_t position, uint64_t *ret)
{
	struct type_param p;
	struct type *type =
	    type_core(n->types, "System.Reflection.RuntimeParameterInfo");
	uint64_t member = native_ref(n, 1), signature = native_ref(n, 2);
	*ret = type ? vm_new(n->vm, type) : 0;
	if (!*ret)
		return native_refuse(n, "too much memory is wanted");
	type_method_param(m, (uint32_t)position, &p);
	int32_t flags = p.flags;
	enum native_end end =
	    native_set_field(n, *ret, "MemberImpl", &member, 8);
	if (end == NATIVE_DONE)
		end = native_set_field(n, *ret, "PositionImpl", &position, 4);
	if (end == NATIVE_DONE)
		end = native_set_field(n, *ret, "AttrsImpl", &flags, 4);
	if (end == NATIVE_DONE)
		end = native_set_field(n, *ret, "m_tkParamDef", &p.token, 4);
	return end == NATIVE_DONE
		   ? native_set_field(n, *ret, "m_signature", &signature, 8)
		   : end;
}

/* GetParameters(IRuntimeMethodInfo, MemberInfo, Signature) */
static enum native_end parameters(struct native *n)
{
	const struct type_sig *sig, *own;
	uint64_t handle = 0, object = 0;
	if (native_get_field(n, native_ref(n, 0), "m_handle", &handle, 8) !=
	    NATIVE_DONE)
		return NATIVE_IL;
	struct type_method *m = method_of(n, handle, NULL);
	if (!m || dbg_err_drop(type_method_sig(n->types, m, &sig)) ||
	    dbg_err_drop(type_method_sig(n->types, n->method, &own)))
		return NATIVE_IL;
	uint64_t array = vm_new_array(n->vm, own->ret, sig->n_params);
	if (!array)
		return native_refuse(n, "too much memory is wanted");
	for (size_t k = 0; k < sig->n_params; k++) {
		enum native_end end = parameter_make(n, m, (int32_t)k, &object);
		if (end == NATIVE_DONE)
			end = native_put(n, array + 16 + 8 * k, &object, 8);
		if (end != NATIVE_DONE)
			return end;
	}
	return native_ret_ref(n, array);
}

#define INTERNAL "System.RuntimeMethodHandleInternal"
#define METHOD "System.RuntimeMethodHandle"
#define ATTRIBUTE "System.Reflection.CustomAttribute"
#define OF_METHOD                                                              \
	"System.Reflection.RuntimeMethodInfo, System.RuntimeType, bool"
#define OF_FIELD "System.Reflection.RuntimeFieldInfo, System.RuntimeType"
#define OF_PROPERTY "System.Reflection.RuntimePropertyInfo, System.RuntimeType"
#define OF_TYPE "System.RuntimeType, System.RuntimeType, bool"
#define PARAMETER "System.Reflection.RuntimeParameterInfo"
#define FIELD "System.RuntimeFieldHandle"
#define FIELD_INTERNAL "System.RuntimeFieldHandleInternal"

static const struct il_native rows[] = {
    {METHOD, "GetUtf8NameInternal", "(v1)p: " INTERNAL, method_utf8},
    {METHOD, "_GetUtf8Name", "(v1)p: " INTERNAL, method_utf8},
    {METHOD, "GetName", "(v1)o: " INTERNAL, method_name},
    {METHOD, "GetAttributes", "(v1)i: " INTERNAL, attributes},
    {METHOD, "HasMethodInstantiation", "(v1)i: " INTERNAL, has_arguments},
    {METHOD, "IsGenericMethodDefinition", "(v1)i: " INTERNAL, is_definition},
    {METHOD, "GetMethodInstantiation", "(v1v1i).", arguments},
    {ATTRIBUTE, "IsDefined", "(ooi)i: " OF_METHOD, is_defined},
    {ATTRIBUTE, "GetCustomAttributes", "(ooi)o: " OF_METHOD, attribute_list},
    {ATTRIBUTE, "IsDefined", "(oo)i: " OF_FIELD, is_defined},
    {ATTRIBUTE, "GetCustomAttributes", "(oo)o: " OF_FIELD, attribute_list},
    {ATTRIBUTE, "IsDefined", "(oo)i: " OF_PROPERTY, is_defined},
    {ATTRIBUTE, "GetCustomAttributes", "(oo)o: " OF_PROPERTY, attribute_list},
    {ATTRIBUTE, "IsDefined", "(ooi)i: " OF_TYPE, is_defined},
    {ATTRIBUTE, "GetCustomAttributes", "(ooi)o: " OF_TYPE, attribute_list},
    {METHOD, "IsConstructor", "(v1)i: " INTERNAL, is_constructor},
    {METHOD, "IsDynamicMethod", "(v1)i: " INTERNAL, is_dynamic},
    {METHOD, "GetMethodDef", "(v1)i: " INTERNAL, token},
    {METHOD, "GetDeclaringType", "(v1)o: " INTERNAL, declaring_type},
    {METHOD, "GetMethodTable", "(v1)p: " INTERNAL, declaring_table},
    {FIELD, "GetUtf8NameInternal", "(v1)p: " FIELD_INTERNAL, field_utf8},
    {FIELD, "_GetUtf8Name", "(v1)p: " FIELD_INTERNAL, field_utf8},
    {FIELD, "GetName", "(o)o: System.Reflection.RtFieldInfo", field_name},
    {FIELD, "GetAttributes", "(v1)i: " FIELD_INTERNAL, field_attributes},
    {FIELD, "GetApproxDeclaringType", "(v1)o: " FIELD_INTERNAL, field_owner},
    {FIELD, "GetApproxDeclaringMethodTable", "(v1)p: " FIELD_INTERNAL,
     field_table},
    {PARAMETER, "get_Name", "t()o", parameter_name},
    {PARAMETER, "GetParameters",
     "(ooo)o: System.IRuntimeMethodInfo, System.Reflection.MemberInfo, "
     "System.Signature",
     parameters},
    {"System.Signature", ".ctor",
     "t(oo).: System.IRuntimeMethodInfo, System.RuntimeType", method_signature},
    {"System.Signature", ".ctor",
     "t(oo).: System.IRuntimeFieldInfo, System.RuntimeType", field_signature},
};

const struct native_table native_member = {rows,
					   sizeof(rows) / sizeof(rows[0])};
