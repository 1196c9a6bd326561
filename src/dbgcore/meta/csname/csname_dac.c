/*
 * Converts the DAC's type names to C#. They are written as by reflection: with
 * assemblies, arity, and '+' before nested types.
 */
#include <string.h>

#include "base/mem.h"
#include "meta/csname/csname_priv.h"

enum {
	MAX_DEPTH = 32,
	MAX_ARGS = 64,
};

struct dac_parser {
	const char *p;
	struct arena *tmp;
	unsigned int depth;
	bool bad;
};

static const char *parse_type(struct dac_parser *d);

// Up to a character with a meaning; a backslash takes it from the next.
static const char *parse_name(struct dac_parser *d)
{
	_cleanup_str_ struct str name = {NULL, 0, 0};

	while (*d->p && !strchr("[],*&", *d->p)) {
		if (*d->p == '\\' && d->p[1])
			d->p++;
		str_addc(&name, *d->p++);
	}
	if (!name.len || name.len > CSNAME_MAX)
		d->bad = true;
	return arena_strdup(d->tmp, str_get(&name));
}

static bool char_take(struct dac_parser *d, char c)
{
	if (*d->p != c)
		return false;
	d->p++;
	return true;
}

// "[type, assembly...]" or a bare type.
static const char *parse_arg(struct dac_parser *d)
{
	if (!char_take(d, '['))
		return parse_type(d);
	const char *arg = parse_type(d);
	d->p += strcspn(d->p, "[]");
	if (!char_take(d, ']'))
		d->bad = true;
	return arg;
}

static size_t parse_args(struct dac_parser *d, const char *args[MAX_ARGS])
{
	size_t n = 0;

	// "[]", "[,]" and "[*]" are arrays.
	if (*d->p != '[' || strchr("],*", d->p[1]))
		return 0;
	d->p++;
	do {
		while (char_take(d, ' '))
			;
		if (n == MAX_ARGS) {
			d->bad = true;
			return 0;
		}
		args[n++] = parse_arg(d);
	} while (!d->bad && char_take(d, ','));
	if (!char_take(d, ']'))
		d->bad = true;
	return n;
}

// Reflection writes the innermost rank first, C# the outermost.
static void put_ranks(struct dac_parser *d, struct str *out)
{
	const char *ranks[MAX_DEPTH];
	size_t sizes[MAX_DEPTH], n = 0;

	while (*d->p == '[') {
		size_t size = 1 + strspn(d->p + 1, ",*");

		if (d->p[size] != ']' || n == MAX_DEPTH) {
			d->bad = true;
			return;
		}
		ranks[n] = d->p;
		sizes[n++] = size + 1;
		d->p += size + 1;
	}
	while (n--)
		str_addn(out, ranks[n], sizes[n]);
}

static const char *parse_type(struct dac_parser *d)
{
	_cleanup_str_ struct str text = {NULL, 0, 0};
	const char *args[MAX_ARGS];

	if (++d->depth > MAX_DEPTH) {
		d->bad = true;
		return "";
	}
	const char *name = parse_name(d);
	size_t n_args = d->bad ? 0 : parse_args(d, args);
	if (d->bad)
		return "";
	struct namer n = {.tmp = d->tmp, .out = &text, .limit = CSNAME_MAX};
	namer_put_instance(&n, name, args, n_args, true);
	bool byref = false;
	while (!d->bad && *d->p && strchr("[*&", *d->p)) {
		if (char_take(d, '*'))
			str_addc(&text, '*');
		else if (char_take(d, '&'))
			byref = true;
		else
			put_ranks(d, &text);
	}
	d->depth--;
	return arena_printf(d->tmp, "%s%s", byref ? "ref " : "",
			    str_get(&text));
}

void csname_from_dac(const char *dac_name, struct str *out)
{
	struct dac_parser d = {.p = dac_name, .tmp = arena_create()};
	const char *text = parse_type(&d);

	str_add(out, d.bad || *d.p ? dac_name : text);
	arena_destroy(d.tmp);
}
