/*
 * The metadata tables' columns (ECMA-335 II.22 and the portable PDB
 * specification) as data: md.c computes all row sizes and offsets from this,
 * and coded indexes are decoded and encoded here.
 */
#include "meta/md_priv.h"

#define CODED(kind) (MD_CODED + (kind))
#define NONE MD_NO_TABLE

const struct md_coded md_coded[MD_N_CODED] = {
    [MD_TYPEDEF_OR_REF] = {2, 3, {MD_TYPEDEF, MD_TYPEREF, MD_TYPESPEC}},
    [MD_HAS_CONSTANT] = {2, 3, {MD_FIELD, MD_PARAM, MD_PROPERTY}},
    [MD_HAS_CUSTOM_ATTRIBUTE] =
	{5,
	 22,
	 {MD_METHODDEF,        MD_FIELD,        MD_TYPEREF,
	  MD_TYPEDEF,          MD_PARAM,        MD_INTERFACEIMPL,
	  MD_MEMBERREF,        MD_MODULE,       MD_DECLSECURITY,
	  MD_PROPERTY,         MD_EVENT,        MD_STANDALONESIG,
	  MD_MODULEREF,        MD_TYPESPEC,     MD_ASSEMBLY,
	  MD_ASSEMBLYREF,      MD_FILE,         MD_EXPORTEDTYPE,
	  MD_MANIFESTRESOURCE, MD_GENERICPARAM, MD_GENERICPARAMCONSTRAINT,
	  MD_METHODSPEC}},
    [MD_HAS_FIELD_MARSHAL] = {1, 2, {MD_FIELD, MD_PARAM}},
    [MD_HAS_DECL_SECURITY] = {2, 3, {MD_TYPEDEF, MD_METHODDEF, MD_ASSEMBLY}},
    [MD_MEMBERREF_PARENT] = {3,
			     5,
			     {MD_TYPEDEF, MD_TYPEREF, MD_MODULEREF,
			      MD_METHODDEF, MD_TYPESPEC}},
    [MD_HAS_SEMANTICS] = {1, 2, {MD_EVENT, MD_PROPERTY}},
    [MD_METHODDEF_OR_REF] = {1, 2, {MD_METHODDEF, MD_MEMBERREF}},
    [MD_MEMBER_FORWARDED] = {1, 2, {MD_FIELD, MD_METHODDEF}},
    [MD_IMPLEMENTATION] = {2, 3, {MD_FILE, MD_ASSEMBLYREF, MD_EXPORTEDTYPE}},
    [MD_CUSTOM_ATTRIBUTE_TYPE] = {3,
				  4,
				  {NONE, NONE, MD_METHODDEF, MD_MEMBERREF}},
    [MD_RESOLUTION_SCOPE] =
	{2, 4, {MD_MODULE, MD_MODULEREF, MD_ASSEMBLYREF, MD_TYPEREF}},
    [MD_TYPE_OR_METHODDEF] = {1, 2, {MD_TYPEDEF, MD_METHODDEF}},
    [MD_HAS_CUSTOM_DEBUG_INFORMATION] =
	{5,
	 27,
	 {MD_METHODDEF,        MD_FIELD,         MD_TYPEREF,
	  MD_TYPEDEF,          MD_PARAM,         MD_INTERFACEIMPL,
	  MD_MEMBERREF,        MD_MODULE,        MD_DECLSECURITY,
	  MD_PROPERTY,         MD_EVENT,         MD_STANDALONESIG,
	  MD_MODULEREF,        MD_TYPESPEC,      MD_ASSEMBLY,
	  MD_ASSEMBLYREF,      MD_FILE,          MD_EXPORTEDTYPE,
	  MD_MANIFESTRESOURCE, MD_GENERICPARAM,  MD_GENERICPARAMCONSTRAINT,
	  MD_METHODSPEC,       MD_DOCUMENT,      MD_LOCALSCOPE,
	  MD_LOCALVARIABLE,    MD_LOCALCONSTANT, MD_IMPORTSCOPE}},
};

#define S MD_STRING
#define G MD_GUID
#define B MD_BLOB
#define E MD_END

