/*
 * A DAC in a process of its own, for a core: what is in a core may make the DAC
 * crash, go round for ever or write where it should not. Then that process
 * ends, the call that was made has no answer, and another one is started.
 *
 * Objects of such a DAC are stand-ins, on which com_release works.
 */
#ifndef DAC_REMOTE_H
#define DAC_REMOTE_H

#include "dac/dac_priv.h"

struct remote;

enum {
	REMOTE_TICK_MS = 20,
	/* processor seconds: the most that a call may take, and the start */
	REMOTE_MAX_S = 5,
	REMOTE_MAX_TICKS = REMOTE_MAX_S * 1000 / REMOTE_TICK_MS,
	REMOTE_STUCK_S = 120, /* without an answer and without such time */
	REMOTE_MB = 128,      /* of memory that a call may take */
};

enum remote_end {
	REMOTE_LIVES,
	REMOTE_CRASHED,
	REMOTE_LATE,  /* it took too much processor time */
	REMOTE_STUCK, /* it took none, and did not answer */
	REMOTE_BIG,   /* it took too much memory */
};

struct remote_call {
	enum dac_method_id method;
	const uint64_t *args;   /* DAC_MAX_ARGS */
	unsigned int ticks_max; /* of REMOTE_TICK_MS of processor time */
	enum remote_end end;    /* set: what has become of the process */
};

/*
 * Called in the DAC's process: load the DAC and let it make its
 * IXCLRDataProcess; *ret is the HRESULT. An error means that it cannot be
 * loaded.
 */
typedef struct dbg_error *remote_load_fn(struct dac *d, void **ret_process,
					 int32_t *ret);

/*
 * Fork a process for a DAC. It has a copy of @d and of its target as they are
 * then, which must be a core.
 */
DBG_MUST struct dbg_error *remote_create(struct dac *d, remote_load_fn *load,
					 struct remote **ret);
void remote_destroy(struct remote *r);

/* Get the result of @load. */
DBG_MUST struct dbg_error *remote_begin(struct remote *r, void **ret_process,
					int32_t *ret);
/* An interface of the IXCLRDataProcess, good for restarts; NULL: it has none */
void *remote_root(struct remote *r, const struct com_iid *iid);

/*
 * Has the process ended? What is no root is gone with it; call.args are not to
 * be used again.
 */
bool remote_is_dead(struct remote *r);
/* End it, if it has not ended. */
void remote_stop(struct remote *r);
/* Start another one; false: it cannot be had. */
bool remote_restart(struct remote *r);

/* Carry out a method of @object; COM_E_DIED and the like if it did not end. */
int32_t remote_call(struct remote *r, void *object, struct remote_call *call);

/* Is @object one that a restart does not lose? */
bool remote_is_root(const void *object);

#endif
