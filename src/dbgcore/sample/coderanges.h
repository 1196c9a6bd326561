/* Lists all code of a program that no symbols name: dbg_code_list(). */
#ifndef SAMPLE_CODERANGES_H
#define SAMPLE_CODERANGES_H

#include "dbg.h"

struct code;
struct dac;
struct target;

/*
 * List the code; what cannot be read is left out. Returns what dbg_code_list()
 * gives as *ret_file.
 */
bool code_ranges(struct target *t, struct dac *d, struct code *code,
		 dbg_code_fn *fn, void *arg);

/* As dbg_code_at(). */
bool code_range_at(struct target *t, struct dac *d, struct code *code,
		   uint64_t addr, struct arena *arena,
		   struct dbg_code_range *ret);

#endif
