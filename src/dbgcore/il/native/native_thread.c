/*
 * Natives: threads, locks, the collector, the environment. The execution is
 * one thread alone with its view of memory: an interlocked operation is a
 * plain one, and a lock is always free, as it looks to a debugger; to wait for
 * another thread makes no sense.
 */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

/* ---- Interlocked -------------------------------------------------------- */

/*
 * The size of the location that the first parameter refers to; 0: not
 * supported. *ret_small: less than 4 bytes.
 */
static uint32_t operand_size(struct native *n, bool *ret_small)
{
	const struct type_sig *sig;
	*ret_small = false;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)) ||
	    !sig->n_params || !sig->params[0]->inner)
		return 0;
	struct type *type = sig->params[0]->inner;
	uint32_t size = native_size(n, type);
	*ret_small = size < 4;
	return size <= 8 ? size : 0;
}

/* The old value is the result, widened as the stack has it. */
static enum native_end give(struct native *n, uint64_t old, uint32_t size)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(n->types, n->method, &sig)))
		return NATIVE_REFUSED;
	if (sig->ret->elem == ELEM_I1)
		old = (uint32_t)(int8_t)old;
	else if (sig->ret->elem == ELEM_I2)
		old = (uint32_t)(int16_t)old;
	return native_ret(n, &old, size < 4 ? 4 : size);
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
	const void *second = native_arg(n, 1, size);
	if (!second)
		return native_refuse(n, "other arguments");
	memcpy(&by, second, size);
	uint64_t made = combined(n->method->name, old, by);
	end = native_put(n, native_ref(n, 0), &made, size);
	return end == NATIVE_DONE ? give(n, old, size) : end;
}

/* ---- Monitor ------------------------------------------------------------ */

static enum native_end native_waits(struct native *n)
{
	return native_refuse(n, "it waits for another thread");
}

/*
 * Events, semaphores and mutexes: the operating system's or, from .NET 11 on,
 * the runtime's own in managed code; either way threads of the program wait
 * for them, so only the program can set them.
 */
static enum native_end signals(struct native *n)
{
	return native_refuse(n, "it cannot be evaluated without running the "
				"program: threads may wait for what it sets");
}

/* ---- Threads, time ------------------------------------------------------ */

/*
 * The object of the thread that is looked at; where there is none, one with the
 * thread's number that is made for this execution: code asks it for what it
 * keeps with the thread (AsyncLocal<T>).
 */
static enum native_end current_thread(struct native *n)
{
	struct type *type = type_core(n->types, "System.Threading.Thread");
	uint64_t object = native_thread_object(n);
	if (!object)
		object = n->vm->thread_object;
	if (object)
		return native_ret_ref(n, object);
	object = type ? vm_new(n->vm, type) : 0;
	if (!object)
		return native_refuse(n, "the thread is not known");
	n->vm->thread_object = object;
	uint32_t id = native_thread_id(n);
	enum native_end end =
	    native_set_field(n, object, "_managedThreadId", &id, sizeof(id));
	return end == NATIVE_DONE ? native_ret_ref(n, object) : end;
}

static enum native_end tick_count(struct native *n)
{
	int64_t ms = clock_ms();

	return strstr(n->method->name, "64") ? native_ret_i8(n, ms)
					     : native_ret_i4(n, (int32_t)ms);
}

