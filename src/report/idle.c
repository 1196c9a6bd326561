/*
 * What a command's processes have done is compared with what they had when one
 * of them was last seen to work.
 *
 * Threads that begin or end are no work: while a program hangs its runtime
 * makes some, for code that was called often enough to be compiled anew, or
 * because all that there are wait. Nor are the few bytes by which they are
 * named and told to begin.
 */
#include "report/idle.h"

#include <unistd.h>

enum {
	LOOKS = 10, /* in the time of a hang */
	LOOK_MAX_MS = 1000,
	IDLE_PART = 20,    /* they work for less than this part of the time */
	THREAD_BYTES = 64, /* are written for new threads between two looks */
};

static uint64_t look_every(uint64_t hang_ms)
{
	uint64_t every = hang_ms / LOOKS;

	return every < LOOK_MAX_MS ? every : LOOK_MAX_MS;
}

void idle_restart(struct idle *idle, uint64_t now)
{
	idle->since = idle->looked = now;
}

uint64_t idle_next(const struct idle *idle, uint64_t hang_ms)
{
	return idle->looked + look_every(hang_ms);
}

// Has anything come of it since the last look?
static bool has_moved(const struct idle *idle, const struct tree_work *now)
{
	uint64_t bytes = now->moved - idle->last.moved;

	return now->members != idle->last.members ||
	       (bytes &&
		(now->threads == idle->last.threads || bytes > THREAD_BYTES));
}

// Has it used processors for long enough since it was last seen to work?
static bool has_worked(const struct idle *idle, const struct tree_work *now,
		       uint64_t hang_ms)
{
	uint64_t ms = (now->ticks - idle->work.ticks) * 1000 /
		      (uint64_t)sysconf(_SC_CLK_TCK);

	// fewer where a process has ended
	return now->ticks < idle->work.ticks || ms > hang_ms / IDLE_PART;
}

bool idle_look(struct idle *idle, pid_t pid, uint64_t hang_ms, uint64_t now)
{
	uint64_t every = look_every(hang_ms);
	struct tree_work work;

	if (now < idle->looked + every)
		return false;
	// Where no look was, it may have been stopped or waited as we did.
	if (now - idle->looked > 2 * every)
		idle->since += now - idle->looked - every;
	idle->looked = now;
	tree_work(pid, &work);
	bool works = has_moved(idle, &work) || has_worked(idle, &work, hang_ms);
	idle->last = work;
	if (works) {
		idle->since = now;
		idle->work = work;
	}
	return !works;
}
