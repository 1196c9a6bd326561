/*
 * The time for which a program is watched: from the first event to the end that
 * was asked for, Ctrl-C, or the program's own end.
 */
#ifndef MONITOR_WATCHING_H
#define MONITOR_WATCHING_H

#include <cjson/cJSON.h>

#include "base/str.h"
#include "dbg.h"

struct watch_options {
	const char *what; /* PID or name */
	pid_t pid;        /* of that, for watch_trace() */
	int64_t ms;       /* how long; INT64_MAX: until Ctrl-C */
	bool json;
	bool each;            /* print each thing when it happens */
	bool caught;          /* exceptions: also where they are caught */
	bool no_stacks;       /* do not tell where events come from */
	bool paced;           /* of more than WATCH_PACE events a second on
				 average only a part, in turns */
	bool quiet;           /* no line of progress */
	const char *nettrace; /* file for a copy of the whole event stream;
				 NULL: none */
};

enum {
	WATCH_PACE = 10000 /* events a second */
};

/* The result of a watch. */
struct watch_result {
	pid_t pid;             /* 0: not one process */
	uint32_t version;      /* of the runtime */
	uint64_t began, ended; /* nanoseconds of CLOCK_MONOTONIC */
	const char *reason;    /* "time", "interrupted" or "program ended" */
	uint64_t lost;         /* events */
	uint64_t watched;      /* nanoseconds, of a paced watch; 0: all */
};

/* The consumer of a watch: its callbacks. */
struct watcher {
	void *arg;
	/* Is set to when a trace begins, as watch_result. */
	uint64_t *began;
	dbg_trace_fn *event; /* of a trace */
	/* Text for the line of progress; NULL: the time alone. */
	void (*progress)(void *arg, struct str *text);
	/* Many times a second, before the result; may be NULL. */
	void (*tick)(void *arg, uint64_t now);
	int tick_fd; /* polls readable when that has work; 0: none */
};

/* Parse the seconds of --seconds; false: it is no such number, which is told.
 */
bool watch_seconds(const char *text, int64_t *ret_ms);
/* As watch_seconds(), as an error: DBG_E_ARGUMENT. */
DBG_MUST struct dbg_error *watch_parse(const char *text, int64_t *ret_ms);

/*
 * From now on Ctrl-C and the signals that would end dndbg end the watching
 * instead, also one that has not begun yet. A watch calls this itself when it
 * begins.
 */
void watch_signals(void);
/* Signals are again what they were; Ctrl-C ends a later watch only anew. */
void watch_signals_end(void);

/* The source of a watch: where its events come from. */
struct watch_source {
	int fd; /* polls readable when there is something to read */
	/* *ret_ended: no more will come. */
	struct dbg_error *(*read)(void *arg, bool *ret_ended);
	void *arg;
};

/*
 * Watch process ret->pid, whose source begins now, until it is over: sets
 * began, ended and reason of @ret. *ret_ended: no more will come. What went
 * wrong on the way is told on stderr.
 */
void watch_source(const struct watch_options *o, const struct watcher *w,
		  const struct watch_source *source, struct watch_result *ret,
		  bool *ret_ended);

/*
 * Trace as @req says until it is over. *ret_trace is set in front of the first
 * event, and is for dbg_trace_close(); NULL while a paced watch pauses. Before
 * the first event *ret has pid and version, and in a paced watch "watched" is
 * kept. What went wrong on the way and left a result is told on stderr.
 */
DBG_MUST struct dbg_error *watch_trace(const struct watch_options *o,
				       const struct dbg_trace_request *req,
				       const struct watcher *w,
				       struct dbg_trace **ret_trace,
				       struct watch_result *ret);

/* Make of it the result of a watch that goes on at @now. */
void watch_so_far(struct watch_result *r, uint64_t began, uint64_t now);

enum {
	WATCH_TIME_MAX = 64
};

/* Seconds for which the program was watched, without pauses. */
double watch_length(const struct watch_result *r);
/* Print "Process 4711, .NET 10: ". */
void watch_title(const struct watch_result *r);
/* " in 10.0 s", and what ended it, if that was not the time. */
const char *watch_time(const struct watch_result *r, char ret[WATCH_TIME_MAX]);

/* A JSON object with what is the same for all: version, pid, seconds, ... */
cJSON *watch_json(const struct watch_result *r);

#endif
