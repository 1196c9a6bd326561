/*
 * Where an `await` that need not wait continues: the IL branch over the yield,
 * taken if the awaiter is completed. A step over such an await ends there, not
 * at the resume point.
 */
#include "base/mem.h"
#include "code/code_priv.h"
#include "meta/il.h"

uint32_t code_await_join(const struct code_module *m, uint32_t token,
			 const struct pdb_await *await)
{
	struct arena *arena = arena_create();
	struct il_body body;
	struct il_insn insn;
	uint32_t join = UINT32_MAX;

	// the last branch before the yield that leads past the resume point
	// is the one taken if IsCompleted
	module_body(m, token, arena, &body);
	for (uint32_t at = 0;
	     at < await->yield_offset && il_decode(body.code, at, &insn);
	     at += insn.size)
		if (insn.op &&
		    (insn.op->operand == IL_BR1 ||
		     insn.op->operand == IL_BR4) &&
		    insn.value > await->resume_offset &&
		    (uint64_t)insn.value < body.code.n)
			join = (uint32_t)insn.value;
	arena_destroy(arena);
	return join;
}
