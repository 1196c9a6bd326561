/*
 * Calls made by a thread of the program: see call.c. What happens here is two
 * stops of the one thread (or one, if the call returns): behind the guard's
 * call, or in the guard's handler and then at the statement.
 */
#include "control/call/call.h"
#include "control/call/callcode.h"
#include "control/control_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "dac/gcheap.h"
#include "dac/objectlayout.h"
#include "inspect/exception.h"
#include "types/methodref.h"

/* ---- The frame of a statement, made safe for the collector --------------- */

/*
 * Makes the frame of a statement safe for the GC during a call.
 *
 * The GC finds references in a frame by tables for each instruction. While the
 * thread stands at the statement, the frame is described by that instruction;
 * during a call it counts as a frame that has called, described by the last
 * instruction before the statement. The two differ, so the runtime is asked for
 * both, once for each statement.
 *
 * In a frame that has called, registers that a call may destroy are ignored; at
 * a statement they are not: the compiler reports an object in a register until
 * it is reused, even if nothing reads it any more. What was in such a register
 * before the call may have moved since, so the thread gets null there, which
 * the GC skips.
 */

enum {
	OTHERS_MAX = 32 /* other statements whose frame is compared as well */
};

struct refs {
	struct gc_stack_ref *v;
	size_t n;
};

/*
 * Get the references in the frame of the statement, as the thread stands now.
 */
static struct dbg_error *refs_of(struct control *c, pid_t tid,
				 const struct regs *statement,
				 struct arena *arena, struct refs *ret)
{
	struct gc_stack_ref *all;
	size_t n;

	dac_flush(c->dac);
	struct dbg_error *err = dac_gc_stack(c->dac, tid, arena, &all, &n);
	if (err)
		return err;
	*ret = (struct refs){.v = all};
	for (size_t i = 0; i < n; i++)
		if (!all[i].frame && all[i].ip == regs_pc(statement) &&
		    all[i].sp == regs_sp(statement))
			all[ret->n++] = all[i];
	return NULL;
}

static bool is_scratch(const struct gc_stack_ref *r)
{
	return !r->addr && callcode_is_scratch(r->reg);
}

/*
 * Is everything that @from holds beyond a call (not in scratch registers) also
 * held by @in?
 */
static bool is_within(const struct refs *from, const struct refs *in)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct gc_stack_ref *r = &from->v[i];
		bool found = is_scratch(r);

		for (size_t j = 0; j < in->n && !found; j++)
			found = r->addr == in->v[j].addr &&
				r->reg == in->v[j].reg &&
				r->offset == in->v[j].offset;
		if (!found)
			return false;
	}
	return true;
}

/* As refs_of, but as if the thread's registers were @regs. */
static struct dbg_error *refs_at(struct control *c, pid_t tid,
				 const struct regs *regs,
				 const struct regs *statement,
				 struct arena *arena, struct refs *ret)
{
	struct dbg_error *err = target_regs_set(c->target, tid, regs);

	return err ? err : refs_of(c, tid, statement, arena, ret);
}

/*
 * No reference was found at the statement. *ret: the frame really has none.
 * Otherwise the place is amid instructions at which the GC never looks: it
 * finds some at other statements.
 */
static struct dbg_error *is_empty(struct control *c, pid_t tid,
				  struct arena *arena, bool *ret)
{
	struct regs regs = c->calls.saved;
	const struct code_point *points;
	size_t n;
	struct dbg_error *err =
	    code_points(c->code, regs_pc(&regs), &points, &n);

	*ret = true;
	for (size_t i = 0; !err && *ret && i < n && i < OTHERS_MAX; i++) {
		struct refs refs;

		regs_set_pc(&regs, points[i].addr);
		err = refs_at(c, tid, &regs, &regs, arena, &refs);
		*ret = err || !refs.n;
	}
	return err;
}

static struct dbg_error *frame_examine(struct control *c, pid_t tid,
				       const struct regs *called,
				       struct arena *arena)
{
	struct calls *v = &c->calls;
	struct refs here, there;
	bool is_sound = false;
	struct dbg_error *err = refs_of(c, tid, &v->saved, arena, &here);

