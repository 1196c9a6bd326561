/*
 * The probe with which code compiled for debugging begins, known by its bytes:
 * a test of a flag in the Module and a call of the runtime's helper. See
 * step/stepin.c.
 */
#include "control/control_priv.h"
#include "control/step/step.h"

#include <string.h>

enum {
	MODULE_MAX = 4096, /* of the runtime's Module, in bytes */
	/* cmp dword [rip+d], 0 and cmp dword [rax], 0; je +5; call rel32 */
	CMP_FAR = 7,
	CMP_NEAR = 3,
	MOV_RAX = 10,
	JE_CALL = 7,
};

/* The flag that the probe whose `je` is at @at tests; 0: it is none. */
static uint64_t flag_of(const uint8_t *code, size_t at, uint64_t start)
{
	int32_t disp;
	uint64_t flag = 0;
	const uint8_t *p = code + at;

	if (at >= CMP_FAR && p[-7] == 0x83 && p[-6] == 0x3d && !p[-1]) {
		memcpy(&disp, p - 5, sizeof(disp));
		return start + at + (uint64_t)(int64_t)disp;
	}
	if (at >= CMP_NEAR + MOV_RAX && p[-3] == 0x83 && p[-2] == 0x38 &&
	    !p[-1] && p[-13] == 0x48 && p[-12] == 0xb8)
		memcpy(&flag, p - 11, sizeof(flag));
	return flag;
}

bool probe_decode(const uint8_t *code, size_t n, uint64_t start,
		  uint64_t module, struct probe *ret)
{
	for (size_t at = 0; at + JE_CALL <= n; at++) {
		int32_t disp;
		uint64_t offset = flag_of(code, at, start) - module;

		if (code[at] != 0x74 || code[at + 1] != 5 ||
		    code[at + 2] != 0xe8 || offset % 4 || offset >= MODULE_MAX)
			continue;
		memcpy(&disp, code + at + 3, sizeof(disp));
		ret->offset = offset;
		ret->helper = start + at + JE_CALL + (uint64_t)(int64_t)disp;
		return true;
	}
	return false;
}
