/* Format specifiers; see form.h. */
#include "view/form.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNT_MAX = 1000000
};

#define NO_FLAG SIZE_MAX

struct specifier {
	const char *name;
	size_t flag; /* offset of a bool in struct form, or NO_FLAG */
	char letter;
};

static const struct specifier specifiers[] = {
    {"raw", offsetof(struct form, raw), 0},
    {"nq", offsetof(struct form, bare), 0},
    {"hidden", offsetof(struct form, hidden), 0},
    {"results", offsetof(struct form, results), 0},
    {"h", NO_FLAG, 'H'},
    {"x", NO_FLAG, 'H'},
    {"d", NO_FLAG, 'd'},
    {"b", NO_FLAG, 'b'},
    // what these ask for is always so
    {"ac", NO_FLAG, 0},
    {"nse", NO_FLAG, 0},
};

static bool specifier_take(const char *word, size_t n, struct form *ret)
{
	for (size_t i = 0; i < sizeof(specifiers) / sizeof(specifiers[0]);
	     i++) {
		const struct specifier *s = &specifiers[i];
		if (strlen(s->name) != n || strncmp(s->name, word, n))
			continue;
		if (s->letter)
			ret->letter = s->letter;
		if (s->flag != NO_FLAG)
			*(bool *)((char *)ret + s->flag) = true;
		return true;
	}
	size_t digits = 0;
	while (digits < n && isdigit((unsigned char)word[digits]))
		digits++;
	unsigned long count = digits == n && n ? strtoul(word, NULL, 10) : 0;
	if (!count || count > COUNT_MAX)
		return false;
	ret->count = (uint32_t)count;
	return true;
}

/* The last comma of @text[0, @n) outside of brackets and quotes; @n: none. */
static size_t last_comma(const char *text, size_t n)
{
	size_t found = n;
	int depth = 0;
	char quote = 0;
	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (quote) {
			if (c == '\\')
				i++;
			else if (c == quote)
				quote = 0;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (strchr("([{", c)) {
			depth++;
		} else if (strchr(")]}", c)) {
			depth--;
		} else if (c == ',' && depth == 0) {
			found = i;
		}
	}
	return found;
}

size_t form_parse(const char *text, struct form *ret)
{
	size_t n = strlen(text);
	memset(ret, 0, sizeof(*ret));
	for (;;) {
		size_t comma = last_comma(text, n);
		size_t from = comma + 1, end = n;
		if (comma == n)
			return n;
		while (from < end && isspace((unsigned char)text[from]))
			from++;
		while (end > from && isspace((unsigned char)text[end - 1]))
			end--;
		if (!specifier_take(text + from, end - from, ret))
			return n;
		n = comma;
	}
}
