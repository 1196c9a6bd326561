/*
 * Finds who awaits an async call. A method that had to wait goes on in a state
 * machine on the heap, or in a Continuation (continuation.c). Its task holds
 * what is resumed at its end (m_continuationObject): the state machine of the
 * awaiting method, bare, as a delegate, or inside a continuation object of some
 * kind; or another task (WhenAll, Unwrap), whose continuation leads on; or a
 * list of these, of which the first is followed. So the chain runs from the
 * method that is resumed on a thread to the outermost caller, which is on no
 * stack any more.
 *
 * Everything is found by the names of fields, which .NET 8 to 11 share.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "value/value.h"

enum {
	CHAIN_MAX = 256, /* methods that await each other */
	LINKS_MAX = 64,  /* objects between two of them */
	BUILDERS_MAX = 3,
	METHOD_NAME = 3, /* column, II.22.26 */
};

/* ---- Objects --------------------------------------------------------- */

// Get the task of a builder; some builders contain another.
static bool builder_task(struct values *ts, struct value builder,
			 struct value *ret)
{
	for (int i = 0; i < BUILDERS_MAX; i++) {
		if (value_member(ts, &builder, "m_task", ret) ||
		    value_member(ts, &builder, "_task", ret))
			return true;
		struct value inner;
		if (!value_member(ts, &builder, "_builder", &inner))
			return false;
		builder = inner;
	}
	return false;
}

// Get the builder of a state machine; the C# and VB compilers name its field
// differently.
static bool machine_builder(struct values *ts, const struct value *machine,
			    struct value *ret)
{
	return value_member(ts, machine, "<>t__builder", ret) ||
	       value_member(ts, machine, "$Builder", ret);
}

// Get what is resumed at the end of @machine. An async iterator and a pooling
// builder have the continuation in the promise (ManualResetValueTaskSourceCore)
// that stands in for a task.
bool stack_machine_awaiter(struct values *ts, const struct value *machine,
			   struct value *ret)
{
	struct value at, task;

	if (value_member(ts, machine, "<>v__promiseOfValueOrEnd", &at))
		return value_member(ts, &at, "_continuationState", ret);
	if (!machine_builder(ts, machine, &at) || !builder_task(ts, at, &task))
		return false;
	return value_member(ts, &task, "m_continuationObject", ret) ||
	       (value_member(ts, &task, "_valueTaskSource", &at) &&
		value_member(ts, &at, "_continuationState", ret));
}

bool stack_link(struct values *ts, const struct value *at, size_t i,
		struct value *ret)
{
	static const char *const names[] = {
	    "_continuation",        // a wrapper of a delegate
	    "_target",              // a delegate
	    "m_action",             // AwaitTaskContinuation
	    "m_continuationObject", // a task
	    "m_task",               // ContinueWithTaskContinuation
	    "RuntimeAsyncTask",     // what a Continuation waits for
	};
	struct value items;
	struct elements elements;

	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (value_member(ts, at, names[k], ret))
			return i == 0;
	if (!value_member(ts, at, "_items", &items) ||
	    !value_elements(ts, &items, &elements) || i >= elements.n)
		return false;
	struct value v = element_get(&elements, i);
	*ret = value_dereference(ts, &v);
	return true;
}

// Go one step from a continuation towards the method that awaits.
static bool link_next(struct values *ts, const struct value *at,
		      struct value *ret)
{
	for (size_t i = 0; i < LINKS_MAX && stack_link(ts, at, i, ret); i++)
		if (ret->where != VALUE_ABSENT && !value_is_null(ts, ret))
			return true;
	return false;
}

// A suspended call; in runtime async with the task whose chain it belongs to.
struct waiting {
	struct value call, task;
};

// Go on from a task of runtime async: to the calls that it resumes or, while a
// thread runs them, to what awaits the task.
static bool enter_task(struct values *ts, struct value *at, struct waiting *w)
{
	struct value next;

	if (!continuation_is_task(ts, at->type))
		return false;
	w->task = *at;
	if (!continuation_of_task(ts, at, &next) &&
	    !value_member(ts, at, "m_continuationObject", &next))
		return false;
	*at = next;
	return true;
}

