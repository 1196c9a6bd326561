/*
 * ECMA-335 metadata (II.22-24), read in place.
 *
 * struct md is a parsed header over borrowed bytes; rows are decoded when
 * asked for. It serves assemblies and portable PDBs alike (the same format
 * with tables 0x30-0x37). Row ids ("rid") are 1-based; 0 is none. A rid or
 * heap offset outside its table gives 0, "" or {NULL, 0}: readers of broken
 * files get emptiness, never memory from elsewhere.
 */
#ifndef META_MD_H
#define META_MD_H

#include "base/reader.h"
#include "dbg.h"

enum md_table {
	MD_MODULE = 0x00,
	MD_TYPEREF = 0x01,
	MD_TYPEDEF = 0x02,
	MD_FIELDPTR = 0x03,
	MD_FIELD = 0x04,
	MD_METHODPTR = 0x05,
	MD_METHODDEF = 0x06,
	MD_PARAMPTR = 0x07,
	MD_PARAM = 0x08,
	MD_INTERFACEIMPL = 0x09,
	MD_MEMBERREF = 0x0a,
	MD_CONSTANT = 0x0b,
	MD_CUSTOMATTRIBUTE = 0x0c,
	MD_FIELDMARSHAL = 0x0d,
	MD_DECLSECURITY = 0x0e,
	MD_CLASSLAYOUT = 0x0f,
	MD_FIELDLAYOUT = 0x10,
	MD_STANDALONESIG = 0x11,
	MD_EVENTMAP = 0x12,
	MD_EVENTPTR = 0x13,
	MD_EVENT = 0x14,
	MD_PROPERTYMAP = 0x15,
	MD_PROPERTYPTR = 0x16,
	MD_PROPERTY = 0x17,
	MD_METHODSEMANTICS = 0x18,
	MD_METHODIMPL = 0x19,
	MD_MODULEREF = 0x1a,
	MD_TYPESPEC = 0x1b,
	MD_IMPLMAP = 0x1c,
	MD_FIELDRVA = 0x1d,
	MD_ENCLOG = 0x1e,
	MD_ENCMAP = 0x1f,
	MD_ASSEMBLY = 0x20,
	MD_ASSEMBLYPROCESSOR = 0x21,
	MD_ASSEMBLYOS = 0x22,
	MD_ASSEMBLYREF = 0x23,
	MD_ASSEMBLYREFPROCESSOR = 0x24,
	MD_ASSEMBLYREFOS = 0x25,
	MD_FILE = 0x26,
	MD_EXPORTEDTYPE = 0x27,
	MD_MANIFESTRESOURCE = 0x28,
	MD_NESTEDCLASS = 0x29,
	MD_GENERICPARAM = 0x2a,
	MD_METHODSPEC = 0x2b,
	MD_GENERICPARAMCONSTRAINT = 0x2c,
	MD_DOCUMENT = 0x30,
	MD_METHODDEBUGINFORMATION = 0x31,
	MD_LOCALSCOPE = 0x32,
	MD_LOCALVARIABLE = 0x33,
	MD_LOCALCONSTANT = 0x34,
	MD_IMPORTSCOPE = 0x35,
	MD_STATEMACHINEMETHOD = 0x36,
	MD_CUSTOMDEBUGINFORMATION = 0x37,
	MD_N_TABLES = 0x40,
};

/* A token is table << 24 | rid. */
#define MD_TOKEN(table, rid) ((uint32_t)(table) << 24 | (uint32_t)(rid))
#define MD_TOKEN_TABLE(token) ((token) >> 24)
#define MD_TOKEN_RID(token) ((token)&0xffffff)

struct md_layout {
	struct bytes rows;
	uint32_t n_rows;
	uint32_t row_size;
	uint8_t col_offset[10];
	uint8_t col_size[10];
};

/* Lists of members that updates added to: where they are not ranges of rids. */
enum md_list {
	MD_LIST_METHODS,
	MD_LIST_FIELDS,
	MD_LIST_PARAMS,
	MD_LIST_PROPERTIES,
	MD_LIST_EVENTS,
	MD_N_LISTS,
};

struct md_member_list {
	const uint32_t *owners; /* of each member, by its rid - 1; 0: none */
	uint32_t *rids;         /* of all members, by owner */
	uint32_t *starts; /* where there owner N's begin: [N - 1]; and end */
	uint32_t n, n_owners;
};

struct md_members {
	struct md_member_list lists[MD_N_LISTS];
	const uint8_t *late; /* by field rid - 1, see md_field_is_late */
};

struct md {
	struct bytes strings, us, guids, blobs, pdb; /* heaps; pdb: #Pdb */
	struct md_layout tables[MD_N_TABLES];
	uint32_t external_rows[MD_N_TABLES]; /* from #Pdb */
	uint64_t sorted;
	bool wide; /* an update: every index has 4 bytes */
	const struct md_members *members; /* NULL: as the rows say, by ranges */
};

/* Parse the root and table stream. @bytes is borrowed for @ret's life. */
DBG_MUST struct dbg_error *md_parse(struct bytes bytes, struct md *ret);

