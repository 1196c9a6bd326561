/*
 * The machine's calls that are to be made in the program: answered, if they
 * have been made, or written down with their arguments.
 */
#include "eval/evalcall.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/given.h"
#include "eval/invoke.h"

/* A returned value as it lies on the stack: small integers are widened. */
static void widen(const struct type *type, uint8_t bytes[EVAL_ANSWER_MAX])
{
	int32_t wide;

	switch (type->elem) {
	case ELEM_I1:
		wide = (int8_t)bytes[0];
		break;
	case ELEM_BOOLEAN:
	case ELEM_U1:
		wide = bytes[0];
		break;
	case ELEM_I2:
		wide = (int16_t)(bytes[0] | bytes[1] << 8);
		break;
	case ELEM_CHAR:
	case ELEM_U2:
		wide = bytes[0] | bytes[1] << 8;
		break;
	default:
		return;
	}
	memcpy(bytes, &wide, sizeof(wide));
}

/* A call by what leads to no method of the program's would end the program. */
static struct dbg_error *function(const struct eval *e, uint64_t addr)
{
	if (!addr)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is a function pointer that is "
			       "null: a call by it would end the program");
	if (addr >= VM_FIRST)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is the address of a method as only "
			       "the debugger has it");
	if (!value_function_method(e->values, addr))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument is a function pointer that leads "
			       "to no managed method: a call by it could end "
			       "the program");
	return NULL;
}

/* Add to @g what only the machine has of @v. */
static struct dbg_error *argument(const struct eval *e,
				  const struct vm_value *v, bool is_this,
				  struct vm_graph *g, struct eval_argument *ret)
{
	bool word = is_this || v->type->is_reference || !v->type->is_value;
	const struct type_layout *layout;
	uint64_t addr;
	struct dbg_error *err = type_layout(vm_types(e->vm), v->type, &layout);

	if (err)
		return err;
	if (!word && layout->size > sizeof(ret->bytes))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "an argument of type '%s', which is larger than "
			       "two registers",
			       type_name(vm_types(e->vm), v->type));
	ret->type = word ? NULL : v->type;
	if (!vm_read(e->vm, v->addr, ret->bytes, word ? 8 : layout->size))
		return dbg_err(DBG_E_MEMORY, "an argument cannot be read");
	memcpy(&addr, ret->bytes, sizeof(addr));
	if (v->type->kind == TYPE_KIND_FUNCTION)
		return function(e, addr);
	if (!word || !vm_owns(e->vm, addr))
		return NULL;
	bool is_object = is_this ? !v->type->is_value : v->type->is_reference;
	if (is_object && vm_graph_add(e->vm, g, addr))
		return NULL;
	return dbg_err(DBG_E_UNSUPPORTED,
		       "an argument leads to an object that only the debugger "
		       "can have, such as a delegate");
}

/* Put the program's copies in place of what only the machine has. */
static struct dbg_error *replace(const struct eval *e, const struct vm_graph *g)
{
	struct eval_calls *calls = e->calls;
	struct dbg_error *err = given_make(e, g);

	for (size_t i = 0; !err && i < calls->n_args; i++) {
		uint64_t addr;

		memcpy(&addr, calls->args[i].bytes, sizeof(addr));
		if (calls->args[i].type || !vm_owns(e->vm, addr))
			continue;
		addr = given_copy(e, g, addr);
		memcpy(calls->args[i].bytes, &addr, sizeof(addr));
	}
	return err;
}

