/*
 * A process as bytes, registers and stops; no .NET here.
 *
 * Live targets are threads under ptrace (PTRACE_SEIZE). Each thread is
 * running or stopped by itself; the session makes "all-stop" of it with
 * target_stop_all. An event names the one thread that stopped; it stays
 * stopped until it is resumed, the others run on. Statuses that arrive while
 * all are being stopped are kept and reported after the next resume; a kept
 * trap that was lifted meanwhile is dropped.
 *
 * A thread that was reported at a trap, stepped to it or had its pc set to it
 * does not hit it when it is resumed. One that merely came to stand there
 * when all were stopped has not hit it yet, and will.
 *
 * Traps are invisible: reads are masked, a stop at one has the pc set
 * back to it, and resuming a thread at one executes the displaced
 * instruction (emulated where it is a simple one, else stepped in place with
 * everything stopped). Signals are delivered untouched: at once, if they are
 * not in the set that the session asked to see.
 *
 * What must never happen: a trap left in a process that we let go (detach,
 * fork, our own end), a signal lost or doubled, a stop waited for by one pid.
 */
#ifndef TARGET_TARGET_H
#define TARGET_TARGET_H

#include <signal.h>

#include "dbg.h"
#include "target/arch.h"

struct arena;
struct bytes;
struct proc_times;
struct log;
struct target;

enum target_cap {
	TARGET_RUN = 1, /* can be resumed */
	TARGET_WRITE = 2,
};

bool target_can(const struct target *t, enum target_cap cap);
/* Kill what was launched, let go what was attached to, and free the target. */
void target_destroy(struct target *t);
pid_t target_pid(const struct target *t);
void target_counters(const struct target *t, struct dbg_counters *ret);
/*
 * Set the log for everything that is done with this target, by all rooms; @log
 * is borrowed. target_log of NULL is NULL.
 */
void target_log_to(struct target *t, const struct log *log);
const struct log *target_log(const struct target *t);

/*
 * Start @launch's program stopped in front of its first instruction (after
 * exec). Its dispositions and signal mask are those we were started with;
 * it dies with us (PTRACE_O_EXITKILL). With a terminal as stdin it gets a
 * process group of its own, in the foreground while it runs.
 * @path and @argv are resolved by the caller.
 */
DBG_MUST struct dbg_error *target_spawn(const char *path,
					const char *const *argv,
					const struct dbg_launch *launch,
					struct target **ret);
/*
 * The signal mask and ignored signals that a program is started with: those
 * dndbg itself was started with, if target_signals_get is called before
 * anything changes them.
 */
struct target_signals {
	sigset_t mask, ignored;
};

void target_signals_get(struct target_signals *ret);
/* As target_spawn, with other signals than our present ones (less SIGCHLD). */
DBG_MUST struct dbg_error *
target_spawn_with(const char *path, const char *const *argv,
		  const struct dbg_launch *launch,
		  const struct target_signals *signals, struct target **ret);
DBG_MUST struct dbg_error *target_kill(struct target *t);
/*
 * Take over process @pid as it runs; all its threads are stopped. It goes on
 * when the target is destroyed, and however else we end.
 */
DBG_MUST struct dbg_error *target_attach(pid_t pid, struct target **ret);
/*
 * Look at process @pid while it runs: memory, mappings, threads, and of a
 * thread that waits in the kernel where it entered it. Nothing is stopped or
 * traced. What was read is kept until target_observe_again(), or
 * target_cache_drop() of the memory alone. DBG_E_TARGET: no permission;
 * DBG_E_NOT_FOUND.
 */
DBG_MUST struct dbg_error *target_observe(pid_t pid, struct target **ret);
void target_observe_again(struct target *t);
/*
 * May what cannot be read now be there later? So in a process, also one that is
 * only observed; not in a core or a snapshot.
 */
bool target_changes(const struct target *t);

/* A copy of the top of a thread's stack. */
struct target_glance {
	uint8_t bytes[16 << 10];
	size_t n;
};

/*
 * Stop a thread of an observed process for some microseconds, for its registers
 * and the top of its stack. A system call that it has just entered may fail
 * with EINTR. False: it may not be traced, has ended, or does not stop yet:
 * then *@seized is set, and the next call with that goes on.
 */
bool target_glance(struct target *t, pid_t tid, bool *seized, struct regs *ret,
		   struct target_glance *stack);
