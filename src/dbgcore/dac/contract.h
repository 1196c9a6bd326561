/* The contract descriptor of a runtime (assumption.c). */
#ifndef DAC_CONTRACT_H
#define DAC_CONTRACT_H

#include "base/reader.h"
#include "target/target.h"

struct arena;

struct contract {
	struct target *target;
	struct target_image runtime; /* its path is the caller's */
	struct bytes text;           /* n 0: the runtime has none, as .NET 8 */
	uint64_t pointers;
	uint32_t n_pointers;
};

/* Get the offset of a field of a runtime type, from the contract. */
bool contract_offset(const struct contract *c, const char *type,
		     const char *field, uint64_t *ret);
/* A global: a number, or the address of a variable. */
bool contract_global(const struct contract *c, const char *name, uint64_t *ret);
/* A global that is a text, in @arena; NULL: there is none. */
const char *contract_text(const struct contract *c, const char *name,
			  struct arena *arena);

#endif
