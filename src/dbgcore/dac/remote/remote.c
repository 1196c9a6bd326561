/*
 * Calls of a DAC in another process: see remote.h.
 *
 * The other process is a fork, and a call lies in memory that both have at the
 * same address (channel.h). So an argument that is an address is replaced by
 * the address of a copy there, whose size the table of methods tells
 * (dacmethods.h); when the call has returned, the copies are copied back.
 * Objects are addresses in the other process; they are kept in stand-ins and
 * mean nothing here. No size and no address that comes back is used here.
 */
#include "dac/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dac/remote/serve.h"

enum {
	ROOTS_MAX = 8,
	PENDING_MAX = CHANNEL_RELEASES,
	ALIGN = 16,
};

/* An object of the DAC, as its users here have it. */
struct stand_in {
	void (*const *vtable)(void);
	struct remote *remote;
	uint64_t object;           /* in the other process; 0: gone with it */
	const struct com_iid *iid; /* of a root, else NULL */
	unsigned int life;         /* of the process */
	bool is_root;
};

struct remote {
	struct dac *dac; /* borrowed */
	remote_load_fn *load;
	struct channel_end end;
	pid_t pid;         /* 0: there is no process */
	unsigned int life; /* number of the process */
	struct stand_in *process;
	struct stand_in *roots[ROOTS_MAX];
	size_t n_roots;
	uint64_t pending[PENDING_MAX]; /* to be released at the next call */
	size_t n_pending;
};

/* ---- The process ----------------------------------------------------- */

