/*
 * The plan of a step as a list of sites: added, trapped, lifted and forgotten.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/debugger.h"
#include "control/jit/jit.h"
#include "control/step/mycode.h"
#include "control/step/steps.h"

#include "base/err.h"
#include "base/mem.h"

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
