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
	sigset_t taken;

	sigemptyset(&taken);
	for (size_t i = 0; i < N_SIGNALS && !handled; i++) {
		sigaction(signals[i], &action, &before[i]);
		sigaddset(&taken, signals[i]);
	}
	pthread_sigmask(SIG_UNBLOCK, &taken, NULL);
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

/*
 * What a paced trace may cost: events are as many as a program throws
 * exceptions, and making one takes the thread that throws 1 to 10 us. It is
 * allowed some, and WATCH_PACE more each second. A program that has used these
 * up is left alone until there are some again, or for PAUSE_MS; then a new
 * session begins.
 */
enum {
	PACE_MOST = 50000, // it does not grow beyond
	PACE_LEAST = 1000, // enough to begin again
	PAUSE_MS = 1000,
	MS_PER_S = 1000,
};

struct traced {
	const struct dbg_trace_request *req;
	const struct watcher *w;
	struct dbg_trace **trace; /* the caller's; *trace: NULL in a pause */
	struct watch_source source;
	struct watch_result *r;
	bool paced, pausing; /* pausing: it was told to stop, for a pause */
	bool over;           /* what comes now is the rest */
	bool failed;         /* the next session did not begin */
	bool cut;          /* the program is stopped: the rest does not come */
	int64_t allowance; /* events; below 0: used up */
	int64_t counted;   /* until when it has grown, as clock_ms() */
	int64_t pause_end;
	/* Of this session: the first and the last event; 0: none yet. */
	uint64_t first, last;
	uint64_t watched; /* nanoseconds of the sessions before */
};

static void traced_event(void *arg, const struct dbg_trace_event *e)
{
	struct traced *t = arg;

	if (!t->first)
		t->first = e->time;
	if (e->time > t->last)
		t->last = e->time;
	t->allowance--;
	t->w->event(t->w->arg, e);
}

static void allowance_grow(struct traced *t)
{
	int64_t now = clock_ms();

	t->allowance += (now - t->counted) * WATCH_PACE / MS_PER_S;
	if (t->allowance > PACE_MOST)
		t->allowance = PACE_MOST;
	t->counted = now;
}

static struct dbg_error *traced_open(struct traced *t)
{
	struct dbg_error *err = dbg_trace_open(t->r->pid, t->req, t->trace);

	if (err)
		return err;
	t->source.fd = dbg_trace_fd(*t->trace);
	t->first = t->last = 0;
	return NULL;
}

// How long the program is watched, until now. The events' own times bound a
// session: it tells some time after it has begun, and until it heeds that it is
// to stop.
static uint64_t traced_time(const struct traced *t)
{
	uint64_t began = t->first ? t->first : dbg_trace_began(*t->trace);
	uint64_t end = t->pausing ? t->last : clock_ns();

	return t->watched + (end > began ? end - began : 0);
}

static void traced_pause(struct traced *t)
{
	t->watched = traced_time(t);
	t->r->lost += dbg_trace_lost(*t->trace);
	dbg_trace_close(*t->trace);
	*t->trace = NULL;
	t->source.fd = -1;
	t->pausing = false;
	allowance_grow(t);
	int64_t wait = (PACE_LEAST - t->allowance) * MS_PER_S / WATCH_PACE;
	t->pause_end = clock_ms() + (wait < PAUSE_MS ? wait : PAUSE_MS);
}

