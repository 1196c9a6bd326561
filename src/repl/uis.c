/*
 * Further interfaces beside the prompt, or beside GDB/MI, for which commands
 * are carried out here. The first interface owns the session: it takes the
 * events and passes them on. Commands of the others are carried out by the
 * prompt (its own struct command_host). A program that another interface has
 * resumed also stops at the prompt: resume_told().
 */
#include "repl/uis.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/console_ui.h"
#include "front/debuggees.h"
#include "front/cli/options.h"
#include "front/ui.h"
#include "front/cli/words.h"
#include "repl/cmd.h"
#include "repl/inferior.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

static void repl_take_events(void *arg)
{
	repl_events(arg);
}

static void leave(void *arg)
{
	struct repl *r = arg;

	r->quit = true;
}

static struct dbg_error *open_ui(struct repl *r, const struct ui_ops *ops,
				 const char *path)
{
	if (!r->host)
		r->host = host_of_prompt(r);
	struct commands commands = {
	    .ops = &repl_commands,
	    .first = r->first,
	    .loop = r->loop,
	    .launch = r->launch,
	    .host = r->host,
	};
	struct ui_config config = {
	    .dbg = r->first,
	    .loop = r->loop,
	    .options = r->options,
	    .commands = &commands,
	    .take = r->ui_quit ? r->ui_take : repl_take_events,
	    .quit = r->ui_quit ? r->ui_quit : leave,
	    .arg = r->ui_quit ? r->ui_arg : r,
	};
	struct ui_entry entry = {.ops = ops};
	struct dbg_error *err = ops->open(&config, path, &entry.ui);
	if (err)
		return err;
	mem_grow(&r->uis, &r->cap_uis, r->n_uis, sizeof(*r->uis));
	r->uis[r->n_uis++] = entry;
	return NULL;
}

// NULL: there is none of that name.
static const struct ui_ops *find_ops(const struct repl *r, const char *name)
{
	bool is_mi = !strncmp(name, "mi", 2) &&
		     (!name[2] || (strchr("234", name[2]) && !name[3]));

	return is_mi                      ? r->options->mi_ui
	       : !strcmp(name, "console") ? &console_ui
					  : NULL;
}

struct dbg_error *uis_new(struct repl *r, const struct call *call)
{
	_cleanup_words_ struct words words = {0};

	struct dbg_error *err = words_split(call->args, &words);
	if (err)
		return err;
	if (words.n != 2)
		return dbg_err_arg("Usage: new-ui INTERPRETER TERMINAL");
	const struct ui_ops *ops = find_ops(r, words.v[0]);
	if (r->hosted && !r->ui_quit)
		return dbg_err_arg(
		    "\"new-ui\" is possible at the prompt and in "
		    "GDB/MI.");
	if (!ops)
		return dbg_err_arg("Interpreter \"%s\" unrecognized: there are "
				   "console, mi, mi2, mi3 and mi4.",
				   words.v[0]);
	err = open_ui(r, ops, words.v[1]);
	if (!err)
		out(r, "New UI allocated\n");
	return err;
}

void uis_event(struct repl *r, const struct debuggee_event *e)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->event(r->uis[i].ui, e);
}

void uis_changed(struct repl *r)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->changed(r->uis[i].ui);
}

void uis_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_uis; i++)
		r->uis[i].ops->close(r->uis[i].ui);
	free(r->uis);
	free(r->host);
}