/* Does the process go on when the target is destroyed: was it attached to? */
bool target_survives(const struct target *t);
/*
 * The runtime of a process that survives us sets its SIGTRAP handler: put ours
 * in front of it again. Thread @tid stands before the first instruction of the
 * C library's sigaction, where no trap is left, and is brought through the
 * system call; 0: the handler is set already. Stops all threads.
 */
DBG_MUST struct dbg_error *target_guard_renew(struct target *t, pid_t tid);
/*
 * Have the word at @addr, aligned, cleared in such a process should we die
 * without detaching from it.
 */
void target_clear_behind(struct target *t, uint64_t addr);
/*
 * The descriptor of a stopped process became readable: was the process killed?
 * Then its end is among the following events.
 */
bool target_ended(struct target *t);
/*
 * Is the live process ending: killed, or on its way out? Its memory may be gone
 * before its end is among the events, and what fails by that is no news.
 */
bool target_dying(const struct target *t);
/*
 * Let the process run on as if we had never been there, @stopped: when it
 * gets a SIGCONT. On failure it is ours still, stopped; else all that is left
 * to do is target_destroy.
 */
DBG_MUST struct dbg_error *target_detach(struct target *t, bool stopped);

/*
 * If the program shares our terminal: take its foreground when the program
 * stops (the modes that the program has set are saved), and give it back before
 * the program runs on. target_destroy also takes it.
 */
void target_terminal_take(struct target *t);
void target_terminal_give(struct target *t);
/*
 * Get which of Ctrl-C and Ctrl-Z (SIGINT, SIGTSTP) the terminal has sent to a
 * stopped process without an event so far.
 */
void target_keys_pending(struct target *t, sigset_t *ret);
/*
 * Take the signals of @keys back that a terminal shared with us has sent. One
 * that all threads block stays.
 */
DBG_MUST struct dbg_error *target_keys_drop(struct target *t,
					    const sigset_t *keys);

/* A descriptor that is readable when target_event_next may have one. */
int target_fd(const struct target *t);

/* ---- Events ---------------------------------------------------------- */

enum target_event_kind {
	TARGET_TRAP =
	    1, /* at one of our traps: addr; the pc was set back to it */
	TARGET_STEPPED,     /* target_thread_step is done */
	TARGET_WATCH,       /* behind what hit a watch: addr, slots */
	TARGET_SIGNAL,      /* due; see target_thread_signal */
	TARGET_INTERRUPTED, /* target_interrupt took effect */
	TARGET_EXEC,        /* a new program image; traps are gone */
	TARGET_BORN,        /* a new thread (running already) */
	TARGET_GONE,        /* a thread ended */
	TARGET_CHILD,       /* a process that is followed is held at its exec */
	TARGET_EXITED,      /* the process ended: exit_code or signal */
	TARGET_BACK,        /* what was lent is traced again: target_reclaim */
};

enum {
	TARGET_JUDGED_MAX = 8,
};

struct target_event {
	enum target_event_kind kind;
	pid_t tid;
	uint64_t addr;
	unsigned int slots; /* TARGET_WATCH: bits by index */
	int signal;
	siginfo_t info; /* TARGET_SIGNAL */
	int exit_code;
	bool unknown; /* TARGET_EXITED: how is not known, it was lent */
	/* the judgement with which target_hit_keep gave it back */
	uint32_t judged[TARGET_JUDGED_MAX];
};

/*
 * A hit that a stopped thread still has to report at its place: a trap or a
 * watch whose event was not taken yet.
 */
struct target_hit {
	struct target_event event; /* kind 0: none */
	uint64_t watch_stamp;      /* what its slots speak of */
	bool passed;               /* the trap there will not be hit again */
};

/* Take the next event; false if there is none now. Does not block. */
DBG_MUST struct dbg_error *
target_event_next(struct target *t, struct target_event *ret, bool *ret_any);

/* Set which signals are reported instead of being passed on at once. */
void target_watch_signals(struct target *t, const sigset_t *set);
/* Would delivering @signal end the process now (default disposition)? */
bool target_signal_is_fatal(struct target *t, int signal);

/*
 * Stop all threads; blocks for the short time that takes. A step or an
 * interruption that was asked for and not reported yet is forgotten.
 */
