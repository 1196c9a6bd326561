/*
 * Code of the runtime that is known by its bytes: precodes, call counting
 * stubs, write barriers, the call that raises notifications. Each pattern says
 * for which versions it holds; code that matches none is not believed.
 */
#include "dac/dac_priv.h"

#include <string.h>

enum {
	STUB_BYTES = 18, /* of the longest */
	JUMP_BYTES = 6,
	MOVE_BYTES = 7,
	MOV_RAX_BYTES = 2,
};

static const uint8_t jump[] = {0xff, 0x25};       /* jmp [rip + d] */
static const uint8_t move[] = {0x4c, 0x8b, 0x15}; /* mov r10, [rip + d] */
static const uint8_t load[] = {0x48, 0x8b, 0x05}; /* mov rax, [rip + d] */
/* dec word [rax]; je; jmp [rip + d] */
static const uint8_t count[] = {0x66, 0xff, 0x08, 0x74, 0x06, 0xff, 0x25};

bool code_jumps(struct target *t, uint64_t addr)
{
	enum {
		JMP_SHORT = 0xeb,
		JMP_NEAR = 0xe9,
	};
	uint8_t code;

	return target_read_some(t, addr, &code, 1) == 1 &&
	       (code == JMP_SHORT || code == JMP_NEAR);
}

// The pointer in the cell that the rip-relative operand at @at names, 0: none.
static uint64_t read_cell(struct target *t, uint64_t addr, const uint8_t *code,
			  size_t at)
{
	int32_t offset;
	uint64_t value = 0;

	memcpy(&offset, code + at, sizeof(offset));
	dbg_error_destroy(target_read_u64(
	    t, addr + at + sizeof(offset) + (uint64_t)(int64_t)offset, &value));
	return value;
}

// .NET 8 to 10:
//   FixupPrecode	jmp [code]; mov r10, [MethodDesc]; ...
//   StubPrecode	mov r10, [MethodDesc]; jmp [code]
//   CallCountingStub	mov rax, [cell]; dec word [rax]; je ...; jmp [code]
void dac_stub_at(struct target *t, uint64_t addr, struct dac_stub *ret)
{
	uint8_t code[STUB_BYTES];
	size_t at = 0;

	*ret = (struct dac_stub){0};
	if (target_read_some(t, addr, code, sizeof(code)) < sizeof(code))
		return;
	if (!memcmp(code, load, sizeof(load)) &&
	    !memcmp(code + MOVE_BYTES, count, sizeof(count))) {
		ret->code =
		    read_cell(t, addr, code, MOVE_BYTES + sizeof(count));
		return;
	}
	if (!memcmp(code, jump, sizeof(jump))) {
		ret->code = read_cell(t, addr, code, sizeof(jump));
		at = JUMP_BYTES;
	}
	if (!memcmp(code + at, move, sizeof(move)))
		ret->method = read_cell(t, addr, code, at + sizeof(move));
}

// mov edi, NOTIFY_CODE; xor esi, esi; call ...
struct bytes code_raise(void)
{
	static const uint8_t code[] = {0xbf, 0x43, 0x41, 0x44,
				       0xe0, 0x31, 0xf6, 0xe8};

	return (struct bytes){code, sizeof(code)};
}

// mov [rdi], rsi
struct bytes code_store(void)
{
	static const uint8_t code[] = {0x48, 0x89, 0x37};

	return (struct bytes){code, sizeof(code)};
}

// mov rax, @value
void code_constant(uint64_t value, uint8_t ret[CODE_CONSTANT])
{
	static const uint8_t mov[MOV_RAX_BYTES] = {0x48, 0xb8};

	memcpy(ret, mov, sizeof(mov));
	memcpy(ret + sizeof(mov), &value, sizeof(value));
}
