/*
 * Declarations shared by the files of the debug adapter.
 *
 * The model: one loop (dap.c) waits for the client, the engine and the
 * program's output. A request is carried out at once and answered; events that
 * its handler makes follow the answer. A request for which the program makes a
 * call is answered when that is over (req_variable.h). The engine's events are
 * handled in dap.c. `launch` starts the program, which is held before its
 * first managed code until `configurationDone`: no breakpoint is late, and a
 * client may wait for either answer before it goes on (lifecycle.c).
 *
 * Back-pressure: while much waits to be written to the client, nothing that
 * makes more is done: no requests, no output of the program, no events of the
 * engine. A client that reads slowly makes the program wait, and nothing grows.
 */
#ifndef DAP_DAP_PRIV_H
#define DAP_DAP_PRIV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"
#include "dap/dap.h"
#include "dap/launch/console.h"
#include "dap/launch/lifecycle.h"
#include "dap/launch/setup.h"
#include "dap/request/breaks.h"
#include "dap/request/handle.h"
#include "dap/request/req_code.h"
#include "dap/request/req_variable.h"
#include "dap/request/request.h"
#include "dap/wire/inbox.h"
#include "dap/wire/progress.h"
#include "dbg.h"
#include "front/cli/commands.h"
#include "front/cli/options.h"
#include "front/loop.h"
#include "front/outbox.h"

/* Capabilities that the client has announced. */
struct client {
	char *adapter; /* the type of its configurations */
	bool lines_from_0, columns_from_0, uris;
	bool starts_from_0; /* of completions */
	bool variable_type, paging, run_in_terminal, progress, invalidated,
	    memory_event, start_debugging;
};

/* How far the start of the program has come. */
enum dap_start {
	DAP_START_NONE,
	DAP_START_TERMINAL, /* waiting for the client's terminal */
	DAP_STARTED,
};

/* Things to do at a certain time. */
enum dap_timer {
	TIMER_KILL,   /* the program was asked to end */
	TIMER_ANSWER, /* `launch`, of a program without a runtime yet */
	TIMER_ECHO,   /* debug messages that may be printed yet */
	TIMER_GO,     /* what was attached to, configured or not */
	N_TIMERS,
};

/* Is the program to begin anew? */
enum dap_restart {
	DAP_RESTART_NONE,
	DAP_RESTART_AT_END, /* it is being ended */
	DAP_RESTART_NOW,
};

/* A thread that the client knows, and its name; NULL: not looked at yet. */
struct dap_thread {
	uint32_t number;
	char *name;
};

/*
 * One adapter and its session. Large: it has what several files share; the
 * state of a single file is a struct of that file.
 */
struct dap {
	struct dbg *dbg;
	struct loop *loop;
	const struct front_options *options;
	const struct listen_at *listen; /* NULL: descriptors 0 and 1 */

	/* The exchange. */
	int in_fd;
	struct inbox in;
	struct outbox out;
	int64_t seq;
	struct str message; /* the one that is being made */
	struct words late;  /* events until the answer is out */
	bool answering;
	FILE *log;
	bool log_fault_told;
	bool quit;

	/* The session. */
	struct client client;
	struct setup setup;
	struct console console;
	struct echo echo;
	struct breaks breaks;
	struct children children;
	struct handles frames, values, gotos;
	struct sources sources;
	struct commands commands; /* of the prompt */
	struct pending pending;
	uint32_t suspended; /* stands for suspended calls, 0: none yet */
	struct words lazy;  /* expression and name of each HANDLE_LAZY */
	bool initialized, configured;
	bool held;      /* until `configurationDone` */
	bool launching; /* or attaching: asked, not answered */
	int64_t launch_seq;
	enum dap_start start;
	bool cancel_start;
	int64_t terminal_seq; /* of the runInTerminal request, 0: none */
	enum dap_restart restart;
	bool left;       /* a command let the program go */
	bool terminated; /* the client was told */
	bool waits[N_PROGRESS];
	int64_t timers[N_TIMERS];   /* milliseconds, 0: not set */
	struct dap_thread *threads; /* alive, that the client knows */
	size_t n_threads, cap_threads;
	uint32_t last_thread; /* that stopped, or was asked to run */
	bool tell_continued;  /* the request does not say that it runs */
	int exit_code;
};

