/*
 * The program's input and output: see console.h. Output is passed on in pieces
 * that never cut a UTF-8 character; input that is typed waits here until the
 * program reads it.
 */
#include "dap/launch/console.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "front/utf8.h"

/* ---- Debug messages that the program prints as well ---------------------- */

enum {
	PRINTED_MAX_BYTES = 64 << 10,
	HELD_MAX = 1000,
	HELD_MS = 200,
};

void echo_deinit(struct echo *e)
{
	str_deinit(&e->printed);
	words_deinit(&e->held);
}

static void show(struct dap *d, const char *text)
{
	struct str *t = dap_event(d, "output");

	emit_str(t, "category", "console");
	emit_str(t, "output", text);
	dap_send(d);
}

// The parts of a logger's message, which are borrowed; false: it is none.
static bool logged(const char *message, struct bytes *category,
		   struct bytes *text)
{
	static const char *const levels[] = {
	    ": Trace: ",   ": Debug: ", ": Information: ",
	    ": Warning: ", ": Error: ", ": Critical: ",
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		const char *at = strstr(message, levels[i]);

		if (!at || at == message ||
		    strcspn(message, "\n") < (size_t)(at - message))
			continue;
		const char *behind = at + strlen(levels[i]);
		*category = (struct bytes){(const uint8_t *)message,
					   (size_t)(at - message)};
		*text = (struct bytes){(const uint8_t *)behind,
				       strcspn(behind, "\r\n")};
		return text->n;
	}
	return false;
}

static bool is_in(const struct str *printed, struct bytes part)
{
	return memmem(str_get(printed), printed->len, part.p, part.n);
}

static bool is_printed(const struct echo *e, const char *message)
{
	struct bytes category, text;

	return logged(message, &category, &text) && is_in(&e->printed, text) &&
	       is_in(&e->printed, category);
}

/* The program has printed @s. */
static void echo_printed(struct dap *d, const char *s, size_t n)
{
	struct echo *e = &d->echo;
	size_t kept = 0;
	bool waits = false;
	struct bytes category, text;

	if (d->setup.debug_output != ECHO_AUTO)
		return;
	str_addn(&e->printed, s, n);
	if (e->printed.len > PRINTED_MAX_BYTES) {
		size_t old = e->printed.len - PRINTED_MAX_BYTES / 2;

		memmove(e->printed.s, e->printed.s + old, e->printed.len - old);
		str_end(&e->printed, e->printed.s + e->printed.len - old);
	}
	for (size_t i = 0; i < e->held.n; i++) {
		if (is_printed(e, e->held.v[i])) {
			free(e->held.v[i]);
			continue;
		}
		waits = waits || logged(e->held.v[i], &category, &text);
		e->held.v[kept++] = e->held.v[i];
	}
	if (e->held.n)
		e->held.v[kept] = NULL;
	e->held.n = kept;
	if (!waits)
		echo_flush(d);
}

void echo_debug(struct dap *d, const char *text)
{
	struct echo *e = &d->echo;
	struct bytes category, line;

	if (d->setup.debug_output == ECHO_NONE || is_printed(e, text))
		return;
	bool waits = d->setup.debug_output == ECHO_AUTO && d->console.pipes &&
		     e->held.n < HELD_MAX &&
		     (e->held.n || logged(text, &category, &line));
	if (!waits) {
		echo_flush(d);
		show(d, text);
		return;
	}
	if (!e->held.n)
		dap_timer(d, TIMER_ECHO, HELD_MS);
	words_add(&e->held, text, strlen(text));
}

void echo_flush(struct dap *d)
{
	struct words held = d->echo.held;

	d->timers[TIMER_ECHO] = 0;
	d->echo.held = (struct words){0};
	for (size_t i = 0; i < held.n; i++)
		show(d, held.v[i]);
	words_deinit(&held);
}

/* ---- The program's input and output -------------------------------------- */

