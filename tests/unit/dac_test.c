/* What of the DAC room needs no runtime. */
#include "targetfixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "dac/dac_priv.h"
#include "target/target_priv.h"

/* ---- Faults ---------------------------------------------------------- */

static int32_t sum(void *self, ...)
{
	int32_t ret = 0;
	va_list ap;

	(void)self;
	va_start(ap, self);
	for (int i = 0; i < DAC_MAX_ARGS; i++)
		ret += (int32_t)va_arg(ap, uint64_t);
	va_end(ap);
	return ret;
}

// A fault in a library, as the DAC's are.
static int32_t fault_outside(void *self, ...)
{
	void *(*volatile fill)(void *, int, size_t) = memset;

	(void)self;
	fill((void *)24, 1, 4096);
	return COM_OK;
}

static int32_t fault_here(void *self, ...)
{
	volatile uintptr_t nowhere = 24;

	(void)self;
	*(volatile int *)nowhere = 1;
	return COM_OK;
}

static void test_fault(void **state)
{
	com_fn *vtable[] = {sum, fault_outside, fault_here};
	com_fn *const *object = vtable;
	struct target target = {0};
	struct dac d = {.target = &target};

	(void)state;
	guard_install();
	guard_install();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(DAC_CALL(&d, &object, 0), 0);
		assert_int_equal(DAC_CALL(&d, &object, 0, (uint64_t)1, 2, 3,
					  (uint64_t)4, 5, 6, 7),
				 28);
		assert_int_equal(DAC_CALL(&d, &object, 1), COM_E_FAULT);
	}
	assert_int_equal(d.n_calls, 9);
}

// Our own faults are not hidden, neither in a call nor outside of one, nor is
// a signal that is sent.
static void test_own_fault(void **state)
{
	com_fn *vtable[] = {sum, fault_outside, fault_here};
	com_fn *const *object = vtable;
	struct target target = {0};
	struct dac d = {.target = &target};

	(void)state;
	for (int how = 0; how < 3; how++) {
		pid_t pid = fork();
		if (!pid) {
			struct sigaction none = {.sa_handler = SIG_DFL};
			struct rlimit no_core = {0};
			setrlimit(RLIMIT_CORE, &no_core);
			for (int i = 1; i < 32; i++)
				sigaction(i, &none, NULL);
			guard_install();
			guard_install();
			if (how == 0)
				DAC_CALL(&d, &object, 2);
			else if (how == 1)
				fault_outside(NULL);
			else
				raise(SIGSEGV);
			_exit(0);
		}
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGSEGV);
	}
}

// Code as a library has it, that never returns.
static com_fn *endless(void)
{
	enum {
		PAGE = 4096
	};
	static const uint8_t code[] = {0xeb, 0xfe};
	uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(page != MAP_FAILED);
	memcpy(page, code, sizeof(code));
	assert_int_equal(mprotect(page, PAGE, PROT_READ | PROT_EXEC), 0);
	guard_code((uintptr_t)page, (uintptr_t)page + PAGE);
	return (com_fn *)page;
}

// Reads for ever, and keeps what it has read.
static int32_t greedy(void *self, ...)
{
	enum {
		MORE = 1 << 20
	};
	bool *keeps = self;

	for (uint8_t *p = self; p != MAP_FAILED; guard_check()) {
		p = mmap(NULL, MORE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p != MAP_FAILED)
			memset(p, 1, MORE);
		if (!*keeps)
			munmap(p, MORE);
	}
	return COM_E_FAIL;
}

// A call that does not end is ended, where it loops or where it reads.
static void test_endless(void **state)
{
	const uint64_t none[DAC_MAX_ARGS] = {0};
	struct guard_limit limit = {.ticks_max = 2};
	com_fn *loop = endless();
	bool keeps = false;

	(void)state;
	guard_install();
	for (int i = 0; i < 3; i++) {
		limit.ticks = 0;
		assert_int_equal(guard_call(loop, NULL, none, &limit),
				 COM_E_TIMEOUT);
		assert_int_equal(limit.ticks, 2);
		assert_int_equal(guard_call(sum, NULL, none, &limit), 0);
	}
	limit.ticks = 0;
	assert_int_equal(guard_call(greedy, &keeps, none, &limit),
			 COM_E_TIMEOUT);
	assert_false(limit.big);
	limit = (struct guard_limit){.ticks_max = 1 << 20};
	keeps = true;
	assert_int_equal(guard_call(greedy, &keeps, none, &limit),
			 COM_E_TIMEOUT);
	assert_true(limit.big);
}

