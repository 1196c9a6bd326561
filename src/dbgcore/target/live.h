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
 * thread with `kept` has an event in the queue and is not resumed before it
 * is taken.
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
#include <termios.h>

#include "base/map.h"
#include "target/target_priv.h"

/*
 * What is asked of ptrace for every task; the program's threads besides end
 * with us (PTRACE_O_EXITKILL), its children do not.
 */
enum {
	LIVE_OPTIONS = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
		       PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
		       PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC,
};

enum thread_kind {
	THREAD_OWN,    /* of the process */
	THREAD_FORKED, /* a new process with memory of its own */
	THREAD_SHARED, /* a new process with the memory of ours */
	THREAD_ASIDE,  /* of a process that is followed, without our traps */
};

enum thread_stop {
	STOP_NONE,
	STOP_SIGNAL,
	STOP_EVENT,
	STOP_GROUP,
};

struct thread {
	pid_t tid;
	pid_t inside; /* what it calls itself; 0: not asked yet */
	enum thread_kind kind;
	enum thread_stop stop;
	bool fresh;      /* its first stop has not come yet */
	bool execed;     /* the stop after its exec has not come yet */
	bool offered;    /* aside, held at its exec: see TARGET_CHILD */
	bool ends;       /* aside: is killed if the program is */
	bool unread;     /* its stop was looked at, but not reaped */
	bool asked;      /* PTRACE_INTERRUPT was sent while it ran */
	bool zombie;     /* a leader that ended before the others */
	bool stuck;      /* waits in the kernel, deaf to us: does not run */
	bool came_late;  /* ... was until this status came */
	bool in_vfork;   /* waits for its vfork child */
	bool stepping;   /* single-stepped for the session */
	bool masked;     /* its signals are blocked for the step */
	bool flagged;    /* its next instruction would raise SIGTRAP */
	bool entering;   /* stands at the entry of a system call */
	bool paused;     /* stopped by us for a moment: resume it */
	bool in_place;   /* executes what is beneath a trap: see placed */
	int placed;      /* wait status that ended that */
	int kept;        /* kind of its event in the queue, 0: none */
	uint64_t serial; /* of that event */
	bool regs_valid, regs_dirty, fpregs_valid;
	struct regs regs;
	struct fpregs fpregs;
	uint64_t skip_pc;
	uint64_t held_pc; /* trap hit, not reported, pc moved away since */
	uint64_t mask;    /* signal mask under `masked` */

	uint64_t watch_stamp; /* of the watches it has; 0: none */
	unsigned int hits;    /* of watches, by the instruction in place */

	int due_signal;    /* to be delivered on resume */
	bool due_reported; /* ... and the session knows of it */
	bool due_here;     /* due_info is that of the present stop */
	siginfo_t due_info;
	int extra_signal;        /* the session's, besides */
	uint64_t injected;       /* sent by us: passed on when they come */
	siginfo_t injected_info; /* of one of them; si_signo 0: of none */
};

/* A wait status of a task that we have not been told of. */
struct stray {
	pid_t tid;
	int status;
};

/* An event in the queue; void if its thread has another serial by now. */
struct queued {
	uint64_t serial;
	uint64_t watch_stamp; /* what event.slots speak of */
	struct target_event event;
};

/* Part of a shared mapping that is written through its file. */
struct shared_code {
	uint64_t start, end, offset;
	int fd;
};

struct shared_file {
	dev_t dev;
	uint64_t inode;
	int fd;
};

/* What the live targets of one session share; dies with the last of them. */
struct family {
	struct live **lives;
	size_t n_lives, lives_cap;
	struct stray *strays;
	size_t n_strays, strays_cap;
	int signal_fd; /* SIGCHLD */
	bool drained;  /* signal_fd was read since event_next found nothing */
	bool missed;   /* ... and there may be statuses that it told of */
	bool survives; /* one of them does */
	bool bereft;   /* parents have ended: strays may be orphans */

	bool shares_tty; /* stdin is a terminal for them and us */
	bool given;      /* they have it */
	bool has_modes;  /* its_modes are set */
	pid_t own_pgrp, its_pgrp;
	struct termios own_modes, its_modes;
};

