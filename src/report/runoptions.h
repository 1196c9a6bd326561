/* The options of `dndbg run`. */
#ifndef REPORT_RUNOPTIONS_H
#define REPORT_RUNOPTIONS_H

#include "report/publish.h"

struct run_options {
	const char *paths[REPORT_N_FORMS]; /* as in struct publish */
	uint64_t timeout_ms;               /* 0: none */
	uint64_t hang_ms;                  /* 0: hangs are not looked for */
	uint64_t kill_after_ms;            /* from @signal to SIGKILL */
	int signal;                        /* that ends what hangs */
	const char *first_chance;          /* types, NULL: none */
	unsigned int output_lines;         /* 0: none are kept */
	bool on_exit;                      /* some code is asked for */
	bool exit_codes[256];              /* which */
};

/* Returns -1 to go on, with *ret_first the command, else the exit status. */
int run_options_parse(int argc, char **argv, struct run_options *ret,
		      int *ret_first);

#endif
