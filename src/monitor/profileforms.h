/* A profile as files for the tools that read one. */
#ifndef MONITOR_PROFILEFORMS_H
#define MONITOR_PROFILEFORMS_H

#include "monitor/watching.h"

enum profile_form {
	PROFILE_FOLDED, /* "thread;caller;callee MICROSECONDS" a line */
	PROFILE_FLAME,  /* a page with a flame graph: flamepage.h */
	PROFILE_SPEEDSCOPE,
	PROFILE_PPROF,   /* profile.proto, by gzip */
	PROFILE_FIREFOX, /* firefoxform.h */
	N_PROFILE_FORMS,
};

/* Everything that is needed to write a profile. */
struct profile_writing {
	const struct dbg_profile *profile;
	const struct watch_result *result;
	struct str before; /* folded stacks that a flame graph compares with */
};

/*
 * Load the folded stacks of another profile. DBG_E_FILE; DBG_E_FORMAT: it has
 * none.
 */
DBG_MUST struct dbg_error *profile_before(struct profile_writing *w,
					  const char *path);
/* Write it; there is no half a file at @path if that fails. */
DBG_MUST struct dbg_error *profile_write(enum profile_form form,
					 const struct profile_writing *w,
					 const char *path);

#endif
