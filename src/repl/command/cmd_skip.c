/*
 * `skip` and `info skip`: methods and files that `step` passes. The list is
 * kept here; the engine is told what is enabled as its setting "step-skip".
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/cli/words.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

struct skip {
	uint32_t number;
	bool enabled;
	bool glob, regex;    // how file and function are meant
	char *file, *method; // NULL: any
};

static void skip_deinit(struct skip *s)
{
	free(s->file);
	free(s->method);
}

void skips_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_skips; i++)
		skip_deinit(&r->skips[i]);
	free(r->skips);
}

// Tell the engine of all that are enabled.
static struct dbg_error *skips_apply(struct repl *r)
{
	_cleanup_str_ struct str text = {0};

	for (size_t i = 0; i < r->n_skips; i++) {
		const struct skip *s = &r->skips[i];

		if (!s->enabled)
			continue;
		if (s->method)
			str_addf(&text, "%s %s\t", s->regex ? "rfu" : "fu",
				 s->method);
		if (s->file)
			str_addf(&text, "%s %s", s->glob ? "gfi" : "fi",
				 s->file);
		str_addc(&text, '\n');
	}
	return dbg_set(r->dbg, "step-skip", str_get(&text));
}

static void say_new(const struct repl *r, const struct skip *s)
{
	const char *file = s->glob ? "File(s)" : "File";
	const char *function = s->regex ? "Function(s)" : "Function";

	if (s->file && s->method)
		out(r, "%s %s in %s %s", function, s->method,
		    s->glob ? "file(s)" : "file", s->file);
	else
		out(r, "%s %s", s->file ? file : function,
		    s->file ? s->file : s->method);
	out(r, " will be skipped when stepping.\n");
}

// Takes over what @fresh holds.
static struct dbg_error *skip_add(struct repl *r, struct skip *fresh)
{
	struct dbg_error *err;

	fresh->number = r->last_skip + 1;
	fresh->enabled = true;
	mem_grow(&r->skips, &r->cap_skips, r->n_skips, sizeof(*r->skips));
	r->skips[r->n_skips++] = *fresh;
	err = skips_apply(r);
	if (err) {
		skip_deinit(&r->skips[--r->n_skips]);
		return err;
	}
	r->last_skip++;
	say_new(r, &r->skips[r->n_skips - 1]);
	return NULL;
}

/* ---- Adding ---------------------------------------------------------- */

// The name of the selected frame's method, or the path of its file.
static struct dbg_error *take_present(struct repl *r, bool file, char **ret)
{
	struct dbg_frame f;
	struct dbg_error *err = frame_get(r, &f);

	if (err) {
		dbg_error_destroy(err);
		return dbg_err_arg("No default %s now.",
				   file ? "file" : "function");
	}
	if (file && !f.source.path)
		return dbg_err_arg("No source file here.");
	*ret = xstrdup(file ? f.source.path : f.name);
	return NULL;
}

struct option {
	const char *names[2];
	bool file, special; // a glob, a regular expression
};

static const struct option options[] = {
    {{"-fi", "-file"}, true, false},
    {{"-gfi", "-gfile"}, true, true},
    {{"-fu", "-function"}, false, false},
    {{"-rfu", "-rfunction"}, false, true},
};

static const struct option *find_option(const char *word)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		for (int k = 0; k < 2; k++)
			if (!strcmp(options[i].names[k], word))
				return &options[i];
	return NULL;
}

// -fi FILE, -gfi GLOB, -fu FUNCTION, -rfu REGEX
static struct dbg_error *parse_options(const struct words *words,
				       struct skip *ret)
{
	for (size_t i = 0; i < words->n; i += 2) {
		const struct option *o = find_option(words->v[i]);

		if (!o)
			return dbg_err_arg("No option \"%s\": there are -file, "
					   "-gfile, -function and -rfunction.",
					   words->v[i]);
		if (i + 1 == words->n)
			return dbg_err_arg("Option \"%s\" needs a value.",
					   words->v[i]);
		str_set(o->file ? &ret->file : &ret->method, words->v[i + 1]);
		if (o->file)
			ret->glob = o->special;
		else
			ret->regex = o->special;
	}
	return NULL;
}

static struct dbg_error *skip_one(struct repl *r, const char *args, bool file)
{
	struct dbg_error *err = NULL;
	struct skip fresh = {0};
	char **place = file ? &fresh.file : &fresh.method;

	if (*args)
		*place = xstrdup(args);
	else
		err = take_present(r, file, place);
	return err ? err : skip_add(r, &fresh);
}

