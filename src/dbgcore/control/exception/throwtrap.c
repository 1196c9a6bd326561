/*
 * Exceptions at their throw, the stack intact.
 *
 * Since .NET 9 they are dispatched in managed code: every first chance (throw,
 * rethrow, hardware fault) enters System.Runtime.EH.DispatchEx(ref iterator,
 * ref ExInfo). The struct is explicit in layout: where the exception object is
 * in it, metadata tells. The method is compiled with the first throw, so its
 * code is waited for like a breakpoint's.
 *
 * .NET 8 throws in C++ (PAL_SEHException through __cxa_throw); the object is
 * the thread's last thrown one. A frame of the runtime on the way to the
 * handler makes it throw the same exception again, from another function
 * than RaiseException, where every throw and every notification comes from:
 * the return address of a notification tells the two apart. Hardware faults do
 * not pass there: they are announced at their signal, when there is no object
 * yet.
 */
#include "control/exception/throwtrap.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/debugger.h"
#include "control/exception/exceptions.h"
#include "control/jit/jit.h"
#include "control/step/stepasync.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/pattern.h"
#include "base/str.h"
#include "code/object.h"
#include "code/thrown.h"
#include "dac/assumption.h"
#include "dac/asyncmethod.h"
#include "inspect/exception.h"

/* ---- Which exceptions a catchpoint wants --------------------------------- */

/*
 * By types (exact or with derived ones), the throwing module, a pattern for the
 * message.
 */

/* ---- The words of a catchpoint ------------------------------------------- */

struct dbg_error *filter_init(struct filter *f, const struct dbg_catch *asked)
{
	memset(f, 0, sizeof(*f));
	f->exact = asked->exact;
	f->again = asked->again;
	if (asked->module)
		f->module = xstrdup(asked->module);
	if (!asked->message)
		return NULL;
	f->message = xstrdup(asked->message);
	return pattern_create(f->message, &f->pattern);
}

void filter_deinit(struct filter *f)
{
	free(f->module);
	free(f->message);
	pattern_destroy(f->pattern);
}

/* ---- Types ----------------------------------------------------------- */

/*
 * Is @name the type's name, "System.InvalidOperationException", or its last
 * parts?
 */
static bool name_matches(const char *full, const char *asked, size_t n)
{
	size_t n_full = strlen(full);

	return n <= n_full && !memcmp(full + n_full - n, asked, n) &&
	       (n == n_full || full[n_full - n - 1] == '.');
}

static bool separates(char ch)
{
	return ch == ',' || isspace((unsigned char)ch);
}

/* Length of the name at @s, up to a comma or a blank outside of <>. */
static size_t name_length(const char *s)
{
	int depth = 0;
	size_t n = 0;

	for (; s[n] && (depth > 0 || !separates(s[n])); n++)
		depth += (s[n] == '<') - (s[n] == '>');
	return n;
}

static bool names_have(const char *names, const char *full)
{
	for (const char *s = names; *s;) {
		size_t n = name_length(s);

		if (n && name_matches(full, s, n))
			return true;
		s += n ? n : 1;
	}
	return false;
}

/*
 * Does the list @names, as in dbg_break_req, name one of @types, of which the
 * first is the exception's own? NULL names all.
 */
static bool filter_types(const char *names, bool exact,
			 const char *const *types, size_t n_types)
{
	if (!names)
		return true;

	bool but = *names == '!';
	bool found = false;

	if (exact && n_types > 1)
		n_types = 1;
	for (size_t i = 0; !found && i < n_types; i++)
		found = names_have(names + but, types[i]);
	return found != but;
}

uint64_t thrown_last(struct control *c, pid_t tid)
{
	const struct dac_thread *t = dac_thread_find(c->dac, tid);

	return t ? t->exception : 0;
}

