/* What a process runs: a .NET program, the SDK or neither; and its name. */
#ifndef SESSION_PROGRAM_H
#define SESSION_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum program_kind {
	PROGRAM_NATIVE, /* no .NET, or inside of one file */
	PROGRAM_SDK,    /* the SDK's commands and tools */
	PROGRAM_DOTNET, /* any other .NET program */
};

/* The program that a process runs. */
struct program {
	enum program_kind kind;
	bool apphost;   /* app, beside the app.dll that it runs */
	char name[256]; /* "app.dll", "sh"; "" if it is gone */
};

/* Find out what a process runs. */
void program_of(pid_t pid, struct program *ret);
/*
 * ... for the host `dotnet`: @n bytes of its command line, which may be
 * anything, each word ended by a 0; there is a 0 at @cmdline[@n] in any case.
 */
void program_of_host(const char *cmdline, size_t n, struct program *ret);
/*
 * Does @arg stand before the program's path in `dotnet ARGS`: an option of the
 * host, each of which has a value, or "exec"? Anything else is a command of the
 * SDK. *value, false at first, is for the next call.
 */
bool program_host_passes(const char *arg, bool *value);
bool program_is_assembly(const char *path);

/*
 * Has the process a .NET runtime, or is it a host that will have one? Also true
 * if that cannot be found out.
 */
bool program_is_dotnet(pid_t pid);

/*
 * Find .NET programs called @name, by the kernel's name, by their file or by
 * the .dll that they run; returns how many, at most @max.
 */
size_t programs_named(const char *name, pid_t *ret, size_t max);

#endif
