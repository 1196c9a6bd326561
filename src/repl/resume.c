/*
 * Running, and what comes of it.
 *
 * resume_begin, a resuming call of the engine, resume_wait or resume_end.
 * A stop at a breakpoint with commands leaves its number in r->action; they
 * are carried out by actions_run after the command that led there. One of
 * them may resume the program: then the rest of its block is dropped, since
 * the next stop has its own.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/inferior.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

enum {
	CALLERS_MAX = 16, /* frames of the framework, and one of the user's */
};

void resume_begin(struct repl *r, enum resume_kind kind)
{
	struct dbg_error *err;
	struct dbg_frame f;

	r->step_token = 0;
	r->last_thread = r->thread;
	r->instruction = kind == RESUME_INSTRUCTION;
	if (kind != RESUME_RUN) {
		err = frame_select(r, r->thread, 0);
		if (!err)
			err = frame_get(r, &f);
		if (err) {
			dbg_error_destroy(err);
		} else {
			r->step_token = f.token;
			r->step_sp = f.sp;
			r->step_bp = f.optimized ? 0 : f.bp;
			free(r->step_file);
			r->step_file =
			    f.source.path ? xstrdup(f.source.path) : NULL;
		}
	}
	r->stopped = false;
	r->exited = false;
	r->has_frame = false;
	r->action = 0;
	r->resumes++;
	r->interrupted = false;
	r->listing.first = 0;
	fflush(r->out);
	fflush(r->err);
}

static struct dbg_error *pause_program(struct repl *r)
{
	struct dbg_error *err = dbg_pause(r->dbg);

	// It may have stopped or ended by itself this moment.
	if (err && err->code == DBG_E_STATE) {
		dbg_error_destroy(err);
		return NULL;
	}
	return err;
}

static struct dbg_error *wait_for_stop(struct repl *r)
{
	struct dbg_error *err;
	unsigned int what;

	for (;;) {
		repl_events(r);
		if (r->stopped || r->exited || r->quit)
			return NULL;
		err = loop_wait(r->loop, -1, &what);
		r->interrupted |= what & LOOP_INTERRUPT;
		if (!err && (what & LOOP_INTERRUPT))
			err = pause_program(r);
		if (what & LOOP_END) {
			repl_end(r);
			return err;
		}
		if (err && dbg_state(r->dbg) == DBG_RUNNING) {
			// The program goes on; so does the waiting.
			repl_warn(r, "", err);
			err = NULL;
		}
		if (err)
			return err;
	}
}

/*
 * The level of the newest frame that has source, 0 if none has. If the program
 * stopped in the framework, that is its caller in the user's code.
 */
static uint32_t caller_level(struct repl *r)
{
	struct dbg_error *err;
	struct dbg_stopped at;
	struct dbg_frame *list;
	size_t n;

	err = dbg_stopped(r->dbg, &at);
	if (!err)
		err = dbg_frame_list(at, r->thread, 0, CALLERS_MAX, &list, &n);
	if (err) {
		dbg_error_destroy(err);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		if (list[i].source.path)
			return (uint32_t)i;
	return 0;
}

struct dbg_error *resume_wait(struct repl *r, struct dbg_error *err)
{
	if (!err && !r->hosted)
		err = wait_for_stop(r);
	if (err) {
		// Not resumed at all, perhaps: then it stands where it stood.
		r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
		return err;
	}
	struct dbg_stopped at;
	if (r->hosted || dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return NULL;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	r->untold = false;
	if (stop->thread)
		r->thread = stop->thread;
	r->level = stop->reason == DBG_STOP_FAIL_FAST ? caller_level(r) : 0;
	if (hook_find(r, stop->breakpoint))
		r->action = stop->breakpoint;
	return NULL;
}

static bool is_silent(struct repl *r)
{
	struct hook *hook = hook_find(r, r->action);

	return hook && hook->lines.n && !strcmp(hook->lines.v[0], "silent");
}

static struct dbg_error *end(struct repl *r, struct dbg_error *err,
			     bool finishes)
{
	err = resume_wait(r, err);
	if (err || !r->stopped || is_silent(r))
		return err;
	err = show_stop(r);
	if (!err && finishes)
		err = show_returned(r);
	display_show(r);
	return err;
}

struct dbg_error *resume_end(struct repl *r, struct dbg_error *err)
{
	return end(r, err, false);
}

struct dbg_error *resume_finish(struct repl *r, struct dbg_error *err)
{
	return end(r, err, true);
}

void resume_stopped(struct repl *r, bool show)
{
	struct dbg_stopped at;
	struct dbg_error *err = NULL;

	if (dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	r->stopped = true;
	r->action = hook_find(r, stop->breakpoint) ? stop->breakpoint : 0;
	if (show && !is_silent(r))
		err = show_stop(r);
	if (err)
		repl_warn(r, "", err);
	display_show(r);
	actions_run(r);
}

bool resume_told(struct repl *r)
{
	uint32_t thread = dbg_stop_thread(r->dbg);

	if (!r->untold)
		return false;
	r->untold = false;
	if (dbg_state(r->dbg) != DBG_STOPPED)
		return false;
	if (thread)
		r->thread = thread;
	r->level = 0;
	r->has_frame = false;
	resume_stopped(r, true);
	return true;
}

bool resume_interrupt(struct repl *r)
{
	if (dbg_state(r->dbg) != DBG_RUNNING)
		return false;
	struct dbg_error *err = pause_program(r);
	if (err)
		repl_warn(r, "", err);
	return true;
}

// Carry out one block; its end comes early if it resumes the program.
static void action_block(struct repl *r, const struct words *lines)
{
	uint64_t resumes = r->resumes;

	for (size_t i = 0; i < lines->n && !r->quit; i++) {
		if (i == 0 && !strcmp(lines->v[0], "silent"))
			continue;
		if (r->set.trace) {
			for (unsigned int n = 0; n <= r->depth; n++)
				out(r, "+");
			out(r, "%s\n", lines->v[i]);
		}
		struct dbg_error *err = cmd_execute(r, lines->v[i]);
		if (err) {
			repl_warn(r, "", err);
			break;
		}
		if (r->resumes != resumes)
			break;
	}
}

void actions_run(struct repl *r)
{
	r->depth++;
	while (r->action && !r->quit) {
		struct hook *hook = hook_find(r, r->action);
		_cleanup_words_ struct words lines = {0};

		r->action = 0;
		// A copy: the block may change itself.
		for (size_t i = 0; hook && i < hook->lines.n; i++)
			words_add(&lines, hook->lines.v[i],
				  strlen(hook->lines.v[i]));
		action_block(r, &lines);
	}
	r->depth--;
}
