/*
 * Finds which thread waits for a lock that another one holds.
 *
 * A thread that has to wait for an object's lock makes a sync block of it. The
 * DAC knows its owner and how many threads wait, but not which. The runtime
 * puts a record for debuggers (DebugBlockingItem) on the stack of each: the
 * address of the sync block's lock, which is the block's own, the AppDomain in
 * some releases, how it waits, the timeout, and the previous record. It lies
 * between the stack pointer and the newest managed frame and is searched for
 * there: a word that is the address of a sync block, followed by words that
 * such a record can have.
 *
 * A small core may lack the sync blocks, and with them the owners. There a
 * record is known by the runtime's Thread, which points to it.
 *
 * The Monitor of .NET 11 is managed code: the sync block has a handle of a
 * System.Threading.Lock, and the thread waits in a method of that, or of a
 * Condition that has it. Frames of these methods tell the object.
 */
#include "inspect/waits.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/gcheap.h"
#include "inspect/framerefs.h"
#include "inspect/inspect.h"

enum {
	STACK_WORDS = 4096, /* of native frames that are looked at */
	RECORD_WORDS = 4,
	FOR_LOCK = 0, /* DebugBlock_MonitorCriticalSection */
	FOR_PULSE = 1,
	FRAMES_MAX = 24,    /* from the newest, in which a managed wait is */
	THREAD_WORDS = 256, /* of a Thread, in which its record is looked for */
};

#define MONITOR "System.Threading.Monitor"
#define LOCK "System.Threading.Lock"
#define CONDITION "System.Threading.Condition"

struct search {
	struct inspect *in;
	struct gc_sync_block *blocks;
	size_t n_blocks;
	struct dbg_thread *threads;
	size_t n_threads;
	struct dbg_wait *v;
	size_t n;
};

/* The native end of a stack: the registers and the newest managed frame. */
struct native_end {
	uint64_t sp, end;
	uint64_t words[STACK_WORDS + RECORD_WORDS];
	size_t n;
};

// False: the thread runs managed code, or its stack is not known.
static bool read_end(struct inspect *in, const struct dbg_thread *t,
		     struct native_end *ret)
{
	const struct frame *f;
	struct regs regs;

	if (dbg_err_drop(target_regs(in->target, t->tid, &regs)) ||
	    dbg_err_drop(stack_frame(in->stack, t->number, 0, &f)) || !f)
		return false;
	ret->sp = regs_sp(&regs);
	ret->end = f->raw.sp;
	if (ret->end <= ret->sp || ret->sp & 7)
		return false;
	size_t size = ret->end - ret->sp < STACK_WORDS * 8
			  ? (size_t)(ret->end - ret->sp)
			  : STACK_WORDS * 8;
	memset(ret->words, 0, sizeof(ret->words));
	ret->n = target_read_some(in->target, ret->sp, ret->words, size) / 8;
	return true;
}

// Can these words be the last members of a record: how it waits, the timeout,
// the previous record?
static bool is_rest(const struct native_end *end, const uint64_t *words,
		    unsigned int *ret_how)
{
	uint32_t how = (uint32_t)words[0], timeout = (uint32_t)(words[0] >> 32);

	*ret_how = how;
	return how <= FOR_PULSE && timeout &&
	       (!words[1] ||
		(words[1] > end->sp && words[1] - end->sp < 1 << 20));
}

static const struct gc_sync_block *block_at(const struct search *s,
					    uint64_t addr)
{
	for (size_t i = 0; i < s->n_blocks; i++)
		if (s->blocks[i].addr == addr)
			return &s->blocks[i];
	return NULL;
}

// Find the sync block that a thread waits for; NULL: none.
static const struct gc_sync_block *find_record(const struct search *s,
					       const struct native_end *end,
					       unsigned int *ret_how)
{
	for (size_t i = 0; i < end->n; i++) {
		const uint64_t *words = &end->words[i];
		const struct gc_sync_block *block;

		if (!words[0] || (words[0] & 7))
			continue;
		block = block_at(s, words[0]);
		if (block && (is_rest(end, words + 1, ret_how) ||
			      is_rest(end, words + 2, ret_how)))
			return block;
	}
	return NULL;
}

/* ---- Cores that lack the sync blocks ----------------------------------- */

// Does the runtime's Thread point to @addr, which is on its stack?
static bool is_record(struct inspect *in, const struct dbg_thread *t,
		      uint64_t addr)
{
	uint64_t thread = stack_managed_thread(in->stack, t->tid);

	return thread &&
	       target_has_word(in->target, thread, THREAD_WORDS, addr);
}

// The object that the runtime has entered the lock of: the one that its own
// frame, which is newer than those of code, keeps; 0: not told.
static uint64_t object_of(struct inspect *in, const struct dbg_thread *t,
			  const struct native_end *end)
{
	struct frame_refs refs = {.in = in, .thread = t};

	frame_refs_read(&refs);
	for (size_t i = 0; i < refs.n; i++)
		if (refs.v[i].frame && refs.v[i].addr > end->sp &&
		    refs.v[i].addr < end->end && refs.v[i].object)
			return refs.v[i].object;
	return 0;
}

// Has the thread's stack a record, of whatever sync block?
static bool find_lacking(const struct search *s, const struct dbg_thread *t,
			 const struct native_end *end, unsigned int *ret_how)
{
	for (size_t i = 0; i < end->n; i++) {
		const uint64_t *words = &end->words[i];

		if (words[0] && !(words[0] & 7) &&
		    (is_rest(end, words + 1, ret_how) ||
		     is_rest(end, words + 2, ret_how)) &&
		    is_record(s->in, t, end->sp + i * sizeof(*words)))
			return true;
	}
	return false;
}

