/* A debugger that dies just before it lets go of a program. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/live.h"
#include "targetfixture.h"

enum {
	PROGRAM_CODE = 11,
	TURNS = 1000,
};

// What the program, the debugger and the test share.
struct shared {
	volatile uint64_t turns;
	volatile int end; // as a bool the sanitizer reads it but once
};

static void *doze(void *arg)
{
	pause();
	return arg;
}

static _Noreturn void program(struct shared *s)
{
	pthread_t other;

	if (pthread_create(&other, NULL, doze, NULL))
		_exit(1);
	while (!s->end)
		s->turns++;
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
	kill(l->sentry.pid, SIGKILL);
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

static void die(void (*does)(struct target *, struct shared *))
{
	int status;
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(s, MAP_FAILED);
	pid_t pid = fork();
	if (!pid)
		program(s);
	await_turns(s, pid);
	pid_t other = fork();
	if (!other)
		debugger(pid, s, does);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(status, SIGKILL);
	await_turns(s, pid);
	s->end = 1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, PROGRAM_CODE << 8);
	munmap(s, sizeof(*s));
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

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stepped),
	    cmocka_unit_test(test_watched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