void thrown_add_types(struct control *c, uint64_t mt, struct thrown *t)
{
	struct dbg_error *err = NULL;

	while (!err && mt && t->n_types < THROWN_TYPES_MAX) {
		const struct dac_type *type;

		t->types[t->n_types++] = code_type_name(c->code, mt);
		err = dac_type_get(c->dac, mt, &type);
		mt = err ? 0 : type->parent;
	}
	dbg_error_destroy(err);
}

/* ---- The rest -------------------------------------------------------- */

static bool is_thrown_in(struct control *c, const char *name,
			 const struct thrown *t)
{
	uint32_t thread = stack_thread_number(c->stack, t->tid);
	const struct frame *f = NULL;
	uint32_t level = 0;

	do {
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level++, &f);

		if (dbg_err_drop(err))
			return false;
	} while (f && (!f->pos || !f->pos->module));
	return f && f->pos->module == code_module_named(c->code, name);
}

/* Are its type, message and module as @bp asks? (All stopped.) */
static bool filter_matches(struct control *c, const struct bp *bp,
			   struct thrown *t)
{
	const struct filter *f = &bp->filter;

	if (!filter_types(bp->text, f->exact, t->types, t->n_types))
		return false;
	if (f->pattern &&
	    !(t->message && pattern_matches(f->pattern, t->message)))
		return false;
	return !f->module || is_thrown_in(c, f->module, t);
}

bool filter_wants(struct control *c, const struct bp *bp, struct thrown *t)
{
	if (!filter_matches(c, bp, t))
		return false;
	return bp->kind != DBG_BREAK_USER_UNHANDLED ||
	       catcher_lets_through(catcher_get(c, t));
}

/* ---- Exceptions where they are caught ------------------------------------ */

/*
 * When the frames below have been unwound, the runtime tells which handler a
 * thread is about to enter; a trap waits for the thread at the handler's first
 * place. Handlers in the framework count as well.
 */

enum {
	PROLOG_MAX = 64, /* bytes; farther away begins another handler */
};

/* Ask to be told of handlers, or no longer, as the catchpoints want it. */
static void catch_trap_update(struct control *c)
{
	bool wanted = false;

	if (!c->dac || !target_can(c->target, TARGET_RUN))
		return;
	for (size_t i = 0; i < c->n_bps; i++)
		wanted = wanted || (c->bps[i]->enabled &&
				    c->bps[i]->kind == DBG_BREAK_CAUGHT);
	control_catch(c, CATCH_USER_BREAK, wanted);
	if (!wanted)
		thread_traps_forget(c, &c->catches, SITE_CATCH, 0);
}

void catch_trap_await(struct control *c, pid_t tid, uint64_t entry)
{
	uint64_t addr = entry;

	control_warn(c, catcher_start(c, entry, &addr));
	if (addr - entry > PROLOG_MAX)
		addr = entry;
	control_warn(c, thread_trap_add(c, &c->catches, SITE_CATCH,
					&(struct thread_trap){tid, addr}));
}

static bool is_wanted(struct control *c, const struct bp *bp, void *arg)
{
	return filter_wants(c, bp, arg);
}

struct dbg_error *catch_trap_met(struct control *c,
				 const struct target_event *ev,
				 struct arena *arena, struct dbg_stop *stop,
				 bool *ret_stops)
{
	struct thrown t = {.tid = ev->tid, .arena = arena};
	const struct bp_event event = {
	    .kind = DBG_BREAK_CAUGHT,
	    .tid = ev->tid,
	    .is_wanted = is_wanted,
	    .arg = &t,
	};
	struct dbg_error *err;
	uint64_t mt = 0;

	if (!thread_trap_take(c, &c->catches, SITE_CATCH,
			      &(struct thread_trap){ev->tid, ev->addr}))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;
	t.object = thrown_last(c, ev->tid);
	if (t.object)
		err = target_read_u64(c->target, t.object, &mt);
	if (err || !mt)
		return err;
	thrown_add_types(c, mt & ~(uint64_t)7, &t);
	exception_describe(c->inspect, t.object, arena, stop);
	t.message = stop->exception_message;
	c->throws.object = t.object;
	stop->reason = DBG_STOP_CAUGHT;
	err = bp_happened(c, &event, stop, ret_stops);
	c->throws.object = 0;
	return err;
}

