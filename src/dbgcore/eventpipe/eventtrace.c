/*
 * A trace: a session of EventPipe in a running program. It is made by a process
 * of ours, the guardian, which the runtime answers by the same connection on
 * which the events come to us. So there is no moment at which a trace exists
 * and nobody but us, who may be killed, knows its number. The guardian waits at
 * a socket whose other end we hold: a byte says that we have stopped the trace,
 * the end of it that we are dead. A runtime itself notices a dead client
 * only at the next event, which may never come.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "eventpipe/ipc.h"
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
	NETTRACE = 1,    /* the format */
	BUFFER_MB = 64,  /* in the program, at most; as it needs them */
	CHUNK = 1 << 16, /* bytes read at a time */
	CHUNKS_MAX = 64, /* in one call, so that others have their turn */
	MESSAGE_MAX = 400,
	NAMES_MAX = 4096, /* of threads */
	NAME_SIZE = 16,
	DROP_MS = 1000, /* for what still comes when nobody listens */
};

/* What the guardian tells of the trace that it has made, or has not. */
struct guardian_report {
	uint64_t id;
	enum dbg_code code; /* 0: it is made */
	char message[MESSAGE_MAX];
};

struct dbg_trace {
	struct ipc_port port;
	uint32_t version; /* the runtime's major one */
	int stream;       /* the events */
	int stop;         /* connection of the command that stops it, or -1 */
	uint64_t id, began;
	pid_t guardian;
	int guard; /* its socket */
	struct nettrace *nettrace;
	bool ended;
	struct map names; /* of threads, by their numbers in the program */
};

/* ---- The guardian ------------------------------------------------------ */

// No key and no hangup is meant for it, and nobody waits for what it holds.
static void guardian_withdraw(const struct ipc_port *port, const int keep[3])
{
	static const int ignored[] = {SIGINT,  SIGHUP,  SIGQUIT,
				      SIGTERM, SIGTSTP, SIGPIPE};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &ignore, NULL);
	int limit = port->dir;
	for (int i = 0; i < 3; i++)
		limit = keep[i] > limit ? keep[i] : limit;
	for (int fd = 3; fd <= limit; fd++)
		if (fd != port->dir && fd != keep[0] && fd != keep[1] &&
		    fd != keep[2])
			close(fd);
	close_range((unsigned int)limit + 1, ~0u, 0);
	int null = open("/dev/null", O_RDWR);
	for (int i = 0; null >= 0 && i < 3; i++)
		dup2(null, i);
	if (null > 2)
		close(null);
}

static struct ipc_command stop_command(uint64_t id)
{
	struct ipc_command c = {.set = SET_EVENTPIPE, .id = STOP_TRACING};

	ipc_put(&c.payload, id, 8);
	return c;
}

// Make the trace; what becomes of it goes to our parent by @out.
static uint64_t guardian_begin(const struct ipc_port *port, int stream,
			       const struct ipc_command *collect, int out)
{
	struct guardian_report report = {0};
	struct str reply = {0};
	struct reader r;

	struct dbg_error *err = ipc_send(port, stream, collect);
	if (!err)
		err = ipc_receive(port, stream, &reply);
	if (err) {
		report.code = err->code;
		snprintf(report.message, MESSAGE_MAX, "%s", err->message);
	} else {
		reader_init(&r, reply.s, reply.len);
		report.id = reader_u64(&r);
	}
	ssize_t n = write(out, &report, sizeof(report));
	(void)n; // it may be dead
	return report.code ? 0 : report.id;
}