enum {
	CHUNK_BYTES = 64 << 10,
	PIPE_BYTES = 1 << 20,
	DRAIN_MAX_BYTES = 8 << 20, /* others may keep on printing */
	TYPED_MAX_BYTES = 1 << 20,
	TOLD_MAX_BYTES = 256,
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void console_init(struct console *c)
{
	*c = (struct console){.input = -1, .listener = -1, .helper = -1};
	for (int i = 0; i < 2; i++)
		c->output[i].fd = -1;
	for (int i = 0; i < 3; i++)
		c->theirs[i] = -1;
}

static void close_listener(struct console *c)
{
	close_fd(&c->listener);
	if (c->path)
		unlink(c->path);
	if (c->dir)
		rmdir(c->dir);
	str_set(&c->path, NULL);
	str_set(&c->dir, NULL);
}

void console_close(struct console *c)
{
	console_started(c);
	for (int i = 0; i < 2; i++)
		close_fd(&c->output[i].fd);
	close_fd(&c->input);
	close_listener(c);
	close_fd(&c->helper);
	str_set(&c->tty, NULL);
	str_deinit(&c->typed);
	str_deinit(&c->told);
	console_init(c);
}

void console_deinit(struct console *c)
{
	console_close(c);
}

/* ---- Pipes ----------------------------------------------------------- */

struct dbg_error *console_pipes(struct console *c, struct dbg_launch *launch)
{
	const char *to[3];
	int fds[3][2];

	for (int i = 0; i < 3; i++) {
		if (pipe2(fds[i], O_CLOEXEC) < 0)
			return dbg_err(DBG_E_TARGET, "cannot make a pipe: %s",
				       strerror(errno));
		int ours = i ? 0 : 1;
		c->theirs[i] = fds[i][1 - ours];
		fcntl(fds[i][ours], F_SETFL, O_NONBLOCK);
		if (i)
			c->output[i - 1].fd = fds[i][0];
		else
			c->input = fds[i][1];
		snprintf(c->names[i], sizeof(c->names[i]), "/dev/fd/%d",
			 c->theirs[i]);
		to[i] = c->names[i];
	}
	launch_stdio(launch, to);
	// fewer turns for a program that prints much; refused is no harm
	fcntl(c->output[0].fd, F_SETPIPE_SZ, PIPE_BYTES);
	c->pipes = true;
	return NULL;
}

void console_started(struct console *c)
{
	for (int i = 0; i < 3; i++)
		close_fd(&c->theirs[i]);
}

// A copy in the file that the user has named, as long as that can be written.
static void copy_output(struct dap *d, const char *s, size_t n)
{
	FILE *f = d->setup.output_copy;

	if (!f || (fwrite(s, 1, n, f) == n && !fflush(f)))
		return;
	dap_say(d, "The file of 'targetOutputLogPath' cannot be written: %s",
		strerror(errno));
	fclose(f);
	d->setup.output_copy = NULL;
}

static void send_output(struct dap *d, int stream, const char *s, size_t n)
{
	copy_output(d, s, n);
	if (!d->setup.program_output)
		return;
	if (!stream)
		echo_printed(d, s, n);
	struct str *t = dap_event(d, "output");
	emit_str(t, "category", stream ? "stderr" : "stdout");
	emit_strn(t, "output", s, n);
	dap_send(d);
}

// How many bytes at the end are the beginning of an incomplete character.
static size_t cut_off(const char *s, size_t n)
{
	for (size_t back = 1; back < CONSOLE_CUT && back <= n; back++) {
		bool cut;
		unsigned char c = (unsigned char)s[n - back];
		if ((c & 0xc0) == 0x80)
			continue;
		utf8_length(s + n - back, back, &cut);
		return cut ? back : 0;
	}
	return 0;
}

// Pass on once; how many bytes were read.
static size_t pass_output(struct dap *d, int stream)
{
	struct console_stream *o = &d->console.output[stream];
	char buf[CONSOLE_CUT + CHUNK_BYTES];

	if (o->fd < 0)
		return 0;
	memcpy(buf, o->cut, o->n_cut);
	ssize_t got = read(o->fd, buf + o->n_cut, CHUNK_BYTES);
	if (got < 0)
		return 0;
	size_t n = o->n_cut + (size_t)got;
	size_t cut = got ? cut_off(buf, n) : 0;
	o->n_cut = cut;
	memcpy(o->cut, buf + n - cut, cut);
	if (n > cut)
		send_output(d, stream, buf, n - cut);
	if (!got)
		close_fd(&o->fd);
	return (size_t)got;
}

void console_drain(struct dap *d)
{
	for (int i = 0; i < 2; i++) {
		size_t total = 0;
		size_t n;
		do {
			n = pass_output(d, i);
			total += n;
		} while (n && total < DRAIN_MAX_BYTES);
	}
}

bool console_type(struct console *c, const char *line)
{
	if (c->input < 0 || c->typed.len > TYPED_MAX_BYTES)
		return false;
	str_add(&c->typed, line);
	str_addc(&c->typed, '\n');
	return true;
}

static void pass_input(struct console *c)
{
	ssize_t n = write(c->input, str_get(&c->typed), c->typed.len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		close_fd(&c->input);
		str_clear(&c->typed);
		return;
	}
	memmove(c->typed.s, c->typed.s + n, c->typed.len - (size_t)n);
	c->typed.len -= (size_t)n;
}

/* ---- The helper in a terminal ---------------------------------------- */

struct dbg_error *console_listen(struct console *c, char **ret_arg)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const char *run = getenv("XDG_RUNTIME_DIR");

