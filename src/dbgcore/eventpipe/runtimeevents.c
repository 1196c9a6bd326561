/*
 * Events of the runtime's provider, which does not describe them: their layouts
 * are taken from dotnet/runtime, src/coreclr/vm/ClrEtwAll.man, and seen on .NET
 * 8 to 11.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "dbg.h"
#include "eventpipe/nettrace.h"
#include "meta/csname.h"

enum {
	ALLOCATION_TICK = 10,
	POOL_ADJUSTMENT = 55,
	EXCEPTION_THROWN = 80,
	CONTENTION_START = 81,
	CONTENTION_STOP = 91,
	METHOD_LOAD_VERBOSE = 143,
	METHOD_JITTING_STARTED = 145,
	CATCH_START = 250,
	ALLOCATION_SAMPLED = 303, /* since .NET 10 */
};

enum {
	RETHROWN = 4,   /* flag of an exception */
	JITTED = 8,     /* flag of a method */
	TIER_SHIFT = 7, /* of these flags */
	TIER_MASK = 7,
	STARVATION = 6,    /* reason of an adjustment */
	KIND_LARGE = 1,    /* of an allocation */
	SAMPLING = 102400, /* bytes between two that are sampled, on average */
	TEXT_MAX = 2048,   /* units of a text that are taken */
};

static const struct dbg_trace_provider throws = {DBG_RUNTIME_PROVIDER, 0x8000,
						 2, ""};
static const struct dbg_trace_provider catches = {DBG_RUNTIME_PROVIDER, 0x8000,
						  4, ""};
static const struct dbg_trace_provider waits = {DBG_RUNTIME_PROVIDER, 0x4000, 4,
						""};
static const struct dbg_trace_provider jits = {DBG_RUNTIME_PROVIDER, 0x10, 5,
					       ""};
static const struct dbg_trace_provider pools = {DBG_RUNTIME_PROVIDER, 0x10000,
						4, ""};
static const struct dbg_trace_provider ticks = {DBG_RUNTIME_PROVIDER, 1, 5, ""};
static const struct dbg_trace_provider samples = {
    DBG_RUNTIME_PROVIDER, UINT64_C(0x80000000000), 4, ""};

const struct dbg_trace_provider *dbg_throws_provider(void)
{
	return &throws;
}

const struct dbg_trace_provider *dbg_catches_provider(void)
{
	return &catches;
}

const struct dbg_trace_provider *dbg_waits_provider(void)
{
	return &waits;
}

const struct dbg_trace_provider *dbg_jits_provider(void)
{
	return &jits;
}

const struct dbg_trace_provider *dbg_pools_provider(void)
{
	return &pools;
}

const struct dbg_trace_provider *dbg_allocations_provider(uint32_t version)
{
	return version < 10 ? &ticks : &samples;
}

static bool event_is(const struct dbg_trace_event *e, uint32_t id,
		     struct reader *ret)
{
	if (e->kind->id != id ||
	    strcmp(e->kind->provider, DBG_RUNTIME_PROVIDER))
		return false;
	reader_init(ret, e->payload, e->n_payload);
	return true;
}

// A type by its C# name, which the runtime tells by reflection's.
static const char *type_text(struct reader *r, struct arena *arena)
{
	_cleanup_str_ struct str name = {0};

	csname_from_dac(nettrace_text(r, TEXT_MAX, arena), &name);
	return arena_strdup(arena, str_get(&name));
}

bool dbg_told_throw(const struct dbg_trace_event *e, struct arena *arena,
		    struct dbg_told_throw *ret)
{
	struct reader r;

	if (!event_is(e, EXCEPTION_THROWN, &r))
		return false;
	ret->type = type_text(&r, arena);
	ret->message = nettrace_text(&r, TEXT_MAX, arena);
	reader_skip(&r, 8 + 4); // address and HRESULT
	ret->again = reader_u16(&r) & RETHROWN;
	return !r.bad;
}

bool dbg_told_catch(const struct dbg_trace_event *e, struct arena *arena,
		    struct dbg_told_catch *ret)
{
	struct reader r;

	if (!event_is(e, CATCH_START, &r))
		return false;
	ret->handler = reader_u64(&r);
	reader_skip(&r, 8); // the method
	ret->method = nettrace_text(&r, TEXT_MAX, arena);
	return !r.bad;
}

// How many bytes a sampled object stands for: of objects of @size, the share 1
// - (1 - 1/SAMPLING)^size is sampled.
static uint64_t stands_for(uint64_t size)
{
	double met = -expm1((double)size * log1p(-1.0 / SAMPLING));

	// Large ones are met for certain.
	if (size > UINT32_MAX)
		return size;
	return met > 0 ? (uint64_t)((double)size / met) : 0;
}

