/* Strings among embedded resources: see resources.h. */
#include "meta/resources.h"

#include <string.h>

#include "base/str.h"

/*
 * The format, of System.Resources.ResourceReader and RuntimeResourceSet: a
 * header that tells how long it is, the names of types, then for each resource
 * the hash of its name, the place of its name (with that of its value), all
 * names in UTF-16, all values.
 */
enum {
	MAGIC = 0xbeefcace,
	VERSION = 2,
	RESOURCES_MAX = 100000,
	TYPES_MAX = 1000,
	TYPE_STRING = 1,
};

struct directory {
	uint32_t n;
	struct bytes hashes, places; /* 4 bytes each */
	struct bytes names, values;
};

static uint32_t u32_at(struct bytes b, uint32_t i)
{
	struct bytes part = bytes_slice(b, (uint64_t)i * 4, 4);
	struct reader r;

	reader_init(&r, part.p, part.n);
	return reader_u32(&r);
}

/* BinaryReader.Read7BitEncodedInt: at most 5 bytes. */
static uint32_t read_length(struct reader *r)
{
	const uint8_t *from = r->p;
	uint64_t v = reader_uleb(r);

	if (r->p - from > 5 || v > INT32_MAX)
		r->bad = true;
	return r->bad ? 0 : (uint32_t)v;
}

/* Read what stands in front of the names; false: it is another format. */
static bool directory_read(struct bytes b, struct directory *ret)
{
	struct reader r;

	reader_init(&r, b.p, b.n);
	if (reader_u32(&r) != MAGIC)
		return false;
	reader_skip(&r, 4);
	reader_skip(&r, reader_u32(&r));
	uint32_t version = reader_u32(&r);
	ret->n = reader_u32(&r);
	uint32_t n_types = reader_u32(&r);
	if (r.bad || version != VERSION || ret->n > RESOURCES_MAX ||
	    n_types > TYPES_MAX)
		return false;
	while (n_types--)
		reader_skip(&r, read_length(&r));
	reader_skip(&r, -(size_t)(r.p - b.p) & 7);
	ret->hashes = reader_bytes(&r, (size_t)ret->n * 4);
	ret->places = reader_bytes(&r, (size_t)ret->n * 4);
	uint32_t values = reader_u32(&r);
	if (r.bad || values > b.n)
		return false;
	ret->names = (struct bytes){r.p, reader_left(&r)};
	ret->values = bytes_slice(b, values, b.n - values);
	return true;
}

/* FastResourceComparer.HashFunction. */
static uint32_t hash_of(const char *key)
{
	uint32_t hash = 5381;

	while (*key)
		hash = ((hash << 5) + hash) ^ (unsigned char)*key++;
	return hash;
}

/* Is @key the name at @place? *ret_value: where its value is. */
static bool is_named(const struct directory *d, uint32_t place, const char *key,
		     uint32_t *ret_value)
{
	struct reader r;

	if (place > d->names.n)
		return false;
	reader_init(&r, d->names.p + place, d->names.n - place);
	struct bytes name = reader_bytes(&r, read_length(&r));
	*ret_value = reader_u32(&r);
	if (r.bad || name.n != 2 * strlen(key))
		return false;
	for (size_t i = 0; i < name.n; i += 2)
		if (name.p[i] != (uint8_t)key[i / 2] || name.p[i + 1])
			return false;
	return true;
}

static struct bytes value_string(const struct directory *d, uint32_t place)
{
	struct reader r;

	if (place > d->values.n)
		return (struct bytes){NULL, 0};
	reader_init(&r, d->values.p + place, d->values.n - place);
	if (read_length(&r) != TYPE_STRING)
		return (struct bytes){NULL, 0};
	return reader_bytes(&r, read_length(&r));
}

struct bytes resources_string(struct bytes resources, const char *key)
{
	uint32_t hash = hash_of(key), value;
	struct directory d;

	if (!directory_read(resources, &d))
		return (struct bytes){NULL, 0};
	for (uint32_t i = 0; i < d.n; i++)
		if (u32_at(d.hashes, i) == hash &&
		    is_named(&d, u32_at(d.places, i), key, &value))
			return value_string(&d, value);
	return (struct bytes){NULL, 0};
}

struct bytes resources_find(const struct pe *pe, const struct md *md,
			    const char *suffix)
{
	for (uint32_t rid = 1; rid <= md_rows(md, MD_MANIFESTRESOURCE); rid++) {
		// II.22.24: offset, flags, name, where (0: in this file)
		if (md_col(md, MD_MANIFESTRESOURCE, rid, 3) ||
		    !str_ends(md_col_string(md, MD_MANIFESTRESOURCE, rid, 2),
			      suffix))
			continue;
		uint32_t at = md_col(md, MD_MANIFESTRESOURCE, rid, 0);
		struct bytes size = bytes_slice(pe->resources, at, 4);

		return size.p ? bytes_slice(pe->resources, (uint64_t)at + 4,
					    u32_at(size, 0))
			      : size;
	}
	return (struct bytes){NULL, 0};
}
