/* The objects that a frame refers to; by these a thread is known to wait. */
#include "inspect/framerefs.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "inspect/inspect.h"

void frame_refs_read(struct frame_refs *refs)
{
	if (refs->read)
		return;
	refs->read = true;
	if (dbg_err_drop(dac_gc_stack(refs->in->dac, refs->thread->tid,
				      refs->in->arena, &refs->v, &refs->n)))
		refs->n = 0;
}

static bool is_kind(struct values *values, const struct value *v,
		    const char *type)
{
	if (v->where == VALUE_ABSENT || !v->type)
		return false;
	if (!type)
		return value_type_field(values, v->type, "m_stateFlags") !=
		       NULL;
	// The object's class may derive from @type; class hierarchies of the
	// framework are not deep.
	for (struct type *t = v->type; t; t = value_type_parent(values, t))
		if (value_type_name(t) && !strcmp(value_type_name(t), type))
			return true;
	return false;
}

// Does the frame hold the reference? Or a runtime method that it has called, in
// a Frame of the runtime (Thread.Join of .NET 8 and 9)?
static bool is_of(const struct gc_stack_ref *ref, const struct frame *f)
{
	return ref->sp == f->raw.sp ||
	       (ref->frame && ref->addr && ref->addr < f->raw.sp);
}

uint64_t frame_refs_at(const struct frame_refs *refs, size_t i,
		       const char *type)
{
	const struct gc_stack_ref *ref = &refs->v[i];
	struct values *values = refs->in->values;

	if (ref->interior || !ref->object)
		return 0;
	struct value v = value_object(values, ref->object);

	return is_kind(values, &v, type) ? ref->object : 0;
}

uint64_t frame_refs_find(struct frame_refs *refs, const struct frame *f,
			 const char *type)
{
	uint64_t found = 0;

	frame_refs_read(refs);
	for (size_t i = 0; i < refs->n && !found; i++)
		if (is_of(&refs->v[i], f))
			found = frame_refs_at(refs, i, type);
	return found;
}

uint64_t frame_refs_any(struct frame_refs *refs, const struct frame *f)
{
	frame_refs_read(refs);
	for (size_t i = 0; i < refs->n; i++)
		if (is_of(&refs->v[i], f) && !refs->v[i].interior &&
		    refs->v[i].object)
			return refs->v[i].object;
	return 0;
}

// The first object that @f refers to whose type @is_meant accepts; 0: none.
static uint64_t find_by(struct frame_refs *refs, const struct frame *f,
			bool (*is_meant)(struct values *values,
					 const struct type *type,
					 const char *name),
			const char *name)
{
	struct values *values = refs->in->values;

	frame_refs_read(refs);
	for (size_t i = 0; i < refs->n; i++) {
		const struct gc_stack_ref *ref = &refs->v[i];

		if (!is_of(ref, f) || ref->interior || !ref->object)
			continue;
		struct value v = value_object(values, ref->object);

		if (v.where != VALUE_ABSENT && v.type &&
		    value_type_name(v.type) && is_meant(values, v.type, name))
			return ref->object;
	}
	return 0;
}

static bool is_handle(struct values *values, const struct type *type,
		      const char *name)
{
	size_t n = strlen(value_type_name(type));
	bool list = n > 2 && !strcmp(value_type_name(type) + n - 2, "[]");

	if (str_ends(name, "[]"))
		return list &&
		       str_starts(value_type_name(type), "System.Threading.");
	return !list && value_type_field(values, (struct type *)(uintptr_t)type,
					 "_waitHandle");
}

static bool begins_so(struct values *values, const struct type *type,
		      const char *name)
{
	(void)values;
	return str_starts(value_type_name(type), name);
}

uint64_t frame_refs_handle(struct frame_refs *refs, const struct frame *f,
			   const char *type)
{
	return find_by(refs, f, is_handle, type);
}

uint64_t frame_refs_generic(struct frame_refs *refs, const struct frame *f,
			    const char *name)
{
	return find_by(refs, f, begins_so, name);
}

const char *frame_method(struct inspect *in, const struct frame *f)
{
	return f->kind == DBG_FRAME_MANAGED && f->raw.method
		   ? code_method_name(in->code, f->raw.method, false, in->arena)
		   : "";
}
