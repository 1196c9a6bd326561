/*
 * The calls of an evaluation: what is asked of the thread (value/callrequest.h)
 * for a call of the expression's, for a method of the core library that serves
 * one, and what comes back.
 */
#include "eval/invoke.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/md.h"
#include "session/evaluate/evaluation_priv.h"

/* ---- Objects and arrays ---------------------------------------------- */

/*
 * Finds the program's MethodDesc of a method. A generic method's stands for one
 * instance, which the program makes as its own reflection does: the method of
 * the instantiated class (RuntimeMethodHandle.GetMethodFromCanonical), and from
 * it, where the class or the method itself passes type arguments to shared
 * code, an entry that does so (GetStubIfNeeded). What these calls need and the
 * program does not have yet (a class, a type's object, the array of type
 * arguments) is made by earlier calls. What remains of all this is the same as
 * when the program itself calls the method.
 */

static struct type *calling_helper_class(struct dbg *dbg, enum doing doing);

enum {
	NAME_DEPTH_MAX = 16,
	NAME_UNITS_MAX = 4096,
	ASSEMBLY_NAME = 7, // a column
};

/* A call that has to be made before. */
struct step {
	pid_t tid;
	bool runs;
};

/* ---- Names ----------------------------------------------------------- */

/*
 * Append a type's name as Type.GetType reads it; false: the name contains
 * characters with a meaning there.
 */
static bool add_definition(struct types *ts, struct type *type, struct str *out,
			   unsigned int depth)
{
	struct type *outer = type_enclosing(ts, type);
	const char *name = type_simple_name(type);

	if (depth > NAME_DEPTH_MAX || strpbrk(name, ",+&*[]\\"))
		return false;
	if (outer && !add_definition(ts, outer, out, depth + 1))
		return false;
	if (outer)
		str_addc(out, '+');
	else if (*type_namespace(type))
		str_addf(out, "%s.", type_namespace(type));
	str_add(out, name);
	return true;
}

static bool add_assembly(const struct type *type, struct str *out)
{
	while (type->inner)
		type = type->inner;
	const struct md *md = type->module ? &type->module->md : NULL;
	if (!md || !md_rows(md, MD_ASSEMBLY))
		return false;
	str_addf(out, ", %s", md_col_string(md, MD_ASSEMBLY, 1, ASSEMBLY_NAME));
	return true;
}

static bool add_type(struct types *ts, struct type *type, struct str *out,
		     unsigned int depth)
{
	if (depth > NAME_DEPTH_MAX || type->open)
		return false;
	if (type->elem == ELEM_SZARRAY) {
		bool named = add_type(ts, type->inner, out, depth + 1);

		str_add(out, "[]");
		return named;
	}
	if (!type->module || !add_definition(ts, type, out, depth + 1))
		return false;
	for (size_t i = 0; i < type->n_args; i++) {
		str_add(out, i ? ",[" : "[[");
		if (!add_type(ts, type->args[i], out, depth + 1) ||
		    !add_assembly(type->args[i], out))
			return false;
		str_addc(out, ']');
	}
	if (type->n_args)
		str_addc(out, ']');
	return true;
}

/*
 * Does the runtime find it by its name? It looks in the default load context
 * alone, and might load the assembly of another a second time there.
 */
static bool has_name(struct dbg *dbg, const struct type *type)
{
	struct inspect *in = &dbg->inspect;

	while (type->inner)
		type = type->inner;
	for (size_t i = 0; i < type->n_args; i++)
		if (!has_name(dbg, type->args[i]))
			return false;
	if (!type->module || !dac_module_context(in->dac, type->module->addr))
		return type->module;
	const char *name =
	    inspect_load_context(in, type->module->addr, in->arena);
	return name && !strcmp(name, "Default");
}

/* ---- Types ----------------------------------------------------------- */

static struct dbg_error *not_loaded(struct dbg *dbg, struct type *type)
{
	return dbg_err(DBG_E_STATE,
		       "'%s' cannot be called: the program has not loaded '%s' "
		       "yet",
		       dbg->evaluation->wanted,
		       type_name(dbg->inspect.types, type));
}

static struct dbg_error *type_load(struct dbg *dbg, struct step *s,
				   struct type *type);

