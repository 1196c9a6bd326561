/*
 * The GC heap as the DAC describes it: where objects are, how large those of
 * each type are, and what refers to them from outside of the heap.
 *
 * The DAC is asked once for each segment, type, handle and root; objects are
 * read by the room heap/, without it. Everything is of one stop.
 */
#ifndef DAC_GCHEAP_H
#define DAC_GCHEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dbg/error.h"
#include "dbg/objects.h"

struct arena;
struct dac;

/* A row of objects of one generation, [start, end). */
struct gc_part {
	uint64_t start, end;
	uint64_t committed; /* end of what is committed, 0: see another part */
	uint64_t segment;   /* the collector's structure */
	enum dbg_generation generation;
	uint32_t heap;
};

/* A gap in the objects: nothing is in [start, end). */
struct gc_gap {
	uint64_t start, end;
};

/* The finalizer queue of one heap: arrays of references. */
struct gc_queue {
	uint64_t start, ready, end; /* from ready on: to be finalized now */
};

struct gc_heap {
	bool server, regions;
	bool collecting; /* the collector is at work */
	uint32_t n_heaps;
	struct gc_part *parts; /* by address, none overlap */
	size_t n_parts;
	struct gc_gap *gaps; /* by address */
	size_t n_gaps;
	struct gc_queue *queues; /* one a heap */
	uint64_t free_type;      /* MethodTable of free space */
	uint64_t string_type;
};

/* Is the collector at work, or about to be? The heap may be in flux. */
bool dac_gc_works(struct dac *d);
/*
 * Would the collector wait for a thread, which is amid the runtime's code? It
 * is in cooperative mode, and not in managed code: it may be making an object.
 */
bool dac_gc_waits(struct dac *d);
/*
 * Describe the heap, in @arena. DBG_E_STATE while the collector is at work, but
 * with @force: what it moves then reads as damaged.
 */
DBG_MUST struct dbg_error *dac_gc_heap(struct dac *d, struct arena *arena,
				       bool force, struct gc_heap *ret);

struct gc_type {
	uint32_t base_size, component_size;
	bool references; /* its objects refer to others: it has a GCDesc */
	bool is_free;
	uint64_t allocator; /* LoaderAllocator that a collectible one keeps */
};

/* Sizes of a MethodTable; false: it is none. */
bool dac_gc_type(struct dac *d, uint64_t mt, struct gc_type *ret);
/* Is @mt no known type because the memory with its sizes cannot be read? */
bool dac_gc_type_unread(struct dac *d, uint64_t mt);

struct gc_handle {
	uint64_t addr, object; /* 0: it refers to nothing */
	uint64_t secondary;    /* DEPENDENT: what the object keeps alive */
	enum dbg_handle_kind kind;
	bool strong; /* keeps its object alive now */
	uint32_t count;
};

/* List all handles, in @arena, including those that refer to nothing. */
DBG_MUST struct dbg_error *dac_gc_handles(struct dac *d, struct arena *arena,
					  struct gc_handle **ret,
					  size_t *ret_n);

struct gc_stack_ref {
	uint64_t object;     /* may lead into one, see interior */
	uint64_t addr;       /* where it is kept; 0: in a register */
	uint64_t ip, sp;     /* of its frame */
	uint64_t frame;      /* the runtime's Frame that has it, 0: code */
	int32_t reg, offset; /* reg -1: none */
	bool interior, pinned;
};

/*
 * List what a thread's stack refers to, in @arena; none for unmanaged threads.
 */
DBG_MUST struct dbg_error *dac_gc_stack(struct dac *d, pid_t tid,
					struct arena *arena,
					struct gc_stack_ref **ret,
					size_t *ret_n);

struct gc_sync_block {
	uint32_t index;
	uint64_t addr, object;
	uint64_t owner; /* Thread*, 0: nobody holds it */
	uint32_t held;  /* one for the owner, two for each that waits */
	uint32_t recursion;
	uint32_t waiting; /* for the lock */
	uint32_t pulse;   /* for Monitor.Pulse */
	/*
	 * .NET 11: the System.Threading.Lock that does the locking. How many
	 * wait is not told then.
	 */
	uint64_t lock;
};

/* Sync blocks that are in use, in @arena. */
DBG_MUST struct dbg_error *dac_gc_sync_blocks(struct dac *d,
					      struct arena *arena,
					      struct gc_sync_block **ret,
					      size_t *ret_n);
/* Has the runtime given an object a hash code (Object.GetHashCode)? */
enum gc_hash {
	GC_HASH_NONE,
	GC_HASH_KNOWN,
	GC_HASH_UNKNOWN, /* it cannot be told, or not which */
};

/*
 * The hash code of @object by @header, the lower half of the word in front of
 * it, or by the sync block that this leads to; *ret if it is known.
 */
enum gc_hash dac_gc_hash(struct dac *d, uint32_t header, uint64_t object,
			 uint32_t *ret);

/* A lock that only its header word tells of: nobody has waited for it. */
struct gc_thin_lock {
	uint32_t number; /* of the thread that holds it */
	uint32_t depth;
};

/*
 * Decode the word in front of an object (@header: its lower half); false: it is
 * no thin lock.
 */
bool dac_gc_thin_lock(struct dac *d, uint32_t header, struct gc_thin_lock *ret);
/* Thread* that is meant by the number in a thin lock; 0: none. */
uint64_t dac_gc_thin_owner(struct dac *d, uint32_t number);

#endif
