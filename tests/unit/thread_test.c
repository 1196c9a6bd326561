/* Threads, signals and children, while everything is stopped and resumed. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "target/proc.h"
#include "targetfixture.h"

static void watch(struct run *run, int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	target_watch_signals(run->t, &set);
}

// All that the target lists must be stopped, with registers to read.
static size_t check_stopped(struct run *run)
{
	struct arena *arena = arena_create();
	struct target_thread *threads;
	struct regs regs;
	size_t n;

	assert_true(target_all_stopped(run->t));
	must(target_threads(run->t, arena, &threads, &n));
	for (size_t i = 0; i < n; i++) {
		assert_true(threads[i].stopped);
		must(target_regs(run->t, threads[i].tid, &regs));
		assert_int_not_equal(regs.rip, 0);
	}
	arena_destroy(arena);
	return n;
}

static void tell_to_end(struct run *run)
{
	uint64_t one = 1;

	must(target_write(run->t, run_addr(run, &fixture_code), &one,
			  sizeof(one)));
}

// Events of births and deaths that are there.
static void take_events(struct run *run)
{
	struct target_event event;
	bool any = true;

	while (any) {
		must(target_event_next(run->t, &event, &any));
		if (!any)
			break;
		if (event.kind == TARGET_BORN)
			run->born++;
		else if (event.kind == TARGET_GONE)
			run->gone++;
		else
			fail_msg("event %d", (int)event.kind);
	}
}

static void test_births_and_deaths(void **state)
{
	struct run run;
	uint64_t seen = 0, progress = 0;

	(void)state;
	run_start(&run, "churn", "");
	must(target_resume_all(run.t));
	for (int i = 0; i < 1000; i++) {
		run_until(&run, i % 2 ? TARGET_BORN : TARGET_GONE);
		must(target_stop_all(run.t));
		seen += check_stopped(&run);
		uint64_t now = run_u64(&run, &fixture_others);
		assert_true(now >= progress);
		progress = now;
		// Nothing moves while it is stopped.
		assert_int_equal(run_u64(&run, &fixture_others), now);
		take_events(&run);
		if (i == 999)
			tell_to_end(&run);
		must(target_resume_all(run.t));
	}
	assert_true(seen > 1000);
	run_to_exit(&run, 0);
	assert_true(progress > 100);
	assert_int_equal(run.born, run.gone);
	assert_true(run.born > 100);
	run_end(&run);
}

// A leader that ends before the others tells nobody.
static void await_zombie(struct run *run)
{
	pid_t pid = target_pid(run->t);

	while (proc_state(pid, pid) != 'Z') {
		struct pollfd pfd = {target_fd(run->t), POLLIN, 0};

		take_events(run);
		poll(&pfd, 1, 1);
	}
}

static void test_leader_ends_first(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "leader", "");
	must(target_resume_all(run.t));
	run_until(&run, TARGET_BORN);
	// The leader ends some time during these, or when they are over.
	for (int i = 0; i < 50; i++) {
		must(target_stop_all(run.t));
		size_t n = check_stopped(&run);
		take_events(&run);
		assert_int_equal(n, run.gone ? 1 : 2);
		must(target_resume_all(run.t));
	}
	await_zombie(&run);
	must(target_stop_all(run.t));
	assert_int_equal(check_stopped(&run), 1);
	take_events(&run);
	assert_int_equal(run.gone, 1);
	must(target_resume_all(run.t));
	must(target_interrupt(run.t));
	run_until(&run, TARGET_INTERRUPTED);
	assert_int_not_equal(run.last.tid, target_pid(run.t));
	tell_to_end(&run);
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	run_resume(&run, &run.last);
	run_to_exit(&run, 23);
	assert_int_equal(run.hits, 1);
	run_end(&run);
}

/* ---- One thread alone ------------------------------------------------ */

static enum target_alone alone(struct run *run, uint64_t addr)
{
	struct regs regs;
	enum target_alone end;
	pid_t tid = run->last.tid;