static struct dbg_error *helper(struct dbg *dbg, struct step *s,
				enum doing doing, const uint64_t *words,
				size_t n)
{
	struct type *class = calling_helper_class(dbg, doing);

	if (class && !type_mt(dbg->inspect.types, class))
		return type_load(dbg, s, class);
	s->runs = true;
	return calling_helper(dbg, s->tid, doing, words, n);
}

/* Have @type loaded by its name. */
static struct dbg_error *type_load(struct dbg *dbg, struct step *s,
				   struct type *type)
{
	struct evaluation *v = dbg->evaluation;
	_cleanup_str_ struct str name = {0};

	if (v->making.loaded == type || !has_name(dbg, type))
		return not_loaded(dbg, type);
	if (v->making.name)
		return helper(dbg, s, DOING_LOAD, &v->making.name, 1);
	if (!add_type(dbg->inspect.types, type, &name, 0) ||
	    !add_assembly(type, &name) || name.len > NAME_UNITS_MAX)
		return not_loaded(dbg, type);
	uint16_t *units = arena_calloc(v->arena, name.len, sizeof(*units));
	for (size_t i = 0; i < name.len; i++) {
		if (name.s[i] & 0x80)
			return not_loaded(dbg, type);
		units[i] = (uint16_t)name.s[i];
	}
	v->making.naming = type;
	v->units = units;
	v->n_units = name.len;
	const uint64_t n = name.len;
	return helper(dbg, s, DOING_NAME, &n, 1);
}

/*
 * Get the program's object of @type. It is asked for anew before each call,
 * since on .NET 9 and 10 the objects of types in an unloadable assembly move.
 */
static struct dbg_error *type_object(struct dbg *dbg, struct step *s,
				     struct type *type, uint64_t *ret)
{
	struct making *g = &dbg->evaluation->making;
	uint64_t mt = type_mt(dbg->inspect.types, type);

	if (!mt)
		return type_load(dbg, s, type);
	*ret = vm_program_type_object(dbg->inspect.vm, type);
	if (*ret)
		return NULL;
	if (g->shown == type)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: '%s' is of an assembly "
			       "that can be unloaded",
			       dbg->evaluation->wanted,
			       type_name(dbg->inspect.types, type));
	g->naming = type;
	return helper(dbg, s, DOING_TYPE, &mt, 1);
}

/*
 * Nothing is made any more.
 * ---- Methods ---------------------------------------------------------
 */
static void making_end(struct dbg *dbg)
{
	struct making *g = &dbg->evaluation->making;

	holding_drop(dbg, &g->array);
	holding_drop(dbg, &g->name);
	memset(g, 0, sizeof(*g));
}

/* Get the array of the method's type arguments. */
static struct dbg_error *arguments(struct dbg *dbg, struct step *s,
				   struct type_method *m)
{
	struct making *g = &dbg->evaluation->making;
	struct type *of = type_core(dbg->inspect.types, "System.RuntimeType");
	uint64_t object = 0;
	struct dbg_error *err = NULL;

	if (!of)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no 'System.RuntimeType'");
	if (!g->array) {
		err = type_object(dbg, s, of, &object);
		const uint64_t words[] = {object, m->n_args};
		return err || s->runs ? err
				      : helper(dbg, s, DOING_ARRAY, words, 2);
	}
	if (g->n_set == m->n_args)
		return NULL;
	err = type_object(dbg, s, m->args[g->n_set], &object);
	const uint64_t words[] = {g->array, object, g->n_set};
	return err || s->runs ? err : helper(dbg, s, DOING_SET, words, 3);
}

/* Does a caller that is not generic have to call it by an entry of its own? */
static bool has_entry(const struct type_method *m)
{
	return m->n_args || m->flags & TYPE_METHOD_STATIC ||
	       m->owner->is_value || m->owner->kind == TYPE_KIND_INTERFACE;
}

/* Get the instance @m of a generic method with the definition's @desc. */
static struct dbg_error *instance(struct dbg *dbg, struct step *s,
				  struct type_method *m, uint64_t desc)
{
	struct making *g = &dbg->evaluation->making;
	uint64_t owner = 0;
	struct dbg_error *err = type_object(dbg, s, m->owner, &owner);

