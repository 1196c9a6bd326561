/* What the files that read portable PDBs share. */
#ifndef META_PDB_PRIV_H
#define META_PDB_PRIV_H

#include "meta/pdb.h"

struct pdb {
	struct md md;
	struct file file;  /* what md lies in, if it is ours */
	uint8_t *inflated; /* likewise, of an embedded PDB */
	size_t n_inflated;
	struct arena *arena; /* document paths */
	const char **paths;  /* by document rid - 1; NULL: not made yet */
	struct pdb_method_lines *index;
	size_t n_index;
	bool indexed;
};

/* Inflate raw deflate data of exactly @size bytes to @out. */
bool pdb_inflate(struct bytes packed, uint8_t *out, size_t size);
/* Could @packed inflate to @size bytes at all? */
bool pdb_size_plausible(struct bytes packed, uint64_t size);

#endif
