/*
 * Starting and ending the program.
 *
 * `launch` and `configurationDone` come in either order; when both are there
 * the program is started and `launch` is answered. With a terminal of the
 * client's, that is first asked for (`runInTerminal`), and the program starts
 * when the helper in it has told its name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "dap_priv.h"
#include "emit.h"
#include "fault.h"

static void answer_launch(struct dap *d, struct dbg_error *err)
{
	struct request req = {
	    .seq = d->launch_seq,
	    .command = d->setup.attach ? "attach" : "launch",
	};

	if (!d->launching) {
		dap_complain(d, err);
		return;
	}
	d->launching = false;
	bool failed = err;
	dap_answer(d, &req, err);
	if (failed)
		d->start = DAP_START_NONE;
}

// The program, or of one that was attached to the file that it runs.
static void tell_process(struct dap *d)
{
	char link[32], file[4096];
	const char *name = d->setup.program;

	if (!name) {
		snprintf(link, sizeof(link), "/proc/%d/exe",
			 (int)dbg_pid(d->dbg));
		ssize_t n = readlink(link, file, sizeof(file) - 1);
		file[n > 0 ? n : 0] = 0;
		name = file;
	}
	struct text *t = dap_event(d, "process");
	emit_str(t, "name", name);
	emit_int(t, "systemProcessId", dbg_pid(d->dbg));
	emit_bool(t, "isLocalProcess", true);
	emit_str(t, "startMethod", d->setup.attach ? "attach" : "launch");
	emit_int(t, "pointerSize", 64);
	dap_send(d);
}

// Only the client knows how to come by a process to attach to again.
static void tell_attached(struct dap *d)
{
	struct text *t = dap_event(d, "capabilities");

	emit_object(t, "capabilities");
	emit_bool(t, "supportsRestartRequest", false);
	emit_object_end(t);
	dap_send(d);
}

static struct dbg_error *launch(struct dap *d)
{
	struct setup *s = &d->setup;
	struct dbg_error *err = NULL;
	struct dbg_launch launch = {
	    .program = s->program,
	    .args = (const char *const *)s->args.v,
	    .n_args = s->args.n,
	    .cwd = s->cwd,
	    .env = (const char *const *)s->env.v,
	    .n_env = s->env.n,
	    .tty = d->console.tty,
	    .stop_at_entry = s->stop_at_entry && !s->no_debug,
	};

	if (!launch.tty)
		err = console_pipes(&d->console, &launch);
	if (!err)
		err = dbg_launch(d->dbg, &launch);
	console_started(&d->console);
	if (err)
		console_close(&d->console);
	return err;
}

static struct dbg_error *attach(struct dap *d)
{
	struct dbg_attach attach_to = {
	    .pid = (pid_t)d->setup.pid,
	    .name = d->setup.process_name,
	};

	return dbg_attach(d->dbg, &attach_to);
}

static struct dbg_error *ask_terminal(struct dap *d)
{
	static const char *const kinds[] = {"", "integrated", "external"};
	struct dbg_error *err;
	_cleanup_free_ char *arg = NULL;
	char self[4096];

	if (!d->client.run_in_terminal)
		return fault(DBG_E_UNSUPPORTED,
			     "this client cannot run a program in a terminal: "
			     "set 'console' to internalConsole");
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return fault(DBG_E_FILE, "cannot find dndbg itself");
	self[n] = 0;
	err = console_listen(&d->console, &arg);
	if (err)
		return err;
	struct text *t = dap_ask(d, "runInTerminal", &d->terminal_seq);
	emit_str(t, "kind", kinds[d->setup.console]);
	emit_str(t, "title", d->setup.name ? d->setup.name : "dndbg");
	emit_str(t, "cwd", d->setup.cwd ? d->setup.cwd : "");
	emit_array(t, "args");
	emit_str(t, NULL, self);
	emit_str(t, NULL, arg);
	emit_array_end(t);
	dap_send(d);
	d->start = DAP_START_TERMINAL;
	progress_start(d, PROGRESS_TERMINAL, d->launch_seq);
	return NULL;
}

static void started(struct dap *d, struct dbg_error *err)
{
	d->start = DAP_STARTED;
	progress_end(d, PROGRESS_TERMINAL);
	bool failed = err;
	answer_launch(d, err);
	if (failed) {
		console_close(&d->console);
		return;
	}
	tell_process(d);
	// the first thread is born with the program
	if (d->setup.attach)
		tell_attached(d);
	else
		news_thread_main(d);
}

static void start(struct dap *d)
{
	struct dbg_error *err = NULL;

	if (d->setup.attach)
		started(d, attach(d));
	else if (d->setup.console == SETUP_CONSOLE_INTERNAL)
		started(d, launch(d));
	else
		err = ask_terminal(d);
	if (err)
		started(d, err);
}

void begin_try(struct dap *d)
{
	if (d->cancel_start) {
		d->cancel_start = false;
		started(d, fault(DBG_E_INTERRUPTED, "cancelled"));
	} else if (d->start == DAP_START_TERMINAL) {
		if (d->console.tty)
			started(d, launch(d));
		else if (d->console.listener < 0 && d->console.helper < 0)
			started(d,
				fault(DBG_E_FILE, "the terminal was closed"));
	} else if (d->left) {
		d->left = false;
		begin_terminated(d);
	} else if (d->restart == DAP_RESTART_NOW) {
		d->restart = DAP_RESTART_NONE;
		d->terminated = false;
		console_close(&d->console);
		start(d);
	} else if (d->start == DAP_START_NONE && d->launching &&
		   d->configured) {
		start(d);
	}
}

void dap_answered(struct dap *d, const cJSON *message)
{
	const char *why = "the client gives no terminal";
	int64_t seq = 0;
	bool success = true;

	dbg_error_destroy(args_i64(message, "request_seq", &seq));
	dbg_error_destroy(args_bool(message, "success", &success));
	children_answered(d, seq, success);
	if (!seq || seq != d->terminal_seq)
		return;
	d->terminal_seq = 0;
	// what matters is that the helper calls; some clients answer late
	if (success || d->start != DAP_START_TERMINAL)
		return;
	dbg_error_destroy(args_str(message, "message", &why));
	started(d, fault(DBG_E_TARGET, "cannot run in a terminal: %s", why));
}

void begin_terminated(struct dap *d)
{
	if (d->terminated || !d->initialized)
		return;
	progress_end(d, PROGRESS_END);
	d->terminated = true;
	dap_event(d, "terminated");
	dap_send(d);
}
