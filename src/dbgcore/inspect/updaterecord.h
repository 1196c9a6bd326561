/* Updates that the program keeps a record of (hot reload): see updaterecord.c.
 */
#ifndef INSPECT_UPDATERECORD_H
#define INSPECT_UPDATERECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "code/code.h"
#include "target/target.h"

enum update_part {
	UPDATE_MODULE,
	UPDATE_MD,
	UPDATE_IL,
	UPDATE_PDB,
	N_UPDATE_PARTS,
};

/* Where in an object an update is; in an array, one is in each element. */
struct update_shape {
	bool is_array;
	uint32_t size;                    /* of an element */
	uint32_t offsets[N_UPDATE_PARTS]; /* from the MethodTable pointer */
};

struct recorded;

struct update_records {
	struct code *code;
	struct target *target;
	/* Is it the MethodTable of an array of bytes? */
	bool (*is_bytes)(void *arg, uint64_t mt);
	void *arg;

	/* what was found so far */
	struct recorded *v;
	size_t n, cap;
	uint64_t bytes;
};

/* Note the updates in an object of that shape, of @size bytes at @addr. */
void update_records_add(struct update_records *r, const struct update_shape *s,
			uint64_t addr, uint64_t size);
/* Apply those of @m, in their order; what is then known is said in @said. */
void update_records_apply(struct update_records *r, struct code_module *m,
			  struct str *said);
void update_records_deinit(struct update_records *r);

#endif
