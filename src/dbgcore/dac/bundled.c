/*
 * The DAC of a runtime that is linked into its program ("single file"). The
 * program exports what the DAC's file is known by (runtimeinfo.h).
 *
 * The DAC itself is not in the program. Every shared runtime of the same
 * version has it, under the same build id.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "dac/dac_priv.h"
#include "dac/runtimeinfo.h"
#include "target/elf.h"

enum {
	DAC_FILE_MAX = 64 << 20,
	VERSIONS_MAX = 1000,
	PATCH_FACTOR = 100, /* 8.0.3126: the 26th build of 8.0.31 */
};

struct wanted_dac {
	struct runtime_info info;
	char *found;
};

static const char dac_name[] = "libmscordaccore.so";
static const char shared_dir[] = "shared/Microsoft.NETCore.App";

static struct dbg_error *read_info(struct target *t,
				   const struct target_image *image,
				   struct runtime_info *ret)
{
	struct dbg_error *err;
	uint8_t bytes[RUNTIME_INFO_SIZE];
	uint64_t addr;

	err = target_symbol(t, image, runtime_info_mark, &addr);
	if (!err && addr)
		err = target_read(t, addr, bytes, sizeof(bytes));
	if (err)
		return err;
	if (!addr ||
	    !runtime_info_parse((struct bytes){bytes, sizeof(bytes)}, ret))
		return dbg_err(DBG_E_FORMAT,
			       "'%s' does not tell which DAC it needs",
			       image->path);
	return NULL;
}

/* Is the file at @path the DAC that is wanted? Then it is taken. */
static bool try_file(struct wanted_dac *w, const char *path)
{
	struct dbg_error *err;
	struct file file;
	struct elf elf;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	err = file_load(path, DAC_FILE_MAX, &file);
	if (err) {
		dbg_error_destroy(err);
		return false;
	}
	err = elf_parse(file.bytes, &elf);

	struct bytes id = {NULL, 0};

	if (!err)
		id = elf_build_id(&elf);
	dbg_error_destroy(err);
	if (id.n == w->info.n_id && !memcmp(id.p, w->info.id, id.n))
		w->found = xstrdup(path);
	file_unload(&file);
	return w->found;
}

static bool try_dir(struct wanted_dac *w, const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, dac_name);

	return try_file(w, path);
}

/* Every shared runtime of the installation at @root. */
static bool try_installation(struct wanted_dac *w, const char *root)
{
	_cleanup_free_ char *dir = xasprintf("%s/%s", root, shared_dir);
	DIR *d = opendir(dir);
	struct dirent *entry;
	bool found = false;

	for (int i = 0; d && !found && i < VERSIONS_MAX; i++) {
		entry = readdir(d);
		if (!entry)
			break;
		if (entry->d_name[0] == '.')
			continue;
		_cleanup_free_ char *version =
		    xasprintf("%s/%s", dir, entry->d_name);
		found = try_dir(w, version);
	}
	if (d)
		closedir(d);
	return found;
}

/* Where "dotnet" in PATH leads to: its links followed. */
static bool try_path(struct wanted_dac *w)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		const char *colon = strchrnul(path, ':');
		_cleanup_free_ char *file =
		    xasprintf("%.*s/dotnet", (int)(colon - path), path);
		_cleanup_free_ char *real = realpath(file, NULL);
		char *slash = real ? strrchr(real, '/') : NULL;

		if (slash) {
			*slash = '\0';
			return try_installation(w, real);
		}
		path = *colon ? colon + 1 : colon;
	}
	return false;
}

static bool try_installations(struct wanted_dac *w)
{
	static const char *const usual[] = {
	    "/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
	    "/usr/local/share/dotnet"};
	const char *root = getenv("DOTNET_ROOT");
	const char *home = getenv("HOME");

	if (root && *root && try_installation(w, root))
		return true;
	if (try_path(w))
		return true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (try_installation(w, usual[i]))
			return true;
	if (!home || !*home)
		return false;
	_cleanup_free_ char *own = xasprintf("%s/.dotnet", home);
	return try_installation(w, own);
}

/* Beside the program, as its own mount namespace sees it. */
static bool try_beside(struct wanted_dac *w, struct target *t,
		       const char *program)
{
	const char *slash = strrchr(program, '/');

	if (!slash)
		return false;
	_cleanup_free_ char *dir = xasprintf("%s%.*s", target_root(t),
					     (int)(slash - program), program);
	return try_dir(w, dir);
}

static struct dbg_error *none_found(const struct wanted_dac *w,
				    const char *program)
{
	_cleanup_str_ struct str id = {0};
	_cleanup_str_ struct str version = {0};

	for (size_t i = 0; i < w->info.n_id; i++)
		str_addf(&id, "%02x", w->info.id[i]);
	if (w->info.version[0])
		str_addf(&version, " %u.%u.%u", w->info.version[0],
			 w->info.version[1], w->info.version[2] / PATCH_FACTOR);
	return dbg_err(
	    DBG_E_RUNTIME,
	    "'%s' has its .NET%s runtime inside, and no %s with build id %s "
	    "was found beside it or in an installed runtime: install the .NET "
	    "runtime%s, or say where one is by \"set dac-path DIRECTORY\"",
	    program, str_get(&version), dac_name, str_get(&id),
	    str_get(&version));
}

struct dbg_error *dac_find_bundled(struct target *t,
				   const struct target_image *image,
				   const char *hint, struct arena *arena,
				   const char **ret)
{
	struct dbg_error *err;
	struct wanted_dac w = {.found = NULL};

	err = read_info(t, image, &w.info);
	if (err)
		return err;
	if (!(hint && *hint && (try_file(&w, hint) || try_dir(&w, hint))) &&
	    !try_beside(&w, t, image->path) && !try_installations(&w))
		return none_found(&w, image->path);
	*ret = arena_strdup(arena, w.found);
	free(w.found);
	return NULL;
}
