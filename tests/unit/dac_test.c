/* What of the DAC room needs no runtime. */
#include "targetfixture.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
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
#include "base/str.h"
#include "dac/dac_priv.h"
#include "dac/load/musl.h"
#include "dac/debuginfo.h"
#include "dac/guard.h"
#include "dac/remote.h"
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

// Slots of methods by which a fake object is called.
enum {
	SLOT_SUM = 3, /* PROCESS_FLUSH */
	SLOT_FAULT,   /* VALUE_ADDRESS */
	SLOT_OWN,     /* WALK_NEXT */
	N_SLOTS = 64
};

static void test_fault(void **state)
{
	com_fn *vtable[N_SLOTS] = {
	    [SLOT_SUM] = sum, [SLOT_FAULT] = fault_outside};
	com_fn *const *object = vtable;
	struct target target = {0};
	struct dac d = {.target = &target};
	uint64_t addr;

	(void)state;
	guard_install();
	guard_install();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(DAC_CALL(&d, &object, PROCESS_FLUSH), 0);
		assert_int_equal(DAC_CALL(&d, &object, PROCESS_FLUSH,
					  (uint64_t)1, 2, 3, (uint64_t)4, 5, 6,
					  7),
				 28);
		assert_int_equal(DAC_CALL(&d, &object, VALUE_ADDRESS, &addr),
				 COM_E_FAULT);
	}
	assert_int_equal(d.n_calls, 9);
}

