/*
 * Updates that the user has the program apply to one of its modules: those of
 * hot reload, as the compiler writes them into files. It is an evaluation
 * without an expression, whose calls are: memory, and the deltas written to it;
 * the module's Assembly; MetadataUpdater.ApplyUpdate; the memory is given back;
 * the handlers that the program's assemblies name for updates, as the agent of
 * `dotnet watch` calls them. What an update means is told where the runtime
 * applies it (control/hotreload.c), whoever asked for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "meta/md.h"
#include "session/evaluate/evaluation_priv.h"

enum {
	DELTAS = 3,
	DELTA_MAX = 64 << 20,
	HANDLERS_MAX = 256,
	TYPES_MAX = 32, // that handlers are told of; else any may be updated
	NAME_MAX_BYTES = 1024,
	NESTING_MAX = 64,
	ATTRIBUTE_PROLOG = 1,
	ASSEMBLYREF_NAME = 6, // a column
};

enum stage {
	STAGE_MEMORY,
	STAGE_ASSEMBLY,
	STAGE_APPLY,
	STAGE_FREE,
	STAGE_TYPES,
	STAGE_HANDLERS,
	STAGE_OVER,
};

struct handler {
	uint64_t module;
	uint32_t class, method; /* tokens */
};

struct applying {
	uint64_t module; /* its address, and */
	uint32_t number; /* dbg_module.number: it may be gone */
	char *name;
	struct file files[DELTAS]; /* metadata, IL, PDB */
	uint32_t n_before;         /* updates of the module */
	enum stage stage;
	uint64_t memory, assembly; /* the program's */
	struct handler *handlers;
	size_t n_handlers, cap_handlers, n_called;
	uint32_t tokens[TYPES_MAX]; /* of updated types */
	size_t n_tokens, n_told;
	uint64_t types;          /* the program's array of them; 0: null */
	struct dbg_error *error; /* the program has not applied it */
};

void applying_destroy(struct applying *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < DELTAS; i++)
		file_unload(&a->files[i]);
	dbg_error_destroy(a->error);
	free(a->handlers);
	free(a->name);
	free(a);
}

/* ---- What is to be applied ------------------------------------------- */

static struct dbg_error *files_load(struct applying *a,
				    const struct dbg_update *u)
{
	const char *const paths[DELTAS] = {u->md, u->il, u->pdb};
	struct dbg_error *err = NULL;

	for (size_t i = 0; !err && i < DELTAS; i++) {
		if (!paths[i])
			continue;
		err = file_load(paths[i], DELTA_MAX, &a->files[i]);
		if (!err && !a->files[i].bytes.n)
			err = dbg_err(DBG_E_FILE, "'%s' is empty", paths[i]);
	}
	return err;
}

/* Can the program's module @m be updated by hot reload? */
static struct dbg_error *can_be_updated(struct dbg *dbg,
					const struct code_module *m)
{
	struct inspect *in = &dbg->inspect;
	struct dac_module is;
	struct dbg_error *err =
	    dac_module_get(in->dac, m->addr, in->arena, &is);

	if (err || is.editable)
		return err;
	return dbg_err(DBG_E_STATE,
		       "'%s' cannot be updated: start the program with "
		       "DOTNET_MODIFIABLE_ASSEMBLIES=debug in its environment, "
		       "and built for debugging",
		       m->name);
}

static struct dbg_error *update_check(struct code_module *m,
				      const struct applying *a)
{
	struct code_update update = {.md = a->files[0].bytes,
				     .il = a->files[1].bytes};
	struct dbg_error *err = code_update_check(m, &update);

	return err ? dbg_err_prefix(err, "'%s' is not updated", m->name) : NULL;
}

struct dbg_error *applying_create(struct dbg *dbg, const struct dbg_update *u,
				  struct applying **ret)
{
	const char *name = strrchr(u->module, '/');
	struct code_module *m =
	    code_module_named(dbg->inspect.code, name ? name + 1 : u->module);

	if (!m)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the program has not loaded a module '%s'",
			       u->module);
	struct applying *a = xcalloc(1, sizeof(*a));
	a->module = m->addr;
	a->number = m->number;
	a->name = xstrdup(m->name);
	a->n_before = code_updates(m);
	struct dbg_error *err = can_be_updated(dbg, m);
	if (!err)
		err = files_load(a, u);
	if (!err)
		err = update_check(m, a);
	if (!err)
		*ret = a;
	else
		applying_destroy(a);
	return err;
}

