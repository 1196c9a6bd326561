/*
 * Finds the owner of a Mutex that a thread waits for.
 *
 * Since .NET 11 a Mutex is managed code: the Thread's
 * WaitSubsystem.ThreadWaitInfo has the objects that it waits for, and these
 * have their owners.
 *
 * Before, it belongs to the runtime's PAL (pal/src/synchmgr/synchmanager.hpp,
 * .NET 8 to 10), and no table tells where. Three steps lead from a waiting
 * thread to the owner:
 *
 *   a word of its native frames leads to its ThreadWaitInfo or close before it,
 *   a word of that to a WaitingThreadsListNode, which has the thread's number
 *   and in its last word leads back to the ThreadWaitInfo,
 *   the word before that to a CSynchData, in whose list that node is, and
 *   which has, one behind the other, the type of a Mutex, the number of
 *   references, 0 (it is not signaled), how often it is owned, and the
 *   numbers of the process and of the owner.
 *
 * Numbers alone would not do: in a container all are small.
 *
 * A named Mutex is in all releases a robust mutex of the C library in memory
 * that processes share. Who waits for it gives the kernel the owner's number,
 * which is in the thread's registers and so in every core.
 */
#include "dac/objectlayout.h"
#include "inspect/inspect.h"

#include <linux/futex.h>
#include <string.h>

#include "base/err.h"
#include "target/proc.h"

enum {
	STACK_WORDS = 1024, /* of native frames that are looked at */
	INFO_WORDS = 96,    /* behind what a word of the stack leads to */
	INFO_SIZE = 640,  /* ThreadWaitInfo: 64 nodes and less than 128 bytes */
	NODE_WORDS = 8,   /* WaitingThreadsListNode */
	NODE_LAST = 6,    /* its last word, or the one behind it (.NET 8) */
	DATA_WORDS = 10,  /* CSynchData, up to the owner */
	DATA_TYPE = 5,    /* in CSynchData, in 32 bits: the first that may be */
	TYPE_MUTEX = 2,   /* PalObjectTypeId */
	COUNT_MAX = 1000, /* times that a thread owns a Mutex */
	SHARED_OWNER = 40, /* behind the C library's mutex: process, thread */
};

struct owner_search {
	struct inspect *in;
	const struct dbg_thread *all;
	size_t n_all;
	uint32_t pid, tid; /* as the program knows them */
	const struct proc_maps *maps;
};

// The thread of this program that has the number @tid for itself; 0: none.
static uint32_t thread_inside(const struct owner_search *s, uint32_t tid)
{
	for (size_t i = 0; i < s->n_all; i++)
		if ((uint32_t)target_tid_inside(s->in->target, s->all[i].tid) ==
		    tid)
			return s->all[i].number;
	return 0;
}

/* ---- .NET 11 --------------------------------------------------------- */

static uint64_t pointer_of(struct values *values, uint64_t object,
			   const char *name)
{
	struct value v = value_object(values, object), at;
	uint64_t ret = 0;

	return object && value_member(values, &v, name, &at) &&
		       value_pointer(values, &at, &ret)
		   ? ret
		   : 0;
}

static uint64_t integer_of(struct values *values, uint64_t object,
			   const char *name)
{
	struct value v = value_object(values, object), at;
	uint64_t ret = 0;

	return object && value_member(values, &v, name, &at) &&
		       value_integer(values, &at, &ret)
		   ? ret
		   : 0;
}

static uint32_t owner_managed(const struct owner_search *s,
			      const struct dbg_thread *t)
{
	struct values *values = s->in->values;
	const struct dac_thread *of = dac_thread_find(s->in->dac, t->tid);
	uint64_t info =
	    of ? pointer_of(values, dac_thread_object(s->in->dac, of),
			    "_waitInfo")
	       : 0;
	uint64_t objects = pointer_of(values, info, "_waitedObjects");
	uint64_t object = 0, id;

	if (!objects || (uint32_t)integer_of(values, info, "_waitedCount") != 1)
		return 0;
	dbg_error_destroy(
	    target_read_u64(s->in->target, objects + ARRAY_DATA, &object));
	id = integer_of(values,
			pointer_of(values,
				   pointer_of(values, object, "_ownershipInfo"),
				   "_thread"),
			"_managedThreadId");
	for (size_t i = 0; i < s->n_all && id; i++)
		if (s->all[i].managed && s->all[i].managed_id == id)
			return s->all[i].number;
	return 0;
}

/* ---- The PAL's ------------------------------------------------------- */

// Read words at @addr; 0: it leads nowhere. Only writable memory is looked at:
// most words lead elsewhere and are not worth a system call.
static size_t words_at(const struct owner_search *s, uint64_t addr,
		       uint64_t *words, size_t n)
{
	const struct proc_map *map =
	    addr && !(addr & 7) ? proc_maps_find(s->maps, addr) : NULL;

	return map && map->read && map->write && !map->exec
		   ? target_read_some(s->in->target, addr, words, n * 8) / 8
		   : 0;
}