static enum native_end timestamp(struct native *n)
{
	return native_ret_i8(n, (int64_t)clock_ns());
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

/* GC.GetGeneration: what only the machine has is new. */
static enum native_end generation(struct native *n)
{
	return vm_owns(n->vm, native_ref(n, 0)) ? native_ret_i4(n, 0)
						: NATIVE_IL;
}

#define INTERLOCKED "System.Threading.Interlocked"
#define MONITOR "System.Threading.Monitor"
#define THREAD "System.Threading.Thread"

static const struct il_native rows[] = {
    {INTERLOCKED, "And", "(pT)T (pi)i (pl)l", combine},
    {INTERLOCKED, "Or", "(pT)T (pi)i (pl)l", combine},
    {INTERLOCKED, "ReadMemoryBarrier", "().", native_nothing},
    {INTERLOCKED, "MemoryBarrierProcessWide", "().", native_nothing},
    {"System.Threading.Volatile", "ReadBarrier", "().", native_nothing},
    {"System.Threading.Volatile", "WriteBarrier", "().", native_nothing},
    {MONITOR, "IsEntered", "(o)i", native_true},
    {MONITOR, "Wait", "(o)i (oi)i (oii)i (ov1)i (ov1i)i (v1i)i", native_waits},
    {"System.Threading.Lock", "Enter", "t().", native_nothing},
    {"System.Threading.Lock", "TryEnter", "t()i t(i)i t(v1)i", native_true},
    {"System.Threading.Lock", "Exit", "t(). t(i).", native_nothing},
    {"System.Threading.WaitHandle", "WaitOne",
     "t()i t(i)i t(ii)i t(v1)i t(v1i)i", native_waits},
    {"System.Threading.WaitHandle", "WaitAll",
     "(o)i (oi)i (oii)i (ov1)i (ov1i)i", native_waits},
    {"System.Threading.WaitHandle", "WaitAny",
     "(o)i (oi)i (oii)i (ov1)i (ov1i)i", native_waits},
    {"System.Threading.WaitHandle", "SignalAndWait", "(oo)i (ooii)i (oov1i)i",
     native_waits},
    {"System.Threading.EventWaitHandle", "Set", "t()i", signals},
    {"System.Threading.EventWaitHandle", "Reset", "t()i", signals},
    {"System.Threading.Semaphore", "Release", "t()i t(i)i", signals},
    {"System.Threading.Mutex", "ReleaseMutex", "t().", signals},
    {"System.Threading.ManualResetEventSlim", "Wait",
     "t(). t(i)i t(iv1)i t(v1). t(v1)i t(v1v1)i", native_waits},
    {"System.Threading.SemaphoreSlim", "Wait",
     "t(). t(i)i t(iv1)i t(v1). t(v1)i t(v1v1)i", native_waits},
    // no worker comes for what is queued
    {"System.Threading.LowLevelLifoSemaphore", "ReleaseCore", "t(i).",
     native_nothing},
    {"System.Threading.LowLevelLifoSemaphore", "Signal", "t().",
     native_nothing}, // .NET 11
    {"System.Threading.Tasks.Task", "SpinWait", "t(i)i", native_false},
    {"System.Threading.Tasks.Task", "SpinThenBlockingWait", "t(iv1)i",
     native_waits},
    {THREAD, "get_CurrentThread", "()o", current_thread},
    {THREAD, "Sleep", "(i). (v1).", native_waits},
    {THREAD, "Join", "(v1i)i t(). t(i)i t(v1)i", native_waits},
    {THREAD, "SpinWait", "(i).", native_nothing},
    {THREAD, "Yield", "()i", native_zero},
    {THREAD, "FastPollGC", "().", native_nothing},
    {"System.Threading.SpinWait", "SpinOnce", "t(). t(i).", native_nothing},
    {"System.Environment", "get_TickCount", "()i", tick_count},
    {"System.Environment", "get_TickCount64", "()l", tick_count},
    {"System.Diagnostics.Stopwatch", "QueryPerformanceCounter", "()l",
     timestamp},
    {"Interop+Sys", "GetTimestamp", "()l", timestamp},
    {"System.DateTime", "get_UtcNow", "()v1", utc_now},
    {"System.GC", "SuppressFinalize", "(o).", native_nothing},
    {"System.GC", "_SuppressFinalize", "(o).", native_nothing},
    {"System.GC", "Collect", "(). (i). (ii). (iii). (iiii). (iiiii).",
     native_nothing},
    {"System.GC", "AddMemoryPressure", "(l).", native_nothing},
    {"System.GC", "RemoveMemoryPressure", "(l).", native_nothing},
    {"System.GC", "WaitForPendingFinalizers", "().", native_nothing},
    {"System.GC", "GetGeneration", "(o)i", generation},
    {"System.Diagnostics.Debugger", "get_IsAttached", "()i", native_true},
    {"System.Diagnostics.Debugger", "IsLogging", "()i", native_true},
    {"System.Diagnostics.Debugger", "Log", "(ioo).", native_nothing},
    {"System.Diagnostics.Debugger", "NotifyOfCrossThreadDependency", "().",
     native_nothing},
    {"System.Diagnostics.Debugger", "Break", "().", native_nothing},
    {"System.Diagnostics.Tracing.EventSource", "IsEnabled",
     "t()i t(il)i t(ili)i", native_zero},
    {"System.Diagnostics.Tracing.EventSource", "get_IsSupported", "()i",
     native_zero},
    {"System.Exception", "PrepareForForeignExceptionRaise", "().",
     native_nothing},
    {"System.Exception", "IsImmutableAgileException", "(o)i", native_zero},
};

const struct native_table native_thread = {rows,
					   sizeof(rows) / sizeof(rows[0])};
