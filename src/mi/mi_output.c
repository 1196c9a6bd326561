/*
 * The program's output, read from pipes and passed on as target stream records.
 */
#include "mi/mi_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mi/mi_priv.h"
#include "mi/record.h"

enum {
	CHUNK_BYTES = 32 << 10,
	PIPE_BYTES = 1 << 20,
	DRAIN_MAX_BYTES = 8 << 20, /* others may keep on printing */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void mi_output_init(struct mi_output *o)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		o->fds[i] = o->theirs[i] = -1;
}

void mi_output_deinit(struct mi_output *o)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		close_fd(&o->fds[i]);
	mi_output_started(o);
}

static bool open_pipe(struct mi_output *o, int i)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	o->fds[i] = fds[0];
	o->theirs[i] = fds[1];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	// fewer turns for a program that prints much; refused is no harm
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES);
	snprintf(o->names[i], sizeof(o->names[i]), "/dev/fd/%d", fds[1]);
	return true;
}

// Set up the program's descriptors. Those without a place of their own become
// pipes, or /dev/null if a pipe cannot be made or there is no input: the
// program never gets the client's streams. Our own input is free for it if the
// client has connected by a socket.
void mi_output_launch(void *arg, struct dbg_launch *launch)
{
	struct mi_output *o = arg;

	mi_output_deinit(o);
	if (launch->tty)
		return;
	if (!launch->stdio[0] && !o->keeps_input)
		launch->stdio[0] = "/dev/null";
	for (int i = 0; i < MI_OUTPUT_FDS; i++) {
		if (launch->stdio[i + 1])
			continue;
		launch->stdio[i + 1] =
		    open_pipe(o, i) ? o->names[i] : "/dev/null";
	}
}

void mi_output_started(struct mi_output *o)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		close_fd(&o->theirs[i]);
}

static void send_message(struct mi *m, const char *s, size_t n)
{
	_cleanup_str_ struct str t = {0};

	str_add(&t, "text=");
	record_quote(&t, s, n);
	record_str(&t, "send-to", "output-window");
	mi_send(m, "=message", &t);
}

// Pass on once; how many bytes were read.
static size_t pass(struct mi *m, int i)
{
	struct mi_output *o = &m->output;
	char buf[CHUNK_BYTES];

	if (o->fds[i] < 0)
		return 0;
	ssize_t n = read(o->fds[i], buf, sizeof(buf));
	if (n < 0)
		return 0;
	if (!n)
		close_fd(&o->fds[i]);
	else if (m->dialect == MI_NETCOREDBG)
		send_message(m, buf, (size_t)n);
	else
		mi_stream(m, '@', buf, (size_t)n);
	return (size_t)n;
}

void mi_output_drain(struct mi *m)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++) {
		size_t total = 0;
		size_t n;
		do {
			n = pass(m, i);
			total += n;
		} while (n && total < DRAIN_MAX_BYTES);
	}
}

void mi_output_poll(const struct mi_output *o, struct pollfd *fds, bool full)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		fds[i] = (struct pollfd){full ? -1 : o->fds[i], POLLIN, 0};
}

void mi_output_serve(struct mi *m, const struct pollfd *fds)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		if (fds[i].revents)
			pass(m, i);
}