DBG_MUST struct dbg_error *target_stop_all(struct target *t);
/* Are all threads stopped? */
bool target_all_stopped(const struct target *t);
/*
 * From the next resume on, run @tid alone, whichever function resumes; 0: all
 * threads. Threads created meanwhile run as well. Stops of other threads are
 * reported when they run again.
 */
void target_run_only(struct target *t, pid_t tid);
/*
 * Exclude @tid from target_resume_all (0: no thread). Without effect while
 * target_run_only names a thread.
 */
void target_run_others(struct target *t, pid_t tid);
/* Resume every stopped thread, delivering what is due to each. */
DBG_MUST struct dbg_error *target_resume_all(struct target *t);
/*
 * Resume one thread, delivering @signal (0: none). If the thread stands at a
 * trap that cannot be emulated this stops and resumes the others.
 */
DBG_MUST struct dbg_error *target_thread_resume(struct target *t, pid_t tid,
						int signal);
/*
 * Execute one instruction in one thread, the others as they are; with
 * @wait the stop is awaited and consumed here: *ret_stepped is false if
 * something else happened instead, which is then reported as an event.
 */
DBG_MUST struct dbg_error *target_thread_step(struct target *t, pid_t tid,
					      bool wait, bool *ret_stepped);

enum target_alone {
	TARGET_ALONE_THERE,  /* at one of the traps; no event of it comes */
	TARGET_ALONE_ASLEEP, /* waits, perhaps for one that is stopped */
	TARGET_ALONE_ENDED,  /* something else, reported later if at all */
};
/*
 * With everything stopped, let one thread run to one of the armed traps @addrs
 * and wait for that; then everything is stopped again. Gives up when the thread
 * falls asleep.
 */
DBG_MUST struct dbg_error *target_thread_alone(struct target *t, pid_t tid,
					       const uint64_t *addrs, size_t n,
					       enum target_alone *ret);
/* Ask for a TARGET_INTERRUPTED event of some thread. */
DBG_MUST struct dbg_error *target_interrupt(struct target *t);
/* Make the descriptor readable, since the caller left events in the queue. */
void target_rouse(struct target *t);
/*
 * Deliver @signal when the thread is next resumed, 0: none. A signal that was
 * reported as an event is delivered then unless this changes it. A reported
 * signal that is given back later keeps its siginfo.
 */
void target_thread_signal(struct target *t, pid_t tid, int signal);

/* ---- Children -------------------------------------------------------- */

/*
 * Are processes that the program makes followed? Then each exec of one is a
 * TARGET_CHILD event, and it is held there until one of the calls below.
 * (Processes made while this was off are not followed later.)
 */
void target_follow(struct target *t, bool on);
/*
 * Is @pid a process of the program's family, which is all that is followed
 * with it, or one of the last that have ended?
 */
bool target_has_process(struct target *t, pid_t pid);
/*
 * Let it run on; it and what it makes is followed further. @ends: it is
 * killed if the program is, by us or because we end.
 */
DBG_MUST struct dbg_error *target_child_pass(struct target *t, pid_t pid,
					     bool ends);
/* Let it go for good; @stopped: by SIGSTOP, before its first instruction. */
DBG_MUST struct dbg_error *target_child_leave(struct target *t, pid_t pid,
					      bool stopped);
/*
 * Make it a target of its own, stopped in front of its first instruction as
 * after target_spawn. Both share target_fd: what is read from it may be for
 * either, so target_event_next is to be asked of both.
 */
DBG_MUST struct dbg_error *target_child_adopt(struct target *t, pid_t pid,
					      struct target **ret);

/* ---- A process of the program's that traces it ----------------------- */

/*
 * Let the process go until process @pid of its family, held at its exec, has
 * ended, so that this can trace it: no thread of it is traced meanwhile, what
 * it has made (target_follow) still is. That @pid has ended is told to its
 * parent when all threads are traced again; TARGET_BACK follows. On failure
 * nothing was changed.
 */
DBG_MUST struct dbg_error *target_lend(struct target *t, pid_t pid);
/*
 * After TARGET_BACK: stop all threads; no trap is armed. On failure the
 * process, which may have ended or have another tracer, is no longer traced.
 */
DBG_MUST struct dbg_error *target_reclaim(struct target *t);
/* End the process that it is lent to. */
void target_recall(struct target *t);
/*
 * Has the process ended that is lent? Nothing else may tell (TARGET_EXITED
 * follows): to be asked now and then.
 */