// The owner named by a CSynchData at @addr; 0: it is none of a Mutex, or the
// node at @node, which begins with @links, is not in its list.
static uint32_t owner_at(const struct owner_search *s, uint64_t addr,
			 uint64_t node, const uint64_t links[2])
{
	uint64_t words[DATA_WORDS];
	uint32_t v[DATA_WORDS * 2];
	size_t n = words_at(s, addr, words, DATA_WORDS);

	// a list's first node has none before it, the last one none behind it
	if (n < 2 || !words[0] || !words[1] ||
	    (words[0] == node) != !links[1] || (words[1] == node) != !links[0])
		return 0;
	memcpy(v, words, n * 8);
	for (size_t i = DATA_TYPE; i + 5 < n * 2; i++) {
		if (v[i] != TYPE_MUTEX || !v[i + 1] || v[i + 2] || !v[i + 3] ||
		    v[i + 3] > COUNT_MAX || v[i + 4] != s->pid)
			continue;
		uint32_t owner = v[i + 5] && v[i + 5] != s->tid
				     ? thread_inside(s, v[i + 5])
				     : 0;

		if (owner)
			return owner;
	}
	return 0;
}

// ... through a WaitingThreadsListNode of the thread at @addr, to which the
// word at @from points.
static uint32_t owner_of_node(const struct owner_search *s, uint64_t addr,
			      uint64_t from)
{
	uint64_t words[NODE_WORDS];
	size_t n = words_at(s, addr, words, NODE_WORDS);

	for (size_t i = NODE_LAST; i < n; i++) {
		uint64_t info = words[i];

		if ((uint32_t)words[i - 4] == s->tid && from >= info &&
		    from - info < INFO_SIZE)
			return owner_at(s, words[i - 1], addr, words);
	}
	return 0;
}

static uint32_t owner_native(const struct owner_search *s,
			     const struct dbg_thread *t)
{
	uint64_t stack[STACK_WORDS], words[INFO_WORDS], sp;
	const struct frame *f;
	struct regs regs;
	uint32_t owner = 0;

	if (dbg_err_drop(target_regs(s->in->target, t->tid, &regs)) ||
	    dbg_err_drop(stack_frame(s->in->stack, t->number, 0, &f)) || !f)
		return 0;
	sp = regs_sp(&regs);
	if (f->raw.sp <= sp || sp & 7)
		return 0;
	size_t n = (size_t)(f->raw.sp - sp) / 8;

	n = words_at(s, sp, stack, n < STACK_WORDS ? n : STACK_WORDS);
	for (size_t i = 0; i < n && !owner; i++) {
		// What leads to these frames themselves. The heap may begin
		// right above the stack (musl's).
		if (stack[i] >= sp && stack[i] < f->raw.sp)
			continue;
		size_t n_words = words_at(s, stack[i], words, INFO_WORDS);

		for (size_t k = 0; k < n_words && !owner; k++)
			owner = owner_of_node(s, words[k], stack[i] + k * 8);
	}
	return owner;
}

/* ---- Named ----------------------------------------------------------- */

// The process of the owner @tid, which the runtime notes behind the mutex at
// @addr; 0: it is not there.
static uint32_t process_noted(const struct owner_search *s, uint64_t addr,
			      uint32_t tid)
{
	struct {
		uint32_t process, unused;
		uint64_t thread;
	} noted;
	size_t n = target_read_some(s->in->target, addr + SHARED_OWNER, &noted,
				    sizeof(noted));

	return n == sizeof(noted) && noted.thread == tid ? noted.process : 0;
}

// Does the thread wait for a futex that processes share, until it is not owned
// any more?
static bool owner_named(const struct owner_search *s,
			const struct dbg_thread *t, struct mutex_owner *ret)
{
	struct regs regs;

	if (dbg_err_drop(target_regs(s->in->target, t->tid, &regs)) ||
	    !regs_in_call(&regs))
		return false;
	uint64_t how = regs_arg(&regs, 1) & ~(uint64_t)FUTEX_CLOCK_REALTIME;
	uint32_t word = (uint32_t)regs_arg(&regs, 2);
	uint32_t tid = word & FUTEX_TID_MASK;

	if ((how != FUTEX_WAIT && how != FUTEX_WAIT_BITSET) ||
	    !(word & FUTEX_WAITERS) || !tid)
		return false;
	ret->thread = thread_inside(s, tid);
	if (!ret->thread) {
		ret->outside = tid;
		ret->process = process_noted(s, regs_arg(&regs, 0), tid);
	}
	return true;
}

bool mutex_owner(struct inspect *in, const struct dbg_thread *t,
		 const struct dbg_thread *all, size_t n_all,
		 struct mutex_owner *ret)
{
	struct target *target = in->target;
	struct owner_search s = {
	    .in = in,
	    .all = all,
	    .n_all = n_all,
	    .pid = (uint32_t)target_tid_inside(target, target_pid(target)),
	    .tid = (uint32_t)target_tid_inside(target, t->tid),
	};

	*ret = (struct mutex_owner){0};
	if (owner_named(&s, t, ret))
		return true;
	ret->thread = owner_managed(&s, t);
	if (!ret->thread && s.pid && s.tid &&
	    !dbg_err_drop(target_maps(target, &s.maps)))
		ret->thread = owner_native(&s, t);
	return ret->thread != 0;
}
