/* Debuggers that die, at moments that are hard to hit from outside. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/live/inject.h"
#include "target/live/live.h"
#include "target/guard/orphan.h"
#include "target/live/thread.h"
#include "target/guard/orphan_code.h"
#include "target/proc.h"
#include "targetfixture.h"

enum {
	PROGRAM_CODE = 11,
	TURNS = 1000,
};

// What the program, the debugger and the test share.
struct shared {
	volatile uint64_t turns;
	volatile int end; // as a bool the sanitizer reads it but once
	volatile int attached;
	volatile uint64_t orphan; // where it lies
};

static void *doze(void *arg)
{
	pause();
	return arg;
}

static void note(int signal)
{
	(void)signal;
}

static __attribute__((noinline)) void tick(struct shared *s)
{
	s->turns++;
}

static _Noreturn void program(struct shared *s)
{
	pthread_t other;

	signal(SIGUSR1, note);
	if (pthread_create(&other, NULL, doze, NULL))
		_exit(1);
	while (!s->end)
		tick(s);
	_exit(PROGRAM_CODE);
}

// In the debugger, where no test can fail.
static void need(struct dbg_error *err)
{
	if (err)
		_exit(1);
}

static void step(struct target *t, struct shared *s)
{
	bool stepped = false;

	(void)s;
	need(target_thread_step(t, target_pid(t), true, &stepped));
	if (!stepped)
		_exit(2);
}

static void watch(struct target *t, struct shared *s)
{
	const struct target_watch v[TARGET_WATCHES] = {
	    {(uint64_t)&s->turns, 8, false}};

	need(target_watches_set(t, v));
}

// All is taken out of the program, but none of its threads is let go yet.
static _Noreturn void debugger(pid_t pid, struct shared *s,
			       void (*does)(struct target *, struct shared *))
{
	const uint64_t never = (uint64_t)fixture_other;
	struct target *t;

	need(target_attach(pid, &t));
	need(target_traps_arm(t, &never, 1));
	does(t, s);
	need(target_stop_all(t));
	struct live *l = live_of(t);
	need(live_take_out(l));
	kill(l->cleanup.pid, SIGKILL);
	raise(SIGKILL);
	_exit(3);
}

static void await_turns(struct shared *s, pid_t pid)
{
	uint64_t before = s->turns;

	while (s->turns - before < TURNS) {
		assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
		usleep(1000);
	}
}

static pid_t start(struct shared **ret)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(s, MAP_FAILED);
	pid_t pid = fork();
	if (!pid)
		program(s);
	await_turns(s, pid);
	*ret = s;
	return pid;
}

static void finish(struct shared *s, pid_t pid)
{
	int status;

	await_turns(s, pid);
	s->end = 1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, PROGRAM_CODE << 8);
	munmap(s, sizeof(*s));
}

static void die(void (*does)(struct target *, struct shared *))
{
	int status;
	struct shared *s;
	pid_t pid = start(&s);

	pid_t other = fork();
	if (!other)
		debugger(pid, s, does);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, SIGKILL);
	finish(s, pid);
}

// The processor's flag for a step stays when a tracer dies.
static void test_stepped(void **state)
{
	(void)state;
	die(step);
}

// And so do the debug registers.
static void test_watched(void **state)
{
	(void)state;
	die(watch);
}

/* ---- One that was killed, but traces the program still --------------- */

static _Noreturn void attach_and_wait(pid_t pid, struct shared *s)
{
	struct target *t;

	need(target_attach(pid, &t));
	s->attached = 1;
	for (;;)
		pause();
}

static _Noreturn void attach_and_detach(pid_t pid)
{
	struct target *t;

	need(target_attach(pid, &t));
	need(target_detach(t, false));
	target_destroy(t);
	_exit(0);
}

// Kill @pid, and hold it where it is about to end.
static void kill_halfway(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXIT),
			 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

static void test_dying(void **state)
{
	int status;
	char letter;
	struct shared *s;
	pid_t pid = start(&s);

	(void)state;
	pid_t dying = fork();
	if (!dying)
		attach_and_wait(pid, s);
	while (!s->attached)
		usleep(1000);
	kill_halfway(dying);
	pid_t next = fork();
	if (!next)
		attach_and_detach(pid);
	// It waits, or has given up.
	while ((letter = proc_state(next, next)) != 'S' && letter != 'Z')
		usleep(1000);
	assert_int_equal(ptrace(PTRACE_CONT, dying, NULL, NULL), 0);
	assert_int_equal(waitpid(dying, &status, 0), dying);
	assert_int_equal(status, SIGKILL);
	assert_int_equal(waitpid(next, &status, 0), next);
	assert_int_equal(status, 0);
	finish(s, pid);
}

/* ---- Two in turn, in the middle of a call in the same thread --------- */

