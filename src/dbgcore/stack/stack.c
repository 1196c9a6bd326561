/*
 * Stacks as users know them, newest frame first.
 *
 * The DAC's walk is filtered: runtime Frames, stretches of native code and
 * the runtime's managed exception dispatch are left out, so that frame 0 of
 * a thread that waits in native code, or has just thrown, is the code that
 * called or threw. A thread without managed frames shows the native code it
 * is in, as one frame.
 *
 * A thread is walked as far as was asked; the walk stays open and what was
 * walked is kept until stack_reset.
 */
#include "stack/stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "stack/stack_priv.h"
#include "target/target.h"

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
		stack_thread_reset(s->threads[i]);
		free((void *)s->threads[i]->frames);
		free(s->threads[i]);
	}
	free(s->threads);
	map_deinit(&s->by_tid);
	free(s);
}

void stack_set_runtime(struct stack *s, struct dac *d, struct code *c)
{
	stack_reset(s, s->arena);
	s->dac = d;
	s->code = c;
	s->name_type = 0;
}

void stack_reset(struct stack *s, struct arena *arena)
{
	s->arena = arena;
	s->managed_read = false;
	s->managed = NULL;
	s->n_managed = 0;
	s->list = NULL;
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i])
			stack_thread_reset(s->threads[i]);
}

static void push(struct stack *s, struct stack_thread *t,
		 const struct dac_frame *raw, enum dbg_frame_kind kind,
		 const struct code_pos *pos)
{
	struct frame *f = arena_alloc(s->arena, sizeof(*f));

	*f = (struct frame){
	    .tid = t->tid,
	    .thread = t->number,
	    .level = (uint32_t)t->n_frames,
	    .kind = kind,
	    .raw = *raw,
	    .pos = pos,
	};
	mem_grow(&t->frames, &t->cap_frames, t->n_frames, sizeof(*t->frames));
	t->frames[t->n_frames++] = f;
}

// The code that a thread without managed frames is in.
static struct dbg_error *push_native(struct stack *s, struct stack_thread *t)
{
	struct dbg_error *err;
	struct user_regs_struct regs;

	err = target_regs(s->target, t->tid, &regs);
	if (err)
		return err;
	const struct dac_frame raw = {
	    .kind = DAC_FRAME_NATIVE,
	    .leaf = true,
	    .ip = regs.rip,
	    .sp = regs.rsp,
	    .bp = regs.rbp,
	    .saved = {regs.rbx, regs.r12, regs.r13, regs.r14, regs.r15},
	};
	push(s, t, &raw, DBG_FRAME_NATIVE, NULL);
	return NULL;
}

static const struct code_pos *find_pos(struct stack *s,
				       const struct dac_frame *raw)
{
	struct dbg_error *err;
	const struct code_pos *pos;
	bool any = false;

	err = code_pos_at(s->code, raw->ip, raw->leaf, &pos, &any);
	dbg_error_destroy(err);
	if (!err && any)
		return pos;
	struct code_pos *none = arena_alloc(s->arena, sizeof(*none));
	none->method = raw->method;
	none->il_offset = UINT32_MAX;
	return none;
}

static void push_managed(struct stack *s, struct stack_thread *t,
			 const struct dac_frame *raw)
{
	enum dbg_frame_kind kind = DBG_FRAME_MANAGED;

	switch (code_method_kind(s->code, raw->method)) {
	case CODE_METHOD_DISPATCH:
		return;
	case CODE_METHOD_STUB:
		// What leads from the newest managed code into the native
		// code that the thread is in says nothing.
		if (!t->n_frames && !raw->leaf)
			return;
		kind = DBG_FRAME_RUNTIME;
		break;
	case CODE_METHOD_PLAIN:
	case CODE_METHOD_DYNAMIC:
		break;
	}
	push(s, t, raw, kind, find_pos(s, raw));
}

static struct dbg_error *start(struct stack *s, struct stack_thread *t)
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

// Walk on by one frame of the runtime.
static struct dbg_error *walk(struct stack *s, struct stack_thread *t)
{
	struct dbg_error *err = NULL;
	struct dac_frame raw;
	bool any = false;

	if (!t->started)
		err = start(s, t);
	if (!err && t->walk)
		err = dac_walk_next(t->walk, &raw, &any);
	// A stack that cannot be walked to its end is shown so far.
	dbg_error_destroy(err);
	if (err || !any)
		return finish(s, t);
	if (raw.kind == DAC_FRAME_MANAGED && raw.method)
		push_managed(s, t, &raw);
	return NULL;
}

struct dbg_error *stack_frame(struct stack *s, uint32_t thread, uint32_t level,
			      const struct frame **ret)
{
	struct dbg_error *err;
	struct stack_thread *t = stack_thread_get(s, thread);

	if (!t)
		return dbg_err(DBG_E_NOT_FOUND, "no thread %u", thread);
	while (t->n_frames <= level && !t->done) {
		err = walk(s, t);
		if (err)
			return err;
	}
	*ret = level < t->n_frames ? t->frames[level] : NULL;
	return NULL;
}

static void describe_native(struct stack *s, const struct frame *f,
			    struct dbg_frame *ret)
{
	struct dbg_error *err;
	struct target_image image;
	const char *symbol = NULL;
	uint64_t offset;
	bool found = false;

	ret->function = "[native code]";
	err = target_image_at(s->target, f->raw.ip, s->arena, &image, &symbol,
			      &offset, &found);
	if (!err && found) {
		ret->module = str_basename(image.path);
		if (symbol)
			ret->function = symbol;
	}
	dbg_error_destroy(err);
}

static void describe_managed(struct stack *s, const struct frame *f,
			     struct dbg_frame *ret)
{
	const struct code_pos *pos = f->pos;

	ret->function =
	    code_method_name(s->code, f->raw.method, true, s->arena);
	ret->il_offset = pos->il_offset;
	ret->token = pos->token;
	if (!pos->module)
		return;
	ret->module = pos->module->name;
	ret->optimized = pos->module->optimized;
	if (!pos->path)
		return;
	ret->source = (struct dbg_source_range){
	    .path = pos->path,
	    .line = pos->point.line,
	    .column = pos->point.column,
	    .end_line = pos->point.end_line,
	    .end_column = pos->point.end_column,
	};
}

void stack_describe(struct stack *s, const struct frame *f,
		    struct dbg_frame *ret)
{
	*ret = (struct dbg_frame){
	    .id = ret->id,
	    .level = f->level,
	    .kind = f->kind,
	    .pc = f->raw.ip,
	    .sp = f->raw.sp,
	    .il_offset = UINT32_MAX,
	};
	if (f->pos)
		describe_managed(s, f, ret);
	else
		describe_native(s, f, ret);
}
