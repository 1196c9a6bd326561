/*
 * The frames that a user sees. Native code and the runtime's stubs between
 * managed frames are either shown or folded: one line for all of them, above
 * the managed frame that called them. A thread without managed frames always
 * shows its native ones. At the end come the async methods that wait for this
 * stack, at the beginning the frames of a throw that are on no stack any more.
 * A run of managed frames that are not the user's code may be shown as its
 * first frame alone.
 */
#include "stack/stack_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/csname.h"
#include "target/target.h"
#include "target/unwind.h"
#include "value/value.h"

/* ---- Native frames ------------------------------------------------------- */

/*
 * Unwound by .eh_frame (target/unwind.h) when somebody looks at them, named by
 * the symbols of their images.
 */

enum {
	NATIVE_MAX = 4096 /* frames in a row that are believed */
};

static void stack_set_name(struct dbg_frame *ret, const struct code_name *name);

static void to_frame(const struct regs *regs, bool leaf, struct dac_frame *ret)
{
	*ret = (struct dac_frame){.kind = DAC_FRAME_NATIVE, .leaf = leaf};
	dac_frame_from(regs, ret);
}

struct dbg_error *native_top(struct stack *s, pid_t tid, struct dac_frame *ret)
{
	struct dbg_error *err;
	struct regs regs;

	err = target_regs(s->target, tid, &regs);
	if (!err)
		to_frame(&regs, true, ret);
	return err;
}

void native_walk_init(struct native_walk *w, struct stack *s,
		      const struct stack_thread *t,
		      const struct dac_frame *start)
{
	memset(w, 0, sizeof(*w));
	w->stack = s;
	w->leaf = start->leaf;
	w->left = NATIVE_MAX;
	// Where the thread stands all of its registers are known.
	if (start->leaf) {
		struct dbg_error *err =
		    target_regs(s->target, t->tid, &w->regs);
		if (!dbg_err_drop(err) && regs_pc(&w->regs) == start->ip &&
		    regs_sp(&w->regs) == start->sp)
			return;
	}
	dac_frame_regs(start, &w->regs);
}

bool native_walk_next(struct native_walk *w, struct dac_frame *ret,
		      bool *ret_signal)
{
	struct target *t = w->stack->target;
	bool leaf = w->leaf;
	uint64_t pc = leaf ? regs_pc(&w->regs) : regs_pc(&w->regs) - 1;

	if (!w->left || !regs_pc(&w->regs) || !unwind_is_native(t, pc))
		return false;
	w->left--;
	to_frame(&w->regs, leaf, ret);
	if (!unwind_step(t, &w->regs, &w->leaf)) {
		w->left = 0;
		w->leaf = false;
	}
	// Only through such a frame the caller was interrupted.
	*ret_signal = w->leaf;
	return true;
}

bool native_caller(struct stack *s, const struct dac_frame *managed,
		   struct dac_frame *ret)
{
	uint64_t words[2]; /* saved frame pointer, return address */

	if (managed->bp < managed->sp ||
	    target_read_some(s->target, managed->bp, words, sizeof(words)) !=
		sizeof(words) ||
	    !unwind_is_native(s->target, words[1] - 1))
		return false;
	*ret = (struct dac_frame){
	    .kind = DAC_FRAME_NATIVE,
	    .ip = words[1],
	    .sp = managed->bp + sizeof(words),
	    .bp = words[0],
	};
	return true;
}

static void name_native(struct stack *s, const char *symbol, uint64_t offset,
			struct dbg_frame *ret)
{
	struct code_name name;
	const char *full =
	    symbol ? target_demangle(symbol, s->arena)
		   : arena_printf(s->arena, "%s+0x%llx", ret->module,
				  (unsigned long long)offset);

	code_name_split(full, symbol ? code_name_list(full) : strlen(full),
			s->arena, &name);
	stack_set_name(ret, &name);
}

void native_describe(struct stack *s, const struct frame *f,
		     struct dbg_frame *ret)
{
	struct dbg_error *err;
	struct target_image image;
	const char *symbol = NULL;
	uint64_t offset, pc = f->raw.leaf ? f->raw.ip : f->raw.ip - 1;
	bool found = false;

