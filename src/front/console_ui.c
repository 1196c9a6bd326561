/*
 * A prompt beside another front end: lines of a terminal are commands, what
 * they print and what happens to the programs is shown there. The terminal's
 * own line editing is all there is, as with gdb's. Lines are read while the
 * program runs, so that `interrupt` can be said; the prompt comes at its stop.
 */
#include "front/console_ui.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/cli/commands.h"
#include "front/debuggees.h"
#include "front/loop.h"
#include "front/outbox.h"
#include "front/ui.h"

enum {
	READ_BYTES = 4 << 10,
	LINE_MAX_BYTES = 64 << 10,
	PENDING_HIGH = 1 << 20, /* more than this waits: read nothing */
};

struct ui {
	struct ui_config config;
	struct commands commands;
	struct command_place place;
	int fd;
	struct outbox out;
	struct str in;
	bool prompted; /* the prompt is the last that was written */
	bool gone;
};

static void say(struct ui *ui, const char *s, size_t n)
{
	if (n)
		outbox_add(&ui->out, s, n);
}

// When the user can say what is to be done next.
static void prompt(struct ui *ui)
{
	static const char text[] = "(dndbg) ";

	ui->prompted =
	    dbg_state(dbg_inferior_current(ui->config.dbg)) != DBG_RUNNING;
	if (ui->prompted)
		say(ui, text, strlen(text));
	outbox_flush(&ui->out);
}

static void carry_out(struct ui *ui, const char *line)
{
	_cleanup_str_ struct str printed = {0};

	struct dbg_error *err =
	    commands_run(&ui->commands, line, &ui->place, &printed);
	struct command_result result = commands_result(&ui->commands);
	if (err)
		str_addf(&printed, "%s\n", err->message);
	dbg_error_destroy(err);
	ui->place = result.place;
	say(ui, str_get(&printed), printed.len);
	if (result.quit)
		ui->config.quit(ui->config.arg);
	else
		prompt(ui);
}

static bool is_full(const struct ui *ui)
{
	return outbox_pending(&ui->out) > PENDING_HIGH;
}

static void take_lines(struct ui *ui)
{
	const char *end;

	while (!is_full(ui) && ui->in.len &&
	       (end = memchr(ui->in.s, '\n', ui->in.len))) {
		size_t n = (size_t)(end - ui->in.s);
		_cleanup_free_ char *line = xstrndup(ui->in.s, n);
		ui->in.len -= n + 1;
		memmove(ui->in.s, end + 1, ui->in.len);
		carry_out(ui, line);
	}
	if (ui->in.len > LINE_MAX_BYTES)
		str_clear(&ui->in);
}

static void ui_poll(void *arg, struct pollfd *fd)
{
	struct ui *ui = arg;
	bool pending = outbox_pending(&ui->out);

	fd->fd = ui->gone ? -1 : ui->fd;
	fd->events =
	    (short)((is_full(ui) ? 0 : POLLIN) | (pending ? POLLOUT : 0));
}

static void ui_serve(void *arg, short revents)
{
	struct ui *ui = arg;
	char buf[READ_BYTES];

	if (revents & POLLOUT)
		outbox_flush(&ui->out);
	if (revents & (POLLIN | POLLHUP | POLLERR)) {
		ssize_t n = read(ui->fd, buf, sizeof(buf));
		if (n > 0)
			str_addn(&ui->in, buf, (size_t)n);
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			ui->gone = true;
	}
	take_lines(ui);
	ui->gone = ui->gone || ui->out.gone;
}

static void ui_close(struct ui *ui)
{
	loop_unwatch(ui->config.loop, ui);
	outbox_deinit(&ui->out);
	str_deinit(&ui->in);
	if (ui->fd >= 0)
		close(ui->fd);
	free(ui);
}

static struct dbg_error *ui_open(const struct ui_config *config,
				 const char *path, struct ui **ret)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));

	ui->config = *config;
	ui->commands = *config->commands;
	outbox_init(&ui->out, -1);
	struct dbg_error *err = ui_terminal(path, &ui->fd, &ui->out);
	if (!err)
		err = loop_watch(config->loop, ui_poll, ui_serve, ui);
	if (err) {
		ui_close(ui);
		return err;
	}
	ui->place.thread = dbg_stop_thread(dbg_inferior_current(config->dbg));
	prompt(ui);
	*ret = ui;
	return NULL;
}

static void ui_event(struct ui *ui, const struct debuggee_event *e)
{
	_cleanup_str_ struct str shown = {0};

	// a terminal that nobody reads makes nothing grow
	if (ui->gone || is_full(ui))
		return;
	if (e->event.kind == DBG_EVENT_STOPPED)
		ui->place =
		    (struct command_place){.thread = e->event.stop.thread};
	commands_tell(&ui->commands, e, &ui->place, &shown);
	if (!shown.len)
		return;
	if (ui->prompted)
		say(ui, "\n", 1);
	say(ui, str_get(&shown), shown.len);
	prompt(ui);
}

// Nothing to do: this interface looks at the state when it needs it.
static void ui_changed(struct ui *ui)
{
	(void)ui;
}

const struct ui_ops console_ui = {
    .open = ui_open,
    .close = ui_close,
    .event = ui_event,
    .changed = ui_changed,
};