static void count_texts(void *arg, const char *text)
{
	int *n = arg;

	assert_non_null(strstr(text, "was stopped"));
	++*n;
}

// Only of a core; it is told, and at last nothing is asked.
static void test_patience(void **state)
{
	com_fn *vtable[] = {sum, endless()};
	com_fn *const *object = vtable;
	struct target target = {0};
	// much of it is spent already
	struct dac d = {.target = &target, .limits = {.on = true, .lost = 145}};
	int n_texts = 0;

	(void)state;
	guard_install();
	dac_tell(&d, count_texts, &n_texts);
	assert_int_equal(DAC_CALL(&d, &object, 1), COM_E_TIMEOUT);
	assert_int_equal(n_texts, 1);
	assert_int_equal(DAC_CALL(&d, &object, 0), 0);
	assert_int_equal(DAC_CALL(&d, &object, 1), COM_E_TIMEOUT);
	assert_int_equal(n_texts, 2);
	assert_int_equal(DAC_CALL(&d, &object, 0), COM_E_TIMEOUT);
	assert_int_equal(n_texts, 2);
}

// A file that is mapped may be cut: what was there reads as zeros.
static void test_cut_file(void **state)
{
	enum {
		BIG = 3000000
	};
	char path[] = "/tmp/dndbg-test-XXXXXX";
	int fd = mkstemp(path);
	struct file f;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, BIG), 0);
	assert_int_equal(pwrite(fd, "MZ", 2, BIG - 2), 2);
	assert_int_equal(pwrite(fd, "MZ", 2, 0), 2);
	guard_install();
	assert_null(file_load(path, BIG, &f));
	assert_true(f.mapped);
	assert_int_equal(f.bytes.p[BIG - 1], 'Z');
	assert_int_equal(ftruncate(fd, 2), 0);
	assert_int_equal(f.bytes.p[BIG - 1], 0);
	assert_int_equal(f.bytes.p[BIG / 2], 0);
	assert_memory_equal(f.bytes.p, "MZ", 3);
	file_unload(&f);
	close(fd);
	unlink(path);
}

/* ---- Contexts -------------------------------------------------------- */

static uint64_t u64_at(const struct context *c, size_t offset)
{
	uint64_t ret;

	memcpy(&ret, (const char *)c + offset, sizeof(ret));
	return ret;
}

static void test_context(void **state)
{
	struct regs regs = {
	    .rax = 1,
	    .rcx = 2,
	    .rdx = 3,
	    .rbx = 4,
	    .rsp = 5,
	    .rbp = 6,
	    .rsi = 7,
	    .rdi = 8,
	    .r8 = 9,
	    .r9 = 10,
	    .r10 = 11,
	    .r11 = 12,
	    .r12 = 13,
	    .r13 = 14,
	    .r14 = 15,
	    .r15 = 16,
	    .rip = 17,
	    .cs = 0x33,
	    .ss = 0x2b,
	    .eflags = 0x246,
	};
	struct fpregs fpregs;
	struct context c;

	(void)state;
	context_from_regs(&regs, &c);
	for (size_t i = 0; i < 17; i++)
		assert_int_equal(u64_at(&c, 0x78 + 8 * i), i + 1);
	assert_int_equal(c.flags, 0x100007);
	assert_int_equal(c.cs, 0x33);
	assert_int_equal(c.ss, 0x2b);
	assert_int_equal(c.eflags, 0x246);

	memset(&fpregs, 0x5a, sizeof(fpregs));
	fpregs.mxcsr = 0x1f80;
	context_set_fpregs(&c, &fpregs);
	assert_int_equal(c.flags, 0x10000f);
	assert_int_equal(c.mxcsr, 0x1f80);
	assert_memory_equal((char *)&c + 0x100, &fpregs, sizeof(fpregs));
	assert_int_equal(u64_at(&c, 0x300), 0);
}