static struct dbg_error *write_down(const struct eval *e,
				    const struct vm_result *r)
{
	struct eval_calls *calls = e->calls;
	bool has_written = calls->has_written || vm_has_written(e->vm);
	struct vm_graph g = {0};
	struct dbg_error *err = NULL;

	if (!calls->chosen->all && has_written)
		return dbg_err(DBG_E_STATE,
			       "'%s' is called in the program, where it does "
			       "not see what the expression has written: "
			       "'call' makes all its calls there",
			       type_method_name(vm_types(e->vm), r->method));
	if (r->n_args > EVAL_ARGS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many arguments");
	calls->method = r->method;
	calls->n_args = r->n_args;
	calls->want = EVAL_WANT_CALL;
	calls->invokes = invoke_is_needed(e, r);
	if (calls->invokes)
		err = invoke_write_down(e, r, &g);
	for (size_t i = 0; !err && !calls->invokes && i < r->n_args; i++) {
		bool is_this = !i && !(r->method->flags & TYPE_METHOD_STATIC);

		err = argument(e, &r->args[i], is_this, &g, &calls->args[i]);
	}
	if (!err)
		err = replace(e, &g);
	if (err)
		calls->want = EVAL_WANT_NOTHING;
	return err;
}

/*
 * Give the answer to the call that the machine waits for. An error, if the
 * calls that were made have changed what the expression had read, and it goes
 * another way.
 */
static struct dbg_error *answer(const struct eval *e, const struct vm_result *r)
{
	struct eval_calls *calls = e->calls;
	struct eval_answer *a = &calls->answers[calls->n_used];
	const struct type_method *m = r->method;
	const struct type_sig *sig;
	uint8_t place[EVAL_ANSWER_MAX];

	if (!m->module || m->module->addr != a->module || m->token != a->token)
		return evalcall_changed();
	calls->n_used++;
	if (a->is_boxed) {
		const void *bytes;
		struct dbg_error *err = invoke_answer(e, r, a, &bytes);

		if (!err)
			vm_answer(e->vm, bytes, 0);
		return err;
	}
	memcpy(place, a->bytes, sizeof(place));
	if (!dbg_err_drop(type_method_sig(vm_types(e->vm), r->method, &sig)))
		widen(sig->ret, place);
	vm_answer(e->vm, place, 0);
	return NULL;
}

static const char *const found_names[EVAL_FOUND_N] = {"old", "null", "new"};

bool evalcall_kept(const struct eval *e, enum eval_found what, struct value *v)
{
	const struct eval_kept *kept = e->calls ? e->calls->kept : NULL;

	if (!kept || !kept->at[what].is)
		return false;
	// objects may have been moved since
	history_stop(kept->values, true);
	if (dbg_err_drop(history_variable(kept->values, e->values,
					  found_names[what], v)))
		return false;
	e->calls->n_used = kept->at[what].n_used;
	e->calls->n_runs = kept->at[what].n_runs;
	return true;
}

bool evalcall_keep(const struct eval *e, enum eval_found what,
		   const struct value *v)
{
	struct eval_kept *kept = e->calls ? e->calls->kept : NULL;
	struct value again;

	if (!kept)
		return false;
	history_set(kept->values, e->values, found_names[what], v);
	kept->at[what].n_used = e->calls->n_used;
	kept->at[what].n_runs = e->calls->n_runs;
	kept->at[what].is = true;
	kept->at[what].is = evalcall_kept(e, what, &again);
	return kept->at[what].is;
}

struct dbg_error *evalcall_changed(void)
{
	return dbg_err(DBG_E_STATE,
		       "the calls changed what the expression had read before "
		       "them: evaluate its parts one by one");
}

/* Tell the machine which calls are to be made in this run. */
static void choose(const struct eval *e, uint32_t numbers[EVAL_CHOSEN_MAX])
{
	const struct eval_calls *calls = e->calls;
	const struct eval_chosen *c = calls ? calls->chosen : NULL;
	size_t n = 0;

	for (size_t i = 0; c && i < c->n; i++)
		if (c->calls[i].run == calls->n_runs)
			numbers[n++] = c->calls[i].number;
	vm_set_calls(e->vm,
		     !c                   ? VM_CALLS_NONE
		     : c->all             ? VM_CALLS_ALL
		     : calls->makes_trees ? VM_CALLS_TREES
					  : VM_CALLS_CHOSEN,
		     numbers, n);
}

/* Has a call been executed that is to be made in the program? */
static bool is_short(const struct eval_calls *calls, size_t used,
		     const struct vm_result *r)
{
	if (calls->want != EVAL_WANT_NOTHING || !calls->n_begun)
		return false;
	// Given up, not refused: it may be the loop of another call.
	if (r->state == VM_SPENT || (calls->chosen->all && !r->error))
		return false;
	return r->error ? r->error->code == DBG_E_UNSUPPORTED && calls->in_call
			: calls->has_effect && r->state == VM_DONE &&
			      calls->n_used == used;
}

/* Choose the call that began last; false: it is chosen. */
static bool choose_last(struct eval_calls *calls)
{
	struct eval_chosen *c = calls->chosen;
	uint32_t number = calls->n_begun - 1;

	for (size_t i = 0; i < c->n; i++)
		if (c->calls[i].run == calls->n_runs &&
		    c->calls[i].number == number)
			return false;
	if (c->n == EVAL_CHOSEN_MAX)
		return false;
	c->calls[c->n].run = calls->n_runs;
	c->calls[c->n++].number = number;
	return true;
}

bool evalcall_again(const struct eval *e, size_t used, struct vm_result *r)
{
	struct eval_calls *calls = e->calls;

	if (!calls)
		return false;
	if (!is_short(calls, used, r)) {
		calls->n_runs++;
		calls->has_written |= vm_has_written(e->vm);
		return false;
	}
	// To choose it did not help: what it is given is not the program's.
	if (!choose_last(calls)) {
		if (calls->chosen->all)
			return false;
		calls->chosen->all = !calls->n_answers;
		if (r->error || !calls->chosen->all)
			return false;
	}
	dbg_error_destroy(r->error);
	*r = (struct vm_result){0};
	calls->n_used = used;
	return true;
}

void evalcall_run(const struct eval *e, struct vm_result *ret)
{
	struct eval_calls *calls = e->calls;
	uint32_t numbers[EVAL_CHOSEN_MAX];

	choose(e, numbers);
	for (;;) {
		vm_run(e->vm, 0, ret);
		if (!calls || ret->state != VM_CALL ||
		    calls->n_used == calls->n_answers)
			break;
		dbg_error_destroy(ret->error);
		ret->error = answer(e, ret);
		if (ret->error)
			break;
	}
	if (calls) {
		calls->n_begun = vm_outer_calls(e->vm);
		calls->in_call = vm_in_outer_call(e->vm);
	}
	vm_set_calls(e->vm, VM_CALLS_NONE, NULL, 0);
	if (!calls || ret->state != VM_CALL || calls->n_used < calls->n_answers)
		return;
	struct dbg_error *err = write_down(e, ret);
	if (!err)
		return;
	dbg_error_destroy(ret->error);
	ret->error = err;
}

struct dbg_error *evalcall_refused(const char *why, struct dbg_error *err)
{
	if (!err || err->code != DBG_E_UNSUPPORTED || !why ||
	    !strcmp(why, err->message))
		return err;
	struct dbg_error *both =
	    dbg_err(err->code, "%s. The program cannot do it either: %s", why,
		    err->message);
	dbg_error_destroy(err);
	return both;
}
