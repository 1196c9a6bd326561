/*
 * A target that is no process: a program's memory and registers, recorded at
 * a breakpoint. All that dbg.h shows of it must be what it showed of the
 * program itself, with nothing armed and nothing written.
 */
#include "dacfixture.h"
#include "base/mem.h"
#include "runtimelib.h"
#include "session/attach.h"
#include "session/session.h"
#include "target/target_priv.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

enum {
	PATIENCE_MS = 60000,
	FRAMES = 40, /* of a thread, looked at */
	DEEP = 3,    /* of these the variables, too */
};

/* ---- A recorded program ---------------------------------------------- */

struct recorded_thread {
	struct target_thread thread;
	char name[16];
	struct regs regs;
	struct fpregs fpregs;
};

struct recorded_range {
	uint64_t addr;
	size_t n;
	uint8_t *data;
};

struct recorded {
	struct target target;
	char *maps, *auxv;
	size_t n_auxv;
	struct recorded_thread *threads;
	size_t n_threads;
	struct recorded_range *ranges;
	size_t n_ranges;
};

static struct recorded *recorded_of(const struct target *t)
{
	return (struct recorded *)(uintptr_t)t;
}

static void recorded_destroy(struct target *t)
{
	struct recorded *r = recorded_of(t);

	for (size_t i = 0; i < r->n_ranges; i++)
		free(r->ranges[i].data);
	free(r->ranges);
	free(r->threads);
	free(r->maps);
	free(r->auxv);
	target_deinit(t);
	free(r);
}

static size_t recorded_read(struct target *t, uint64_t addr, void *buf,
			    size_t n)
{
	const struct recorded *r = recorded_of(t);
	size_t done = 0;

	for (size_t i = 0; i < r->n_ranges && done < n; i++) {
		const struct recorded_range *range = &r->ranges[i];
		uint64_t at = addr + done;
		size_t part;

		if (at < range->addr || at - range->addr >= range->n)
			continue;
		part = range->n - (size_t)(at - range->addr);
		if (part > n - done)
			part = n - done;
		memcpy((char *)buf + done, range->data + (at - range->addr),
		       part);
		done += part;
	}
	return done;
}

static bool recorded_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *recorded_maps(struct target *t, struct proc_maps *ret)
{
	memset(ret, 0, sizeof(*ret));
	proc_maps_parse(xstrdup(recorded_of(t)->maps), ret);
	return NULL;
}

static struct dbg_error *recorded_auxv(struct target *t, uint64_t type,
				       uint64_t *ret)
{
	const struct recorded *r = recorded_of(t);

	*ret = 0;
	for (size_t i = 0; i + 16 <= r->n_auxv; i += 16) {
		uint64_t pair[2];

		memcpy(pair, r->auxv + i, sizeof(pair));
		if (pair[0] == type)
			*ret = pair[1];
	}
	return NULL;
}

static const char *recorded_root(const struct target *t)
{
	(void)t;
	return "";
}

static struct dbg_error *recorded_threads(struct target *t, struct arena *arena,
					  struct target_thread **ret,
					  size_t *ret_n)
{
	const struct recorded *r = recorded_of(t);

	*ret_n = r->n_threads;
	*ret = arena_calloc(arena, r->n_threads + 1, sizeof(**ret));
	for (size_t i = 0; i < r->n_threads; i++)
		(*ret)[i] = r->threads[i].thread;
	return NULL;
}

static struct recorded_thread *thread_of(struct target *t, pid_t tid)
{
	struct recorded *r = recorded_of(t);

	for (size_t i = 0; i < r->n_threads; i++)
		if (r->threads[i].thread.tid == tid)
			return &r->threads[i];
	fail_msg("thread %d was not recorded", tid);
	return NULL;
}

static void recorded_thread_name(struct target *t, pid_t tid, char ret[16])
{
	memcpy(ret, thread_of(t, tid)->name, 16);
}

static struct dbg_error *recorded_regs(struct target *t, pid_t tid,
				       struct regs *ret)
{
	*ret = thread_of(t, tid)->regs;
	return NULL;
}