/* The net in a process that is to survive us: net.c. */
struct net {
	uint64_t addr;   /* in the process; 0: none */
	bool entered;    /* a SIGTRAP got through: a thread may be inside */
	uint32_t n_used; /* slots of its table, from 1 on */
	uint32_t *free;  /* those that are free again */
	size_t n_free, free_cap;
	size_t next_mask;
};

/* The process that cleans up behind us: sentry.c. */
struct sentry {
	pid_t pid; /* 0: none */
	int fd;
};

struct live {
	struct target target; /* first: target and live are one address */
	struct family *family;
	struct map by_tid;
	struct thread **threads; /* in order of birth */
	size_t n_threads, threads_cap;
	size_t n_running;      /* own threads that are not stopped */
	size_t n_children;     /* THREAD_FORKED */
	uint64_t syscall_addr; /* of an instruction; 0: not known yet */
	uint64_t cave;         /* where inject.c has room; 0: look for it */
	uint64_t execs;        /* of the process, so far */
	struct queued *events; /* from events_first on */
	size_t events_first, n_events, events_cap;
	uint64_t serial;
	sigset_t watched;
	bool exited;   /* the process is reaped */
	bool killed;   /* ... because we ended it */
	bool survives; /* not started by us: our end is not its end */
	bool let_go;   /* no thread of it is traced any more */
	struct net net;
	struct sentry sentry;
	bool held;      /* stops are reported after the next resume */
	bool stopping;  /* threads stay in whatever stop they come to */
	bool injecting; /* what runs is ours: inject.c */
	bool follow;    /* children stay traced, aside */
	bool releasing; /* ... no longer: they are let go at their next stop */
	bool interrupt_wanted;

	int mem_fd; /* /proc/PID/mem */
	bool no_vm; /* process_vm_readv is not permitted */
	struct shared_file *files;
	size_t n_files, files_cap;
	struct shared_code *codes; /* by address */
	size_t n_codes, codes_cap;
	/* Traps lifted while a fork may have been under way. */
	struct trap *ghosts;
	size_t n_ghosts, ghosts_cap;
	char *root;       /* "" or /proc/PID/root; made when asked for */
	bool other_pids;  /* it is in another pid namespace */
	char *above_root; /* what the kernel's paths have in front of it */

	struct target_watch watches[TARGET_WATCHES];
	uint64_t watch_stamp; /* of their last change; 0: never any */
};

static inline struct live *live_of(struct target *t)
{
	return (struct live *)t;
}

/* ---- thread.c: the table of threads, their registers ----------------- */

struct thread *thread_find(struct live *l, pid_t tid);
/*
 * A task by which the kernel finds the process's memory, files and root: a
 * leader that ended before the others has none.
 */
pid_t live_body(struct live *l);
struct thread *thread_add(struct live *l, pid_t tid, enum thread_kind kind);
void thread_remove(struct live *l, struct thread *th);
/* Change the kind of a task besides the process's threads. */
void thread_set_kind(struct live *l, struct thread *th, enum thread_kind kind);
void thread_set_stop(struct live *l, struct thread *th, enum thread_stop stop);
void thread_set_stuck(struct live *l, struct thread *th, bool stuck);
/* The thread if it is stopped, or an error. */
DBG_MUST struct dbg_error *thread_stopped(struct live *l, pid_t tid,
					  struct thread **ret);
/* Fill th->regs; false if the thread has been killed. */
bool thread_load_regs(struct live *l, struct thread *th);
void thread_flush_regs(struct live *l, struct thread *th);
/* ptrace with counting; -1 and errno. */
long live_ptrace(struct live *l, int request, pid_t tid, uint64_t addr,
		 uint64_t data);
/* Block the asynchronous signals of a stopped thread, or restore its mask. */
void thread_mask(struct live *l, struct thread *th);
void thread_unmask(struct live *l, struct thread *th);
DBG_MUST struct dbg_error *live_threads(struct target *t, struct arena *arena,
					struct target_thread **ret,
					size_t *ret_n);
void live_thread_name(struct target *t, pid_t tid, char ret[16]);
pid_t live_tid_inside(struct target *t, pid_t tid);
pid_t live_tid_outside(struct target *t, pid_t inside);
DBG_MUST struct dbg_error *live_regs(struct target *t, pid_t tid,
				     struct regs *ret);
