/*
 * Watches by the debug registers of x86-64 (Intel SDM vol. 3, 17.2): each
 * thread has its own set, written through PTRACE_POKEUSER.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

enum {
	DR_STATUS = 6,
	DR_CONTROL = 7,
	DR_SLOTS = 0xf, /* of the status: which were hit */
};

static uint64_t dr_offset(unsigned int n)
{
	return offsetof(struct user, u_debugreg) + n * sizeof(uint64_t);
}

// Make the debug control register (Intel SDM vol. 3, 17.2.4): enable bits, then
// kind and length of each.
static uint64_t dr_control(const struct target_watch *v)
{
	static const uint8_t lengths[9] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
	uint64_t control = 0;

	for (unsigned int i = 0; i < TARGET_WATCHES; i++) {
		uint64_t kind = v[i].reads ? 3 : 1;

		if (!v[i].size)
			continue;
		control |= UINT64_C(1) << 2 * i;
		control |= (kind | (uint64_t)lengths[v[i].size] << 2)
			   << (16 + 4 * i);
	}
	return control;
}

bool debugreg_clear(struct live *l, pid_t tid)
{
	return !live_ptrace(l, PTRACE_POKEUSER, tid, dr_offset(DR_CONTROL), 0);
}

// Set a debug register. It is disabled first, since the kernel checks an
// address against the length that it had.
bool debugreg_set(struct live *l, pid_t tid, const struct target_watch *v)
{
	uint64_t control = dr_control(v);

	if (!debugreg_clear(l, tid))
		return false;
	for (unsigned int i = 0; i < TARGET_WATCHES; i++)
		if (v[i].size && live_ptrace(l, PTRACE_POKEUSER, tid,
					     dr_offset(i), v[i].addr))
			return false;
	return !control || !live_ptrace(l, PTRACE_POKEUSER, tid,
					dr_offset(DR_CONTROL), control);
}

unsigned int debugreg_hits(struct live *l, pid_t tid)
{
	uint64_t status;

	errno = 0;
	status = (uint64_t)live_ptrace(l, PTRACE_PEEKUSER, tid,
				       dr_offset(DR_STATUS), 0);
	if (errno || !(status & DR_SLOTS))
		return 0;
	live_ptrace(l, PTRACE_POKEUSER, tid, dr_offset(DR_STATUS), 0);
	return (unsigned int)status & DR_SLOTS;
}
