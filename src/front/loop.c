/*
 * The one poll of a front end and its signals. Handlers write the number of the
 * signal to a pipe, which is polled with all else; SIGINT also interrupts the
 * engine's long work at once, and SIGTERM gives an orderly end one second.
 */
#include "front/loop.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"

enum {
	N_SIGNALS = 4,
	END_SECONDS = 1, /* that an end in order may take */
	LOOP_FDS_MAX = 16,
	LOOP_WATCHERS_MAX = 4,
};

static const int signals[N_SIGNALS] = {SIGINT, SIGWINCH, SIGTERM, SIGHUP};

struct watcher {
	void (*poll)(void *arg, struct pollfd *fd);
	void (*serve)(void *arg, short revents);
	void *arg; /* NULL: free */
};

struct loop {
	struct watcher watchers[LOOP_WATCHERS_MAX];
	struct dbg *dbg;
	int rfd, wfd;                  /* pipe of signal numbers */
	volatile sig_atomic_t waiting; /* in poll(): nothing to interrupt */
	volatile sig_atomic_t interrupted;
	volatile sig_atomic_t ending; /* SIGTERM has come */
	unsigned int put_back;        /* what loop_forget has found */
	struct sigaction old[N_SIGNALS];
};

// A signal handler gets no argument from us: hence this global variable.
static struct loop *handler_loop;

static void on_alarm(int sig)
{
	(void)sig;
	_exit(128 + SIGTERM);
}

/*
 * Make sure that dndbg ends, whatever it waits for: an alarm ends it. Children
 * end with it, and an attached program survives that as any other end.
 */
static void end_soon(ucontext_t *context)
{
	struct sigaction sa = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &sa, NULL);
	// as of our return from the handler
	sigdelset(&context->uc_sigmask, SIGALRM);
	alarm(END_SECONDS);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct loop *loop = handler_loop;
	int saved = errno;

	(void)info;
	// Whoever asks twice has seen us not answer.
	if (sig == SIGTERM && loop->ending)
		_exit(128 + SIGTERM);
	loop->ending = loop->ending || sig == SIGTERM;
	if (sig == SIGTERM || sig == SIGHUP)
		end_soon(context);
	unsigned char byte = (unsigned char)sig;

	if (sig != SIGWINCH) {
		loop->interrupted = 1;
		if (!loop->waiting)
			dbg_interrupt(loop->dbg);
	}
	// A full pipe holds the news already.
	ssize_t n = write(loop->wfd, &byte, 1);
	(void)n;
	errno = saved;
}

static void install(struct loop *loop)
{
	struct sigaction sa = {
	    .sa_sigaction = on_signal,
	    .sa_flags = SA_RESTART | SA_SIGINFO,
	};

	sigfillset(&sa.sa_mask);
	for (int i = 0; i < N_SIGNALS; i++) {
		sigaction(signals[i], NULL, &loop->old[i]);
		// nohup: who ignores the hangup wants us to live on.
		if (signals[i] == SIGHUP && loop->old[i].sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &sa, NULL);
	}
}

struct dbg_error *loop_create(struct dbg *dbg, struct loop **ret)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return dbg_err(DBG_E_TARGET, "cannot make a pipe: %s",
			       strerror(errno));
	struct loop *loop = xcalloc(1, sizeof(*loop));
	loop->dbg = dbg;
	loop->rfd = fds[0];
	loop->wfd = fds[1];
	handler_loop = loop;
	install(loop);
	*ret = loop;
	return NULL;
}

void loop_use(struct loop *loop, struct dbg *dbg)
{
	loop->dbg = dbg;
}

void loop_destroy(struct loop *loop)
{
	if (!loop)
		return;
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &loop->old[i], NULL);
	handler_loop = NULL;
	close(loop->rfd);
	close(loop->wfd);
	free(loop);
}

