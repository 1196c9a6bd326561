/*
 * Evaluations that make calls in the program.
 *
 * The expression is evaluated as usual; that ends with a value, or with a call
 * that must be made (eval/evalcall.h). Then a thread makes that call
 * (control/call/call.h) while the program runs, its answer is kept, and the
 * expression is evaluated anew:
 *
 *   evaluate -> value, or error -> EVALUATED
 *            -> a string for the program -> run -> evaluate
 *            -> a call -> run -> answer -> evaluate
 *
 * A call may need others before it: for a handle to an object that an earlier
 * one returned, for an instance of a generic method (calling.c).
 * They end in the same way.
 *
 * The calling thread runs alone first, later the others run as well
 * (evaluation_tick).
 */
#include "session/evaluate/evaluation_priv.h"
#include "session/evaluation.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

static uint32_t evaluation_ms(const struct dbg *dbg);

/* ---- Objects that are held between calls --------------------------------- */

/*
 * Keeps objects reachable while an evaluation makes further calls: the results
 * of its earlier calls, and objects that values of the stop refer to
 * (eval/followed.h). The GC may move them during a call, so the program holds
 * them by handles (GCHandle), which are read when a call has ended. The call
 * that makes a handle for a result comes right after the call that returned it:
 * nothing runs in between. Handles are emptied when the evaluation is over
 * (those of values, before the program runs on) and used again: the program
 * keeps as many as were ever needed at once.
 *
 * Making the first of several handles, or preparing the program for calls, runs
 * code as well. The objects without handles have not moved if only the one
 * thread ran, and its allocation context is unchanged: a collection takes it
 * from each thread.
 */

static uint64_t word_at(const void *place)
{
	uint64_t word;

	memcpy(&word, place, sizeof(word));
	return word;
}

/* Hold the objects that values of the stop refer to as well. */
static void add_values(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;
	struct followed *f = &dbg->inspect.followed;

	for (; v->n_values < f->n; v->n_values++) {
		struct followed_object *o = &f->v[v->n_values];

		if (o->object && v->n_held < HELD_MAX)
			v->held[v->n_held++] =
			    (struct held){.handle = o->handle,
					  .place = (uint8_t *)&o->object,
					  .value = o};
	}
}

void holding_add(struct evaluation *v, void *place)
{
	if (word_at(place) && v->n_held < HELD_MAX)
		v->held[v->n_held++] = (struct held){.place = place};
}

static void handle_empty(struct dbg *dbg, uint64_t handle)
{
	const uint64_t none = 0;

	dbg_error_destroy(
	    target_write(dbg->target, handle, &none, sizeof(none)));
}

void holding_drop(struct dbg *dbg, const void *place)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		if (v->held[i].place != place)
			continue;
		if (v->held[i].handle)
			handle_empty(dbg, v->held[i].handle);
		v->held[i] = v->held[--v->n_held];
		return;
	}
}

uint64_t holding_handle(const struct evaluation *v, const void *place)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (v->held[i].place == place)
			return v->held[i].handle;
	return 0;
}

void holding_move(struct evaluation *v, const void *place, void *to)
{
	memcpy(to, place, sizeof(uint64_t));
	for (size_t i = 0; i < v->n_held; i++)
		if (v->held[i].place == place)
			v->held[i].place = to;
}

/*
 * Find a handle that was made earlier and holds nothing now; 0: there is none.
 */
static uint64_t handle_find(const struct dbg *dbg)
{
	const struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < dbg->handles.n; i++) {
		bool used = false;

		for (size_t j = 0; j < v->n_held && !used; j++)
			used = v->held[j].handle == dbg->handles.v[i];
		if (!used)
			return dbg->handles.v[i];
	}
	return 0;
}

/*
 * Note a GCHandle that the program has made. False: @handle cannot be one, or
 * there are too many.
 */
static bool handle_add(struct dbg *dbg, uint64_t handle)
{
	struct handles *list = &dbg->handles;

	if (!handle || handle % sizeof(handle) || list->n == HANDLES_MAX)
		return false;
	list->v[list->n++] = handle;
	target_clear_behind(dbg->target, handle);
	return true;
}

