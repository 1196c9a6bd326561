/* Describes tasks in words: the method, and what the task stands for. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tasks/tasks.h"

static const char *const states[] = {
    [DBG_TASK_CREATED] = "created",   [DBG_TASK_WAITING] = "waiting",
    [DBG_TASK_QUEUED] = "queued",     [DBG_TASK_RUNNING] = "running",
    [DBG_TASK_CHILDREN] = "children", [DBG_TASK_DONE] = "done",
    [DBG_TASK_CANCELED] = "canceled", [DBG_TASK_FAULTED] = "faulted",
};

const char *dbg_task_state_name(enum dbg_task_state state)
{
	return states[state];
}

bool tasks_call(const struct tasks *t, const struct task *task,
		struct value *ret)
{
	uint64_t at = task->calls.continuation;
	struct value v;

	if (!task->is_box)
		return false;
	v = value_object(t->values, at ? at : task->addr);
	if (!at)
		return value_member(t->values, &v, "StateMachine", ret);
	*ret = value_dereference(t->values, &v);
	return ret->where != VALUE_ABSENT;
}

static bool type_starts(const struct value *v, const char *name)
{
	return v->type &&
	       !strncmp(type_simple_name(v->type), name, strlen(name));
}

/* ---- What it stands for ---------------------------------------------- */

static const char *delay_text(const struct tasks *t, const struct value *v)
{
	struct value timer, due;
	uint64_t ms;

	// a Timer, or what is in it
	if (value_member(t->values, v, "_timer", &timer)) {
		struct value inner = timer;

		if (value_member(t->values, &inner, "_timer", &timer))
			inner = timer;
		if (!value_member(t->values, &inner, "_dueTime", &due) ||
		    !value_integer(t->values, &due, &ms))
			return "Task.Delay";
		// the timer has fired, and what that does is queued
		if ((uint32_t)ms == UINT32_MAX)
			return "an elapsed Task.Delay, queued to the thread "
			       "pool";
		return arena_printf(t->arena, "Task.Delay, %" PRIu32 " ms",
				    (uint32_t)ms);
	}
	return "Task.Delay without an end";
}

// Promises of the core library by the beginning of their types' names.
static const struct {
	const char *type, *text;
} promises[] = {
    {"WhenAllPromise", "Task.WhenAll"},
    {"CompleteOnInvokePromise", "Task.WhenAny"},
    {"TwoTaskWhenAnyPromise", "Task.WhenAny"},
    {"UnwrapPromise", "Task.Unwrap"},
    {"CancellationPromise", "Task.WaitAsync"},
    {"CompletionState", "ThreadPool.RegisterWaitForSingleObject"},
};

static const char *source_text(const struct tasks *t, const struct task *task)
{
	const char *type =
	    value_type_name(value_type_of_mt(t->values, task->mt));

	if (!task->owner)
		return arena_printf(t->arena, "a promise, %s", type);
	struct value source = value_object(t->values, task->owner);
	return arena_printf(t->arena, "%s 0x%" PRIx64,
			    source.type ? value_type_name(source.type) : "?",
			    task->owner);
}

// Get the object that an async call awaits, if that is no task of the list: the
// awaiter that is stored while it waits.
static bool awaited_object(const struct tasks *t, const struct value *machine,
			   struct value *ret)
{
	static const char *const names[] = {"m_task", "_value", "_obj",
					    "_source", "_task"};
	const struct field *fields;
	struct value at, next;
	size_t n;

	value_type_fields(t->values, machine->type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(fields[i].name, "<>u__", 5) ||
		    !value_member(t->values, machine, fields[i].name, &at))
			continue;
		for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
			if (value_member(t->values, &at, names[k], &next))
				at = next;
		*ret = at;
		if (at.type && at.type->is_reference)
			return true;
	}
	return false;
}

// The text of what a call awaits ("awaits Task.Delay"). If the awaited task is
// complete, the text says that the call is to be resumed.
static const char *awaited_text(const struct tasks *t, const struct task *task,
				const struct value *machine)
{
	struct value at;
	uint64_t addr;

	if (!awaited_object(t, machine, &at))
		return NULL;
	if (!value_pointer(t->values, &at, &addr) ||
	    tasks_state(t, addr) < DBG_TASK_DONE)
		return arena_printf(t->arena, "awaits %s",
				    value_type_name(at.type));
	if (!task->context)
		return arena_printf(t->arena,
				    "has awaited %s, which is done, and is to "
				    "be resumed",
				    value_type_name(at.type));
	struct value context = value_object(t->values, task->context);
	return arena_printf(t->arena,
			    "has awaited %s, which is done, and is to be "
			    "resumed by %s 0x%" PRIx64,
			    value_type_name(at.type),
			    context.type ? value_type_name(context.type) : "?",
			    task->context);
}

