/* Output as lines: what escape sequences (ECMA-48) do to them is left out. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/utf8.h"
#include "report/lastoutput.h"

enum {
	ESCAPE = 0x1b,
	BELL = 7
};

/* The bytes of the escape sequence at @s, of which there are @n. */
static size_t escape_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 2)
		return n;
	switch (s[1]) {
	case '[': // CSI: parameters, then a byte from '@' to '~'
		while (i < n && !(s[i] >= '@' && s[i] <= '~'))
			i++;
		return i < n ? i + 1 : n;
	case ']': // OSC: up to BEL or ESC '\'
		while (i < n && s[i] != BELL && s[i] != ESCAPE)
			i++;
		i += i < n && s[i] == ESCAPE;
		return i < n ? i + 1 : n;
	default: // intermediate bytes, then a last one
		i = 1;
		while (i < n && s[i] >= ' ' && s[i] <= '/')
			i++;
		return i < n ? i + 1 : n;
	}
}

static const char *clean(const char *s, size_t n, struct arena *arena)
{
	_cleanup_str_ struct str raw = {0}, line = {0};
	size_t length;

	while (n && s[n - 1] == '\r')
		n--;
	for (size_t i = 0; i < n; i += length) {
		length = s[i] == ESCAPE ? escape_length(s + i, n - i) : 1;
		if (s[i] == '\r')
			str_clear(&raw);
		else if (s[i] && s[i] != ESCAPE)
			str_addc(&raw, s[i]);
	}
	bool cut = raw.len > OUTPUT_LINE_MAX;
	utf8_add(&line, str_get(&raw), cut ? OUTPUT_LINE_MAX : raw.len);
	if (cut)
		str_add(&line, "...");
	return arena_strdup(arena, str_get(&line));
}

const char **output_lines(const char *text, size_t n, unsigned int max,
			  struct arena *arena, size_t *ret_n)
{
	const char **list = arena_calloc(arena, max + 1, sizeof(*list));
	size_t first = max;
	bool more = n > 0;

	if (n && text[n - 1] == '\n')
		n--;
	while (more && first) {
		const char *end = memrchr(text, '\n', n);
		size_t from = end ? (size_t)(end - text) + 1 : 0;

		list[--first] = clean(text + from, n - from, arena);
		more = end;
		n = from ? from - 1 : 0;
	}
	*ret_n = max - first;
	return list + first;
}
