/*
 * Whole files as bytes. Small files are copied, so that a build that
 * rewrites one in place cannot take the bytes away under us; large ones are
 * mapped, and what is taken away of those reads as zeros (file_cut).
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>

#include "base/reader.h"
#include "dbg.h"

struct file {
	struct bytes bytes;
	bool mapped;
};

/* Load a regular file of at most @max bytes. */
DBG_MUST struct dbg_error *file_load(const char *path, uint64_t max,
				     struct file *ret);
void file_unload(struct file *f);
/*
 * Give the memory of a mapped file back after a wide search through it; it
 * comes again when it is read.
 */
void file_rest(const struct file *f);

/*
 * For who handles SIGBUS of code BUS_ADRERR: @addr is in a mapped file that
 * was cut. Its page reads as zeros from now on; false if that cannot be.
 */
bool file_cut(void *addr);

/* Do both paths lead to one file, perhaps by symbolic links? */
bool file_same(const char *a, const char *b);
/* Does a regular file stand there? */
bool file_exists(const char *path);

#endif
