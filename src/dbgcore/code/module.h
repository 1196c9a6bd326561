/* The settings for symbols: for which modules, where, and how exactly. */
#ifndef CODE_MODULE_H
#define CODE_MODULE_H

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

#endif
