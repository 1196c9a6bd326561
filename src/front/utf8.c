/* Decodes UTF-8, by the table of the Unicode standard. */
#include "front/utf8.h"

struct utf8_lead {
	unsigned char from, to;  /* of the first byte */
	unsigned char low, high; /* of the second */
	unsigned char size;
};

// The Unicode standard, table 3-7: no overlong forms, no surrogates.
static const struct utf8_lead leads[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4},
};

size_t utf8_length(const char *s, size_t n, bool *ret_cut)
{
	const unsigned char *p = (const unsigned char *)s;
	const struct utf8_lead *lead = NULL;

	*ret_cut = false;
	for (size_t i = 0; n && !lead && i < sizeof(leads) / sizeof(*leads);
	     i++)
		if (p[0] >= leads[i].from && p[0] <= leads[i].to)
			lead = &leads[i];
	if (!lead)
		return 0;
	for (size_t i = 1; i < lead->size; i++) {
		if (i == n) {
			*ret_cut = true;
			return 0;
		}
		unsigned char low = i == 1 ? lead->low : 0x80;
		unsigned char high = i == 1 ? lead->high : 0xbf;
		if (p[i] < low || p[i] > high)
			return 0;
	}
	return lead->size;
}

uint32_t utf8_code(const char *s, size_t n)
{
	uint32_t code = (unsigned char)*s;

	if (n > 1)
		code &= 0x7fu >> n;
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)s[i] & 0x3f);
	return code;
}

void utf8_add(struct str *t, const char *s, size_t n)
{
	bool cut;

	while (n) {
		size_t size = utf8_length(s, n, &cut);

		if (size)
			str_addn(t, s, size);
		else
			str_add(t, "\xef\xbf\xbd");
		s += size ? size : 1;
		n -= size ? size : 1;
	}
}
