/*
 * Suspended calls of runtime async (.NET 11).
 *
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
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/asyncmethod.h"
#include "stack/stack_priv.h"
#include "target/target.h"
#include "value/value.h"

enum {
	RECORDS_MAX = 1000, // of one thread, in each other
	BASES_MAX = 8,
	WORD = 8,
	FIELD_NAME = 1, // columns, II.22.15
	FIELD_SIGNATURE = 2,
	METHOD_IMPL_FLAGS = 1, // II.22.26
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
// task; the thunk waits for that task.)
bool continuation_suspends(struct values *ts, uint64_t method)
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

bool continuation_is_task(struct values *ts, const struct type *type)
{
	return type && is_core(ts, type) &&
	       !strcmp(type_simple_name(type), "RuntimeAsyncTask`1");
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

	if (!s->values || f->kind != DBG_FRAME_MANAGED ||
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

struct frame *continuation_frame(struct stack *s, const struct value *v)
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
