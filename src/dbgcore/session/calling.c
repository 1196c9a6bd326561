/*
 * The calls of an evaluation: what is asked of the thread (value/callrequest.h)
 * for a call of the expression's, for a method of the core library that serves
 * one, and what comes back.
 */
#include "eval/invoke.h"
#include "session/evaluation_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	TICK_MS = 20,
	STRING_HEADER = 8, // the MethodTable, in front of its fields
};

/* Methods that serve; those of a @last parameter of this type, if not END. */
struct helper {
	const char *type, *method;
	size_t n_params;
	enum elem last;
	bool is_void, is_reference;
};

static const struct helper helpers[DOING_N] = {
    [DOING_STRING] = {"System.String", "FastAllocateString", .n_params = 1,
		      .is_reference = true},
    [DOING_NAME] = {"System.String", "FastAllocateString", .n_params = 1,
		    .is_reference = true},
    [DOING_ALLOC] = {"System.Runtime.InteropServices.GCHandle", "Alloc",
		     .n_params = 1},
    [DOING_HOLD] = {"System.Runtime.InteropServices.GCHandle", "InternalSet",
		    .n_params = 2, .is_void = true},
    [DOING_LOAD] = {"System.Type", "GetType", .n_params = 1,
		    .is_reference = true},
    [DOING_TYPE] = {"System.RuntimeTypeHandle", "GetRuntimeTypeFromHandle",
		    .n_params = 1, .is_reference = true},
    [DOING_SHOWN] = {"System.RuntimeTypeHandle", "GetRuntimeTypeFromHandle",
		     .n_params = 1, .is_reference = true},
    [DOING_ARRAY] = {"System.Array", "CreateInstance", .n_params = 2,
		     .last = ELEM_I4, .is_reference = true},
    [DOING_SET] = {"System.Array", "SetValue", .n_params = 2, .last = ELEM_I4,
		   .is_void = true},
    [DOING_CLASS] = {"System.RuntimeMethodHandle", "GetMethodFromCanonical",
		     .n_params = 2},
    [DOING_STUB] = {"System.RuntimeMethodHandle", "GetStubIfNeeded",
		    .n_params = 3},
    [DOING_OBJECT] = {"System.Runtime.CompilerServices.RuntimeHelpers",
		      "GetUninitializedObject", .n_params = 1,
		      .is_reference = true},
    [DOING_VECTOR] = {"System.Array", "CreateInstance", .n_params = 2,
		      .last = ELEM_I4, .is_reference = true},
    [DOING_METHOD] = {"System.RuntimeType", "GetMethodBase", .n_params = 2,
		      .last = ELEM_VALUETYPE, .is_reference = true},
    [DOING_INVOKE] = {"System.Reflection.RuntimeMethodInfo", "Invoke",
		      .n_params = 5, .is_reference = true},
};

// In .NET 8 and 9.
static const struct helper old_type = {"System.Type", "GetTypeFromHandleUnsafe",
				       .n_params = 1, .is_reference = true};

/* ---- Beginning ------------------------------------------------------- */

/* Something that is held is to be followed before anything else is called. */
static struct dbg_error *run(struct dbg *dbg, const struct call_request *req,
			     enum doing doing)
{
	struct evaluation *v = dbg->evaluation;
	bool prepares = false, runs = false;
	bool holds = doing == DOING_ALLOC || doing == DOING_HOLD;
	struct dbg_error *err = NULL;

	if (!holds)
		err = holding_begin(dbg, req->tid, &runs);
	if (err || runs)
		return err;
	err = control_call(dbg->control, req, &prepares);
	if (err)
		return err;
	v->doing = prepares ? DOING_PREPARE : doing;
	v->name = arena_strdup(v->arena, req->name);
	v->is_late = false;
	v->is_void = !req->ret;
	if (dbg->rules.threads == CALL_THREADS_ON && !prepares && !holds)
		control_call_share(dbg->control, v->ms, v->ms);
	clock_gettime(CLOCK_MONOTONIC, &v->since);
	ticks_start(&v->ticks, v->ms < 2 * TICK_MS ? (v->ms + 1) / 2 : TICK_MS);
	if (dbg->state == DBG_STOPPED)
		target_terminal_give(dbg->target);
	dbg->state = DBG_RUNNING;
	dbg->inspect.returns = true;
	return session_go(dbg);
}

static bool is_helper(struct types *ts, struct type_method *m,
		      const struct helper *h)
{
	const struct type_sig *sig;

	return !strcmp(m->name, h->method) &&
	       !dbg_err_drop(type_method_sig(ts, m, &sig)) &&
	       sig->n_params == h->n_params &&
	       (!h->last || sig->params[h->n_params - 1]->elem == h->last);
}