// Our own faults are not hidden, neither in a call nor outside of one, nor is
// a signal that is sent.
static void test_own_fault(void **state)
{
	com_fn *vtable[N_SLOTS] = {[SLOT_OWN] = fault_here};
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
				DAC_CALL(&d, &object, WALK_NEXT);
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

/* ---- A process of its own -------------------------------------------- */

// What the fake DAC of another process and the test both see.
struct seen {
	unsigned int n_crashes, n_releases;
	pid_t pid;
};

static struct seen *seen;

/* An object of the fake DAC. */
struct stub {
	com_fn *const *vtable;
	uint64_t number;
};

static int32_t stub_query(void *self, ...)
{
	va_list ap;

	va_start(ap, self);
	(void)va_arg(ap, const struct com_iid *);
	*va_arg(ap, void **) = self;
	va_end(ap);
	return COM_OK;
}

static int32_t stub_release(void *self, ...)
{
	(void)self;
	seen->n_releases++;
	return 0;
}

// SOS_TYPE_NAME: two units, more than was asked for are left alone.
static int32_t stub_name(void *self, ...)
{
	va_list ap;

	va_start(ap, self);
	uint64_t addr = va_arg(ap, uint64_t);
	uint32_t n = va_arg(ap, uint32_t);
	uint16_t *text = va_arg(ap, uint16_t *);
	uint32_t *needed = va_arg(ap, uint32_t *);
	va_end(ap);
	if (n < 3)
		return COM_E_INVALIDARG;
	text[0] = 'a';
	text[1] = (uint16_t)addr;
	text[2] = 0;
	*needed = 3;
	return COM_OK;
}

// SOS_HEAP_LIST: each twice what it was, and one that fails.
static int32_t stub_list(void *self, ...)
{
	va_list ap;

	va_start(ap, self);
	uint32_t n = va_arg(ap, uint32_t);
	uint64_t *v = va_arg(ap, uint64_t *);
	va_end(ap);
	for (uint32_t i = 0; i < n; i++)
		v[i] *= 2;
	return COM_E_FAIL;
}

// SOS_MODULE: another object, whose number is the address.
static int32_t stub_module(void *self, ...)
{
	struct stub *of = self;
	struct stub *made = xcalloc(1, sizeof(*made));
	va_list ap;

	va_start(ap, self);
	made->vtable = of->vtable;
	made->number = va_arg(ap, uint64_t);
	*va_arg(ap, void **) = made;
	va_end(ap);
	return COM_OK;
}

// TYPEINST_STATIC_BY_TOKEN: the number of the object that is given.
static int32_t stub_number(void *self, ...)
{
	va_list ap;

	(void)self;
	va_start(ap, self);
	(void)va_arg(ap, void *);
	(void)va_arg(ap, uint32_t);
	const struct stub *given = va_arg(ap, const struct stub *);
	(void)va_arg(ap, void **);
	(void)va_arg(ap, uint32_t);
	*va_arg(ap, uint32_t *) = given ? (uint32_t)given->number : 0;
	va_end(ap);
	return COM_OK;
}

static int32_t stub_crash(void *self, ...)
{
	(void)self;
	seen->n_crashes++;
	raise(SIGABRT);
	return COM_OK;
}

static int32_t stub_loop(void *self, ...)
{
	(void)self;
	for (volatile int i = 0;; i++)
		;
	return COM_OK;
}

static int32_t stub_greedy(void *self, ...)
{
	enum {
		MORE = 1 << 20
	};

	(void)self;
	for (;;)
		memset(xmalloc(MORE), 1, MORE);
	return COM_OK;
}

// SOS_TYPE_OF_CLASS: keep as many MB as are given, untouched.
static int32_t stub_hoard(void *self, ...)
{
	va_list ap;

	(void)self;
	va_start(ap, self);
	uint64_t mb = va_arg(ap, uint64_t);
	va_end(ap);
	return mmap(NULL, mb << 20, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		   ? COM_E_OUTOFMEMORY
		   : COM_OK;
}

static com_fn *const stub_vtable[N_SLOTS] = {
    [0] = stub_query,   [2] = stub_release,   [3] = sum,
    [10] = stub_greedy,                    /* WALK_SET_CONTEXT2 */
    [12] = stub_module, [22] = stub_crash, /* SOS_METHOD_NAME */
    [24] = stub_loop,                      /* SOS_METHOD_FROM_TOKEN */
    [33] = stub_number, [36] = stub_name,     [41] = stub_hoard,
    [47] = stub_list,   [15] = fault_outside, /* SOS_ASSEMBLY_MODULES */
};

static struct dbg_error *stub_load(struct dac *d, void **ret_process,
				   int32_t *ret)
{
	static struct stub process = {stub_vtable, 0};

	(void)d;
	seen->pid = getpid();
	*ret_process = &process;
	*ret = COM_OK;
	return NULL;
}

static struct dbg_error *stub_load_none(struct dac *d, void **ret_process,
					int32_t *ret)
{
	(void)d;
	(void)ret_process;
	(void)ret;
	return dbg_err(DBG_E_RUNTIME, "there is no DAC");
}

static void stub_start(struct dac *d)
{
	static const struct com_iid iid = {1, 2, 3, {4}};
	int32_t hr;

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(seen != MAP_FAILED);
	guard_install();
	assert_null(remote_create(d, stub_load, &d->remote));
	assert_null(remote_begin(d->remote, &d->process, &hr));
	assert_int_equal(hr, COM_OK);
	assert_int_not_equal(seen->pid, getpid());
	d->sos = remote_root(d->remote, &iid);
	assert_non_null(d->sos);
}

static void stub_end(struct dac *d)
{
	com_release(&d->sos);
	com_release(&d->process);
	remote_destroy(d->remote);
	// Nothing is left of it, not even its status.
	assert_int_equal(kill(seen->pid, 0), -1);
	munmap(seen, sizeof(*seen));
}

// What arguments point to goes there and back.
static void test_remote(void **state)
{
	struct target target = {0};
	struct dac d = {.target = &target};
	uint16_t text[4] = {7, 7, 7, 7};
	uint64_t list[3] = {1, 2, 3};
	uint32_t n = 0;
	_cleanup_com_ void *module = NULL;

	(void)state;
	stub_start(&d);
	assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), 0);
	assert_int_equal(DAC_CALL(&d, d.sos, SOS_TYPE_NAME, (uint64_t)'b',
				  (uint32_t)4, text, &n),
			 COM_OK);
	assert_int_equal(n, 3);
	assert_memory_equal(text, ((uint16_t[]){'a', 'b', 0, 7}), sizeof(text));
	// what a call that fails has written is written, too
	assert_int_equal(
	    DAC_CALL(&d, d.sos, SOS_HEAP_LIST, (uint32_t)2, list, &n),
	    COM_E_FAIL);
	assert_memory_equal(list, ((uint64_t[]){2, 4, 3}), sizeof(list));
	assert_int_equal(DAC_CALL(&d, d.sos, SOS_MODULE, (uint64_t)99, &module),
			 COM_OK);
	assert_int_equal(DAC_CALL(&d, d.sos, TYPEINST_STATIC_BY_TOKEN, NULL,
				  (uint32_t)0, module, NULL, (uint32_t)0, &n,
				  NULL),
			 COM_OK);
	assert_int_equal(n, 99);
	// more than there is room for, and what cannot be given to it
	assert_int_equal(
	    DAC_CALL(&d, d.sos, SOS_HEAP_LIST, (uint32_t)1 << 30, list, &n),
	    COM_E_NOTIMPL);
	assert_int_equal(DAC_CALL(&d, d.sos, SOS13_TRAVERSE, list),
			 COM_E_NOTIMPL);
	com_release(&module);
	assert_int_equal(seen->n_releases, 0);
	assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), 0);
	assert_int_equal(seen->n_releases, 1);
	stub_end(&d);
}

