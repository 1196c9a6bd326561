/*
 * The commands for another front end (front/commands.h): a struct repl without
 * input, prompt and terminal. What a command prints goes to the stream of the
 * caller; r->hosted says that events and the loop are the caller's, so that a
 * resuming command returns at once.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "repl/line/input.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"

static const struct front_options no_options = {.batch = true, .quiet = true};

struct command_host {
	struct repl repl;
	uint64_t resumes; /* before the present command */
};

static void host_destroy(struct command_host *host)
{
	if (!host)
		return;
	repl_deinit(&host->repl);
	free(host);
}

static struct command_host *host_create(const struct commands *commands)
{
	struct command_host *host = xcalloc(1, sizeof(*host));
	struct repl *r = &host->repl;

	r->first = commands->first;
	r->options = &no_options;
	r->launch = commands->launch;
	r->no_start = commands->no_start;
	r->on_launch = commands->on_launch;
	r->launch_arg = commands->launch_arg;
	r->quit_status = -1;
	r->loop = commands->loop;
	r->hosted = true;
	dbg_error_destroy(repl_init(r));
	return host;
}

static void host_look(struct command_host *host,
		      const struct command_place *place)
{
	struct repl *r = &host->repl;

	host->resumes = r->resumes;
	r->dbg = dbg_inferior_current(r->first);
	r->stopped = dbg_state(r->dbg) == DBG_STOPPED;
	r->thread = place->thread;
	r->level = place->level;
	r->has_frame = false;
}

static struct dbg_error *host_line(struct command_host *host, const char *line,
				   const struct command_place *place, FILE *out)
{
	struct repl *r = &host->repl;

	host_look(host, place);
	r->quit = false;
	r->out = r->err = out;
	return repl_line(r, line);
}

static struct dbg_error *host_lines(struct command_host *host,
				    const struct words *lines,
				    const struct command_place *place,
				    FILE *out)
{
	struct repl *r = &host->repl;

	host_look(host, place);
	r->quit = false;
	r->out = r->err = out;
	struct dbg_error *err = input_lines(r, lines);
	fflush(out);
	return err;
}

static void host_stopped(struct command_host *host,
			 const struct command_place *place, bool show,
			 FILE *out)
{
	struct repl *r = &host->repl;

	host_look(host, place);
	r->quit = false;
	r->out = r->err = out;
	resume_stopped(r, show);
	fflush(out);
}

static void host_after(const struct command_host *host,
		       struct command_result *ret)
{
	const struct repl *r = &host->repl;

	*ret = (struct command_result){
	    .place = {r->thread, r->level},
	    .quit = r->quit,
	    .resumed = r->resumes != host->resumes,
	};
}

static void host_complete(struct command_host *host, const char *line,
			  const struct command_place *place, struct words *ret,
			  size_t *start)
{
	struct completion found = {0};

	host_look(host, place);
	complete_line(&host->repl, line, &found);
	*ret = found.words;
	*start = found.start;
}

const struct command_ops repl_commands = {
    .create = host_create,
    .destroy = host_destroy,
    .line = host_line,
    .lines = host_lines,
    .stopped = host_stopped,
    .after = host_after,
    .complete = host_complete,
};
