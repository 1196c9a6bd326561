/*
 * The manifest of a single-file program parsed: which files are inside of the
 * executable, and where. Offsets and sizes are checked against the file.
 */
#include "meta/appbundle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "meta/pdb/pdb_priv.h"

enum {
	ENTRIES_MAX = 20000,
	ENTRY_MAX = 256 << 20,
	VERSION_SETTINGS = 2, // since then places of the .json files follow
	VERSION_PACKED = 6,   // since then an entry may be deflated
	TYPE_ASSEMBLY = 1,
};

// A string behind its length, seven bits of that a byte.
static bool read_path(struct reader *r, char *ret, size_t size)
{
	uint64_t n = reader_uleb(r);

	if (r->bad || n >= size)
		return false;
	struct bytes text = reader_bytes(r, n);
	if (r->bad)
		return false;
	memcpy(ret, text.p, n);
	ret[n] = 0;
	return true;
}

static bool read_entry(struct reader *r, struct bytes file, uint32_t version,
		       struct app_entry *ret)
{
	uint64_t offset = reader_u64(r);
	uint64_t size = reader_u64(r);
	uint64_t packed = version >= VERSION_PACKED ? reader_u64(r) : 0;
	uint8_t type = reader_u8(r);

	if (!read_path(r, ret->path, sizeof(ret->path)))
		return false;
	ret->assembly = type == TYPE_ASSEMBLY;
	ret->stored = bytes_slice(file, offset, packed ? packed : size);
	ret->size = packed ? size : 0;
	return ret->stored.p != NULL || !size;
}

// The place of the manifest stands in front of a mark in the host.
static uint64_t manifest_offset(struct bytes file)
{
	// SHA-256 of ".net core bundle" and a line end
	static const uint8_t mark[32] = {
	    0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
	    0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
	    0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae};
	const uint8_t *p =
	    file.n ? memmem(file.p, file.n, mark, sizeof(mark)) : NULL;
	struct reader r;

	if (!p || p - file.p < 8)
		return 0;
	reader_init(&r, p - 8, 8);
	return reader_u64(&r);
}

bool app_bundle_each(struct bytes file, app_entry_fn *fn, void *arg)
{
	uint64_t offset = manifest_offset(file);
	struct app_entry entry;
	struct reader r;

	if (!offset || offset >= file.n)
		return false;
	reader_init(&r, file.p + offset, file.n - offset);
	uint32_t version = reader_u32(&r);
	reader_u32(&r);
	uint32_t n = reader_u32(&r);
	if (!read_path(&r, entry.path, sizeof(entry.path)) || n > ENTRIES_MAX)
		return false;
	if (version >= VERSION_SETTINGS)
		reader_skip(&r, 5 * sizeof(uint64_t));
	for (uint32_t i = 0; i < n; i++) {
		if (!read_entry(&r, file, version, &entry))
			return false;
		fn(arg, &entry);
	}
	return !r.bad;
}

uint8_t *app_entry_take(const struct app_entry *entry, size_t *ret_n)
{
	size_t n = entry->size ? entry->size : entry->stored.n;

	if (!n || n > ENTRY_MAX ||
	    (entry->size && !pdb_size_plausible(entry->stored, n)))
		return NULL;
	uint8_t *bytes = xmalloc(n);
	if (!entry->size) {
		memcpy(bytes, entry->stored.p, n);
	} else if (!pdb_inflate(entry->stored, bytes, n)) {
		free(bytes);
		return NULL;
	}
	*ret_n = n;
	return bytes;
}
