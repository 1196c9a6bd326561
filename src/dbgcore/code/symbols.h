/* The settings for symbols: for which modules, where, and how exactly. */
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

/* Where to look for a module's symbols. */
enum symbol_look {
	SYMBOL_LOOK_ALL,
	SYMBOL_LOOK_BESIDE, /* not in the directories to search */
	SYMBOL_LOOK_NONE,
};

/*
 * What the setting @r->modules says about the module with the file name
 * @module. It is a list of patterns with commas between (`*`, `?`; ignoring
 * case): modules that match are looked for. With "!" in front, all but these;
 * with "+" in front, the others beside their files only.
 */
enum symbol_look symbol_rules_look(const struct symbol_rules *r,
				   const char *module);

#endif
