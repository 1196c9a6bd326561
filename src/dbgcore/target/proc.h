/* Readers of /proc/PID. */
#ifndef TARGET_PROC_H
#define TARGET_PROC_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dbg.h"

struct proc_map {
	uint64_t start, end, offset;
	uint64_t inode;
	dev_t dev;
	bool read, write, exec, shared;
	bool deleted;     /* the file is not at @path any more */
	const char *path; /* "" for none */
};

/* Mappings by address; the paths live as long as the struct. */
struct proc_maps {
	struct proc_map *v;
	size_t n, cap;
	char *text;
};

DBG_MUST struct dbg_error *proc_maps_load(pid_t pid, struct proc_maps *ret);
/*
 * Open a process's mappings. The descriptor shows the image that the process
 * has now, even if it becomes unreadable later (PR_SET_DUMPABLE). -1: see
 * errno.
 */
int proc_maps_open(pid_t pid);
DBG_MUST struct dbg_error *proc_maps_read(int fd, pid_t pid,
					  struct proc_maps *ret);
/* Take over @text (the contents of a maps file), cutting it up. */
void proc_maps_parse(char *text, struct proc_maps *ret);
void proc_maps_deinit(struct proc_maps *maps);
/* Find the mapping that contains @addr, or NULL. */
const struct proc_map *proc_maps_find(const struct proc_maps *maps,
				      uint64_t addr);

/*
 * Read a whole file below /proc, terminated; NULL with errno set if it cannot
 * be read. The caller frees it.
 */
char *proc_read(const char *path, size_t *ret_n);
/* The processor time that threads have used, in nanoseconds. */
struct proc_time {
	pid_t tid;
	uint64_t ns;
	uint64_t ready; /* the same, and what they have waited for one */
	/*
	 * of a thread that runs, or may: how often it gave up a processor; else
	 * 0
	 */
	uint64_t waits;
};

struct proc_times {
	struct proc_time *v;
	size_t n, cap;
	uint64_t at; /* clock_ns() */
};

void proc_times_read(pid_t pid, struct proc_times *ret);
void proc_times_deinit(struct proc_times *t);
/* Processor time of one thread; 0: it is gone. @ret_ready may be NULL. */
uint64_t proc_time_of(pid_t pid, pid_t tid, uint64_t *ret_ready);

/* Read a link below /proc/PID (0: our own); false: there is none. */
bool proc_link(pid_t pid, const char *name, char ret[PATH_MAX]);
/* The path of its executable, which may have been replaced since. */
bool proc_executable(pid_t pid, char ret[PATH_MAX]);
/* Number behind "@field:" in /proc/PID/status, in @base; false: none. */
bool proc_status(pid_t pid, const char *field, int base, uint64_t *ret);

/* Facts for lists of processes, from one reading of /proc/PID/status. */
struct proc_summary {
	pid_t inside; /* its id in its own namespace */
	uid_t uid;
	uint32_t threads;
	uint64_t resident; /* bytes */
};

/* False: it is gone. */
bool proc_summary(pid_t pid, struct proc_summary *ret);
/*
 * The id of a thread in its own namespace (the last of "NSpid:"), the same as
 * @tid where that is ours; 0: it is gone.
 */
pid_t proc_tid_inside(pid_t tid);
/*
 * Is it, or the process of this thread, the first of its pid namespace (as in a
 * container)? By default no signal from within ends that one.
 */
bool proc_is_first(pid_t tid);
/*
 * Append the words of a command line with blanks between them, at most @max
 * bytes; nothing if it is gone. @tid: a process or one of its threads, which
 * has not ended.
 */
struct str;
void proc_command(pid_t tid, size_t max, struct str *ret);
/* The kernel's name of a thread, "" if it is gone. */
void proc_comm(pid_t pid, pid_t tid, char ret[16]);
/*
 * Where a thread that waits in the kernel entered it: the registers that are
 * known of it, the others 0. False if it does not wait.
 */
struct regs;
bool proc_syscall(pid_t pid, pid_t tid, struct regs *ret);
/* The value of @type in a process's auxiliary vector; 0: it has none. */
DBG_MUST struct dbg_error *proc_auxv(pid_t pid, uint64_t type, uint64_t *ret);
/*
 * Is a thread inside of a system call that makes a process or a thread? One
 * that waits there waits for a child of vfork.
 */
bool proc_makes_child(pid_t pid, pid_t tid);
/* Do two tasks share their memory? @unknown where the kernel cannot tell. */
bool proc_same_memory(pid_t a, pid_t b, bool unknown);
/* When the process was started, in ticks since the boot; 0: it is gone. */
uint64_t proc_start_time(pid_t pid);
/* The wait status of a process that has ended; false: it has not, or is gone.
 */
bool proc_exit_status(pid_t pid, int *ret);
/*
 * Open the list of a process's threads: NULL with errno, or to be closed by
 * closedir.
 */
DIR *proc_tasks_open(pid_t pid);
/* The next thread of the list; 0: there are no more. */
pid_t proc_tasks_next(DIR *tasks);
/* Is the process gone, or have all of its threads ended? */
bool proc_ended(pid_t pid);
/* Is the process gone, or is it being ended by the kernel? */
bool proc_dying(pid_t pid);
/*
 * The cgroup that holds the process frozen (cgroup_freezer(7)), below its
 * hierarchy; NULL: none does. The caller frees it.
 */
char *proc_frozen(pid_t pid);
/*
 * The directory for temporary files that a process was started with: its
 * TMPDIR, else /tmp, which is also the answer where it may not be asked. As the
 * process names it; the caller frees it.
 */
char *proc_temporary(pid_t pid);
/* State letter of a thread ('Z', 'X': ended), 0 if it is gone. */
char proc_state(pid_t pid, pid_t tid);
/* Is that the letter of one that a signal or a debugger has stopped? */
static inline bool proc_state_is_stopped(char state)
{
	return state == 'T' || state == 't';
}
/*
 * The state letter of a process. A debugger that counts hits stops it for
 * moments: it counts as stopped by one ('t') only if it stays so for a fifth of
 * a second.
 */
char proc_lasting_state(pid_t pid);

#endif
