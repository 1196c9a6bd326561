/*
 * The prompt's life: options into struct repl, one line after the other
 * (repl_line), what an error or the end of the program means for the exit
 * status, the end. Where lines come from is in line/edit.c, what they do in
 * command/.
 */
#include "repl/repl.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/heap/heapoptions.h"
#include "repl/inert.h"
#include "repl/inferior.h"
#include "repl/line/edit.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/screen.h"
#include "repl/show/show.h"
#include "repl/uis.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/debuggees.h"
#include "front/plain.h"
#include "front/statefile.h"

/* ---- The prompt's life --------------------------------------------------- */

void repl_say(FILE *out, const char *s)
{
	size_t word = 0;
	size_t n = strlen(s);
	char first[] = {*s, 0};

	while (s[word] >= 'a' && s[word] <= 'z')
		word++;
	bool plain = word && (s[word] == ' ' || !s[word]);
	if (plain)
		*first = (char)toupper((unsigned char)*s);
	plain_printf(out, "%s%s%s\n", plain ? first : "", plain ? s + 1 : s,
		     n && strchr(".?!", s[n - 1]) ? "" : ".");
}

void repl_end(struct repl *r)
{
	r->quit = true;
	r->quit_status = 1;
}

// `--batch -ex run -ex bt`: nothing is wrong if there is no stack to show.
static bool only_too_late(const struct repl *r, const struct dbg_error *err)
{
	return err->code == DBG_E_STATE && r->program_status >= 0 &&
	       dbg_state(r->dbg) == DBG_IDLE;
}

void repl_warn(struct repl *r, const char *prefix, struct dbg_error *err)
{
	if (!only_too_late(r, err))
		r->failed = true;
	fflush(r->out);
	plain_printf(r->err, "%s", prefix);
	_cleanup_free_ char *text = dbg_err_text(err);
	repl_say(r->err, text);
	fflush(r->err);
	screen_log_error(r, text);
	dbg_error_destroy(err);
}

bool repl_confirm(struct repl *r, const char *question)
{
	_cleanup_str_ struct str answer = {0};
	const char *last = strrchr(question, '\n');

	// nobody sits here who could answer, or the next line is no answer
	if (!r->terminal || !r->set.confirm || r->options->batch || r->hosted ||
	    r->n_uis || !input_is_user(r))
		return true;
	// Only the last line is a prompt.
	size_t n = last ? (size_t)(last + 1 - question) : 0;
	_cleanup_free_ char *lines = xstrndup(question, n);
	out_ours(r, lines);
	_cleanup_free_ char *prompt = xasprintf("%s (y or n) ", question + n);
	while (input_ask(r, prompt, &answer)) {
		char c = (char)tolower((unsigned char)str_get(&answer)[0]);
		if (c == 'y' || c == 'n')
			return c == 'y';
		out(r, "Please answer y or n.\n");
	}
	return true;
}

// Note what an empty line will do after this one.
static void note_repeat(struct repl *r, const char *line)
{
	const struct repl_cmd *cmd;
	struct cmd_line parts;
	unsigned int flags = 0;

	cmd_parse(line, &parts);
	if (!parts.n_name)
		return;
	struct dbg_error *err = cmd_find(NULL, parts.name, parts.n_name, &cmd);
	if (!err)
		flags = cmd->flags;
	dbg_error_destroy(err);
	_cleanup_free_ char *again = NULL;
	if (flags & CMD_REPEAT)
		again = xstrdup(line);
	else if (flags & CMD_REPEAT_BARE)
		again = xstrndup(cmd->names, cmd_name_len(cmd));
	str_set(&r->last_line, again);
}

struct dbg_error *repl_line(struct repl *r, const char *line)
{
	struct dbg_error *err;
	struct cmd_line parts;

	cmd_parse(line, &parts);
	if (!parts.n_name)
		return NULL;
	if (r->set.trace) {
		for (unsigned int i = 0; i <= r->depth; i++)
			out(r, "+");
		out(r, "%s\n", line);
	}
	if (input_is_user(r))
		note_repeat(r, line);
	r->counted = r->counting;
	dbg_counters(r->dbg, &r->counting);
	err = cmd_execute(r, line);
	if (!err)
		actions_run(r);
	// What is damaged in a core shows when it is looked at.
	if (dbg_state(r->dbg) == DBG_STOPPED && !dbg_can_run(r->dbg))
		repl_events(r);
	uis_changed(r);
	fflush(r->out);
	return err;
}

static void repl_deinit(struct repl *r)
{
	uis_deinit(r);
	inerts_deinit(r);
	for (size_t i = 0; i < r->n_hooks; i++)
		words_deinit(&r->hooks[i].lines);
	displays_deinit(r);
	skips_deinit(r);
	free(r->hooks);
	free(r->listing.file);
	free(r->step_file);
	free(r->last_line);
	user_commands_deinit(r);
	thread_names_clear(r);
	if (!r->hosted)
		debuggees_end_children(r->first);
	screen_destroy(r);
	settings_deinit(r);
	edit_destroy(r->edit);
	if (!r->hosted)
		loop_destroy(r->loop);
}

