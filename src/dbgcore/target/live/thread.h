/*
 * struct thread, a task that we trace: the table of them, their registers, and
 * how one thread goes on. See live.h for what its states mean.
 */
#ifndef TARGET_THREAD_H
#define TARGET_THREAD_H

#include <signal.h>

#include "target/arch.h"
#include "target/target.h"

struct arena;
struct live;

enum thread_kind {
	THREAD_OWN,    /* of the process */
	THREAD_FORKED, /* a new process with memory of its own */
	THREAD_SHARED, /* a new process that shares the memory of its parent,
			  which is debugged */
	THREAD_ASIDE,  /* of a process that is followed, without our traps */
};

enum thread_stop {
	STOP_NONE,
	STOP_SIGNAL,
	STOP_EVENT,
	STOP_GROUP,
};

/* Cached registers of a thread. */
struct thread_regs {
	bool valid, dirty, fp_valid;
	struct regs now;
	struct fpregs fp;
};

/* The signals that a thread is to get. */
struct thread_signals {
	int signal;    /* to be delivered on resume */
	bool reported; /* ... and the session knows of it */
	bool here;     /* info belongs to the present stop */
	siginfo_t info;
	int extra;               /* the session's, besides */
	uint64_t injected;       /* sent by us: passed on when they come */
	siginfo_t injected_info; /* of one of them; si_signo 0: of none */
	bool catching;           /* is stepped to its handler of SIGTRAP */
	bool deadly;             /* its process ends, it is not traced now */
	uint64_t int3; /* pc behind an int3 that is the program's own, or 0 */
};

/* State about a vfork child of the thread. */
struct thread_vfork {
	bool waits;  /* for it */
	bool shares; /* traps yield to it, or to one that is about to be made */
	bool found;  /* ... which was there when we attached */
};

struct thread {
	pid_t tid;
	pid_t inside; /* what it calls itself; 0: not asked yet */
	enum thread_kind kind;
	enum thread_stop stop;
	bool fresh;       /* its first stop has not come yet */
	bool execed;      /* the stop after its exec has not come yet */
	bool offered;     /* aside, held at its exec: see TARGET_CHILD */
	bool ends;        /* aside: is killed if the program is */
	bool unread;      /* its stop was looked at, but not reaped */
	bool asked;       /* PTRACE_INTERRUPT was sent while it ran */
	bool zombie;      /* a leader that ended before the others */
	bool stuck;       /* waits in the kernel, deaf to us: does not run */
	bool came_late;   /* ... was until this status came */
	bool stepping;    /* single-stepped for the session */
	bool masked;      /* its signals are blocked for the step */
	bool flagged;     /* its next instruction would raise SIGTRAP */
	bool entering;    /* stands at the entry of a system call */
	bool paused;      /* stopped by us for a moment: resume it */
	bool in_place;    /* executes what is beneath a trap: see placed */
	int placed;       /* wait status that ended that */
	int event_queued; /* kind of its event in the queue, 0: none */
	uint64_t serial;  /* of that event */
	bool kept;        /* ... which waits for target_hits_release */
	struct thread_regs regs;
	uint64_t skip_pc;
	uint64_t mask; /* signal mask under `masked` */

	uint64_t watch_stamp; /* of the watches it has; 0: none */
	unsigned int hits;    /* of watches, by the instruction in place */

	struct thread_signals due;
	struct thread_vfork vfork;
};

/* ---- thread.c: the table of threads, their registers ----------------- */

struct thread *thread_find(struct live *l, pid_t tid);
/*
 * The pid of a task by which the kernel finds the process's memory, files and
 * root: a leader that ended before the others has none.
 */
pid_t live_body(struct live *l);
struct thread *thread_add(struct live *l, pid_t tid, enum thread_kind kind);
void thread_remove(struct live *l, struct thread *th);
/* Change the kind of a task besides the process's threads. */
void thread_set_kind(struct live *l, struct thread *th, enum thread_kind kind);
void thread_set_stop(struct live *l, struct thread *th, enum thread_stop stop);
void thread_set_stuck(struct live *l, struct thread *th, bool stuck);
/* Get a thread that is stopped, or an error. */
DBG_MUST struct dbg_error *thread_stopped(struct live *l, pid_t tid,
					  struct thread **ret);
