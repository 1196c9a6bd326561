/*
 * Where the parts of an object are, in bytes from its address: at 0 is its
 * MethodTable (class Object, ArrayBase and StringObject in the runtime's
 * src/coreclr/vm/object.h; the same for x86-64 from .NET 8 to 11).
 */
#ifndef DAC_OBJECTLAYOUT_H
#define DAC_OBJECTLAYOUT_H

enum {
	OBJECT_FIELDS = 8, /* its fields, of a box the value */
	ARRAY_LENGTH = 8,  /* uint32_t, and four bytes of padding */
	ARRAY_DATA = 16,   /* elements; of an array with bounds, these */
	STRING_LENGTH = 8, /* int32_t, UTF-16 units */
	STRING_CHARS = 12, /* the units, and one that is 0 */
};

#endif
