/*
 * Stacks as users know them, newest frame first.
 *
 * The DAC's walk is filtered: runtime Frames, stretches of native code and
 * the runtime's managed exception dispatch are passed over, so that frame 0
 * of a thread that waits in native code, or has just thrown, is the code that
 * called or threw; the frame behind them keeps what was passed over. A thread
 * without managed frames has the native code it is in, as one frame.
 *
 * The JIT makes functions of their own ("funclets") of handlers and filters;
 * their frames have the frame pointer of the method they belong to, whose own
 * frame lies further down. While a catch or finally runs, all between the two
 * is over (the code that threw) or the dispatch, so the handler's frame
 * stands for the method and the rest, its body included, is left out. A
 * filter runs while the code that threw is still alive: all is shown.
 *
 * A thread is walked as far as was asked; the walk stays open and what was
 * walked is kept until stack_reset.
 */
#include "stack/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "target/unwind.h"

struct stack *stack_create(struct target *t)
{
	struct stack *s = xcalloc(1, sizeof(*s));

	s->target = t;
	return s;
}

void stack_destroy(struct stack *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_threads; i++) {
		if (!s->threads[i])
			continue;
		stack_thread_destroy(s->threads[i]);
	}
	free(s->threads);
	map_deinit(&s->by_tid);
	map_deinit(&s->waits);
	map_deinit(&s->boxes);
	suspended_forget(s);
	free(s->suspended);
	free(s);
}

void stack_set_runtime(struct stack *s, struct dac *d, struct code *c)
{
	stack_reset(s, s->arena);
	map_clear(&s->boxes);
	s->dac = d;
	s->code = c;
	s->values = NULL;
	s->name_type = 0;
	s->first_managed = 0;
}

void stack_set_types(struct stack *s, struct values *ts)
{
	s->values = ts;
}

void stack_reset(struct stack *s, struct arena *arena)
{
	s->arena = arena;
	s->behind = 0;
	s->n_walked = 0;
	s->list = NULL;
	s->n_thrown = 0;
	map_clear(&s->waits);
	suspended_forget(s);
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i])
			stack_thread_reset(s->threads[i]);
}

void stack_behind(struct stack *s, pid_t tid)
{
	struct stack_thread *t =
	    stack_thread_get(s, stack_thread_number(s, tid));

	s->behind = tid;
	stack_thread_reset(t);
}

bool stack_is_behind(const struct stack *s, pid_t tid)
{
	return s->behind == tid;
}

static const struct code_pos *find_pos(struct stack *s, pid_t tid,
				       const struct dac_frame *raw)
{
	struct dbg_error *err;
	const struct code_pos *pos;
	bool any = false;
	bool next = raw->leaf && !stack_is_behind(s, tid);

	err = code_pos_at(s->code, raw->ip, next, &pos, &any);
	if (!dbg_err_drop(err) && any)
		return pos;
	struct code_pos *none = arena_alloc(s->arena, sizeof(*none));
	none->method = raw->method;
	none->il_offset = UINT32_MAX;
	return none;
}

struct frame *stack_frame_make(struct stack *s, struct stack_thread *t,
			       const struct dac_frame *raw,
			       enum dbg_frame_kind kind)
{
	struct frame *f = arena_alloc(s->arena, sizeof(*f));

	*f = (struct frame){
	    .tid = t->tid,
	    .thread = t->number,
	    .level = (uint32_t)t->n_frames,
	    .serial = s->n_walked++,
	    .kind = kind,
	    .raw = *raw,
	    .pos = kind == DBG_FRAME_NATIVE ? NULL : find_pos(s, t->tid, raw),
	};
	return f;
}

// The newest managed frame called by @f, which is not in the list yet.
static const struct frame *callee(const struct stack_thread *t)
{
	const struct frame *f = t->n_frames ? t->frames[t->n_frames - 1] : NULL;

	return f && !t->between.n && f->pos && f->pos->module ? f : NULL;
}

// Correct the position of a caller in optimised code: the method that it called
// may tell more than the map of its code.
static void refine_pos(struct stack *s, struct stack_thread *t, struct frame *f)
{
	const struct frame *called = callee(t);
	struct code_pos pos;

	if (!called || f->raw.leaf || !f->pos || !f->pos->module ||
	    !f->pos->module->optimized)
		return;
	const char *name =
	    code_method_def_name(called->pos->module, called->pos->token);
	if (code_pos_of_call(s->code, f->pos, f->raw.ip - 1, name, &pos))
		f->pos = arena_copy(s->arena, &pos, 1, sizeof(pos));
}

static void walked_frame_push(struct stack *s, struct stack_thread *t,
			      const struct dac_frame *raw,
			      enum dbg_frame_kind kind)
{
	struct frame *f = stack_frame_make(s, t, raw, kind);

	refine_pos(s, t, f);
	f->between = arena_copy(s->arena, t->between.v, t->between.n,
				sizeof(*t->between.v));
	f->n_between = t->between.n;
	t->between.n = 0;
	mem_grow(&t->frames, &t->cap_frames, t->n_frames, sizeof(*t->frames));
	t->frames[t->n_frames++] = f;
}

static void pass_over(struct stack_thread *t, const struct dac_frame *raw)
{
	struct raw_list *l = &t->between;

	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = *raw;
}

