/* Functions, types and static fields of a module by patterns. */
#ifndef CODE_SEARCH_H
#define CODE_SEARCH_H

#include "code/code.h"

struct arena;
struct pattern;

struct code_search {
	enum dbg_symbol_kind kind;
	const struct pattern *name, *type; /* NULL: any */
	const volatile int *interrupted;   /* not 0: break off */
};

/*
 * Find the symbols of @m that match the search (up to a cap), by name, in
 * @arena; fewer if it is interrupted.
 */
void code_search(struct code *c, struct code_module *m,
		 const struct code_search *search, struct arena *arena,
		 struct dbg_symbol **ret, size_t *ret_n);

#endif
