/* Core files as targets: see core.c. */
#ifndef TARGET_CORE_H
#define TARGET_CORE_H

#include "target/corefile.h"
#include "target/hostfile.h"
#include "target/target.h"

/* What a core tells of the end of its program. */
struct target_core {
	pid_t tid;           /* the thread that ended it */
	int signal;          /* by which, 0: it was not ended */
	uint64_t fault;      /* address of a memory fault, 0: none */
	uint64_t missing;    /* bytes that were cut off the file */
	const char *command; /* the target's; "" if it is not told */
};

/*
 * Open a core file: a target without TARGET_RUN and TARGET_WRITE. The file is
 * mapped, not read. @search, borrowed, tells where its program's files are
 * looked for. DBG_E_FILE, DBG_E_FORMAT.
 */
DBG_MUST struct dbg_error *
target_core_open(const char *path, const struct hostfile_search *search,
		 struct target **ret, struct target_core *ret_core);

#endif
