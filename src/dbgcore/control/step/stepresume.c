/*
 * Where async methods resume: traps at the resume points in all code that a
 * method has, and in code that the JIT makes while the step waits (the next
 * tier), of which the runtime is asked to notify.
 */
#include "control/control_priv.h"
#include "control/jit/jit.h"
#include "control/step/stepasync.h"
#include "control/step/steps.h"

#include "base/err.h"

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

struct dbg_error *stepresume_code(struct control *c, struct code_module *m,
				  uint32_t token, uint64_t ip)
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