// As awaited_text for runtime async: what the first call of the chain awaits.
static const char *chain_awaited(const struct tasks *t, const struct task *task)
{
	static const char *const names[] = {"Task", "Source", "_source"};
	struct value v, first, at;

	// an inner call's task is the end of its chain
	for (int i = 0; task->calls.next && i < CONTINUATIONS_MAX; i++) {
		task = tasks_at(t, task->calls.next);
		if (!task)
			return NULL;
	}
	v = value_object(t->values, task->addr);
	if (!continuation_of_task(t->values, &v, &first))
		return NULL;
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (value_member(t->values, &first, names[k], &at) &&
		    at.type->is_reference)
			return value_type_name(at.type);
	return NULL;
}

static const char *box_text(const struct tasks *t, const struct task *task,
			    const struct value *call)
{
	const char *awaited;

	if (task->calls.running && task->calls.first == task->addr)
		return "runs on a thread";
	if (task->awaits || task->state >= DBG_TASK_DONE || task->await < 0)
		return NULL;
	if (!task->calls.runtime_async)
		return awaited_text(t, task, call);
	awaited = chain_awaited(t, task);
	return awaited ? arena_printf(t->arena, "awaits %s", awaited) : NULL;
}

static const char *promise_text(const struct tasks *t, const struct task *task,
				const struct value *v)
{
	if (type_starts(v, "DelayPromise"))
		return delay_text(t, v);
	if (type_starts(v, "TaskNode"))
		return task->owner ? arena_printf(t->arena,
						  "SemaphoreSlim.WaitAsync of "
						  "0x%" PRIx64,
						  task->owner)
				   : "SemaphoreSlim.WaitAsync";
	for (size_t i = 0; i < sizeof(promises) / sizeof(*promises); i++)
		if (type_starts(v, promises[i].type))
			return promises[i].text;
	if (!strcmp(type_simple_name(v->type), "Task") ||
	    !strcmp(type_simple_name(v->type), "Task`1"))
		return source_text(t, task);
	return value_type_name(v->type);
}

/* ---- All ------------------------------------------------------------- */

static void describe_async(const struct tasks *t, const struct value *call,
			   struct dbg_task *ret)
{
	const struct frame *f = stack_suspended_frame(t->stack, call);
	struct dbg_frame frame;

	ret->async = true;
	ret->method = value_type_name(call->type);
	if (!f)
		return;
	stack_suspended_describe(t->stack, f, &frame);
	ret->method = frame.name;
	ret->params = frame.params;
	ret->source = frame.source;
	ret->module = frame.module;
	ret->framework = frame.framework;
}

void tasks_delegate(const struct tasks *t, const struct value *action,
		    struct dbg_task *ret)
{
	struct code *code = values_code(t->values);
	uint64_t method = value_delegate_method(t->values, action);
	struct dac_method of;
	struct code_name name;

	if (!method)
		return;
	code_method_names(code, method, t->arena, &name);
	ret->method = name.plain;
	ret->params = name.params;
	if (dbg_err_drop(dac_method_get(values_dac(t->values), method, &of)))
		return;
	const struct code_module *m = code_module_find(code, of.module);

	ret->module = m ? m->name : NULL;
	ret->framework = m && m->framework;
}

void tasks_describe(const struct tasks *t, const struct task *task,
		    struct dbg_task *ret)
{
	struct value v = value_object(t->values, task->addr), at;
	struct type *type = value_type_of_mt(t->values, task->mt);

	*ret = (struct dbg_task){
	    .addr = task->addr,
	    .method_table = task->mt,
	    .type = type && value_type_name(type) ? value_type_name(type) : "?",
	    .state = task->state,
	    .id = task->id,
	    .waited = task->waited,
	};
	if (v.where == VALUE_ABSENT || !v.type || !type)
		return;
	if (tasks_call(t, task, &at)) {
		describe_async(t, &at, ret);
		ret->what = box_text(t, task, &at);
	} else if (task->calls.runtime_async) {
		ret->async = true;
		ret->what = task->calls.running ? "runs on a thread" : NULL;
	} else if (value_member(t->values, &v, "m_action", &at)) {
		tasks_delegate(t, &at, ret);
	} else if (task->state < DBG_TASK_DONE) {
		ret->what = promise_text(t, task, &v);
	}
}

uint64_t tasks_exception(const struct tasks *t, const struct task *task,
			 bool *ret_seen)
{
	static const char *const way[] = {"m_contingentProperties",
					  "m_exceptionsHolder"};
	struct value v = value_object(t->values, task->addr), next, items;
	struct elements elements;
	uint64_t seen = 0, ret = 0;

	for (size_t i = 0; i < 2; i++, v = next)
		if (!value_member(t->values, &v, way[i], &next))
			return 0;
	if (value_member(t->values, &v, "m_isHandled", &next))
		value_integer(t->values, &next, &seen);
	*ret_seen = seen & 0xff;
	if (!value_member(t->values, &v, "m_faultExceptions", &next) ||
	    !value_member(t->values, &next, "_items", &items) ||
	    !value_elements(t->values, &items, &elements) || !elements.n)
		return 0;
	v = element_get(&elements, 0);
	v = value_dereference(t->values, &v);
	return value_member(t->values, &v, "_exception", &next) &&
		       value_pointer(t->values, &next, &ret)
		   ? ret
		   : 0;
}