	ret->function = f->is_signal ? "<signal handler called>" : "??";
	ret->name = ret->function;
	err = target_image_at(s->target, pc, s->arena, &image, &symbol, &offset,
			      &found);
	if (!err && found) {
		ret->module = str_basename(image.path);
		if (!f->is_signal)
			name_native(s, symbol, offset + !f->raw.leaf, ret);
	}
	dbg_error_destroy(err);
}

/* ---- Which instance of generic code a frame runs ------------------------- */

/*
 * Instances over reference types share their code, so its MethodDesc does not
 * tell the exact types. The frame does: by the hidden argument of static and
 * generic methods, or by the class of the object that it works on.
 */

enum {
	BASES_MAX = 1000,
	GENERIC_OWNER = 2, /* column, II.22.20 */
	METHOD_FLAGS = 2,  /* column, II.22.26 */
	METHOD_STATIC = 0x10,
};

/* ---- By `this` ------------------------------------------------------- */

static uint64_t this_object(struct values *ts, const struct frame *f)
{
	struct dbg_error *err;
	struct dac_var *vars = NULL;
	size_t n = 0;
	uint64_t addr = 0;
	struct arena *arena = arena_create();

	err = stack_frame_vars(ts, f, true, arena, &vars, &n);
	if (!err && n && vars[0].present && !vars[0].type) {
		if (vars[0].in_register)
			memcpy(&addr, vars[0].bytes, sizeof(addr));
		else
			err = target_read_u64(values_target(ts), vars[0].addr,
					      &addr);
	}
	arena_destroy(arena);
	return dbg_err_drop(err) ? 0 : addr;
}

// The base class of @type that is an instance of @declared's definition.
static struct type *declaring(struct values *ts, struct type *type,
			      const struct type *declared)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		if (type->module == declared->module &&
		    type->token == declared->token)
			return type;
		type = value_type_parent(ts, type);
	}
	return NULL;
}

static struct type *type_by_this(struct values *ts, const struct frame *f,
				 const struct type *declared)
{
	uint64_t addr = this_object(ts, f);

	if (!addr || !declared)
		return NULL;
	struct value v = value_object(ts, addr);
	v = value_dereference(ts, &v);
	return v.where == VALUE_ABSENT ? NULL : declaring(ts, v.type, declared);
}

/* ---- The instance ---------------------------------------------------- */

static bool has_parameters(const struct md *md, uint32_t owner)
{
	uint32_t n;

	return md_find(md, MD_GENERICPARAM, GENERIC_OWNER, owner, &n) != 0;
}

static bool is_generic(const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = MD_TOKEN_RID(pos->token);

	return rid && (has_parameters(md, rid << 1 | 1) ||
		       has_parameters(md, md_method_type(md, rid) << 1));
}

// May `this` tell the exact class, where the DAC tells nothing because the code
// does not use its type arguments? In methods of classes it may; methods of
// interfaces and structures have a hidden argument instead.
static bool tells_by_this(const struct code_pos *pos,
			  const struct type *declared)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = MD_TOKEN_RID(pos->token);

	return declared && declared->is_reference &&
	       !has_parameters(md, rid << 1 | 1) &&
	       !(md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) & METHOD_STATIC);
}

// What the hidden argument is depends on the method's kind, as in the runtime:
// the MethodDesc of a generic method, the MethodTable of a generic class's
// static method; else `this` tells the instance.
static void suspended_instance(struct values *ts, const struct frame *f,
			       struct dac_instance *ret)
{
	const struct md *md = &f->pos->module->md;
	uint32_t rid = MD_TOKEN_RID(f->pos->token);
	uint64_t context = continuation_context(ts, f);

	*ret = (struct dac_instance){0};
	if (has_parameters(md, rid << 1 | 1))
		ret->method = context;
	else if (context)
		ret->type = context;
	else
		ret->by_this = !(md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) &
				 METHOD_STATIC);
}

void stack_frame_instance(struct values *ts, const struct frame *f,
			  struct stack_instance *ret)
{
	struct dbg_error *err;
	struct dac_instance exact;
	struct dac_method method;