uint32_t md_rows(const struct md *md, enum md_table table);
/*
 * Column @col (order of ECMA-335 II.22 / the portable PDB specification) as
 * its raw number: constant, heap offset, rid, or coded index.
 */
uint32_t md_col(const struct md *md, enum md_table table, uint32_t rid,
		unsigned int col);
/* Heap entries. Strings are borrowed, terminated inside the heap, or "". */
const char *md_string(const struct md *md, uint32_t offset);
struct bytes md_blob(const struct md *md, uint32_t offset);
struct bytes md_user_string(const struct md *md, uint32_t offset);
/* 16 bytes of GUID number @index (1-based), NULL if there is none. */
const uint8_t *md_guid(const struct md *md, uint32_t index);
/* Shorthand: string column. */
const char *md_col_string(const struct md *md, enum md_table table,
			  uint32_t rid, unsigned int col);
struct bytes md_col_blob(const struct md *md, enum md_table table, uint32_t rid,
			 unsigned int col);

/* Decode coded indexes (II.24.2.6) to tokens; 0 if the tag is unknown. */
uint32_t md_typedef_or_ref(uint32_t coded);
uint32_t md_custom_attribute_type(uint32_t coded);
uint32_t md_memberref_parent(uint32_t coded);
uint32_t md_methoddef_or_ref(uint32_t coded);
uint32_t md_resolution_scope(uint32_t coded);

/*
 * Rows of @table whose column @col equals @value: the first rid and count,
 * for tables sorted by that column (binary search) or not (the first only,
 * then the caller scans). 0 if there are none.
 */
uint32_t md_find(const struct md *md, enum md_table table, unsigned int col,
		 uint32_t value, uint32_t *ret_n);

/*
 * Members: [*ret_first, *ret_end) of the table's list, which are rids, but in a
 * module that was updated: md_member has the rid of each.
 */
uint32_t md_member(const struct md *md, enum md_list list, uint32_t i);
void md_type_methods(const struct md *md, uint32_t typedef_rid,
		     uint32_t *ret_first, uint32_t *ret_end);
void md_type_fields(const struct md *md, uint32_t typedef_rid,
		    uint32_t *ret_first, uint32_t *ret_end);
void md_type_properties(const struct md *md, uint32_t typedef_rid,
			uint32_t *ret_first, uint32_t *ret_end);
void md_method_params(const struct md *md, uint32_t method_rid,
		      uint32_t *ret_first, uint32_t *ret_end);
/* TypeDef rid that owns a member; 0 if none. */
uint32_t md_method_type(const struct md *md, uint32_t method_rid);
uint32_t md_field_type(const struct md *md, uint32_t field_rid);
/*
 * Was the field added to its type after that was loaded? Then it is in no list:
 * it is not in the type's objects, nor among its statics.
 */
bool md_field_is_late(const struct md *md, uint32_t field_rid);
/* TypeDef rid of the enclosing class; 0 if not nested. */
uint32_t md_enclosing(const struct md *md, uint32_t typedef_rid);
/* Namespace of a class; of the outermost one around it if it is nested. */
const char *md_namespace(const struct md *md, uint32_t typedef_rid);

/* ---- md_name.c ------------------------------------------------------- */

/*
 * TypeDef rid of a class by its full name, with `+` before the name of one that
 * is nested ("System.Runtime.EH+ExInfo"); 0 if there is none.
 */
uint32_t md_type_named(const struct md *md, const char *name);
/* The first method, the field of a type, by name; 0 if there is none. */
uint32_t md_method_named(const struct md *md, uint32_t typedef_rid,
			 const char *name);
uint32_t md_field_named(const struct md *md, uint32_t typedef_rid,
			const char *name);
/*
 * Get the offset that metadata gives to a field of a type with explicit layout
 * (II.22.16); false: the type has another layout.
 */
bool md_field_offset(const struct md *md, uint32_t field_rid, uint32_t *ret);

/* ---- md.c ------------------------------------------------------------ */

/* 16-byte MVID of the module, NULL if there is none. */
const uint8_t *md_mvid(const struct md *md);

/*
 * The custom attribute of @token behind that in row @after, 0: the first: its
 * row, and the token of its class. 0: there are no more.
 */
uint32_t md_attribute_after(const struct md *md, uint32_t token, uint32_t after,
			    uint32_t *ret_class);
/*
 * Has @token (TypeDef, MethodDef, Field, Property, Assembly, ...) the custom
 * attribute of full type name @name, e.g.
 * "System.Diagnostics.DebuggableAttribute"? *ret_blob (may be NULL) gets its
 * value blob.
 */
bool md_has_attribute(const struct md *md, uint32_t token, const char *name,
		      struct bytes *ret_blob);
/*
 * Get the next of several attributes: the first whose row is behind *@rid (0:
 * any), which becomes its row.
 */
bool md_attribute_next(const struct md *md, uint32_t token, const char *name,
		       uint32_t *rid, struct bytes *ret_blob);

/*
 * Name parameter @seq (1-based, 0 the return value) of a method; "" if
 * nameless.
 */
const char *md_param_name(const struct md *md, uint32_t method_rid,
			  uint32_t seq);

#endif
