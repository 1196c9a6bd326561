/* Packed files, by gzip, zstd, xz or lz4, read from front to end. */
#ifndef TARGET_UNPACKER_H
#define TARGET_UNPACKER_H

#include <sys/types.h>

#include "base/reader.h"
#include "dbg.h"

struct unpacker;

/* The name of the format of a file that begins with @b; NULL: none of these. */
const char *unpacker_format(struct bytes b);
/*
 * Read the file @fd from where it stands, which begins with @head, of one of
 * the formats. DBG_E_FORMAT: its library is not installed. @fd is borrowed.
 */
DBG_MUST struct dbg_error *unpacker_create(struct bytes head, int fd,
					   struct unpacker **ret);
/*
 * Unpack bytes to @p, perhaps fewer than @n; returns how many, 0: at the end,
 * -1: it is damaged.
 */
ssize_t unpacker_read(struct unpacker *u, uint8_t *p, size_t n);
void unpacker_destroy(struct unpacker *u);

#endif
