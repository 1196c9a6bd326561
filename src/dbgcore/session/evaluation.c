/*
 * Evaluations that have calls made in the program.
 *
 * The expression is evaluated as ever; it ends with a value or with a call
 * that is wanted (eval/evalcall.h). Then a thread makes that call
 * (control/call/call.h) while the program runs, its answer is kept, and the
 * expression is evaluated anew:
 *
 *   evaluate -> value, or error -> EVALUATED
 *            -> a string for the program -> run -> evaluate
 *            -> a call -> run -> answer -> evaluate
 *
 * First the thread runs alone, then the others run, too (evaluation_tick).
 */
#include "session/evaluation.h"
#include "value/callrequest.h"
#include "eval/evalcall.h"
#include "session/session.h"
#include "session/expression.h"
#include "session/ticks.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	TICK_MS = 20,
	ANSWERS_MAX = 64,
	PREPARES_MAX = 256,
};

enum doing {
	DOING_NOTHING, /* over: the result is to be asked for */
	DOING_PREPARE,
	DOING_STRING,
	DOING_CALL,
};

struct evaluation {
	struct arena *arena;
	struct session_expression expr;
	const char *why;        /* it was not interpreted; NULL: not tried */
	uint32_t thread, level; /* whose frame */
	struct dbg_stop stop;   /* strings in arena */
	uint32_t ms;
	enum doing doing;
	bool is_late; /* the limit is over */
	struct timespec since;
	const char *name; /* of the method that is called */
	bool is_void;
	uint64_t module; /* and its method */
	uint32_t token;
	unsigned int n_prepares;
	bool has_reference; /* an answer may hold one, which may move */
	struct eval_answer answers[ANSWERS_MAX];
	size_t n_answers;
	struct eval_chosen chosen;
	uint64_t string; /* that the program was given, 0: none */
	const uint16_t *units;
	size_t n_units;
	struct dbg_error *error; /* the result */
	struct dbg_value value;
	struct ticks ticks;
};

/* ---- Life ------------------------------------------------------------- */

void evaluation_destroy(struct evaluation *v)
{
	if (!v)
		return;
	ticks_stop(&v->ticks);
	dbg_error_destroy(v->error);
	arena_destroy(v->arena);
	free(v);
}

static const char *kept(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static void copy_stop(struct arena *arena, const struct dbg_stop *from,
		      struct dbg_stop *ret)
{
	*ret = *from;
	const char **texts[] = {&ret->exception_type, &ret->exception_message,
				&ret->caught,         &ret->note,
				&ret->expr,           &ret->old_value,
				&ret->value,          &ret->module};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		*texts[i] = kept(arena, *texts[i]);
}

static bool is_going_on(const struct dbg *dbg)
{
	return dbg->evaluation && dbg->evaluation->doing != DOING_NOTHING;
}

/* It is over: @err, or the value that is set. */
static void over(struct dbg *dbg, struct dbg_error *err)
{
	struct evaluation *v = dbg->evaluation;

	v->doing = DOING_NOTHING;
	v->error = err;
	dbg->inspect.returns = false;
	ticks_stop(&v->ticks);
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_EVALUATED});
}

/* The program stands where it stood. */
static void stand(struct dbg *dbg)
{
	if (dbg->state == DBG_STOPPED)
		return;
	copy_stop(dbg->inspect.arena, &dbg->evaluation->stop, &dbg->stop);
	dbg->state = DBG_STOPPED;
	dbg->pausing = false;
	target_terminal_take(dbg->target);
}

/* ---- Calls ------------------------------------------------------------ */

static struct dbg_error *run(struct dbg *dbg, const struct call_request *req,
			     enum doing doing)
{
	struct evaluation *v = dbg->evaluation;
	bool prepares = false;

	if (v->has_reference)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called behind another call that "
			       "returned an object: make it an expression of "
			       "its own",
			       req->name);
	struct dbg_error *err = control_call(dbg->control, req, &prepares);
	if (err)
		return err;
	v->doing = prepares ? DOING_PREPARE : doing;
	v->name = arena_strdup(v->arena, req->name);
	v->is_late = false;
	v->is_void = !req->ret;
	if (dbg->rules.threads == CALL_THREADS_ON && !prepares)
		control_call_share(dbg->control, v->ms, v->ms);
	clock_gettime(CLOCK_MONOTONIC, &v->since);
	ticks_start(&v->ticks, v->ms < 2 * TICK_MS ? (v->ms + 1) / 2 : TICK_MS);
	if (dbg->state == DBG_STOPPED)
		target_terminal_give(dbg->target);
	dbg->state = DBG_RUNNING;
	dbg->inspect.returns = true;
	return session_go(dbg);
}

