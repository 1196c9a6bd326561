/*
 * The files of a program that is not run: its assembly, those that it refers
 * to and that lie beside it, or all that a single-file program holds. They
 * become the modules of inspect.code, to which breakpoints are bound; nothing
 * of the framework is among them, which only a start can tell.
 */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/appbundle.h"

enum {
	MODULES_MAX = 2000,
	EXECUTABLE_MAX = 1 << 30,
	ASSEMBLYREF_NAME = 6, /* II.22.5 */
};

/* Identity of a file when it was read. */
struct file_stamp {
	char *path;
	struct timespec time;
	off_t size;
};

/* ---- Which program ----------------------------------------------------- */

/* @path as a program sees it that starts in @cwd (NULL: our directory). */
static char *absolute_path(const char *cwd, const char *path)
{
	_cleanup_free_ char *own = NULL;

	if (*path == '/')
		return xstrdup(path);
	if (cwd && *cwd == '/')
		return xasprintf("%s/%s", cwd, path);
	own = getcwd(NULL, 0);
	if (!own)
		return NULL;
	return cwd && *cwd ? xasprintf("%s/%s/%s", own, cwd, path)
			   : xasprintf("%s/%s", own, path);
}

/*
 * The path of the program that `dotnet ARGS` runs; NULL: it is a command of the
 * SDK.
 */
static char *hosted_path(const struct dbg_launch *launch)
{
	bool value = false;

	for (size_t i = 0; i < launch->n_args; i++) {
		const char *arg = launch->args[i];

		if (program_host_passes(arg, &value))
			continue;
		return program_is_assembly(arg)
			   ? absolute_path(launch->cwd, arg)
			   : NULL;
	}
	return NULL;
}

static struct dbg_error *program_path(const struct dbg_launch *launch,
				      char **ret)
{
	struct dbg_error *err;
	struct arena *arena;
	const char *path;

	*ret = NULL;
	if (!launch || !launch->program || !*launch->program)
		return NULL;
	if (!strcmp(str_basename(launch->program), "dotnet")) {
		*ret = hosted_path(launch);
		return NULL;
	}
	arena = arena_create();
	err = launch_program(launch, arena, &path);
	if (!err)
		*ret = xstrdup(path);
	arena_destroy(arena);
	if (!err && !file_exists(*ret))
		err =
		    dbg_err(DBG_E_FILE, "'%s': no such file", launch->program);
	return err;
}

struct dbg_error *dbg_program(struct dbg *dbg, const struct dbg_launch *launch)
{
	char *path;
	struct dbg_error *err = program_path(launch, &path);
	const char *old = dbg->named.path;

	if (path && old && !strcmp(path, old)) {
		free(path);
		return err;
	}
	session_files_close(dbg);
	free(dbg->named.path);
	dbg->named.path = path;
	return err;
}

/* ---- Its modules ------------------------------------------------------- */

static void add_stamp(struct dbg *dbg, const char *path)
{
	struct named_program *p = &dbg->named;
	struct stat st = {0};

	mem_grow(&p->stamps, &p->cap_stamps, p->n_stamps, sizeof(*p->stamps));
	// of a file that is not there all is 0
	if (stat(path, &st))
		st = (struct stat){0};
	p->stamps[p->n_stamps++] = (struct file_stamp){
	    .path = xstrdup(path),
	    .time = st.st_mtim,
	    .size = st.st_size,
	};
}

static bool has_changed(const struct file_stamp *s)
{
	struct stat st = {0};

	if (stat(s->path, &st))
		st = (struct stat){0};
	return st.st_mtim.tv_sec != s->time.tv_sec ||
	       st.st_mtim.tv_nsec != s->time.tv_nsec || st.st_size != s->size;
}

static bool was_read(const struct dbg *dbg, const char *path)
{
	for (size_t i = 0; i < dbg->named.n_stamps; i++)
		if (!strcmp(dbg->named.stamps[i].path, path))
			return true;
	return false;
}

static bool any_changed(const struct dbg *dbg)
{
	for (size_t i = 0; i < dbg->named.n_stamps; i++)
		if (has_changed(&dbg->named.stamps[i]))
			return true;
	return false;
}

static size_t n_modules(struct dbg *dbg)
{
	size_t n;

	code_modules(dbg->inspect.code, &n);
	return n;
}

/* Numbers stand for the addresses that modules have in a program. */
static uint64_t next_addr(const struct dbg *dbg)
{
	return dbg->named.n_stamps + 1;
}

