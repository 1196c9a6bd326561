/*
 * The copier carries the command's output from pipes to where it goes, and
 * keeps the end of it in memory that it shares with us. It lives until nobody
 * can write any more, also when dndbg has ended: what the command leaves
 * running must not lose its output by that. It is in a session of its own, so
 * that no key of a terminal reaches it, and takes no signal that asks it to
 * end.
 *
 * Standard output and error that lead to one file go by one pipe, and so keep
 * their order. A terminal is left to the command as it is: who sits there reads
 * the output.
 */
#include "report/lastoutput.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/ownprocess.h"
#include "report/report.h"

enum {
	N_STREAMS = 2,
	ARRIVAL_MS = 1000, /* what reads the output may be slow */
	CHUNK = 65536,
	TAIL_SIZE = 65536, /* bytes of the end of the output */
};

/* Written by the copier alone. We read it while the copier may write: what was
 * overwritten meanwhile is text of the output as well. */
struct tail {
	_Atomic uint64_t n;    /* bytes that were carried so far */
	char bytes[TAIL_SIZE]; /* byte k of all is at k % TAIL_SIZE */
};

struct stream {
	int from; /* the pipe's end here; -1: nothing, or nothing any more */
	int to;
};

struct last_output {
	unsigned int lines;
	struct tail *tail;
	int ctl;                /* a byte asks: has all arrived? -1: nobody */
	int pipes[N_STREAMS];   /* for the command; -1: none */
	char *paths[N_STREAMS]; /* of these */
};

/* ---- The copier ------------------------------------------------------- */

static void keep(struct tail *tail, const char *p, size_t n)
{
	uint64_t at = atomic_load(&tail->n);

	for (size_t i = 0; i < n; i++)
		tail->bytes[(at + i) % TAIL_SIZE] = p[i];
	atomic_store(&tail->n, at + n);
}

static bool write_out(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1,
			     -1);
		else if (done < 0 && errno != EINTR)
			return false;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

/* Where nobody reads what is written, the command gets SIGPIPE, too. */
static void end_stream(struct stream *s)
{
	close(s->from);
	close(s->to);
	s->from = -1;
}

/* Carry what there is, at most a chunk; is there more at once? */
static bool carry(struct stream *s, struct tail *tail)
{
	static char chunk[CHUNK];
	ssize_t n = s->from < 0 ? -1 : read(s->from, chunk, sizeof(chunk));

	if (s->from < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return false;
	if (n > 0)
		keep(tail, chunk, (size_t)n);
	if (n <= 0 || !write_out(s->to, chunk, (size_t)n))
		end_stream(s);
	return s->from >= 0;
}

/*
 * Carry all that there was when we were asked: no more than the pipes hold.
 * False: nobody asks any more.
 */
static bool answer(int ctl, struct stream *streams, struct tail *tail)
{
	enum {
		TURNS = 1 + (1 << 20) / CHUNK
	};
	char byte;

	if (read(ctl, &byte, 1) != 1)
		return false;
	for (int i = 0; i < N_STREAMS; i++)
		for (int k = 0; k < TURNS && carry(&streams[i], tail); k++)
			;
	return send(ctl, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

__attribute__((noreturn)) static void serve(int ctl, struct stream *streams,
					    struct tail *tail)
{
	enum {
		CTL = N_STREAMS,
		N
	};
	struct pollfd fds[N] = {[CTL] = {.fd = ctl, .events = POLLIN}};

	for (;;) {
		bool open = fds[CTL].fd >= 0;

		for (int i = 0; i < N_STREAMS; i++) {
			fds[i] = (struct pollfd){.fd = streams[i].from,
						 .events = POLLIN};
			open = open || streams[i].from >= 0;
		}
		if (!open)
			_exit(0);
		if (poll(fds, N, -1) < 0)
			continue;
		for (int i = 0; i < N_STREAMS; i++)
			if (fds[i].revents)
				carry(&streams[i], tail);
		if (fds[CTL].revents && !answer(ctl, streams, tail))
			fds[CTL].fd = -1;
	}
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* What else is open must not stay so for as long as the copier lives. */
static void keep_open(int *fds, size_t n)
{
	int next = 0;

	qsort(fds, n, sizeof(*fds), by_number);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] > next)
			close_range((unsigned int)next,
				    (unsigned int)fds[i] - 1, 0);
		next = fds[i] >= next ? fds[i] + 1 : next;
	}
	close_range((unsigned int)next, ~0U, 0);
}

__attribute__((noreturn)) static void copier(int ctl, struct stream *streams,
					     struct tail *tail)
{
	const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
			       SIGUSR1, SIGUSR2, SIGPIPE};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	int fds[] = {ctl, streams[0].from, streams[0].to, streams[1].from,
		     streams[1].to};

	setsid();
	ownprocess_hide("output-copier");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &ignore, NULL);
	keep_open(fds, sizeof(fds) / sizeof(*fds));
	serve(ctl, streams, tail);
}

