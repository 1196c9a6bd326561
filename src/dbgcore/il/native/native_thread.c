/*
 * Natives: threads, locks, the collector, the environment. The execution is
 * one thread alone with its view of memory: an interlocked operation is a
 * plain one, and a lock is always free, as it looks to a debugger; to wait for
 * another thread makes no sense.
 */
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "il/machine/native.h"
#include "il/native/native_help.h"

/* ---- Interlocked ----------------------------------------------------------
 */

/* What the location, the first parameter, holds. */
static uint32_t operand_size(struct native *n, bool *ret_small)
{
	const struct il_sig *sig;
	*ret_small = false;
	if (dbg_err_drop(il_method_sig(n->types, n->method, &sig)) ||
	    !sig->n_params || !sig->params[0]->inner)
		return 0;
	struct il_type *type = sig->params[0]->inner;
	uint32_t size = native_size(n, type);
	*ret_small = size < 4;
	return size <= 8 ? size : 0;
}

/* The old value is the result, widened as the stack has it. */
static enum native_end give(struct native *n, uint64_t old, uint32_t size)
{
	const struct il_sig *sig;
	if (dbg_err_drop(il_method_sig(n->types, n->method, &sig)))
		return NATIVE_REFUSED;
	if (sig->ret->elem == ELEM_I1)
		old = (uint32_t)(int8_t)old;
	else if (sig->ret->elem == ELEM_I2)
		old = (uint32_t)(int16_t)old;
	memcpy(n->ret, &old, size < 4 ? 4 : size);
	return NATIVE_DONE;
}

static uint64_t combined(const char *name, uint64_t a, uint64_t b)
{
	if (!strcmp(name, "And"))
		return a & b;
	return !strcmp(name, "Or") ? a | b : a + b;
}

/* And, Or: int and long. */
static enum native_end combine(struct native *n)
{
	bool small;
	uint64_t old = 0, by = 0;
	uint32_t size = operand_size(n, &small);
	if (!size || small)
		return NATIVE_IL;
	enum native_end end = native_get(n, native_ref(n, 0), &old, size);
	if (end != NATIVE_DONE)
		return end;
	memcpy(&by, n->args[1], size);
	uint64_t made = combined(n->method->name, old, by);
	end = native_put(n, native_ref(n, 0), &made, size);
	return end == NATIVE_DONE ? give(n, old, size) : end;
}

/* ---- Monitor --------------------------------------------------------------
 */

static enum native_end waits(struct native *n)
{
	return native_refuse(n, "it waits for another thread");
}

/* ---- Threads, time ---------------------------------------------------------
 */

/*
 * The object of the thread that is looked at; where there is none, a fresh one
 * with the thread's number: code asks it for what it keeps with the thread.
 */
static enum native_end current_thread(struct native *n)
{
	struct il_type *type =
	    il_type_core(n->types, "System.Threading.Thread");
	uint64_t object = native_thread_object(n);
	if (object)
		return native_ret_ref(n, object);
	object = type ? vm_new(n->vm, type) : 0;
	if (!object)
		return native_refuse(n, "the thread is not known");
	uint32_t id = native_thread_id(n);
	enum native_end end =
	    native_set_field(n, object, "_managedThreadId", &id, sizeof(id));
	return end == NATIVE_DONE ? native_ret_ref(n, object) : end;
}

static enum native_end tick_count(struct native *n)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t ms = t.tv_sec * 1000 + t.tv_nsec / 1000000;
	return strstr(n->method->name, "64") ? native_ret_i8(n, ms)
					     : native_ret_i4(n, (int32_t)ms);
}

static enum native_end timestamp(struct native *n)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return native_ret_i8(n, t.tv_sec * 1000000000 + t.tv_nsec);
}

/* DateTime.UtcNow: 100 ns since the year 1, of kind Utc. */
static enum native_end utc_now(struct native *n)
{
	static const uint64_t epoch = 621355968000000000, utc = 1;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t ticks =
	    epoch + (uint64_t)t.tv_sec * 10000000 + (uint64_t)t.tv_nsec / 100;
	return native_ret_i8(n, (int64_t)(ticks | utc << 62));
}

static enum native_end frequency(struct native *n)
{
	return native_ret_i8(n, 1000000000);
}

static enum native_end processors(struct native *n)
{
	return native_ret_i4(n, 1);
}

