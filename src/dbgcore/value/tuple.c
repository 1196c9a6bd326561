/* Names of tuple elements, from TupleElementNamesAttribute(string[]). */
#include "value/value.h"

#include "base/mem.h"
#include "base/reader.h"

enum {
	NAMES_MAX = 1024,
	NULL_STRING = 0xff
};

/* A SerString (II.23.3): null, or UTF-8 behind its length. */
static const char *take_string(struct reader *r, struct arena *arena)
{
	if (reader_left(r) && *r->p == NULL_STRING) {
		reader_u8(r);
		return NULL;
	}
	struct bytes b = reader_bytes(r, reader_cuint(r));
	return b.p ? arena_strndup(arena, (const char *)b.p, b.n) : NULL;
}

const char *const *tuple_names(const struct md *md, uint32_t token,
			       struct arena *arena, size_t *ret_n)
{
	struct bytes blob;
	struct reader r;
	*ret_n = 0;
	if (!md_has_attribute(md, token,
			      "System.Runtime.CompilerServices."
			      "TupleElementNamesAttribute",
			      &blob))
		return NULL;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	uint32_t n = reader_u32(&r);
	if (r.bad || n > NAMES_MAX)
		return NULL;
	const char **names = arena_calloc(arena, n + 1, sizeof(names[0]));
	for (uint32_t i = 0; i < n; i++)
		names[i] = take_string(&r, arena);
	if (r.bad)
		return NULL;
	*ret_n = n;
	return names;
}
