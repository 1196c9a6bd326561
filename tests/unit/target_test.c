/* Starting programs, their memory and registers, steps of one thread. */
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/proc.h"
#include "targetfixture.h"

// A file of our own, removed by its user.
static char *temp_file(const char *content)
{
	char *path = xstrdup("/tmp/dndbg-test-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)),
			 (ssize_t)strlen(content));
	close(fd);
	return path;
}

static void read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, buf, size - 1);

	assert_true(n >= 0);
	buf[n] = '\0';
	close(fd);
}

static void test_exit_codes(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, "exit", "0");
	assert_true(target_all_stopped(run.t));
	assert_true(target_can(run.t, TARGET_RUN));
	assert_true(target_can(run.t, TARGET_WRITE));
	run_to_exit(&run, 0);
	run_end(&run);
	run_start(&run, "exit", "255");
	run_to_exit(&run, 255);
	run_end(&run);
}

// Descriptors that whoever started us left open for our programs, too.
static int inherited_fds(void)
{
	int n = 0;

	for (int fd = 3; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		n += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return n;
}

static void test_surroundings(void **state)
{
	struct run run;
	char *in = temp_file("some input\n"), *out = temp_file("old text");
	const char *const env[] = {"FIXTURE_SET=one", "FIXTURE_UNSET",
				   "FIXTURE_SET=two words"};
	const struct dbg_launch launch = {
	    .cwd = "/usr", .env = env, .n_env = 3, .stdio = {in, out, out}};
	char text[1024], want[256];
	int leak = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	setenv("FIXTURE_UNSET", "x", 1);
	run_start_with(&run, "surroundings", "two words", &launch);
	run_to_exit(&run, 0);
	run_end(&run);
	close(leak);
	read_file(out, text, sizeof(text));
	snprintf(want, sizeof(want),
		 "arg two words\nenv two words (null)\ncwd /usr\nfds %d\n"
		 "read some input\nerror\n",
		 inherited_fds());
	assert_string_equal(text, want);
	unlink(in);
	unlink(out);
	free(in);
	free(out);
}

// What the debugger does with its own signals is no business of the program.
static void test_signals_restored(void **state)
{
	struct run run;
	struct target_signals signals;
	char *out = temp_file("");
	const struct dbg_launch launch = {.stdio = {NULL, out, "/dev/null"}};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
	const char *argv[] = {"fixture", "--fixture", "surroundings", "", NULL};
	char text[1024], want[64];
	sigset_t block, mask;

	(void)state;
	sigemptyset(&block);
	sigaddset(&block, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &block, &mask);
	target_signals_get(&signals);
	sigaddset(&block, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	sigaction(SIGPIPE, &ignore, &old);
	memset(&run, 0, sizeof(run));
	must(target_spawn_with(run_self(), argv, &launch, &signals, &run.t));
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGPIPE, &old, NULL);
	run_to_exit(&run, 0);
	run_end(&run);
	read_file(out, text, sizeof(text));
	snprintf(want, sizeof(want), "blocked %d\n", SIGUSR2);
	assert_non_null(strstr(text, want));
	snprintf(want, sizeof(want), "blocked %d\n", SIGUSR1);
	assert_null(strstr(text, want));
	snprintf(want, sizeof(want), "ignored %d\n", SIGPIPE);
	assert_null(strstr(text, want));
	unlink(out);
	free(out);
}

static struct dbg_error *try_spawn(const char *path,
				   const struct dbg_launch *launch)
{
	const char *argv[] = {path, "x", NULL};
	struct target *t;

	return target_spawn(path, argv, launch, &t);
}

static void test_no_start(void **state)
{
	struct dbg_launch launch = {0};
	char *text = temp_file("\x7f"
			       "ELF no more");

	(void)state;
	must_fail(try_spawn("/nonexistent/program", &launch), DBG_E_TARGET,
		  "cannot start '/nonexistent/program': No such file");
	must_fail(try_spawn(text, &launch), DBG_E_TARGET, "Permission denied");
	chmod(text, 0700);
	must_fail(try_spawn(text, &launch), DBG_E_TARGET, "Exec format error");
	must_fail(try_spawn("/usr", &launch), DBG_E_TARGET, "cannot start");
	launch.cwd = "/nonexistent";
	must_fail(try_spawn("/bin/true", &launch), DBG_E_FILE,
		  "cannot change to '/nonexistent': No such file");
	launch.cwd = NULL;
	launch.stdio[0] = "/nonexistent/in";
	must_fail(try_spawn("/bin/true", &launch), DBG_E_FILE,
		  "cannot open '/nonexistent/in'");
	launch.stdio[0] = NULL;
	launch.tty = "/nonexistent/tty";
	must_fail(try_spawn("/bin/true", &launch), DBG_E_FILE,
		  "'/nonexistent/tty'");
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	unlink(text);
	free(text);
}

static void test_tty(void **state)
{
	struct run run;
	struct dbg_launch launch = {0};
	char name[128];
	int master, slave;

	(void)state;
	assert_int_equal(openpty(&master, &slave, name, NULL, NULL), 0);
	launch.tty = name;
	run_start_with(&run, "tty", "", &launch);
	run_to_exit(&run, 0);
	run_end(&run);
	close(master);
	close(slave);
}

// On a terminal of its own: who has the foreground when?
static int terminal_child(void)
{
	struct run run;
	struct target_event event;
	pid_t own = getpgrp();

	if (tcgetpgrp(0) != own)
		return 1;
	run_start(&run, "tty", "");
	if (tcgetpgrp(0) != target_pid(run.t))
		return 2;
	target_terminal_take(run.t);
	if (tcgetpgrp(0) != own)
		return 3;
	target_terminal_give(run.t);
	must(target_resume_all(run.t));
	do
		run_next(&run, &event);
	while (!run.exited);
	if (run.exit_code)
		return 10 + run.exit_code;
	run_end(&run);
	return tcgetpgrp(0) == own ? 0 : 4;
}

static void test_terminal(void **state)
{
	int master, status;
	char buf[256];

	(void)state;
	pid_t pid = forkpty(&master, NULL, NULL, NULL);
	if (!pid)
		_exit(terminal_child());
	while (read(master, buf, sizeof(buf)) > 0)
		;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(master);
}

// Under another tracer the program cannot be ours: the error says so.
static void test_outer_tracer(void **state)
{
	int status, ends[2];
	char text[512] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (!pid) {
		const struct dbg_launch launch = {0};

		raise(SIGSTOP);
		struct dbg_error *err = try_spawn("/bin/true", &launch);
		const char *message = err ? err->message : "no error";
		bool told = write(ends[1], message, strlen(message)) > 0;
		dbg_error_destroy(err);
		_exit(!told);
	}
	close(ends[1]);
	waitpid(pid, &status, WUNTRACED);
	assert_int_equal(ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEFORK), 0);
	kill(pid, SIGCONT);
	pid_t who;
	while ((who = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status))
			continue;
		int signal = status >> 16 ? 0 : WSTOPSIG(status);
		ptrace(PTRACE_CONT, who, 0, signal);
	}
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_non_null(strstr(text, "traces it already"));
	close(ends[0]);
}

