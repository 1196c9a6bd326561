/*
 * Objects of the framework's own types, read by the names of their fields
 * (in the type or its bases). What cannot be read is absent.
 */
#ifndef CODE_OBJECT_H
#define CODE_OBJECT_H

#include "code/code.h"

enum {
	OBJECT_STRING_MAX = 4096 /* UTF-16 units read of a string */
};

/* Offset of an instance field in objects of a MethodTable. */
bool object_offset(struct code *c, uint64_t mt, const char *name,
		   uint32_t *ret);
/* Address of a field of the object at @addr; 0: there is none. */
uint64_t object_field(struct code *c, uint64_t addr, const char *name);
/* The object that a field refers to; 0: none. */
uint64_t object_ref(struct code *c, uint64_t addr, const char *name);
/* Text of the string object at @addr in @arena, or NULL. */
const char *object_string(struct code *c, uint64_t addr, struct arena *arena);

#endif
