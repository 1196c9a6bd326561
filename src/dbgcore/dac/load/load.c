/*
 * Finding and starting the DAC.
 *
 * The DAC is a library of the runtime's make that runs in our process, or for
 * a core in a fork of it, so a file that others may have written is not loaded,
 * and none of a container, where the owner of a file is whoever the container
 * says. It is opened, checked by descriptor and loaded through that descriptor:
 * what was checked is what runs. It is never unloaded, as it leaves a
 * destructor of a thread key behind, so its descriptor stays open too; a later
 * session finds it loaded and must not call its DllMain again.
 */
#include "dac/dac_priv.h"
#include "dac/guard.h"
#include "dac/load/musl.h"
#include "dac/remote.h"
#include "dac/runtimeinfo.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "target/elf.h"
#include "target/hostfile.h"

/* ---- Builds that belong together ----------------------------------------- */

/*
 * Do a runtime and a DAC belong together? Each holds its version and commit
 * behind a mark that what(1) knows, in its writable data near the end of the
 * file (some 40 KiB from it). A DAC of another build reads the wrong places,
 * and may crash.
 */

enum {
	TAIL_USUAL = 1 << 16,
	TAIL_MAX = 1 << 20,
	BUILD_MAX = 200,
};

static const char mark[] = "@(#)Version ";

// The version behind the last mark in @s that has one; NULL if there is none.
static char *last_build(const char *s, size_t n)
{
	const char *found = NULL;
	const char *end = s + n;

	for (;;) {
		s = memmem(s, (size_t)(end - s), mark, sizeof(mark) - 1);
		if (!s)
			break;
		s += sizeof(mark) - 1;
		// what looks for marks, as this does, has one without a version
		if (s < end && isdigit((unsigned char)*s))
			found = s;
	}
	if (!found)
		return NULL;
	size_t left = (size_t)(end - found);
	return xstrndup(found, left < BUILD_MAX ? left : BUILD_MAX);
}

static char *tail_build(int fd, off_t size, size_t max)
{
	size_t n = (size_t)size < max ? (size_t)size : max;
	_cleanup_free_ char *tail = xmalloc(n);

	ssize_t got = pread(fd, tail, n, size - (off_t)n);
	return got > 0 ? last_build(tail, (size_t)got) : NULL;
}

// Absent if the file cannot be read or does not say it.
static char *build_of(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	dbg_error_destroy(dbg_open_file(path, O_RDONLY, false, &fd));
	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	char *ret = tail_build(fd, st.st_size, TAIL_USUAL);
	return ret ? ret : tail_build(fd, st.st_size, TAIL_MAX);
}

static char *build_in_tail(struct bytes file, size_t max)
{
	size_t n = file.n < max ? file.n : max;

	return n ? last_build((const char *)file.p + (file.n - n), n) : NULL;
}

static char *build_in(struct bytes file)
{
	char *ret = build_in_tail(file, TAIL_USUAL);

	return ret ? ret : build_in_tail(file, TAIL_MAX);
}

static struct dbg_error *no_build(const char *dac)
{
	_cleanup_close_ int fd = -1;
	struct dbg_error *err = dbg_open_file(dac, O_RDONLY, false, &fd);

	if (err)
		return dbg_err_prefix(err, "cannot load the runtime's DAC");
	return dbg_err(DBG_E_RUNTIME,
		       "'%s' is not loaded: it does not tell which runtime it "
		       "belongs to, as every DAC does",
		       dac);
}

struct dbg_error *dac_check_build(struct bytes runtime, const char *dac)
{
	_cleanup_free_ char *ours = build_of(dac);
	_cleanup_free_ char *its = build_in(runtime);

	if (!ours)
		return no_build(dac);
	if (!its || !strcmp(ours, its))
		return NULL;
	return dbg_err(DBG_E_RUNTIME,
		       "'%s' (%.*s) does not belong to the runtime (%.*s) that "
		       "the program has",
		       dac, (int)strcspn(ours, " "), ours,
		       (int)strcspn(its, " "), its);
}

bool dac_same_build(struct bytes runtime, const char *dac)
{
	_cleanup_free_ char *ours = build_of(dac);
	_cleanup_free_ char *its = build_in(runtime);

	return ours && its && !strcmp(ours, its);
}

char *dac_release_of(struct bytes runtime)
{
	_cleanup_free_ char *build = build_in(runtime);
	unsigned int major, minor, patch;

	if (!build || sscanf(build, "%u.%u.%u", &major, &minor, &patch) != 3)
		return NULL;
	return xasprintf("%u.%u.%u", major, minor, patch / DAC_PATCH_FACTOR);
}

