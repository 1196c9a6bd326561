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

static struct frame *waiter_frame(struct stack *s, struct stack_thread *t,
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

static bool is_machine(struct values *ts, struct type *type)
{
	return value_type_field(ts, type, "<>t__builder") ||
	       value_type_field(ts, type, "$Builder");
}

static struct type *method_type(struct stack *s, uint64_t method,
				struct dac_method *ret)
{
	struct dbg_error *err = dac_method_get(s->dac, method, ret);

	return dbg_err_drop(err) ? NULL
				 : value_type_of_mt(s->values, ret->type);
}

// The type of the state machine whose method the frame runs; NULL: none.
static struct type *frame_machine_type(struct stack *s, const struct frame *f)
{
	struct dac_method method;
	struct type *type = method_type(s, f->raw.method, &method);

	return type && is_machine(s->values, type) ? type : NULL;
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
		struct frame *next = waiter_frame(s, t, &w);

		if (!next)
			return;
		fn(arg, next);
		any = next_waiting(s->values, &w);
	}
}

/* ---- In a program that runs -------------------------------------------- */

enum {
	RUNNING = -1, /* number of the await of a state machine that runs */
	OBJECT_LOWEST = 1 << 16,
	OBJECT_MIN = 24, /* bytes of the smallest object */
	BOX_MAX = 1 << 16,
	MT_SIZE_AT = 4, /* where a MethodTable has its objects' size */
	BOXES_MAX = 1 << 14,
};

// Whatever of the core library calls a state machine's method resumes it, in
// code of whichever method that call was compiled into, but for Start.
enum async_part stack_async_part(struct stack *s, uint64_t method)
{
	struct dac_method m;
	struct type *type = s->values ? method_type(s, method, &m) : NULL;

	if (!type || !type->module || m.dynamic)
		return ASYNC_NONE;
	if (is_machine(s->values, type))
		return ASYNC_CALL;
	if (type->module != value_type_of_elem(s->values, ELEM_OBJECT)->module)
		return ASYNC_NONE;
	const char *name = md_col_string(&type->module->md, MD_METHODDEF,
					 MD_TOKEN_RID(m.token), METHOD_NAME);

	if (continuation_is_task(s->values, type))
		return !strcmp(name, "DispatchContinuations") ? ASYNC_DISPATCHES
							      : ASYNC_NONE;
	return strcmp(name, "Start") ? ASYNC_RESUMES : ASYNC_NONE;
}

// Generic code is shared: the type of an object is an instance of @of.
static bool same_definition(const struct type *type, const struct type *of)
{
	return type && type->module == of->module && type->token == of->token;
}

// Most words lead to no object, which the DAC would be slow to tell.
static bool mt_is_box(struct stack *s, uint64_t mt)
{
	static char yes, no;
	const char *known = map_find(&s->boxes, mt);
	uint32_t size;

	if (known)
		return known == &yes;
	if (mt < OBJECT_LOWEST || mt % sizeof(mt) ||
	    target_read_some(s->target, mt + MT_SIZE_AT, &size, sizeof(size)) !=
		sizeof(size) ||
	    size < OBJECT_MIN || size > BOX_MAX)
		return false;
	struct type *type = value_type_of_mt(s->values, mt);

	if (s->boxes.n >= BOXES_MAX)
		map_clear(&s->boxes);
	bool is_box = type && value_type_field(s->values, type, "StateMachine");
	map_put(&s->boxes, mt, is_box ? &yes : &no);
	return is_box;
}

static bool is_box(struct stack *s, uint64_t addr)
{
	uint64_t mt;

	return addr >= OBJECT_LOWEST && addr % sizeof(mt) == 0 &&
	       target_read_some(s->target, addr, &mt, sizeof(mt)) ==
		   sizeof(mt) &&
	       mt_is_box(s, mt);
}

// Where a state machine that lies in its box has its task, which is the box.
static bool task_offset(struct values *ts, struct type *machine, uint64_t *ret)
{
	const struct field *f = value_type_field(ts, machine, "<>t__builder");

	if (!f)
		f = value_type_field(ts, machine, "$Builder");
	*ret = 0;
	for (int i = 0; f && i < BUILDERS_MAX; i++) {
		*ret += f->offset;
		const struct field *task =
		    value_type_field(ts, f->type, "m_task");

		if (!task)
			task = value_type_field(ts, f->type, "_task");
		if (task) {
			*ret += task->offset;
			return !machine->is_reference;
		}
		f = value_type_field(ts, f->type, "_builder");
	}
	return false;
}