static uint32_t owner_of(const struct search *s,
			 const struct gc_sync_block *block)
{
	for (size_t i = 0; i < s->n_threads && block->owner; i++)
		if (stack_managed_thread(s->in->stack, s->threads[i].tid) ==
		    block->owner)
			return s->threads[i].number;
	return 0;
}

static void add(struct search *s, const struct dbg_thread *t,
		const struct gc_sync_block *block, unsigned int how)
{
	uint64_t type = 0;

	dbg_error_destroy(target_read_u64(s->in->target, block->object, &type));
	type &= ~(uint64_t)7;
	s->v[s->n++] = (struct dbg_wait){
	    .thread = t->number,
	    .object = block->object,
	    .type = type ? code_type_name(s->in->code, type) : "",
	    .owner = owner_of(s, block),
	    .pulse = how == FOR_PULSE,
	};
}

/* ---- Monitors that are managed code ------------------------------------ */

static const struct gc_sync_block *block_of_lock(const struct search *s,
						 uint64_t lock)
{
	for (size_t i = 0; i < s->n_blocks && lock; i++)
		if (s->blocks[i].lock == lock)
			return &s->blocks[i];
	return NULL;
}

// The Lock for which the method of this frame waits; 0: it does not.
static uint64_t lock_of(struct search *s, struct frame_refs *refs,
			const struct frame *f, unsigned int *ret_how)
{
	const char *method = frame_method(s->in, f);
	uint64_t condition, lock;

	*ret_how = FOR_LOCK;
	if (!strcmp(method, LOCK ".TryEnterSlow"))
		return frame_refs_find(refs, f, LOCK);
	if (strcmp(method, CONDITION ".Wait"))
		return 0;
	*ret_how = FOR_PULSE;
	condition = frame_refs_find(refs, f, CONDITION);
	struct value v = value_object(s->in->values, condition), at;

	return condition && value_member(s->in->values, &v, "_lock", &at) &&
		       value_pointer(s->in->values, &at, &lock)
		   ? lock
		   : 0;
}

static const struct gc_sync_block *find_managed(struct search *s,
						const struct dbg_thread *t,
						unsigned int *ret_how)
{
	struct frame_refs refs = {.in = s->in, .thread = t};
	const struct gc_sync_block *found = NULL;

	for (uint32_t level = 0; !found && level < FRAMES_MAX; level++) {
		const struct frame *f;

		if (dbg_err_drop(
			stack_frame(s->in->stack, t->number, level, &f)) ||
		    !f)
			break;
		found = block_of_lock(s, lock_of(s, &refs, f, ret_how));
	}
	return found;
}

/* ---- All of them ------------------------------------------------------- */

static const struct dbg_wait *wait_of(const struct search *s, uint32_t thread)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].thread == thread && !s->v[i].pulse)
			return &s->v[i];
	return NULL;
}

// Following the owners from @first, is its own thread reached again?
static bool is_circle(const struct search *s, const struct dbg_wait *first)
{
	const struct dbg_wait *w = first;

	for (size_t i = 0; i < s->n && w && !w->pulse; i++) {
		if (w->owner == first->thread)
			return true;
		w = wait_of(s, w->owner);
	}
	return false;
}

// Keep the blocks that somebody may wait for.
static void keep_waited_for(struct search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_blocks; i++)
		if (s->blocks[i].waiting || s->blocks[i].pulse ||
		    s->blocks[i].lock)
			s->blocks[n++] = s->blocks[i];
	s->n_blocks = n;
}

static void find_waits(struct search *s)
{
	_cleanup_free_ struct native_end *end = xmalloc(sizeof(*end));
	bool managed = s->n_blocks && s->blocks[0].lock;
	bool core = !target_can(s->in->target, TARGET_RUN);
	unsigned int how = FOR_LOCK;

	for (size_t i = 0; i < s->n_threads; i++) {
		const struct dbg_thread *t = &s->threads[i];
		const struct gc_sync_block *block = NULL;

		if (t->managed && managed)
			block = find_managed(s, t, &how);
		else if (t->managed && read_end(s->in, t, end))
			block = find_record(s, end, &how);
		else
			continue;
		if (block)
			add(s, t, block, how);
		else if (!managed && core && find_lacking(s, t, end, &how))
			s->v[s->n++] = (struct dbg_wait){
			    .thread = t->number,
			    .object = object_of(s->in, t, end),
			    .type = MONITOR,
			    .pulse = how == FOR_PULSE,
			};
	}
}

struct dbg_error *waits_list(struct inspect *in, struct dbg_wait **ret,
			     size_t *ret_n)
{
	struct search s = {.in = in};

	*ret_n = 0;
	if (!in->dac || !in->code)
		return NULL;
	struct dbg_error *err =
	    dac_gc_sync_blocks(in->dac, in->arena, &s.blocks, &s.n_blocks);
	if (!err)
		keep_waited_for(&s);
	if (err || (!s.n_blocks && target_can(in->target, TARGET_RUN)))
		return err;
	err = stack_threads(in->stack, &s.threads, &s.n_threads);
	if (err)
		return err;
	s.v = arena_calloc(in->arena, s.n_threads, sizeof(*s.v));
	find_waits(&s);
	for (size_t i = 0; i < s.n; i++)
		s.v[i].deadlock = is_circle(&s, &s.v[i]);
	*ret = s.v;
	*ret_n = s.n;
	return NULL;
}
