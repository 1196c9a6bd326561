/* Sampling a running program: see sampler.h. */
#include "sample/sampler.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dbg.h"
#include "sample/callstack.h"
#include "sample/pcnames.h"
#include "sample/perfevents.h"
#include "sample/stacktree.h"
#include "sample/threadlook.h"
#include "target/proc.h"
#include "target/target.h"

/* ---- A look at a thread ---------------------------------------------- */

/* Reading the kernel's facts about threads while they run: see threadlook.h. */

static bool thread_times_read(struct looked_thread *t,
			      struct thread_times *ret);

enum {
	TEXT_MAX = 256,
	THREADS_MAX = 100000, // of which short-lived ones are the most
};

static int thread_open(const struct thread_looks *l, pid_t tid,
		       const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", l->pid, tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void thread_close(struct looked_thread *t)
{
	mem_close_fd(&t->times_fd);
	mem_close_fd(&t->call_fd);
	t->times_fd = t->call_fd = -1;
}

static void thread_looks_deinit(struct thread_looks *l)
{
	for (size_t i = 0; i < l->n; i++) {
		thread_close(l->v[i]);
		callstack_mark_deinit(&l->v[i]->mark);
		free(l->v[i]);
	}
	free(l->v);
	map_deinit(&l->by_tid);
}

/*
 * Add a thread that was met at @now. What it did before is not ours; of a new
 * one all is.
 */
static struct looked_thread *thread_looks_add(struct thread_looks *l, pid_t tid,
					      int times_fd, uint64_t now)
{
	struct looked_thread *t = xcalloc(1, sizeof(*t));

	t->tid = tid;
	t->met = t->looked = t->counted_at = t->chance = now;
	t->times_at = now;
	t->fresh = l->begun;
	proc_comm(l->pid, tid, t->name);
	t->times_fd = times_fd;
	t->call_fd = thread_open(l, tid, "syscall");
	t->ended = times_fd < 0;
	if (!t->fresh && thread_times_read(t, &t->first))
		t->now = t->counted = t->first;
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = t;
	map_put(&l->by_tid, (uint64_t)tid, t);
	return t;
}

/*
 * Find a thread; one that was not met before @now is added. Events come late:
 * if the thread has ended by then, it is added for a sample only (@sampled),
 * or NULL is returned. If another had its number before, the events are that
 * one's unless there is a thread of the number again.
 */
static struct looked_thread *
thread_looks_find(struct thread_looks *l, pid_t tid, uint64_t now, bool sampled)
{
	struct looked_thread *t;

	// The kernel writes -1 for one that is no more.
	if (tid <= 0)
		return NULL;
	t = map_find(&l->by_tid, (uint64_t)tid);
	if ((t && !t->ended) || l->n >= THREADS_MAX)
		return t;
	int times_fd = thread_open(l, tid, "schedstat");

	return times_fd < 0 && (t || !sampled)
		   ? t
		   : thread_looks_add(l, tid, times_fd, now);
}

/* Add the threads that are new at @now. False: the process has ended. */
static bool thread_looks_list(struct thread_looks *l, uint64_t now)
{
	DIR *tasks = proc_tasks_open(l->pid);
	bool any = false;
	pid_t tid;

	if (!tasks)
		return false;
	while ((tid = proc_tasks_next(tasks))) {
		thread_looks_find(l, tid, now, false);
		any = true;
	}
	closedir(tasks);
	l->begun = true;
	return any;
}

// The text of a file of the thread's, which is gone with it.
static bool thread_text(struct looked_thread *t, int fd, char ret[TEXT_MAX])
{
	ssize_t n = fd < 0 ? -1 : pread(fd, ret, TEXT_MAX - 1, 0);

	if (n > 0) {
		ret[n] = '\0';
		return true;
	}
	if (fd >= 0 && errno == ESRCH) {
		t->ended = true;
		thread_close(t);
	}
	return false;
}

/* Read its times; false: it has ended. */
static bool thread_times_read(struct looked_thread *t, struct thread_times *ret)
{
	char text[TEXT_MAX], *at = text;

	if (!thread_text(t, t->times_fd, text))
		return false;
	ret->run = strtoull(at, &at, 10);
	ret->wait = strtoull(at, &at, 10);
	ret->slices = strtoull(at, &at, 10);
	return true;
}

/*
 * Read where the thread is at this moment from /proc/PID/task/TID/syscall:
 * "running", or "-1 SP PC", or "NUMBER SIX-ARGUMENTS SP PC".
 */
static enum thread_state thread_call_read(struct looked_thread *t,
					  struct blocked_call *ret)
{
	uint64_t v[CALL_WORDS + 3];
	char text[TEXT_MAX], *at = text, *end;
	size_t n = 0;

	if (!thread_text(t, t->call_fd, text))
		return t->ended ? THREAD_GONE : THREAD_RUNS;
	for (; n < sizeof(v) / sizeof(*v); n++, at = end) {
		v[n] = strtoull(at, &end, 0);
		if (end == at)
			break;
	}
	if (n < 3)
		return THREAD_RUNS;
	*ret = (struct blocked_call){
	    .number = (int64_t)v[0], .sp = v[n - 2], .pc = v[n - 1]};
	for (size_t i = 1; i + 2 < n; i++)
		ret->args[i - 1] = v[i];
	return THREAD_BLOCKED;
}

/* ---- The sampler ----------------------------------------------------- */

enum {
	RELEASE_LOOKS = 10,
	GLANCES_MAX = 99,     // a second, each of which stops a thread
	LOOKS_MAX = 200,      // a second: more cost more than they tell
	LOOKS_FEW = 33,       // a second: what is seldom looked for is missed
	READS_MAX = 10,       // stacks that are read in each of them
	READ_NS = 3000000,    // of time for each, at 99 samples a second
	READ_HERTZ = 99,      // ... with more less, but no less than a third
	LIST_NS = 100000000,  // between two readings of the list of threads
	TIMES_NS = 100000000, // ... of the times of one that runs
	IDLE_MAX = 64,        // ticks between two looks at an idle thread
	IDLE_SHARE = 16,      // ... and of the time that it has been idle for
	SECOND_NS = 1000000000,
	LIST_SECONDS = 10,   // ... if events tell of new threads
	SAMPLES_ENOUGH = 10, // of a thread, to spread its own time over them
	AWAITERS_MAX = 256,
	WORDS_MAX = 4096, // in which what has resumed a call is looked for
	WORDS_OUTER = 256,
};

struct sampler {
	pid_t pid;
	uint64_t period; // of samples, nanoseconds
	struct {
		uint64_t tick;   // of looks, on average, at least
		uint64_t next;   // ... the next
		uint64_t read;   // ... for each stack that is read
		uint64_t waited; // when a thread last began to wait
		bool busy;       // more were to be read than may be
	} pace;
	int timer;
	uint64_t random;
	struct dbg_error *no_events; // why there are none of these
	struct perf_events *events;
	uint64_t events_at; // when they were read
	uint64_t lost;      // of them, so far
	uint64_t gap_at;    // when some were last found to be lost
	struct target *target;
	struct callstacks stacks;
	struct pc_names names;
	struct stack_tree tree;
	struct thread_looks looks;
	size_t turn;  // whose look is the first
	size_t reads; // of stacks that are left until the next looks
	uint64_t next_state, next_threads;
	struct callstack stack;        // the one at hand
	struct target_glance glance;   // ... in memory, without events
	const struct async_ops *async; // NULL: stacks as they are
	int epoll; // ... of which samples are to be read soon
	uint64_t words[WORDS_MAX];
	uint32_t awaiters[AWAITERS_MAX]; // frames, the nearest first
	size_t n_awaiters;
	char *note;
	const struct dbg_sample_frame *frames[CALLSTACK_MAX];
	struct dbg_profile profile;
	struct dbg_sample_thread *threads; // of the profile
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- Begin and end ----------------------------------------------------- */

static bool code_at(void *arg, uint64_t pc, struct callstack_code *ret)
{
	const struct pc_frame *f = pc_name(arg, pc, true);

	*ret = (struct callstack_code){.start = f->start, .osr = f->osr};
	return f->start;
}

static bool code_anew(void *arg)
{
	return pc_names_anew(arg);
}

static const struct callstack_ops stack_ops = {
    .code = code_at,
    .anew = code_anew,
};

// Set the timer to a random time, so that looks are not in step with the
// program.
static void timer_set(struct sampler *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	uint64_t ns = s->pace.next / 2 + s->random % s->pace.next;
	const struct itimerspec next = {
	    .it_value = {.tv_sec = (time_t)(ns / SECOND_NS),
			 .tv_nsec = (long)(ns % SECOND_NS) + 1}};

	timerfd_settime(s->timer, 0, &next, NULL);
}

// Samples whose stacks lead to objects are read at once, before these change.
static void sampler_watch(struct sampler *s)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->timer,
		  &(struct epoll_event){.events = EPOLLIN});
	if (s->events)
		perf_events_watch(s->events, s->epoll);
}