static void test_context_of_frame(void **state)
{
	const struct dac_frame frame = {
	    .ip = 1, .sp = 2, .bp = 3, .saved = {4, 5, 6, 7, 8}};
	struct context c = {.general = {9}};

	(void)state;
	context_set_frame(&c, &frame);
	assert_int_equal(c.rip, 1);
	assert_int_equal(c.general[4], 2);
	assert_int_equal(c.general[5], 3);
	assert_int_equal(c.general[3], 4);
	assert_int_equal(c.general[12], 5);
	assert_int_equal(c.general[15], 8);
	assert_int_equal(c.general[0], 9);
}

/* ---- Notifications: a target whose memory is a table ----------------- */

enum {
	BASE = 0x10000,
	SIZE = 0x1000
};

struct fake {
	struct target target;
	uint8_t memory[SIZE];
};

static size_t fake_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	struct fake *f = (struct fake *)t;

	if (addr < BASE || addr >= BASE + SIZE)
		return 0;
	if (n > BASE + SIZE - addr)
		n = BASE + SIZE - addr;
	memcpy(buf, f->memory + (addr - BASE), n);
	return n;
}

static bool fake_frozen(const struct target *t)
{
	(void)t;
	return false;
}

static const struct target_ops fake_ops = {
    .read = fake_read,
    .frozen = fake_frozen,
};

static void put(struct fake *f, uint64_t addr, const void *p, size_t n)
{
	memcpy(f->memory + (addr - BASE), p, n);
}

static void put_u64(struct fake *f, uint64_t addr, uint64_t value)
{
	put(f, addr, &value, sizeof(value));
}

// An object at BASE whose record is at BASE + 0x100, thrown as type_info at
// BASE + 0x200 named at BASE + 0x300.
static struct fake *fake_create(uint32_t code, uint32_t n_params,
				const uint64_t *params)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	target_init(&f->target, &fake_ops, 1);
	put_u64(f, BASE, BASE + 0x100);
	put(f, BASE + 0x100, &code, 4);
	put(f, BASE + 0x100 + 24, &n_params, 4);
	put(f, BASE + 0x100 + 32, params, 3 * sizeof(*params));
	put_u64(f, BASE + 0x200 + 8, BASE + 0x300);
	put(f, BASE + 0x300, "16PAL_SEHException", 19);
	return f;
}

static void fake_destroy(struct fake *f)
{
	target_deinit(&f->target);
	free(f);
}

static struct dac_notification decode(struct fake *f, uint64_t object,
				      uint64_t type)
{
	const struct regs regs = {.rdi = object, .rsi = type};
	struct dac_notification n;

	dac_notification_decode(&f->target, &regs, &n);
	return n;
}