void target_lent_look(struct target *t);

/* ---- Snapshots ------------------------------------------------------- */

/*
 * Make a frozen copy of the stopped process, which is unchanged and may go on
 * at once: a target of the same threads and memory without TARGET_RUN and
 * TARGET_WRITE. It lasts until it is destroyed or we end. Memory that the
 * process shares with others is not copied, but for the runtime's code.
 * DBG_E_TARGET says what does not let it be made.
 */
DBG_MUST struct dbg_error *target_snapshot(struct target *t,
					   struct target **ret);

struct target_thread {
	pid_t tid;
	bool stopped;
};

/* List all threads in order of birth, in @arena. */
DBG_MUST struct dbg_error *target_threads(struct target *t, struct arena *arena,
					  struct target_thread **ret,
					  size_t *ret_n);
/* Does a running thread wait for something (other than a processor)? */
bool target_thread_sleeps(struct target *t, pid_t tid);
/* The kernel's name of a thread; "" if it is gone. */
void target_thread_name(struct target *t, pid_t tid, char ret[16]);
/* Processor time that a thread has used, in nanoseconds; 0: not known. */
uint64_t target_thread_time(struct target *t, pid_t tid);
/*
 * Keep the processor times of threads at two earlier moments: @times[0] and [1]
 * are taken over.
 */
void target_times_keep(struct target *t, struct proc_times *times);
/*
 * Which share of a processor a thread has used, or had to wait for, between the
 * two times, in per cent, rounded up; -1: not known.
 */
int target_thread_share(struct target *t, pid_t tid);

/*
 * Convert a thread's number to the one in the program's own pid namespace (of a
 * container), and back; 0: there is none.
 */
pid_t target_tid_inside(struct target *t, pid_t tid);
pid_t target_tid_outside(struct target *t, pid_t inside);
/*
 * A process or thread whose files in /proc tell about the memory; 0: there is
 * none, as for a core. (All stopped.)
 */
pid_t target_memory_of(struct target *t);

/* ---- State of a stopped thread --------------------------------------- */

/* Read or set integer registers; cached while stopped. */
DBG_MUST struct dbg_error *target_regs(struct target *t, pid_t tid,
				       struct regs *ret);
DBG_MUST struct dbg_error *target_regs_set(struct target *t, pid_t tid,
					   const struct regs *regs);
DBG_MUST struct dbg_error *target_fpregs(struct target *t, pid_t tid,
					 struct fpregs *ret);
/* Takes effect at once, unlike target_regs_set. */
DBG_MUST struct dbg_error *target_fpregs_set(struct target *t, pid_t tid,
					     const struct fpregs *fpregs);

/*
 * Before a stopped thread is made to run elsewhere and come back: take the hit
 * that it has not reported, and give it back when its registers are restored
 * (all stopped). A signal cannot be taken: an error.
 */
DBG_MUST struct dbg_error *target_hit_take(struct target *t, pid_t tid,
					   struct target_hit *ret);
void target_hit_give(struct target *t, pid_t tid, const struct target_hit *hit);
/*
 * Give back the event of a trap that was just taken: its thread stays there,
 * and it is handed out again behind target_hits_release, .judged as it is now.
 */
void target_hit_keep(struct target *t, const struct target_event *event);
void target_hits_release(struct target *t);
/*
 * As target_hit_keep, but the event is reported again as soon as the other
 * threads have run.
 */
void target_hit_again(struct target *t, const struct target_event *event);

/* ---- Memory ---------------------------------------------------------- */

/* Read all of [addr, addr + n) with traps masked, or fail. */
DBG_MUST struct dbg_error *target_read(struct target *t, uint64_t addr,
				       void *buf, size_t n);
/*
 * Get memory from @addr on, where it lies in our address space as one piece of
 * a mapped file, *@ret_n bytes, to be read in place; NULL: it has to be read
 * (any process).
 */
const void *target_span(struct target *t, uint64_t addr, uint64_t *ret_n);
/* Read as much as is readable from @addr on; returns the length. */
size_t target_read_some(struct target *t, uint64_t addr, void *buf, size_t n);
enum {
	TARGET_WORDS_MAX = 256,
};

/*
 * Is @word among the @n words of 64 bits from @addr on, as far as these can be
 * read? @n: at most TARGET_WORDS_MAX.
 */
