/*
 * The one poll of a front end: its input, the engine, and signals.
 *
 * Signals come through a pipe that their handlers write to, not through
 * blocked signals, so that a program started by us inherits nothing and so
 * that Ctrl-C reaches the engine's long work at once (dbg_interrupt).
 */
#ifndef FRONT_LOOP_H
#define FRONT_LOOP_H

#include "dbg.h"

enum loop_event {
	LOOP_INPUT = 1,     /* the input is readable or at its end */
	LOOP_ENGINE = 2,    /* dbg_dispatch() was called: take the events */
	LOOP_INTERRUPT = 4, /* SIGINT */
	LOOP_RESIZE = 8,    /* SIGWINCH */
	LOOP_END = 16,      /* SIGTERM or SIGHUP: end now */
	LOOP_WATCHED = 32,  /* a watched descriptor was served */
};

struct loop;

/*
 * Take over SIGINT, SIGWINCH, SIGTERM and SIGHUP (the latter two not if they
 * are ignored) for as long as the loop lives. One loop at a time.
 */
DBG_MUST struct dbg_error *loop_create(struct dbg *dbg, struct loop **ret);
void loop_destroy(struct loop *loop);
/* Serve another session of the same family from now on. */
void loop_use(struct loop *loop, struct dbg *dbg);

/*
 * Wait until something of enum loop_event happened; all that did is in
 * *@ret. @input is the
 * descriptor to watch, -1 for none. After an error of
 * the engine's dispatch, *@ret is valid all the same.
 */
DBG_MUST struct dbg_error *loop_wait(struct loop *loop, int input,
				     unsigned int *ret);

/* Further descriptors to wait for, besides signals and the engine. */
struct pollfd;
struct loop_wait {
	struct pollfd *fds; /* revents are set */
	size_t n;
	int timeout;    /* milliseconds, -1: none */
	bool no_engine; /* leave the engine's work for later */
};

/* As loop_wait, for several descriptors; LOOP_INPUT if one is ready. */
DBG_MUST struct dbg_error *
loop_wait_fds(struct loop *loop, const struct loop_wait *w, unsigned int *ret);

/*
 * Have a further descriptor waited for, whoever waits: @poll says which and
 * for what, @serve is called when it is ready.
 */
DBG_MUST struct dbg_error *
loop_watch(struct loop *loop, void (*poll)(void *arg, struct pollfd *fd),
	   void (*serve)(void *arg, short revents), void *arg);
void loop_unwatch(struct loop *loop, void *arg);

/* Did Ctrl-C or a signal to end come since the last loop_wait()? */
bool loop_interrupted(const struct loop *loop);

/* Forget a Ctrl-C that a finished command has answered. */
void loop_forget(struct loop *loop);

#endif