/* Does the version of a DAC's build begin with @version ("9.")? */
static bool dac_is_of(const char *dac, const char *version)
{
	_cleanup_free_ char *build = build_of(dac);

	return build && str_starts(build, version);
}

const char *dac_build_version(const char *dac, struct arena *arena)
{
	_cleanup_free_ char *build = build_of(dac);

	return build ? arena_strndup(arena, build, strcspn(build, " ")) : "?";
}

/* ---- Finds the DAC where it is not taken from beside the runtime --------- */

/*
 * A runtime may be linked into its program ("single file"), which then exports
 * the build id of the DAC (runtimeinfo.h). Of a program in a container nothing
 * may be executed, so the DAC is taken from our side: from an installed runtime
 * whose library has the same build id as the program's.
 */

enum {
	DAC_FILE_MAX = 64 << 20,
	VERSIONS_MAX = 1000,
};

struct dac_search {
	struct runtime_info info; /* without a runtime's file */
	struct bytes runtime;     /* its file, n 0: not known */
	bool for_glibc; /* it is for musl; a DAC for glibc serves it */
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
	if (w->for_glibc)
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
	_cleanup_free_ char *nuget = hostfile_nuget();
	_cleanup_free_ char *dir = xasprintf("%s/%s", nuget, pack_name);

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
	w.for_glibc = musl.n > 0;
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

/*
 * Find a DAC on our side for the runtime whose file is @runtime, built for musl
 * or not: at @hint (as for dac_find_bundled) or in an installed runtime; the
 * caller frees it. NULL: there is none.
 */
static char *dac_find_ours(struct bytes runtime, bool musl, const char *hint)
{
	struct dac_search w = {.runtime = runtime, .for_glibc = musl};

	if (try_hint(&w, hint) || hostfile_each_dotnet(try_installation, &w) ||
	    try_packs(&w))
		return w.found;
	w.for_glibc = false;
	return musl && (try_hint(&w, hint) ||
			hostfile_each_dotnet(try_installation, &w))
		   ? w.found
		   : NULL;
}

/* ---- Loading the DAC ----------------------------------------------------- */

static const struct com_iid IID_PROCESS = {
    0x5c552ab6,
    0xfc09,
    0x4cb3,
    {0x8e, 0x36, 0x22, 0xfa, 0x03, 0xc7, 0x98, 0xb7}};
static const struct com_iid IID_SOS = {
    0x436f00f2,
    0xb42a,
    0x4b9f,
    {0x87, 0x0c, 0xe7, 0x3d, 0xb6, 0x6a, 0xe9, 0x30}};
static const struct com_iid IID_SOS5 = {
    0x127d6abe,
    0x6c86,
    0x4e48,
    {0x8e, 0x7b, 0x22, 0x07, 0x81, 0xc5, 0x81, 0x01}};
static const struct com_iid IID_SOS6 = {
    0x11206399,
    0x4b66,
    0x4edb,
    {0x98, 0xea, 0x85, 0x65, 0x4e, 0x59, 0xad, 0x45}};
static const struct com_iid IID_SOS8 = {
    0xc12f35a9,
    0xe55c,
    0x4520,
    {0xa8, 0x94, 0xb3, 0xdc, 0x51, 0x65, 0xdf, 0xce}};
static const struct com_iid IID_SOS12 = {
    0x1b93bacc,
    0x8ca4,
    0x432d,
    {0x94, 0x3a, 0x3e, 0x6e, 0x7e, 0xc0, 0xb0, 0xa3}};
static const struct com_iid IID_SOS14 = {
    0x9aa22aca,
    0x6dc6,
    0x4a0c,
    {0xb4, 0xe0, 0x70, 0xd2, 0x41, 0x6b, 0x98, 0x37}};

static const char fd_prefix[] = "/proc/self/fd/";

enum {
	// The runtime has not filled its table of globals yet.
	HR_NOT_STARTED = (int32_t)0x80131c4e,
	// CORDBG_E_READVIRTUAL_FAILURE, also of a DAC of another build.
	HR_UNREADABLE = (int32_t)0x80131c49,
	DLL_PROCESS_ATTACH = 1,
	PRESTUB_MIN = 0x20,
	PRESTUB_MAX = 0x400,
	TABLE_WORDS = 256,
	PATH_SIZE = 64,
};

typedef int32_t dll_main_fn(void *handle, uint32_t reason, void *reserved);

struct dbg_error *dac_err(int32_t hr, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *subject = xvasprintf(fmt, ap);
	va_end(ap);
	if (hr == HR_UNREADABLE)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: memory of the runtime cannot be read (a "
			       "core may lack it; one of the kind full has it)",
			       subject);
	if (hr == COM_E_FAULT)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime was in the midst of a change "
			       "(its DAC failed)",
			       subject);
	if (hr == COM_E_DIED)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime's DAC crashed (the memory may "
			       "be damaged)",
			       subject);
	if (hr == COM_E_TIMEOUT)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime's DAC came to no end and was "
			       "stopped (the memory may be damaged)",
			       subject);
	return dbg_err(DBG_E_RUNTIME, "%s: the runtime's DAC says 0x%08x",
		       subject, (unsigned)hr);
}

