/* The process that outlives us: see guardian.h. */
#include "eventpipe/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

enum {
	MESSAGE_MAX = 400,
	// When it is not busy, of DBG_TRACE_BUSY_MS; it seldom is for long.
	REST_FROM_MS = 600,
	REST_UNTIL_MS = 800,
	NS_PER_MS = 1000000,
	SUSPENDED_PAUSE_NS = 100 * NS_PER_MS,
};

/* What dndbg says. */
struct guardian_order {
	bool stopped;
	uint64_t busy_since;
};

/* The guardian's report of whether it has begun the trace. */
struct guardian_report {
	uint64_t id;
	enum dbg_code code; /* 0: it has begun */
	char message[MESSAGE_MAX];
};

// Detach from dndbg's surroundings: ignore keys and hangups, which are not
// meant for this process, and close all descriptors but its own, since somebody
// may wait for their end.
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

// Take the runtime's answer; @sent: the failure to ask it, or NULL.
static struct guardian_report guardian_answer(const struct guarded *what,
					      struct dbg_error *sent)
{
	struct guardian_report report = {0};
	_cleanup_str_ struct str reply = {0};
	struct reader r;

	struct dbg_error *err =
	    sent ? sent : ipc_receive(what->port, what->stream, &reply);
	if (err) {
		report.code = err->code;
		snprintf(report.message, MESSAGE_MAX, "%s", err->message);
		dbg_error_destroy(err);
		return report;
	}
	reader_init(&r, reply.s, reply.len);
	report.id = what->has_id ? reader_u64(&r) : 0;
	return report;
}

static void wait_while_suspended(const struct ipc_port *port)
{
	const struct timespec pause = {.tv_nsec = SUSPENDED_PAUSE_NS};

	while (ipc_suspended(port))
		nanosleep(&pause, NULL);
}

// Begin it; what becomes of it goes to our parent by @out. A program that is
// stopped just then begins it when it goes on.
static struct guardian_report guardian_begin(const struct guarded *what,
					     int out)
{
	struct guardian_report report = guardian_answer(
	    what, ipc_send(what->port, what->stream, what->begin));
	ssize_t n = write(out, &report, sizeof(report));
	(void)n; // it may be dead

	close(out);
	prctl(PR_SET_NAME, "dndbg-guardian"); // it has something to guard
	while (report.code == DBG_E_STATE) {
		wait_while_suspended(what->port);
		report = guardian_answer(what, NULL);
	}
	return report;
}

// The next time (clock_ms()) at which it is likely to be not busy.
static int64_t next_rest(uint64_t busy_since)
{
	int64_t since = (int64_t)(busy_since / NS_PER_MS);
	int64_t now = clock_ms(), phase = (now - since) % DBG_TRACE_BUSY_MS;

	if (now < since || phase < REST_FROM_MS)
		return now + REST_FROM_MS - (now < since ? 0 : phase);
	return phase < REST_UNTIL_MS
		   ? now
		   : now + DBG_TRACE_BUSY_MS + REST_FROM_MS - phase;
}

// Wait until it may be stopped. If the program is stopped by somebody, it may
// be busy as soon as it goes on.
static void guardian_wait(const struct guarded *what, int stream,
			  int64_t stop_from, uint64_t busy_since)
{
	ipc_drain(stream, busy_since ? next_rest(busy_since) : stop_from);
	while (ipc_suspended(what->port)) {
		wait_while_suspended(what->port);
		stop_from =
		    clock_ms() + (busy_since ? REST_FROM_MS : what->min_ms);
		ipc_drain(stream, stop_from);
		if (busy_since)
			ipc_drain(stream, next_rest(busy_since));
	}
}

static _Noreturn void guardian_main(const struct guarded *what,
				    const int pipes[2])
{
	struct guardian_order order = {0};
	struct str reply = {0};
	int stream = what->stream;
	ssize_t n;

	guardian_withdraw(what->port,
			  (const int[]){what->stream, pipes[0], pipes[1]});
	struct guardian_report report = guardian_begin(what, pipes[1]);
	int64_t stop_from = clock_ms() + what->min_ms;
	// While it is open here the runtime would not notice a dead reader.
	if (!what->min_ms)
		mem_close_fd(&stream);
	do
		n = read(pipes[0], &order, sizeof(order));
	while (n < 0 ? errno == EINTR : n && !order.stopped);
	if (!n && !report.code) {
		if (stream >= 0)
			guardian_wait(what, stream, stop_from,
				      order.busy_since);
		mem_close_fd(&stream);
		struct ipc_command end = guarded_end(what, report.id);
		struct dbg_error *err = ipc_ask(what->port, &end, &reply);

		dbg_error_destroy(err);
	}
	_exit(0);
}

// Read the guardian's report. The guardian limits its own time.
static struct dbg_error *guardian_hear(int fd, uint64_t *ret_id)
{
	struct guardian_report report;
	ssize_t n;

	do
		n = read(fd, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(report))
		return dbg_err(DBG_E_TARGET, "the process that was to ask the "
					     "runtime has died");
	if (report.code)
		return dbg_err(report.code, "%s", report.message);
	*ret_id = report.id;
	return NULL;
}

struct ipc_command guarded_end(const struct guarded *what, uint64_t id)
{
	struct ipc_command c = {.set = what->begin->set, .id = what->end};

	if (what->has_id)
		ipc_put(&c.payload, id, 8);
	return c;
}

struct dbg_error *guardian_start(struct guardian *g, const struct guarded *what,
				 uint64_t *ret_id)
{
	int orders[2], answers[2];

	// A socket: a guardian that was killed is no reason to die by SIGPIPE.
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders))
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot make a socket");
	if (pipe2(answers, O_CLOEXEC)) {
		int errnum = errno;

		close(orders[0]);
		close(orders[1]);
		return dbg_err_errno(DBG_E_TARGET, errnum,
				     "cannot make a pipe");
	}
	g->port = what->port;
	g->pid = fork();
	int errnum = errno;
	if (!g->pid) {
		close(orders[1]);
		guardian_main(what, (const int[]){orders[0], answers[1]});
	}
	close(orders[0]);
	close(answers[1]);
	g->socket = orders[1];
	struct dbg_error *err =
	    g->pid < 0
		? dbg_err_errno(DBG_E_TARGET, errnum, "cannot start a process")
		: guardian_hear(answers[0], ret_id);
	close(answers[0]);
	return err;
}

static void guardian_tell(const struct guardian *g, struct guardian_order order)
{
	ssize_t n = send(g->socket, &order, sizeof(order), MSG_NOSIGNAL);
	(void)n; // it may have been killed
}

void guardian_busy(struct guardian *g, uint64_t since)
{
	guardian_tell(g, (struct guardian_order){.busy_since = since});
}

void guardian_dismiss(struct guardian *g, bool done)
{
	bool wait = g->pid > 0 && (done || !ipc_suspended(g->port));

	if (g->socket >= 0 && done)
		guardian_tell(g, (struct guardian_order){.stopped = true});
	mem_close_fd(&g->socket);
	while (wait && waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