	must(target_stop_all(run->t));
	must(target_thread_alone(run->t, tid, &addr, 1, &end));
	check_stopped(run);
	must(target_regs(run->t, tid, &regs));
	assert_int_equal(end == TARGET_ALONE_THERE, regs.rip == addr);
	return end;
}

static void test_alone(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "turns", "");
	uint64_t hit = run_addr(&run, (void *)fixture_hit);
	uint64_t other = run_addr(&run, (void *)fixture_other);

	run_arm(&run, hit);
	run_arm(&run, other);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_equal(run.last.addr, hit);
	assert_int_equal(alone(&run, other), TARGET_ALONE_THERE);

	// That trap is not reported again; the next is.
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_equal(run.last.addr, hit);
	assert_int_equal(run_u64(&run, &fixture_others), 1);
	assert_int_equal(alone(&run, other), TARGET_ALONE_ASLEEP);

	// With the others it gets the lock.
	tell_to_end(&run);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_equal(run.last.addr, other);

	// Another trap than the one waited for is reported as ever.
	assert_int_equal(alone(&run, other), TARGET_ALONE_ENDED);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_equal(run.last.addr, hit);
	run_resume(&run, &run.last);
	run_to_exit(&run, 0);
	run_end(&run);
}

/* ---- Signals --------------------------------------------------------- */

static void stop_world(struct run *run, const struct target_event *event)
{
	if (event->kind == TARGET_SIGNAL) {
		assert_int_equal(event->signal, SIGRTMIN + 2);
		assert_int_equal(event->info.si_code, SI_QUEUE);
		assert_int_equal(event->info.si_value.sival_int, 4711);
	}
	run->count++;
	if (run->count % 5) {
		run_resume(run, event);
		return;
	}
	must(target_stop_all(run->t));
	check_stopped(run);
	if (event->kind == TARGET_SIGNAL)
		target_thread_signal(run->t, event->tid, event->signal);
	must(target_resume_all(run->t));
}

enum {
	WATCHED = 1,
	HITS = 2,
	SLOW = 4,
};

static void signals_run(int how)
{
	struct run run;

	run_start(&run, "signals", "300");
	run.on_stop = stop_world;
	if (how & WATCHED)
		watch(&run, SIGRTMIN + 2);
	if (how & HITS)
		run_arm(&run, run_addr(&run, (void *)fixture_hit));
	if (how & SLOW)
		run_arm(&run, run_addr(&run, &fixture_slow));
	// It counts what it sends and what arrives.
	run_to_exit(&run, 0);
	uint64_t hits = (how & HITS ? 2400 : 0) + (how & SLOW ? 2400 : 0);
	assert_int_equal(run.hits, hits);
	assert_int_equal(run.signals, how & WATCHED ? 2400 : 0);
	run_end(&run);
}

static void test_signals(void **state)
{
	(void)state;
	for (int how = 0; how < 8; how++)
		signals_run(how);
}

static void test_signal_storm(void **state)
{
	struct run run;

	(void)state;
	for (int watched = 0; watched < 2; watched++) {
		run_start(&run, "storm", "500");
		if (watched)
			watch(&run, SIGRTMIN + 2);
		// Stepped in place, signals waiting meanwhile.
		run_arm(&run, run_addr(&run, &fixture_slow));
		run_to_exit(&run, 0);
		assert_int_equal(run.hits, 500);
		run_end(&run);
	}
}

static void test_signal_suppressed(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "die", "10");
	watch(&run, SIGUSR1);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_SIGNAL);
	assert_int_equal(run.last.signal, SIGUSR1);
	assert_true(target_signal_is_fatal(run.t, SIGUSR1));
	assert_false(target_signal_is_fatal(run.t, SIGWINCH));
	must(target_thread_resume(run.t, run.last.tid, 0));
	run_to_exit(&run, 99);
	run_end(&run);
}

// Delivered by resume_all unless the session says otherwise.
static void test_signal_held(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "die", "10");
	watch(&run, SIGUSR1);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_SIGNAL);
	must(target_stop_all(run.t));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_EXITED);
	assert_int_equal(run.exit_signal, SIGUSR1);
	run_end(&run);
}