/* ---- Exceptions that are thrown again -------------------------------- */

/*
 * Exceptions that come out of an await. An exception that leaves an async
 * method is put into its task, and thrown once more in each method that awaits
 * that: nothing new has happened then. State machines do so by an awaiter's
 * GetResult, which ends in ExceptionDispatchInfo.Throw; the code that the JIT
 * makes for runtime async throws it where the method is resumed.
 *
 * The object tells that it was thrown before: one that a task was given by
 * hand (Task.FromException) is thrown for the first time by who awaits.
 */

static const struct frame *thrower(struct control *c, pid_t tid, uint32_t level)
{
	const struct frame *f = NULL;
	struct dbg_error *err = stack_frame(
	    c->stack, stack_thread_number(c->stack, tid), level, &f);

	return dbg_err_drop(err) || !f || f->kind != DBG_FRAME_MANAGED ? NULL
								       : f;
}

static bool is_named(struct control *c, const struct frame *f,
		     const char *const *prefixes, size_t n)
{
	bool is = false;
	struct arena *arena = arena_create();
	const char *name =
	    code_method_name(c->code, f->raw.method, false, arena);

	for (size_t i = 0; i < n; i++)
		is |= !strncmp(name, prefixes[i], strlen(prefixes[i]));
	arena_destroy(arena);
	return is && f->pos && f->pos->module && f->pos->module->framework;
}

/*
 * Does an awaiter, or the code that waits for a task, throw the exception that
 * the task has kept?
 */
static bool by_awaiter(struct control *c, pid_t tid)
{
	static const char *const throws[] = {
	    "System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw"};
	static const char *const awaits[] = {"System.Runtime.CompilerServices.",
					     "System.Threading.Tasks."};
	const struct frame *f = thrower(c, tid, 0);
	const struct frame *caller = thrower(c, tid, 1);

	return f && caller && is_named(c, f, throws, 1) &&
	       is_named(c, caller, awaits, 2);
}

/* Does the code that resumes a method of runtime async throw it? */
static bool by_resumption(struct control *c, pid_t tid)
{
	const struct frame *f = thrower(c, tid, 0);

	return f && stepchain_runs(c, f) && dac_await_throws(c->dac, f->raw.ip);
}

/* Is @t thrown once more by who awaits the task that kept it? (All stopped.) */
static bool rethrow_is_await(struct control *c, const struct thrown *t)
{
	struct thrown_frame *frames;
	bool cut;

	return t->object &&
	       thrown_read(c->code, t->object, t->arena, &frames, &cut) &&
	       (by_awaiter(c, t->tid) || by_resumption(c, t->tid));
}

/* ---- Throws ---------------------------------------------------------- */

enum {
	LAST_NATIVE = 8,     /* release that throws in C++ */
	NULL_PAGE = 0x10000, /* faults below it are null references */
};

static const char passed;

/* ---- What is asked --------------------------------------------------- */

/* Is it a catchpoint that stops where exceptions are thrown? */
static bool bp_wants(const struct bp *bp)
{
	return bp->enabled && (bp->kind == DBG_BREAK_THROW ||
			       bp->kind == DBG_BREAK_USER_UNHANDLED);
}

static bool any_wants(struct control *c, const struct thrown *t)
{
	for (size_t i = 0; i < c->n_bps; i++)
		if (bp_wants(c->bps[i]) &&
		    filter_types(c->bps[i]->text, c->bps[i]->filter.exact,
				 t->types, t->n_types))
			return true;
	return false;
}

/* ---- Watching DispatchEx --------------------------------------------- */

static uint32_t method_token(const struct md *md, const char *type,
			     const char *name)
{
	uint32_t rid = md_method_named(md, md_type_named(md, type), name);

	return rid ? MD_TOKEN(MD_METHODDEF, rid) : 0;
}

