/* Core files: notes, segments, mapped files; and what they are read for. */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/corefile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct corefile c;
	struct dbg_error *err;
	uint8_t sum = 0;

	err = corefile_parse((struct bytes){data, size}, &c);
	for (size_t i = 0; i < c.n_segments; i++) {
		const struct core_segment *s = &c.segments[i];

		for (size_t k = 0; k < s->data.n; k += 64)
			sum ^= s->data.p[k];
		if (corefile_segment(&c, s->addr) != s)
			abort();
	}
	for (size_t i = 0; i < c.n_mappings; i++) {
		if (corefile_mapping(&c, c.mappings[i].start) != &c.mappings[i])
			abort();
		sum ^= (uint8_t)*c.mappings[i].path;
	}
	dbg_error_destroy(err);
	// The bytes are ours: nothing to unmap.
	c.file.bytes = (struct bytes){NULL, 0};
	corefile_unload(&c);
	(void)sum;
	return 0;
}