static bool wants_editing(const struct repl *r)
{
	const char *term = getenv("TERM");

	return r->terminal && !r->options->batch && isatty(STDOUT_FILENO) &&
	       term && *term && strcmp(term, "dumb");
}

/* Make @r ready, whose first, options, launch and quit_status are set. */
static struct dbg_error *repl_init(struct repl *r)
{
	struct dbg_error *err;
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	if (!r->hosted) {
		err = loop_create(r->first, &r->loop);
		if (err)
			return err;
	}
	r->terminal = !r->hosted && isatty(STDIN_FILENO);
	r->colours = !r->hosted && isatty(STDOUT_FILENO) && term && *term &&
		     strcmp(term, "dumb") && !(no_color && *no_color);
	r->program_status = -1;
	r->examine = (struct examine){.letter = 'x', .size = 'w'};
	settings_init(r);
	r->dbg = dbg_inferior_current(r->first);
	r->stopped_inferior = 1;
	if (!r->hosted)
		screen_create(r);
	if (r->hosted)
		return NULL;
	if (wants_editing(r))
		r->edit = edit_create(r);
	return dbg_set(r->dbg, "follow-exec", "auto");
}

static int exit_status(const struct repl *r)
{
	if (r->quit_status >= 0)
		return r->quit_status;
	// nobody sits there who has read the error
	if (!r->options->batch)
		return !r->terminal && r->startup_failed;
	if (r->program_status > 0)
		return r->program_status;
	// left at what was about to end it
	struct dbg_stopped at;
	if (dbg_err_drop(dbg_stopped(r->dbg, &at)))
		return r->failed;
	const struct dbg_stop *stop = dbg_stop_reason(at);
	if (stop->reason == DBG_STOP_UNHANDLED || stop->fatal)
		return 128 + stop->signal;
	return r->failed;
}

// Read the user's settings file; it is no error if there is none.
static void personal_settings(struct repl *r)
{
	_cleanup_free_ char *path = config_file_path("init");

	if (r->options->no_settings || !path || access(path, F_OK))
		return;
	struct dbg_error *err = input_source(r, path);
	if (err)
		repl_warn(r, "", err);
}

// Load the program named on the command line. In a batch, or with --attach, an
// error is not reported here: the first command that needs the program does it.
static void file_startup(struct repl *r)
{
	struct dbg_error *err = program_name(r);

	if (r->options->batch || r->options->attach)
		dbg_error_destroy(err);
	else if (err)
		repl_warn(r, "", err);
}

// Carry out --attach and --core, as the commands that they stand for.
static void attach_startup(struct repl *r)
{
	const struct front_options *o = r->options;

	if (!o->attach && !o->core)
		return;
	_cleanup_free_ char *line =
	    o->core ? xasprintf("core-file %s", o->core)
		    : xasprintf("%s %s%s", o->snapshot ? "snapshot" : "attach",
				o->wait ? "--wait " : "", o->attach);
	// a batch cannot try again
	r->settle = o->batch ? DBG_SETTLE_MS : 0;
	struct dbg_error *err = repl_line(r, line);
	r->settle = 0;
	if (!err)
		return;
	repl_warn(r, "", err);
	if (o->netcoredbg)
		repl_end(r);
}

/* Carry out what the command line asks for. */
static void startup(struct repl *r)
{
	input_startup(r, true);
	file_startup(r);
	attach_startup(r);
	input_startup(r, false);
	r->startup_failed = r->failed;
}

int repl_main(struct dbg *dbg, const struct front_options *options)
{
	struct launch_config launch = {0};
	struct repl r = {
	    .first = dbg,
	    .options = options,
	    .launch = &launch,
	    .out = stdout,
	    .screen = stdout,
	    .err = stderr,
	    .quit_status = -1,
	};

	launch_config_copy(&launch, &options->launch);
	struct dbg_error *err = repl_init(&r);
	if (err) {
		repl_warn(&r, "dndbg: ", err);
		repl_deinit(&r);
		launch_config_deinit(&launch);
		return 1;
	}
	if (!options->quiet && !options->batch && r.terminal)
		out(&r,
		    "dndbg %s: a debugger for .NET. "
		    "Type \"help\" for help.\n",
		    options->version);
	personal_settings(&r);
	startup(&r);
	if (!options->batch && !r.quit)
		input_user(&r);
	fflush(r.out);
	int status = exit_status(&r);
	repl_deinit(&r);
	launch_config_deinit(&launch);
	return status;
}

/* ---- The commands for another front end (front/cli/commands.h) ----------- */

/*
 * The commands for another front end (front/cli/commands.h): a struct repl
 * without input, prompt and terminal. What a command prints goes to the stream
 * of the caller; r->hosted says that events and the loop are the caller's, so
 * that a resuming command returns at once.
 */

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
	r->watched = commands->watched;
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
