/*
 * Code of the runtime that is known by its bytes: precodes, call counting
 * stubs, write barriers, the call that raises notifications, functions that
 * return a static. Each pattern says for which versions it holds; code that
 * matches none is not believed.
 */
#include "dac/dac_priv.h"

#include <string.h>

enum {
	STUB_BYTES = 18, /* of the longest */
	JUMP_BYTES = 6,
	MOVE_BYTES = 7,
	MOV_RAX_BYTES = 2,
	LOAD_HEAD = 7,
	LOAD_TAIL = LOAD_HEAD + 4,
	LOAD_TAIL_MAX = 9,
	LOAD_BYTES = LOAD_TAIL + LOAD_TAIL_MAX + 4,
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

// The address that the rip-relative operand at @at of the code of @addr names.
static uint64_t operand_of(uint64_t addr, const uint8_t *code, size_t at)
{
	int32_t offset;

	memcpy(&offset, code + at, sizeof(offset));
	return addr + at + sizeof(offset) + (uint64_t)(int64_t)offset;
}

// The pointer at @addr, 0: none.
static uint64_t read_pointer(struct target *t, uint64_t addr)
{
	uint64_t value = 0;

	dbg_error_destroy(target_read_u64(t, addr, &value));
	return value;
}

// The pointer in the cell that the rip-relative operand at @at names, 0: none.
static uint64_t read_cell(struct target *t, uint64_t addr, const uint8_t *code,
			  size_t at)
{
	return read_pointer(t, operand_of(addr, code, at));
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

/* ---- Functions that return a static -------------------------------------- */

/* The code around an operand that is relative to it. .NET 8 to 11. */
struct load_code {
	uint8_t head[LOAD_HEAD], tail[LOAD_TAIL_MAX];
	size_t n_tail;
};

// Read the function at @addr; false: its code is not @form.
static bool load_read(struct target *t, uint64_t addr,
		      const struct load_code *form, uint8_t ret[LOAD_BYTES])
{
	return addr &&
	       target_read_some(t, addr, ret, LOAD_BYTES) == LOAD_BYTES &&
	       !memcmp(ret, form->head, LOAD_HEAD) &&
	       !memcmp(ret + LOAD_TAIL, form->tail, form->n_tail);
}

static uint64_t loaded_static(struct target *t, uint64_t function,
			      const struct load_code *form)
{
	uint8_t code[LOAD_BYTES];

	return load_read(t, function, form, code)
		   ? operand_of(function, code, LOAD_HEAD)
		   : 0;
}

uint64_t code_exception_count(struct target *t, uint64_t function)
{
	static const struct load_code form = {
	    // push rbp; mov rbp, rsp; lea rax, [rip + d]
	    {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05},
	    // mov eax, [rax]; pop rbp; ret
	    {0x8b, 0x00, 0x5d, 0xc3},
	    4,
	};

	return loaded_static(t, function, &form);
}

// It returns units of 100 ns: the static has microseconds.
uint64_t code_pause_time(struct target *t, uint64_t function)
{
	static const struct load_code form = {
	    // push rbp; mov rbp, rsp; mov rax, [rip + d]
	    {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x05},
	    // add rax, rax; lea rax, [rax + 4 * rax]; pop rbp; ret
	    {0x48, 0x01, 0xc0, 0x48, 0x8d, 0x04, 0x80, 0x5d, 0xc3},
	    9,
	};

	return loaded_static(t, function, &form);
}

uint64_t code_virtual_call(struct target *t, uint64_t function)
{
	static const struct load_code form = {
	    // push rbp; mov rbp, rsp; lea rax, [rip + d]
	    {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05},
	    // mov rdi, [rax]; mov rax, [rdi]; pop rbp; jmp [rax + slot]
	    {0x48, 0x8b, 0x38, 0x48, 0x8b, 0x07, 0x5d, 0xff, 0xa0},
	    9,
	};
	uint8_t code[LOAD_BYTES];
	uint32_t slot;

	if (!load_read(t, function, &form, code))
		return 0;
	memcpy(&slot, code + LOAD_TAIL + form.n_tail, sizeof(slot));
	uint64_t object = read_cell(t, function, code, LOAD_HEAD);
	uint64_t table = object ? read_pointer(t, object) : 0;

	return table ? read_pointer(t, table + slot) : 0;
}
