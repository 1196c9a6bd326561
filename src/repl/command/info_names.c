/*
 * `info functions`, `info types`, `info variables`: names that match a pattern.
 * The engine searches and bounds the work; here the names are grouped by source
 * file, those without symbols last, as gdb does.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

enum {
	NAMES_SHOWN = 2000
};

struct names_words {
	bool quiet, debug;
	char *type, *module; // NULL: not given
	const char *name;    // borrowed, NULL: none
};

static void names_words_deinit(struct names_words *w)
{
	free(w->type);
	free(w->module);
}

// Take the option at *@p and its value.
static struct dbg_error *take_option(const char **p, struct names_words *ret)
{
	const char *option = *p;
	size_t n = strcspn(option, " \t");
	char **value = NULL;

	*p = option + n + strspn(option + n, " \t");
	if (n == 2 && option[1] == 'q')
		ret->quiet = true;
	else if (n == 2 && option[1] == 'n')
		ret->debug = true;
	else if (n == 2 && option[1] == 't')
		value = &ret->type;
	else if (n == 2 && option[1] == 'm')
		value = &ret->module;
	else
		return dbg_err_arg("No option \"%.*s\": there are -q, -n, -t "
				   "TYPE-REGEX and -m MODULE.",
				   (int)n, option);
	if (!value)
		return NULL;
	n = strcspn(*p, " \t");
	if (!n)
		return dbg_err_arg("Option \"%.2s\" needs a value.", option);
	free(*value);
	*value = xstrndup(*p, n);
	*p += n + strspn(*p + n, " \t");
	return NULL;
}

static struct dbg_error *parse_names(const char *args, struct names_words *ret)
{
	struct dbg_error *err = NULL;

	while (!err && *args == '-')
		err = take_option(&args, ret);
	if (*args)
		ret->name = args;
	return err;
}

// With symbols first, by file; the order of the names stays.
static int compare(const void *a, const void *b)
{
	const struct dbg_symbol *const *x = a, *const *y = b;
	const struct dbg_symbol *s = *x, *t = *y;
	int order = 0;

	if (!s->file != !t->file)
		return s->file ? -1 : 1;
	if (s->file)
		order = strcmp(s->file, t->file);
	return order ? order : (s > t) - (s < t);
}

static bool same_group(const struct dbg_symbol *s, const struct dbg_symbol *t)
{
	if (s->file && t->file)
		return !strcmp(s->file, t->file);
	return !s->file && !t->file && s->module == t->module;
}

static void show_names(struct repl *r, const struct dbg_symbol *const *list,
		       size_t n)
{
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		const struct dbg_symbol *s = list[i];

		if (i && same_group(s, list[i - 1]))
			;
		else if (s->file)
			out(r, "\nFile %s:\n", source_name(r, s->file));
		else
			out(r, "\nWithout line numbers, in %s:\n",
			    s->module_name);
		if (s->line)
			out(r, "%" PRIu32 ":", s->line);
		out(r, "\t%s;\n", s->text);
	}
}

static void show_head(const struct repl *r, const char *what,
		      const struct names_words *w)
{
	if (w->name)
		out(r, "All %s matching regular expression \"%s\"", what,
		    w->name);
	else
		out(r, "All defined %s", what);
	if (w->type)
		out(r, " with type matching regular expression \"%s\"",
		    w->type);
	out(r, ":\n");
}

static struct dbg_error *names_info(struct repl *r, const struct call *call,
				    enum dbg_symbol_kind kind, const char *what)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct names_words w = {0};
	struct dbg_symbol_page page;
	struct dbg_error *err = parse_names(call->args, &w);
	struct dbg_symbol_req req = {
	    .kind = kind,
	    .name = w.name,
	    .type = w.type,
	    .module = w.module,
	    // all that there is are a hundred thousand names
	    .own = !w.name && !w.type && !w.module,
	    .debug = w.debug,
	    .max = NAMES_SHOWN,
	};

	if (!err)
		err = dbg_symbol_search(r->dbg, &req, arena, &page);
	if (err) {
		names_words_deinit(&w);
		return err;
	}
	if (!w.quiet || page.n)
		show_head(r, what, &w);
	names_words_deinit(&w);
	_cleanup_free_ const struct dbg_symbol **list =
	    xcalloc(page.n + 1, sizeof(*list));
	for (size_t i = 0; i < page.n; i++)
		list[i] = &page.symbols[i];
	qsort(list, page.n, sizeof(*list), compare);
	show_names(r, list, page.n);
	if (page.more)
		out(r,
		    "(These are the first %d; a longer name matches fewer.)\n",
		    NAMES_SHOWN);
	return NULL;
}

struct dbg_error *functions_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_FUNCTION, "functions");
}

struct dbg_error *types_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_TYPE, "types");
}

struct dbg_error *variables_info(struct repl *r, const struct call *call)
{
	return names_info(r, call, DBG_SYMBOL_VARIABLE, "variables");
}