/* The thread of a frame where a call can be made, the stop's first. */
struct dbg_error *applying_frame(struct dbg *dbg, const struct frame **ret)
{
	struct stack *s = dbg->inspect.stack;
	struct dbg_thread *threads;
	const struct frame *f;
	size_t n;
	struct dbg_error *first =
	    *ret ? control_call_possible(dbg->control, (*ret)->tid) : NULL;

	if ((*ret && !first) || dbg_err_drop(stack_threads(s, &threads, &n)))
		return first;
	for (size_t i = 0; i < n; i++) {
		if (dbg_err_drop(stack_frame(s, threads[i].number, 0, &f)) ||
		    !f ||
		    dbg_err_drop(control_call_possible(dbg->control, f->tid)))
			continue;
		dbg_error_destroy(first);
		*ret = f;
		return NULL;
	}
	return first;
}

/* ---- Handlers -------------------------------------------------------- */

static const char handler_attribute[] =
    "System.Reflection.Metadata.MetadataUpdateHandlerAttribute";

/* Append the method of that name of the class, if it is such a handler. */
static void handler_add(struct dbg *dbg, struct applying *a, struct type *class,
			const char *name)
{
	struct types *ts = dbg->inspect.types;
	const struct type_sig *sig;
	struct type_method *m = type_method_named(ts, class, name, 1);

	if (!m || !(m->flags & TYPE_METHOD_STATIC) || m->owner->n_args ||
	    dbg_err_drop(type_method_sig(ts, m, &sig)) || sig->n_generic ||
	    sig->ret->elem != ELEM_VOID ||
	    sig->params[0]->elem != ELEM_SZARRAY ||
	    a->n_handlers == HANDLERS_MAX)
		return;
	mem_grow(&a->handlers, &a->cap_handlers, a->n_handlers,
		 sizeof(*a->handlers));
	a->handlers[a->n_handlers++] =
	    (struct handler){class->module->addr, class->token, m->token};
}

/* Find the type that the attribute names: "Ns.Type+Inner, Assembly, ...". */
static struct type *handler_type(struct dbg *dbg, struct code_module *m,
				 struct bytes blob)
{
	char name[NAME_MAX_BYTES];
	struct reader r;

	reader_init(&r, blob.p, blob.n);
	if (reader_u16(&r) != ATTRIBUTE_PROLOG)
		return NULL;
	struct bytes text = reader_bytes(&r, reader_cuint(&r));
	if (r.bad || text.n >= sizeof(name))
		return NULL;
	memcpy(name, text.p, text.n);
	name[text.n] = '\0';
	char *comma = strchr(name, ',');
	if (comma) {
		*comma++ = '\0';
		comma += strspn(comma, " ");
		comma[strcspn(comma, ",")] = '\0';
		m = code_module_named(dbg->inspect.code, comma);
	}
	return m ? type_named(dbg->inspect.types, m, name) : NULL;
}

static void handlers_of(struct dbg *dbg, struct applying *a,
			struct code_module *m, const char *method)
{
	struct bytes blob;
	uint32_t rid = 0;

	while (md_attribute_next(&m->md, MD_TOKEN(MD_ASSEMBLY, 1),
				 handler_attribute, &rid, &blob)) {
		struct type *class = handler_type(dbg, m, blob);

		if (class)
			handler_add(dbg, a, class, method);
	}
}

/* Modules in the order in which their handlers are called. */
struct ordered {
	struct code_module **v;
	size_t n, cap;
	struct map met; /* by address */
};

/* Append @m, behind those that it refers to. */
static void order_add(struct dbg *dbg, struct ordered *o, struct code_module *m)
{
	const struct md *md = &m->md;

	if (map_find(&o->met, m->addr))
		return;
	map_put(&o->met, m->addr, m);
	for (uint32_t rid = 1; rid <= md_rows(md, MD_ASSEMBLYREF); rid++) {
		struct code_module *of = code_module_named(
		    dbg->inspect.code,
		    md_col_string(md, MD_ASSEMBLYREF, rid, ASSEMBLYREF_NAME));

		if (of)
			order_add(dbg, o, of);
	}
	mem_grow(&o->v, &o->cap, o->n, sizeof(*o->v));
	o->v[o->n++] = m;
}