struct dbg_error *sampler_create(pid_t pid,
				 const struct dbg_sample_request *req,
				 struct sampler **ret)
{
	uint32_t hertz = req->hertz;

	if (!hertz || hertz > 10000)
		return dbg_err(DBG_E_ARGUMENT,
			       "1 to 10,000 samples a second are possible");
	struct sampler *s = xcalloc(1, sizeof(*s));

	s->pid = s->looks.pid = pid;
	s->period = SECOND_NS / hertz;
	s->pace.tick = SECOND_NS / (hertz < LOOKS_MAX ? hertz : LOOKS_MAX);
	s->random = clock_ns() | 1;
	stack_tree_init(&s->tree);
	s->profile.began = clock_ns();
	s->no_events = perf_events_open(pid, hertz, req->async, &s->events);
	if (!s->events && hertz > GLANCES_MAX)
		s->pace.tick = SECOND_NS / GLANCES_MAX;
	s->pace.next = s->pace.tick;
	s->pace.read = READ_NS;
	if (hertz > READ_HERTZ)
		s->pace.read =
		    READ_NS * READ_HERTZ / least(hertz, 3 * READ_HERTZ);
	thread_looks_list(&s->looks, s->profile.began);
	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timer_set(s);
	s->epoll = -1;
	if (req->async)
		sampler_watch(s);
	*ret = s;
	return NULL;
}

