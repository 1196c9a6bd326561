/*
 * Whole files as bytes. Small files are copied, so that a build that rewrites
 * one in place cannot change the bytes; large ones are mapped, and parts of
 * these that disappear read as zeros (file_cut).
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
/*
 * As file_load, for a file that is not rewritten in place: it is mapped even
 * if it is small, since the pages are those of other processes as well.
 */
DBG_MUST struct dbg_error *file_map(const char *path, uint64_t max,
				    struct file *ret);
void file_unload(struct file *f);
/*
 * Release the pages of a mapped file after a search through all of it; they are
 * read again when they are needed.
 */
void file_rest(const struct file *f);

/* As file_rest, for the whole pages in a part of a mapped file. */
void file_rest_part(const void *p, size_t n);

/*
 * For a handler of SIGBUS with code BUS_ADRERR: if @addr is in a mapped file
 * that was made shorter, let its page read as zeros from now on. False: it is
 * not, or that failed.
 */
bool file_cut(void *addr);

/* Do both paths lead to one file, perhaps by symbolic links? */
bool file_same(const char *a, const char *b);
/* Is there a regular file at @path? */
bool file_exists(const char *path);
/* The path of the program that we are, the caller's; NULL: not known. */
char *file_self(void);

#endif
