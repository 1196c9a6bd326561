/* The diagnostics socket: see ipc.h. */
#include "eventpipe/ipc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "target/proc.h"
#include "target/target.h"

enum {
	ANSWER_MS = 10000, // 3 s were too few on a machine with much to do
	LOOK_MS = 100,     // whether the program is stopped
	SET_SERVER = 0xff,
	ID_OK = 0,
	ID_ERROR = 0xff,
};

static const char magic[14] = "DOTNET_IPC_V1";

void ipc_put(struct str *to, uint64_t n, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++, n >>= 8)
		str_addc(to, (char)(n & 0xff));
}

// Only names of our own are sent, and none has a character outside of ASCII.
void ipc_put_string(struct str *to, const char *text)
{
	if (!*text) {
		ipc_put(to, 0, 4);
		return;
	}
	ipc_put(to, strlen(text) + 1, 4);
	for (const char *p = text; *p; p++)
		ipc_put(to, (unsigned char)*p & 0x7f, 2);
	ipc_put(to, 0, 2);
}

/* ---- The place --------------------------------------------------------- */

static struct dbg_error *no_right(pid_t pid, uid_t uid, int errnum)
{
	const struct passwd *pw = getpwuid(uid);
	_cleanup_free_ char *user =
	    pw ? xstrdup(pw->pw_name) : xasprintf("%u", uid);

	if (!geteuid() || geteuid() == uid)
		return target_closed(pid, errnum);
	return dbg_err(DBG_E_TARGET,
		       "no permission for process %d, which belongs to user "
		       "'%s': its runtime answers that user and root only",
		       pid, user);
}

static struct dbg_error *ipc_error(pid_t pid, int errnum, const char *what)
{
	struct proc_summary summary;
	char state = proc_lasting_state(pid);

	if (!state || state == 'Z' || !proc_summary(pid, &summary))
		return dbg_err(DBG_E_NOT_FOUND,
			       "there is no process %d, or it has ended", pid);
	if (errnum == EACCES || errnum == EPERM)
		return no_right(pid, summary.uid, errnum);
	if (errnum == ENOENT || errnum == ECONNREFUSED || errnum == ENOTDIR)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the runtime of process %d serves no "
			       "diagnostics at '%s': it is not up yet, was "
			       "started with DOTNET_EnableDiagnostics=0, "
			       "could not write there (TMPDIR), or the socket "
			       "was removed",
			       pid, what);
	if (errnum == EAGAIN)
		return dbg_err(DBG_E_TARGET,
			       "too many clients wait for the runtime of "
			       "process %d",
			       pid);
	return dbg_err_errno(DBG_E_TARGET, errnum,
			     "cannot reach the runtime of process %d", pid);
}

static struct dbg_error *check_running(pid_t pid)
{
	char state = proc_lasting_state(pid);

	if (!proc_state_is_stopped(state))
		return NULL;
	return dbg_err(DBG_E_STATE,
		       "process %d is stopped, %s: its runtime answers when it "
		       "goes on",
		       pid,
		       state == 't' ? "by a debugger"
				    : "by a signal; SIGCONT lets it go on");
}

bool ipc_suspended(const struct ipc_port *port)
{
	return proc_state_is_stopped(proc_lasting_state(port->pid));
}

struct dbg_error *ipc_open(pid_t pid, struct ipc_port *ret)
{
	struct proc_summary summary;
	struct ipc_port port = {.pid = pid};

	if (!proc_summary(pid, &summary))
		return ipc_error(pid, ESRCH, "");
	struct dbg_error *err = check_running(pid);
	if (err)
		return err;
	_cleanup_free_ char *place = proc_temporary(pid);
	_cleanup_free_ char *path = xasprintf("/proc/%d/root%s", pid, place);

	snprintf(port.name, sizeof(port.name),
		 "dotnet-diagnostic-%d-%" PRIu64 "-socket", summary.inside,
		 proc_start_time(pid));
	port.dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (port.dir < 0)
		return ipc_error(pid, errno, place);
	*ret = port;
	return NULL;
}

void ipc_close(struct ipc_port *port)
{
	mem_close_fd(&port->dir);
}

/* ---- Messages ---------------------------------------------------------- */

// The name is the process's id in its namespace and the tick in which it
// started: the first processes of two containers that share a directory for
// temporary files may have one name, and the later one has the socket.
static struct dbg_error *check_server(const struct ipc_port *port, int fd)
{
	struct ucred server;
	socklen_t size = sizeof(server);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &server, &size))
		return ipc_error(port->pid, errno, port->name);
	if (server.pid == port->pid)
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "the diagnostics socket of process %d is served by "
		       "process %d, whose socket has the same name: give each "
		       "a directory for temporary files of its own (TMPDIR)",
		       port->pid, server.pid);
}

// Connects by way of the open directory, because a path below /proc/PID/root
// may be longer than a socket's address.
struct dbg_error *ipc_connect(const struct ipc_port *port, int *ret)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return ipc_error(port->pid, errno, "");
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/%s",
		 port->dir, port->name);
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return ipc_error(port->pid, errno, port->name);
	struct dbg_error *err = check_server(port, fd);
	if (err)
		return err;
	*ret = fd;
	fd = -1;
	return NULL;
}

