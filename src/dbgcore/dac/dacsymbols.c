/*
 * The PDB that a program gave to Assembly.Load with the bytes of an assembly.
 * The runtime keeps a copy for debuggers: a Module holds a pointer to a
 * stream, whose first words are its vtable, the address of the bytes, the
 * size of their buffer, a position and their number (.NET 8, 9, 10). Where in
 * the Module differs: it is the one pointer that leads to such a thing.
 */
#include "dac/dac_priv.h"

#include <string.h>

enum {
	MODULE_MAX = 1024, /* bytes of a Module that are looked at */
	SYMBOLS_MAX = 256 << 20,
	SIGNATURE = 0x424a5342, /* II.24.2.1 */
};

struct symbol_stream {
	uint64_t vtable, bytes;
	uint32_t capacity, position, size;
};

static bool is_symbols(struct dac *d, uint64_t addr, struct symbol_stream *ret)
{
	uint32_t signature = 0;

	return addr && !(addr % sizeof(addr)) &&
	       target_read_some(d->target, addr, ret, sizeof(*ret)) ==
		   sizeof(*ret) &&
	       ret->size && ret->size <= ret->capacity &&
	       ret->capacity <= SYMBOLS_MAX &&
	       target_read_some(d->target, ret->bytes, &signature,
				sizeof(signature)) == sizeof(signature) &&
	       signature == SIGNATURE;
}

bool dac_module_symbols(struct dac *d, uint64_t module, uint64_t *ret_addr,
			uint32_t *ret_size)
{
	uint64_t words[MODULE_MAX / sizeof(uint64_t)];
	struct symbol_stream stream;
	size_t n = target_read_some(d->target, module, words, sizeof(words)) /
		   sizeof(*words);

	for (size_t i = 0; i < n; i++) {
		if (!is_symbols(d, words[i], &stream))
			continue;
		*ret_addr = stream.bytes;
		*ret_size = stream.size;
		return true;
	}
	return false;
}
