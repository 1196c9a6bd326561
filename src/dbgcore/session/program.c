/* What a process runs, by its command line: a .NET program, the SDK, neither */
#include "session/session.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/proc.h"

enum {
	CMDLINE_MAX = 65536
};

/* The SDK keeps its tools in sdk/VERSION beside dotnet. */
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

/* By the name it was started by, of which the kernel keeps 15 bytes. */
static void set_native(struct program *p, pid_t pid, const char *exe)
{
	char comm[16];

	proc_comm(pid, pid, comm);
	snprintf(p->name, sizeof(p->name), "%s", comm);
	if (!*comm || strlen(comm) == sizeof(comm) - 1)
		set_name(p, exe);
}

/*
 * `dotnet ARGS`: the host's options, of which each has a value, and "exec" go
 * before a program's path; anything else is a command of the SDK.
 */
static void of_host(struct program *p, const char *args, const char *end)
{
	bool value = false;

	p->kind = PROGRAM_SDK;
	set_name(p, "dotnet");
	for (; args < end; args += strlen(args) + 1) {
		if (value || !strcmp(args, "exec")) {
			value = false;
			continue;
		}
		value = !strncmp(args, "--", 2);
		if (value)
			continue;
		if (str_ends(args, ".dll") || str_ends(args, ".exe")) {
			p->kind =
			    is_of_sdk(args) ? PROGRAM_SDK : PROGRAM_DOTNET;
			set_name(p, args);
		}
		return;
	}
}

/* An executable with the program's .dll beside it is its apphost. */
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
	set_name(p, dll);
}

void program_of(pid_t pid, struct program *ret)
{
	char path[32], exe[PATH_MAX];
	size_t size = 0;

	memset(ret, 0, sizeof(*ret));
	if (!proc_link(pid, "exe", exe))
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
		of_host(ret, args + strlen(args) + 1, args + size);
}