	if (!err)
		err = refs_at(c, tid, called, &v->saved, arena, &there);
	if (!err)
		is_sound = is_within(&here, &there) && is_within(&there, &here);
	if (!err && is_sound && !there.n)
		err = is_empty(c, tid, arena, &is_sound);
	struct dbg_error *back = target_regs_set(c->target, tid, &v->saved);
	dac_flush(c->dac);
	if (err || back) {
		dbg_error_destroy(err ? back : NULL);
		return err ? err : back;
	}
	v->frame.ip = regs_pc(&v->saved);
	v->frame.is_sound = is_sound;
	v->frame.n_dead = 0;
	for (size_t i = 0; i < here.n; i++)
		if (is_scratch(&here.v[i]) && v->frame.n_dead < CALL_DEAD_MAX)
			v->frame.dead[v->frame.n_dead++] = here.v[i].reg;
	return NULL;
}

/*
 * Is the statement one where the collector finds all that it would, when the
 * thread stands as @called tells, in the guard that the statement has called?
 * Registers of calls.saved that it may take for objects are cleared.
 */
static struct dbg_error *callframe_check(struct control *c, pid_t tid,
					 const struct regs *called)
{
	struct calls *v = &c->calls;

	if (v->frame.ip != regs_pc(&v->saved)) {
		struct arena *arena = arena_create();
		struct dbg_error *err = frame_examine(c, tid, called, arena);

		arena_destroy(arena);
		if (err)
			return err;
	}
	if (!v->frame.is_sound)
		return dbg_err(DBG_E_STATE,
			       "no call can be made from here: the collector "
			       "could not find what this method refers to; "
			       "step to another line first");
	for (size_t i = 0; i < v->frame.n_dead; i++)
		callcode_clear(&v->saved, v->frame.dead[i]);
	return NULL;
}

/* ---- Calls made by a thread of the program ------------------------------- */

static struct dbg_error *prepare_begin(struct control *c,
				       const struct call_request *req);
static struct dbg_error *prepare_returned(struct control *c, struct regs *regs);
static struct dbg_error *prepare_entered(struct control *c, struct regs *regs);

/* ---- The guards of calls ------------------------------------------------- */

/*
 * Two methods of the core library, alike in all runtimes, which call something
 * within `try` and do nothing else.
 */

/* Indexed by call_request.is_reference. */
static const struct {
	const char *type, *method;
} names[2] = {
    {"System.IO.MemoryStream", "FlushAsync"},
    {"System.Reflection.SignatureTypeExtensions", "TryMakeArrayType"},
};

static struct type_method *method_of(struct control *c, bool is_reference)
{
	struct types *ts = c->inspect->types;
	struct type *type = ts ? type_core(ts, names[is_reference].type) : NULL;

	return type ? type_method_named(ts, type, names[is_reference].method, 1)
		    : NULL;
}

/* Where the native code of the IL from @first to @end begins; 0: not known. */
static uint64_t native_of(const struct dac_il_map *map, size_t n,
			  uint32_t first, uint32_t end)
{
	uint64_t addr = 0;

	for (size_t i = 0; i < n; i++)
		if (map[i].il_offset >= first && map[i].il_offset < end &&
		    (!addr || map[i].start < addr))
			addr = map[i].start;
	return addr;
}

/* Find the guard's parts in its code, by the map from IL. */
static struct dbg_error *parts(struct control *c, struct type_method *m,
			       struct call_guard *g)
{
	const struct type_method_body *body = NULL;
	const struct dac_il_map *map;
	size_t n;
	struct dbg_error *err = type_method_body(c->inspect->types, m, &body);

	if (!err)
		err = dac_il_map(c->dac, g->code, &map, &n);
	if (err)
		return err;
	if (body->n_clauses == 1) {
		const struct type_eh *eh = &body->clauses[0];

		g->body = native_of(map, n, eh->try_start, eh->try_end);
		g->handler =
		    native_of(map, n, eh->handler_start, eh->handler_end);
	}
	if (g->body && g->handler)
		return NULL;
	g->code = 0;
	return dbg_err(DBG_E_RUNTIME,
		       "this runtime's '%s' is not such that calls can be made",
		       m->name);
}

