/*
 * Finds who awaits an async call. A method that had to wait goes on in a state
 * machine on the heap, or in a Continuation (see below). Its task holds
 * what is resumed at its end (m_continuationObject): the state machine of the
 * awaiting method, bare, as a delegate, or inside a continuation object of some
 * kind; or another task (WhenAll, Unwrap), whose continuation leads on; or a
 * list of these, of which the first is followed. So the chain runs from the
 * method that is resumed on a thread to the outermost caller, which is on no
 * stack any more.
 *
 * Everything is found by the names of fields, which .NET 8 to 11 share.
 */
#include "stack/stack_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/asyncmethod.h"
#include "target/target.h"
#include "value/value.h"

/* ---- Suspended calls of runtime async (.NET 11) -------------------------- */

/*
 * Such a method has no state machine. Where it has to wait, the JIT's code
 * stores what it needs later in an object whose type derives from
 * System.Runtime.CompilerServices.Continuation and returns that to its caller,
 * which does the same, and whose own is Next of it. ResumeInfo.DiagnosticIP of
 * each is the place in its code where the call waits. The chain belongs to the
 * task of the outermost call (RuntimeAsyncTask<T>), in m_stateObject, and
 * begins with one of the core library that only waits for something and has no
 * such place.
 *
 * A task that is resumed gives the chain away: the thread that runs it has, in
 * the frame of DispatchContinuations, a record of what is resumed when the
 * present method is done (AsyncDispatcherInfo), which a thread static leads to.
 *
 * All is found by the names of types and fields.
 */

enum {
	RECORDS_MAX = 1000, // of one thread, in each other
	BASES_MAX = 8,
	WORD = 8,
	FIELD_NAME = 1, // columns, II.22.15
	FIELD_SIGNATURE = 2,
	METHOD_IMPL_FLAGS = 1, // II.22.26
	TYPEDEF_NAME = 1,      // II.22.37
	VARS_MAX = 1 << 16,
	OBJECT_MAX = 1 << 24,
	NUMBER_CONTEXT = -3,      // ICorDebugInfo::TYPECTXT_ILNUM
	METHOD_IS_ASYNC = 0x2000, // MethodImplAttributes.Async
};

#define NAMESPACE "System.Runtime.CompilerServices."

/* ---- One ------------------------------------------------------------- */

static bool is_core(struct values *ts, const struct type *type)
{
	return type->module &&
	       type->module == value_type_of_elem(ts, ELEM_OBJECT)->module;
}

static bool pointer_member(struct values *ts, const struct value *v,
			   const char *name, uint64_t *ret)
{
	struct value at;

	return value_member(ts, v, name, &at) && value_pointer(ts, &at, ret);
}

// Is it a field whose type is a pointer, of whatever kind (II.23.2.4)?
static bool is_pointer_field(const struct md *md, uint32_t rid)
{
	struct bytes sig = md_col_blob(md, MD_FIELD, rid, FIELD_SIGNATURE);

	return sig.n > 1 && (sig.p[1] == ELEM_PTR || sig.p[1] == ELEM_FNPTR);
}

// The offset of ResumeInfo.DiagnosticIP by metadata: the runtime makes no type
// of a structure that it has pointers to alone. Pointers are laid out in order.
static bool place_offset(const struct type *info, uint64_t *ret)
{
	uint32_t first, end;

	if (!info || !info->module || !info->token)
		return false;
	const struct md *md = &info->module->md;
	md_type_fields(md, MD_TOKEN_RID(info->token), &first, &end);
	for (uint32_t rid = first; rid < end && is_pointer_field(md, rid);
	     rid++) {
		*ret = (uint64_t)(rid - first) * WORD;
		if (!strcmp(md_col_string(md, MD_FIELD, rid, FIELD_NAME),
			    "DiagnosticIP"))
			return true;
	}
	return false;
}

// Get the address at which the suspended call resumes; *ret 0: it belongs to no
// method. False: unreadable.
static bool resume_place(struct values *ts, const struct value *v,
			 uint64_t *ret)
{
	const struct field *f = value_type_field(ts, v->type, "ResumeInfo");
	uint64_t info, offset;

	*ret = 0;
	if (!f || !place_offset(f->type->inner, &offset))
		return false;
	if (!pointer_member(ts, v, "ResumeInfo", &info) || !info)
		return true;
	return !dbg_err_drop(
	    target_read_u64(values_target(ts), info + offset, ret));
}