static void method_arm(struct control *c, const struct trapped_method *m,
		       bool on)
{
	if (!m->n_code)
		return;
	control_warn(
	    c, on ? control_site_add(c, SITE_DISPATCH, m->code, m->n_code)
		  : control_site_remove(c, SITE_DISPATCH, m->code, m->n_code));
}

static bool method_wanted(const struct throw_traps *t,
			  const struct trapped_method *m)
{
	return m == &t->dispatch ? t->wanted : t->user_wanted;
}

/*
 * Trap the new code of a method. The traps in older versions stay, since
 * threads may still call them.
 */
static void method_found(struct control *c, struct trapped_method *m,
			 uint64_t ip)
{
	for (size_t i = 0; i < m->n_code; i++)
		if (m->code[i] == ip)
			return;
	if (m->n_code == DISPATCH_VERSIONS)
		return;
	m->code[m->n_code++] = ip;
	if (method_wanted(&c->throws, m))
		control_warn(c, control_site_add(c, SITE_DISPATCH, &ip, 1));
}

static bool method_is_at(const struct trapped_method *m, uint64_t ip)
{
	for (size_t i = 0; i < m->n_code; i++)
		if (m->code[i] == ip)
			return true;
	return false;
}

bool throw_trap_native(struct control *c)
{
	struct throw_traps *t = &c->throws;
	struct code_module *corelib =
	    code_module_named(c->code, "System.Private.CoreLib");

	struct dac_assumed dispatch = {0};

	if (corelib && !t->dispatch.ref.module) {
		t->dispatch.ref.module = corelib->addr;
		dbg_error_destroy(
		    dac_assume(c->dac, ASSUME_DISPATCH_EX, &dispatch));
		t->dispatch.ref.token = (uint32_t)dispatch.value;
	}
	return corelib && !t->dispatch.ref.token;
}

/*
 * Arm __cxa_throw for the exceptions of .NET 8, or lift it: each that passes
 * there costs a stop. Until a notification passed there it is not known what
 * a first throw looks like.
 */
static void native_update(struct control *c)
{
	struct throw_traps *t = &c->throws;
	bool armed = control_site_kinds(c, c->cxa_throw) & SITE_THROW;
	bool needed = t->wanted || !t->raise_return;

	if (!c->notify_call || armed == needed)
		return;
	control_warn(
	    c, needed ? control_site_add(c, SITE_THROW, &c->cxa_throw, 1)
		      : control_site_remove(c, SITE_THROW, &c->cxa_throw, 1));
}

/*
 * Does the runtime run what was compiled ahead of time (DOTNET_ReadyToRun)?
 * This method it has called before any program.
 */
static bool runs_precompiled(struct control *c,
			     const struct code_module *corelib)
{
	uint32_t token =
	    method_token(&corelib->md, "System.AppContext", "Setup");
	uint64_t desc =
	    token ? dac_method_of_token(c->dac, corelib->addr, token) : 0;
	uint64_t code = desc ? dac_method_code(c->dac, desc) : 0;

	return !code || code == code_precompiled_addr(c->code, corelib, token);
}

/*
 * Find a method's code, and ask to be notified of more: it is compiled again
 * when it has been called often.
 */
static void method_watch(struct control *c, struct code_module *corelib,
			 struct trapped_method *m)
{
	struct dbg_error *err = dac_notify_methods(c->dac, &m->ref, 1, true);

	control_warn(c, err);

	uint64_t desc =
	    dac_method_of_token(c->dac, m->ref.module, m->ref.token);
	uint64_t code = desc ? dac_method_code(c->dac, desc) : 0;

	if (code)
		method_found(c, m, code);

	// Several threads may call it first at the same moment.
	uint64_t precompiled =
	    code_precompiled_addr(c->code, corelib, m->ref.token);

	if (precompiled && runs_precompiled(c, corelib))
		method_found(c, m, precompiled);
}

