/*
 * Core files: notes, segments, mapped files, and what they are read for; packed
 * by gzip, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/corefile.h"
#include "target/corepack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The same bytes from a packed file: its headers say how much is taken.
static void load_packed(const uint8_t *data, size_t size)
{
	struct corepack *pack;
	struct corefile c;
	char path[32];
	_cleanup_close_ int fd = memfd_create("core", MFD_CLOEXEC);
	struct dbg_error *err = corepack_create(fd, &pack);

	if (!err) {
		err = corepack_write(pack, data, size, 0);
		err = dbg_err_first(err, corepack_end(pack));
	}
	if (err)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!dbg_err_drop(corefile_load(path, &c)))
		corefile_unload(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct corefile c;
	struct dbg_error *err;
	uint8_t sum = 0;

	err = corefile_parse((struct bytes){data, size}, &c);
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum * 31 + data[i]);
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
	// It makes a file: of a few only.
	if (!(sum & 31))
		load_packed(data, size);
	// The bytes are ours: nothing to unmap.
	c.file.bytes = (struct bytes){NULL, 0};
	corefile_unload(&c);
	return 0;
}