static _Noreturn void call_and_die(pid_t pid)
{
	struct target *t;
	struct inject in;

	need(target_attach(pid, &t));
	struct live *l = live_of(t);
	need(inject_begin(l, &in));
	// As inject_call begins.
	if (in.tid != pid || !thread_load_regs(l, in.th))
		_exit(2);
	in.th->regs.now.rip = in.cave;
	in.th->regs.now.rax = SYS_getppid;
	in.th->regs.now.orig_rax = UINT64_MAX;
	in.th->regs.dirty = true;
	thread_flush_regs(l, in.th);
	kill(l->cleanup.pid, SIGKILL);
	raise(SIGKILL);
	_exit(3);
}

static void test_called(void **state)
{
	int status;
	struct shared *s;
	pid_t pid = start(&s);

	(void)state;
	// So that it makes no step between the two.
	kill(pid, SIGSTOP);
	for (int i = 0; i < 2; i++) {
		pid_t other = fork();
		if (!other)
			call_and_die(pid);
		assert_int_equal(waitpid(other, &status, 0), other);
		assert_int_equal(status, SIGKILL);
	}
	kill(pid, SIGCONT);
	finish(s, pid);
}

/* ---- A thread at the entry of a handler, which a dead debugger had stepped --
 */

static _Noreturn void enter_handler(pid_t pid)
{
	struct target *t;
	struct target_event event = {.kind = TARGET_GONE};
	sigset_t set;
	bool any;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	need(target_attach(pid, &t));
	target_watch_signals(t, &set);
	need(target_resume_all(t));
	syscall(SYS_tgkill, pid, pid, SIGUSR1);
	while (event.kind != TARGET_SIGNAL)
		need(target_event_next(t, &event, &any));
	// Let go by a step, but not by one that we would know of.
	struct live *l = live_of(t);
	struct thread *th = thread_find(l, pid);
	th->due.signal = 0;
	thread_set_stop(l, th, STOP_NONE);
	if (live_ptrace(l, PTRACE_SINGLESTEP, pid, 0, SIGUSR1))
		_exit(2);
	need(target_stop_all(t));
	if (!thread_load_regs(l, th) || th->regs.now.rip != (uint64_t)note)
		_exit(3);
	if (th->due.signal || th->stop == STOP_SIGNAL)
		_exit(4);
	need(target_detach(t, false));
	target_destroy(t);
	_exit(0);
}

static void test_handler(void **state)
{
	int status;
	struct shared *s;
	pid_t pid = start(&s);

	(void)state;
	pid_t other = fork();
	if (!other)
		enter_handler(pid);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	finish(s, pid);
}

/* ---- A thread that is inside of what a dead debugger left ------------ */

static uint64_t lock_at(uint64_t orphan)
{
	return orphan + ORPHAN_CODE_BYTES + offsetof(struct orphan_data, lock);
}

// The next to hit the trap waits for a lock that no thread has.
static _Noreturn void lock_and_die(pid_t pid, struct shared *s)
{
	const uint64_t at = (uint64_t)tick;
	const uint32_t owner = (uint32_t)pid;
	struct target *t;

	need(target_attach(pid, &t));
	need(target_traps_arm(t, &at, 1));
	struct live *l = live_of(t);
	need(target_write(t, lock_at(l->orphan.addr), &owner, sizeof(owner)));
	s->orphan = l->orphan.addr;
	kill(l->cleanup.pid, SIGKILL);
	raise(SIGKILL);
	_exit(3);
}

// Stop it by job control when it is inside.
static void stop_inside(pid_t pid, uint64_t orphan)
{
	struct regs regs;

	for (;;) {
		kill(pid, SIGSTOP);
		while (proc_state(pid, pid) != 'T')
			usleep(1000);
		// Out of one of the calls by which it waits.
		if (proc_syscall(pid, pid, &regs) &&
		    regs.rip - orphan < ORPHAN_CODE_BYTES)
			return;
		kill(pid, SIGCONT);
		usleep(1000);
	}
}

static void test_inside(void **state)
{
	const uint32_t none = 0;
	int status;
	uint64_t value;
	char path[32];
	struct shared *s;
	pid_t pid = start(&s);

	(void)state;
	pid_t other = fork();
	if (!other)
		lock_and_die(pid, s);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, SIGKILL);
	stop_inside(pid, s->orphan);
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int mem = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pwrite(mem, &none, 4, (off_t)lock_at(s->orphan)), 4);
	other = fork();
	if (!other)
		attach_and_detach(pid);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, 0);
	assert_int_equal(pread(mem, &value, 8, (off_t)s->orphan), -1);
	close(mem);
	kill(pid, SIGCONT);
	finish(s, pid);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stepped), cmocka_unit_test(test_watched),
	    cmocka_unit_test(test_dying),   cmocka_unit_test(test_called),
	    cmocka_unit_test(test_handler), cmocka_unit_test(test_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