	*ret = (struct stack_instance){.method = f->raw.method};
	// Where it stands in its epilog the frame may be gone.
	if (f->kind == DBG_FRAME_THROWN || !f->pos->module ||
	    !is_generic(f->pos) || (f->raw.leaf && f->pos->in_epilog))
		return;
	if (f->continuation)
		suspended_instance(ts, f, &exact);
	else
		dac_frame_instance(values_dac(ts), f->tid, &f->raw, &exact);
	if (exact.method)
		ret->method = exact.method;
	err = dac_method_get(values_dac(ts), ret->method, &method);
	if (dbg_err_drop(err))
		return;
	struct type *declared = value_type_of_mt(ts, method.type);
	if (exact.type) {
		struct type *type = value_type_of_mt(ts, exact.type);
		ret->type = declared ? declaring(ts, type, declared) : NULL;
	} else if (exact.method) {
		ret->type = declared;
	} else if (exact.by_this || tells_by_this(f->pos, declared)) {
		ret->type = type_by_this(ts, f, declared);
	}
}

/* ---- Names ----------------------------------------------------------- */

// The name of @token with the generic arguments of its class.
static void name_in(struct stack *s, const struct code_pos *pos,
		    const struct type *type, struct code_name *ret)
{
	const char **args =
	    arena_calloc(s->arena, type->n_args + 1, sizeof(*args));

	for (size_t i = 0; i < type->n_args; i++)
		args[i] = value_type_name(type->args[i]);
	const struct csname_args all = {.type_args = args,
					.n_type_args = type->n_args};
	code_token_names(pos->module, pos->token, &all, s->arena, ret);
}

/*
 * C# name of the method of a managed or async frame, with exact types, in the
 * stop's arena.
 */
static void exact_name(struct stack *s, const struct frame *f,
		       struct code_name *ret)
{
	struct stack_instance exact = {.method = f->raw.method};

	if (f->machine) {
		name_in(s, f->pos, f->machine->type, ret);
		return;
	}
	if (s->values)
		stack_frame_instance(s->values, f, &exact);
	if (exact.type && exact.method == f->raw.method)
		name_in(s, f->pos, exact.type, ret);
	else
		code_method_names(s->code, exact.method, s->arena, ret);
}

/* ---- The frames that a user sees ----------------------------------------- */

enum {
	NAMES_MAX = 4, /* images named in a fold */
};

static void display_append(struct stack_thread *t, const struct frame *f,
			   uint32_t first)
{
	mem_grow(&t->display, &t->cap_display, t->n_display,
		 sizeof(*t->display));
	t->display[t->n_display++] = (struct display_frame){f, first, false};
}

void display_push(struct stack_thread *t, const struct frame *f)
{
	display_append(t, f, 0);
}

// Make the lists of displayed frames anew, since a setting has changed.
static void take_anew(struct stack *s)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct stack_thread *t = s->threads[i];

		if (!t)
			continue;
		t->n_display = 0;
		t->n_taken = t->folded = 0;
		t->all_shown = false;
	}
}

void stack_set_stopped(struct stack *s, uint32_t number, enum stack_home home)
{
	s->stopped = number;
	s->home = home;
	take_anew(s);
}

// The module of the newest frame, if its source is here or the user has led the
// thread there; NULL: else.
static const struct code_module *home_module(struct stack *s,
					     const struct stack_thread *t)
{
	const struct code_pos *pos = t->n_frames ? t->frames[0]->pos : NULL;
	enum stack_home how =
	    t->number == s->stopped ? s->home : STACK_HOME_HERE;

	if (!pos || !pos->path || !s->code || how == STACK_HOME_THROWN)
		return NULL;
	return how == STACK_HOME_ASKED ||
		       code_module_is_here(s->code, pos->module)
		   ? pos->module
		   : NULL;
}

static bool is_user(struct stack *s, const struct stack_thread *t,
		    const struct frame *f)
{
	const struct code_pos *pos = f->pos;

	return pos && pos->module &&
	       code_is_user(s->code, pos->module, pos->token,
			    home_module(s, t));
}

void stack_set_called(struct stack *s, pid_t tid, uint64_t sp)
{
	s->called_by = tid;
	s->called_sp = sp;
}

static bool has_called(const struct stack *s, const struct frame *f)
{
	return f->kind == DBG_FRAME_MANAGED && s->called_by == f->tid &&
	       s->called_sp == f->raw.sp;
}

// Append a managed or async frame, alone or within the one that stands for
// several.
static void push_code(struct stack *s, struct stack_thread *t,
		      const struct frame *f, uint32_t first)
{
	bool external = s->fold && !has_called(s, f) && !is_user(s, t, f);

	if (external && t->n_display && t->display[t->n_display - 1].external)
		return;
	display_append(t, f, first);
	t->display[t->n_display - 1].external = external;
}

