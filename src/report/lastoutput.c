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
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/utf8.h"

/* ---- Lines ----------------------------------------------------------- */

/* Output as lines: what escape sequences (ECMA-48) do to them is left out. */

enum {
	ESCAPE = 0x1b,
	BELL = 7
};

/* The bytes of the escape sequence at @s, of which there are @n. */
static size_t escape_length(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 2)
		return n;
	switch (s[1]) {
	case '[': // CSI: parameters, then a byte from '@' to '~'
		while (i < n && !(s[i] >= '@' && s[i] <= '~'))
			i++;
		return i < n ? i + 1 : n;
	case ']': // OSC: up to BEL or ESC '\'
		while (i < n && s[i] != BELL && s[i] != ESCAPE)
			i++;
		i += i < n && s[i] == ESCAPE;
		return i < n ? i + 1 : n;
	default: // intermediate bytes, then a last one
		i = 1;
		while (i < n && s[i] >= ' ' && s[i] <= '/')
			i++;
		return i < n ? i + 1 : n;
	}
}

static const char *clean(const char *s, size_t n, struct arena *arena)
{
	_cleanup_str_ struct str raw = {0}, line = {0};
	size_t length;

	while (n && s[n - 1] == '\r')
		n--;
	for (size_t i = 0; i < n; i += length) {
		length = s[i] == ESCAPE ? escape_length(s + i, n - i) : 1;
		if (s[i] == '\r')
			str_clear(&raw);
		else if (s[i] && s[i] != ESCAPE)
			str_addc(&raw, s[i]);
	}
	bool cut = raw.len > OUTPUT_LINE_MAX;
	utf8_add(&line, str_get(&raw), cut ? OUTPUT_LINE_MAX : raw.len);
	if (cut)
		str_add(&line, "...");
	return arena_strdup(arena, str_get(&line));
}

const char **output_lines(const char *text, size_t n, unsigned int max,
			  struct arena *arena, size_t *ret_n)
{
	const char **list = arena_calloc(arena, max + 1, sizeof(*list));
	size_t first = max;
	bool more = n > 0;

	if (n && text[n - 1] == '\n')
		n--;
	while (more && first) {
		const char *end = memrchr(text, '\n', n);
		size_t from = end ? (size_t)(end - text) + 1 : 0;

		list[--first] = clean(text + from, n - from, arena);
		more = end;
		n = from ? from - 1 : 0;
	}
	*ret_n = max - first;
	return list + first;
}

/* ---- The last output ------------------------------------------------- */

enum {
	N_STREAMS = 2,
	READ_MS = 20000,   /* the copier may be slow */
	ARRIVAL_MS = 1000, /* ... and what reads the output */
	CHUNK = 65536,
	TAIL_SIZE = 65536, /* bytes of the end of the output */
};

/* Written by the copier alone. We read it while the copier may write: what was
 * overwritten meanwhile is text of the output as well. */
struct tail {
	_Atomic uint64_t n;    /* bytes that were carried so far */
	char bytes[TAIL_SIZE]; /* byte k of all is at k % TAIL_SIZE */
};

enum stage {
	STAGE_NONE,
	STAGE_READ,    /* what there was is in the tail */
	STAGE_WRITTEN, /* ... and has arrived where it goes */
};

/* A message to the copier: how far has the output come? And its answer. */
struct question {
	uint32_t number;
	enum stage stage;
};

struct last_output {
	unsigned int lines;
	struct tail *tail;
	int ctl;                /* to the copier */
	uint32_t asked;         /* number of the last question */
	int pipes[N_STREAMS];   /* for the command; -1: none */
	char *paths[N_STREAMS]; /* of these */
};

/* ---- The copier ------------------------------------------------------- */

struct stream {
	int from; /* the pipe's end here; -1: nobody can write any more */
	int to;   /* -1: none, or all is done */
	char *p;  /* read, but not written yet */
	size_t n;
	uint64_t read, written; /* bytes so far */
	uint64_t asked;         /* read when we were asked last */
};

struct copier {
	int ctl; /* -1: dndbg has ended */
	struct stream streams[N_STREAMS];
	struct tail *tail;
	struct question question; /* that is not answered yet */
};

