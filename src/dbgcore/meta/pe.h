/* PE files (ECMA-335 II.25): where metadata, method bodies and PDBs are. */
#ifndef META_PE_H
#define META_PE_H

#include "base/reader.h"
#include "dbg.h"

struct pe_debug {
	const char *pdb_path; /* CodeView path, NULL: no entry; borrowed */
	uint8_t pdb_id[20];   /* GUID and stamp, as in the PDB's #Pdb */
	bool portable;        /* CodeView minor version 0x504d */
	bool has_checksum;
	struct bytes embedded; /* embedded PDB entry: "MPDB" size deflate */
};

struct pe {
	struct bytes file;
	bool mapped;           /* laid out as loaded, RVA = offset */
	struct bytes sections; /* section headers */
	uint32_t n_sections;
	struct bytes metadata;
	struct bytes resources; /* meta/resources.h */
	struct bytes native;    /* what is compiled ahead of time; meta/r2r.h */
	uint32_t cli_flags;     /* COMIMAGE_FLAGS_* */
	uint32_t entry_point;   /* MethodDef token of Main, 0: none */
	uint32_t timestamp;
	uint32_t image_size;
	uint16_t machine;
	struct pe_debug debug;
};

/*
 * Read the headers of a PE file with CLI metadata. @bytes is borrowed by
 * @ret for its life. @mapped: bytes are laid out as in memory.
 */
DBG_MUST struct dbg_error *pe_parse(struct bytes bytes, bool mapped,
				    struct pe *ret);

/* Bytes from @rva to the end of its section; {NULL, 0} if outside. */
struct bytes pe_at_rva(const struct pe *pe, uint32_t rva);

/* A method body (II.25.4). */
struct il_clause {
	uint32_t flags; /* 0 catch, 1 filter, 2 finally, 4 fault */
	uint32_t try_offset, try_length;
	uint32_t handler_offset, handler_length;
	uint32_t token_or_filter;
};

struct il_body {
	struct bytes code;
	uint32_t max_stack;
	uint32_t local_sig; /* StandAloneSig token, 0: none */
	bool init_locals;
	struct il_clause *clauses; /* in the arena */
	size_t n_clauses;
};

struct arena;
DBG_MUST struct dbg_error *
il_body_parse(struct bytes bytes, struct arena *arena, struct il_body *ret);

#endif
