/* What a program says of the runtime inside of it, of anybody's making. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dac/runtimeinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t n = strlen(runtime_info_mark) + 1;
	struct runtime_info info;
	uint8_t bytes[RUNTIME_INFO_SIZE + 1];

	if (runtime_info_parse((struct bytes){data, size}, &info) &&
	    (!info.n_id || info.n_id > RUNTIME_ID_MAX))
		abort();
	// Behind the right beginning, and one byte longer or shorter.
	if (size > sizeof(bytes) - n)
		size = sizeof(bytes) - n;
	memcpy(bytes, runtime_info_mark, n);
	if (size)
		memcpy(bytes + n, data, size);
	if (runtime_info_parse((struct bytes){bytes, n + size}, &info) &&
	    (!info.n_id || info.n_id > RUNTIME_ID_MAX))
		abort();
	return 0;
}
