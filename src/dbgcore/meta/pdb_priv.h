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

/* One by one through the sequence points of a method. */
struct seq_reader {
	struct reader r;
	struct seq_point point;
	uint32_t line, column; /* of the last visible point */
	bool first, seen_visible;
};

/* False if the method has no points. */
bool seq_reader_init(struct seq_reader *s, const struct md *md,
		     uint32_t method_rid);
/* Go to the next point; false at the end and when s->r.bad. */
bool seq_reader_next(struct seq_reader *s);

/* Value of the custom debug information @kind of @token; {NULL, 0}: none. */
struct bytes pdb_custom(const struct pdb *pdb, uint32_t token,
			const uint8_t kind[16]);

/* Inflate raw deflate data of exactly @size bytes to @out. */
bool pdb_inflate(struct bytes packed, uint8_t *out, size_t size);
/* Could @packed inflate to @size bytes at all? */
bool pdb_size_plausible(struct bytes packed, uint64_t size);

#endif
