/* A profile as files for the tools that read one. */
#ifndef MONITOR_PROFILEFORMS_H
#define MONITOR_PROFILEFORMS_H

#include "monitor/watching.h"

enum profile_form {
	PROFILE_FOLDED, /* "thread;caller;callee MICROSECONDS" a line */
	PROFILE_FLAME,  /* a page with a flame graph: flamepage.h */
	PROFILE_SPEEDSCOPE,
	PROFILE_PPROF, /* profile.proto, by gzip */
	N_PROFILE_FORMS,
};

/* Write it; there is no half a file at @path if that fails. */
DBG_MUST struct dbg_error *profile_write(enum profile_form form,
					 const struct dbg_profile *p,
					 const struct watch_result *r,
					 const char *path);

#endif