/* ---- Unfolded -------------------------------------------------------- */

static void push_native(struct stack *s, struct stack_thread *t,
			const struct dac_frame *start)
{
	struct native_walk w;
	struct dac_frame raw;
	bool is_signal;

	native_walk_init(&w, s, t, start);
	while (native_walk_next(&w, &raw, &is_signal)) {
		struct frame *f =
		    stack_frame_make(s, t, &raw, DBG_FRAME_NATIVE);
		f->is_signal = is_signal;
		display_append(t, f, t->n_taken);
	}
}

// The stack pointer where the displayed frames end so far.
static uint64_t last_sp(const struct stack_thread *t)
{
	return t->n_display ? t->display[t->n_display - 1].frame->raw.sp : 0;
}

static void push_between(struct stack *s, struct stack_thread *t,
			 const struct dac_frame *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].kind == DAC_FRAME_MANAGED)
			display_append(
			    t, stack_frame_make(s, t, &v[i], DBG_FRAME_RUNTIME),
			    t->n_taken);
		else if (v[i].sp > last_sp(t))
			push_native(s, t, &v[i]);
	}
}

// Append what is below the oldest managed frame.
static void push_base(struct stack *s, struct stack_thread *t)
{
	struct dac_frame caller;

	push_between(s, t, t->between.v, t->between.n);
	if (!t->n_display)
		return;
	const struct frame *f = t->display[t->n_display - 1].frame;
	if (f->kind != DBG_FRAME_NATIVE && native_caller(s, &f->raw, &caller))
		push_native(s, t, &caller);
}

/* ---- Of a throw ------------------------------------------------------ */

void stack_set_thrown(struct stack *s, uint32_t thread,
		      const struct stack_thrown *list, size_t n)
{
	s->thrown = (struct thrown_list){list, n, thread};
	take_anew(s);
}

// Is it a method that the runtime leaves out when it prints a stack?
static bool is_hidden(const struct frame *f)
{
	const struct code_module *m = f->pos->module;

	return m && md_has_attribute(&m->md, f->pos->token,
				     "System.Diagnostics."
				     "StackTraceHiddenAttribute",
				     NULL);
}

static struct frame *make_thrown(struct stack *s, struct stack_thread *t,
				 const struct stack_thrown *at)
{
	struct dac_frame raw = {
	    .kind = DAC_FRAME_MANAGED,
	    .ip = at->ip,
	    .method = at->method,
	    .leaf = true, // look at ip itself
	};

	return stack_frame_make(s, t, &raw, DBG_FRAME_THROWN);
}

static void push_thrown(struct stack *s, struct stack_thread *t)
{
	for (size_t i = 0; i < s->thrown.n; i++) {
		struct frame *f = make_thrown(s, t, &s->thrown.v[i]);

		if (is_hidden(f))
			continue;
		if (s->native)
			display_append(t, f, 0);
		else
			push_code(s, t, f, 0);
	}
}

/* ---- The list -------------------------------------------------------- */

// The frames between a handler and the body that it belongs to.
static void push_caught(struct stack *s, struct stack_thread *t,
			const struct frame *handler)
{
	for (size_t i = 0; i < handler->n_caught; i++) {
		const struct frame *was = handler->caught[i];
		struct frame *f = arena_copy(s->arena, was, 1, sizeof(*f));

		f->kind = DBG_FRAME_THROWN;
		stack_frame_number(s, f);
		if (s->native)
			display_append(t, f, t->n_taken);
		else if (was->kind == DBG_FRAME_MANAGED)
			push_code(s, t, f, t->n_taken);
	}
}

static void frame_display(struct stack *s, struct stack_thread *t,
			  const struct frame *f)
{
	t->n_taken++;
	if (f->kind == DBG_FRAME_NATIVE) {
		push_native(s, t, &f->raw);
		if (!t->n_display)
			display_append(t, f, t->n_taken);
	} else if (s->native) {
		push_between(s, t, f->between, f->n_between);
		display_append(t, f, t->n_taken);
	} else if (f->kind != DBG_FRAME_RUNTIME) {
		push_code(s, t, f, t->folded);
		t->folded = t->n_taken;
	}
	if (s->caught)
		push_caught(s, t, f);
}

struct waiters {
	struct stack *stack;
	struct stack_thread *thread;
	bool any;
};

