/*
 * Targets that the session did not start: attach, cores, snapshots.
 *
 * What a process runs: a .NET program, the SDK or neither; and its name.
 */
#ifndef SESSION_ATTACH_H
#define SESSION_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "dbg/error.h"

struct dbg;
struct target;

/*
 * Take over @t, which cannot run: nothing is armed, and DBG_EVENT_STOPPED is to
 * follow. @path as for session_begin. @t is destroyed on failure as well.
 */
DBG_MUST struct dbg_error *session_stand(struct dbg *dbg, struct target *t,
					 const char *path);

/* A lent program is traced again (TARGET_BACK): debug it as before. */
DBG_MUST struct dbg_error *session_back(struct dbg *dbg);

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

#endif
