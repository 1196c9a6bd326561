/* The time for which a program is watched: see watching.h. */
#include "monitor/watching.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"

enum {
	TICK_MS = 100,
	PROGRESS_MS = 250,
	// For what comes until a trace may be stopped, and behind its end.
	REST_MS = DBG_TRACE_STOP_MS + 5000,
	SECONDS_MAX = 1000000,
	JSON_VERSION = 1,
};

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

enum {
	N_SIGNALS = sizeof(signals) / sizeof(*signals)
};

static volatile sig_atomic_t interrupts;
static struct sigaction before[N_SIGNALS];
static bool handled;

static void on_signal(int signal)
{
	(void)signal;
	interrupts++;
}

void watch_signals(void)
{
	const struct sigaction action = {.sa_handler = on_signal};

	for (size_t i = 0; i < N_SIGNALS && !handled; i++)
		sigaction(signals[i], &action, &before[i]);
	handled = true;
}

void watch_signals_end(void)
{
	for (size_t i = 0; i < N_SIGNALS && handled; i++)
		sigaction(signals[i], &before[i], NULL);
	handled = false;
	interrupts = 0;
}

struct dbg_error *watch_parse(const char *text, int64_t *ret_ms)
{
	char *end;
	double n = strtod(text, &end);

	if (end == text || *end || !(n > 0) || n > SECONDS_MAX)
		return dbg_err_arg("'%s' is no number of seconds", text);
	*ret_ms = (int64_t)(n * 1000) + !(int64_t)(n * 1000);
	return NULL;
}

bool watch_seconds(const char *text, int64_t *ret_ms)
{
	struct dbg_error *err = watch_parse(text, ret_ms);

	plain_error(err);
	return !err;
}

/* ---- The line of progress ---------------------------------------------- */

struct progress {
	bool on; /* stderr is a terminal */
	int64_t began, next;
};

static void progress_show(struct progress *p, const struct watch_options *o,
			  const struct watcher *w)
{
	_cleanup_str_ struct str text = {0};
	int64_t now = clock_ms();

	if (!p->on || now < p->next)
		return;
	p->next = now + PROGRESS_MS;
	str_addf(&text, "%" PRId64, (now - p->began) / 1000);
	if (o->ms != INT64_MAX)
		str_addf(&text, " of %g", (double)o->ms / 1000);
	str_add(&text, " s");
	if (w->progress) {
		str_add(&text, ": ");
		w->progress(w->arg, &text);
	}
	str_add(&text, "; Ctrl-C ends it");
	fprintf(stderr, "\r\033[K%s", text.s);
}

static void progress_clear(const struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
}

/* ---- Watching ---------------------------------------------------------- */

// Watch until @deadline, more than @n interrupts, or the end of the program.
static struct dbg_error *watch_until(const struct watch_source *source,
				     int64_t deadline, int n,
				     const struct watch_options *o,
				     const struct watcher *w,
				     struct progress *progress, bool *ret_ended)
{
	struct pollfd p[] = {{.fd = source->fd, .events = POLLIN},
			     {.fd = w->tick_fd, .events = POLLIN}};
	struct dbg_error *err = NULL;

	*ret_ended = false;
	while (!err && !*ret_ended && interrupts <= n) {
		int64_t left = deadline - clock_ms();

		if (left <= 0)
			break;
		poll(p, w->tick_fd ? 2 : 1,
		     left < TICK_MS ? (int)left : TICK_MS);
		err = source->read(source->arg, ret_ended);
		if (w->tick)
			w->tick(w->arg, clock_ns());
		progress_show(progress, o, w);
	}
	return err;
}

void watch_source(const struct watch_options *o, const struct watcher *w,
		  const struct watch_source *source, struct watch_result *ret,
		  bool *ret_ended)
{
	struct progress progress = {.on = isatty(STDERR_FILENO) && !o->quiet,
				    .began = clock_ms()};
	int64_t deadline =
	    o->ms == INT64_MAX ? INT64_MAX : progress.began + o->ms;

	watch_signals();
	ret->began = clock_ns();
	struct dbg_error *err =
	    watch_until(source, deadline, 0, o, w, &progress, ret_ended);

	ret->ended = clock_ns();
	progress_clear(&progress);
	ret->reason = *ret_ended   ? "program ended"
		      : interrupts ? "interrupted"
				   : "time";
	// It is not asked any more.
	*ret_ended |= err != NULL;
	plain_error(err);
}

