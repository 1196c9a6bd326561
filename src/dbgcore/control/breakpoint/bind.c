/*
 * Binding: from a breakpoint's words to places (module, method, IL offset),
 * when a module loads, and from places to addresses, when code is made. A place
 * whose method has no code yet is waited for (jit/gate.c); one whose code
 * has several versions or instances has an address in each. hit_list says which
 * breakpoints an address belongs to. The words are kept: each module that loads
 * later is searched again.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/jit/jit.h"
#include "control/step/step.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern.h"
#include "dac/asyncmethod.h"

/* ---- Addresses ------------------------------------------------------- */

struct hit_list *bind_hits(struct control *c, uint64_t addr)
{
	return map_find(&c->hits, addr);
}

static void hits_add(struct control *c, uint64_t addr, struct bp *bp)
{
	struct hit_list *list = map_find(&c->hits, addr);

	if (!list) {
		list = xcalloc(1, sizeof(*list));
		map_put(&c->hits, addr, list);
	}
	for (size_t i = 0; i < list->n; i++)
		if (list->bps[i] == bp)
			return;
	mem_grow(&list->bps, &list->cap, list->n, sizeof(struct bp *));
	list->bps[list->n++] = bp;
}

/* True if no breakpoint holds @addr any more. */
static bool hits_remove(struct control *c, uint64_t addr, struct bp *bp)
{
	struct hit_list *list = map_find(&c->hits, addr);

	if (!list)
		return false;
	for (size_t i = 0; i < list->n; i++)
		if (list->bps[i] == bp)
			list->bps[i--] = list->bps[--list->n];
	if (list->n)
		return false;
	map_take(&c->hits, addr);
	free(list->bps);
	free(list);
	return true;
}

bool bind_is_skipped(struct control *c, const struct bp *bp,
		     const struct bp_place *p)
{
	return bp_is_users(bp) && c->code &&
	       mycode_is_skipped(c, p->place.module, p->place.token);
}

/* Arm @addrs, which are of the place @p. */
static void arm_addrs(struct control *c, struct bp *bp,
		      const struct bp_place *p, const uint64_t *addrs, size_t n)
{
	if (!bp->enabled || !n || bind_is_skipped(c, bp, p))
		return;
	for (size_t i = 0; i < n; i++)
		hits_add(c, addrs[i], bp);
	control_warn(c, control_site_add(c, SITE_BREAK, addrs, n));
}

static void disarm_addrs(struct control *c, struct bp *bp,
			 const uint64_t *addrs, size_t n)
{
	_cleanup_free_ uint64_t *free_addrs =
	    xcalloc(n + 1, sizeof(*free_addrs));
	size_t n_free = 0;

	for (size_t i = 0; i < n; i++)
		if (hits_remove(c, addrs[i], bp))
			free_addrs[n_free++] = addrs[i];
	if (c->target)
		control_warn(
		    c, control_site_remove(c, SITE_BREAK, free_addrs, n_free));
}

void bind_arm(struct control *c, struct bp *bp)
{
	for (size_t i = 0; i < bp->n_places; i++)
		arm_addrs(c, bp, &bp->places[i], bp->places[i].addrs,
			  bp->places[i].n_addrs);
}

void bind_disarm(struct control *c, struct bp *bp)
{
	for (size_t i = 0; i < bp->n_places; i++)
		disarm_addrs(c, bp, bp->places[i].addrs, bp->places[i].n_addrs);
}

/* Give @p the addresses it has in the code at @ip. */
static void place_add_code(struct control *c, struct bp *bp, struct bp_place *p,
			   uint64_t ip)
{
	struct arena *arena = arena_create();
	uint64_t *addrs;
	size_t n;
	struct dbg_error *err =
	    code_addresses(c->code, &p->place, ip, arena, &addrs, &n);

	if (err) {
		control_warn(c, err);
		n = 0;
	}
	p->compiled = true;
	for (size_t i = 0; i < n; i++) {
		if (addrs_have(p->addrs, p->n_addrs, addrs[i]))
			continue;
		addrs_add(&p->addrs, &p->n_addrs, &p->cap_addrs, addrs[i]);
		arm_addrs(c, bp, p, &addrs[i], 1);
	}
	arena_destroy(arena);
}

