/*
 * What the live targets of one session share: the wait for statuses, any of
 * which may belong to any of their tasks, and the terminal.
 */
#include "target/live/family.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static struct dbg_error *family_create(struct family **ret)
{
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &chld, NULL);
	int fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot make a signal descriptor");
	*ret = xcalloc(1, sizeof(**ret));
	(*ret)->signal_fd = fd;
	return NULL;
}

struct dbg_error *family_join(struct family *f, struct live *l)
{
	struct dbg_error *err = f ? NULL : family_create(&f);

	if (err)
		return err;
	mem_grow(&f->lives, &f->lives_cap, f->n_lives, sizeof(*f->lives));
	f->lives[f->n_lives++] = l;
	l->family = f;
	return NULL;
}

void family_leave(struct live *l)
{
	struct family *f = l->family;
	size_t kept = 0;

	for (size_t i = 0; i < f->n_lives; i++)
		if (f->lives[i] != l)
			f->lives[kept++] = f->lives[i];
	f->n_lives = kept;
	l->family = NULL;
	if (kept)
		return;
	close(f->signal_fd);
	free(f->lives);
	free(f->strays);
	free(f);
}

struct live *family_owner(struct family *f, pid_t tid)
{
	for (size_t i = 0; i < f->n_lives; i++)
		if (thread_find(f->lives[i], tid))
			return f->lives[i];
	return NULL;
}

void family_gone(struct family *f, pid_t tid)
{
	f->gone[f->n_gone++ % GONE_MAX] = tid;
}

bool live_has_process(struct target *t, pid_t pid)
{
	struct family *f = live_of(t)->family;

	for (size_t i = 0; i < f->n_gone && i < GONE_MAX; i++)
		if (f->gone[i] == pid)
			return true;
	// of one that is lent no thread is known
	for (size_t i = 0; i < f->n_lives; i++)
		if (f->lives[i]->target.pid == pid && !f->lives[i]->exited)
			return true;
	return family_owner(f, pid);
}