/* ---- We --------------------------------------------------------------- */

/* Do both outputs lead to one file? */
static bool is_one(void)
{
	struct stat a, b;

	return !fstat(STDOUT_FILENO, &a) && !fstat(STDERR_FILENO, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_copied(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 && !isatty(fd);
}

/* A pipe for each output that is kept, and a name of it for the command. */
static bool make_pipes(struct last_output *o, struct stream *streams)
{
	for (int i = 0; i < N_STREAMS; i++) {
		const int to = STDOUT_FILENO + i;
		int ends[2];

		streams[i] = (struct stream){-1, -1};
		if (!is_copied(to))
			continue;
		if (i && o->paths[0] && is_one()) {
			o->paths[i] = xstrdup(o->paths[0]);
			continue;
		}
		if (pipe2(ends, O_CLOEXEC) ||
		    fcntl(ends[0], F_SETFL, O_NONBLOCK))
			return false;
		streams[i] = (struct stream){ends[0], to};
		o->pipes[i] = ends[1];
		o->paths[i] = xasprintf("/proc/self/fd/%d", ends[1]);
	}
	return true;
}

static bool start_copier(struct last_output *o, struct stream *streams)
{
	int ctl[2];

	o->tail = mmap(NULL, sizeof(*o->tail), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->tail == MAP_FAILED)
		o->tail = NULL;
	if (!o->tail || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ctl))
		return false;
	pid_t pid = fork();
	if (!pid)
		copier(ctl[1], streams, o->tail);
	close(ctl[1]);
	o->ctl = ctl[0];
	return pid > 0;
}

struct dbg_error *last_output_create(unsigned int lines,
				     struct dbg_launch *launch,
				     struct last_output **ret)
{
	struct stream streams[N_STREAMS] = {{-1, -1}, {-1, -1}};

	*ret = NULL;
	if (!lines || (!is_copied(STDOUT_FILENO) && !is_copied(STDERR_FILENO)))
		return NULL;
	struct last_output *o = xcalloc(1, sizeof(*o));
	*o = (struct last_output){
	    .lines = lines,
	    .ctl = -1,
	    .pipes = {-1, -1},
	};
	bool made = make_pipes(o, streams) && start_copier(o, streams);
	int errnum = errno;

	for (int i = 0; i < N_STREAMS; i++)
		if (streams[i].from >= 0)
			close(streams[i].from);
	if (!made) {
		last_output_destroy(o);
		return dbg_err_errno(DBG_E_TARGET, errnum,
				     "the output cannot be kept");
	}
	for (int i = 0; i < N_STREAMS; i++)
		launch->stdio[STDOUT_FILENO + i] = o->paths[i];
	*ret = o;
	return NULL;
}

void last_output_launched(struct last_output *o)
{
	for (int i = 0; o && i < N_STREAMS; i++) {
		if (o->pipes[i] >= 0)
			close(o->pipes[i]);
		o->pipes[i] = -1;
	}
}

static void await_arrival(struct last_output *o)
{
	struct pollfd answer = {.fd = o->ctl, .events = POLLIN};
	char byte = 0;

	if (o->ctl >= 0 && send(o->ctl, &byte, 1, MSG_NOSIGNAL) == 1 &&
	    poll(&answer, 1, ARRIVAL_MS) == 1 && read(o->ctl, &byte, 1) == 1)
		return;
	// An answer that comes later would be taken for that to another.
	if (o->ctl >= 0)
		close(o->ctl);
	o->ctl = -1;
}

void last_output_add(struct last_output *o, struct report *report)
{
	if (!o)
		return;
	await_arrival(o);

	_cleanup_str_ struct str text = {0};
	uint64_t end = atomic_load(&o->tail->n);
	uint64_t from = end > TAIL_SIZE ? end - TAIL_SIZE : 0;

	for (uint64_t i = from; i < end; i++)
		str_addc(&text, o->tail->bytes[i % TAIL_SIZE]);
	// the first line may have lost its beginning
	const char *whole = from ? memchr(text.s, '\n', text.len) : NULL;
	size_t skip = whole ? (size_t)(whole + 1 - text.s) : 0;

	report->output.lines =
	    output_lines(str_get(&text) + skip, text.len - skip, o->lines,
			 report->arena, &report->output.n);
}

void last_output_destroy(struct last_output *o)
{
	if (!o)
		return;
	last_output_launched(o);
	await_arrival(o);
	if (o->ctl >= 0)
		close(o->ctl);
	if (o->tail)
		munmap(o->tail, sizeof(*o->tail));
	for (int i = 0; i < N_STREAMS; i++)
		free(o->paths[i]);
	free(o);
}
