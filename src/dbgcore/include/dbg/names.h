/* dbg.h: what the metadata of the program's modules names, by pattern. */
#ifndef DBG_NAMES_H
#define DBG_NAMES_H

#include "dbg/error.h"

enum dbg_symbol_kind {
	DBG_SYMBOL_FUNCTION,
	DBG_SYMBOL_TYPE,
	DBG_SYMBOL_VARIABLE, /* a static field */
};

struct dbg_symbol_req {
	enum dbg_symbol_kind kind;
	/*
	 * pcre2 of which a match is looked for in the name (of a function
	 * without its parameter list, then with it); NULL: any.
	 */
	const char *name;
	const char *type;   /* pcre2 for dbg_symbol.type likewise; NULL: any */
	const char *module; /* file name, ".dll" may be missing; NULL: all */
	bool own;           /* leave out symbols of the framework's modules */
	bool debug;         /* only symbols of modules with debug symbols */
	size_t first, max;  /* page: so many are left out, at most so many */
};

struct dbg_symbol {
	const char *name; /* "Ns.Type.Method", "Ns.Type", "Ns.Type.field" */
	const char *type; /* "int (string, T)", "class", "int[]" */
	const char *text; /* declaration: "static int Ns.Type.M(string)" */
	const char *file; /* as in dbg_location; NULL: no symbols */
	uint32_t line;    /* where a function begins; else 0 */
	uint32_t module;  /* dbg_module.number */
	const char *module_name;
	uint32_t token; /* MethodDef, TypeDef or Field */
};

struct dbg_symbol_page {
	struct dbg_symbol *symbols;
	size_t n;
	bool more; /* others follow */
};

/*
 * Symbols in order of their modules, within one of their names; what only the
 * compiler named is left out, an async method or iterator is one function. Also
 * while the program runs. DBG_E_ARGUMENT: a pattern is malformed;
 * DBG_E_NOT_FOUND: no such module.
 */
DBG_MUST struct dbg_error *dbg_symbol_search(struct dbg *dbg,
					     const struct dbg_symbol_req *req,
					     struct arena *arena,
					     struct dbg_symbol_page *ret);

#endif
