/* Traps in running programs: every hit once, nothing changed for the rest. */
#include <string.h>

#include "base/err.h"
#include "target/target_priv.h"
#include "targetfixture.h"

static void test_counted(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "2000");
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 16000);
	assert_int_equal(run.born, 8);
	assert_int_equal(run.gone, 8);
	run_end(&run);
}

// At each 7th hit of the first function the other's trap is lifted or armed.
static void toggle(struct run *run, const struct target_event *event)
{
	uint64_t other = run_addr(run, (void *)fixture_other);
	bool all = run->count % 2;

	if (event->addr == other) {
		run->hits--;
		assert_true(target_trap_armed(run->t, other));
		run_resume(run, event);
		return;
	}
	run->count++;
	if (run->count % 7) {
		run_resume(run, event);
		return;
	}
	if (all)
		must(target_stop_all(run->t));
	if (target_trap_armed(run->t, other))
		run_lift(run, other);
	else
		run_arm(run, other);
	if (all)
		must(target_resume_all(run->t));
	else
		run_resume(run, event);
}

static void test_armed_and_lifted(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "1000");
	run.on_stop = toggle;
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	// It ends with 0 if each function ran as often as it should.
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 8000);
	run_end(&run);
}

// Every hit stops the world, as a debugger's user sees it.
static void stop_world(struct run *run, const struct target_event *event)
{
	struct regs regs;

	must(target_stop_all(run->t));
	assert_true(target_all_stopped(run->t));
	must(target_regs(run->t, event->tid, &regs));
	assert_int_equal(regs.rip, event->addr);
	must(target_resume_all(run->t));
}

static void test_world_stops(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "150");
	run.on_stop = stop_world;
	run_arm(&run, run_addr(&run, (void *)fixture_hit));
	run_arm(&run, run_addr(&run, (void *)fixture_other));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 2400);
	run_end(&run);
}

static void test_every_instruction(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "insns", "20");
	uint64_t addrs[FIXTURE_INSNS];
	for (size_t i = 0; i < FIXTURE_INSNS; i++)
		addrs[i] = fixture_insn_addrs[i] + run.slide;
	must(target_traps_arm(run.t, addrs, FIXTURE_INSNS));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 20 * FIXTURE_INSNS);
	run_end(&run);
}

static void test_own_int3(void **state)
{
	struct run run;
	sigset_t set;

	(void)state;
	run_start(&run, "int3", "");
	run_to_exit(&run, 0);
	run_end(&run);

	// A trap upon it: the hit first, then the program's own signal.
	run_start(&run, "int3", "");
	run_arm(&run, run_addr(&run, &fixture_int3));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 100);
	run_end(&run);

	run_start(&run, "int3", "");
	run_arm(&run, run_addr(&run, &fixture_int3));
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	target_watch_signals(run.t, &set);
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 100);
	assert_int_equal(run.signals, 200);
	run_end(&run);
}

static void test_fault(void **state)
{
	struct run run;
	sigset_t set;

	(void)state;
	run_start(&run, "fault", "");
	run_arm(&run, run_addr(&run, &fixture_fault));
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	target_watch_signals(run.t, &set);
	run_to_exit(&run, 0);
	// The instruction runs again when its handler returns.
	assert_int_equal(run.hits, 200);
	assert_int_equal(run.signals, 100);
	run_end(&run);
}

static void test_syscall(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "syscall", "200");
	run_arm(&run, run_addr(&run, &fixture_syscall));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 200);
	run_end(&run);

	// One that waits for another thread of the program.
	run_start(&run, "pipe", "200");
	run_arm(&run, run_addr(&run, &fixture_read_call));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 200);
	run_end(&run);
}

static void test_double_mapped(void **state)
{
	struct run run;
	uint8_t byte;

	(void)state;
	run_start(&run, "double", "1000");
	run_arm(&run, run_addr(&run, (void *)fixture_other));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	uint64_t code = run_u64(&run, &fixture_code);
	// At its first byte, at one that is stepped in place, at the last.
	const uint64_t addrs[] = {code, code + 4, code + 9};
	must(target_traps_arm(run.t, addrs, 3));
	must(target_read(run.t, code + 4, &byte, 1));
	assert_int_equal(byte, 0xf0);
	must(target_resume_all(run.t));
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 3001);
	run_end(&run);
}

