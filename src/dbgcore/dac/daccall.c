/*
 * Calls of the DAC's objects by slot, and what they may cost.
 *
 * The DAC of a process, or of a snapshot of one, is waited for, since what it
 * reads was made by a runtime. A core was made by anybody: there each call has
 * a limit. A call may walk a whole stack, which takes a second where there are
 * 600,000 frames, so the first has five seconds of processor time. What has
 * gone round once does so again: after that each has a fifth of a second. When
 * all that were ended have cost eight seconds together, or three of them
 * memory, the DAC is not asked any more. What it does not tell is missing, as
 * it is where it fails.
 */
#include "base/log.h"
#include "base/mem.h"
#include "dac/dac_priv.h"

#include <stdarg.h>

enum {
	FIRST_S = 5,
	FIRST_MAX = FIRST_S * 1000 / GUARD_TICK_MS,
	NEXT_MAX = 200 / GUARD_TICK_MS,
	LOST_MAX = 8000 / GUARD_TICK_MS,
	LOST_BIG = LOST_MAX / 3 + 1,
};

void dac_tell(struct dac *d, dac_tell_fn *fn, void *arg)
{
	d->limits.tell = fn;
	d->limits.arg = arg;
}

void dac_tell_circle(struct dac *d)
{
	struct dac_limits *l = &d->limits;

	if (!l->on || !l->tell || l->circle_told)
		return;
	l->circle_told = true;
	l->tell(l->arg, "the memory is damaged: the runtime's list of threads "
			"leads in a circle; those behind are missing");
}

// What the DAC keeps may be half changed.
static void give_up(struct dac *d, const struct guard_limit *was)
{
	struct dac_limits *l = &d->limits;

	l->lost += was->big ? LOST_BIG : was->ticks;
	if (!l->n_ended++ && l->tell) {
		_cleanup_free_ char *text = xasprintf(
		    "the runtime's DAC took more than %d %s and was stopped: "
		    "the memory may be damaged; what it would have told is "
		    "missing",
		    was->big ? GUARD_MB : FIRST_S,
		    was->big ? "MB of memory" : "s of processor time");
		l->tell(l->arg, text);
	}
	if (l->lost < LOST_MAX) {
		if (d->process)
			dac_drop(d);
	} else if (l->tell) {
		l->tell(l->arg, "the runtime's DAC was stopped again and "
				"again and is not asked any more");
		l->tell = NULL;
	}
}

int32_t dac_call_fn(struct dac *d, com_fn *fn, void *self,
		    const uint64_t a[DAC_MAX_ARGS])
{
	const struct dac_limits *l = &d->limits;
	struct guard_limit limit = {
	    .ticks_max = l->n_ended ? NEXT_MAX : FIRST_MAX,
	};

	if (!l->on)
		return guard_call(fn, self, a, NULL);
	if (l->lost >= LOST_MAX)
		return COM_E_TIMEOUT;
	int32_t hr = guard_call(fn, self, a, &limit);
	if (hr == COM_E_TIMEOUT)
		give_up(d, &limit);
	return hr;
}

int32_t dac_call(struct dac *d, void *object, unsigned slot, unsigned n, ...)
{
	uint64_t a[DAC_MAX_ARGS] = {0};
	va_list ap;

	assert(n <= DAC_MAX_ARGS);
	va_start(ap, n);
	// See com.h: a narrower argument leaves its upper half undefined, which
	// the callee does not look at.
	for (unsigned i = 0; i < n; i++)
		a[i] = va_arg(ap, uint64_t);
	va_end(ap);
	d->n_calls++;
	int32_t hr = dac_call_fn(d, com_slot(object, slot), object, a);
	if (hr < 0)
		LOG(target_log(d->target), LOG_DAC,
		    "slot %u says 0x%08x to 0x%llx 0x%llx", slot, (uint32_t)hr,
		    (unsigned long long)a[0], (unsigned long long)a[1]);
	return hr;
}
