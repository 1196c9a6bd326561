/*
 * `backtrace`, `frame`, `up`, `down`. Frames are asked for in portions, so that
 * the first rows of a deep stack come at once and Ctrl-C ends the rest.
 */
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- The selected frame -------------------------------------------------- */

/*
 * Subcommands of `frame` and `select-frame`: `level`, `function` and `apply`.
 * `frame apply`
 * selects one frame after the other, carries out a command in each, and selects
 * the first one again; a command that resumes the program ends it.
 */

enum {
	CMD_FRAME_PAGE = 64,
	LEVELS_MAX = 10000,
};

/* Options of `frame apply`. */
struct apply {
	const char *command;
	bool quiet;    /* the frames are not shown */
	bool go_on;    /* after an error, which is shown */
	bool silently; /* ... which is not; nor is its frame */
};

// Select a frame and show it, unless the command is `select-frame`.
static struct dbg_error *frame_take(struct repl *r, const struct call *call,
				    uint32_t level)
{
	struct dbg_error *err = frame_select(r, r->thread, level);

	return err || call->cmd->value == FRAME_SILENT ? err : show_selected(r);
}

/* The number of a frame. */
static struct dbg_error *frame_parse(const char *text, uint32_t *ret)
{
	uint64_t level;

	if (!parse_u64(text, &level) || level > UINT32_MAX)
		return dbg_err_arg("\"%s\" is not the number of a frame.",
				   text);
	*ret = (uint32_t)level;
	return NULL;
}

/* `frame N`. */
static struct dbg_error *frame_level(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	uint32_t level = 0;
	struct dbg_error *err = frame_parse(call->args, &level);

	(void)at;
	return err ? err : frame_take(r, call, level);
}

// "Type.Method" or the end of it.
static bool is_named(const struct dbg_frame *f, const char *wanted)
{
	size_t len = strlen(f->name), n = strlen(wanted);

	return !strcmp(f->name, wanted) ||
	       (len > n && !strcmp(f->name + len - n, wanted) &&
		f->name[len - n - 1] == '.');
}

static struct dbg_error *frame_function(struct repl *r, struct dbg_stopped at,
					const struct call *call)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	size_t n = CMD_FRAME_PAGE;

	for (uint32_t first = 0; n == CMD_FRAME_PAGE && first < LEVELS_MAX;
	     first += CMD_FRAME_PAGE) {
		err = dbg_frame_list(at, r->thread, first, CMD_FRAME_PAGE,
				     &frames, &n);
		if (err)
			return err;
		for (size_t i = 0; i < n; i++) {
			if (!is_named(&frames[i], call->args))
				continue;
			return frame_take(r, call, frames[i].level);
		}
	}
	return dbg_err_arg("No frame for function \"%s\".", call->args);
}

static const char *skip_word(const char *p)
{
	p += strcspn(p, " \t");
	return p + strspn(p, " \t");
}

static bool is_word(const char *p, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(p, word, n) && (!p[n] || strchr(" \t", p[n]));
}

static struct dbg_error *parse_flags(const char *p, struct apply *ret)
{
	for (; *p == '-'; p = skip_word(p)) {
		if (is_word(p, "-q"))
			ret->quiet = true;
		else if (is_word(p, "-c"))
			ret->go_on = true;
		else if (is_word(p, "-s"))
			ret->silently = ret->go_on = true;
		else
			return dbg_err_arg("\"frame apply\" knows -q, -c and "
					   "-s.");
	}
	ret->command = p;
	if (!*p)
		return dbg_err_arg("Please specify a command to apply on the "
				   "frames.");
	return NULL;
}