static void test_hidden(void **state)
{
	struct run run;
	uint8_t code[16], masked[16];
	struct target_event event;

	(void)state;
	run_start(&run, "hits", "1");
	uint64_t addr = run_addr(&run, (void *)fixture_hit);
	must(target_read(run.t, addr, code, sizeof(code)));
	assert_memory_equal(code, (void *)fixture_hit, sizeof(code));
	const uint64_t addrs[] = {addr, addr, addr + 9, addr + 1};
	must(target_traps_arm(run.t, addrs, 4));
	must(target_read(run.t, addr, masked, sizeof(masked)));
	assert_memory_equal(code, masked, sizeof(code));
	// What is written goes beneath the traps and comes out again.
	uint8_t nops[16];
	memset(nops, 0x90, sizeof(nops));
	must(target_write(run.t, addr, nops, sizeof(nops)));
	must(target_read(run.t, addr, masked, sizeof(masked)));
	assert_memory_equal(nops, masked, sizeof(nops));
	must(target_traps_lift(run.t, addrs, 4));
	assert_false(target_trap_armed(run.t, addr));
	must(target_read(run.t, addr, masked, sizeof(masked)));
	assert_memory_equal(nops, masked, sizeof(nops));
	must(target_write(run.t, addr, code, sizeof(code)));
	// Now that they are lifted, nothing is hit.
	must(target_resume_all(run.t));
	do
		run_next(&run, &event);
	while (!run.exited);
	assert_int_equal(run.exit_code, 0);
	assert_int_equal(run.hits, 0);
	run_end(&run);
}

static void test_bad_address(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "hits", "10");
	uint64_t good = run_addr(&run, (void *)fixture_hit);
	const uint64_t addrs[] = {16, good, UINT64_MAX - 3};
	must_fail(target_traps_arm(run.t, addrs, 3), DBG_E_MEMORY, "0x10");
	assert_true(target_trap_armed(run.t, good));
	assert_false(target_trap_armed(run.t, 16));
	must(target_traps_lift(run.t, addrs, 3));
	run_arm(&run, good);
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 80);
	run_end(&run);
}

// A hit that was kept while all were being stopped, of a trap that is lifted
// then, is not reported; the instruction runs.
static void lift_at_once(struct run *run, const struct target_event *event)
{
	must(target_stop_all(run->t));
	run_lift(run, event->addr);
	run->count++;
	must(target_resume_all(run->t));
}

static void test_kept_hits_lifted(void **state)
{
	struct run run;

	(void)state;
	for (int i = 0; i < 30; i++) {
		run_start(&run, "hits", "50");
		run.on_stop = lift_at_once;
		run_arm(&run, run_addr(&run, (void *)fixture_hit));
		run_to_exit(&run, 0);
		assert_int_equal(run.hits, 1);
		run_end(&run);
	}
}

/* ---- Memory that goes between a read and a write --------------------- */

static uint8_t ending_code[16];
static bool ending_gone;

static size_t ending_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	(void)t;
	if (ending_gone || addr + n > sizeof(ending_code))
		return 0;
	memcpy(buf, ending_code + addr, n);
	return n;
}

static struct dbg_error *ending_write(struct target *t, uint64_t addr,
				      const void *buf, size_t n)
{
	(void)t;
	if (addr != 4) {
		ending_gone = true;
		return dbg_err(DBG_E_MEMORY, "cannot write memory");
	}
	memcpy(ending_code + addr, buf, n);
	return NULL;
}

static bool ending_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *ending_arming(struct target *t, struct trap *v,
				       size_t n)
{
	(void)t, (void)v, (void)n;
	return NULL;
}

static void ending_lifted(struct target *t, const struct trap *v, size_t n)
{
	(void)t, (void)v, (void)n;
}

static const struct target_ops ending_ops = {
    .read = ending_read,
    .frozen = ending_frozen,
    .write_code = ending_write,
    .traps_arming = ending_arming,
    .traps_lifted = ending_lifted,
};

// The program ends while a trap is lifted: its code is gone, that is no fault.
static void test_lifted_while_ending(void **state)
{
	struct target t;
	uint64_t addr = 4;

	(void)state;
	target_init(&t, &ending_ops, 1);
	must(target_traps_arm(&t, &addr, 1));
	assert_true(target_trap_armed(&t, addr));
	t.traps.v[0].addr = addr = 8;
	ending_code[8] = ending_code[4];
	must(target_traps_lift(&t, &addr, 1));
	assert_false(target_trap_armed(&t, addr));
	target_deinit(&t);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_counted),
	    cmocka_unit_test(test_armed_and_lifted),
	    cmocka_unit_test(test_world_stops),
	    cmocka_unit_test(test_every_instruction),
	    cmocka_unit_test(test_own_int3),
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_syscall),
	    cmocka_unit_test(test_double_mapped),
	    cmocka_unit_test(test_hidden),
	    cmocka_unit_test(test_bad_address),
	    cmocka_unit_test(test_kept_hits_lifted),
	    cmocka_unit_test(test_lifted_while_ending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
