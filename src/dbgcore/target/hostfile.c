/*
 * The program's files on this machine: see hostfile.h. A candidate is opened
 * and its identity (build id, MVID) compared before it is taken, so that a file
 * of the same name never stands in for another.
 */
#include "target/hostfile.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/target_priv.h"

#define FILE_MAX (UINT64_C(4) << 30)

enum {
	ID_MIN = 2,
	ID_MAX = 64,
	DEPTH_MAX = 3, /* shared/Microsoft.NETCore.App/10.0.1/libcoreclr.so */
};

struct search {
	const char *path;
	const struct hostfile_id *id;
	struct file *ret;
	char **ret_place;
	struct dbg_error *why; /* it was not found */
	bool another;          /* one was, but not the right one */
};

// Is the file one that nobody writes anew where it is: of an installed runtime?
static bool is_installed(const char *place)
{
	return strstr(place, "/shared/Microsoft.");
}

// Take the file at @place if it is the one searched for.
static bool file_take_at(struct search *s, const char *place)
{
	struct file file;
	bool map = s->id->mapped || is_installed(place);
	struct dbg_error *err = map ? file_map(place, FILE_MAX, &file)
				    : file_load(place, FILE_MAX, &file);

	if (!err && s->id->check) {
		err = s->id->check(s->id->arg, place, &file);
		if (err)
			file_unload(&file);
		if (err && !s->another) {
			dbg_error_destroy(s->why);
			s->why = NULL;
			s->another = true;
		}
	}
	if (err) {
		s->why = dbg_err_first(s->why, err);
		return false;
	}
	*s->ret = file;
	*s->ret_place = xstrdup(place);
	return true;
}

static bool try_place(struct search *s, const char *dir, const char *name)
{
	_cleanup_free_ char *place =
	    xasprintf("%s%s%s", dir, *name == '/' ? "" : "/", name);

	return file_exists(place) && file_take_at(s, place);
}

/* ---- Places ---------------------------------------------------------- */

// Try .build-id/xx/yyyy, by which debuggers store files under their ids.
static bool try_build_id(struct search *s, const char *dir)
{
	struct bytes id = s->id->build_id;
	_cleanup_str_ struct str name = {0};

	if (id.n < ID_MIN || id.n > ID_MAX)
		return false;
	for (size_t i = 0; i < id.n; i++)
		str_addf(&name, i == 1 ? "/%02x" : "%02x", id.p[i]);
	_cleanup_free_ char *all = xasprintf("%s/.build-id", dir);
	return try_place(s, all, str_get(&name));
}

// Try an installed runtime or SDK of any version below @dir, but not deep.
static bool try_below(struct search *s, const char *dir)
{
	_cleanup_str_ struct str pattern = {0};
	bool found = false;

	str_add(&pattern, dir);
	for (int depth = 0; depth < DEPTH_MAX && !found; depth++) {
		glob_t places;

		str_add(&pattern, "/*");
		_cleanup_free_ char *all = xasprintf("%s/%s", str_get(&pattern),
						     str_basename(s->path));
		if (glob(all, GLOB_NOSORT, NULL, &places))
			continue;
		for (size_t i = 0; i < places.gl_pathc && !found; i++)
			found = file_take_at(s, places.gl_pathv[i]);
		globfree(&places);
	}
	return found;
}

static bool try_dirs(struct search *s, const struct target *t)
{
	struct arena *arena = arena_create();
	size_t n;
	const char *const *list = str_split(hostfile_dirs(t), ':', arena, &n);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = try_place(s, list[i], s->path) ||
			try_place(s, list[i], str_basename(s->path)) ||
			try_build_id(s, list[i]) || try_below(s, list[i]);
	arena_destroy(arena);
	return found;
}

// Try an installed runtime, which has its version in its path.
static bool try_dotnet(void *arg, const char *dir)
{
	struct search *s = arg;
	const char *shared = strstr(s->path, "/shared/");

	return shared && try_place(s, dir, shared);
}

char *hostfile_nuget(void)
{
	const char *dir = getenv("NUGET_PACKAGES"), *home = getenv("HOME");

	return dir && *dir ? xstrdup(dir)
			   : xasprintf("%s/.nuget/packages", home ? home : "");
}