// Append the native frame in which a thread without managed frames is.
static struct dbg_error *push_native(struct stack *s, struct stack_thread *t)
{
	struct dbg_error *err;
	struct dac_frame raw;

	err = native_top(s, t->tid, &raw);
	if (!err)
		walked_frame_push(s, t, &raw, DBG_FRAME_NATIVE);
	return err;
}

static const struct frame *top(const struct stack_thread *t)
{
	return t->n_frames ? t->frames[t->n_frames - 1] : NULL;
}

// Is @raw the body, or an outer handler, of the method whose handler @f is?
static bool is_same_activation(const struct frame *f,
			       const struct dac_frame *raw)
{
	return raw->method == f->raw.method && raw->bp == f->raw.bp;
}

// Is @raw the caller of @f? The frame pointer of @f points to the saved one,
// right below the return address, so 16 bytes below @raw's stack pointer;
// except in a funclet, which uses the frame pointer of its method.
static bool is_called_by(const struct frame *f, const struct dac_frame *raw)
{
	return f->raw.bp + 16 == raw->sp;
}

static void push_managed(struct stack *s, struct stack_thread *t,
			 const struct dac_frame *raw)
{
	enum dbg_frame_kind kind = DBG_FRAME_MANAGED;

	switch (code_method_kind(s->code, raw->method)) {
	case CODE_METHOD_DISPATCH:
		pass_over(t, raw);
		return;
	case CODE_METHOD_STUB:
		// What leads from the newest managed code into the native
		// code that the thread is in says nothing.
		if (!t->n_frames && !raw->leaf) {
			pass_over(t, raw);
			return;
		}
		kind = DBG_FRAME_RUNTIME;
		break;
	case CODE_METHOD_PLAIN:
	case CODE_METHOD_DYNAMIC:
		break;
	}
	walked_frame_push(s, t, raw, kind);
}

static struct dbg_error *walk_start(struct stack *s, struct stack_thread *t)
{
	t->started = true;
	if (!s->dac || !s->code)
		return NULL;
	return dac_walk_create(s->dac, t->tid, &t->walk);
}

static struct dbg_error *finish(struct stack *s, struct stack_thread *t)
{
	t->done = true;
	dac_walk_destroy(t->walk);
	t->walk = NULL;
	return t->n_frames ? NULL : push_native(s, t);
}

// Get the next managed frame of the runtime's walk; *ret_any false at the end.
static struct dbg_error *walk_next(struct stack *s, struct stack_thread *t,
				   struct dac_frame *ret, bool *ret_any)
{
	struct dbg_error *err;

	*ret_any = t->has_ahead;
	if (t->has_ahead)
		*ret = t->ahead;
	t->has_ahead = false;
	while (!*ret_any) {
		if (!t->walk)
			return NULL;
		err = dac_walk_next(t->walk, ret, ret_any);
		if (err || !*ret_any)
			return err;
		*ret_any = ret->kind == DAC_FRAME_MANAGED && ret->method;
		if (ret->kind != DAC_FRAME_MANAGED &&
		    unwind_is_native(s->target, ret->ip))
			pass_over(t, ret);
	}
	return NULL;
}

// The newest frame is a handler: walk on to the body that it belongs to and
// drop all behind the handler. If there is no such body (a finally that was
// copied into the body itself) what was walked stays.
static struct dbg_error *pass_handler(struct stack *s, struct stack_thread *t)
{
	struct dbg_error *err;
	size_t n = t->n_frames;
	const struct frame *f = top(t);
	struct dac_frame raw;
	bool any;

	for (bool first = true;; first = false) {
		err = walk_next(s, t, &raw, &any);
		if (err || !any)
			return err ? err : finish(s, t);
		if (first && is_called_by(f, &raw)) {
			t->ahead = raw;
			t->has_ahead = true;
			return NULL;
		}
		push_managed(s, t, &raw);
		if (!is_same_activation(f, &raw))
			continue;
		bool body = top(t)->pos->region == CODE_REGION_BODY;
		t->n_frames = n;
		t->between.n = 0;
		if (body)
			return NULL;
	}
}

// Walk on by at least one frame of the runtime.
static struct dbg_error *stack_walk_on(struct stack *s, struct stack_thread *t)
{
	struct dbg_error *err = NULL;
	struct dac_frame raw;
	bool any = false;
	size_t n = t->n_frames;

	if (!t->started)
		err = walk_start(s, t);
	if (!err)
		err = walk_next(s, t, &raw, &any);
	if (!err && any) {
		push_managed(s, t, &raw);
		if (t->n_frames > n &&
		    top(t)->pos->region == CODE_REGION_HANDLER)
			err = pass_handler(s, t);
		if (!err)
			return NULL;
	}
	// A stack that cannot be walked to its end is shown so far.
	dbg_error_destroy(err);
	return finish(s, t);
}

struct dbg_error *stack_frame(struct stack *s, uint32_t thread, uint32_t level,
			      const struct frame **ret)
{
	struct dbg_error *err;
	struct stack_thread *t = stack_thread_get(s, thread);

	if (!t)
		return dbg_err(DBG_E_NOT_FOUND, "no thread %u", thread);
	while (t->n_frames <= level && !t->done) {
		err = stack_walk_on(s, t);
		if (err)
			return err;
	}
	*ret = level < t->n_frames ? t->frames[level] : NULL;
	return NULL;
}
