/*
 * The commands for another front end (front/cli/commands.h): a struct repl
 * without input, prompt and terminal. What a command prints goes to the stream
 * of the caller; r->hosted says that events and the loop are the caller's, so
 * that a resuming command returns at once.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "repl/heap/heapoptions.h"
#include "repl/line/input.h"
#include "repl/repl_priv.h"
#include "front/debuggees.h"
#include "repl/inferior.h"
#include "repl/resume.h"
#include "repl/show/show.h"
#include "repl/uis.h"

struct command_host {
	struct repl *repl;
	struct repl own; /* what @repl is, if it is not the user's prompt */
	struct front_options options; /* of @own */
	uint64_t resumes;             /* before the present command */
	/* The prompt's own, while it works for another. */
	FILE *out, *err;
	uint32_t thread, level;
	bool quit, hosted, left;
};

static void host_destroy(struct command_host *host)
{
	// a real prompt is not destroyed here
	if (!host || host->repl != &host->own)
		return;
	repl_deinit(&host->own);
	free(host);
}

static struct command_host *host_create(const struct commands *commands)
{
	struct command_host *host = xcalloc(1, sizeof(*host));
	struct repl *r = host->repl = &host->own;

	r->first = commands->first;
	host->options = (struct front_options){
	    .batch = true,
	    .quiet = true,
	    .version = commands->front->version,
	    .mi_ui = commands->front->mi_ui,
	};
	r->options = &host->options;
	r->launch = commands->launch;
	r->no_start = commands->no_start;
	r->on_launch = commands->on_launch;
	r->launch_arg = commands->launch_arg;
	r->ui_quit = commands->quit;
	r->ui_take = commands->take;
	r->ui_arg = commands->ui_arg;
	r->evaluate = commands->evaluate;
	r->evaluate_arg = commands->evaluate_arg;
	r->quit_status = -1;
	r->loop = commands->loop;
	r->hosted = true;
	dbg_error_destroy(repl_init(r));
	return host;
}

struct command_host *host_of_prompt(struct repl *r)
{
	struct command_host *host = xcalloc(1, sizeof(*host));

	host->repl = r;
	return host;
}

// Begin to carry out a command for another front end, whose selected frame is
// @place. The output goes to @out. The prompt's own state is saved in @host.
static struct repl *host_begin(struct command_host *host,
			       const struct command_place *place, FILE *out)
{
	struct repl *r = host->repl;

	host->resumes = r->resumes;
	host->out = r->out;
	host->err = r->err;
	host->thread = r->thread;
	host->level = r->level;
	host->hosted = r->hosted;
	r->hosted = true;
	r->dbg = dbg_inferior_current(r->first);
	r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
	r->thread = place->thread;
	r->level = place->level;
	r->has_frame = false;
	host->left = r->quit;
	r->quit = false;
	if (out)
		r->out = r->err = out;
	return r;
}

static void host_end(struct command_host *host)
{
	struct repl *r = host->repl;

	fflush(r->out);
	host->quit = r->quit;
	// the caller's stream ends with the command
	r->out = host->out;
	r->err = host->err;
	if (r == &host->own)
		return;
	r->hosted = host->hosted;
	r->has_frame = false;
	r->quit = host->left;
}

static struct dbg_error *host_line(struct command_host *host, const char *line,
				   const struct command_place *place, FILE *out)
{
	struct repl *r = host_begin(host, place, out);

	struct dbg_error *err = repl_line(r, line);
	host_end(host);
	return err;
}

static struct dbg_error *host_lines(struct command_host *host,
				    const struct words *lines,
				    const struct command_place *place,
				    FILE *out)
{
	struct repl *r = host_begin(host, place, out);

	struct dbg_error *err = input_lines(r, lines);
	host_end(host);
	return err;
}

static void host_stopped(struct command_host *host,
			 const struct command_place *place, bool show,
			 FILE *out)
{
	struct repl *r = host_begin(host, place, out);

	resume_stopped(r, show);
	host_end(host);
}

static void host_tell(struct command_host *host, const struct debuggee_event *e,
		      const struct command_place *place, FILE *out)
{
	struct repl *r = host_begin(host, place, out);

	if (e->event.kind == DBG_EVENT_STOPPED)
		dbg_error_destroy(show_stop(r));
	else
		inferior_tell(r, e);
	host_end(host);
}

static void host_event(struct command_host *host,
		       const struct debuggee_event *e)
{
	uis_event(host->repl, e);
}

static void host_changed(struct command_host *host)
{
	uis_changed(host->repl);
}

static void host_after(const struct command_host *host,
		       struct command_result *ret)
{
	const struct repl *r = host->repl;

	*ret = (struct command_result){
	    .place = {r->thread, r->level},
	    .quit = host->quit,
	    .resumed = r->resumes != host->resumes,
	};
}

static void host_complete(struct command_host *host, const char *line,
			  const struct command_place *place, struct words *ret,
			  size_t *start)
{
	struct completion found = {0};

	complete_line(host_begin(host, place, NULL), line, &found);
	host_end(host);
	*ret = found.words;
	*start = found.start;
}

const struct command_ops repl_commands = {
    .create = host_create,
    .destroy = host_destroy,
    .line = host_line,
    .lines = host_lines,
    .stopped = host_stopped,
    .tell = host_tell,
    .event = host_event,
    .changed = host_changed,
    .after = host_after,
    .complete = host_complete,
    .has_value = heap_option_has_value,
};
