/*
 * The head of a method's GC information: where a method whose code several
 * generic instances share keeps what tells it which instance it is.
 */
#ifndef DAC_GCINFO_H
#define DAC_GCINFO_H

#include "base/reader.h"

enum gcinfo_context {
	GCINFO_NONE,
	GCINFO_TYPE,   /* a MethodTable* is in the slot */
	GCINFO_METHOD, /* a MethodDesc* */
	GCINFO_THIS,   /* the object that `this` refers to */
};

struct gcinfo {
	enum gcinfo_context context;
	int32_t slot;         /* from the frame pointer */
	uint32_t prolog_size; /* until then the slot holds nothing */
};

enum {
	GCINFO_HEAD_MAX = 64 /* bytes that the head may take */
};

/*
 * Parse information of version 4 (.NET 10) or, if @old, earlier ones (8 and
 * 9) of a method of @code_size bytes. The head repeats that size, which tells
 * information from nonsense: false if it is none.
 */
bool gcinfo_parse(struct bytes b, uint32_t code_size, bool old,
		  struct gcinfo *ret);

#endif
