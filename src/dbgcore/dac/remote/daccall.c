/*
 * Calls of the DAC's objects by method, and what they may cost.
 *
 * The DAC of a process, or of a snapshot of one, is in our process and is
 * waited for, since what it reads was made by a runtime; a fault ends the call
 * (guard.c). A core was made by anybody: its DAC is in a process of its own
 * (remote.c), where each call has a limit. A call may walk a whole stack, which
 * takes a second where there are 600,000 frames, so the first has five seconds
 * of processor time. What has gone round once does so again: after that each
 * has a fifth of a second. A call that has crashed the DAC twice is not made
 * again. When all that were ended have cost eight seconds together, or three of
 * them memory, or two gave no sign of life, or 32 were crashes, the DAC is not
 * asked any more. What it does not tell is missing, as it is where it fails.
 */
#include <stdarg.h>

#include "base/log.h"
#include "base/mem.h"
#include "dac/dac_priv.h"
#include "dac/guard.h"
#include "dac/remote.h"

enum {
	NEXT_MAX = 200 / REMOTE_TICK_MS,
	LOST_MAX = 8000 / REMOTE_TICK_MS,
	LOST_BIG = LOST_MAX / 3 + 1,
	LOST_CRASHED = LOST_MAX / 32 + 1,
	FATAL_TRIES = 2,
	TOLD_CALLS = 1000, /* after which a crash is told again */
	WORN_CALLS = 1000, /* that may have used up a process's memory */
};

void dac_tell(struct dac *d, dac_tell_fn *fn, void *arg)
{
	d->limits.tell = fn;
	d->limits.arg = arg;
}

void dac_tell_circle(struct dac *d)
{
	struct dac_limits *l = &d->limits;

	if (!d->remote || !l->tell || l->circle_told)
		return;
	l->circle_told = true;
	l->tell(l->arg, "the memory is damaged: the runtime's list of threads "
			"leads in a circle; those behind are missing");
}

/* ---- Calls that do not end ------------------------------------------- */

// A hash of a call that would be made again in the same way: on an object that
// is always there, with the same numbers. 0: it is no such call.
static uint64_t hash_of(const void *object, const struct remote_call *call)
{
	static const uint64_t prime = 0x100000001b3;
	const struct dac_method_info *m = &dac_methods[call->method];
	uint64_t hash = call->method + 1;

	if (!remote_is_root(object) || m->args[0].kind != DAC_ARG_VALUE)
		return 0;
	for (unsigned int i = 0; i < DAC_MAX_ARGS; i++)
		if (m->args[i].kind == DAC_ARG_VALUE)
			hash = (hash ^ call->args[i]) * prime;
	return hash;
}

static bool is_fatal(const struct dac_limits *l, uint64_t hash)
{
	unsigned int n = 0;

	for (size_t i = 0; hash && i < l->n_fatal; i++)
		n += l->fatal[i] == hash;
	return n >= FATAL_TRIES;
}

static void tell_ended(struct dac *d, enum remote_end end)
{
	struct dac_limits *l = &d->limits;
	_cleanup_free_ char *text = NULL;

	if (end == REMOTE_STUCK)
		text = xasprintf("the runtime's DAC did not answer for %d s "
				 "and was stopped: what it would have told is "
				 "missing",
				 REMOTE_STUCK_S);
	else if (end == REMOTE_CRASHED)
		text = xasprintf("the runtime's DAC crashed and was started "
				 "again: the memory may be damaged; what it "
				 "would have told is missing");
	else
		text = xasprintf(
		    "the runtime's DAC took more than %d %s and was stopped: "
		    "the memory may be damaged; what it would have told is "
		    "missing",
		    end == REMOTE_BIG ? REMOTE_MB : REMOTE_MAX_S,
		    end == REMOTE_BIG ? "MB of memory" : "s of processor time");
	l->tell(l->arg, text);
}

static void stop_asking(struct dac_limits *l)
{
	l->given_up = true;
	if (l->tell)
		l->tell(l->arg, "the runtime's DAC was stopped again and "
				"again and is not asked any more");
}

static void ended(struct dac *d, const struct remote_call *call, uint64_t hash)
{
	struct dac_limits *l = &d->limits;

	if (hash && l->n_fatal < DAC_FATAL_MAX)
		l->fatal[l->n_fatal++] = hash;
	l->lost += call->end == REMOTE_BIG       ? LOST_BIG
		   : call->end == REMOTE_CRASHED ? LOST_CRASHED
		   : call->end == REMOTE_STUCK   ? REMOTE_MAX_TICKS
						 : call->ticks_max;
	if (l->tell && (!l->n_ended || (call->end == REMOTE_CRASHED &&
					d->n_calls > l->told_at + TOLD_CALLS)))
		tell_ended(d, call->end);
	l->told_at = d->n_calls;
	l->n_ended++;
	if (l->lost >= LOST_MAX)
		stop_asking(l);
}

bool dac_renew(struct dac *d)
{
	if (!d->remote || !remote_is_dead(d->remote))
		return true;
	d->n_drops++;
	d->limits.began_at = d->n_calls;
	if (remote_restart(d->remote))
		return true;
	stop_asking(&d->limits);
	return false;
}

// The memory that all calls of a process take together has a limit (serve.c).
// What has reached it is asked of another process; what is gone with the old
// one is not. A process without many calls lacks memory for another reason.
static int32_t call_afresh(struct dac *d, void *object,
			   struct remote_call *call, uint64_t hash)
{
	if (d->n_calls - d->limits.began_at < WORN_CALLS)
		return COM_E_OUTOFMEMORY;
	remote_stop(d->remote);
	if (!hash || !dac_renew(d))
		return COM_E_OUTOFMEMORY;
	return remote_call(d->remote, object, call);
}

static int32_t call_remote(struct dac *d, void *object,
			   enum dac_method_id method, const uint64_t *args)
{
	const struct dac_limits *l = &d->limits;
	struct remote_call call = {
	    .method = method,
	    .args = args,
	    .ticks_max = l->n_ended ? NEXT_MAX : REMOTE_MAX_TICKS,
	};
	uint64_t hash = hash_of(object, &call);

	if (l->given_up)
		return COM_E_TIMEOUT;
	if (is_fatal(l, hash) || !dac_renew(d))
		return COM_E_DIED;
	int32_t hr = remote_call(d->remote, object, &call);
	if (hr == COM_E_OUTOFMEMORY)
		hr = call_afresh(d, object, &call, hash);
	if (call.end != REMOTE_LIVES)
		ended(d, &call, hash);
	return hr;
}

/* ---- Calls ----------------------------------------------------------- */

int32_t dac_call(struct dac *d, void *object, enum dac_method_id method,
		 unsigned n, ...)
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
	int32_t hr = d->remote ? call_remote(d, object, method, a)
			       : guard_call_method(method, object, a);
	if (hr < 0)
		LOG(target_log(d->target), LOG_DAC,
		    "%s says 0x%08x to 0x%llx 0x%llx", dac_methods[method].name,
		    (uint32_t)hr, (unsigned long long)a[0],
		    (unsigned long long)a[1]);
	return hr;
}

void *dac_query(struct dac *d, void *object, const struct com_iid *iid)
{
	void *ret = NULL;

	return DAC_CALL(d, object, QUERY, iid, &ret) < 0 ? NULL : ret;
}
