/* The loaded instantiations of generic types; see typetable.c. */
#ifndef DAC_TYPETABLE_H
#define DAC_TYPETABLE_H

#include <stdint.h>

#include "base/map.h"

struct dac;

/* An index of those that the program has. */
struct dac_instances {
	struct map by_key; /* of definition and arguments -> MethodTable* */
	struct map seen;   /* MethodTable* -> anything */
	struct map sizes;  /* table -> its number of entries and 1 */
	bool current;      /* until flush */
};

void dac_instances_clear(struct dac_instances *index);
void dac_instances_deinit(struct dac_instances *index);

/* The loaded instantiation of a generic type; 0 if there is none. */
uint64_t dac_type_search(struct dac *d, uint64_t module, uint32_t token,
			 const uint64_t *args, size_t n_args);
/*
 * Has the program loaded an instance of this generic type? Also true if that
 * cannot be told.
 */
bool dac_type_has_instance(struct dac *d, uint64_t module, uint32_t token);

#endif
