#include "targetfixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

volatile uint64_t fixture_hits, fixture_others, fixture_handled, fixture_code;

NOINLINE void fixture_hit(void)
{
	__atomic_fetch_add(&fixture_hits, 1, __ATOMIC_SEQ_CST);
}

NOINLINE void fixture_other(void)
{
	__atomic_fetch_add(&fixture_others, 1, __ATOMIC_SEQ_CST);
}

/*
 * A little of everything, emulated or not; each instruction has its address
 * in a table. rax comes out as a function of all of them.
 */
__asm__(".text\n"
	".globl fixture_insns\n"
	".type fixture_insns, @function\n"
	"fixture_insns:\n"
	"90: push %rbp\n"
	"91: mov %rsp, %rbp\n"
	"92: sub $0x40, %rsp\n"
	"93: movq $5, -8(%rbp)\n"
	"94: mov -8(%rbp), %rax\n"
	"95: imul $7, %rax, %rax\n"
	"96: cvtsi2sd %rax, %xmm0\n"
	"97: lea 3(%rax,%rax,2), %rdx\n"
	"98: cmp $1, %rdx\n"
	"99: jb 98b\n"
	"100: xor %ecx, %ecx\n"
	"101: call 107f\n"
	"102: lea -0x30(%rbp), %rdi\n"
	"103: mov $24, %ecx\n"
	"104: rep stosb\n"
	"105: add -0x20(%rbp), %rax\n"
	"106: leave\n"
	"ret\n"
	"107: add %rdx, %rax\n"
	"ret\n"
	".size fixture_insns, .-fixture_insns\n"
	".section .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	".globl fixture_insn_addrs\n"
	"fixture_insn_addrs:\n"
	".quad 90b, 91b, 92b, 93b, 94b, 95b, 96b, 97b, 98b, 99b, 100b\n"
	".quad 101b, 102b, 103b, 104b, 105b, 106b, 107b\n"
	".text\n");

static uint64_t insns_result(void)
{
	uint64_t rax = 35, rdx = 35 * 3 + 3;

	rax += rdx;
	uint64_t fill = (rax & 0xff) * UINT64_C(0x0101010101010101);
	return rax + fill;
}

/* The long way round of a few special instructions. */
void fixture_special(uint64_t *p);
__asm__(".text\n"
	".globl fixture_special, fixture_fault, fixture_slow\n"
	".type fixture_special, @function\n"
	"fixture_special:\n"
	"fixture_fault: mov (%rdi), %rax\n"
	"ret\n"
	".globl fixture_own_int3, fixture_int3\n"
	".type fixture_own_int3, @function\n"
	"fixture_own_int3:\n"
	"fixture_int3: int3\n"
	"ret\n"
	".globl fixture_slowly\n"
	".type fixture_slowly, @function\n"
	"fixture_slowly:\n"
	"fixture_slow: lock incq (%rdi)\n"
	"ret\n"
	".globl fixture_getppid, fixture_syscall\n"
	".type fixture_getppid, @function\n"
	"fixture_getppid:\n"
	"mov $110, %eax\n"
	"fixture_syscall: syscall\n"
	"ret\n"
	".globl fixture_read, fixture_read_call\n"
	".type fixture_read, @function\n"
	"fixture_read:\n"
	"xor %eax, %eax\n"
	"fixture_read_call: syscall\n"
	"ret\n");
long fixture_read(int fd, void *buf, size_t n);
void fixture_own_int3(void);
void fixture_slowly(uint64_t *counter);
long fixture_getppid(void);

/* ---- Threads --------------------------------------------------------- */

struct work {
	long n;
	void (*call)(void);
};

static void *work_loop(void *arg)
{
	struct work *work = arg;

	for (long i = 0; i < work->n; i++)
		work->call();
	return NULL;
}

static void both(void)
{
	fixture_hit();
	fixture_other();
}

static void on_threads(int n_threads, long n, void (*call)(void))
{
	struct work work = {n, call};
	pthread_t threads[64];

	for (int i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, work_loop, &work);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
}

static int hits_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);

	on_threads(8, n, both);
	return fixture_hits != (uint64_t)n * 8 ||
	       fixture_others != (uint64_t)n * 8;
}

static void *nothing(void *arg)
{
	fixture_other();
	return arg;
}

