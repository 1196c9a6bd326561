/*
 * The debug adapter's loop, and messages in both directions. A message out is
 * written into d->message and posted with the next number; while a request is
 * carried out events wait in d->late, so that the answer goes first. A turn of
 * the loop waits for the client, the engine, the program's output and timers,
 * and does what has come, in an order that answers the client first.
 */
#include "dap/dap.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "front/listen.h"
#include "front/plain.h"
#include "front/stdio.h"

/* ---- The debug adapter's loop, and messages in both directions ----------- */

enum {
	READ_BYTES = 64 << 10,
	PENDING_LOW = 64 << 10, /* less than this waits for more to come */
	PENDING_HIGH = 1 << 20, /* more than this waits: make nothing */
};

static void events_threads_forget(struct dap *d);

/* ---- Messages out ---------------------------------------------------- */

static void record(struct dap *d, const char *mark, const char *s, size_t n)
{
	if (!d->log)
		return;
	fprintf(d->log, "%s %.*s\n", mark, (int)n, s);
	if (fflush(d->log) == 0 || d->log_fault_told)
		return;
	d->log_fault_told = true;
	fprintf(stderr, "dndbg: cannot write the log: %s\n", strerror(errno));
}

// Send a message that lacks its number: what follows its first brace.
static void post(struct dap *d, const char *rest, size_t n)
{
	char head[96], number[32];

	int n_number =
	    snprintf(number, sizeof(number), "{\"seq\":%" PRId64 ",", ++d->seq);
	int n_head =
	    snprintf(head, sizeof(head), "Content-Length: %zu\r\n\r\n%s",
		     n + (size_t)n_number, number);
	outbox_add(&d->out, head, (size_t)n_head);
	outbox_add(&d->out, rest, n);
	if (outbox_pending(&d->out) > PENDING_LOW)
		outbox_flush(&d->out);
	if (!d->log)
		return;
	_cleanup_free_ char *line = xasprintf("%s%.*s", number, (int)n, rest);
	record(d, "<-", line, strlen(line));
}

static struct str *message_begin(struct dap *d, const char *type,
				 const char *kind, const char *name)
{
	struct str *t = &d->message;

	str_clear(t);
	emit_str(t, "type", type);
	emit_str(t, kind, name);
	emit_object(t, strcmp(type, "request") ? "body" : "arguments");
	return t;
}

struct str *dap_event(struct dap *d, const char *event)
{
	return message_begin(d, "event", "event", event);
}

struct str *dap_ask(struct dap *d, const char *command, int64_t *ret_seq)
{
	assert(!d->answering);
	*ret_seq = d->seq + 1;
	return message_begin(d, "request", "command", command);
}

void dap_send(struct dap *d)
{
	struct str *t = &d->message;

	emit_object_end(t);
	emit_object_end(t);
	if (d->answering)
		words_add(&d->late, str_get(t), t->len);
	else
		post(d, str_get(t), t->len);
}

void dap_send_now(struct dap *d)
{
	bool answering = d->answering;

	d->answering = false;
	dap_send(d);
	outbox_flush(&d->out);
	d->answering = answering;
}

void dap_late_events(struct dap *d)
{
	for (size_t i = 0; i < d->late.n; i++)
		post(d, d->late.v[i], strlen(d->late.v[i]));
	words_clear(&d->late);
}

void dap_answer(struct dap *d, const struct request *req, struct dbg_error *err)
{
	struct str *t = &d->message;
	_cleanup_free_ char *text = err ? dbg_err_text(err) : NULL;

	str_clear(t);
	emit_str(t, "type", "response");
	emit_int(t, "request_seq", req->seq);
	emit_bool(t, "success", !err);
	emit_str(t, "command", req->command);
	if (err)
		emit_str(t, "message", text);
	if (err) {
		emit_object(t, "body");
		emit_object(t, "error");
		emit_int(t, "id", err->code);
		emit_str(t, "format", text);
		emit_bool(t, "showUser", req->by_hand);
		emit_object_end(t);
		emit_object_end(t);
	} else if (req->body && req->body->len) {
		emit_object(t, "body");
		str_addn(t, str_get(req->body), req->body->len);
		emit_object_end(t);
	}
	emit_object_end(t);
	dbg_error_destroy(err);
	post(d, str_get(t), t->len);
}

/*
 * Begin an `output` event, category "console": a line of text that may hold
 * what the program chose. What it is appended to; dap_send sends it.
 */
