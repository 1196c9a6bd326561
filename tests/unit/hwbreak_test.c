/* Watched memory: each access told once, by whatever thread. */
#include <string.h>

#include "targetfixture.h"

static void watch(struct run *run, const volatile void *ours, bool reads)
{
	const struct target_watch v[TARGET_WATCHES] = {
	    [2] = {run_addr(run, ours), 8, reads}};

	must(target_watches_set(run->t, v));
}

static void unwatch(struct run *run)
{
	const struct target_watch v[TARGET_WATCHES] = {{0}};

	must(target_watches_set(run->t, v));
}

static void count_slot(struct run *run, const struct target_event *event)
{
	if (event->kind == TARGET_WATCH) {
		assert_int_equal(event->slots, 1 << 2);
		run->count++;
	}
	run_resume(run, event);
}

// Threads that are born after it was set.
static void test_counted(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "500");
	run.on_stop = count_slot;
	watch(&run, &fixture_hits, false);
	run_to_exit(&run, 0);
	assert_int_equal(run.count, 4000);
	run_end(&run);
}

// A trap at each instruction of the function that writes: what is executed
// beneath a trap, by us or in place, is told like any other.
static void test_with_traps(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "100");
	run.on_stop = count_slot;
	watch(&run, &fixture_hits, false);
	uint64_t addr = run_addr(&run, (void *)fixture_hit);
	uint8_t code[16];
	run_arm(&run, addr);
	must(target_read(run.t, addr, code, sizeof(code)));
	// endbr64 comes first where the compiler was asked for it.
	if (!memcmp(code, "\xf3\x0f\x1e\xfa", 4))
		run_arm(&run, addr + 4);
	run_to_exit(&run, 0);
	assert_int_equal(run.count, 800);
	assert_true(run.hits >= 800);
	run_end(&run);
}

static void find_stack(struct run *run, const struct target_event *event)
{
	struct regs regs;

	if (event->kind == TARGET_TRAP && !run->count) {
		must(target_regs(run->t, event->tid, &regs));
		must(target_stop_all(run->t));
		const struct target_watch v[TARGET_WATCHES] = {
		    {regs.rsp - 16, 8, false}};
		must(target_watches_set(run->t, v));
		run->count = 1;
		must(target_resume_all(run->t));
		return;
	}
	// What follows movq $5, -8(%rbp).
	if (event->kind == TARGET_WATCH &&
	    event->addr == run_addr(run, (void *)fixture_insn_addrs[4]))
		run->count++;
	run_resume(run, event);
}

// Pushes and stores to the stack are emulated at a trap: they hit, too.
static void test_emulated(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "insns", "50");
	run.on_stop = find_stack;
	for (int i = 0; i < FIXTURE_INSNS; i++)
		run_arm(&run,
			run_addr(&run, (void *)fixture_insn_addrs[i]) - 0);
	run_to_exit(&run, 0);
	assert_int_equal(run.count, 51);
	run_end(&run);
}

static void step_on(struct run *run, const struct target_event *event)
{
	bool stepped;

	if (event->kind == TARGET_WATCH)
		run->count++;
	if (event->kind == TARGET_STEPPED && run->steps >= 400) {
		run_resume(run, event);
		return;
	}
	must(target_thread_step(run->t, event->tid, false, &stepped));
}

// A single step that hits is told as a hit.
static void test_stepped(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "3");
	run.on_stop = step_on;
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	watch(&run, &fixture_hits, false);
	run_to_exit(&run, 0);
	assert_int_equal(run.count, 24);
	run_end(&run);
}

// Taken away while hits wait in the queue: nothing of it comes afterwards.
static void take_away(struct run *run, const struct target_event *event)
{
	if (event->kind == TARGET_WATCH && run->watched == 20) {
		must(target_stop_all(run->t));
		unwatch(run);
		must(target_resume_all(run->t));
		return;
	}
	run_resume(run, event);
}

static void test_taken_away(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "2000");
	run.on_stop = take_away;
	watch(&run, &fixture_hits, false);
	run_to_exit(&run, 0);
	assert_int_equal(run.watched, 20);
	run_end(&run);
}

// A forked child has none, and what runs after exec neither.
static void test_children(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "children", "f20");
	watch(&run, &fixture_others, true);
	run_to_exit(&run, 0);
	assert_true(run.watched > 0);
	run_end(&run);
	run_start(&run, "exec", "7");
	watch(&run, &fixture_hits, false);
	run_to_exit(&run, 7);
	assert_int_equal(run.watched, 1);
	run_end(&run);
}

// Reads hit only where they were asked for; the debugger's own never.
static void test_own_access(void **state)
{
	struct run run;
	uint64_t value = 0;

	(void)state;
	run_start(&run, "hits", "10");
	watch(&run, &fixture_hits, true);
	uint64_t addr = run_addr(&run, &fixture_hits);
	must(target_write(run.t, addr, &value, sizeof(value)));
	must(target_read(run.t, addr, &value, sizeof(value)));
	run.on_stop = count_slot;
	run_to_exit(&run, 0);
	// Each addition, and the fixture's own look at the sum.
	assert_int_equal(run.count, 81);
	run_end(&run);
}

static void test_refused(void **state)
{
	struct run run;
	const struct target_watch v[TARGET_WATCHES] = {
	    {UINT64_C(0xffff800000000000), 8, false}};

	(void)state;
	run_start(&run, "hits", "10");
	must_fail(target_watches_set(run.t, v), DBG_E_TARGET,
		  "cannot set the debug registers");
	run_to_exit(&run, 0);
	assert_int_equal(run.watched, 0);
	run_end(&run);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counted),
	    cmocka_unit_test(test_with_traps),
	    cmocka_unit_test(test_emulated),
	    cmocka_unit_test(test_stepped),
	    cmocka_unit_test(test_taken_away),
	    cmocka_unit_test(test_children),
	    cmocka_unit_test(test_own_access),
	    cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