static void push_async(void *arg, struct frame *f)
{
	struct waiters *w = arg;
	struct stack_thread *t = w->thread;

	w->any = true;
	if (w->stack->native)
		display_append(t, f, t->n_taken);
	else
		push_code(w->stack, t, f, t->n_taken);
}

static void display_finish(struct stack *s, struct stack_thread *t)
{
	t->all_shown = true;
	if (s->native)
		push_base(s, t);
	// a stack of stubs alone: display these
	for (uint32_t i = 0; !t->n_display && i < t->n_frames; i++)
		display_append(t, t->frames[i], i);
	struct waiters w = {.stack = s, .thread = t};
	// The oldest async method on the stack is the one that was resumed.
	for (size_t i = t->n_frames; i-- > 0 && !w.any;)
		async_each(s, t, t->frames[i], push_async, &w);
}

struct dbg_error *stack_display(struct stack *s, uint32_t thread,
				uint32_t level, const struct frame **ret)
{
	struct dbg_error *err;
	const struct frame *f;
	struct stack_thread *t = stack_thread_get(s, thread);

	if (!t)
		return dbg_err(DBG_E_NOT_FOUND, "no thread %u", thread);
	if (s->thrown.n && s->thrown.thread == thread && !t->n_display)
		push_thrown(s, t);
	while (t->n_display <= level && !t->all_shown) {
		err = stack_frame(s, thread, t->n_taken, &f);
		if (err)
			return err;
		if (f)
			frame_display(s, t, f);
		else
			display_finish(s, t);
	}
	*ret = level < t->n_display ? t->display[level].frame : NULL;
	return NULL;
}

void stack_show_native(struct stack *s, bool on)
{
	if (s->native != on)
		take_anew(s);
	s->native = on;
}

void stack_fold_external(struct stack *s, bool on)
{
	if (s->fold != on)
		take_anew(s);
	s->fold = on;
}

void stack_show_caught(struct stack *s, bool on)
{
	if (s->caught != on)
		take_anew(s);
	s->caught = on;
}

/* ---- Folds ----------------------------------------------------------- */

struct fold {
	const char *names[NAMES_MAX]; /* each once */
	size_t n_names, n_frames;
	bool more, dispatch;
};

static void fold_name(struct fold *fold, const char *name)
{
	for (size_t i = 0; i < fold->n_names; i++)
		if (!strcmp(fold->names[i], name))
			return;
	if (fold->n_names == NAMES_MAX)
		fold->more = true;
	else
		fold->names[fold->n_names++] = name;
}

static void fold_native(struct stack *s, const struct stack_thread *t,
			const struct dac_frame *start, struct fold *fold)
{
	struct dbg_error *err;
	struct native_walk w;
	struct dac_frame raw;
	struct target_image image;
	bool is_signal, found = false;

	native_walk_init(&w, s, t, start);
	while (native_walk_next(&w, &raw, &is_signal)) {
		fold->n_frames++;
		err = target_image_at(s->target, raw.ip - !raw.leaf, s->arena,
				      &image, NULL, NULL, &found);
		if (!err && found)
			fold_name(fold, str_basename(image.path));
		dbg_error_destroy(err);
	}
}

static void fold_between(struct stack *s, const struct stack_thread *t,
			 const struct frame *f, struct fold *fold)
{
	for (size_t i = 0; i < f->n_between; i++) {
		const struct dac_frame *raw = &f->between[i];

		if (raw->kind != DAC_FRAME_MANAGED)
			fold_native(s, t, raw, fold);
		else if (code_method_kind(s->code, raw->method) ==
			 CODE_METHOD_DISPATCH)
			fold->dispatch = true;
		else
			fold->n_frames++;
	}
}

static const char *fold_text(struct stack *s, const struct fold *fold)
{
	_cleanup_str_ struct str text = {0};

	// How the runtime throws is of no interest above the throw.
	if (!fold->n_frames || fold->dispatch)
		return NULL;
	str_add(&text, fold->n_names ? "[native: " : "[runtime: ");
	for (size_t i = 0; i < fold->n_names; i++)
		str_addf(&text, "%s, ", fold->names[i]);
	str_addf(&text, "%s%zu frame%s]", fold->more ? "..., " : "",
		 fold->n_frames, fold->n_frames == 1 ? "" : "s");
	return arena_strdup(s->arena, str_get(&text));
}

