/*
 * Getters that only return a field: `ldarg.0; ldfld; ret`, with what a compiler
 * without optimization puts between. Such a property is its field, with a
 * place in the program.
 */
#include "base/err.h"
#include "eval/bind/bind_priv.h"
#include "il/made.h"
#include "meta/il.h"

struct il_field *getter_field(struct binder *b, struct il_method *m)
{
	const struct il_method_body *body;
	struct il_context context = il_method_context(m);
	struct il_field *f = NULL;
	struct il_insn insn;
	uint32_t token = 0;
	bool loads = false;
	if (made_code_of(m) || !m->rva ||
	    dbg_err_drop(il_method_body(b->ts, m, &body)) || body->code.n > 16)
		return NULL;
	for (uint32_t at = 0; il_decode(body->code, at, &insn) && insn.op;) {
		at += insn.size;
		switch (insn.op->code) {
		case IL_OP_NOP:
		case IL_OP_STLOC_0:
		case IL_OP_LDLOC_0:
			continue;
		case IL_OP_LDARG_0:
			loads = true;
			continue;
		case IL_OP_BR_S:
			if (insn.value == (int64_t)at || !insn.value)
				continue;
			return NULL;
		case IL_OP_LDFLD:
		case IL_OP_LDSFLD:
			if (token || (insn.op->code == IL_OP_LDFLD) != loads)
				return NULL;
			token = (uint32_t)insn.value;
			continue;
		case IL_OP_RET:
			break;
		default:
			return NULL;
		}
		break;
	}
	if (!token ||
	    dbg_err_drop(il_field_of_token(b->ts, &context, token, &f)))
		return NULL;
	return f;
}