static void keep_text(void *arg, const char *text)
{
	struct str *s = arg;

	str_add(s, text);
	str_add(s, "\n");
}

// Until the process waits for a call.
static void await_sleep(pid_t pid)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (state != 'S') {
		FILE *f = fopen(path, "r");

		assert_non_null(f);
		assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
		fclose(f);
		sched_yield();
	}
}

// A crash costs its call, and what was made by the process that has crashed;
// a fault costs its call alone.
static void test_remote_crash(void **state)
{
	struct target target = {0};
	struct dac d = {.target = &target};
	_cleanup_str_ struct str said = {0};
	_cleanup_com_ void *module = NULL;

	(void)state;
	stub_start(&d);
	dac_tell(&d, keep_text, &said);
	assert_int_equal(DAC_CALL(&d, d.sos, SOS_MODULE, (uint64_t)99, &module),
			 COM_OK);
	assert_int_equal(DAC_CALL(&d, d.sos, SOS_ASSEMBLY_MODULES, (uint64_t)1,
				  0, NULL, NULL),
			 COM_E_FAULT);
	assert_int_equal(DAC_CALL(&d, module, PROCESS_FLUSH), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(DAC_CALL(&d, d.sos, SOS_METHOD_NAME,
					  (uint64_t)5, (uint32_t)0, NULL, NULL),
				 COM_E_DIED);
		assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), 0);
		assert_int_equal(DAC_CALL(&d, module, PROCESS_FLUSH),
				 COM_E_DIED);
	}
	// twice it was tried
	assert_int_equal(seen->n_crashes, 2);
	assert_int_equal(d.n_drops, 2);
	assert_string_equal(str_get(&said),
			    "the runtime's DAC crashed and was started again: "
			    "the memory may be damaged; what it would have "
			    "told is missing\n");
	// somebody ends it: nobody is told of what nobody misses
	pid_t pid = seen->pid;
	siginfo_t info;
	await_sleep(pid);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), 0);
	assert_int_not_equal(seen->pid, pid);
	assert_int_equal(d.limits.n_ended, 2);
	com_release(&module);
	stub_end(&d);
}

// A call that does not end is ended, where it loops or where it takes memory;
// at last nothing is asked.
static void test_remote_endless(void **state)
{
	struct target target = {0};
	// much of it is spent already
	struct dac d = {.target = &target,
			.limits = {.lost = 145, .n_ended = 1}};
	_cleanup_str_ struct str said = {0};
	uint64_t mt;

	(void)state;
	stub_start(&d);
	dac_tell(&d, keep_text, &said);
	assert_int_equal(DAC_CALL(&d, d.sos, SOS_METHOD_FROM_TOKEN, (uint64_t)1,
				  (uint32_t)2, &mt),
			 COM_E_TIMEOUT);
	assert_int_equal(d.limits.lost, 155);
	assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), 0);
	assert_string_equal(str_get(&said), "");
	// at the first there is more time for it
	d.limits.n_ended = 0;
	d.limits.lost = 300;
	assert_int_equal(DAC_CALL(&d, d.sos, WALK_SET_CONTEXT2, (uint32_t)0,
				  (uint32_t)0, NULL),
			 COM_E_TIMEOUT);
	assert_string_equal(str_get(&said),
			    "the runtime's DAC took more than 128 MB of memory "
			    "and was stopped: the memory may be damaged; what "
			    "it would have told is missing\n"
			    "the runtime's DAC was stopped again and again and "
			    "is not asked any more\n");
	assert_int_equal(DAC_CALL(&d, d.sos, PROCESS_FLUSH), COM_E_TIMEOUT);
	stub_end(&d);
}

