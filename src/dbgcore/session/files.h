/* Facts about a program before it is run, from its files. */
#ifndef SESSION_FILES_H
#define SESSION_FILES_H

#include "dbg.h"

struct file_stamp;

/* The program that dbg_program named, and what was read of its files. */
struct named_program {
	char *path; /* its .dll, or an executable that leads to it; or NULL */
	struct file_stamp *stamps;
	size_t n_stamps, cap_stamps;
};

/*
 * Without a running program, read the files of the one that dbg_program named,
 * unless they were read and have not changed: inspect.code is made of them. An
 * error: they cannot be read.
 */
DBG_MUST struct dbg_error *session_files_open(struct dbg *dbg);
void session_files_close(struct dbg *dbg);
/*
 * Make sure that there are modules to ask, of a runtime or of files; with
 * @stopped, a running program is refused. DBG_E_STATE: there are none.
 */
DBG_MUST struct dbg_error *session_need_modules(struct dbg *dbg, bool stopped);

#endif
