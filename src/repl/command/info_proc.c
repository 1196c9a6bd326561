/* `info proc`: what the system knows of the process. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	TEXT_MAX = 16 << 20, /* of a file in /proc */
};

enum proc_kind {
	PROC_LINK,
	PROC_WORDS, /* that end with 0 */
	PROC_TEXT,
};

struct proc_file {
	const char *what, *name; /* for the user; in /proc/PID */
	enum proc_kind kind;
	bool brief; /* shown if nothing is named */
};

static const struct proc_file files[] = {
    {"cmdline", "cmdline", PROC_WORDS, true},
    {"cwd", "cwd", PROC_LINK, true},
    {"exe", "exe", PROC_LINK, true},
    {"mappings", "maps", PROC_TEXT, false},
    {"stat", "stat", PROC_TEXT, false},
    {"status", "status", PROC_TEXT, false},
};

static bool read_link(const char *path, struct str *ret)
{
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link));

	if (n > 0)
		str_addn(ret, link, (size_t)n);
	return n > 0;
}

static bool read_text(const char *path, struct str *ret)
{
	char piece[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	while (ret->len < TEXT_MAX &&
	       (n = fread(piece, 1, sizeof(piece), f)) > 0)
		str_addn(ret, piece, n);
	fclose(f);
	return true;
}

static struct dbg_error *show_file(const struct repl *r,
				   const struct proc_file *file)
{
	_cleanup_free_ char *path =
	    xasprintf("/proc/%d/%s", (int)dbg_pid(r->dbg), file->name);
	_cleanup_str_ struct str text = {0};
	bool got = file->kind == PROC_LINK ? read_link(path, &text)
					   : read_text(path, &text);

	if (!got)
		return dbg_err(DBG_E_STATE, "cannot read '%s'", path);
	for (size_t i = 0; file->kind == PROC_WORDS && i + 1 < text.len; i++)
		if (!text.s[i])
			text.s[i] = ' ';
	if (file->kind == PROC_TEXT)
		out_lines(r, str_get(&text), 0, "");
	else
		out(r, "%s = '%s'\n", file->what, str_get(&text));
	return NULL;
}

struct dbg_error *proc_info(struct repl *r, const struct call *call)
{
	struct dbg_error *err = NULL;
	size_t n_shown = 0;

	if (!dbg_can_run(r->dbg))
		return dbg_err(DBG_E_STATE, "a core has no process");
	for (size_t i = 0; !err && i < sizeof(files) / sizeof(*files); i++) {
		bool meant = *call->args ? !strcmp(call->args, files[i].what)
					 : files[i].brief;

		if (meant && !n_shown++)
			out(r, "process %d\n", (int)dbg_pid(r->dbg));
		if (meant)
			err = show_file(r, &files[i]);
	}
	if (!err && !n_shown)
		err = dbg_err_arg("\"info proc\" knows no \"%s\".", call->args);
	return err;
}
