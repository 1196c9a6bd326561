/*
 * `info source`, `info sources`, `info scope`: what the program's sources are,
 * and what they declare at a place.
 */
#include <string.h>

#include "base/str.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

// The language of a source file, by its name.
static const char *language_of(const char *path)
{
	const char *end = strrchr(path, '.');

	if (end && !strcasecmp(end, ".vb"))
		return "Visual Basic";
	if (end && !strncasecmp(end, ".fs", 3))
		return "F#";
	return "C#";
}

// @module NULL: not known.
static void show_source(struct repl *r, const char *path, const char *module)
{
	struct dbg_error *err;
	const char *const *lines;
	const char *note = NULL;
	size_t n;

	out(r, "Current source file is %s\nLocated in %s\n",
	    source_name(r, path), path);
	err = dbg_source_lines(r->dbg, path, &lines, &n, &note);
	if (err)
		out(r, "Not readable: %s.\n", err->message);
	else
		out(r, "Contains %zu lines.\n", n);
	dbg_error_destroy(err);
	if (note)
		out(r, "%s\n", note);
	out(r, "Source language is %s.\n", language_of(path));
	if (module)
		out(r, "Symbols of module %s.\n", module);
}

struct dbg_error *source_info(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg_frame f;

	(void)call;
	if (!r->stopped) {
		if (r->listing.file)
			show_source(r, r->listing.file, NULL);
		else
			out(r, "No current source file.\n");
		return NULL;
	}
	err = frame_get(r, &f);
	if (err)
		return err;
	if (f.source.path)
		show_source(r, f.source.path, f.module ? f.module : "?");
	else
		out(r, "No current source file: %s has no symbols.\n",
		    f.module ? f.module : "the frame");
	return NULL;
}

struct dbg_error *sources_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const char **paths;
	size_t n, n_shown = 0;
	struct dbg_error *err = dbg_source_list(r->dbg, 0, arena, &paths, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		if (!strstr(paths[i], call->args))
			continue;
		out(r, "%s\n", paths[i]);
		n_shown++;
	}
	if (!n_shown)
		out(r, "No source files%s%s.\n", *call->args ? " match " : "",
		    call->args);
	return NULL;
}

struct dbg_error *scope_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_scope_name *names;
	size_t n;
	struct dbg_place place;
	struct dbg_error *err = place_of(r, call->args, &place);
	if (!err)
		err = dbg_scope_names(r->dbg, r->stopped ? frame_id(r) : 0,
				      &place, arena, &names, &n);

	if (err)
		return err;
	out(r, "Scope for %s:\n", call->args);
	for (size_t i = 0; i < n; i++)
		out(r, "Symbol %s is %s%s%s.\n", names[i].name,
		    names[i].argument ? "an argument" : "a variable",
		    *names[i].type ? " of type " : "", names[i].type);
	if (!n)
		out(r, "contains no locals or arguments.\n");
	return NULL;
}