bool target_has_word(struct target *t, uint64_t addr, size_t n, uint64_t word);
/* ... as it is at this moment, also of a process that is only observed. */
size_t target_read_now(struct target *t, uint64_t addr, void *buf, size_t n);
DBG_MUST struct dbg_error *target_read_u64(struct target *t, uint64_t addr,
					   uint64_t *ret);
DBG_MUST struct dbg_error *target_read_u32(struct target *t, uint64_t addr,
					   uint32_t *ret);
/* Write; works on double-mapped code too. Bytes under traps go beneath. */
DBG_MUST struct dbg_error *target_write(struct target *t, uint64_t addr,
					const void *buf, size_t n);
/*
 * Write data of the runtime's by which it knows that it is debugged. It is put
 * back when we let the program go, or die, unless it has been by then.
 */
DBG_MUST struct dbg_error *target_write_undone(struct target *t, uint64_t addr,
					       const void *buf, size_t n);
/*
 * Begin writes that target_undone_keep makes permanent; they are undone if we
 * die between the two.
 */
void target_undone_begin(struct target *t);
void target_undone_keep(struct target *t);
/* Map @size bytes of fresh zeroed memory into the target (injected mmap). */
DBG_MUST struct dbg_error *target_mmap(struct target *t, size_t size,
				       uint64_t *ret);
/*
 * Let a stopped thread call the function at @addr with two arguments, one
 * instruction at a time while all else stays stopped. For short code that
 * calls nothing and waits for nothing.
 */
DBG_MUST struct dbg_error *target_call_leaf(struct target *t, uint64_t addr,
					    uint64_t a, uint64_t b);
/* Find @bytes in executable memory: the first @cap addresses. */
DBG_MUST struct dbg_error *target_find_code(struct target *t, const void *bytes,
					    size_t n, uint64_t *ret, size_t cap,
					    size_t *ret_n);
/*
 * Forget cached memory. The cache is valid while all threads are stopped;
 * target_event_next and every resume drop it.
 */
void target_cache_drop(struct target *t);

/* Why may a process's files in /proc not be read: an error with the remedy. */
DBG_MUST struct dbg_error *target_closed(pid_t pid, int errnum);

/*
 * Get the mappings (target/proc.h), by address; borrowed until the next call.
 */
struct proc_maps;
DBG_MUST struct dbg_error *target_maps(struct target *t,
				       const struct proc_maps **ret);

struct target_range {
	uint64_t start, end;
	uint64_t resident; /* bytes of it that are in physical memory */
};

/*
 * Fill in how much of each range is in memory; they are in order, each within
 * one mapping. False: it is not known, as of any target but a process.
 */
bool target_resident(struct target *t, struct target_range *v, size_t n);
/*
 * Find the first page from @addr on that is in memory, or of which that is not
 * known (in any target but a process); @end: none before it. Reading a page
 * that is not there would put one of zeros into its place.
 */
uint64_t target_present_from(struct target *t, uint64_t addr, uint64_t end);

/* ---- Traps ----------------------------------------------------------- */

/*
 * Arm or lift traps, many at a time (grouped by page: one write a page).
 * No counting: a trap is there or not; arming twice is the same as once.
 * On failure of some, the others are done and the first error is returned.
 */
DBG_MUST struct dbg_error *target_traps_arm(struct target *t,
					    const uint64_t *addrs, size_t n);
DBG_MUST struct dbg_error *target_traps_lift(struct target *t,
					     const uint64_t *addrs, size_t n);
bool target_trap_armed(const struct target *t, uint64_t addr);
/*
 * Set whether the trap at @addr is out of memory while a child of vfork runs in
 * it: the child has no handler of ours, and would end by the trap if we died.
 * This is needed in native code only, since the child executes nothing else. No
 * thread hits the trap meanwhile.
 */
void target_trap_yield(struct target *t, uint64_t addr, bool on);
/*
 * Thread @tid is at the beginning of a function that may make such a child or,
 * if @on is false, at its return: traps that yield are out in between, or until
 * the child has its exec.
 */
void target_thread_spawns(struct target *t, pid_t tid, bool on);

/* ---- Watches --------------------------------------------------------- */

enum {
	TARGET_WATCHES = 4, /* debug registers of the processor */
};

struct target_watch {
	uint64_t addr; /* a multiple of size */
	uint32_t size; /* 1, 2, 4 or 8; 0: not in use */
	bool reads;    /* also hit by reads; x86 has no watch for reads alone */
};

