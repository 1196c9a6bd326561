/* The contract descriptor's text: what it may be asked for. */
#include <string.h>

#include "base/mem.h"
#include "dac/contract.h"
#include "meta/jsonvalue.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t touch(struct bytes b)
{
	size_t sum = 0;

	for (size_t i = 0; i < b.n; i++)
		sum += b.p[i];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"Thread", "Id", "!", "", "a"};
	const size_t n = sizeof(names) / sizeof(*names);
	struct contract c = {.text =
				 jsonvalue_parse((struct bytes){data, size})};
	struct arena *arena = arena_create();
	size_t sum = touch(c.text);
	uint64_t value;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++)
			contract_offset(&c, names[i], names[k], &value);
		contract_global(&c, names[i], &value);
		contract_text(&c, names[i], arena);
		sum += touch(jsonvalue_member(c.text, names[i]));
		sum += touch(jsonvalue_element(c.text, i));
	}
	arena_destroy(arena);
	// The bytes are read: the sum is looked at.
	return sum == SIZE_MAX ? -1 : 0;
}