struct dbg_error *dac_write_err(struct dac *d, int32_t hr, const char *fmt, ...)
{
	struct dbg_error *err = d->data_target.unwritten;
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *subject = xvasprintf(fmt, ap);
	va_end(ap);
	d->data_target.unwritten = NULL;
	return err ? dbg_err_prefix(err, "%s", subject)
		   : dac_err(hr, "%s", subject);
}

const char *dac_scratch_text(struct dac *d, uint32_t n, struct arena *arena)
{
	_cleanup_str_ struct str s = {0};

	if (n > DAC_SCRATCH_UNITS)
		n = DAC_SCRATCH_UNITS;
	size_t len = 0;
	while (len < n && d->scratch[len])
		len++;
	str_add_utf16(&s, d->scratch, len);
	return arena_strdup(arena, str_get(&s));
}

/* ---- The library ----------------------------------------------------- */

struct dbg_error *dac_check_owner(const char *path, int fd)
{
	static const char remedy[] =
	    "only a runtime installed by root or by you is trusted (\"set "
	    "trust-dac on\" loads it all the same)";
	struct stat st;

	if (fstat(fd, &st))
		return dbg_err_errno(DBG_E_RUNTIME, errno,
				     "cannot examine '%s'", path);
	if (!S_ISREG(st.st_mode))
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: it is no regular file",
			       path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: it belongs to user %u; %s",
			       path, (unsigned)st.st_uid, remedy);
	// A group named like the user (the same number) is the user alone.
	if ((st.st_mode & S_IWOTH) ||
	    ((st.st_mode & S_IWGRP) && st.st_gid != 0 &&
	     st.st_gid != st.st_uid))
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: others may write it; %s",
			       path, remedy);
	return NULL;
}

// A library loaded through one of our descriptors from the same file.
struct loaded {
	struct stat file;
	char copy[PATH_SIZE]; /* if it is a copy: its name */
	char name[PATH_SIZE]; /* "" if there is none */
};

// The name of what is behind a link to a descriptor; "" if it is no copy.
static void copy_name(const char *link, char ret[PATH_SIZE])
{
	ssize_t n = readlink(link, ret, PATH_SIZE - 1);

	ret[n > 0 ? n : 0] = '\0';
	if (!strstr(ret, dac_copy_prefix))
		ret[0] = '\0';
}

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct loaded *l = arg;
	char copy[PATH_SIZE];
	struct stat st;

	(void)size;
	if (!info->dlpi_name || !str_starts(info->dlpi_name, fd_prefix) ||
	    stat(info->dlpi_name, &st))
		return 0;
	copy_name(info->dlpi_name, copy);
	bool same = l->copy[0] ? !strcmp(l->copy, copy)
			       : st.st_dev == l->file.st_dev &&
				     st.st_ino == l->file.st_ino;
	if (!same)
		return 0;
	snprintf(l->name, sizeof(l->name), "%s", info->dlpi_name);
	return 1;
}

/*
 * Process-wide settings that the DAC changes when it starts, as if it were the
 * runtime: programs that are started later would inherit them.
 */
struct inherited {
	struct sigaction pipe;
	struct rlimit files;
};

static void inherited_save(struct inherited *in)
{
	sigaction(SIGPIPE, NULL, &in->pipe);
	getrlimit(RLIMIT_NOFILE, &in->files);
}

static void inherited_restore(const struct inherited *in)
{
	sigaction(SIGPIPE, &in->pipe, NULL);
	setrlimit(RLIMIT_NOFILE, &in->files);
}

