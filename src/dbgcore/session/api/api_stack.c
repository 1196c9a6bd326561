/*
 * Threads, frames, registers and memory of dbg.h. Frames are walked as far as
 * asked and kept for the stop; numbers of threads are given once and not
 * reused.
 */
#include "session/session.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "inspect/waits.h"

// Is it a thread of the program? A managed thread of the runtime's own is while
// it runs program code: the finalizer.
static bool is_of_program(struct dbg *dbg, struct dbg_thread *t)
{
	if (t->tid == dbg_pid(dbg) || t->number == dbg->stop.thread)
		return true;
	return t->managed && !stack_thread_idles(dbg->inspect.stack, t);
}

static struct dbg_error *visible_threads(struct dbg_stopped at, bool named,
					 struct dbg_thread **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);
	struct dbg_thread *all;
	size_t n_all;

	if (!err)
		err = stack_threads(dbg->inspect.stack, &all, &n_all);
	if (err)
		return err;
	*ret = arena_calloc(dbg->inspect.arena, n_all, sizeof(*all));
	*ret_n = 0;
	for (size_t i = 0; i < n_all; i++) {
		if (!dbg->show_runtime_threads && !is_of_program(dbg, &all[i]))
			continue;
		if (named)
			stack_thread_describe(dbg->inspect.stack, &all[i]);
		(*ret)[(*ret_n)++] = all[i];
	}
	return NULL;
}

struct dbg_error *dbg_thread_list(struct dbg_stopped at,
				  struct dbg_thread **ret, size_t *ret_n)
{
	return visible_threads(at, true, ret, ret_n);
}

struct dbg_error *dbg_processor_list(struct dbg_stopped at,
				     struct dbg_processor **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_thread *v;
	struct dbg_error *err = visible_threads(at, false, &v, ret_n);

	if (err)
		return err;
	*ret = arena_calloc(dbg->inspect.arena, *ret_n, sizeof(**ret));
	for (size_t i = 0; i < *ret_n; i++) {
		int share = target_thread_share(dbg->target, v[i].tid);
		struct regs regs;
		bool known =
		    !dbg_err_drop(target_regs(dbg->target, v[i].tid, &regs));
		(*ret)[i] = (struct dbg_processor){
		    .thread = v[i].number,
		    .in_call = !known || regs_in_call(&regs),
		    .has_share = share >= 0,
		    .share = share < 0 ? 0 : (uint32_t)share,
		    .used = target_thread_time(dbg->target, v[i].tid) / 1000000,
		};
	}
	return NULL;
}

struct dbg_error *dbg_thread_numbers(struct dbg_stopped at, uint32_t **ret,
				     size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_thread *list;
	struct dbg_error *err = visible_threads(at, false, &list, ret_n);

	if (err)
		return err;
	*ret = arena_calloc(dbg->inspect.arena, *ret_n, sizeof(**ret));
	for (size_t i = 0; i < *ret_n; i++)
		(*ret)[i] = list[i].number;
	return NULL;
}

static struct dbg_error *frames_walk(struct dbg *dbg, uint32_t thread,
				     uint32_t first, uint32_t count,
				     struct dbg_frame **list, size_t *n)
{
	struct dbg_error *err;
	size_t cap = 0;

	while (*n < count) {
		const struct frame *f;

		if (dbg->inspect.interrupted)
			return dbg_err(DBG_E_INTERRUPTED,
				       "interrupted after %zu frames", *n);
		uint32_t level = first + (uint32_t)*n;
		err = stack_display(dbg->inspect.stack, thread, level, &f);
		if (err)
			return err;
		if (!f)
			break;
		mem_grow(list, &cap, *n, sizeof(**list));

		struct dbg_frame *frame = &(*list)[*n];

		memset(frame, 0, sizeof(*frame));
		stack_describe(dbg->inspect.stack, thread, level, frame);
		// how the runtime throws is of no interest where it does
		if ((!level || !f->level) && dbg->stop.exception_type &&
		    thread == dbg->stop.thread)
			frame->above = NULL;
		frame->id = inspect_frame_id(&dbg->inspect, f);
		++*n;
	}
	return NULL;
}