static struct held *held_next(struct evaluation *v)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].handle)
			return &v->held[i];
	return NULL;
}

static struct allocating allocating(struct dbg *dbg, pid_t tid)
{
	const struct dac_thread *t = dac_thread_find(dbg->inspect.dac, tid);

	return t ? (struct allocating){tid, t->alloc, t->alloc_limit}
		 : (struct allocating){0};
}

struct dbg_error *holding_begin(struct dbg *dbg, pid_t tid, bool *ret_runs)
{
	struct dbg_error *err;

	add_values(dbg);
	const struct held *h = held_next(dbg->evaluation);
	if (!h)
		return NULL;
	uint64_t handle = handle_find(dbg);
	if (!handle && dbg->handles.n == HANDLES_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "more than %d objects would have to be followed "
			       "over the call: evaluate its parts one by one",
			       HANDLES_MAX);
	dbg->evaluation->allocating = allocating(dbg, tid);
	const uint64_t words[] = {handle, word_at(h->place)};
	err = handle ? calling_helper(dbg, tid, DOING_HOLD, words, 2)
		     : calling_helper(dbg, tid, DOING_ALLOC, &words[1], 1);
	*ret_runs = !err;
	return err;
}

struct dbg_error *holding_take(struct dbg *dbg, uint64_t word)
{
	struct held *h = held_next(dbg->evaluation);

	if (dbg->evaluation->doing == DOING_HOLD)
		word = handle_find(dbg);
	else if (!handle_add(dbg, word))
		return dbg_err(DBG_E_RUNTIME,
			       "the program could not make a handle");
	h->handle = word;
	return NULL;
}

/* Has a call that is not the user's let nothing be moved? */
static bool is_unmoved(struct dbg *dbg, const struct call_result *r)
{
	const struct allocating *old = &dbg->evaluation->allocating;
	struct allocating now = allocating(dbg, old->tid);

	return r->alone && now.tid && now.limit == old->limit &&
	       now.next >= old->next;
}

void holding_lose(struct dbg *dbg, const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	const struct held *safe =
	    v->doing == DOING_PREPARE ? NULL : held_next(v);
	size_t n = 0;

	if (!held_next(v) || is_unmoved(dbg, r))
		return;
	for (size_t i = 0; i < v->n_held; i++) {
		struct held h = v->held[i];

		if (h.value && !h.handle && &v->held[i] != safe)
			h.value->object = 0;
		else
			v->held[n++] = h;
	}
	v->n_held = n;
}

struct dbg_error *holding_check(struct evaluation *v)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].handle && !v->held[i].value)
			return dbg_err(DBG_E_STATE,
				       "what '%s' is to be called with may "
				       "have been moved: evaluate it again",
				       v->wanted ? v->wanted : v->name);
	return NULL;
}

/* The addresses as they are now. */
static struct dbg_error *holding_read(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		uint64_t object = 0;

		if (!v->held[i].handle)
			continue;
		struct dbg_error *err =
		    target_read_u64(dbg->target, v->held[i].handle, &object);
		if (err)
			return err;
		memcpy(v->held[i].place, &object, sizeof(object));
	}
	return NULL;
}

/* Stop holding objects, except those that values of the stop refer to. */
static void holding_end(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		struct held *h = &v->held[i];

		if (h->value)
			h->value->handle = h->handle;
		else if (h->handle && dbg->target)
			handle_empty(dbg, h->handle);
	}
	v->n_held = 0;
}

/* Stop waiting for the handle's call that is under way. */
static void holding_leave(struct dbg *dbg)
{
	const struct evaluation *v = dbg->evaluation;

	dbg->handles.is_late =
	    v->doing == DOING_ALLOC || v->doing == DOING_HOLD;
	dbg->handles.late = v->doing == DOING_HOLD ? handle_find(dbg) : 0;
}

/* The late call that made or filled a handle has ended. */
static void holding_late(struct dbg *dbg, const struct call_result *r)
{
	struct handles *list = &dbg->handles;
	uint64_t handle = list->late;

	if (list->is_late && !handle && r->value.type) {
		handle = word_at(r->value.bytes);
		handle_add(dbg, handle);
	}
	if (list->is_late && handle)
		handle_empty(dbg, handle);
	list->is_late = false;
}

