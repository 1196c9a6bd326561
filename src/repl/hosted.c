/* Commands carried out for another front end: see commands.h. */
#include <stdlib.h>

#include "base/mem.h"
#include "repl/line/input.h"
#include "repl/repl_priv.h"

static const struct front_options no_options = {.batch = true, .quiet = true};

struct command_host {
	struct repl repl;
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
	r->quit_status = -1;
	r->loop = commands->loop;
	r->hosted = true;
	dbg_error_destroy(repl_init(r));
	return host;
}

static void host_look(struct repl *r, const struct command_place *place)
{
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

	host_look(r, place);
	r->quit = false;
	r->out = r->err = out;
	return repl_line(r, line);
}

static void host_complete(struct command_host *host, const char *line,
			  const struct command_place *place, struct words *ret,
			  size_t *start)
{
	struct completion found = {0};

	host_look(&host->repl, place);
	complete_line(&host->repl, line, &found);
	*ret = found.words;
	*start = found.start;
}

const struct command_ops repl_commands = {
    .create = host_create,
    .destroy = host_destroy,
    .line = host_line,
    .complete = host_complete,
};
