/* dbg.h: disassembly, registers and memory. */
#ifndef DBG_MACHINE_H
#define DBG_MACHINE_H

#include "dbg/stopped.h"

struct dbg_insn {
	uint64_t addr;
	uint32_t size;
	uint8_t bytes[16];
	const char *text;
	const char *symbol; /* what an operand names, or NULL */
	uint32_t il_offset; /* first instruction of it, else UINT32_MAX */
	uint32_t line;      /* first instruction of it, else 0 */
	const char *path;
};

/* Native code of the method that holds @addr, or @count instructions. */
DBG_MUST struct dbg_error *dbg_disassemble(struct dbg_stopped at, uint64_t addr,
					   uint32_t count,
					   struct dbg_insn **ret,
					   size_t *ret_n);

struct dbg_il_insn {
	uint32_t offset;
	const char *text;
	uint32_t line; /* first instruction of it, else 0 */
	const char *path;
};

/* Disassemble the IL of a frame's method. */
DBG_MUST struct dbg_error *dbg_disassemble_il(struct dbg_stopped at,
					      dbg_id frame,
					      struct dbg_il_insn **ret,
					      size_t *ret_n);

struct dbg_register {
	const char *name;
	uint64_t value;
};

/* The machine code that a frame runs; zero but for @saved if not managed. */
struct dbg_frame_code {
	const char *kind; /* "tier 0", "ReadyToRun", ...; NULL: not known */
	uint64_t start, size;
	uint64_t method; /* MethodDesc */
	/*
	 * registers of the caller that this frame has saved; the value is the
	 * address where
	 */
	const struct dbg_register *saved;
	size_t n_saved;
};

/* Describe the machine code that a frame runs. */
DBG_MUST struct dbg_error *dbg_frame_code(struct dbg_stopped at, dbg_id frame,
					  struct dbg_frame_code *ret);

/* Integer registers of a frame, in gdb's order. */
DBG_MUST struct dbg_error *dbg_registers(struct dbg_stopped at, dbg_id frame,
					 struct dbg_register **ret,
					 size_t *ret_n);

/*
 * Read one register by its name without "$"; "pc", "sp" and "fp" are valid on
 * any processor. DBG_E_NOT_FOUND: there is no such register, or its value is
 * not known in this frame.
 */
DBG_MUST struct dbg_error *dbg_register_get(struct dbg_stopped at, dbg_id frame,
					    const char *name, uint64_t *ret);

/* Read target memory as the program sees it; short at unreadable pages. */
DBG_MUST struct dbg_error *dbg_memory_read(struct dbg_stopped at, uint64_t addr,
					   void *buf, size_t size,
					   size_t *ret_n);

/*
 * Write target memory. Values and frames that were handed out before keep the
 * text that they had.
 */
DBG_MUST struct dbg_error *dbg_memory_write(struct dbg_stopped at,
					    uint64_t addr, const void *buf,
					    size_t size);

#endif