// Killed with no time to clean up, we take the program with us.
static void test_ends_with_us(void **state)
{
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (!pid) {
		struct run run;

		// The program inherits the pipe's end.
		run_start(&run, "spin", "");
		must(target_resume_all(run.t));
		run_until(&run, TARGET_BORN);
		if (write(ends[1], "", 1) == 1)
			raise(SIGKILL);
		_exit(1);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	// The end of the file: nobody is left that has it open.
	assert_int_equal(read(ends[0], &byte, 1), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ends[0]);
}

// A check that fails does not leave a program behind for others to wait for.
static void test_failing(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		struct run run;
		const struct rlimit no_core = {0};

		setrlimit(RLIMIT_CORE, &no_core);
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		run_start(&run, "spin", "");
		must(dbg_err(DBG_E_STATE, "not to be seen"));
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* ---- Memory ---------------------------------------------------------- */

static void test_memory(void **state)
{
	struct run run;
	uint8_t buf[20000];

	(void)state;
	run_start(&run, "strings", "world");
	run_arm(&run, run_addr(&run, (void *)fixture_other));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	for (int all = 0; all < 2; all++) {
		if (all)
			must(target_stop_all(run.t));
		uint64_t page = run_u64(&run, &fixture_code);
		uint64_t end = page + 4096;
		must(target_read(run.t, end - 6, buf, 6));
		assert_string_equal((char *)buf, "hello");
		assert_int_equal(
		    target_read_some(run.t, page, buf, sizeof(buf)), 4096);
		assert_int_equal(target_read_some(run.t, end - 5, buf, 100), 5);
		assert_int_equal(target_read_some(run.t, end, buf, 1), 0);
		must_fail(target_read(run.t, end - 2, buf, 4), DBG_E_MEMORY,
			  "cannot read memory at");
		assert_int_equal(
		    target_read_some(run.t, UINT64_MAX - 10, buf, 100), 0);
		assert_int_equal(target_read_some(run.t, 0, buf, 100), 0);
		must_fail(target_write(run.t, end - 2, buf, 4), DBG_E_MEMORY,
			  "cannot write memory at");
		must(target_write(run.t, end - 6, "world", 6));
		must(target_read(run.t, end - 6, buf, 6));
		assert_string_equal((char *)buf, "world");
		must(target_write(run.t, end - 6, all ? "world" : "hello", 6));
	}
	run_to_exit(&run, 0);
	run_end(&run);
}

// Read again and again while nothing runs, memory is fetched once.
static void test_cache(void **state)
{
	struct run run;
	struct dbg_counters before, after;
	uint64_t value;

	(void)state;
	run_start(&run, "exit", "3");
	target_counters(run.t, &before);
	for (int i = 0; i < 1000; i++)
		must(target_read_u64(
		    run.t, run_addr(&run, (void *)fixture_hit) + i, &value));
	target_counters(run.t, &after);
	assert_true(after.syscalls - before.syscalls < 10);
	target_cache_drop(run.t);
	must(target_read_u64(run.t, run_addr(&run, (void *)fixture_hit),
			     &value));
	target_counters(run.t, &before);
	assert_true(before.syscalls > after.syscalls);
	run_to_exit(&run, 3);
	run_end(&run);
}

// What was asked for at one stop is read at the next by one system call; where
// one page was enough, one is read.
static void test_cache_ahead(void **state)
{
	enum {
		PAGES = 8,
		BYTES = 4096,
	};
	static const struct {
		size_t pages;
		uint64_t least, most; /* system calls */
	} stops[] = {
	    {PAGES, 1, PAGES}, {PAGES, 1, 1}, {1, 1, 1}, {PAGES, 2, 2}};
	const char *ours =
	    (const char *)((uintptr_t)fixture_hit / BYTES * BYTES);
	struct run run;
	struct dbg_counters before, after;
	uint64_t value;

	(void)state;
	run_start(&run, "exit", "3");
	uint64_t from = run_addr(&run, ours);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++) {
		target_cache_drop(run.t);
		target_counters(run.t, &before);
		for (size_t k = 0; k < stops[i].pages; k++) {
			must(target_read_u64(run.t, from + k * BYTES, &value));
			assert_memory_equal(&value, ours + k * BYTES,
					    sizeof(value));
		}
		target_counters(run.t, &after);
		uint64_t calls = after.syscalls - before.syscalls;
		assert_in_range(calls, stops[i].least, stops[i].most);
	}
	run_to_exit(&run, 3);
	run_end(&run);
}

/* ---- Steps ----------------------------------------------------------- */

// One pass through the known instructions, by steps; traps on some of them
// make no difference.
static void step_through(struct run *run, bool wait, bool traps)
{
	uint64_t addrs[FIXTURE_INSNS], visited = 0;
	struct regs regs;
	struct target_event event;
	bool stepped;

	for (size_t i = 0; i < FIXTURE_INSNS; i++)
		addrs[i] = fixture_insn_addrs[i] + run->slide;
	run_arm(run, addrs[0]);
	must(target_resume_all(run->t));
	run_until(run, TARGET_TRAP);
	pid_t tid = run->last.tid;
	// The ret behind leave.
	uint64_t end = addrs[FIXTURE_INSNS - 2] + 1;
	if (traps)
		must(target_traps_arm(run->t, addrs, FIXTURE_INSNS));
	must(target_regs(run->t, tid, &regs));
	for (int n = 0; regs.rip != end && n < 500; n++) {
		for (size_t i = 0; i < FIXTURE_INSNS; i++)
			if (addrs[i] == regs.rip)
				visited |= UINT64_C(1) << i;
		must(target_thread_step(run->t, tid, wait, &stepped));
		assert_int_equal(stepped, wait);
		if (!wait) {
			run_next(run, &event);
			assert_int_equal(event.kind, TARGET_STEPPED);
			assert_int_equal(event.tid, tid);
		}
		must(target_regs(run->t, tid, &regs));
	}
	assert_int_equal(regs.rip, end);
	assert_int_equal(visited, (UINT64_C(1) << FIXTURE_INSNS) - 1);
	must(target_traps_lift(run->t, addrs, FIXTURE_INSNS));
}

static void test_steps(void **state)
{
	struct run run;

	(void)state;
	for (int how = 0; how < 4; how++) {
		run_start(&run, "insns", "2");
		step_through(&run, how & 1, how & 2);
		assert_int_equal(run.hits, 1);
		run_to_exit(&run, 0);
		assert_int_equal(run.hits, 1);
		run_end(&run);
	}
}

// A step is one instruction, whatever signals wait; they come afterwards.
static void test_step_and_signals(void **state)
{
	struct run run;
	struct regs regs;
	bool stepped;

	(void)state;
	run_start(&run, "storm", "300");
	run_arm(&run, run_addr(&run, &fixture_slow));
	uint64_t slow = run_addr(&run, &fixture_slow);
	for (int i = 0; i < 300; i++) {
		if (!i)
			must(target_resume_all(run.t));
		else
			run_resume(&run, &run.last);
		run_until(&run, TARGET_TRAP);
		must(target_thread_step(run.t, run.last.tid, true, &stepped));
		assert_true(stepped);
		must(target_regs(run.t, run.last.tid, &regs));
		assert_true(regs.rip > slow && regs.rip < slow + 8);
		// The ret behind it, which no trap covers.
		must(target_thread_step(run.t, run.last.tid, true, &stepped));
		assert_true(stepped);
		must(target_regs(run.t, run.last.tid, &regs));
		assert_false(regs.rip >= slow && regs.rip < slow + 8);
	}
	run_resume(&run, &run.last);
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 300);
	run_end(&run);
}

