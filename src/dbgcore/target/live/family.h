/*
 * The processes that a program makes, and struct family: what all live targets
 * that come from one share.
 */
#ifndef TARGET_FAMILY_H
#define TARGET_FAMILY_H

#include <sys/types.h>
#include <termios.h>

#include "target/target.h"

struct live;
struct thread;
struct trap;

enum {
	GONE_MAX = 64,
};

/* A wait status of a task that was not announced yet. */
struct stray {
	pid_t tid;
	int status;
};

/* What the live targets of one session share; freed with the last of them. */
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
	size_t n_lent; /* have a tracer of their own, see seize.c */
	pid_t gone[GONE_MAX]; /* tasks that ended last, a ring */
	size_t n_gone;        /* ever */

	bool shares_tty; /* stdin is a terminal for them and us */
	bool given;      /* they have it */
	bool has_modes;  /* its_modes are set */
	pid_t own_pgrp, its_pgrp;
	struct termios own_modes, its_modes;
};

/* ---- child.c: tasks that the process makes --------------------------- */

/* Handle a clone, fork or vfork event of @parent. */
DBG_MUST struct dbg_error *child_born(struct live *l, struct thread *parent,
				      int event);
/*
 * Handle the first stop of a forked child: lift our traps from it and let it
 * go.
 */
void child_release(struct live *l, struct thread *child);
/*
 * Detach from a vforked child that has executed a program: it no longer shares
 * the memory.
 */
void child_detach(struct live *l, struct thread *child);
void child_stray(struct family *f, pid_t tid, int status);
/* Take the status of such a task, if there is one. */
bool child_take_stray(struct family *f, pid_t tid, int *ret);
/*
 * A process has ended: let go the unclaimed tasks whose parent is no traced
 * process, since no event will claim them.
 */
void child_release_strays(struct live *l);
/* Handle a stop of a task kept aside that is no signal. */
void child_aside_stop(struct live *l, struct thread *child, bool group);
/* Handle an exec of a task other than the process's threads. */
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
/*
 * Remember traps that were lifted while a fork may have been under way: the
 * child may have their bytes in its copy of the memory.
 */
void child_ghosts(struct live *l, const struct trap *traps, size_t n);

/* ---- family.c -------------------------------------------------------- */

/* Add @l to @f, or to a new family if that is NULL; and remove it. */
DBG_MUST struct dbg_error *family_join(struct family *f, struct live *l);
void family_leave(struct live *l);
/* The live target that the task belongs to; NULL: none. */
struct live *family_owner(struct family *f, pid_t tid);
/* The task has ended: forget it, since its number may be given to another. */
void family_gone(struct family *f, pid_t tid);
bool live_has_process(struct target *t, pid_t pid);

/* ---- seize.c: a process that traces the program in our place --------- */

DBG_MUST struct dbg_error *live_lend(struct target *t, pid_t pid);
DBG_MUST struct dbg_error *live_reclaim(struct target *t);
void live_recall(struct target *t);
void live_lent_look(struct target *t);
/*
 * Handle a status of a task: if it is the end of a tracer, which is not known
 * before it is reaped, trace the program again.
 */
void tracer_status(struct live *l, pid_t tid, int status);
/*
 * Handle a status of no known task: does it belong to a program that is lent
 * out, as its end?
 */
bool tracer_program_status(struct family *f, pid_t tid, int status);
/* The target is destroyed: forget its tracer. */
void tracer_forget(struct live *l);

#endif
