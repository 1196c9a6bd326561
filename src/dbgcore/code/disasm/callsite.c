/*
 * The call in which a caller's frame stands. The JIT maps optimised code to IL
 * only where nothing is on the IL stack, so a return address may belong to
 * several calls; the name of the method that was called decides, if only one of
 * these calls it.
 */
#include <string.h>

#include "base/mem.h"
#include "code/code_priv.h"
#include "meta/il.h"

enum {
	METHODDEF_NAME = 3, /* columns of II.22.26, II.22.25, II.22.29 */
	MEMBERREF_NAME = 1,
	METHODSPEC_METHOD = 0,
};

const char *code_method_def_name(const struct code_module *m, uint32_t token)
{
	return md_col_string(&m->md, MD_METHODDEF, MD_TOKEN_RID(token),
			     METHODDEF_NAME);
}

// Name of the method that a call's operand names.
static const char *operand_name(const struct md *md, uint32_t token)
{
	if (MD_TOKEN_TABLE(token) == MD_METHODSPEC)
		token = md_methoddef_or_ref(md_col(
		    md, MD_METHODSPEC, MD_TOKEN_RID(token), METHODSPEC_METHOD));
	uint32_t rid = MD_TOKEN_RID(token);
	if (MD_TOKEN_TABLE(token) == MD_METHODDEF)
		return md_col_string(md, MD_METHODDEF, rid, METHODDEF_NAME);
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		return md_col_string(md, MD_MEMBERREF, rid, MEMBERREF_NAME);
	return "";
}

// "IShape.Area", an interface's method implemented by name, is called as
// "Area".
static const char *plain_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name ? dot + 1 : name;
}

static bool is_call(const struct il_insn *insn)
{
	return insn->op && (insn->op->code == IL_OP_CALL ||
			    insn->op->code == IL_OP_CALLVIRT ||
			    insn->op->code == IL_OP_NEWOBJ);
}

bool code_pos_of_call(struct code *c, const struct code_pos *pos, uint64_t ip,
		      const char *callee, struct code_pos *ret)
{
	struct il_body body;
	struct il_insn insn;
	struct code_pos at;
	uint32_t end = pos_il_end(c, ip, pos->il_offset);
	bool found = false;

	if (!pos->point.line || pos->il_offset == UINT32_MAX)
		return false;
	struct arena *arena = arena_create();
	module_body_at(pos, arena, &body);
	for (uint32_t il = pos->il_offset;
	     il < end && il_decode(body.code, il, &insn); il += insn.size) {
		if (!is_call(&insn) ||
		    strcmp(plain_name(operand_name(&pos->module->md,
						   (uint32_t)insn.value)),
			   plain_name(callee)))
			continue;
		at = *pos;
		pos_set_il(c, il, &at);
		// Calls in several statements: it could be either.
		if (found && at.point.il_offset != ret->point.il_offset) {
			found = false;
			break;
		}
		*ret = at;
		found = true;
	}
	arena_destroy(arena);
	if (!found || ret->point.il_offset == pos->point.il_offset)
		return false;
	ret->method = pos->method;
	ret->region = pos->region;
	return true;
}
