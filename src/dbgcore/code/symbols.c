/*
 * Where symbols are looked for: the settings `debug-file-directory` and
 * `symbol-modules`, which selects modules by patterns.
 */
#include "code/symbols.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void symbol_rules_deinit(struct symbol_rules *r)
{
	free(r->dirs);
	free(r->modules);
	*r = (struct symbol_rules){0};
}

static bool matches(const char *pattern, size_t n, const char *module)
{
	_cleanup_free_ char *one = xstrndup(pattern, n);

	return fnmatch(one, module, FNM_CASEFOLD) == 0;
}

// Is @module one of the patterns in @list?
static bool is_named(const char *list, const char *module)
{
	while (*list) {
		list += strspn(list, ", ");
		size_t n = strcspn(list, ",");
		size_t end = n;
		while (end && list[end - 1] == ' ')
			end--;
		if (end && matches(list, end, module))
			return true;
		list += n;
	}
	return false;
}

enum symbol_look symbol_rules_look(const struct symbol_rules *r,
				   const char *module)
{
	const char *list = r && r->modules ? r->modules : "";

	list += strspn(list, " ");
	if (!*list)
		return SYMBOL_LOOK_ALL;
	if (*list == '!')
		return is_named(list + 1, module) ? SYMBOL_LOOK_NONE
						  : SYMBOL_LOOK_ALL;
	bool others = *list == '+';
	if (is_named(list + others, module))
		return SYMBOL_LOOK_ALL;
	return others ? SYMBOL_LOOK_BESIDE : SYMBOL_LOOK_NONE;
}