/* Find a method of the core library; 0: there is none. */
static uint64_t guard_method(struct control *c, const char *class,
			     const char *name, uint32_t n_params)
{
	struct type *type = type_core(c->inspect->types, class);
	struct type_method *m =
	    type ? type_method_named(c->inspect->types, type, name, n_params)
		 : NULL;

	return m ? dac_method_of_token(c->dac, m->module->addr, m->token) : 0;
}

/* Metadata name of the class of a guard. */
static const char *guard_class(bool is_reference)
{
	return names[is_reference].type;
}

/*
 * Find @g's method, and its code if it has any. Without its class in the
 * program there is none of both, and no error.
 */
static struct dbg_error *guard_find(struct control *c, bool is_reference,
				    struct call_guard *g)
{
	struct type_method *m = method_of(c, is_reference);

	if (!m)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no '%s.%s', by which calls "
			       "are made",
			       names[is_reference].type,
			       names[is_reference].method);
	if (!g->desc)
		g->desc =
		    dac_method_of_token(c->dac, m->module->addr, m->token);
	if (g->desc && !g->code)
		g->code = dac_method_code(c->dac, g->desc);
	return g->code && !g->handler ? parts(c, m, g) : NULL;
}

/* ---- Calls made by a thread of the program ------------------------------- */

enum {
	SP_ALIGN = 16,
	/* A call runs alone for so long, and while it does not sleep for ... */
	ALONE_MS = 20,
	ALONE_MAX_MS = 500,
	/* part of the time limit for which other threads' hits wait */
	HITS_WAIT_PART = 5,
};

/* ---- Where calls can be made ----------------------------------------- */

static struct dbg_error *not_here(const char *why)
{
	return dbg_err(DBG_E_STATE,
		       "no call can be made from here: %s; step to the "
		       "beginning of a line first",
		       why);
}

static struct dbg_error *at_statement(struct control *c,
				      const struct regs *regs)
{
	const struct code_point *points;
	const struct code_pos *pos;
	size_t n;
	bool any;
	struct dbg_error *err =
	    code_pos_at(c->code, regs_pc(regs), true, &pos, &any);

	if (err)
		return err;
	if (!any || !pos->module)
		return not_here("the thread is in native code");
	if (!probe_has(c, pos->module, regs_pc(regs)))
		return dbg_err(DBG_E_STATE,
			       "no call can be made from here: the method is "
			       "optimized; stop in one that was compiled for "
			       "debugging");
	err = code_points(c->code, regs_pc(regs), &points, &n);
	if (err)
		return err;
	// where a handler begins its exception is in a register
	any = pos->in_prolog || pos->in_epilog ||
	      code_handler_at(pos->module, pos->token, pos->il_offset) ==
		  pos->il_offset;
	for (size_t i = 0; i < n && !any; i++)
		if (points[i].addr == regs_pc(regs) &&
		    regs_sp(regs) % SP_ALIGN == 0)
			return NULL;
	return not_here("the thread is within a statement");
}

struct dbg_error *control_call_possible(struct control *c, pid_t tid)
{
	struct regs regs;
	struct dbg_error *err;

	if (c->calls.phase != CALL_NONE)
		return dbg_err(DBG_E_STATE,
			       "the call of '%s' that was made before has not "
			       "returned yet: it does so when the program goes "
			       "on",
			       c->calls.name);
	err = target_regs(c->target, tid, &regs);
	if (!err)
		err = at_statement(c, &regs);
	if (err)
		return err;
	if (!dac_prestub(c->dac))
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime shows no way to call methods");
	const struct dac_thread *t = dac_thread_find(c->dac, tid);
	return t && t->cooperative
		   ? NULL
		   : not_here("the thread is not executing managed code");
}

/* ---- Begin ------------------------------------------------------------ */

/* Call @fn when the thread comes to @addr, until call_traps_lift. */
static struct dbg_error *call_trap_at(struct control *c, uint64_t addr)
{
	struct calls *v = &c->calls;