static struct dbg_error *load_fresh(const char *path, const char *link,
				    bool musl, void **ret)
{
	struct inherited inherited;

	void *handle = dlopen(link, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return dbg_err(DBG_E_RUNTIME, "cannot load '%s': %s", path,
			       dlerror());
	if (musl)
		dac_bind_newest(handle);
	if (dac_is_of(path, "9."))
		dac_keep_table(handle);
	dll_main_fn *dll_main = (dll_main_fn *)dlsym(handle, "DllMain");
	inherited_save(&inherited);
	bool started = !dll_main || dll_main(handle, DLL_PROCESS_ATTACH, NULL);
	inherited_restore(&inherited);
	if (!started)
		return dbg_err(DBG_E_RUNTIME, "'%s' cannot start", path);
	*ret = handle;
	return NULL;
}

static struct dbg_error *library_load(const char *path, bool trust,
				      bool *ret_musl, void **ret)
{
	struct dbg_error *err;
	struct loaded loaded = {0};
	_cleanup_close_ int fd = -1;
	char link[PATH_SIZE];
	bool musl;

	err = dbg_open_file(path, O_RDONLY, false, &fd);
	if (err)
		return dbg_err_prefix(err, "cannot load the runtime's DAC");
	if (fstat(fd, &loaded.file))
		return dbg_err_errno(DBG_E_RUNTIME, errno,
				     "cannot examine '%s'", path);
	err = trust ? NULL : dac_check_owner(path, fd);
	if (!err)
		err = dac_for_glibc(path, &fd, &musl);
	if (err)
		return err;
	*ret_musl = musl;
	snprintf(link, sizeof(link), "%s%d", fd_prefix, fd);
	if (musl)
		copy_name(link, loaded.copy);
	if (dl_iterate_phdr(compare_loaded, &loaded)) {
		*ret = dlopen(loaded.name, RTLD_NOW | RTLD_NOLOAD);
		if (*ret)
			return NULL;
	}
	err = load_fresh(path, link, musl, ret);
	if (err)
		return err;
	// The loader knows the library by the descriptor's number, which must
	// not come to mean another file.
	fd = -1;
	return NULL;
}

static struct dbg_error *load_create(const char *path, bool trust,
				     bool *ret_musl, com_fn **ret)
{
	void *handle = NULL;
	struct dbg_error *err = library_load(path, trust, ret_musl, &handle);

	if (err)
		return err;
	*ret = (com_fn *)dlsym(handle, "CLRDataCreateInstance");
	return *ret ? NULL : dbg_err(DBG_E_RUNTIME, "'%s' is no DAC", path);
}

/* ---- The runtime's table --------------------------------------------- */

/*
 * g_dacTable holds the addresses of the runtime's globals, then of five
 * functions, then of vtables. The runtime fills it in this order, early in its
 * start; the DAC reads it whole, once, and takes what it finds.
 */
struct table {
	uint64_t addr; /* 0: there is none */
	uint64_t words[TABLE_WORDS];
	size_t n;
};

static struct dbg_error *table_read(struct target *t,
				    const struct target_image *image,
				    struct table *ret)
{
	struct dbg_error *err;
	uint64_t size;

	err = target_object(t, image, "g_dacTable", &ret->addr, &size);
	if (err)
		return err;
	if (size > sizeof(ret->words))
		size = sizeof(ret->words);
	if (!ret->addr)
		size = 0;
	ret->n = target_read_some(t, ret->addr, ret->words, size) / 8;
	return NULL;
}

struct dbg_error *dac_table_hole(struct target *t,
				 const struct target_image *image,
				 uint64_t *ret)
{
	struct dbg_error *err;
	struct table table;

	err = table_read(t, image, &table);
	if (err)
		return err;
	size_t filled = table.n;
	while (filled && !table.words[filled - 1])
		filled--;
	*ret = filled < table.n ? table.addr + filled * 8 : 0;
	return NULL;
}

/* ---- Open and close -------------------------------------------------- */

static void *root(struct dac *d, const struct com_iid *iid)
{
	return d->remote ? remote_root(d->remote, iid)
			 : dac_query(d, d->process, iid);
}

// Get the DAC's interfaces. None but the first if there is no d->process: the
// runtime has not begun.
static struct dbg_error *find_interfaces(struct dac *d, int32_t hr)
{
	if (hr == HR_NOT_STARTED) {
		d->process = NULL;
		return NULL;
	}
	if (hr < 0 || !d->process) {
		d->process = NULL;
		return dac_err(hr, "cannot inspect the runtime '%s'",
			       d->runtime.path);
	}
	d->sos = root(d, &IID_SOS);
	d->sos5 = root(d, &IID_SOS5);
	d->sos6 = root(d, &IID_SOS6);
	d->sos8 = root(d, &IID_SOS8);
	d->sos12 = root(d, &IID_SOS12);
	d->sos14 = root(d, &IID_SOS14);
	if (!d->sos)
		return dbg_err(DBG_E_RUNTIME,
			       "the DAC of '%s' lacks ISOSDacInterface",
			       d->runtime.path);
	return NULL;
}

// Load the DAC in this process, which is the debugger or the child for a core's
// DAC.
static struct dbg_error *load_process(struct dac *d, void **ret_process,
				      int32_t *ret)
{
	const uint64_t args[DAC_MAX_ARGS] = {(uintptr_t)&d->data_target,
					     (uintptr_t)ret_process};
	struct com_iid iid = IID_PROCESS;
	com_fn *create;
	bool musl;
	struct dbg_error *err =
	    load_create(d->file.path, d->file.trust, &musl, &create);

	if (err)
		return err;
	if (musl) // it takes the tables as they are
		d->data_target.set.dynamic_size = 0;
	*ret = guard_call(create, &iid, args);
	return NULL;
}

// Start the DAC: in this process for a live program, whose memory a runtime has
// made; in a child for a core, which may contain anything.
static struct dbg_error *dac_start(struct dac *d)
{
	struct dbg_error *err;
	int32_t hr = COM_E_FAIL;

	if (target_memory_of(d->target)) {
		err = load_process(d, &d->process, &hr);
	} else {
		err = remote_create(d, load_process, &d->remote);
		if (!err)
			err = remote_begin(d->remote, &d->process, &hr);
	}
	return err ? err : find_interfaces(d, hr);
}

static struct dbg_error *foreign(const char *runtime)
{
	return dbg_err(
	    DBG_E_RUNTIME,
	    "the program has another root directory (a container), and nothing "
	    "of it is loaded, as it would run with your rights; no installed "
	    "runtime has the DAC of '%s': install the same .NET here, say "
	    "where its %s is by \"set dac-path DIRECTORY\", or load the "
	    "container's by \"set trust-dac on\"",
	    runtime, dac_name);
}

// @err says what is wrong with the DAC beside the runtime.
static struct dbg_error *beside_gone(struct dbg_error *err)
{
	struct dbg_error *told = dbg_err(
	    DBG_E_RUNTIME,
	    "%s; \"set dac-path DIRECTORY\" or --dac-path names where the %s "
	    "of the runtime that the program has is",
	    err->message, dac_name);

	dbg_error_destroy(err);
	return told;
}

static struct dbg_error *
library_choose(struct target *t, const struct dac_runtime *rt, char **ret)
{
	struct bytes bytes;
	const char *runtime;

	if (rt->dac) {
		*ret = xstrdup(rt->dac);
		return NULL;
	}
	struct dbg_error *err =
	    target_image_place(t, rt->path, &runtime, &bytes);
	if (err)
		return err;
	bool foreign_files = hostfile_is_foreign(t) && !rt->trust;
	bool musl = dac_needs_musl(bytes);
	*ret =
	    musl || foreign_files ? dac_find_ours(bytes, musl, rt->hint) : NULL;
	if (*ret)
		return NULL;
	if (foreign_files)
		return musl ? dac_musl_gone(runtime, bytes, true)
			    : foreign(runtime);
	*ret = xasprintf("%.*s%s", (int)(str_basename(runtime) - runtime),
			 runtime, dac_name);
	err = dac_check_build(bytes, *ret);
	if (!err)
		return NULL;
	// of the runtime that the program has, before it was replaced
	char *other = dac_find_ours(bytes, musl, rt->hint);
	if (!other)
		return beside_gone(err);
	dbg_error_destroy(err);
	free(*ret);
	*ret = other;
	return NULL;
}

void dac_prepare(struct target *t, const struct dac_runtime *rt)
{
	struct dbg_error *err;
	_cleanup_free_ char *path = NULL;
	com_fn *create;
	bool musl;

	err = library_choose(t, rt, &path);
	if (!err)
		err = load_create(path, rt->trust, &musl, &create);
	dbg_error_destroy(err);
}

struct dbg_error *dac_open(struct target *t, const struct dac_runtime *rt,
			   struct dac **ret, bool *ret_ready)
{
	struct dbg_error *err;
	const struct target_image image = {.path = rt->path, .base = rt->base};
	_cleanup_free_ char *path = NULL;
	uint64_t hole;

	err = dac_table_hole(t, &image, &hole);
	*ret_ready = false;
	if (err || hole)
		return err;
	err = library_choose(t, rt, &path);
	if (err)
		return err;

	struct dac *d = xcalloc(1, sizeof(*d));
	d->target = t;
	d->runtime.path = xstrdup(rt->path);
	d->runtime.base = rt->base;
	d->file.path = path;
	path = NULL;
	d->file.trust = rt->trust;
	d->scratch = xcalloc(DAC_SCRATCH_UNITS, sizeof(*d->scratch));
	d->facts = arena_create();
	d->threads.arena = arena_create();
	code_cache_init(&d->code);
	code_cache_init(&d->dynamic);
	data_target_init(&d->data_target, t, d->runtime.path, rt->base);
	guard_install();
	err = dac_start(d);
	if (err || !d->process) {
		dac_close(d);
		return err;
	}
	*ret_ready = true;
	*ret = d;
	return NULL;
}

void dac_close(struct dac *d)
{
	if (!d)
		return;
	com_release(&d->type_instance);
	com_release(&d->sos12);
	com_release(&d->sos8);
	com_release(&d->sos6);
	com_release(&d->sos14);
	com_release(&d->sos5);
	com_release(&d->sos);
	com_release(&d->process);
	dbg_error_destroy(d->data_target.unwritten);
	remote_destroy(d->remote);
	code_cache_deinit(&d->dynamic);
	code_cache_deinit(&d->code);
	map_deinit(&d->types);
	map_deinit(&d->methods);
	dac_instances_deinit(&d->instances);
	map_deinit(&d->threads.by_tid);
	arena_destroy(d->threads.arena);
	map_deinit(&d->frame_kinds);
	map_deinit(&d->static_places);
	map_deinit(&d->late.holders);
	arena_destroy(d->facts);
	arena_destroy(d->assumptions.arena);
	free(d->scratch);
	free(d->file.path);
	free(d->runtime.path);
	free(d);
}

uint64_t dac_word(struct dac *d, uint64_t addr)
{
	uint64_t word;

	return target_read_some(d->target, addr, &word, sizeof(word)) ==
		       sizeof(word)
		   ? word
		   : 0;
}

void dac_drop(struct dac *d)
{
	com_release(&d->type_instance);
	DAC_CALL(d, d->process, PROCESS_FLUSH);
	d->n_drops++;
}

void dac_flush(struct dac *d)
{
	dac_drop(d);
	code_cache_clear(&d->dynamic);
	d->instances.current = false;
	dac_threads_reset(&d->threads);
	dac_late_clear(&d->late);
}

void dac_forget(struct dac *d)
{
	dac_flush(d);
	code_cache_clear(&d->code);
	map_clear(&d->types);
	map_clear(&d->methods);
	map_clear(&d->static_places);
	dac_instances_clear(&d->instances);
	arena_reset(d->facts);
}

uint64_t dac_calls(const struct dac *d)
{
	return d->n_calls;
}

/* ---- ThePreStub ------------------------------------------------------ */

/*
 * The first word of the table inside the executable segment is
 * DACNotifyCompilationFinished, the second ThePreStub, the third a label
 * behind its end (8.0.31, 9.0.20, 10.0.12).
 */
bool prestub_find(struct dac *d, uint64_t *ret)
{
	const struct target_image image = {
	    .path = d->runtime.path,
	    .base = d->runtime.base,
	};
	uint64_t start, end;
	struct table table;
	struct dbg_error *err;

	err = table_read(d->target, &image, &table);
	if (!err && table.n)
		err = target_image_text(d->target, &image, &start, &end);
	if (err || !table.n) {
		dbg_error_destroy(err);
		return false;
	}
	for (size_t i = 0; i + 2 < table.n; i++) {
		uint64_t stub = table.words[i + 1], label = table.words[i + 2];

		if (table.words[i] < start || table.words[i] >= end)
			continue;
		if (stub < start || stub >= end || label < stub + PRESTUB_MIN ||
		    label > stub + PRESTUB_MAX)
			return false;
		*ret = stub;
		return true;
	}
	return false;
}

uint64_t dac_prestub(struct dac *d)
{
	struct dac_assumed stub;

	return dac_holds(d, ASSUME_PRESTUB, &stub) ? stub.value : 0;
}