static struct dbg_error *recorded_fpregs(struct target *t, pid_t tid,
					 struct fpregs *ret)
{
	*ret = thread_of(t, tid)->fpregs;
	return NULL;
}

static const struct target_ops recorded_ops = {
    .destroy = recorded_destroy,
    .read = recorded_read,
    .frozen = recorded_frozen,
    .maps = recorded_maps,
    .auxv = recorded_auxv,
    .root = recorded_root,
    .threads = recorded_threads,
    .thread_name = recorded_thread_name,
    .regs = recorded_regs,
    .fpregs = recorded_fpregs,
};

static void record_threads(struct recorded *r, struct target *t)
{
	struct arena *arena = arena_create();
	struct target_thread *list;

	must(target_threads(t, arena, &list, &r->n_threads));
	r->threads = xcalloc(r->n_threads + 1, sizeof(*r->threads));
	for (size_t i = 0; i < r->n_threads; i++) {
		struct recorded_thread *th = &r->threads[i];

		th->thread = list[i];
		target_thread_name(t, list[i].tid, th->name);
		must(target_regs(t, list[i].tid, &th->regs));
		must(target_fpregs(t, list[i].tid, &th->fpregs));
	}
	arena_destroy(arena);
}

// What is mapped from files is recorded as well: a core may lack it.
static void record_memory(struct recorded *r, struct target *t)
{
	struct proc_maps maps = {0};

	proc_maps_parse(xstrdup(r->maps), &maps);
	r->ranges = xcalloc(maps.n + 1, sizeof(*r->ranges));
	for (size_t i = 0; i < maps.n; i++) {
		struct recorded_range *range = &r->ranges[r->n_ranges];

		if (!maps.v[i].read)
			continue;
		range->addr = maps.v[i].start;
		range->n = (size_t)(maps.v[i].end - maps.v[i].start);
		range->data = xmalloc(range->n);
		range->n =
		    target_read_some(t, range->addr, range->data, range->n);
		r->n_ranges++;
	}
	proc_maps_deinit(&maps);
}

static struct target *record(struct target *t)
{
	struct recorded *r = xcalloc(1, sizeof(*r));
	char path[64];

	target_init(&r->target, &recorded_ops, target_pid(t));
	snprintf(path, sizeof(path), "/proc/%d/maps", target_pid(t));
	r->maps = proc_read(path, NULL);
	snprintf(path, sizeof(path), "/proc/%d/auxv", target_pid(t));
	r->auxv = proc_read(path, &r->n_auxv);
	assert_true(r->maps && r->auxv);
	record_threads(r, t);
	record_memory(r, t);
	return &r->target;
}

/* ---- Everything that dbg.h shows ------------------------------------- */

static struct dbg_stopped now(struct dbg *dbg)
{
	struct dbg_stopped at;

	must(dbg_stopped(dbg, &at));
	return at;
}

static void add_values(struct dbg *dbg, const struct dbg_value *list, size_t n,
		       int depth, struct str *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct dbg_value *v = &list[i];
		struct dbg_value *children;
		size_t n_children;

		str_addf(out, "%*s%s %s = %s\n", depth * 4, "", v->type,
			 v->name, v->text);
		if (depth == 3 || !v->id)
			continue;
		must(dbg_children(now(dbg), v->id,
				  v->n_indexed ? DBG_CHILDREN_INDEXED
					       : DBG_CHILDREN_NAMED,
				  0, 10, &children, &n_children));
		add_values(dbg, children, n_children, depth + 1, out);
	}
}

static void add_scope(struct dbg *dbg, dbg_id frame, enum dbg_scope scope,
		      struct str *out)
{
	struct dbg_value *list;
	size_t n;

	must(dbg_scope_list(now(dbg), frame, scope, &list, &n));
	add_values(dbg, list, n, 1, out);
}

