/*
 * Stepping into one chosen call of a line. A call is chosen by its IL offset.
 * Code compiled for debugging has each call's IL offset in its map, so only
 * the right one is looked at; in optimised code, whose map knows statements
 * at best, what is called must have the right name, and as many calls of that
 * name as stand before the chosen one are passed.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/debugger.h"
#include "control/jit/jit.h"
#include "control/step/step.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static struct dbg_error *stepresume_code(struct control *c,
					 struct code_module *m, uint32_t token,
					 uint64_t ip);

/* ---- The plan of a step as a list of sites ------------------------------- */

/* Added, trapped, lifted and forgotten. */

void step_add(struct step_plan *p, uint64_t addr, enum step_role role,
	      const struct activation *frame)
{
	mem_grow(&p->sites, &p->cap_sites, p->n_sites, sizeof(*p->sites));
	struct step_site *s = &p->sites[p->n_sites++];

	*s = (struct step_site){.addr = addr, .role = role};
	if (frame)
		s->frame = *frame;
}

bool step_has(const struct step_plan *p, uint64_t addr, enum step_role role)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].role == role &&
		    (!addr || p->sites[i].addr == addr))
			return true;
	return false;
}

struct dbg_error *step_arm(struct control *c)
{
	struct step_plan *p = &c->plan;
	_cleanup_free_ uint64_t *addrs =
	    xcalloc(p->n_sites + 1, sizeof(*addrs));

	for (size_t i = 0; i < p->n_sites; i++)
		addrs[i] = p->sites[i].addr;
	control_catch(c, CATCH_USER_STEP, true);
	return control_site_add(c, SITE_STEP, addrs, p->n_sites);
}

static bool is_site(const struct step_plan *p, uint64_t addr)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].addr == addr)
			return true;
	return false;
}

/* Lift the traps of @gone that are no site of the plan. */
static struct dbg_error *lift(struct control *c, const struct step_site *gone,
			      size_t n)
{
	_cleanup_free_ uint64_t *addrs = xcalloc(n + 1, sizeof(*addrs));
	size_t n_addrs = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_site(&c->plan, gone[i].addr))
			addrs[n_addrs++] = gone[i].addr;
	return n_addrs ? control_site_remove(c, SITE_STEP, addrs, n_addrs)
		       : NULL;
}

struct dbg_error *step_drop(struct control *c, enum step_role role)
{
	struct step_plan *p = &c->plan;
	_cleanup_free_ struct step_site *gone =
	    xcalloc(p->n_sites + 1, sizeof(*gone));
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < p->n_sites; i++) {
		if (p->sites[i].role == role)
			gone[n++] = p->sites[i];
		else
			p->sites[kept++] = p->sites[i];
	}
	p->n_sites = kept;
	return lift(c, gone, n);
}

void step_lift(struct control *c)
{
	struct step_plan *p = &c->plan;

	if (p->phase == STEP_NONE)
		return;
	size_t n = p->n_sites;

	p->n_sites = 0;
	control_warn(c, lift(c, p->sites, n));
	control_catch(c, CATCH_USER_STEP, false);
	step_body_forget(c, &p->enter);
	step_body_forget(c, &p->resumes.body);
	probe_disarm(c);
	*p = (struct step_plan){
	    .tid = p->tid,
	    .step = p->step,
	    .until = p->until,
	    .target = p->target,
	    .home = p->home,
	    .home_pc = p->home_pc,
	    .from = p->from,
	    .sites = p->sites,
	    .cap_sites = p->cap_sites,
	};
}

bool step_is_awaited(const struct step_plan *p)
{
	return p->waiter || p->blocked || p->suspended.tid;
}

void step_clear(struct control *c)
{
	uint32_t until = c->plan.until;

	c->plan.until = 0;
	if (until)
		control_warn(c, control_break_delete(c, until));
	step_lift(c);
}

void control_thread_gone(struct control *c, pid_t tid)
{
	call_thread_gone(c, tid);
	jit_gate_gone(c, tid);
	thread_traps_forget(c, &c->debugger.breaks, SITE_DEBUGGER, tid);
	thread_traps_forget(c, &c->catches, SITE_CATCH, tid);
	thread_traps_forget(c, &c->spawns, SITE_SPAWN, tid);
	if (c->plan.suspended.tid == tid)
		c->plan.suspended.tid = 0;
	if (c->plan.blocked == tid)
		c->plan.blocked = 0;
	if (c->plan.phase == STEP_NONE || c->plan.tid != tid)
		return;
	// what awaits the call that it has ended goes on elsewhere
	if (step_is_awaited(&c->plan))
		c->plan.tid = 0;
	else
		step_clear(c);
}