static void methods_watch(struct control *c)
{
	struct throw_traps *t = &c->throws;
	struct code_module *corelib =
	    code_module_named(c->code, "System.Private.CoreLib");
	struct dac_assumed object;

	if (!corelib || t->looked)
		return;
	t->looked = true;
	if (throw_trap_native(c)) {
		// tells why, if it is not .NET 8
		if (dac_runtime_major(c->dac) > LAST_NATIVE)
			(void)dac_holds(c->dac, ASSUME_DISPATCH_EX, &object);
		return;
	}
	t->unhandled.ref.module = corelib->addr;
	t->unhandled.ref.token =
	    method_token(&corelib->md, "System.Diagnostics.Debugger",
			 "BreakForUserUnhandledException");
	if (t->unhandled.ref.token)
		method_watch(c, corelib, &t->unhandled);
	if (!dac_holds(c->dac, ASSUME_EXINFO_OBJECT, &object))
		return;
	t->object_offset = object.value;
	method_watch(c, corelib, &t->dispatch);
}

/*
 * Watch for the first compilation of a method without code, if it is wanted;
 * else stop watching.
 */
static void first_code_watch(struct control *c, struct trapped_method *m)
{
	const struct code_module *corelib =
	    code_module_find(c->code, m->ref.module);

	if (!corelib || !m->ref.token || m->n_code)
		return;
	if (method_wanted(&c->throws, m))
		m->il = jit_gate_add(c, corelib, &m->ref);
	else if (m->il)
		jit_gate_remove(c, &m->ref, m->il);
}

static bool method_code(struct control *c, struct trapped_method *t,
			const struct code_module *m, uint32_t token,
			uint64_t ip)
{
	if (!t->ref.token || token != t->ref.token || m->addr != t->ref.module)
		return false;
	jit_gate_remove(c, &t->ref, t->il);
	method_found(c, t, ip);
	return true;
}

bool throw_trap_code(struct control *c, struct code_module *m, uint32_t token,
		     uint64_t ip)
{
	return method_code(c, &c->throws.dispatch, m, token, ip) ||
	       method_code(c, &c->throws.unhandled, m, token, ip);
}

/* Is there a runtime, of a process, and not of a core dump or of files alone?
 */
static bool can_trap(const struct control *c)
{
	return c->target && c->code && target_can(c->target, TARGET_RUN);
}

static void method_update(struct control *c, struct trapped_method *m,
			  bool *is_wanted, bool wanted)
{
	if (*is_wanted == wanted)
		return;
	*is_wanted = wanted;
	if (!can_trap(c))
		return;
	if (wanted)
		methods_watch(c);
	first_code_watch(c, m);
	method_arm(c, m, wanted);
}

void throw_trap_update(struct control *c)
{
	struct throw_traps *t = &c->throws;
	bool wanted = false, user = false;

	catch_trap_update(c);
	map_clear(&t->passed);
	for (size_t i = 0; i < c->n_bps; i++) {
		const struct bp *bp = c->bps[i];

		wanted = wanted || bp_wants(bp);
		user = user ||
		       (bp_wants(bp) && bp->kind == DBG_BREAK_USER_UNHANDLED);
	}
	if (wanted != t->wanted && can_trap(c)) {
		t->wanted = wanted;
		native_update(c);
		t->wanted = !wanted;
	}
	method_update(c, &t->dispatch, &t->wanted, wanted);
	method_update(c, &t->unhandled, &t->user_wanted, user);
}

void throw_trap_runtime(struct control *c)
{
	catch_trap_update(c);
	if (!c->throws.wanted || !can_trap(c))
		return;
	methods_watch(c);
	first_code_watch(c, &c->throws.dispatch);
	first_code_watch(c, &c->throws.unhandled);
}

void throw_trap_reset(struct control *c)
{
	bool wanted = c->throws.wanted, user = c->throws.user_wanted;

	map_deinit(&c->throws.passed);
	arena_destroy(c->throws.second.arena);
	memset(&c->throws, 0, sizeof(c->throws));
	c->throws.wanted = wanted;
	c->throws.user_wanted = user;
}

