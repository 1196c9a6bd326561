/* Base64 of RFC 4648, in which `readMemory` and `writeMemory` have bytes. */
#include "dap/wire/base64.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	char *ret = xcalloc(n / 3 + 2, 4);
	char *out = ret;

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)p[i] << 16;
		if (i + 1 < n)
			v |= (uint32_t)p[i + 1] << 8;
		if (i + 2 < n)
			v |= p[i + 2];
		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = i + 1 < n ? digits[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? digits[v & 63] : '=';
	}
	return ret;
}

bool base64_decode(const char *s, unsigned char **ret, size_t *ret_n)
{
	size_t len = strlen(s);
	size_t n = 0;

	if (len % 4)
		return false;
	while (len && s[len - 1] == '=' && strlen(s) - len < 2)
		len--;
	unsigned char *out = xcalloc(len + 1, 1);
	uint32_t v = 0;
	for (size_t i = 0; i < len; i++) {
		const char *digit = s[i] ? strchr(digits, s[i]) : NULL;
		if (!digit) {
			free(out);
			return false;
		}
		v = v << 6 | (uint32_t)(digit - digits);
		if (i % 4)
			out[n++] = (unsigned char)(v >> (6 - i % 4 * 2));
	}
	*ret = out;
	*ret_n = n;
	return true;
}
