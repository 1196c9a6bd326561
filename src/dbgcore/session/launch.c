/*
 * From what the user named to what is executed: a .dll is run by `dotnet`,
 * which is searched in DOTNET_ROOT, PATH and the usual places; anything else is
 * executed directly. What cannot be executed is refused here with the remedy,
 * since after the fork it would only be an exit code.
 */
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Value of the program's environment variable @name: its own settings go before
 * our environment.
 */
static const char *launch_env(const struct dbg_launch *launch, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = launch->n_env; i-- > 0;) {
		const char *entry = launch->env[i];

		if (strncmp(entry, name, n))
			continue;
		if (entry[n] == '=')
			return entry + n + 1;
		if (!entry[n])
			return NULL;
	}
	return getenv(name);
}

static const char *find_in_path(const char *path, const char *name,
				struct arena *arena)
{
	while (path && *path) {
		const char *colon = strchrnul(path, ':');
		const char *file = arena_printf(
		    arena, "%.*s/%s", (int)(colon - path), path, name);

		if (file_exists(file) && !access(file, X_OK))
			return file;
		path = *colon ? colon + 1 : colon;
	}
	return NULL;
}

static struct dbg_error *find_dotnet(const struct dbg_launch *launch,
				     struct arena *arena, const char **ret)
{
	static const char *const usual[] = {"/usr/share/dotnet/dotnet",
					    "/usr/lib/dotnet/dotnet",
					    "/usr/local/share/dotnet/dotnet"};
	const char *root = launch_env(launch, "DOTNET_ROOT");
	const char *file;

	if (root && *root) {
		file = arena_printf(arena, "%s/dotnet", root);
		if (file_exists(file)) {
			*ret = file;
			return NULL;
		}
	}
	*ret = find_in_path(launch_env(launch, "PATH"), "dotnet", arena);
	for (size_t i = 0; !*ret && i < sizeof(usual) / sizeof(*usual); i++)
		if (file_exists(usual[i]))
			*ret = usual[i];
	if (*ret)
		return NULL;
	return dbg_err(DBG_E_NOT_FOUND,
		       "cannot find 'dotnet' in DOTNET_ROOT or PATH: install "
		       "the .NET runtime or set DOTNET_ROOT");
}

/* Is it a project or source file, which `dotnet run` would take? */
static bool is_source(const char *path)
{
	static const char *const ends[] = {".csproj", ".fsproj", ".vbproj",
					   ".sln",    ".slnx",   ".cs"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (str_ends(path, ends[i]))
			return true;
	return false;
}

static struct dbg_error *check_executable(const char *path)
{
	struct dbg_error *err;
	struct stat st;
	uint16_t machine;

	if (stat(path, &st))
		return dbg_err_errno(DBG_E_FILE, errno, "cannot start '%s'",
				     path);
	if (!S_ISREG(st.st_mode))
		return dbg_err(DBG_E_FILE, "'%s' is no file to execute", path);
	if (access(path, X_OK) && is_source(path))
		return dbg_err(
		    DBG_E_FILE,
		    "'%s' is no program: name the .dll that is built "
		    "from it, or debug 'dotnet run'",
		    path);
	if (access(path, X_OK))
		return dbg_err_errno(DBG_E_FILE, errno, "cannot execute '%s'",
				     path);
	err = target_file_machine(path, &machine);
	if (err) {
		// a script, perhaps: the kernel will tell
		dbg_error_destroy(err);
		return NULL;
	}
	if (machine != ARCH_ELF_MACHINE)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is built for another processor (ELF "
			       "machine %u): this dndbg debugs %s programs",
			       path, machine, ARCH_NAME);
	return NULL;
}

/* Make a path absolute, since the program may start in another directory. */
static struct dbg_error *absolute(const char *path, struct arena *arena,
				  const char **ret)
{
	_cleanup_free_ char *cwd = NULL;

	if (*path == '/') {
		*ret = arena_strdup(arena, path);
		return NULL;
	}
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return dbg_err_errno(DBG_E_FILE, errno,
				     "cannot tell the current directory");
	*ret = arena_printf(arena, "%s/%s", cwd, path);
	return NULL;
}

struct dbg_error *launch_program(const struct dbg_launch *launch,
				 struct arena *arena, const char **ret)
{
	const char *program = launch->program;

	if (strchr(program, '/') || file_exists(program))
		return absolute(program, arena, ret);
	if (!strcmp(program, "dotnet"))
		return find_dotnet(launch, arena, ret);
	*ret = find_in_path(launch_env(launch, "PATH"), program, arena);
	if (!*ret)
		return dbg_err(DBG_E_FILE, "'%s': no such file", program);
	return NULL;
}

struct dbg_error *launch_resolve(const struct dbg_launch *launch,
				 struct arena *arena, struct launch_plan *ret)
{
	struct dbg_error *err;
	const char *path;
	const char **argv =
	    arena_calloc(arena, launch->n_args + 3, sizeof(*argv));
	size_t n = 0;

	if (!launch->program || !*launch->program)
		return dbg_err(DBG_E_ARGUMENT, "no program to start");
	err = launch_program(launch, arena, &path);
	if (err)
		return err;
	if (str_ends(path, ".dll")) {
		const char *dll = path;

		if (!file_exists(dll))
			return dbg_err(DBG_E_FILE, "'%s': no such file", dll);
		err = find_dotnet(launch, arena, &path);
		if (err)
			return err;
		argv[n++] = path;
		argv[n++] = dll;
	} else {
		argv[n++] = path;
	}
	err = check_executable(path);
	if (err)
		return err;
	for (size_t i = 0; i < launch->n_args; i++)
		argv[n++] = arena_strdup(arena, launch->args[i]);
	ret->path = path;
	ret->argv = argv;
	return NULL;
}
