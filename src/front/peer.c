/*
 * Which user is at the other end of a connection: SO_PEERCRED of a Unix socket;
 * for TCP the owner of the other socket in /proc/net/tcp.
 */
#include "front/peer.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

bool peer_is_same_user(int fd, bool tcp)
{
	struct ucred peer;
	socklen_t n = sizeof(peer);
	uid_t uid;

	if (tcp)
		return tcp_owner(fd, &uid) && uid == geteuid();
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 &&
	       peer.uid == geteuid();
}
