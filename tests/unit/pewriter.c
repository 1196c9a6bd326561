#include <string.h>

#include "mdwriter.h"

/*
 * Three sections: 0x1000 CLI header and debug directory, 0x2000 metadata,
 * 0x3000 method bodies; one behind the other in the file from 0x400 on.
 */
enum {
	RVA_HEADER = 0x1000,
	RVA_METADATA = 0x2000,
	RVA_DEBUG = RVA_HEADER + 0x100,
	RVA_DATA = RVA_HEADER + 0x200,
	NATIVE_HEADER = 40,
	FILE_HEADER = 0x400,
};

struct place {
	uint32_t rva, offset, size;
};

void pewriter_init(struct pewriter *w, struct bytes metadata)
{
	memset(w, 0, sizeof(*w));
	w->metadata = metadata;
}

void pewriter_deinit(struct pewriter *w)
{
	str_deinit(&w->debug);
	str_deinit(&w->data);
	str_deinit(&w->bodies);
}

void pewriter_debug(struct pewriter *w, uint32_t type, uint32_t stamp,
		    uint16_t minor, const struct str *data)
{
	put_le(&w->debug, 0, 4);
	put_le(&w->debug, stamp, 4);
	put_le(&w->debug, 0x0100, 2);
	put_le(&w->debug, minor, 2);
	put_le(&w->debug, type, 4);
	put_le(&w->debug, data->len, 4);
	put_le(&w->debug, RVA_DATA + w->data.len, 4);
	put_le(&w->debug, FILE_HEADER + 0x200 + w->data.len, 4);
	str_addn(&w->data, str_get(data), data->len);
	w->n_debug++;
}

void pewriter_codeview(struct pewriter *w, const uint8_t id[20],
		       const char *path)
{
	_cleanup_str_ struct str data = {NULL, 0, 0};
	uint32_t stamp;

	memcpy(&stamp, id + 16, 4);
	str_add(&data, "RSDS");
	str_addn(&data, (const char *)id, 16);
	put_le(&data, 1, 4);
	str_addn(&data, path, strlen(path) + 1);
	pewriter_debug(w, 2, stamp, 0x504d, &data);
}

static void pad_to(struct str *s, size_t size)
{
	while (s->len < size)
		str_addc(s, '\0');
}

static void put_headers(const struct pewriter *w, const struct place p[3],
			struct str *out)
{
	str_add(out, "MZ");
	pad_to(out, 0x3c);
	put_le(out, 0x80, 4);
	pad_to(out, 0x80);
	put_le(out, 0x4550, 4);
	put_le(out, w->pe64 ? 0x8664 : 0x14c, 2);
	put_le(out, 3, 2);
	put_le(out, PEWRITER_STAMP, 4);
	put_le(out, 0, 8);
	size_t fixed = w->pe64 ? 112 : 96;
	put_le(out, fixed + 16 * 8, 2);
	put_le(out, 0x2022, 2);
	size_t start = out->len;
	put_le(out, w->pe64 ? 0x20b : 0x10b, 2);
	pad_to(out, start + 56);
	put_le(out, 0x8000, 4);
	pad_to(out, start + fixed - 4);
	put_le(out, 16, 4);
	pad_to(out, start + fixed + 6 * 8);
	put_le(out, w->n_debug ? RVA_DEBUG : 0, 4);
	put_le(out, w->debug.len, 4);
	pad_to(out, start + fixed + 14 * 8);
	put_le(out, RVA_HEADER, 4);
	put_le(out, 72, 4);
	pad_to(out, start + fixed + 16 * 8);
	for (int i = 0; i < 3; i++) {
		str_addn(out, ".text\0\0\0", 8);
		put_le(out, p[i].size, 4);
		put_le(out, p[i].rva, 4);
		put_le(out, p[i].size, 4);
		put_le(out, p[i].offset, 4);
		put_le(out, 0, 16);
	}
}

static void put_cli(const struct pewriter *w, struct str *s)
{
	put_le(s, 72, 4);
	put_le(s, 0x00050002, 4);
	put_le(s, RVA_METADATA, 4);
	put_le(s, w->metadata.n, 4);
	put_le(s, 1, 4);
	if (w->bodies.len > PEWRITER_NATIVE - PEWRITER_BODIES) {
		pad_to(s, 64);
		put_le(s, PEWRITER_NATIVE, 4);
		put_le(s, NATIVE_HEADER, 4);
	}
	pad_to(s, 0x100);
	str_addn(s, str_get(&w->debug), w->debug.len);
	pad_to(s, 0x200);
	str_addn(s, str_get(&w->data), w->data.len);
}

void pewriter_native(struct pewriter *w)
{
	// Small numbers are written doubled; three left branches end the tree.
	static const uint8_t methods[] = {
	    18 << 2 << 1,
	    2,
	    4, /* 18 elements, their two blocks */
	    5 << 2 << 1,
	    1 << 1 << 1, /* a lone leaf: function 1 */
	    1 << 1,
	    1 << 1,
	    1 << 1,
	    (2 << 2 | 3) << 1, /* two leaves, the right one 2 bytes on */
	    1 << 1,
	    2 << 1 << 1, /* function 0 with fixups, 2 */
	};
	const uint32_t header[] = {
	    0x00525452,
	    9,
	    0,
	    2,
	    102,
	    PEWRITER_NATIVE + NATIVE_HEADER,
	    36,
	    103,
	    PEWRITER_NATIVE + NATIVE_HEADER + 36,
	    sizeof(methods),
	};
	const uint32_t functions[] = {0x111, 0x120, 0,     0x222, 0x230,
				      0,     0x333, 0x340, 0};

	pad_to(&w->bodies, PEWRITER_NATIVE - PEWRITER_BODIES);
	for (size_t i = 0; i < sizeof(header) / 4; i++)
		put_le(&w->bodies, header[i], 4);
	for (size_t i = 0; i < sizeof(functions) / 4; i++)
		put_le(&w->bodies, functions[i], 4);
	str_addn(&w->bodies, (const char *)methods, sizeof(methods));
}

struct bytes pewriter_build(const struct pewriter *w)
{
	_cleanup_str_ struct str first = {NULL, 0, 0};
	struct str out = {NULL, 0, 0};
	struct place p[3] = {{.rva = RVA_HEADER},
			     {.rva = RVA_METADATA},
			     {.rva = PEWRITER_BODIES}};

	put_cli(w, &first);
	p[0].size = (uint32_t)first.len;
	p[1].size = (uint32_t)w->metadata.n;
	p[2].size = (uint32_t)w->bodies.len;
	p[0].offset = FILE_HEADER;
	p[1].offset = p[0].offset + p[0].size;
	p[2].offset = p[1].offset + p[1].size;
	put_headers(w, p, &out);
	pad_to(&out, w->mapped ? p[0].rva : p[0].offset);
	str_addn(&out, str_get(&first), first.len);
	pad_to(&out, w->mapped ? p[1].rva : p[1].offset);
	str_addn(&out, (const char *)w->metadata.p, w->metadata.n);
	pad_to(&out, w->mapped ? p[2].rva : p[2].offset);
	str_addn(&out, str_get(&w->bodies), w->bodies.len);
	return (struct bytes){(const uint8_t *)out.s, out.len};
}
