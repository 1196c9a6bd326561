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

/* ---- Stack walks --------------------------------------------------------- */

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

/* As dac_walk_open, moved to a managed frame of that thread. */
static void *dac_walk_open_at(struct dac *d, pid_t tid,
			      const struct dac_frame *frame)
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

/* ---- Arguments and locals of a frame ------------------------------------- */

/*
 * Arguments and locals of a frame: where they are.
 *
 * The frame is made anew from its saved registers (dac_walk_open_at): the
 * DAC's own frame objects do not outlive a walk of another thread cheaply.
 * The DAC looks the slots up in the code version's debug information at the
 * frame's ip.
 */

enum {
	VARS_MAX = 1 << 16,
	LOWEST_ADDR = 1 << 16, /* nothing is mapped below */
	NAME_UNITS = 512,
	HR_UNREADABLE = (int32_t)0x80131c49, /* memory that is not there */
};

// Correct an address that counts from the ambient stack pointer, which the JIT
// uses in code without frame pointer (optimised, .NET 10): it is the frame's,
// but 0 to the DAC.
static uint64_t ambient(const struct dac_frame *frame, uint64_t addr)
{
	return addr < LOWEST_ADDR ? frame->sp + addr : addr;
}

static void describe(struct dac *d, const struct dac_frame *frame,
		     const struct xclr_var *var, struct dac_var *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;

	uint32_t n_bytes =
	    var->n_bytes <= sizeof(ret->bytes) ? var->n_bytes : 0;

	ret->present = var->has_addr || n_bytes;
	ret->in_register = ret->present && !var->has_addr;
	if (ret->in_register) {
		memcpy(ret->bytes, var->bytes, sizeof(ret->bytes));
		ret->size = n_bytes;
	} else if (ret->present) {
		ret->addr = ambient(frame, var->addr);
		ret->size = var->size <= UINT32_MAX ? (uint32_t)var->size : 0;
	}
	if (!ret->type || !var->has_place)
		return;
	// The DAC says 8 for a structure on the stack, whatever its size, and
	// for anything in a register.
	err = dac_type_get(d, ret->type, &type);
	if (!err && type->value_size &&
	    (!ret->in_register || type->value_size < ret->size))
		ret->size = type->value_size;
	dbg_error_destroy(err);
}

// The frame object at the top of @walk; NULL if it has none.
static void *frame_object(struct dac *d, void *walk)
{
	void *ret = NULL;

	return DAC_CALL(d, walk, WALK_FRAME, &ret) == COM_OK ? ret : NULL;
}

struct var_list {
	const struct dac_frame *frame;
	void *object; /* the DAC's */
	bool args;
	bool one_byte; /* the frame's next instruction */
	struct arena *arena;
};

static void var_read(struct dac *d, const struct var_list *list, uint32_t i,
		     struct dac_var *ret)
{
	_cleanup_com_ void *type = NULL;
	struct xclr_var var = {0};

	d->scratch[0] = 0;
	ret->name = "";
	ret->is_arg = list->args;
	ret->index = i;
	int32_t hr = DAC_CALL(d, list->object, FRAME_VAR, (uint32_t)list->args,
			      i, &var, &type, (uint32_t)NAME_UNITS, d->scratch);
	if (list->args)
		ret->name = dac_scratch_text(d, NAME_UNITS, list->arena);
	ret->unread = hr == HR_UNREADABLE;
	if (hr < 0)
		return;
	if (type)
		ret->type = dac_type_of_words(d, type, &var.type);
	describe(d, list->frame, &var, ret);
}

/*
 * The frame with its ip moved one byte on. The DAC counts the end of a
 * variable's range as part of it and takes the first range that fits, so that
 * at the first instruction of the next range it would read the old place. One
 * byte further on it takes the right one. (For a return address it looks one
 * byte back itself.)
 */
static struct dac_frame inside_of(const struct dac_frame *frame)
{
	struct dac_frame ret = *frame;

	ret.ip += frame->leaf;
	return ret;
}

/*
 * Read a variable by the frame object @inside, which may be NULL; what has no
 * place there by list->object: where its range ends a register still holds it,
 * while the stack pointer by which it was found may have moved. What only
 * @inside has may begin behind an instruction of one byte.
 */
static void var_read_at(struct dac *d, const struct var_list *list,
			void *inside, uint32_t i, struct dac_var *ret)
{
	struct var_list at = *list;
	struct dac_var old = {0};

	var_read(d, list, i, &old);
	if (inside) {
		at.object = inside;
		var_read(d, &at, i, ret);
	}
	if (!inside || (!old.present && list->one_byte) ||
	    (!ret->present && old.in_register))
		*ret = old;
}

static bool is_one_byte(struct dac *d, uint64_t ip)
{
	struct insn insn;

	return !insn_at(d->target, ip, &insn) || insn.size == 1;
}

