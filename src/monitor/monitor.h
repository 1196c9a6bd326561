/*
 * Commands that watch a program which runs, without stopping it. Each is a word
 * of the command line (main.c), takes PID|NAME, --seconds N and --json, and
 * ends early with a whole result at Ctrl-C.
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#include "dbg.h"
#include "monitor/watching.h"

#include "base/map.h"
#include "base/str.h"

/* `dndbg events KIND PID|NAME`; returns the exit status. */
int monitor_events_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg counters PID|NAME`; returns the exit status. */
int monitor_counters_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg sample PID|NAME`; returns the exit status. */
int monitor_sample_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg perfmap PID|NAME`; returns the exit status. */
int monitor_perfmap_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg perf-script PID|NAME`; returns the exit status. */
int monitor_perf_script_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg trace PID|NAME METHOD...`; returns the exit status. */
int monitor_trace_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg top`; returns the exit status. */
int monitor_top_main(struct dbg *dbg, int argc, char **argv);
/*
 * `dndbg doctor --facts SECONDS PID`, for the prompt's `doctor --seconds`:
 * prints what monitor_doctor_watch() has seen.
 */
int monitor_doctor_main(struct dbg *dbg, int argc, char **argv);

/*
 * Watch a program for @seconds, or until Ctrl-C or its end, for `doctor`
 * (docs/state.md, "watched"): *ret_facts is JSON of one line, which the caller
 * frees, *ret_pid the process. Fails as dbg_program_find() and
 * dbg_sampler_open(); that the runtime tells nothing is a fact. @dbg has no
 * program, before and after.
 */
DBG_MUST struct dbg_error *
monitor_doctor_watch(struct dbg *dbg, const char *what, const char *seconds,
		     pid_t *ret_pid, char **ret_facts);

/* ---- Files that a command was asked to write ----------------------------- */

/*
 * Write it. What is there stays what it is: a device, a pipe, a link. If that
 * fails, there is no half a regular file.
 */
DBG_MUST struct dbg_error *outfile_write(const char *path,
					 const struct str *text);

/* ---- Each event as it happens, and tables meanwhile ---------------------- */

/* A JSON object for an event, with its "time": seconds since @origin. */
cJSON *json_line(uint64_t time, uint64_t origin);
/* Print it in one line, and delete it. */
void json_line_print(cJSON *o);

/*
 * A table that is shown anew on a terminal while it grows; zeroed: it is no
 * terminal, or nothing is to be shown.
 */
struct live_table {
	bool on;
	uint64_t every; /* so often, nanoseconds; 0: four times a second */
	uint64_t next;  /* when it is shown again, as clock_ns() */
};

/*
 * Is it time to show it? If so the screen is empty now, of which so many rows
 * can be used, and cuts what is too long, until live_shown().
 */
bool live_shows(struct live_table *t, uint64_t now, size_t *ret_rows);
void live_shown(void);
/* Empty the screen for the result. */
void live_end(const struct live_table *t);

/* ---- One command for several processes ----------------------------------- */

/* Does the command for one of them, in a process of its own. */
typedef int several_fn(void *arg, size_t i);

/*
 * Call @fn for each of @n, all at once, and print what they print: by whole
 * lines as they come (@lines), else of each all when it has ended. Ctrl-C and
 * the signals that would end us end them, with their results. *ret_status: 1 if
 * one of them has failed, which it has said. DBG_E_TARGET, DBG_E_ARGUMENT.
 */
DBG_MUST struct dbg_error *several_run(size_t n, bool lines, several_fn *fn,
				       void *arg, int *ret_status);

/* ---- `dndbg events gc` --------------------------------------------------- */

DBG_MUST struct dbg_error *gc_events(struct dbg *dbg,
				     const struct watch_options *o);

/* Times and sizes as people read them, in three digits and a unit. */
enum {
	QUANTITY_MAX = 16
};

/* "s", or "" of one: the end of the noun that is counted. */
const char *quantity_plural(uint64_t n);
/* "1.23 ms" of nanoseconds; returns @ret. */
const char *quantity_time(uint64_t ns, char ret[QUANTITY_MAX]);
/* "1.23 MB" of bytes, by powers of 1024. */
const char *quantity_size(uint64_t bytes, char ret[QUANTITY_MAX]);
/* "1.23 %" of @part of @whole. */
const char *quantity_share(double part, double whole, char ret[QUANTITY_MAX]);

/* ---- Counting by a text and a number ------------------------------------- */

struct tally_row {
	char *text;
	uint64_t key;
	uint64_t n;         /* how often */
	uint64_t sum, most; /* of what belongs to it, and the largest */
	char *last;         /* what was said last of it; NULL: nothing */
	uint64_t with;      /* another number that belongs to it */
};

struct tally {
	struct tally_row **rows;
	size_t n, cap;
	struct map index; /* by the hash of both; a row */
};

void tally_deinit(struct tally *t);
/*
 * The row of both, which is made if it is not there. Of too many the rest is
 * one row, "(others)".
 */
struct tally_row *tally_at(struct tally *t, const char *text, uint64_t key);
/* Count one that has @amount. */
void tally_add(struct tally_row *row, uint64_t amount);
/* The largest sums first, of equal ones what came most often. */
void tally_sort(struct tally *t);

/* ---- A profile as files for the tools that read one ---------------------- */

enum profile_form {
	PROFILE_FOLDED, /* "thread;caller;callee MICROSECONDS" a line */
	PROFILE_FLAME,  /* a page with a flame graph */
	PROFILE_SPEEDSCOPE,
	PROFILE_PPROF,   /* profile.proto, by gzip */
	PROFILE_FIREFOX, /* of profiler.firefox.com */
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

/* ---- A page that draws a profile as a flame graph ------------------------ */

/*
 * One file, without a network. Between these two stands the profile, as JSON
 * without '<'.
 */

extern const char flame_page_head[], flame_page_tail[];

/* Append the profile for the Firefox Profiler, profiler.firefox.com, as JSON.
 */
void firefox_profile_add(struct str *out, const struct profile_writing *w);

#endif