/* ---- dap.c: messages out --------------------------------------------- */

/* Carry out the requests that have come whole. */
void dap_take_messages(struct dap *d);
/* Give back what @d holds; the session is the caller's. */
void dap_deinit(struct dap *d);
/* Begin an event; the members of its body go into the text returned. */
struct str *dap_event(struct dap *d, const char *event);
/*
 * Begin a request to the client; *@ret_seq will be in its answer. Not while a
 * request of the client is carried out.
 */
struct str *dap_ask(struct dap *d, const char *command, int64_t *ret_seq);
/* Send what dap_event or dap_ask began. */
void dap_send(struct dap *d);
/* Send it at once, though a request may be under way, whose answer follows. */
void dap_send_now(struct dap *d);
/*
 * Read what the client has sent meanwhile: does it cancel @request, or is it
 * gone?
 */
bool dap_hear_cancel(struct dap *d, int64_t request);
/* Answer @req, by @err if that is not NULL (and destroy it). */
void dap_answer(struct dap *d, const struct request *req,
		struct dbg_error *err);
/* Send the events that waited for an answer. */
void dap_late_events(struct dap *d);
/* An `output` event, category "console", made of one sentence. */
void dap_say(struct dap *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Start @timer: what it is for is done after @ms milliseconds. */
void dap_timer(struct dap *d, enum dap_timer timer, int ms);
/* dap_say its words and destroy it; NULL is allowed. */
void dap_warn(struct dap *d, struct dbg_error *err);

/* Take the engine's events and send the client's. */
void events_take(struct dap *d);
/* Tell the client of a stop. */
void events_stopped(struct dap *d, const struct dbg_stop *s);
/*
 * Tell the client of a thread that it does not know yet, and keep its name for
 * when the program runs: that name, with the number that C# code knows the
 * thread by.
 */
const char *events_thread_seen(struct dap *d, const struct dbg_thread *seen);
/* Tell the client that all threads run. */
void events_tell_continued(struct dap *d);
/* The program runs: tell the client of its main thread. */
void events_thread_main(struct dap *d);

/* ---- lifecycle.c: starting and ending -------------------------------- */

/* Go on with what is under way: start the program, release it, restart it. */
void begin_try(struct dap *d);
/* Answer `launch` or `attach`, if that waits; destroys @err. */
void begin_answer(struct dap *d, struct dbg_error *err);
/*
 * Answer `launch` or `attach`, if that waits, with success: the program runs.
 */
void begin_runs(struct dap *d);
/*
 * The program was stopped by the start itself: DBG_STOP_READY or ATTACH, or the
 * one stop of a core. It is held until the client has configured.
 */
void begin_ready(struct dap *d, const struct dbg_stop *stop);
/*
 * The program ended with @status: true if the client was never told that it had
 * started.
 */
bool begin_gone(struct dap *d, int status);
/* Let the program go that is held; of a core, tell the stop. */
void begin_release(struct dap *d);
/* Give up the start: the client has cancelled it. */
void begin_cancel(struct dap *d);
/* The client has answered one of our requests. */
void dap_answered(struct dap *d, const cJSON *message);
/* Tell the client that the session is over, once. */
void begin_terminated(struct dap *d);

/* ---- req_break.c ----------------------------------------------------- */

/*
 * Add the capabilities that belong to no request: exception filters and the
 * like.
 */
void capabilities_more(struct str *t);

/* ---- req_code.c: shared by several families ------------------------------ */

/* A `Source` for @path: name and path as the client wants paths. */
void body_source(struct dap *d, struct str *t, const char *key,
		 const char *path);
/*
 * Add the source of a frame: one that is neither the user's nor present here is
 * marked as not to be opened.
 */
void body_frame_source(struct dap *d, struct str *t, const struct dbg_frame *f);
/* A source's path as the engine wants it; in *@ret, owned by the caller. */
DBG_MUST struct dbg_error *body_path(const char *given, char **ret);
/* A module as an object. */
void body_module(struct str *t, const char *key, const struct dbg_module *m);
int64_t body_line(const struct dap *d, uint32_t line);
int64_t body_column(const struct dap *d, uint32_t column);

#endif
