/*
 * What a single-file program tells of the runtime inside it, by a symbol with
 * the name that the bytes begin with:
 *
 *   "DotNetRuntimeInfo" and two zeros, a version, then the build ids of the
 *   runtime, the DAC and the DBI in 24 bytes each, the length first; from
 *   version 2 on the file version of the runtime, four numbers
 */
#ifndef DAC_RUNTIMEINFO_H
#define DAC_RUNTIMEINFO_H

#include <stdbool.h>

#include "base/reader.h"

enum {
	RUNTIME_INFO_SIZE = 112,
	RUNTIME_ID_MAX = 23,
};

extern const char runtime_info_mark[];

struct runtime_info {
	uint8_t id[RUNTIME_ID_MAX]; /* the DAC's */
	size_t n_id;
	uint32_t version[4]; /* 0: not told */
};

/* False if @bytes are no such thing; *ret is untouched then. */
bool runtime_info_parse(struct bytes bytes, struct runtime_info *ret);

#endif