	for (size_t i = 0; i < v->n_traps; i++)
		if (v->traps[i] == addr)
			return NULL;
	if (v->n_traps == sizeof(v->traps) / sizeof(*v->traps))
		return dbg_err(DBG_E_RUNTIME, "the call has too many ends");
	v->traps[v->n_traps++] = addr;
	return control_site_add(c, SITE_CALL, &addr, 1);
}

static void call_traps_lift(struct control *c)
{
	struct calls *v = &c->calls;
	size_t n = v->n_traps;

	v->n_traps = 0;
	control_warn(c, control_site_remove(c, SITE_CALL, v->traps, n));
}

/* Let the thread go on, whose registers are set for the call. */
static void call_begun(struct control *c, const struct call_request *req,
		       enum call_phase phase)
{
	struct calls *v = &c->calls;

	free(v->name);
	v->name = xstrdup(req->name);
	v->phase = phase;
	v->alone = true;
	v->left = v->ended = false;
	v->hits = (struct call_hits){0};
	v->serves = req->serves || phase != CALL_RUNS;
	v->tid = req->tid;
	v->ret = req->ret;
	stack_set_called(c->stack, phase == CALL_RUNS ? v->tid : 0, v->sp);
	if (!v->arena)
		v->arena = arena_create();
	arena_reset(v->arena);
	v->result = (struct call_result){.end = CALL_RETURNED};
}

static struct dbg_error *arguments_pass(struct control *c,
					const struct call_request *req,
					struct regs *regs,
					struct fpregs *fpregs)
{
	struct values *values = c->inspect->values;
	struct passing p = {.regs = regs, .fpregs = fpregs};

	for (size_t i = 0; i < req->n_args; i++) {
		const struct call_arg *a = &req->args[i];
		uint64_t word;

		memcpy(&word, a->bytes, sizeof(word));
		if (a->type ? value_pass(values, a->type, a->bytes, &p)
			    : value_pass_word(&p, word))
			continue;
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: its arguments do not "
			       "fit in registers",
			       req->name);
	}
	return NULL;
}

static struct dbg_error *guard_enter(struct control *c,
				     const struct call_request *req)
{
	struct calls *v = &c->calls;
	struct regs regs = v->saved;
	struct fpregs fpregs = v->saved_fp;
	struct dbg_error *err;

	if (!callcode_enter(c->target, &regs, v->guard->code,
			    regs_pc(&v->saved), v->guard->body, &v->back))
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime's code is not such that calls can "
			       "be made");
	v->sp = regs_sp(&regs);
	v->resume = 0;
	v->yield = guard_method(c, "System.Threading.Thread", "Yield", 0);
	if (!v->yield)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no 'Thread.Yield', by which "
			       "calls are ended");
	struct regs called = regs;
	regs_set_pc(&called, v->back);
	err = callframe_check(c, req->tid, &called);
	if (!err)
		err = arguments_pass(c, req, &regs, &fpregs);
	if (err)
		return err;
	if (!callcode_call(c->target, &regs, dac_prestub(c->dac), req->method,
			   v->back))
		return dbg_err(DBG_E_TARGET, "the stack cannot be written");
	err = target_fpregs_set(c->target, req->tid, &fpregs);
	if (!err)
		err = call_trap_at(c, v->back);
	if (!err)
		err = call_trap_at(c, v->guard->handler);
	if (!err)
		err = call_trap_at(c, regs_pc(&v->saved));
	if (!err)
		err = target_regs_set(c->target, req->tid, &regs);
	if (!err) {
		call_begun(c, req, CALL_RUNS);
		return NULL;
	}
	call_traps_lift(c);
	control_warn(c, target_fpregs_set(c->target, req->tid, &v->saved_fp));
	return err;
}

/* Find the guards, and take the one that is meant, or one that is missing. */
static struct dbg_error *guards_find(struct control *c, bool is_reference)
{
	struct calls *v = &c->calls;
	struct dbg_error *err = NULL;

	v->guard = &v->guards[is_reference];
	for (size_t i = 0; !err && i < 2; i++) {
		err = guard_find(c, i, &v->guards[i]);
		if (!v->guards[i].code)
			v->guard = &v->guards[i];
	}
	return err;
}

