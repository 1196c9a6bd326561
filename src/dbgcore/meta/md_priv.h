/* The schema of the metadata tables, and helpers of the room alone. */
#ifndef META_MD_PRIV_H
#define META_MD_PRIV_H

#include "meta/md.h"

/* Kinds of coded index (ECMA-335 II.24.2.6). */
enum md_coded_kind {
	MD_TYPEDEF_OR_REF,
	MD_HAS_CONSTANT,
	MD_HAS_CUSTOM_ATTRIBUTE,
	MD_HAS_FIELD_MARSHAL,
	MD_HAS_DECL_SECURITY,
	MD_MEMBERREF_PARENT,
	MD_HAS_SEMANTICS,
	MD_METHODDEF_OR_REF,
	MD_MEMBER_FORWARDED,
	MD_IMPLEMENTATION,
	MD_CUSTOM_ATTRIBUTE_TYPE,
	MD_RESOLUTION_SCOPE,
	MD_TYPE_OR_METHODDEF,
	MD_HAS_CUSTOM_DEBUG_INFORMATION,
	MD_N_CODED,
};

enum {
	MD_NO_TABLE = 0xff,
	MD_MAX_COLUMNS = 10,
};

struct md_coded {
	uint8_t bits, n;
	uint8_t tables[27];
};

/* Column types; a smaller number is a rid of that table. */
enum md_column {
	MD_CODED = 0x40, /* + enum md_coded_kind */
	MD_U16 = 0x60,
	MD_U32,
	MD_STRING,
	MD_GUID,
	MD_BLOB,
	MD_END = 0xff,
};

extern const struct md_coded md_coded[MD_N_CODED];
extern const uint8_t md_schema[MD_N_TABLES][MD_MAX_COLUMNS];

/* The coded index of a token, 0 if the kind cannot name its table. */
uint32_t md_encode(enum md_coded_kind kind, uint32_t token);
/* Does the file keep @table in order of @col? */
bool md_is_sorted(const struct md *md, enum md_table table, unsigned int col);
/* The column that @table is kept in order of; -1: none. */
int md_sort_column(enum md_table table);
/* Param row of parameter @seq, 0 if there is none. */
uint32_t md_param_find(const struct md *md, uint32_t method_rid, uint32_t seq);

#endif