static struct str *dap_output(struct dap *d, const char *line)
{
	_cleanup_str_ struct str shown = {0};
	struct str *t = dap_event(d, "output");

	plain_add(&shown, line, strlen(line));
	emit_str(t, "category", "console");
	emit_strf(t, "output", "%s\n", str_get(&shown));
	return t;
}

void dap_say(struct dap *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	dap_output(d, s);
	dap_send(d);
	free(s);
}

void dap_warn(struct dap *d, struct dbg_error *err)
{
	if (err)
		dap_say(d, "%s", err->message);
	dbg_error_destroy(err);
}

/* ---- Messages in ----------------------------------------------------- */

// Answer a message that is no JSON. It has no number: the answer is to 0.
static void malformed_refuse(struct dap *d, const char *why)
{
	struct request req = {.command = ""};

	dap_answer(d, &req, dbg_err_arg("%s", why));
}

static void record_in(void *arg, const char *s, size_t n)
{
	record(arg, "->", s, n);
}

static bool is_full(const struct dap *d)
{
	return outbox_pending(&d->out) > PENDING_HIGH;
}

// While an evaluation is under way, requests that need its program stopped
// wait.
static bool can_come_first(void *arg, const cJSON *message)
{
	return request_is_urgent(arg, message);
}

void dap_take_messages(struct dap *d)
{
	cJSON *message;
	bool good = true;

	while (!d->quit && !is_full(d)) {
		outbox_flush(&d->out); // the next one may take its time
		good = inbox_parse(&d->in, record_in, d);
		if (!inbox_next(&d->in,
				d->pending.active ? can_come_first : NULL, d,
				&message))
			break;
		if (cJSON_IsObject(message))
			request_take(d, message);
		else
			malformed_refuse(
			    d, "the message is no JSON object, or one of "
			       "more than 500,000 values");
		cJSON_Delete(message);
		if (d->in.large && !inbox_waits(&d->in)) {
			d->in.large = false;
			malloc_trim(0);
		}
		events_take(d);
	}
	if (good || d->quit || inbox_waits(&d->in))
		return;
	malformed_refuse(d, d->in.in.fault);
	d->exit_code = 1;
	d->quit = true;
}

static void read_client(struct dap *d)
{
	char buf[READ_BYTES];
	ssize_t n = read(d->in_fd, buf, sizeof(buf));

	if (n > 0)
		framing_feed(&d->in.in, buf, (size_t)n);
	else if (n == 0 || (errno != EINTR && errno != EAGAIN))
		d->quit = true;
}

bool dap_hear_cancel(struct dap *d, int64_t request)
{
	struct pollfd fd = {d->in_fd, POLLIN, 0};

	if (poll(&fd, 1, 0) > 0)
		read_client(d);
	// a stream that is broken is refused in its turn
	inbox_parse(&d->in, record_in, d);
	return d->quit || d->out.gone || inbox_cancels(&d->in, request);
}

/* ---- The loop -------------------------------------------------------- */

enum {
	FD_IN,
	FD_OUT,
	N_FDS_OWN,
};

static int timeout(const struct dap *d)
{
	int64_t first = 0;

	for (int i = 0; i < N_TIMERS; i++)
		if (d->timers[i] && (!first || d->timers[i] < first))
			first = d->timers[i];
	if (!first)
		return -1;
	int64_t left = first - clock_ms();
	return left < 0 ? 0 : (int)left;
}

void dap_timer(struct dap *d, enum dap_timer timer, int ms)
{
	d->timers[timer] = clock_ms() + ms;
}

static void kill_overdue(struct dap *d)
{
	if (dbg_state(d->dbg) == DBG_IDLE)
		return;
	dap_say(d, "the program did not end when asked: it is killed");
	dap_warn(d, dbg_kill(d->dbg));
}

static void do_what_is_due(struct dap *d)
{
	static void (*const work[N_TIMERS])(struct dap *) = {
	    [TIMER_KILL] = kill_overdue,
	    [TIMER_ANSWER] = begin_runs,
	    [TIMER_ECHO] = echo_flush,
	    [TIMER_GO] = begin_release,
	};
	int64_t now = clock_ms();

	for (int i = 0; i < N_TIMERS; i++) {
		if (!d->timers[i] || now < d->timers[i])
			continue;
		d->timers[i] = 0;
		work[i](d);
	}
}

