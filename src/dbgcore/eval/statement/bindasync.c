/*
 * Async lambdas. An expression cannot wait: `await` takes the result of what
 * is completed (bind_await), so the lambda runs to its end when it is called,
 * and returns a task that is completed. What it throws is thrown by the call.
 */
#include "eval/statement/bindasync.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/bind/bindmade.h"
#include "eval/statement/bindstatement.h"

#define TASKS "System.Threading.Tasks"

static bool is_of_tasks(const struct type *type, const char *name)
{
	return !strcmp(type_simple_name(type), name) &&
	       !strcmp(type_namespace(type), TASKS);
}

struct type *async_result(struct binder *b, const struct type *ret)
{
	if (ret->elem == ELEM_VOID || is_of_tasks(ret, "Task") ||
	    is_of_tasks(ret, "ValueTask"))
		return bind_prim(b, ELEM_VOID);
	return is_of_tasks(ret, "Task`1") || is_of_tasks(ret, "ValueTask`1")
		   ? ret->args[0]
		   : NULL;
}

struct type *async_task(struct binder *b, struct type *body)
{
	bool gives = body && body->elem != ELEM_VOID;
	struct type *def =
	    type_core(b->ts, gives ? TASKS ".Task`1" : TASKS ".Task");
	return def && gives ? type_instance(b->ts, def, &body, 1) : def;
}

/* Task.FromResult(v), or Task.CompletedTask without @v; or ValueTask's. */
static struct dbg_error *completed(struct binder *b, struct type *ret,
				   struct bound *v, const struct expr *x,
				   struct bound **out)
{
	struct type *of;
	bool task = !strncmp(type_simple_name(ret), "Task", 4);
	struct dbg_error *err =
	    bind_core(b, task ? TASKS ".Task" : TASKS ".ValueTask", &of);
	if (err)
		return err;
	struct type_method *m = type_method_named(
	    b->ts, of, v ? "FromResult" : "get_CompletedTask", v ? 1 : 0);
	if (m && v)
		m = type_method_instance(b->ts, m, &v->type, 1);
	if (!m)
		return dbg_err(DBG_E_RUNTIME, "'%s' has no completed one",
			       type_name(b->ts, of));
	*out = bound_call(b, m, &v, v ? 1 : 0, ret, x);
	return NULL;
}

static struct dbg_error *wrap_block(struct binder *b,
				    const struct bound_lambda *l,
				    struct type *ret, struct bound **io)
{
	struct bound *block = arena_copy(b->arena, *io, 1, sizeof(**io));
	struct bound **list =
	    arena_calloc(b->arena, block->n_list + 1, sizeof(*list));
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < l->n_returns; i++) {
		struct bound *of = l->returns[i];
		err = completed(b, ret, l->gives ? of->a : NULL, of->syntax,
				&of->a);
	}
	if (err || l->gives)
		return err;
	for (size_t i = 0; i < block->n_list; i++)
		list[i] = block->list[i];
	struct bound *end =
	    bound_make(b, BOUND_RETURN, bind_prim(b, ELEM_VOID), block->syntax);
	err = completed(b, ret, NULL, block->syntax, &end->a);
	list[block->n_list++] = end;
	block->list = list;
	*io = block;
	return err;
}

struct dbg_error *async_wrap(struct binder *b, const struct bound_lambda *l,
			     struct type *ret, struct bound **io)
{
	struct bound *body = *io;
	if (ret->elem == ELEM_VOID)
		return NULL;
	if (body->kind == BOUND_BLOCK)
		return wrap_block(b, l, ret, io);
	if (async_result(b, ret)->elem != ELEM_VOID)
		return completed(b, ret, body, body->syntax, io);
	struct dbg_error *err = completed(b, ret, NULL, body->syntax, io);
	if (!err)
		*io = bound_after(b, &body, 1, *io);
	return err;
}
