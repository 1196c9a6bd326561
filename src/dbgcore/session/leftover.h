/* Files that a program of ours leaves if it is killed. */
#ifndef SESSION_LEFTOVER_H
#define SESSION_LEFTOVER_H

#include <stdint.h>
#include <sys/types.h>

struct leftover {
	pid_t pid;
	uint64_t started;
	char *place; /* its directory for temporary files, NULL: not noted */
};

/* Take down what they would be called, of a process that has just begun. */
void leftover_note(struct leftover *l, pid_t pid);
/* If it is dead remove those that are there and belong to us; forget it. */
void leftover_remove(struct leftover *l);

#endif