static void turn(struct dap *d)
{
	struct pollfd fds[N_FDS_OWN + CONSOLE_FDS];
	bool full = is_full(d);
	unsigned int what = 0;

	// while output is held up a client is not heard, but that it is gone
	fds[FD_IN] = (struct pollfd){d->in_fd, full ? POLLRDHUP : POLLIN, 0};
	fds[FD_OUT] = (struct pollfd){outbox_pending(&d->out) ? d->out.fd : -1,
				      POLLOUT, 0};
	console_poll(&d->console, fds + N_FDS_OWN, full);
	struct loop_wait w = {
	    .fds = fds,
	    .n = N_FDS_OWN + CONSOLE_FDS,
	    .timeout = timeout(d),
	    .no_engine = full,
	};
	struct dbg_error *err = loop_wait_fds(d->loop, &w, &what);
	dap_warn(d, err);
	if (what & (LOOP_END | LOOP_INTERRUPT))
		d->quit = true;
	if (fds[FD_OUT].revents)
		outbox_flush(&d->out);
	if (d->out.gone)
		d->quit = true;
	console_serve(d, fds + N_FDS_OWN);
	events_take(d);
	if (fds[FD_IN].revents)
		read_client(d);
	dap_take_messages(d);
	do_what_is_due(d);
	outbox_flush(&d->out);
}

/* ---- Beginning and end ----------------------------------------------- */

static struct dbg_error *open_log(struct dap *d, const char *path)
{
	int fd;
	struct dbg_error *err =
	    dbg_open_file(path, O_WRONLY | O_CREAT | O_TRUNC, true, &fd);

	if (!err)
		d->log = fdopen(fd, "w");
	return err;
}

static enum framing_state first_message(struct framing *in)
{
	const char *body;
	size_t n;

	enum framing_state state = framing_next(in, &body, &n);
	framing_rewind(in);
	return state;
}

static const struct listen_protocol protocol = {
    .name = "the Debug Adapter Protocol",
    .first = first_message,
};

static struct dbg_error *open_client(struct dap *d)
{
	struct dbg_error *err;
	int fd;

	d->in_fd = -1;
	if (d->listen) {
		err = listen_accept(d->listen, &protocol, &fd, &d->in.in);
		if (err)
			return err;
		d->in_fd = fd;
		outbox_init(&d->out, fd);
		return NULL;
	}
	return stdio_take(&d->in_fd, &d->out);
}

static struct dbg_error *init(struct dap *d)
{
	struct dbg_error *err = NULL;

	outbox_init(&d->out, -1);
	console_init(&d->console);
	if (d->options->log)
		err = open_log(d, d->options->log);
	if (!err)
		err = open_client(d);
	return err ? err : loop_create(d->dbg, &d->loop);
}

void dap_deinit(struct dap *d)
{
	console_deinit(&d->console);
	breaks_deinit(&d->breaks);
	children_deinit(&d->children);
	handles_deinit(&d->frames);
	handles_deinit(&d->values);
	handles_deinit(&d->gotos);
	sources_deinit(&d->sources);
	echo_deinit(&d->echo);
	commands_deinit(&d->commands);
	pending_deinit(&d->pending);
	words_deinit(&d->lazy);
	loop_destroy(d->loop);
	setup_deinit(&d->setup);
	inbox_deinit(&d->in);
	outbox_deinit(&d->out);
	str_deinit(&d->message);
	words_deinit(&d->late);
	events_threads_forget(d);
	free(d->threads);
	free(d->client.adapter);
	if (d->in_fd >= 0)
		close(d->in_fd);
	if (d->log)
		fclose(d->log);
}

int dap_main(struct dbg *dbg, const struct front_options *options,
	     const struct listen_at *listen)
{
	struct dap d = {.dbg = dbg, .options = options, .listen = listen};

	struct dbg_error *err = init(&d);
	if (err) {
		plain_error(err);
		dap_deinit(&d);
		return 1;
	}
	// a client that connected has sent its first message already
	dap_take_messages(&d);
	while (!d.quit)
		turn(&d);
	begin_terminated(&d);
	outbox_finish(&d.out);
	dap_deinit(&d);
	return d.exit_code;
}

/* ---- The engine's events as events of the protocol ----------------------- */

/*
 * The engine's events as events of the protocol: stops, exits, threads,
 * modules, messages. The client learns of a thread when the program stops and
 * the thread turns out to be the program's own, and of its end when it ends.
 */