static struct type_method *helper_named(struct types *ts,
					const struct helper *h)
{
	struct type *type = type_core(ts, h->type);
	struct type_method *const *list = NULL;
	size_t n = 0;

	if (type)
		type_methods(ts, type, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (is_helper(ts, list[i], h))
			return list[i];
	return NULL;
}

static struct type_method *helper_find(struct dbg *dbg, enum doing doing)
{
	struct types *ts = dbg->inspect.types;
	struct type_method *m = helper_named(ts, &helpers[doing]);

	bool shows = doing == DOING_TYPE || doing == DOING_SHOWN;

	return m || !shows ? m : helper_named(ts, &old_type);
}

struct type *calling_helper_class(struct dbg *dbg, enum doing doing)
{
	struct type_method *m = helper_find(dbg, doing);

	return m ? m->owner : NULL;
}

static struct type *helper_result(struct values *ts, const struct helper *h)
{
	enum elem elem = h->is_reference ? ELEM_OBJECT : ELEM_I;

	return h->is_void ? NULL : value_type_of_elem(ts, elem);
}

/* Have @req call it. */
static struct dbg_error *helper_set(struct dbg *dbg, enum doing doing,
				    struct call_request *req)
{
	const struct helper *h = &helpers[doing];
	struct type_method *m = helper_find(dbg, doing);

	req->method =
	    m ? dac_method_of_token(dbg->inspect.dac, m->module->addr, m->token)
	      : 0;
	if (!req->method)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no '%s.%s', which the call "
			       "needs",
			       h->type, h->method);
	if (!req->name)
		req->name = type_method_name(dbg->inspect.types, m);
	req->is_reference = h->is_reference;
	req->ret = helper_result(dbg->inspect.values, h);
	return NULL;
}

struct dbg_error *calling_helper(struct dbg *dbg, pid_t tid, enum doing doing,
				 const uint64_t *words, size_t n)
{
	struct call_request req = {.tid = tid, .serves = true};
	struct dbg_error *err = helper_set(dbg, doing, &req);

	if (err)
		return err;
	for (; req.n_args < n; req.n_args++)
		memcpy(req.args[req.n_args].bytes, &words[req.n_args],
		       sizeof(words[0]));
	return run(dbg, &req, doing);
}

/*
 * What the value is that the method returns. What a reference refers to is
 * known by the object alone.
 */
static struct dbg_error *result_of(struct dbg *dbg, struct type_method *m,
				   struct call_request *req)
{
	struct types *ts = dbg->inspect.types;
	const struct type_layout *layout;
	const struct type_sig *sig;
	struct dbg_error *err = type_method_sig(ts, m, &sig);

	dbg->evaluation->moved = VALUE_MOVED_NOTHING;
	if (err || sig->ret->elem == ELEM_VOID)
		return err;
	err = type_layout(ts, sig->ret, &layout);
	if (err)
		return err;
	if (layout->size > EVAL_ANSWER_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: it returns a '%s', "
			       "which is larger than two registers",
			       req->name, type_name(ts, sig->ret));
	req->ret = value_type_closed(
	    sig->ret->is_reference ? type_of_elem(ts, ELEM_OBJECT) : sig->ret);
	if (!req->ret)
		return dbg_err(DBG_E_STATE,
			       "'%s' cannot be called: the program has not "
			       "loaded '%s', which it returns",
			       req->name, type_name(ts, sig->ret));
	enum value_moved moved =
	    value_returned_moved(dbg->inspect.values, req->ret);
	dbg->evaluation->moved = moved;
	req->is_reference =
	    moved == VALUE_MOVED_FIRST || moved == VALUE_MOVED_BEHIND;
	return moved != VALUE_MOVED_OTHER
		   ? NULL
		   : dbg_err(DBG_E_UNSUPPORTED,
			     "'%s' cannot be called: it returns a '%s', in "
			     "which a collection could move more than one "
			     "object",
			     req->name, type_name(ts, sig->ret));
}

/*
 * Methods that look at who calls them: a call of ours returns into no method of
 * the user's.
 */
static bool looks_at_caller(struct types *ts, struct type_method *m)
{
	static const struct {
		const char *type, *method;
	} known[] = {
	    {"System.Reflection.Assembly", "GetExecutingAssembly"},
	    {"System.Reflection.Assembly", "GetCallingAssembly"},
	    {"System.Reflection.Assembly", "Load"},
	    {"System.Reflection.MethodBase", "GetCurrentMethod"},
	    {"System.Type", "GetType"},
	    {"System.Activator", "CreateInstance"},
	};
	const struct type_sig *sig;

	if (dbg_err_drop(type_method_sig(ts, m, &sig)) || sig->has_this)
		return false;
	// what is given a name, or nothing; not Activator.CreateInstance(Type)
	if (sig->n_params && sig->params[0]->elem != ELEM_STRING)
		return false;
	if (m->n_args || !m->owner)
		return false;
	const char *owner = type_name(ts, m->owner);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(owner, known[i].type) &&
		    !strcmp(m->name, known[i].method))
			return true;
	return false;
}