void holding_forget(struct dbg *dbg)
{
	struct followed *f = &dbg->inspect.followed;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].handle)
			handle_empty(dbg, f->v[i].handle);
	followed_clear(f);
}

/* ---- The settings of calls that expressions make in the program ---------- */

enum {
	LIMIT_MS = 5000,
	LIMIT_MAX_MS = 3600000,
};

static const char *const call_names[] = {
    [DBG_CALLS_SETTING] = "interpret-then-call",
    [DBG_CALLS_NEVER] = "interpret",
    [DBG_CALLS_NEEDED] = "interpret-then-call",
    [DBG_CALLS_ALWAYS] = "call",
};

static const char *const thread_names[] = {
    [CALL_THREADS_LATE] = "late",
    [CALL_THREADS_ON] = "on",
    [CALL_THREADS_OFF] = "off",
};

struct dbg_error *evaluation_set_calls(struct dbg *dbg, const char *value)
{
	for (unsigned int i = DBG_CALLS_NEVER; i <= DBG_CALLS_ALWAYS; i++)
		if (!strcmp(value, call_names[i])) {
			dbg->rules.calls = i;
			return NULL;
		}
	return dbg_err(DBG_E_ARGUMENT,
		       "'%s' is not interpret, "
		       "interpret-then-call or call",
		       value);
}

const char *evaluation_get_calls(struct dbg *dbg)
{
	return call_names[dbg->rules.calls];
}

struct dbg_error *evaluation_set_threads(struct dbg *dbg, const char *value)
{
	for (unsigned int i = 0; i <= CALL_THREADS_OFF; i++)
		if (!strcmp(value, thread_names[i])) {
			dbg->rules.threads = i;
			return NULL;
		}
	return dbg_err(DBG_E_ARGUMENT, "'%s' is not late, on or off", value);
}

const char *evaluation_get_threads(struct dbg *dbg)
{
	return thread_names[dbg->rules.threads];
}

struct dbg_error *evaluation_set_timeout(struct dbg *dbg, const char *value)
{
	char *end;
	unsigned long ms = strtoul(value, &end, 10);

	if (*end || !ms || ms > LIMIT_MAX_MS)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a number of milliseconds from 1 to "
			       "%d",
			       value, LIMIT_MAX_MS);
	dbg->rules.ms = (uint32_t)ms;
	return NULL;
}

const char *evaluation_get_timeout(struct dbg *dbg)
{
	snprintf(dbg->rules.text, sizeof(dbg->rules.text), "%u",
		 evaluation_ms(dbg));
	return dbg->rules.text;
}

/* The policy that @calls means: the setting's, if it says so. */
static enum dbg_calls evaluation_calls(const struct dbg *dbg,
				       enum dbg_calls calls)
{
	if (calls == DBG_CALLS_SETTING)
		calls = dbg->rules.calls;
	return calls == DBG_CALLS_SETTING ? DBG_CALLS_NEEDED : calls;
}

static uint32_t evaluation_ms(const struct dbg *dbg)
{
	return dbg->rules.ms ? dbg->rules.ms : LIMIT_MS;
}

/* ---- Life ------------------------------------------------------------- */

void evaluation_destroy(struct evaluation *v)
{
	if (!v)
		return;
	ticks_stop(&v->ticks);
	dbg_error_destroy(v->error);
	arena_destroy(v->arena);
	history_destroy(v->kept.values);
	applying_destroy(v->applying);
	free(v);
}

static const char *copy_text_if(struct arena *arena, const char *text)
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
		*texts[i] = copy_text_if(arena, *texts[i]);
}

static bool is_going_on(const struct dbg *dbg)
{
	return dbg->evaluation && dbg->evaluation->doing != DOING_NOTHING;
}

