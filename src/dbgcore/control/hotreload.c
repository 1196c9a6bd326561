/*
 * Hot reload: updates of its assemblies that the program applies while it runs
 * (MetadataUpdater.ApplyUpdate, which `dotnet watch` calls by its agent in the
 * program). The runtime's function behind it has a trap at its first
 * instruction, so a program without updates pays nothing. There the three
 * deltas (metadata, IL, PDB) are read: they are pinned during the call and
 * cannot be found later. The function returns to its caller if the update was
 * applied, else it throws.
 *
 * When it has returned, the module includes all updates so far
 * (code/update/update.c), breakpoints are bound anew, and the user is told.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"
#include "control/hotreload.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

enum {
	DELTA_MAX = 64 << 20,
	WAITS_MAX = 40,     /* for others, each a moment: 300 ms at most */
	FRAMES_MAX = 10000, /* of a thread that are looked at */
	ASSEMBLY_WORDS = 8, /* of an Assembly in which its Module is */
	ARG_ASSEMBLY = 1,   /* of AssemblyNative_ApplyUpdate(assembly handle, */
	ARG_METADATA = 2,   /* metadata, size, IL, size, PDB, size) */
	ARG_IL = 4,
	ARG_PDB = 6,
};

/* Take @tid's update, if it has one under way, out of the list. */
static bool pending_take(struct control *c, pid_t tid,
			 struct pending_update *ret)
{
	struct hot_reload *h = &c->hot_reload;

	for (size_t i = 0; i < h->n; i++) {
		if (h->pending[i].tid != tid)
			continue;
		*ret = h->pending[i];
		h->pending[i] = h->pending[--h->n];
		return true;
	}
	return false;
}

void hot_reload_reset(struct control *c)
{
	struct hot_reload *h = &c->hot_reload;

	for (size_t i = 0; i < h->n; i++)
		code_update_deinit(&h->pending[i].update);
	free(h->pending);
	free(h->returns.v);
	memset(h, 0, sizeof(*h));
}

/* ---- Reading --------------------------------------------------------- */

/* Get the module of the runtime's Assembly at @assembly, which points to it. */
static struct code_module *module_of_assembly(struct control *c,
					      uint64_t assembly)
{
	uint64_t words[ASSEMBLY_WORDS] = {0};

	target_read_some(c->target, assembly, words, sizeof(words));
	for (size_t i = 0; i < ASSEMBLY_WORDS; i++) {
		struct code_module *m = code_module_find(c->code, words[i]);

		if (m)
			return m;
	}
	return NULL;
}

/* Read the bytes whose address and length are arguments @n and @n + 1. */
static struct dbg_error *delta_read(struct control *c, const struct regs *regs,
				    unsigned int n, struct bytes *ret)
{
	uint64_t addr, size;
	struct dbg_error *err = regs_any_arg(regs, c->target, n, &addr);

	if (!err)
		err = regs_any_arg(regs, c->target, n + 1, &size);
	if (err)
		return err;
	size = (uint32_t)size;
	if (size > DELTA_MAX)
		return dbg_err(DBG_E_FORMAT, "it is too large");
	if (!size)
		return NULL;
	uint8_t *bytes = xmalloc(size);
	err = target_read(c->target, addr, bytes, size);
	if (err)
		free(bytes);
	else
		*ret = (struct bytes){bytes, size};
	return err;
}

static struct dbg_error *update_read(struct control *c, const struct regs *regs,
				     struct code_update *ret)
{
	struct dbg_error *err = delta_read(c, regs, ARG_METADATA, &ret->md);

	if (!err)
		err = delta_read(c, regs, ARG_IL, &ret->il);
	if (!err)
		err = delta_read(c, regs, ARG_PDB, &ret->pdb);
	return err;
}

/* ---- The runtime's race ---------------------------------------------- */

/*
 * Shall the update wait until no thread compiles? The runtime stops nobody for
 * an update. A method that a thread compiles meanwhile is published after it,
 * but made from the IL before it, and would be called until the next update.
 * Traps make compiling longer, so we see to it that no thread compiles: an
 * update waits for those that do, and then its thread runs alone.
 */
static bool waits_for_jit(struct control *c, pid_t tid, uint64_t addr)
{
	struct hot_reload *h = &c->hot_reload;

	if (h->n_waits == WAITS_MAX || !jit_gate_busy(c, tid)) {
		h->n_waits = 0;
		return false;
	}
	jit_gate_others_run(c, tid, h->n_waits++);
	target_hit_again(c->target, &(struct target_event){.kind = TARGET_TRAP,
							   .tid = tid,
							   .addr = addr});
	return true;
}

/*
 * Run @tid alone to where the update has been applied. If it sleeps a thread
 * that is stopped holds a lock: the others run for a moment.
 */
static struct dbg_error *apply_alone(struct control *c, pid_t tid,
				     uint64_t returns)
{
	enum target_alone end = TARGET_ALONE_ASLEEP;
	struct dbg_error *err = NULL;

	// another has a trap there, which is to see it
	if (control_site_kinds(c, returns) != SITE_UPDATE)
		return NULL;
	for (unsigned int i = 0; i < WAITS_MAX; i++) {
		err = target_thread_alone(c->target, tid, &returns, 1, &end);
		if (err || end != TARGET_ALONE_ASLEEP)
			break;
		jit_gate_others_run(c, tid, i);
	}
	if (err || end != TARGET_ALONE_THERE)
		return err;
	dac_flush(c->dac);
	return hot_reload_returned(c, tid, returns);
}