static struct dbg_error *call_begin_on(struct control *c,
				       const struct call_request *req,
				       bool *ret_prepares)
{
	struct calls *v = &c->calls;
	struct dbg_error *err = guards_find(c, req->is_reference);

	if (!err)
		err = target_regs(c->target, req->tid, &v->saved);
	if (!err)
		err = target_fpregs(c->target, req->tid, &v->saved_fp);
	if (err)
		return err;
	*ret_prepares = !v->guard->code;
	return v->guard->code ? guard_enter(c, req) : prepare_begin(c, req);
}

struct dbg_error *control_call(struct control *c,
			       const struct call_request *req,
			       bool *ret_prepares)
{
	struct calls *v = &c->calls;
	struct dbg_error *err;

	step_clear(c);
	err = control_call_possible(c, req->tid);
	if (err)
		return err;
	err = target_hit_take(c->target, req->tid, &v->hit);
	if (err)
		return dbg_err_prefix(err, "no call can be made from here");
	err = call_begin_on(c, req, ret_prepares);
	if (err)
		target_hit_give(c->target, req->tid, &v->hit);
	return err;
}

/* ---- Beside it --------------------------------------------------------- */

bool call_keeps(struct control *c, const struct target_event *ev, uint64_t addr,
		const uint32_t held[TARGET_JUDGED_MAX])
{
	struct calls *v = &c->calls;
	struct target_event kept = *ev;

	// the trap of another place may have led there
	if (ev->kind != TARGET_TRAP || ev->addr != addr)
		return false;
	if (v->phase == CALL_NONE || v->left || v->hits.passed ||
	    ev->tid == v->tid)
		return false;
	memcpy(kept.judged, held, sizeof(kept.judged));
	LOG(target_log(c->target), LOG_CONTROL,
	    "the hit of thread %d waits for the call of %s", ev->tid, v->name);
	v->hits.any = true;
	target_hit_keep(c->target, &kept);
	return true;
}

static void hits_release(struct control *c)
{
	struct call_hits *h = &c->calls.hits;

	if (h->any && c->target)
		target_hits_release(c->target);
	*h = (struct call_hits){.passed = true};
}

void control_call_beside(struct control *c, uint64_t ms, uint64_t limit)
{
	struct call_hits *h = &c->calls.hits;

	if (c->calls.phase == CALL_NONE || !h->any)
		return;
	if (!h->since)
		h->since = ms + 1;
	if (ms >= h->since + limit / HITS_WAIT_PART)
		hits_release(c);
}

/* ---- End -------------------------------------------------------------- */

/* End the call; its result is set. */
static void call_finish(struct control *c)
{
	struct calls *v = &c->calls;

	LOG(target_log(c->target), LOG_CONTROL, "the call of %s has ended",
	    v->name);
	call_traps_lift(c);
	stack_set_called(c->stack, 0, 0);
	hits_release(c);
	v->phase = CALL_NONE;
	v->result.alone = v->alone;
	if (!v->alone)
		v->result.exception = 0;
	v->ended = !v->left || v->serves;
}

/* Give the thread the registers that it had, but for those it has kept. */
static struct dbg_error *call_restore(struct control *c, struct regs *regs)
{
	struct calls *v = &c->calls;
	struct dbg_error *err;

	callcode_restore(&v->saved, regs);
	err = target_fpregs_set(c->target, v->tid, &v->saved_fp);
	if (!err)
		err = target_regs_set(c->target, v->tid, regs);
	if (!err)
		target_hit_give(c->target, v->tid, &v->hit);
	return err;
}

/*
 * Has the runtime changed where the call returns to, to stop the thread there?
 * It does so by the word below the statement's stack pointer.
 */
static bool call_is_hijacked(struct control *c)
{
	const struct regs *saved = &c->calls.saved;
	uint64_t addr = 0;
	struct dbg_error *err =
	    target_read_u64(c->target, regs_sp(saved) - sizeof(addr), &addr);

	return dbg_err_drop(err) || addr != regs_pc(saved);
}

/*
 * Leave the guard, behind its call or handler: go back to the statement. If the
 * runtime has hijacked the guard's return for a GC, let that happen first: the
 * runtime lets go when the collection is over.
 */