/* End the evaluation: with @err, or with the value that is set. */
static void evaluation_over(struct dbg *dbg, struct dbg_error *err)
{
	struct evaluation *v = dbg->evaluation;

	v->doing = DOING_NOTHING;
	v->error = err;
	holding_end(dbg);
	dbg->inspect.returns = false;
	ticks_stop(&v->ticks);
	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_EVALUATED});
}

/* Restore the stop that the evaluation was begun in. */
static void stop_restore(struct dbg *dbg)
{
	if (dbg->state == DBG_STOPPED)
		return;
	copy_stop(dbg->inspect.arena, &dbg->evaluation->stop, &dbg->stop);
	dbg->state = DBG_STOPPED;
	dbg->pausing = false;
	target_terminal_take(dbg->target);
}

/* ---- Evaluating -------------------------------------------------------- */

/*
 * Evaluate the expression as far as possible without a further call. If a call
 * would need what only the interpreter has, begin again with all calls made in
 * the program (v->chosen.all).
 */
static struct dbg_error *evaluate_once(struct dbg *dbg, struct eval *e,
				       struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	const struct eval_calls fresh = *calls;
	bool all = v->chosen.all;

	if (v->applying)
		return applying_step(dbg, calls);
	e->calls = calls;
	struct dbg_error *err = session_evaluate(dbg, e, &v->expr, &v->value);
	if (!err || all || !v->chosen.all || calls->want != EVAL_WANT_NOTHING)
		return err;
	dbg_error_destroy(err);
	*calls = fresh;
	return session_evaluate(dbg, e, &v->expr, &v->value);
}

static bool has_kept(const struct evaluation *v)
{
	for (size_t i = 0; i < EVAL_FOUND_N; i++)
		if (v->kept.at[i].is)
			return true;
	return false;
}

/* Evaluate, until a call is to be made; *ret_runs: one goes on. */
static struct dbg_error *advance(struct dbg *dbg, bool *ret_runs)
{
	struct evaluation *v = dbg->evaluation;
	struct inspect *in = &dbg->inspect;
	struct eval_calls calls = {.chosen = &v->chosen,
				   .kept = &v->kept,
				   .answers = v->answers,
				   .n_answers = v->n_answers,
				   .given = v->given,
				   .n_given = v->n_given};
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
	if (has_kept(v) && v->serial != in->vm_serial)
		return dbg_err(DBG_E_STATE,
			       "an assembly was unloaded while '%s' was "
			       "called: what the value was before is lost",
			       v->name);
	// the method's address may be another's now
	if (v->serial != in->vm_serial)
		v->invoking.method = NULL;
	v->serial = in->vm_serial;
	err = evaluate_once(dbg, &e, &calls);
	if (calls.want == EVAL_WANT_NOTHING)
		return err;
	dbg_error_destroy(err);
	if (v->n_answers == ANSWERS_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many calls");
	err = calling_begin(dbg, &calls, f->tid);
	*ret_runs = !err;
	return err;
}

static void go_on(struct dbg *dbg)
{
	bool runs;
	struct dbg_error *err = advance(dbg, &runs);

	if (runs)
		return;
	stop_restore(dbg);
	evaluation_over(dbg, evalcall_refused(dbg->evaluation->why, err));
}

/* ---- What a call comes to ---------------------------------------------- */

/* Give the evaluation what its call threw as its value, if that is wanted. */
static struct dbg_error *
take_thrown(struct dbg *dbg, const struct call_result *r, struct dbg_error *why)
{
	struct evaluation *v = dbg->evaluation;
	struct inspect *in = &dbg->inspect;
	const struct frame *f = NULL;
	struct eval e;

	if (!v->expr.thrown || v->doing != DOING_CALL || !r->exception ||
	    dbg_err_drop(stack_frame(in->stack, v->thread, v->level, &f)) ||
	    !f || dbg_err_drop(inspect_eval(in, f, &e)))
		return why;
	struct value thrown = value_object(in->values, r->exception);
	if (!thrown.type)
		return why;
	session_threw(dbg, &e, &v->expr, &thrown, &v->value);
	dbg_error_destroy(why);
	return NULL;
}

/*
 * Take what the call has come to; the values that are held are read again
 * whatever that is: it may have moved them.
 */
static struct dbg_error *take(struct dbg *dbg, const struct call_result *r)
{
	struct dbg_error *err = calling_take(dbg, r);
	struct dbg_error *read = holding_read(dbg);

