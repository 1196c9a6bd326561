/*
 * The undo journal: what a debugger has written into a program's data is put
 * back when it lets go, or by who attaches behind it when it has died; whatever
 * the table of the dead one holds by then.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/guard/orphan.h"
#include "target/live/live.h"
#include "target/proc.h"
#include "targetfixture.h"

enum {
	WORDS = ORPHAN_UNDO_MAX + 16,
	OLD = 0x11,
	NEW = 0x22,
	OTHER = 0x33,
};

// What the program and the test share; it does nothing with that.
struct shared {
	uint8_t data[WORDS * 8];
	volatile uint64_t orphan; /* where it lies in the program */
};

struct program {
	pid_t pid;
	struct shared *s;
};

static struct program start(void)
{
	struct program p = {.s =
				mmap(NULL, sizeof(*p.s), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0)};

	assert_ptr_not_equal(p.s, MAP_FAILED);
	memset(p.s->data, OLD, sizeof(p.s->data));
	p.pid = fork();
	while (!p.pid)
		pause();
	return p;
}

static void end(struct program *p)
{
	int status;

	assert_int_equal(waitpid(p->pid, &status, WNOHANG), 0);
	kill(p->pid, SIGKILL);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	munmap(p->s, sizeof(*p->s));
}

// In the debugger, where no test can fail.
static void need(bool right)
{
	if (!right)
		_exit(1);
}

static void undone(struct target *t, struct program *p, size_t at, size_t n)
{
	uint8_t bytes[sizeof(p->s->data)];

	memset(bytes, NEW, n);
	need(!target_write_undone(t, (uint64_t)&p->s->data[at], bytes, n));
}

static _Noreturn void die(struct target *t)
{
	kill(live_of(t)->cleanup.pid, SIGKILL);
	raise(SIGKILL);
	_exit(2);
}

static _Noreturn void leave(struct target *t)
{
	need(!target_detach(t, false));
	target_destroy(t);
	_exit(0);
}

// A debugger that does something; the signal it ends by, 0 if none.
static int debug(struct program *p,
		 void (*does)(struct target *, struct program *))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct target *t;

		need(!target_attach(p->pid, &t));
		does(t, p);
		leave(t);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void nothing_to_do(struct target *t, struct program *p)
{
	(void)t;
	(void)p;
}

// How many bytes are as they were.
static size_t count_old(const struct program *p)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(p->s->data); i++)
		n += p->s->data[i] == OLD;
	return n;
}

static void assert_old(const struct program *p)
{
	assert_int_equal(count_old(p), sizeof(p->s->data));
}

/* ---- Of one that lets go, or dies ------------------------------------ */

// Across words, within one, twice the same, over one another.
static void write_some(struct target *t, struct program *p)
{
	undone(t, p, 3, 21);
	undone(t, p, 101, 2);
	undone(t, p, 101, 2);
	undone(t, p, 96, 16);
	need(count_old(p) == sizeof(p->s->data) - 37);
}

static void write_and_die(struct target *t, struct program *p)
{
	write_some(t, p);
	die(t);
}

static void test_let_go(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, write_some), 0);
	assert_old(&p);
	end(&p);
}

static void test_died(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, write_and_die), SIGKILL);
	p.s->data[4] = OTHER; // by the program meanwhile
	assert_int_equal(debug(&p, nothing_to_do), 0);
	// what lies in that word is not ours any more
	assert_int_equal(p.s->data[4], OTHER);
	assert_int_equal(p.s->data[3], NEW);
	memset(p.s->data, OLD, 8);
	assert_old(&p);
	end(&p);
}

// What it wrote back itself is nobody's business behind it.
static void write_back_and_die(struct target *t, struct program *p)
{
	uint8_t old[16];

	memset(old, OLD, sizeof(old));
	undone(t, p, 0, sizeof(old));
	need(!target_write_undone(t, (uint64_t)p->s->data, old, sizeof(old)));
	die(t);
}

static void test_written_back(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, write_back_and_die), SIGKILL);
	memset(p.s->data, NEW, 16);
	assert_int_equal(debug(&p, nothing_to_do), 0);
	assert_int_equal(count_old(&p), sizeof(p.s->data) - 16);
	end(&p);
}

/* ---- What is to stay ------------------------------------------------- */

static void keep_first(struct target *t, struct program *p)
{
	target_undone_begin(t);
	undone(t, p, 0, 8);
	target_undone_keep(t);
	undone(t, p, 8, 8);
}

