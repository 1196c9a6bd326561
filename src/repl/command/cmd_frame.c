/*
 * Subcommands of `frame` and `select-frame`: `level`, `function` and `apply`.
 * `frame apply`
 * selects one frame after the other, carries out a command in each, and selects
 * the first one again; a command that resumes the program ends it.
 */
#include <inttypes.h>
#include <string.h>

#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

enum {
	PAGE = 64,
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

struct dbg_error *frame_parse(const char *text, uint32_t *ret)
{
	uint64_t level;

	if (!parse_u64(text, &level) || level > UINT32_MAX)
		return dbg_err_arg("\"%s\" is not the number of a frame.",
				   text);
	*ret = (uint32_t)level;
	return NULL;
}

struct dbg_error *frame_level(struct repl *r, struct dbg_stopped at,
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
	size_t n = PAGE;

	for (uint32_t first = 0; n == PAGE && first < LEVELS_MAX;
	     first += PAGE) {
		err = dbg_frame_list(at, r->thread, first, PAGE, &frames, &n);
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

static struct dbg_error *take_flags(const char *p, struct apply *ret)
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
	err = take_flags(p, &a);
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