static void test_fatal_signals(void **state)
{
	static const int signals[] = {SIGABRT, SIGSEGV, SIGKILL, SIGTERM,
				      SIGTRAP};
	struct run run;
	char arg[16];

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		snprintf(arg, sizeof(arg), "%d", signals[i]);
		run_start(&run, "die", arg);
		must(target_resume_all(run.t));
		run_until(&run, TARGET_EXITED);
		assert_int_equal(run.exit_signal, signals[i]);
		run_end(&run);
	}
}

static void test_group_stop(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "stopped", "");
	watch(&run, SIGSTOP);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_SIGNAL);
	run_resume(&run, &run.last);
	// Resumed, it stays stopped, as without a debugger.
	for (int i = 0; i < 20; i++) {
		must(target_stop_all(run.t));
		check_stopped(&run);
		must(target_resume_all(run.t));
	}
	assert_int_equal(kill(target_pid(run.t), 0), 0);
	must(target_stop_all(run.t));
	assert_int_equal(run_u64(&run, &fixture_others), 0);
	must(target_resume_all(run.t));
	assert_int_equal(kill(target_pid(run.t), SIGCONT), 0);
	run_to_exit(&run, 5);
	run_end(&run);
}

/* ---- Children -------------------------------------------------------- */

static void children_run(const char *how, uint64_t hits, bool stops)
{
	struct run run;
	struct target_event event;

	run_start(&run, "children", how);
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	run_arm(&run, run_addr(&run, &fixture_slow));
	must(target_resume_all(run.t));
	while (!run.exited) {
		run_next(&run, &event);
		if (!stops || run.exited)
			continue;
		must(target_stop_all(run.t));
		check_stopped(&run);
		must(target_resume_all(run.t));
	}
	assert_int_equal(run.exit_signal, 0);
	assert_int_equal(run.exit_code, 0);
	// Children's hits are nobody's business.
	assert_int_equal(run.hits, hits);
	assert_int_equal(run.execs, 0);
	run_end(&run);
}

static void test_children(void **state)
{
	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		children_run("f20", 0, stops);
		children_run("v20", 0, stops);
		children_run("x20", 0, stops);
		children_run("s20", 0, stops);
	}
}

enum {
	STOPS_BETWEEN = 8,
};

/*
 * Stopped and resumed many times while children are made. A stop may come
 * before a thread that was resumed has done anything: without a wait for what
 * the program does between them, it might never come to its end.
 */
static void test_children_stopped(void **state)
{
	static const char *const hows[] = {"f30", "v30", "x30", "s30"};
	struct run run;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct target_event event;

		run_start(&run, "children", hows[i]);
		run_arm(&run, run_addr(&run, (void *)fixture_hit));
		run_arm(&run, run_addr(&run, (void *)fixture_other));
		run_arm(&run, run_addr(&run, &fixture_slow));
		must(target_resume_all(run.t));
		for (;;) {
			// A child is done, or a thread is born or gone.
			run_next(&run, &event);
			if (run.exited)
				break;
			for (int k = 0; k < STOPS_BETWEEN; k++) {
				must(target_stop_all(run.t));
				check_stopped(&run);
				must(target_resume_all(run.t));
			}
		}
		assert_int_equal(run.exit_signal, 0);
		assert_int_equal(run.exit_code, 0);
		// Once for each child.
		assert_int_equal(run.hits, 120);
		run_end(&run);
	}
}

static void test_exec(void **state)
{
	struct run run;
	struct regs regs;

	(void)state;
	run_start(&run, "exec", "37");
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_not_equal(run.last.tid, target_pid(run.t));
	run_resume(&run, &run.last);
	run_until(&run, TARGET_EXEC);
	assert_int_equal(run.last.tid, target_pid(run.t));
	assert_true(target_all_stopped(run.t));
	assert_int_equal(check_stopped(&run), 1);
	assert_false(
	    target_trap_armed(run.t, run_addr(&run, (void *)fixture_hit)));
	must(target_regs(run.t, target_pid(run.t), &regs));
	assert_int_equal(regs.rax, 0);
	assert_int_equal(run.born, 3);
	run_to_exit(&run, 37);
	assert_int_equal(run.hits, 1);
	run_end(&run);
}

