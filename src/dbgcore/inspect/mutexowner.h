/* Finds the owner of a Mutex that a thread waits for. */
#ifndef INSPECT_MUTEXOWNER_H
#define INSPECT_MUTEXOWNER_H

#include <stddef.h>
#include <stdint.h>

struct dbg_thread;
struct inspect;

/*
 * Find the thread in @all that owns the Mutex for which @t waits, in
 * WaitHandle.WaitOne; 0: it is no Mutex, or not known.
 */
uint32_t mutex_owner(struct inspect *in, const struct dbg_thread *t,
		     const struct dbg_thread *all, size_t n_all);

#endif