// What calls keep together is gone with the process, and so is the limit of it.
static void test_remote_worn(void **state)
{
	enum {
		TOO_MUCH = 1 << 12,
		CALLS = 1100
	};
	struct target target = {0};
	struct dac d = {.target = &target};
	uint64_t mt;

	(void)state;
	stub_start(&d);
	pid_t pid = seen->pid;
	assert_int_equal(
	    DAC_CALL(&d, d.sos, SOS_TYPE_OF_CLASS, (uint64_t)TOO_MUCH, &mt),
	    COM_E_OUTOFMEMORY);
	assert_int_equal(d.n_drops, 0);
	for (int i = 0; i < CALLS; i++)
		assert_int_equal(
		    DAC_CALL(&d, d.sos, SOS_TYPE_OF_CLASS, (uint64_t)1, &mt),
		    COM_OK);
	assert_int_equal(d.n_drops, 1);
	assert_int_equal(d.limits.n_ended, 0);
	assert_int_not_equal(seen->pid, pid);
	stub_end(&d);
}

// With standard input, output and errors closed it has other descriptors.
static void test_remote_closed(void **state)
{
	enum {
		N = STDERR_FILENO + 1
	};
	struct target target = {0};
	struct dac d = {.target = &target};
	int saved[N];

	(void)state;
	fflush(NULL);
	for (int i = 0; i < N; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, N);
		close(i);
	}
	stub_start(&d);
	int32_t hr = DAC_CALL(&d, d.sos, PROCESS_FLUSH);
	bool free_fds = true;
	for (int i = 0; i < N; i++)
		free_fds = free_fds && fcntl(i, F_GETFD) < 0;
	stub_end(&d);
	for (int i = 0; i < N; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	assert_int_equal(hr, COM_OK);
	assert_true(free_fds);
}

static void test_remote_none(void **state)
{
	struct target target = {0};
	struct dac d = {.target = &target};
	struct dbg_error *err;
	int32_t hr;

	(void)state;
	assert_null(remote_create(&d, stub_load_none, &d.remote));
	err = remote_begin(d.remote, &d.process, &hr);
	assert_non_null(err);
	assert_string_equal(err->message, "there is no DAC");
	dbg_error_destroy(err);
	remote_destroy(d.remote);
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
	const struct bytes none = {NULL, 0};
	static const char text[] = "\x7f"
				   "ELF @(#)Version of nothing";
	char path[] = "/tmp/dndbg-test-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	must_fail(dac_check_build(none, path), DBG_E_RUNTIME,
		  "does not tell which runtime it belongs to");
	assert_false(dac_same_build(none, path));
	close(fd);
	unlink(path);
}

/* ---- A runtime for musl ---------------------------------------------- */

static const char glibc_contract[] =
    "\0{\"version\":2,\"types\":{\"Thread\":{\"Id\":16}},\"globals\":{\"RID\":["
    "\"linux-x64\",\"string\"]}}\0{\"version\":1,\"types\":{}}";
static const char musl_contract[] =
    "\0{\"version\":2,\"types\":{\"Thread\":{\"Id\":16}},"
    "\"globals\":{\"RID\":[\"linux-musl-x64\",\"string\"]}}\0{\"version\":1,"
    "\"types\":{}}";
static const char moved_contract[] =
    "\0{\"version\":2,\"types\":{\"Thread\":{\"Id\":24}},\"globals\":{\"RID\":["
    "\"linux-x64\",\"string\"]}}\0{\"version\":1,\"types\":{}}";
static const char shorter_contract[] =
    "\0{\"version\":2,\"types\":{\"Thread\":{\"Id\":16}},\"globals\":{\"RID\":["
    "\"linux-x64\",\"string\"]}}";
static const char cut_contract[] =
    "{\"version\":2,\"types\":{\"Thread\":{\"Id\":16}},\"globals\":{\"RID\":[";

static bool agrees_with(const void *text, size_t n)
{
	const struct bytes runtime = {(const uint8_t *)musl_contract,
				      sizeof(musl_contract)};
	char path[] = "/tmp/dndbg-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	bool same = dac_same_contract(runtime, path);
	close(fd);
	unlink(path);
	return same;
}