void sampler_begin(struct sampler *s, const struct sampled_program *p)
{
	s->target = p->target;
	pc_names_init(&s->names, p->target, &s->tree);
	s->names.dac = p->code ? p->dac : NULL;
	s->names.code = p->code;
	s->async = s->names.async = p->code && p->dac ? p->async : NULL;
	callstacks_init(&s->stacks, p->target, &stack_ops, &s->names);
}

void sampler_destroy(struct sampler *s)
{
	if (!s)
		return;
	perf_events_close(s->events);
	dbg_error_destroy(s->no_events);
	mem_close_fd(&s->timer);
	mem_close_fd(&s->epoll);
	if (s->target) {
		callstacks_deinit(&s->stacks);
		pc_names_deinit(&s->names);
	}
	stack_tree_deinit(&s->tree);
	thread_looks_deinit(&s->looks);
	free(s->threads);
	free(s->note);
	free(s);
}

int sampler_fd(const struct sampler *s)
{
	return s->epoll >= 0 ? s->epoll : s->timer;
}

uint64_t sampler_samples(const struct sampler *s)
{
	return s->profile.samples + s->profile.looks;
}

/* ---- Stacks into the tree ---------------------------------------------- */

static uint32_t thread_index(const struct sampler *s,
			     const struct looked_thread *t)
{
	size_t i = 0;

	while (s->looks.v[i] != t)
		i++;
	return (uint32_t)i;
}

// The thread's node, under which all of its stacks are; made at the first call.
static uint32_t thread_node(struct sampler *s, struct looked_thread *t)
{
	_cleanup_free_ char *name = NULL;

	if (t->node)
		return t->node;
	name = xasprintf("%d '%s'", t->tid, t->name);
	t->node = stack_tree_node(
	    &s->tree, 0,
	    stack_tree_frame(
		&s->tree,
		&(struct dbg_sample_frame){
		    .name = name, .module = "", .kind = DBG_SAMPLE_THREAD}),
	    thread_index(s, t));
	return t->node;
}

static uint32_t node_state(struct sampler *s, uint32_t node, const char *name)
{
	const struct dbg_sample_frame frame = {
	    .name = name, .module = "", .kind = DBG_SAMPLE_STATE};

	return stack_tree_node(&s->tree, node,
			       stack_tree_frame(&s->tree, &frame),
			       s->tree.nodes[node].thread);
}

/* ---- Who awaits -------------------------------------------------------- */

// Words of the stack's copy from @from to @to, upwards or downwards.
static size_t words_add(struct sampler *s, size_t n, uint64_t from, uint64_t to)
{
	const struct callstack *c = &s->stack;
	int64_t step =
	    from < to ? (int64_t)sizeof(uint64_t) : -(int64_t)sizeof(uint64_t);

	for (uint64_t at = from; at != to && n < WORDS_MAX;
	     at += (uint64_t)step) {
		uint64_t offset = at - c->at;

		if (offset > c->n_bytes ||
		    c->n_bytes - offset < sizeof(uint64_t))
			break;
		memcpy(&s->words[n++], c->bytes + offset, sizeof(uint64_t));
	}
	return n;
}

static void awaiter_add(void *arg, const struct dbg_sample_frame *frame)
{
	struct sampler *s = arg;

	if (s->n_awaiters < AWAITERS_MAX)
		s->awaiters[s->n_awaiters++] =
		    stack_tree_frame(&s->tree, frame);
}

