/*
 * Runtimes and their DACs that were built for musl: see musl.c.
 */
#ifndef DAC_LOAD_MUSL_H
#define DAC_LOAD_MUSL_H

#include "base/reader.h"
#include "dbg.h"

/* Was the library, whose file this is, built for musl? */
bool dac_needs_musl(struct bytes library);
bool dac_file_needs_musl(const char *path);
/*
 * Is the DAC open as *fd, of the file @path, built for musl? Then *fd becomes a
 * copy which asks for glibc; its name is dac_copy_prefix and an identification
 * of the file.
 */
DBG_MUST struct dbg_error *dac_for_glibc(const char *path, int *fd, bool *ret);
extern const char dac_copy_prefix[];
/*
 * No DAC for the @runtime, whose file this is, was found: what would do. Is
 * there one of a container (@theirs)?
 */
DBG_MUST struct dbg_error *dac_musl_gone(const char *runtime,
					 struct bytes bytes, bool theirs);
/*
 * Do the runtime and the one in the file @other promise the same layouts? Those
 * before .NET 9 promise none.
 */
bool dac_same_contract(struct bytes runtime, const char *other);
/*
 * A library that was built for musl names no versions of what it calls, for
 * which glibc's linker takes the oldest. Give it the newest, as to a program
 * that is linked today.
 */
void dac_bind_newest(void *handle);

#endif
