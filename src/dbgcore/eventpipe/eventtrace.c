/*
 * A trace: a session of EventPipe in a running program, which a guardian begins
 * (guardian.h). The runtime answers it by the same connection on which the
 * events come to us. A runtime itself notices a dead client only at the next
 * event, which may never come.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "eventpipe/guardian.h"
#include "eventpipe/nettrace.h"
#include "target/proc.h"

enum {
	SET_EVENTPIPE = 2,
	SET_PROCESS = 4,
	STOP_TRACING = 1,
	COLLECT_TRACING_2 = 3, /* since .NET 5 */
	COLLECT_TRACING_4 =
	    5, /* since .NET 9: without rundown, without stacks */
	PROCESS_INFO_2 = 4,
	NETTRACE = 1,     /* the format */
	BUFFER_MB = 64,   /* in the program, at most; as it needs them */
	CHUNK = 1 << 16,  /* bytes read at a time */
	CHUNKS_MAX = 64,  /* in one call, so that others have their turn */
	NAMES_MAX = 4096, /* of threads */
	NAME_SIZE = 16,
	DROP_MS = 1000,     /* for what still comes when nobody listens */
	BUSY_SOON_MS = 300, /* before it is busy again it is not stopped */
	NS_PER_MS = 1000000,
};

struct dbg_trace {
	struct ipc_port port;
	uint32_t version; /* the runtime's major one */
	int stream;       /* the events */
	int stop;         /* connection of the command that stops it, or -1 */
	bool stopping;    /* it is to be stopped, as soon as it may */
	/* When it must not be stopped, but from stop_from on (clock_ms()). */
	const char *busy_from, *busy_until;
	bool busy;
	uint64_t busy_since; /* 0: it has not been yet */
	int64_t stop_from;
	uint64_t id, began;
	struct guardian guardian;
	int copy; /* of all events, -1: none */
	int copy_errnum;
	uint64_t copied;
	struct nettrace *nettrace;
	dbg_trace_fn *fn; /* the caller's */
	void *arg;
	bool ended;
	struct map names; /* of threads, by their numbers in the program */
};

/* ---- The trace --------------------------------------------------------- */

static struct dbg_error *read_version(const struct ipc_port *port,
				      uint32_t *ret)
{
	const struct ipc_command command = {.set = SET_PROCESS,
					    .id = PROCESS_INFO_2};
	_cleanup_str_ struct str reply = {0};

	struct dbg_error *err = ipc_ask(port, &command, &reply);
	if (err)
		return err;
	*ret = ipc_major_version(
	    (struct bytes){(uint8_t *)str_get(&reply), reply.len});
	return *ret ? NULL
		    : dbg_err(DBG_E_RUNTIME,
			      "process %d does not tell its runtime's version",
			      port->pid);
}

struct dbg_error *dbg_runtime_version(pid_t pid, uint32_t *ret)
{
	struct ipc_port port;

	struct dbg_error *err = ipc_open(pid, &port);
	if (err)
		return err;
	err = read_version(&port, ret);
	ipc_close(&port);
	return err;
}

static struct ipc_command collect_command(const struct dbg_trace *t,
					  const struct dbg_trace_request *req)
{
	bool old = t->version < 9;
	struct ipc_command c = {.set = SET_EVENTPIPE,
				.id = old ? COLLECT_TRACING_2
					  : COLLECT_TRACING_4};
	struct str *p = &c.payload;

	ipc_put(p, BUFFER_MB, 4);
	ipc_put(p, NETTRACE, 4);
	// No rundown: all names are ours to find.
	ipc_put(p, 0, old ? 1 : 8);
	if (!old)
		ipc_put(p, req->stacks, 1);
	ipc_put(p, req->n_providers, 4);
	for (size_t i = 0; i < req->n_providers; i++) {
		ipc_put(p, req->providers[i].keywords, 8);
		ipc_put(p, req->providers[i].level, 4);
		ipc_put_string(p, req->providers[i].name);
		ipc_put_string(p, req->providers[i].args);
	}
	return c;
}

