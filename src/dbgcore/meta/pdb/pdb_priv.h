/* Declarations shared by the files that read portable PDBs. */
#ifndef META_PDB_PRIV_H
#define META_PDB_PRIV_H

#include "base/str.h"
#include "base/map.h"
#include "meta/pdb.h"

/* Lines from @line on are now at @to and behind it. */
struct pdb_run {
	uint32_t line, to;
};

/* Where an update has moved the lines of a document. */
struct pdb_moves {
	uint32_t document, n;
	struct pdb_run *runs; /* in order; the first is of line 1 */
	size_t n_runs;
};

/* The debug information of an update of the module. */
struct pdb_delta {
	struct pdb_moves *moves;
	size_t n_moves, cap_moves;
	uint8_t *bytes;
	struct md md;        /* no rows: it has none */
	uint32_t *documents; /* by its rid - 1: the PDB's */
	uint32_t rows[2];    /* of LocalVariable, LocalConstant before it */
};

/* A document that an update has: its newest row. */
struct pdb_document {
	const struct md *md; /* NULL: the PDB's own */
	uint32_t rid;
};

struct pdb {
	struct md md;
	struct pdb_delta **deltas;
	size_t n_deltas, cap_deltas;
	size_t delta_bytes; /* of all of them */
	struct pdb_document
	    *documents; /* by rid - 1; NULL: all are the PDB's */
	uint32_t n_documents;
	struct file file;  /* what md lies in, if it is ours */
	uint8_t *inflated; /* likewise, of an embedded PDB */
	size_t n_inflated;
	struct arena *arena; /* document paths */
	const char **paths;  /* by document rid - 1; NULL: not made yet */
	struct pdb_method_lines *index;
	size_t n_index;
	bool indexed;
	struct map placed; /* method rid: struct pdb_moves; no runs: unknown */
	size_t placed_at;  /* deltas that there were then */
};

/*
 * As pdb_method_md; *ret_delta is the delta that has the method, NULL: the PDB.
 */
const struct md *pdb_method_find(const struct pdb *pdb,
				 struct pdb_method method, uint32_t *ret_row,
				 const struct pdb_delta **ret_delta);
/*
 * The current line for a line that the method has in @delta (NULL: the PDB),
 * moved by later updates; if the method was replaced since, by those before
 * that.
 */
uint32_t pdb_moved_line(const struct pdb *pdb, const struct pdb_delta *delta,
			uint32_t method_rid, uint32_t document, uint32_t line);
/*
 * The token of a row of LocalVariable or another table in @delta (NULL: the
 * PDB).
 */
uint32_t pdb_delta_row(const struct pdb_delta *delta, enum md_table table,
		       uint32_t rid);
/*
 * The tables of the update (or PDB) that has the row @token, and its rid there.
 */
const struct md *pdb_row_find(const struct pdb *pdb, uint32_t token,
			      uint32_t *ret_rid);
/* The MethodDef that row @row of MethodDebugInformation in @delta is of. */
uint32_t pdb_delta_method(const struct pdb_delta *delta, uint32_t row);
/* ... and back; 0: it has none of @rid. */
uint32_t pdb_delta_find(const struct pdb_delta *delta, uint32_t rid);
/* The tables and the row of a document. */
const struct md *pdb_document_find(const struct pdb *pdb, uint32_t rid,
				   uint32_t *ret_row);
/* Path of a row of Document. */
void pdb_document_name(const struct md *md, uint32_t row, struct str *out);
void pdb_deltas_destroy(struct pdb *pdb);

/* Inflate raw deflate data of exactly @size bytes to @out. */
bool pdb_inflate(struct bytes packed, uint8_t *out, size_t size);
/* Could @packed inflate to @size bytes at all? */
bool pdb_size_plausible(struct bytes packed, uint64_t size);

#endif