// Who awaits the call of frame @i, which frame @i + 1 has resumed: what resumes
// it is in frames from there to @end, or in a register that was saved since.
static bool awaiters_find(struct sampler *s, size_t i, size_t end,
			  enum async_part by)
{
	const struct callstack *c = &s->stack;
	const uint64_t word = sizeof(uint64_t);
	uint64_t sp = c->sps[i], to = end < c->n ? c->sps[end] : 0;
	struct async_resumed r = {
	    .by = by,
	    .method = pc_name(&s->names, c->pcs[i], !i)->method,
	    .words = s->words,
	};

	s->n_awaiters = 0;
	if (!sp || sp % word)
		return false;
	if (to < sp || to - sp > WORDS_OUTER * word)
		to = sp + WORDS_OUTER * word;
	r.n_outer = words_add(s, 0, sp, to);
	r.n_words = words_add(s, r.n_outer, sp - word, c->at - word);
	for (size_t k = 0; k < c->n_saved && r.n_words < WORDS_MAX; k++)
		s->words[r.n_words++] = c->saved[k];
	return s->async->awaiters(s->async->arg, &r, awaiter_add, s);
}

static struct pc_frame frame_at(struct sampler *s, size_t i)
{
	return *pc_name(&s->names, s->stack.pcs[i], !i);
}

// Has frame @i + 1 resumed the call of frame @i? The method that has begun one
// has the same name.
static bool is_resumed(struct sampler *s, size_t i, enum async_part *ret_by)
{
	struct pc_frame call = frame_at(s, i), by = frame_at(s, i + 1);

	*ret_by = by.async;
	return by.async == ASYNC_DISPATCHES ||
	       (call.async == ASYNC_CALL && by.async == ASYNC_RESUMES &&
		by.frame != call.frame);
}

static bool is_stub(struct sampler *s, size_t i)
{
	return !strcmp(s->tree.frames[frame_at(s, i).frame].name, "[IL stub]");
}

// Begin s->stack with whoever awaits the async call that was resumed last, in
// place of what has resumed it: *ret_n frames of it are left then.
static bool awaiters_join(struct sampler *s, struct looked_thread *t,
			  size_t *ret_n, uint32_t *ret_node)
{
	enum async_part by = ASYNC_NONE;
	size_t i = 0, end;

	while (i + 1 < s->stack.n && !is_resumed(s, i, &by))
		i++;
	if (i + 1 >= s->stack.n)
		return false;
	s->profile.resumed++;
	for (end = i + 2; end < s->stack.n; end++)
		if (frame_at(s, end).async == ASYNC_CALL)
			break;
	if (!awaiters_find(s, i, end, by))
		return false;
	s->profile.joined++;
	// The dispatcher calls methods through stubs.
	*ret_n = i + (by != ASYNC_DISPATCHES || !is_stub(s, i));
	*ret_node = thread_node(s, t);
	for (size_t k = s->n_awaiters; k-- > 0;)
		*ret_node = stack_tree_node(&s->tree, *ret_node, s->awaiters[k],
					    s->tree.nodes[*ret_node].thread);
	return true;
}

// The node of s->stack. Calls of nameless code in one image are one frame, and
// so are the code that a method was entered in and that which it goes on in.
static uint32_t node_stack(struct sampler *s, struct looked_thread *t)
{
	struct pc_frame outer = {0};
	uint32_t node = thread_node(s, t);
	uint32_t thread = s->tree.nodes[node].thread;
	size_t n = s->stack.n;

	if (!(s->async && awaiters_join(s, t, &n, &node)) && !s->stack.whole) {
		s->profile.broken++;
		node = node_state(s, node, "[stack is cut off]");
	}
	for (size_t i = n; i-- > 0;) {
		struct pc_frame f = *pc_name(&s->names, s->stack.pcs[i], !i);

		if (!(f.image && f.frame == outer.frame) &&
		    !(f.osr && f.method == outer.method))
			node = stack_tree_node(&s->tree, node, f.frame, thread);
		outer = f;
	}
	return node;
}

static void sample_take(void *arg, const struct perf_sample *sample)
{
	struct sampler *s = arg;
	struct looked_thread *t =
	    thread_looks_find(&s->looks, sample->tid, sample->time, true);

	if (!t)
		return;
	callstack_of_sample(&s->stacks, sample, &s->stack);
	s->profile.samples++;
	t->samples++;

	uint32_t node = node_stack(s, t);

	if (sample->kernel)
		node = node_state(s, node, "[kernel]");
	s->tree.nodes[node].run++;
}

// It had to leave its processor at @out, and has got one again at @in.
static void preempted_add(struct looked_thread *t, uint64_t out, uint64_t in)
{
	t->switches.preempted += in - out;
	t->switches.preemptions++;
	t->switches.lost = 0;
}

