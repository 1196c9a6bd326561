/*
 * Types recognised by name: the primitives, and types of the core library that
 * other files treat in a special way.
 */
#include <string.h>

#include "types/types_priv.h"

struct prim {
	const char *name; /* in metadata */
	const char *keyword;
	uint8_t elem;
	uint8_t size;
};

static const struct prim prims[] = {
    {"System.Void", "void", ELEM_VOID, 0},
    {"System.Boolean", "bool", ELEM_BOOLEAN, 1},
    {"System.Char", "char", ELEM_CHAR, 2},
    {"System.SByte", "sbyte", ELEM_I1, 1},
    {"System.Byte", "byte", ELEM_U1, 1},
    {"System.Int16", "short", ELEM_I2, 2},
    {"System.UInt16", "ushort", ELEM_U2, 2},
    {"System.Int32", "int", ELEM_I4, 4},
    {"System.UInt32", "uint", ELEM_U4, 4},
    {"System.Int64", "long", ELEM_I8, 8},
    {"System.UInt64", "ulong", ELEM_U8, 8},
    {"System.Single", "float", ELEM_R4, 4},
    {"System.Double", "double", ELEM_R8, 8},
    {"System.IntPtr", "nint", ELEM_I, 8},
    {"System.UIntPtr", "nuint", ELEM_U, 8},
    {"System.String", "string", ELEM_STRING, 8},
    {"System.Object", "object", ELEM_OBJECT, 8},
};

struct special {
	const char *name; /* in System */
	enum type_special special;
};

static const struct special specials[] = {
    {"String", TYPE_SPECIAL_STRING},
    {"Object", TYPE_SPECIAL_OBJECT},
    {"ValueType", TYPE_SPECIAL_VALUETYPE},
    {"Enum", TYPE_SPECIAL_ENUM},
    {"Array", TYPE_SPECIAL_ARRAY},
    {"Delegate", TYPE_SPECIAL_DELEGATE},
    {"MulticastDelegate", TYPE_SPECIAL_DELEGATE},
    {"Type", TYPE_SPECIAL_TYPE},
    {"TypedReference", TYPE_SPECIAL_TYPEDBYREF},
    {"Nullable`1", TYPE_SPECIAL_NULLABLE},
    {"ValueTuple", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`1", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`2", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`3", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`4", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`5", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`6", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`7", TYPE_SPECIAL_TUPLE},
    {"ValueTuple`8", TYPE_SPECIAL_TUPLE},
    {"Decimal", TYPE_SPECIAL_DECIMAL},
    {"DateTime", TYPE_SPECIAL_DATETIME},
    {"TimeSpan", TYPE_SPECIAL_TIMESPAN},
    {"DateOnly", TYPE_SPECIAL_DATEONLY},
    {"TimeOnly", TYPE_SPECIAL_TIMEONLY},
    {"DateTimeOffset", TYPE_SPECIAL_DATETIMEOFFSET},
    {"Guid", TYPE_SPECIAL_GUID},
    {"Half", TYPE_SPECIAL_HALF},
    {"Int128", TYPE_SPECIAL_INT128},
    {"UInt128", TYPE_SPECIAL_UINT128},
    {"Span`1", TYPE_SPECIAL_SPAN},
    {"ReadOnlySpan`1", TYPE_SPECIAL_SPAN},
    {"Memory`1", TYPE_SPECIAL_MEMORY},
    {"ReadOnlyMemory`1", TYPE_SPECIAL_MEMORY},
};

static const struct prim *prim_of(enum elem elem)
{
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (prims[i].elem == elem)
			return &prims[i];
	}
	return NULL;
}

static bool is_in_system(const struct md *md, uint32_t rid)
{
	return !md_enclosing(md, rid) &&
	       !strcmp(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAMESPACE),
		       "System");
}

enum type_special wellknown_special(const struct md *md, uint32_t rid)
{
	if (!is_in_system(md, rid))
		return TYPE_SPECIAL_NONE;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		if (!strcmp(specials[i].name, name))
			return specials[i].special;
	}
	return TYPE_SPECIAL_NONE;
}

enum elem wellknown_elem(const struct md *md, uint32_t rid)
{
	if (!is_in_system(md, rid))
		return ELEM_END;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (!strcmp(prims[i].name + strlen("System."), name))
			return prims[i].elem;
	}
	return ELEM_END;
}

uint32_t wellknown_elem_size(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->size : 0;
}

const char *wellknown_elem_name(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->name : NULL;
}

const char *wellknown_elem_keyword(enum elem elem)
{
	const struct prim *p = prim_of(elem);
	return p ? p->keyword : NULL;
}
