/*
 * Methods that are made, not loaded: a method, its code and the pool of what
 * the code's tokens stand for, all in one arena; see made.h.
 */
#include "il/made.h"

#include "base/mem.h"

/* The method stands first: it is what others see. */
struct made {
	struct type_method method;
	struct made_code code;
	struct type_sig sig;
	struct arena *arena;
	void *slot;
};

enum {
	MADE_RVA = 0xffffffff, // no image has one there
};

struct type_method *made_create(struct arena *arena, const char *name,
				const struct type_sig *sig,
				const struct made_code *code)
{
	struct made *m = arena_alloc(arena, sizeof(*m));
	m->method.name = name;
	m->method.flags = sig->has_this ? 0 : TYPE_METHOD_STATIC;
	m->method.rva = MADE_RVA;
	m->sig = *sig;
	m->arena = arena;
	m->code = *code;
	return &m->method;
}

static const struct made *made_of(const struct type_method *m)
{
	return !m->module && m->rva == MADE_RVA ? (const struct made *)m : NULL;
}

struct arena *made_arena_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? made->arena : NULL;
}

void **made_slot_of(struct type_method *m)
{
	return made_of(m) ? &((struct made *)m)->slot : NULL;
}

const struct made_code *made_code_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? &made->code : NULL;
}

const struct type_sig *made_sig_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? &made->sig : NULL;
}
