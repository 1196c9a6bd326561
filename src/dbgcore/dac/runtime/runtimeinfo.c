/*
 * The `DotNetRuntimeInfo` symbol of single-file programs: which runtime is
 * inside, and the build ids of the libraries that belong to it.
 */
#include "dac/runtimeinfo.h"

#include <string.h>

enum {
	INFO_VERSION = 20,
	INFO_DAC = 48,
	INFO_BUILD = 96,
};

const char runtime_info_mark[] = "DotNetRuntimeInfo";

bool runtime_info_parse(struct bytes bytes, struct runtime_info *ret)
{
	uint32_t version;

	if (bytes.n < RUNTIME_INFO_SIZE ||
	    memcmp(bytes.p, runtime_info_mark, sizeof(runtime_info_mark)) ||
	    !bytes.p[INFO_DAC] || bytes.p[INFO_DAC] > RUNTIME_ID_MAX)
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->n_id = bytes.p[INFO_DAC];
	memcpy(ret->id, bytes.p + INFO_DAC + 1, ret->n_id);
	memcpy(&version, bytes.p + INFO_VERSION, sizeof(version));
	if (version >= 2)
		memcpy(ret->version, bytes.p + INFO_BUILD,
		       sizeof(ret->version));
	return true;
}