struct dbg_error *ipc_send(const struct ipc_port *port, int fd,
			   const struct ipc_command *command)
{
	_cleanup_str_ struct str message = {0};

	assert(command->payload.len <= IPC_PAYLOAD_MAX);
	str_addn(&message, magic, sizeof(magic));
	ipc_put(&message, IPC_HEADER + command->payload.len, 2);
	ipc_put(&message, command->set, 1);
	ipc_put(&message, command->id, 1);
	ipc_put(&message, 0, 2);
	str_addn(&message, command->payload.s, command->payload.len);
	// The socket's buffer has room for many of them.
	ssize_t n = send(fd, message.s, message.len, MSG_NOSIGNAL);
	if (n < 0)
		return ipc_error(port->pid, errno, port->name);
	return (size_t)n == message.len
		   ? NULL
		   : ipc_error(port->pid, EAGAIN, port->name);
}

void ipc_drain(int fd, int64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char chunk[4096];
	ssize_t n = 1;

	for (int64_t left; n > 0 && (left = deadline - clock_ms()) > 0;)
		if (poll(&p, 1, (int)left) > 0)
			n = recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT);
}

bool ipc_header(const uint8_t p[IPC_HEADER], bool *ret_failed, size_t *ret_n)
{
	struct reader r;

	reader_init(&r, p, IPC_HEADER);
	const uint8_t *name = reader_bytes(&r, sizeof(magic)).p;
	uint16_t size = reader_u16(&r);
	uint8_t set = reader_u8(&r), id = reader_u8(&r);

	if (memcmp(name, magic, sizeof(magic)) || size < IPC_HEADER ||
	    set != SET_SERVER || (id != ID_OK && id != ID_ERROR))
		return false;
	*ret_failed = id == ID_ERROR;
	*ret_n = size - IPC_HEADER;
	return true;
}

// Exactly @n bytes, until @deadline, or until the program is stopped.
static struct dbg_error *ipc_read(const struct ipc_port *port, int fd, void *to,
				  size_t n, int64_t deadline)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (size_t got = 0; got < n;) {
		int64_t left = deadline - clock_ms();
		ssize_t more = recv(fd, (char *)to + got, n - got, 0);

		if (more > 0) {
			got += (size_t)more;
			continue;
		}
		if (!more)
			return ipc_error(port->pid, ECONNRESET, port->name);
		if (errno != EAGAIN && errno != EINTR)
			return ipc_error(port->pid, errno, port->name);
		if (left <= 0)
			return dbg_err(DBG_E_TARGET,
				       "the runtime of process %d does not "
				       "answer",
				       port->pid);
		if (poll(&p, 1, left < LOOK_MS ? (int)left : LOOK_MS))
			continue;
		struct dbg_error *err = check_running(port->pid);
		if (err)
			return err;
	}
	return NULL;
}

/* Why a runtime refuses, by the HRESULT that it answers. */
static const struct {
	uint32_t hr;
	const char *text;
} reasons[] = {
    {0x80004005, "it has no room for another session (64 are the limit)"},
    {0x80131384, "it does not understand what was asked"},
    {0x80131385, "its version does not know what was asked"},
    {0x80131515, "it does not support what was asked"},
    {0x8013135b, "it is not ready yet"},
    {0x80131371, "it is not initialised yet"},
};

static struct dbg_error *ipc_refused(pid_t pid, struct bytes payload)
{
	struct reader r;

	reader_init(&r, payload.p, payload.n);
	uint32_t hr = reader_u32(&r);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].hr == hr)
			return dbg_err(DBG_E_RUNTIME,
				       "the runtime of process %d refuses: %s",
				       pid, reasons[i].text);
	return dbg_err(DBG_E_RUNTIME,
		       "the runtime of process %d refuses (0x%08" PRIx32 ")",
		       pid, hr);
}

struct dbg_error *ipc_receive(const struct ipc_port *port, int fd,
			      struct str *reply)
{
	int64_t deadline = clock_ms() + ANSWER_MS;
	uint8_t header[IPC_HEADER];
	bool failed;
	size_t n;

	struct dbg_error *err =
	    ipc_read(port, fd, header, sizeof(header), deadline);
	if (err)
		return err;
	if (!ipc_header(header, &failed, &n))
		return dbg_err(DBG_E_FORMAT,
			       "the answer of process %d is not a runtime's",
			       port->pid);
	uint8_t *payload = (uint8_t *)str_room(reply, n);
	err = ipc_read(port, fd, payload, n, deadline);
	if (!err && failed)
		err = ipc_refused(port->pid, (struct bytes){payload, n});
	if (!err)
		str_end(reply, (char *)payload + n);
	return err;
}

struct dbg_error *ipc_ask(const struct ipc_port *port,
			  const struct ipc_command *command, struct str *reply)
{
	_cleanup_close_ int fd = -1;

	struct dbg_error *err = ipc_connect(port, &fd);
	if (!err)
		err = ipc_send(port, fd, command);
	return err ? err : ipc_receive(port, fd, reply);
}

uint32_t ipc_major_version(struct bytes reply)
{
	enum {
		STRINGS_BEFORE = 4
	}; // command line, system, processor, program
	struct reader r;
	uint32_t major = 0;

	reader_init(&r, reply.p, reply.n);
	reader_skip(&r, 8 + 16); // the process's id, and a GUID of the runtime
	for (int i = 0; i < STRINGS_BEFORE; i++)
		reader_skip(&r, (size_t)reader_u32(&r) * 2);
	uint32_t n = reader_u32(&r);
	for (uint32_t i = 0; i < n && !r.bad; i++) {
		uint16_t c = reader_u16(&r);

		if (c < '0' || c > '9' || major > 999)
			break;
		major = major * 10 + c - '0';
	}
	return r.bad ? 0 : major;
}
