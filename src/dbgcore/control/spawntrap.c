/*
 * Functions that make a child by vfork: while a thread is in one, traps in
 * native code yield (target_trap_yield). There are traps at these as long as
 * there may be one in native code.
 *
 * Not only the child: before it makes one such a function blocks all signals,
 * and a trap that is hit then, when we are dead, would be the program's end. So
 * the traps are out from the function's first instruction on. If we are dead
 * by then, the orphan trap handler, which answers there, takes all out.
 */
#include "control/control_priv.h"

#include "base/err.h"

static const struct {
	const char *library, *name;
} spawners[] = {
    {"libSystem.Native.so", "SystemNative_ForkAndExecProcess"},
    {"libc.so.6", "posix_spawn"},
    {"libc.so.6", "posix_spawnp"},
    {"libc.so.6", "system"},
    {"libc.so.6", "popen"},
};

void spawn_traps_arm(struct control *c, uint64_t addr)
{
	if (!target_in_image(c->target, addr))
		return;
	for (size_t i = 0; i < sizeof(spawners) / sizeof(*spawners); i++) {
		uint64_t at[TARGET_OVERLOADS] = {0};

		control_library_functions(c, spawners[i].library,
					  spawners[i].name, at);
		if (*at)
			control_warn(c, control_site_add(c, SITE_SPAWN, at, 1));
	}
}

void spawn_trap_hit(struct control *c, pid_t tid, uint64_t addr)
{
	struct regs regs;
	struct thread_trap returns = {tid, addr};

	if (thread_trap_take(c, &c->spawns, SITE_SPAWN, &returns)) {
		target_thread_spawns(c->target, tid, false);
		return;
	}
	if (dbg_err_drop(target_regs(c->target, tid, &regs)) ||
	    dbg_err_drop(regs_return_address(&regs, c->target, &returns.addr)))
		return;
	target_thread_spawns(c->target, tid, true);
	control_warn(c, thread_trap_add(c, &c->spawns, SITE_SPAWN, &returns));
}
