/* Locations as users write them: with and without a present file. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "control/breakpoint/location.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	const char *text = arena_strndup(arena, (const char *)data, size);
	static const char *const paths[] = {NULL, "/src/Program.cs"};

	for (size_t i = 0; i < 2; i++) {
		struct dbg_place loc;
		const struct dbg_place place = {.text = text};

		dbg_error_destroy(location_take(&place, paths[i], arena, &loc));
	}
	arena_destroy(arena);
	return 0;
}