bool continuation_is_type(struct values *ts, struct type *type)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		if (is_core(ts, type) &&
		    !strcmp(value_type_name(type), NAMESPACE "Continuation"))
			return true;
		type = value_type_parent(ts, type);
	}
	return false;
}

// May a call of the method itself suspend with a Continuation: has it the flag
// of runtime async? (A method without it has a Continuation where it is
// awaited, but of the thunk that the runtime makes for a method that returns a
// task; the thunk waits for that task.) @method is a MethodDesc.
static bool continuation_suspends(struct values *ts, uint64_t method)
{
	struct dac_method of;

	if (!method ||
	    dbg_err_drop(dac_method_get(values_dac(ts), method, &of)))
		return false;
	const struct code_module *m =
	    code_module_find(values_code(ts), of.module);
	return m && !of.dynamic &&
	       md_col(&m->md, MD_METHODDEF, MD_TOKEN_RID(of.token),
		      METHOD_IMPL_FLAGS) &
		   METHOD_IS_ASYNC;
}

bool continuation_is(struct values *ts, const struct value *v)
{
	return v->where != VALUE_ABSENT && continuation_is_type(ts, v->type);
}

bool continuation_read(struct values *ts, const struct value *v,
		       struct continuation *ret)
{
	struct value state;
	uint64_t number;

	*ret = (struct continuation){0};
	if (!continuation_is(ts, v) || !resume_place(ts, v, &ret->ip) ||
	    !value_pointer(ts, v, &ret->addr) ||
	    !value_member(ts, v, "State", &state) ||
	    !value_integer(ts, &state, &number))
		return false;
	ret->state = (int32_t)number;
	uint64_t method = ret->ip ? dac_method_at(values_dac(ts), ret->ip) : 0;
	ret->method = continuation_suspends(ts, method) ? method : 0;
	return true;
}

bool continuation_next(struct values *ts, const struct value *v,
		       struct value *ret)
{
	return value_member(ts, v, "Next", ret) && continuation_is(ts, ret);
}

bool continuation_first(struct values *ts, const struct value *v,
			struct value *ret)
{
	struct continuation c;
	struct value at = *v;

	for (int i = 0; i < CONTINUATIONS_MAX; i++) {
		if (!continuation_read(ts, &at, &c))
			return false;
		*ret = at;
		if (c.method)
			return true;
		if (!continuation_next(ts, ret, &at))
			return false;
	}
	return false;
}

bool continuation_of_task(struct values *ts, const struct value *task,
			  struct value *ret)
{
	return value_member(ts, task, "m_stateObject", ret) &&
	       continuation_is(ts, ret);
}

bool continuation_outermost(struct values *ts, const struct value *task,
			    struct continuation *ret)
{
	struct value at;
	bool found = false;

	if (!continuation_of_task(ts, task, &at))
		return false;
	for (int i = 0; i < CONTINUATIONS_MAX; i++) {
		if (!continuation_first(ts, &at, &at) ||
		    !continuation_read(ts, &at, ret))
			return found;
		found = true;
		if (!continuation_next(ts, &at, &at))
			return true;
	}
	return found;
}

/* ---- Of a thread ----------------------------------------------------- */

static const char task_name[] = "RuntimeAsyncTask`1";

bool continuation_is_task(struct values *ts, const struct type *type)
{
	return type && is_core(ts, type) &&
	       !strcmp(type_simple_name(type), task_name);
}

// May the method be of such a class? That is read from metadata alone: hardly
// a frame is, and to read the types of all others takes long.
static bool is_of_task(const struct code_pos *pos)
{
	const struct code_module *m = pos->module;

	if (!m || !m->framework)
		return false;
	uint32_t type = md_method_type(&m->md, MD_TOKEN_RID(pos->token));
	return !strcmp(md_col_string(&m->md, MD_TYPEDEF, type, TYPEDEF_NAME),
		       task_name);
}

static uint64_t find_thread(struct thread_ref *ref)
{
	return stack_managed_thread(ref->arg, ref->tid);
}

static bool record_read(struct values *ts, const struct value *pointer,
			struct continuation_record *ret)
{
	struct value at = value_target(ts, pointer);

	*ret = (struct continuation_record){.addr = at.addr};
	if (at.where != VALUE_MEMORY ||
	    !value_member(ts, &at, "CurrentTask", &ret->task))
		return false;
	ret->any = value_member(ts, &at, "NextContinuation", &ret->next) &&
		   continuation_is(ts, &ret->next);
	return true;
}

