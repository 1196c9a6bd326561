/*
 * A portable PDB of three methods: 1 spans two documents, 2 has hidden points,
 * scopes and constants, 3 is an async MoveNext whose kickoff is 1.
 */
#ifndef TESTS_PDBFIXTURE_H
#define TESTS_PDBFIXTURE_H

#include "mdwriter.h"

extern const uint8_t pdbfixture_id[20];

/* The finished bytes; the caller frees .p. */
struct bytes pdbfixture_build(void);

/* Raw deflate, as embedded PDBs and sources are packed. */
void pdbfixture_deflate(struct str *out, const void *p, size_t n);

#endif
