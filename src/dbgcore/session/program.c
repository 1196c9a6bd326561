/*
 * What a process runs, seen from outside: its command line and executable tell
 * whether it is a .NET program, a tool of the SDK or neither, and its name.
 * Needs no ptrace, so it works for processes that may be attached to or
 * followed.
 */
#include "session/program.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
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
	CMDLINE_MAX = 65536,
	HOST_MAX = 256 << 20, /* bytes of a file that may be a host */
	HOST_USUAL = 1 << 20, /* ... that has no runtime inside */
};

/* ---- What it runs, by its command line ------------------------------- */

/* Is it a tool of the SDK? These are in sdk/VERSION beside dotnet. */
static bool is_of_sdk(const char *path)
{
	for (const char *p = path; (p = strstr(p, "/sdk/")); p++)
		if (isdigit((unsigned char)p[5]))
			return true;
	return false;
}

static void set_name(struct program *p, const char *path)
{
	snprintf(p->name, sizeof(p->name), "%s", str_basename(path));
}

/*
 * Name it by the kernel's name, which has at most 15 bytes; if it may be cut,
 * by the executable.
 */
static void set_native(struct program *p, pid_t pid, const char *exe)
{
	char comm[16];

	proc_comm(pid, pid, comm);
	snprintf(p->name, sizeof(p->name), "%s", comm);
	if (!*comm || strlen(comm) == sizeof(comm) - 1)
		set_name(p, exe);
}

bool program_host_passes(const char *arg, bool *value)
{
	bool passed = *value || !strcmp(arg, "exec");

	*value = !passed && !strncmp(arg, "--", 2);
	return passed || *value;
}

bool program_is_assembly(const char *path)
{
	return str_ends(path, ".dll") || str_ends(path, ".exe");
}

void program_of_host(const char *cmdline, size_t n, struct program *ret)
{
	bool value = false;

	ret->kind = PROGRAM_SDK;
	set_name(ret, "dotnet");
	for (size_t at = strnlen(cmdline, n) + 1; at < n;
	     at += strnlen(cmdline + at, n - at) + 1) {
		const char *arg = cmdline + at;

		if (program_host_passes(arg, &value))
			continue;
		if (program_is_assembly(arg)) {
			ret->kind =
			    is_of_sdk(arg) ? PROGRAM_SDK : PROGRAM_DOTNET;
			set_name(ret, arg);
		}
		return;
	}
}

/* Is it an apphost: an executable with the program's .dll beside it? */
static void of_apphost(struct program *p, pid_t pid, const char *exe)
{
	_cleanup_free_ char *config =
	    xasprintf("/proc/%d/root%s.runtimeconfig.json", pid, exe);
	_cleanup_free_ char *dll = xasprintf("%s.dll", exe);

	if (!file_exists(config)) {
		set_native(p, pid, exe);
		return;
	}
	p->kind = is_of_sdk(exe) ? PROGRAM_SDK : PROGRAM_DOTNET;
	p->apphost = true;
	set_name(p, dll);
}

void program_of(pid_t pid, struct program *ret)
{
	char path[32], exe[PATH_MAX];
	size_t size = 0;

	memset(ret, 0, sizeof(*ret));
	if (!proc_executable(pid, exe))
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	_cleanup_free_ char *args = proc_read(path, &size);
	if (size > CMDLINE_MAX) {
		size = CMDLINE_MAX;
		args[size] = '\0';
	}
	if (strcmp(str_basename(exe), "dotnet") || !size)
		of_apphost(ret, pid, exe);
	else
		program_of_host(args, size, ret);
}

/* ---- Is it one of .NET? ---------------------------------------------- */

/*
 * Does the process map a library of a runtime, or of a host on its way to one?
 */
static bool has_library(pid_t pid, bool *ret_readable)
{
	static const char *const names[] = {"libcoreclr.so", "libhostfxr.so",
					    "libhostpolicy.so"};
	struct proc_maps maps;
	bool found = false;

	struct dbg_error *err = proc_maps_load(pid, &maps);
	*ret_readable = !err && maps.n;
	if (dbg_err_drop(err))
		return false;
	for (size_t i = 0; i < maps.n && !found; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			found = found ||
				!strcmp(str_basename(maps.v[i].path), names[j]);
	proc_maps_deinit(&maps);
	return found;
}

/*
 * Is the executable a .NET host? One that has loaded nothing yet contains the
 * name of what it will load, one with the runtime inside the name of its
 * debugging table.
 */
static bool is_host(pid_t pid, size_t max)
{
	static const char *const words[] = {"libhostfxr", "libcoreclr",
					    "DotNetRuntimeInfo"};
	char path[32];
	struct file file;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	struct dbg_error *err = file_load(path, max, &file);
	if (dbg_err_drop(err))
		return false;
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

/* ---- Which bears a name? --------------------------------------------- */

/* Is @file called @name, with or without its extension? */
static bool called(const char *file, const char *name)
{
	const char *base = str_basename(file);
	size_t n = strlen(name);

	return !strncmp(base, name, n) &&
	       (!base[n] || !strcmp(base + n, ".dll") ||
		!strcmp(base + n, ".exe"));
}

static bool bears(pid_t pid, const char *name)
{
	char exe[PATH_MAX], comm[16];
	struct program p;

	proc_comm(pid, pid, comm);
	if (!strcmp(comm, name))
		return true;
	program_of(pid, &p);
	return called(p.name, name) ||
	       (proc_executable(pid, exe) && called(exe, name));
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