/* ---- Traces ------------------------------------------------------------ */

struct traced {
	struct dbg_trace *trace;
	const struct watcher *w;
};

static struct dbg_error *trace_read(void *arg, bool *ret_ended)
{
	const struct traced *t = arg;

	return dbg_trace_read(t->trace, t->w->event, t->w->arg, ret_ended);
}

// Stop it and take what still comes. Of what goes wrong now there is a result
// all the same.
static void watch_rest(const struct traced *t,
		       const struct watch_source *source,
		       const struct watch_options *o, pid_t pid)
{
	struct progress none = {0};
	bool ended = false;

	struct dbg_error *err = dbg_trace_stop(t->trace);
	if (!err)
		err = watch_until(source, clock_ms() + REST_MS, interrupts, o,
				  t->w, &none, &ended);
	if (err)
		plain_error(err);
	else if (!ended)
		fprintf(stderr,
			"dndbg: process %d does not answer any more; it may be "
			"stopped: its last events are missing\n",
			pid);
}

/* The file of --nettrace; -1: none was asked for. */
static struct dbg_error *copy_open(const char *path, int *ret)
{
	*ret = -1;
	if (!path)
		return NULL;
	*ret = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return *ret >= 0 ? NULL
			 : dbg_err_errno(DBG_E_FILE, errno, "cannot write '%s'",
					 path);
}

static void copy_told(const struct dbg_trace *trace, const char *path)
{
	uint64_t bytes;
	struct dbg_error *err = dbg_trace_copied(trace, &bytes);

	if (err)
		plain_error(dbg_err_prefix(err, "'%s' is not whole", path));
}

struct dbg_error *watch_trace(struct dbg *dbg, const struct watch_options *o,
			      const struct dbg_trace_request *req,
			      const struct watcher *w,
			      struct dbg_trace **ret_trace,
			      struct watch_result *ret)
{
	struct watch_result r = {0};
	struct traced t = {.w = w};
	_cleanup_close_ int copy = -1;
	bool ended;

	watch_signals();
	struct dbg_error *err = dbg_program_find(dbg, o->what, &r.pid);
	if (!err)
		err = copy_open(o->nettrace, &copy);
	if (!err)
		err = dbg_trace_open(r.pid, req, &t.trace);
	if (err)
		return err;
	dbg_trace_copy(t.trace, copy);
	*ret_trace = t.trace;
	*w->began = dbg_trace_began(t.trace);
	r.version = dbg_trace_version(t.trace);
	const struct watch_source source = {
	    .fd = dbg_trace_fd(t.trace), .read = trace_read, .arg = &t};
	watch_source(o, w, &source, &r, &ended);
	r.began = *w->began;
	if (!ended)
		watch_rest(&t, &source, o, r.pid);
	if (o->nettrace)
		copy_told(t.trace, o->nettrace);
	dbg_trace_copy(t.trace, -1);
	r.lost = dbg_trace_lost(t.trace);
	if (r.lost)
		fprintf(stderr,
			"dndbg: the runtime has dropped %" PRIu64 " events\n",
			r.lost);
	*ret = r;
	return NULL;
}

void watch_title(const struct watch_result *r)
{
	printf("Process %d, .NET %" PRIu32 ": ", r->pid, r->version);
}

const char *watch_time(const struct watch_result *r, char ret[WATCH_TIME_MAX])
{
	bool whole = !strcmp(r->reason, "time");

	snprintf(ret, WATCH_TIME_MAX, " in %.1f s%s%s",
		 (double)(r->ended - r->began) / 1e9, whole ? "" : ", ",
		 whole ? "" : r->reason);
	return ret;
}

cJSON *watch_json(const struct watch_result *r)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "version", JSON_VERSION);
	if (r->pid) {
		cJSON_AddNumberToObject(o, "pid", r->pid);
		cJSON_AddNumberToObject(o, "runtime", r->version);
	}
	cJSON_AddNumberToObject(o, "seconds",
				(double)(r->ended - r->began) / 1e9);
	cJSON_AddStringToObject(o, "end", r->reason);
	cJSON_AddNumberToObject(o, "lostEvents", (double)r->lost);
	return o;
}