/* ---- Judging --------------------------------------------------------- */

static const char *copy_text(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static void copy_stop(struct arena *arena, const struct dbg_stop *stop,
		      struct dbg_stop *ret)
{
	*ret = *stop;
	ret->exception_type = copy_text(arena, stop->exception_type);
	ret->exception_message = copy_text(arena, stop->exception_message);
	ret->caught = copy_text(arena, stop->caught);
}

/* Let @bp stop after @stop, which another catchpoint makes. */
static void keep_second(struct control *c, const struct bp *bp, pid_t tid,
			const struct dbg_stop *stop)
{
	struct second *s = &c->throws.second;

	if (!s->arena)
		s->arena = arena_create();
	arena_reset(s->arena);
	copy_stop(s->arena, stop, &s->stop);
	s->stop.reason = DBG_STOP_USER_UNHANDLED;
	s->breakpoint = bp->number;
	s->tid = tid;
}

static struct bp *second_bp(struct control *c)
{
	const struct second *s = &c->throws.second;
	struct bp *bp = s->breakpoint ? bp_find(c, s->breakpoint) : NULL;

	return bp && bp->enabled ? bp : NULL;
}

bool control_stops_again(struct control *c)
{
	return second_bp(c);
}

void control_stop_again(struct control *c, struct arena *arena,
			struct dbg_stop *ret)
{
	struct second *s = &c->throws.second;
	struct bp *bp = second_bp(c);

	copy_stop(arena, &s->stop, ret);
	ret->thread = stack_thread_number(c->stack, s->tid);
	s->breakpoint = 0;
	bp_spent(c, bp, ret);
}

/*
 * Identify the exception, which the GC may move: by its type, and where it was
 * first thrown. The object itself records that when it leaves the frame.
 */
static void told_identify(struct control *c, const struct thrown *t,
			  uint64_t object, struct told_exception *ret,
			  bool *ret_again)
{
	const struct frame *f = NULL;
	struct thrown_frame *list;
	uint64_t mt = 0;
	size_t n = thrown_read(c->code, object, t->arena, &list, NULL);

	*ret = (struct told_exception){0};
	*ret_again = n;
	dbg_error_destroy(target_read_u64(c->target, object, &mt));
	ret->mt = mt & ~(uint64_t)7;
	if (n) {
		ret->method = list[0].method;
		ret->ip = list[0].ip;
		return;
	}
	for (uint32_t level = 0;; level++) {
		struct dbg_error *err = stack_frame(
		    c->stack, stack_thread_number(c->stack, t->tid), level, &f);
		if (dbg_err_drop(err) || !f)
			return;
		if (f->kind != DBG_FRAME_MANAGED)
			continue;
		ret->method = f->raw.method;
		ret->ip = f->raw.ip;
		return;
	}
}

/* Is it a type in which an exception is passed on inside of another one? */
static bool is_wrapper(const char *type)
{
	return !strcmp(type, "System.AggregateException") ||
	       !strcmp(type, "System.TypeInitializationException") ||
	       !strcmp(type, "System.Reflection.TargetInvocationException");
}

/*
 * An exception is thrown again, or in a wrapper: was the user told when it left
 * user code before?
 */
static bool told_before(struct control *c, const struct thrown *t)
{
	const struct throw_traps *traps = &c->throws;
	struct told_exception e;
	uint64_t object = t->object;
	bool again;

	if (object && is_wrapper(t->types[0]))
		object = object_ref(c->code, object, "_innerException");
	if (!object)
		return false;
	told_identify(c, t, object, &e, &again);
	for (size_t i = 0; again && i < TOLD_MAX; i++) {
		const struct told_exception *o = &traps->told[i];
		if (o->mt == e.mt && o->method == e.method &&
		    o->ip - e.ip + 1 <= 2)
			return true;
	}
	return false;
}

static void told_add(struct control *c, const struct thrown *t)
{
	struct throw_traps *traps = &c->throws;
	bool again;

	if (t->object)
		told_identify(c, t, t->object,
			      &traps->told[traps->n_told++ % TOLD_MAX], &again);
}

static bool wants_throw(struct control *c, const struct bp *bp,
			struct thrown *t)
{
	return bp_wants(bp) && filter_wants(c, bp, t) &&
	       (bp->kind != DBG_BREAK_USER_UNHANDLED || !told_before(c, t));
}

/* Count the throw for every catchpoint that wants it. */
static struct dbg_error *count_throw(struct control *c, struct thrown *t,
				     struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	struct bp *winner = NULL, *other = NULL;

	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];
		bool stops;

		if (!wants_throw(c, bp, t))
			continue;
		err = bp_counts(c, bp, t->tid, &stops);
		if (err)
			return err;
		if (!stops)
			continue;
		if (bp->filter.again && !other)
			other = bp;
		else if (!winner)
			winner = bp;
	}
	if (!winner) {
		winner = other;
		other = NULL;
	}
	*ret_stops = winner;
	if (!winner)
		return NULL;
	stop->reason = winner->kind == DBG_BREAK_THROW
			   ? DBG_STOP_THROWN
			   : DBG_STOP_USER_UNHANDLED;
	stop->caught = catcher_text(c, catcher_get(c, t), t->arena);
	if (other)
		keep_second(c, other, t->tid, stop);
	if (other || winner->kind == DBG_BREAK_USER_UNHANDLED)
		told_add(c, t);
	bp_spent(c, winner, stop);
	return NULL;
}

