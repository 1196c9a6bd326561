/*
 * Types known by name: the primitives, and those of the core library that
 * others treat in a special way.
 */
#include "value/value_priv.h"

#include <string.h>

enum {
	TYPEDEF_NAME = 1,
	TYPEDEF_NAMESPACE = 2,
	TYPEDEF_EXTENDS = 3
};
enum {
	FIELD_FLAGS = 0,
	FIELD_SIGNATURE = 2,
	FIELD_STATIC_FLAG = 0x10
};

struct prim {
	const char *name; /* in System */
	const char *keyword;
	uint8_t elem;
	uint8_t size;
};

static const struct prim prims[] = {
    {"Void", "void", ELEM_VOID, 0},       {"Boolean", "bool", ELEM_BOOLEAN, 1},
    {"Char", "char", ELEM_CHAR, 2},       {"SByte", "sbyte", ELEM_I1, 1},
    {"Byte", "byte", ELEM_U1, 1},         {"Int16", "short", ELEM_I2, 2},
    {"UInt16", "ushort", ELEM_U2, 2},     {"Int32", "int", ELEM_I4, 4},
    {"UInt32", "uint", ELEM_U4, 4},       {"Int64", "long", ELEM_I8, 8},
    {"UInt64", "ulong", ELEM_U8, 8},      {"Single", "float", ELEM_R4, 4},
    {"Double", "double", ELEM_R8, 8},     {"IntPtr", "nint", ELEM_I, 8},
    {"UIntPtr", "nuint", ELEM_U, 8},      {"String", "string", ELEM_STRING, 8},
    {"Object", "object", ELEM_OBJECT, 8},
};

struct special {
	const char *name; /* in System */
	enum type_special special;
};

static const struct special specials[] = {
    {"String", SPECIAL_STRING},
    {"Object", SPECIAL_OBJECT},
    {"Nullable`1", SPECIAL_NULLABLE},
    {"ValueTuple", SPECIAL_TUPLE},
    {"ValueTuple`1", SPECIAL_TUPLE},
    {"ValueTuple`2", SPECIAL_TUPLE},
    {"ValueTuple`3", SPECIAL_TUPLE},
    {"ValueTuple`4", SPECIAL_TUPLE},
    {"ValueTuple`5", SPECIAL_TUPLE},
    {"ValueTuple`6", SPECIAL_TUPLE},
    {"ValueTuple`7", SPECIAL_TUPLE},
    {"ValueTuple`8", SPECIAL_TUPLE},
    {"Decimal", SPECIAL_DECIMAL},
    {"DateTime", SPECIAL_DATETIME},
    {"TimeSpan", SPECIAL_TIMESPAN},
    {"DateOnly", SPECIAL_DATEONLY},
    {"TimeOnly", SPECIAL_TIMEONLY},
    {"DateTimeOffset", SPECIAL_DATETIMEOFFSET},
    {"Guid", SPECIAL_GUID},
    {"Half", SPECIAL_HALF},
    {"Int128", SPECIAL_INT128},
    {"UInt128", SPECIAL_UINT128},
    {"Span`1", SPECIAL_SPAN},
    {"ReadOnlySpan`1", SPECIAL_SPAN},
    {"Memory`1", SPECIAL_MEMORY},
    {"ReadOnlyMemory`1", SPECIAL_MEMORY},
};

static const struct prim *prim_of(enum elem elem)
{
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (prims[i].elem == elem)
			return &prims[i];
	}
	return NULL;
}

static bool in_system(const struct md *md, uint32_t rid)
{
	return !strcmp(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAMESPACE),
		       "System");
}

enum type_special wellknown_special(const struct md *md, uint32_t rid)
{
	if (!in_system(md, rid))
		return SPECIAL_NONE;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
		if (!strcmp(specials[i].name, name))
			return specials[i].special;
	}
	return SPECIAL_NONE;
}

enum elem wellknown_elem(const struct md *md, uint32_t rid)
{
	if (!in_system(md, rid))
		return ELEM_END;
	const char *name = md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME);
	for (size_t i = 0; i < sizeof(prims) / sizeof(prims[0]); i++) {
		if (!strcmp(prims[i].name, name))
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
	return p ? p->keyword : "?";
}

enum elem wellknown_enum_elem(const struct md *md, uint32_t rid)
{
	uint32_t first, end;
	md_type_fields(md, rid, &first, &end);
	for (uint32_t f = first; f < end; f++) {
		if (md_col(md, MD_FIELD, f, FIELD_FLAGS) & FIELD_STATIC_FLAG)
			continue;
		struct bytes sig =
		    md_col_blob(md, MD_FIELD, f, FIELD_SIGNATURE);
		// FieldSig (II.23.2.4): 0x06, then the type; an enum's field
		// has no modifiers (II.14.3).
		if (sig.n >= 2 && sig.p[1] >= ELEM_BOOLEAN &&
		    sig.p[1] <= ELEM_U8)
			return sig.p[1];
		if (sig.n >= 2 && (sig.p[1] == ELEM_I || sig.p[1] == ELEM_U))
			return sig.p[1];
	}
	return ELEM_I4;
}

bool wellknown_extends(const struct md *md, uint32_t rid, const char *name)
{
	uint32_t token =
	    md_typedef_or_ref(md_col(md, MD_TYPEDEF, rid, TYPEDEF_EXTENDS));
	uint32_t table = MD_TOKEN_TABLE(token);
	if (table != MD_TYPEREF && table != MD_TYPEDEF)
		return false;
	// Name and Namespace are columns 1 and 2 of both tables.
	uint32_t base = MD_TOKEN_RID(token);
	return !strcmp(md_col_string(md, table, base, 1), name) &&
	       !strcmp(md_col_string(md, table, base, 2), "System");
}
