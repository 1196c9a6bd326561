/*
 * What the kernel tells of a process's threads while they run: how long each
 * has run, waited for a processor, and, by looking repeatedly, in which system
 * call it waits. Nothing is stopped.
 */
#ifndef SAMPLE_THREADLOOK_H
#define SAMPLE_THREADLOOK_H

#include "base/map.h"
#include "dbg.h"
#include "sample/callstack.h"

enum {
	CALL_WORDS = 6,
	CALL_NONE = -1,    /* it waits for memory or a disk */
	CALL_STOPPED = -2, /* by a signal or a debugger */
};

/* A system call that a thread waits in. */
struct blocked_call {
	int64_t number; /* or CALL_NONE, CALL_STOPPED */
	uint64_t args[CALL_WORDS];
	uint64_t sp, pc;
};

/* Nanoseconds and switches since the thread began. */
struct thread_times {
	uint64_t run, wait, slices;
};

/* When a thread left its processor, and got one, the last time (0: never). */
struct thread_switches {
	uint64_t out, in; /* to wait; for whatever reason */
	uint64_t lost;    /* it had to leave, and has got none since, or 0 */
	/* What it has waited for one after that, and how often, since its times
	 * were read; and what it waits when it is woken, on average. */
	uint64_t preempted, preemptions, wakening;
};

struct looked_thread {
	pid_t tid;
	char name[16];
	int times_fd, call_fd;
	bool ended;
	bool seized;               /* see target_glance() */
	bool fresh;                /* it was made after the first look */
	struct thread_times first; /* when it was met */
	struct thread_times now;   /* when they were last read */
	uint64_t met, looked;      /* when it was met, and last looked at */
	uint64_t times_at;         /* when @now was */
	/*
	 * nodes of the profile: where the thread's stacks begin, and the end of
	 * its last blocked stack (0: none)
	 */
	uint32_t node, last;
	bool doubted; /* a name of that was not known yet */
	/* Of the stack at @last, if its call alone tells what is waited for. */
	struct callstack_mark mark;
	int64_t mark_call;
	struct thread_switches switches; /* as far as they are known */
	uint64_t chance, gap; /* when it last might be read; the time before */
	struct {
		uint64_t from;  /* 0: it was not found blocked since */
		uint64_t until; /* when it got a processor; 0: not yet */
		uint64_t gap;   /* @gap of that look */
	} wait;                 /* that it was found in, at @last */
	/* If they are not known: */
	uint64_t due;   /* when it is to be looked at */
	uint64_t since; /* when it was found where it is */
	bool moving;    /* it was not found blocked at the last look */
	struct thread_times counted; /* when it was found blocked */
	uint64_t counted_at;
	uint64_t samples; /* that found it running */
	uint64_t blocked; /* nanoseconds that stacks were counted for */
	uint64_t seen;    /* ... that it was blocked at looks, really */
};

struct thread_looks {
	pid_t pid;
	struct looked_thread **v;
	size_t n, cap;
	struct map by_tid;
	bool begun;
};

enum thread_state {
	THREAD_RUNS, /* or would, if there was a processor for it */
	THREAD_BLOCKED,
	THREAD_GONE,
};

struct target;

/*
 * The label of what a thread waits for: "[lock]", "[event]", "[task]",
 * "[sleep]", "[socket]", "[pipe]", "[terminal]", "[file]", "[process]",
 * "[thread]" (its end), "[idle]" (a thread of the runtime's without work),
 * "[disk]", "[stopped]", "[other]". @frames: from the innermost on. @by_call:
 * the innermost managed one calls native code by P/Invoke, not a helper of the
 * runtime's.
 */
const char *waiting_for(struct target *t, const struct blocked_call *call,
			const struct dbg_sample_frame *const *frames,
			size_t n_frames, bool by_call);
/*
 * Is what is waited for told by the system call @number and the stack alone,
 * whatever file is waited for?
 */
bool waiting_is_told(int64_t number);

#endif
