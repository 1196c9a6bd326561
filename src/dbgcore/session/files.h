/* What is known of a program before it is run, by its files. */
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
 * Without a program that runs, read the files of the one that dbg_program
 * named, unless they were read and have not changed: inspect.code is theirs
 * then. An error: they cannot be read.
 */
DBG_MUST struct dbg_error *session_files_open(struct dbg *dbg);
void session_files_close(struct dbg *dbg);
/*
 * What modules tell is asked for, @stopped: of a program that has to be stopped
 * if it runs. DBG_E_STATE: there are none, neither of a runtime nor in files.
 */
DBG_MUST struct dbg_error *session_need_modules(struct dbg *dbg, bool stopped);

#endif
