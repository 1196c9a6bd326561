/* Objects of the interpreter's that the program is given. */
#include "eval/given.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stack/stack.h"
#include "target/target.h"

enum {
	WORD = 8,
	UNITS_MAX = 1 << 20,
	STRING_LENGTH = 8,
	STRING_CHARS = 12,
	BASE_SIZE_BEYOND = 16, // fields: the header, the MethodTable
	BASE_SIZE_MIN = 24,
};

static struct dbg_error *want_string(const struct eval *e, uint64_t addr)
{
	struct eval_calls *calls = e->calls;
	uint32_t n = 0;

	if (!vm_read(e->vm, addr + STRING_LENGTH, &n, sizeof(n)) ||
	    n > UNITS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "the string is too long");
	uint16_t *units = arena_calloc(e->arena, n + 1, sizeof(*units));
	if (!vm_read(e->vm, addr + STRING_CHARS, units, n * sizeof(*units)))
		return dbg_err(DBG_E_MEMORY, "a string cannot be read");
	calls->want = EVAL_WANT_STRING;
	calls->units = units;
	calls->n_units = n;
	return NULL;
}

static struct dbg_error *want(const struct eval *e, const struct vm_own *o)
{
	if (!o->size && o->type->special == TYPE_SPECIAL_STRING)
		return want_string(e, o->addr);
	e->calls->want = o->shown ? EVAL_WANT_TYPE : EVAL_WANT_OBJECT;
	e->calls->type = o->shown ? o->shown : o->type;
	e->calls->n_units = o->n;
	return NULL;
}

uint64_t given_copy(const struct eval *e, const struct vm_graph *g,
		    uint64_t addr)
{
	for (size_t i = 0; i < g->n && i < e->calls->n_given; i++)
		if (g->v[i].addr == addr)
			return e->calls->given[i];
	return 0;
}

/* Is the program's object at @addr what the interpreter takes it for? */
static bool is_like(const struct eval *e, const struct vm_own *o, uint64_t addr)
{
	struct target *t = values_target(e->values);
	const struct dac_type *type;
	uint64_t mt = 0;
	uint32_t size = o->size + BASE_SIZE_BEYOND;

	if (dbg_err_drop(target_read_u64(t, addr, &mt)) ||
	    type_of_handle(vm_types(e->vm), mt) != o->type ||
	    dbg_err_drop(dac_type_get(values_dac(e->values), mt, &type)))
		return false;
	size = (size + WORD - 1) / WORD * WORD;
	return o->type->kind == TYPE_KIND_ARRAY ||
	       type->base_size == (size < BASE_SIZE_MIN ? BASE_SIZE_MIN : size);
}

static bool has_references(const struct eval *e, struct type *type)
{
	const struct type_layout *layout;
	struct type *of = type->kind == TYPE_KIND_ARRAY ? type->inner : type;

	return dbg_err_drop(type_layout(vm_types(e->vm), of, &layout)) ||
	       layout->has_refs;
}

/* Tell the collector of the references among the words at @addr. */
static struct dbg_error *tell(const struct eval *e, uint64_t addr,
			      const uint8_t *bytes, uint32_t n)
{
	struct dac *dac = values_dac(e->values);
	pid_t tid = e->scope->frame->tid;
	struct dbg_error *err = NULL;

	for (uint32_t at = 0; !err && at + WORD <= n; at += WORD) {
		uint64_t word;
		bool is_object = false;

		memcpy(&word, bytes + at, sizeof(word));
		if (word && word % WORD == 0)
			err = dac_heap_holds(dac, tid, word, &is_object);
		if (!err && is_object)
			err = dac_heap_store(dac, tid, addr + at, word);
	}
	return err;
}

struct dbg_error *given_write(const struct eval *e, struct type *type,
			      uint64_t addr, const uint8_t *bytes, uint32_t n)
{
	bool in_heap = false;
	// not while the collector is at work
	struct dbg_error *err = dac_heap_holds(
	    values_dac(e->values), e->scope->frame->tid, addr, &in_heap);

	if (!err)
		err = target_write(values_target(e->values), addr, bytes, n);
	return err || !in_heap || !has_references(e, type)
		   ? err
		   : tell(e, addr, bytes, n);
}

static struct dbg_error *object_fill(const struct eval *e,
				     const struct vm_graph *g,
				     const struct vm_own *o, uint64_t addr)
{
	uint8_t *bytes = arena_calloc(e->arena, o->size + WORD, 1);

	if (!is_like(e, o, addr))
		return dbg_err(DBG_E_STATE,
			       "the program's '%s' is not as the debugger has "
			       "it: it cannot be given one",
			       type_name(vm_types(e->vm), o->type));
	if (!vm_read(e->vm, o->addr + WORD, bytes, o->size))
		return dbg_err(DBG_E_MEMORY, "an argument cannot be read");
	for (uint32_t at = 0; at + WORD <= o->size; at += WORD) {
		uint64_t word, copy;

		memcpy(&word, bytes + at, sizeof(word));
		copy = vm_owns(e->vm, word) ? given_copy(e, g, word) : word;
		memcpy(bytes + at, &copy, sizeof(copy));
	}
	return given_write(e, o->type, addr + WORD, bytes, o->size);
}

struct dbg_error *given_make(const struct eval *e, const struct vm_graph *g)
{
	struct eval_calls *calls = e->calls;
	struct dbg_error *err = NULL;

	if (g->n > calls->n_given)
		return want(e, &g->v[calls->n_given]);
	for (size_t i = 0; !err && i < g->n; i++)
		if (g->v[i].size)
			err = object_fill(e, g, &g->v[i], calls->given[i]);
	return err;
}
