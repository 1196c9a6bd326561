/* What the settings say of symbols: for which modules, where, how exact. */
#ifndef CODE_SYMBOLS_H
#define CODE_SYMBOLS_H

#include <stdbool.h>

struct symbol_rules {
	char *dirs;    /* to search, with ':' between; NULL: none */
	char *modules; /* see symbol_rules_look; NULL: all */
	bool exact;    /* a source file must be the one that was compiled */
	bool at_brace; /* a method begins at the brace that opens its body */
};

void symbol_rules_deinit(struct symbol_rules *r);

/* Where a module's symbols are looked for. */
enum symbol_look {
	SYMBOL_LOOK_ALL,
	SYMBOL_LOOK_BESIDE, /* not in the directories to search */
	SYMBOL_LOOK_NONE,
};

/*
 * What @r->modules says of the file @module: patterns (`*`, `?`; case does not
 * count) with commas between. With "!" in front all but these are looked for,
 * with "+" others beside themselves only.
 */
enum symbol_look symbol_rules_look(const struct symbol_rules *r,
				   const char *module);

#endif