/* The program's own method of @m. */
static struct dbg_error *method_of(struct dbg *dbg, struct il_method *m,
				   struct call_request *req)
{
	req->name = il_method_name(dbg->inspect.il, m);
	if (m->n_args || (m->owner && m->owner->n_args))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is generic: it cannot be called, only "
			       "interpreted",
			       req->name);
	if (m->module)
		req->method = dac_method_of_token(dbg->inspect.dac,
						  m->module->addr, m->token);
	return req->method
		   ? NULL
		   : dbg_err(DBG_E_STATE,
			     "'%s' cannot be called: the program has not "
			     "loaded its class yet",
			     req->name);
}

static struct dbg_error *result_of(struct dbg *dbg, struct il_method *m,
				   struct call_request *req)
{
	struct il_types *ts = dbg->inspect.il;
	const struct il_layout *layout;
	const struct il_sig *sig;
	struct dbg_error *err = il_method_sig(ts, m, &sig);

	if (err || sig->ret->elem == ELEM_VOID)
		return err;
	err = il_type_layout(ts, sig->ret, &layout);
	if (err)
		return err;
	if (layout->size > EVAL_ANSWER_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: it returns a '%s', "
			       "which is larger than two registers",
			       req->name, il_type_name(ts, sig->ret));
	req->ret = il_type_to_value(ts, sig->ret);
	if (!req->ret)
		return dbg_err(DBG_E_STATE,
			       "'%s' cannot be called: the program has not "
			       "loaded '%s', which it returns",
			       req->name, il_type_name(ts, sig->ret));
	enum value_moved moved =
	    value_returned_moved(dbg->inspect.types, req->ret);
	req->is_reference = moved == VALUE_MOVED_FIRST;
	return moved != VALUE_MOVED_OTHER
		   ? NULL
		   : dbg_err(DBG_E_UNSUPPORTED,
			     "'%s' cannot be called: it returns a '%s', in "
			     "which a collection could move more than one "
			     "object",
			     req->name, il_type_name(ts, sig->ret));
}

static struct dbg_error *call(struct dbg *dbg, const struct eval_calls *calls,
			      pid_t tid)
{
	struct call_request req = {.tid = tid};
	struct dbg_error *err = method_of(dbg, calls->method, &req);

	if (!err)
		err = result_of(dbg, calls->method, &req);
	if (err)
		return err;
	dbg->evaluation->module = calls->method->module->addr;
	dbg->evaluation->token = calls->method->token;
	for (; req.n_args < calls->n_args; req.n_args++) {
		const struct eval_argument *from = &calls->args[req.n_args];
		struct call_arg *to = &req.args[req.n_args];

		if (from->type)
			to->type =
			    il_type_to_value(dbg->inspect.il, from->type);
		if (from->type && !to->type)
			return dbg_err(
			    DBG_E_STATE, "the program has not loaded '%s'",
			    il_type_name(dbg->inspect.il, from->type));
		memcpy(to->bytes, from->bytes, sizeof(to->bytes));
	}
	return run(dbg, &req, DOING_CALL);
}

/* Give the program the string that is wanted. */
static struct dbg_error *string(struct dbg *dbg, const struct eval_calls *calls,
				pid_t tid)
{
	struct evaluation *v = dbg->evaluation;
	struct il_types *ts = dbg->inspect.il;
	struct call_request req = {.tid = tid, .n_args = 1};
	int32_t n = (int32_t)calls->n_units;
	struct il_method *m = il_method_named(
	    ts, il_type_of_elem(ts, ELEM_STRING), "FastAllocateString", 1);

	if (v->string)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "a call can be given one string that the "
			       "program does not have, no more");
	if (!m)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime shows no way to make strings");
	struct dbg_error *err = method_of(dbg, m, &req);
	if (!err)
		err = result_of(dbg, m, &req);
	if (err)
		return err;
	memcpy(req.args[0].bytes, &n, sizeof(n));
	v->units = arena_copy(v->arena, calls->units, calls->n_units,
			      sizeof(*v->units));
	v->n_units = calls->n_units;
	return run(dbg, &req, DOING_STRING);
}

/* ---- Evaluating -------------------------------------------------------- */

/* All is called if otherwise a call had what only the machine has. */
static struct dbg_error *evaluate(struct dbg *dbg, struct eval *e,
				  struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	const struct eval_calls fresh = *calls;
	bool all = v->chosen.all;

	e->calls = calls;
	struct dbg_error *err = session_evaluate(dbg, e, &v->expr, &v->value);
	if (!err || all || !v->chosen.all || calls->want != EVAL_WANT_NOTHING)
		return err;
	dbg_error_destroy(err);
	*calls = fresh;
	return session_evaluate(dbg, e, &v->expr, &v->value);
}