static void switch_out_take(struct looked_thread *t,
			    const struct perf_switch *change)
{
	if (change->preempted && change->time < t->switches.in)
		preempted_add(t, change->time, t->switches.in);
	else if (change->preempted)
		t->switches.lost = change->time;
	else if (change->time > t->switches.out)
		t->switches.out = change->time;
}

// Note a switch. Those of one thread come out of order if it changes
// processors.
static void switch_take(void *arg, const struct perf_switch *change)
{
	struct sampler *s = arg;
	struct looked_thread *t =
	    thread_looks_find(&s->looks, change->tid, change->time, false);

	s->next_state = change->time + LIST_NS;
	if (!t)
		return;
	if (!change->in) {
		switch_out_take(t, change);
		if (!change->preempted)
			s->pace.waited = change->time;
		return;
	}
	if (t->switches.lost && change->time > t->switches.lost)
		preempted_add(t, t->switches.lost, change->time);
	if (change->time > t->switches.in)
		t->switches.in = change->time;
	if (t->wait.from && change->time > t->looked &&
	    (!t->wait.until || change->time < t->wait.until))
		t->wait.until = change->time;
}

// Where threads are is not known any more, since events were lost.
static void threads_unknown(struct sampler *s)
{
	for (size_t i = 0; i < s->looks.n; i++) {
		struct looked_thread *t = s->looks.v[i];

		t->switches.in = t->switches.out = t->switches.lost = 0;
		if (t->wait.from && !t->wait.until)
			t->wait.until = s->events_at;
	}
}

static void events_take(struct sampler *s)
{
	const struct perf_readers to = {sample_take, switch_take, s};

	if (!s->events)
		return;
	s->events_at = clock_ns();
	perf_events_read(s->events, &to);
	if (perf_events_lost(s->events) != s->lost) {
		s->gap_at = s->events_at;
		threads_unknown(s);
		s->next_threads = 0;
	}
	s->lost = perf_events_lost(s->events);
}

/* ---- Looking at blocked threads ---------------------------------------- */

static uint32_t node_blocked(struct sampler *s, struct looked_thread *t,
			     const struct blocked_call *call)
{
	uint32_t node = node_stack(s, t);
	size_t n = s->stack.n, managed = 0;

	// node_stack() may have moved the frames.
	for (size_t i = 0; i < n; i++)
		s->frames[i] =
		    &s->tree.frames[pc_name(&s->names, s->stack.pcs[i], !i)
					->frame];
	while (managed < n && s->frames[managed]->kind != DBG_SAMPLE_MANAGED)
		managed++;
	return node_state(s, node,
			  waiting_for(s->target, call, s->frames, n,
				      managed < n && callstack_calls_native(
							 &s->stack, managed)));
}

static void blocked_add(struct sampler *s, struct looked_thread *t,
			uint32_t node, uint64_t ns)
{
	if (!node)
		return;
	s->tree.nodes[node].blocked += ns;
	t->blocked += ns;
}

// Without perf events, sample a running thread by stopping it for a moment, at
// a limited rate.
static void look_running(struct sampler *s, struct looked_thread *t)
{
	struct regs regs;

	if (s->events ||
	    !target_glance(s->target, t->tid, &t->seized, &regs, &s->glance))
		return;
	callstack_of_copy(&s->stacks, &regs, &s->glance, &s->stack);
	s->profile.samples++;
	t->samples++;

	uint32_t node = node_stack(s, t);

	s->tree.nodes[node].run++;
}

// Has a thread got a processor since it was @before?
static bool is_torn(struct sampler *s, struct looked_thread *t,
		    const struct looked_thread *before)
{
	if (!s->events)
		return !thread_times_read(t, &t->now) ||
		       t->now.slices != before->now.slices;
	events_take(s);
	return t->switches.in != before->switches.in ||
	       t->switches.out != before->switches.out ||
	       s->gap_at > before->chance;
}