static struct dbg_error *judge_object(struct control *c, struct thrown *t,
				      struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	uint64_t mt;

	err = target_read_u64(c->target, t->object, &mt);
	if (err)
		return err;
	mt &= ~(uint64_t)7;
	if (map_find(&c->throws.passed, mt))
		return NULL;
	err = control_halt(c);
	if (err)
		return err;
	thrown_add_types(c, mt, t);
	if (!any_wants(c, t)) {
		map_put(&c->throws.passed, mt, (void *)&passed);
		return NULL;
	}
	if (rethrow_is_await(c, t))
		return NULL;
	exception_describe(c->inspect, t->object, t->arena, stop);
	t->message = stop->exception_message;
	c->throws.object = t->object;
	err = count_throw(c, t, stop, ret_stops);
	c->throws.object = 0;
	return err;
}

/*
 * Handle Debugger.BreakForUserUnhandledException(e), whose body is empty: code
 * that has caught an exception reports that user code did not. It is answered
 * as if the method had returned, and the stop is in its caller.
 */
static struct dbg_error *judge_unhandled(struct control *c, struct thrown *t,
					 struct regs *regs,
					 struct dbg_stop *stop, bool *ret_stops)
{
	uint64_t mt;
	struct dbg_error *err = target_read_u64(c->target, t->object, &mt);
	bool stops = false;

	if (!err)
		err = debugger_answer(c, t->tid, regs, 0);
	if (!err)
		err = control_halt(c);
	if (err)
		return err;
	thrown_add_types(c, mt & ~(uint64_t)7, t);
	exception_describe(c->inspect, t->object, t->arena, stop);
	t->message = stop->exception_message;
	for (size_t i = 0; i < c->n_bps && !err; i++) {
		struct bp *bp = c->bps[i];

		if (!bp_wants(bp) || bp->kind != DBG_BREAK_USER_UNHANDLED ||
		    !filter_matches(c, bp, t))
			continue;
		err = bp_counts(c, bp, t->tid, &stops);
		if (err || !stops || *ret_stops)
			continue;
		*ret_stops = true;
		stop->reason = DBG_STOP_USER_UNHANDLED;
		stack_behind(c->stack, t->tid);
		bp_spent(c, bp, stop);
	}
	return err;
}

