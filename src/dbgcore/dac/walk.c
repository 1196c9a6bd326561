/*
 * Stack walks.
 *
 * The DAC's walker yields, newest first: managed frames, the runtime's
 * explicit Frames, and marks for stretches of native code (the first item of
 * a thread that is blocked in native code). A context of a managed frame
 * holds the callee-saved registers as they were there. Three calls a frame:
 * context, type, next; the method comes from the cache of code versions.
 *
 * The DAC knows the way from native code to its managed caller by the
 * runtime's Frames only. Managed code also calls without one: stubs, helpers
 * in assembly, memset. There the native frames are unwound here, and the DAC
 * starts at the first managed one.
 */
#include "dac/compound.h"
#include "dac/dac_priv.h"

#include <stdlib.h>
#include <string.h>

#include "target/unwind.h"

enum {
	WALK_ALL_FRAMES = 0xf,
	FRAMES_MAX = 1 << 20,
	AHEAD_MAX = 64,
	OTHER_MAX = 1024, /* items without a managed frame between them */
	DROP_FRAMES = 2048,
	NATIVE_MAX = 128,
	STUB_WORDS = 8, /* what a stub may have pushed, and more */
	FRAME_NAME_MAX = 64,
	SET_UNWIND_CONTEXT = 0,
	SET_CURRENT_CONTEXT = 1,
};

// What a runtime Frame tells of the managed frame that follows it.
enum frame_effect {
	EFFECT_CALL = 1,    /* it made a call: its ip is a return address */
	EFFECT_INTERRUPTED, /* it was interrupted at its ip */
};

struct dac_walk {
	struct dac *dac;
	pid_t tid;
	void *walk;
	uint64_t n_drops;    /* of the DAC, when it was opened */
	struct dac_frame at; /* the newest item that can be opened at */
	uint32_t since;      /* steps from there, or from the top */
	uint32_t n_managed;
	uint32_t n_other;        /* since the last managed frame */
	struct walk_item *items; /* that were read ahead */
	uint32_t n_items, next_item, n_ahead;
	uint32_t left;
	bool started, any_managed;
	bool interrupted; /* the next managed frame is a leaf */
	uint64_t last_sp;
	struct dac_frame native; /* to come first */
	bool has_native;
};

void *dac_walk_open(struct dac *d, pid_t tid)
{
	_cleanup_com_ void *task = NULL;
	void *walk = NULL;

	uint32_t inside = (uint32_t)target_tid_inside(d->target, tid);
	int32_t hr =
	    DAC_CALL(d, d->process, PROCESS_TASK_BY_TID, inside, &task);
	if (hr < 0 || !task)
		return NULL;
	hr = DAC_CALL(d, task, TASK_STACK_WALK, (uint32_t)WALK_ALL_FRAMES,
		      &walk);
	return hr < 0 ? NULL : walk;
}

const char *dac_frame_name(struct dac *d, uint64_t frame_addr,
			   struct arena *arena)
{
	struct dbg_error *err;
	uint64_t kind;
	uint32_t n = 0;

	err = target_read_u64(d->target, frame_addr, &kind);
	if (dbg_err_drop(err))
		return NULL;
	d->scratch[0] = 0;
	int32_t hr = DAC_CALL(d, d->sos, SOS_FRAME_NAME, kind,
			      (uint32_t)FRAME_NAME_MAX, d->scratch, &n);
	return hr < 0 ? NULL : dac_scratch_text(d, FRAME_NAME_MAX, arena);
}

// Judged by the first word of a Frame: its vtable, or since .NET 10 its kind.
static bool frame_interrupts(struct dac *d, uint64_t frame_addr)
{
	static const char *const interrupting[] = {
	    "FaultingExceptionFrame",
	    "ResumableFrame",
	    "RedirectedThreadFrame",
	};
	struct dbg_error *err;
	uint64_t kind;

	err = target_read_u64(d->target, frame_addr, &kind);
	if (dbg_err_drop(err))
		return false;
	uintptr_t effect = (uintptr_t)map_find(&d->frame_kinds, kind);
	if (!effect) {
		struct arena *arena = arena_create();
		const char *name = dac_frame_name(d, frame_addr, arena);
		effect = EFFECT_CALL;
		for (size_t i = 0;
		     name && i < sizeof(interrupting) / sizeof(*interrupting);
		     i++)
			if (!strcmp(name, interrupting[i]))
				effect = EFFECT_INTERRUPTED;
		arena_destroy(arena);
		map_put(&d->frame_kinds, kind, (void *)effect);
	}
	return effect == EFFECT_INTERRUPTED;
}

void dac_frame_from(const struct regs *regs, struct dac_frame *ret)
{
	ret->ip = regs_pc(regs);
	ret->sp = regs_sp(regs);
	ret->bp = regs_fp(regs);
	for (size_t i = 0; i < ARCH_SAVED; i++)
		ret->saved[i] = regs_get(regs, arch_saved[i]);
}

