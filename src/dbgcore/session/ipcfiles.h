/* Files that a launched program leaves behind if it is killed. */
#ifndef SESSION_IPCFILES_H
#define SESSION_IPCFILES_H

#include <stdint.h>
#include <sys/types.h>

struct ipc_files {
	pid_t pid;
	uint64_t started;
	char *place; /* its directory for temporary files, NULL: not noted */
};

/*
 * Note the names that these files of a process have; call when it has just
 * begun.
 */
void ipc_files_note(struct ipc_files *l, pid_t pid);
/*
 * If the process is dead, remove those files that exist and belong to us;
 * forget it.
 */
void ipc_files_remove(struct ipc_files *l);

#endif
