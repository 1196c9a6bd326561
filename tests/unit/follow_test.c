/* Processes that the program makes, followed to their exec. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "target/proc.h"
#include "targetfixture.h"

enum {
	ADOPTED_MAX = 64,
	EVENT_MS = 60000,
};

struct family_run {
	struct run run;
	struct target *adopted[ADOPTED_MAX];
	size_t n_adopted;
	size_t execs, entries, exits;
	bool stops; /* stop and resume all the time */
};

// One more target, with a trap where it begins.
static void adopt(struct family_run *f, pid_t pid)
{
	struct target *t;
	uint64_t entry;

	assert_true(f->n_adopted < ADOPTED_MAX);
	must(target_child_adopt(f->run.t, pid, &t));
	assert_int_equal(target_pid(t), pid);
	assert_true(target_all_stopped(t));
	must(target_entry(t, &entry));
	must(target_traps_arm(t, &entry, 1));
	must(target_resume_all(t));
	f->adopted[f->n_adopted++] = t;
}

// Stopped, it is as another debugger would find it, and goes on by SIGCONT.
static void leave(struct family_run *f, pid_t pid, bool stopped)
{
	char state = 0;

	must(target_child_leave(f->run.t, pid, stopped));
	for (int i = 0; stopped && state != 'T' && i < EVENT_MS; i++) {
		state = proc_state(pid, pid);
		usleep(1000);
	}
	if (!stopped)
		return;
	assert_int_equal(state, 'T');
	assert_int_equal(kill(pid, SIGCONT), 0);
}

static void on_child(struct family_run *f, pid_t pid)
{
	switch (f->execs++ % 3) {
	case 0:
		adopt(f, pid);
		break;
	case 1:
		must(target_child_pass(f->run.t, pid, f->execs % 2));
		break;
	case 2:
		leave(f, pid, f->execs % 2);
		break;
	}
	must_fail(target_child_pass(f->run.t, pid, false), DBG_E_NOT_FOUND,
		  "is held");
}

// The next event of an adopted one; false: there is none now.
static bool adopted_event(struct family_run *f, size_t i)
{
	struct target *t = f->adopted[i];
	struct target_event event;
	bool any;

	must(target_event_next(t, &event, &any));
	if (!any)
		return false;
	if (event.kind == TARGET_TRAP) {
		f->entries++;
		must(target_thread_resume(t, event.tid, 0));
	} else if (event.kind == TARGET_EXITED) {
		assert_int_equal(event.signal, 0);
		assert_int_equal(event.exit_code, 0);
		target_destroy(t);
		f->adopted[i] = f->adopted[--f->n_adopted];
		f->exits++;
	}
	return true;
}

static bool events(struct family_run *f)
{
	struct target_event event;
	bool any = false;

	if (!f->run.exited)
		must(target_event_next(f->run.t, &event, &any));
	if (any && event.kind == TARGET_CHILD) {
		on_child(f, event.tid);
	} else if (any && event.kind == TARGET_EXITED) {
		f->run.exited = true;
		assert_int_equal(event.signal, 0);
		assert_int_equal(event.exit_code, 0);
	} else if (any && event.kind == TARGET_TRAP) {
		fail_msg("a trap of a child was reported");
	}
	for (size_t i = f->n_adopted; i-- > 0;)
		any = adopted_event(f, i) || any;
	return any;
}

static void follow(const char *how, size_t execs, bool stops)
{
	struct family_run f = {.stops = stops};

	run_start(&f.run, "children", how);
	run_arm(&f.run, run_addr(&f.run, (void *)fixture_hit));
	target_follow(f.run.t, true);
	must(target_resume_all(f.run.t));
	while (!f.run.exited || f.n_adopted) {
		struct pollfd pfd = {target_fd(f.run.t), POLLIN, 0};

		if (stops && !f.run.exited) {
			must(target_stop_all(f.run.t));
			must(target_resume_all(f.run.t));
		}
		if (!events(&f) && poll(&pfd, 1, EVENT_MS) != 1)
			fail_msg("no event within a minute");
	}
	assert_int_equal(f.execs, execs);
	assert_int_equal(f.entries, (execs + 2) / 3);
	assert_int_equal(f.exits, (execs + 2) / 3);
	run_end(&f.run);
}

static void test_follow(void **state)
{
	(void)state;
	for (int stops = 0; stops < 2; stops++) {
		follow("s20", 80, stops);
		follow("v20", 80, stops);
		follow("f20", 0, stops);
		follow("x20", 0, stops);
	}
}

// Whatever the children are at, they are let go when the target ends.
static void test_ends_first(void **state)
{
	(void)state;
	for (int how = 0; how < 2; how++) {
		struct run run;

		run_start(&run, "children", "s20");
		target_follow(run.t, true);
		must(target_resume_all(run.t));
		run_until(&run, TARGET_CHILD);
		pid_t pid = run.last.tid;

		if (how)
			must(target_child_pass(run.t, pid, false));
		run_end(&run);
		// Not held by us: it comes to its end.
		for (int i = 0; i < EVENT_MS && !kill(pid, 0); i++)
			usleep(1000);
		assert_int_not_equal(kill(pid, 0), 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_follow),
	    cmocka_unit_test(test_ends_first),
	};

	fixture_enter(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