	c->dir =
	    xasprintf("%s/dndbg-XXXXXX", run && *run == '/' ? run : "/tmp");
	if (!mkdtemp(c->dir)) {
		str_set(&c->dir, NULL);
		return dbg_err(DBG_E_FILE, "cannot make a directory: %s",
			       strerror(errno));
	}
	c->path = xasprintf("%s/terminal", c->dir);
	if (strlen(c->path) >= sizeof(addr.sun_path))
		return dbg_err(DBG_E_FILE, "'%s' is too long for a socket",
			       c->path);
	memcpy(addr.sun_path, c->path, strlen(c->path));
	c->listener =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->listener < 0 ||
	    bind(c->listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(c->listener, 1) < 0)
		return dbg_err(DBG_E_FILE, "cannot listen on '%s': %s", c->path,
			       strerror(errno));
	*ret_arg = xasprintf("--terminal=%s", c->path);
	return NULL;
}

static void helper_accept(struct console *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	c->helper = fd;
	close_listener(c);
}

// First the name of its terminal and a line end, then numbers of signals.
static void hear_helper(struct dap *d)
{
	struct console *c = &d->console;
	char buf[TOLD_MAX_BYTES];
	ssize_t n = read(c->helper, buf, sizeof(buf));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		// the terminal was closed
		close_fd(&c->helper);
		if (c->tty && dbg_pid(d->dbg) > 0)
			dap_warn(d, dbg_signal_send(d->dbg, SIGHUP));
		begin_try(d);
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (c->tty && dbg_pid(d->dbg) > 0) {
			dap_warn(d, dbg_signal_send(d->dbg, buf[i]));
		} else if (buf[i] == '\n') {
			c->tty = str_take(&c->told);
			begin_try(d);
		} else if (c->told.len < TOLD_MAX_BYTES) {
			str_addc(&c->told, buf[i]);
		}
	}
}

void console_ended(struct console *c, int status)
{
	unsigned char byte = (unsigned char)status;

	if (c->helper >= 0)
		send(c->helper, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- For the loop ---------------------------------------------------- */

void console_poll(struct console *c, struct pollfd *fds, bool full)
{
	for (int i = 0; i < 2; i++)
		fds[i] =
		    (struct pollfd){full ? -1 : c->output[i].fd, POLLIN, 0};
	fds[2] = (struct pollfd){c->typed.len ? c->input : -1, POLLOUT, 0};
	fds[3] = (struct pollfd){c->listener, POLLIN, 0};
	fds[4] = (struct pollfd){c->helper, POLLIN, 0};
}

void console_serve(struct dap *d, const struct pollfd *fds)
{
	struct console *c = &d->console;

	for (int i = 0; i < 2; i++)
		if (fds[i].revents)
			pass_output(d, i);
	if (fds[2].revents)
		pass_input(c);
	if (fds[3].revents)
		helper_accept(c);
	if (fds[4].revents)
		hear_helper(d);
}
