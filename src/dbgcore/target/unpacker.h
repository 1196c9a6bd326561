/* Packed files, by gzip, zstd, xz or lz4, read from front to end. */
#ifndef TARGET_UNPACKER_H
#define TARGET_UNPACKER_H

#include <sys/types.h>

#include "base/reader.h"
#include "dbg.h"

struct unpacker;

/* The name of the format of a file that begins with @b; NULL: none of these. */
const char *unpacker_format(struct bytes b);

#endif