// Try the packs of the runtime: there is one for each C library, while what is
// installed is for the one of this machine.
static bool try_packs(struct search *s)
{
	static const char mark[] = "/shared/Microsoft.NETCore.App/";
	static const char *const platforms[] = {"linux-musl-x64", "linux-x64"};
	const char *shared = strstr(s->path, mark);

	if (!shared)
		return false;
	const char *version = shared + sizeof(mark) - 1;
	_cleanup_free_ char *nuget = hostfile_nuget();
	for (size_t i = 0; i < sizeof(platforms) / sizeof(*platforms); i++) {
		_cleanup_free_ char *pack = xasprintf(
		    "%s/microsoft.netcore.app.runtime.%s/%.*s/runtimes/%s",
		    nuget, platforms[i], (int)strcspn(version, "/"), version,
		    platforms[i]);
		_cleanup_free_ char *native = xasprintf("%s/native", pack);
		_cleanup_free_ char *lib =
		    xasprintf("%s/lib/net%.*s.0", pack,
			      (int)strcspn(version, "./"), version);

		if (try_place(s, native, str_basename(s->path)) ||
		    try_place(s, lib, str_basename(s->path)))
			return true;
	}
	return false;
}

static bool try_nuget(struct search *s)
{
	static const char mark[] = "/.nuget/packages/";
	const char *name = strstr(s->path, mark);
	const char *dir = getenv("NUGET_PACKAGES"), *home = getenv("HOME");

	if (!name)
		return false;
	if (dir && *dir && try_place(s, dir, name + sizeof(mark) - 1))
		return true;
	return home && *home && try_place(s, home, name);
}

/* ---- Installations of .NET ------------------------------------------- */

struct installs {
	bool (*fn)(void *arg, const char *dir);
	void *arg;
};

// Call the function with the directory of "dotnet" in PATH, its links followed.
static bool dotnet_in_path(const struct installs *in)
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
			return in->fn(in->arg, real);
		}
		path = *colon ? colon + 1 : colon;
	}
	return false;
}

bool hostfile_each_dotnet(bool (*fn)(void *arg, const char *dir), void *arg)
{
	static const char *const usual[] = {
	    "/usr/share/dotnet", "/usr/lib/dotnet", "/usr/lib64/dotnet",
	    "/usr/local/share/dotnet"};
	const char *root = getenv("DOTNET_ROOT");
	const char *home = getenv("HOME");

	if (root && *root && fn(arg, root))
		return true;
	if (dotnet_in_path(&(struct installs){fn, arg}))
		return true;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (fn(arg, usual[i]))
			return true;
	if (!home || !*home)
		return false;
	_cleanup_free_ char *own = xasprintf("%s/.dotnet", home);
	return fn(arg, own);
}

/* ---- Opening --------------------------------------------------------- */

char *hostfile_path(const struct target *t, const char *path)
{
	return xasprintf("%s%s", t ? t->ops->root(t) : "", path);
}

const char *hostfile_dirs(const struct target *t)
{
	return t && t->search && t->search->dirs ? t->search->dirs : "";
}

bool hostfile_is_foreign(const struct target *t)
{
	return target_can(t, TARGET_RUN) && *t->ops->root(t);
}

struct dbg_error *hostfile_open(struct target *t, const char *path,
				const struct hostfile_id *id, struct file *ret,
				char **ret_place)
{
	static const char remedy[] = "\"set core-search-path DIRECTORIES\" or "
				     "--core-search-path names where else to "
				     "look";
	struct search s = {path, id, ret, ret_place, NULL, false};
	_cleanup_free_ char *place = hostfile_path(t, path);
	struct dbg_error *err;

	if (file_take_at(&s, place))
		return NULL;
	if (!t || !t->search)
		return s.why;
	if (try_dirs(&s, t) || try_nuget(&s) ||
	    hostfile_each_dotnet(try_dotnet, &s) || try_packs(&s)) {
		dbg_error_destroy(s.why);
		return NULL;
	}
	_cleanup_str_ struct str wanted = {0};
	for (size_t i = 0; i < id->build_id.n && i < ID_MAX; i++)
		str_addf(&wanted, "%s%02x", i ? "" : " (build id ",
			 id->build_id.p[i]);
	str_add(&wanted, wanted.len ? ")" : "");
	err = s.another
		  ? dbg_err(DBG_E_FILE, "%s%s; %s", s.why->message,
			    str_get(&wanted), remedy)
		  : dbg_err(DBG_E_FILE,
			    "the core's '%s'%s is not on this machine; %s",
			    path, str_get(&wanted), remedy);
	dbg_error_destroy(s.why);
	return err;
}