static void add_frames(struct dbg *dbg, uint32_t thread, struct str *out)
{
	struct dbg_frame *frames;
	size_t n;

	must(dbg_frame_list(now(dbg), thread, 0, FRAMES, &frames, &n));
	for (size_t i = 0; i < n; i++) {
		const struct dbg_frame *f = &frames[i];

		str_addf(out, "  #%u %lx %s %s:%u\n", f->level,
			 (unsigned long)f->pc, f->function,
			 f->source.path ? f->source.path : "", f->source.line);
		if (i >= DEEP || f->kind != DBG_FRAME_MANAGED)
			continue;
		add_scope(dbg, f->id, DBG_SCOPE_ARGS, out);
		add_scope(dbg, f->id, DBG_SCOPE_LOCALS, out);
		add_scope(dbg, f->id, DBG_SCOPE_STATICS, out);
	}
}

static char *everything(struct dbg *dbg, uint32_t thread)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_str_ struct str out = {0};
	struct dbg_thread *threads;
	struct dbg_module *modules;
	struct dbg_value value;
	size_t n;

	must(dbg_module_list(dbg, arena, &modules, &n));
	for (size_t i = 0; i < n; i++)
		str_addf(&out, "module %s\n", modules[i].name);
	must(dbg_thread_list(now(dbg), &threads, &n));
	for (size_t i = 0; i < n; i++) {
		str_addf(&out, "thread %d %d \"%s\"\n", threads[i].tid,
			 threads[i].managed, threads[i].name);
		add_frames(dbg, threads[i].number, &out);
	}
	add_frames(dbg, thread, &out);
	must(dbg_eval(now(dbg), 0, "Number * 100 + code.Length", &value));
	str_addf(&out, "%s %s\n", value.type, value.text);
	return str_take(&out);
}

/* ---- The program itself ---------------------------------------------- */

static void wait_for_stop(struct dbg *dbg)
{
	struct dbg_stopped at;

	while (dbg_state(dbg) == DBG_RUNNING) {
		struct pollfd fd = {dbg_fd(dbg), POLLIN, 0};

		must_fail(dbg_stopped(dbg, &at), DBG_E_STATE,
			  "the program is running");
		assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
		must(dbg_dispatch(dbg));
	}
	assert_int_equal(dbg_state(dbg), DBG_STOPPED);
}

// Run Orders until it stops at a breakpoint where an order has lines.
static struct dbg *stop_in_add(const char *host, struct arena *arena)
{
	const char *args[] = {dacfixture_dll(arena, "Debug/Orders")};
	const struct dbg_launch launch = {
	    .program = host,
	    .args = args,
	    .n_args = 1,
	    .stdio = {"/dev/null", "/dev/null", "/dev/null"},
	};
	const struct dbg_break_req req = {.kind = DBG_BREAK_LOCATION,
					  .place.text = "Shop.Model.Order.Add",
					  .hits = "3"};
	struct dbg_stopped at;
	struct dbg *dbg;
	uint32_t number;

	must(dbg_create(&dbg));
	must(dbg_break_add(dbg, &req, &number));
	must_fail(dbg_stopped(dbg, &at), DBG_E_STATE, "not being run");
	must(dbg_launch(dbg, &launch));
	wait_for_stop(dbg);
	must(dbg_stopped(dbg, &at));
	assert_int_equal(dbg_stop_reason(at)->reason, DBG_STOP_BREAKPOINT);
	return dbg;
}

/*
 * The handle of a stop that is over does nothing: not while the program runs,
 * and not in the next stop.
 */
