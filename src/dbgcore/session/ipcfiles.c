/*
 * Removes what a killed .NET program leaves in its directory for temporary
 * files: the sockets and pipes by which its runtime serves debuggers and tools,
 * named by its pid and start time. A program that ends by itself removes them.
 */
#include "session/ipcfiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "target/proc.h"

void ipc_files_note(struct ipc_files *l, pid_t pid)
{
	free(l->place);
	l->pid = pid;
	l->started = proc_start_time(pid);
	l->place = proc_temporary(pid);
}

void ipc_files_remove(struct ipc_files *l)
{
	static const char *const forms[] = {
	    "%s/clr-debug-pipe-%d-%" PRIu64 "-in",
	    "%s/clr-debug-pipe-%d-%" PRIu64 "-out",
	    "%s/dotnet-diagnostic-%d-%" PRIu64 "-socket",
	};
	struct stat st;
	// one that was let go needs them
	bool dead = l->place && (proc_start_time(l->pid) != l->started ||
				 proc_state(l->pid, l->pid) == 'Z');

	for (size_t i = 0; dead && i < sizeof(forms) / sizeof(*forms); i++) {
		_cleanup_free_ char *path =
		    xasprintf(forms[i], l->place, l->pid, l->started);

		if (!lstat(path, &st) && st.st_uid == geteuid() &&
		    (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)))
			unlink(path);
	}
	free(l->place);
	*l = (struct ipc_files){0};
}
