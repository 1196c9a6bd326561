/*
 * Finds where an exception that is thrown now will be caught: compares the
 * clauses of each frame of the throwing thread, from the EH tables of the code,
 * with the exception's types. Filters are not run, so a clause with one may or
 * may not catch; native frames end the search on Linux.
 */
#include "control/exception/catcher.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/handler.h"
#include "control/control_priv.h"
#include "control/exception/throwtrap.h"
#include "control/step/step.h"
#include "control/step/stepasync.h"
#include "meta/csname.h"
#include "meta/pdb.h"

enum {
	FRAMES_MAX = 20000,
	AWAITS_MAX = 256, /* methods that await each other */
	METHOD_NAME = 3,  /* II.22.26 */
};

// The module that was stepped in last says nothing of who is to handle what.
static bool is_users(struct control *c, const struct code_pos *pos)
{
	if (!pos->module)
		return false;
	return c->rules.just_my_code
		   ? code_is_user(c->code, pos->module, pos->token, NULL)
		   : mycode_is_user(c, pos->module, pos->token);
}

enum answer {
	NO,
	MAYBE,
	YES
};

static enum answer takes(const struct code_handler *h, const struct thrown *t)
{
	enum answer fits = h->kind == CODE_HANDLER_FILTER ? MAYBE : YES;

	if (!h->type)
		return fits;
	for (size_t i = 0; i < t->n_types; i++)
		if (!strcmp(t->types[i], h->type))
			return fits;
	// catch (T), or an instance of a generic type
	return h->generic ? MAYBE : NO;
}

/*
 * The rid of the method that its author wrote: if @pos is in a state machine,
 * of the async method or iterator that it was made from.
 */
static uint32_t author_method(const struct code_pos *pos)
{
	uint32_t rid = MD_TOKEN_RID(pos->token), of = 0;

	if (pos->module->pdb)
		of = pdb_kickoff_of(pos->module->pdb, rid);
	if (!of)
		of = csname_kickoff(&pos->module->md, rid);
	return of ? of : rid;
}

/*
 * Does the method say that what it catches is no affair of the debugger's, but
 * if it calls Debugger.BreakForUserUnhandledException?
 */
static bool is_unasked(const struct code_pos *pos)
{
	return pos->module &&
	       md_has_attribute(&pos->module->md,
				MD_TOKEN(MD_METHODDEF, author_method(pos)),
				"System.Diagnostics.DebuggerDisable"
				"UserUnhandledExceptionsAttribute",
				NULL);
}

/* The runtime puts a TypeInitializationException in its place. */
static bool is_cctor(const struct code_pos *pos)
{
	return pos->module &&
	       !strcmp(md_col_string(&pos->module->md, MD_METHODDEF,
				     MD_TOKEN_RID(pos->token), METHOD_NAME),
		       ".cctor");
}

/*
 * Is it a filter of library code, for exceptions of a type, in front of all
 * user code? Then a library throws and catches (EF Core does, to see whether a
 * database exists). A filter for any exception may as well only look at it.
 */
static bool is_librarys(const struct catcher *k, const struct code_handler *h)
{
	return !k->passes_user && h->type &&
	       strcmp(h->type, "System.Exception");
}

static void note_filter(struct control *c, struct catcher *k,
			const struct frame *f, const struct code_handler *h)
{
	k->may_be_caught |=
	    is_users(c, f->pos) || is_librarys(k, h) || is_unasked(f->pos);
	if (k->asks)
		return;
	k->asks = f;
	k->asks_path = h->path;
	k->asks_line = h->line;
}

/* Ask the handlers of one frame; true if the search ends there. */
static bool ask_frame(struct control *c, const struct frame *f,
		      struct thrown *t, struct catcher *k)
{
	struct code_handler *handlers;
	size_t n;

	k->passes_user |= is_users(c, f->pos);
	code_handlers(c->code, f->pos, t->arena, &handlers, &n);
	for (size_t i = 0; i < n; i++) {
		const struct code_handler *h = &handlers[i];

		// a library's that only cleans up (Lazy's): who is next?
		if (h->passes_on && !is_users(c, f->pos))
			continue;
		switch (takes(h, t)) {
		case NO:
			continue;
		case MAYBE:
			note_filter(c, k, f, h);
			continue;
		case YES:
			k->at = f;
			k->by_task = h->kind == CODE_HANDLER_TASK;
			k->by_user = is_users(c, f->pos) && !k->by_task;
			k->unasked = !k->by_task && is_unasked(f->pos);
			k->path = h->path;
			k->line = h->line;
			return true;
		}
	}
	// what a filter lets out ends there: it counts as false
	k->in_filter = f->pos->region == CODE_REGION_FILTER;
	k->in_cctor = is_cctor(f->pos);
	if (k->in_filter || k->in_cctor)
		k->at = f;
	return k->at;
}