// A library as its linker leaves it: a dynamic section, and a name in it.
static void put_library(const char *needed, uint8_t ret[512])
{
	Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				       ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(head),
			   .e_ehsize = sizeof(head),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2};
	const Elf64_Phdr segments[] = {
	    {.p_type = PT_LOAD, .p_filesz = 512, .p_memsz = 512},
	    {.p_type = PT_DYNAMIC,
	     .p_offset = 256,
	     .p_vaddr = 256,
	     .p_filesz = 64,
	     .p_memsz = 64}};
	const Elf64_Dyn dynamic[] = {
	    {.d_tag = DT_NEEDED, .d_un.d_val = 1},
	    {.d_tag = DT_STRTAB, .d_un.d_ptr = 384},
	    {.d_tag = DT_STRSZ, .d_un.d_val = strlen(needed) + 2}};

	memset(ret, 0, 512);
	memcpy(ret, &head, sizeof(head));
	memcpy(ret + sizeof(head), segments, sizeof(segments));
	memcpy(ret + 256, dynamic, sizeof(dynamic));
	memcpy(ret + 385, needed, strlen(needed));
}

static void test_needs_musl(void **state)
{
	uint8_t file[512];

	(void)state;
	put_library("libc.musl-x86_64.so.1", file);
	assert_true(dac_needs_musl((struct bytes){file, sizeof(file)}));
	assert_false(dac_needs_musl((struct bytes){file, 300}));
	put_library("libc.so.6", file);
	assert_false(dac_needs_musl((struct bytes){file, sizeof(file)}));
	assert_false(dac_needs_musl((struct bytes){NULL, 0}));
}

// A DAC for musl becomes a copy that asks for glibc; another stays what it is.
static void test_for_glibc(void **state)
{
	static const char *const needed[] = {"libc.musl-x86_64.so.1",
					     "libc.so.6"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char path[] = "/tmp/dndbg-test-XXXXXX";
		uint8_t file[512], got[512];
		int fd = mkstemp(path), own = fd;
		bool musl;

		assert_true(fd >= 0);
		put_library(needed[i], file);
		assert_int_equal(write(fd, file, sizeof(file)), sizeof(file));
		assert_null(dac_for_glibc(path, &fd, &musl));
		assert_int_equal(musl, !i);
		assert_int_equal(fd == own, i == 1);
		assert_int_equal(pread(fd, got, sizeof(got), 0), sizeof(got));
		assert_string_equal((const char *)got + 385, "libc.so.6");
		assert_memory_equal(got, file, 385);
		close(fd);
		unlink(path);
	}
}

// The platform that a runtime was built for is all that may differ.
static void test_contracts(void **state)
{
	(void)state;
	assert_true(agrees_with(musl_contract, sizeof(musl_contract)));
	assert_true(agrees_with(glibc_contract, sizeof(glibc_contract)));
	assert_false(agrees_with(moved_contract, sizeof(moved_contract)));
	assert_false(agrees_with(shorter_contract, sizeof(shorter_contract)));
	assert_false(agrees_with(cut_contract, sizeof(cut_contract) - 1));
	assert_false(agrees_with("no contract", 11));
}

// They are among a library's constants; what looks like one in code is none.
static void test_contract_place(void **state)
{
	uint8_t file[512 + sizeof(glibc_contract)];
	Elf64_Phdr load = {.p_type = PT_LOAD,
			   .p_flags = PF_R,
			   .p_offset = 512,
			   .p_filesz = sizeof(glibc_contract)};

	(void)state;
	put_library("libc.so.6", file);
	memcpy(file + 300, "{\"version\":9}", 14);
	memcpy(file + 512, glibc_contract, sizeof(glibc_contract));
	memcpy(file + sizeof(Elf64_Ehdr), &load, sizeof(load));
	assert_true(agrees_with(file, sizeof(file)));
	load.p_flags |= PF_X;
	memcpy(file + sizeof(Elf64_Ehdr), &load, sizeof(load));
	assert_false(agrees_with(file, sizeof(file)));
}

// musl's linker leaves offsets where glibc's writes addresses.
static void test_tables(void **state)
{
	const struct data_target dt = {
	    .runtime_base = 0x7f0000000000,
	    .set = {.dynamic = 0x7f0000001000, .dynamic_size = 0x100}};
	Elf64_Dyn entry = {.d_tag = DT_STRTAB, .d_un.d_ptr = 0x23e0};

	(void)state;
	dac_tables_present(&dt, 0x7f0000001020, &entry, sizeof(entry));
	assert_int_equal(entry.d_un.d_ptr, 0x7f00000023e0);
	dac_tables_present(&dt, 0x7f0000001020, &entry, sizeof(entry));
	assert_int_equal(entry.d_un.d_ptr, 0x7f00000023e0);

	Elf64_Dyn other = {.d_tag = DT_STRSZ, .d_un.d_val = 0x23e0};
	dac_tables_present(&dt, 0x7f0000001030, &other, sizeof(other));
	assert_int_equal(other.d_un.d_val, 0x23e0);

	Elf64_Dyn behind = {.d_tag = DT_STRTAB, .d_un.d_ptr = 0x23e0};
	dac_tables_present(&dt, 0x7f0000001100, &behind, sizeof(behind));
	dac_tables_present(&dt, 0x7f0000000ff0, &behind, sizeof(behind));
	dac_tables_present(&dt, 0x7f0000001020, &behind, 8);
	assert_int_equal(behind.d_un.d_ptr, 0x23e0);
}