DBG_MUST struct dbg_error *live_regs_set(struct target *t, pid_t tid,
					 const struct regs *regs);
DBG_MUST struct dbg_error *live_fpregs(struct target *t, pid_t tid,
				       struct fpregs *ret);

/* ---- ptrace.c: resuming threads -------------------------------------- */

/* Let a stopped thread go on as `stepping` says, with what is due to it. */
DBG_MUST struct dbg_error *thread_go(struct live *l, struct thread *th);
/* Go on from a stop inside a system call, to be stopped again if need be. */
void thread_pass(struct live *l, struct thread *th, int signal);
DBG_MUST struct dbg_error *thread_request(struct live *l, struct thread *th,
					  int what, int signal);
/* Does the thread stand at a `syscall` instruction? */
bool thread_at_syscall(struct live *l, struct thread *th);
/* Ask a running thread to stop. */
void thread_ask(struct live *l, struct thread *th);
/* Let a stopped thread run on untraced, with what is due to it. */
void thread_detach(struct live *l, struct thread *th);

/* ---- displace.c: the instruction beneath a trap ----------------------- */

/*
 * Execute the instruction beneath the trap at skip_pc, if the thread stands
 * there. It may end by a signal or an exit instead.
 */
DBG_MUST struct dbg_error *thread_displace(struct live *l, struct thread *th,
					   bool *ret_done);

/* ---- wait.c: wait statuses and what they mean ----------------------- */

DBG_MUST struct dbg_error *
live_event_next(struct target *t, struct target_event *ret, bool *ret_any);
/* Take note of a status of a task that we know. */
DBG_MUST struct dbg_error *live_file(struct live *l, struct thread *th,
				     int status);
void live_queue(struct live *l, enum target_event_kind kind, pid_t tid);
/* As live_queue, of a stopped thread: it stays until the event is taken. */
void thread_keep(struct live *l, struct thread *th,
		 enum target_event_kind kind);
/* Note a signal that the thread stands at; report it if it is watched. */
void thread_due(struct live *l, struct thread *th, int signal);
/* Make target_fd readable if there are events in the queue. */
void live_kick(struct live *l);
/* A SIGCHLD that nobody sent, and an end to those that came. */
void live_raise(struct live *l);
void live_drain(struct live *l);
bool live_ended(struct target *t);
/* Make the descriptor readable in any case. */
void live_rouse(struct target *t);

/* ---- reap.c: waiting for them ----------------------------------------- */

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

/* ---- hwbreak.c: the debug registers ------------------------------------- */

DBG_MUST struct dbg_error *live_watches_set(struct target *t,
					    const struct target_watch *v);
/* Give a stopped thread the present watches; false and errno: refused. */
bool hwbreak_apply(struct live *l, struct thread *th);
/* Which watches did the thread hit that has stopped by SIGTRAP? */
unsigned int hwbreak_hits(struct live *l, struct thread *th);
/* Is anything watched; is something of this memory? */
bool hwbreak_any(const struct live *l);
bool hwbreak_touches(const struct live *l, uint64_t addr, size_t n);
/* The process has another image, or is to be let go: nothing is watched. */
void hwbreak_forget(struct live *l);

/* ---- debugreg.c of the processor --------------------------------------- */

/* Set the watches of a stopped thread, or take them out; false: see errno. */
bool debugreg_set(struct live *l, pid_t tid, const struct target_watch *v);
bool debugreg_clear(struct live *l, pid_t tid);
/* Which of them were hit? Asked once. */
unsigned int debugreg_hits(struct live *l, pid_t tid);

/* ---- allstop.c: all of them --------------------------------------------- */

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

/* ---- alone.c ------------------------------------------------------------ */

DBG_MUST struct dbg_error *live_thread_alone(struct target *t, pid_t tid,
					     const uint64_t *addrs, size_t n,
					     enum target_alone *ret);

/* ---- child.c: tasks that the process makes --------------------------- */

/* A clone, fork or vfork event of @parent. */
DBG_MUST struct dbg_error *child_born(struct live *l, struct thread *parent,
				      int event);