// Find the suspended call that @at leads to, directly or further on.
static bool next_call(struct values *ts, struct value at, struct waiting *w)
{
	struct value next;

	for (int i = 0; i < LINKS_MAX; i++) {
		if (value_member(ts, &at, "StateMachine", &w->call))
			return true;
		if (continuation_is(ts, &at)) {
			value_member(ts, &at, "RuntimeAsyncTask", &w->task);
			return continuation_first(ts, &at, &w->call);
		}
		if (enter_task(ts, &at, w))
			continue;
		if (!link_next(ts, &at, &next))
			return false;
		at = next;
	}
	return false;
}

// Step from the call of @w to the call that awaits it; false: there is none.
static bool next_waiting(struct values *ts, struct waiting *w)
{
	struct value at;

	if (!continuation_is(ts, &w->call))
		return stack_machine_awaiter(ts, &w->call, &at) &&
		       next_call(ts, at, w);
	if (continuation_next(ts, &w->call, &at) &&
	    continuation_first(ts, &at, &w->call))
		return true;
	return value_member(ts, &w->task, "m_continuationObject", &at) &&
	       next_call(ts, at, w);
}

/* ---- Frames ---------------------------------------------------------- */

static bool is_move_next(const struct md *md, uint32_t rid)
{
	return !strcmp(md_col_string(md, MD_METHODDEF, rid, METHOD_NAME),
		       "MoveNext");
}

static uint32_t move_next(const struct type *type)
{
	uint32_t first, end;
	const struct md *md = &type->module->md;

	md_type_methods(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_METHODS, i);

		if (is_move_next(md, rid))
			return MD_TOKEN(MD_METHODDEF, rid);
	}
	return 0;
}

bool stack_machine_state(struct values *ts, const struct value *machine,
			 int32_t *ret)
{
	struct value state;
	uint64_t number;

	if ((!value_member(ts, machine, "<>1__state", &state) &&
	     !value_member(ts, machine, "$State", &state)) ||
	    !value_integer(ts, &state, &number))
		return false;
	*ret = (int32_t)number;
	return true;
}

// Find the place of the await at which the method waits, by the number in its
// state field.
static void find_place(struct stack *s, const struct value *machine,
		       uint32_t token, struct code_pos *ret)
{
	struct code_module *m = machine->type->module;
	struct pdb_await *awaits = NULL;
	int32_t state;
	uint32_t il = UINT32_MAX;
	size_t n = 0;

	code_pos_of(s->code, m, token, UINT32_MAX, ret);
	if (m->pdb)
		pdb_awaits(m->pdb, code_pos_method(ret), s->arena, &awaits, &n);
	if (stack_machine_state(s->values, machine, &state) && state >= 0 &&
	    (size_t)state < n)
		il = awaits[state].yield_offset;
	code_pos_of(s->code, m, token, il, ret);
}

static struct frame *machine_frame(struct stack *s, const struct value *machine)
{
	uint32_t token =
	    machine->type && machine->type->module && machine->type->token
		? move_next(machine->type)
		: 0;

	if (!token)
		return NULL;
	struct frame *f = arena_alloc(s->arena, sizeof(*f));
	struct code_pos *pos = arena_alloc(s->arena, sizeof(*pos));
	find_place(s, machine, token, pos);
	*f = (struct frame){
	    .kind = DBG_FRAME_ASYNC,
	    .pos = pos,
	    .machine = arena_copy(s->arena, machine, 1, sizeof(*machine)),
	};
	return f;
}

struct frame *stack_suspended_frame(struct stack *s, const struct value *call)
{
	return continuation_is(s->values, call) ? continuation_frame(s, call)
						: machine_frame(s, call);
}

void stack_frame_number(struct stack *s, struct frame *f)
{
	f->serial = s->n_walked++;
}

static struct frame *make(struct stack *s, struct stack_thread *t,
			  const struct waiting *w)
{
	struct frame *f = stack_suspended_frame(s, &w->call);

	if (!f)
		return NULL;
	if (f->continuation) {
		struct continuation *c =
		    arena_copy(s->arena, f->continuation, 1, sizeof(*c));
		value_pointer(s->values, &w->task, &c->task);
		f->continuation = c;
	}
	f->tid = t->tid;
	f->thread = t->number;
	f->level = (uint32_t)t->n_frames;
	stack_frame_number(s, f);
	return f;
}

