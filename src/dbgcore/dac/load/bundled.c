/*
 * Finds the DAC where it is not taken from beside the runtime.
 *
 * A runtime may be linked into its program ("single file"), which then exports
 * the build id of the DAC (runtimeinfo.h). Of a program in a container nothing
 * may be executed, so the DAC is taken from our side: from an installed runtime
 * whose library has the same build id as the program's.
 */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "dac/dac_priv.h"
#include "dac/load/musl.h"
#include "dac/runtimeinfo.h"
#include "target/elf.h"
#include "target/hostfile.h"

enum {
	DAC_FILE_MAX = 64 << 20,
	VERSIONS_MAX = 1000,
};

struct dac_search {
	struct runtime_info info; /* without a runtime's file */
	struct bytes runtime;     /* its file, n 0: not known */
	bool own;                 /* of a runtime for musl: its very DAC */
	char *found;
};

static const char dac_name[] = "libmscordaccore.so";
static const char runtime_name[] = "libcoreclr.so";
static const char shared_dir[] = "shared/Microsoft.NETCore.App";
static const char pack_name[] = "microsoft.netcore.app.runtime.linux-x64";

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

/* The build id of the library at @path; 0 bytes if it has none. */
static size_t read_id(const char *path, uint8_t ret[RUNTIME_ID_MAX])
{
	struct dbg_error *err;
	struct bytes id = {NULL, 0};
	struct file file;
	struct elf elf;

	if (!file_exists(path))
		return 0;
	err = file_load(path, DAC_FILE_MAX, &file);
	if (dbg_err_drop(err))
		return 0;
	err = elf_parse(file.bytes, &elf);
	if (!err)
		id = elf_build_id(&elf);
	dbg_error_destroy(err);
	size_t n = id.n <= RUNTIME_ID_MAX ? id.n : 0;
	if (n)
		memcpy(ret, id.p, n);
	file_unload(&file);
	return n;
}

static bool has_id_of(struct bytes file, const char *path)
{
	uint8_t id[RUNTIME_ID_MAX];
	struct bytes own;
	struct elf elf;

	if (dbg_err_drop(elf_parse(file, &elf)))
		return false;
	own = elf_build_id(&elf);
	return own.n && read_id(path, id) == own.n && !memcmp(id, own.p, own.n);
}

/*
 * Does the DAC at @path belong to the runtime's file that is given? That of the
 * same build for glibc serves a runtime of musl's (musl.c).
 */
static bool is_of_runtime(const struct dac_search *w, const char *path)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	_cleanup_free_ char *beside =
	    xasprintf("%.*s%s", dir, path, runtime_name);

	if (!dac_same_build(w->runtime, path))
		return false;
	if (dac_needs_musl(w->runtime) && !w->own)
		return !dac_file_needs_musl(path) &&
		       dac_same_contract(w->runtime, beside);
	return !file_exists(beside) || has_id_of(w->runtime, beside);
}

/* Is the file at @path the DAC that is wanted? Then it is taken. */
static bool try_file(struct dac_search *w, const char *path)
{
	uint8_t id[RUNTIME_ID_MAX];
	bool fits = false;

	if (!file_exists(path))
		return false;
	if (w->runtime.n)
		fits = is_of_runtime(w, path);
	else if (w->info.n_id)
		fits = read_id(path, id) == w->info.n_id &&
		       !memcmp(id, w->info.id, w->info.n_id);
	if (fits)
		w->found = xstrdup(path);
	return fits;
}

static bool try_dir(struct dac_search *w, const char *dir)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, dac_name);

	return try_file(w, path);
}

static bool try_hint(struct dac_search *w, const char *hint)
{
	return hint && *hint && (try_file(w, hint) || try_dir(w, hint));
}

/* Every version in the directory @dir: what is @below it. */
static bool try_versions(struct dac_search *w, const char *dir,
			 const char *below)
{
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
		    xasprintf("%s/%s%s", dir, entry->d_name, below);
		found = try_dir(w, version);
	}
	if (d)
		closedir(d);
	return found;
}

/* Every shared runtime of the installation at @root. */
static bool try_installation(void *arg, const char *root)
{
	_cleanup_free_ char *dir = xasprintf("%s/%s", root, shared_dir);

	return try_versions(arg, dir, "");
}

