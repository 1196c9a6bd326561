/*
 * GDB/MI on a terminal beside the prompt or another GDB/MI: `new-ui mi
 * TERMINAL`, see ui.h. Its commands run in the other's session, and what
 * happens there is told on both.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "front/ui.h"
#include "mi/mi_priv.h"

static const struct mi_options ui_options = {.version = 4};

struct ui {
	struct mi mi;
	struct ui_config config;
	struct commands commands; /* of the prompt, for which it is one more */
};

static void ui_close(struct ui *ui)
{
	loop_unwatch(ui->config.loop, ui);
	// the loop is the prompt's
	ui->mi.loop = NULL;
	mi_deinit(&ui->mi);
	free(ui);
}

// More is read when what was answered is read.
static void ui_poll(void *arg, struct pollfd *fd)
{
	struct ui *ui = arg;
	bool pending = outbox_pending(&ui->mi.out);

	fd->fd = ui->mi.quit ? -1 : ui->mi.in_fd;
	fd->events = (short)((mi_is_full(&ui->mi) ? 0 : POLLIN) |
			     (pending ? POLLOUT : 0));
}

static void ui_serve(void *arg, short revents)
{
	struct ui *ui = arg;
	struct mi *m = &ui->mi;

	if (revents & POLLOUT)
		outbox_flush(&m->out);
	if (revents & (POLLIN | POLLHUP | POLLERR))
		mi_read(m);
	mi_take_lines(m);
	outbox_flush(&m->out);
	if (m->out.gone)
		m->quit = true;
	// a terminal that was closed is the end of this interface alone
	if (m->quit && !m->in_ended && !m->out.gone)
		ui->config.quit(ui->config.arg);
}

static struct dbg_error *ui_open(const struct ui_config *config,
				 const char *path, struct ui **ret)
{
	struct ui *ui = xcalloc(1, sizeof(*ui));
	struct mi *m = &ui->mi;

	ui->config = *config;
	m->first = m->dbg = config->dbg;
	m->group = m->selected = 1;
	m->loop = config->loop;
	m->front = config->options;
	m->options = &ui_options;
	m->commands = *config->commands;
	m->launch = config->commands->launch;
	m->take = config->take;
	m->take_arg = config->arg;
	m->async = true;
	mi_init(m);
	struct dbg_error *err = ui_terminal(path, &m->in_fd, &m->out);
	if (!err)
		err = loop_watch(config->loop, ui_poll, ui_serve, ui);
	if (err) {
		m->loop = NULL;
		mi_deinit(m);
		free(ui);
		return err;
	}
	groups_started(m);
	groups_look(m);
	notify_breaks(m, true);
	mi_prompt(m);
	outbox_flush(&m->out);
	*ret = ui;
	return NULL;
}

static void ui_changed(struct ui *ui)
{
	struct mi *m = &ui->mi;

	if (m->quit)
		return;
	groups_look(m);
	groups_started(m);
	groups_left(m);
	notify_breaks(m, true);
	outbox_flush(&m->out);
}

static void ui_event(struct ui *ui, const struct debuggee_event *e)
{
	struct mi *m = &ui->mi;

	if (m->quit)
		return;
	groups_started(m);
	// a start has no event of its own
	if (e->event.kind != DBG_EVENT_STOPPED &&
	    e->inferior.state == DBG_RUNNING)
		notify_running(m);
	notify_event(m, e);
	groups_look(m);
	outbox_flush(&m->out);
}

const struct ui_ops mi_ui = {
    .open = ui_open,
    .close = ui_close,
    .event = ui_event,
    .changed = ui_changed,
};