// Do it in one frame; *@ret_end: there is none, or the program was resumed.
static struct dbg_error *apply_one(struct repl *r, const struct apply *a,
				   uint32_t thread, uint32_t level,
				   bool *ret_end)
{
	uint64_t resumes = r->resumes;
	struct dbg_error *err = frame_select(r, thread, level);

	*ret_end = err;
	if (err && level) {
		dbg_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	if (!a->quiet)
		show_frame_line(r, &r->frame);
	err = cmd_execute(r, a->command);
	*ret_end = r->resumes != resumes || r->quit;
	if (!err || !a->go_on)
		return err;
	if (!a->silently)
		out(r, "%s\n", err->message);
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *apply_range(struct repl *r, const struct apply *a,
				     uint64_t first, uint64_t last)
{
	struct dbg_error *err = NULL;
	uint32_t thread = r->thread;
	uint32_t level = r->level;
	bool end = false;

	if (last > LEVELS_MAX)
		last = LEVELS_MAX;
	for (uint64_t i = first; !err && !end && i <= last; i++) {
		if (loop_interrupted(r->loop))
			break;
		err = apply_one(r, a, thread, (uint32_t)i, &end);
	}
	if (!r->stopped || r->thread != thread)
		return err;
	r->level = level;
	r->has_frame = false;
	return err;
}

// all | COUNT | -COUNT | level N[-N]
static struct dbg_error *frame_apply(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	struct apply a = {0};
	uint64_t first = 0;
	uint64_t last = LEVELS_MAX;
	bool any = true;

	if (is_word(p, "all")) {
		p = skip_word(p);
	} else if (is_word(p, "level")) {
		p = skip_word(p);
		err = parse_range(&p, &first, &last, &any);
		if (err)
			return err;
	} else {
		uint32_t total = 0;
		bool outer = *p == '-';
		p += outer;
		err = parse_range(&p, &first, &last, &any);
		if (!err && outer)
			err = frame_count(r, at, &total);
		if (err)
			return err;
		first = outer && last < total ? total - last : 0;
		last = outer ? LEVELS_MAX : last - 1;
	}
	if (!any)
		return dbg_err_arg("Please specify frames and a command: frame "
				   "apply all|COUNT|level LIST COMMAND");
	err = parse_flags(p, &a);
	return err ? err : apply_range(r, &a, first, last);
}

// Subcommands that select a frame; @value_: whether the frame is shown.
#define SELECTING_SUBS(value_)                                                 \
	{                                                                      \
	    .names = "function",                                               \
	    .args = "NAME",                                                    \
	    .help = "select the innermost frame of a method",                  \
	    .flags = CMD_NEEDS_ARGS,                                           \
	    .complete = DBG_NAMES_TYPES | DBG_NAMES_METHODS,                   \
	    .value = (value_),                                                 \
	    .stopped = frame_function,                                         \
	},                                                                     \
	{                                                                      \
		.names = "level", .args = "N", .help = "select frame N",       \
		.flags = CMD_NEEDS_ARGS, .value = (value_),                    \
		.stopped = frame_level,                                        \
	}

const struct repl_cmd cmd_frame_subs[] = {
    {
	.names = "apply",
	.args = "all|N|-N|level RANGE [-q] [-c] [-s] COMMAND",
	.help = "do a command in several frames",
	.more = "N: the innermost N, -N: the outermost. The first error ends "
		"it, unless -c shows\nerrors and goes on, or -s passes them. "
		"-q: do not show the frames.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_COMMANDS,
	.stopped = frame_apply,
    },
    SELECTING_SUBS(0),
    {.names = NULL},
};

const struct repl_cmd cmd_select_frame_subs[] = {
    SELECTING_SUBS(FRAME_SILENT),
    {.names = NULL},
};

/* ---- `info frame` -------------------------------------------------------- */

/*
 * `info frame` and `info registers`: the selected frame as the machine has it.
 * Where the engine cannot tell a register of a caller, it is left out.
 */

static void show_register(const struct repl *r, const struct dbg_register *reg)
{
	out(r, "%-15s0x%-17" PRIx64 " %" PRId64 "\n", reg->name, reg->value,
	    (int64_t)reg->value);
}

struct dbg_error *registers_info(struct repl *r, struct dbg_stopped at,
				 const struct call *call)
{
	struct dbg_error *err;
	struct dbg_register *regs;
	struct dbg_frame f;
	size_t n;

	err = frame_get(r, &f);
	if (!err && !*call->args)
		err = dbg_registers(at, f.id, &regs, &n);
	if (err)
		return err;
	for (size_t i = 0; !*call->args && i < n; i++)
		show_register(r, &regs[i]);
	for (const char *p = call->args; *p; p += strspn(p, " \t,")) {
		size_t len = strcspn(p, " \t,");
		_cleanup_free_ char *name =
		    xstrndup(p + (*p == '$'), len - (*p == '$'));
		struct dbg_register reg = {.name = name};
		err = dbg_register_get(at, f.id, name, &reg.value);
		if (err)
			return err;
		show_register(r, &reg);
		p += len;
	}
	return NULL;
}

// Print the caller and the callee of @f, in gdb's words.
static struct dbg_error *show_caller_and_callee(struct repl *r,
						struct dbg_stopped at,
						const struct dbg_frame *f)
{
	struct dbg_error *err;
	struct dbg_frame *near;
	uint32_t first = f->level ? f->level - 1 : 0;
	size_t n;

	err = dbg_frame_list(at, r->thread, first, 3, &near, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (near[i].level == f->level + 1) {
			out(r,
			    " called by frame at 0x%" PRIx64
			    ", saved rip = 0x%" PRIx64 "\n",
			    near[i].sp, near[i].pc);
		} else if (near[i].level + 1 == f->level) {
			out(r, " caller of frame at 0x%" PRIx64 "\n",
			    near[i].sp);
		}
	return NULL;
}

static void show_code(const struct repl *r, const struct dbg_frame_code *code)
{
	if (code->start)
		out(r, " code: 0x%" PRIx64 " to 0x%" PRIx64 "%s%s\n",
		    code->start, code->start + code->size,
		    code->kind ? ", " : "", code->kind ? code->kind : "");
}

static void show_saved(const struct repl *r, const struct dbg_frame_code *code)
{
	if (code->n_saved)
		out(r, " Saved registers:\n ");
	for (size_t i = 0; i < code->n_saved; i++)
		out(r, "%s %s at 0x%" PRIx64, i ? "," : "", code->saved[i].name,
		    code->saved[i].value);
	if (code->n_saved)
		out(r, "\n");
}

// Get the selected frame, or the frame N that @text names: "N" or "level N".
static struct dbg_error *frame_named(struct repl *r, struct dbg_stopped at,
				     const char *text, struct dbg_frame *ret)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	uint32_t level = 0;
	size_t n;

	if (!*text)
		return frame_get(r, ret);
	if (!strncmp(text, "level ", 6))
		text += 6;
	err = frame_parse(text, &level);
	if (!err)
		err = dbg_frame_list(at, r->thread, level, 1, &frames, &n);
	if (err)
		return err;
	if (!n)
		return dbg_err_arg("No frame at level %s.", text);
	*ret = frames[0];
	return NULL;
}

struct dbg_error *frame_info(struct repl *r, struct dbg_stopped at,
			     const struct call *call)
{
	static const char *const kinds[] = {
	    [DBG_FRAME_MANAGED] = "managed",
	    [DBG_FRAME_NATIVE] = "native",
	    [DBG_FRAME_RUNTIME] = "runtime transition",
	    [DBG_FRAME_ASYNC] = "async caller, on no stack",
	    [DBG_FRAME_EXTERNAL] = "code that is not yours",
	    [DBG_FRAME_THROWN] = "of the throw, on no stack any more",
	    [DBG_FRAME_CALLED] = "what has called for dndbg",
	    [DBG_FRAME_CHAIN] = "what the calls behind it have in common",
	};
	struct dbg_error *err;
	struct dbg_frame f;
	struct dbg_frame_code code;

	err = frame_named(r, at, call->args, &f);
	if (err)
		return err;
	out(r, "Stack level %" PRIu32 ", frame at 0x%" PRIx64 ":\n", f.level,
	    f.sp);
	out(r, " pc = 0x%" PRIx64 " in %s", f.pc, f.function);
	if (f.source.path)
		out(r, " (%s:%" PRIu32 ")", source_name(r, f.source.path),
		    f.source.line);
	out(r, "\n kind: %s%s\n", kinds[f.kind],
	    f.optimized ? ", optimized" : "");
	if (f.module)
		out(r, " module: %s\n", f.module);
	if (f.token)
		out(r, " method token: 0x%08" PRIx32 "\n", f.token);
	if (f.il_offset != UINT32_MAX && f.kind == DBG_FRAME_MANAGED)
		out(r, " IL offset: 0x%04" PRIx32 "\n", f.il_offset);
	if (f.kind == DBG_FRAME_ASYNC || f.kind == DBG_FRAME_THROWN)
		return NULL;
	err = dbg_frame_code(at, f.id, &code);
	if (err)
		return err;
	show_code(r, &code);
	err = show_caller_and_callee(r, at, &f);
	if (!err)
		show_saved(r, &code);
	return err;
}

/* ---- Stacks -------------------------------------------------------------- */

enum {
	PAGE = 256,
	PERIOD_MAX = 8, /* methods that call each other in a circle */
	SHOWN_MIN = 24, /* frames of a recursion */
	FEW_MAX = 16,   /* so few more are shown as well */
};

static struct dbg_error *show_full(struct repl *r, struct dbg_stopped at,
				   const struct dbg_frame *f)
{
	if (f->kind != DBG_FRAME_MANAGED && f->kind != DBG_FRAME_ASYNC)
		return NULL;
	struct dbg_error *err = show_scope(r, at, f->id, DBG_SCOPE_LOCALS,
					   "No locals.", "        ");
	if (err) {
		out(r, "        <%s>\n", err->message);
		dbg_error_destroy(err);
	}
	return NULL;
}

struct bt_args {
	bool full, native;
	bool all;   /* also frames of a recursion */
	bool outer; /* the count is from the other end */
	uint64_t count;
};

/* ---- Recursions ------------------------------------------------------ */

/*
 * Frames that come over and over, @period of them by turns: the first are
 * shown, the others are counted.
 */
struct recursion {
	struct dbg_frame last[PERIOD_MAX]; /* by number, modulo the length */
	uint64_t n;                        /* frames so far */
	uint64_t same[PERIOD_MAX + 1]; /* as the one so many before, in a row */
	unsigned int period;           /* 0: none */
	struct dbg_frame few[FEW_MAX]; /* the first that are left out */
	uint64_t n_more;
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(const struct dbg_frame *a, const struct dbg_frame *b)
{
	return a->kind == b->kind && a->source.line == b->source.line &&
	       same_text(a->name, b->name) && same_text(a->params, b->params) &&
	       same_text(a->source.path, b->source.path) &&
	       same_text(a->above, b->above);
}

// Is @f to be left out? False also if it ends what was left out.
static bool goes_on(struct recursion *x, const struct dbg_frame *f)
{
	unsigned int found = 0;

	for (unsigned int p = PERIOD_MAX; p; p--) {
		bool same = x->n >= p &&
			    same_place(&x->last[(x->n - p) % PERIOD_MAX], f);

		x->same[p] = same ? x->same[p] + 1 : 0;
		if (x->same[p] > SHOWN_MIN)
			found = p;
	}
	x->last[x->n++ % PERIOD_MAX] = *f;
	if (!found || (x->period && !x->same[x->period]))
		return false;
	if (!x->period)
		x->period = found;
	if (x->n_more < FEW_MAX)
		x->few[x->n_more] = *f;
	x->n_more++;
	return true;
}

static struct dbg_error *show_one(struct repl *r, struct dbg_stopped at,
				  const struct dbg_frame *f, bool full)
{
	if (f->above)
		out(r, "    %s\n", f->above);
	show_frame_line(r, f);
	return full ? show_full(r, at, f) : NULL;
}

// End a run of recurring frames: print how many were left out, or the frames
// themselves if they are few.
static struct dbg_error *end_recursion(struct repl *r, struct dbg_stopped at,
				       struct recursion *x)
{
	struct dbg_error *err = NULL;

	if (x->n_more > FEW_MAX && x->period > 1)
		out(r, "    (%" PRIu64 " more frames like the last %u)\n",
		    x->n_more, x->period);
	else if (x->n_more > FEW_MAX)
		out(r, "    (%" PRIu64 " more frames like the last one)\n",
		    x->n_more);
	else
		for (size_t i = 0; !err && i < x->n_more; i++)
			err = show_one(r, at, &x->few[i], false);
	x->n_more = 0;
	x->period = 0;
	return err;
}

/* ---- backtrace ------------------------------------------------------- */

static struct dbg_error *show_next(struct repl *r, struct dbg_stopped at,
				   const struct bt_args *bt,
				   struct recursion *x,
				   const struct dbg_frame *f)
{
	if (!bt->full && !bt->all && goes_on(x, f))
		return NULL;
	struct dbg_error *err = end_recursion(r, at, x);
	return err ? err : show_one(r, at, f, bt->full);
}

// Print frames from @first on, as many as @bt says. *@ret_more: there are more.
static struct dbg_error *show_frames(struct repl *r, struct dbg_stopped at,
				     uint32_t first, const struct bt_args *bt,
				     struct recursion *x, bool *ret_more)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	uint32_t left = (uint32_t)bt->count;
	size_t n;

	*ret_more = false;
	while (left && !loop_interrupted(r->loop)) {
		uint32_t want = left < PAGE ? left : PAGE;
		err = dbg_frame_list(at, r->thread, first, want, &frames, &n);
		for (size_t i = 0; !err && i < n && !loop_interrupted(r->loop);
		     i++)
			err = show_next(r, at, bt, x, &frames[i]);
		if (err)
			return err;
		if (n < want)
			return end_recursion(r, at, x);
		first += want;
		left -= want;
	}
	err = end_recursion(r, at, x);
	if (err)
		return err;
	if (left)
		return dbg_err(DBG_E_INTERRUPTED, "Quit");
	err = dbg_frame_list(at, r->thread, first, 1, &frames, &n);
	*ret_more = !err && n;
	return err;
}

struct dbg_error *frame_count(struct repl *r, struct dbg_stopped at,
			      uint32_t *ret)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	size_t n = PAGE;
	uint32_t count = 0;

	while (n == PAGE) {
		if (loop_interrupted(r->loop))
			return dbg_err(DBG_E_INTERRUPTED, "Quit");
		err = dbg_frame_list(at, r->thread, count, PAGE, &frames, &n);
		if (err)
			return err;
		count += (uint32_t)n;
	}
	*ret = count;
	return NULL;
}

static struct dbg_error *parse_bt(const char *args, struct bt_args *ret)
{
	struct dbg_error *err;
	_cleanup_words_ struct words words = {0};
	struct bt_args bt = {.count = UINT32_MAX};

	err = words_split(args, &words);
	if (err)
		return err;
	for (size_t i = 0; i < words.n; i++) {
		const char *w = words.v[i];
		if (!strcmp(w, "full") || !strcmp(w, "-full")) {
			bt.full = true;
			continue;
		}
		if (!strcmp(w, "-native")) {
			bt.native = true;
			continue;
		}
		if (!strcmp(w, "-all")) {
			bt.all = true;
			continue;
		}
		bt.outer = *w == '-';
		if (!parse_u64(w + bt.outer, &bt.count))
			return dbg_err_arg("\"%s\" is neither a count nor "
					   "\"full\".",
					   w);
	}
	if (bt.count > UINT32_MAX)
		bt.count = UINT32_MAX;
	*ret = bt;
	return NULL;
}

static struct dbg_error *backtrace(struct repl *r, struct dbg_stopped at,
				   const struct bt_args *bt)
{
	struct dbg_error *err;
	_cleanup_free_ struct recursion *x = xcalloc(1, sizeof(*x));
	uint32_t first = 0;
	bool more;

	if (bt->outer) {
		uint32_t total;
		err = frame_count(r, at, &total);
		if (err)
			return err;
		if (bt->count < total)
			first = total - (uint32_t)bt->count;
	}
	err = show_frames(r, at, first, bt, x, &more);
	if (!err && more && !bt->outer)
		out(r, "(More stack frames follow...)\n");
	return err;
}

static bool shows_native(struct repl *r)
{
	_cleanup_arena_ struct arena *arena = arena_create();

	return !strcmp(dbg_setting_get(r->dbg, "backtrace native", arena),
		       "on");
}

struct dbg_error *stack_info(struct repl *r, struct dbg_stopped at,
			     const struct call *call)
{
	struct dbg_error *err;
	struct bt_args bt = {0};

	err = parse_bt(call->args, &bt);
	if (err || !bt.native || shows_native(r))
		return err ? err : backtrace(r, at, &bt);
	// Frames that the other commands do not see have no number to them.
	err = dbg_set(r->dbg, "backtrace native", "on");
	if (err)
		return err;
	r->no_levels = true;
	err = backtrace(r, at, &bt);
	r->no_levels = false;
	struct dbg_error *off = dbg_set(r->dbg, "backtrace native", "off");
	dbg_error_destroy(off);
	return err;
}

static struct dbg_error *cmd_frame(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	if (*call->args)
		return frame_level(r, at, call);
	return call->cmd->value == FRAME_SILENT ? NULL : show_selected(r);
}

static struct dbg_error *cmd_up(struct repl *r, struct dbg_stopped at,
				const struct call *call)
{
	struct dbg_error *err;
	uint64_t n;

	err = parse_count(call->args, 1, &n);
	if (err)
		return err;
	uint64_t level = r->level + (n > UINT32_MAX ? UINT32_MAX : n);
	err = level > UINT32_MAX ? dbg_err_arg("Too far.")
				 : frame_select(r, r->thread, (uint32_t)level);
	if (err && err->code == DBG_E_ARGUMENT) {
		// As gdb: go as far as there are frames.
		uint32_t total;
		dbg_error_destroy(err);
		err = frame_count(r, at, &total);
		if (err)
			return err;
		if (!total || r->level + 1 >= total)
			return dbg_err_arg(
			    "Initial frame selected; you can't go "
			    "up.");
		err = frame_select(r, r->thread, total - 1);
	}
	return err ? err : show_selected(r);
}

static struct dbg_error *cmd_down(struct repl *r, struct dbg_stopped at,
				  const struct call *call)
{
	struct dbg_error *err;
	uint64_t n;

	(void)at;
	err = parse_count(call->args, 1, &n);
	if (err)
		return err;
	if (!r->level)
		return dbg_err_arg(
		    "Bottom (innermost) frame selected; you can't "
		    "go down.");
	uint32_t level = n > r->level ? 0 : r->level - (uint32_t)n;
	err = frame_select(r, r->thread, level);
	return err ? err : show_selected(r);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "backtrace bt where",
	.args = "[N | -N] [full] [-all] [-native]",
	.help = "show the stack",
	.more =
	    "N: only the N innermost frames, -N: only the N outermost. "
	    "full: with locals. -all: each frame of a recursion, of which the "
	    "first are shown else. -native: with native frames and the "
	    "runtime's stubs, without numbers (see "
	    "\"set backtrace native\").",
	.stopped = stack_info,
    },
    {
	.names = "frame f",
	.args = "[N]",
	.help = "select frame N, or show the selected one",
	.flags = CMD_REPEAT,
	.stopped = cmd_frame,
	.sub = cmd_frame_subs,
    },
    {
	.names = "select-frame",
	.args = "[N]",
	.help = "select frame N without showing it",
	.value = FRAME_SILENT,
	.stopped = cmd_frame,
	.sub = cmd_select_frame_subs,
    },
    {
	.names = "up",
	.args = "[N]",
	.help = "select the frame that called this one",
	.flags = CMD_REPEAT,
	.stopped = cmd_up,
    },
    {
	.names = "down",
	.args = "[N]",
	.help = "select the frame that this one called",
	.flags = CMD_REPEAT,
	.stopped = cmd_down,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_stack = {"stack", "Frames", cmds};
