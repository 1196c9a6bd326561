/*
 * What dndbg assumes about a runtime and its core library: where a field is,
 * what a method is called, which bytes a piece of code has. Everything is in
 * the table of assumption.c, with how it is read, how it is verified, and the
 * feature that needs it. An assumption that does not hold for a runtime
 * disables that one feature, and its error is the sentence that says so.
 *
 *   struct dac_assumed list;
 *   err = dac_assume(d, ASSUME_DELEGATE_LIST, &list);
 *   if (err)
 *           return err;
 *   field = type_field(types, type, list.member);
 *
 * Where releases differ, an assumption has several ways; the answer says which
 * one holds. To add one, add an enumerator here and an entry there. The
 * environment variable DNDBG_DISTRUST names some that shall not hold, or all of
 * them ("*"): tests check that nothing else is lost.
 */
#ifndef DAC_ASSUMPTION_H
#define DAC_ASSUMPTION_H

#include "dbg/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dac;
struct md;

enum {
	DAC_TESTED_MIN = 8,  /* the earliest, */
	DAC_TESTED_MAX = 11, /* and the latest release that the tests run on */
};

enum dac_assumption {
	ASSUME_EXINFO_OBJECT, /* of the exception in an ExInfo */
	ASSUME_DISPATCH_EX,   /* the method by which all are thrown */
	ASSUME_DEBUGGER_LOG,  /* functions behind class Debugger */
	ASSUME_DEBUGGER_BREAK,
	ASSUME_DEBUGGER_ATTACHED,
	ASSUME_FAIL_FAST,
	ASSUME_APPLY_UPDATE,   /* function behind MetadataUpdater.ApplyUpdate */
	ASSUME_UPDATE_COUNT,   /* offset in a module of how often it was given
				  one, and 1 */
	ASSUME_GC_COUNT,       /* address, see dac_gc_count */
	ASSUME_PRESTUB,        /* address */
	ASSUME_GC_INFO,        /* version of its format */
	ASSUME_TYPE_FLAGS,     /* offset of the first flags in MethodTable */
	ASSUME_TYPE_RID,       /* ... of the word with the definition's rid */
	ASSUME_TYPE_AUXILIARY, /* ... of MethodTableAuxiliaryData* */
	ASSUME_LOADER_MODULE,  /* ... of the Module that loaded it; .NET 8 */
	ASSUME_TYPE_CLASS,     /* offset of EEClass* in MethodTable */
	ASSUME_TYPE_INSTANCE,  /* ... of the generic arguments */
	ASSUME_METHOD_INSTANCE, /* offset of the generic arguments in a generic
				   method's desc */
	ASSUME_METHOD_COUNT,    /* ... of how many these are */
	ASSUME_METHOD_FLAGS,    /* ... of the flags in MethodDesc */
	ASSUME_ASYNC_DATA,      /* ... of the signature in AsyncMethodData */
	ASSUME_METHOD_SIZE,     /* of a MethodDesc, to find that behind it */
	ASSUME_INSTANCE_SIZE,   /* of an InstantiatedMethodDesc */
	ASSUME_CODE_METHOD,     /* of the MethodDesc* in RealCodeHeader */
	ASSUME_CODE_INFO,       /* ... of the debug information */
	ASSUME_JIT_IL,          /* of the IL in CORINFO_METHOD_INFO */
	ASSUME_TRACE_HEADER, /* size of what an exception's stack begins with */
	ASSUME_TRACE_ELEMENT, /* ... of one of its elements */
	ASSUME_TRACE_IP,      /* offsets in these */
	ASSUME_TRACE_METHOD,
	ASSUME_TRACE_FLAGS,
	ASSUME_TYPE_PADDING, /* of the padding in EEClass */
	ASSUME_FIELD_DESC,   /* of the first word of bits in FieldDesc */
	ASSUME_INSTANCES,    /* of the table of instances in Module */
	ASSUME_SYNC_LOCK,    /* of the Lock in SyncBlock; since .NET 11 */
	ASSUME_SYNC_HASH,    /* of the hash code in SyncBlock */
	ASSUME_SYNC_ADDED,   /* ... of what hot reload added to the object */
	ASSUME_HEADER_OTHER, /* bit of an object's header: no thin lock there */
	ASSUME_HEADER_HASH,  /* ... beside it: a hash code, not an index */
	ASSUME_HASH_BITS,    /* mask of that hash code */
	ASSUME_INDEX_BITS,   /* ... of that index of a sync block */
	ASSUME_LOCK_OWNER,   /* ... of the thread that holds a thin lock */
	ASSUME_LOCK_DEPTH,   /* ... of how often it holds the lock */
	ASSUME_LOCK_SHIFT,   /* ... by how many bits that is shifted */
	ASSUME_HEAPS,        /* of the address of their number in GcDacVars */
	ASSUME_HANDLE_MAP,   /* ... of the map of tables of handles */
	ASSUME_PATCH_COUNT,  /* of the number of buckets in CHashTable */
	ASSUME_PATCH_BUCKETS,   /* ... of their address */
	ASSUME_THREADS,         /* address of the ThreadStore's */
	ASSUME_THREADS_FIRST,   /* offset of its first thread's link */
	ASSUME_THREAD_NEXT,     /* of the link to the next in Thread */
	ASSUME_THREAD_LINK,     /* what a link leads behind in Thread */
	ASSUME_THREAD_STATE,    /* offset of its state */
	ASSUME_SUSPENDED,       /* the bit of one that a debugger suspends */
	ASSUME_EXCEPTION_COUNT, /* address of how many were thrown */
	ASSUME_PAUSE_TIME,      /* ... of the time of pauses of collections */
	ASSUME_N,
};

/* The offset of a field whose type is not loaded yet. */
#define DAC_OFFSET_UNKNOWN UINT64_MAX

struct dac_assumed {
	uint64_t value;     /* offset, token, address or number */
	const char *member; /* last part of the name of what holds */
	unsigned int way;   /* its place among the ways */
};

/*
 * Look up an assumption for this program's runtime. DBG_E_RUNTIME: it does not
 * hold; the error names the feature that is off, and why: for the user, once.
 */
DBG_MUST struct dbg_error *dac_assume(struct dac *d, enum dac_assumption what,
				      struct dac_assumed *ret);

/*
 * The same, but the sentence is told by dac_tell, once; nothing is told about
 * what an earlier release than the entry's first one lacks.
 */
bool dac_holds(struct dac *d, enum dac_assumption what,
	       struct dac_assumed *ret);
/*
 * What was read by it makes no sense: it does not hold from now on, which is
 * told like a failure of dac_holds.
 */
void dac_refute(struct dac *d, enum dac_assumption what);
/* Tell the user @text, as what fails is told: see dac_tell. */
void dac_say(struct dac *d, const char *text);

/*
 * Set the metadata of System.Private.CoreLib, whose module is @module. It is
 * borrowed until this is called with NULL.
 */
void dac_core_library(struct dac *d, uint64_t module, const struct md *md);

/* The runtime's version as users know it ("11.0.0"); "?" if it tells none. */
const char *dac_runtime_version(struct dac *d);
/* The major version of the runtime; 0: unknown. */
unsigned int dac_runtime_major(struct dac *d);
/* Is the runtime newer than all versions that dndbg was tested with? */
bool dac_runtime_is_new(struct dac *d);

#endif