/* Which of those that were given is the argument? From 1; 0: none. */
static size_t given_of(const struct evaluation *v,
		       const struct eval_calls *calls, size_t arg)
{
	for (size_t i = 0; i < v->n_given; i++)
		if (!memcmp(calls->args[arg].bytes, &v->given[i],
			    sizeof(v->given[i])))
			return i + 1;
	return 0;
}

/* It is called by Invoke of its object. */
static struct dbg_error *invoke(struct dbg *dbg, const struct eval_calls *calls,
				struct call_request *req)
{
	struct evaluation *v = dbg->evaluation;

	v->moved = VALUE_MOVED_FIRST;
	if (calls->boxes_this)
		v->invoking.receiver = given_of(v, calls, INVOKE_OBJECT);
	if (calls->writes_args)
		v->invoking.array = given_of(v, calls, INVOKE_ARRAY);
	return helper_set(dbg, DOING_INVOKE, req);
}

static struct dbg_error *call(struct dbg *dbg, const struct eval_calls *calls,
			      pid_t tid)
{
	struct evaluation *v = dbg->evaluation;
	struct call_request req = {.tid = tid};
	struct type_method *m = calls->method;
	bool runs = false;

	req.name = v->wanted;
	if (looks_at_caller(dbg->inspect.types, m))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: what it returns depends "
			       "on the method that calls it, and here none "
			       "does",
			       req.name);
	struct dbg_error *err = calls->invokes ? NULL : result_of(dbg, m, &req);
	if (!err)
		err = making_method(dbg, m, calls->invokes, tid, &req.method,
				    &runs);
	if (err || runs)
		return err;
	v->module = m->module->addr;
	v->token = m->token;
	v->invoking.receiver = v->invoking.array = 0;
	v->invoking.is_begun = calls->invokes;
	if (calls->invokes)
		err = invoke(dbg, calls, &req);
	if (err)
		return err;
	for (; req.n_args < calls->n_args; req.n_args++) {
		const struct eval_argument *from = &calls->args[req.n_args];
		struct call_arg *to = &req.args[req.n_args];

		if (from->type)
			to->type = value_type_closed(from->type);
		if (from->type && !to->type)
			return dbg_err(
			    DBG_E_STATE, "the program has not loaded '%s'",
			    type_name(dbg->inspect.types, from->type));
		memcpy(to->bytes, from->bytes, sizeof(to->bytes));
	}
	if (calls->invokes)
		memcpy(req.args[0].bytes, &v->invoking.object,
		       sizeof(v->invoking.object));
	return run(dbg, &req, DOING_CALL);
}

/* Give the program the string or object that is wanted. */
static struct dbg_error *give(struct dbg *dbg, const struct eval_calls *calls,
			      pid_t tid)
{
	struct evaluation *v = dbg->evaluation;
	const uint64_t n = calls->n_units;

	if (v->n_given == GIVEN_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "a call can be given %d objects that the "
			       "program does not have, no more",
			       GIVEN_MAX);
	if (calls->want == EVAL_WANT_TYPE)
		return making_type(dbg, calls->type, tid);
	if (calls->want == EVAL_WANT_OBJECT)
		return making_object(dbg, calls->type, n, tid);
	v->units = arena_copy(v->arena, calls->units, calls->n_units,
			      sizeof(*v->units));
	v->n_units = calls->n_units;
	return calling_helper(dbg, tid, DOING_STRING, &n, 1);
}

struct dbg_error *calling_begin(struct dbg *dbg, const struct eval_calls *calls,
				pid_t tid)
{
	struct dbg_error *err = control_call_possible(dbg->control, tid);

	if (err)
		return err;
	if (calls->method)
		dbg->evaluation->wanted = arena_strdup(
		    dbg->evaluation->arena,
		    type_method_name(dbg->inspect.types, calls->method));
	return calls->want == EVAL_WANT_CALL ? call(dbg, calls, tid)
					     : give(dbg, calls, tid);
}

/* ---- What a call comes to --------------------------------------------- */

/* Write the units that are wanted into the string at @addr. */
static struct dbg_error *fill_string(struct dbg *dbg, uint64_t addr)
{
	struct evaluation *v = dbg->evaluation;
	struct types *ts = dbg->inspect.types;
	struct type_field *field = NULL;
	uint32_t first;
	struct dbg_error *err = type_field_find(
	    ts, type_of_elem(ts, ELEM_STRING), "_firstChar", &field);