static struct guarded trace_guarded(const struct dbg_trace *t,
				    const struct ipc_command *begin)
{
	return (struct guarded){.port = &t->port,
				.stream = t->stream,
				.begin = begin,
				.end = STOP_TRACING,
				.has_id = true,
				.min_ms = t->busy_from ? DBG_TRACE_STOP_MS : 0};
}

static struct dbg_error *begin(struct dbg_trace *t,
			       const struct dbg_trace_request *req)
{
	struct dbg_error *err = ipc_open(t->port.pid, &t->port);

	if (!err)
		err = read_version(&t->port, &t->version);
	if (!err)
		err = ipc_connect(&t->port, &t->stream);
	if (err)
		return err;
	t->busy_from = req->busy_from;
	t->busy_until = req->busy_until;
	t->busy = t->busy_from;
	t->stop_from = clock_ms() + DBG_TRACE_STOP_MS;
	struct ipc_command collect = collect_command(t, req);
	const struct guarded what = trace_guarded(t, &collect);

	t->began = clock_ns();
	err = guardian_start(&t->guardian, &what, &t->id);
	str_deinit(&collect.payload);
	return err;
}

struct dbg_error *dbg_trace_open(pid_t pid, const struct dbg_trace_request *req,
				 struct dbg_trace **ret)
{
	struct dbg_trace *t = xcalloc(1, sizeof(*t));

	t->port = (struct ipc_port){.pid = pid, .dir = -1};
	t->stream = t->stop = t->copy = t->guardian.socket = -1;
	struct dbg_error *err = begin(t, req);
	if (err) {
		dbg_trace_close(t);
		return err;
	}
	*ret = t;
	return NULL;
}

int dbg_trace_fd(const struct dbg_trace *t)
{
	return t->stream;
}

uint32_t dbg_trace_version(const struct dbg_trace *t)
{
	return t->version;
}

uint64_t dbg_trace_began(const struct dbg_trace *t)
{
	return t->began;
}

uint64_t dbg_trace_lost(const struct dbg_trace *t)
{
	return t->nettrace ? nettrace_lost(t->nettrace) : 0;
}

void dbg_trace_copy(struct dbg_trace *t, int fd)
{
	t->copy = fd;
}

struct dbg_error *dbg_trace_copied(const struct dbg_trace *t,
				   uint64_t *ret_bytes)
{
	if (t->copy_errnum)
		return dbg_err_errno(DBG_E_FILE, t->copy_errnum,
				     "cannot write what was told");
	*ret_bytes = t->copied;
	return NULL;
}

static void trace_keep(struct dbg_trace *t, const char *bytes, size_t n)
{
	while (n && t->copy >= 0 && !t->copy_errnum) {
		ssize_t done = write(t->copy, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			t->copy_errnum = errno;
			return;
		}
		bytes += done;
		n -= (size_t)done;
		t->copied += (uint64_t)done;
	}
}

static void trace_event(void *arg, const struct dbg_trace_event *e)
{
	const struct dbg_trace *t = arg;

	t->fn(t->arg, e);
}

// It is not passed on before the next collection, which is too late.
static void note_busy(void *arg, const struct dbg_trace_event *e)
{
	struct dbg_trace *t = arg;

	if (t->busy_from && !strcmp(e->kind->name, t->busy_from)) {
		t->busy = true;
		t->busy_since = e->time;
		guardian_busy(&t->guardian, e->time);
	}
	if (t->busy_until && !strcmp(e->kind->name, t->busy_until))
		t->busy = false;
}

bool dbg_trace_suspended(const struct dbg_trace *t)
{
	return ipc_suspended(&t->port);
}