/* The program was resumed: numbers of frames and values are stale. */
static void events_resumed(struct dap *d)
{
	handles_reset(&d->frames);
	handles_reset(&d->values);
	handles_reset(&d->gotos);
	d->suspended = 0;
	words_clear(&d->lazy);
}

/* ---- Stops ----------------------------------------------------------- */

struct stop_words {
	const char *reason, *description;
};

// By enum dbg_stop_reason. Clients show the description, where there is room
// for three words; anything else is in the text.
static const struct stop_words stop_words[] = {
    [DBG_STOP_ATTACH] = {"pause", "Core dump"},
    [DBG_STOP_EXEC] = {"entry", "Paused on entry"},
    [DBG_STOP_ENTRY] = {"entry", "Paused on entry"},
    [DBG_STOP_BREAKPOINT] = {"breakpoint", "Paused on breakpoint"},
    [DBG_STOP_STEP] = {"step", "Paused on step"},
    [DBG_STOP_PAUSE] = {"pause", "Paused"},
    [DBG_STOP_THROWN] = {"exception", "Paused on exception"},
    [DBG_STOP_USER_UNHANDLED] = {"exception", "Paused on exception"},
    [DBG_STOP_WATCH] = {"data breakpoint", "Paused on change"},
    [DBG_STOP_WATCH_SCOPE] = {"data breakpoint", "Watchpoint ended"},
    [DBG_STOP_UNHANDLED] = {"exception", "Unhandled exception"},
    [DBG_STOP_CAUGHT] = {"exception", "Paused on catch"},
    [DBG_STOP_LOAD] = {"breakpoint", "Paused on load"},
    [DBG_STOP_UNLOAD] = {"breakpoint", "Paused on unload"},
    [DBG_STOP_SIGNAL] = {"exception", "Paused on signal"},
    [DBG_STOP_TERMINATED] = {"exception", "Ended by signal"},
    [DBG_STOP_USER_BREAK] = {"pause", "Paused on Debugger.Break"},
    [DBG_STOP_FAIL_FAST] = {"exception", "Paused on FailFast"},
    [DBG_STOP_GOTO] = {"goto", "Paused on goto"},
};

static void add_exception_text(struct str *t, const struct dbg_stop *s)
{
	if (s->exception_message)
		emit_strf(t, "text", "%s: %s", s->exception_type,
			  s->exception_message);
	else
		emit_str(t, "text", s->exception_type);
}

static void add_stop_text(struct str *t, const struct dbg_stop *s)
{
	if (s->exception_type)
		add_exception_text(t, s);
	else if (s->reason == DBG_STOP_WATCH && s->old_value)
		emit_strf(t, "text", "%s: %s, was %s", s->expr, s->value,
			  s->old_value);
	else if (s->reason == DBG_STOP_WATCH)
		emit_strf(t, "text", "%s: %s", s->expr, s->value);
	else if (s->reason == DBG_STOP_SIGNAL)
		emit_strf(t, "text", "SIG%s: %s", sigabbrev_np(s->signal),
			  strsignal(s->signal));
	else if (s->module)
		emit_str(t, "text", s->module);
	else
		emit_str(t, "text", s->note);
}

void events_stopped(struct dap *d, const struct dbg_stop *s)
{
	bool breaks = s->reason == DBG_STOP_BREAKPOINT && !s->stepped;
	const struct stop_words *words =
	    &stop_words[s->stepped ? DBG_STOP_STEP : s->reason];

	console_drain(d);
	echo_flush(d);
	events_resumed(d);
	breaks_stopped(d);
	struct str *t = dap_event(d, "stopped");
	emit_str(t, "reason",
		 breaks ? breaks_reason(&d->breaks, s->breakpoint)
			: words->reason);
	emit_str(t, "description",
		 s->late ? "Paused in call" : words->description);
	if (s->thread)
		emit_int(t, "threadId", s->thread);
	d->last_thread = s->thread;
	add_stop_text(t, s);
	emit_bool(t, "allThreadsStopped", true);
	if (s->breakpoint) {
		emit_array(t, "hitBreakpointIds");
		emit_int(t, NULL, s->breakpoint);
		emit_array_end(t);
	}
	dap_send(d);
}

static struct dap_thread *find_thread(struct dap *d, uint32_t number)
{
	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == number)
			return &d->threads[i];
	return NULL;
}