/*
 * Was the frame called by native code? On Linux no exception gets past such a
 * frame.
 */
static bool is_native_entry(const struct frame *f)
{
	const struct code_module *m = f->pos->module;

	return m && md_has_attribute(&m->md, f->pos->token,
				     "System.Runtime.InteropServices."
				     "UnmanagedCallersOnlyAttribute",
				     NULL);
}

/* ---- Who awaits ------------------------------------------------------ */

static struct dbg_error *frame_below(struct control *c, const struct frame *f,
				     const struct frame **ret)
{
	return stack_frame(c->stack, f->thread, f->level + 1, ret);
}

/*
 * The async method that has called @at, which returns a task. A caller that is
 * no async method does not await, but may hand on the task.
 */
static const struct frame *hands_on(struct control *c, const struct frame *at)
{
	for (int i = 0; i < AWAITS_MAX; i++) {
		if (dbg_err_drop(frame_below(c, at, &at)) || !at || !at->pos ||
		    !at->pos->module)
			return NULL;
		if (author_method(at->pos) != MD_TOKEN_RID(at->pos->token) ||
		    stepchain_runs(c, at))
			return at;
		if (!asynccall_hands_on(at->pos))
			return NULL;
	}
	return NULL;
}

/*
 * The frame that called the async method of @f, if the method still runs since
 * its call and was not resumed: the frame behind the method that starts the
 * state machine. NULL: there is none.
 */
static const struct frame *starter(struct control *c, const struct frame *f)
{
	uint32_t author = author_method(f->pos);
	const struct frame *at = f;

	if (f->kind != DBG_FRAME_MANAGED ||
	    author == MD_TOKEN_RID(f->pos->token))
		return NULL;
	for (int i = 0; i < AWAITS_MAX; i++) {
		if (dbg_err_drop(frame_below(c, at, &at)) || !at)
			return NULL;
		if (!at->pos || !at->pos->module)
			continue;
		if (at->pos->module == f->pos->module &&
		    MD_TOKEN_RID(at->pos->token) == author)
			break;
		if (is_users(c, at->pos))
			return NULL;
	}
	return hands_on(c, at);
}

struct awaiters {
	const struct frame *list[AWAITS_MAX];
	size_t n;
};

static void awaiters_add(void *arg, struct frame *f)
{
	struct awaiters *a = arg;

	if (a->n < AWAITS_MAX && f->pos && f->pos->module)
		a->list[a->n++] = f;
}

/*
 * Find the calls that await @f's, nearest first: by its task, or on the stack.
 */
static void awaiters_find(struct control *c, const struct frame *f,
			  const struct frame *keeper, struct awaiters *ret)
{
	stack_waiters(c->stack, keeper ? keeper : f, awaiters_add, ret);
	if (ret->n)
		return;
	const struct frame *caller =
	    keeper ? hands_on(c, keeper) : starter(c, f);
	if (caller)
		ret->list[ret->n++] = caller;
}

/* Does the program end with what the task of this method has? */
static bool is_async_main(const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = author_method(pos);
	const char *name = md_col_string(md, MD_METHODDEF, rid, METHOD_NAME);

	return (!strcmp(name, "Main") || !strcmp(name, "<Main>$")) &&
	       md_method_named(md, md_method_type(md, rid), "<Main>");
}

/*
 * Does what leaves a method of runtime async, which @f has called or resumed,
 * go into its task there?
 */
static bool keeps_in_task(struct control *c, const struct frame *f)
{
	struct continuation_record record;

	return stepchain_is_thunk(c, f) ||
	       continuation_record_of(c->stack, f, &record);
}

static void waiters_first(void *arg, struct frame *f)
{
	const struct frame **first = arg;

	if (!*first && f->pos && f->pos->module)
		*first = f;
}

/*
 * The first call that awaits the one which @f resumes; NULL: none. If what was
 * awaited throws and is no call of the program's, it is as if this call had
 * thrown.
 */
static const struct frame *resumed_by(struct control *c, const struct frame *f)
{
	struct continuation_record record;
	const struct frame *first = NULL;

	if (continuation_record_of(c->stack, f, &record))
		stack_waiters(c->stack, f, waiters_first, &first);
	return first;
}

/*
 * Ask the frames of the throwing thread from @level on, up to what catches or
 * keeps it; @async: a method of runtime async that they have called.
 */
static void catcher_search(struct control *c, struct thrown *t,
			   struct catcher *k, uint32_t level,
			   const struct frame *async)
{
	uint32_t thread = stack_thread_number(c->stack, t->tid);

	for (; level < FRAMES_MAX; level++) {
		const struct frame *f = NULL;
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level, &f);

		if (dbg_err_drop(err) || !f)
			return;
		if (!async && (async = resumed_by(c, f)))
			k->passes_user |= is_users(c, async->pos);
		if (async && keeps_in_task(c, f)) {
			k->at = async;
			k->keeper = f;
			k->by_task = true;
			return;
		}
		if (stepchain_runs(c, f))
			async = f;
		if (f->pos && (ask_frame(c, f, t, k) || is_native_entry(f)))
			return;
	}
}

