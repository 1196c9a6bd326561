/* Lists that the DAC has, read to their end. */
#ifndef DAC_DACLIST_H
#define DAC_DACLIST_H

#include <stddef.h>
#include <stdint.h>

#include "dac/dacmethods.h"
#include "dbg/error.h"

struct arena;
struct dac;

struct dac_domains {
	uint64_t *addrs; /* of the application domains */
	size_t n;
	uint64_t system; /* the one of the runtime's own state, or 0 */
};

DBG_MUST struct dbg_error *dac_domain_addrs(struct dac *d, struct arena *arena,
					    struct dac_domains *ret);

struct dac_addrs {
	uint64_t *addrs;
	size_t n;
};

/*
 * Read at most @max addresses that belong to @owner, by a method of
 * ISOSDacInterface with the parameters (owner, n, array, &needed); none if it
 * fails.
 */
struct dac_addrs dac_addrs_read(struct dac *d, enum dac_method_id method,
				uint64_t owner, int max, struct arena *arena);

struct dac_elements {
	void *v; /* the caller frees it */
	size_t n;
	int32_t hr; /* below 0: the rest could not be read */
};

/*
 * Read a list (ISOSHandleEnum and the like) by the method that gives the next
 * of its elements, to its end or until there are @max.
 */
struct dac_elements dac_list_read(struct dac *d, void *list,
				  enum dac_method_id next, size_t max);

#endif