static struct dbg_error *skip_function(struct repl *r, const struct call *call)
{
	return skip_one(r, call->args, false);
}

static struct dbg_error *skip_file(struct repl *r, const struct call *call)
{
	return skip_one(r, call->args, true);
}

static struct dbg_error *cmd_skip(struct repl *r, const struct call *call)
{
	_cleanup_words_ struct words words = {0};
	struct skip fresh = {0};

	if (*call->args != '-')
		return skip_one(r, call->args, false);
	struct dbg_error *err = words_split(call->args, &words);
	if (!err)
		err = parse_options(&words, &fresh);
	if (err) {
		skip_deinit(&fresh);
		return err;
	}
	return skip_add(r, &fresh);
}

/* ---- Changing -------------------------------------------------------- */

enum change {
	CHANGE_ENABLE,
	CHANGE_DISABLE,
	CHANGE_DELETE,
};

static void change_at(struct repl *r, size_t i, enum change change)
{
	r->skips[i].enabled = change == CHANGE_ENABLE;
	if (change != CHANGE_DELETE)
		return;
	skip_deinit(&r->skips[i]);
	for (r->n_skips--; i < r->n_skips; i++)
		r->skips[i] = r->skips[i + 1];
}

// Change the rules of a range; false: there are none.
static bool change_range(struct repl *r, uint64_t first, uint64_t last,
			 enum change change)
{
	bool any = false;

	for (size_t i = r->n_skips; i-- > 0;) {
		if (r->skips[i].number < first || r->skips[i].number > last)
			continue;
		change_at(r, i, change);
		any = true;
	}
	return any;
}

static struct dbg_error *change_list(struct repl *r, const char *args,
				     enum change change)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any;

	if (!*args)
		change_range(r, 0, UINT64_MAX, change);
	while (*args) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		if (!change_range(r, first, last, change))
			return dbg_err_arg("No skiplist entries found with "
					   "number %" PRIu64 ".",
					   first);
	}
	return skips_apply(r);
}

static struct dbg_error *skip_delete(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_DELETE);
}

static struct dbg_error *skip_enable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_ENABLE);
}

static struct dbg_error *skip_disable(struct repl *r, const struct call *call)
{
	return change_list(r, call->args, CHANGE_DISABLE);
}

struct dbg_error *skip_info(struct repl *r, const struct call *call)
{
	(void)call;
	if (!r->n_skips) {
		out(r, "Not skipping any files or functions.\n");
		return NULL;
	}
	out(r, "Num   Enb Glob                 File RE Function\n");
	for (size_t i = 0; i < r->n_skips; i++) {
		const struct skip *s = &r->skips[i];

		out(r, "%-5" PRIu32 " %-3s %4s %20s %2s %s\n", s->number,
		    s->enabled ? "y" : "n", s->glob ? "y" : "n",
		    s->file ? s->file : "<none>", s->regex ? "y" : "n",
		    s->method ? s->method : "<none>");
	}
	return NULL;
}

static const struct repl_cmd subs[] = {
    {
	.names = "function",
	.args = "[METHOD]",
	.help = "pass a method, the selected frame's without METHOD",
	.complete = DBG_NAMES_TYPES | DBG_NAMES_METHODS,
	.run = skip_function,
    },
    {
	.names = "file",
	.args = "[FILE]",
	.help = "pass all methods of a source file",
	.complete = DBG_NAMES_FILES,
	.run = skip_file,
    },
    {
	.names = "delete",
	.args = "[LIST]",
	.help = "forget entries, all without LIST",
	.run = skip_delete,
    },
    {
	.names = "enable",
	.args = "[LIST]",
	.help = "pass what the entries name again",
	.run = skip_enable,
    },
    {
	.names = "disable",
	.args = "[LIST]",
	.help = "do not pass what the entries name",
	.run = skip_disable,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "skip",
	.args = "[METHOD | OPTIONS]",
	.help = "have \"step\" pass a method or a file",
	.more = "METHOD is a name as for \"break\", without it that of the "
		"selected frame. Options:\n-fi FILE, -gfi GLOB (files), -fu "
		"METHOD, -rfu REGEX (methods); one of each kind\ntogether "
		"means both. Breakpoints in what is passed stop all the same. "
		"See \"info skip\".",
	.complete = DBG_NAMES_TYPES | DBG_NAMES_METHODS,
	.run = cmd_skip,
	.sub = subs,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_skips = {"skips", "What steps pass", cmds};
