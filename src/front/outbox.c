/*
 * Bytes on their way to a client that may read slowly: written without waiting
 * as far as the descriptor takes them, the rest is kept.
 */
#include "front/outbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	KEPT_MAX_BYTES = 1 << 20,
	DIRECT_MIN_BYTES = 32 << 10,
	PIPE_BYTES = 1 << 20,
	FINISH_MS = 1000, /* without progress */
};

static void do_nothing(int number)
{
	(void)number;
}

// Do not die by SIGPIPE: write() reports that the reader is gone. A handler,
// unlike SIG_IGN, is not inherited by the programs that we start.
static void survive_sigpipe(void)
{
	struct sigaction now;

	if (!sigaction(SIGPIPE, NULL, &now) && now.sa_handler == SIG_DFL) {
		now.sa_handler = do_nothing;
		sigaction(SIGPIPE, &now, NULL);
	}
}

/*
 * Open the file of @fd again, as a non-blocking descriptor. O_NONBLOCK is not
 * set on @fd itself, since all processes that share the open file would see it.
 * A socket cannot be opened again and is written with MSG_DONTWAIT. A regular
 * file never blocks, and is shared, so that all continue where the others have
 * written.
 */
static int open_nonblocking(int fd)
{
	struct stat st;
	char path[64];
	int ret = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		ret = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	return ret < 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : ret;
}

void outbox_init(struct outbox *o, int fd)
{
	survive_sigpipe();
	*o = (struct outbox){.fd = open_nonblocking(fd)};
	o->gone = o->fd < 0;
	// fewer turns for a long message; refused, or no pipe, is no harm
	fcntl(o->fd, F_SETPIPE_SZ, PIPE_BYTES);
}

void outbox_deinit(struct outbox *o)
{
	if (o->fd >= 0)
		close(o->fd);
	str_deinit(&o->bytes);
	*o = (struct outbox){.fd = -1, .gone = true};
}

size_t outbox_pending(const struct outbox *o)
{
	return o->gone ? 0 : o->bytes.len - o->at;
}

static ssize_t write_some(struct outbox *o, struct iovec v[2])
{
	struct msghdr message = {.msg_iov = v, .msg_iovlen = 2};
	ssize_t done = -1;

	if (!o->is_file)
		done = sendmsg(o->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	o->is_file = o->is_file || (done < 0 && errno == ENOTSOCK);
	return o->is_file ? writev(o->fd, v, 2) : done;
}

// Drop what was written, and free a buffer that has once become large.
static void shrink(struct outbox *o)
{
	size_t left = o->bytes.len - o->at;

	if (left && o->at < o->bytes.len / 2)
		return;
	if (!left && o->bytes.cap > KEPT_MAX_BYTES) {
		str_deinit(&o->bytes);
	} else if (o->bytes.s) {
		memmove(o->bytes.s, o->bytes.s + o->at, left);
		o->bytes.len = left;
	}
	o->at = 0;
}

// Write as much as is accepted now of what is kept and of @s, which follows it;
// returns how much of @s.
static size_t outbox_push(struct outbox *o, const char *s, size_t n)
{
	size_t done = 0, kept;

	while ((kept = outbox_pending(o)) || (!o->gone && done < n)) {
		struct iovec v[2] = {
		    {.iov_base = kept ? o->bytes.s + o->at : NULL,
		     .iov_len = kept},
		    {.iov_base = n ? (char *)(uintptr_t)s + done : NULL,
		     .iov_len = n - done},
		};
		ssize_t now = write_some(o, v);

		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0 && errno != EAGAIN)
			o->gone = true;
		if (now <= 0)
			break;
		if ((size_t)now < kept)
			kept = (size_t)now;
		o->at += kept;
		done += (size_t)now - kept;
	}
	return done;
}

void outbox_flush(struct outbox *o)
{
	outbox_push(o, NULL, 0);
	shrink(o);
}

void outbox_add(struct outbox *o, const char *bytes, size_t n)
{
	size_t done = 0;

	// what is long is copied only if it has to wait
	if (n >= DIRECT_MIN_BYTES) {
		done = outbox_push(o, bytes, n);
		shrink(o);
	}
	if (!o->gone)
		str_addn(&o->bytes, bytes + done, n - done);
}

void outbox_finish(struct outbox *o)
{
	struct pollfd fd = {o->fd, POLLOUT, 0};

	while (outbox_pending(o) && poll(&fd, 1, FINISH_MS) > 0)
		outbox_flush(o);
}