static void test_notifications(void **state)
{
	static const struct {
		uint64_t params[3];
		uint32_t n;
		struct dac_notification is;
	} cases[] = {
	    {{1, 0x7000}, 2, {DAC_NOTIFY_MODULE_LOAD, 0x7000, 0}},
	    {{2, 0x7000}, 2, {DAC_NOTIFY_MODULE_UNLOAD, 0x7000, 0}},
	    {{6, 1, 4}, 3, {DAC_NOTIFY_GC, 1, 4}},
	    {{7, 0x8000, 12}, 3, {DAC_NOTIFY_CATCH, 0x8000, 12}},
	    {{8, 0x8000, 0x9000}, 3, {DAC_NOTIFY_CODE, 0x8000, 0x9000}},
	    // What no runtime sends is no notification.
	    {{99, 1, 2}, 3, {DAC_NOTIFY_NONE, 0, 0}},
	    {{8, 1, 2}, 0, {DAC_NOTIFY_NONE, 0, 0}},
	    {{8, 1, 2}, 1000, {DAC_NOTIFY_NONE, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fake *f =
		    fake_create(0xe0444143, cases[i].n, cases[i].params);
		struct dac_notification n = decode(f, BASE, BASE + 0x200);
		assert_int_equal(n.kind, cases[i].is.kind);
		assert_int_equal(n.a, cases[i].is.a);
		assert_int_equal(n.b, cases[i].is.b);
		fake_destroy(f);
	}
}

static void test_throws(void **state)
{
	static const uint64_t params[3] = {8, 1, 2};
	struct fake *f = fake_create(0xe0434352, 1, params);

	(void)state;
	// The runtime's own exception, which is no notification.
	struct dac_notification n = decode(f, BASE, BASE + 0x200);
	assert_int_equal(n.kind, DAC_NOTIFY_PAL_THROW);
	assert_int_equal(n.a, 0xe0434352);
	assert_int_equal(n.b, BASE + 0x100);
	// Another C++ type, whose name only begins alike.
	put(f, BASE + 0x300, "16PAL_SEHExceptionX", 20);
	n = decode(f, BASE, BASE + 0x200);
	assert_int_equal(n.kind, DAC_NOTIFY_NONE);
	// Nothing readable.
	n = decode(f, 0, 0);
	assert_int_equal(n.kind, DAC_NOTIFY_NONE);
	n = decode(f, BASE + SIZE - 4, BASE + SIZE - 4);
	assert_int_equal(n.kind, DAC_NOTIFY_NONE);
	put_u64(f, BASE, UINT64_MAX);
	put_u64(f, BASE + 0x208, UINT64_MAX);
	n = decode(f, BASE, BASE + 0x200);
	assert_int_equal(n.kind, DAC_NOTIFY_NONE);
	fake_destroy(f);
}

/* ---- Whose file is it? ----------------------------------------------- */

struct owner {
	char path[64];
	int fd;
};

static void owner_create(struct owner *o)
{
	snprintf(o->path, sizeof(o->path), "/tmp/dndbg-owner-XXXXXX");
	o->fd = mkstemp(o->path);
	assert_true(o->fd >= 0);
	assert_int_equal(unlink(o->path), 0);
}

static void test_owner(void **state)
{
	struct owner o;

	(void)state;
	owner_create(&o);
	assert_int_equal(fchmod(o.fd, 0644), 0);
	must(dac_check_owner(o.path, o.fd));
	assert_int_equal(fchmod(o.fd, 0666), 0);
	must_fail(dac_check_owner(o.path, o.fd), DBG_E_RUNTIME,
		  "others may write it");
	// A group may write if it is the owner's own.
	assert_int_equal(fchmod(o.fd, 0664), 0);
	if (getegid() == geteuid())
		must(dac_check_owner(o.path, o.fd));
	close(o.fd);
}

static void test_foreign_owner(void **state)
{
	struct owner o;

	(void)state;
	if (geteuid() != 0)
		skip();
	owner_create(&o);
	assert_int_equal(fchmod(o.fd, 0664), 0);
	assert_int_equal(fchown(o.fd, 0, 4321), 0);
	must_fail(dac_check_owner(o.path, o.fd), DBG_E_RUNTIME,
		  "others may write it");
	assert_int_equal(fchmod(o.fd, 0644), 0);
	must(dac_check_owner(o.path, o.fd));
	assert_int_equal(fchown(o.fd, 4321, 0), 0);
	must_fail(dac_check_owner(o.path, o.fd), DBG_E_RUNTIME,
		  "belongs to user 4321");
	close(o.fd);
}

static void test_no_file(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	must_fail(dac_check_owner("a pipe", fds[0]), DBG_E_RUNTIME,
		  "no regular file");
	close(fds[0]);
	close(fds[1]);
}

// A library that does not tell its build is no DAC, whoever owns it.
static void test_no_mark(void **state)
{
	(void)state;
	must_fail(dac_check_build("/proc/self/exe", "/proc/self/exe"),
		  DBG_E_RUNTIME, "does not tell which runtime it belongs to");
	assert_false(dac_same_build("/proc/self/exe", "/proc/self/exe"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_own_fault),
	    cmocka_unit_test(test_endless),
	    cmocka_unit_test(test_patience),
	    cmocka_unit_test(test_cut_file),
	    cmocka_unit_test(test_context),
	    cmocka_unit_test(test_context_of_frame),
	    cmocka_unit_test(test_notifications),
	    cmocka_unit_test(test_throws),
	    cmocka_unit_test(test_owner),
	    cmocka_unit_test(test_foreign_owner),
	    cmocka_unit_test(test_no_mark),
	    cmocka_unit_test(test_no_file),
	};

	fixture_enter(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
