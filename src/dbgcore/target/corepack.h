/* Packed core files: see unpacker.c. */
#ifndef TARGET_COREPACK_H
#define TARGET_COREPACK_H

#include "base/file.h"

struct corepack;

/*
 * Put what the packed file at @path unpacks to in the place of @ret, which is
 * that file. DBG_E_FORMAT, DBG_E_FILE: it is unchanged.
 */
DBG_MUST struct dbg_error *corepack_unpack(const char *path, struct file *ret);

/* Write a packed file to @fd; corepack_end() frees it. */
DBG_MUST struct dbg_error *corepack_create(int fd, struct corepack **ret);
/*
 * Write at @at, which is behind all that was written before; zeros fill the
 * gap.
 */
DBG_MUST struct dbg_error *corepack_write(struct corepack *c, const void *data,
					  size_t n, uint64_t at);
DBG_MUST struct dbg_error *corepack_end(struct corepack *c);

#endif
