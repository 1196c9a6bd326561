/*
 * The helper in a client's terminal: see console.h. It tells the terminal's
 * name to the adapter over a socket, passes on signals that the terminal sends
 * (its keys, its size, its end), and ends when the program does.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dap/launch/console.h"

// Signals passed on to the program: of the terminal's keys, its size and its
// end.
static const int passed[] = {SIGINT, SIGQUIT, SIGWINCH, SIGHUP, SIGTERM};

static int connect_to(const char *path)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static int warn(const char *what)
{
	fprintf(stderr, "dndbg: %s: %s\n", what, strerror(errno));
	return 1;
}

static void pass_signal(int signals, int fd)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) != sizeof(info))
		return;
	unsigned char byte = (unsigned char)info.ssi_signo;
	send(fd, &byte, 1, MSG_NOSIGNAL);
}

int helper_main(const char *path)
{
	char name[256];
	sigset_t set;

	int n = ttyname_r(STDIN_FILENO, name, sizeof(name) - 1);
	if (n) {
		errno = n;
		return warn("no terminal");
	}
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&set, passed[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int signals = signalfd(-1, &set, SFD_CLOEXEC);
	int fd = connect_to(path);
	if (fd < 0 || signals < 0)
		return warn(path);
	size_t len = strlen(name);
	name[len++] = '\n';
	send(fd, name, len, MSG_NOSIGNAL);
	struct pollfd fds[2] = {{signals, POLLIN, 0}, {fd, POLLIN, 0}};
	while (poll(fds, 2, -1) >= 0 || errno == EINTR) {
		if (fds[0].revents)
			pass_signal(signals, fd);
		if (!fds[1].revents)
			continue;
		unsigned char status = 1;
		// the end of the socket: dndbg is gone, and the program
		return read(fd, &status, 1) == 1 ? status : 1;
	}
	return 1;
}