static struct dbg_error *guard_leave(struct control *c, struct regs *regs,
				     uint64_t at)
{
	struct calls *v = &c->calls;

	if (call_is_hijacked(c)) {
		v->phase = CALL_SETTLES;
		v->result.exception = 0;
		if (!callcode_call(c->target, regs, dac_prestub(c->dac),
				   v->yield, v->back))
			return dbg_err(DBG_E_TARGET,
				       "the stack cannot be written");
		return target_regs_set(c->target, v->tid, regs);
	}
	if (!callcode_leave(c->target, regs, at))
		return dbg_err(DBG_E_RUNTIME, "the call cannot be ended");
	call_finish(c);
	return call_restore(c, regs);
}

/* The thread is behind the guard's call: the method has returned. */
static struct dbg_error *guard_returned(struct control *c, struct regs *regs)
{
	struct calls *v = &c->calls;

	// a guard that the program itself has called may have caught something
	v->result.end = CALL_RETURNED;
	if (v->ret)
		v->result.value =
		    value_returned(c->inspect->values, v->tid, v->ret);
	// what moves until the thread stands at the statement is lost
	if (v->ret && call_is_hijacked(c) && v->ret->kind != TYPE_KIND_PRIM &&
	    v->ret->kind != TYPE_KIND_ENUM)
		v->result.value = value_absent(NULL, WHY_NONE, 0);
	return guard_leave(c, regs, v->back);
}

static struct dbg_error *settled(struct control *c, struct regs *regs)
{
	return guard_leave(c, regs, c->calls.back);
}

/* The exception object that the handler gets, by the thread's record of it. */
static uint64_t exception_of(struct control *c, const struct regs *regs)
{
	const struct dac_thread *t = dac_thread_find(c->dac, c->calls.tid);

	for (unsigned int i = 0; i < CALLCODE_HANDLER_ARGS; i++)
		if (t && t->exception && regs_arg(regs, i) == t->exception)
			return t->exception;
	return 0;
}

/*
 * The thread is in the guard's handler, which does nothing: the method has
 * thrown.
 */
static struct dbg_error *guard_threw(struct control *c, struct regs *regs)
{
	struct calls *v = &c->calls;
	struct dbg_stop stop = {0};
	struct dbg_error *err;
	uint64_t object = exception_of(c, regs);

	v->result.end = CALL_THREW;
	v->result.exception = object;
	if (object)
		exception_describe(c->inspect, object, v->arena, &stop);
	v->result.type = stop.exception_type;
	v->result.message = stop.exception_message;
	if (!callcode_leave(c->target, regs, v->guard->handler))
		return NULL; // the handler itself is harmless
	v->resume = callcode_result(regs);
	err = call_trap_at(c, v->resume);
	if (!err)
		err = target_regs_set(c->target, v->tid, regs);
	return err;
}

/* The thread is in the guard behind the handler. */
static struct dbg_error *guard_caught(struct control *c, struct regs *regs)
{
	return guard_leave(c, regs, c->calls.resume);
}

/* The thread came to the statement by itself: the call had not to be undone. */
static struct dbg_error *at_end(struct control *c, struct regs *regs)
{
	call_finish(c);
	return call_restore(c, regs);
}

/* Handles the call's thread at a place where it was awaited. */
typedef struct dbg_error *place_fn(struct control *c, struct regs *regs);

/*
 * The function to handle the trap at @addr, which the thread of the call hit;
 * NULL: the trap is not the call's, or another frame (stack pointer) hit it.
 */
static place_fn *call_trap_handler(struct control *c, uint64_t addr,
				   const struct regs *regs)
{
	const struct calls *v = &c->calls;

	if (addr == regs_pc(&v->saved) && regs_sp(regs) == regs_sp(&v->saved))
		return v->phase < CALL_RUNS ? prepare_returned : at_end;
	if (v->phase < CALL_RUNS)
		return addr == v->guard->code ? prepare_entered : NULL;
	if (addr == v->guard->handler)
		return guard_threw;
	if (regs_sp(regs) != v->sp)
		return NULL;
	if (addr == v->resume)
		return guard_caught;
	if (addr != v->back)
		return NULL;
	return v->phase == CALL_RUNS ? guard_returned : settled;
}