	if (err || s->runs)
		return err;
	if (m->owner->n_args && !g->class) {
		const uint64_t words[] = {desc, owner};

		return helper(dbg, s, DOING_CLASS, words, 2);
	}
	if (g->class)
		desc = g->class;
	if (!has_entry(m)) {
		*type_method_desc(m) = desc;
		return NULL;
	}
	if (m->n_args)
		err = arguments(dbg, s, m);
	if (err || s->runs)
		return err;
	const uint64_t words[] = {desc, owner, g->array};
	return helper(dbg, s, DOING_STUB, words, 3);
}

static void invoking_end(struct dbg *dbg)
{
	struct invoking *in = &dbg->evaluation->invoking;

	holding_drop(dbg, &in->object);
	holding_drop(dbg, &in->signature);
	for (size_t i = 0; i < EVAL_ARGS_MAX; i++)
		holding_drop(dbg, &in->args[i]);
	*in = (struct invoking){0};
}

/* Get the reflection object of the method, by which it is invoked. */
static struct dbg_error *invoked(struct dbg *dbg, struct step *s,
				 struct type_method *m, uint64_t desc)
{
	struct evaluation *v = dbg->evaluation;
	uint64_t owner = 0;

	if (v->invoking.object && v->invoking.method == m)
		return NULL;
	invoking_end(dbg);
	v->invoking.method = m;
	struct dbg_error *err = type_object(dbg, s, m->owner, &owner);
	const uint64_t words[] = {owner, desc};
	return err || s->runs ? err : helper(dbg, s, DOING_METHOD, words, 2);
}

/*
 * The error that a virtual method of a generic structure cannot be called: the
 * entry that the runtime gives out takes a box.
 */
static struct dbg_error *no_entry(struct dbg *dbg, const struct type_method *m)
{
	bool ref = type_attribute(
	    m->owner, "System.Runtime.CompilerServices.IsByRefLikeAttribute",
	    NULL);

	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' cannot be called: it is a virtual method of a "
		       "generic %s",
		       dbg->evaluation->wanted,
		       ref ? "ref struct"
			   : "structure, and what it takes or returns cannot "
			     "be boxed");
}

static struct dbg_error *method_desc_find(struct dbg *dbg, struct step *s,
					  struct type_method *m, bool invokes,
					  uint64_t *ret)
{
	struct making *g = &dbg->evaluation->making;
	bool is_generic = m->n_args || m->owner->n_args;
	uint64_t desc =
	    dac_method_of_token(dbg->inspect.dac, m->module->addr, m->token);
	struct dbg_error *err;

	if (!desc)
		return type_load(dbg, s, m->owner);
	if (is_generic && m->owner->is_value &&
	    m->flags & TYPE_METHOD_VIRTUAL && !invokes)
		return no_entry(dbg, m);
	if (g->method != m)
		making_end(dbg);
	g->method = m;
	err = is_generic && !*type_method_desc(m) ? instance(dbg, s, m, desc)
						  : NULL;
	if (err || s->runs)
		return err;
	*ret = is_generic ? *type_method_desc(m) : desc;
	if (invokes)
		err = invoked(dbg, s, m, *ret);
	if (!err && !s->runs)
		making_end(dbg);
	return err;
}

/*
 * Get the program's MethodDesc of @m and, if it @invokes, its reflection
 * object, into evaluation.invoking. *ret_runs: instead, a call was begun that
 * is needed to get them.
 */
static struct dbg_error *making_method(struct dbg *dbg, struct type_method *m,
				       bool invokes, pid_t tid, uint64_t *ret,
				       bool *ret_runs)
{
	struct step s = {.tid = tid};
	struct dbg_error *err;

	if (!m->module || !m->owner)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: it is no method of the "
			       "program's",
			       dbg->evaluation->wanted);
	err = method_desc_find(dbg, &s, m, invokes, ret);
	*ret_runs = s.runs && !err;
	return err;
}

/* Have an object of @type made, all zeros; @n: elements, if it is an array. */
static struct dbg_error *making_object(struct dbg *dbg, struct type *type,
				       uint64_t n, pid_t tid)
{
	struct step s = {.tid = tid};
	bool is_array = type->kind == TYPE_KIND_ARRAY;
	uint64_t object = 0;
	struct dbg_error *err =
	    type_object(dbg, &s, is_array ? type->inner : type, &object);
	const uint64_t words[] = {object, n};

	if (err || s.runs)
		return err;
	return helper(dbg, &s, is_array ? DOING_VECTOR : DOING_OBJECT, words,
		      is_array ? 2 : 1);
}