void continuation_records(struct stack *s, pid_t tid, continuation_fn *fn,
			  void *arg)
{
	struct thread_ref thread = {.find = find_thread, .arg = s, .tid = tid};
	struct type *type =
	    value_type_core(s->values, NAMESPACE "AsyncDispatcherInfo");
	const struct field *f =
	    type ? value_type_field(s->values, type, "t_current") : NULL;
	struct continuation_record record;

	if (!f || f->kind != FIELD_THREAD)
		return;
	struct value at = value_static(s->values, f, &thread);
	for (int i = 0; i < RECORDS_MAX && record_read(s->values, &at, &record);
	     i++) {
		struct value outer = value_target(s->values, &at);

		if (!fn(arg, &record) ||
		    !value_member(s->values, &outer, "Next", &at))
			return;
	}
}

struct nearest {
	uint64_t sp;
	struct continuation_record *ret;
	bool found;
};

// Records come in the order of the stack, the newest first.
static bool take_nearest(void *arg, const struct continuation_record *r)
{
	struct nearest *n = arg;

	n->found = r->addr >= n->sp;
	if (n->found)
		*n->ret = *r;
	return !n->found;
}

bool continuation_record_of(struct stack *s, const struct frame *f,
			    struct continuation_record *ret)
{
	struct nearest nearest = {.sp = f->raw.sp, .ret = ret};
	struct dac_method method;

	if (!s->values || f->kind != DBG_FRAME_MANAGED || !is_of_task(f->pos) ||
	    dbg_err_drop(dac_method_get(s->dac, f->raw.method, &method)) ||
	    !continuation_is_task(s->values,
				  value_type_of_mt(s->values, method.type)))
		return false;
	continuation_records(s, f->tid, take_nearest, &nearest);
	return nearest.found;
}

/* ---- Frames ---------------------------------------------------------- */

/* A place where calls wait; many wait at the same one. */
struct wait {
	const struct code_pos *pos; /* NULL: not known */
	const struct debug_await *await;
};

