/* The processes that a command has started, by the lists the kernel keeps. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The work of processes so far. */
struct tree_work {
	uint64_t ticks;   /* of processors, sysconf(_SC_CLK_TCK) a second */
	uint64_t moved;   /* bytes, written to whatever and read from disks */
	uint64_t members; /* a number that differs when others are there */
	uint64_t threads; /* likewise, of their threads */
};

void tree_work(pid_t pid, struct tree_work *ret);

/*
 * The processes that are there now: @pid and what it has started, by whatever
 * processes between. Held by descriptors: a signal reaches none that takes
 * over a number later.
 */
struct tree *tree_hold(pid_t pid);
void tree_destroy(struct tree *tree);
void tree_signal(const struct tree *tree, int signal);
/* Have all of them ended? */
bool tree_gone(const struct tree *tree);

#endif
