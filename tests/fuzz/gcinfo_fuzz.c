/* The head of a method's GC information, of anybody's making. */
#include <stdint.h>
#include <stdlib.h>

#include "dac/gcinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gcinfo info;

	// The first byte is the size of the code.
	for (int old = 0; size && old < 2; old++)
		if (gcinfo_parse((struct bytes){data + 1, size - 1}, data[0],
				 old, &info) &&
		    info.context > GCINFO_THIS)
			abort();
	return 0;
}
