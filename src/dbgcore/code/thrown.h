/*
 * The frames that an exception has passed since it was thrown, as the object
 * has recorded them.
 */
#ifndef CODE_THROWN_H
#define CODE_THROWN_H

#include "code/code.h"

struct thrown_frame {
	/*
	 * an address inside the call instruction by which the frame was left,
	 * of the instruction that failed, or of the await (.NET 11): never a
	 * return address (StackTraceInfo::AppendElement)
	 */
	uint64_t ip;
	uint64_t method; /* MethodDesc */
	bool ends_throw; /* thrown once more behind it, its frames are old */
};

/*
 * The frames of the exception object at @addr, the throw first; how many. 0 if
 * it was not thrown, or cannot be read. @ret_cut may be NULL: it has more.
 */
size_t thrown_read(struct code *c, uint64_t addr, struct arena *arena,
		   struct thrown_frame **ret, bool *ret_cut);

#endif