/* ---- Where async methods resume ------------------------------------------ */

/*
 * Traps at the resume points in all code that a method has, and in code that
 * the JIT makes while the step waits (the next tier), of which the runtime is
 * asked to notify.
 */

/* ---- Bodies whose code is told of ------------------------------------- */

void step_body_forget(struct control *c, struct step_body *b)
{
	const struct code_module *m =
	    b->asked && c->dac ? code_module_find(c->code, b->ref.module)
			       : NULL;

	// Keep the notification if a breakpoint set meanwhile waits for this
	// code.
	if (m && !code_wait_find(c, m, b->ref.token))
		dbg_error_destroy(
		    dac_notify_methods(c->dac, &b->ref, 1, false));
	*b = (struct step_body){0};
}

struct dbg_error *step_body_await(struct control *c, struct step_body *b,
				  const struct code_module *m, uint32_t token)
{
	step_body_forget(c, b);
	b->ref = (struct dac_method_ref){m->addr, token};
	b->asked = !code_wait_find(c, m, token);
	return b->asked ? dac_notify_methods(c->dac, &b->ref, 1, true) : NULL;
}

static bool body_is_of(const struct step_body *b, const struct code_module *m,
		       uint32_t token)
{
	return b->ref.token == token && b->ref.module == m->addr;
}

bool step_body_keep(struct control *c, const struct code_module *m,
		    uint32_t token)
{
	struct step_body *all[] = {&c->plan.enter, &c->plan.resumes.body};
	bool any = false;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (body_is_of(all[i], m, token))
			any = all[i]->asked = true;
	return any;
}

void step_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip)
{
	struct step_plan *p = &c->plan;

	if (p->phase == STEP_NONE)
		return;
	if (body_is_of(&p->enter, m, token))
		control_warn(c, stepin_body(c, m, token, ip));
	if (body_is_of(&p->resumes.body, m, token))
		control_warn(c, stepresume_code(c, m, token, ip));
}

/* ---- Places ----------------------------------------------------------- */

static bool begins_at(struct control *c, uint64_t addr, uint32_t il_offset)
{
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = code_pos_at(c->code, addr, true, &pos, &any);

	return !dbg_err_drop(err) && any && pos->il_offset != UINT32_MAX &&
	       pos->il_offset >= il_offset;
}

struct dbg_error *stepresume_place(struct control *c,
				   const struct code_place *place, uint64_t ip,
				   const struct step_site *site)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	uint64_t *addrs;
	size_t n;

	err = code_addresses(c->code, place, ip, arena, &addrs, &n);
	// of optimised code it may be the statement before
	for (size_t i = 0; !err && i < n; i++)
		if (begins_at(c, addrs[i], place->il_offset))
			step_add(&c->plan, addrs[i], site->role, &site->frame);
	arena_destroy(arena);
	return err;
}

void stepresume_awaits(const struct code_pos *pos, struct arena *arena,
		       struct pdb_await **ret, size_t *ret_n)
{
	*ret_n = 0;
	if (pos->module && pos->module->pdb)
		pdb_awaits(pos->module->pdb, code_pos_method(pos), arena, ret,
			   ret_n);
}

/* ---- Resume points ---------------------------------------------------- */

/* Add the resume points of plan.resumes in the code at @ip. */
static struct dbg_error *add_code(struct control *c, struct code_module *m,
				  uint32_t token, uint64_t ip)
{
	struct dbg_error *err = NULL;
	const struct step_resumes *r = &c->plan.resumes;
	const struct step_site site = {.role = r->role};
	struct arena *arena = arena_create();
	struct pdb_await *awaits;
	struct code_pos pos;
	size_t n;

	code_pos_of(c->code, m, token, 0, &pos);
	stepresume_awaits(&pos, arena, &awaits, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const struct code_place place = {
		    .module = m,
		    .token = token,
		    .version = code_method_version(m, token),
		    .il_offset = awaits[i].resume_offset,
		};

		if (!r->one || awaits[i].yield_offset == r->yield_offset)
			err = stepresume_place(c, &place, ip, &site);
	}
	arena_destroy(arena);
	return err;
}

/*
 * Code of the method of plan.resumes was compiled at @ip: let the step wait
 * there as well.
 */
static struct dbg_error *stepresume_code(struct control *c,
					 struct code_module *m, uint32_t token,
					 uint64_t ip)
{
	struct dbg_error *err = add_code(c, m, token, ip);

	return err ? err : step_arm(c);
}