bool call_trap(struct control *c, const struct target_event *ev,
	       struct dbg_stop *stop, bool *ret_stops)
{
	struct calls *v = &c->calls;
	struct regs regs;
	struct dbg_error *err;

	if (v->phase == CALL_NONE || ev->tid != v->tid ||
	    !(control_site_kinds(c, ev->addr) & SITE_CALL))
		return false;
	err = target_regs(c->target, ev->tid, &regs);
	place_fn *place = err ? NULL : call_trap_handler(c, ev->addr, &regs);
	if (place)
		err = control_halt(c);
	if (place && !err)
		err = place(c, &regs);
	control_warn(c, err);
	if (place && v->phase == CALL_NONE && v->left && !v->serves) {
		stop->reason = DBG_STOP_STEP;
		stop->note =
		    arena_printf(c->inspect->arena,
				 "the call of '%s' has returned", v->name);
		*ret_stops = true;
	}
	return place;
}

bool call_is_of(const struct control *c, pid_t tid)
{
	return c->calls.phase != CALL_NONE && c->calls.tid == tid;
}

/* ---- The session's side ----------------------------------------------- */

bool control_call_ended(struct control *c, struct call_result *ret)
{
	struct calls *v = &c->calls;

	if (!v->ended)
		return false;
	v->ended = false;
	*ret = v->result;
	return true;
}

bool control_call_share(struct control *c, uint64_t ms, uint64_t limit)
{
	struct calls *v = &c->calls;
	uint64_t most = limit / 2 < ALONE_MAX_MS ? limit / 2 : ALONE_MAX_MS;

	if (v->phase == CALL_NONE || !v->alone || (ms < ALONE_MS && ms < most))
		return false;
	// one that only gets no processor needs none of the others
	if (ms < most && !target_thread_sleeps(c->target, v->tid))
		return false;
	LOG(target_log(c->target), LOG_CONTROL,
	    "the other threads run beside the call of %s", v->name);
	v->alone = false;
	return true;
}

void control_call_leave(struct control *c)
{
	c->calls.alone = false;
	hits_release(c);
	c->calls.left = c->calls.phase != CALL_NONE;
	c->calls.ended = false;
}

void call_thread_gone(struct control *c, pid_t tid)
{
	struct calls *v = &c->calls;

	if (!call_is_of(c, tid))
		return;
	v->result.end = CALL_GONE;
	call_finish(c);
}

void call_unloaded(struct control *c)
{
	struct calls *v = &c->calls;

	v->frame.ip = 0;
	v->ret = NULL;
	v->result.value = value_absent(NULL, WHY_NONE, 0);
}

void call_reset(struct control *c)
{
	struct calls *v = &c->calls;

	free(v->name);
	arena_destroy(v->arena);
	if (v->phase != CALL_NONE)
		stack_set_called(c->stack, 0, 0);
	memset(v, 0, sizeof(*v));
}

/* ---- Making calls possible ----------------------------------------------- */

/*
 * Making calls possible: the guards are methods that few programs use. Their
 * classes are loaded by Type.GetType, whose argument the program makes; then
 * they are compiled as any method is, by a first call, which is ended in front
 * of their first instruction. These calls have no guard: they throw nothing.
 */

enum {
	NAME_MAX_UNITS = 64,
};

/* Have @desc called, with this argument, to return to the statement. */
static struct dbg_error *plain_call(struct control *c, uint64_t desc,
				    uint64_t argument)
{
	struct calls *v = &c->calls;
	struct regs regs = v->saved;
	struct fpregs fpregs = v->saved_fp;
	struct passing p = {.regs = &regs, .fpregs = &fpregs};

	callcode_clear_args(&regs);
	if (!desc)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no methods that make calls "
			       "possible");
	if (!value_pass_word(&p, argument) ||
	    !callcode_call(c->target, &regs, dac_prestub(c->dac), desc,
			   regs_pc(&v->saved)))
		return dbg_err(DBG_E_TARGET, "the stack cannot be written");
	return target_regs_set(c->target, v->tid, &regs);
}