static void add_file(struct dbg *dbg, const char *path)
{
	struct code_module *m;
	const struct dac_module dm = {
	    .addr = next_addr(dbg),
	    .path = path,
	    .name = str_basename(path),
	};

	add_stamp(dbg, path);
	if (!file_exists(path) ||
	    dbg_err_drop(code_module_add(dbg->inspect.code, &dm, &m)))
		return;
	if (m->framework && !m->pdb)
		code_module_remove(dbg->inspect.code, dm.addr);
}

/* Add what @m refers to and lies in @dir. */
static void add_references(struct dbg *dbg, const struct code_module *m,
			   const char *dir)
{
	uint32_t n = md_rows(&m->md, MD_ASSEMBLYREF);

	for (uint32_t rid = 1; rid <= n && next_addr(dbg) < MODULES_MAX;
	     rid++) {
		const char *name = md_col_string(&m->md, MD_ASSEMBLYREF, rid,
						 ASSEMBLYREF_NAME);
		_cleanup_free_ char *path = xasprintf("%s/%s.dll", dir, name);

		if (!strchr(name, '/') && file_exists(path) &&
		    !was_read(dbg, path))
			add_file(dbg, path);
	}
}

static void add_assembly(struct dbg *dbg, const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(slash - path));
	size_t n;

	add_file(dbg, path);
	for (size_t i = 0; i < n_modules(dbg); i++)
		add_references(dbg, code_modules(dbg->inspect.code, &n)[i],
			       dir);
}

static void add_entry(void *arg, const struct app_entry *entry)
{
	struct dbg *dbg = arg;
	struct code_module *m;
	size_t n;

	if (!entry->assembly || str_starts(entry->path, "System.") ||
	    n_modules(dbg) >= MODULES_MAX)
		return;

	uint8_t *bytes = app_entry_take(entry, &n);
	const struct dac_module dm = {
	    .addr = next_addr(dbg),
	    .path = "",
	    .name = str_basename(entry->path),
	};

	if (!bytes)
		return;
	add_stamp(dbg, dbg->named.path);
	if (!dbg_err_drop(code_module_add_image(
		dbg->inspect.code, &dm, (struct bytes){bytes, n}, &m)) &&
	    m->framework)
		code_module_remove(dbg->inspect.code, dm.addr);
}

static struct dbg_error *add_bundle(struct dbg *dbg, const char *path)
{
	struct file file;
	struct dbg_error *err = file_load(path, EXECUTABLE_MAX, &file);

	if (err)
		return err;
	code_set_bundle(dbg->inspect.code, path);
	app_bundle_each(file.bytes, add_entry, dbg);
	file_unload(&file);
	return NULL;
}

/* Add the .dll beside an executable that starts it, or what is inside of it. */
static struct dbg_error *add_executable(struct dbg *dbg, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	_cleanup_free_ char *dll = xasprintf("%s.dll", real ? real : path);

	if (file_exists(dll)) {
		add_assembly(dbg, dll);
		return NULL;
	}
	return add_bundle(dbg, path);
}

struct dbg_error *session_files_open(struct dbg *dbg)
{
	struct dbg_error *err = NULL;
	const char *path = dbg->named.path;
	struct inspect *in = &dbg->inspect;

	if (dbg->state != DBG_IDLE || !path)
		return NULL;
	if (in->code && !any_changed(dbg))
		return NULL;
	session_files_close(dbg);
	in->code = code_create(NULL, NULL, in->rules, &in->symbols);
	add_stamp(dbg, path);
	if (program_is_assembly(path))
		add_assembly(dbg, path);
	else
		err = add_executable(dbg, path);
	control_files(dbg->control, in->code);
	return err;
}

void session_files_close(struct dbg *dbg)
{
	struct named_program *p = &dbg->named;

	for (size_t i = 0; i < p->n_stamps; i++)
		free(p->stamps[i].path);
	free(p->stamps);
	*p = (struct named_program){.path = p->path};
	// what runs has modules of its own
	if (dbg->inspect.target || !dbg->inspect.code)
		return;
	control_files(dbg->control, NULL);
	code_destroy(dbg->inspect.code);
	dbg->inspect.code = NULL;
}

struct dbg_error *session_need_modules(struct dbg *dbg, bool stopped)
{
	struct dbg_error *err = session_files_open(dbg);

	if (err || (dbg->state == DBG_IDLE && dbg->inspect.code))
		return err;
	if (stopped)
		return session_need_runtime(session_standing(dbg));
	return dbg->inspect.code ? NULL : session_no_runtime(dbg);
}
