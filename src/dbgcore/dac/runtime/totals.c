/*
 * What a runtime counts from its beginning on: exceptions, and the time that
 * collections have held up its threads. Both are statics without a symbol, and
 * found by the functions that return them to managed code, which have names in
 * the runtime's tables (vm/comutilnative.cpp:
 * ExceptionNative::GetExceptionCount and GCInterface::GetTotalPauseDuration,
 * which calls that of the collector, gc/gc.cpp).
 */
#include "dac/dac_priv.h"
#include "target/target.h"

bool exception_count_find(struct dac *d, uint64_t *ret)
{
	uint64_t found[TARGET_OVERLOADS];

	dac_native_functions(d, "GetExceptionCount", found);
	*ret = code_exception_count(d->target, found[0]);
	return *ret;
}

bool pause_time_find(struct dac *d, uint64_t *ret)
{
	uint64_t found[TARGET_OVERLOADS];

	dac_native_functions(d, "_GetTotalPauseDuration", found);
	*ret =
	    code_pause_time(d->target, code_virtual_call(d->target, found[0]));
	return *ret;
}

static bool total_read(struct dac *d, enum dac_assumption what, void *ret,
		       size_t size)
{
	struct dac_assumed at;

	return dac_holds(d, what, &at) &&
	       target_read_some(d->target, at.value, ret, size) == size;
}

void dac_totals_read(struct dac *d, struct dac_totals *ret)
{
	*ret = (struct dac_totals){0};
	ret->known = total_read(d, ASSUME_EXCEPTION_COUNT, &ret->exceptions,
				sizeof(ret->exceptions)) &&
		     total_read(d, ASSUME_PAUSE_TIME, &ret->paused_us,
				sizeof(ret->paused_us));
}