/* All caches are cleared before the first application is told. */
static void handlers_find(struct dbg *dbg, struct applying *a)
{
	static const char *const methods[] = {"ClearCache",
					      "UpdateApplication"};
	struct ordered o = {.v = NULL};
	size_t n;
	struct code_module *const *all = code_modules(dbg->inspect.code, &n);

	for (size_t i = 0; i < n; i++)
		order_add(dbg, &o, all[i]);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < o.n; i++)
			handlers_of(dbg, a, o.v[i], methods[k]);
	map_deinit(&o.met);
	free(o.v);
}

/* ---- Updated types --------------------------------------------------- */

/* False: there are too many. */
static bool token_add(struct applying *a, uint32_t token)
{
	for (size_t i = 0; i < a->n_tokens; i++)
		if (a->tokens[i] == token)
			return true;
	if (a->n_tokens == TYPES_MAX)
		return false;
	a->tokens[a->n_tokens++] = token;
	return true;
}

/*
 * Find the types that the update changes and the program has loaded, also
 * around nested ones. None: handlers are told that it may be any.
 */
static void updated_types_find(struct dbg *dbg, struct applying *a)
{
	struct code_module *m = code_module_find(dbg->inspect.code, a->module);
	struct types *ts = dbg->inspect.types;
	struct md delta;

	if (!m || m->number != a->number ||
	    dbg_err_drop(md_parse(a->files[0].bytes, &delta)))
		return;
	for (uint32_t i = 1; i <= md_rows(&delta, MD_ENCMAP); i++) {
		uint32_t token = md_col(&delta, MD_ENCMAP, i, 0);
		uint32_t rid = MD_TOKEN_RID(token);

		if (MD_TOKEN_TABLE(token) == MD_METHODDEF)
			rid = md_method_type(&m->md, rid);
		else if (MD_TOKEN_TABLE(token) == MD_FIELD)
			rid = md_field_type(&m->md, rid);
		else if (MD_TOKEN_TABLE(token) != MD_TYPEDEF)
			continue;
		for (int depth = 0; rid && depth < NESTING_MAX; depth++) {
			uint32_t of = MD_TOKEN(MD_TYPEDEF, rid);
			struct type *type = type_def(ts, m, of);

			if (type && type_record(ts, type) &&
			    !token_add(a, of)) {
				a->n_tokens = 0;
				return;
			}
			rid = md_enclosing(&m->md, rid);
		}
	}
}

/* ---- Calls ----------------------------------------------------------- */

static struct dbg_error *want_core(struct dbg *dbg, struct eval_calls *calls,
				   const char *class, const char *name,
				   int n_params)
{
	struct types *ts = dbg->inspect.types;
	struct type *type = type_core(ts, class);

	calls->want = EVAL_WANT_CALL;
	calls->method =
	    type ? type_method_named(ts, type, name, n_params) : NULL;
	return calls->method
		   ? NULL
		   : dbg_err(DBG_E_RUNTIME, "this runtime has no '%s.%s'",
			     class, name);
}

static void add_word(struct eval_calls *calls, uint64_t word)
{
	memcpy(calls->args[calls->n_args++].bytes, &word, sizeof(word));
}

static uint64_t answered_word(const struct evaluation *v)
{
	uint64_t word;

	memcpy(&word, v->answers[0].bytes, sizeof(word));
	return word;
}

static struct dbg_error *want_memory(struct dbg *dbg, struct eval_calls *calls)
{
	const struct applying *a = dbg->evaluation->applying;
	uint64_t size = 0;

	for (size_t i = 0; i < DELTAS; i++)
		size += a->files[i].bytes.n;
	add_word(calls, size);
	return want_core(dbg, calls, "System.Runtime.InteropServices.Marshal",
			 "AllocHGlobal", 1);
}

/* A type of the module that the program has loaded, or else any. */
static struct type *type_of_module(struct dbg *dbg, struct code_module *m)
{
	struct types *ts = dbg->inspect.types;
	uint32_t n = md_rows(&m->md, MD_TYPEDEF);
	struct type *any = NULL;

