/*
 * Threads: numbers for the session, facts for the stop. A number is given
 * once and not reused, though the kernel reuses a tid.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/object.h"
#include "stack/stack_priv.h"
#include "target/target.h"

enum {
	COMM_MAX = 15, /* TASK_COMM_LEN without its end */
};

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

void stack_thread_reset(struct stack_thread *t)
{
	dac_walk_destroy(t->walk);
	t->walk = NULL;
	t->started = t->done = t->has_ahead = false;
	t->n_frames = t->n_display = 0;
	t->between.n = 0;
	t->n_taken = t->folded = 0;
	t->all_shown = false;
}

void stack_thread_destroy(struct stack_thread *t)
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