// The node of the stack that it is blocked at; 0: it is not, or is no more.
static uint32_t look_blocked(struct sampler *s, struct looked_thread *t)
{
	const struct looked_thread before = *t;
	struct blocked_call call;

	enum thread_state state = thread_call_read(t, &call);

	if (state == THREAD_RUNS)
		look_running(s, t);
	if (state != THREAD_BLOCKED)
		return 0;
	if (call.number < 0 &&
	    proc_state_is_stopped(proc_state(s->pid, t->tid)))
		call.number = CALL_STOPPED;
	bool same =
	    !s->async && t->last && call.number == t->mark_call &&
	    callstack_mark_holds(&s->stacks, &t->mark, call.pc, call.sp);

	if (!same)
		callstack_of_blocked(&s->stacks, call.pc, call.sp, &s->stack);
	uint64_t at = clock_ns(), samples = s->profile.samples;

	// The stack at hand is another one, if a sample has come meanwhile.
	if (is_torn(s, t, &before) ||
	    (!same && s->profile.samples != samples)) {
		s->profile.torn++;
		return 0;
	}
	t->looked = at;
	if (same)
		return t->last;
	s->names.doubted = false;
	uint32_t node = node_blocked(s, t, &call);

	t->doubted = s->names.doubted;
	t->mark.pc = 0;
	t->mark_call = call.number;
	if (!s->async && !t->doubted && waiting_is_told(call.number))
		callstack_mark_set(&t->mark, &s->stack);
	return node;
}

/* ---- ... whose switches are known -------------------------------------- */

/*
 * How long a thread was blocked at each time is known, but not where, unless
 * it was looked at meanwhile. A time that is longer than from one chance to be
 * looked at to the next was not missed, and counts as long as it was; a shorter
 * one counts for those that were: as long as that.
 */

// Read its times, if they are older than @ns; they tell what it has waited for
// a processor since, when it was woken.
static void times_again(struct looked_thread *t, uint64_t now, uint64_t ns)
{
	struct thread_switches *w = &t->switches;
	const struct thread_times then = t->now;

	if (now < t->times_at + ns || !thread_times_read(t, &t->now))
		return;
	uint64_t waited = t->now.wait - then.wait;
	uint64_t times = t->now.slices - then.slices;

	if (times > w->preemptions)
		w->wakening =
		    waited > w->preempted
			? (waited - w->preempted) / (times - w->preemptions)
			: 0;
	w->preempted = w->preemptions = 0;
	t->times_at = now;
}

// Count what is over of the time that it was found blocked.
static void wait_count(struct sampler *s, struct looked_thread *t)
{
	if (!t->wait.from || !t->wait.until)
		return;
	uint64_t ns = t->wait.until > t->wait.from + t->switches.wakening
			  ? t->wait.until - t->wait.from - t->switches.wakening
			  : 0;

	t->seen += ns;
	blocked_add(s, t, t->last, ns > t->wait.gap ? ns : t->wait.gap);
	t->wait.from = t->wait.until = 0;
}

// Read where it is blocked.
static void wait_begin(struct sampler *s, struct looked_thread *t)
{
	uint32_t node = look_blocked(s, t);

	s->profile.looks += node != 0;
	if (!node)
		return;
	t->last = node;
	t->wait.gap = t->gap;
	t->wait.until = 0;
	// One that has not left a processor was blocked all the time.
	t->wait.from = t->switches.out      ? t->switches.out
		       : s->gap_at > t->met ? s->gap_at
					    : t->met;
}

// It is a thread's turn. One that is still blocked where it was found is not
// read, nor is one that has a processor, or waits for one, but for its times
// now and then.
static void thread_chance(struct sampler *s, struct looked_thread *t,
			  uint64_t now)
{
	t->gap = now - t->chance;
	t->chance = now;
	if (t->wait.from && !t->wait.until && !t->doubted) {
		s->profile.looks++;
		return;
	}
	if (t->wait.until)
		times_again(t, now, s->pace.busy ? SECOND_NS : 0);
	wait_count(s, t);
	if (t->ended)
		return;
	if (t->switches.out >= t->switches.in) {
		s->reads -= s->reads != 0;
		wait_begin(s, t);
	} else {
		times_again(t, now, TIMES_NS);
	}
}

// Give as many threads as may be read their turn, and the next time the others.
static void threads_chance(struct sampler *s, uint64_t now)
{
	const uint64_t longest = SECOND_NS / LOOKS_FEW;
	size_t n = s->looks.n, i = 0;

	s->reads = READS_MAX;
	for (; i < n && s->reads; i++)
		thread_chance(s, s->looks.v[(s->turn + i) % n], now);
	s->turn += i;

	uint64_t used = (READS_MAX - s->reads) * s->pace.read;
	bool calm = now > s->pace.waited + SECOND_NS;

	s->pace.busy = !s->reads;
	s->pace.next = calm ? longest : least(used, longest);
	if (s->pace.next < s->pace.tick || perf_events_hurry(s->events))
		s->pace.next = s->pace.tick;
}

/* ---- ... whose switches are not ---------------------------------------- */

