/*
 * Completion by Tab: names of commands and settings from the tables, names of
 * types, methods, files and variables from the engine, paths from the disk, the
 * members of a value before a dot. Names in scope come first, then the
 * program's own, then the framework's.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/line/edit.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/uis.h"

enum {
	NAMES_MAX = 500
};

// Add the first names of all commands in a table (NULL: in all families) that
// begin with @word.
static void add_commands(struct repl *r, const struct repl_cmd *table,
			 const char *word, struct words *ret)
{
	const struct repl_cmd *cmd;
	struct cmd_iter it = {0};
	size_t n = strlen(word);

	while (
	    (cmd = table ? (table->names ? table++ : NULL) : cmd_iterate(&it)))
		if (!strncmp(cmd->names, word, n) && n <= cmd_name_len(cmd))
			words_add(ret, cmd->names, cmd_name_len(cmd));
	for (size_t i = 0; !table && i < r->n_commands; i++)
		if (!strncmp(r->commands[i].name, word, n))
			words_add(ret, r->commands[i].name,
				  strlen(r->commands[i].name));
}

static bool is_directory(const char *dir, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_paths(const char *word, struct words *ret)
{
	const char *slash = strrchr(word, '/');
	const char *base = slash ? slash + 1 : word;
	size_t head = (size_t)(base - word);
	size_t n = strlen(base);
	const struct dirent *entry;

	_cleanup_free_ char *dir = head ? xstrndup(word, head) : xstrdup(".");
	DIR *d = opendir(dir);
	if (!d)
		return;
	while ((entry = readdir(d)) && ret->n < NAMES_MAX) {
		const char *name = entry->d_name;
		if (strncmp(name, base, n) || (!n && *name == '.'))
			continue;
		_cleanup_free_ char *path =
		    xasprintf("%.*s%s%s", (int)head, word, name,
			      is_directory(dir, name) ? "/" : "");
		words_add(ret, path, strlen(path));
	}
	closedir(d);
}

static int word_compare(const void *a, const void *b)
{
	const char *const *s = a, *const *t = b;

	return strcmp(*s, *t);
}

static bool is_listed(const struct words *w, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(w->v[i], word))
			return true;
	return false;
}

// Sort the words from @from on, without those that came before.
static void sort_from(struct words *w, size_t from)
{
	size_t kept = from;

	if (w->n == from)
		return;
	qsort(w->v + from, w->n - from, sizeof(*w->v), word_compare);
	for (size_t i = from; i < w->n; i++) {
		// A name with control characters cannot be typed.
		if (!plain_is(w->v[i]) || is_listed(w, from, w->v[i]) ||
		    (kept > from && !strcmp(w->v[kept - 1], w->v[i])))
			free(w->v[i]);
		else
			w->v[kept++] = w->v[i];
	}
	w->n = kept;
}

// Add names: those in scope first, then the program's own, then the
// framework's.
static void add_names(struct repl *r, unsigned int kinds, const char *word,
		      struct words *ret)
{
	static const unsigned int ranks[] = {
	    DBG_NAMES_LOCALS,
	    DBG_NAMES_FILES | DBG_NAMES_TYPES | DBG_NAMES_METHODS |
		DBG_NAMES_OWN,
	    DBG_NAMES_FILES | DBG_NAMES_TYPES | DBG_NAMES_METHODS,
	};

	kinds &= COMPLETE_LOCATIONS | COMPLETE_EXPRESSIONS;
	// All types there are help nobody.
	if (!*word)
		kinds &= DBG_NAMES_FILES | DBG_NAMES_LOCALS;
	for (size_t k = 0; k < sizeof(ranks) / sizeof(*ranks); k++) {
		struct dbg_error *err = NULL;
		struct dbg_name *names;
		size_t from = ret->n;
		size_t n = 0;
		unsigned int wanted = kinds & ranks[k];
		if (wanted)
			err = dbg_complete(r->dbg, frame_id(r),
					   wanted | (ranks[k] & DBG_NAMES_OWN),
					   word, NAMES_MAX, &names, &n);
		for (size_t i = 0; !err && i < n; i++)
			words_add(ret, names[i].text, strlen(names[i].text));
		dbg_error_destroy(err);
		sort_from(ret, from);
	}
}

// Find where the last word of the arguments begins.
static const char *last_word(const char *args, unsigned int kinds)
{
	const char *breaks =
	    kinds & DBG_NAMES_LOCALS ? " \t([,=+-*/&|!<>" : " \t";
	const char *word = args;

	for (const char *p = args; *p; p++)
		if (strchr(breaks, *p))
			word = p + 1;
	return word;
}

void complete_line(struct repl *r, const char *line, struct completion *ret)
{
	struct words *words = &ret->words;
	const struct repl_cmd *table = NULL;
	const struct repl_cmd *cmd = NULL;
	const char *rest = line;
	struct cmd_line parts;

	for (;;) {
		cmd_parse(rest, &parts);
		bool typing = !parts.n_name || !parts.name[parts.n_name];
		if (typing) {
			ret->start = (size_t)(parts.name - line);
			ret->whole = true;
			add_commands(r, table, parts.name, words);
			sort_from(words, 0);
			if (!cmd || (!cmd->run && !cmd->stopped))
				break;
		}
		struct dbg_error *err = NULL;
		const struct repl_cmd *found = NULL;
		if (!typing)
			err = cmd_find(table, parts.name, parts.n_name, &found);
		dbg_error_destroy(err);
		if (!found && !cmd)
			return;
		if (found) {
			cmd = found;
			rest = parts.args;
			table = cmd->sub;
			if (table)
				continue;
		}
		const char *word = last_word(rest, cmd->complete);
		ret->start = (size_t)(word - line);
		add_names(r, cmd->complete, word, words);
		size_t ranked = words->n;
		if (cmd->complete & COMPLETE_PATHS)
			add_paths(word, words);
		if (cmd->complete & COMPLETE_COMMANDS)
			add_commands(r, NULL, word, words);
		if (cmd->complete & COMPLETE_SETTINGS)
			settings_complete(r, word, words);
		sort_from(words, ranked);
		ret->whole = !(cmd->complete &
			       (COMPLETE_LOCATIONS | COMPLETE_EXPRESSIONS));
		break;
	}
}
