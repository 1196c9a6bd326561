/*
 * `info signals`, `handle`, `signal`, `queue-signal`. What is done at a signal
 * is a rule of the engine with three flags (stop, print, pass); `handle`
 * applies words to the flags of the signals it names, in gdb's order and with
 * gdb's implications.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/command/subcmd.h"

static void show_head(const struct repl *r)
{
	out(r, "Signal        Stop      Print     Pass    Description\n");
}

static void show_signal(const struct repl *r, const struct dbg_signal *s)
{
	static const char *const no_yes[] = {"No", "Yes"};

	out(r, "%-14s%-10s%-10s%-8s%s\n", s->name,
	    s->automatic ? "If fatal" : no_yes[s->stop],
	    s->automatic ? "If fatal" : no_yes[s->print], no_yes[s->pass],
	    s->text);
}

// "SIGUSR1", "USR1" or a number.
static const struct dbg_signal *signal_find(const struct dbg_signal *list,
					    size_t n, const char *name)
{
	uint64_t number = 0;

	parse_u64(name, &number);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].name, name) ||
		    !strcmp(list[i].name + 3, name) ||
		    (number && (uint64_t)list[i].number == number))
			return &list[i];
	return NULL;
}

static struct dbg_error *unknown(const char *name)
{
	return dbg_err_arg("\"%s\" is not a signal; see \"info signals\".",
			   name);
}

struct dbg_error *signal_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const struct dbg_signal *one = NULL;
	struct dbg_signal *list;
	size_t n;

	dbg_signal_list(r->dbg, arena, &list, &n);
	if (*call->args) {
		one = signal_find(list, n, call->args);
		if (!one)
			return unknown(call->args);
	}
	show_head(r);
	for (size_t i = 0; i < n; i++)
		if (!one || one == &list[i])
			show_signal(r, &list[i]);
	if (!one)
		out(r, "\nUse the \"handle\" command to change these.\n");
	return NULL;
}

/* ---- handle ---------------------------------------------------------- */

struct action {
	const char *word;
	void (*apply)(struct dbg_signal *s);
};

static void apply_stop(struct dbg_signal *s)
{
	s->stop = s->print = true;
}

static void apply_nostop(struct dbg_signal *s)
{
	s->stop = false;
}

static void apply_print(struct dbg_signal *s)
{
	s->print = true;
}

static void apply_noprint(struct dbg_signal *s)
{
	s->print = s->stop = false;
}

static void apply_pass(struct dbg_signal *s)
{
	s->pass = true;
}

static void apply_nopass(struct dbg_signal *s)
{
	s->pass = false;
}

static const struct action actions[] = {
    {"stop", apply_stop},     {"nostop", apply_nostop},
    {"print", apply_print},   {"noprint", apply_noprint},
    {"pass", apply_pass},     {"noignore", apply_pass},
    {"ignore", apply_nopass}, {"nopass", apply_nopass},
};

enum {
	N_ACTIONS = sizeof(actions) / sizeof(*actions)
};

static const struct action *action_find(const char *word)
{
	for (size_t i = 0; i < N_ACTIONS; i++)
		if (!strcmp(actions[i].word, word))
			return &actions[i];
	return NULL;
}

// Does "all" include the signal? Not those that debuggers never see, and not
// those that they use themselves.
static bool in_all(const struct dbg_signal *s)
{
	return s->number != SIGKILL && s->number != SIGSTOP &&
	       s->number != SIGTRAP && s->number != SIGINT;
}

// Carry out the words that are actions on one signal.
static struct dbg_error *handle_one(struct repl *r, const struct words *words,
				    struct dbg_signal *s)
{
	struct dbg_error *err;

	for (size_t i = 0; i < words->n; i++) {
		const struct action *action = action_find(words->v[i]);
		if (!action && strcmp(words->v[i], "default"))
			continue;
		if (action)
			action->apply(s);
		s->automatic = !action;
	}
	err = dbg_signal_set(r->dbg, s);
	if (!err)
		show_signal(r, s);
	return err;
}

struct handle {
	struct dbg_signal *list;
	size_t n;
	bool chosen[NSIG]; /* as in the list */
	bool any, acts;
};

static struct dbg_error *handle_word(struct handle *h, const char *word)
{
	const struct dbg_signal *s;

	if (action_find(word) || !strcmp(word, "default")) {
		h->acts = true;
		return NULL;
	}
	h->any = true;
	if (!strcmp(word, "all")) {
		for (size_t i = 0; i < h->n; i++)
			h->chosen[i] |= in_all(&h->list[i]);
		return NULL;
	}
	s = signal_find(h->list, h->n, word);
	if (!s)
		return unknown(word);
	h->chosen[s - h->list] = true;
	return NULL;
}

static struct dbg_error *cmd_handle(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	_cleanup_words_ struct words words = {0};
	struct handle h = {0};

	err = words_split(call->args, &words);
	dbg_signal_list(r->dbg, arena, &h.list, &h.n);
	for (size_t i = 0; !err && i < words.n; i++)
		err = handle_word(&h, words.v[i]);
	if (err)
		return err;
	if (!h.any || !h.acts)
		return dbg_err_arg("Signals and what to do are needed, as in "
				   "\"handle SIGUSR1 nostop noprint\".");
	show_head(r);
	for (size_t i = 0; !err && i < h.n; i++)
		if (h.chosen[i])
			err = handle_one(r, &words, &h.list[i]);
	return err;
}

/* ---- signal ---------------------------------------------------------- */

static struct dbg_error *queue(struct repl *r, struct dbg_stopped at,
			       const char *name, struct arena *arena,
			       struct dbg_signal *ret)
{
	struct dbg_signal *list;
	size_t n;

	dbg_signal_list(r->dbg, arena, &list, &n);
	const struct dbg_signal *s = signal_find(list, n, name);
	if (!s && strcmp(name, "0"))
		return unknown(name);
	*ret = s ? *s : (struct dbg_signal){.name = "no signal"};
	return dbg_signal_queue(at, r->thread, ret->number);
}

static struct dbg_error *cmd_signal(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_signal s;

	err = queue(r, at, call->args, arena, &s);
	if (err)
		return err;
	out(r, "Continuing with %s%s.\n", s.number ? "signal " : "", s.name);
	resume_begin(r, RESUME_RUN);
	return resume_end(r, dbg_continue(at, 0));
}

static struct dbg_error *cmd_queue_signal(struct repl *r, struct dbg_stopped at,
					  const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_signal s;

	return queue(r, at, call->args, arena, &s);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "handle",
	.args = "SIGNAL... ACTION...",
	.help = "say what is done with signals",
	.more = "SIGNAL is a name, a number or \"all\". ACTION is stop or "
		"nostop, print or\nnoprint, pass or nopass (to the program); "
		"\"default\" undoes them: then a signal\nstops only where it "
		"would end the program, and the program gets it.",
	.flags = CMD_NEEDS_ARGS,
	.run = cmd_handle,
    },
    {
	.names = "signal",
	.args = "SIGNAL",
	.help = "let the program run on with a signal",
	.more = "The selected thread gets SIGNAL in place of the one that "
		"stopped it; with 0 it\ngets none.",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.stopped = cmd_signal,
    },
    {
	.names = "queue-signal",
	.args = "SIGNAL",
	.help = "as \"signal\", but the program stays stopped",
	.flags = CMD_RUNS | CMD_NEEDS_ARGS,
	.stopped = cmd_queue_signal,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_signals = {"signals", "Signals", cmds};