/* ---- Debug information ----------------------------------------------- */

// A prolog at 10, and at 100 the code that suspends at the await of IL 6, which
// keeps variable 0 at 48 and variable 3 at 52.
static const uint8_t one_await[] = {
    0x60, 0x00, 0x00, 0x07, 0x72, 0x03, 0x52, 0x08, 0x6a,
    0x25, 0x21, 0x9b, 0x20, 0xe6, 0x90, 0xe1, 0x04,
};

static void test_debug_info(void **state)
{
	struct debug_info info;
	const struct bytes all = {one_await, sizeof(one_await)};
	struct arena *arena = arena_create();

	(void)state;
	assert_int_equal(debug_info_size(all, DEBUG_FORM_11),
			 sizeof(one_await));
	assert_true(debug_info_parse(all, DEBUG_FORM_11, 200, arena, &info));
	assert_int_equal(info.n_bounds, 2);
	assert_int_equal(info.bounds[0].native, 10);
	assert_int_equal(info.bounds[0].il, DAC_IL_PROLOG);
	assert_int_equal(info.bounds[1].native, 100);
	assert_int_equal(info.bounds[1].il, 6);
	assert_int_equal(info.bounds[1].source, DEBUG_BOUND_ASYNC);
	assert_int_equal(info.n_awaits, 1);
	assert_int_equal(info.awaits[0].native, 100);
	assert_int_equal(info.awaits[0].n_kept, 2);
	assert_int_equal(info.awaits[0].kept[1].number, 3);
	assert_int_equal(info.awaits[0].kept[1].offset, 52);
	arena_destroy(arena);
}

// Cut, and about code that is shorter than what it tells of.
static void test_debug_info_cut(void **state)
{
	struct debug_info info;
	struct arena *arena = arena_create();

	(void)state;
	for (size_t n = 0; n < sizeof(one_await); n++)
		assert_false(debug_info_parse((struct bytes){one_await, n},
					      DEBUG_FORM_11, 200, arena,
					      &info));
	assert_false(
	    debug_info_parse((struct bytes){one_await, sizeof(one_await)},
			     DEBUG_FORM_11, 99, arena, &info));
	arena_destroy(arena);
}

// Of .NET 8, whose bounds are numbers: IL 0 at 10, IL 6 at 15.
static const uint8_t old_bounds[] = {0x00, 0x05, 0x92, 0x32, 0x2a, 0x95, 0x01};

static void test_debug_info_old(void **state)
{
	struct debug_info info;
	const struct bytes all = {old_bounds, sizeof(old_bounds)};
	struct arena *arena = arena_create();

	(void)state;
	assert_int_equal(debug_info_size(all, DEBUG_FORM_8), all.n);
	assert_true(debug_info_parse(all, DEBUG_FORM_8, 15, arena, &info));
	assert_int_equal(info.n_bounds, 2);
	assert_int_equal(info.bounds[0].native, 10);
	assert_int_equal(info.bounds[0].il, 0);
	assert_int_equal(info.bounds[1].native, 15);
	assert_int_equal(info.bounds[1].il, 6);
	assert_int_equal(info.n_awaits, 0);
	assert_false(debug_info_parse(all, DEBUG_FORM_8, 14, arena, &info));
	for (size_t n = 0; n < all.n; n++)
		assert_false(debug_info_parse((struct bytes){all.p, n},
					      DEBUG_FORM_8, 15, arena, &info));
	arena_destroy(arena);
}

