/*
 * A log of the engine's own work, by room. Off it costs one test of a word;
 * arguments are not evaluated then.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdio.h>

#include "dbg.h"

enum log_room {
	LOG_SESSION = 1, /* stops and what was made of them */
	LOG_CONTROL = 2, /* traps armed and lifted, and for whom */
	LOG_CODE = 4,    /* modules loaded and unloaded */
	LOG_DAC = 8,     /* calls of the DAC that failed */
};

struct log {
	unsigned int rooms; /* 0: off */
	FILE *file;
	char *spec; /* as it was given; NULL: off */
};

/*
 * Log to a file, "FILE" or "FILE:ROOM,ROOM", whose lines are appended; ""
 * ends it. All rooms without ROOM. DBG_E_ARGUMENT tells which there are.
 */
DBG_MUST struct dbg_error *log_set(struct log *log, const char *spec);
void log_deinit(struct log *log);
/* DBG_E_FILE if it could not be written: it is off then. */
DBG_MUST struct dbg_error *log_check(struct log *log);

static inline bool log_on(const struct log *log, enum log_room room)
{
	return log && (log->rooms & room);
}

/* Write a line; call it where log_on says so. */
void log_line(const struct log *log, enum log_room room, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define LOG(log, room, ...)                                                    \
	do {                                                                   \
		if (log_on((log), (room)))                                     \
			log_line((log), (room), __VA_ARGS__);                  \
	} while (0)

#endif
