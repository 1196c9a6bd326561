/* Native and IL disassembly with offsets and lines. */
#ifndef CODE_DISASM_H
#define CODE_DISASM_H

#include "dbg.h"

struct arena;
struct code;
struct code_module;

/* @count 0: the whole method that holds @addr. */
DBG_MUST struct dbg_error *disasm_native(struct code *c, uint64_t addr,
					 uint32_t count, struct arena *arena,
					 struct dbg_insn **ret, size_t *ret_n);
DBG_MUST struct dbg_error *disasm_il(struct code *c, struct code_module *m,
				     uint32_t token, struct arena *arena,
				     struct dbg_il_insn **ret, size_t *ret_n);

#endif