void dac_frame_regs(const struct dac_frame *frame, struct regs *ret)
{
	regs_set_pc(ret, frame->ip);
	regs_set_sp(ret, frame->sp);
	regs_set_fp(ret, frame->bp);
	for (size_t i = 0; i < ARCH_SAVED; i++)
		regs_set(ret, arch_saved[i], frame->saved[i]);
}

void context_set_frame(struct context *c, const struct dac_frame *frame)
{
	struct regs regs;

	context_get_regs(c, &regs);
	dac_frame_regs(frame, &regs);
	context_set_regs(c, &regs);
}

void *dac_walk_open_at(struct dac *d, pid_t tid, const struct dac_frame *frame)
{
	struct dbg_error *err;
	struct context c;
	int32_t hr = COM_E_FAIL;

	_cleanup_com_ void *walk = dac_walk_open(d, tid);
	if (!walk)
		return NULL;
	err = context_of_thread(d->target, tid, CONTEXT_FULL, &c);
	if (!err) {
		context_set_frame(&c, frame);
		hr = DAC_CALL(d, walk, WALK_SET_CONTEXT2,
			      (uint32_t)(frame->leaf ? SET_CURRENT_CONTEXT
						     : SET_UNWIND_CONTEXT),
			      (uint32_t)sizeof(c), &c);
	}
	dbg_error_destroy(err);
	if (hr < 0)
		return NULL;
	void *ret = walk;
	walk = NULL;
	return ret;
}

uint64_t dac_caller_sp(struct dac *d, pid_t tid, const struct dac_frame *frame)
{
	struct context c = {0};
	struct regs regs;
	uint32_t size = 0;
	uint64_t sp, back = 0;
	_cleanup_com_ void *walk = dac_walk_open_at(d, tid, frame);

	if (!walk || DAC_CALL(d, walk, WALK_NEXT) != COM_OK ||
	    DAC_CALL(d, walk, WALK_CONTEXT, (uint32_t)CONTEXT_FULL,
		     (uint32_t)sizeof(c), &size, &c) != COM_OK)
		return 0;
	context_get_regs(&c, &regs);
	sp = regs_sp(&regs);
	// A Frame of the runtime has other registers than the caller.
	if (sp <= frame->sp ||
	    dbg_err_drop(target_read_u64(d->target, sp - sizeof(back), &back)))
		return 0;
	return back == regs_pc(&regs) ? sp : 0;
}

// Make a walk of the DAC's @walk. @at: the frame it was opened at; NULL: the
// top.
static struct dac_walk *walk_create(struct dac *d, pid_t tid, void *walk,
				    const struct dac_frame *at)
{
	if (!walk)
		return NULL;
	struct dac_walk *w = xcalloc(1, sizeof(*w));
	w->dac = d;
	w->tid = tid;
	w->walk = walk;
	w->n_drops = d->n_drops;
	w->left = FRAMES_MAX;
	w->n_ahead = 1;
	w->items = xcalloc(AHEAD_MAX, sizeof(*w->items));
	w->interrupted = at ? at->leaf : true;
	if (at)
		w->at = *at;
	return w;
}

// Leave a stub of the runtime, which has no unwind information and pushes
// little or nothing: take the first word that is a managed return address.
static bool leave_stub(struct dac *d, struct regs *regs)
{
	uint64_t words[STUB_WORDS];

	size_t n =
	    target_read_some(d->target, regs_sp(regs), words, sizeof(words)) /
	    sizeof(*words);
	for (size_t i = 0; i < n; i++) {
		if (!words[i] || !dac_method_at(d, words[i] - 1))
			continue;
		regs_set_pc(regs, words[i]);
		regs_set_sp(regs, regs_sp(regs) + 8 * (i + 1));
		return true;
	}
	return false;
}

/*
 * The managed frame that called the native code a thread is in, if it is
 * there without a Frame. False if it is not, or cannot be found.
 */
static bool managed_caller(struct dac *d, pid_t tid, struct dac_frame *native,
			   struct dac_frame *ret)
{
	struct dbg_error *err;
	struct regs regs;
	bool leaf = true;

	err = target_regs(d->target, tid, &regs);
	if (dbg_err_drop(err) || dac_method_at(d, regs_pc(&regs)) ||
	    !dac_is_cooperative(d, tid))
		return false;
	dac_frame_from(&regs, native);
	native->kind = DAC_FRAME_NATIVE;
	native->leaf = true;
	for (int i = 0; i < NATIVE_MAX; i++) {
		if (!unwind_step(d->target, &regs, &leaf) &&
		    (!leaf || !leave_stub(d, &regs)))
			return false;
		if (!dac_method_at(d,
				   leaf ? regs_pc(&regs) : regs_pc(&regs) - 1))
			continue;
		dac_frame_from(&regs, ret);
		ret->kind = DAC_FRAME_MANAGED;
		ret->leaf = leaf;
		return true;
	}
	return false;
}

