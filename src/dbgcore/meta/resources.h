/*
 * Strings among an assembly's embedded resources: of the .NET libraries, the
 * texts of their exceptions.
 */
#ifndef META_RESOURCES_H
#define META_RESOURCES_H

#include "meta/md.h"
#include "meta/pe.h"

/*
 * Find the resources that are embedded under a name that ends in @suffix, in
 * the format of System.Resources.ResourceWriter, version 2; {NULL, 0}: there
 * are none. @pe and @md are of one assembly; the result is borrowed from @pe.
 */
struct bytes resources_find(const struct pe *pe, const struct md *md,
			    const char *suffix);
/*
 * The string of the name @key (ASCII) among @resources, as UTF-8 without a
 * terminator; {NULL, 0}: there is none.
 */
struct bytes resources_string(struct bytes resources, const char *key);

#endif