static unsigned int take_signals(struct loop *loop)
{
	unsigned char buf[64];
	unsigned int what = 0;
	ssize_t n;

	while ((n = read(loop->rfd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < n; i++)
			what |= buf[i] == SIGINT     ? LOOP_INTERRUPT
				: buf[i] == SIGWINCH ? LOOP_RESIZE
						     : LOOP_END;
	return what;
}

struct dbg_error *loop_watch(struct loop *loop,
			     void (*poll)(void *arg, struct pollfd *fd),
			     void (*serve)(void *arg, short revents), void *arg)
{
	for (int i = 0; i < LOOP_WATCHERS_MAX; i++) {
		if (loop->watchers[i].arg)
			continue;
		loop->watchers[i] = (struct watcher){poll, serve, arg};
		return NULL;
	}
	return dbg_err(DBG_E_ARGUMENT, "at most %d further interfaces",
		       LOOP_WATCHERS_MAX);
}

void loop_unwatch(struct loop *loop, void *arg)
{
	for (int i = 0; i < LOOP_WATCHERS_MAX; i++)
		if (loop->watchers[i].arg == arg)
			loop->watchers[i].arg = NULL;
}

static void poll_watched(const struct loop *loop, struct pollfd *fds)
{
	for (int i = 0; i < LOOP_WATCHERS_MAX; i++) {
		const struct watcher *w = &loop->watchers[i];
		fds[i] = (struct pollfd){.fd = -1};
		if (w->arg)
			w->poll(w->arg, &fds[i]);
	}
}

static bool serve_watched(struct loop *loop, const struct pollfd *fds)
{
	bool any = false;

	for (int i = 0; i < LOOP_WATCHERS_MAX; i++) {
		const struct watcher *w = &loop->watchers[i];
		if (!fds[i].revents || !w->arg)
			continue;
		w->serve(w->arg, fds[i].revents);
		any = true;
	}
	return any;
}

struct dbg_error *loop_wait_fds(struct loop *loop, const struct loop_wait *w,
				unsigned int *ret)
{
	bool there = dbg_state(loop->dbg) != DBG_IDLE && !w->no_engine;
	struct pollfd fds[LOOP_FDS_MAX + 2 + LOOP_WATCHERS_MAX];
	unsigned int what = loop->put_back;
	int timeout = what ? 0 : w->timeout;

	assert(w->n <= LOOP_FDS_MAX);
	fds[0] = (struct pollfd){loop->rfd, POLLIN, 0};
	fds[1] = (struct pollfd){there ? dbg_fd(loop->dbg) : -1, POLLIN, 0};
	if (w->n)
		memcpy(fds + 2, w->fds, w->n * sizeof(*fds));
	struct pollfd *watched = fds + 2 + w->n;
	poll_watched(loop, watched);
	loop->waiting = 1;
	int n = poll(fds, w->n + 2 + LOOP_WATCHERS_MAX, timeout);
	loop->waiting = 0;
	if (n < 0 && errno != EINTR)
		return dbg_err(DBG_E_TARGET, "cannot poll: %s",
			       strerror(errno));
	// one that came since the poll has set the flag, or waits for the next
	if (n < 0 || fds[0].revents || loop->interrupted)
		what |= take_signals(loop);
	loop->interrupted = 0;
	loop->put_back = 0;
	for (size_t i = 0; i < w->n; i++) {
		w->fds[i].revents = n > 0 ? fds[2 + i].revents : 0;
		if (w->fds[i].revents)
			what |= LOOP_INPUT;
	}
	if (n > 0 && fds[1].revents)
		what |= LOOP_ENGINE;
	if (n > 0 && serve_watched(loop, watched))
		what |= LOOP_WATCHED;
	*ret = what;
	return what & LOOP_ENGINE ? dbg_dispatch(loop->dbg) : NULL;
}

struct dbg_error *loop_wait(struct loop *loop, int input, unsigned int *ret)
{
	struct pollfd fd = {input, POLLIN, 0};
	struct loop_wait w = {.fds = &fd, .n = 1, .timeout = -1};

	return loop_wait_fds(loop, &w, ret);
}

bool loop_interrupted(const struct loop *loop)
{
	return loop->interrupted;
}

void loop_forget(struct loop *loop)
{
	loop->put_back |= take_signals(loop) & ~(unsigned int)LOOP_INTERRUPT;
	loop->interrupted = 0;
}
