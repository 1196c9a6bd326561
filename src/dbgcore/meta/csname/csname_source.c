/*
 * Names the C# and VB compilers make, and the author's name inside them
 * (Roslyn's GeneratedNames): "<inner>Krest", where K tells the kind.
 */
#include <string.h>

#include "base/mem.h"
#include "meta/csname/csname_priv.h"

bool made_name_parse(const char *name, struct made_name *ret)
{
	size_t depth = 0;

	if (*name != '<')
		return false;
	for (size_t i = 0; name[i] && i < CSNAME_MAX; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && !--depth) {
			ret->inner = name + 1;
			ret->inner_len = i - 1;
			ret->kind = name[i + 1];
			ret->rest = name + i + 1 + !!ret->kind;
			return true;
		}
	}
	return false;
}

size_t csname_file_prefix(const char *name)
{
	struct made_name m;

	if (!made_name_parse(name, &m) || m.kind != 'F' ||
	    strspn(m.rest, "0123456789ABCDEF") != 64 ||
	    strncmp(m.rest + 64, "__", 2))
		return 0;
	return (size_t)(m.rest - name) + 66;
}

static const char *cut(struct arena *arena, const char *s, size_t len)
{
	return len ? arena_strndup(arena, s, len) : NULL;
}

static const char *vb_name(struct arena *arena, const char *name)
{
	static const char local[] = "$VB$Local_";
	static const char hoisted[] = "$VB$ResumableLocal_";

	if (!strcmp(name, "$VB$Me"))
		return "this";
	if (str_starts(name, local))
		return name + sizeof(local) - 1;
	if (str_starts(name, hoisted)) {
		name += sizeof(hoisted) - 1;
		const char *end = strrchr(name, '$');

		return cut(arena, name, end ? (size_t)(end - name) : 0);
	}
	return NULL;
}

const char *csname_source_name(struct arena *arena, const char *name)
{
	struct made_name m;

	if (!strncmp(name, "$VB$", 4))
		return vb_name(arena, name);
	// Closures kept in locals, and what else has no source.
	if (!strncmp(name, "CS$", 3) || strchr(name, '$'))
		return NULL;
	if (!made_name_parse(name, &m))
		return *name ? name : NULL;
	switch (m.kind) {
	case '4': // <>4__this
		return m.inner_len ? NULL : "this";
	case '5': // <x>5__2, a hoisted local
	case 'P': // <x>P, a captured parameter of a primary constructor
	case 'i': // <X>i__Field of an anonymous type
	case 'k': // <X>k__BackingField
		return cut(arena, m.inner, m.inner_len);
	}
	return NULL;
}
