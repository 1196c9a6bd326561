#include "mdwriter.h"

#include <stdarg.h>
#include <string.h>

void put_le(struct str *s, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		str_addc(s, i < 8 ? (char)(value >> (8 * i)) : 0);
}

void put_cuint(struct str *s, uint32_t value)
{
	if (value < 0x80) {
		str_addc(s, (char)value);
	} else if (value < 0x4000) {
		str_addc(s, (char)(0x80 | value >> 8));
		str_addc(s, (char)value);
	} else {
		str_addc(s, (char)(0xc0 | value >> 24));
		str_addc(s, (char)(value >> 16));
		str_addc(s, (char)(value >> 8));
		str_addc(s, (char)value);
	}
}

void put_cint(struct str *s, int32_t value)
{
	uint32_t sign = value < 0;
	uint32_t bits = (uint32_t)value << 1;

	if (value >= -0x40 && value < 0x40) {
		put_cuint(s, (bits & 0x7e) | sign);
	} else if (value >= -0x2000 && value < 0x2000) {
		bits = (bits & 0x3ffe) | sign;
		str_addc(s, (char)(0x80 | bits >> 8));
		str_addc(s, (char)bits);
	} else {
		bits = (bits & 0x1ffffffe) | sign;
		str_addc(s, (char)(0xc0 | bits >> 24));
		str_addc(s, (char)(bits >> 16));
		str_addc(s, (char)(bits >> 8));
		str_addc(s, (char)bits);
	}
}

void mdwriter_init(struct mdwriter *w)
{
	memset(w, 0, sizeof(*w));
	str_addc(&w->strings, '\0');
	str_addc(&w->blobs, '\0');
	str_addc(&w->us, '\0');
}

void mdwriter_deinit(struct mdwriter *w)
{
	str_deinit(&w->strings);
	str_deinit(&w->blobs);
	str_deinit(&w->guids);
	str_deinit(&w->us);
	for (int i = 0; i < 64; i++)
		str_deinit(&w->rows[i]);
}

uint32_t mdwriter_string(struct mdwriter *w, const char *s)
{
	uint32_t offset = (uint32_t)w->strings.len;

	str_addn(&w->strings, s, strlen(s) + 1);
	return offset;
}

uint32_t mdwriter_blob(struct mdwriter *w, const void *p, size_t n)
{
	uint32_t offset = (uint32_t)w->blobs.len;

	put_cuint(&w->blobs, (uint32_t)n);
	str_addn(&w->blobs, p, n);
	return offset;
}

uint32_t mdwriter_guid(struct mdwriter *w, const uint8_t guid[16])
{
	str_addn(&w->guids, (const char *)guid, 16);
	return (uint32_t)(w->guids.len / 16);
}

uint32_t mdwriter_us(struct mdwriter *w, const char *ascii)
{
	uint32_t offset = (uint32_t)w->us.len;

	put_cuint(&w->us, (uint32_t)strlen(ascii) * 2 + 1);
	for (; *ascii; ascii++)
		put_le(&w->us, (uint8_t)*ascii, 2);
	str_addc(&w->us, '\0');
	return offset;
}

uint32_t mdwriter_row(struct mdwriter *w, unsigned int table,
		      const char *widths, ...)
{
	va_list ap;

	va_start(ap, widths);
	for (; *widths; widths++)
		put_le(&w->rows[table], va_arg(ap, uint32_t),
		       (unsigned int)(*widths - '0'));
	va_end(ap);
	return ++w->n_rows[table];
}

static void tables_stream(const struct mdwriter *w, struct str *s)
{
	uint64_t valid = 0;

	for (int i = 0; i < 64; i++)
		if (w->n_rows[i])
			valid |= UINT64_C(1) << i;
	put_le(s, 0, 4);
	put_le(s, 2, 2);
	str_addc(s, (char)w->heap_sizes);
	str_addc(s, 1);
	put_le(s, valid, 8);
	put_le(s, w->sorted, 8);
	for (int i = 0; i < 64; i++)
		if (w->n_rows[i])
			put_le(s, w->n_rows[i], 4);
	for (int i = 0; i < 64; i++)
		str_addn(s, str_get(&w->rows[i]), w->rows[i].len);
}

static void pdb_stream(const struct mdwriter *w, struct str *s)
{
	uint64_t referenced = 0;

	for (int i = 0; i < 64; i++)
		if (w->external[i])
			referenced |= UINT64_C(1) << i;
	str_addn(s, (const char *)w->pdb_id, 20);
	put_le(s, 0, 4);
	put_le(s, referenced, 8);
	for (int i = 0; i < 64; i++)
		if (w->external[i])
			put_le(s, w->external[i], 4);
}

static void pad(struct str *s)
{
	while (s->len % 4)
		str_addc(s, '\0');
}

struct bytes mdwriter_build(const struct mdwriter *w)
{
	static const char *const names[] = {"#~",    "#Strings", "#US",
					    "#GUID", "#Blob",    "#Pdb"};
	_cleanup_str_ struct str tables = {NULL, 0, 0};
	_cleanup_str_ struct str pdb = {NULL, 0, 0};
	struct str out = {NULL, 0, 0};
	const struct str *streams[] = {&tables,   &w->strings, &w->us,
				       &w->guids, &w->blobs,   &pdb};
	unsigned int n = w->pdb ? 6 : 5;

	tables_stream(w, &tables);
	pdb_stream(w, &pdb);
	put_le(&out, 0x424a5342, 4);
	put_le(&out, 0x00010001, 4);
	put_le(&out, 0, 4);
	put_le(&out, 12, 4);
	str_addn(&out, "v4.0.30319\0\0", 12);
	put_le(&out, 0, 2);
	put_le(&out, n, 2);
	size_t offset = out.len;
	for (unsigned int i = 0; i < n; i++)
		offset += 8 + (strlen(names[i]) / 4 + 1) * 4;
	for (unsigned int i = 0; i < n; i++) {
		put_le(&out, offset, 4);
		put_le(&out, streams[i]->len, 4);
		str_addn(&out, names[i], strlen(names[i]) + 1);
		pad(&out);
		offset += (streams[i]->len + 3) & ~(size_t)3;
	}
	for (unsigned int i = 0; i < n; i++) {
		str_addn(&out, str_get(streams[i]), streams[i]->len);
		pad(&out);
	}
	return (struct bytes){(const uint8_t *)out.s, out.len};
}
