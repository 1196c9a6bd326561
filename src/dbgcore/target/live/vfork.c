/*
 * Traps, and children of vfork. Such a child runs in the program's memory and
 * executes the traps there, but it has no handler of SIGTRAP that would know
 * them: who starts processes sets all signals back first. While we live it is
 * traced and passes them unseen; should we die, a trap would be its end. So
 * traps in native code, which is all that it executes, yield to it: they are
 * out of memory while there is one.
 *
 * The other threads go on: how long the child lives is the program's affair,
 * and nothing of it is to stand still for us. They do not hit those traps
 * meanwhile. Most children have their exec within a millisecond.
 *
 * They have to be out before there is a child, for it is let go as soon as we
 * are dead: the room above tells of a thread that comes to a function which
 * makes one. Of a child that is made elsewhere we know when it is there. One
 * that was there when we attached is not traced, and is known by the thread
 * that waits for it in the kernel.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include "base/err.h"

// Change the byte at the trap to @to if it is @from; else the program has
// written it.
static bool trap_switch(struct live *l, uint64_t addr, uint8_t from, uint8_t to)
{
	uint8_t now;

	return live_read(&l->target, addr, &now, 1) == 1 && now == from &&
	       !dbg_err_drop(live_write_code(&l->target, addr, &to, 1));
}

static void trap_lift(struct live *l, struct trap *trap)
{
	if (trap->yields && !trap->lifted)
		trap->lifted =
		    target_in_image(&l->target, trap->addr) &&
		    trap_switch(l, trap->addr, ARCH_TRAP, trap->byte);
}

static void trap_return(struct live *l, struct trap *trap)
{
	if (trap->lifted)
		trap_switch(l, trap->addr, trap->byte, ARCH_TRAP);
	trap->lifted = false;
}

void live_trap_yield(struct target *t, uint64_t addr, bool on)
{
	struct live *l = live_of(t);
	struct trap *trap = traps_find(&t->traps, addr);

	if (!trap)
		return;
	trap->yields = on;
	if (!on)
		trap_return(l, trap);
	else if (l->n_sharing)
		trap_lift(l, trap);
}

void vfork_begin(struct live *l, struct thread *th)
{
	if (th->vfork.shares)
		return;
	th->vfork.shares = true;
	l->n_sharing++;
	for (size_t i = 0; i < l->target.traps.n; i++)
		trap_lift(l, &l->target.traps.v[i]);
}

void vfork_end(struct live *l, struct thread *th)
{
	if (!th->vfork.shares)
		return;
	th->vfork.shares = th->vfork.found = false;
	l->n_sharing--;
	for (size_t i = 0; !l->n_sharing && i < l->target.traps.n; i++)
		trap_return(l, &l->target.traps.v[i]);
}

void vfork_look(struct live *l, struct thread *th)
{
	if (th->vfork.shares || !proc_makes_child(l->target.pid, th->tid))
		return;
	th->vfork.found = true;
	vfork_begin(l, th);
}

void live_thread_spawns(struct target *t, pid_t tid, bool on)
{
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, tid);

	if (th && on)
		vfork_begin(l, th);
	else if (th && !th->vfork.waits)
		vfork_end(l, th);
}