// Threads that are born and die until the debugger says that it is enough.
static void churn(void)
{
	while (!fixture_code) {
		pthread_t t[3];

		for (int i = 0; i < 3; i++)
			pthread_create(&t[i], NULL, nothing, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
	}
}

static int churn_main(const char *arg)
{
	(void)arg;
	on_threads(4, 1, churn);
	return 0;
}

static void *linger(void *arg)
{
	(void)arg;
	// The leader ends while this runs.
	while (!fixture_code)
		sched_yield();
	fixture_hit();
	exit(23);
}

static int leader_main(const char *arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, linger, NULL);
	pthread_detach(t);
	syscall(SYS_exit, 0);
	return 1;
}

// A lock that another thread holds until it is told to let go.
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

static void *hold_turn(void *arg)
{
	pthread_mutex_lock(&turns);
	__atomic_store_n(&fixture_handled, 1, __ATOMIC_SEQ_CST);
	while (!fixture_code)
		sched_yield();
	pthread_mutex_unlock(&turns);
	while (fixture_handled)
		sched_yield();
	return arg;
}

// Between hit and other: nothing, the lock, the end.
static int turns_main(const char *arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, hold_turn, NULL);
	while (!fixture_handled)
		sched_yield();
	fixture_hit();
	fixture_other();
	fixture_hit();
	pthread_mutex_lock(&turns);
	fixture_other();
	fixture_hit();
	fixture_handled = 0;
	pthread_join(t, NULL);
	return fixture_hits != 3 || fixture_others != 2;
}

/* ---- Signals --------------------------------------------------------- */

static void count_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	// Queued with a value: it must arrive with it.
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == 4711)
		__atomic_fetch_add(&fixture_handled, 1, __ATOMIC_SEQ_CST);
}

static void handle(int signal, void (*f)(int, siginfo_t *, void *))
{
	struct sigaction act = {.sa_sigaction = f,
				.sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(signal, &act, NULL);
}

static void send_signal(void)
{
	static uint64_t counter;
	union sigval value = {.sival_int = 4711};

	while (pthread_sigqueue(pthread_self(), SIGRTMIN + 2, value))
		;
	fixture_slowly(&counter);
	fixture_hit();
}

static int signals_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);

	handle(SIGRTMIN + 2, count_signal);
	on_threads(8, n, send_signal);
	return fixture_handled != (uint64_t)n * 8;
}

// Signals from outside, in a storm, while one instruction is stepped over.
enum {
	STORM_AT_ONCE = 8,
	STORM_PER_CALL = 64,
};

static volatile int storm_over;
static volatile uint64_t storm_allowed;

static void *storm(void *arg)
{
	pthread_t *victim = arg;
	union sigval value = {.sival_int = 4711};
	uint64_t sent = 0;

	// So many for each call: where they are sent as fast as they are
	// handled the victim would never get to an instruction of its own.
	while (!storm_over)
		if (sent < storm_allowed &&
		    sent - fixture_handled < STORM_AT_ONCE &&
		    !pthread_sigqueue(*victim, SIGRTMIN + 2, value))
			sent++;
	return (void *)sent;
}

static int storm_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);
	pthread_t self = pthread_self(), t;
	uint64_t counter = 0;
	void *sent;

	handle(SIGRTMIN + 2, count_signal);
	pthread_create(&t, NULL, storm, &self);
	for (long i = 0; i < n; i++) {
		// The storm must keep up with us.
		while (fixture_handled < (uint64_t)i / 4)
			sched_yield();
		storm_allowed += STORM_PER_CALL;
		fixture_slowly(&counter);
	}
	storm_over = 1;
	pthread_join(t, &sent);
	return fixture_handled != (uint64_t)sent || counter != (uint64_t)n;
}

static void after_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	if (pc == (uint64_t)&fixture_fault && info->si_addr == (void *)8)
		fixture_handled++;
	uc->uc_mcontext.gregs[REG_RDI] = (long long)(uint64_t)&fixture_code;
}

static int fault_main(const char *arg)
{
	(void)arg;
	handle(SIGSEGV, after_fault);
	for (int i = 0; i < 100; i++)
		fixture_special((uint64_t *)8);
	return fixture_handled != 100;
}

static void after_int3(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signal;
	if (info->si_code == SI_KERNEL &&
	    (uint64_t)uc->uc_mcontext.gregs[REG_RIP] ==
		(uint64_t)&fixture_int3 + 1)
		fixture_handled++;
	if (info->si_code <= 0)
		fixture_others++;
}

