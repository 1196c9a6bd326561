/* Core files as targets: see core.c. */
#ifndef TARGET_CORE_H
#define TARGET_CORE_H

#include "target/corefile.h"
#include "target/hostfile.h"
#include "target/target.h"

/* What a core tells about the end of its program. */
struct target_core {
	pid_t tid;  /* the thread that ended it */
	int signal; /* by which, 0: it was not ended */
	struct core_fault fault;
	uint64_t missing;    /* bytes that were cut off the file */
	const char *command; /* the target's; "" if it is not told */
	/* The words of the command line, each ended by a 0, and the
	 * environment; empty if they are not in the core. The target's. */
	struct bytes words;
};

/*
 * Open a core file: a target without TARGET_RUN and TARGET_WRITE. The file is
 * mapped, not read. @search, borrowed, tells where its program's files are
 * looked for. DBG_E_FILE, DBG_E_FORMAT.
 */
DBG_MUST struct dbg_error *
target_core_open(const char *path, const struct hostfile_search *search,
		 struct target **ret, struct target_core *ret_core);

/* Addresses [start, end). */
struct target_span {
	uint64_t start, end;
};

struct target_spans {
	struct target_span *v;
	size_t n, cap;
};

void target_spans_add(struct target_spans *s, uint64_t addr, uint64_t n);
/* Make whole pages of them, in order, none twice. */
void target_spans_join(struct target_spans *s);
void target_spans_deinit(struct target_spans *s);
/*
 * Make a target of the stopped process @of (borrowed) that cannot run or be
 * written, and that adds the address ranges read from it to @to.
 */
struct target *target_recording(struct target *of, struct target_spans *to);

/* A core file to write. */
struct target_core_req {
	int fd; /* of an empty file */
	/* Besides stacks and images' headers no more than this; NULL: all. */
	struct target_spans *only;
	bool files; /* also pages that are as in the files they are mapped of */
	pid_t first;             /* the thread that people will look at */
	int signal;              /* at which it stands, 0: none */
	struct core_fault fault; /* of it; signal 0: none */
	bool pack;               /* by gzip, which takes its time */
	const volatile int *interrupted; /* not 0: break off */
};

/*
 * Write a core file of a stopped process; how long it is, holes included, is
 * in *ret_size. DBG_E_FILE, DBG_E_INTERRUPTED: what was written is useless.
 */
DBG_MUST struct dbg_error *target_core_write(struct target *t,
					     const struct target_core_req *req,
					     uint64_t *ret_size);

#endif