// The IL offset of the await whose suspending code is at @ip.
static bool await_il(struct dac *d, uint64_t ip, uint32_t *ret)
{
	const struct dac_il_map *map;
	size_t n;

	if (dbg_err_drop(dac_il_map(d, ip, &map, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (map[i].start == ip && map[i].kind == DAC_IL_AWAIT) {
			*ret = map[i].il_offset;
			return *ret < DAC_IL_EPILOG;
		}
	return false;
}

static const struct code_pos *wait_pos(struct stack *s,
				       const struct continuation *c)
{
	const struct code_pos *pos = NULL;
	bool any = false;
	uint32_t il;

	if (dbg_err_drop(code_pos_at(s->code, c->ip, true, &pos, &any)) ||
	    !any || !pos->module)
		return NULL;
	if (!await_il(s->dac, c->ip, &il))
		return pos;
	struct code_pos *ret = arena_alloc(s->arena, sizeof(*ret));
	code_pos_of(s->code, pos->module, pos->token, il, ret);
	ret->method = c->method;
	ret->start = pos->start;
	return ret;
}

static const struct wait *wait_get(struct stack *s,
				   const struct continuation *c)
{
	struct wait *ret = map_find(&s->waits, c->ip);

	if (ret)
		return ret;
	ret = arena_alloc(s->arena, sizeof(*ret));
	*ret = (struct wait){wait_pos(s, c), dac_await_at(s->dac, c->ip)};
	map_put(&s->waits, c->ip, ret);
	return ret;
}

/* Make a frame of a suspended call of runtime async. */
static struct frame *continuation_frame(struct stack *s, const struct value *v)
{
	struct continuation c;

	if (!continuation_read(s->values, v, &c) || !c.method)
		return NULL;
	const struct wait *wait = wait_get(s, &c);
	if (!wait->pos)
		return NULL;
	struct frame *f = arena_alloc(s->arena, sizeof(*f));
	c.await = wait->await;
	*f = (struct frame){
	    .kind = DBG_FRAME_ASYNC,
	    .raw = {.kind = DAC_FRAME_MANAGED,
		    .leaf = true,
		    .ip = c.ip,
		    .method = c.method},
	    .pos = wait->pos,
	    .continuation = arena_copy(s->arena, &c, 1, sizeof(c)),
	};
	return f;
}

/* ---- Variables ------------------------------------------------------- */

static void fill_var(const struct continuation *c, const struct debug_kept *k,
		     struct dac_var *ret)
{
	ret->present = k->offset < OBJECT_MAX;
	ret->addr = c->addr + k->offset;
	ret->moves = true;
}

struct dbg_error *continuation_vars(const struct frame *f, bool args,
				    struct arena *arena, struct dac_var **ret,
				    size_t *ret_n)
{
	const struct continuation *c = f->continuation;
	uint32_t n_args = code_count_args(f->pos), n = args ? n_args : 0;

	if (!c->await)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the runtime does not tell where the variables "
			       "of this suspended call are");
	for (size_t i = 0; i < c->await->n_kept && !args; i++) {
		int32_t number = c->await->kept[i].number;

		if (number >= 0 && (uint32_t)number >= n_args + n &&
		    number < VARS_MAX)
			n = (uint32_t)number - n_args + 1;
	}
	struct dac_var *vars = arena_calloc(arena, n + 1, sizeof(*vars));
	for (uint32_t i = 0; i < n; i++) {
		vars[i].name = "";
		vars[i].is_arg = args;
		vars[i].index = i;
	}
	for (size_t i = 0; i < c->await->n_kept; i++) {
		const struct debug_kept *k = &c->await->kept[i];
		uint32_t at = (uint32_t)k->number - (args ? 0 : n_args);

		if (k->number >= 0 && at < n)
			fill_var(c, k, &vars[at]);
	}
	*ret = vars;
	*ret_n = n;
	return NULL;
}

uint64_t continuation_context(struct values *ts, const struct frame *f)
{
	const struct continuation *c = f->continuation;
	uint64_t ret = 0;

	for (size_t i = 0; c->await && i < c->await->n_kept; i++) {
		const struct debug_kept *k = &c->await->kept[i];

		if (k->number != NUMBER_CONTEXT || k->offset >= OBJECT_MAX)
			continue;
		if (dbg_err_drop(target_read_u64(values_target(ts),
						 c->addr + k->offset, &ret)))
			return 0;
	}
	return ret;
}

/* ---- Finds who awaits an async call -------------------------------------- */

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

static bool is_named(const struct md *md, uint32_t rid, const char *name)
{
	return !strcmp(md_col_string(md, MD_METHODDEF, rid, METHOD_NAME), name);
}

static uint32_t move_next(const struct type *type)
{
	uint32_t first, end;
	const struct md *md = &type->module->md;

	md_type_methods(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_METHODS, i);

		if (is_named(md, rid, "MoveNext"))
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

static bool runs_method(const struct frame *f, const char *name)
{
	return f->pos->module &&
	       is_named(&f->pos->module->md, MD_TOKEN_RID(f->pos->token), name);
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
	return runs_method(f, "MoveNext") && frame_machine(s, f, &machine) &&
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

uint64_t stack_frame_task(struct stack *s, const struct frame *f)
{
	struct continuation_record record;
	struct value machine, task;
	uint64_t ret;
	int32_t state;

	if (!s->values || f->kind != DBG_FRAME_MANAGED)
		return 0;
	if (runs_method(f, "DispatchContinuations"))
		return continuation_record_of(s, f, &record) &&
			       value_pointer(s->values, &record.task, &ret)
			   ? ret
			   : 0;
	return runs_method(f, "MoveNext") && frame_machine(s, f, &machine) &&
		       stack_machine_state(s->values, &machine, &state) &&
		       state == MACHINE_RUNS &&
		       stack_call(s, &machine, &task) &&
		       value_pointer(s->values, &task, &ret)
		   ? ret
		   : 0;
}

/* The call that a frame runs, apart from the stack: without its variables. */
static struct frame *frame_of_call(struct stack *s, const struct frame *f)
{
	struct frame *ret = arena_alloc(s->arena, sizeof(*ret));

	*ret = (struct frame){
	    .kind = DBG_FRAME_ASYNC,
	    .raw = f->raw,
	    .pos = f->pos,
	};
	return ret;
}

struct frame *stack_running_call(struct stack *s, pid_t tid, uint64_t task)
{
	uint32_t number = stack_thread_number(s, tid);
	const struct frame *f, *callee = NULL;

	for (uint32_t i = 0; !dbg_err_drop(stack_frame(s, number, i, &f)) && f;
	     i++) {
		if (stack_frame_task(s, f) == task)
			return callee ? frame_of_call(s, callee) : NULL;
		if (f->kind == DBG_FRAME_MANAGED)
			callee = f;
	}
	return NULL;
}

/* ---- In a program that runs -------------------------------------------- */

enum {
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
	       stack_machine_state(ts, ret, &state) && state == MACHINE_RUNS;
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
