/* Finds the owner of a Mutex that a thread waits for. */
#ifndef INSPECT_MUTEXOWNER_H
#define INSPECT_MUTEXOWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dbg_thread;
struct inspect;

/* Who has a Mutex. */
struct mutex_owner {
	uint32_t thread; /* 0: none of this program's, or not known */
	/*
	 * Of another process, by the numbers that the program has for them:
	 * the thread, and the process; 0: none, not known.
	 */
	uint32_t outside, process;
};

/*
 * Find who owns the Mutex for which @t waits, in WaitHandle.WaitOne; @all are
 * the program's threads. False: it is no Mutex, or not known.
 */
bool mutex_owner(struct inspect *in, const struct dbg_thread *t,
		 const struct dbg_thread *all, size_t n_all,
		 struct mutex_owner *ret);

#endif