// clang-format off
const uint8_t md_schema[MD_N_TABLES][MD_MAX_COLUMNS] = {
	[MD_MODULE] = { MD_U16, S, G, G, G, E },
	[MD_TYPEREF] = { CODED(MD_RESOLUTION_SCOPE), S, S, E },
	[MD_TYPEDEF] = { MD_U32, S, S, CODED(MD_TYPEDEF_OR_REF), MD_FIELD,
			 MD_METHODDEF, E },
	[MD_FIELDPTR] = { MD_FIELD, E },
	[MD_FIELD] = { MD_U16, S, B, E },
	[MD_METHODPTR] = { MD_METHODDEF, E },
	[MD_METHODDEF] = { MD_U32, MD_U16, MD_U16, S, B, MD_PARAM, E },
	[MD_PARAMPTR] = { MD_PARAM, E },
	[MD_PARAM] = { MD_U16, MD_U16, S, E },
	[MD_INTERFACEIMPL] = { MD_TYPEDEF, CODED(MD_TYPEDEF_OR_REF), E },
	[MD_MEMBERREF] = { CODED(MD_MEMBERREF_PARENT), S, B, E },
	[MD_CONSTANT] = { MD_U16, CODED(MD_HAS_CONSTANT), B, E },
	[MD_CUSTOMATTRIBUTE] = { CODED(MD_HAS_CUSTOM_ATTRIBUTE),
				 CODED(MD_CUSTOM_ATTRIBUTE_TYPE), B, E },
	[MD_FIELDMARSHAL] = { CODED(MD_HAS_FIELD_MARSHAL), B, E },
	[MD_DECLSECURITY] = { MD_U16, CODED(MD_HAS_DECL_SECURITY), B, E },
	[MD_CLASSLAYOUT] = { MD_U16, MD_U32, MD_TYPEDEF, E },
	[MD_FIELDLAYOUT] = { MD_U32, MD_FIELD, E },
	[MD_STANDALONESIG] = { B, E },
	[MD_EVENTMAP] = { MD_TYPEDEF, MD_EVENT, E },
	[MD_EVENTPTR] = { MD_EVENT, E },
	[MD_EVENT] = { MD_U16, S, CODED(MD_TYPEDEF_OR_REF), E },
	[MD_PROPERTYMAP] = { MD_TYPEDEF, MD_PROPERTY, E },
	[MD_PROPERTYPTR] = { MD_PROPERTY, E },
	[MD_PROPERTY] = { MD_U16, S, B, E },
	[MD_METHODSEMANTICS] = { MD_U16, MD_METHODDEF,
				 CODED(MD_HAS_SEMANTICS), E },
	[MD_METHODIMPL] = { MD_TYPEDEF, CODED(MD_METHODDEF_OR_REF),
			    CODED(MD_METHODDEF_OR_REF), E },
	[MD_MODULEREF] = { S, E },
	[MD_TYPESPEC] = { B, E },
	[MD_IMPLMAP] = { MD_U16, CODED(MD_MEMBER_FORWARDED), S, MD_MODULEREF,
			 E },
	[MD_FIELDRVA] = { MD_U32, MD_FIELD, E },
	[MD_ENCLOG] = { MD_U32, MD_U32, E },
	[MD_ENCMAP] = { MD_U32, E },
	[MD_ASSEMBLY] = { MD_U32, MD_U16, MD_U16, MD_U16, MD_U16, MD_U32, B,
			  S, S, E },
	[MD_ASSEMBLYPROCESSOR] = { MD_U32, E },
	[MD_ASSEMBLYOS] = { MD_U32, MD_U32, MD_U32, E },
	[MD_ASSEMBLYREF] = { MD_U16, MD_U16, MD_U16, MD_U16, MD_U32, B, S, S,
			     B, E },
	[MD_ASSEMBLYREFPROCESSOR] = { MD_U32, MD_ASSEMBLYREF, E },
	[MD_ASSEMBLYREFOS] = { MD_U32, MD_U32, MD_U32, MD_ASSEMBLYREF, E },
	[MD_FILE] = { MD_U32, S, B, E },
	[MD_EXPORTEDTYPE] = { MD_U32, MD_U32, S, S,
			      CODED(MD_IMPLEMENTATION), E },
	[MD_MANIFESTRESOURCE] = { MD_U32, MD_U32, S,
				  CODED(MD_IMPLEMENTATION), E },
	[MD_NESTEDCLASS] = { MD_TYPEDEF, MD_TYPEDEF, E },
	[MD_GENERICPARAM] = { MD_U16, MD_U16, CODED(MD_TYPE_OR_METHODDEF), S,
			      E },
	[MD_METHODSPEC] = { CODED(MD_METHODDEF_OR_REF), B, E },
	[MD_GENERICPARAMCONSTRAINT] = { MD_GENERICPARAM,
					CODED(MD_TYPEDEF_OR_REF), E },
	[0x2d] = { E }, [0x2e] = { E }, [0x2f] = { E },
	[MD_DOCUMENT] = { B, G, B, G, E },
	[MD_METHODDEBUGINFORMATION] = { MD_DOCUMENT, B, E },
	[MD_LOCALSCOPE] = { MD_METHODDEF, MD_IMPORTSCOPE, MD_LOCALVARIABLE,
			    MD_LOCALCONSTANT, MD_U32, MD_U32, E },
	[MD_LOCALVARIABLE] = { MD_U16, MD_U16, S, E },
	[MD_LOCALCONSTANT] = { S, B, E },
	[MD_IMPORTSCOPE] = { MD_IMPORTSCOPE, B, E },
	[MD_STATEMACHINEMETHOD] = { MD_METHODDEF, MD_METHODDEF, E },
	[MD_CUSTOMDEBUGINFORMATION] = {
		CODED(MD_HAS_CUSTOM_DEBUG_INFORMATION), G, B, E },
	[0x38] = { E }, [0x39] = { E }, [0x3a] = { E }, [0x3b] = { E },
	[0x3c] = { E }, [0x3d] = { E }, [0x3e] = { E }, [0x3f] = { E },
};
// clang-format on