/*
 * Watch TARGET_WATCHES stretches of memory in all threads, also in those born
 * later (all stopped). A hit stops its thread behind the instruction. What
 * the kernel or target_write writes there does not hit.
 */
DBG_MUST struct dbg_error *target_watches_set(struct target *t,
					      const struct target_watch *v);

/* ---- Images ---------------------------------------------------------- */

struct target_image {
	const char *path; /* as the process sees it */
	uint64_t base;    /* load address (of ELF offset 0) */
	uint64_t end;
};

/*
 * Find the ELF image whose mapped file is called @name, or @name with a version
 * behind a dot ("libstdc++.so.6" finds "libstdc++.so.6.0.30").
 */
DBG_MUST struct dbg_error *target_image_find(struct target *t, const char *name,
					     struct arena *arena,
					     struct target_image *ret,
					     bool *ret_found);
/* Get the executable itself. */
DBG_MUST struct dbg_error *target_image_main(struct target *t,
					     struct arena *arena,
					     struct target_image *ret);
/*
 * Find the image that contains @addr, and the function (or NULL) by its symbols
 * or its debug file's. *ret_offset counts from the function, else from the
 * image; ret_symbol and ret_offset may be NULL.
 */
DBG_MUST struct dbg_error *
target_image_at(struct target *t, uint64_t addr, struct arena *arena,
		struct target_image *ret, const char **ret_symbol,
		uint64_t *ret_offset, bool *ret_found);
/* Does @addr lie in an ELF image, as no code that the runtime compiles does? */
bool target_in_image(struct target *t, uint64_t addr);
/*
 * Convert a C++ symbol to the name as written, in @arena; others stay as they
 * are.
 */
const char *target_demangle(const char *name, struct arena *arena);
/* Address of an exported (.dynsym) symbol; 0 if it has none such. */
DBG_MUST struct dbg_error *target_symbol(struct target *t,
					 const struct target_image *image,
					 const char *name, uint64_t *ret);
/* As target_symbol, for an exported object, with its size. */
DBG_MUST struct dbg_error *target_object(struct target *t,
					 const struct target_image *image,
					 const char *name, uint64_t *ret,
					 uint64_t *ret_size);
/*
 * As target_read_some, for data of an image that is not written after loading:
 * what memory lacks of it, as in a core, is taken from the image's file and its
 * relocations.
 */
size_t target_image_data(struct target *t, const struct target_image *image,
			 uint64_t addr, void *buf, size_t n);
/*
 * Find the functions that a table of the image pairs with the name @name;
 * overloads have the same name; 0 behind the last one. A function that is
 * paired with another name as well is left out.
 */
enum {
	TARGET_OVERLOADS = 3, /* of one name that are looked for */
};
DBG_MUST struct dbg_error *target_table_find(struct target *t,
					     const struct target_image *image,
					     const char *name,
					     uint64_t ret[TARGET_OVERLOADS]);
/* Get the executable segment of an image, the one with its entry code. */
DBG_MUST struct dbg_error *target_image_text(struct target *t,
					     const struct target_image *image,
					     uint64_t *ret_start,
					     uint64_t *ret_end);
/* Get the entry point (AT_ENTRY) and r_debug.r_brk (0 until the linker ran). */
DBG_MUST struct dbg_error *target_entry(struct target *t, uint64_t *ret);
DBG_MUST struct dbg_error *target_r_brk(struct target *t, uint64_t *ret);
/*
 * Is the linker still mapping the image at @base, which is linked at 0? Then
 * parts of it are not there, or will be covered by others.
 */
bool target_image_loading(struct target *t, uint64_t base);
/*
 * Find the first segment of @type (PT_DYNAMIC, ...) of the image at @base, by
 * its program headers in memory, and its size; 0 if there is none.
 */
uint64_t target_segment(struct target *t, uint64_t base, uint32_t type,
			uint64_t *ret_size);
/*
 * The path of the image's file on this machine, and its contents as mapped,
 * even if the file was replaced since; kept by the target.
 */
DBG_MUST struct dbg_error *target_image_place(struct target *t,
					      const char *path,
					      const char **ret,
					      struct bytes *ret_bytes);
/* Read the machine that the ELF header of a program file names. */
DBG_MUST struct dbg_error *target_file_machine(const char *path, uint16_t *ret);

#endif
