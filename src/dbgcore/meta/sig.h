/*
 * Signatures (ECMA-335 II.23.2) as trees in an arena, depth and counts
 * capped.
 */
#ifndef META_SIG_H
#define META_SIG_H

#include "base/reader.h"
#include "dbg.h"

struct arena;
struct md;

/* II.23.1.16; values as in the specification. */
enum elem {
	ELEM_END = 0x00,
	ELEM_VOID = 0x01,
	ELEM_BOOLEAN = 0x02,
	ELEM_CHAR = 0x03,
	ELEM_I1 = 0x04,
	ELEM_U1 = 0x05,
	ELEM_I2 = 0x06,
	ELEM_U2 = 0x07,
	ELEM_I4 = 0x08,
	ELEM_U4 = 0x09,
	ELEM_I8 = 0x0a,
	ELEM_U8 = 0x0b,
	ELEM_R4 = 0x0c,
	ELEM_R8 = 0x0d,
	ELEM_STRING = 0x0e,
	ELEM_PTR = 0x0f,
	ELEM_BYREF = 0x10,
	ELEM_VALUETYPE = 0x11,
	ELEM_CLASS = 0x12,
	ELEM_VAR = 0x13,
	ELEM_ARRAY = 0x14,
	ELEM_GENERICINST = 0x15,
	ELEM_TYPEDBYREF = 0x16,
	ELEM_I = 0x18,
	ELEM_U = 0x19,
	ELEM_FNPTR = 0x1b,
	ELEM_OBJECT = 0x1c,
	ELEM_SZARRAY = 0x1d,
	ELEM_MVAR = 0x1e,
	ELEM_CMOD_REQD = 0x1f,
	ELEM_CMOD_OPT = 0x20,
	ELEM_INTERNAL = 0x21,
	ELEM_SENTINEL = 0x41,
	ELEM_PINNED = 0x45,
};

/* Is it a signed integer type? */
static inline bool elem_is_signed(enum elem elem)
{
	return elem == ELEM_I1 || elem == ELEM_I2 || elem == ELEM_I4 ||
	       elem == ELEM_I8 || elem == ELEM_I;
}

/* A type in a signature. Modifiers and PINNED are dropped (pinned is kept). */
struct sig_type {
	enum elem elem;
	bool pinned;
	uint32_t token;         /* CLASS, VALUETYPE; GENERICINST: of its def */
	uint32_t number;        /* VAR, MVAR: index; ARRAY: rank */
	bool value_type;        /* GENERICINST: of a value type */
	uint64_t handle;        /* INTERNAL; GENERICINST: of its def, or 0 */
	struct sig_type *inner; /* PTR, BYREF, SZARRAY, ARRAY */
	struct sig_type **args; /* GENERICINST */
	uint32_t n_args;
	struct sig_method *method; /* FNPTR */
};

struct sig_method {
	uint8_t convention; /* II.23.2.1 first byte; 0x20 HASTHIS */
	uint32_t n_generic;
	struct sig_type *ret;
	struct sig_type **params;
	uint32_t n_params;
};

DBG_MUST struct dbg_error *sig_parse_method(struct bytes blob,
					    struct arena *arena,
					    struct sig_method **ret);
DBG_MUST struct dbg_error *
sig_parse_field(struct bytes blob, struct arena *arena, struct sig_type **ret);
DBG_MUST struct dbg_error *sig_parse_locals(struct bytes blob,
					    struct arena *arena,
					    struct sig_type ***ret,
					    uint32_t *ret_n);
/* TypeSpec and MethodSpec blobs. */
DBG_MUST struct dbg_error *
sig_parse_type(struct bytes blob, struct arena *arena, struct sig_type **ret);
DBG_MUST struct dbg_error *sig_parse_methodspec(struct bytes blob,
						struct arena *arena,
						struct sig_type ***ret,
						uint32_t *ret_n);
/*
 * Parse one bare type at the front of @r (PDB constants, custom uses).
 */
DBG_MUST struct dbg_error *sig_read_type(struct reader *r, struct arena *arena,
					 struct sig_type **ret);

#endif
