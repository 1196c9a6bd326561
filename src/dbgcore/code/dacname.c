/*
 * Method names as the DAC spells them: "Ns.Type`1[[A, asm]].M[[B, asm]](A)".
 * A group of arguments in front of a '.' or '+' is the type's, one at the
 * end the method's.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"

// Behind the ']' that closes the '[' at @p; the end if none does.
static const char *skip_group(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '[')
			depth++;
		else if (*p == ']' && !--depth)
			return p + 1;
	}
	return p;
}

// The type in "[Ns.Type`1[[...]], Assembly, ...]" without brackets and
// assembly, as C#; NULL for the runtime's placeholder of shared code.
static const char *arg_name(const char *p, struct arena *arena)
{
	_cleanup_str_ struct str name = {0};
	const char *end = ++p;

	while (*end && *end != ',' && *end != ']') {
		if (*end == '[')
			end = skip_group(end);
		else
			end += *end == '\\' && end[1] ? 2 : 1;
	}
	const char *dac = arena_strndup(arena, p, (size_t)(end - p));
	if (strstr(dac, "System.__Canon"))
		return NULL;
	csname_from_dac(dac, &name);
	return arena_strdup(arena, str_get(&name));
}

// The arguments in the group "[[...],[...]]" at @p.
static void read_group(const char *p, struct arena *arena,
		       struct dacname_args *ret)
{
	ret->n = 0;
	p++;
	while (*p == '[' && ret->n < DACNAME_MAX_ARGS) {
		ret->args[ret->n++] = arg_name(p, arena);
		p = skip_group(p);
		p += strspn(p, ", ");
	}
}

void dacname_args(const char *dac, struct arena *arena,
		  struct dacname_args *type, struct dacname_args *method)
{
	type->n = method->n = 0;
	while (*dac && *dac != '(') {
		if (*dac != '[') {
			dac++;
			continue;
		}
		const char *end = skip_group(dac);
		bool last = !*end || *end == '(';
		if (dac[1] == '[')
			read_group(dac, arena, last ? method : type);
		dac = end;
	}
}

// The end of a parameter: a ',' or ')' outside of brackets.
static const char *param_end(const char *p)
{
	while (*p && *p != ',' && *p != ')')
		p = *p == '[' ? skip_group(p) : p + 1;
	return p;
}

// One parameter's type; the DAC leaves out the namespace of primitives.
static void put_param(const char *dac, struct str *name)
{
	_cleanup_free_ char *full = xasprintf("System.%s", dac);
	const char *keyword = csname_keyword(full);

	if (keyword)
		str_add(name, keyword);
	else
		csname_from_dac(dac, name);
}

const char *dacname_csharp(const char *dac, struct arena *arena)
{
	_cleanup_str_ struct str name = {0};
	const char *p = dac + strcspn(dac, "(");

	str_addn(&name, dac, (size_t)(p - dac));
	while (*p && *p != ')') {
		str_addc(&name, *p++);
		while (*p == ' ')
			str_addc(&name, *p++);
		const char *end = param_end(p);
		put_param(arena_strndup(arena, p, (size_t)(end - p)), &name);
		p = end;
	}
	str_add(&name, p);
	return arena_strdup(arena, str_get(&name));
}
