/*
 * The calls of a line: the call instructions in the IL of its statements, each
 * with the name that its token gives. For `info calls`, `step-into` and the
 * targets of a step in editors.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/csname.h"
#include "meta/il.h"

enum {
	CALLS_MAX = 256
};

static bool is_call(const struct il_insn *insn)
{
	return insn->op && (insn->op->code == IL_OP_CALL ||
			    insn->op->code == IL_OP_CALLVIRT ||
			    insn->op->code == IL_OP_NEWOBJ);
}

// The MethodDef or MemberRef of a call's token.
static uint32_t method_token(const struct md *md, uint32_t token)
{
	if (MD_TOKEN_TABLE(token) != MD_METHODSPEC)
		return token;
	return md_methoddef_or_ref(
	    md_col(md, MD_METHODSPEC, MD_TOKEN_RID(token), 0));
}

static const char *simple_name(const struct md *md, uint32_t token)
{
	uint32_t rid = MD_TOKEN_RID(token);

	if (MD_TOKEN_TABLE(token) == MD_METHODDEF)
		return md_col_string(md, MD_METHODDEF, rid, 3);
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		return md_col_string(md, MD_MEMBERREF, rid, 1);
	return "";
}

// Skip the opcode and the return type: the last blank outside of brackets
// before the parameters.
static const char *without_type(const char *text)
{
	const char *start = text;
	int depth = 0;

	for (const char *s = text; *s && (depth || *s != '('); s++) {
		depth += *s == '<' || *s == '[';
		depth -= *s == '>' || *s == ']';
		if (!depth && *s == ' ')
			start = s + 1;
	}
	return start;
}

static void call_name(const struct code_pos *pos, const struct il_insn *insn,
		      struct arena *arena, struct code_name *ret)
{
	_cleanup_str_ struct str text = {0};
	uint32_t token = (uint32_t)insn->value;

	if (MD_TOKEN_TABLE(token) == MD_METHODDEF) {
		code_token_names(pos->module, token, NULL, arena, ret);
		return;
	}
	il_text(&pos->module->md, pos->token, insn, &text);
	const char *name = without_type(str_get(&text));
	code_name_split(name, code_name_list(name), arena, ret);
}

static void calls_collect(const struct code_pos *pos, struct bytes code,
			  uint32_t start, uint32_t end, struct code_calls *ret)
{
	const struct md *md = &pos->module->md;
	struct il_insn insn;

	for (uint32_t at = start;
	     at < end && ret->n < CALLS_MAX && il_decode(code, at, &insn);
	     at += insn.size) {
		if (!is_call(&insn))
			continue;
		uint32_t token = method_token(md, (uint32_t)insn.value);
		struct code_call *call = &ret->calls[ret->n++];
		call->il_offset = at;
		call->simple = simple_name(md, token);
		call_name(pos, &insn, ret->arena, &call->name);
	}
}

void code_calls(const struct code_pos *pos, struct code_calls *ret)
{
	struct il_body body;

	ret->calls = arena_calloc(ret->arena, CALLS_MAX, sizeof(*ret->calls));
	ret->n = 0;
	if (!pos->module || !pos->point.line)
		return;
	const struct module_points *p =
	    module_points_of(module_of(pos->module), pos->token, pos->version);
	module_body_at(pos, ret->arena, &body);
	for (size_t i = 0; i < p->n; i++)
		if (p->points[i].line == pos->point.line &&
		    p->points[i].document == pos->point.document)
			calls_collect(pos, body.code, p->points[i].il_offset,
				      i + 1 < p->n ? p->points[i + 1].il_offset
						   : UINT32_MAX,
				      ret);
}