	if (!err)
		return read;
	dbg_error_destroy(read);
	return err;
}

bool evaluation_called(struct dbg *dbg)
{
	struct call_result r;
	struct dbg_error *err = NULL;

	if (!control_call_ended(dbg->control, &r))
		return false;
	if (!is_going_on(dbg)) {
		holding_late(dbg, &r);
		return false;
	}
	dbg->pausing = dbg->pausing && !dbg->evaluation->is_late;
	if (!target_all_stopped(dbg->target))
		err = target_stop_all(dbg->target);
	inspect_stop(&dbg->inspect);
	if (!err)
		err = take(dbg, &r);
	if (err && r.end == CALL_THREW && applying_threw(dbg, err))
		err = NULL;
	if (!err) {
		go_on(dbg);
		return true;
	}
	stop_restore(dbg);
	if (r.end == CALL_THREW)
		err = take_thrown(dbg, &r, err);
	evaluation_over(dbg, err);
	return true;
}

const char *evaluation_subject(const struct evaluation *v)
{
	return v->doing == DOING_CALL ? v->name : v->expr.expr;
}

/*
 * The error why the user's call is not waited for any more, or why it was not
 * made.
 */
static struct dbg_error *given_up(const struct evaluation *v)
{
	static const char call_goes_on[] =
	    "the evaluation is given up; the call goes on when the program "
	    "does, and thread";

	if (v->doing != DOING_CALL)
		return v->is_late
			   ? dbg_err(DBG_E_STATE,
				     "what the calls of '%s' need was not made "
				     "within %u ms: the evaluation is given up",
				     v->expr.expr, v->ms)
			   : dbg_err(DBG_E_STATE,
				     "the program stopped before a call of "
				     "'%s' was made: the evaluation is given "
				     "up",
				     v->expr.expr);
	return v->is_late
		   ? dbg_err(DBG_E_STATE,
			     "'%s' did not return within %u ms: %s %u stops "
			     "here again when it returns",
			     v->name, v->ms, call_goes_on, v->thread)
		   : dbg_err(DBG_E_STATE,
			     "the program stopped in the call of '%s': %s %u "
			     "stops here again when it returns",
			     v->name, call_goes_on, v->thread);
}

void evaluation_stopped(struct dbg *dbg, const struct dbg_stop *stop)
{
	struct evaluation *v = dbg->evaluation;

	if (!is_going_on(dbg))
		return;
	holding_leave(dbg);
	control_call_leave(dbg->control);
	bool ends =
	    stop->reason == DBG_STOP_UNHANDLED && stop->thread == v->thread;
	struct dbg_error *err =
	    ends ? dbg_err(DBG_E_STATE,
			   "'%s' ends the program: nothing can catch what it "
			   "threw, and the program is over when it goes on",
			   evaluation_subject(v))
		 : given_up(v);
	evaluation_over(dbg, err);
	holding_forget(dbg);
	inspect_ids_forget(&dbg->inspect);
}

void evaluation_ended(struct dbg *dbg)
{
	dbg->handles = (struct handles){0};
	if (is_going_on(dbg))
		evaluation_over(
		    dbg, dbg_err(DBG_E_STATE, "the program ended in '%s'",
				 evaluation_subject(dbg->evaluation)));
}

void evaluation_let_go(struct dbg *dbg)
{
	if (is_going_on(dbg))
		evaluation_over(
		    dbg, dbg_err(DBG_E_STATE,
				 "the program was detached from during '%s': "
				 "what was called goes on there",
				 evaluation_subject(dbg->evaluation)));
	holding_forget(dbg);
}

void evaluation_tick(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	if (!is_going_on(dbg) || dbg->state != DBG_RUNNING)
		return;
	int64_t ms = clock_ms() - v->since;
	if (dbg->rules.threads != CALL_THREADS_OFF &&
	    control_call_share(dbg->control, (uint64_t)ms, v->ms))
		session_run_all(dbg);
	control_call_beside(dbg->control, (uint64_t)ms, v->ms);
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
	v->kept.values = history_create(&dbg->inspect.followed);
	v->expr.expr = arena_strdup(v->arena, req->expr);
	v->expr.value = copy_text_if(v->arena, req->value);
	v->expr.assigns = req->assigns;
	v->expr.thrown = req->thrown;
	v->ms = req->ms ? req->ms : evaluation_ms(dbg);
	copy_stop(v->arena, &dbg->stop, &v->stop);
	return v;
}

/* Evaluate without calls; true: it is over. */
static bool interpreted(struct dbg_stopped at,
			const struct dbg_eval_request *req,
			enum dbg_calls calls)
{
	struct dbg *dbg = at.dbg;
	struct evaluation *v = dbg->evaluation;
	const struct session_expression x = {
	    .expr = req->expr,
	    .value = req->value,
	    .assigns = req->value || req->assigns,
	    .thrown = req->thrown,
	};
	struct dbg_error *err =
	    session_evaluate_at(at, req->frame, &x, &v->value);