// End the child. Its status may have been taken by a wait for any child.
static void end_process(struct remote *r)
{
	if (!r->pid)
		return;
	if (!waitpid(r->pid, NULL, WNOHANG)) {
		kill(r->pid, SIGKILL);
		while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(r->end.socket);
	r->pid = 0;
}

// Make the sockets with numbers above standard input, output and error. These
// may be closed, and what is read or written there is not meant for the other
// process.
static bool make_sockets(int ret[2])
{
	int low[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low))
		return false;
	for (int i = 0; i < 2; i++)
		ret[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int errnum = errno;
	for (int i = 0; i < 2; i++)
		close(low[i]);
	if (ret[0] >= 0 && ret[1] >= 0)
		return true;
	for (int i = 0; i < 2; i++)
		if (ret[i] >= 0)
			close(ret[i]);
	errno = errnum;
	return false;
}

static struct dbg_error *fork_serve(struct remote *r)
{
	int sockets[2];

	if (!make_sockets(sockets))
		return dbg_err_errno(DBG_E_RUNTIME, errno,
				     "cannot make a pair of sockets");
	atomic_store(&r->end.channel->turn, CHANNEL_ANSWERS);
	r->end.channel->over = CHANNEL_NOT_OVER;
	r->end.channel->ticks_max = REMOTE_MAX_TICKS;
	struct serve s = {
	    .dac = r->dac,
	    .load = r->load,
	    .parent = getpid(),
	    .end = {r->end.channel, sockets[1], CHANNEL_ANSWERS, 0, 0},
	};
	r->pid = fork();
	if (!r->pid)
		serve(&s);
	int errnum = errno;
	close(sockets[1]);
	r->end.socket = sockets[0];
	if (r->pid > 0) {
		r->life++;
		r->n_pending = 0;
		return NULL;
	}
	r->pid = 0;
	close(r->end.socket);
	return dbg_err_errno(DBG_E_RUNTIME, errnum,
			     "cannot start a process for the runtime's DAC");
}

// Wait for the child's answer. If none comes, the child is dead, or is killed
// now.
static enum remote_end await_answer(struct remote *r)
{
	enum channel_wait wait = channel_await(&r->end, REMOTE_STUCK_S * 1000);

	if (wait == CHANNEL_TURN)
		return REMOTE_LIVES;
	uint32_t over = r->end.channel->over;
	end_process(r);
	return over == CHANNEL_OVER_TIME     ? REMOTE_LATE
	       : over == CHANNEL_OVER_MEMORY ? REMOTE_BIG
	       : wait == CHANNEL_LATE        ? REMOTE_STUCK
					     : REMOTE_CRASHED;
}

static int32_t hr_of(enum remote_end end)
{
	return end == REMOTE_CRASHED ? COM_E_DIED : COM_E_TIMEOUT;
}

struct dbg_error *remote_create(struct dac *d, remote_load_fn *load,
				struct remote **ret)
{
	struct dbg_error *err;
	struct remote *r = xcalloc(1, sizeof(*r));

	r->dac = d;
	r->load = load;
	r->end.side = CHANNEL_ASKS;
	r->end.channel = channel_create();
	err = r->end.channel
		  ? fork_serve(r)
		  : dbg_err_errno(DBG_E_RUNTIME, errno,
				  "cannot share memory with a process "
				  "for the runtime's DAC");
	if (err) {
		remote_destroy(r);
		return err;
	}
	*ret = r;
	return NULL;
}

void remote_destroy(struct remote *r)
{
	if (!r)
		return;
	end_process(r);
	channel_destroy(r->end.channel);
	free(r);
}

bool remote_is_dead(struct remote *r)
{
	// Who waits for a call does not see that the socket has ended.
	if (r->pid && atomic_load(&r->end.channel->sleeps[CHANNEL_ANSWERS]) &&
	    !channel_is_open(&r->end))
		end_process(r);
	return !r->pid;
}

void remote_stop(struct remote *r)
{
	end_process(r);
}

/* ---- Objects --------------------------------------------------------- */

static uint32_t release(struct stand_in *s)
{
	struct remote *r = s->remote;

	if (s->life == r->life && s->object) {
		// What does not fit keeps its memory till the process ends.
		if (r->n_pending < PENDING_MAX)
			r->pending[r->n_pending++] = s->object;
	}
	for (size_t i = 0; i < r->n_roots; i++)
		if (r->roots[i] == s)
			r->roots[i] = r->roots[--r->n_roots];
	if (r->process == s)
		r->process = NULL;
	free(s);
	return 0;
}

static int32_t not_called(void *self)
{
	(void)self;
	return COM_E_NOTIMPL;
}

#define SLOT(fn) ((void (*)(void))(fn))

static void (*const vtable[])(void) = {SLOT(not_called), SLOT(not_called),
				       SLOT(release)};

// NULL for none.
static struct stand_in *stand_in_create(struct remote *r, uint64_t object)
{
	if (!object)
		return NULL;
	struct stand_in *s = xcalloc(1, sizeof(*s));
	s->vtable = vtable;
	s->remote = r;
	s->object = object;
	s->life = r->life;
	return s;
}

// The address in the other process; 0: there is none any more.
static uint64_t object_of(const struct remote *r, const struct stand_in *s)
{
	return s && s->life == r->life ? s->object : 0;
}

bool remote_is_root(const void *object)
{
	const struct stand_in *s = object;

	return s->is_root;
}

/* ---- Arguments ------------------------------------------------------- */

/* Where the arguments of a call are in the shared memory. */
struct layout {
	const struct dac_arg *args;
	const uint64_t *own; /* as the caller gave them */
	struct place {
		uint8_t *at; /* NULL: no address */
		size_t n;    /* bytes */
	} places[DAC_MAX_ARGS];
	size_t used;
};

static size_t units(const uint16_t *name)
{
	size_t n = 0;

	while (name[n])
		n++;
	return n + 1;
}

// How many bytes an argument points to.
static size_t size_of(const struct layout *l, unsigned int i)
{
	const struct dac_arg *arg = &l->args[i];

	if (!l->own[i])
		return 0;
	if (arg->kind == DAC_ARG_NAME)
		return units((const uint16_t *)(uintptr_t)l->own[i]) *
		       arg->size;
	// A count has 32 bits, the rest of the argument is undefined.
	uint64_t n = arg->count ? (uint32_t)l->own[arg->count - 1] : 1;
	return n * arg->size;
}

static bool argument_place(struct remote *r, struct layout *l, unsigned int i)
{
	struct place *p = &l->places[i];

	p->n = size_of(l, i);
	if (p->n > CHANNEL_DATA - l->used)
		return false;
	p->at = l->own[i] ? r->end.channel->data + l->used : NULL;
	l->used += (p->n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	return l->used <= CHANNEL_DATA;
}

static void copy_in(const struct layout *l, unsigned int i)
{
	const struct place *p = &l->places[i];
	const void *own = (const void *)(uintptr_t)l->own[i];

	if (!p->n)
		return;
	if (l->args[i].kind == DAC_ARG_NEW)
		memset(p->at, 0, p->n);
	else if (l->args[i].kind == DAC_ARG_TEXT)
		memcpy(p->at, own, l->args[i].size);
	else
		memcpy(p->at, own, p->n);
}

// False: a process of its own cannot be given this.
static bool put_args(struct remote *r, struct layout *l)
{
	struct channel *c = r->end.channel;

	for (unsigned int i = 0; i < DAC_MAX_ARGS; i++) {
		c->args[i] = l->own[i];
		switch ((enum dac_arg_kind)l->args[i].kind) {
		case DAC_ARG_VALUE:
			break;
		case DAC_ARG_LOCAL:
			return false;
		case DAC_ARG_OBJECT:
			c->args[i] =
			    object_of(r, (const struct stand_in *)l->own[i]);
			break;
		case DAC_ARG_DATA:
		case DAC_ARG_READ:
		case DAC_ARG_TEXT:
		case DAC_ARG_NAME:
		case DAC_ARG_NEW:
			if (!argument_place(r, l, i))
				return false;
			copy_in(l, i);
			c->args[i] = (uintptr_t)l->places[i].at;
			break;
		}
	}
	return true;
}

static void copy_text(const struct place *p, uint16_t *own)
{
	const uint16_t *text = (const uint16_t *)p->at;
	size_t n = 0, max = p->n / sizeof(*own);

	for (; n < max; n++) {
		own[n] = text[n];
		if (!own[n])
			break;
	}
}

static void take_args(struct remote *r, const struct layout *l)
{
	for (unsigned int i = 0; i < DAC_MAX_ARGS; i++) {
		const struct place *p = &l->places[i];
		void *own = (void *)(uintptr_t)l->own[i];
		uint64_t object;

		if (!p->n)
			continue;
		switch ((enum dac_arg_kind)l->args[i].kind) {
		case DAC_ARG_DATA:
			memcpy(own, p->at, p->n);
			break;
		case DAC_ARG_TEXT:
			copy_text(p, own);
			break;
		case DAC_ARG_NEW:
			memcpy(&object, p->at, sizeof(object));
			*(void **)own = stand_in_create(r, object);
			break;
		case DAC_ARG_VALUE:
		case DAC_ARG_LOCAL:
		case DAC_ARG_OBJECT:
		case DAC_ARG_READ:
		case DAC_ARG_NAME:
			break;
		}
	}
}

/* ---- Calls ----------------------------------------------------------- */

static void put_state(struct remote *r)
{
	struct channel *c = r->end.channel;
	const struct data_target *dt = &r->dac->data_target;

	memcpy(c->releases, r->pending, sizeof(c->releases));
	c->n_releases = (uint32_t)r->n_pending;
	r->n_pending = 0;
	c->settings = dt->set;
	c->has_log = dt->log != NULL;
	if (dt->log)
		c->log = *dt->log;
}

static void log_copy(struct remote *r)
{
	struct read_log *log = r->dac->data_target.log;

	if (!log)
		return;
	*log = r->end.channel->log;
	if (log->n > READ_LOG_MAX)
		log->n = READ_LOG_MAX;
}

int32_t remote_call(struct remote *r, void *object, struct remote_call *call)
{
	const struct dac_method_info *m = &dac_methods[call->method];
	struct layout l = {.args = m->args, .own = call->args};
	struct channel *c = r->end.channel;

	call->end = REMOTE_LIVES;
	c->object = object_of(r, object);
	if (!r->pid || !c->object)
		return COM_E_DIED;
	if (!put_args(r, &l))
		return COM_E_NOTIMPL;
	put_state(r);
	c->method = call->method;
	c->ticks_max = call->ticks_max;
	channel_give(&r->end);
	call->end = await_answer(r);
	if (call->end != REMOTE_LIVES)
		return hr_of(call->end);
	int32_t hr = c->hr;
	log_copy(r);
	take_args(r, &l);
	return hr;
}

/* ---- The beginning --------------------------------------------------- */

// Learn how the child has begun: *ret_process is its IXCLRDataProcess, 0: none.
static struct dbg_error *begun(struct remote *r, uint64_t *ret_process,
			       int32_t *ret)
{
	struct channel *c = r->end.channel;
	enum remote_end end = await_answer(r);

	*ret_process = 0;
	if (end != REMOTE_LIVES) {
		*ret = hr_of(end);
		return NULL;
	}
	if (c->has_error) {
		c->data[CHANNEL_TEXT - 1] = 0;
		return dbg_err(DBG_E_RUNTIME, "%s", (char *)c->data);
	}
	*ret = c->hr;
	*ret_process = *ret < 0 ? 0 : c->object;
	return NULL;
}

struct dbg_error *remote_begin(struct remote *r, void **ret_process,
			       int32_t *ret)
{
	uint64_t process;
	struct dbg_error *err = begun(r, &process, ret);

	if (err)
		return err;
	r->process = stand_in_create(r, process);
	if (r->process)
		r->process->is_root = true;
	*ret_process = r->process;
	return NULL;
}

static void *query(struct remote *r, const struct com_iid *iid)
{
	void *ret = NULL;
	const uint64_t args[DAC_MAX_ARGS] = {(uintptr_t)iid, (uintptr_t)&ret};
	struct remote_call call = {QUERY, args, REMOTE_MAX_TICKS, REMOTE_LIVES};

	return remote_call(r, r->process, &call) < 0 ? NULL : ret;
}

void *remote_root(struct remote *r, const struct com_iid *iid)
{
	struct stand_in *s = query(r, iid);

	if (!s || r->n_roots == ROOTS_MAX)
		return s;
	s->iid = iid;
	s->is_root = true;
	r->roots[r->n_roots++] = s;
	return s;
}

// Let the stand-in stand for the same interface of the new process.
static void bind_again(struct remote *r, struct stand_in *root)
{
	struct stand_in *s = query(r, root->iid);

	root->life = r->life;
	root->object = s ? s->object : 0;
	free(s);
}

bool remote_restart(struct remote *r)
{
	uint64_t process;
	int32_t hr;

	if (!r->process || dbg_err_drop(fork_serve(r)) ||
	    dbg_err_drop(begun(r, &process, &hr)) || !process) {
		end_process(r);
		return false;
	}
	r->process->life = r->life;
	r->process->object = process;
	for (size_t i = 0; i < r->n_roots; i++)
		bind_again(r, r->roots[i]);
	return r->pid;
}
