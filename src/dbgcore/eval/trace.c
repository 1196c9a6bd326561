/*
 * Records the memory that an evaluation reads: the places and references that a
 * watchpoint has to watch, each noted once.
 */
#include "eval/eval.h"

void eval_note(const struct eval *e, const struct value *v)
{
	struct eval_trace *t = e->trace;
	if (!t || v->where != VALUE_MEMORY)
		return;
	t->moves |= !v->fixed;
	uint32_t size =
	    v->type->kind == TYPE_KIND_BYREF ? 8 : type_size(v->type);
	if (v->type->kind == TYPE_KIND_STRUCT || size == 0 || size > 8 ||
	    t->n_links == EVAL_LINKS_MAX)
		return;
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].addr == v->addr && t->links[i].size == size)
			return;
	t->links[t->n_links++] = (struct eval_link){v->addr, size};
}

void eval_note_variable(const struct eval *e, const struct var *v)
{
	struct eval_trace *t = e->trace;

	eval_note(e, &v->value);
	if (!t)
		return;
	if (!t->of_frame || v->end < t->block)
		t->block = v->end;
	t->of_frame = true;
}

void eval_note_unknown(const struct eval *e)
{
	if (e->trace)
		e->trace->unknown = true;
}