struct dbg_error *throw_trap_dispatch(struct control *c, pid_t tid,
				      struct arena *arena,
				      struct dbg_stop *stop, bool *ret_stops)
{
	struct dbg_error *err;
	struct regs regs;
	struct thrown t = {.tid = tid, .arena = arena};

	if (!c->throws.wanted)
		return NULL;
	err = target_regs(c->target, tid, &regs);
	if (!err && method_is_at(&c->throws.unhandled, regs_pc(&regs))) {
		t.object = regs_arg(&regs, 0);
		return t.object ? judge_unhandled(c, &t, &regs, stop, ret_stops)
				: NULL;
	}
	if (!err)
		err = target_read_u64(
		    c->target, regs_arg(&regs, 1) + c->throws.object_offset,
		    &t.object);
	if (err || !t.object)
		return err;
	return judge_object(c, &t, stop, ret_stops);
}

static uint64_t return_address(struct control *c, const struct regs *regs)
{
	uint64_t addr = 0;

	dbg_error_destroy(regs_return_address(regs, c->target, &addr));
	return addr;
}

void throw_trap_raised(struct control *c, const struct regs *regs)
{
	if (!c->throws.raise_return)
		c->throws.raise_return = return_address(c, regs);
	native_update(c);
}

struct dbg_error *throw_trap_pal(struct control *c, pid_t tid,
				 struct arena *arena, struct dbg_stop *stop,
				 bool *ret_stops)
{
	struct dbg_error *err;
	struct regs regs;
	struct thrown t = {.tid = tid, .arena = arena};

	if (!c->throws.wanted || c->throws.dispatch.ref.token)
		return NULL;
	err = target_regs(c->target, tid, &regs);
	if (err)
		return err;
	if (c->throws.raise_return &&
	    return_address(c, &regs) != c->throws.raise_return)
		return NULL; // thrown before, on its way through the runtime
	err = control_halt(c);
	if (err)
		return err;

	t.object = thrown_last(c, tid);
	return t.object ? judge_object(c, &t, stop, ret_stops) : NULL;
}

/*
 * The exception that a fault will become: its message, and its types from the
 * most derived.
 */
struct fault {
	const char *message;
	const char *types[5];
};

static const struct fault null_reference = {
    "Object reference not set to an instance of an object.",
    {"System.NullReferenceException", "System.SystemException",
     "System.Exception"}};
static const struct fault divide_by_zero = {
    "Attempted to divide by zero.",
    {"System.DivideByZeroException", "System.ArithmeticException",
     "System.SystemException", "System.Exception"}};

static const struct fault *fault_of(const siginfo_t *info)
{
	if (info->si_signo == SIGFPE && info->si_code == FPE_INTDIV)
		return &divide_by_zero;
	if (info->si_signo == SIGSEGV && (uintptr_t)info->si_addr < NULL_PAGE)
		return &null_reference;
	return NULL;
}

struct dbg_error *throw_trap_fault(struct control *c,
				   const struct target_event *ev,
				   struct arena *arena, struct dbg_stop *stop,
				   bool *ret_stops)
{
	struct dbg_error *err;
	struct regs regs;
	const struct fault *fault = fault_of(&ev->info);
	struct thrown t = {.tid = ev->tid, .arena = arena};

	if (!c->code || !c->throws.wanted || c->throws.dispatch.ref.token ||
	    !fault)
		return NULL;
	err = control_halt(c);
	if (!err)
		err = target_regs(c->target, ev->tid, &regs);
	if (err || !dac_method_at(c->dac, regs_pc(&regs)))
		return err;
	while (fault->types[t.n_types]) {
		t.types[t.n_types] = fault->types[t.n_types];
		t.n_types++;
	}
	t.message = fault->message;
	stop->signal = ev->signal;
	stop->exception_type = arena_strdup(arena, fault->types[0]);
	stop->exception_message = arena_strdup(arena, fault->message);
	return count_throw(c, &t, stop, ret_stops);
}