// Over a system call beneath a trap.
static void test_step_syscall(void **state)
{
	struct run run;
	struct regs regs;
	bool stepped;

	(void)state;
	run_start(&run, "syscall", "20");
	uint64_t addr = run_addr(&run, &fixture_syscall);
	run_arm(&run, addr);
	must(target_resume_all(run.t));
	for (int i = 0; i < 20; i++) {
		run_until(&run, TARGET_TRAP);
		must(target_thread_step(run.t, run.last.tid, true, &stepped));
		assert_true(stepped);
		must(target_regs(run.t, run.last.tid, &regs));
		assert_int_equal(regs.rip, addr + 2);
		assert_int_equal(regs.rax, getpid());
		run_resume(&run, &run.last);
	}
	run_to_exit(&run, 0);
	assert_int_equal(run.hits, 20);
	run_end(&run);
}

/* ---- Registers ------------------------------------------------------- */

static void test_registers(void **state)
{
	struct run run;
	struct regs regs, saved;
	struct fpregs fp;

	(void)state;
	run_start(&run, "hits", "1");
	uint64_t hit = run_addr(&run, (void *)fixture_hit);
	uint64_t other = run_addr(&run, (void *)fixture_other);
	const uint64_t addrs[] = {hit, other};
	must(target_traps_arm(run.t, addrs, 2));
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	pid_t tid = run.last.tid;
	must(target_stop_all(run.t));
	assert_int_equal(run.last.addr, hit);
	must(target_regs(run.t, tid, &saved));
	assert_int_equal(saved.rip, hit);
	must(target_fpregs(run.t, tid, &fp));
	// Called from here: other(), which returns to the trap we stand at.
	regs = saved;
	regs.rsp -= 8;
	must(target_write(run.t, regs.rsp, &hit, 8));
	regs.rip = other;
	must(target_regs_set(run.t, tid, &regs));
	must(target_thread_resume(run.t, tid, 0));
	do
		run_next(&run, &run.last);
	while (run.last.kind != TARGET_TRAP || run.last.tid != tid);
	// Set to a trap, a pc does not hit it; returning to one does.
	assert_int_equal(run.last.addr, hit);
	must(target_regs(run.t, tid, &regs));
	assert_int_equal(regs.rsp, saved.rsp);
	must(target_stop_all(run.t));
	assert_int_equal(run_u64(&run, &fixture_others), 1);
	must(target_regs_set(run.t, tid, &saved));
	must_fail(target_regs(run.t, 1, &regs), DBG_E_NOT_FOUND, "no thread");
	must(target_resume_all(run.t));
	run_until(&run, TARGET_EXITED);
	// One call too many of other(): the fixture counts.
	assert_int_equal(run.exit_code, 1);
	run_end(&run);
}