/* Have the object that stands for @type given. */
static struct dbg_error *making_type(struct dbg *dbg, struct type *type,
				     pid_t tid)
{
	struct step s = {.tid = tid};
	uint64_t mt = type_record(dbg->inspect.types, type);

	return mt ? helper(dbg, &s, DOING_SHOWN, &mt, 1)
		  : type_load(dbg, &s, type);
}

/* Take the answer @word of a call that was needed for a method. */
static struct dbg_error *making_take(struct dbg *dbg, uint64_t word)
{
	struct evaluation *v = dbg->evaluation;
	struct making *g = &v->making;

	switch (v->doing) {
	case DOING_LOAD:
		// of an array the runtime tells by its object alone
		if (word)
			vm_type_of_object(dbg->inspect.vm, word);
		g->loaded = g->naming;
		holding_drop(dbg, &g->name);
		g->name = 0;
		return NULL;
	case DOING_TYPE:
		g->shown = g->naming;
		return NULL;
	case DOING_ARRAY:
		g->array = word;
		holding_add(v, &g->array);
		break;
	case DOING_SET:
		g->n_set++;
		return NULL;
	case DOING_CLASS:
		g->class = word;
		break;
	case DOING_STUB:
		*type_method_desc(g->method) = word;
		break;
	case DOING_METHOD:
		v->invoking.object = word;
		holding_add(v, &v->invoking.object);
		break;
	case DOING_SIGNATURE:
		v->invoking.signature = word;
		holding_add(v, &v->invoking.signature);
		break;
	case DOING_MEMORY:
		dbg->handles.memory = word;
		break;
	default:
		return NULL;
	}
	return word ? NULL
		    : dbg_err(DBG_E_RUNTIME,
			      "'%s' cannot be called: the runtime does not "
			      "give its entry",
			      v->wanted);
}

/* ---- Calls ----------------------------------------------------------- */

enum {
	TICK_MS = 20,
	STRING_HEADER = 8, // the MethodTable, in front of its fields
};

/*
 * A core library method that serves to make calls. If @last is not END, the
 * overload whose last parameter has this type.
 */
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
    [DOING_SIGNATURE] = {"System.Reflection.RuntimeMethodInfo", "get_Signature",
			 .is_reference = true},
    [DOING_MEMORY] = {"System.Runtime.InteropServices.Marshal", "AllocHGlobal",
		      .n_params = 1, .last = ELEM_I},
    [DOING_INVOKE] = {"System.Reflection.RuntimeMethodInfo", "Invoke",
		      .n_params = 5, .is_reference = true},
    [DOING_ADDRESS] = {"System.RuntimeMethodHandle", "InvokeMethod",
		       .n_params = 4, .last = ELEM_BOOLEAN,
		       .is_reference = true},
};

// The method of .NET 8 and 9.
static const struct helper old_type = {"System.Type", "GetTypeFromHandleUnsafe",
				       .n_params = 1, .is_reference = true};

/* ---- Beginning ------------------------------------------------------- */

/*
 * Begin a call in the program. Objects that are held must get their handles
 * before anything else is called.
 */
static struct dbg_error *
call_run(struct dbg *dbg, const struct call_request *req, enum doing doing)
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
	v->since = clock_ms();
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

/* The class of the helper method; NULL: there is none. */
static struct type *calling_helper_class(struct dbg *dbg, enum doing doing)
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
	return call_run(dbg, &req, doing);
}

/*
 * Describe in @req what the method returns. What a reference refers to is known
 * from the object alone.
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
 * Does the method look at its caller? A call by the debugger returns into no
 * user method.
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

/* Which of the objects given so far is the argument? From 1; 0: none. */
static size_t given_of(const struct evaluation *v,
		       const struct eval_calls *calls, size_t arg)
{
	for (size_t i = 0; i < v->n_given; i++)
		if (!memcmp(calls->args[arg].bytes, &v->given[i],
			    sizeof(v->given[i])))
			return i + 1;
	return 0;
}

