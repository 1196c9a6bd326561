/*
 * The GDB/MI front end's loop: lines of the client in, records out, with the
 * prompt `(gdb)` behind each answer. A turn waits for the client, the engine
 * and the program's output, and takes no more of these while the client does
 * not read.
 */
#include "mi/mi.h"
#include "mi/mi_priv.h"
#include "mi/mi_var.h"
#include "mi/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "front/listen.h"
#include "front/plain.h"
#include "front/stdio.h"
#include "front/ui.h"

/* ---- The program's output ------------------------------------------------ */

/* The program's output, read from pipes and passed on as target stream records.
 */

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

static void mi_output_init(struct mi_output *o)
{
	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		o->fds[i] = o->theirs[i] = -1;
}

static void mi_output_deinit(struct mi_output *o)
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
static void mi_output_launch(void *arg, struct dbg_launch *launch)
{
	struct mi_output *o = arg;

	mi_output_deinit(o);
	if (launch->tty)
		return;
	const char *to[3] = {o->keeps_input ? NULL : "/dev/null"};

	for (int i = 0; i < MI_OUTPUT_FDS; i++)
		to[i + 1] = open_pipe(o, i) ? o->names[i] : "/dev/null";
	launch_stdio(launch, to);
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

/* ---- Starts ---------------------------------------------------------- */

/*
 * Carries out the command line before the client's first line: the program and
 * its arguments, -p, --core, -x and -ex.
 */

static void early_or_late(struct mi *m, bool early)
{
	const struct front_options *o = m->front;

	for (size_t i = 0; i < o->n_startup && !m->quit; i++) {
		const struct startup_command *s = &o->startup[i];
		if (s->early != early)
			continue;
		_cleanup_free_ char *source =
		    s->file ? xasprintf("source %s", s->text) : NULL;
		mi_warn(m, mi_cli(m, source ? source : s->text));
		notify_take(m);
	}
}

static void with_word(struct mi *m, const char *command, const char *word)
{
	if (!word)
		return;
	struct dbg_error *err = mi_cli_word(m, command, word);
	if (err && m->front->netcoredbg) {
		plain_error(err);
		m->quit = true;
		m->exit_code = 1;
		return;
	}
	mi_warn(m, err);
	notify_take(m);
}

/* Do what the command line says; there is another program (mi_file.c). */
static void mi_start(struct mi *m)
{
	launch_config_copy(m->launch, &m->front->launch);
	early_or_late(m, true);
	mi_warn(m, mi_program(m));
	with_word(m, "core-file", m->front->core);
	with_word(m, m->front->wait ? "attach --wait" : "attach",
		  m->front->attach);
	early_or_late(m, false);
	if (m->options->run && !m->quit)
		mi_warn(m, mi_cli_quiet(m, "run", NULL));
	notify_take(m);
}

/* ---- The interpreter ------------------------------------------------- */

enum {
	READ_BYTES = 64 << 10,
	PENDING_HIGH = 1 << 20, /* more than this waits: make nothing */
	STREAM_MAX = 4 << 10,   /* bytes of one stream record */
};

/* ---- Records out ------------------------------------------------------- */

void mi_send(struct mi *m, const char *head, const struct str *results)
{
	_cleanup_str_ struct str t = {0};

	str_add(&t, head);
	if (results && results->len) {
		str_addc(&t, ',');
		str_addn(&t, results->s, results->len);
	}
	str_addc(&t, '\n');
	outbox_add(&m->out, t.s, t.len);
}

void mi_prompt(struct mi *m)
{
	const char *prompt = m->dialect == MI_GDB ? "(gdb) \n" : "(gdb)\n";

	outbox_add(&m->out, prompt, strlen(prompt));
}

void mi_stream(struct mi *m, char mark, const char *s, size_t n)
{
	_cleanup_str_ struct str t = {0};

	while (n) {
		const char *eol = memchr(s, '\n', n);
		size_t len = eol ? (size_t)(eol + 1 - s) : n;
		if (len > STREAM_MAX)
			len = STREAM_MAX;
		str_clear(&t);
		str_addc(&t, mark);
		record_quote(&t, s, len);
		mi_send(m, str_get(&t), NULL);
		s += len;
		n -= len;
	}
}

void mi_log(struct mi *m, const char *s)
{
	_cleanup_free_ char *line = xasprintf("%s\n", s);

	mi_stream(m, '&', line, strlen(line));
}

void mi_warn(struct mi *m, struct dbg_error *err)
{
	if (err)
		mi_log(m, err->message);
	dbg_error_destroy(err);
}

/* ---- Lines in ---------------------------------------------------------- */

/* Is so much output still unwritten that no more should be produced? */
static bool mi_is_full(const struct mi *m)
{
	return outbox_pending(&m->out) > PENDING_HIGH;
}

/* Read once from the client; carry out the lines that are whole. */
static void mi_read(struct mi *m)
{
	char buf[READ_BYTES];
	ssize_t n = read(m->in_fd, buf, sizeof(buf));

	if (n > 0)
		str_addn(&m->in, buf, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		m->in_ended = true;
}

// A line that never ends is given up; what follows its end is read again.
static void refuse_long(struct mi *m)
{
	if (!m->in_skip)
		mi_send(m, "^error,msg=\"The line is longer than 1 MiB.\"",
			NULL);
	m->in_skip = true;
	str_clear(&m->in);
}

// The next line, without its end; false: there is none yet.
static bool next_line(struct mi *m, struct str *ret)
{
	const char *s = str_get(&m->in) + m->in_at;
	size_t left = m->in.len - m->in_at;
	size_t n = 0;

	while (n < left && s[n] != '\n' && s[n] != '\r')
		n++;
	if (n == left && !(m->in_ended && n))
		return false;
	str_clear(ret);
	str_addn(ret, s, n);
	m->in_at += n + (n < left);
	return true;
}

static void mi_take_lines(struct mi *m)
{
	_cleanup_str_ struct str line = {0};

	while (!m->quit && !mi_is_full(m) && next_line(m, &line)) {
		bool skip = m->in_skip;
		m->in_skip = false;
		if (!line.len || skip)
			continue;
		mi_carry_out(m, str_get(&line));
		notify_take(m);
		outbox_flush(&m->out);
	}
	m->in_waits = mi_is_full(m);
	if (m->in_at) {
		m->in.len -= m->in_at;
		memmove(m->in.s, m->in.s + m->in_at, m->in.len);
		m->in.s[m->in.len] = 0;
		m->in_at = 0;
	}
	if (m->in.len > MI_LINE_MAX && !mi_is_full(m))
		refuse_long(m);
	if (m->in_ended && !mi_is_full(m))
		m->quit = true;
}

/* ---- The loop ---------------------------------------------------------- */

enum {
	FD_IN,
	FD_OUT,
	N_FDS_OWN,
};

static void program_interrupt(struct mi *m)
{
	m->steps = 0;
	if (dbg_state(m->dbg) == DBG_RUNNING)
		mi_warn(m, dbg_pause(m->dbg));
	else
		mi_log(m, "Quit");
}

// Has another interface carried out a command, which may have changed anything?
static bool see_others(struct mi *m)
{
	if (!m->watched)
		return false;
	m->watched = false;
	groups_started(m);
	notify_breaks(m, true);
	if (dbg_state(m->dbg) == DBG_RUNNING)
		notify_running(m);
	m->values++;
	return true;
}

// Set what is waited for besides the client's lines. When these have ended,
// the descriptor that it reads from tells that the client is gone.
static void poll_others(struct mi *m, struct pollfd *fds, bool full)
{
	bool pending = outbox_pending(&m->out);

	fds[FD_OUT] = (struct pollfd){pending || m->in_ended ? m->out.fd : -1,
				      pending ? POLLOUT : 0, 0};
	mi_output_poll(&m->output, fds + N_FDS_OWN, full);
}

static void serve_others(struct mi *m, const struct pollfd *fds,
			 unsigned int what)
{
	if (what & LOOP_END)
		m->quit = true;
	m->watched |= what & LOOP_WATCHED;
	if (fds[FD_OUT].revents)
		outbox_flush(&m->out);
	if (m->out.gone || (fds[FD_OUT].revents & (POLLERR | POLLHUP)))
		m->quit = true;
	mi_output_serve(m, fds + N_FDS_OWN);
}

/*
 * Wait for the client, the engine, the program's output or a signal, and serve
 * them, but for lines of the client, which are read alone. Was it SIGINT?
 */
static bool mi_serve(struct mi *m)
{
	struct pollfd fds[N_FDS_OWN + MI_OUTPUT_FDS];
	bool full = mi_is_full(m);
	bool hears = !full && !m->in_ended && m->in.len <= MI_LINE_MAX;
	unsigned int what = 0;

	fds[FD_IN] = (struct pollfd){hears ? m->in_fd : -1, POLLIN, 0};
	poll_others(m, fds, full);
	struct loop_wait w = {
	    .fds = fds,
	    .n = N_FDS_OWN + MI_OUTPUT_FDS,
	    .timeout = -1,
	    .no_engine = full,
	};
	mi_warn(m, loop_wait_fds(m->loop, &w, &what));
	serve_others(m, fds, what);
	if (fds[FD_IN].revents)
		mi_read(m);
	return what & LOOP_INTERRUPT;
}

static void turn(struct mi *m)
{
	struct pollfd fds[N_FDS_OWN + MI_OUTPUT_FDS];
	bool full = mi_is_full(m);
	unsigned int what = 0;

	fds[FD_IN] = (struct pollfd){full ? -1 : m->in_fd, POLLIN, 0};
	poll_others(m, fds, full);
	struct loop_wait w = {
	    .fds = fds,
	    .n = N_FDS_OWN + MI_OUTPUT_FDS,
	    .timeout = (m->in_waits && !full) || m->stepped ? 0 : -1,
	    .no_engine = full,
	};
	struct dbg_error *err = loop_wait_fds(m->loop, &w, &what);
	mi_warn(m, err);
	if (what & LOOP_INTERRUPT)
		program_interrupt(m);
	serve_others(m, fds, what);
	notify_take(m);
	bool changed = see_others(m);
	if (fds[FD_IN].revents)
		mi_read(m);
	mi_take_lines(m);
	// a line may have waited for a call, and served others meanwhile
	changed |= see_others(m);
	if (changed || fds[FD_IN].revents)
		commands_changed(&m->commands);
	outbox_flush(&m->out);
}

/* ---- Beginning and end ------------------------------------------------- */

/* Begin with nothing open; end it. */
static void mi_init(struct mi *m)
{
	mi_output_init(&m->output);
	m->in_fd = m->out.fd = -1;
}

/*
 * A client that connects is greeted, and begins with a command: a token, maybe,
 * and a dash. Requests of HTTP are none, which a browser may be made to send.
 */
static enum framing_state first_command(struct framing *in)
{
	const char *s = str_get(&in->in);

	s += strspn(s, "\r\n \t");
	size_t n = strspn(s, "0123456789");
	if (s[n] && (n > MI_TOKEN_MAX || s[n] != '-'))
		return FRAMING_BROKEN;
	return strpbrk(s, "\r\n") ? FRAMING_MESSAGE : FRAMING_MORE;
}

static struct dbg_error *open_client(struct mi *m,
				     const struct listen_at *listen)
{
	static const struct listen_protocol protocol = {
	    .name = "GDB/MI",
	    .greeting = "(gdb)\n",
	    .first = first_command,
	};
	struct framing in = {0};

	if (!listen)
		return stdio_take(&m->in_fd, &m->out);
	struct dbg_error *err =
	    listen_accept(listen, &protocol, &m->in_fd, &in);
	if (err)
		return err;
	m->output.keeps_input = true;
	outbox_init(&m->out, m->in_fd);
	m->in = in.in;
	m->in_waits = true;
	return NULL;
}

// Callback of another interface (new-ui): take the events that have come.
static void take_events(void *arg)
{
	notify_take(arg);
}

// The user says quit at another interface.
static void leave(void *arg)
{
	struct mi *m = arg;

	m->quit = true;
}

static struct dbg_error *
evaluate_for_console(void *arg, const struct dbg_eval_request *req,
		     struct dbg_value *ret)
{
	return mi_evaluate(arg, req, ret);
}

static struct dbg_error *open_session(struct mi *m,
				      const struct listen_at *listen)
{
	struct dbg_error *err;

	m->launch = &m->own_launch;
	err = open_client(m, listen);
	if (!err)
		err = loop_create(m->dbg, &m->loop);
	if (err)
		return err;
	m->commands = (struct commands){
	    .ops = m->front->commands,
	    .first = m->dbg,
	    .loop = m->loop,
	    .launch = m->launch,
	    .quit = leave,
	    .take = take_events,
	    .ui_arg = m,
	    .front = m->front,
	    .on_launch = mi_output_launch,
	    .launch_arg = &m->output,
	    .evaluate = evaluate_for_console,
	    .evaluate_arg = m,
	};
	mi_dialect(m, m->options->dialect);
	// threads that no front end of gdb's expects
	err = dbg_set(m->dbg, "runtime-threads", "off");
	// gdb's breakpoint at a line is at that line
	if (!err)
		err = dbg_set(m->dbg, "skip-opening-brace", "off");
	// as at the prompt; netcoredbg follows nothing
	if (!err && m->dialect == MI_GDB)
		err = dbg_set(m->dbg, "follow-exec", "auto");
	// fields, until -enable-pretty-printing
	if (!err)
		err = dbg_set(m->dbg, "print properties", "on");
	return err ? err : dbg_set(m->dbg, "print raw-values", "on");
}

static void mi_deinit(struct mi *m)
{
	mi_vars_deinit(m);
	commands_deinit(&m->commands);
	launch_config_deinit(&m->own_launch);
	loop_destroy(m->loop);
	mi_output_deinit(&m->output);
	outbox_deinit(&m->out);
	str_deinit(&m->in);
	str_deinit(&m->results);
	mi_breaks_deinit(m);
	groups_deinit(&m->groups);
	free(m->breaks.v);
	free(m->registers);
	if (m->in_fd >= 0)
		close(m->in_fd);
}

static void greet(struct mi *m)
{
	_cleanup_free_ char *hello =
	    xasprintf("dndbg %s: a debugger for .NET.\n", m->front->version);

	groups_started(m);
	if (m->dialect == MI_GDB && !m->front->quiet)
		mi_stream(m, '~', hello, strlen(hello));
}

int mi_main(struct dbg *dbg, const struct front_options *front,
	    const struct mi_options *options, const struct listen_at *listen)
{
	struct mi m = {.first = dbg,
		       .dbg = dbg,
		       .group = 1,
		       .selected = 1,
		       .front = front,
		       .options = options};

	mi_init(&m);
	struct dbg_error *err = open_session(&m, listen);
	if (err) {
		plain_error(err);
		mi_deinit(&m);
		return 1;
	}
	// one that connected was greeted
	if (!listen)
		greet(&m);
	mi_start(&m);
	if (!listen && !m.quit)
		mi_prompt(&m);
	outbox_flush(&m.out);
	while (!m.quit)
		turn(&m);
	outbox_finish(&m.out);
	debuggees_end_children(dbg);
	mi_deinit(&m);
	return m.exit_code;
}

/* ---- An interpreter beside the prompt ------------------------------------ */

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

/* ---- Expressions that make calls ----------------------------------------- */

/*
 * Expressions for which the program may make calls, as gdb makes them: the
 * command that evaluates is answered when they are over. Meanwhile what the
 * engine tells goes out, a SIGINT or an -exec-interrupt gives the call up, and
 * other commands wait.
 */

static void give_up(struct mi *m, struct dbg *dbg, bool *given_up)
{
	if (!*given_up)
		mi_warn(m, dbg_eval_cancel(dbg));
	*given_up = true;
}

/* Does -exec-interrupt stand among the lines that wait? */
static bool interrupt_waits(const struct mi *m)
{
	const char *s = str_get(&m->in) + m->in_at;

	for (;;) {
		s += strspn(s, "\r\n");
		const char *name = s + strspn(s, "0123456789");
		size_t n = strcspn(name, " \t\r\n");
		if (n == strlen("-exec-interrupt") &&
		    !strncmp(name, "-exec-interrupt", n))
			return true;
		s += strcspn(s, "\r\n");
		if (!*s)
			return false;
	}
}

/* Wait for the value of @dbg, whose number is @group. */
static struct dbg_error *wait_for_value(struct mi *m, struct dbg *dbg,
					uint32_t group)
{
	bool given_up = false;

	for (;;) {
		notify_take(m);
		// a child's session is gone with its program
		if (debuggees_find(m->first, group) != dbg)
			return dbg_err(DBG_E_STATE,
				       "the program ended during the "
				       "evaluation");
		if (m->evaluated)
			return NULL;
		bool interrupted = mi_serve(m);
		if (m->quit)
			return dbg_err(DBG_E_INTERRUPTED, "the client is gone");
		if (interrupted || interrupt_waits(m))
			give_up(m, dbg, &given_up);
	}
}

// Explain a refusal at an interface that new-ui opened: no calls are made
// there.
static struct dbg_error *refused(const struct mi *m, struct dbg_error *err)
{
	if (!err || !m->take || err->code != DBG_E_UNSUPPORTED)
		return err;
	return dbg_err_suffix(err,
			      "; an interface opened by new-ui makes no calls");
}

struct dbg_error *mi_evaluate(struct mi *m, const struct dbg_eval_request *req,
			      struct dbg_value *ret)
{
	struct dbg_eval_request r = *req;
	struct dbg *dbg = m->dbg;
	struct dbg_stopped at;
	uint32_t group = m->group;

	// calls would block the session's first interface as well
	if (m->take)
		r.calls = DBG_CALLS_NEVER;
	m->evaluated = false;
	struct dbg_error *err = dbg_stopped(dbg, &at);
	if (!err)
		err = dbg_eval_begin(at, &r);
	if (!err)
		err = wait_for_value(m, dbg, group);
	// what is known of values is older than the call
	m->values++;
	return refused(m, err ? err : dbg_eval_result(dbg, ret));
}
