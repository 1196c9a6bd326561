/*
 * The names of roots: the variable, or else the register, of a method that
 * runs; the static field whose place lies in an array that a handle keeps.
 */
#include "session/heap/sessionheap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	LEVELS_MAX = 4096, // frames that are looked through
};

static const char *const handle_names[] = {
    "weak short", "weak long", "strong",        "pinned",
    "variable",   "counted",   "dependent",     "async pinned",
    "sized",      "weak COM",  "weak interior",
};

const char *dbg_handle_name(enum dbg_handle_kind kind)
{
	return (size_t)kind < sizeof(handle_names) / sizeof(*handle_names)
		   ? handle_names[kind]
		   : "unknown";
}

static const char *static_field_name(struct dbg *dbg, const struct root *root);

/* ---- Variables ------------------------------------------------------- */

// The frame that holds the reference; NULL: it is not found.
static const struct frame *frame_of(struct dbg *dbg, const struct root *root)
{
	const struct frame *f = NULL, *by_ip = NULL;

	for (uint32_t level = 0; level < LEVELS_MAX; level++) {
		if (dbg_err_drop(stack_frame(dbg->inspect.stack,
					     root->is.thread, level, &f)) ||
		    !f)
			break;
		if (f->raw.ip != root->ref.ip)
			continue;
		if (f->raw.sp == root->ref.sp)
			return f;
		if (!by_ip)
			by_ip = f;
	}
	return by_ip;
}

// The name of the variable at that place, else of one with the same value.
static const char *variable_of(struct dbg *dbg, const struct root *root,
			       const struct frame *f)
{
	struct values *ts = dbg->inspect.values;
	const char *by_value = NULL;
	struct eval e;

	if (dbg_err_drop(inspect_eval(&dbg->inspect, f, &e)))
		return NULL;
	for (size_t i = 0; i < e.scope->n_vars; i++) {
		const struct var *v = &e.scope->vars[i];
		uint64_t size = v->value.type ? type_size(v->value.type) : 0;
		uint64_t value;

		if (v->value.where == VALUE_MEMORY && root->is.addr &&
		    root->is.addr - v->value.addr < (size ? size : 8))
			return v->name;
		if (!by_value && v->value.type && v->value.type->is_reference &&
		    value_pointer(ts, &v->value, &value) &&
		    value == root->ref.object)
			by_value = v->name;
	}
	return by_value;
}

static const char *stack_name(struct dbg *dbg, const struct root *root)
{
	struct inspect *in = &dbg->inspect;
	const struct frame *f = root->ref.ip ? frame_of(dbg, root) : NULL;
	const char *variable = f ? variable_of(dbg, root, f) : NULL;
	struct code_name name = {.plain = "the runtime"};

	if (root->is.uncertain)
		return arena_printf(in->arena,
				    "perhaps [0x%" PRIx64 "], thread %" PRIu32
				    ", which cannot be walked",
				    root->is.addr, root->is.thread);
	if (f && f->pos)
		code_method_names(in->code, f->pos->method, in->arena, &name);
	if (!variable)
		variable = root->is.addr
			       ? arena_printf(in->arena, "[0x%" PRIx64 "]",
					      root->is.addr)
			       : "a register";
	return arena_printf(in->arena, "%s in %s, thread %" PRIu32, variable,
			    name.plain, root->is.thread);
}

const char *root_name(struct dbg *dbg, const struct root *root)
{
	if (root->is.kind == DBG_ROOT_STACK)
		return stack_name(dbg, root);
	if (root->field)
		return static_field_name(dbg, root);
	if (root->is.kind == DBG_ROOT_FINALIZER)
		return "queue of due finalizers";
	return arena_printf(dbg->inspect.arena, "%s handle 0x%" PRIx64,
			    dbg_handle_name(root->is.handle), root->is.addr);
}

/* ---- Static fields --------------------------------------------------- */

struct search {
	struct dbg *dbg;
	uint64_t slot, box;
	const char *found;
};

const char *root_field_name(struct dbg *dbg, uint64_t mt,
			    const struct dac_field *raw)
{
	struct type *type = value_type_of_mt(dbg->inspect.values, mt);
	const struct field *fields;
	size_t n = 0;

	if (!type)
		return NULL;
	value_type_fields(dbg->inspect.values, type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		if (fields[i].token == raw->token)
			return arena_printf(
			    dbg->inspect.arena, "%s %s.%s",
			    raw->is_thread_static ? "thread static" : "static",
			    value_type_name(type),
			    fields[i].source ? fields[i].source
					     : fields[i].name);
	return NULL;
}

static bool is_at(struct search *s, uint64_t mt, const struct dac_field *f,
		  uint64_t thread)
{
	uint64_t addr = 0;

	if (dbg_err_drop(
		dac_static_addr(s->dbg->inspect.dac, mt, f, thread, &addr)))
		return false;
	return addr &&
	       (addr == s->slot || (s->box && addr == s->box + HEAP_WORD));
}

static bool is_field(void *arg, uint64_t mt, const struct dac_field *f,
		     const struct static_thread *thread)
{
	struct search *s = arg;

	if (is_at(s, mt, f, thread ? thread->addr : 0))
		s->found = root_field_name(s->dbg, mt, f);
	return !s->found;
}

const char *static_name(struct dbg *dbg, struct heap *h, uint64_t slot,
			uint64_t box)
{
	struct search s = {.dbg = dbg, .slot = slot, .box = box};

	statics_each(dbg, h, false, is_field, &s);
	return s.found;
}

static const char *static_field_name(struct dbg *dbg, const struct root *root)
{
	const char *name = root_field_name(dbg, root->type, root->field);

	return arena_printf(dbg->inspect.arena, "%s, thread %" PRIu32,
			    name ? name : "thread static", root->is.thread);
}