/* First stop of a forked child: lift our traps from it and let it go. */
void child_release(struct live *l, struct thread *child);
/* A child that shared the memory has its own now. */
void child_detach(struct live *l, struct thread *child);
void child_stray(struct family *f, pid_t tid, int status);
/* A process ended: let strays go that nobody will tell us of any more. */
void child_release_strays(struct live *l);
/* A stop of a task aside that is no signal. */
void child_aside_stop(struct live *l, struct thread *child, bool group);
/* An exec of a task besides the process's threads. */
void child_exec(struct live *l, struct thread *child);
/* Let all tasks besides the process's threads go. */
void child_release_all(struct live *l);
void live_follow(struct target *t, bool on);
DBG_MUST struct dbg_error *live_child_pass(struct target *t, pid_t pid,
					   bool ends);
DBG_MUST struct dbg_error *live_child_leave(struct target *t, pid_t pid,
					    bool stopped);
DBG_MUST struct dbg_error *live_child_adopt(struct target *t, pid_t pid,
					    struct target **ret);
/* Traps were lifted whose int3 a fork on its way may still carry. */
void child_ghosts(struct live *l, const struct trap *traps, size_t n);

/* ---- family.c -------------------------------------------------------- */

/* Make @l one of @f, or of a new one if that is NULL; and no longer. */
DBG_MUST struct dbg_error *family_join(struct family *f, struct live *l);
void family_leave(struct live *l);
/* Whose task is it? NULL: nobody's. */
struct live *family_owner(struct family *f, pid_t tid);

/* ---- memory.c --------------------------------------------------------- */

void live_memory_init(struct live *l);
void live_memory_deinit(struct live *l);
/* Open what belongs to the process image: after the start, after an exec. */
DBG_MUST struct dbg_error *live_memory_open(struct live *l);
size_t live_read(struct target *t, uint64_t addr, void *buf, size_t n);
DBG_MUST struct dbg_error *live_write(struct target *t, uint64_t addr,
				      const void *buf, size_t n);
DBG_MUST struct dbg_error *live_write_code(struct target *t, uint64_t addr,
					   const void *buf, size_t n);
/* Within the page permissions, all or nothing. */
bool live_read_plain(struct live *l, uint64_t addr, void *buf, size_t n);
bool live_write_plain(struct live *l, uint64_t addr, const void *buf, size_t n);
/* Is there code at @addr that other processes may share? */
bool live_code_shared(const struct live *l, uint64_t addr);

/* ---- terminal.c ------------------------------------------------------- */

/* Is there a terminal on stdin that we have to share? */
void live_terminal_init(struct live *l, const struct dbg_launch *launch);

/* ---- inject.c --------------------------------------------------------- */

enum {
	CAVE_BYTES = 320,
};

/* ---- back.c of the processor */

/* The code that makes a call and goes back, with what it restores: its size. */
size_t back_make(const struct regs *r, uint64_t mask, uint8_t ret[CAVE_BYTES]);
size_t back_code_bytes(void);
/* Are the first bytes of @code those of that code? */
bool back_is(const uint8_t *code);
/* What it restores. */
void back_restore(const uint8_t code[CAVE_BYTES], struct regs *r,
		  uint64_t *ret_mask);
/* Make the thread call from there; it is in no system call then. */
void back_syscall(struct regs *r, uint64_t cave, long nr,
		  const uint64_t args[6]);
void back_call_leaf(struct regs *r, uint64_t cave, uint64_t addr,
		    const uint64_t args[2]);
uint64_t back_result(const struct regs *r);

/* A series of system calls by one thread; nothing else happens meanwhile. */
struct inject {
	struct thread *th;
	pid_t tid;
	bool called;
	uint64_t mask; /* the thread's, put back at the end */
	struct regs saved;
	uint64_t cave; /* where our code lies, and what lay there */
	size_t size;
	uint8_t covered[CAVE_BYTES];
};

/*
 * inject_end belongs to each inject_begin, also to one that failed. The
 * thread must be left alone between them. With us gone at any point between,
 * it goes on as if nothing had been.
 */
DBG_MUST struct dbg_error *inject_begin(struct live *l, struct inject *in);
/* A failure of the call itself is an error that ends with its reason. */
DBG_MUST struct dbg_error *inject_call(struct live *l, struct inject *in,
				       long nr, const uint64_t args[6],
				       uint64_t *ret);