#define ALL NULL
#define INTERLOCKED "System.Threading.Interlocked"
#define MONITOR "System.Threading.Monitor"
#define THREAD "System.Threading.Thread"

static const struct il_native rows[] = {
    {INTERLOCKED, "And", ALL, combine},
    {INTERLOCKED, "Or", ALL, combine},
    {INTERLOCKED, "ReadMemoryBarrier", ALL, native_nothing},
    {INTERLOCKED, "MemoryBarrierProcessWide", ALL, native_nothing},
    {INTERLOCKED, "SpeculationBarrier", ALL, native_nothing},
    {"System.Threading.Volatile", "ReadBarrier", ALL, native_nothing},
    {"System.Threading.Volatile", "WriteBarrier", ALL, native_nothing},
    {MONITOR, "IsEntered", ALL, native_true},
    {MONITOR, "Wait", ALL, waits},
    {"System.Threading.Lock", "Enter", ALL, native_nothing},
    {"System.Threading.Lock", "TryEnter", ALL, native_true},
    {"System.Threading.Lock", "Exit", ALL, native_nothing},
    {"System.Threading.WaitHandle", "WaitOne", ALL, waits},
    {"System.Threading.ManualResetEventSlim", "Wait", ALL, waits},
    {"System.Threading.SemaphoreSlim", "Wait", ALL, waits},
    // no worker comes for what is queued
    {"System.Threading.LowLevelLifoSemaphore", "ReleaseCore", ALL,
     native_nothing},
    {"System.Threading.Tasks.Task", "SpinWait", ALL, native_false},
    {"System.Threading.Tasks.Task", "SpinThenBlockingWait", ALL, waits},
    {THREAD, "get_CurrentThread", ALL, current_thread},
    {THREAD, "Sleep", ALL, waits},
    {THREAD, "Join", ALL, waits},
    {THREAD, "SpinWait", ALL, native_nothing},
    {THREAD, "Yield", ALL, native_zero},
    {THREAD, "FastPollGC", ALL, native_nothing},
    {"System.Threading.SpinWait", "SpinOnce", ALL, native_nothing},
    {"System.Environment", "get_TickCount", ALL, tick_count},
    {"System.Environment", "get_TickCount64", ALL, tick_count},
    {"System.Environment", "get_ProcessorCount", ALL, processors},
    {"System.Diagnostics.Stopwatch", "QueryPerformanceCounter", ALL, timestamp},
    {"System.Diagnostics.Stopwatch", "QueryPerformanceFrequency", ALL,
     frequency},
    {"Interop+Sys", "GetTimestamp", ALL, timestamp},
    {"System.DateTime", "get_UtcNow", ALL, utc_now},
    {"System.GC", "SuppressFinalize", ALL, native_nothing},
    {"System.GC", "_SuppressFinalize", ALL, native_nothing},
    {"System.GC", "Collect", ALL, native_nothing},
    {"System.GC", "AddMemoryPressure", ALL, native_nothing},
    {"System.GC", "RemoveMemoryPressure", ALL, native_nothing},
    {"System.GC", "WaitForPendingFinalizers", ALL, native_nothing},
    {"System.GC", "GetGeneration", ALL, native_zero},
    {"System.GC", "get_MaxGeneration", ALL, native_zero},
    {"System.GC", "CollectionCount", ALL, native_zero},
    {"System.GC", "GetAllocatedBytesForCurrentThread", ALL, native_zero},
    {"System.Diagnostics.Debugger", "get_IsAttached", ALL, native_zero},
    {"System.Diagnostics.Debugger", "IsLogging", ALL, native_zero},
    {"System.Diagnostics.Debugger", "Log", ALL, native_nothing},
    {"System.Diagnostics.Debugger", "NotifyOfCrossThreadDependency", ALL,
     native_nothing},
    {"System.Diagnostics.Debugger", "Break", ALL, native_nothing},
    {"System.Diagnostics.Tracing.EventSource", "IsEnabled", ALL, native_zero},
    {"System.Diagnostics.Tracing.EventSource", "get_IsSupported", ALL,
     native_zero},
    {"System.Exception", "PrepareForForeignExceptionRaise", ALL,
     native_nothing},
    {"System.Exception", "IsImmutableAgileException", ALL, native_zero},
};

const struct native_table native_thread = {rows,
					   sizeof(rows) / sizeof(rows[0])};