static void test_running(void **state)
{
	struct run run;
	struct regs regs;
	bool stepped;

	(void)state;
	run_start(&run, "spin", "");
	must(target_resume_all(run.t));
	pid_t pid = target_pid(run.t);
	must_fail(target_regs(run.t, pid, &regs), DBG_E_STATE, "is running");
	must_fail(target_thread_step(run.t, pid, true, &stepped), DBG_E_STATE,
		  "is running");
	must_fail(target_thread_resume(run.t, pid, 0), DBG_E_STATE,
		  "is running");
	run_end(&run);
}

static uint64_t stack_begin(struct run *run)
{
	struct proc_maps maps;
	uint64_t found = 0;

	must(proc_maps_load(target_pid(run->t), &maps));
	for (size_t i = 0; i < maps.n; i++)
		if (!strcmp(maps.v[i].path, "[stack]"))
			found = maps.v[i].start;
	proc_maps_deinit(&maps);
	return found;
}

// By some ways of reading the kernel would let the stack grow.
static void test_below_stack(void **state)
{
	struct run run;
	char byte;

	(void)state;
	run_start(&run, "exit", "0");
	uint64_t begin = stack_begin(&run);
	assert_int_equal(target_read_some(run.t, begin, &byte, 1), 1);
	assert_int_equal(target_read_some(run.t, begin - (1 << 20), &byte, 1),
			 0);
	assert_int_equal(stack_begin(&run), begin);
	run_to_exit(&run, 0);
	run_end(&run);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_exit_codes),
	    cmocka_unit_test(test_below_stack),
	    cmocka_unit_test(test_surroundings),
	    cmocka_unit_test(test_signals_restored),
	    cmocka_unit_test(test_no_start),
	    cmocka_unit_test(test_tty),
	    cmocka_unit_test(test_terminal),
	    cmocka_unit_test(test_outer_tracer),
	    cmocka_unit_test(test_ends_with_us),
	    cmocka_unit_test(test_failing),
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_cache_ahead),
	    cmocka_unit_test(test_steps),
	    cmocka_unit_test(test_step_and_signals),
	    cmocka_unit_test(test_step_syscall),
	    cmocka_unit_test(test_registers),
	    cmocka_unit_test(test_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