static const char *folded(struct stack *s, const struct stack_thread *t,
			  const struct display_frame *display)
{
	struct fold fold = {0};

	if (s->native || display->external ||
	    display->frame->kind != DBG_FRAME_MANAGED)
		return NULL;
	for (uint32_t i = display->first; i < t->n_frames; i++) {
		fold_between(s, t, t->frames[i], &fold);
		if (t->frames[i] == display->frame)
			break;
		fold.n_frames++;
	}
	return fold_text(s, &fold);
}

/* ---- Description ----------------------------------------------------- */

static void stack_set_name(struct dbg_frame *ret, const struct code_name *name)
{
	ret->function = name->full;
	ret->name = name->plain;
	ret->params = name->params;
}

// The metadata name of a method that the compiler made; NULL: people wrote it.
static const char *generated_name(struct stack *s, const struct code_pos *pos)
{
	const struct md *md = &pos->module->md;
	uint32_t rid = MD_TOKEN_RID(pos->token);
	_cleanup_str_ struct str full = {0};

	if (!rid || rid > md_rows(md, MD_METHODDEF))
		return NULL;
	const char *name = md_col_string(md, MD_METHODDEF, rid, 3);
	if (*name != '<' && !csname_kickoff(md, rid))
		return NULL;
	csname_metadata_type(md, MD_TOKEN(MD_TYPEDEF, md_method_type(md, rid)),
			     &full);
	str_addf(&full, ".%s", name);
	return arena_strdup(s->arena, str_get(&full));
}

static void describe_managed(struct stack *s, const struct frame *f,
			     struct dbg_frame *ret)
{
	const struct code_pos *pos = f->pos;
	struct code_name name;

	exact_name(s, f, &name);
	stack_set_name(ret, &name);
	ret->il_offset = pos->il_offset;
	ret->token = pos->token;
	ret->code = pos->start;
	if (!pos->module)
		return;
	ret->module = pos->module->name;
	ret->mvid = pos->module->mvid;
	ret->optimized = pos->module->optimized;
	ret->replaced = code_pos_is_of_before(pos);
	ret->framework = pos->module->framework;
	ret->generated = generated_name(s, pos);
	if (!pos->path)
		return;
	ret->source = (struct dbg_source_range){
	    .path = pos->path,
	    .line = pos->point.line,
	    .column = pos->point.column,
	    .end_line = pos->point.end_line,
	    .end_column = pos->point.end_column,
	};
}

void stack_suspended_describe(struct stack *s, const struct frame *f,
			      struct dbg_frame *ret)
{
	*ret = (struct dbg_frame){.kind = f->kind, .il_offset = UINT32_MAX};
	describe_managed(s, f, ret);
}

bool stack_thrown_describe(struct stack *s, const struct stack_thrown *at,
			   struct dbg_frame *ret)
{
	struct stack_thread none = {0};
	const struct frame *f = make_thrown(s, &none, at);

	if (is_hidden(f))
		return false;
	*ret = (struct dbg_frame){
	    .kind = f->kind,
	    .pc = f->raw.ip,
	    .il_offset = UINT32_MAX,
	};
	describe_managed(s, f, ret);
	return true;
}

void stack_describe(struct stack *s, uint32_t thread, uint32_t level,
		    struct dbg_frame *ret)
{
	const struct stack_thread *t = stack_thread_get(s, thread);
	const struct display_frame *display = &t->display[level];
	const struct frame *f = display->frame;

	*ret = (struct dbg_frame){
	    .id = ret->id,
	    .level = level,
	    .kind = f->kind,
	    .pc = f->kind == DBG_FRAME_ASYNC ? 0 : f->raw.ip,
	    .sp = f->raw.sp,
	    .bp = f->raw.bp,
	    .il_offset = UINT32_MAX,
	    .above = folded(s, t, display),
	};
	if (display->external) {
		ret->kind = DBG_FRAME_EXTERNAL;
		ret->function = ret->name = "[External Code]";
	} else if (has_called(s, f)) {
		ret->kind = DBG_FRAME_CALLED;
		ret->function = ret->name = "<function called from dndbg>";
	} else if (f->kind == DBG_FRAME_CHAIN) {
		ret->function = ret->name = f->label;
	} else if (f->kind == DBG_FRAME_NATIVE) {
		native_describe(s, f, ret);
	} else {
		describe_managed(s, f, ret);
		ret->user = is_user(s, t, f);
	}
}