struct dbg_error *hot_reload_begins(struct control *c, pid_t tid,
				    struct regs *regs, struct dbg_stop *stop,
				    bool *ret_stops)
{
	struct pending_update p = {.tid = tid}, old;
	struct thread_trap returns = {tid, 0};
	struct hot_reload *h = &c->hot_reload;
	struct dbg_error *err = control_halt(c);

	(void)stop;
	(void)ret_stops;
	if (!err)
		err = regs_return_address(regs, c->target, &returns.addr);
	if (err || waits_for_jit(c, tid, regs_pc(regs)))
		return err;
	// one that failed did not return
	if (pending_take(c, tid, &old))
		code_update_deinit(&old.update);
	thread_traps_forget(c, &h->returns, SITE_UPDATE, tid);
	struct code_module *m =
	    module_of_assembly(c, regs_arg(regs, ARG_ASSEMBLY));
	if (!m)
		return NULL;
	p.module = m->addr;
	p.number = m->number;
	// what is wrong is told of when it has been applied
	p.update.broken = update_read(c, regs, &p.update);
	code_update_begin(c->code, m, &p.update);
	mem_grow(&h->pending, &h->cap, h->n, sizeof(*h->pending));
	h->pending[h->n++] = p;
	err = thread_trap_add(c, &h->returns, SITE_UPDATE, &returns);
	return err ? err : apply_alone(c, tid, returns.addr);
}

/* ---- Applied --------------------------------------------------------- */

/*
 * Move the requested line of a breakpoint to where the update has moved the
 * text of that line. Not if it was requested in the edited text, as an editor
 * does when it saves the file.
 */
static void move_line(struct bp *bp, const struct code_module *m)
{
	if (bp->kind != DBG_BREAK_LOCATION || bp->place.kind != DBG_PLACE_LINE)
		return;
	for (size_t i = 0; !bp->edited && i < bp->n_places; i++) {
		const struct code_place *p = &bp->places[i].place;

		if (p->module != m)
			continue;
		bp->place.line =
		    code_line_moved(m, p->document, bp->place.line);
		break;
	}
}

struct running {
	struct code_range *v;
	size_t n, cap;
};

static void running_add(struct control *c, const struct frame *f,
			const struct code_module *m, struct running *r)
{
	struct dac_code code;

	if (!f->pos || f->pos->module != m || !code_pos_is_replaced(f->pos) ||
	    dbg_err_drop(dac_code_at(c->dac, f->raw.ip, &code)) || !code.method)
		return;
	mem_grow(&r->v, &r->cap, r->n, sizeof(*r->v));
	r->v[r->n++] = (struct code_range){code.start, code.start + code.size};
}

/* Find the replaced code of @m that frames of the program are in. */
static void running_find(struct control *c, const struct code_module *m,
			 struct running *r)
{
	struct dbg_thread *threads;
	size_t n;

	if (dbg_err_drop(stack_threads(c->stack, &threads, &n)))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct frame *f = NULL;

		for (uint32_t level = 0; level < FRAMES_MAX; level++) {
			if (dbg_err_drop(stack_frame(
				c->stack, threads[i].number, level, &f)) ||
			    !f)
				break;
			running_add(c, f, m, r);
		}
	}
}

/* Has a breakpoint a place in code of @m that is replaced now? */
static bool has_replaced(const struct control *c, const struct code_module *m)
{
	for (size_t i = 0; i < c->n_bps; i++)
		for (size_t k = 0; k < c->bps[i]->n_places; k++) {
			const struct bp_place *p = &c->bps[i]->places[k];

			if (p->place.module == m && bp_place_is_replaced(p))
				return true;
		}
	return false;
}

static void bind_anew(struct control *c, struct code_module *m)
{
	struct running running = {.n = 0};

	if (has_replaced(c, m))
		running_find(c, m, &running);
	for (size_t i = 0; i < c->n_bps; i++) {
		struct bp *bp = c->bps[i];

		move_line(bp, m);
		if (bind_updated(c, bp, m, running.v, running.n) &&
		    bp_is_users(bp))
			c->ops->changed(c->arg, bp->number, false);
	}
	free(running.v);
}

struct dbg_error *hot_reload_returned(struct control *c, pid_t tid,
				      uint64_t addr)
{
	struct pending_update p;
	struct code_update_done done;
	_cleanup_str_ struct str text = {0};
	struct dbg_error *err;

	if (!thread_trap_take(c, &c->hot_reload.returns, SITE_UPDATE,
			      &(struct thread_trap){tid, addr}) ||
	    !pending_take(c, tid, &p))
		return NULL;
	err = control_halt(c);
	if (err) {
		code_update_deinit(&p.update);
		return err;
	}
	struct code_module *m = code_module_find(c->code, p.module);
	if (m && m->number == p.number) {
		code_update_apply(c->code, m, &p.update, &done);
		// frames that were looked at have positions of before
		inspect_go(c->inspect);
		inspect_stop(c->inspect);
		bind_anew(c, m);
		code_update_say(m, &done, &text);
		c->ops->message(c->arg, 0, str_get(&text));
	}
	code_update_deinit(&p.update);
	return NULL;
}
