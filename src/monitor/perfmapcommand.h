/*
 * Names of a program's code by address, as `dndbg perfmap` writes them and
 * `dndbg perf-script` uses them: "Ns.Type.Method(int) [tier 1]".
 */
#ifndef MONITOR_PERFMAPCOMMAND_H
#define MONITOR_PERFMAPCOMMAND_H

#include "base/map.h"
#include "dbg.h"

struct code_names_range {
	uint64_t start, end;
	const char *name; /* foreign text, of one line */
};

/* A part of a file that a process has mapped. */
struct code_mapping {
	uint64_t start, end, offset;
	const char *path;
};

struct code_names {
	struct arena *arena;
	struct code_names_range *v; /* by address */
	size_t n, cap;
	size_t jit, precompiled, stubs; /* how many of each kind */
	bool in_file;                   /* as dbg_code_list() tells */
	struct code_mapping *mappings;
	size_t n_mappings, cap_mappings;
	struct dbg *dbg;  /* is asked for what is not there; or NULL */
	struct map asked; /* by address: a range, or one without a name */
};

void code_names_deinit(struct code_names *c);
/*
 * Read names from a file in perf's format: lines "START SIZE NAME", the numbers
 * hexadecimal; other lines are skipped.
 */
DBG_MUST struct dbg_error *code_names_load(struct code_names *c,
					   const char *path);
/* Ask the running program that @dbg looks at for each address. */
DBG_MUST struct dbg_error *code_names_ask(struct code_names *c,
					  struct dbg *dbg);
/*
 * Note another mapping of the program, which replaces what was mapped at its
 * addresses.
 */
void code_names_map(struct code_names *c, const struct code_mapping *mapping);
/*
 * The address in the program of @offset in the file @path, which is how perf
 * prints addresses of a file's code. 0: not mapped.
 */
uint64_t code_names_address(const struct code_names *c, const char *path,
			    size_t n_path, uint64_t offset);
/* The name of what holds @addr, or NULL. */
const char *code_names_find(struct code_names *c, uint64_t addr);

#endif
