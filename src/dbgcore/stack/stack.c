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
 * stands for the method and the rest, its body included, is left out; the
 * frame keeps it for those who want to see the way of the throw. A filter runs
 * while the code that threw is still alive: all is shown.
 *
 * A thread is walked as far as was asked; the walk stays open and what was
 * walked is kept until stack_reset.
 */
#include "stack/stack.h"
#include "stack/stack_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/object.h"
#include "target/target.h"
#include "target/unwind.h"

/* ---- Threads ------------------------------------------------------------- */

/*
 * Numbers for the session, facts for the stop. A number is given once and not
 * reused, though the kernel reuses a tid.
 */

enum {
	COMM_MAX = 15, /* TASK_COMM_LEN without its end */
};

static void stack_thread_destroy(struct stack_thread *t);
static struct stack_thread *suspended_get(struct stack *s, uint32_t number);

uint32_t stack_thread_number(struct stack *s, pid_t tid)
{
	struct stack_thread *t = map_find(&s->by_tid, (uint64_t)tid);

	if (t)
		return t->number;
	t = xcalloc(1, sizeof(*t));
	mem_grow(&s->threads, &s->cap_threads, s->n_threads,
		 sizeof(*s->threads));
	s->threads[s->n_threads++] = t;
	t->tid = tid;
	t->number = (uint32_t)s->n_threads;
	map_put(&s->by_tid, (uint64_t)tid, t);
	return t->number;
}

void stack_thread_gone(struct stack *s, pid_t tid)
{
	struct stack_thread *t = map_take(&s->by_tid, (uint64_t)tid);

	if (!t)
		return;
	s->threads[t->number - 1] = NULL;
	stack_thread_destroy(t);
}

struct stack_thread *stack_thread_get(struct stack *s, uint32_t number)
{
	if (number >= DBG_THREAD_SUSPENDED)
		return suspended_get(s, number);
	return number && number <= s->n_threads ? s->threads[number - 1] : NULL;
}

pid_t stack_thread_tid(struct stack *s, uint32_t number)
{
	const struct stack_thread *t = stack_thread_get(s, number);

	return t ? t->tid : 0;
}

/* Forget what was walked. */
static void stack_thread_reset(struct stack_thread *t)
{
	dac_walk_destroy(t->walk);
	t->walk = NULL;
	t->started = t->done = t->has_ahead = false;
	t->n_frames = t->n_display = 0;
	t->between.n = 0;
	t->n_taken = t->folded = 0;
	t->all_shown = false;
}

static void stack_thread_destroy(struct stack_thread *t)
{
	stack_thread_reset(t);
	free((void *)t->frames);
	free(t->between.v);
	free(t->display);
	free(t);
}

static const struct dac_thread *find_managed(struct stack *s, pid_t tid)
{
	return s->dac ? dac_thread_find(s->dac, tid) : NULL;
}

uint64_t stack_managed_thread(struct stack *s, pid_t tid)
{
	const struct dac_thread *t = find_managed(s, tid);

	return t ? t->addr : 0;
}

// Read Thread._name; NULL without it.
static const char *managed_name(struct stack *s, uint64_t object)
{
	uint64_t mt, name = 0;
	struct dbg_error *err = target_read_u64(s->target, object, &mt);

	mt = err ? 0 : mt & ~(uint64_t)7;
	if (mt && s->name_type != mt &&
	    object_offset(s->code, mt, "_name", &s->name_offset))
		s->name_type = mt;
	if (mt && s->name_type == mt)
		err =
		    target_read_u64(s->target, object + s->name_offset, &name);
	dbg_error_destroy(err);
	return name ? object_string(s->code, name, s->arena) : NULL;
}

// Complete a name that the kernel has cut: it keeps 15 characters.
static const char *whole_name(struct stack *s, const char *comm)
{
	static const char *const names[] = {
	    ".NET SynchManager",
	    ".NET Tiered Compilation Worker",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(comm) == COMM_MAX &&
		    !strncmp(names[i], comm, COMM_MAX))
			return names[i];
	return arena_strdup(s->arena, comm);
}

// The runtime's own threads have the kernel's name alone, which begins as all
// of the runtime's. A core may lack that: the finalizer's is known all the
// same, and a thread that has no Thread either was not made by the program.
void stack_thread_describe(struct stack *s, struct dbg_thread *t)
{
	const struct dac_thread *m = find_managed(s, t->tid);
	char comm[COMM_MAX + 1];

	if (t->name)
		return;
	uint64_t object = m && s->code ? dac_thread_object(s->dac, m) : 0;
	t->name = object ? managed_name(s, object) : NULL;
	t->named = t->name && *t->name;
	if (t->named)
		return;
	if (s->dac && t->tid == target_pid(s->target)) {
		t->name = "Main Thread";
		return;
	}
	bool finalizer = m && m->finalizer;

	target_thread_name(s->target, t->tid, comm);
	t->name = finalizer ? ".NET Finalizer" : whole_name(s, comm);
	t->runtime =
	    finalizer || str_starts(comm, ".NET ") || (!*comm && m && !object);
}

// Does the thread still exist? Its end may not have been reported yet.
static bool is_live(struct stack *s, const struct stack_thread *t)
{
	struct regs regs;
	struct dbg_error *err = target_regs(s->target, t->tid, &regs);

	return !dbg_err_drop(err);
}

static bool is_managed(struct stack *s, uint32_t number)
{
	const struct stack_thread *t = stack_thread_get(s, number);

	return t && is_live(s, t) && find_managed(s, t->tid);
}