// An idle thread is looked at less often, so that where it was when it is found
// elsewhere is wrong by a small part of the time that it was there only.
static uint64_t next_look(const struct sampler *s,
			  const struct looked_thread *t)
{
	uint64_t rest = t->moving ? 0 : (t->looked - t->since) / IDLE_SHARE;

	if (rest > IDLE_MAX * s->pace.tick)
		rest = IDLE_MAX * s->pace.tick;
	return t->looked + s->pace.tick / 2 + rest;
}

// The thread is blocked at @node now: count how long it was since it was last
// found blocked. If it has run meanwhile, half of that was there.
static void blocked_count(struct sampler *s, struct looked_thread *t,
			  uint32_t node)
{
	const struct thread_times *then = &t->counted;
	uint64_t busy = t->now.run - then->run + t->now.wait - then->wait;
	uint64_t past = t->looked - t->counted_at;
	uint64_t all = past > busy ? past - busy : 0;

	if (t->now.slices != then->slices)
		s->profile.guessed += all;
	blocked_add(s, t, t->last ? t->last : node, all / 2);
	blocked_add(s, t, node, all - all / 2);
	t->counted = t->now;
	t->counted_at = t->looked;
	t->last = node;
}

// The node where it is blocked; 0: none. If it has not run since the last look
// it is where it was. If it runs or waits for a processor, the kernel has not
// counted all its time yet.
static uint32_t look_counted(struct sampler *s, struct looked_thread *t)
{
	struct thread_times times;
	// We may have been kept waiting for a processor, and may be again.
	uint64_t now = clock_ns();

	if (!thread_times_read(t, &times))
		return 0;
	t->moving |= times.slices != t->now.slices || times.run != t->now.run;
	t->looked = now;
	t->now = times;
	if (!t->moving && t->last && !t->doubted)
		return t->last;
	uint32_t node = look_blocked(s, t);

	t->since = t->looked;
	t->moving = !node;
	return node;
}

static void thread_look(struct sampler *s, struct looked_thread *t,
			uint64_t now)
{
	// First of all let it go.
	if (t->seized)
		look_running(s, t);
	if (t->ended || t->seized || now < t->due)
		return;
	uint32_t node = look_counted(s, t);

	s->profile.looks += node != 0;
	if (node)
		blocked_count(s, t, node);
	t->due = next_look(s, t);
}

static void threads_look(struct sampler *s, uint64_t now)
{
	if (s->events) {
		threads_chance(s, now);
		return;
	}
	for (size_t i = 0; i < s->looks.n; i++)
		thread_look(s, s->looks.v[i], now);
}

static bool is_gone(const struct sampler *s)
{
	char state = proc_state(s->pid, s->pid);

	return !state || state == 'Z';
}

void sampler_tick(struct sampler *s, bool *ret_ended)
{
	uint64_t now = clock_ns(), expired;

	*ret_ended = false;
	pc_names_tick(&s->names);
	if (read(s->timer, &expired, sizeof(expired)) < 0) {
		if (s->async)
			events_take(s);
		return;
	}
	events_take(s);
	if (now >= s->next_state) {
		s->next_state = now + LIST_NS;
		*ret_ended = is_gone(s);
	}
	// Events tell of new threads, too.
	if (now >= s->next_threads) {
		s->next_threads =
		    now +
		    (s->events ? LIST_SECONDS * (uint64_t)SECOND_NS : LIST_NS);
		*ret_ended |= !thread_looks_list(&s->looks, now);
	}
	threads_look(s, now);
	timer_set(s);
}

/* ---- The profile ------------------------------------------------------- */

static uint64_t last_known(const struct looked_thread *t)
{
	const uint64_t times[] = {t->looked, t->times_at, t->switches.in,
				  t->switches.out};
	uint64_t last = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (times[i] > last)
			last = times[i];
	return last;
}

// Sum up a thread, in nanoseconds: on a processor, waiting for one, and
// blocked, which is the rest of the time it was watched. The kernel's counts
// are as old as the last look at them.
static void thread_total(const struct sampler *s, struct looked_thread *t,
			 struct dbg_sample_thread *ret)
{
	uint64_t until = t->ended ? last_known(t) : s->profile.ended;
	uint64_t run = t->now.run - t->first.run;
	uint64_t wait = t->now.wait - t->first.wait;
	uint64_t life = until > t->met ? until - t->met : 0;

	// One that came and went between two looks.
	if (run < t->samples * s->period && t->ended)
		run = t->samples * s->period;
	*ret = (struct dbg_sample_thread){
	    .tid = t->tid,
	    .name = t->name,
	    .run = run,
	    .wait = wait,
	    .blocked = life > run + wait ? life - run - wait : 0,
	    .samples = t->samples,
	};
}