	for (uint32_t rid = 2; rid <= n; rid++) {
		struct type *type = type_def(ts, m, MD_TOKEN(MD_TYPEDEF, rid));

		if (!type || type->open || type->n_args)
			continue;
		if (type_mt(ts, type))
			return type;
		any = any ? any : type;
	}
	return any;
}

static struct dbg_error *want_assembly(struct dbg *dbg,
				       struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	const struct applying *a = v->applying;
	struct code_module *m = code_module_find(dbg->inspect.code, a->module);

	if (!m || m->number != a->number)
		return dbg_err(DBG_E_STATE, "'%s' was unloaded", a->name);
	if (v->n_given) {
		add_word(calls, v->given[0]);
		calls->args[0].is_object = true;
		return want_core(dbg, calls, "System.RuntimeType",
				 "get_Assembly", 0);
	}
	calls->type = type_of_module(dbg, m);
	if (!calls->type)
		return dbg_err(DBG_E_UNSUPPORTED, "'%s' has no types", a->name);
	calls->want = EVAL_WANT_TYPE;
	return NULL;
}

/* Write the deltas to the memory, and pass spans of it. */
static struct dbg_error *want_apply(struct dbg *dbg, struct eval_calls *calls)
{
	const struct applying *a = dbg->evaluation->applying;
	uint64_t at = a->memory;
	struct dbg_error *err = NULL;

	add_word(calls, a->assembly);
	calls->args[0].is_object = true;
	for (size_t i = 0; !err && i < DELTAS; i++) {
		struct bytes b = a->files[i].bytes;
		const uint64_t span[] = {at, b.n};

		err = b.n ? target_write(dbg->target, at, b.p, b.n) : NULL;
		memcpy(calls->args[calls->n_args++].bytes, span, sizeof(span));
		at += b.n;
	}
	calls->invokes = calls->by_address = true;
	return err ? err
		   : want_core(dbg, calls,
			       "System.Reflection.Metadata.MetadataUpdater",
			       "ApplyUpdate", 4);
}

static struct dbg_error *want_free(struct dbg *dbg, struct eval_calls *calls)
{
	add_word(calls, dbg->evaluation->applying->memory);
	return want_core(dbg, calls, "System.Runtime.InteropServices.Marshal",
			 "FreeHGlobal", 1);
}

/* Array.SetValue(object, int); NULL: there is none. */
static struct type_method *array_setter(struct types *ts)
{
	struct type *type = type_core(ts, "System.Array");
	struct type_method *const *list = NULL;
	const struct type_sig *sig;
	size_t n = 0;

	if (type)
		type_methods(ts, type, &list, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i]->name, "SetValue") &&
		    !dbg_err_drop(type_method_sig(ts, list[i], &sig)) &&
		    sig->n_params == 2 && sig->params[1]->elem == ELEM_I4)
			return list[i];
	return NULL;
}

/* Have the array of the updated types made, and filled one by one. */
static void want_types(struct dbg *dbg, struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	struct applying *a = v->applying;
	struct types *ts = dbg->inspect.types;
	struct type *element = type_core(ts, "System.Type");
	struct code_module *m = code_module_find(dbg->inspect.code, a->module);

	if (!m || !element || a->n_told == a->n_tokens)
		return;
	if (!a->types && v->n_given) {
		holding_move(v, &v->given[0], &a->types);
		calls->n_given = v->n_given = 0;
	}
	if (v->n_given) {
		calls->method = array_setter(ts);
		add_word(calls, a->types);
		add_word(calls, v->given[0]);
		add_word(calls, a->n_told);
		if (calls->method)
			calls->want = EVAL_WANT_CALL;
		return;
	}
	calls->want = a->types ? EVAL_WANT_TYPE : EVAL_WANT_OBJECT;
	calls->type = a->types ? type_def(ts, m, a->tokens[a->n_told])
			       : type_vector(ts, element);
	calls->n_units = a->n_tokens;
}