	if (err && err->code == DBG_E_UNSUPPORTED &&
	    calls == DBG_CALLS_NEEDED && target_can(dbg->target, TARGET_RUN)) {
		v->why = arena_strdup(v->arena, err->message);
		dbg_error_destroy(err);
		return false;
	}
	evaluation_over(dbg, err);
	return true;
}

/* Why the thread of @f (NULL: none) can make no call now; NULL: it can. */
static struct dbg_error *why_no_call(const struct dbg *dbg,
				     const struct frame *f)
{
	if (!f)
		return dbg_err(DBG_E_STATE,
			       "no call can be made: the thread has no frame");
	if (dbg->stop.exception)
		return dbg_err(DBG_E_STATE,
			       "no call can be made while an exception is "
			       "thrown: step to a handler first");
	return NULL;
}

/* Begin to have an update applied. */
static struct dbg_error *apply_begin(struct dbg_stopped at,
				     const struct dbg_eval_request *req,
				     const struct frame *f)
{
	struct dbg *dbg = at.dbg;
	struct applying *a = NULL;
	struct dbg_error *err = session_need_live(at);

	if (!err)
		err = why_no_call(dbg, f);
	if (!err)
		err = applying_create(dbg, req->update, &a);
	if (!err)
		err = applying_frame(dbg, &f);
	if (err) {
		applying_destroy(a);
		return err;
	}
	struct evaluation *v = evaluation_create(dbg, req);
	v->applying = a;
	v->thread = f->thread;
	v->level = 0;
	go_on(dbg);
	return NULL;
}

struct dbg_error *dbg_eval_begin(struct dbg_stopped at,
				 const struct dbg_eval_request *req)
{
	struct dbg *dbg = at.dbg;
	const struct frame *f;
	enum dbg_calls calls = evaluation_calls(dbg, req->calls);
	struct dbg_error *err = session_need_runtime(at);

	if (!err && calls == DBG_CALLS_ALWAYS)
		err = session_need_live(at);
	if (!err)
		err = session_frame_if_any(at, req->frame, &f);
	if (err || req->update)
		return err ? err : apply_begin(at, req, f);
	struct evaluation *v = evaluation_create(dbg, req);
	v->chosen.all = v->chosen.orders = calls == DBG_CALLS_ALWAYS;
	if (calls != DBG_CALLS_ALWAYS && interpreted(at, req, calls))
		return NULL;
	err = why_no_call(dbg, f);
	if (err) {
		evaluation_over(dbg, err);
		return NULL;
	}
	v->thread = f->thread;
	v->level = f->level;
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

const char *evaluation_late(const struct dbg *dbg, struct arena *arena)
{
	if (!is_going_on(dbg) || !dbg->evaluation->is_late)
		return NULL;
	struct dbg_error *err = given_up(dbg->evaluation);
	const char *text = arena_strdup(arena, err->message);

	dbg_error_destroy(err);
	return text;
}

uint32_t evaluation_thread(const struct dbg *dbg)
{
	return is_going_on(dbg) ? dbg->evaluation->thread : 0;
}
