/*
 * A live process under ptrace: the theory of it, for the files of this room.
 *
 * struct thread is a task that we trace. `stop` says whether it is in a
 * ptrace-stop that we have taken from waitpid:
 *
 *   STOP_NONE    it runs (or sleeps, or is dying)
 *   STOP_SIGNAL  signal-delivery-stop: PTRACE_CONT's signal is delivered
 *   STOP_EVENT   PTRACE_EVENT_STOP: nothing can be delivered from here
 *   STOP_GROUP   PTRACE_EVENT_STOP of a group stop: resumed by
 *                PTRACE_LISTEN, it stays stopped until SIGCONT
 *
 * Stops inside system calls (clone, fork, vfork, exec events) are never left
 * standing: registers set there are overwritten when the call returns. The
 * thread goes on at once, with a PTRACE_INTERRUPT if it was to be stopped.
 *
 * Every status comes from waitpid(-1, __WALL) through live_take(), whoever
 * waits for what; what is to be reported goes to the queue of events. A
 * thread with `event_queued` has an event in the queue and is not resumed
 * before it is taken.
 *
 * `skip_pc`: the thread was reported at this pc, so resuming it executes the
 * instruction beneath a trap there. A thread that was merely stopped at a
 * trap has not hit it yet: it will when it is resumed.
 *
 * Tasks besides the process's threads: a forked child is traced until its
 * first stop, where our traps are lifted from its copy of the memory and it
 * is let go. A child that shares the memory (vfork) is traced until exec or
 * exit; it passes traps silently.
 *
 * With `follow` set these are not let go but stay traced *aside*: nothing is
 * done to them, but their forks and threads are aside as well, and each exec
 * holds the process until somebody says what is to become of it: it is
 * passed on, let go, or becomes a live target of its own. All live targets
 * that come from one are a family: there is one waitpid for all of them.
 */
#ifndef TARGET_LIVE_H
#define TARGET_LIVE_H

#include <sys/ptrace.h>

#include "base/map.h"
#include "target/live/family.h"
#include "target/guard/orphan.h"
#include "target/target_priv.h"
#include "target/live/thread.h"

/*
 * The ptrace options of every task. The program's own threads also have
 * PTRACE_O_EXITKILL; its children do not.
 */
enum {
	LIVE_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
		       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC,
};

/* An event in the queue. It is dropped if its thread has another serial now. */
struct queued {
	uint64_t serial;
	uint64_t watch_stamp; /* what event.slots speak of */
	struct target_event event;
};

/* A part of a shared mapping that is written through its file. */
struct shared_code {
	uint64_t start, end, offset;
	int fd;
};

struct shared_file {
	dev_t dev;
	uint64_t inode;
	int fd;
};

struct live_queue {
	struct queued *events;
	size_t first, n, cap; /* the first that was not taken; all */
	uint64_t serial;      /* of the last */
};

/* State of reading and writing the process's memory: memory.c, trap.c. */
struct live_memory {
	int fd; /* /proc/PID/mem */
	int maps_fd;
	bool no_vm;     /* process_vm_readv is not permitted */
	uint64_t stack; /* see struct memory_of */
	/*
	 * The last page that was read, until a thread stops or goes on or
	 * something is written: what a thread that stands at a trap would read
	 * there now, for it could have done so when the page was read.
	 */
	uint64_t recent; /* its address; 0: none */
	uint8_t recent_bytes[PAGE_BYTES];
	struct shared_file *files;
	size_t n_files, files_cap;
	struct shared_code *codes; /* by address */
	size_t n_codes, codes_cap;
	/* Traps lifted while a fork may have been under way. */
	struct trap *ghosts;
	size_t n_ghosts, ghosts_cap;
};

/* How names in the process's namespaces differ from ours. */
struct live_root {
	char *path;      /* "" or /proc/PID/root */
	bool other_pids; /* it is in another pid namespace */
	char *above;     /* what the kernel's paths have in front of it */
};