/* Every pack of the runtime that NuGet has in the user's cache. */
static bool try_packs(struct dac_search *w)
{
	const char *cache = getenv("NUGET_PACKAGES");
	const char *home = getenv("HOME");
	_cleanup_free_ char *dir = cache && *cache
				       ? xasprintf("%s/%s", cache, pack_name)
				       : xasprintf("%s/.nuget/packages/%s",
						   home ? home : "", pack_name);

	return try_versions(w, dir, "/runtimes/linux-x64/native");
}

/* Beside the program, as its own mount namespace sees it. */
static bool try_beside(struct dac_search *w, struct target *t,
		       const char *program)
{
	if (!strchr(program, '/'))
		return false;
	_cleanup_free_ char *place = hostfile_path(t, program);
	*strrchr(place, '/') = '\0';
	return try_dir(w, place);
}

static struct dbg_error *none_found(const struct dac_search *w,
				    const char *program)
{
	_cleanup_str_ struct str id = {0};
	_cleanup_str_ struct str version = {0};

	for (size_t i = 0; i < w->info.n_id; i++)
		str_addf(&id, "%02x", w->info.id[i]);
	if (w->info.version[0])
		str_addf(&version, " %u.%u.%u", w->info.version[0],
			 w->info.version[1],
			 w->info.version[2] / DAC_PATCH_FACTOR);
	return dbg_err(
	    DBG_E_RUNTIME,
	    "'%s' has its .NET%s runtime inside, and no %s with build id %s "
	    "was found beside it or in an installed runtime: install the .NET "
	    "runtime%s, or say where one is by \"set dac-path DIRECTORY\"",
	    program, str_get(&version), dac_name, str_get(&id),
	    str_get(&version));
}

/*
 * What a program tells that was built for musl is the DAC for musl. Of such a
 * one *ret is what of its file is loaded: behind that are its assemblies.
 */
static struct dbg_error *musl_part(struct target *t, const char *program,
				   struct bytes *ret)
{
	struct bytes file;
	const char *place;
	uint64_t end = 0;
	struct elf elf;
	struct dbg_error *err = target_image_place(t, program, &place, &file);

	*ret = (struct bytes){NULL, 0};
	if (!err)
		err = elf_parse(file, &elf);
	if (err || !dac_needs_musl(file))
		return err;
	for (size_t i = 0; i < elf.n_segments; i++) {
		const struct elf_segment *s = &elf.segments[i];

		if (s->type == PT_LOAD && s->offset < file.n &&
		    s->file_size <= file.n - s->offset &&
		    s->offset + s->file_size > end)
			end = s->offset + s->file_size;
	}
	*ret = (struct bytes){file.p, end};
	return NULL;
}

static bool installed_search(struct dac_search *w, struct target *t,
			     const struct dac_runtime *rt)
{
	bool ours = !hostfile_is_foreign(t) || rt->trust;

	return try_hint(w, rt->hint) || (ours && try_beside(w, t, rt->path)) ||
	       hostfile_each_dotnet(try_installation, w) ||
	       (w->runtime.n && try_packs(w));
}

struct dbg_error *dac_find_bundled(struct target *t,
				   const struct dac_runtime *rt,
				   struct arena *arena, const char **ret)
{
	struct dbg_error *err;
	struct dac_search w = {.found = NULL};
	const struct target_image image = {.path = rt->path, .base = rt->base};

	err = read_info(t, &image, &w.info);
	if (!err)
		err = musl_part(t, rt->path, &w.runtime);
	if (err)
		return err;
	const struct bytes musl = w.runtime;
	bool found = installed_search(&w, t, rt);
	if (!found && musl.n) {
		// its very own, by the build id that it tells
		w.runtime.n = 0;
		found = installed_search(&w, t, rt);
	}
	if (!found)
		return musl.n ? dac_musl_gone(rt->path, musl, false)
			      : none_found(&w, rt->path);
	*ret = arena_strdup(arena, w.found);
	free(w.found);
	return NULL;
}

char *dac_find_ours(struct bytes runtime, const char *hint)
{
	struct dac_search w = {.runtime = runtime};

	if (try_hint(&w, hint) || hostfile_each_dotnet(try_installation, &w) ||
	    try_packs(&w))
		return w.found;
	w.own = dac_needs_musl(runtime);
	return w.own && (try_hint(&w, hint) ||
			 hostfile_each_dotnet(try_installation, &w))
		   ? w.found
		   : NULL;
}
