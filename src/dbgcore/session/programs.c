/* Running programs: is it one of .NET, and which bears a name? */
#include "session/programs.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/proc.h"

enum {
	HOST_MAX = 256 << 20, /* bytes of a file that may be a host */
	HOST_USUAL = 1 << 20, /* ... without a runtime inside */
};

// ---- Is it one of .NET?

// Libraries of a runtime, or of a host on its way to it.
static bool has_library(pid_t pid, bool *ret_readable)
{
	static const char *const names[] = {"libcoreclr.so", "libhostfxr.so",
					    "libhostpolicy.so"};
	struct proc_maps maps;
	bool found = false;

	struct dbg_error *err = proc_maps_load(pid, &maps);
	*ret_readable = !err && maps.n;
	if (err) {
		dbg_error_destroy(err);
		return false;
	}
	for (size_t i = 0; i < maps.n && !found; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			found = found ||
				!strcmp(str_basename(maps.v[i].path), names[j]);
	proc_maps_deinit(&maps);
	return found;
}

// A host that has loaded nothing yet bears the name of what it will load, one
// with the runtime inside that of its debugging table.
static bool is_host(pid_t pid, size_t max)
{
	static const char *const words[] = {"libhostfxr", "libcoreclr",
					    "DotNetRuntimeInfo"};
	char path[32];
	struct file file;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	struct dbg_error *err = file_load(path, max, &file);
	if (err) {
		dbg_error_destroy(err);
		return false;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !found; i++)
		found = memmem(file.bytes.p, file.bytes.n, words[i],
			       strlen(words[i]));
	file_unload(&file);
	return found;
}

bool program_is_dotnet(pid_t pid)
{
	bool readable;

	// The list of mappings is long and dear, a host is a small file.
	return is_host(pid, HOST_USUAL) || has_library(pid, &readable) ||
	       !readable || is_host(pid, HOST_MAX);
}

// ---- Names

// Is @file called @name, with or without its extension?
static bool called(const char *file, const char *name)
{
	const char *base = str_basename(file);
	size_t n = strlen(name);

	return !strncmp(base, name, n) &&
	       (!base[n] || !strcmp(base + n, ".dll") ||
		!strcmp(base + n, ".exe"));
}

// The .dll that a host was told to run is its first argument of that kind.
static bool runs_dll(pid_t pid, const char *name)
{
	char path[32];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	_cleanup_free_ char *text = proc_read(path, &n);
	for (size_t at = 0; text && at < n; at += strlen(text + at) + 1)
		if (at && str_ends(text + at, ".dll"))
			return called(text + at, name);
	return false;
}

static bool bears(pid_t pid, const char *name)
{
	char exe[PATH_MAX], comm[16];

	proc_comm(pid, pid, comm);
	if (!strcmp(comm, name) || runs_dll(pid, name))
		return true;
	return proc_link(pid, "exe", exe) && called(exe, name);
}

size_t programs_named(const char *name, pid_t *ret, size_t max)
{
	struct dirent *entry;
	size_t n = 0;

	DIR *dir = opendir("/proc");
	if (!dir)
		return 0;
	while (n < max && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid() || !bears(pid, name) ||
		    proc_state(pid, pid) == 'Z' || !program_is_dotnet(pid))
			continue;
		ret[n++] = pid;
	}
	closedir(dir);
	return n;
}