/* Large: one process, and each of its states is a member. */
struct live {
	struct target target; /* first: target and live are one address */
	struct family *family;
	struct map by_tid;
	struct thread **threads; /* in order of birth */
	size_t n_threads, threads_cap;
	size_t n_running;  /* own threads that are not stopped */
	size_t n_children; /* THREAD_FORKED */
	size_t n_sharing;  /* threads to whose vfork children traps yield */
	uint64_t cave;     /* where inject.c has room; 0: look for it */
	uint64_t execs;    /* of the process, so far */
	struct live_queue queue;
	sigset_t watched;
	bool exited;       /* the process is reaped */
	bool killed;       /* ... because we ended it */
	bool survives;     /* not started by us: our end is not its end */
	bool let_go;       /* no thread of it is traced any more */
	signed char first; /* of a pid namespace: 1, no: -1, not known: 0 */
	pid_t tracer;      /* that has it meanwhile, 0: none, see seize.c */
	struct orphan_handler orphan;
	struct journal journal;
	struct cleanup_process cleanup;
	bool held;      /* stops are reported after the next resume */
	bool stopping;  /* threads stay in whatever stop they come to */
	bool injecting; /* what runs is ours: inject.c */
	bool follow;    /* children stay traced, aside */
	bool releasing; /* ... no longer: they are let go at their next stop */
	bool interrupt_wanted;

	struct live_memory memory;
	struct live_root root;

	struct target_watch watches[TARGET_WATCHES];
	uint64_t watch_stamp; /* of their last change; 0: never any */
};

static inline struct live *live_of(struct target *t)
{
	return (struct live *)t;
}

/* ---- wait.c: the queue of events that are to be reported -------------- */

/* Get a slot for a new event, all 0, with a serial of its own. */
struct target_event *queue_slot(struct live *l);
/*
 * Does an event of this kind wait until its thread goes on, because another
 * thread runs alone, or because it is kept?
 */
bool queue_waits(const struct live *l, const struct thread *th, int kind);
/* Take the first that may be reported now. */
DBG_MUST struct dbg_error *queue_pop(struct live *l, struct target_event *ret,
				     bool *ret_any);
void live_queue(struct live *l, enum target_event_kind kind, pid_t tid);
/* As live_queue: the thread stays stopped until the event is taken. */
void thread_keep(struct live *l, struct thread *th,
		 enum target_event_kind kind);
DBG_MUST struct dbg_error *live_hit_take(struct target *t, pid_t tid,
					 struct target_hit *ret);
void live_hit_give(struct target *t, pid_t tid, const struct target_hit *hit);
void live_hit_keep(struct target *t, const struct target_event *event);
void live_hit_again(struct target *t, const struct target_event *event);
void live_hits_release(struct target *t);

/* ---- wait.c: wait statuses and what they mean ------------------------ */

DBG_MUST struct dbg_error *
live_event_next(struct target *t, struct target_event *ret, bool *ret_any);
/* Take note of a status of a task that we know. */
DBG_MUST struct dbg_error *live_file(struct live *l, struct thread *th,
				     int status);
/* Note the signal that the thread is stopped at; report it if it is watched. */
void thread_due(struct live *l, struct thread *th, int signal);
/* Make target_fd readable if there are events in the queue. */
void live_kick(struct live *l);
/* Raise SIGCHLD ourselves; read all pending ones. */
void live_raise(struct live *l);
void live_drain(struct live *l);
bool live_ended(struct target *t);
/* Note that the process has ended with @status. */
void live_exit(struct live *l, int status);
/* Forget what is known of the process image. */
void live_image_forget(struct live *l);
/* Make the descriptor readable in any case. */
void live_rouse(struct target *t);

/* ---- wait.c: waiting for them ---------------------------------------- */

/* Wait for one status, or look for one, and take note of it. */
DBG_MUST struct dbg_error *live_take(struct live *l, bool block, bool *ret_any);
/*
 * Take note of a status that comes within @ms, less than 1,000. SIGCHLD is
 * taken: when done, live_kick.
 */
DBG_MUST struct dbg_error *live_take_within(struct live *l, int ms,
					    bool *ret_any);
/*
 * Wait until no thread runs, all having been asked to stop. One that does not
 * because it waits in the kernel (for a vfork child, for a disk) is `stuck`
 * then: it stops before it executes anything.
 */