// Nanoseconds of running that a sample of each thread stands for: of one with
// few, what it is on average of all such.
static void sample_weights(const struct sampler *s, double *ret)
{
	double run = 0, samples = 0;

	for (size_t i = 0; i < s->looks.n; i++) {
		const struct dbg_sample_thread *t = &s->threads[i];

		if (t->samples >= SAMPLES_ENOUGH)
			continue;
		run += (double)t->run;
		samples += (double)t->samples;
	}
	for (size_t i = 0; i < s->looks.n; i++) {
		const struct dbg_sample_thread *t = &s->threads[i];

		ret[i] = t->samples >= SAMPLES_ENOUGH
			     ? (double)t->run / (double)t->samples
			 : samples > 0 ? run / samples
				       : 0;
	}
}

static void node_finish(const struct sampler *s, struct dbg_sample_node *n,
			double weight)
{
	const struct dbg_sample_thread *t = &s->threads[n->thread];
	const struct looked_thread *looked = s->looks.v[n->thread];
	double run = (double)n->run * weight;

	n->run = (uint64_t)run;
	if (t->run)
		n->wait = (uint64_t)(run * (double)t->wait / (double)t->run);
	if (looked->blocked)
		n->blocked =
		    (uint64_t)((double)n->blocked * (double)t->blocked /
			       (double)looked->blocked);
}

// Count the rest of each thread's time, which no sample or look has found, as
// not seen.
static void threads_rest(struct sampler *s, const double *weights)
{
	for (size_t i = 0; i < s->looks.n; i++) {
		struct looked_thread *t = s->looks.v[i];
		const struct dbg_sample_thread *total = &s->threads[i];
		bool sampled = weights[i] > 0;

		if (!s->tree.nodes || (sampled && t->blocked))
			continue;
		uint32_t node = node_state(s, thread_node(s, t), "[not seen]");

		if (!sampled) {
			s->tree.nodes[node].run = total->run;
			s->tree.nodes[node].wait = total->wait;
		}
		if (!t->blocked)
			s->tree.nodes[node].blocked = total->blocked;
	}
}

static void profile_times(struct sampler *s)
{
	s->threads = xcalloc(s->looks.n + 1, sizeof(*s->threads));
	_cleanup_free_ double *weights =
	    xcalloc(s->looks.n + 1, sizeof(*weights));

	for (size_t i = 0; i < s->looks.n; i++) {
		struct looked_thread *t = s->looks.v[i];
		struct thread_times now;

		if (!t->ended && thread_times_read(t, &now))
			t->now = now;
		thread_total(s, t, &s->threads[i]);
		if (t->last && s->events && s->threads[i].blocked > t->seen)
			s->profile.guessed += s->threads[i].blocked - t->seen;
	}
	sample_weights(s, weights);
	for (size_t i = 1; i < s->tree.n_nodes; i++)
		node_finish(s, &s->tree.nodes[i],
			    weights[s->tree.nodes[i].thread]);
	threads_rest(s, weights);
}

// Count what all threads have been blocked for until now, and look at those
// that were not found blocked before.
static void threads_look_last(struct sampler *s)
{
	uint64_t now = clock_ns();

	events_take(s);
	for (size_t i = 0; i < s->looks.n; i++) {
		struct looked_thread *t = s->looks.v[i];

		t->due = 0;
		if (!s->events)
			thread_look(s, t, now);
		else if (!t->last)
			thread_chance(s, t, now);
		if (t->wait.from && !t->wait.until)
			t->wait.until = now;
		wait_count(s, t);
	}
}

// Let go what does not stop yet: else it would stand until we end.
static void threads_release(struct sampler *s)
{
	for (size_t i = 0; i < s->looks.n; i++) {
		struct looked_thread *t = s->looks.v[i];

		for (int k = 0; k < RELEASE_LOOKS && t->seized; k++)
			look_running(s, t);
	}
}

const struct dbg_profile *sampler_stop(struct sampler *s)
{
	struct dbg_profile *p = &s->profile;

	pc_names_tick(&s->names);
	threads_look_last(s);
	threads_release(s);
	if (s->events) {
		perf_events_stop();
		events_take(s);
		p->lost = perf_events_lost(s->events);
		p->kernel = perf_events_kernel(s->events);
	} else {
		p->note = s->note = xasprintf(
		    "%s: %s",
		    p->samples ? "running threads were stopped for some "
				 "microseconds to be sampled"
			       : "what runs was not sampled",
		    s->no_events->message);
	}
	p->ended = clock_ns();
	profile_times(s);
	p->threads = s->threads;
	p->n_threads = s->looks.n;
	p->frames = s->tree.frames;
	p->n_frames = s->tree.n_frames;
	p->nodes = s->tree.nodes;
	p->n_nodes = s->tree.n_nodes;
	return p;
}
