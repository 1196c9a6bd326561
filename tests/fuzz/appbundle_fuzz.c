/* Manifests of single-file programs: the input begins with the manifest. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "meta/appbundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *arg, const struct app_entry *entry)
{
	size_t *left = arg;
	size_t n = 0;

	if (!memchr(entry->path, 0, sizeof(entry->path)))
		abort();
	// many entries may say that they are large
	if (entry->size > 1 << 20 || !*left)
		return;
	--*left;
	free(app_entry_take(entry, &n));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t mark[] = {
	    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
	    0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
	    0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae};
	enum {
		HEAD = sizeof(uint64_t) + sizeof(mark)
	};
	const uint64_t offset = HEAD;
	uint8_t *file = malloc(HEAD + size);
	size_t left = 16;

	if (!file)
		return 0;
	memcpy(file, &offset, sizeof(offset));
	memcpy(file + sizeof(offset), mark, sizeof(mark));
	if (size)
		memcpy(file + HEAD, data, size);
	app_bundle_each((struct bytes){file, HEAD + size}, take, &left);
	free(file);
	return 0;
}