static int int3_main(const char *arg)
{
	(void)arg;
	handle(SIGTRAP, after_int3);
	for (int i = 0; i < 100; i++) {
		fixture_own_int3();
		raise(SIGTRAP);
	}
	return fixture_handled != 100 || fixture_others != 100;
}

static int die_main(const char *arg)
{
	struct sigaction act = {.sa_handler = SIG_DFL};
	int signal = atoi(arg);

	sigaction(signal, &act, NULL);
	raise(signal);
	return 99;
}

// Stops itself; the debugger's side continues it from outside.
static int stopped_main(const char *arg)
{
	(void)arg;
	fixture_hit();
	raise(SIGSTOP);
	fixture_other();
	return 5;
}

/* ---- Children -------------------------------------------------------- */

static void fork_once(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		// Runs over the parent's traps, without a debugger.
		for (int i = 0; i < 10; i++)
			fixture_hit();
		_exit(fixture_hits >= 10 ? 0 : 1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		_exit(70);
	fixture_other();
}

static void vfork_once(void)
{
	int status = 1;
	pid_t pid = vfork();

	if (!pid) {
		fixture_hit();
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		_exit(71);
	fixture_other();
}

static void vfork_exit_once(void)
{
	static uint64_t counter;
	int status = 1;
	pid_t pid = vfork();

	if (!pid) {
		fixture_hit();
		fixture_slowly(&counter);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		_exit(72);
	fixture_other();
}

static void spawn_once(void)
{
	extern char **environ;
	char name[] = "true", *argv[] = {name, NULL};
	int status = 1;
	pid_t pid;

	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ))
		_exit(73);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		_exit(74);
	fixture_other();
}

static int children_main(const char *arg)
{
	long n = strtol(arg + 1, NULL, 10);

	switch (*arg) {
	case 'f':
		on_threads(4, n, fork_once);
		break;
	case 'v':
		on_threads(4, n, vfork_once);
		break;
	case 'x':
		on_threads(4, n, vfork_exit_once);
		break;
	case 's':
		on_threads(4, n, spawn_once);
		break;
	}
	return fixture_others != (uint64_t)n * 4;
}

static void *exec_thread(void *arg)
{
	fixture_hit();
	execl("/proc/self/exe", "fixture", "--fixture", "exit", arg, NULL);
	return NULL;
}

static int exec_main(const char *arg)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, linger, NULL);
	pthread_create(&t[1], NULL, linger, NULL);
	pthread_create(&t[2], NULL, exec_thread, (void *)(uintptr_t)arg);
	pthread_join(t[2], NULL);
	return 1;
}

/* ---- Surroundings ---------------------------------------------------- */

static int count_fds(void)
{
	int n = 0;
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (*entry->d_name != '.' && atoi(entry->d_name) > 2 &&
		    atoi(entry->d_name) != dirfd(dir))
			n++;
	closedir(dir);
	return n;
}

// Prints what it was started with.
static int surroundings_main(const char *arg)
{
	char cwd[256], line[64] = "";
	struct sigaction act;
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	printf("arg %s\nenv %s %s\ncwd %s\nfds %d\n", arg,
	       getenv("FIXTURE_SET"), getenv("FIXTURE_UNSET"),
	       getcwd(cwd, sizeof(cwd)), count_fds());
	for (int i = 1; i < NSIG; i++) {
		sigaction(i, NULL, &act);
		if (act.sa_handler == SIG_IGN)
			printf("ignored %d\n", i);
		if (sigismember(&mask, i) == 1)
			printf("blocked %d\n", i);
	}
	if (fgets(line, sizeof(line), stdin))
		printf("read %s", line);
	fflush(stdout);
	fprintf(stderr, "error\n");
	return 0;
}

static int tty_main(const char *arg)
{
	(void)arg;
	if (!isatty(0) || !isatty(1) || !isatty(2))
		return 1;
	return tcgetpgrp(0) == getpgrp() ? 0 : 2;
}

static int exit_main(const char *arg)
{
	return atoi(arg);
}

static int insns_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);

	for (long i = 0; i < n; i++)
		if (fixture_insns() != insns_result())
			return 1;
	return 0;
}

// Through a trap into a read that only another thread can end.
static int pipe_ends[2];

