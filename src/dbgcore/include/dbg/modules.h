/* dbg.h: modules, their sources, and locations in them. */
#ifndef DBG_MODULES_H
#define DBG_MODULES_H

#include "dbg/stopped.h"

struct dbg_location;
struct dbg_place;
struct dbg_source_range;

enum dbg_symbols {
	DBG_SYMBOLS_NONE, /* looked for, not found */
	DBG_SYMBOLS_LOADED,
	DBG_SYMBOLS_MISMATCH, /* a PDB of another build lies there */
	DBG_SYMBOLS_WINDOWS,  /* a Windows (non-portable) PDB */
	DBG_SYMBOLS_BROKEN,
};

struct dbg_module {
	uint32_t number;
	const char *name;    /* file name */
	const char *path;    /* NULL: loaded from memory */
	const char *version; /* "1.0.0.0", NULL: no assembly */
	const char *mvid;    /* of this build, 8-4-4-4-12 digits; NULL: none */
	/*
	 * name of the AssemblyLoadContext, where module names alone are
	 * ambiguous; or NULL
	 */
	const char *context;
	uint64_t base;
	uint64_t size;
	bool optimized; /* built without DisableOptimizations */
	bool framework; /* by its name, not the user's own */
	bool user;      /* the user's code as Just My Code has it */
	enum dbg_symbols symbols;
	const char *symbols_note; /* path of the PDB, or why none */
};

/*
 * List the modules, also while the program runs. Strings belong to the session
 * until the module is gone.
 */
DBG_MUST struct dbg_error *dbg_module_list(struct dbg *dbg, struct arena *arena,
					   struct dbg_module **ret,
					   size_t *ret_n);

/*
 * Text of a source file (any name a location accepts), from disk after
 * substitute-path or embedded in the PDB. Lines without their ends; line 1
 * first. The cache is the session's; *ret_note says if the checksum differs.
 */
DBG_MUST struct dbg_error *dbg_source_lines(struct dbg *dbg, const char *file,
					    const char *const **ret_lines,
					    size_t *ret_n,
					    const char **ret_note);

/* Facts about a source file, whose path is exactly as symbols have it. */
struct dbg_source_origin {
	const char *module; /* whose symbols do, the first; NULL: none */
	bool here;          /* dbg_source_lines can read it */
	bool away;          /* substitute-path leads to a folder not here */
};
void dbg_source_origin(struct dbg *dbg, const char *path,
		       struct dbg_source_origin *ret);

/*
 * Find the locations that a place means, compiled or not; at least one, else an
 * error. Also for a program that does not run yet (dbg_program).
 */
DBG_MUST struct dbg_error *dbg_locate(struct dbg *dbg, dbg_id frame,
				      const struct dbg_place *place,
				      struct arena *arena,
				      struct dbg_location **ret, size_t *ret_n);

struct dbg_scope_name {
	const char *name;
	const char *type; /* C#; "": not known */
	bool argument;
};

/*
 * List the arguments and variables in scope at the first location of @place,
 * from symbols; also for a program that does not run yet.
 */
DBG_MUST struct dbg_error *dbg_scope_names(struct dbg *dbg, dbg_id frame,
					   const struct dbg_place *place,
					   struct arena *arena,
					   struct dbg_scope_name **ret,
					   size_t *ret_n);

/*
 * List the locations of @place that dbg_goto can go to, with their addresses;
 * an error that says why if there is none.
 */
DBG_MUST struct dbg_error *dbg_goto_list(struct dbg_stopped at, uint32_t thread,
					 const struct dbg_place *place,
					 struct arena *arena,
					 struct dbg_location **ret,
					 size_t *ret_n);

/*
 * List where statements begin in the lines @first .. @last of a source file, in
 * order; also while the program runs. The paths in *ret are NULL.
 */
DBG_MUST struct dbg_error *dbg_source_points(struct dbg *dbg, const char *file,
					     uint32_t first, uint32_t last,
					     struct arena *arena,
					     struct dbg_source_range **ret,
					     size_t *ret_n);

/*
 * Paths of all source files of a module (a number; 0: all modules), sorted;
 * likewise.
 */
DBG_MUST struct dbg_error *dbg_source_list(struct dbg *dbg, uint32_t module,
					   struct arena *arena,
					   const char ***ret, size_t *ret_n);

#endif