uint32_t stack_first_managed(struct stack *s)
{
	// a managed thread stays one until it ends
	if (is_managed(s, s->first_managed))
		return s->first_managed;
	s->first_managed = 0;
	for (uint32_t i = 1; i <= s->n_threads && !s->first_managed; i++)
		if (is_managed(s, i))
			s->first_managed = i;
	return s->first_managed;
}

static int by_number(const void *a, const void *b)
{
	const struct dbg_thread *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

struct dbg_error *stack_threads(struct stack *s, struct dbg_thread **ret,
				size_t *ret_n)
{
	struct dbg_error *err;
	struct target_thread *threads;
	size_t n;

	if (!s->list) {
		err = target_threads(s->target, s->arena, &threads, &n);
		if (err)
			return err;
		s->list = arena_calloc(s->arena, n, sizeof(*s->list));
		s->n_list = n;
		for (size_t i = 0; i < n; i++) {
			pid_t tid = threads[i].tid;
			const struct dac_thread *m = find_managed(s, tid);

			s->list[i] = (struct dbg_thread){
			    .number = stack_thread_number(s, tid),
			    .tid = tid,
			    .managed = m != NULL,
			    .managed_id = m ? m->managed_id : 0,
			};
		}
		qsort(s->list, n, sizeof(*s->list), by_number);
	}
	*ret = s->list;
	*ret_n = s->n_list;
	return NULL;
}

static bool runs_managed(struct stack *s, uint32_t number)
{
	const struct frame *f = NULL;
	struct dbg_error *err = stack_frame(s, number, 0, &f);

	return !dbg_err_drop(err) && f && f->kind != DBG_FRAME_NATIVE;
}

// Is a thread where it was, in the same call? It may be about to restart the
// system call that it waits in.
static bool is_where(const struct regs *was, const struct regs *is)
{
	struct regs a = *was, b = *is;

	regs_restart(&a);
	regs_restart(&b);
	for (size_t i = 0; i < ARCH_SAVED; i++)
		if (regs_get(&a, arch_saved[i]) != regs_get(&b, arch_saved[i]))
			return false;
	return regs_pc(&a) == regs_pc(&b) && regs_sp(&a) == regs_sp(&b) &&
	       regs_fp(&a) == regs_fp(&b);
}

// Asked at each stop: the program's threads are looked at once, the runtime's
// when they are elsewhere than at the stop before.
bool stack_thread_idles(struct stack *s, struct dbg_thread *seen)
{
	struct stack_thread *t = stack_thread_get(s, seen->number);
	struct regs regs;

	if (t->of_program)
		return false;
	struct dbg_error *err = target_regs(s->target, t->tid, &regs);
	bool known = !dbg_err_drop(err);
	if (known && t->idles && is_where(&t->idle, &regs))
		return true;
	stack_thread_describe(s, seen);
	t->of_program = !seen->runtime;
	t->idles = seen->runtime && !runs_managed(s, seen->number);
	if (known)
		t->idle = regs;
	return t->idles;
}

/* ---- Suspended async calls as stacks ------------------------------------- */

/*
 * Made-up threads with numbers of their own, whose displayed frames are all
 * known from the beginning. They have no registers and live until the program
 * goes on.
 */

static struct stack_thread *suspended_get(struct stack *s, uint32_t number)
{
	uint32_t i = number - DBG_THREAD_SUSPENDED;

	return number >= DBG_THREAD_SUSPENDED && i < s->n_suspended
		   ? s->suspended[i]
		   : NULL;
}

static void suspended_forget(struct stack *s)
{
	for (size_t i = 0; i < s->n_suspended; i++)
		stack_thread_destroy(s->suspended[i]);
	s->n_suspended = 0;
}

bool stack_thread_known(struct stack *s, uint32_t number)
{
	return stack_thread_get(s, number);
}

uint32_t stack_suspended_create(struct stack *s)
{
	struct stack_thread *t = xcalloc(1, sizeof(*t));

	mem_grow(&s->suspended, &s->cap_suspended, s->n_suspended,
		 sizeof(*s->suspended));
	t->number = DBG_THREAD_SUSPENDED + (uint32_t)s->n_suspended;
	t->started = t->done = t->all_shown = true;
	s->suspended[s->n_suspended++] = t;
	return t->number;
}

void stack_suspended_add(struct stack *s, uint32_t thread, struct frame *f)
{
	struct stack_thread *t = suspended_get(s, thread);

	f->thread = thread;
	f->level = (uint32_t)t->n_display;
	stack_frame_number(s, f);
	display_push(t, f);
}

void stack_suspended_label(struct stack *s, uint32_t thread, const char *text)
{
	struct frame *f = arena_alloc(s->arena, sizeof(*f));

	*f = (struct frame){.kind = DBG_FRAME_CHAIN, .label = text};
	stack_suspended_add(s, thread, f);
}

/* ---- Stacks as users know them, newest frame first ----------------------- */

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
	s->thrown.n = 0;
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

// Keep what is dropped behind the newest of @n frames, a handler.
static void keep_caught(struct stack *s, struct stack_thread *t, size_t n)
{
	struct frame *f = t->frames[n - 1];
	size_t more = t->n_frames - n;
	const struct frame **all =
	    arena_calloc(s->arena, f->n_caught + more, sizeof(*all));

	for (size_t i = 0; i < f->n_caught; i++)
		all[i] = f->caught[i];
	for (size_t i = 0; i < more; i++)
		all[f->n_caught + i] = t->frames[n + i];
	f->caught = all;
	f->n_caught += more;
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
		keep_caught(s, t, n);
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