// Whether a thread is one of the program's is known when all stand. Names are
// asked for if there is one that is new.
static void tell_threads(struct dap *d, struct dbg_stopped at)
{
	uint32_t *numbers;
	struct dbg_thread *list = NULL;
	size_t n, n_list = 0;
	bool is_new = false;

	struct dbg_error *err = dbg_thread_numbers(at, &numbers, &n);
	for (size_t i = 0; !err && i < n; i++)
		is_new = is_new || !find_thread(d, numbers[i]);
	if (!err && is_new)
		err = dbg_thread_list(at, &list, &n_list);
	if (err) {
		dap_warn(d, err);
		return;
	}
	for (size_t i = 0; i < n_list; i++)
		events_thread_seen(d, &list[i]);
}

// Tell the client of a stop. Only a pause stops a program that runs without
// debugging.
static void on_stopped(struct dap *d, const struct dbg_stop *s)
{
	bool passes = d->setup.no_debug && s->reason != DBG_STOP_PAUSE;
	struct dbg_stopped at;

	if (dbg_err_drop(dbg_stopped(d->dbg, &at)))
		return;
	if (!passes)
		tell_threads(d, at);
	if (s->reason == DBG_STOP_ATTACH || s->reason == DBG_STOP_READY ||
	    !dbg_can_run(d->dbg))
		begin_ready(d, s);
	else if (passes)
		dap_warn(d, dbg_continue(at, 0));
	else
		events_stopped(d, s);
}

static void tell_thread(struct dap *d, uint32_t number, bool gone)
{
	struct str *t = dap_event(d, "thread");

	emit_str(t, "reason", gone ? "exited" : "started");
	emit_int(t, "threadId", number);
	dap_send(d);
}

/* ---- The end --------------------------------------------------------- */

/* Forget all threads. */
static void events_threads_forget(struct dap *d)
{
	while (d->n_threads)
		free(d->threads[--d->n_threads].name);
}

// Tell the client that all threads have ended: another run of the program may
// follow, with the same numbers.
static void threads_end(struct dap *d)
{
	for (size_t i = 0; i < d->n_threads; i++)
		tell_thread(d, d->threads[i].number, true);
	events_threads_forget(d);
}

static void tell_exit(struct dap *d, const struct dbg_event *e)
{
	struct dbg_inferior inf;

	dbg_inferior_get(d->dbg, &inf);
	if (e->exit_signal)
		dap_say(d, "The program '[%d] %s' was ended by SIG%s.",
			(int)inf.pid, inf.name, sigabbrev_np(e->exit_signal));
	else
		dap_say(d,
			"The program '[%d] %s' has exited with code %d "
			"(0x%x).",
			(int)inf.pid, inf.name, e->exit_code,
			(unsigned int)e->exit_code);
}

static void on_exited(struct dap *d, const struct dbg_event *e)
{
	int status = e->exit_signal ? 128 + e->exit_signal : e->exit_code;

	console_drain(d);
	echo_flush(d);
	console_ended(&d->console, status);
	if (d->restart == DAP_RESTART_AT_END)
		threads_end(d);
	else if (d->setup.process_exit)
		tell_exit(d, e);
	events_threads_forget(d);
	events_resumed(d);
	d->held = false;
	bool never_began = begin_gone(d, status);
	memset(d->timers, 0, sizeof(d->timers));
	if (never_began)
		return;
	if (d->restart == DAP_RESTART_AT_END) {
		d->restart = DAP_RESTART_NOW;
		begin_try(d);
		return;
	}
	struct str *t = dap_event(d, "exited");
	emit_int(t, "exitCode", status);
	dap_send(d);
	begin_terminated(d);
}

/* ---- Threads, modules, messages -------------------------------------- */

static struct dap_thread *add_thread(struct dap *d, uint32_t number)
{
	mem_grow(&d->threads, &d->cap_threads, d->n_threads,
		 sizeof(*d->threads));
	struct dap_thread *thread = &d->threads[d->n_threads++];
	*thread = (struct dap_thread){.number = number};
	tell_thread(d, number, false);
	return thread;
}

const char *events_thread_seen(struct dap *d, const struct dbg_thread *seen)
{
	struct dap_thread *thread = find_thread(d, seen->number);

	if (!thread)
		thread = add_thread(d, seen->number);
	free(thread->name);
	bool has_id = seen->managed_id && seen->tid != dbg_pid(d->dbg);
	bool named = seen->named || seen->runtime;
	thread->name =
	    has_id ? xasprintf("%s [%" PRIu32 "]",
			       named ? seen->name : "Thread", seen->managed_id)
		   : xstrdup(seen->name);
	return thread->name;
}