static void tail_keep(struct tail *tail, const char *p, size_t n)
{
	uint64_t end = atomic_load(&tail->n) + n;

	if (n > TAIL_SIZE) {
		p += n - TAIL_SIZE;
		n = TAIL_SIZE;
	}
	size_t at = (end - n) % TAIL_SIZE;
	size_t first = n < TAIL_SIZE - at ? n : TAIL_SIZE - at;

	memcpy(tail->bytes + at, p, first);
	memcpy(tail->bytes, p + first, n - first);
	atomic_store(&tail->n, end);
}

/* Read at most @n bytes, behind those that are not written yet. */
static void stream_read(struct stream *s, struct tail *tail, size_t n)
{
	if (s->from < 0)
		return;
	s->p = xrealloc(s->p, s->n + n);
	ssize_t got = read(s->from, s->p + s->n, n);

	if (got > 0) {
		tail_keep(tail, s->p + s->n, (size_t)got);
		s->n += (size_t)got;
		s->read += (size_t)got;
	} else if (!got || (errno != EAGAIN && errno != EINTR)) {
		close(s->from);
		s->from = -1;
	}
}

/*
 * The stream that the output goes to is closed: close the pipe, so that the
 * command gets SIGPIPE as it would without dndbg.
 */
static void give_up(struct stream *s)
{
	if (s->from >= 0)
		close(s->from);
	s->from = -1;
	s->written = s->read;
	s->n = 0;
}

/* Write what a pipe that is ready takes without waiting. */
static void pass_on(struct stream *s)
{
	ssize_t n = write(s->to, s->p, s->n < PIPE_BUF ? s->n : PIPE_BUF);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		give_up(s);
	if (n <= 0)
		return;
	s->n -= (size_t)n;
	s->written += (size_t)n;
	memmove(s->p, s->p + n, s->n);
}

/* Nobody of the command can write any more, and all has been written. */
static void end_stream(struct stream *s)
{
	if (s->to >= 0)
		close(s->to);
	s->to = -1;
}

static void step(struct stream *s, struct tail *tail, short from, short to)
{
	if (to & (POLLERR | POLLHUP)) // of a pipe, of a socket
		give_up(s);
	else if (to & POLLOUT)
		pass_on(s);
	else if (from)
		stream_read(s, tail, CHUNK);
	if (s->from < 0 && !s->n)
		end_stream(s);
}

/* A question: read all that there is now, which a pipe limits. */
static void on_question(struct copier *c)
{
	if (read(c->ctl, &c->question, sizeof(c->question)) !=
	    sizeof(c->question)) {
		close(c->ctl);
		c->ctl = -1;
		return;
	}
	for (int i = 0; i < N_STREAMS; i++) {
		struct stream *s = &c->streams[i];
		int n = 0;

		if (s->from >= 0 && !ioctl(s->from, FIONREAD, &n) && n > 0)
			stream_read(s, c->tail, (size_t)n);
		s->asked = s->read;
	}
	c->question.stage = STAGE_READ;
}

/* Tell how far what was asked about is. */
static void copier_answer(struct copier *c)
{
	bool written = true;

	for (int i = 0; i < N_STREAMS; i++)
		written =
		    written && c->streams[i].written >= c->streams[i].asked;
	if (c->question.stage == STAGE_READ) {
		send(c->ctl, &c->question, sizeof(c->question),
		     MSG_NOSIGNAL | MSG_DONTWAIT);
		c->question.stage = STAGE_WRITTEN;
	}
	if (c->question.stage == STAGE_WRITTEN && written) {
		send(c->ctl, &c->question, sizeof(c->question),
		     MSG_NOSIGNAL | MSG_DONTWAIT);
		c->question.stage = STAGE_NONE;
	}
}

__attribute__((noreturn)) static void serve(struct copier *c)
{
	enum {
		CTL,
		FROM,
		TO = FROM + N_STREAMS,
		N = TO + N_STREAMS
	};

	for (;;) {
		struct pollfd fds[N] = {{c->ctl, POLLIN, 0}};
		bool open = c->ctl >= 0;

		for (int i = 0; i < N_STREAMS; i++) {
			const struct stream *s = &c->streams[i];

			fds[FROM + i].fd = s->n ? -1 : s->from;
			fds[FROM + i].events = POLLIN;
			fds[TO + i].fd = s->to;
			fds[TO + i].events = s->n ? POLLOUT : 0;
			open = open || s->to >= 0;
		}
		if (!open)
			_exit(0);
		if (poll(fds, N, -1) < 0)
			continue;
		if (fds[CTL].revents)
			on_question(c);
		for (int i = 0; i < N_STREAMS; i++)
			step(&c->streams[i], c->tail, fds[FROM + i].revents,
			     fds[TO + i].revents);
		copier_answer(c);
	}
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * Close all other descriptors, which must not stay open as long as the copier
 * lives.
 */
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

__attribute__((noreturn)) static void run(struct copier *c)
{
	const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
			       SIGUSR1, SIGUSR2, SIGPIPE};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	int fds[] = {c->ctl, c->streams[0].from, c->streams[0].to,
		     c->streams[1].from, c->streams[1].to};

	setsid();
	ownprocess_hide("output-copier");
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &ignore, NULL);
	keep_open(fds, sizeof(fds) / sizeof(*fds));
	serve(c);
}