DBG_MUST struct dbg_error *live_await_stops(struct live *l);
/* Reap the stop of a thread that stays in it; its registers are written. */
void thread_reap(struct live *l, struct thread *th);

/* ---- allstop.c: all of them ------------------------------------------ */

DBG_MUST struct dbg_error *live_stop_all(struct target *t);
bool live_all_stopped(const struct target *t);
DBG_MUST struct dbg_error *live_resume_all(struct target *t);
DBG_MUST struct dbg_error *live_thread_resume(struct target *t, pid_t tid,
					      int signal);
DBG_MUST struct dbg_error *live_thread_step(struct target *t, pid_t tid,
					    bool wait, bool *ret_stepped);
DBG_MUST struct dbg_error *live_interrupt(struct target *t);
void live_thread_signal(struct target *t, pid_t tid, int signal);
/* Stop whatever runs, marking it `paused`; and let that go on. */
DBG_MUST struct dbg_error *live_pause(struct live *l);
DBG_MUST struct dbg_error *live_unpause(struct live *l);

/* ---- memory.c -------------------------------------------------------- */

/* How to read the memory of a process. */
struct memory_of {
	pid_t pid;
	int fd;          /* /proc/PID/mem, -1: none */
	bool *no_vm;     /* process_vm_readv is not permitted */
	uint64_t *stack; /* an address in the main stack; 0: ask the kernel */
	uint64_t *syscalls;
};

/*
 * Read memory; returns how many bytes of [addr, addr + n) could be read, from
 * the beginning on.
 */
size_t memory_read(const struct memory_of *m, uint64_t addr, void *buf,
		   size_t n);
void live_memory_init(struct live *l);
void live_memory_deinit(struct live *l);
/* Open what belongs to the process image: after the start, after an exec. */
DBG_MUST struct dbg_error *live_memory_open(struct live *l);
/* Read the mappings, with the kernel's names. */
DBG_MUST struct dbg_error *live_mappings(struct live *l, struct proc_maps *ret);
size_t live_read(struct target *t, uint64_t addr, void *buf, size_t n);
/* See read_pages of struct target_ops. */
size_t live_read_pages(struct target *t, struct page *const *v, size_t n);
DBG_MUST struct dbg_error *live_write(struct target *t, uint64_t addr,
				      const void *buf, size_t n);
DBG_MUST struct dbg_error *live_write_code(struct target *t, uint64_t addr,
					   const void *buf, size_t n);
/* Read memory within the page permissions; all or nothing. */
bool live_read_plain(struct live *l, uint64_t addr, void *buf, size_t n);
bool live_write_plain(struct live *l, uint64_t addr, const void *buf, size_t n);
/* Is there code at @addr that other processes may share? */
bool live_code_shared(const struct live *l, uint64_t addr);

/* Why was ptrace refused, and what to do: an error with the remedy. */
DBG_MUST struct dbg_error *live_refused(pid_t pid, int errnum);

/* ---- spawn.c ------------------------------------------------------ */

/* Is the signal Ctrl-C or Ctrl-Z, sent by a terminal? */
bool live_is_key(const siginfo_t *info);

/* ---- live.c, spawn.c ------------------------------------------------- */

/*
 * A live target for a process that is traced by then, in a family of its own
 * if @f is NULL; and its end.
 */
DBG_MUST struct dbg_error *live_create(struct family *f, struct live **ret);
/* Find out what the process's root directory is. */
void live_set_root(struct live *l);
/* Find out about the root directory and namespaces of a process. */
void live_root_init(struct live_root *root, pid_t pid);
void live_root_deinit(struct live_root *root);
/* Make of the kernel's paths those by which the process knows its files. */
void live_root_cut(const struct live_root *root, struct proc_maps *maps);
void live_destroy(struct target *t);
DBG_MUST struct dbg_error *live_kill(struct target *t);

/* ---- snapshot.c ------------------------------------------------------ */

DBG_MUST struct dbg_error *live_snapshot(struct target *t, struct target **ret);

#endif
