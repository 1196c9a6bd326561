/*
 * The guards of calls: two methods of the core library, alike in all runtimes,
 * which call something within `try` and do nothing else.
 */
#include "control/call/call_priv.h"
#include "control/control_priv.h"
#include "types/methods.h"

#include "base/err.h"

/* Indexed by call_request.is_reference. */
static const struct {
	const char *type, *method;
} names[2] = {
    {"System.IO.MemoryStream", "FlushAsync"},
    {"System.Reflection.SignatureTypeExtensions", "TryMakeArrayType"},
};

static struct type_method *method_of(struct control *c, bool is_reference)
{
	struct types *ts = c->inspect->types;
	struct type *type = ts ? type_core(ts, names[is_reference].type) : NULL;

	return type ? type_method_named(ts, type, names[is_reference].method, 1)
		    : NULL;
}

/* Where the native code of the IL from @first to @end begins; 0: not known. */
static uint64_t native_of(const struct dac_il_map *map, size_t n,
			  uint32_t first, uint32_t end)
{
	uint64_t addr = 0;

	for (size_t i = 0; i < n; i++)
		if (map[i].il_offset >= first && map[i].il_offset < end &&
		    (!addr || map[i].start < addr))
			addr = map[i].start;
	return addr;
}

/* Find the guard's parts in its code, by the map from IL. */
static struct dbg_error *parts(struct control *c, struct type_method *m,
			       struct call_guard *g)
{
	const struct type_method_body *body = NULL;
	const struct dac_il_map *map;
	size_t n;
	struct dbg_error *err = type_method_body(c->inspect->types, m, &body);

	if (!err)
		err = dac_il_map(c->dac, g->code, &map, &n);
	if (err)
		return err;
	if (body->n_clauses == 1) {
		const struct type_eh *eh = &body->clauses[0];

		g->body = native_of(map, n, eh->try_start, eh->try_end);
		g->handler =
		    native_of(map, n, eh->handler_start, eh->handler_end);
	}
	if (g->body && g->handler)
		return NULL;
	g->code = 0;
	return dbg_err(DBG_E_RUNTIME,
		       "this runtime's '%s' is not such that calls can be made",
		       m->name);
}

uint64_t guard_method(struct control *c, const char *class, const char *name,
		      uint32_t n_params)
{
	struct type *type = type_core(c->inspect->types, class);
	struct type_method *m =
	    type ? type_method_named(c->inspect->types, type, name, n_params)
		 : NULL;

	return m ? dac_method_of_token(c->dac, m->module->addr, m->token) : 0;
}

const char *guard_class(bool is_reference)
{
	return names[is_reference].type;
}

struct dbg_error *guard_find(struct control *c, bool is_reference,
			     struct call_guard *g)
{
	struct type_method *m = method_of(c, is_reference);

	if (!m)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no '%s.%s', by which calls "
			       "are made",
			       names[is_reference].type,
			       names[is_reference].method);
	if (!g->desc)
		g->desc =
		    dac_method_of_token(c->dac, m->module->addr, m->token);
	if (g->desc && !g->code)
		g->code = dac_method_code(c->dac, g->desc);
	return g->code && !g->handler ? parts(c, m, g) : NULL;
}