/* Is the code at @ip the only one that its method will ever have? */
static bool code_is_final(struct control *c, const struct code_module *m,
			  uint32_t token, uint64_t ip)
{
	// debug code is not tiered; each instantiation has code of its own
	return !m->optimized && !m->dynamic && !code_updates(m) &&
	       !code_is_generic(m, token) && !dac_async_has_more(c->dac, ip);
}

/* Bind @p to whatever code its method has, and wait for more. */
static void place_bind_code(struct control *c, struct bp *bp,
			    struct bp_place *p)
{
	struct arena *arena = arena_create();
	uint64_t *codes;
	size_t n;
	struct dbg_error *err = dac_method_codes(
	    c->dac, p->place.module->addr, p->place.token, arena, &codes, &n);

	if (err) {
		control_warn(c, err);
		n = 0;
	}
	for (size_t i = 0; i < n; i++)
		place_add_code(c, bp, p, codes[i]);
	if (!n || !code_is_final(c, p->place.module, p->place.token, codes[0]))
		code_wait_add(c, p->place.module, p->place.token);
	if (n)
		code_wait_compiled(c, p->place.module, p->place.token);
	for (size_t i = 0; i < n; i++)
		entry_trap_done(c, codes[i]);
	arena_destroy(arena);
}

static bool has_marked_place(struct control *c, const struct bp *bp)
{
	const unsigned int marks = CODE_NON_USER | CODE_STEP_THROUGH;

	for (size_t i = 0; i < bp->n_places; i++) {
		const struct code_place *p = &bp->places[i].place;

		if (p->module &&
		    code_traits(c->code, p->module, p->token) & marks)
			return true;
	}
	return false;
}

void control_just_my_code(struct control *c, bool on)
{
	if (c->rules.just_my_code == on)
		return;
	c->rules.just_my_code = on;
	for (size_t i = 0; c->code && i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		if (!bp_is_users(bp) || !has_marked_place(c, bp))
			continue;
		bind_disarm(c, bp);
		bind_arm(c, bp);
		c->ops->changed(c->arg, bp->number, false);
	}
}

void bind_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip)
{
	entry_trap_done(c, ip);
	if (dac_async_is_thunk(c->dac, ip))
		return;
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];
		bool changed = false;

		for (size_t k = 0; k < bp->n_places; k++) {
			struct bp_place *p = &bp->places[k];

			if (p->place.module != m || p->place.token != token ||
			    bp_place_is_replaced(p))
				continue;
			place_add_code(c, bp, p, ip);
			changed = true;
		}
		if (changed && bp_is_users(bp))
			c->ops->changed(c->arg, bp->number, false);
	}
	code_wait_compiled(c, m, token);
	if (code_is_final(c, m, token, ip))
		code_wait_drop(c, m, token);
}

/* ---- Places ---------------------------------------------------------- */

static bool match_pattern(void *arg, const char *name)
{
	return pattern_matches(arg, name);
}

/* Does the name have a namespace and a type, as "System.Console.WriteLine"? */
static bool name_is_full(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && strchr(dot + 1, '.');
}

/* Find the statements of a line; a column chooses among them. */
static struct dbg_error *find_line(struct control *c,
				   const struct dbg_place *loc,
				   struct code_module *m, struct arena *arena,
				   struct code_place **ret, size_t *ret_n)
{
	struct code_spot spot = {
	    .file = loc->file,
	    .line = loc->line,
	    .column = loc->column,
	};

	*ret_n = 0;
	if (loc->column) {
		struct dbg_error *err =
		    code_find_column(c->code, m, &spot, arena, ret, ret_n);

		if (err || *ret_n)
			return err;
	}
	return code_find_line(c->code, m, loc->file, loc->line, arena, ret,
			      ret_n);
}

static struct dbg_error *find_function(struct control *c, struct bp *bp,
				       struct code_module *m,
				       struct arena *arena,
				       struct code_place **ret, size_t *ret_n)
{
	const struct dbg_place *loc = &bp->place;
	const struct code_function fn = {loc->module, loc->function,
					 loc->params};

	*ret_n = 0;
	// a name like "Add" would match hundreds of methods of the framework
	if (!m->pdb && m->framework && !loc->module &&
	    !name_is_full(loc->function))
		return NULL;
	return code_find_function(c->code, m, &fn, arena, ret, ret_n);
}

static bool module_is_asked(const struct dbg_place *loc,
			    const struct code_module *m)
{
	return !loc->module || code_module_has_name(m, loc->module);
}