DBG_MUST struct dbg_error *inject_end(struct live *l, struct inject *in);
/*
 * Let one thread go on to its next entry of a system call or return from one,
 * while the others stand. It may have ended instead.
 */
DBG_MUST struct dbg_error *inject_advance(struct live *l, struct thread *th);
/*
 * Threads that a debugger left between them when it died go on as if nothing
 * had been. All is stopped. Without that the next to make a call would take
 * the way through the dead one's code for what its thread does; and should
 * that one die as well, nobody knew any more where it came from.
 */
DBG_MUST struct dbg_error *inject_recover(struct live *l);
DBG_MUST struct dbg_error *live_mmap(struct target *t, size_t size,
				     uint64_t *ret);
DBG_MUST struct dbg_error *live_call_leaf(struct target *t, uint64_t addr,
					  uint64_t a, uint64_t b);
DBG_MUST struct dbg_error *live_find_code(struct target *t, const void *bytes,
					  size_t n, uint64_t *ret, size_t cap,
					  size_t *ret_n);

/* ---- net.c ------------------------------------------------------------ */

/* Put the net into a process that survives us, all of it being stopped. */
DBG_MUST struct dbg_error *net_install(struct live *l);
/* Take it out; all is stopped, and traps are lifted. */
DBG_MUST struct dbg_error *net_remove(struct live *l);
/*
 * Look for the net of a debugger that died and undo what it left: traps,
 * masks, debug registers. All is stopped.
 */
DBG_MUST struct dbg_error *net_recover(struct live *l);
/* The process image is gone, and the net with it. */
void net_forget(struct live *l);
/* Take down traps before they are armed, and when they are lifted. */
DBG_MUST struct dbg_error *net_arm(struct live *l, struct trap *traps,
				   size_t n);
void net_lift(struct live *l, const struct trap *traps, size_t n);
/* Take down the mask of a thread before it is set to net_step_mask. */
void net_mask(struct live *l, pid_t tid, uint64_t mask);

/* ---- sentry.c ---------------------------------------------------------- */

/*
 * Start a sentry for process @pid. sentry_dismiss sends it away, which takes it
 * a moment; sentry_end waits for that.
 */
DBG_MUST struct dbg_error *sentry_start(pid_t pid, struct sentry *ret);
void sentry_dismiss(struct sentry *sentry);
void sentry_end(struct sentry *sentry);
/* Is process @pid a sentry? */
bool sentry_is(pid_t pid);

/* ---- attach.c ---------------------------------------------------------- */

/*
 * Attach to a process without preparing it for our end: for a sentry, which
 * finds and undoes what we have left.
 */
DBG_MUST struct dbg_error *attach_to_clean(pid_t pid, struct target **ret);
/*
 * Make the threads such that no SIGTRAP of ours comes to them when we let go
 * or die: of a trap or a step that is pending, of a step that would be made,
 * of a watch. All is stopped, traps are lifted.
 */
DBG_MUST struct dbg_error *live_settle(struct live *l);
/*
 * Take everything of ours out of the process, all of it being stopped. Should
 * we die after that, it goes on as if nothing had been.
 */
DBG_MUST struct dbg_error *live_take_out(struct live *l);
/*
 * Take everything of ours out of the process and stop tracing it. Threads
 * that are stuck can be let go by our end only: live_detach refuses then.
 */
DBG_MUST struct dbg_error *live_let_go(struct live *l, bool stopped);
DBG_MUST struct dbg_error *live_detach(struct target *t, bool stopped);

/* ---- live.c, spawn.c --------------------------------------------------- */

/*
 * A live target for a process that is traced by then, in a family of its own
 * if @f is NULL; and its end.
 */
DBG_MUST struct dbg_error *live_create(struct family *f, struct live **ret);
/* Find out what the process's root directory is. */
void live_set_root(struct live *l);
void live_destroy(struct target *t);
DBG_MUST struct dbg_error *live_kill(struct target *t);

/* ---- refused.c --------------------------------------------------------- */

/* Why was ptrace refused, and what to do: an error with the remedy. */
DBG_MUST struct dbg_error *live_refused(pid_t pid, int errnum);

#endif