struct dbg_error *dbg_frame_list(struct dbg_stopped at, uint32_t thread,
				 uint32_t first, uint32_t count,
				 struct dbg_frame **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);
	_cleanup_free_ struct dbg_frame *list = NULL;
	size_t n = 0;

	if (err)
		return err;
	if (!thread)
		thread = dbg->stop.thread;
	if (!stack_thread_known(dbg->inspect.stack, thread))
		return dbg_err(DBG_E_NOT_FOUND, "no thread number %u", thread);
	// an interrupt is for the call it comes in, not for later ones
	dbg->inspect.interrupted = 0;
	err = frames_walk(dbg, thread, first, count, &list, &n);
	if (err)
		return err;
	*ret = arena_copy(dbg->inspect.arena, list, n, sizeof(*list));
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_wait_list(struct dbg_stopped at, struct dbg_wait **ret,
				size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	return err ? err : waits_list(&dbg->inspect, ret, ret_n);
}

struct dbg_error *dbg_memory_read(struct dbg_stopped at, uint64_t addr,
				  void *buf, size_t size, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	if (err)
		return err;
	*ret_n = target_read_some(dbg->target, addr, buf, size);
	if (!*ret_n && size)
		return dbg_err(DBG_E_MEMORY, "cannot access memory at 0x%lx",
			       (unsigned long)addr);
	return NULL;
}

struct dbg_error *dbg_memory_write(struct dbg_stopped at, uint64_t addr,
				   const void *buf, size_t size)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_stop(at);

	if (!err)
		err = target_write(dbg->target, addr, buf, size);
	if (err)
		return err;
	inspect_assigned(&dbg->inspect);
	control_written(dbg->control, addr, size);
	return NULL;
}

/* List where @f has saved registers of its caller, as far as that is known. */
static void find_saved(struct dbg *dbg, const struct frame *f,
		       struct dbg_frame_code *ret)
{
	struct dbg_register *list =
	    arena_calloc(dbg->inspect.arena, N_SAVED_REGS, sizeof(*list));
	struct regs_item items[ARCH_LISTED];
	const struct regs none = {0};
	uint64_t at[N_SAVED_REGS];

	stack_keeps(dbg->inspect.stack, f, at);
	ret->saved = list;
	regs_list(&none, items);
	for (size_t i = 0; i < ARCH_LISTED; i++) {
		unsigned int saved = unwind_saved(items[i].number);

		if (saved != N_SAVED_REGS && at[saved] > SAVED_REG_LOST)
			list[ret->n_saved++] =
			    (struct dbg_register){items[i].name, at[saved]};
	}
}

struct dbg_error *dbg_frame_code(struct dbg_stopped at, dbg_id frame,
				 struct dbg_frame_code *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	const struct frame *f;
	struct dac_code code = {0};

	err = session_frame_or_newest(at, frame, &f);
	if (err)
		return err;
	*ret = (struct dbg_frame_code){0};
	find_saved(dbg, f, ret);
	if (f->raw.kind != DAC_FRAME_MANAGED || !f->raw.method)
		return NULL;
	err = dac_code_at(dbg->inspect.dac,
			  f->raw.leaf ? f->raw.ip : f->raw.ip - 1, &code);
	if (err || !code.method)
		return err;
	ret->kind = code_kind(dbg->inspect.code, &code);
	ret->start = code.start;
	ret->size = code.size;
	ret->method = code.method;
	return NULL;
}

/* ---- Registers ------------------------------------------------------- */

struct dbg_error *dbg_registers(struct dbg_stopped at, dbg_id frame,
				struct dbg_register **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	const struct frame *f;
	struct regs_item items[ARCH_LISTED];
	size_t n;

	err = session_frame_or_newest(at, frame, &f);
	if (!err)
		err = stack_registers(dbg->target, f, items, &n);
	if (err)
		return err;
	*ret = arena_calloc(dbg->inspect.arena, n + 1, sizeof(**ret));
	*ret_n = n;
	for (size_t i = 0; i < n; i++)
		(*ret)[i] =
		    (struct dbg_register){items[i].name, items[i].value};
	return NULL;
}

struct dbg_error *dbg_register_get(struct dbg_stopped at, dbg_id frame,
				   const char *name, uint64_t *ret)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err;
	const struct frame *f;
	struct regs_item item;

	err = session_frame_or_newest(at, frame, &f);
	if (!err)
		err = stack_register(dbg->target, f, name, &item);
	if (!err)
		*ret = item.value;
	return err;
}