/* Evaluate, until a call is to be made; *ret_runs: one goes on. */
static struct dbg_error *advance(struct dbg *dbg, bool *ret_runs)
{
	struct evaluation *v = dbg->evaluation;
	struct inspect *in = &dbg->inspect;
	struct eval_calls calls = {.chosen = &v->chosen,
				   .answers = v->answers,
				   .n_answers = v->n_answers,
				   .strings = &v->string,
				   .n_strings = v->string ? 1 : 0};
	const struct frame *f;
	struct eval e;
	struct dbg_error *err = stack_frame(in->stack, v->thread, v->level, &f);

	*ret_runs = false;
	if (!err && !f)
		err = dbg_err(DBG_E_STATE, "this thread runs no managed code");
	if (!err)
		err = inspect_eval(in, f, &e);
	if (err)
		return err;
	err = evaluate(dbg, &e, &calls);
	if (calls.want == EVAL_WANT_NOTHING)
		return err;
	dbg_error_destroy(err);
	if (v->n_answers == ANSWERS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many calls");
	err = control_call_possible(dbg->control, f->tid);
	if (!err)
		err = calls.want == EVAL_WANT_CALL
			  ? call(dbg, &calls, f->tid)
			  : string(dbg, &calls, f->tid);
	*ret_runs = !err;
	return err;
}

static void go_on(struct dbg *dbg)
{
	bool runs;
	struct dbg_error *err = advance(dbg, &runs);

	if (runs)
		return;
	stand(dbg);
	over(dbg, evalcall_refused(dbg->evaluation->why, err));
}

/* ---- What a call comes to ---------------------------------------------- */

static struct dbg_error *take_string(struct dbg *dbg,
				     const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	uint64_t addr = 0;
	uint32_t first;

	if (r->value.type)
		memcpy(&addr, r->value.bytes, sizeof(addr));
	if (!addr)
		return dbg_err(DBG_E_RUNTIME,
			       "the program could not make a string");
	struct il_types *ts = dbg->inspect.il;
	struct il_field *field = NULL;
	struct dbg_error *err = il_field_find(
	    ts, il_type_of_elem(ts, ELEM_STRING), "_firstChar", &field);
	if (!err && !field)
		err = dbg_err(DBG_E_RUNTIME, "strings are not known");
	if (!err)
		err = il_field_offset(ts, field, &first);
	if (!err && v->n_units)
		err = target_write(dbg->target, addr + 8 + first, v->units,
				   v->n_units * sizeof(*v->units));
	v->string = addr;
	return err;
}

static struct dbg_error *take_answer(struct dbg *dbg,
				     const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	struct eval_answer *a = &v->answers[v->n_answers++];

	*a = (struct eval_answer){.module = v->module, .token = v->token};
	v->string = 0;
	v->why = NULL;
	v->has_reference = r->value.type && r->value.type->kind != TYPE_PRIM &&
			   r->value.type->kind != TYPE_ENUM;
	if (!v->is_void && r->value.where == VALUE_ABSENT)
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' has returned, but its value is lost",
			       v->name);
	if (r->value.type)
		memcpy(a->bytes, r->value.bytes, sizeof(a->bytes));
	return NULL;
}

static struct dbg_error *threw(const struct evaluation *v,
			       const struct call_result *r)
{
	return dbg_err(DBG_E_STATE, "'%s' threw %s%s%s", v->name,
		       r->type ? r->type : "an exception",
		       r->message ? ": " : "", r->message ? r->message : "");
}

static struct dbg_error *take(struct dbg *dbg, const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;

	if (r->end == CALL_THREW)
		return threw(v, r);
	if (r->end == CALL_GONE)
		return dbg_err(DBG_E_STATE, "the thread ended in '%s'",
			       v->name);
	if (v->doing == DOING_CALL)
		return take_answer(dbg, r);
	if (v->doing == DOING_STRING)
		return take_string(dbg, r);
	if (++v->n_prepares > PREPARES_MAX)
		return dbg_err(DBG_E_RUNTIME, "what calls need is not loaded");
	v->string = 0; // it may have been moved
	return NULL;
}

bool evaluation_called(struct dbg *dbg)
{
	struct call_result r;
	struct dbg_error *err = NULL;

	if (!is_going_on(dbg) || !control_call_ended(dbg->control, &r))
		return false;
	dbg->pausing = dbg->pausing && !dbg->evaluation->is_late;
	if (!target_all_stopped(dbg->target))
		err = target_stop_all(dbg->target);
	inspect_stop(&dbg->inspect);
	if (!err)
		err = take(dbg, &r);
	if (!err) {
		go_on(dbg);
		return true;
	}
	stand(dbg);
	over(dbg, err);
	return true;
}

