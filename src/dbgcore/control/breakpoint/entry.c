/*
 * Stopping at Main: a breakpoint of our own, bound when the module with the
 * entry point loads, gone after its hit.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include <string.h>

#include "base/err.h"

/*
 * The token of the method that the user calls Main. The entry point of an async
 * Main is a wrapper without source lines; the body is in the Main beside it.
 */
static uint32_t entry_method(struct control *c, struct code_module *m)
{
	uint32_t token = m->pe.entry_point, first, end;
	uint32_t type = md_method_type(&m->md, MD_TOKEN_RID(token));

	if (code_has_source(c->code, m, token))
		return token;
	md_type_methods(&m->md, type, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(&m->md, MD_LIST_METHODS, i);

		const char *name = md_col_string(&m->md, MD_METHODDEF, rid, 3);
		uint32_t body =
		    code_move_next(c->code, m, MD_TOKEN(MD_METHODDEF, rid));

		if (body && (!strcmp(name, "Main") || !strcmp(name, "<Main>$")))
			return body;
	}
	return token;
}

bool entry_place(struct control *c, struct code_place *ret)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++) {
		struct code_module *m = modules[i];

		if (MD_TOKEN_TABLE(m->pe.entry_point) != MD_METHODDEF)
			continue;
		code_entry(c->code, m, entry_method(c, m), ret);
		return true;
	}
	return false;
}

void entry_module(struct control *c, struct code_module *m)
{
	if (!c->stop_at_entry ||
	    MD_TOKEN_TABLE(m->pe.entry_point) != MD_METHODDEF)
		return;
	c->stop_at_entry = false;

	struct bp *bp = bp_add(c, DBG_BREAK_LOCATION, NULL);
	struct code_place place;

	code_entry(c->code, m, entry_method(c, m), &place);
	bp->place.kind = DBG_PLACE_MAIN;
	bp->entry = true;
	bind_place(c, bp, &place);
}

void control_stop_at_entry(struct control *c, bool on)
{
	c->stop_at_entry = on;
}