struct dbg_error *dac_frame_vars(struct dac *d, pid_t tid,
				 const struct dac_frame *frame, bool args,
				 struct arena *arena, struct dac_var **ret,
				 size_t *ret_n)
{
	uint32_t n = 0;

	*ret = NULL;
	*ret_n = 0;
	if (frame->kind != DAC_FRAME_MANAGED)
		return NULL;
	const struct dac_frame next = inside_of(frame);
	_cleanup_com_ void *walk = dac_walk_open_at(d, tid, frame);
	_cleanup_com_ void *object = walk ? frame_object(d, walk) : NULL;
	_cleanup_com_ void *behind =
	    frame->leaf ? dac_walk_open_at(d, tid, &next) : NULL;
	_cleanup_com_ void *inside = behind ? frame_object(d, behind) : NULL;
	if (!object)
		return dbg_err(DBG_E_RUNTIME,
			       "the frame at 0x%llx cannot be inspected",
			       (unsigned long long)frame->sp);
	// A method without local variables fails here: there are none.
	if (DAC_CALL(d, object, args ? FRAME_N_ARGS : FRAME_N_LOCALS, &n) < 0)
		return NULL;
	if (n > VARS_MAX)
		return dbg_err(DBG_E_FORMAT, "frame with %u variables", n);
	struct dac_var *vars = arena_calloc(arena, n, sizeof(*vars));
	const struct var_list list = {frame, object, args,
				      is_one_byte(d, frame->ip), arena};
	for (uint32_t i = 0; i < n; i++)
		var_read_at(d, &list, inside, i, &vars[i]);
	*ret = vars;
	*ret_n = n;
	return NULL;
}

/* ---- Which register? ------------------------------------------------- */

// The byte that marks a register. The DAC says that a variable is in a
// register, but not in which, so it is asked again with a different mark in
// each.
static uint8_t mark(unsigned int reg)
{
	return (uint8_t)(0xa1 + reg);
}

static void mark_all(struct context *c)
{
	struct regs regs;
	uint64_t value;

	context_get_regs(c, &regs);
	// by sp and fp it finds the frame
	for (unsigned int i = 0; i < ARCH_GENERAL; i++)
		if (i != ARCH_SP && i != ARCH_FP) {
			memset(&value, mark(i), sizeof(value));
			regs_set(&regs, i, value);
		}
	context_set_regs(c, &regs);
}

static void *open_marked(struct dac *d, pid_t tid,
			 const struct dac_frame *frame)
{
	struct context c;
	_cleanup_com_ void *walk = dac_walk_open(d, tid);
	struct dbg_error *err =
	    context_of_thread(d->target, tid, CONTEXT_FULL, &c);
	void *ret = NULL;

	if (dbg_err_drop(err) || !walk)
		return NULL;
	context_set_frame(&c, frame);
	mark_all(&c);
	if (DAC_CALL(d, walk, WALK_SET_CONTEXT2, (uint32_t)frame->leaf,
		     (uint32_t)sizeof(c), &c) >= 0) {
		ret = walk;
		walk = NULL;
	}
	return ret;
}

// The registers whose marks are in @bytes; 0: the bytes have something else as
// well.
static uint32_t marked_by(const uint8_t *bytes, size_t n)
{
	uint32_t ret = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned int reg = (unsigned int)bytes[i] - mark(0);

		if (reg >= ARCH_GENERAL)
			return 0;
		ret |= UINT32_C(1) << reg;
	}
	return ret;
}

uint32_t dac_var_registers(struct dac *d, pid_t tid,
			   const struct dac_frame *frame,
			   const struct dac_var *var)
{
	const struct dac_frame next = inside_of(frame);
	_cleanup_com_ void *walk = open_marked(d, tid, frame);
	_cleanup_com_ void *object = walk ? frame_object(d, walk) : NULL;
	_cleanup_com_ void *behind =
	    frame->leaf ? open_marked(d, tid, &next) : NULL;
	_cleanup_com_ void *inside = behind ? frame_object(d, behind) : NULL;
	struct arena *arena = arena_create();
	const struct var_list list = {frame, object, var->is_arg,
				      is_one_byte(d, frame->ip), arena};
	struct dac_var marked = {0};

	if (object)
		var_read_at(d, &list, inside, var->index, &marked);
	arena_destroy(arena);
	return marked.in_register ? marked_by(marked.bytes, marked.size) : 0;
}

struct dbg_error *dac_var_register(struct dac *d, pid_t tid,
				   const struct dac_frame *frame,
				   const struct dac_var *var, unsigned int *ret)
{
	uint32_t all = dac_var_registers(d, tid, frame, var);

	for (*ret = 0; *ret < ARCH_GENERAL; (*ret)++)
		if (all == UINT32_C(1) << *ret)
			return NULL;
	return dbg_err(DBG_E_STATE, "the runtime does not tell its register");
}