static void check_stale(struct dbg *dbg)
{
	const struct dbg_stopped old = now(dbg);
	const struct dbg_step step = {.kind = DBG_STEP_OVER};
	struct dbg_frame *frames;
	struct dbg_value value;
	const char *text;
	bool any;
	size_t n;

	must(dbg_frame_list(old, 0, 0, 1, &frames, &n));
	uint64_t pc = frames[0].pc, code = 0, after = 0;

	must(dbg_eval(old, 0, "Number", &value));
	must(dbg_memory_read(old, pc, &code, sizeof(code), &n));
	must(dbg_step(old, &step));
	must_fail(dbg_continue(old, 0), DBG_E_STATE, "is running");
	must_fail(dbg_eval(old, 0, "Number", &value), DBG_E_STATE,
		  "is running");
	wait_for_stop(dbg);
	must_fail(dbg_continue(old, 0), DBG_E_STALE, "an earlier stop");
	assert_int_equal(dbg_stop_reason(now(dbg))->reason, DBG_STOP_STEP);
	assert_int_equal(dbg_stop_reason(old)->reason, DBG_STOP_PAUSE);
	assert_int_equal(dbg_stop_reason(old)->thread, 0);
	must_fail(dbg_step(old, &step), DBG_E_STALE, "an earlier stop");
	must_fail(dbg_frame_list(old, 0, 0, 1, &frames, &n), DBG_E_STALE,
		  "an earlier stop");
	must_fail(dbg_eval(old, 0, "Number", &value), DBG_E_STALE,
		  "an earlier stop");
	must_fail(dbg_format_last(old, 'x', &text), DBG_E_STALE,
		  "an earlier stop");
	must_fail(dbg_returned(old, &value, &any), DBG_E_STALE,
		  "an earlier stop");
	must_fail(dbg_memory_write(old, pc, &after, sizeof(after)), DBG_E_STALE,
		  "an earlier stop");
	assert_int_equal(dbg_keep(old), 0);
	assert_null(dbg_lacking(old));
	assert_int_equal(dbg_state(dbg), DBG_STOPPED);
	must(dbg_memory_read(now(dbg), pc, &after, sizeof(after), &n));
	assert_int_equal(code, after);
	must(dbg_eval(now(dbg), 0, "Number", &value));
}

static void check_standing(struct dbg *dbg, const struct target *t)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION, .place.text = "Shop.Model.Line.Price"};
	struct dbg_step step = {.kind = DBG_STEP_OVER};
	uint32_t number;
	struct dbg_breakpoint bp;

	// A breakpoint finds its place, and no trap comes of it.
	must(dbg_break_add(dbg, &req, &number));
	must(dbg_break_get(dbg, number, arena, &bp));
	assert_int_equal(bp.n_locations, 1);
	assert_int_equal(t->traps.n, 0);
	must_fail(dbg_continue(now(dbg), 0), DBG_E_STATE,
		  "cannot run: look at frames");
	must_fail(dbg_step(now(dbg), &step), DBG_E_STATE,
		  "cannot run: look at frames");
	must_fail(
	    dbg_goto(now(dbg), 0, &(struct dbg_place){.text = "1"}, false),
	    DBG_E_STATE, "cannot run: look at frames");
	must_fail(dbg_memory_write(now(dbg), t->pid, "", 1), DBG_E_STATE,
		  "cannot be written");
	assert_int_equal(dbg_state(dbg), DBG_STOPPED);
}

static void same_as_live(const char *major)
{
	struct arena *arena = arena_create();
	const char *host = dacfixture_host(major, arena);
	struct dbg *live, *standing;
	struct target *t;

	if (!host) {
		arena_destroy(arena);
		skip();
	}
	live = stop_in_add(host, arena);
	_cleanup_free_ char *wanted = everything(live, dbg_stop_thread(live));
	pid_t tid = 0;

	tid = stack_thread_tid(live->inspect.stack, dbg_stop_thread(live));
	t = record(live->target);
	check_stale(live);
	dbg_destroy(live);

	must(dbg_create(&standing));
	must(session_stand(standing, t, NULL));
	session_stopped(
	    standing,
	    &(struct dbg_stop){.reason = DBG_STOP_ATTACH,
			       .thread = session_pause_thread(standing, tid)});
	_cleanup_free_ char *got = everything(
	    standing, stack_thread_number(standing->inspect.stack, tid));

	assert_non_null(strstr(wanted, "Shop.Model.Order.Add"));
	assert_non_null(strstr(wanted, "int 205"));
	assert_string_equal(wanted, got);
	check_standing(standing, t);
	must(dbg_detach(standing, false));
	assert_int_equal(dbg_state(standing), DBG_IDLE);
	dbg_destroy(standing);
	arena_destroy(arena);
}

static void test_8(void **state)
{
	(void)state;
	same_as_live("8");
}

static void test_9(void **state)
{
	(void)state;
	same_as_live("9");
}

static void test_10(void **state)
{
	(void)state;
	same_as_live("10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_8),
	    cmocka_unit_test(test_9),
	    cmocka_unit_test(test_10),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