/* The guard is to be compiled: ask the runtime to notify of its code. */
static struct dbg_error *compile(struct control *c)
{
	struct calls *v = &c->calls;
	struct dac_method method;
	struct dbg_error *err = dac_method_get(c->dac, v->guard->desc, &method);

	if (err)
		return err;
	const struct dac_method_ref ref = {method.module, method.token};
	err = dac_notify_methods(c->dac, &ref, 1, true);
	return err ? err : plain_call(c, v->guard->desc, 0);
}

/* Check as before a call by a guard; here the method seems to call itself. */
static struct dbg_error *prepare_check(struct control *c, pid_t tid)
{
	const struct code_pos *pos;
	struct regs called = c->calls.saved;
	uint64_t ip = regs_pc(&called);
	bool any;
	struct dbg_error *err = code_pos_at(c->code, ip, true, &pos, &any);

	if (err)
		return err;
	if (!any || !pos->start ||
	    !callcode_call(c->target, &called, pos->start, 0, ip))
		return dbg_err(DBG_E_TARGET, "the method is not known");
	return callframe_check(c, tid, &called);
}

/*
 * Make the thread do what is missing to use the guard, whose class is not
 * loaded or that has no code. When it has ended there may be more to do.
 */
static struct dbg_error *prepare_begin(struct control *c,
				       const struct call_request *req)
{
	struct calls *v = &c->calls;
	enum call_phase phase = v->guard->desc ? CALL_PREPARES : CALL_NAMES;
	struct dbg_error *err = prepare_check(c, req->tid);

	if (err)
		return err;
	err = call_trap_at(c, regs_pc(&v->saved));
	v->tid = req->tid;
	if (!err && phase == CALL_PREPARES)
		err = compile(c);
	else if (!err)
		err = plain_call(
		    c,
		    guard_method(c, "System.String", "FastAllocateString", 1),
		    strlen(guard_class(v->guard == &v->guards[true])));
	if (err)
		call_traps_lift(c);
	else
		call_begun(c, req, phase);
	return err;
}

/* The program has made the string at @addr: write it, and load the class. */
static struct dbg_error *prepare_load_class(struct control *c, uint64_t addr)
{
	struct calls *v = &c->calls;
	uint16_t units[NAME_MAX_UNITS];
	const char *name = guard_class(v->guard == &v->guards[true]);
	size_t n = strlen(name);
	struct dbg_error *err;

	for (size_t i = 0; i < n; i++)
		units[i] = (uint8_t)name[i];
	err = target_write(c->target, addr + STRING_CHARS, units,
			   n * sizeof(*units));
	if (!err)
		err = plain_call(
		    c, guard_method(c, "System.Type", "GetType", 1), addr);
	if (!err)
		v->phase = CALL_LOADS;
	return err;
}

/* The thread is back at the statement. */
static struct dbg_error *prepare_returned(struct control *c, struct regs *regs)
{
	struct calls *v = &c->calls;
	uint64_t addr = callcode_result(regs);

	// behind the back of others it cannot have been moved; else once more
	if (v->phase == CALL_NAMES && addr && v->alone) {
		// a collection may have changed what the called preserve
		callcode_restore(&v->saved, regs);
		v->saved = *regs;
		struct dbg_error *err = prepare_load_class(c, addr);
		if (!err)
			return NULL;
		control_warn(c, err);
	}
	call_finish(c);
	return call_restore(c, regs);
}

/* The thread is at the first instruction of the guard. */
static struct dbg_error *prepare_entered(struct control *c, struct regs *regs)
{
	if (call_is_hijacked(c))
		return NULL; // it has a null argument, and gives null back
	call_finish(c);
	return call_restore(c, regs);
}

void call_code(struct control *c, uint64_t desc, uint64_t ip)
{
	struct calls *v = &c->calls;

	if (v->phase != CALL_PREPARES || desc != v->guard->desc ||
	    v->n_traps != 1)
		return;
	v->guard->code = ip;
	control_warn(c, call_trap_at(c, ip));
}