void evaluation_stopped(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	if (!is_going_on(dbg))
		return;
	control_call_leave(dbg->control);
	inspect_ids_forget(&dbg->inspect);
	over(dbg,
	     v->is_late
		 ? dbg_err(DBG_E_STATE,
			   "'%s' did not return within %u ms: the evaluation "
			   "is given up; the call goes on when the program "
			   "does, and thread %u stops here again when it "
			   "returns",
			   v->name, v->ms, v->thread)
		 : dbg_err(DBG_E_STATE,
			   "the program stopped in the call of '%s': the "
			   "evaluation is given up; the call goes on when the "
			   "program does, and thread %u stops here again when "
			   "it returns",
			   v->name, v->thread));
}

void evaluation_ended(struct dbg *dbg)
{
	if (is_going_on(dbg))
		over(dbg, dbg_err(DBG_E_STATE, "the program ended in '%s'",
				  dbg->evaluation->name));
}

void evaluation_tick(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	if (!is_going_on(dbg) || dbg->state != DBG_RUNNING)
		return;
	int64_t ms = ticks_since(&v->since);
	if (dbg->rules.threads != CALL_THREADS_OFF &&
	    control_call_share(dbg->control, (uint64_t)ms, v->ms)) {
		target_run_only(dbg->target, 0);
		struct dbg_error *err = target_resume_all(dbg->target);
		if (err)
			session_message(dbg, "%s", err->message);
		dbg_error_destroy(err);
	}
	if (ms >= v->ms && !v->is_late) {
		v->is_late = true;
		dbg_error_destroy(dbg_pause(dbg));
	}
}

/* ---- API --------------------------------------------------------------- */

static struct evaluation *evaluation_create(struct dbg *dbg,
					    const struct dbg_eval_request *req)
{
	struct evaluation *v = xcalloc(1, sizeof(*v));

	evaluation_destroy(dbg->evaluation);
	dbg->evaluation = v;
	v->arena = arena_create();
	v->expr.expr = arena_strdup(v->arena, req->expr);
	v->expr.value = kept(v->arena, req->value);
	v->expr.assigns = req->assigns;
	v->ms = req->ms ? req->ms : evaluation_ms(dbg);
	copy_stop(v->arena, &dbg->stop, &v->stop);
	return v;
}

/* Evaluate without calls; true: it is over. */
static bool interpreted(struct dbg *dbg, const struct dbg_eval_request *req,
			enum dbg_calls calls)
{
	struct evaluation *v = dbg->evaluation;
	bool assigns = req->value || req->assigns;
	struct dbg_error *err =
	    assigns
		? dbg_assign(dbg, req->frame, req->expr, req->value, &v->value)
		: dbg_eval(dbg, req->frame, req->expr, &v->value);

	if (err && err->code == DBG_E_UNSUPPORTED &&
	    calls == DBG_CALLS_NEEDED && target_can(dbg->target, TARGET_RUN)) {
		v->why = arena_strdup(v->arena, err->message);
		dbg_error_destroy(err);
		return false;
	}
	over(dbg, err);
	return true;
}

struct dbg_error *dbg_eval_begin(struct dbg *dbg,
				 const struct dbg_eval_request *req)
{
	const struct frame *f;
	enum dbg_calls calls = evaluation_calls(dbg, req->calls);
	struct dbg_error *err = session_need_runtime(dbg);

	if (!err && calls == DBG_CALLS_ALWAYS)
		err = session_need_live(dbg);
	if (!err)
		err = session_frame_or_newest(dbg, req->frame, &f);
	if (err)
		return err;
	struct evaluation *v = evaluation_create(dbg, req);
	v->thread = f->thread;
	v->level = f->level;
	v->chosen.all = calls == DBG_CALLS_ALWAYS;
	if (calls != DBG_CALLS_ALWAYS && interpreted(dbg, req, calls))
		return NULL;
	if (dbg->stop.exception) {
		over(dbg, dbg_err(DBG_E_STATE,
				  "no call can be made while an exception is "
				  "thrown: step to a handler first"));
		return NULL;
	}
	go_on(dbg);
	return NULL;
}

struct dbg_error *dbg_eval_cancel(struct dbg *dbg)
{
	return is_going_on(dbg) && dbg->state == DBG_RUNNING ? dbg_pause(dbg)
							     : NULL;
}

struct dbg_error *dbg_eval_result(struct dbg *dbg, struct dbg_value *ret)
{
	struct evaluation *v = dbg->evaluation;
	struct dbg_error *err;

	if (!v || v->doing != DOING_NOTHING)
		return dbg_err(DBG_E_STATE, "no evaluation has ended");
	err = v->error;
	v->error = NULL;
	if (!err)
		*ret = v->value;
	return err;
}

uint32_t evaluation_thread(const struct dbg *dbg)
{
	return is_going_on(dbg) ? dbg->evaluation->thread : 0;
}
