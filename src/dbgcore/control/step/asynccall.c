/*
 * Identifies a call of an async method. Its state machine, and the task that
 * holds it once the call has waited, move with every collection. What stays is
 * the task's number, Task.Id, which the runtime assigns when it is first read:
 * the next value of a counter. Here it is assigned from outside by the same two
 * writes, which the program cannot tell from its own.
 */
#include "control/control_priv.h"
#include "control/step/stepasync.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "meta/sig.h"

enum {
	METHOD_IMPL_FLAGS = 1, /* columns, II.22.26 */
	METHOD_SIGNATURE = 4,
	METHOD_IS_ASYNC = 0x2000, /* MethodImplAttributes.Async */
};

/* Address and content of the int32 that is field @f of @v; 0: not there. */
static uint64_t read_int(struct control *c, const struct value *v,
			 uint32_t *ret)
{
	struct dbg_error *err;

	if (v->where != VALUE_MEMORY || !v->addr)
		return 0;
	err = target_read_u32(c->target, v->addr, ret);
	if (!err)
		return v->addr;
	dbg_error_destroy(err);
	return 0;
}

static bool write_int(struct control *c, uint64_t addr, uint32_t value)
{
	struct dbg_error *err =
	    target_write(c->target, addr, &value, sizeof(value));

	return !dbg_err_drop(err);
}

/* Give the task whose number is to be at @addr the next one; 0: failed. */
static uint32_t number_task(struct control *c, struct type *owner,
			    uint64_t addr)
{
	struct values *ts = stack_types(c->stack);
	const struct field *f = value_type_field(ts, owner, "s_taskIdCounter");
	uint32_t number;

	if (!f || f->kind != FIELD_STATIC)
		return 0;

	const struct value counter = value_static(ts, f, NULL);
	uint64_t at = read_int(c, &counter, &number);

	// 0 means that a task has none
	if (!++number)
		number++;
	if (!at || !write_int(c, at, number) || !write_int(c, addr, number))
		return 0;
	return number;
}

uint32_t asynccall_task(struct control *c, const struct value *task)
{
	struct values *ts = stack_types(c->stack);
	const struct field *f = value_type_field(ts, task->type, "m_taskId");
	uint32_t number = 0;

	if (!f || f->kind != FIELD_INSTANCE)
		return 0;

	const struct value id = value_field(ts, task, f);
	uint64_t addr = read_int(c, &id, &number);

	return !addr || number ? number : number_task(c, f->owner, addr);
}

uint32_t asynccall_number(struct control *c, const struct value *machine)
{
	struct value task;

	return stack_call(c->stack, machine, &task) ? asynccall_task(c, &task)
						    : 0;
}

void asynccall_objects(struct control *c, const struct value *machine,
		       struct async_call *ret)
{
	struct values *ts = stack_types(c->stack);
	struct value task;

	*ret = (struct async_call){0};
	// the state machine of optimised code is a structure
	if (machine->type->is_reference)
		value_pointer(ts, machine, &ret->machine);
	if (stack_call(c->stack, machine, &task))
		value_pointer(ts, &task, &ret->task);
}

bool asynccall_has(const struct async_call *call, uint64_t addr)
{
	return addr && (addr == call->task || addr == call->machine);
}

bool asynccall_of(struct control *c, pid_t tid, struct value *ret_machine,
		  uint32_t *ret_number)
{
	struct dbg_error *err;
	const struct frame *f = NULL;

	err = stack_frame(c->stack, stack_thread_number(c->stack, tid), 0, &f);
	if (dbg_err_drop(err) || !f || !stack_machine(c->stack, f, ret_machine))
		return false;
	*ret_number = asynccall_number(c, ret_machine);
	return true;
}

bool asynccall_hands_on(const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	const uint32_t rid = MD_TOKEN_RID(pos->token);
	_cleanup_str_ struct str name = {0};
	struct sig_method *sig;

	if (md_col(md, MD_METHODDEF, rid, METHOD_IMPL_FLAGS) & METHOD_IS_ASYNC)
		return false;
	struct arena *arena = arena_create();
	if (!dbg_err_drop(sig_parse_method(
		md_col_blob(md, MD_METHODDEF, rid, METHOD_SIGNATURE), arena,
		&sig)))
		csname_sig(md, sig->ret, 0, NULL, &name);
	arena_destroy(arena);
	return str_starts(str_get(&name), "System.Threading.Tasks.Task") ||
	       str_starts(str_get(&name), "System.Threading.Tasks.ValueTask") ||
	       !strcmp(str_get(&name), "object");
}