void events_thread_main(struct dap *d)
{
	if (!find_thread(d, 1))
		add_thread(d, 1);
}

static void on_thread_gone(struct dap *d, uint32_t number)
{
	struct dap_thread *old = find_thread(d, number);

	if (old) {
		free(old->name);
		*old = d->threads[--d->n_threads];
		tell_thread(d, number, true);
	}
	if (d->setup.thread_exit)
		dap_say(d, "Thread %u has ended.", number);
}

static void tell_sources(struct dap *d, uint32_t module)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const char **list;
	size_t n;

	struct dbg_error *err =
	    dbg_source_list(d->dbg, module, arena, &list, &n);
	if (err) {
		dap_warn(d, err);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str *t = dap_event(d, "loadedSource");
		emit_str(t, "reason", "new");
		body_source(d, t, "source", list[i]);
		dap_send(d);
	}
}

static void on_module(struct dap *d, const struct dbg_event *e)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *list;
	size_t n = 0;

	struct dbg_error *err = dbg_module_list(d->dbg, arena, &list, &n);
	const struct dbg_module *m = NULL;
	for (size_t i = 0; !err && i < n; i++)
		if (list[i].number == e->number)
			m = &list[i];
	dbg_error_destroy(err);
	if (!m && !e->gone)
		return;
	struct str *t = dap_event(d, "module");
	emit_str(t, "reason", e->gone ? "removed" : "new");
	if (m) {
		body_module(t, "module", m);
	} else {
		emit_object(t, "module");
		emit_str(t, "id", e->text);
		emit_str(t, "name", e->text);
		emit_object_end(t);
	}
	dap_send(d);
	if (m && d->setup.module_load)
		dap_say(d, "Loaded '%s'. %s", m->path ? m->path : m->name,
			m->symbols_note ? m->symbols_note : "");
	if (m && m->symbols == DBG_SYMBOLS_LOADED)
		tell_sources(d, m->number);
	// what the framework does not have is no news
	if (m && !e->gone &&
	    (m->symbols == DBG_SYMBOLS_LOADED || !m->framework))
		breaks_loaded(d);
}

static void on_message(struct dap *d, const struct dbg_event *e)
{
	if (!e->number) {
		dap_say(d, "%s", e->text);
		return;
	}
	// a logpoint: with its place, which clients link to
	struct str *t = dap_output(d, e->text);
	breaks_place(d, t, e->number);
	dap_send(d);
}

/* Show what the program has written by Debug.WriteLine. */
static void on_output(struct dap *d, const struct dbg_event *e)
{
	echo_debug(d, e->text);
}

void events_tell_continued(struct dap *d)
{
	struct str *t = dap_event(d, "continued");
	emit_int(t, "threadId", d->last_thread);
	emit_bool(t, "allThreadsContinued", true);
	dap_send(d);
}

static void on_continued(struct dap *d)
{
	events_resumed(d);
	d->held = false;
	if (d->tell_continued)
		events_tell_continued(d);
}

void events_take(struct dap *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_event e;

	while (dbg_event_next(d->dbg, arena, &e)) {
		switch (e.kind) {
		case DBG_EVENT_STOPPED:
			on_stopped(d, &e.stop);
			break;
		case DBG_EVENT_CONTINUED:
			on_continued(d);
			break;
		case DBG_EVENT_EXITED:
			on_exited(d, &e);
			break;
		case DBG_EVENT_THREAD:
			// a stop shows which are the program's
			if (e.gone)
				on_thread_gone(d, e.number);
			break;
		case DBG_EVENT_MODULE:
			on_module(d, &e);
			break;
		case DBG_EVENT_BREAKPOINT:
			breaks_changed(d, e.number, e.gone);
			break;
		case DBG_EVENT_MESSAGE:
			on_message(d, &e);
			break;
		case DBG_EVENT_OUTPUT:
			on_output(d, &e);
			break;
		case DBG_EVENT_CHILD:
			children_take(d, &e);
			break;
		case DBG_EVENT_DUMPER:
			break;
		case DBG_EVENT_EVALUATED:
			pending_over(d);
			break;
		}
	}
}