/* ---- We --------------------------------------------------------------- */

/* Do both outputs lead to one file? */
static bool outputs_share_file(void)
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

		streams[i] = (struct stream){.from = -1, .to = -1};
		if (!is_copied(to))
			continue;
		if (i && o->paths[0] && outputs_share_file()) {
			o->paths[i] = xstrdup(o->paths[0]);
			continue;
		}
		if (pipe2(ends, O_CLOEXEC) ||
		    fcntl(ends[0], F_SETFL, O_NONBLOCK))
			return false;
		streams[i] = (struct stream){.from = ends[0], .to = to};
		o->pipes[i] = ends[1];
		o->paths[i] = xasprintf("/proc/self/fd/%d", ends[1]);
	}
	return true;
}

static bool start_copier(struct last_output *o, struct copier *c)
{
	int ctl[2];

	o->tail = mmap(NULL, sizeof(*o->tail), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->tail == MAP_FAILED)
		o->tail = NULL;
	if (!o->tail ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ctl))
		return false;
	c->tail = o->tail;
	c->ctl = ctl[1];
	pid_t pid = fork();
	if (!pid)
		run(c);
	close(ctl[1]);
	o->ctl = ctl[0];
	return pid > 0;
}

struct dbg_error *last_output_create(unsigned int lines,
				     struct dbg_launch *launch,
				     struct last_output **ret)
{
	struct copier c = {
	    .streams = {{.from = -1, .to = -1}, {.from = -1, .to = -1}}};

	*ret = NULL;
	if (!lines || (!is_copied(STDOUT_FILENO) && !is_copied(STDERR_FILENO)))
		return NULL;
	struct last_output *o = xcalloc(1, sizeof(*o));
	*o = (struct last_output){
	    .lines = lines,
	    .ctl = -1,
	    .pipes = {-1, -1},
	};
	bool made = make_pipes(o, c.streams) && start_copier(o, &c);
	int errnum = errno;

	for (int i = 0; i < N_STREAMS; i++)
		if (c.streams[i].from >= 0)
			close(c.streams[i].from);
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

static bool copier_ask(struct last_output *o)
{
	const struct question question = {.number = ++o->asked};

	return o->ctl >= 0 && send(o->ctl, &question, sizeof(question),
				   MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

/* Has what was asked about come so far within @ms? */
static bool await_answer(struct last_output *o, enum stage stage, int ms)
{
	struct pollfd fd = {.fd = o->ctl, .events = POLLIN};
	struct question answer = {0};
	int64_t end = clock_ms() + ms;

	while (answer.number != o->asked || answer.stage < stage) {
		int64_t left = end - clock_ms();

		int n = poll(&fd, 1, left > 0 ? (int)left : 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 ||
		    read(o->ctl, &answer, sizeof(answer)) != sizeof(answer))
			return false;
	}
	return true;
}

void last_output_add(struct last_output *o, struct report *report)
{
	if (!o || !copier_ask(o) || !await_answer(o, STAGE_READ, READ_MS))
		return;

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
	await_answer(o, STAGE_WRITTEN, ARRIVAL_MS);
}

void last_output_destroy(struct last_output *o)
{
	if (!o)
		return;
	last_output_launched(o);
	if (copier_ask(o))
		await_answer(o, STAGE_WRITTEN, ARRIVAL_MS);
	if (o->ctl >= 0)
		close(o->ctl);
	if (o->tail)
		munmap(o->tail, sizeof(*o->tail));
	for (int i = 0; i < N_STREAMS; i++)
		free(o->paths[i]);
	free(o);
}