// Of a program that is stopped is not known whether it is busy when it goes on.
static bool stop_may(const struct dbg_trace *t)
{
	const uint64_t rest_ms = DBG_TRACE_BUSY_MS - BUSY_SOON_MS;

	if (!t->busy_from)
		return true;
	return !dbg_trace_suspended(t) &&
	       (clock_ms() >= t->stop_from ||
		(!t->busy && clock_ns() < t->busy_since + rest_ms * NS_PER_MS));
}

// Send the command to stop, once it may be sent. Its answer is not waited for:
// it comes when the rest of the events is written, which the caller has to read
// meanwhile.
static struct dbg_error *stop_send(struct dbg_trace *t)
{
	if (!t->stopping || t->stop >= 0 || t->ended)
		return NULL;
	if (!stop_may(t))
		return NULL;
	struct dbg_error *err = ipc_connect(&t->port, &t->stop);
	if (err)
		return err;
	const struct ipc_command collect = {.set = SET_EVENTPIPE};
	const struct guarded what = trace_guarded(t, &collect);
	struct ipc_command stop = guarded_end(&what, t->id);
	err = ipc_send(&t->port, t->stop, &stop);
	str_deinit(&stop.payload);
	return err;
}

struct dbg_error *dbg_trace_read(struct dbg_trace *t, dbg_trace_fn *fn,
				 void *arg, bool *ret_ended)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	struct dbg_error *err = NULL;

	t->fn = fn;
	t->arg = arg;
	if (!t->nettrace)
		t->nettrace = nettrace_create(trace_event, note_busy, t);
	for (int i = 0; !err && !t->ended && i < CHUNKS_MAX; i++) {
		ssize_t n = recv(t->stream, chunk, CHUNK, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n > 0)
			trace_keep(t, chunk, (size_t)n);
		if (n > 0)
			err = nettrace_feed(t->nettrace, chunk, (size_t)n);
		t->ended = n <= 0 || nettrace_ended(t->nettrace);
	}
	if (t->ended)
		nettrace_finish(t->nettrace);
	*ret_ended = t->ended;
	return err ? err : stop_send(t);
}

struct dbg_error *dbg_trace_stop(struct dbg_trace *t)
{
	if (!t->stopping && t->busy_since)
		t->stop_from = clock_ms() + DBG_TRACE_STOP_MS;
	t->stopping = true;
	return stop_send(t);
}

// The thread that is @tid in the program's namespace; 0: it is gone.
static pid_t thread_of(pid_t pid, uint64_t tid)
{
	struct proc_summary summary;
	pid_t found = 0, one;

	if (!proc_summary(pid, &summary))
		return 0;
	if (summary.inside == pid)
		return tid <= INT32_MAX ? (pid_t)tid : 0;
	DIR *tasks = proc_tasks_open(pid);
	while (tasks && !found && (one = proc_tasks_next(tasks)))
		if ((uint64_t)proc_tid_inside(one) == tid)
			found = one;
	if (tasks)
		closedir(tasks);
	return found;
}

const char *dbg_trace_thread_name(struct dbg_trace *t, uint64_t tid)
{
	char *name = map_find(&t->names, tid);

	if (name)
		return name;
	if (t->names.n >= NAMES_MAX)
		return "";
	name = xcalloc(1, NAME_SIZE);
	pid_t thread = thread_of(t->port.pid, tid);
	if (thread)
		proc_comm(t->port.pid, thread, name);
	map_put(&t->names, tid, name);
	return name;
}

void dbg_trace_close(struct dbg_trace *t)
{
	if (!t)
		return;
	if (t->id && !t->ended && !dbg_err_drop(dbg_trace_stop(t)) &&
	    t->stop >= 0 && !dbg_trace_suspended(t))
		// what is left would keep the runtime from stopping
		ipc_drain(t->stream, clock_ms() + DROP_MS);
	mem_close_fd(&t->stream);
	guardian_dismiss(&t->guardian, t->ended || t->stop >= 0);
	mem_close_fd(&t->stop);
	ipc_close(&t->port);
	nettrace_destroy(t->nettrace);
	map_clear_free(&t->names);
	map_deinit(&t->names);
	free(t);
}