static struct dbg_error *find_places(struct control *c, struct bp *bp,
				     struct code_module *m, struct arena *arena,
				     struct code_place **ret, size_t *ret_n)
{
	*ret_n = 0;
	// "Add" would match hundreds of methods of the framework
	if (bp->kind == DBG_BREAK_REGEX && !m->pdb && m->framework &&
	    *bp->text != '^')
		return NULL;
	if (bp->kind == DBG_BREAK_REGEX)
		return code_find_matching(c->code, m, match_pattern,
					  bp->pattern, arena, ret, ret_n);
	if (bp->kind != DBG_BREAK_LOCATION || !module_is_asked(&bp->place, m))
		return NULL;
	switch (bp->place.kind) {
	case DBG_PLACE_LINE:
		return find_line(c, &bp->place, m, arena, ret, ret_n);
	case DBG_PLACE_FUNCTION:
		return find_function(c, bp, m, arena, ret, ret_n);
	case DBG_PLACE_TEXT:
	case DBG_PLACE_MAIN:
	case DBG_PLACE_ADDRESS:
		break;
	}
	return NULL;
}

static bool has_place(const struct bp *bp, const struct code_place *place)
{
	for (size_t i = 0; i < bp->n_places; i++) {
		const struct code_place *p = &bp->places[i].place;

		if (p->module == place->module && p->token == place->token &&
		    p->version == place->version &&
		    p->il_offset == place->il_offset)
			return true;
	}
	return false;
}

/* Give @bp a place. */
static void bind_place(struct control *c, struct bp *bp,
		       const struct code_place *place)
{
	mem_grow(&bp->places, &bp->cap_places, bp->n_places,
		 sizeof(*bp->places));

	struct bp_place *p = &bp->places[bp->n_places++];

	memset(p, 0, sizeof(*p));
	p->place = *place;
	// a file has no code yet
	if (c->dac)
		place_bind_code(c, bp, p);
}

/*
 * How well the file of @place matches the requested one; higher is better. Of
 * files with equal names, one in code compiled for debugging is preferred.
 */
static unsigned int how_meant(struct control *c, const struct bp *bp,
			      const struct code_place *place)
{
	return 2 * (unsigned int)code_place_match(c->code, place,
						  bp->place.file) +
	       !place->module->optimized;
}

/*
 * Keep the places of @bp in the files that match best; drop the others. A
 * module that loads later may have a better match.
 */
static void keep_meant(struct control *c, struct bp *bp,
		       struct code_place *places, size_t *n)
{
	unsigned int best = 0, now = 0;
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		unsigned int match = how_meant(c, bp, &places[i]);

		best = match > best ? match : best;
	}
	if (bp->n_places && *n)
		now = how_meant(c, bp, &bp->places[0].place);
	if (now < best && bp->n_places)
		bind_forget(c, bp, NULL);
	best = now > best ? now : best;
	for (size_t i = 0; i < *n; i++)
		if (how_meant(c, bp, &places[i]) == best)
			places[kept++] = places[i];
	*n = kept;
}

bool bind_module(struct control *c, struct bp *bp, struct code_module *m)
{
	struct arena *arena = arena_create();
	struct code_place *places = NULL;
	size_t n = 0;
	bool gained = false;
	struct dbg_error *err = find_places(c, bp, m, arena, &places, &n);

	if (err) {
		control_warn(c, err);
		n = 0;
	}
	if (bp->kind == DBG_BREAK_LOCATION && bp->place.kind == DBG_PLACE_LINE)
		keep_meant(c, bp, places, &n);
	for (size_t i = 0; i < n; i++) {
		if (has_place(bp, &places[i]))
			continue;
		if (bp->kind == DBG_BREAK_LOCATION &&
		    bp->place.kind == DBG_PLACE_LINE && places[i].line &&
		    places[i].line != bp->place.line)
			bp->moved = true;
		if (!bp->n_places)
			bp->edited =
			    code_text_is_edited(c->code, m, places[i].document);
		bind_place(c, bp, &places[i]);
		gained = true;
	}
	arena_destroy(arena);
	return gained;
}

/*
 * Bind to an address. Pending if there is no memory for a trap: breakpoint.c
 * says so.
 */