	if (!err && !field)
		err = dbg_err(DBG_E_RUNTIME, "strings are not known");
	if (!err)
		err = type_field_offset(ts, field, &first);
	if (err || !v->n_units)
		return err;
	return target_write(dbg->target, addr + STRING_HEADER + first, v->units,
			    v->n_units * sizeof(*v->units));
}

static struct dbg_error *take_string(struct dbg *dbg, uint64_t addr,
				     uint64_t *place)
{
	struct dbg_error *err =
	    addr
		? fill_string(dbg, addr)
		: dbg_err(DBG_E_RUNTIME, "the program could not make a string");

	if (err)
		return err;
	*place = addr;
	holding_add(dbg->evaluation, place);
	return NULL;
}

static struct dbg_error *take_answer(struct dbg *dbg,
				     const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	struct eval_answer *a = &v->answers[v->n_answers++];

	*a = (struct eval_answer){.module = v->module, .token = v->token};
	a->is_boxed = v->invoking.is_begun;
	if (v->invoking.receiver)
		holding_move(v, &v->given[v->invoking.receiver - 1],
			     &a->receiver);
	if (v->invoking.array)
		holding_move(v, &v->given[v->invoking.array - 1], &a->array);
	holding_drop(dbg, &v->invoking.object);
	v->invoking = (struct invoking){0};
	for (size_t i = 0; i < v->n_given; i++)
		holding_drop(dbg, &v->given[i]);
	v->n_given = 0;
	v->why = NULL;
	if (!v->is_void && r->value.where == VALUE_ABSENT)
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' has returned, but its value is lost",
			       v->name);
	if (r->value.type)
		memcpy(a->bytes, r->value.bytes, sizeof(a->bytes));
	if (v->moved == VALUE_MOVED_FIRST)
		holding_add(v, a->bytes);
	else if (v->moved == VALUE_MOVED_BEHIND)
		holding_add(v, a->bytes + sizeof(uint64_t));
	return NULL;
}

/* It is filled when all that the call is to be given is there. */
static struct dbg_error *take_object(struct dbg *dbg, uint64_t addr)
{
	struct evaluation *v = dbg->evaluation;

	if (!addr)
		return dbg_err(DBG_E_RUNTIME,
			       "the program could not make an object");
	v->given[v->n_given] = addr;
	holding_add(v, &v->given[v->n_given++]);
	return NULL;
}

static struct dbg_error *threw(const struct evaluation *v,
			       const struct call_result *r)
{
	const char *type = r->type ? r->type : "an exception";
	const char *colon = r->message ? ": " : "";
	const char *message = r->message ? r->message : "";

	if (v->doing == DOING_CALL || !v->wanted)
		return dbg_err(DBG_E_STATE, "'%s' threw %s%s%s", v->name, type,
			       colon, message);
	return dbg_err(DBG_E_STATE, "'%s' cannot be called: %s", v->wanted,
		       r->message ? r->message : type);
}

/* A method that serves has returned. */
static struct dbg_error *take_helper(struct dbg *dbg,
				     const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	uint64_t word = 0;

	// it is called again: what it has returned may have been moved
	if (!v->is_void && r->value.where == VALUE_ABSENT &&
	    v->doing != DOING_ALLOC)
		return NULL;
	if (r->value.type)
		memcpy(&word, r->value.bytes, sizeof(word));
	switch (v->doing) {
	case DOING_STRING:
		return take_string(dbg, word, &v->given[v->n_given++]);
	case DOING_NAME:
		return take_string(dbg, word, &v->making.name);
	case DOING_OBJECT:
	case DOING_VECTOR:
	case DOING_SHOWN:
		return take_object(dbg, word);
	case DOING_ALLOC:
	case DOING_HOLD:
		return holding_take(dbg, word);
	default:
		return making_take(dbg, word);
	}
}

struct dbg_error *calling_take(struct dbg *dbg, const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;

	if (r->end == CALL_THREW)
		return threw(v, r);
	if (r->end == CALL_GONE)
		return dbg_err(DBG_E_STATE, "the thread ended in '%s'",
			       evaluation_subject(v));
	if (v->doing == DOING_CALL)
		return take_answer(dbg, r);
	if (++v->n_repeats > REPEATS_MAX)
		return dbg_err(DBG_E_RUNTIME, "what calls need is not loaded");
	holding_lose(dbg, r);
	if (v->doing == DOING_PREPARE)
		return holding_check(v);
	// types of before are gone: what is made is begun anew
	if (v->serial != dbg->inspect.vm_serial && v->doing >= DOING_NAME) {
		making_end(dbg);
		return NULL;
	}
	return take_helper(dbg, r);
}