/* Call the method by MethodBase.Invoke on its object. */
static struct dbg_error *call_by_invoke(struct dbg *dbg,
					const struct eval_calls *calls,
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

/* ---- Calls by the addresses of arguments ----------------------------- */

/* As it stands in the program's memory. */
struct addressed {
	uint64_t addrs[EVAL_ARGS_MAX];
	uint8_t bytes[EVAL_ARGS_MAX][EVAL_ANSWER_MAX];
};

/*
 * Have what such a call needs made, one after the other: the object of the
 * method's signature, the memory, a handle for each object among the arguments.
 */
static struct dbg_error *address_prepare(struct dbg *dbg, struct step *s,
					 const struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	struct invoking *in = &v->invoking;
	const uint64_t size = sizeof(struct addressed);

	if (!in->signature)
		return helper(dbg, s, DOING_SIGNATURE, &in->object, 1);
	if (!dbg->handles.memory)
		return helper(dbg, s, DOING_MEMORY, &size, 1);
	for (size_t i = 0; i < calls->n_args; i++) {
		const void *object = calls->args[i].bytes;

		if (!calls->args[i].is_object ||
		    !memcmp(&in->args[i], object, sizeof(in->args[i])))
			continue;
		holding_drop(dbg, &in->args[i]);
		memcpy(&in->args[i], object, sizeof(in->args[i]));
		holding_add(v, &in->args[i]);
	}
	return holding_begin(dbg, s->tid, &s->runs);
}

/* Write the arguments to the program's memory. */
static struct dbg_error *
address_write(struct dbg *dbg, const struct eval_calls *calls, size_t first)
{
	const struct evaluation *v = dbg->evaluation;
	uint64_t memory = dbg->handles.memory;
	struct addressed to = {.addrs = {0}};

	for (size_t i = first; i < calls->n_args; i++) {
		const struct eval_argument *a = &calls->args[i];
		uint64_t *addr = &to.addrs[i - first];

		memcpy(to.bytes[i], a->bytes, sizeof(to.bytes[i]));
		*addr = memory + offsetof(struct addressed, bytes[i]);
		if (a->is_place)
			memcpy(addr, a->bytes, sizeof(*addr));
		else if (v->invoking.args[i])
			*addr = holding_handle(v, &v->invoking.args[i]);
		if (!*addr && !a->is_place)
			return dbg_err(DBG_E_STATE,
				       "an argument of '%s' could not be held",
				       v->wanted);
	}
	return target_write(dbg->target, memory, &to, sizeof(to));
}

/* Call the method by the addresses of its arguments (eval/invoke.h). */
static struct dbg_error *call_by_address(struct dbg *dbg,
					 const struct eval_calls *calls,
					 struct call_request *req)
{
	struct evaluation *v = dbg->evaluation;
	struct step s = {.tid = req->tid};
	bool has_this = !(calls->method->flags & TYPE_METHOD_STATIC);
	struct dbg_error *err = address_prepare(dbg, &s, calls);

	if (!err && !s.runs)
		err = address_write(dbg, calls, has_this);
	if (!err && !s.runs)
		err = helper_set(dbg, DOING_ADDRESS, req);
	if (err || s.runs)
		return err;
	const uint64_t words[] = {has_this ? v->invoking.args[0] : 0,
				  dbg->handles.memory, v->invoking.signature,
				  0};
	for (; req->n_args < sizeof(words) / sizeof(words[0]); req->n_args++)
		memcpy(req->args[req->n_args].bytes, &words[req->n_args],
		       sizeof(words[0]));
	v->moved = VALUE_MOVED_FIRST;
	v->invoking.is_begun = true;
	return call_run(dbg, req, DOING_CALL);
}

/*
 * Begin to call the method in the program, on the thread @tid. The method may
 * have to be prepared or compiled first, which runs the program, too.
 */
static struct dbg_error *call_choose(struct dbg *dbg,
				     const struct eval_calls *calls, pid_t tid)
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
	if (calls->by_address)
		return call_by_address(dbg, calls, &req);
	if (calls->invokes)
		err = call_by_invoke(dbg, calls, &req);
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
	return call_run(dbg, &req, DOING_CALL);
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
	return calls->want == EVAL_WANT_CALL ? call_choose(dbg, calls, tid)
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
	invoking_end(dbg);
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

/*
 * Keep a new object of the program; it is filled when everything that the call
 * is to be given exists.
 */
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

/* Take the answer of a helper method. */
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