static void keep_halfway(struct target *t, struct program *p)
{
	target_undone_begin(t);
	undone(t, p, 0, 8);
	die(t);
}

static void test_kept(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, keep_halfway), SIGKILL);
	assert_int_equal(debug(&p, nothing_to_do), 0);
	assert_old(&p);
	assert_int_equal(debug(&p, keep_first), 0);
	assert_int_equal(count_old(&p), sizeof(p.s->data) - 8);
	assert_int_equal(p.s->data[0], NEW);
	end(&p);
}

/* ---- The table ------------------------------------------------------- */

// What does not fit is not written; the rest is undone.
static void write_too_much(struct target *t, struct program *p)
{
	uint8_t bytes[16];

	memset(bytes, NEW, sizeof(bytes));
	undone(t, p, 0, ORPHAN_UNDO_MAX * 8);
	struct dbg_error *err = target_write_undone(
	    t, (uint64_t)&p->s->data[ORPHAN_UNDO_MAX * 8], bytes, 16);
	need(err);
	dbg_error_destroy(err);
	need(count_old(p) == sizeof(p->s->data) - ORPHAN_UNDO_MAX * 8);
}

static void test_full(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, write_too_much), 0);
	assert_old(&p);
	end(&p);
}

// Killed between the entry and the write, and between the write and the next
// entry; and what no debugger of ours has entered.
static void forge(struct target *t, struct program *p)
{
	const uint64_t data = (uint64_t)p->s->data, none = UINT64_MAX;
	const struct orphan_undo forged[] = {
	    {.old = 1, .mask = 255, .addr = 1},
	    {.old = 1, .mask = 255, .addr = none},
	    {.old = 1, .mask = 255, .addr = none - 7},
	    {.old = 1, .mask = 255, .addr = UINT64_C(1) << 63},
	    {.old = 1, .mask = 0, .addr = data},
	    {.old = 1, .mask = 1 << 8, .addr = data},
	    {.old = 1, .now = NEW, .next = OTHER, .mask = 1, .addr = data},
	    {.old = OTHER, .now = OLD, .mask = 1, .addr = data + 8},
	    {.old = OTHER << 8, .next = OLD << 8, .mask = 2, .addr = data + 16},
	};
	const uint64_t traps[] = {none, 1 << 8, data << 8 | OTHER, 0};

	undone(t, p, 64, 8);
	uint64_t at = orphan_data_at(live_of(t), 0);
	p->s->orphan = live_of(t)->orphan.addr;
	need(!target_write(t, at + offsetof(struct orphan_data, undos[7]),
			   forged, sizeof(forged)));
	need(!target_write(t, at + offsetof(struct orphan_data, traps), traps,
			   sizeof(traps)));
	need(!target_write(t, at + offsetof(struct orphan_data, n_traps), &none,
			   sizeof(none)));
	need(!target_write(t, at + offsetof(struct orphan_data, cleared), &none,
			   sizeof(none)));
	die(t);
}

static void test_forged(void **state)
{
	struct program p = start();

	(void)state;
	assert_int_equal(debug(&p, forge), SIGKILL);
	assert_int_equal(p.s->data[64], NEW);
	assert_int_equal(debug(&p, nothing_to_do), 0);
	assert_int_equal(p.s->data[8], OTHER);
	assert_int_equal(p.s->data[17], OTHER);
	assert_int_equal(count_old(&p), sizeof(p.s->data) - 2);
	end(&p);
}

/* ---- The memory for all that ----------------------------------------- */

static bool has_memory(pid_t pid, uint64_t addr)
{
	struct proc_maps maps;

	must(proc_maps_load(pid, &maps));
	bool found = proc_maps_find(&maps, addr);
	proc_maps_deinit(&maps);
	return found;
}

// A debugger died when it had mapped it, and before it was filled.
static void test_halfway(void **state)
{
	void *made = mmap(NULL, ORPHAN_BYTES, PROT_READ | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct program p = start();

	(void)state;
	assert_ptr_not_equal(made, MAP_FAILED);
	munmap(made, ORPHAN_BYTES);
	assert_true(has_memory(p.pid, (uint64_t)made));
	assert_int_equal(debug(&p, nothing_to_do), 0);
	assert_false(has_memory(p.pid, (uint64_t)made));
	end(&p);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_let_go),       cmocka_unit_test(test_died),
	    cmocka_unit_test(test_written_back), cmocka_unit_test(test_kept),
	    cmocka_unit_test(test_full),         cmocka_unit_test(test_forged),
	    cmocka_unit_test(test_halfway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
