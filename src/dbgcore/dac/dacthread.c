#include "dac/dac_priv.h"

enum {
	THREADS_MAX = 1 << 17,
	STATE_UNSTARTED = 0x400,
	STATE_DEAD = 0x800,
};

// The System.Threading.Thread of @tid, 0 if it has none (yet).
static uint64_t managed_object(struct dac *d, uint32_t tid)
{
	_cleanup_com_ void *task = NULL, *value = NULL;
	uint64_t addr = 0;

	if (DAC_CALL(d, d->process, PROCESS_TASK_BY_TID, tid, &task) < 0 ||
	    !task)
		return 0;
	if (DAC_CALL(d, task, TASK_MANAGED_OBJECT, &value) != COM_OK || !value)
		return 0;
	if (DAC_CALL(d, value, VALUE_ADDRESS, &addr) != COM_OK)
		return 0;
	return addr;
}

// What a handle (the address of a reference) refers to.
static uint64_t handle_target(struct dac *d, uint64_t handle)
{
	struct dbg_error *err;
	uint64_t object;

	if (!handle)
		return 0;
	err = target_read_u64(d->target, handle, &object);
	dbg_error_destroy(err);
	return err ? 0 : object;
}

struct dbg_error *dac_threads(struct dac *d, struct arena *arena,
			      struct dac_thread **ret, size_t *ret_n)
{
	struct sos_thread_store store = {0};
	struct dac_thread *threads = NULL;
	size_t n = 0, cap = 0;

	int32_t hr = DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store);
	if (hr < 0)
		return dac_err(hr, "cannot read the runtime's threads");
	// The list may be cut or cyclic while a thread comes or goes.
	int32_t left = store.n_threads;
	if (left > THREADS_MAX)
		left = THREADS_MAX;
	for (uint64_t addr = store.first; addr && left > 0; left--) {
		struct sos_thread data = {0};
		if (DAC_CALL(d, d->sos, SOS_THREAD, addr, &data) < 0)
			break;
		if (data.tid && data.tid <= INT32_MAX &&
		    !(data.state & (STATE_UNSTARTED | STATE_DEAD))) {
			mem_grow(&threads, &cap, n, sizeof(*threads));
			threads[n++] = (struct dac_thread){
			    .addr = addr,
			    .tid = (pid_t)data.tid,
			    .managed_id = data.id,
			    .state = (uint32_t)data.state,
			    .cooperative = data.cooperative,
			    .exception =
				handle_target(d, data.last_thrown_handle),
			    .managed_object = managed_object(d, data.tid),
			};
		}
		addr = data.next;
	}
	*ret = arena_copy(arena, threads, n, sizeof(*threads));
	*ret_n = n;
	mem_free_ptr(&threads);
	return NULL;
}