/* The column each sorted table is in order of, by II.22. */
static const struct {
	uint8_t table, col;
} sort_keys[] = {
    {MD_INTERFACEIMPL, 0},
    {MD_CONSTANT, 1},
    {MD_CUSTOMATTRIBUTE, 0},
    {MD_FIELDMARSHAL, 0},
    {MD_DECLSECURITY, 1},
    {MD_CLASSLAYOUT, 2},
    {MD_FIELDLAYOUT, 1},
    {MD_METHODSEMANTICS, 2},
    {MD_METHODIMPL, 0},
    {MD_IMPLMAP, 1},
    {MD_FIELDRVA, 1},
    {MD_NESTEDCLASS, 0},
    {MD_GENERICPARAM, 2},
    {MD_GENERICPARAMCONSTRAINT, 0},
    {MD_LOCALSCOPE, 0},
    {MD_STATEMACHINEMETHOD, 0},
    {MD_CUSTOMDEBUGINFORMATION, 0},
};

int md_sort_column(enum md_table table)
{
	for (size_t i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++)
		if (sort_keys[i].table == table)
			return sort_keys[i].col;
	return -1;
}

bool md_is_sorted(const struct md *md, enum md_table table, unsigned int col)
{
	return md->sorted >> table & 1 && md_sort_column(table) == (int)col;
}

static uint32_t decode(enum md_coded_kind kind, uint32_t coded)
{
	const struct md_coded *c = &md_coded[kind];
	uint32_t tag = coded & ((1u << c->bits) - 1);
	uint32_t rid = coded >> c->bits;

	if (tag >= c->n || c->tables[tag] == MD_NO_TABLE || !rid ||
	    rid > 0xffffff)
		return 0;
	return MD_TOKEN(c->tables[tag], rid);
}

uint32_t md_encode(enum md_coded_kind kind, uint32_t token)
{
	const struct md_coded *c = &md_coded[kind];

	for (uint32_t tag = 0; tag < c->n; tag++)
		if (c->tables[tag] == MD_TOKEN_TABLE(token))
			return MD_TOKEN_RID(token) << c->bits | tag;
	return 0;
}

uint32_t md_typedef_or_ref(uint32_t coded)
{
	return decode(MD_TYPEDEF_OR_REF, coded);
}

uint32_t md_custom_attribute_type(uint32_t coded)
{
	return decode(MD_CUSTOM_ATTRIBUTE_TYPE, coded);
}

uint32_t md_memberref_parent(uint32_t coded)
{
	return decode(MD_MEMBERREF_PARENT, coded);
}

uint32_t md_methoddef_or_ref(uint32_t coded)
{
	return decode(MD_METHODDEF_OR_REF, coded);
}

uint32_t md_resolution_scope(uint32_t coded)
{
	return decode(MD_RESOLUTION_SCOPE, coded);
}