static struct dbg_error *traced_resume(struct traced *t, bool *ret_ended)
{
	if (clock_ms() < t->pause_end)
		return NULL;
	allowance_grow(t);
	struct dbg_error *err = traced_open(t);
	bool gone = err && err->code == DBG_E_NOT_FOUND;
	if (!err || (t->failed && !gone)) {
		t->failed = false;
		return err;
	}
	// Its socket is gone: it ends. What does not answer is asked once more.
	*ret_ended = gone;
	t->failed = true;
	t->pause_end = clock_ms() + PAUSE_MS;
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *traced_read(void *arg, bool *ret_ended)
{
	struct traced *t = arg;

	if (!*t->trace)
		return t->over ? NULL : traced_resume(t, ret_ended);
	struct dbg_error *err =
	    dbg_trace_read(*t->trace, traced_event, t, ret_ended);
	if (t->over && !err && !*ret_ended)
		t->cut = *ret_ended = dbg_trace_suspended(*t->trace);
	if (err || t->over)
		return err;
	if (*ret_ended && t->pausing) {
		*ret_ended = false;
		traced_pause(t);
	} else if (!*ret_ended && t->paced && !t->pausing) {
		allowance_grow(t);
		t->pausing = t->allowance < 0;
		if (t->pausing)
			err = dbg_trace_stop(*t->trace);
	}
	if (*t->trace && t->watched)
		t->r->watched = traced_time(t);
	return err;
}

// Stop it and take what still comes. Of what goes wrong now there is a result
// all the same.
static void watch_rest(struct traced *t, const struct watch_options *o)
{
	struct progress none = {0};
	bool ended = false;

	t->over = true;
	if (!*t->trace)
		return;
	struct dbg_error *err = dbg_trace_stop(*t->trace);
	if (!err)
		err = watch_until(&t->source, clock_ms() + REST_MS, interrupts,
				  o, t->w, &none, &ended);
	if (err)
		plain_error(err);
	else if (t->cut)
		fprintf(stderr,
			"dndbg: process %d is stopped: what it had not told "
			"yet is missing\n",
			t->r->pid);
	else if (!ended)
		fprintf(stderr,
			"dndbg: process %d does not answer any more: its last "
			"events are missing\n",
			t->r->pid);
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

struct dbg_error *watch_trace(const struct watch_options *o,
			      const struct dbg_trace_request *req,
			      const struct watcher *w,
			      struct dbg_trace **ret_trace,
			      struct watch_result *ret)
{
	struct traced t = {
	    .req = req,
	    .w = w,
	    .trace = ret_trace,
	    .source = {.read = traced_read, .arg = &t},
	    .r = ret,
	    .paced = o->paced,
	    .allowance = PACE_MOST,
	    .counted = clock_ms(),
	};
	_cleanup_close_ int copy = -1;
	bool ended;

	*ret = (struct watch_result){.pid = o->pid};
	watch_signals();
	struct dbg_error *err = copy_open(o->nettrace, &copy);
	if (!err)
		err = traced_open(&t);
	if (err)
		return err;
	if (o->nettrace)
		dbg_trace_copy(*t.trace, copy);
	t.first = dbg_trace_began(*t.trace);
	*w->began = t.first;
	ret->version = dbg_trace_version(*t.trace);
	watch_source(o, w, &t.source, ret, &ended);
	ret->began = *w->began;
	if (*t.trace && t.watched)
		ret->watched = traced_time(&t);
	if (!ended)
		watch_rest(&t, o);
	if (o->nettrace) {
		copy_told(*t.trace, o->nettrace);
		dbg_trace_copy(*t.trace, -1);
	}
	if (*t.trace) // else it pauses
		ret->lost += dbg_trace_lost(*t.trace);
	if (ret->lost)
		fprintf(stderr,
			"dndbg: the runtime has dropped %" PRIu64 " events\n",
			ret->lost);
	return NULL;
}

void watch_so_far(struct watch_result *r, uint64_t began, uint64_t now)
{
	r->began = began;
	r->ended = now;
	r->reason = "time";
}

double watch_length(const struct watch_result *r)
{
	return (double)(r->watched ? r->watched : r->ended - r->began) / 1e9;
}

void watch_title(const struct watch_result *r)
{
	printf("Process %d, .NET %" PRIu32 ": ", r->pid, r->version);
}

const char *watch_time(const struct watch_result *r, char ret[WATCH_TIME_MAX])
{
	bool whole = !strcmp(r->reason, "time");
	char of[WATCH_TIME_MAX / 2] = "";

	if (r->watched)
		snprintf(of, sizeof(of), "%.1f of ", (double)r->watched / 1e9);
	snprintf(ret, WATCH_TIME_MAX, " in %s%.1f s%s%s", of,
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
	if (r->watched)
		cJSON_AddNumberToObject(o, "watchedSeconds",
					(double)r->watched / 1e9);
	cJSON_AddStringToObject(o, "end", r->reason);
	cJSON_AddNumberToObject(o, "lostEvents", (double)r->lost);
	return o;
}