struct dbg_error *stepresume_add(struct control *c, const struct code_pos *pos,
				 const struct pdb_await *one,
				 enum step_role role)
{
	struct step_resumes *r = &c->plan.resumes;
	struct arena *arena = arena_create();
	uint64_t *codes;
	size_t n;
	struct dbg_error *err = dac_method_codes(c->dac, pos->module->addr,
						 pos->token, arena, &codes, &n);

	r->role = role;
	r->one = one;
	r->yield_offset = one ? one->yield_offset : 0;
	for (size_t i = 0; !err && i < n; i++)
		err = add_code(c, pos->module, pos->token, codes[i]);
	arena_destroy(arena);
	// code for debugging is never compiled anew
	if (err || !pos->module->optimized)
		return err;
	return step_body_await(c, &r->body, pos->module, pos->token);
}

/* ---- Stepping into one chosen call of a line ----------------------------- */

struct dbg_error *control_calls(struct control *c, pid_t tid,
				struct arena *arena, struct dbg_call **ret,
				size_t *ret_n)
{
	struct dbg_error *err;
	struct regs regs;
	const struct code_pos *pos;
	struct code_calls calls = {.arena = arena};
	bool any = false;

	if (!c->code)
		return dbg_err(DBG_E_STATE, "the runtime is not loaded yet");
	err = target_regs(c->target, tid, &regs);
	if (!err)
		err = code_pos_at(c->code, regs_pc(&regs), true, &pos, &any);
	if (err)
		return err;
	if (any)
		code_calls(pos, &calls);
	*ret = arena_calloc(arena, calls.n + 1, sizeof(**ret));
	*ret_n = calls.n;
	for (size_t i = 0; i < calls.n; i++)
		(*ret)[i] = (struct dbg_call){
		    .id = calls.calls[i].il_offset + 1,
		    .function = calls.calls[i].name.full,
		    .name = calls.calls[i].name.plain,
		};
	return NULL;
}

void target_forget(struct control *c)
{
	free(c->plan.target.name);
	memset(&c->plan.target, 0, sizeof(c->plan.target));
	c->plan.target.il_offset = UINT32_MAX;
}

/* Fill in the plan's target from the calls of the line. */
static bool find_target(struct control *c, const struct code_calls *calls)
{
	struct call_target *t = &c->plan.target;
	const struct code_call *found = NULL;

	for (size_t i = 0; i < calls->n; i++)
		if (calls->calls[i].il_offset + 1 == c->plan.step.target)
			found = &calls->calls[i];
	if (!found)
		return false;
	t->il_offset = found->il_offset;
	t->name = xstrdup(found->simple);
	if (!c->plan.home->optimized)
		return true;
	for (const struct code_call *call = calls->calls; call < found; call++)
		t->skip += !strcmp(call->simple, found->simple);
	return true;
}

struct dbg_error *target_take(struct control *c, const struct code_pos *pos)
{
	struct code_calls calls = {.arena = arena_create()};
	bool found;

	target_forget(c);
	code_calls(pos, &calls);
	found = !c->plan.step.target || find_target(c, &calls);
	arena_destroy(calls.arena);
	return found ? NULL
		     : dbg_err(DBG_E_ARGUMENT, "the line has no such call");
}

bool target_entry_holds(struct control *c, uint64_t addr, uint32_t from,
			uint32_t il)
{
	const struct dac_il_map *map;
	uint32_t next = DAC_IL_EPILOG;
	size_t n;

	if (dbg_err_drop(dac_il_map(c->dac, addr, &map, &n)))
		return from == il;
	for (size_t i = 0; i < n; i++)
		if (map[i].il_offset > from && map[i].il_offset < next)
			next = map[i].il_offset;
	return il >= from && il < next;
}

bool target_may_be(struct control *c, uint64_t addr)
{
	const struct call_target *t = &c->plan.target;
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err;

	if (!t->name || c->plan.home->optimized)
		return true;
	err = code_pos_at(c->code, addr, true, &pos, &any);
	return !dbg_err_drop(err) && any &&
	       target_entry_holds(c, addr, pos->il_offset, t->il_offset);
}

/*
 * Is it the call that the user has named? Invoke of a delegate may call
 * anything.
 */
static bool is_named(const struct call_target *t, const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strcmp(t->name, "Invoke") || !strcmp(t->name, name) ||
	       (dot && dot != name && !strcmp(t->name, dot + 1));
}

bool target_is(struct control *c, struct code_module *m, uint32_t token)
{
	struct call_target *t = &c->plan.target;

	if (!t->name)
		return true;
	if (!is_named(
		t, md_col_string(&m->md, MD_METHODDEF, MD_TOKEN_RID(token), 3)))
		return false;
	return !t->skip || t->skip-- == 0;
}