// The state machine, of type @of, of the box at @addr, if it runs; @inside: and
// lies there, 0: wherever.
static bool machine_at(struct values *ts, uint64_t addr, struct type *of,
		       uint64_t inside, struct value *ret)
{
	struct value v = value_object(ts, addr);
	int32_t state;

	return value_member(ts, &v, "StateMachine", ret) &&
	       (!inside || ret->addr == inside) &&
	       same_definition(ret->type, of) &&
	       stack_machine_state(ts, ret, &state) && state == RUNNING;
}

// By a reference to its box, or a pointer to itself.
static bool find_machine(struct stack *s, const struct async_resumed *r,
			 struct value *ret)
{
	struct dac_method m;
	struct type *of = method_type(s, r->method, &m);
	uint64_t offset, box;
	bool lies_in_box = of && task_offset(s->values, of, &offset);

	for (size_t i = 0; of && i < r->n_words; i++) {
		uint64_t word = r->words[i];

		if (is_box(s, word)) {
			if (machine_at(s->values, word, of, 0, ret))
				return true;
		} else if (lies_in_box && word >= OBJECT_LOWEST &&
			   word % sizeof(word) == 0 &&
			   target_read_some(s->target, word + offset, &box,
					    sizeof(box)) == sizeof(box) &&
			   is_box(s, box) &&
			   machine_at(s->values, box, of, word, ret)) {
			return true;
		}
	}
	return false;
}

// The words of the dispatcher's record that hold these two.
static bool record_layout(struct values *ts, size_t *ret_task, size_t *ret_next)
{
	struct type *type =
	    value_type_core(ts, "System.Runtime.CompilerServices."
				"AsyncDispatcherInfo");
	const struct field *task =
	    type ? value_type_field(ts, type, "CurrentTask") : NULL;
	const struct field *next =
	    type ? value_type_field(ts, type, "NextContinuation") : NULL;

	if (!task || !next)
		return false;
	*ret_task = task->offset / sizeof(uint64_t);
	*ret_next = next->offset / sizeof(uint64_t);
	return true;
}

// The dispatcher's record as it was: *ret_next 0: no call is left.
static bool find_record(struct stack *s, const struct async_resumed *r,
			struct value *ret_task, uint64_t *ret_next)
{
	size_t task, next_at;

	if (!record_layout(s->values, &task, &next_at))
		return false;
	for (size_t i = 0; i + (task > next_at ? task : next_at) < r->n_outer;
	     i++) {
		*ret_task = value_object(s->values, r->words[i + task]);
		if (ret_task->where == VALUE_ABSENT ||
		    !continuation_is_task(s->values, ret_task->type))
			continue;
		*ret_next = r->words[i + next_at];
		struct value next = value_object(s->values, *ret_next);

		if (!*ret_next || continuation_is(s->values, &next))
			return true;
	}
	return false;
}

// Is it known whose code the calls of a chain wait in?
static bool chain_is_known(struct values *ts, struct value at)
{
	struct continuation c;

	for (int i = 0; i < CHAIN_MAX && continuation_read(ts, &at, &c); i++) {
		if (c.ip && !dac_method_at(values_dac(ts), c.ip))
			return false;
		if (!continuation_next(ts, &at, &at))
			break;
	}
	return true;
}

// Whoever waits for it first; *ret_any false: nobody does.
static bool resumed_waiting(struct stack *s, const struct async_resumed *r,
			    struct waiting *w, bool *ret_any)
{
	struct values *ts = s->values;
	struct value at, machine;
	uint64_t next;

	if (r->by != ASYNC_DISPATCHES) {
		if (!find_machine(s, r, &machine))
			return false;
		*ret_any = stack_machine_awaiter(ts, &machine, &at) &&
			   next_call(ts, at, w);
		return true;
	}
	if (!find_record(s, r, &w->task, &next))
		return false;
	if (next) {
		at = value_object(ts, next);
		// What the DAC has read may be older than the code.
		if (!chain_is_known(ts, at))
			dac_flush(values_dac(ts));
		if (!chain_is_known(ts, at))
			return false;
		*ret_any = continuation_first(ts, &at, &w->call);
	} else {
		*ret_any =
		    value_member(ts, &w->task, "m_continuationObject", &at) &&
		    next_call(ts, at, w);
	}
	return true;
}

bool stack_resumed_waiters(struct stack *s, const struct async_resumed *r,
			   stack_waiter_fn *fn, void *arg)
{
	struct waiting w = {0};
	bool any;

	if (!s->values || !resumed_waiting(s, r, &w, &any))
		return false;
	for (int i = 0; any && i < CHAIN_MAX; i++) {
		struct frame *f = stack_suspended_frame(s, &w.call);

		if (!f)
			break;
		fn(arg, f);
		any = next_waiting(s->values, &w);
	}
	return true;
}
