/*
 * The program to run with its arguments, directory, environment and terminal,
 * which are the front's launch configuration; source files and loaded
 * libraries.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

// netcoredbg knows no places before the program runs.
struct dbg_error *mi_program(struct mi *m)
{
	struct dbg_launch l = launch_config_request(m->launch);

	return m->launch->program && m->dialect == MI_GDB
		   ? dbg_program(m->dbg, &l)
		   : NULL;
}

static struct dbg_error *program(struct mi *m, struct mi_call *call)
{
	str_set(&m->launch->program, call->args.n ? call->args.v[0] : NULL);
	return mi_program(m);
}

static struct dbg_error *accept(struct mi *m, struct mi_call *call)
{
	(void)m;
	(void)call;
	return NULL;
}

static struct dbg_error *set_tty(struct mi *m, struct mi_call *call)
{
	str_set(&m->launch->tty, call->args.n ? call->args.v[0] : NULL);
	return NULL;
}

static struct dbg_error *show_tty(struct mi *m, struct mi_call *call)
{
	record_str(call->out, "inferior_tty_terminal", m->launch->tty);
	return NULL;
}

/* ---- Environment ------------------------------------------------------- */

static struct dbg_error *change_directory(struct mi *m, struct mi_call *call)
{
	if (chdir(call->args.v[0]) < 0)
		return dbg_err(DBG_E_FILE, "%s: %s.", call->args.v[0],
			       strerror(errno));
	// the program is started where we are
	str_set(&m->launch->cwd, NULL);
	return NULL;
}

static struct dbg_error *print_directory(struct mi *m, struct mi_call *call)
{
	const char *chosen = m->launch->cwd;
	_cleanup_free_ char *dir =
	    chosen ? realpath(chosen, NULL) : getcwd(NULL, 0);

	if (!dir)
		return dbg_err(DBG_E_FILE, "%s", strerror(errno));
	record_str(call->out, "cwd", dir);
	return NULL;
}

// The setting "directories"; those that are given come first.
static struct dbg_error *source_path(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_str_ struct str all = {0};
	struct dbg_error *err = NULL;
	bool reset = call->args.n && !strcmp(call->args.v[0], "-r");

	for (size_t i = reset; i < call->args.n; i++)
		str_addf(&all, "%s%s", all.len ? ":" : "", call->args.v[i]);
	const char *old =
	    reset ? "" : dbg_setting_get(m->dbg, "directories", arena);
	if (*old)
		str_addf(&all, "%s%s", all.len ? ":" : "", old);
	if (call->args.n)
		err = dbg_set(m->dbg, "directories", str_get(&all));
	if (err)
		return err;
	record_strf(call->out, "source-path", "%s%s$cdir:$cwd", str_get(&all),
		    all.len ? ":" : "");
	return NULL;
}

static struct dbg_error *command_path(struct mi *m, struct mi_call *call)
{
	const char *path = getenv("PATH");
	_cleanup_str_ struct str all = {0};

	for (size_t i = 0; i < call->args.n; i++)
		str_addf(&all, "%s:", call->args.v[i]);
	str_add(&all, path ? path : "");
	record_str(call->out, "path", str_get(&all));
	if (call->args.n)
		launch_config_env(m->launch, "PATH", str_get(&all));
	return NULL;
}

/* ---- Sources and libraries --------------------------------------------- */

static struct dbg_error *sources(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const char **list = NULL;
	size_t n = 0;

	(void)call;
	if (dbg_state(m->dbg) != DBG_IDLE) {
		struct dbg_error *err =
		    dbg_source_list(m->dbg, 0, arena, &list, &n);
		if (err)
			return err;
	}
	record_list(call->out, "files");
	for (size_t i = 0; i < n; i++) {
		record_tuple(call->out, NULL);
		record_str(call->out, "file", str_basename(list[i]));
		record_str(call->out, "fullname", list[i]);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return NULL;
}

static struct dbg_error *source(struct mi *m, struct mi_call *call)
{
	struct dbg_frame f = {0};
	struct dbg_stopped at;

	if (!dbg_err_drop(dbg_stopped(m->dbg, &at)))
		dbg_error_destroy(mi_frame(at, call, &f));
	if (!f.source.path)
		return dbg_err(
		    DBG_E_NOT_FOUND,
		    "-file-list-exec-source-file: No symbol table is "
		    "loaded; the program is not being run.");
	record_uint(call->out, "line", f.source.line);
	record_str(call->out, "file", str_basename(f.source.path));
	record_str(call->out, "fullname", f.source.path);
	return NULL;
}

static struct dbg_error *libraries(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *list = NULL;
	size_t n = 0;

	if (dbg_state(m->dbg) != DBG_IDLE) {
		struct dbg_error *err =
		    dbg_module_list(m->dbg, arena, &list, &n);
		if (err)
			return err;
	}
	record_list(call->out, "shared-libraries");
	for (size_t i = 0; i < n; i++) {
		record_tuple(call->out, NULL);
		mi_module_put(m, call->out, &list[i]);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return NULL;
}

static struct dbg_error *lines(struct mi *m, struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_source_range *list;
	size_t n;

	struct dbg_error *err = dbg_source_points(m->dbg, call->args.v[0], 1,
						  UINT32_MAX, arena, &list, &n);
	if (err)
		return err;
	record_list(call->out, "lines");
	for (size_t i = 0; i < n; i++) {
		record_tuple(call->out, NULL);
		record_uint(call->out, "line", list[i].line);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return NULL;
}

const struct mi_cmd mi_file_cmds[] = {
    {"file-exec-and-symbols", 0, "[FILE]", 0, 1, .run = program},
    {"file-exec-file", 0, "[FILE]", 0, 1, .run = program},
    {"file-symbol-file", 0, "[FILE]", 0, 1, .run = accept},
    {"file-list-exec-source-files", 0, NULL, 0, MI_ANY, .run = sources},
    {"file-list-exec-source-file", 0, NULL, 0, 0, .run = source},
    {"file-list-shared-libraries", 0, "[REGEXP]", 0, 1, .run = libraries},
    {"inferior-tty-set", 0, "[TERMINAL]", 0, 1, .run = set_tty},
    {"inferior-tty-show", 0, NULL, 0, 0, .run = show_tty},
    {"environment-cd", 0, "DIRECTORY", 1, 1, .run = change_directory},
    {"environment-pwd", 0, NULL, 0, 0, .run = print_directory},
    {"environment-directory", 0, "[-r] [DIRECTORY...]", 0, MI_ANY,
     .run = source_path},
    {"environment-path", 0, "[-r] [DIRECTORY...]", 0, MI_ANY,
     .run = command_path},
    {"symbol-list-lines", 0, "FILE", 1, 1, .run = lines},
    {.name = NULL},
};