/*
 * The exception goes into the task of @k->at. Search on in the calls that await
 * it: on the stack on the way to the throw, or suspended. @k stays as it is if
 * none is found to catch it.
 */
static void ask_awaiters(struct control *c, struct thrown *t, struct catcher *k)
{
	struct catcher asked = *k;
	const struct frame *f = k->at;

	asked.by_task = true;
	for (int i = 0; asked.by_task && i < AWAITS_MAX; i++) {
		struct awaiters a = {.n = 0};

		awaiters_find(c, f, asked.keeper, &a);
		asked.keeper = NULL;
		if (!a.n)
			break;
		for (size_t n = 0; n < a.n; n++) {
			f = a.list[n];
			asked.at = NULL;
			asked.by_task = false;
			ask_frame(c, f, t, &asked);
			// of runtime async the next is asked as on a stack
			if (asked.at && !asked.by_task)
				break;
			asked.by_task |= f->continuation != NULL;
			if (!asked.by_task)
				break;
		}
		if (!asked.at && !asked.by_task && stepchain_runs(c, f))
			catcher_search(c, t, &asked, f->level + 1, f);
		if (asked.keeper)
			f = asked.at;
	}
	if (asked.at && !asked.by_task && !asked.in_filter)
		*k = asked;
	else if (asked.by_task && is_async_main(f->pos))
		k->at = NULL;
	k->may_be_caught |= asked.may_be_caught;
}

const struct catcher *catcher_get(struct control *c, struct thrown *t)
{
	struct catcher *k = &t->catcher;

	if (k->known)
		return k;
	k->known = true;
	catcher_search(c, t, k, 0, NULL);
	if (k->by_task)
		ask_awaiters(c, t, k);
	return k;
}

bool catcher_lets_through(const struct catcher *k)
{
	return k->passes_user && k->at && !k->by_user && !k->may_be_caught &&
	       !k->in_filter && !k->unasked;
}

static void add_place(struct control *c, const struct frame *f,
		      const char *path, uint32_t line, struct arena *arena,
		      struct str *out)
{
	struct code_name name;

	// a suspended state machine has no code of its own
	if (f->pos->method || !f->pos->module)
		code_method_names(c->code, f->pos->method, arena, &name);
	else
		code_token_names(f->pos->module, f->pos->token, NULL, arena,
				 &name);
	str_add(out, name.plain);
	if (path && *path && line)
		str_addf(out, " at %s:%u", str_basename(path), line);
}

const char *catcher_text(struct control *c, const struct catcher *k,
			 struct arena *arena)
{
	_cleanup_str_ struct str out = {0};

	if (k->asks) {
		str_add(&out, "a filter decides in ");
		add_place(c, k->asks, k->asks_path, k->asks_line, arena, &out);
		str_add(&out, "; else ");
	}
	str_add(&out, "it ");
	if (!k->at) {
		str_add(&out, "will not be caught");
	} else if (k->in_filter) {
		str_add(&out, "ends in a filter, which counts as false, in ");
		add_place(c, k->at, NULL, 0, arena, &out);
	} else if (k->in_cctor) {
		str_add(&out, "becomes a TypeInitializationException in ");
		add_place(c, k->at, NULL, 0, arena, &out);
	} else if (k->by_task) {
		str_add(&out, "goes into the task of ");
		add_place(c, k->at, NULL, 0, arena, &out);
	} else {
		str_add(&out, "will be caught in ");
		add_place(c, k->at, k->path, k->line, arena, &out);
	}
	return arena_strdup(arena, str_get(&out));
}

uint64_t catcher_entry(struct control *c, pid_t tid, uint64_t method,
		       uint64_t offset)
{
	struct dbg_error *err = NULL;
	struct dac_code code = {0};
	uint32_t thread = stack_thread_number(c->stack, tid);

	for (uint32_t i = 0; !err && !code.method && i < FRAMES_MAX; i++) {
		const struct frame *f;

		err = stack_frame(c->stack, thread, i, &f);
		if (err || !f)
			break;
		if (f->raw.method == method)
			err = dac_code_at(c->dac, f->raw.ip - !f->raw.leaf,
					  &code);
	}
	dbg_error_destroy(err);
	return code.method ? code.start + offset : 0;
}

struct dbg_error *catcher_start(struct control *c, uint64_t entry,
				uint64_t *ret)
{
	const struct code_point *points;
	size_t n = 0;
	uint64_t first = 0;
	struct dbg_error *err = code_points(c->code, entry, &points, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (points[i].addr >= entry &&
		    (!first || points[i].addr < first))
			first = points[i].addr;
	if (first)
		*ret = first;
	return NULL;
}