// The type of the state machine whose method the frame runs; NULL: none.
static struct type *frame_machine_type(struct stack *s, const struct frame *f)
{
	struct dac_method method;
	struct dbg_error *err = dac_method_get(s->dac, f->raw.method, &method);
	struct type *type =
	    dbg_err_drop(err) ? NULL : value_type_of_mt(s->values, method.type);

	return type && (value_type_field(s->values, type, "<>t__builder") ||
			value_type_field(s->values, type, "$Builder"))
		   ? type
		   : NULL;
}

bool stack_runs_async(struct stack *s, const struct frame *f)
{
	return s->values && f->kind == DBG_FRAME_MANAGED &&
	       (frame_machine_type(s, f) ||
		continuation_suspends(s->values, f->raw.method));
}

// Get the state machine that a frame of MoveNext works on: an object, or in
// optimised code a structure, whose place the DAC tells.
static bool frame_machine(struct stack *s, const struct frame *f,
			  struct value *ret)
{
	struct dbg_error *err = NULL;
	struct dac_var *vars = NULL;
	size_t n = 0;
	uint64_t addr = 0;
	struct type *type = frame_machine_type(s, f);

	if (type)
		err = stack_frame_vars(s->values, f, true, s->arena, &vars, &n);
	if (err || !n || !vars[0].present) {
		dbg_error_destroy(err);
		return false;
	}
	if (vars[0].type)
		addr = vars[0].addr;
	else if (vars[0].in_register)
		memcpy(&addr, vars[0].bytes, sizeof(addr));
	else
		err = target_read_u64(s->target, vars[0].addr, &addr);
	if (dbg_err_drop(err) || !addr)
		return false;
	struct value v = type->is_reference ? value_object(s->values, addr)
					    : value_memory(type, addr);
	*ret = value_dereference(s->values, &v);
	return ret->where != VALUE_ABSENT;
}

bool stack_runs_closures(struct stack *s, const struct frame *f)
{
	struct dac_method method;

	if (!s->values || f->kind != DBG_FRAME_MANAGED)
		return false;
	struct dbg_error *err = dac_method_get(s->dac, f->raw.method, &method);
	struct type *type =
	    err ? NULL : value_type_of_mt(s->values, method.type);
	dbg_error_destroy(err);
	// ResumableStateMachine<T> of FSharp.Core, whose only method calls what
	// this field holds
	return type &&
	       value_type_field(s->values, type, "ResumptionDynamicInfo");
}

struct values *stack_types(struct stack *s)
{
	return s->values;
}

bool stack_machine(struct stack *s, const struct frame *f, struct value *ret)
{
	return s->values && f->kind == DBG_FRAME_MANAGED &&
	       frame_machine(s, f, ret);
}

bool stack_call(struct stack *s, const struct value *machine, struct value *ret)
{
	struct value builder;

	return machine_builder(s->values, machine, &builder) &&
	       builder_task(s->values, builder, ret);
}

void stack_waiters(struct stack *s, const struct frame *f, stack_waiter_fn *fn,
		   void *arg)
{
	struct stack_thread *t = stack_thread_get(s, f->thread);

	if (t)
		async_each(s, t, f, fn, arg);
}

// Get the first call that waits for what @f runs.
static bool first_waiting(struct stack *s, const struct frame *f,
			  struct waiting *w)
{
	struct continuation_record record;
	struct value machine, at;

	if (continuation_record_of(s, f, &record)) {
		w->task = record.task;
		if (record.any)
			return continuation_first(s->values, &record.next,
						  &w->call);
		return value_member(s->values, &record.task,
				    "m_continuationObject", &at) &&
		       next_call(s->values, at, w);
	}
	return f->pos->module &&
	       is_move_next(&f->pos->module->md, MD_TOKEN_RID(f->pos->token)) &&
	       frame_machine(s, f, &machine) &&
	       stack_machine_awaiter(s->values, &machine, &at) &&
	       next_call(s->values, at, w);
}

void async_each(struct stack *s, struct stack_thread *t, const struct frame *f,
		async_fn *fn, void *arg)
{
	struct waiting w = {0};

	if (!s->values || f->kind != DBG_FRAME_MANAGED)
		return;
	bool any = first_waiting(s, f, &w);
	for (int i = 0; any && i < CHAIN_MAX; i++) {
		struct frame *next = make(s, t, &w);

		if (!next)
			return;
		fn(arg, next);
		any = next_waiting(s->values, &w);
	}
}