bool dbg_told_allocation(const struct dbg_trace_event *e, struct arena *arena,
			 struct dbg_told_allocation *ret)
{
	struct reader r;

	*ret = (struct dbg_told_allocation){0};
	if (event_is(e, ALLOCATION_SAMPLED, &r)) {
		ret->large = reader_u32(&r) == KIND_LARGE;
		reader_skip(&r, 2 + 8); // the runtime, the type
		ret->type = type_text(&r, arena);
		reader_skip(&r, 8); // the object
		ret->size = reader_u64(&r);
		ret->bytes = stands_for(ret->size);
		return !r.bad;
	}
	if (!event_is(e, ALLOCATION_TICK, &r))
		return false;
	reader_skip(&r, 4);
	ret->large = reader_u32(&r) == KIND_LARGE;
	reader_skip(&r, 2);
	ret->bytes = reader_u64(&r);
	reader_skip(&r, 8);
	ret->type = type_text(&r, arena);
	reader_skip(&r, 4 + 8); // the heap, the object
	if (reader_left(&r) >= 8)
		ret->size = reader_u64(&r);
	return !r.bad;
}

bool dbg_told_wait(const struct dbg_trace_event *e, struct dbg_told_wait *ret)
{
	struct reader r;

	if (!event_is(e, CONTENTION_START, &r))
		return false;
	*ret = (struct dbg_told_wait){0};
	reader_skip(&r, 1 + 2);
	if (reader_left(&r) < 3 * 8)
		return true; // of an older version
	ret->lock = reader_u64(&r);
	ret->object = reader_u64(&r);
	ret->owner = reader_u64(&r);
	return true;
}

bool dbg_told_wait_end(const struct dbg_trace_event *e, uint64_t *ret_ns)
{
	struct reader r;
	double ns;

	if (!event_is(e, CONTENTION_STOP, &r))
		return false;
	reader_skip(&r, 1 + 2);
	uint64_t bits = reader_u64(&r);
	memcpy(&ns, &bits, sizeof(ns));
	*ret_ns = ns > 0 && ns < 1e18 ? (uint64_t)ns : 0;
	return !r.bad;
}

bool dbg_told_jit_begin(const struct dbg_trace_event *e, uint64_t *ret_method)
{
	struct reader r;

	if (!event_is(e, METHOD_JITTING_STARTED, &r))
		return false;
	*ret_method = reader_u64(&r);
	return !r.bad;
}

bool dbg_told_jit(const struct dbg_trace_event *e, struct arena *arena,
		  struct dbg_told_jit *ret)
{
	// PrepareCodeConfig::JitOptimizationTier of the runtime
	static const char *const tiers[TIER_MASK + 1] = {
	    NULL,
	    "not optimized",
	    "optimized",
	    "tier 0",
	    "tier 1",
	    "tier 1, entered in a loop (OSR)",
	    "tier 0, instrumented",
	    "tier 1, instrumented",
	};
	struct reader r;

	if (!event_is(e, METHOD_LOAD_VERBOSE, &r))
		return false;
	ret->method = reader_u64(&r);
	reader_skip(&r, 8 + 8); // the module, the code
	ret->size = reader_u32(&r);
	reader_skip(&r, 4); // the token
	uint32_t flags = reader_u32(&r);
	const char *type = type_text(&r, arena);
	const char *name = nettrace_text(&r, TEXT_MAX, arena);

	ret->name = arena_printf(arena, "%s%s%s", type, *type ? "." : "", name);
	ret->version = tiers[flags >> TIER_SHIFT & TIER_MASK];
	return !r.bad && flags & JITTED;
}

bool dbg_told_pool(const struct dbg_trace_event *e, struct dbg_told_pool *ret)
{
	// PortableThreadPool.HillClimbing.StateOrTransition, and two more
	static const char *const reasons[] = {
	    "warming up",    "initialising",       "random move",
	    "climbing move", "change of the load", "stabilising",
	    "starvation",    "worker timed out",   "work blocks",
	};
	struct reader r;

	if (!event_is(e, POOL_ADJUSTMENT, &r))
		return false;
	reader_skip(&r, 8); // the throughput
	ret->workers = reader_u32(&r);
	uint32_t reason = reader_u32(&r);

	ret->starving = reason == STARVATION;
	ret->reason = reason < sizeof(reasons) / sizeof(*reasons)
			  ? reasons[reason]
			  : "other";
	return !r.bad;
}