// Of .NET 10: the hidden argument is in rdi up to 23, in [rbp-8] from 37 to 70,
// and after it come other variables.
static const uint8_t old_context[] = {
    0x00, 0x0a, 0x4a, 0x19, 0x44, 0x82, 0xe0, 0x15, 0xba, 0x61,
    0x20, 0x99, 0x42, 0x52, 0x36, 0x67, 0x80, 0x0e, 0x00, 0x05,
    0x7a, 0x01, 0xc7, 0xc5, 0x11, 0x53, 0x1a, 0xa0, 0x47, 0x60,
    0x5c, 0x1c, 0x34, 0xc5, 0xc1, 0xc5, 0x51, 0x53, 0x1d,
};
// The same method's, of .NET 11.
static const uint8_t new_context[] = {
    0x79, 0x7a, 0x09, 0x44, 0x02, 0x41, 0x57, 0xc8, 0x0d, 0x05,
    0x82, 0xa7, 0xd4, 0x9c, 0x02, 0xd4, 0x00, 0x36, 0xa0, 0x07,
    0x37, 0x5c, 0x1c, 0x53, 0x1a, 0x06, 0x7a, 0x60, 0xc6, 0xc5,
    0x31, 0xc5, 0x71, 0x5c, 0x1c, 0x53, 0x1d, 0xe1, 0x22, 0x00,
};

static void check_context(struct bytes b, enum debug_form form)
{
	struct debug_var *places;
	struct debug_info info;
	size_t n, n_all, at = 0;
	struct arena *arena = arena_create();

	assert_int_equal(debug_info_size(b, form), b.n);
	assert_true(debug_info_vars(b, form, arena, &places, &n_all));
	// the hidden generic argument's
	for (size_t i = 0; i < n_all; i++)
		if (places[i].number == DEBUG_CONTEXT)
			places[at++] = places[i];
	assert_int_equal(at, 2);
	assert_int_equal(places[0].place, DEBUG_IN_REGISTER);
	assert_int_equal(places[0].reg, 7);
	assert_int_equal(places[0].end, 23);
	assert_int_equal(places[1].place, DEBUG_ON_STACK);
	assert_int_equal(places[1].reg, 5);
	assert_int_equal(places[1].offset, -8);
	assert_int_equal(places[1].start, 37);
	assert_int_equal(places[1].end, 70);
	assert_true(debug_info_parse(b, form, 200, arena, &info));
	assert_int_equal(info.bounds[0].native, 0);
	assert_int_equal(info.bounds[0].il, DAC_IL_PROLOG);
	assert_int_equal(info.bounds[3].native, 38);
	assert_int_equal(info.bounds[3].il, 1);
	assert_int_equal(info.bounds[info.n_bounds - 1].native, 70);
	assert_int_equal(info.bounds[info.n_bounds - 1].il, DAC_IL_EPILOG);
	for (size_t i = 0; i < b.n; i++)
		assert_false(debug_info_vars((struct bytes){b.p, i}, form,
					     arena, &places, &n));
	arena_destroy(arena);
}

static void test_debug_context(void **state)
{
	(void)state;
	check_context((struct bytes){old_context, sizeof(old_context)},
		      DEBUG_FORM_10);
	check_context((struct bytes){new_context, sizeof(new_context)},
		      DEBUG_FORM_11);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fault),
	    cmocka_unit_test(test_own_fault),
	    cmocka_unit_test(test_remote),
	    cmocka_unit_test(test_remote_crash),
	    cmocka_unit_test(test_remote_endless),
	    cmocka_unit_test(test_remote_worn),
	    cmocka_unit_test(test_remote_closed),
	    cmocka_unit_test(test_remote_none),
	    cmocka_unit_test(test_cut_file),
	    cmocka_unit_test(test_context),
	    cmocka_unit_test(test_context_of_frame),
	    cmocka_unit_test(test_notifications),
	    cmocka_unit_test(test_throws),
	    cmocka_unit_test(test_owner),
	    cmocka_unit_test(test_foreign_owner),
	    cmocka_unit_test(test_no_mark),
	    cmocka_unit_test(test_no_file),
	    cmocka_unit_test(test_needs_musl),
	    cmocka_unit_test(test_for_glibc),
	    cmocka_unit_test(test_contracts),
	    cmocka_unit_test(test_contract_place),
	    cmocka_unit_test(test_tables),
	    cmocka_unit_test(test_debug_info),
	    cmocka_unit_test(test_debug_info_cut),
	    cmocka_unit_test(test_debug_info_old),
	    cmocka_unit_test(test_debug_context),
	};

	fixture_enter(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