struct dbg_error *dac_walk_create(struct dac *d, pid_t tid,
				  struct dac_walk **ret)
{
	struct dac_frame native = {0}, frame = {0};
	void *walk = NULL;

	patch_table_find(d, tid);
	if (managed_caller(d, tid, &native, &frame))
		walk = dac_walk_open_at(d, tid, &frame);
	if (!walk) {
		*ret = walk_create(d, tid, dac_walk_open(d, tid), NULL);
		return NULL;
	}
	*ret = walk_create(d, tid, walk, &frame);
	(*ret)->native = native;
	(*ret)->has_native = true;
	return NULL;
}

void dac_walk_destroy(struct dac_walk *w)
{
	if (!w)
		return;
	com_release(&w->walk);
	free(w->items);
	free(w);
}

// Open the walk again and find its place, since the DAC has dropped its state,
// including the walk.
static bool find_again(struct dac_walk *w)
{
	com_release(&w->walk);
	w->n_items = w->next_item = 0;
	w->n_drops = w->dac->n_drops;
	w->walk = w->at.ip ? dac_walk_open_at(w->dac, w->tid, &w->at)
			   : dac_walk_open(w->dac, w->tid);
	for (uint32_t i = 0; w->walk && i < w->since; i++)
		if (DAC_CALL(w->dac, w->walk, WALK_NEXT) != COM_OK)
			return false;
	return w->walk;
}

// Read several items of the walk at once from another process, more the further
// the walk has come.
static bool read_ahead(struct dac_walk *w)
{
	w->n_items = w->next_item = 0;
	if (DAC_CALL(w->dac, w->walk, WALK_ITEMS, (uint32_t)w->started,
		     w->n_ahead, w->items, &w->n_items) != COM_OK ||
	    w->n_items > w->n_ahead)
		w->n_items = 0;
	if (w->dac->remote && w->n_ahead < AHEAD_MAX)
		w->n_ahead *= 2;
	return w->n_items;
}

// The next item; NULL at the end. A failure means a stack that the DAC cannot
// unwind: the walk ends without an error.
static const struct walk_item *walk_advance(struct dac_walk *w)
{
	if (!w->left)
		return NULL;
	w->left--;
	// A Frame whose next one is itself: the DAC goes on for ever.
	if (w->n_other++ == OTHER_MAX)
		w->left = 0;
	// It finds what it has read the slower the more that is (.NET 9).
	if (!w->since && w->n_managed % DROP_FRAMES == DROP_FRAMES - 1)
		dac_drop(w->dac);
	if (w->next_item == w->n_items)
		dac_renew(w->dac);
	if ((w->n_drops != w->dac->n_drops && !find_again(w)) ||
	    (w->next_item == w->n_items && !read_ahead(w)))
		return NULL;
	if (w->started)
		w->since++;
	w->started = true;
	return &w->items[w->next_item++];
}

static struct dbg_error *managed_frame(struct dac_walk *w, struct dac_frame *f,
				       bool *ret_any)
{
	struct dbg_error *err;
	struct dac_code code;

	// Each caller's frame lies above its callee's: else the stack is
	// broken and the walk might never end.
	if (w->any_managed && f->sp <= w->last_sp)
		return NULL;
	w->any_managed = true;
	w->last_sp = f->sp;
	f->kind = DAC_FRAME_MANAGED;
	f->leaf = w->interrupted;
	w->interrupted = false;
	// A call that never returns may be a method's last instruction.
	err = dac_code_at(w->dac, f->leaf ? f->ip : f->ip - 1, &code);
	if (err)
		return err;
	f->method = code.method;
	w->at = *f;
	w->since = w->n_other = 0;
	w->n_managed++;
	*ret_any = true;
	return NULL;
}

static void other_frame(struct dac_walk *w, uint64_t addr, struct dac_frame *f)
{
	f->leaf = w->interrupted;
	w->interrupted = false;
	if (!addr) {
		f->kind = DAC_FRAME_NATIVE;
		return;
	}
	f->kind = DAC_FRAME_EXPLICIT;
	f->frame_addr = addr;
	w->interrupted = frame_interrupts(w->dac, addr);
}

struct dbg_error *dac_walk_next(struct dac_walk *w, struct dac_frame *ret,
				bool *ret_any)
{
	struct dbg_error *err;
	bool any = false;

	*ret_any = false;
	if (w->has_native) {
		w->has_native = false;
		*ret = w->native;
		*ret_any = true;
		return NULL;
	}
	const struct walk_item *item = walk_advance(w);
	if (!item) {
		w->left = 0;
		return NULL;
	}
	struct dac_frame f = item->frame;
	if (item->managed) {
		err = managed_frame(w, &f, &any);
		if (err)
			return err;
		if (!any) {
			w->left = 0;
			return NULL;
		}
	} else {
		other_frame(w, item->frame_addr, &f);
	}
	*ret = f;
	*ret_any = true;
	return NULL;
}