static void *pipe_writer(void *arg)
{
	long n = (long)arg;

	for (long i = 0; i < n; i++) {
		sched_yield();
		if (write(pipe_ends[1], "", 1) != 1)
			_exit(50);
	}
	return NULL;
}

static int pipe_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);
	pthread_t t;
	char byte;

	if (pipe(pipe_ends))
		return 1;
	pthread_create(&t, NULL, pipe_writer, (void *)n);
	for (long i = 0; i < n; i++)
		if (fixture_read(pipe_ends[0], &byte, 1) != 1)
			return 2;
	pthread_join(t, NULL);
	return 0;
}

static int syscall_main(const char *arg)
{
	long n = strtol(arg, NULL, 10);

	for (long i = 0; i < n; i++)
		if (fixture_getppid() != getppid())
			return 1;
	return 0;
}

// Code in a memory file mapped twice, as the runtime's W^X has it.
static int double_main(const char *arg)
{
	static const uint8_t code[] = {
	    0x55,                   // push %rbp
	    0x48, 0x89, 0xe5,       // mov %rsp, %rbp
	    0xf0, 0x48, 0xff, 0x07, // lock incq (%rdi)
	    0x5d,                   // pop %rbp
	    0xc3,                   // ret
	};
	long n = strtol(arg, NULL, 10);
	size_t size = 1 << 16;
	uint64_t counter = 0;
	int fd = memfd_create("doublemapper", MFD_CLOEXEC);

	if (ftruncate(fd, (off_t)size * 2))
		return 1;
	uint8_t *rx = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, fd,
			   (off_t)size);
	uint8_t *rw = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   (off_t)size);
	memcpy(rw + 0x100, code, sizeof(code));
	munmap(rw, size);
	fixture_code = (uint64_t)rx + 0x100;
	fixture_other();
	void (*call)(uint64_t *);
	memcpy(&call, (const void *)&fixture_code, sizeof(call));
	for (long i = 0; i < n; i++)
		call(&counter);
	return counter != (uint64_t)n;
}

// Spins, and sleeps, until told to end.
static void spin(void)
{
	while (!fixture_code)
		fixture_others++;
}

static void doze(void)
{
	struct timespec ts = {0, 200000000};

	while (!fixture_code)
		if (nanosleep(&ts, NULL))
			_exit(60);
}

static void *doze_thread(void *arg)
{
	doze();
	return arg;
}

static int spin_main(const char *arg)
{
	pthread_t t;

	(void)arg;
	pthread_create(&t, NULL, doze_thread, NULL);
	spin();
	pthread_join(t, NULL);
	return 11;
}

static int strings_main(const char *arg)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + 4096, 4096);
	memset(page, 'x', 4096);
	memcpy(page + 4096 - 6, "hello", 6);
	fixture_code = (uint64_t)page;
	fixture_other();
	// The debugger wrote something else there.
	return strcmp(page + 4096 - 6, arg) ? 1 : 0;
}

static const struct {
	const char *name;
	int (*main)(const char *arg);
} fixtures[] = {
    {"children", children_main},
    {"churn", churn_main},
    {"die", die_main},
    {"double", double_main},
    {"exec", exec_main},
    {"exit", exit_main},
    {"fault", fault_main},
    {"hits", hits_main},
    {"insns", insns_main},
    {"int3", int3_main},
    {"leader", leader_main},
    {"signals", signals_main},
    {"pipe", pipe_main},
    {"spin", spin_main},
    {"stopped", stopped_main},
    {"storm", storm_main},
    {"strings", strings_main},
    {"syscall", syscall_main},
    {"surroundings", surroundings_main},
    {"tty", tty_main},
    {"turns", turns_main},
};

// LeakSanitizer asks this: it cannot work in a process that is traced.
int __lsan_is_turned_off(void);
static int is_fixture;

int __lsan_is_turned_off(void)
{
	return is_fixture;
}

void fixture_enter(int argc, char **argv)
{
	if (argc < 4 || strcmp(argv[1], "--fixture")) {
		// what failed has left programs stopped: end with them
		setenv("CMOCKA_TEST_ABORT", "1", 1);
		return;
	}
	is_fixture = 1;
	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++)
		if (!strcmp(argv[2], fixtures[i].name))
			exit(fixtures[i].main(argv[3]));
	exit(98);
}