static _Noreturn void guardian_main(const struct ipc_port *port, int stream,
				    const struct ipc_command *collect,
				    const int pipes[2])
{
	struct str reply = {0};
	char byte;
	ssize_t n;

	guardian_withdraw(port, (const int[]){stream, pipes[0], pipes[1]});
	uint64_t id = guardian_begin(port, stream, collect, pipes[1]);
	// While it is open here the runtime would not notice a dead reader.
	close(stream);
	close(pipes[1]);
	prctl(PR_SET_NAME, "dndbg-guardian"); // it has something to guard
	do
		n = read(pipes[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (!n && id) {
		struct ipc_command stop = stop_command(id);
		struct dbg_error *err = ipc_ask(port, &stop, &reply);

		dbg_error_destroy(err);
	}
	_exit(0);
}

// Its answer; it has its own limit of time.
static struct dbg_error *guardian_hear(int fd, uint64_t *ret_id)
{
	struct guardian_report report;
	ssize_t n;

	do
		n = read(fd, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(report))
		return dbg_err(DBG_E_TARGET, "the process that was to begin "
					     "the trace has died");
	if (report.code)
		return dbg_err(report.code, "%s", report.message);
	*ret_id = report.id;
	return NULL;
}

static struct dbg_error *guardian_start(struct dbg_trace *t,
					const struct ipc_command *collect)
{
	int orders[2], answers[2];

	// A socket: a guardian that was killed is no reason to die by SIGPIPE.
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot make a socket");
	if (pipe2(answers, O_CLOEXEC)) {
		int errnum = errno;

		close(orders[0]);
		close(orders[1]);
		return dbg_err_errno(DBG_E_TARGET, errnum,
				     "cannot make a pipe");
	}
	t->guardian = fork();
	int errnum = errno;
	if (!t->guardian) {
		close(orders[1]);
		guardian_main(&t->port, t->stream, collect,
			      (const int[]){orders[0], answers[1]});
	}
	close(orders[0]);
	close(answers[1]);
	t->guard = orders[1];
	struct dbg_error *err =
	    t->guardian < 0
		? dbg_err_errno(DBG_E_TARGET, errnum, "cannot start a process")
		: guardian_hear(answers[0], &t->id);
	close(answers[0]);
	return err;
}

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
	struct ipc_command collect = collect_command(t, req);
	t->began = clock_ns();
	err = guardian_start(t, &collect);
	str_deinit(&collect.payload);
	return err;
}

struct dbg_error *dbg_trace_open(pid_t pid, const struct dbg_trace_request *req,
				 struct dbg_trace **ret)
{
	struct dbg_trace *t = xcalloc(1, sizeof(*t));

	t->port = (struct ipc_port){.pid = pid, .dir = -1};
	t->stream = t->stop = t->guard = -1;
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

struct dbg_error *dbg_trace_read(struct dbg_trace *t, dbg_trace_fn *fn,
				 void *arg, bool *ret_ended)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	struct dbg_error *err = NULL;

	if (!t->nettrace)
		t->nettrace = nettrace_create(fn, arg);
	for (int i = 0; !err && !t->ended && i < CHUNKS_MAX; i++) {
		ssize_t n = recv(t->stream, chunk, CHUNK, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n > 0)
			err = nettrace_feed(t->nettrace, chunk, (size_t)n);
		t->ended = n <= 0 || nettrace_ended(t->nettrace);
	}
	if (t->ended)
		nettrace_finish(t->nettrace);
	*ret_ended = t->ended;
	return err;
}

// The answer comes when the rest of the events is written, which has to be read
// meanwhile; nobody waits for it.
struct dbg_error *dbg_trace_stop(struct dbg_trace *t)
{
	struct dbg_error *err;

	if (t->stop >= 0 || t->ended)
		return NULL;
	err = ipc_connect(&t->port, &t->stop);
	if (err)
		return err;
	struct ipc_command stop = stop_command(t->id);
	err = ipc_send(&t->port, t->stop, &stop);
	str_deinit(&stop.payload);
	return err;
}

// Let the guardian go, which knows whether it still has something to do.
static void dismiss(struct dbg_trace *t)
{
	bool done = t->ended || t->stop >= 0;

	if (t->guard >= 0 && done) {
		ssize_t n = send(t->guard, "", 1, MSG_NOSIGNAL);
		(void)n; // it may have been killed
	}
	mem_close_fd(&t->guard);
	while (t->guardian > 0 && waitpid(t->guardian, NULL, 0) < 0 &&
	       errno == EINTR)
		;
}

// Events that nobody wants any more would keep the runtime from stopping.
static void drain(struct dbg_trace *t)
{
	int64_t deadline = clock_ms() + DROP_MS;
	struct pollfd p = {.fd = t->stream, .events = POLLIN};
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	ssize_t n = 1;

	while (n > 0 && clock_ms() < deadline && poll(&p, 1, DROP_MS) > 0)
		n = recv(t->stream, chunk, CHUNK, 0);
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
	if (t->id && !t->ended && !dbg_err_drop(dbg_trace_stop(t)))
		drain(t);
	mem_close_fd(&t->stream);
	dismiss(t);
	mem_close_fd(&t->stop);
	ipc_close(&t->port);
	nettrace_destroy(t->nettrace);
	map_clear_free(&t->names);
	map_deinit(&t->names);
	free(t);
}
