/*
 * Names of objects in lists and paths of the heap: their types, as a rule. A
 * Continuation of runtime async has a type of the runtime's making that many
 * methods share, so it is called by the call that is suspended in it, and what
 * it refers to by that call's variables.
 */
#include "session/heap/sessionheap.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	REFERENCE = 8,
};

// The call that is suspended in the object @addr, as a frame; NULL: it is none.
static struct frame *suspended_in(struct dbg *dbg, uint64_t addr,
				  const struct heap_type *of)
{
	struct inspect *in = &dbg->inspect;
	struct type *type = of->component_size || of->is_free || !in->values
				? NULL
				: value_type_of_mt(in->values, of->mt);
	struct value v;

	if (!type || !continuation_is_type(in->values, type))
		return NULL;
	v = value_object(in->values, addr);
	v = value_dereference(in->values, &v);
	return v.where == VALUE_ABSENT ? NULL
				       : stack_suspended_frame(in->stack, &v);
}

const char *session_object_name(struct dbg *dbg, uint64_t addr,
				const struct heap_type *type)
{
	struct frame *f = suspended_in(dbg, addr, type);
	struct dbg_frame frame;

	if (!f)
		return session_type_name(dbg, type);
	stack_suspended_describe(dbg->inspect.stack, f, &frame);
	if (!frame.source.path)
		return arena_printf(dbg->inspect.arena, "async %s", frame.name);
	return arena_printf(dbg->inspect.arena,
			    "async %s, awaiting at %s:%" PRIu32, frame.name,
			    str_basename(frame.source.path), frame.source.line);
}

// The name of the suspended call's variable that contains @addr.
static const char *variable_at(struct dbg *dbg, const struct frame *f,
			       uint64_t addr)
{
	struct eval e;

	if (dbg_err_drop(inspect_eval(&dbg->inspect, f, &e)))
		return NULL;
	for (size_t i = 0; i < e.scope->n_vars; i++) {
		const struct value *v = &e.scope->vars[i].value;
		uint64_t size = v->type && type_size(v->type)
				    ? type_size(v->type)
				    : REFERENCE;

		if (v->where == VALUE_MEMORY && addr >= v->addr &&
		    addr - v->addr < size)
			return e.scope->vars[i].name;
	}
	return NULL;
}

const char *session_ref_name(struct dbg *dbg, const struct heap_object *o,
			     uint64_t offset)
{
	const char *name =
	    heap_ref_name(dbg->inspect.values, o, offset, dbg->inspect.arena);
	const struct frame *f =
	    name ? NULL : suspended_in(dbg, o->addr, o->type);

	return f ? variable_at(dbg, f, o->addr + offset) : name;
}
