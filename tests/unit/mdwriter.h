/*
 * Builds metadata, portable PDBs and PE files for tests, from nothing but
 * what the test says. Widths of columns are the test's too, so that a wrong
 * idea of the layout in the reader cannot hide in the writer.
 */
#ifndef TESTS_MDWRITER_H
#define TESTS_MDWRITER_H

#include "base/reader.h"
#include "base/str.h"

struct mdwriter {
	struct str strings, blobs, guids, us;
	struct str rows[64];
	uint32_t n_rows[64];
	uint32_t external[64]; /* PDB: rows of the assembly's tables */
	uint64_t sorted;
	uint8_t heap_sizes;
	bool pdb; /* write a #Pdb stream */
	uint8_t pdb_id[20];
};

void mdwriter_init(struct mdwriter *w);
void mdwriter_deinit(struct mdwriter *w);

/* Add to a heap; returns the offset (of a GUID its number). */
uint32_t mdwriter_string(struct mdwriter *w, const char *s);
uint32_t mdwriter_blob(struct mdwriter *w, const void *p, size_t n);
uint32_t mdwriter_guid(struct mdwriter *w, const uint8_t guid[16]);
uint32_t mdwriter_us(struct mdwriter *w, const char *ascii);

/*
 * Add a row; one uint32_t for each character of @widths, which is its number
 * of bytes. Returns the rid.
 */
uint32_t mdwriter_row(struct mdwriter *w, unsigned int table,
		      const char *widths, ...);

/* The finished bytes; the caller frees .p. */
struct bytes mdwriter_build(const struct mdwriter *w);

/* Little-endian numbers and compressed integers at the end of a string. */
void put_le(struct str *s, uint64_t value, unsigned int size);
void put_cuint(struct str *s, uint32_t value);
void put_cint(struct str *s, int32_t value);

struct pewriter {
	struct bytes metadata;
	struct str debug;  /* entries made so far */
	struct str data;   /* their data */
	struct str bodies; /* method bodies, at PEWRITER_BODIES */
	uint16_t n_debug;
	bool pe64;
	bool mapped; /* file offset = RVA */
};

enum {
	PEWRITER_BODIES = 0x3000,
	PEWRITER_NATIVE = 0x3100,
	PEWRITER_STAMP = 0x5f5f5f5f
};

void pewriter_init(struct pewriter *w, struct bytes metadata);
void pewriter_deinit(struct pewriter *w);
/* Add a debug directory entry. */
void pewriter_debug(struct pewriter *w, uint32_t type, uint32_t stamp,
		    uint16_t minor, const struct str *data);
/* A portable CodeView entry for a PDB of this id. */
void pewriter_codeview(struct pewriter *w, const uint8_t id[20],
		       const char *path);
/*
 * After the bodies: of 18 methods the 6th, the 17th and the 18th have code that
 * was compiled ahead of time, at 0x222, 0x111 and 0x333.
 */
void pewriter_native(struct pewriter *w);
/* The finished bytes; the caller frees .p. */
struct bytes pewriter_build(const struct pewriter *w);

#endif