/* Null says to a handler that any type may have been updated. */
static void want_handler(struct dbg *dbg, struct eval_calls *calls)
{
	struct applying *a = dbg->evaluation->applying;
	struct types *ts = dbg->inspect.types;

	for (; a->n_called < a->n_handlers; a->n_called++) {
		const struct handler *h = &a->handlers[a->n_called];
		struct code_module *m =
		    code_module_find(dbg->inspect.code, h->module);
		struct type *class = m ? type_def(ts, m, h->class) : NULL;

		if (class)
			calls->method =
			    type_method_get(ts, class, h->method, NULL, 0);
		if (calls->method)
			break;
	}
	if (!calls->method)
		return;
	calls->want = EVAL_WANT_CALL;
	add_word(calls, a->types);
}

/* ---- One after the other --------------------------------------------- */

/* Take the answer of the call that was made. */
static void answer_take(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;
	struct applying *a = v->applying;
	struct code_module *m = code_module_find(dbg->inspect.code, a->module);

	if (!v->n_answers)
		return;
	if (a->stage == STAGE_MEMORY)
		a->memory = answered_word(v);
	else if (a->stage == STAGE_ASSEMBLY)
		holding_move(v, v->answers[0].bytes, &a->assembly);
	else if (a->stage == STAGE_APPLY && m && code_updates(m) == a->n_before)
		session_message(dbg,
				"'%s' was updated, but what that changes is "
				"not known: its breakpoints and lines are "
				"those of before",
				a->name);
	else if (a->stage == STAGE_FREE && !a->error) {
		handlers_find(dbg, a);
		if (a->n_handlers)
			updated_types_find(dbg, a);
	} else if (a->stage == STAGE_TYPES)
		a->n_told++;
	else if (a->stage == STAGE_HANDLERS)
		a->n_called++;
	if (a->stage < STAGE_TYPES)
		a->stage++;
	if (a->error && a->stage == STAGE_TYPES)
		a->stage = STAGE_OVER;
	v->n_answers = 0;
}

static struct dbg_error *want_next(struct dbg *dbg, struct eval_calls *calls)
{
	struct applying *a = dbg->evaluation->applying;

	switch (a->stage) {
	case STAGE_MEMORY:
		return want_memory(dbg, calls);
	case STAGE_ASSEMBLY:
		return want_assembly(dbg, calls);
	case STAGE_APPLY:
		return want_apply(dbg, calls);
	case STAGE_FREE:
		return want_free(dbg, calls);
	case STAGE_TYPES:
		want_types(dbg, calls);
		if (calls->want != EVAL_WANT_NOTHING)
			return NULL;
		a->stage = STAGE_HANDLERS;
		calls->n_args = 0;
		calls->method = NULL;
		want_handler(dbg, calls);
		return NULL;
	case STAGE_HANDLERS:
		want_handler(dbg, calls);
		return NULL;
	default:
		return NULL;
	}
}

struct dbg_error *applying_step(struct dbg *dbg, struct eval_calls *calls)
{
	struct evaluation *v = dbg->evaluation;
	struct applying *a = v->applying;
	const struct eval_calls fresh = *calls;

	answer_take(dbg);
	struct dbg_error *err = want_next(dbg, calls);
	if (err && a->memory && a->stage < STAGE_FREE) {
		a->error = err;
		a->stage = STAGE_FREE;
		*calls = fresh;
		err = want_next(dbg, calls);
	}
	if (err)
		calls->want = EVAL_WANT_NOTHING;
	if (err || calls->want != EVAL_WANT_NOTHING)
		return err;
	v->value = (struct dbg_value){.type = "void", .text = "void"};
	err = a->error;
	a->error = NULL;
	return err;
}

bool applying_threw(struct dbg *dbg, struct dbg_error *why)
{
	struct evaluation *v = dbg->evaluation;
	struct applying *a = v->applying;

	if (!a || v->doing != DOING_CALL || a->stage < STAGE_APPLY)
		return false;
	v->n_answers = 0;
	if (a->stage == STAGE_APPLY) {
		a->error = dbg_err_prefix(why, "'%s' is not updated", a->name);
		a->stage = STAGE_FREE;
		return true;
	}
	session_message(dbg, "%s", why->message);
	dbg_error_destroy(why);
	a->n_called += a->stage == STAGE_HANDLERS;
	if (a->stage == STAGE_TYPES)
		a->n_told = a->n_tokens;
	if (a->stage == STAGE_FREE)
		a->stage = STAGE_OVER;
	return true;
}
