/* The JIT's packed debug information, of anybody's making. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dac/debuginfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct debug_info *info, uint32_t code_size)
{
	int64_t sum = 0;

	for (size_t i = 0; i < info->n_bounds; i++)
		if (info->bounds[i].native > code_size)
			abort();
	for (size_t i = 0; i < info->n_awaits; i++) {
		if (info->awaits[i].native > code_size)
			abort();
		for (size_t k = 0; k < info->awaits[i].n_kept; k++)
			sum += info->awaits[i].kept[k].number;
	}
	if (sum == INT64_MIN)
		abort();
}

static void check_vars(const struct debug_var *places, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += places[i].offset;
	if (sum == INT64_MIN)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_info info;
	struct debug_var *places;
	size_t n;

	// The first byte is the size of the code.
	if (!size)
		return 0;
	struct arena *arena = arena_create();
	struct bytes b = {data + 1, size - 1};
	for (enum debug_form f = DEBUG_FORM_8; f <= DEBUG_FORM_11; f++) {
		if (debug_info_size(b, f) > DEBUG_INFO_MAX)
			continue;
		if (debug_info_parse(b, f, data[0], arena, &info))
			check(&info, data[0]);
		if (debug_info_vars(b, f, arena, &places, &n))
			check_vars(places, n);
	}
	arena_destroy(arena);
	return 0;
}
