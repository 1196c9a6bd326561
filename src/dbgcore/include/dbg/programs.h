/* Programs of .NET that run on this machine: for lists to choose from. */
#ifndef DBG_PROGRAMS_H
#define DBG_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A program as /proc shows it: nothing is asked of the program itself, so one
 * that hangs or stands still is as good as any other. Strings live as long as
 * the call that has them.
 */
struct dbg_program_info {
	pid_t pid;
	pid_t pid_inside;    /* in its own namespace, a container's; else pid */
	uid_t uid;           /* the real one */
	uint32_t threads;    /* 0: not known */
	uint64_t resident;   /* bytes of memory */
	const char *name;    /* of the .dll that it runs, or of itself */
	const char *command; /* words with blanks between them; foreign text */
	/*
	 * The shared framework's version, "10.0.1", or "self-contained", or
	 * "single file".
	 */
	const char *runtime;
	const char *container; /* its id's first 12 digits (cgroup), or NULL */
};

/*
 * Call @fn with each process that has a runtime of .NET and may be looked at,
 * by rising pid; the calling process and what has ended are left out. Reads
 * /proc, blocks for nothing. Gives how many processes may not be looked at.
 */
size_t dbg_programs(void (*fn)(void *arg, const struct dbg_program_info *p),
		    void *arg);

/*
 * Limits by the cgroups of a process (a container's or others); 0: no limit, or
 * not known.
 */
struct dbg_limits {
	uint64_t memory;      /* bytes */
	uint64_t memory_used; /* less what the kernel keeps of files */
	uint64_t cpu;         /* thousandths of a processor */
	/*
	 * processor time is given by periods; how many have passed, and in how
	 * many it was used up
	 */
	uint64_t periods, throttled;
};

/* Reads /proc and /sys/fs/cgroup, blocks for nothing. */
void dbg_limits_of(pid_t pid, struct dbg_limits *ret);

/* The file descriptors of a process; all 0: it may not be looked at. */
struct dbg_descriptors {
	uint64_t n, max; /* open, and allowed; max 0: no limit */
	uint64_t files, sockets;
	char most[256]; /* the path, or else, that most of them are of */
	uint64_t n_most;
};

/* Reads /proc, blocks for nothing. */
void dbg_descriptors_of(pid_t pid, struct dbg_descriptors *ret);

enum {
	DBG_VERSION_MAX = 64
};

/*
 * The version of the shared framework that the file @path belongs to, "10.0.1"
 * of ".../Microsoft.NETCore.App/10.0.1/libcoreclr.so"; false: it tells none.
 */
bool dbg_framework_version(const char *path, char ret[DBG_VERSION_MAX]);

#endif
