#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fault.h"

static struct dbg_error *failed(int fd, uint16_t port)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	return fault(DBG_E_FILE, "cannot listen on 127.0.0.1:%u: %s", port,
		     strerror(saved));
}

struct dbg_error *listen_accept(uint16_t port, int *ret)
{
	struct sockaddr_in addr = {
	    .sin_family = AF_INET,
	    .sin_port = htons(port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr *sa = (struct sockaddr *)&addr;
	socklen_t len = sizeof(addr);
	int on = 1;

	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, sa, len) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, sa, &len) < 0)
		return failed(fd, port);
	fprintf(stderr, "dndbg: waiting for a client on 127.0.0.1:%u\n",
		ntohs(addr.sin_port));
	int client;
	do
		client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	while (client < 0 && errno == EINTR);
	if (client < 0)
		return failed(fd, port);
	close(fd);
	// messages are small and answered at once
	setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret = client;
	return NULL;
}
