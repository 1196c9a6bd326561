/* Command lines of processes, which may be anything. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "session/attach.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program p = {0};
	char *cmdline = malloc(size + 1);

	if (!cmdline)
		return 0;
	if (size)
		memcpy(cmdline, data, size);
	cmdline[size] = '\0';
	program_of_host(cmdline, size, &p);
	if (!memchr(p.name, 0, sizeof(p.name)) || p.kind == PROGRAM_NATIVE)
		abort();
	free(cmdline);
	return 0;
}