static void test_interrupt(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "spin", "");
	must(target_resume_all(run.t));
	run_until(&run, TARGET_BORN);
	for (int i = 0; i < 200; i++) {
		must(target_interrupt(run.t));
		run_until(&run, TARGET_INTERRUPTED);
		must(target_stop_all(run.t));
		check_stopped(&run);
		must(target_resume_all(run.t));
	}
	// Stopped by something else meanwhile, the pause is not wanted any
	// more: nothing comes of it.
	must(target_interrupt(run.t));
	must(target_stop_all(run.t));
	tell_to_end(&run);
	run_to_exit(&run, 11);
	assert_int_equal(run.interrupts, 200);
	run_end(&run);
}

// Memory mapped by a thread that sleeps in a system call; it sleeps on.
static void test_mmap(void **state)
{
	struct run run;
	uint64_t addr, value = 0;
	uint8_t zero[64], buf[64];

	(void)state;
	memset(zero, 0, sizeof(zero));
	run_start(&run, "spin", "");
	must(target_resume_all(run.t));
	run_until(&run, TARGET_BORN);
	for (int i = 0; i < 50; i++) {
		struct arena *arena = arena_create();
		struct target_thread *threads;
		struct regs before[8], after;
		size_t n;

		must(target_stop_all(run.t));
		must(target_threads(run.t, arena, &threads, &n));
		for (size_t k = 0; k < n; k++)
			must(target_regs(run.t, threads[k].tid, &before[k]));
		must(target_mmap(run.t, 12345, &addr));
		for (size_t k = 0; k < n; k++) {
			must(target_regs(run.t, threads[k].tid, &after));
			assert_memory_equal(&before[k], &after, sizeof(after));
		}
		must(target_read(run.t, addr + 12000, buf, sizeof(buf)));
		assert_memory_equal(buf, zero, sizeof(zero));
		must(target_write(run.t, addr, &addr, sizeof(addr)));
		must(target_read_u64(run.t, addr, &value));
		assert_int_equal(value, addr);
		must(target_resume_all(run.t));
		arena_destroy(arena);
	}
	must(target_stop_all(run.t));
	tell_to_end(&run);
	run_to_exit(&run, 11);
	run_end(&run);
}

// Killed from outside in its stop, it is noticed at once.
static void test_killed(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "spin", "");
	must(target_resume_all(run.t));
	run_until(&run, TARGET_BORN);
	must(target_stop_all(run.t));
	kill(target_pid(run.t), SIGKILL);
	run_until(&run, TARGET_EXITED);
	assert_int_equal(run.exit_signal, SIGKILL);
	run_end(&run);
}

static void test_destroyed(void **state)
{
	struct run run;
	int status;

	(void)state;
	for (int stopped = 0; stopped < 2; stopped++) {
		run_start(&run, "spin", "");
		pid_t pid = target_pid(run.t);
		must(target_resume_all(run.t));
		run_until(&run, TARGET_BORN);
		if (stopped)
			must(target_stop_all(run.t));
		run_end(&run);
		assert_int_equal(kill(pid, 0), -1);
		assert_int_equal(waitpid(-1, &status, __WALL | WNOHANG), -1);
	}
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_births_and_deaths),
	    cmocka_unit_test(test_leader_ends_first),
	    cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_signals),
	    cmocka_unit_test(test_signal_storm),
	    cmocka_unit_test(test_signal_suppressed),
	    cmocka_unit_test(test_signal_held),
	    cmocka_unit_test(test_fatal_signals),
	    cmocka_unit_test(test_group_stop),
	    cmocka_unit_test(test_children),
	    cmocka_unit_test(test_children_stopped),
	    cmocka_unit_test(test_exec),
	    cmocka_unit_test(test_interrupt),
	    cmocka_unit_test(test_mmap),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
