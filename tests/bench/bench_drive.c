/* A session driven to its next stop, in a process that may fail by ending. */
#include "bench.h"
#include "base/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LINE_BYTES = 4096
};

double drive_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void drive_fail(const struct drive *d, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "bench: %s: ", d->group->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(1);
}

void drive_check(const struct drive *d, struct dbg_error *err)
{
	if (err)
		drive_fail(d, "%s", err->message);
}

struct dbg_stopped drive_stop(const struct drive *d)
{
	struct dbg_stopped at;

	drive_check(d, dbg_stopped(d->dbg, &at));
	return at;
}

void drive_open(struct drive *d)
{
	drive_check(d, dbg_create(&d->dbg));
}

void drive_close(struct drive *d)
{
	dbg_destroy(d->dbg);
	d->dbg = NULL;
}

/* ---- Marks ----------------------------------------------------------- */

static bool has_mark(const char *text, const char *mark)
{
	size_t n = strlen(mark);
	const char *at = strstr(text, "// @");

	return at && !strncmp(at + 4, mark, n) && strchr(" \r\n", at[4 + n]);
}

uint32_t drive_line(const struct drive *d, const char *mark)
{
	char path[LINE_BYTES], text[LINE_BYTES];
	uint32_t line = 0, found = 0;

	snprintf(path, sizeof(path), "%s/%s.cs", d->bench->sources,
		 d->group->fixture);

	FILE *file = fopen(path, "r");

	if (!file)
		drive_fail(d, "cannot open '%s': %s", path, strerror(errno));
	while (!found && fgets(text, sizeof(text), file)) {
		line++;
		if (has_mark(text, mark))
			found = line;
	}
	fclose(file);
	if (!found)
		drive_fail(d, "no mark '%s' in '%s'", mark, path);
	return found;
}

uint32_t drive_break(struct drive *d, const char *mark)
{
	char text[256];
	uint32_t number = 0;

	snprintf(text, sizeof(text), "%s.cs:%u", d->group->fixture,
		 drive_line(d, mark));

	struct dbg_break_req req = {.kind = DBG_BREAK_LOCATION,
				    .place.text = text};

	drive_check(d, dbg_break_add(d->dbg, &req, &number));
	return number;
}

/* ---- Running --------------------------------------------------------- */

void drive_launch(struct drive *d)
{
	char dll[LINE_BYTES];
	const struct group_spec *g = d->group;
	const char *args[] = {dll,        g->argument, g->more[0],
			      g->more[1], g->more[2],  g->more[3]};
	size_t n = 1;
	struct dbg_launch launch = {
	    .program = d->bench->dotnet,
	    .args = args,
	    .stdio = {"/dev/null", "/dev/null", "/dev/null"},
	};

	snprintf(dll, sizeof(dll), "%s/%s/%s.dll", d->bench->fixtures,
		 g->fixture, g->fixture);
	while (n < sizeof(args) / sizeof(*args) && args[n])
		n++;
	launch.n_args = n;
	drive_check(d, dbg_launch(d->dbg, &launch));
}

static bool take_events(struct drive *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_event event;
	bool over = false;

	while (dbg_event_next(d->dbg, arena, &event)) {
		if (event.kind == DBG_EVENT_MESSAGE)
			fprintf(stderr, "bench: %s: message: %s\n",
				d->group->name, event.text);
		if (event.kind != DBG_EVENT_STOPPED &&
		    event.kind != DBG_EVENT_EXITED &&
		    event.kind != DBG_EVENT_EVALUATED)
			continue;
		d->last = event;
		over = true;
	}
	return over;
}

bool drive_wait(struct drive *d)
{
	while (!take_events(d)) {
		struct pollfd pfd = {.fd = dbg_fd(d->dbg), .events = POLLIN};

		if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
			drive_fail(d, "cannot poll: %s", strerror(errno));
		drive_check(d, dbg_dispatch(d->dbg));
	}
	return d->last.kind == DBG_EVENT_STOPPED;
}

void drive_call(struct drive *d, const char *expr)
{
	const struct dbg_eval_request req = {.expr = expr,
					     .calls = DBG_CALLS_ALWAYS};
	struct dbg_value v;

	drive_check(d, dbg_eval_begin(drive_stop(d), &req));
	drive_wait(d);
	if (d->last.kind != DBG_EVENT_EVALUATED)
		drive_fail(d, "'%s' ended with another event", expr);
	drive_check(d, dbg_eval_result(d->dbg, &v));
}

void drive_wait_stop(struct drive *d)
{
	if (!drive_wait(d))
		drive_fail(d, "the program ended: exit code %d, signal %d",
			   d->last.exit_code, d->last.exit_signal);
}

void drive_wait_end(struct drive *d)
{
	if (drive_wait(d))
		drive_fail(d, "the program stopped: reason %d, signal %d",
			   (int)d->last.stop.reason, d->last.stop.signal);
	if (d->last.exit_code || d->last.exit_signal)
		drive_fail(d, "the program failed: exit code %d, signal %d",
			   d->last.exit_code, d->last.exit_signal);
}

void drive_continue(struct drive *d)
{
	drive_check(d, dbg_continue(drive_stop(d), 0));
}

struct dbg_frame *drive_frame(struct drive *d)
{
	struct dbg_frame *frames = NULL;
	size_t n = 0;

	drive_check(d, dbg_frame_list(drive_stop(d), 0, 0, 1, &frames, &n));
	if (n != 1)
		drive_fail(d, "the thread has no frame");
	return frames;
}

struct dbg_frame *drive_step(struct drive *d, enum dbg_step_kind kind,
			     enum dbg_step_unit unit)
{
	struct dbg_step step = {.kind = kind, .unit = unit};

	drive_check(d, dbg_step(drive_stop(d), &step));
	drive_wait_stop(d);
	if (d->last.stop.reason != DBG_STOP_STEP)
		drive_fail(d, "a step ended for reason %d",
			   (int)d->last.stop.reason);
	return drive_frame(d);
}

/* ---- Clock and counters ---------------------------------------------- */

void drive_begin(struct drive *d)
{
	dbg_counters(d->dbg, &d->before);
	d->began = drive_now();
}

double drive_end(struct drive *d, double actions, struct point *ret)
{
	double took = drive_now() - d->began;
	struct dbg_counters now;

	dbg_counters(d->dbg, &now);
	ret->stops = (double)(now.stops - d->before.stops) / actions;
	ret->syscalls = (double)(now.syscalls - d->before.syscalls) / actions;
	ret->dac_calls =
	    (double)(now.dac_calls - d->before.dac_calls) / actions;
	ret->counted = true;
	return took;
}
