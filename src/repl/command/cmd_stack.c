/*
 * `backtrace`, `frame`, `up`, `down`. Frames are asked for in portions, so that
 * the first rows of a deep stack come at once and Ctrl-C ends the rest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "repl/cmd.h"
#include "base/err.h"
#include "base/mem.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

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