/* Read the registers into th->regs.now; false if the thread was killed. */
bool thread_load_regs(struct live *l, struct thread *th);
void thread_flush_regs(struct live *l, struct thread *th);
/* The ptrace options of the process's threads. */
uint64_t thread_options(const struct live *l);
/* Call ptrace, counted; -1 and errno. */
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
DBG_MUST struct dbg_error *live_fpregs_set(struct target *t, pid_t tid,
					   const struct fpregs *fpregs);

/* ---- ptrace.c: resuming threads -------------------------------------- */

/* Let a stopped thread go on as `stepping` says, with what is due to it. */
DBG_MUST struct dbg_error *thread_go(struct live *l, struct thread *th);
/* Go on from a stop inside a system call, to be stopped again if need be. */
void thread_pass(struct live *l, struct thread *th, int signal);
DBG_MUST struct dbg_error *thread_request(struct live *l, struct thread *th,
					  int what, int signal);
/* Note that the thread stands at the beginning of its own SIGTRAP handler. */
void thread_catches(struct live *l, struct thread *th);
/* Does the thread stand at a `syscall` instruction? */
bool thread_at_syscall(struct live *l, struct thread *th);
/* Ask a running thread to stop. */
void thread_ask(struct live *l, struct thread *th);
/* Let a stopped thread run on untraced, with what is due to it. */
void thread_detach(struct live *l, struct thread *th);

/* ---- wait.c ------------------------------------------------------------- */

/*
 * Set the thread back that has executed a trap which was taken for the
 * program's own, and has been lifted since by who has put it there: it has not
 * happened.
 */
void thread_rewind(struct live *l, struct thread *th);

/* ---- ptrace.c: the instruction beneath a trap ---------------------- */

/*
 * Execute the instruction beneath the trap at skip_pc, if the thread stands
 * there. It may end by a signal or an exit instead.
 */
DBG_MUST struct dbg_error *thread_displace(struct live *l, struct thread *th,
					   bool *ret_done);

/* ---- child.c: traps, and children that share the memory ---------------- */

/* The thread has made a child by vfork; the child is gone. */
void vfork_begin(struct live *l, struct thread *th);
void vfork_end(struct live *l, struct thread *th);
/*
 * The thread is deaf in the kernel. If it waits there for a vfork child that we
 * have not been told of, traps yield until the thread comes back.
 */
void vfork_look(struct live *l, struct thread *th);
void live_trap_yield(struct target *t, uint64_t addr, bool on);
void live_thread_spawns(struct target *t, pid_t tid, bool on);

/* ---- hwbreak.c: the debug registers ---------------------------------- */

DBG_MUST struct dbg_error *live_watches_set(struct target *t,
					    const struct target_watch *v);
/* Give a stopped thread the present watches; false and errno: refused. */
bool hwbreak_apply(struct live *l, struct thread *th);
/* Which watches a thread has hit that has stopped by SIGTRAP: a bit each. */
unsigned int hwbreak_hits(struct live *l, struct thread *th);
/* Is anything watched; is something of this memory? */
bool hwbreak_any(const struct live *l);
bool hwbreak_touches(const struct live *l, uint64_t addr, size_t n);
/* Watch nothing any more: the process has another image, or is to be let go. */
void hwbreak_forget(struct live *l);

/* ---- debugreg.c of the processor ------------------------------------- */

/* Set the watches of a stopped thread, or take them out; false: see errno. */
bool debugreg_set(struct live *l, pid_t tid, const struct target_watch *v);
bool debugreg_clear(struct live *l, pid_t tid);
/* Which debug registers were hit, a bit each. Asking resets them. */
unsigned int debugreg_hits(struct live *l, pid_t tid);

#endif
