/*
 * Waiting for the one client of `--server`: connections of the same user only,
 * and of these the first that has said a whole message, so that a port scan or
 * a hung client keeps nobody out.
 */
#include "front/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"

/* ---- The peer -------------------------------------------------------- */

/*
 * Which user is at the other end of a connection: by SO_PEERCRED of a Unix
 * socket; for TCP by the owner of the other socket in /proc/net/tcp.
 */

// An IPv4 address and port as /proc/net/tcp and tcp6 write them.
static void write_end(const struct sockaddr_in *a, bool v6, char ret[48])
{
	snprintf(ret, 48, "%s%08" PRIX32 ":%04X",
		 v6 ? "0000000000000000FFFF0000" : "", a->sin_addr.s_addr,
		 ntohs(a->sin_port));
}

/*
 * The line of the socket at @local that is connected to @remote, as the other
 * process sees it. A socket that no process holds any more has no inode, and
 * says nothing of its owner.
 */
static bool find_owner(const char *file, const char *local, const char *remote,
		       uid_t *ret)
{
	char line[512], from[48], to[48];
	unsigned int uid, inode;
	bool found = false;

	FILE *f = fopen(file, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %47s %47s %*s %*s %*s %*s %u %*s %u",
			       from, to, &uid, &inode) == 4 &&
			inode && !strcmp(from, local) && !strcmp(to, remote);
	fclose(f);
	if (found)
		*ret = uid;
	return found;
}

static bool tcp_owner(int fd, uid_t *ret)
{
	static const char *const files[] = {"/proc/net/tcp", "/proc/net/tcp6"};
	struct sockaddr_in ours, theirs;
	socklen_t n_ours = sizeof(ours), n_theirs = sizeof(theirs);
	char local[48], remote[48];

	if (getsockname(fd, (struct sockaddr *)&ours, &n_ours) < 0 ||
	    getpeername(fd, (struct sockaddr *)&theirs, &n_theirs) < 0)
		return false;
	for (int v6 = 0; v6 < 2; v6++) {
		write_end(&theirs, v6, local);
		write_end(&ours, v6, remote);
		if (find_owner(files[v6], local, remote, ret))
			return true;
	}
	return false;
}

/*
 * Does the connection @fd, over TCP within this machine or over a Unix
 * socket, come from a process of the user we run as? What cannot be told does
 * not.
 */
static bool peer_is_same_user(int fd, bool tcp)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	uid_t uid;

	if (tcp)
		return tcp_owner(fd, &uid) && uid == geteuid();
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
	       peer.uid == geteuid();
}

/* ---- Listening ------------------------------------------------------- */

enum {
	CALLERS_MAX = 8,
	FIRST_MAX_BYTES = 64 << 10, /* `initialize` is not larger */
};

/* A client that has connected and not sent a whole message yet. */
struct caller {
	int fd;
	struct framing in;
};

struct callers {
	const struct listen_protocol *protocol;
	int fd; /* listens */
	bool tcp;
	int ends;     /* readable: a signal is to end us; -1: none is heard */
	sigset_t old; /* signals that were blocked before */
	struct caller v[CALLERS_MAX]; /* the oldest first */
	size_t n;
};

static int listen_tcp(uint16_t port)
{
	struct sockaddr_in addr = {
	    .sin_family = AF_INET,
	    .sin_port = htons(port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr *sa = (struct sockaddr *)&addr;
	socklen_t len = sizeof(addr);
	int on = 1;

	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, sa, len) < 0 || listen(fd, CALLERS_MAX) < 0 ||
	    getsockname(fd, sa, &len) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	fprintf(stderr, "dndbg: waiting for a client on 127.0.0.1:%u\n",
		ntohs(addr.sin_port));
	return fd;
}

static int listen_unix(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	// nobody else may connect, not even for a moment
	mode_t mask = umask(0177);
	int failed = fd < 0 ||
		     bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
		     listen(fd, CALLERS_MAX) < 0;
	int saved = errno;
	umask(mask);
	if (failed) {
		if (fd >= 0)
			close(fd);
		errno = saved;
		return -1;
	}
	fprintf(stderr, "dndbg: waiting for a client on %s\n", path);
	return fd;
}

/*
 * Block the signals that would end the process, and get them from the
 * descriptor c->ends: the socket's file has to be removed first. They stay
 * pending until end_hearing.
 */
static void hear_signals(struct callers *c)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action;
	sigset_t heard;

	sigemptyset(&heard);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!sigaction(ends[i], NULL, &action) &&
		    action.sa_handler == SIG_DFL)
			sigaddset(&heard, ends[i]);
	sigprocmask(SIG_BLOCK, &heard, &c->old);
	c->ends = signalfd(-1, &heard, SFD_CLOEXEC);
	if (c->ends < 0)
		sigprocmask(SIG_SETMASK, &c->old, NULL);
}

