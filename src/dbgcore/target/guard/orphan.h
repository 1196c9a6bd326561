/*
 * Keeps a process that is to survive us safe if we die at any moment: the
 * orphan trap handler in it (orphan.c), the process that cleans up behind us
 * (cleanup.c), and how everything that is ours is taken out of it (attach.c).
 */
#ifndef TARGET_ORPHAN_H
#define TARGET_ORPHAN_H

#include <sys/uio.h>

#include "target/guard/orphan_code.h"
#include "target/target.h"

struct live;
struct trap;
struct orphan_undo;

enum {
	ORPHAN_WORDS_MAX = 512,
};

/* Writes many words of the program's memory by one system call, in order. */
struct orphan_words {
	struct live *l;
	uint64_t values[ORPHAN_WORDS_MAX];
	struct iovec local[ORPHAN_WORDS_MAX], remote[ORPHAN_WORDS_MAX];
	size_t n;
	bool failed;
};

/*
 * The undo journal of what we have written into the runtime's data: orphan.c.
 */
struct journal {
	struct journal_entry *entries;
	size_t n, cap;
	bool used[ORPHAN_UNDO_MAX]; /* slots of the table in the program */
	bool keeps;                 /* between journal_begin and journal_keep */
};

/* The orphan trap handler in a process that is to survive us: orphan.c. */
struct orphan_handler {
	uint64_t addr;   /* in the process; 0: none */
	bool entered;    /* a SIGTRAP got through: a thread may be inside */
	bool halfway;    /* who made it died before: it handles nothing */
	uint32_t n_used; /* slots of its table, from 1 on */
	uint32_t *free;  /* those that are free again */
	size_t n_free, free_cap;
	size_t next_mask;
	uint32_t n_cleared; /* entries in use */
};

/* The cleanup process: cleanup.c. */
struct cleanup_process {
	pid_t pid; /* 0: none */
	int fd;
};

/* ---- orphan.c -------------------------------------------------------- */

/*
 * Put the orphan trap handler into a process that survives us, all of it being
 * stopped.
 */
DBG_MUST struct dbg_error *orphan_install(struct live *l);
/* Take it out; all is stopped, and traps are lifted. */
DBG_MUST struct dbg_error *orphan_remove(struct live *l);
/*
 * Look for the orphan trap handler of a debugger that died, and lift the traps
 * of its table while nobody traces the process: until then it answers them,
 * but no SIGTRAP of a traced thread comes to it.
 */
bool orphan_find(struct live *l);
void orphan_lift_found(struct live *l);
/*
 * Look for the orphan trap handler of a debugger that died and undo what it
 * left: traps, masks, debug registers. All is stopped.
 */
DBG_MUST struct dbg_error *orphan_recover(struct live *l);
/*
 * Put our SIGTRAP handler first again, after the program has set one which
 * knows ours as its predecessor: .NET's runtime does while it starts
 * (SEHInitializeSignals, .NET 8 to 11), and makes exceptions and dumps of traps
 * before it asks its predecessor. Ours ceases to be its predecessor. All is
 * stopped.
 */
DBG_MUST struct dbg_error *orphan_put_first(struct live *l);
/* The process image is gone, and the orphan trap handler with it: forget it. */
void orphan_forget(struct live *l);
/* Enter traps in the table before they are armed; remove lifted ones. */
DBG_MUST struct dbg_error *orphan_arm(struct live *l, struct trap *traps,
				      size_t n);
void orphan_lift(struct live *l, const struct trap *traps, size_t n);
/* Enter the mask of a thread before it is set to orphan_step_mask. */
void orphan_mask(struct live *l, pid_t tid, uint64_t mask);
/* Enter a word that who cleans up behind us is to clear. */
void orphan_clear(struct live *l, uint64_t addr);

/* The address in the process of a member of struct orphan_data. */
uint64_t orphan_data_at(const struct live *l, size_t offset);
void orphan_words_put(struct orphan_words *w, uint64_t addr, uint64_t value);
void orphan_words_flush(struct orphan_words *w);

/*
 * Write data of the runtime's that says that it is debugged. What was there is
 * entered in the table first, and put back by who cleans up behind us, or when
 * we let go; not if it has been put back by then, or written by others.
 */
DBG_MUST struct dbg_error *journal_write(struct target *t, uint64_t addr,
					 const void *buf, size_t n);
/*
 * Begin writes that journal_keep makes permanent; they are undone if we die
 * between the two.
 */
void journal_begin(struct target *t);
void journal_keep(struct target *t);
/* Put all back; all is stopped. */
void journal_undo(struct live *l);

/* ---- cleanup.c ------------------------------------------------------- */

/*
 * Start a cleanup process for process @pid. cleanup_process_dismiss sends it
 * away, which takes it a moment; cleanup_process_end waits for that.
 */
DBG_MUST struct dbg_error *cleanup_process_start(pid_t pid,
						 struct cleanup_process *ret);
void cleanup_process_dismiss(struct cleanup_process *cleanup);
void cleanup_process_end(struct cleanup_process *cleanup);
/* Is process @pid a cleanup process? */
bool cleanup_process_is(pid_t pid);

/* ---- attach.c -------------------------------------------------------- */

/*
 * Attach to a process without preparing it for our end: for a cleanup process,
 * which finds and undoes what we have left.
 */
DBG_MUST struct dbg_error *attach_to_clean(pid_t pid, struct target **ret);
/*
 * Bring the threads to where no SIGTRAP of ours can reach them when we let go
 * or die: of a pending trap or step, of a step that would be made, of a watch.
 * (All stopped, traps lifted.)
 */
DBG_MUST struct dbg_error *live_leave_ours(struct live *l);
/*
 * Take everything of ours out of the process, which is stopped as a whole. If
 * we die after that, the process goes on undisturbed.
 */
DBG_MUST struct dbg_error *live_take_out(struct live *l);
/*
 * Take everything of ours out of the process and stop tracing it. Threads that
 * are stuck can only be let go by our end: live_detach refuses then.
 */
DBG_MUST struct dbg_error *live_let_go(struct live *l, bool stopped);
/* Seize the tasks that are not known; until all are, and stopped. */
DBG_MUST struct dbg_error *live_seize_new(struct live *l, size_t *ret_n);
DBG_MUST struct dbg_error *live_seize_all(struct live *l);
DBG_MUST struct dbg_error *live_detach(struct target *t, bool stopped);

#endif