static void bind_address(struct control *c, struct bp *bp)
{
	uint64_t addr = bp->place.addr;
	struct dbg_error *err;

	if (bp->n_places || !c->target)
		return;
	spawn_traps_arm(c, addr);
	err = control_site_add(c, SITE_BREAK, &addr, 1);
	if (dbg_err_drop(err))
		return;
	mem_grow(&bp->places, &bp->cap_places, 0, sizeof(*bp->places));

	struct bp_place *p = &bp->places[bp->n_places++];

	memset(p, 0, sizeof(*p));
	addrs_add(&p->addrs, &p->n_addrs, &p->cap_addrs, addr);
	arm_addrs(c, bp, p, &addr, 1);
}

void bind_all(struct control *c, struct bp *bp)
{
	if (bp->kind == DBG_BREAK_LOCATION &&
	    bp->place.kind == DBG_PLACE_ADDRESS) {
		bind_address(c, bp);
		return;
	}
	if (!c->code)
		return;

	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++)
		bind_module(c, bp, modules[i]);
}

static bool somebody_has(struct control *c, const struct bp *but,
			 const struct code_place *place)
{
	for (size_t i = 0; i < c->n_bps; i++) {
		const struct bp *bp = c->bps[i];

		for (size_t k = 0; bp != but && k < bp->n_places; k++)
			if (bp->places[k].place.module == place->module &&
			    bp->places[k].place.token == place->token)
				return true;
	}
	return false;
}

static void place_forget(struct control *c, struct bp *bp, struct bp_place *p)
{
	disarm_addrs(c, bp, p->addrs, p->n_addrs);
	if (p->place.module &&
	    code_wait_find(c, p->place.module, p->place.token) &&
	    !somebody_has(c, bp, &p->place))
		code_wait_drop(c, p->place.module, p->place.token);
	free(p->addrs);
}

void bind_forget(struct control *c, struct bp *bp, struct code_module *m)
{
	size_t kept = 0;

	hit_codes_forget(&bp->codes);
	hit_codes_forget(&bp->log_codes);
	for (size_t i = 0; i < bp->n_places; i++) {
		struct bp_place *p = &bp->places[i];

		if (m && p->place.module != m) {
			bp->places[kept++] = *p;
			continue;
		}
		place_forget(c, bp, p);
	}
	bp->n_places = kept;
	if (!kept)
		bp->moved = false;
}

/* ---- Updates --------------------------------------------------------- */

static bool is_running(uint64_t addr, const struct code_range *running,
		       size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (addr >= running[i].start && addr < running[i].end)
			return true;
	return false;
}

/* Leave @p the addresses in replaced code that still runs; false: none. */
static bool place_keep_running(struct control *c, struct bp *bp,
			       struct bp_place *p,
			       const struct code_range *running, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n_addrs; i++) {
		if (is_running(p->addrs[i], running, n))
			p->addrs[kept++] = p->addrs[i];
		else
			disarm_addrs(c, bp, &p->addrs[i], 1);
	}
	p->n_addrs = kept;
	return kept;
}

/*
 * Take from @bp the places of replaced code that still runs, into @ret; returns
 * how many.
 */
static size_t places_take(struct control *c, struct bp *bp,
			  const struct code_module *m,
			  const struct code_range *running, size_t n,
			  struct bp_place *ret)
{
	size_t kept = 0, stay = 0;

	for (size_t i = 0; i < bp->n_places; i++) {
		struct bp_place *p = &bp->places[i];

		if (p->place.module == m && bp_place_is_replaced(p) &&
		    place_keep_running(c, bp, p, running, n))
			ret[stay++] = *p;
		else
			bp->places[kept++] = *p;
	}
	bp->n_places = kept;
	return stay;
}

bool bind_updated(struct control *c, struct bp *bp, struct code_module *m,
		  const struct code_range *running, size_t n)
{
	size_t had = bp->n_places;
	struct bp_place *old = xcalloc(had + 1, sizeof(*old));
	size_t stay = places_take(c, bp, m, running, n, old);

	bind_forget(c, bp, m);
	bool gained = bind_module(c, bp, m);
	for (size_t i = 0; i < stay; i++) {
		mem_grow(&bp->places, &bp->cap_places, bp->n_places,
			 sizeof(*bp->places));
		bp->places[bp->n_places++] = old[i];
	}
	free(old);
	return gained || had;
}

bool bp_place_is_replaced(const struct bp_place *p)
{
	return p->place.module &&
	       p->place.version !=
		   code_method_version(p->place.module, p->place.token);
}

/* ---- Stopping at Main ---------------------------------------------------- */

/*
 * Stopping at Main: a breakpoint of our own, bound when the module with the
 * entry point loads, gone after its hit.
 */

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
