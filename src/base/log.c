/*
 * dndbg's own log (`set log FILE[:ROOMS]`): a line of each thing done, for the
 * rooms that were asked for.
 */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"

struct room {
	enum log_room room;
	const char *name;
};

static const struct room rooms[] = {
    {LOG_SESSION, "session"},
    {LOG_CONTROL, "control"},
    {LOG_CODE, "code"},
    {LOG_DAC, "dac"},
};

enum {
	N_ROOMS = sizeof(rooms) / sizeof(rooms[0])
};

static unsigned int room_named(const char *name, size_t n)
{
	for (size_t i = 0; i < N_ROOMS; i++)
		if (strlen(rooms[i].name) == n &&
		    !strncmp(rooms[i].name, name, n))
			return rooms[i].room;
	return 0;
}

// The rooms of "a,b"; 0: there is none of some name.
static unsigned int rooms_parse(const char *list)
{
	unsigned int found = 0;

	for (;;) {
		size_t n = strcspn(list, ",");
		unsigned int one = room_named(list, n);
		if (!one)
			return 0;
		found |= one;
		if (!list[n])
			return found;
		list += n + 1;
	}
}

void log_deinit(struct log *log)
{
	if (log->file)
		fclose(log->file);
	free(log->spec);
	memset(log, 0, sizeof(*log));
}

struct dbg_error *log_set(struct log *log, const char *spec)
{
	const char *colon = strrchr(spec, ':');
	_cleanup_close_ int fd = -1;
	unsigned int wanted = LOG_SESSION | LOG_CONTROL | LOG_CODE | LOG_DAC;

	if (!*spec) {
		log_deinit(log);
		return NULL;
	}
	if (colon && !strchr(colon, '/')) {
		wanted = rooms_parse(colon + 1);
		if (!wanted)
			return dbg_err(DBG_E_ARGUMENT,
				       "no rooms '%s' to log: there are "
				       "session, control, code and dac",
				       colon + 1);
	} else {
		colon = spec + strlen(spec);
	}
	_cleanup_free_ char *path = xstrndup(spec, (size_t)(colon - spec));
	struct dbg_error *err =
	    dbg_open_file(path, O_WRONLY | O_APPEND | O_CREAT, true, &fd);
	if (err)
		return dbg_err_prefix(err, "cannot log");
	FILE *file = fdopen(fd, "a");
	if (!file)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot log to '%s'",
				     path);
	fd = -1;
	log_deinit(log);
	setvbuf(file, NULL, _IOLBF, 0);
	log->file = file;
	log->rooms = wanted;
	log->spec = xstrdup(spec);
	return NULL;
}

struct dbg_error *log_check(struct log *log)
{
	if (!log->file || !ferror(log->file))
		return NULL;
	// once more, for the cause
	bool fails = fputc('\n', log->file) == EOF || fflush(log->file);
	int failed = fails ? errno : EIO;
	struct dbg_error *err = dbg_err_errno(
	    DBG_E_FILE, failed, "cannot write the log '%s'", log->spec);
	log_deinit(log);
	return err;
}

void log_line(const struct log *log, enum log_room room, const char *fmt, ...)
{
	struct timespec now;
	va_list ap;
	size_t i = 0;

	while (i + 1 < N_ROOMS && rooms[i].room != room)
		i++;
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(log->file, "%lld.%06ld %s: ", (long long)now.tv_sec,
		now.tv_nsec / 1000, rooms[i].name);
	va_start(ap, fmt);
	vfprintf(log->file, fmt, ap);
	va_end(ap);
	fputc('\n', log->file);
}