static void end_hearing(struct callers *c)
{
	if (c->ends >= 0)
		close(c->ends);
	sigprocmask(SIG_SETMASK, &c->old, NULL);
}

static void drop(struct callers *c, size_t i)
{
	close(c->v[i].fd);
	framing_deinit(&c->v[i].in);
	c->n--;
	memmove(&c->v[i], &c->v[i + 1], (c->n - i) * sizeof(c->v[0]));
}

// Send the greeting. A socket that has no room for it even when empty was
// closed by its peer.
static void greet(const struct callers *c, int fd)
{
	const char *s = c->protocol->greeting;

	ssize_t n = s ? send(fd, s, strlen(s), MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
	(void)n;
}

static void take_caller(struct callers *c)
{
	int fd = accept4(c->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (!peer_is_same_user(fd, c->tcp)) {
		fprintf(stderr, "dndbg: refused a client of another user\n");
		close(fd);
		return;
	}
	// one that says nothing keeps nobody out
	if (c->n == CALLERS_MAX)
		drop(c, 0);
	greet(c, fd);
	c->v[c->n++] = (struct caller){.fd = fd};
}

// Read what the caller has sent so far. Returns whether it is a message, the
// beginning of one, or something else.
static enum framing_state caller_hear(const struct callers *c,
				      struct caller *caller)
{
	char buf[4096];
	ssize_t n = recv(caller->fd, buf, sizeof(buf), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return FRAMING_MORE;
	if (n <= 0)
		return FRAMING_BROKEN;
	framing_feed(&caller->in, buf, (size_t)n);
	enum framing_state state = c->protocol->first(&caller->in);
	if (state == FRAMING_MORE && caller->in.in.len > FIRST_MAX_BYTES)
		return FRAMING_BROKEN;
	return state;
}

static bool hear_all(struct callers *c, const struct pollfd *fds, size_t *ret)
{
	// backwards: those that are dropped are behind
	for (size_t i = c->n; i-- > 0;) {
		if (!fds[i].revents)
			continue;
		enum framing_state state = caller_hear(c, &c->v[i]);
		if (state == FRAMING_BROKEN) {
			fprintf(stderr,
				"dndbg: refused a client that does not speak "
				"%s\n",
				c->protocol->name);
			drop(c, i);
		} else if (state == FRAMING_MESSAGE) {
			*ret = i;
			return true;
		}
	}
	return false;
}

// Wait for the first caller that sends a message; false: a signal to end the
// process has come.
static bool caller_choose(struct callers *c, int *ret, struct framing *ret_in)
{
	struct pollfd fds[CALLERS_MAX + 2];
	size_t chosen = 0;

	for (bool found = false; !found;) {
		size_t n = c->n;
		for (size_t i = 0; i < n; i++)
			fds[i] = (struct pollfd){c->v[i].fd, POLLIN, 0};
		fds[n] = (struct pollfd){c->fd, POLLIN, 0};
		fds[n + 1] = (struct pollfd){c->ends, POLLIN, 0};
		if (poll(fds, n + 2, -1) < 0)
			continue;
		if (fds[n + 1].revents)
			return false;
		found = hear_all(c, fds, &chosen);
		if (!found && fds[n].revents)
			take_caller(c);
	}
	*ret = c->v[chosen].fd;
	*ret_in = c->v[chosen].in;
	c->v[chosen] = c->v[--c->n];
	return true;
}

static struct dbg_error *no_place(const struct listen_at *at)
{
	if (at->path)
		return dbg_err(DBG_E_FILE, "cannot listen on '%s': %s",
			       at->path, strerror(errno));
	return dbg_err(DBG_E_FILE, "cannot listen on 127.0.0.1:%u: %s",
		       at->port, strerror(errno));
}

struct dbg_error *listen_accept(const struct listen_at *at,
				const struct listen_protocol *protocol,
				int *ret, struct framing *ret_in)
{
	struct callers c = {.protocol = protocol, .tcp = !at->path};
	int on = 1;

	hear_signals(&c);
	c.fd = at->path ? listen_unix(at->path) : listen_tcp(at->port);
	struct dbg_error *err = c.fd < 0 ? no_place(at) : NULL;
	bool chosen = !err && caller_choose(&c, ret, ret_in);
	while (c.n)
		drop(&c, c.n - 1);
	if (!err)
		close(c.fd);
	if (!err && at->path)
		unlink(at->path);
	// ... which ends us
	end_hearing(&c);
	if (!chosen)
		return err ? err : dbg_err(DBG_E_STATE, "no client came");
	// messages are small and answered at once
	if (c.tcp)
		setsockopt(*ret, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return NULL;
}
